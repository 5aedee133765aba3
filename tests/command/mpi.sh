#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# xcodec-mpi: the files of one process, for any number of them; names, lists, failures, the summary.
. "${srcdir:-.}/tests/support/tap.sh"
. "$SRCDIR/tests/support/mpi.sh"

# Sixty small pictures of different sizes, in folders of folders.
in=$tmp/in
mkdir -p "$in/a/b" "$in/c" "$tmp/one" "$tmp/list"
i=0
while [ $i -lt 60 ]; do
	case $((i % 3)) in
	0) folder=$in/a ;;
	1) folder=$in/a/b ;;
	*) folder=$in/c ;;
	esac
	width=$((20 + i)) height=$((70 - i))
	{
		printf 'P5\n%d %d\n255\n' $width $height
		head -c $((width * height)) "$XCODEC"
	} >"$folder/picture-$i.pgm"
	i=$((i + 1))
done
"$XCODEC" encode --replace-suffix -r -o "$tmp/one" "$in" || exit 1

same() {
	diff -r -x .xcodec "$1" "$2"
}

for n in 1 2 4; do
	mkdir "$tmp/out$n"
	check_status "encode with $n ranks" 0 ranks $n encode --replace-suffix -r -o "$tmp/out$n" "$in"
	check "$n ranks: the bytes of one process, the folders of the inputs" same "$tmp/one" "$tmp/out$n"
done
grep -q '^60 pictures' "$tmp/stderr" && ok "a summary" || not_ok "a summary" "$(cat "$tmp/stderr")"

mkdir "$tmp/back1" "$tmp/back2"
"$XCODEC" decode -r -o "$tmp/back1" "$tmp/one" || exit 1
check_status "decode with 3 ranks" 0 ranks 3 decode --quiet -r -o "$tmp/back2" "$tmp/one"
check "decoded as by one process" same "$tmp/back1" "$tmp/back2"
check_equal "--quiet is quiet" "" "$(cat "$tmp/stderr")"

(cd "$in" && find . -name '*.pgm') >"$tmp/names"
from_list() {
	# shellcheck disable=SC2086 # a list of words
	(cd "$in" && $mpirun -n 2 "$program" encode --replace-suffix --list - -o "$tmp/list" <"$tmp/names")
}
check "a list from standard input" from_list
check "its results" same "$tmp/one" "$tmp/list"

# Failures.
mkdir "$tmp/bad" "$tmp/badout"
cp "$in"/c/* "$tmp/bad"
head -c 100 "$in/c/picture-2.pgm" >"$tmp/bad/cut.pgm"
echo text >"$tmp/bad/text.pgm"
check_status "bad files: status 1" 1 ranks 2 encode --replace-suffix --json -r -o "$tmp/badout" "$tmp/bad"
check_equal "a line for each" 2 "$(grep -c '^xcodec-mpi: .*pgm: ' "$tmp/stderr")"
check_equal "the others are done" 20 "$(find "$tmp/badout" -name '*.xc' | wc -l | tr -d ' ')"
check_json "--json: failures by kind" "$tmp/stdout" '(j["exit_status"] == 1 and j["pictures"] == 20 and
 j["failed"]["broken"] == 1 and j["failed"]["foreign"] == 1)'
check_json "--json: sums over ranks" "$tmp/stdout" '(len(j["ranks"]) == 2 and 0 <= j["idle"] <= 1 and
 all(sum(r[k] for r in j["ranks"]) == j[k] for k in ("pictures", "pixels", "bytes_in", "bytes_out")))'
check_status "results that exist" 1 ranks 2 encode --replace-suffix --quiet -r -o "$tmp/out2" "$in"
check_equal "a line for each of them" 60 "$(grep -c 'exists already' "$tmp/stderr")"

# Wrong use is said once.
check_status "an unknown option" 2 ranks 3 encode --unknown -o "$tmp/out1" "$in"
check_equal "said once" 1 "$(grep -c 'unknown option' "$tmp/stderr")"
check_status "no folder for the results" 1 ranks 3 encode --replace-suffix -r -o "$tmp/none" "$in"
check_equal "said once too" 1 "$(grep -c 'cannot take the results' "$tmp/stderr")"
check_status "IN OUT" 2 ranks 2 encode "$in/c/picture-2.pgm" "$tmp/x.xc"
check_status "help" 0 ranks 3 decode --help
check_equal "is given once" 1 "$(grep -c '^Usage: xcodec-mpi decode' "$tmp/stdout")"
check_status "no command" 2 "$program"
check_status "another command" 2 "$program" info
check_status "the program's help" 0 "$program" --help

# Resuming: nothing is done twice; manifests of several ranks become one.
mkdir "$tmp/resumed"
check_status "--resume, some of it" 0 ranks 3 encode --replace-suffix --quiet --resume -r -o "$tmp/resumed" "$in/a"
cp -a "$tmp/resumed" "$tmp/before"
check_status "--resume, the same again" 0 ranks 2 encode --replace-suffix --resume --json -r -o "$tmp/resumed" "$in/a"
check_json "nothing is done twice" "$tmp/stdout" 'j["pictures"] == 0 and j["existed"] == 0'
check_status "merge" 0 "$program" merge "$tmp/resumed"
check_equal "one manifest is left" 1 "$(find "$tmp/resumed/.xcodec" -name 'manifest*' | wc -l | tr -d ' ')"
check_status "after merging" 0 ranks 4 encode --replace-suffix --resume --json -r -o "$tmp/resumed" "$in/a"
check_json "it still knows" "$tmp/stdout" 'j["pictures"] == 0 and j["existed"] == 0'
check_status "other options are refused" 1 ranks 2 encode --replace-suffix -q 50 --resume -r -o "$tmp/resumed" "$in/a"
check "the results are untouched" same "$tmp/before" "$tmp/resumed"

# Of two inputs with one result the first in order has it, with --force too.
mkdir "$tmp/two" "$tmp/once" "$tmp/forced"
cp "$in/a/picture-0.pgm" "$tmp/two/p.pgm"
cp "$in/a/picture-54.pgm" "$tmp/two/p.ppm"
cp "$in"/c/* "$tmp/two"
for n in 1 3; do
	check_status "two inputs, one result, $n ranks" 1 ranks $n encode --replace-suffix --quiet --resume -r -o "$tmp/once" "$tmp/two"
	check_equal "one line" 1 "$(grep -c 'p.ppm: another input has the same result' "$tmp/stderr")"
	check "the first" cmp "$tmp/once/p.xc" "$tmp/one/a/picture-0.xc"
	check_status "--force" 1 ranks $n encode --replace-suffix --quiet -f -r -o "$tmp/forced" "$tmp/two"
	check "the first" cmp "$tmp/forced/p.xc" "$tmp/one/a/picture-0.xc"
done
done_testing
