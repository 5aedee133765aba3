#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# encode --resume: a job that is killed at any moment, and begun again, ends with the files of one that was not.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99

# picture FILE NUMBER
picture() {
	awk -v s="$2" 'BEGIN {
		print "P2"; print 64, 48; print 255
		for (i = 0; i < 64 * 48; i++)
			print (i * (s % 97) + int(i / 64) * s) % 256
	}' >"$1"
}

mkdir in whole out
for folder in a b c d e f; do
	mkdir in/$folder
done
i=0
while [ $i -lt 60 ]; do
	picture in/a/$i.pgm $i
	i=$((i + 1))
done
for folder in b c d e f; do
	ln in/a/* in/$folder/
done
(cd in && tar cf shard.tar a b && tar cf z.tar e)
with_tar=yes
! "$XCODEC" --version | grep -q 'no tar' || with_tar=
[ -n "$with_tar" ] || rm in/*.tar

# sums FOLDER: of the files below it, without what --resume notes.
sums() {
	(cd "$1" && find . -type f ! -path './.xcodec/*' -exec cksum {} + | sort -k 3)
}

check_status "a whole run" 0 "$XCODEC" encode -e 3 -r -o whole in
sums whole >wanted

# ---------------------------------------------------------------------- killed

kills=0
round=0
while [ $kills -lt 10 ] && [ $round -lt 100 ]; do
	round=$((round + 1))
	"$XCODEC" encode -e 3 -t $((1 + round % 3)) --resume -r -o out in 2>stderr &
	worker=$!
	sleep "$(awk -v s="$$$round" 'BEGIN { srand(s); print 0.2 * rand() }')"
	kill -s KILL $worker 2>/dev/null
	wait $worker 2>/dev/null
	status=$?
	sums out >found
	[ $status -eq 0 ] || kills=$((kills + 1))
	check_equal "run $round, status $status: whole files alone" "" "$(grep -vxFf wanted found)"
	[ $status -eq 0 ] || continue
	# not killed: all over again
	check "run $round: all files" cmp wanted found
	rm -rf out
	mkdir out
done
check_equal "ten runs were killed" 10 $kills
check_status "the last run" 0 "$XCODEC" encode -e 3 --resume -r -o out in
sums out >found
check "all files, and no others, with the same bytes" cmp wanted found
check_equal "no temporary file is left" "" "$(find out -name '.xcodec-*')"
check_equal "each is noted once" 0 \
	"$(sed 1d out/.xcodec/manifest.0 | sort | uniq -d | wc -l | tr -d ' ')"

# -------------------------------------------------------------- what is not done again

"$XCODEC" encode -e 3 -v --resume -r -o out in 2>stderr
check_equal "nothing is left to do" 1 "$(wc -l <stderr | tr -d ' ')"
rm out/c/7.xc
check_status "what is noted is not looked for" 0 "$XCODEC" encode -e 3 --resume -r -o out in
check "it stays away" test ! -e out/c/7.xc
grep -v ' c/7.pgm$' out/.xcodec/manifest.0 >without
# A line that was cut off counts for nothing, and does not hide the next one.
printf '12345678 c/8' >>without
cp without out/.xcodec/manifest.0
check_status "what is not noted is made" 0 "$XCODEC" encode -e 3 --resume -r -o out in
check "that file" cmp out/c/7.xc whole/c/7.xc
check "is noted after the line that was cut off" grep -q '^[0-9a-f]* c/7.pgm$' out/.xcodec/manifest.0
sed 's/^[0-9a-f]*\( c.7.pgm\)$/00000000\1/' out/.xcodec/manifest.0 >wrong
cp wrong out/.xcodec/manifest.0
touch -t 202001010000 out/c/7.xc
"$XCODEC" encode -e 3 --resume -r -o out in
check_equal "a wrong checksum: what exists counts as finished" "" "$(find out/c/7.xc -newer wanted)"
cp wrong out/.xcodec/manifest.0
: >out/c/7.xc
"$XCODEC" encode -e 3 --resume -r -o out in
check "an empty file does not" cmp out/c/7.xc whole/c/7.xc

# ------------------------------------------------------------------------ refused

check_status "other options" 1 "$XCODEC" encode -e 2 --resume -r -o out in
check "one line says so" grep -q 'is of a run with other options (--force begins anew)' stderr
check_status "another command" 1 "$XCODEC" decode --resume -r -o out whole
sums out >found
check "nothing has changed" cmp wanted found
check_status "--force" 0 "$XCODEC" encode -e 0 --force --resume -r -o out in
"$XCODEC" encode -e 0 -f in/a/9.pgm one.xc
check "begins anew" cmp one.xc out/a/9.xc
mkfifo pipe
echo pipe >list
"$XCODEC" encode -e 0 --resume --list list -o out 2>/dev/null &
worker=$!
exec 3>pipe
sleep 0.2
check_status "two runs at a time" 1 "$XCODEC" encode -e 0 --resume -r -o out in
check "one line says so" grep -q 'another run works on this folder' stderr
exec 3>&-
wait $worker

# ---------------------------------------------------------------------- failures

rm -rf out
mkdir out
echo none >in/bad.pgm
check_status "a file that fails" 1 "$XCODEC" encode --resume -r -o out in
check_status "is tried again" 1 "$XCODEC" encode --resume -r -o out in
check "and reported again" grep -q 'in/bad.pgm: not a picture' stderr
picture in/bad.pgm 5
check_status "until it is right" 0 "$XCODEC" encode --resume -r -o out in
check "then it is made" test -s out/bad.xc
printf 'in/a/1.pgm\n' | "$XCODEC" encode --resume --sync --list - -o out
check "--sync, a list" cmp out/in/a/1.xc out/a/1.xc

done_testing
