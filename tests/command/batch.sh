#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# encode -o and decode -o: many files in one run are what single runs make of them; what
# fails keeps nothing else from being done; nothing of the user's is lost.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99

# lines N: that many lines on stderr, each with the program's name, and perhaps one about all
lines() {
	[ "$(grep -vc '^[0-9]* pictures\{0,1\}[:,] ' stderr)" -eq "$1" ] && [ "$(grep -c '^xcodec: ' stderr)" -eq "$1" ]
}

# refuses NAME STATUS COMMAND...: the command exits with STATUS and says one line.
refuses() {
	check_status "$@"
	check "one line" lines 1
}

mkdir in in/deep coded single pictures
for i in 1 2 3 4 5 6 7 8 9; do
	awk -v w=$((i * 13)) -v h=$((90 - i * 7)) -v s=$i 'BEGIN {
		print "P3"; print w, h; print 255
		for (i = 0; i < w * h * 3; i++)
			print (i * s + int(i / w) * 5) % 256
	}' >"in/p$i.ppm"
done
printf 'P2 2 2 255 1 2 3 4\n' >in/deep/.hidden
printf 'P2 2 2 255 1 2 3 4\n' >in/deep/two.dots.pgm
set -- in/p?.ppm in/deep/.hidden in/deep/two.dots.pgm

for threads in 1 2 7 40; do
	check_status "encode with -t $threads" 0 "$XCODEC" encode -f -q 60 -t $threads -o coded "$@"
	check_equal "one line for all" "11 pictures: 11 coded with loss, $(cat "$@" | wc -c | tr -d ' ') bytes in, $(find coded -type f -exec cat {} + | wc -c | tr -d ' ') bytes out" \
		"$(cat stdout stderr | sed 's/, [0-9.]* s$//')"
	check_equal "as many results as inputs" $# "$(find coded -type f | wc -l | tr -d ' ')"
	different=
	for picture; do
		name=${picture##*/}
		case $name in
		.*) name=$name.xc ;;
		*) name=${name%.*}.xc ;;
		esac
		"$XCODEC" encode -f -q 60 -t 1 "$picture" single.xc &&
			cmp single.xc "coded/$name" || different="$different $picture"
	done
	check_equal "the same bytes as alone" "" "$different"
done
set -- coded/*.xc coded/.hidden.xc
check_status "decode" 0 "$XCODEC" decode --format pam --output-dir=pictures/ "$@"
check_equal "as many pictures as files" $# "$(find pictures -type f | wc -l | tr -d ' ')"
different=
for file; do
	name=${file##*/}
	"$XCODEC" decode --format pam "$file" single.pam && cmp single.pam "pictures/${name%.xc}.pam" ||
		different="$different $file"
	rm -f single.pam
done
check_equal "the same pixels as alone" "" "$different"
usual=png
! "$XCODEC" --version | grep -q 'no PNG' || usual=pam
rm -f pictures/p1.pam
check_status "PNG, or PAM without it, unless --format says otherwise" 0 \
	"$XCODEC" decode -o pictures coded/p1.xc
check "that is what it is" [ -s pictures/p1.$usual ]
check "--help says so" sh -c "'$XCODEC' decode --help | grep -q 'DIR/NAME.$usual,'"
rm pictures/p1.$usual

# three_lines SUFFIX: what -v says of each file, whole and with the device, and of all
three_lines() {
	[ "$(wc -l <stderr)" -eq 30 ] && awk -v suffix="$1" '
		NR == 28 && !/^9 pictures(: 9 coded with loss)?, [0-9]+ bytes in, [0-9]+ bytes out, [0-9.]+ s$/ { exit 1 }
		NR == 29 && !/^9 pictures, [0-9.]+ megapixels in .* a second$/ { exit 1 }
		NR == 30 && !/^  time of [0-9]+ threads?: / { exit 1 }
		NR > 27 { next }
		NR % 3 == 1 && $0 !~ "/p[1-9]" suffix ": [0-9]+ x [0-9]+ " { exit 1 }
		NR % 3 == 2 && !/^  [0-9]+ bytes raw, .* bits per pixel$/ { exit 1 }
		NR % 3 == 0 && !/^  by (cpu|cuda:[0-9]+)$/ { exit 1 }' stderr
}

check_status "encode -v" 0 "$XCODEC" encode -f -v -t 7 -o coded in/p?.ppm
check "sizes and device of each file" three_lines .xc
check_status "decode -v" 0 "$XCODEC" decode -f -v -t 7 --format ppm -o pictures coded/p?.xc
check "sizes and device of each file" three_lines .xc

# ------------------------------------------------------------------- failures

cp coded/p2.xc damaged.xc
printf 'x' | dd of=damaged.xc bs=1 seek=200 conv=notrunc 2>/dev/null
: >empty.xc
rm pictures/*
check_status "some files cannot be decoded" 1 \
	"$XCODEC" decode --format ppm -o pictures empty.xc coded/p1.xc none.xc damaged.xc coded/p3.xc
check "a line for each, and one for all" lines 4
check "the last one tells how many" grep -q 'decode: 3 of 5 files failed' stderr
check_equal "the others are done" "p1.ppm p3.ppm" "$(cd pictures && echo *)"
check_status "a format that cannot hold one of them" 1 \
	"$XCODEC" decode --format ppm -o pictures -f coded/two.dots.xc coded/p5.xc
check "two lines" lines 2
check "the other is done" test -s pictures/p5.ppm

echo mine >pictures/p6.ppm
check_status "a result that exists" 1 \
	"$XCODEC" decode --format ppm -o pictures coded/p6.xc coded/p7.xc
check "two lines" lines 2
check_equal "it stays" mine "$(cat pictures/p6.ppm)"
check "the other is done" test -s pictures/p7.ppm
refuses "a single file that fails" 1 "$XCODEC" decode --format ppm -o pictures coded/p6.xc
check_status "--force replaces it" 0 "$XCODEC" decode -f --format ppm -o pictures coded/p6.xc

# ------------------------------------------------- what is refused before any work

rm -rf pictures
mkdir pictures other
cp in/p1.ppm other/p1.pnm
refuses "two inputs, one result" 1 "$XCODEC" encode -o pictures in/p2.ppm in/p1.ppm other/p1.pnm
check "with both names" grep -q "in/p1.ppm.*other/p1.pnm\|other/p1.pnm.*in/p1.ppm" stderr
cp coded/p1.xc other/p1.xc
ln coded/p2.xc other/link.xc
refuses "a result that is an input" 1 "$XCODEC" encode -f -o other in/p1.ppm other/p1.xc
cp in/p3.ppm in/deep/link.ppm
refuses "a result that is one by another name" 1 \
	"$XCODEC" encode -f -o other coded/p2.xc in/deep/link.ppm
check "the inputs stay" cmp coded/p1.xc other/p1.xc
awk 'BEGIN { for (i = 1; i <= 64; i++) print i }' >other/p4.xc
refuses "a result that is the table's file" 1 \
	"$XCODEC" encode -f --tables other/p4.xc -o other in/p4.ppm
for name in nowhere nowhere/; do
	refuses "no such folder: $name" 1 "$XCODEC" encode -o $name in/p2.ppm in/p3.ppm
	check "it is told how to make it" grep -q "no such folder; mkdir $name\$" stderr
done
refuses "no such folder, one input" 1 "$XCODEC" encode -o nowhere/ in/p2.ppm
refuses "a name without a suffix" 0 "$XCODEC" encode -o nowhere in/p2.ppm
check "is that of the result, and told so" grep -q 'nowhere: warning: no such folder, so this is the name of the result' stderr
check_status "a name with one" 0 "$XCODEC" encode -f -o nowhere.xc in/p2.ppm
check_equal "needs no line" "" "$(cat stderr)"
check "the same result" cmp nowhere nowhere.xc
check_status "--keep-suffix" 0 "$XCODEC" encode --keep-suffix -o single in/p1.ppm other/p1.pnm
check_equal "two results" "p1.pnm.xc p1.ppm.xc" "$(cd single && echo *)"
check_status "without several results" 2 "$XCODEC" encode --keep-suffix in/p1.ppm new.xc
check_status "one picture" 0 "$XCODEC" decode --keep-suffix --format ppm -o single single/p1.ppm.xc
check "is no plural" grep -q '^1 picture, ' stderr
check "its name" test -s single/p1.ppm.xc.ppm
mkdir many results
i=0
while [ $i -lt 100 ]; do
	ln in/p9.ppm many/$i.ppm
	i=$((i + 1))
done
for limit in 12 64; do
	check_status "$limit open files" 0 sh -c "ulimit -n $limit && '$XCODEC' encode --replace-suffix --quiet -f -t 64 -r -o results many"
	check_equal "nothing is said" "" "$(cat stderr)"
done
rm -r many
refuses "a folder that is none" 1 "$XCODEC" encode -o in/p1.ppm in/p2.ppm in/p3.ppm
refuses "standard input" 2 "$XCODEC" encode -o pictures -
check_status "no input" 2 "$XCODEC" encode -o pictures
check_status "--png-level without PNG" 2 \
	"$XCODEC" decode --format ppm --png-level 3 -o pictures coded/p1.xc
refuses "a GPU that is not there" 1 \
	env XC_CUDA_MODULE="$tmp/none.so" "$XCODEC" encode -d cuda -o pictures in/p2.ppm in/p3.ppm
check_equal "nothing was done" "" "$(ls -A pictures)"

# ---------------------------------------------------------- --delete-after-verify

if "$XCODEC" --version | grep -q 'no JPEG'; then
	skip "--delete-after-verify" "no libjpeg"
else
	mkdir trash kept
	"$XCODEC" encode --preset jpeg in/p1.ppm dct.xc && "$XCODEC" decode --format jpg dct.xc photo.jpg || exit 99
	cp photo.jpg trash/a.JPG
	cp in/p2.ppm trash/p.ppm
	cp in/p3.ppm trash/lossy.ppm
	echo none >trash/bad.ppm
	ln -s ../photo.jpg trash/link.jpg
	check_status "what is given back is deleted" 1 "$XCODEC" encode -v -s 420 --lossless-match p.ppm --delete-after-verify -r -o kept trash
	check_equal "each with a line" "trash/a.JPG: kept, since its result does not give back all of it trash/link.jpg: kept, since it is no regular file, or changed meanwhile trash/lossy.ppm: kept, since its result does not give back all of it trash/p.ppm: deleted " \
		"$(grep '^trash/.*: \(deleted\|kept\)' stderr | sort | tr '\n' ' ')"
	check_equal "and nothing else" "a.JPG bad.ppm link.jpg lossy.ppm" "$(cd trash && echo *)"
	check "which the summary counts" grep -q ', 1 input deleted, 4 kept, ' stderr
	rm -rf kept/*
	cp photo.jpg trash/a.JPG
	cp in/p2.ppm trash/p.ppm
	check_status "without loss" 1 "$XCODEC" encode --lossless --delete-after-verify -o kept trash/a.JPG trash/p.ppm trash/bad.ppm trash/link.jpg
	check_equal "the JPEG too, no link and nothing that fails" "bad.ppm link.jpg lossy.ppm" "$(cd trash && echo *)"
	check "a JPEG is in its file" sh -c "'$XCODEC' decode --format jpg kept/a.xc back.jpg && cmp back.jpg photo.jpg"
	check_status "IN OUT" 0 "$XCODEC" encode --lossless --delete-after-verify -f trash/lossy.ppm one.xc
	check "one file too" test ! -e trash/lossy.ppm
	cp in/p3.ppm trash/lossy.ppm
	check_status "with loss" 0 "$XCODEC" encode --lossy --delete-after-verify -f trash/lossy.ppm one.xc
	check "it stays, and that is told" grep -q 'trash/lossy.ppm: warning: is not deleted' stderr
	check "there" cmp trash/lossy.ppm in/p3.ppm
	check_status "to a pipe" 0 sh -c "'$XCODEC' encode --lossless --delete-after-verify trash/lossy.ppm - >one.xc"
	check "it stays too" cmp trash/lossy.ppm in/p3.ppm
	mkdir again && cp trash/lossy.ppm again/a.ppm && cp photo.jpg again/b.jpg && cp photo.jpg again/c.jpg
	"$XCODEC" encode --lossless -r -o kept again
	printf 'P3 2 2 255 1 2 3 4 5 6 7 8 9 1 2 3\n' >d.ppm && "$XCODEC" encode --preset jpeg -f d.ppm dct.xc &&
		"$XCODEC" decode -f --format jpg dct.xc d.jpg && "$XCODEC" encode -f d.jpg kept/c.jpg.xc
	touch -r again/c.jpg kept/c.jpg.xc
	check_status "an archive that exists" 1 "$XCODEC" encode --lossless --skip-existing --delete-after-verify -r -o kept again
	check_equal "proves itself" "c.jpg" "$(cd again && echo *)"
	check "another JPEG does not" grep -q "kept/c.jpg.xc: does not give back the JPEG 'again/c.jpg'" stderr
	# What a reader leaves out keeps the input, and is told.
	mkdir parts && "$XCODEC" encode -f --lossless in/p3.ppm one.xc && "$XCODEC" decode --format bmp one.xc parts/rest.bmp || exit 99
	printf 'behind' >>parts/rest.bmp
	{ cat in/p2.ppm && echo end; } >parts/rest.ppm
	{ printf 'P6\n# Jane\n' && tail -c +4 in/p2.ppm; } >parts/header.ppm
	printf 'P2 2 2 255 1 2 3 #\n4\n' >parts/samples.pgm
	printf 'P7\nWIDTH 1\n# Jane\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n.' >parts/a.pam
	check_status "what is left out" 0 "$XCODEC" encode --lossless --delete-after-verify -r -o kept parts
	check_equal "keeps its file" 5 "$(find parts -type f | wc -l)"
	check_equal "and has a line" "4 6 comments comments comments" \
		"$(sed -n 's/.*place for \([0-9]*\)\(comments\)*.*: left out$/\1\2/p' stderr | sort | tr '\n' ' ' | sed 's/ $//')"
	check_status "no other name" 2 "$XCODEC" encode --delete trash/lossy.ppm one.xc
	"$XCODEC" encode --json --lossless --delete-after-verify -r -o kept --copy-match '*.jpg' trash >told 2>/dev/null
	check_json "JSON tells it too" told '{x["input"]: (x["deleted"], x.get("kept_because")) for x in j if "status" not in x} == {
		"trash/link.jpg": (False, "it is copied"), "trash/lossy.ppm": (True, None)}'
	# mount -o ro, or as a user a folder that cannot be written
	mkdir stuck && cp in/p3.ppm stuck/ && chmod 555 stuck
	echo 'mount --bind stuck stuck && mount -o remount,ro,bind stuck && exec "$@"' >mounted
	set --
	[ ! -w stuck ] || set -- unshare -m sh mounted
	if ! "$@" true 2>/dev/null; then
		skip "inputs that cannot be deleted" "nothing is denied to this user, and nothing is mounted"
	else
		check_status "inputs that cannot be deleted" 1 "$@" "$XCODEC" encode --lossless --delete-after-verify -r -o kept stuck
		check "are done and kept" grep -q '^1 picture: .*, 0 inputs deleted, 1 kept, [1-9]' stderr
		check "which is told" grep -q 'encode: 1 input could not be deleted' stderr
	fi
	chmod 755 stuck
	rm -rf trash kept again parts
fi

# ------------------------------------------------------------------- a full disk

# LeakSanitizer does not work where a process is traced.
if command -v strace >/dev/null && strace -f -o traced true 2>/dev/null; then
	mkdir full
	check_status "a disk that is full" 1 env ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" strace -f -o traced \
		-e trace=mkdir,mkdirat -e inject=mkdir,mkdirat:error=ENOSPC "$XCODEC" encode --quiet -t 1 -r -o full in
	check_equal "ends the work" "" "$(find full -name '*.xc')"
	check "which is told" grep -q '^xcodec: full: takes no more results, so 1[0-9] files were not tried: No space left' stderr
	rm -r full
else
	skip "a disk that is full" "no strace"
fi

# ------------------------------------------------------------------ interrupted

mkdir many
i=0
while [ $i -lt 300 ]; do
	ln -s ../in/p9.ppm "many/$i.ppm"
	i=$((i + 1))
done
left=
wrong=
"$XCODEC" encode -q 75 in/p9.ppm whole.xc
for round in 1 2 3 4 5; do
	mkdir result
	"$XCODEC" encode -t 40 -o result many/*.ppm 2>stderr &
	worker=$!
	while kill -0 "$worker" 2>/dev/null; do
		[ -z "$(ls result)" ] || break
	done
	kill -s TERM "$worker" 2>/dev/null
	kill -s HUP "$worker" 2>/dev/null
	wait "$worker"
	left=$left$(find result -name '.*.tmp')
	for file in result/*.xc; do
		[ ! -e "$file" ] || cmp -s "$file" whole.xc || wrong="$wrong $round:$file"
	done
	rm -r result
done
check_equal "after a signal, no temporary files" "" "$left"
check_equal "after a signal, whole files alone" "" "$wrong"

done_testing
