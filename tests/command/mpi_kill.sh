#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# xcodec-mpi, killed and resumed: nothing is lost, nothing is done twice, no file is partial.
# XC_MPI_KILLS says how many times (2), XC_MPI_PICTURES of how many pictures (200).
. "${srcdir:-.}/tests/support/tap.sh"
. "$SRCDIR/tests/support/mpi.sh"
command -v pgrep >/dev/null || skip_all "no pgrep"

kills=${XC_MPI_KILLS:-2}
pictures=${XC_MPI_PICTURES:-200}
in=$tmp/in
mkdir "$in" "$tmp/one"
i=0
while [ $i -lt "$pictures" ]; do
	[ $((i % 100)) -ne 0 ] || mkdir "$in/$((i / 100))"
	{
		printf 'P5\n%d 100\n255\n' $((100 + i % 200))
		head -c $(((100 + i % 200) * 100)) "$XCODEC"
	} >"$in/$((i / 100))/picture-$i.pgm"
	i=$((i + 1))
done
"$XCODEC" encode --replace-suffix --effort 3 -r -o "$tmp/one" "$in" || exit 1

results() {
	find "$out" -name '*.xc' | wc -l
}

# Names, inodes and times of change.
state() {
	find "$out" -name '*.xc' -printf '%P %i %T@\n' | sort
}

# kill_after COUNT WHOM: begins, and kills one rank or all processes once there are so many results.
kill_after() {
	# shellcheck disable=SC2086 # a list of words
	$mpirun -n 3 "$program" encode --replace-suffix --effort 3 --resume -r -o "$out" "$in" </dev/null >"$tmp/log" 2>&1 &
	job=$!
	while [ "$(results)" -lt "$1" ] && kill -0 $job 2>/dev/null; do
		:
	done
	processes=$(pgrep -P $job)
	# shellcheck disable=SC2086 # a list of words
	case $2 in
	all) kill -KILL $job $processes 2>/dev/null ;;
	*) kill -KILL "$(echo "$processes" | sed -n "$2p")" 2>/dev/null ;;
	esac
	wait $job 2>/dev/null
	# Ranks may outlive mpirun by a moment.
	for process in $processes; do
		while kill -0 "$process" 2>/dev/null; do
			sleep 0.05
		done
	done
}

# Each file that is there is one of an uninterrupted run.
all_whole() {
	(cd "$out" && find . -name '*.xc') | while read -r name; do
		cmp "$out/$name" "$tmp/one/$name" || echo "$name"
	done
}

number=0
while [ $number -lt "$kills" ]; do
	number=$((number + 1))
	out=$tmp/out$number
	mkdir "$out"
	point=$(awk -v n="$number" -v all="$pictures" 'BEGIN { srand(n); print int(rand() * all * 0.9) }')
	case $((number % 4)) in
	1) whom=all ;;
	0) whom=1 ;;
	*) whom=$((number % 4)) ;;
	esac
	kill_after "$point" $whom
	what="killed ($whom) with $(results | tr -d ' ') of $pictures"
	check_equal "$what: no partial file" "" "$(all_whole)"
	state >"$tmp/state"
	check_status "$what: resumed" 0 ranks 3 encode --replace-suffix --effort 3 --resume -r -o "$out" "$in"
	check "$what: all is there" diff -r -x .xcodec "$tmp/one" "$out"
	state >"$tmp/later"
	check_equal "$what: nothing was done twice" "" "$(comm -23 "$tmp/state" "$tmp/later")"
	check_equal "$what: no temporary file is left" "" "$(find "$out" -name '*.tmp')"
	rm -rf "$out"
done

# A signal that can be caught removes temporary files at once, and rank 0 says what to do.  It is sent to rank 0, not
# to mpirun, which may end before it has passed on what ranks say.
out=$tmp/out
mkdir "$out"
# shellcheck disable=SC2086 # a list of words
$mpirun -n 3 "$program" encode --replace-suffix --effort 3 -r -o "$out" "$in" </dev/null >"$tmp/log" 2>&1 &
job=$!
while [ "$(results)" -lt 5 ] && kill -0 $job 2>/dev/null; do
	:
done
kill -TERM "$(pgrep -P $job | sed -n 1p)" 2>/dev/null
wait $job
check_equal "SIGTERM leaves no temporary file" "" "$(find "$out" -name '*.tmp')"
check "and says how to go on" grep -q 'xcodec-mpi: ended before .*--resume' "$tmp/log"
done_testing
