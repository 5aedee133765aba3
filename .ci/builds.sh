# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What .ci/run and .ci/portable share: builds with a log each in the folder $out, a count of their
# cases, and a list of what failed.  The script that includes this sets out.

top=$PWD
out=${out:?}
unset TESTS PROGRAMS # those of build()
jobs=${XC_JOBS:-$(getconf _NPROCESSORS_ONLN)}
passed=0
failed=0
skipped=0
trouble=()

section() {
	printf '\n== %s (%d s)\n' "$*" "$SECONDS"
}

# complain WHAT LOG: notes a failure, shows the end of the log, and goes on, so
# that one run tells everything.
complain() {
	trouble+=("$1")
	echo "FAILED: $1"
	grep -E 'warning:|error:|undefined reference|^not ok|^# [^A-Z]|\*\*\*' "$2" | tail -n 30 ||
		tail -n 30 "$2"
	echo "(all of it: $2)"
}

# What libtool says at every installation is no warning about anything.
warnings_in() {
	grep 'warning:' | grep -vE 'libtool: warning: (remember to run|relinking)'
}

# logged NAME COMMAND...: runs the command with its output in the log of NAME;
# a warning in there is a failure.
logged() {
	local name=$1 log=$out/$1.log before=0
	shift
	[ ! -f "$log" ] || before=$(wc -l <"$log")
	if ! "$@" >>"$log" 2>&1 </dev/null; then
		complain "$name: $*" "$log"
		return 1
	elif tail -n "+$((before + 1))" "$log" | warnings_in >/dev/null; then
		complain "$name: warnings" "$log"
		return 1
	fi
}

# count NAME: adds up the summaries of the test runs in the log of NAME, and shows the tests that come nearest to
# the limit of time.
count() {
	local line log=$out/$1.log
	while read -r line; do
		echo "$line"
		# "P passed, F failed" and perhaps ", S skipped"
		# shellcheck disable=SC2086
		set -- ${line//,/}
		passed=$((passed + $1))
		failed=$((failed + $3))
		skipped=$((skipped + ${5:-0}))
	done < <(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log")
	sed -nE 's/^.*: (.*) \(.*, ([0-9]{2,} s)\)$/\2  \1/p' "$log" | sort -rn | head -n 3 || true
}

# build NAME CONFIGURE-ARGUMENT...: configures and builds out of tree, and runs the tests, all of them or
# those in $TESTS, of all programs of tests or those that make finds in $PROGRAMS.
build() {
	local name=$1 programs
	shift
	section "$name: $*"
	mkdir -p "$out/$name"
	cd "$out/$name" || exit
	if logged "$name" "$top/configure" -C --enable-werror "$@" &&
		logged "$name" make -j "$jobs"; then
		programs=$(printf 'include Makefile\nprograms:\n\t@echo %s\n' "${PROGRAMS-}" | make -s -f - programs)
		logged "$name" make -j "$jobs" check ${TESTS:+TESTS="$TESTS"} \
			${PROGRAMS:+check_PROGRAMS="$programs"} || true
		count "$name"
	fi
	cd "$top" || exit
}

# The summary; its status is that of the script.
finish() {
	section "done"
	if [ ${#trouble[@]} -gt 0 ]; then
		printf 'FAILED: %s\n' "${trouble[@]}"
	fi
	if [ "$skipped" -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	[ ${#trouble[@]} -eq 0 ] && [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
