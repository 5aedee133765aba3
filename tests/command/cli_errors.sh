#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The command when things go wrong: one clear line, the right exit status, and
# no file harmed or left behind.

. "${srcdir:-.}/tests/support/tap.sh"

mkdir "$tmp/d" && cd "$tmp/d" || exit 99

awk 'BEGIN { print "P3 40 30 255"; for (i = 0; i < 3600; i++) print i * 37 % 256 }' >in.ppm
"$XCODEC" encode in.ppm a.xc || skip_all "cannot encode at all"
"$XCODEC" decode a.xc a.ppm
echo precious >kept.xc
cp kept.xc kept.ppm
size=$(wc -c <a.xc)

# shellcheck disable=SC2012 # no other way to see permissions everywhere
mode() { ls -l "$1" | cut -c 1-10; }

list() { LC_ALL=C ls -A; }
before=$(list)

# clean NAME: no file came or went, and those there are as they were.
clean() {
	check_equal "$1: no file came or went" "$before" "$(list)"
	rm -f o.xc o.png o.ppm o.pgm o.jpg o.bmp
	if [ "$(cat kept.xc kept.ppm)" != "precious
precious" ]; then
		not_ok "$1: existing files stay"
		echo precious | tee kept.xc >kept.ppm
	fi
}

# fails NAME STATUS PATTERN ARGUMENT...: xcodec exits with STATUS, says one line
# that matches PATTERN, prints nothing else and leaves no trace.
fails() {
	case=$1 status=$2 pattern=$3
	shift 3
	check_status "$case: status $status" "$status" "$XCODEC" "$@" <a.xc
	check_equal "$case: nothing on standard output" "" "$(cat "$tmp/stdout")"
	if [ "$(wc -l <"$tmp/stderr")" -eq 1 ] && grep -Eq "^xcodec: $pattern" "$tmp/stderr"; then
		ok "$case: one clear line"
	else
		not_ok "$case: one clear line" "$(cat "$tmp/stderr")"
	fi
	clean "$case"
}

# ------------------------------------------------------------- wrong usage: 2

fails "unknown command" 2 "unknown command 'frobnicate'" frobnicate a b
fails "unknown option before the command" 2 "unknown option '--frob'" --frob
fails "unknown long option" 2 "encode: unknown option '--frob'" encode --frob=1 in.ppm o.xc
fails "ambiguous option, of three" 2 "encode: '--los' may mean --lossless, --lossy or --lossless-match" encode --los in.ppm o.xc
fails "ambiguous option" 2 "encode: '--qu' may mean --quality or --quiet" encode --qu 3 in.ppm o.xc
fails "unknown short option" 2 "decode: unknown option '-Z'" decode -fZ a.xc o.png
fails "option without its value" 2 "encode: --quality needs a value" encode in.ppm o.xc -q
fails "value for a flag" 2 "encode: --force takes no value" encode --force=yes in.ppm o.xc
fails "missing file" 2 "encode: too few arguments" encode in.ppm
fails "no files" 2 "sweep: too few arguments" sweep
fails "too many files" 2 "encode: too many arguments: 'b.xc'" encode a.ppm a.xc b.xc
for value in 0 101 7x 0x10 1e1 '' ' 5' +5 99999999999999999999; do
	fails "quality '$value'" 2 "encode: --quality: '.*' is not a number from 1 to 100, such as 75" \
		encode "--quality=$value" in.ppm o.xc
done
fails "effort" 2 "encode: --effort: '10'" encode -e 10 in.ppm o.xc
fails "threads" 2 "encode: --threads: '-1'" encode -t -1 in.ppm o.xc
fails "subsampling" 2 "encode: --subsampling: '411' is not one of auto, 444, 422, 420, grey" \
	encode -s 411 in.ppm o.xc
fails "entropy" 2 "encode: --entropy: 'zip' is not one of huffman, rans" \
	encode --entropy zip in.ppm o.xc
fails "a tune that is gone" 2 "encode: --tune: 'ssim' is not one of eye, psnr" encode --tune ssim in.ppm o.xc
fails "colour" 2 "encode: --colour: 'ycocg' is not one of ycbcr, picture" \
	encode --colour ycocg in.ppm o.xc
fails "components of 4:2:0" 1 "in.ppm: components made for the picture need 4:4:4" \
	encode -s 420 --colour picture in.ppm o.xc
fails "preset" 2 "encode: --preset: 'png' is not one of default, jpeg" \
	encode --preset png in.ppm o.xc
fails "Huffman" 2 "encode: --huffman: 'x' is not one of" encode --huffman x in.ppm o.xc
fails "transform" 2 "encode: --transform: 'fft' is not one of" encode --transform fft in.ppm o.xc
for value in 0 -5 3.5 5X 5KB K 99999999999999999T; do
	fails "max-memory '$value'" 2 "decode: --max-memory: '$value' is not a number from 1 up" \
		decode --max-memory "$value" a.xc o.png
done
for value in 0:5:1 10:101 50:20:5 10:20:0 10:20:5:5 '5,' ',5' '' x; do
	fails "qualities '$value'" 2 "sweep: --qualities: '$value' is not" sweep -q "$value" in.ppm
done
fails "two standard inputs" 2 "compare: only one" compare - -
fails "two standard inputs of sweep" 2 "sweep: standard input" sweep - in.ppm -
fails "picture and table from standard input" 2 "encode: only one" encode --tables - - o.xc
fails "encode to a picture's name" 2 "encode: 'o.png' is a PNG file by its name" \
	encode in.ppm o.png
for name in o.jpg o.JPEG; do
	fails "encode to a picture's name, $name" 2 "encode: '$name' is a JPEG file by its name" \
		encode in.ppm $name
done
for name in o.gif o.WEBP o.pbm o.tiff; do
	fails "encode to the name of a picture of another kind, $name" 2 \
		"encode: '$name' is another kind of picture by its name" encode in.ppm $name
done
check "encode to such a name, insisting" "$XCODEC" encode --format xc in.ppm o.jpg
check "encode to such a name: the file" cmp a.xc o.jpg
rm -f o.jpg
fails "decode to an unknown format" 2 "decode: what format shall 'o.gif' have" decode a.xc o.gif
fails "decode to standard output without a format" 2 "decode: what format shall '-' have" \
	decode a.xc -
fails "decode to PFM" 1 "a.xc: holds a picture, and 'o.pfm' is an array" decode a.xc o.pfm
"$XCODEC" --version | grep -q 'no JPEG' ||
	fails "JPEG quality for PPM" 2 "decode: --jpeg-quality is for JPEG" \
		decode --jpeg-quality 80 a.xc o.ppm
fails "PNG level for PPM" 2 "decode: --png-level is for PNG" decode --png-level 3 a.xc o.ppm

# -------------------------------------------------------------- failures: 1

fails "no such file" 1 "missing: cannot open: No such file" encode missing o.xc
fails "no such file to compare" 1 "missing: cannot open: No such file" compare a.ppm missing
fails "no such table" 1 "missing: cannot open: No such file" encode --tables missing in.ppm o.xc
fails "a directory as input" 1 "\.: cannot read: Is a directory" encode . o.xc
fails "a directory as output" 1 "\.: .*: Is a directory" decode --format png a.xc .
fails "no such directory" 1 "none/o.xc: cannot create: No such file" encode in.ppm none/o.xc
fails "a file as directory" 1 "a.xc/o.xc: cannot create: Not a directory" encode in.ppm a.xc/o.xc
fails "an empty file" 1 "/dev/null: the file is empty" info /dev/null
[ ! -c /dev/zero ] ||
	fails "an endless file" 1 "/dev/zero: not a picture" encode /dev/zero o.xc
fails "not a picture" 1 "kept.ppm: not a picture" compare kept.ppm a.ppm
fails "not an XC file" 1 "a.ppm: not an XC file, but PPM" decode a.ppm o.png
fails "other than --format says" 1 "in.ppm: is a PPM file, not PNG" \
	encode --format png in.ppm o.xc
fails "no overwriting by encode" 1 "kept.xc: exists already" encode in.ppm kept.xc
fails "no overwriting by decode" 1 "kept.ppm: exists already" decode a.xc kept.ppm
fails "no overwriting by sweep" 1 "kept.xc: exists already" sweep -q 50 --csv kept.xc in.ppm
fails "input is output" 1 "\./a.xc: input and output are the same" encode -f a.xc ./a.xc
fails "input is output, by redirection" 1 "a.xc: input and output are the same" encode -f - a.xc
fails "the table is output" 1 "kept.xc: input and output are the same" \
	encode -f --tables kept.xc in.ppm kept.xc
fails "RGB does not fit PGM" 1 "o.pgm: .*(ppm|png|pam)" decode a.xc o.pgm
exif_png 100 >"$tmp/exif.png" && "$XCODEC" encode "$tmp/exif.png" "$tmp/exif.xc" && {
	check "metadata of 100 bytes within the limit" "$XCODEC" info --max-metadata 100 "$tmp/exif.xc"
	fails "the metadata limit" 1 ".*exif .*limit of 99 .*--max-metadata" \
		info --max-metadata 99 "$tmp/exif.xc"
}
fails "the memory limit" 1 ".*(memory|limit)" decode --max-memory 3K a.xc o.png
fails "the pixel limit" 1 "in.ppm: .*limit" encode --max-pixels 1K in.ppm o.xc
fails "the pixel limit for XC" 1 "a.xc: .*limit" decode --max-pixels 1K a.xc o.png
printf 'P6 1 1 255\n123' >"$tmp/tiny.ppm"
fails "different sizes" 1 ".*tiny.ppm: is 1 x 1 pixels, but in.ppm is 40 x 30" \
	compare in.ppm "$tmp/tiny.ppm"
echo '16 16 sixteen' >"$tmp/bad.txt"
fails "a bad table" 1 ".*bad.txt: .*line 1" encode --tables "$tmp/bad.txt" in.ppm o.xc
fails "control characters in a name" 1 'a\\x0ab\\x1b\[1m: cannot open' \
	info "$(printf 'a\nb\033[1m')"
XC_CPU=pentium
export XC_CPU
fails "an unknown SIMD level" 1 "XC_CPU: .*pentium" encode in.ppm o.xc
unset XC_CPU

for part in 1 7 20 $((size / 2)) $((size - 1)); do
	head -c "$part" a.xc >"$tmp/cut.xc"
	fails "truncated to $part bytes" 1 ".*cut.xc: " decode "$tmp/cut.xc" o.png
done

# Damage the last quarter, where the segments are.
{
	head -c $((size * 3 / 4)) a.xc
	printf 'damage'
	tail -c +$((size * 3 / 4 + 7)) a.xc
} >"$tmp/damaged.xc"
fails "a damaged segment" 1 ".*damaged.xc: .*segment" decode "$tmp/damaged.xc" o.png
check_status "--keep-going decodes it" 3 \
	"$XCODEC" decode --keep-going "$tmp/damaged.xc" "$tmp/going.ppm"
check "--keep-going warns" grep -Eq '^xcodec: .*damaged.xc: warning: 1 of .*segment' "$tmp/stderr"
check_equal "--keep-going warns once" 1 "$(wc -l <"$tmp/stderr" | tr -d ' ')"
check_equal "--keep-going writes the whole picture" "$(wc -c <a.ppm)" "$(wc -c <"$tmp/going.ppm")"
"$XCODEC" info "$tmp/damaged.xc" >"$tmp/stdout"
check "info reports the damage" grep -q '^Segments .* 1 DAMAGED' "$tmp/stdout"
check_status "info --bits fails" 1 "$XCODEC" info --bits "$tmp/damaged.xc"
check_equal "info --bits: one clear line" 1 "$(grep -c '^xcodec: .*damaged.xc: .*segment' "$tmp/stderr")"
check "info --bits reports the rest" grep -q '^Bits  *cannot be decoded: .*segment' "$tmp/stdout"
check_status "--keep-going with -o" 3 "$XCODEC" decode -k --format pam -o "$tmp" "$tmp/damaged.xc" a.xc
{
	cat a.xc
	printf 'more'
} >"$tmp/more.xc"
fails "bytes after the end" 1 ".*more.xc: 4 bytes too many" decode "$tmp/more.xc" "$tmp/more.ppm"
check_status "--keep-going ignores bytes after the end" 0 \
	"$XCODEC" decode --keep-going "$tmp/more.xc" "$tmp/more.ppm"
check "--keep-going warns of bytes after the end" \
	grep -q 'more.xc: warning: 4 bytes too many' "$tmp/stderr"
check_status "info ignores them too" 0 "$XCODEC" info "$tmp/more.xc"
check "info warns of bytes after the end" grep -q 'warning: 4 bytes too many' "$tmp/stderr"

# ------------------------------------------------------------------- writing

if [ -c /dev/full ]; then
	fails "a full disk" 1 "/dev/full: cannot write: No space" decode --format png a.xc /dev/full
	"$XCODEC" decode --format ppm a.xc - 2>"$tmp/stderr" >/dev/full
	check_equal "a full disk as standard output: status" 1 $?
	check "a full disk as standard output: message" \
		grep -q 'standard output: cannot write: No space' "$tmp/stderr"
	"$XCODEC" info a.xc 2>"$tmp/stderr" >/dev/full
	check_equal "a full disk for a report: status" 1 $?
	check_equal "a full disk for a report: one line" 1 "$(wc -l <"$tmp/stderr" | tr -d ' ')"
else
	skip "a full disk" "no /dev/full"
fi
(
	ulimit -f 2 || exit 1
	exec "$XCODEC" decode a.xc o.ppm 2>"$tmp/stderr" && exit 1
)
check_equal "a file size limit: status" 1 $?
clean "a file size limit"
"$XCODEC" encode in.ppm - 2>"$tmp/stderr" >&-
check_equal "no standard output: status" 1 $?
"$XCODEC" decode -k a.xc "$tmp/no-stderr.ppm" 2>&-
check "no standard error: the picture is whole" cmp a.ppm "$tmp/no-stderr.ppm"

mkdir "$tmp/ro" && chmod a-w "$tmp/ro"
if touch "$tmp/ro/x" 2>/dev/null; then
	skip "an unwritable directory" "everything is writable for this user"
	rm -f "$tmp/ro/x"
else
	fails "an unwritable directory" 1 ".*/ro/o.xc: cannot create: Permission denied" \
		encode in.ppm "$tmp/ro/o.xc"
fi

cp kept.xc over.xc
chmod 640 over.xc
check "--force overwrites" "$XCODEC" encode --force in.ppm over.xc
check "--force: the new file" cmp a.xc over.xc
check_equal "--force keeps the permissions" "-rw-r-----" "$(mode over.xc)"
cp kept.xc target.xc
ln -s target.xc link.xc
check "--force through a link" "$XCODEC" encode -f in.ppm link.xc
check "--force keeps the link" test -L link.xc
check "--force replaces what the link names" cmp a.xc target.xc
rm -f over.xc link.xc target.xc
(umask 027 && "$XCODEC" encode in.ppm mask.xc)
check_equal "a new file obeys the umask" "-rw-r-----" "$(mode mask.xc)"
rm -f mask.xc
ln -s nowhere dangling.xc
check_status "a dangling link is not overwritten" 1 "$XCODEC" encode in.ppm dangling.xc
check "a dangling link stays" test -L dangling.xc
check "--force replaces a dangling link" "$XCODEC" encode -f in.ppm dangling.xc
check "--force: the file in its place" cmp a.xc dangling.xc
rm -f dangling.xc nowhere
clean "after writing"

# A file that appears while the work goes on is not overwritten: the name is
# free when xcodec starts, and taken before its input ends.
mkfifo "$tmp/pipe"
"$XCODEC" encode "$tmp/pipe" raced.xc 2>"$tmp/stderr" &
worker=$!
exec 3>"$tmp/pipe"
cp kept.xc raced.xc
cat in.ppm >&3
exec 3>&-
wait "$worker"
check_equal "a name taken meanwhile: status" 1 $?
check "a name taken meanwhile: message" grep -q '^xcodec: raced.xc: exists already' "$tmp/stderr"
check "a name taken meanwhile: the file stays" cmp kept.xc raced.xc
rm -f raced.xc
clean "a name taken meanwhile"

# Interrupted while the output is being written: the signal is sent as soon as
# the temporary file shows.  A run that was too quick leaves the whole picture.
{
	printf 'P4 8192 4096\n'
	head -c 4194304 /dev/zero
} | "$XCODEC" encode - "$tmp/big.xc"
mkdir "$tmp/int"
hit=0
# A shell lets its background jobs ignore SIGINT and SIGQUIT, and so would the program.
not_ignored='env'
! env --default-signal=INT true 2>/dev/null || not_ignored='env --default-signal=INT,QUIT'
# SIGQUIT and SIGXCPU would leave a core file.
# shellcheck disable=SC3045 # where there is no -c, there is one
ulimit -c 0 2>/dev/null || :
for signal in INT QUIT TERM HUP XCPU; do
	case "$signal $not_ignored" in
	"INT env" | "QUIT env")
		skip "SIG$signal" "this env cannot undo ignoring it"
		continue
		;;
	esac
	# shellcheck disable=SC2086 # two words
	$not_ignored "$XCODEC" decode "$tmp/big.xc" "$tmp/int/big.pgm" 2>"$tmp/stderr" &
	worker=$!
	while kill -0 "$worker" 2>/dev/null; do
		set -- "$tmp"/int/.xcodec-*
		[ ! -e "$1" ] || break
	done
	kill -s "$signal" "$worker" 2>/dev/null
	wait "$worker"
	status=$?
	set -- "$tmp"/int/.xcodec-*
	check "SIG$signal while writing leaves no temporary file" test ! -e "$1"
	if [ -e "$tmp/int/big.pgm" ]; then
		check_equal "SIG$signal came too late: the file is whole" 33554449 \
			"$(wc -c <"$tmp/int/big.pgm" | tr -d ' ')"
		rm -f "$tmp/int/big.pgm"
	else
		check_equal "SIG$signal ends the program by that signal" "$signal" \
			"$(kill -l "$status")"
		hit=$((hit + 1))
	fi
done
echo "# interrupted in time: $hit of 5"

done_testing
