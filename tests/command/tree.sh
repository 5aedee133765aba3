#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# encode and decode with -r and --list: which files are inputs, under which names the results are kept, and
# that none of it leaves the folder of the results.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99

# picture FILE NUMBER
picture() {
	awk -v s="$2" 'BEGIN {
		print "P3"; print 24 + s, 17; print 255
		for (i = 0; i < (24 + s) * 17 * 3; i++)
			print (i * s) % 256
	}' >"$1"
}

# files FOLDER: the files below it in one line, without what --resume notes.
files() {
	(cd "$1" && find . -type f ! -path './.xcodec/*' | sed 's/^\.\///' | sort | tr '\n' ' ' | sed 's/ $//')
}

mkdir -p 'in/a/deep er' in/b in/empty out
picture in/top.ppm 1
picture in/a/x.y.pgm 2
picture 'in/a/deep er/z.PPM' 3
picture in/b/same.ppm 4
picture 'in/b/back\slash.ppm' 5
cp in/top.ppm in/b/label.txt
echo nothing >in/b/notes
"$XCODEC" encode in/top.ppm in/b/coded.xc || exit 99
ln -s ../a in/b/to-folder
ln -s ../top.ppm in/b/to-file.ppm
passed='xcodec: encode: warning: 4 files passed over by name: 1 (link to a folder), 1 .txt, 1 .xc, 1 other'
wanted='a/deep er/z.PPM.xc a/x.y.pgm.xc b/back\slash.ppm.xc b/same.ppm.xc b/to-file.ppm.xc top.ppm.xc'

# ----------------------------------------------------------------------- folders

for threads in 1 3 16; do
	rm -rf out/*
	check_status "-r with $threads threads" 0 "$XCODEC" encode -r -t $threads -o out in
	check_equal "it says what came of all" 1 "$(grep -c '^6 pictures: 6 coded with loss, [0-9]* bytes in, [0-9]* bytes out, [0-9.]* s$' stderr)"
	check_equal "and what was passed over, and nothing else" "$passed" "$(grep -v "^6 pictures" stderr)"
	check_equal "pictures by their names, no XC files, no links to folders" "$wanted" "$(files out)"
	"$XCODEC" encode -f -t 1 'in/a/deep er/z.PPM' one.xc
	check "the bytes are those of a single run" cmp one.xc 'out/a/deep er/z.PPM.xc'
done
usual=png
! "$XCODEC" --version | grep -q 'no PNG' || usual=pam
mkdir back
check_status "decode -r" 0 "$XCODEC" decode --recursive --format ppm -o back out
check_equal "the names of before, and a suffix where the format is another one" \
	'a/deep er/z.PPM a/x.y.pgm.ppm b/back\slash.ppm b/same.ppm b/to-file.ppm top.ppm' "$(files back)"
check_status "a second time all of them exist" 1 "$XCODEC" encode -r -o out in
check_equal "a line for each, and two for all" 8 "$(wc -l <stderr | tr -d ' ')"
check "the last one tells how many" grep -q 'encode: 6 of 6 files failed' stderr
check_status "--force replaces them" 0 "$XCODEC" encode -f -r -o out in
rm out/top.ppm.xc
mkdir out/top.ppm.xc
check_status "a folder in the place of a result" 1 "$XCODEC" encode -f -r -o out in
check_equal "has its line, and three for all" 4 "$(wc -l <stderr | tr -d ' ')"
rmdir out/top.ppm.xc
"$XCODEC" encode -v -f -r -o out in 2>stderr
check_equal "-v names what is passed over" 'in/b/coded.xc: passed over by its name
in/b/label.txt: passed over by its name
in/b/notes: passed over by its name' "$(grep ' by its name$' stderr | sort)"
check_status "-r --quiet" 0 "$XCODEC" encode --quiet -f -r -o out in
check_equal "it is silent" "" "$(cat stdout stderr)"

# Every suffix of a format that is read, in any case; other pictures are counted, and a link to nothing fails.
mkdir kinds
picture kinds/a.ppm 1
for suffix in pgm PNM Pam pbm PBM bmp dib DIB png apng jpg jpeg JPE jfif jif jfi mpo; do
	ln kinds/a.ppm "kinds/as-$suffix.$suffix"
done
for file in a.heic b.HEIC c.Tif d.webp e.jxl f.cr2 .hidden 'g.odd suffix' h.; do
	echo >"kinds/$file"
done
ln -s nowhere.ppm kinds/lost.ppm
ln -s nowhere kinds/lost
mkfifo kinds/pipe.png
rm -rf out/*
check_status "links to nothing, other pictures" 1 "$XCODEC" encode -r -o out kinds
check_equal "all that is read" 18 "$(find out -name '*.xc' | wc -l | tr -d ' ')"
check_equal "a line for the link, one for the others" "xcodec: kinds/lost.ppm: cannot open: No such file or directory
xcodec: encode: warning: 11 files passed over by name: 2 .heic, 2 others, 1 (link to nothing), 1 (no file), 1 .cr2, 1 .jxl, 1 .odd suffix, 1 .tif, 1 .webp
xcodec: encode: 1 of 19 files failed" "$(grep -v "^18 pictures" stderr)"

# JSON has those that failed, and the bytes of names that are no UTF-8.
odd=$(printf 'na\377me.ppm')
if cp kinds/a.ppm "kinds/$odd" 2>/dev/null; then
	"$XCODEC" encode -f --json -r -o out kinds >told 2>stderr
	check_json "JSON: the failed one" told '[(x["status"], x["output"], x["message"]) for x in j if "status" in x] == [
		("unreadable", None, "kinds/lost.ppm: cannot open: No such file or directory")] and len(j) == 20'
	check_json "JSON: a name that is no UTF-8" told '[bytes.fromhex(x["input_hex"]) for x in j if "input_hex" in x] == [
		b"kinds/na\xffme.ppm"]'
	rm "kinds/$odd"
fi
# What was lost is counted, and that of 16 bits is said; a bound or --lossless asks for no such word.
mkdir deep
awk 'BEGIN { print "P2 24 17 65535"; for (i = 0; i < 408; i++) print i * i % 65536 }' >deep/a.pgm
cp kinds/a.ppm deep/b.ppm
for options in "" "--lossless-match a*" "--max-error 2"; do
	# shellcheck disable=SC2086 # the options are words
	"$XCODEC" encode -f $options -r -o out deep 2>stderr
	check_equal "what was lost: $options" "$(case $options in "") echo '2 coded with loss/1 picture of 16 bits was coded' ;; *match*) echo '1 coded with loss, 1 coded without loss' ;; *) echo '2 coded with loss' ;; esac)" \
		"$(sed -n 's/^2 pictures: \(.*\), [0-9]* bytes in.*/\1/p; s/.*warning: \(.*of 16 bits was coded\) .*/\/\1/p' stderr | tr -d '\n')"
done
echo P6 >short.ppm
"$XCODEC" encode -f --json -o out kinds/a.ppm short.ppm none.ppm >told 2>stderr
check_json "JSON: of operands in their order" told '[x.get("status") for x in j] == [None, "broken", "unreadable"] and j[1]["output"] == "out/short.xc"'
rm -rf out/*
check_status "a file and a folder" 0 "$XCODEC" encode -r -o out in/a/x.y.pgm in/b/
check_equal "of several operands a folder keeps its name" 'b/back\slash.ppm.xc b/same.ppm.xc b/to-file.ppm.xc x.y.pgm.xc' \
	"$(files out)"
rm -rf out/*
check_status "folders without names" 0 sh -c "cd in/a && '$XCODEC' encode -r -o ../../out . ../b//"
check_equal "and with" 'b/back\slash.ppm.xc b/same.ppm.xc b/to-file.ppm.xc deep er/z.PPM.xc x.y.pgm.xc' "$(files out)"
rm -rf out/*
check_status "--replace-suffix" 0 "$XCODEC" encode -r --replace-suffix -o out in/b
check_equal "has shorter names" 'back\slash.xc same.xc to-file.xc' "$(files out)"
check_status "an empty folder" 0 "$XCODEC" encode -r -o out in/empty
check_status "no folder" 1 "$XCODEC" encode -r -o out in/none
check_status "a folder without -r" 1 "$XCODEC" encode -o out in
check "one line" grep -q 'in: cannot read: Is a directory (.* -r)' stderr

mkdir in/results
check_status "the results' folder in the inputs'" 0 "$XCODEC" encode -r -o in/results in
check_equal "all of them" "$wanted" "$(files in/results)"
"$XCODEC" decode --format ppm -r -o in/results in/results
check_status "it is left out" 0 "$XCODEC" encode -f -r -o in/results in
check_equal "no result became an input" 0 "$(find in/results -name 'results?*' -o -path '*results/results*' | wc -l | tr -d ' ')"
rm -rf in/results
cp -r in same
check_status "results beside the inputs" 0 "$XCODEC" encode -r -o same same
check "are put there" cmp same/top.ppm.xc in/b/coded.xc
if [ "$(id -u)" -ne 0 ]; then
	chmod 0 in/a
	rm -rf out/*
	check_status "a folder that cannot be read" 1 "$XCODEC" encode -r -o out in
	chmod 755 in/a
	check_equal "is one line" 'xcodec: in/a: cannot be listed: Permission denied' "$(head -n 1 stderr)"
	check "the others are done" test -e out/top.ppm.xc
else
	skip "a folder that cannot be read" "root reads all"
fi
mkdir shut && chmod 555 shut && chmod 755 "$tmp"
as=
[ "$(id -u)" -ne 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
# shellcheck disable=SC2086 # these are words
if $as test -x "$XCODEC" 2>/dev/null; then
	check_status "a folder that takes no files" 1 $as "$XCODEC" encode --quiet -t 1 -r -o shut in
	check_equal "ends the work" 1 "$(grep -c 'shut: takes no more results, so 5 files were not tried: Permission denied' stderr)"
else
	skip "a folder that takes no files" "no setpriv"
fi
rm -rf out/*
(umask 027 && "$XCODEC" encode -r -o out in)
# shellcheck disable=SC2012 # no other way to see permissions everywhere
check_equal "folders and files have the usual permissions" "drwxr-x--- -rw-r-----" \
	"$(ls -ld out/b | cut -c 1-10) $(ls -ld out/b/same.ppm.xc | cut -c 1-10)"

# Nobody can read a result who cannot read its input, and it has the time of that.
rm -rf out/* secret && mkdir -p secret/d
cp in/top.ppm secret/d/a.ppm
cp in/top.ppm secret/b.ppm
chmod 600 secret/d/a.ppm
chmod 640 secret/b.ppm
chmod 711 secret/d
touch -t 201801020304 secret/b.ppm
check_status "private files" 0 "$XCODEC" encode -r -o out secret
# shellcheck disable=SC2012 # no other way to see permissions everywhere
check_equal "stay so, in folders too" "drwx--x--x -rw------- -rw-r-----" \
	"$(ls -ld out/d | cut -c 1-10) $(ls -l out/d/a.ppm.xc | cut -c 1-10) $(ls -l out/b.ppm.xc | cut -c 1-10)"
check "the time of the input" test ! secret/b.ppm -ot out/b.ppm.xc -a ! secret/b.ppm -nt out/b.ppm.xc
mkdir modes && cp in/top.ppm modes/a.ppm && cp modes/a.ppm modes/d.ppm && cp modes/a.ppm modes/c.txt &&
	chmod 444 modes/a.ppm && chmod 775 modes/[cd]*
(umask 022 && "$XCODEC" encode -r --copy-others -o out modes)
# shellcheck disable=SC2012
check_equal "other permissions stay, too, less what the umask denies" "-r--r--r-- -rwxr-xr-x -rwxr-xr-x " \
	"$(ls -l out/a.ppm.xc out/d.ppm.xc out/c.txt | cut -c 1-10 | sort | tr '\n' ' ')"
touch out/b.ppm.xc && chmod 644 out/b.ppm.xc
check_status "one that is replaced" 0 "$XCODEC" encode -f secret/b.ppm out/b.ppm.xc
# shellcheck disable=SC2012
check_equal "likewise" "-rw-r-----" "$(ls -l out/b.ppm.xc | cut -c 1-10)"
check "with that time" test ! secret/b.ppm -ot out/b.ppm.xc -a ! secret/b.ppm -nt out/b.ppm.xc

# An archive comes back under the names of before.
if "$XCODEC" --version | grep -q 'no JPEG'; then
	skip "an archive of JPEGs" "no libjpeg"
else
	rm -rf out/* back && mkdir kept back
	"$XCODEC" encode --preset jpeg in/top.ppm dct.xc
	for name in IMG.JPG a.jpeg b.jpg .jpg.jpe; do
		"$XCODEC" decode --format jpg dct.xc "kept/$name"
	done
	cp in/top.ppm kept/b.ppm
	check_status "JPEGs" 0 "$XCODEC" encode --lossless -r -o out kept
	check_equal "have their names and .xc" '.jpg.jpe.xc IMG.JPG.xc a.jpeg.xc b.jpg.xc b.ppm.xc' "$(files out)"
	check_status "and back" 0 "$XCODEC" decode -r -o back out
	check_equal "come back" '.jpg.jpe IMG.JPG a.jpeg b.jpg b.ppm.'$usual "$(files back)"
	check "the same file" cmp back/IMG.JPG kept/IMG.JPG
	rm -rf back/*
	check_status "as PPM" 0 "$XCODEC" decode --format ppm -o back out/b.ppm.xc
	check "with the name that it had" test -s back/b.ppm
fi

# ------------------------------------------------------------------------- lists

rm -rf out && mkdir out
cat >list <<END
in/top.ppm

./in/a/x.y.pgm
$tmp/in/b/same.ppm
in/../in/top.ppm
in/none.ppm
in/b
/
END
printf 'in/a/deep er/z.PPM' >>list
check_status "--list" 1 "$XCODEC" encode --list list -o out
check_equal "whole paths are kept" \
	"in/a/deep er/z.PPM.xc in/a/x.y.pgm.xc in/top.ppm.xc $(echo "$tmp" | sed 's/^\///')/in/b/same.ppm.xc" "$(files out)"
check_equal "a line for each that fails, and two for all" 6 "$(wc -l <stderr | tr -d ' ')"
check "one that leads upwards" grep -q 'in/../in/top.ppm: cannot be kept below' stderr
check "one that is not there" grep -q 'in/none.ppm: cannot open' stderr
check "a folder" grep -q 'in/b: cannot read: Is a directory' stderr
check "what has no name" grep -q '/: is no file' stderr
rm -rf out/*
check_status "from standard input, with -r" 0 sh -c \
	"printf 'in/b\nin/top.ppm\n' | '$XCODEC' encode -r --list - -o out"
check_equal "folders of a list too" 'in/b/back\slash.ppm.xc in/b/same.ppm.xc in/b/to-file.ppm.xc in/top.ppm.xc' "$(files out)"
printf 'a\0b\n' >zero
head -c 5000 /dev/zero | tr '\0' x >>zero
check_status "no paths at all" 1 "$XCODEC" encode --list zero -o out
check_equal "a line each, and one for all" 3 "$(wc -l <stderr | tr -d ' ')"
printf 'in/a/deep er/z.PPM\0in/new\nline.ppm\0' >zeros
cp in/top.ppm 'in/new
line.ppm'
check_status "--null" 0 "$XCODEC" encode -0 --list - -o out <zeros
check "a path with a line's end" test -s 'out/in/new
line.ppm.xc'
rm 'in/new
line.ppm'
check_status "--null without a list" 2 "$XCODEC" encode -0 -o out in/top.ppm
mkfifo pipe
check_status "a pipe for a list" 1 timeout 10 "$XCODEC" encode --list pipe -o out
check "is told" grep -q 'pipe: cannot open: it is no regular file ("--list -"' stderr
check_status "no such list" 1 "$XCODEC" encode --list none -o out
check_status "an empty list" 0 "$XCODEC" encode --list /dev/null -o out
check_status "without a folder" 2 "$XCODEC" encode --list list
check_status "with IN and OUT" 2 "$XCODEC" encode --list list in/top.ppm new.xc
check_status "-r without a folder" 2 "$XCODEC" encode -r in out
check_status "--resume without a folder" 2 "$XCODEC" encode --resume in/top.ppm new.xc
check_equal "nothing was made" "" "$(ls new.xc 2>/dev/null)"
rm -rf out/*
"$XCODEC" encode --json -r -o out in >told
check_json "--json tells of each" told 'sorted(f["output"] for f in j)[0] == "out/a/deep er/z.PPM.xc" and len(j) == 6'
"$XCODEC" encode --json -r -o out in/empty >told
check_json "--json of none" told 'j == []'
check_equal "no temporary file is left" "" "$(find . -name '.xcodec-*')"

done_testing
