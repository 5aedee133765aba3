#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What names decide in folders, lists and tar files: --exclude, --copy-match, --lossless-match, and --smaller,
# also in runs that are interrupted.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
X=$XCODEC
usual=png
! "$X" --version | grep -q 'no PNG' || usual=pam
mkdir -p in/masks in/sub out
awk 'BEGIN { print "P3 64 48 255"; for (i = 0; i < 9216; i++) print (i * i) % 251 }' >in/a.ppm
cp in/a.ppm in/sub/b.ppm
cp in/a.ppm in/masks/m.ppm
printf 'P5 1 1 255\nx' >in/sub/tiny.pgm # whose result is larger
echo '{}' >in/sub/b.json
echo text >in/notes.txt

names() { (cd "$1" && find . -type f ! -path './.xcodec/*' | sort | sed 's|^\./||' | tr '\n' ' ' | sed 's/ $//'); }
said() { sed -n 's/, [0-9]* bytes in.*//p' stderr; }

check_status "a folder" 0 "$X" encode --replace-suffix -r -o out --resume --smaller --copy-match 'sub/*.json' --exclude '*.txt' \
	--exclude 'masks/*' in
check_equal "names decide" "a.xc sub/b.json sub/b.xc sub/tiny.pgm" "$(names out)"
check_equal "and are counted" "3 pictures: 2 coded with loss (1 kept as the file that was there), 1 copied, 2 excluded" "$(said)"
check "a copy" cmp in/sub/b.json out/sub/b.json
printf 'P5 1 1 255\nx' >tiny.pgm
check_status "a picture that is its own result" 0 "$X" encode --smaller -o . tiny.pgm
check_equal "stays" "1 picture (1 kept as the file that was there)" "$(said)"
check "a picture that is kept" cmp in/sub/tiny.pgm out/sub/tiny.pgm
check_status "again" 0 "$X" encode --replace-suffix -r -o out --resume --smaller --copy-match 'sub/*.json' --exclude '*.txt' \
	--exclude 'masks/*' in
check_equal "all was finished" "0 pictures (4 files finished before), 2 excluded" "$(said)"
check_status "other names to copy" 1 "$X" encode --replace-suffix -r -o out --resume --smaller --copy-match '*.ppm' in
check "make other results" grep -q options stderr
rm -rf out/* out/.xcodec
check_status "without --smaller and --exclude" 0 "$X" encode --replace-suffix -r -o out in
check_equal "as ever" "a.xc masks/m.xc sub/b.xc sub/tiny.xc" "$(names out)"
check "what is no picture is passed over" grep -q '2 files passed over by name' stderr
rm -rf out/*
check_status "operands and a list" 0 sh -c "echo in/sub/b.ppm | '$X' encode --replace-suffix --copy-match 'b.*' --exclude a.ppm \
	--list - -o out in/a.ppm in/masks/m.ppm"
check_equal "go by their names too" "in/sub/b.ppm m.xc" "$(names out)"
mkdir two
"$X" encode --quiet --copy-match '*.ppm' -o two in/a.ppm in/sub/b.ppm
check_status "is refused" 1 "$X" encode --copy-match '*.ppm' -o two in/a.ppm
check_status "an input that would be its own copy" 1 "$X" encode -f --copy-match '*.ppm' -o in in/a.ppm
check "it stays" cmp in/a.ppm in/masks/m.ppm

# --------------------------------------------------------------------------- without loss
"$X" encode --lossless -f in/masks/m.ppm m.xc
"$X" encode -q 90 -f in/a.ppm a.xc
mkdir mixed
check_status "some without loss" 0 "$X" encode --replace-suffix -q 90 -s 420 -r -o mixed --lossless-match 'Masks/*' in
check "those that match" cmp mixed/masks/m.xc m.xc
"$X" encode -q 90 -s 420 -f in/a.ppm a.xc
check "not the others" cmp mixed/a.xc a.xc

check_status "one picture has no use for names" 2 "$X" encode --copy-match '*' in/a.ppm o.xc

# --------------------------------------------------------------------------- back, and tar files
mkdir back
check_status "decode copies too" 0 "$X" decode --format ppm -r -o back --copy-match '*.ppm' out
check_equal "what encode had copied" "in/sub/b.ppm m.ppm" "$(names back)"
check "the same bytes" cmp back/in/sub/b.ppm in/sub/b.ppm

rm -rf out/* back/* out/.xcodec
mkdir in/sub/.xcodec && echo note >in/sub/.xcodec/manifest.0
check_status "an archive with --smaller" 0 "$X" encode --lossless -r --smaller --copy-others -o out in
check_equal "has all files" "a.ppm.xc masks/m.ppm.xc notes.txt sub/b.json sub/b.ppm.xc sub/tiny.pgm" "$(names out)"
check_equal "and is no riddle" "warning: 1 file passed over by name: 1 (.xcodec)" "$(sed -n 's/.*\(warning.*\)/\1/p' stderr)"
check_status "it comes back" 0 "$X" decode --format ppm -r --copy-others -o back out
check_equal "whole" "a.ppm masks/m.ppm notes.txt sub/b.json sub/b.ppm sub/tiny.pgm" "$(names back)"
check "the same bytes" cmp back/sub/tiny.pgm in/sub/tiny.pgm
check_status "with --resume" 0 "$X" encode --lossless -r --smaller --copy-others --resume --skip-existing -o out in
check_status "it is finished" 0 "$X" encode --lossless -r --smaller --copy-others --resume -o out in
check_equal "as a whole" "0 pictures (6 files finished before)" "$(said)"
rm -rf in/sub/.xcodec out/.xcodec

# XC files, tar files and what a killed run left, in a folder: XC files are copied with one more ".xc", which decode takes off.
mkdir trap trap/deep in.xc out.xc && cp in/a.ppm trap/ && cp a.xc trap/Old.XC && echo none >trap/deep/text.xc
echo tar >trap/deep/b.tar.gz && echo left >trap/.xcodec-12-3.tmp && mkfifo trap/pipe
check_status "XC and tar files" 0 "$X" encode -v --lossless --resume -r -o in.xc trap
check_equal "are passed over" "a.ppm.xc" "$(names in.xc)"
check_equal "each with a line" "trap/.xcodec-12-3.tmp: passed over (left by a killed run) trap/Old.XC: passed over by its name trap/deep/b.tar.gz: passed over by its name trap/deep/text.xc: passed over by its name trap/pipe: passed over (no file)" \
	"$(grep -v warning stderr | grep 'passed over' | sort | tr '\n' ' ' | sed 's/ $//')"
check_status "or copied" 0 "$X" encode --lossless -r --copy-others -f -o in.xc trap
check_equal "under these names" "Old.XC.xc a.ppm.xc deep/b.tar.gz deep/text.xc.xc" "$(names in.xc)"
check_status "and back" 0 "$X" decode -r --copy-others --exclude "text*" --format ppm -o out.xc in.xc
check_equal "as a picture with --format" "Old.XC.ppm" "$(cd out.xc && echo Old*)"
rm -rf out.xc/*
check_status "as they were" 0 "$X" decode -r --copy-others -o out.xc in.xc
rm -rf out.xc/a.ppm* trap/a.ppm trap/.xcodec* trap/pipe
check_equal "without" "" "$(diff -r trap out.xc)"
rm -rf trap in.xc out.xc

# A JPEG that is kept comes back under any name of a picture.
if ! "$X" --version | grep -q 'no JPEG'; then
	mkdir jpegs kept back.jpg && "$X" decode -f --format jpg a.xc j.jpg
	for name in a.MPO b.jif c.JFI d.jpeg e.JpE f.jfif lie.png lie.Bmp x.apng; do
		cp j.jpg jpegs/$name
	done
	check_status "JPEGs of many names" 0 "$X" encode -r -o kept jpegs
	check_status "come back" 0 "$X" decode -r -o back.jpg kept
	check_equal "as they were" "" "$(diff -r jpegs back.jpg)"
	check_status "a part" 0 "$X" decode --scale 1/8 -r -o back kept
	check_equal "is no JPEG" "a.MPO.$usual" "$(cd back && echo a.MPO*)"
	rm -rf jpegs kept back.jpg back/*
fi

if "$X" --version | grep -q 'no tar' || ! command -v tar >/dev/null; then
	skip "tar files" "no tar, or a build without libarchive"
	done_testing
fi
tar cf in.tar -C in a.ppm notes.txt masks/m.ppm sub/tiny.pgm sub/b.json
gzip -c in.tar >packed.tar.gz
rm -rf out/* && mkdir out/x
for shard in in.tar packed.tar.gz; do
	check_status "$shard" 0 "$X" encode -f --smaller --exclude '*.json' --copy-match 'a.*' --lossless-match 'masks/*' \
		--copy-match '*.tar*' $shard o.tar
	check_equal "entries go by their names" "a.ppm notes.txt masks/m.xc sub/tiny.pgm" \
		"$(tar tf o.tar | tr '\n' ' ' | sed 's/ $//')"
	check_equal "and are counted" "2 pictures: 1 coded without loss (1 kept as the file that was there), 1 copied, 1 excluded" "$(said)"
	(cd out/x && tar xf ../../o.tar)
	check "a copy" cmp out/x/a.ppm in/a.ppm
	check "kept" cmp out/x/sub/tiny.pgm in/sub/tiny.pgm
	check "without loss" cmp out/x/masks/m.xc m.xc
done
rm -rf out/*
check_status "with --resume" 0 "$X" encode --resume --smaller --copy-match 'a.*' --exclude '*.json' -o out in.tar
check_status "again" 0 "$X" encode --resume --smaller --copy-match 'a.*' --exclude '*.json' -o out in.tar
check_equal "it was finished" "0 pictures (1 file finished before)" "$(said)"
check_status "decode" 0 "$X" decode --format ppm out/in.tar back.tar
check_equal "what is no XC file stays" "a.ppm notes.txt masks/m.ppm sub/tiny.pgm" \
	"$(tar tf back.tar | tr '\n' ' ' | sed 's/ $//')"

done_testing
