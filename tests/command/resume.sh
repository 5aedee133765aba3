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

check_status "a whole run" 0 "$XCODEC" encode --replace-suffix --tars -e 3 -r -o whole in
sums whole >wanted

# ---------------------------------------------------------------------- killed

kills=0
round=0
while [ $kills -lt 10 ] && [ $round -lt 100 ]; do
	round=$((round + 1))
	"$XCODEC" encode --replace-suffix --tars -e 3 -t $((1 + round % 3)) --resume -r -o out in 2>stderr &
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
check_status "the last run" 0 "$XCODEC" encode --replace-suffix --tars -e 3 --resume -r -o out in
sums out >found
check "all files, and no others, with the same bytes" cmp wanted found
check_equal "no temporary file is left" "" "$(find out -name '.xcodec-*')"
check_equal "each is noted once" 0 \
	"$(grep '^........ ' out/.xcodec/manifest.0 | sort | uniq -d | wc -l | tr -d ' ')"

# -------------------------------------------------------------- what is not done again

"$XCODEC" encode --replace-suffix --tars -e 3 -v --resume -r -o out in 2>stderr
check_equal "nothing is left to do" 1 "$(wc -l <stderr | tr -d ' ')"
rm out/c/7.xc
head -c 10 whole/c/8.xc >out/c/8.xc
check_status "results that are lost or cut off" 0 "$XCODEC" encode --replace-suffix --tars -e 3 --resume -r -o out in
sums out >found
check "are made again" cmp wanted found
cp in/c/7.pgm saved.pgm
cp in/c/8.pgm in/c/7.pgm
check_status "an input that has changed" 0 "$XCODEC" encode --replace-suffix --tars -e 3 --resume -r -o out in
check "is done again" cmp out/c/7.xc whole/c/8.xc
cp saved.pgm in/c/7.pgm
rm out/c/7.xc
grep -v '/c/7.pgm	' out/.xcodec/manifest.0 >without
# A line that was cut off counts for nothing, and does not hide the next one.
printf '12345678 c/8' >>without
cp without out/.xcodec/manifest.0
check_status "what is not noted is made" 0 "$XCODEC" encode --replace-suffix --tars -e 3 --resume -r -o out in
check "that file" cmp out/c/7.xc whole/c/7.xc
check "is noted after the line that was cut off" grep -q '^[0-9a-f]* c/7.xc.*/in/c/7.pgm	[0-9. ]*$' out/.xcodec/manifest.0
sed 's/^[0-9a-f]*\( c.7.xc\)/00000000\1/' out/.xcodec/manifest.0 >wrong
cp wrong out/.xcodec/manifest.0
ln out/c/7.xc same.xc
"$XCODEC" encode --replace-suffix --tars -e 3 --resume -r -o out in
check "a wrong checksum: what was begun and exists counts as finished" test same.xc -ef out/c/7.xc
cp wrong out/.xcodec/manifest.0
touch -t 203001010000 in/c/7.pgm
"$XCODEC" encode --replace-suffix --tars -e 3 --resume -r -o out in
check "not of another input" test ! same.xc -ef out/c/7.xc
cp wrong out/.xcodec/manifest.0
: >out/c/7.xc
"$XCODEC" encode --replace-suffix --tars -e 3 --resume -r -o out in
check "an empty file does not" cmp out/c/7.xc whole/c/7.xc

# ------------------------------------------------------------------------ refused

check_status "other options" 1 "$XCODEC" encode --replace-suffix -e 2 --resume -r -o out in
check "one line says so" grep -q 'is of a run with other options (--force begins anew; --skip-existing without --resume goes on)' stderr
check_status "another command" 1 "$XCODEC" decode --resume -r -o out whole
sums out >found
check "nothing has changed" cmp wanted found
check_status "--force" 0 "$XCODEC" encode --replace-suffix -e 0 --force --resume -r -o out in
"$XCODEC" encode -e 0 -f in/a/9.pgm one.xc
check "begins anew" cmp one.xc out/a/9.xc
for kind in pipe long; do
	mkdir -p $kind/.xcodec
	case $kind in
	pipe) mkfifo pipe/.xcodec/manifest.1 ;;
	long) truncate -s 20G long/.xcodec/manifest.4 2>/dev/null || continue ;;
	esac
	check_status "a manifest that is none: $kind" 1 timeout 10 "$XCODEC" encode --replace-suffix --resume -r -o $kind in
	check "its line" grep -q "cannot be read on in manifest" stderr
done
rm -r pipe long
mkfifo pipe
"$XCODEC" encode --replace-suffix -e 0 --resume -o out pipe 2>/dev/null &
worker=$!
exec 3>pipe
sleep 0.2
check_status "two runs at a time" 1 "$XCODEC" encode --replace-suffix -e 0 --resume -r -o out in
check "one line says so" grep -q 'another run works on this folder' stderr
exec 3>&-
wait $worker

# ---------------------------------------------------------------------- failures

rm -rf out
mkdir out
echo none >in/bad.pgm
check_status "a file that fails" 1 "$XCODEC" encode --replace-suffix --resume -r -o out in
check_status "is tried again" 1 "$XCODEC" encode --replace-suffix --resume -r -o out in
check "and reported again" grep -q 'in/bad.pgm: not a picture' stderr
picture in/bad.pgm 5
check_status "until it is right" 0 "$XCODEC" encode --replace-suffix --resume -r -o out in
check "then it is made" test -s out/bad.xc
printf 'in/a/1.pgm\n' | "$XCODEC" encode --replace-suffix --resume --sync --list - -o out
check "--sync, a list" cmp out/in/a/1.xc out/a/1.xc


# ------------------------------------------------------------------- whose result it is

# Two cards with pictures of one name, of which one has two that differ by their suffixes.
rm -rf in out
mkdir in in/x in/y
picture in/x/1.pgm 3
picture in/y/1.ppm 4
picture in/y/1.pgm 5
for card in x y; do
	"$XCODEC" encode -f in/$card/1.pgm $card.xc
done
"$XCODEC" encode -f in/y/1.ppm y1.xc
for threads in 1 4; do
	rm -rf out && mkdir out
	check_status "two cards, -t $threads" 1 "$XCODEC" encode --replace-suffix -t $threads --resume -r -o out in/x/. in/y/.
	check_equal "a line for each that has no place" 2 "$(grep -c 'in/y/./1.p.m: another input has the same result, 1.xc' stderr)"
	check "the first has it" cmp out/1.xc x.xc
	check_status "again" 1 "$XCODEC" encode --replace-suffix -t $threads --resume -r -o out in/x/. in/y/.
	check_status "another run, the first card" 0 "$XCODEC" encode --replace-suffix --resume -r -o ../"${tmp##*/}"/out "$tmp/in/x"
	check_status "another run, the other card" 1 "$XCODEC" encode --resume -o out in/y/1.pgm
	check "its line" grep -q 'in/y/1.pgm: out/1.xc is the result of another input' stderr
	printf '%s\n' in/y/1.pgm in/y/1.ppm >list
	check_status "a list" 1 "$XCODEC" encode --replace-suffix -t $threads --resume --list list -o out
	check_status "--force" 0 "$XCODEC" encode --replace-suffix -f -t $threads --resume -o out in/y/1.pgm
	check "is about results of before" cmp out/1.xc y.xc
	check_status "which is not the first one's" 1 "$XCODEC" encode --replace-suffix --resume -r -o out in/x
	check_status "two with one result" 1 "$XCODEC" encode --replace-suffix -f -t $threads --resume -r -o out in/y
	check_equal "fail all the same" 1 "$(grep -c 'in/y/1.ppm: another input has the same result, 1.xc' stderr)"
	check "and the first has it" cmp out/1.xc y.xc
	rm -rf out && mkdir out
	check_status "--keep-suffix" 0 "$XCODEC" encode -t $threads --keep-suffix --resume -r -o out in/y
	check_equal "both" "1.pgm.xc 1.ppm.xc" "$(cd out && echo *)"
done
rm -rf out && mkdir out
cp -p x.xc out/1.xc
check_status "a result that no run has noted" 1 "$XCODEC" encode --replace-suffix --resume -r -o out in/x
check "stays" grep -q 'out/1.xc: exists already' stderr

# A run without --resume, or from another place, can be gone on with.
ln out/1.xc same.xc -f
printf old >out/.xcodec/manifest.0
check_status "--skip-existing" 0 "$XCODEC" encode --replace-suffix --resume --skip-existing -r -o out in/x
check "takes it over" test same.xc -ef out/1.xc
check_status "which is noted" 0 "$XCODEC" encode --replace-suffix --resume -r -o out in/x
mv in/x moved
check_status "the source was moved" 1 "$XCODEC" encode --replace-suffix --resume -r -o out moved
check "what helps is told" grep -q 'if that one was moved, --skip-existing takes it over' stderr
check_status "it does" 0 "$XCODEC" encode --replace-suffix --resume --skip-existing -r -o out moved
check "for good" "$XCODEC" encode --replace-suffix --resume -r -o out moved
check "without doing it again" test same.xc -ef out/1.xc
rm -rf out/.xcodec
touch -t 203001010000 moved/1.pgm
for time in 203001010000 200001010000; do
	touch -t $time moved/1.pgm
	check_status "an input of another time" 1 "$XCODEC" encode --replace-suffix --resume --skip-existing -r -o out moved
	check "fails" grep -q 'out/1.xc: exists already, and has another time than its input (--force' stderr
	check "its result stays" test same.xc -ef out/1.xc
done
check_equal "nobody notes it" "" "$(grep -a '^........[ +].*1.pgm' out/.xcodec/manifest.0)"
check_status "--force" 0 "$XCODEC" encode -f --replace-suffix --skip-existing -r -o out moved
check "replaces it" test ! same.xc -ef out/1.xc
rm -rf out/.xcodec && mkdir -p twins/a twins/b again && printf 'P5 1 1 255 a' >twins/a/1.pgm && printf 'P5 1 1 255 b' >twins/b/1.pgm
touch -t 201901010000 twins/a/1.pgm && touch -t 202001010000 twins/b/1.pgm
"$XCODEC" encode --lossless -r -o again twins/a
check_status "another picture of this name" 1 "$XCODEC" encode --lossless --skip-existing -r -o again twins/b
check_status "the same one" 0 "$XCODEC" encode --lossless --skip-existing -r -o again twins/a
check_equal "is finished" "0 pictures (1 file finished before)" "$(sed 's/,.*//' stderr)"
mkdir flat && check_status "decode" 0 "$XCODEC" decode --skip-existing --format pgm -r -o flat again
touch -t 201801010000 again/1.pgm.xc
check_status "of another file of this name" 1 "$XCODEC" decode --skip-existing --format pgm -r -o flat again
mv moved in/x

mkdir half part && picture half/1.pgm 1 && : >half/2.pgm
for run in first second; do
	check_status "one of two, the $run run" 1 "$XCODEC" encode --resume -r -o part half
	check "is one of two" grep -q 'encode: 1 of 2 files failed' stderr
done

# ---------------------------------------------------------- shards that are not whole

if [ -n "$with_tar" ]; then
	rm -rf out && mkdir out
	echo none >in/y/bad.pgm
	tar cf s.tar in
	for run in 1 2; do
		check_status "an entry that is bad, run $run" 1 "$XCODEC" encode --keep-suffix --resume -o out s.tar
		check "is told" grep -q 's.tar/in/y/bad.pgm: not a picture' stderr
		[ $run -ne 1 ] || ln out/s.tar first.tar
	done
	check "the result is not made again" test first.tar -ef out/s.tar
	check_status "--force tries again" 1 "$XCODEC" encode -f --keep-suffix --resume -o out s.tar
	picture in/y/bad.pgm 5
	tar cf s.tar in
	check_status "until it is right" 0 "$XCODEC" encode --keep-suffix --resume -o out s.tar
	check_equal "then all is there" 4 "$(tar tf out/s.tar | wc -l | tr -d ' ')"
	check_status "and finished" 0 "$XCODEC" encode --keep-suffix --resume -o out s.tar
	# LeakSanitizer does not work where a process is traced.
	if command -v strace >/dev/null && strace -f -o traced true 2>/dev/null; then
		rm -rf out && mkdir out
		check_status "an entry that the machine fails on" 1 env ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" strace -f -o traced -P "$PWD/s.tar" \
			-e inject=pread64:error=EIO:when=1 "$XCODEC" encode -t 1 --keep-suffix --resume -o out s.tar
		check "no result" test ! -e out/s.tar
		check_status "is tried again" 0 "$XCODEC" encode --keep-suffix --resume -o out s.tar
		check_equal "all is there" 4 "$(tar tf out/s.tar | wc -l | tr -d ' ')"
	else
		skip "an entry that the machine fails on" "no strace"
	fi
	check_status "entries with one result" 1 "$XCODEC" encode s.tar t.tar
	check "have a line" grep -q 'another entry has the same result (see --keep-suffix)' stderr
fi

rm -rf out && mkdir out
printf 'x' | dd of=x.xc bs=1 seek=$(($(wc -c <x.xc) - 20)) conv=notrunc 2>/dev/null
for run in 1 2; do
	check_status "a file that lost parts, run $run" 3 "$XCODEC" decode -k --format pgm --resume -o out x.xc
done
done_testing
