# shellcheck shell=sh disable=SC2154,SC2034 # tap.sh sets tmp, and reads the counts
# SPDX-License-Identifier: BSD-2-Clause
#
# For shell tests, after tap.sh: tests of pytest as cases.

# run_pytest LIBRARY FILE...: LIBRARY is what the tests load that was built here.
run_pytest() {
	# The sanitizers' code must come before the interpreter's, which is not without leaks.
	if grep -q __asan_init "$1"; then
		# shellcheck disable=SC2086 # CC may hold options
		asan=$($CC -print-file-name=libasan.so)
		[ -f "$asan" ] || skip_all "$CC has no libasan.so to start Python with"
		LD_PRELOAD=$asan:$($CC -print-file-name=libubsan.so):$($CC -print-file-name=libstdc++.so)
		export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" LD_PRELOAD
	fi
	shift
	cd "$tmp" || exit 99
	export COLUMNS=150 PYTHONDONTWRITEBYTECODE=1
	"$PYTHON" -m pytest -v --tb=short --color=no -p no:cacheprovider "$@" >log
	status=$?
	unset LD_PRELOAD
	sed -nE -e '/^[^ ]*::.* (PASSED|XFAIL)/s/^([^ :]*\/)?(.*) (PASSED|XFAIL).*/ok - \2/p' \
		-e '/^[^ ]*::.* SKIPPED/s/^([^ :]*\/)?(.*) SKIPPED *(.*)/ok - \2 # SKIP \3/p' \
		-e '/^[^ ]*::.* (FAILED|ERROR)/s/^([^ :]*\/)?(.*) (FAILED|ERROR).*/not ok - \2/p' log >cases
	[ "$status" -eq 0 ] || sed -n '/^=.* \(ERRORS\|FAILURES\)/,$s/^/# /p' log
	cat cases
	tap_passed=$(grep -c '^ok' cases)
	tap_failed=$(grep -c '^not ok' cases)
	[ "$status" -eq 0 ] || [ "$tap_failed" -gt 0 ] ||
		not_ok "pytest" "exit status $status" "$(tail -n 5 log)"
	done_testing
}
