#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# xcodec sweep: configurations, other codecs by their programs, jobs, files, and going on after an
# interruption.  cli.sh has the simple uses.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
mkdir tmpdir
TMPDIR=$tmp/tmpdir
export TMPDIR
"$BUILDDIR/samples/make_scene" meadow meadow.png 96 64
"$XCODEC" encode -q 100 -s 444 meadow.png a.xc
"$XCODEC" decode a.xc a.ppm
"$XCODEC" encode -s grey -q 90 meadow.png g.xc
"$XCODEC" decode g.xc g.pgm
"$XCODEC" encode "$SRCDIR/samples/rgba.png" alpha.xc

# untimed FILE: a CSV without its times.
untimed() {
	sed 's/,[^,]*,[^,]*$//' "$1"
}

# nothing_left NAME: no temporary file is left.
nothing_left() {
	check_equal "$1: nothing is left" "" "$(ls -A tmpdir)"
}

# -------------------------------------------------------------- configurations

check_status "two configurations" 0 "$XCODEC" sweep -q 30,60,90 -s 444 --csv two.csv --json two.json \
	--config 'lapped: --transform tdlt' --config ' dct :--transform dct -s 420 --qualities 50:90:20' a.ppm g.pgm
cp stdout two.out
check_equal "the order is that of pictures, configurations and qualities" \
	"a.ppm lapped 30 a.ppm lapped 60 a.ppm lapped 90 a.ppm dct  50 a.ppm dct  70 a.ppm dct  90" \
	"$(awk -F, 'NR > 1 && NR < 8 { printf "%s%s %s %s", s, $1, $10, $4; s = " " }' two.csv)"
"$XCODEC" encode -q 50 --transform dct -s 420 a.ppm o.xc
check "options beside --config are for each, those in it come first" \
	grep -q "^a.ppm,96,64,50,$(wc -c <o.xc | tr -d ' '),.*,dct ," two.csv
tab=$(printf '\t') return=$(printf '\r') odd=$(printf '\033]0;title\007\342\200\256')
set -- =1+cmd @a,b +x -x ' x' "${tab}x" "${return}x" "$odd"
for name; do cp a.ppm "./$name"; done
"$XCODEC" sweep -q 50 --config '-1: xcodec:' --csv - -- "$@" ./=1+cmd >signs.csv
check_equal "what a spreadsheet would run begins with an apostrophe" \
	"'=1+cmd \"'@a,b\" '+x '-x  x '${tab}x \"'${return}x\" $odd ./=1+cmd " "$(sed '1d; s/,96,64,.*//' signs.csv | tr '\n' ' ')"
check_equal "a configuration too" 9 "$(grep -c ",'-1," signs.csv)"
if [ -n "$tap_python" ] && "$tap_python" -c 'import pty' 2>/dev/null; then
	"$tap_python" -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$XCODEC" sweep --quiet -q 50 --csv - "$odd" </dev/null >seen
	check "on a terminal names are escaped" grep -q '^.x1b]0;title.x07.xe2.x80.xae,96,64,50,' seen
else
	skip "on a terminal names are escaped" "no python3"
fi
check "BD-rates are printed" grep -q "^BD-rate of 'dct ' against 'lapped', per cent" two.out
check "BD-PSNRs are printed" grep -q "^BD-PSNR of 'dct ' against 'lapped', dB" two.out
# shellcheck disable=SC2016 # those are awk's
check "colour of a grey picture is not measured" \
	awk -F, '$1 == "g.pgm" && ($11 != "" || $12 != "") { exit 1 }' two.csv
check_json "JSON: pictures, configurations, points" two.json \
	'([len(j[k]) for k in ("pictures", "configs", "points", "means")] == [2, 2, 12, 6] and
	j["configs"][0] == {"name": "lapped", "options": "--transform tdlt", "version": "xcodec: " + j["version"],
		"foreign": False} and all(p["peak"] == 255 for p in j["pictures"]) and
	j["pictures"][1]["channels"] == 1 and j["points"][6]["picture"] == 1)'
check_json "JSON: BD-rates of each pair, both ways, for each picture and the mean" two.json \
	'(len(j["bd"]) == 3 * 10 * 2 and all(
		abs((1 + x["rate"] / 100) * (1 + y["rate"] / 100) - 1) < 1e-9
		for x in j["bd"] for y in j["bd"] if x["metric"] == y["metric"] == "psnr_y"
		and x["picture"] == y["picture"] == 0 and x["anchor"] == y["config"]))'
"$XCODEC" compare --json a.ppm o.xc >compared
check_json "JSON: what compare says" compared 'all(abs(p[k] - j[k]) < 1e-9
	for p in [p for p in json.load(open("two.json"))["points"] if p["config"] == 1][:1]
	for k in ("ssimulacra2", "butteraugli_3norm", "psnr_rgb", "psnr_y", "ssim_y", "ms_ssim_y", "max_abs_diff"))'
check_json "JSON: 6:1:1 and channels" two.json 'all(p["psnr_ycbcr"] > p["psnr_y"] - 3 and
	abs(10 ** (-p["psnr_rgb"] / 10) - sum(10 ** (-p["psnr_" + c] / 10) for c in "rgb") / 3) < 1e-9
	for p in j["points"] if p["picture"] == 0)'

cat >configs <<'END'
# two configurations

lapped: --transform tdlt -s 444
  quoted: '--transform' "dct"
END
check_status "--configs" 0 "$XCODEC" sweep -q 60 --configs configs --csv - a.ppm
check_equal "--configs: both" "lapped quoted" \
	"$(awk -F, 'NR > 1 { printf "%s%s", s, $10; s = " " }' stdout)"

printf 'lapped: -e 0\0 -s 444\n' >zero
check_status "a zero byte in --configs" 1 "$XCODEC" sweep -q 60 --configs zero --csv - a.ppm
check_equal "a zero byte in --configs: one line" "xcodec: zero: a zero byte in a text file" "$(cat stderr)"

# fails NAME STATUS MESSAGE ARGUMENT...
fails() {
	case_name=$1
	message=$3
	status=$2
	shift 3
	check_status "$case_name" "$status" "$XCODEC" sweep "$@" a.ppm
	check "$case_name: says so" grep -qF -e "$message" stderr
	check_equal "$case_name: in one line" 1 "$(grep -c '^xcodec: ' stderr)"
}
fails "no name" 2 "'-e 2' is no configuration" --config '-e 2'
fails "a wrong option" 2 "configuration 'a': unknown option '--frobnicate'" --config 'a: --frobnicate'
fails "a wrong value" 2 "configuration 'a': --effort: '9' is not" --config 'a: -e 9'
fails "an operand" 2 "configuration 'a': too many arguments: 'b'" --config 'a: -e 1 b'
fails "an unknown codec" 2 "'jpegxl' is no codec that is known: xcodec, jpeg, webp, jxl, jp2, avif, cmd;" --config jpegxl:
fails "an unknown codec with a name" 2 "configuration 'b': 'jpegxl' is no codec" --config 'b: jpegxl: -d 1'
fails "no codec and no option" 2 "'c' is no codec" --config 'c: b'
check_status "tables that are none" 1 "$XCODEC" sweep --config 'a: --tables configs' a.ppm
check "name their configuration" grep -q "^xcodec: a: this configuration's --tables" stderr
fails "an open quote" 2 "a quote is not closed" --config "a: -e '2"
fails "wrong qualities" 2 "configuration 'a': --qualities: '0' is not" --config 'a: --qualities 0'
fails "no qualities" 2 "configuration 'a': --qualities needs a value" --config 'a: --qualities'
fails "a name twice" 2 "configuration 'a': two have this name" --config 'a: xcodec:' --config='a: xcodec:'
fails "one command" 2 "no two commands" --config 'a: cmd: cp {in} {out}'
fails "a command without {out}" 2 "both commands need" --config 'a: cmd: cp {in} {out} ; cp {in} x'
fails "no configuration" 2 "there is no configuration" --configs /dev/null
fails "a program that is not installed" 1 "xcodec: a: 'no-such-program' is not installed" --config \
	'a: cmd: no-such-program {in} {out} ; cp {in} {out}' --csv never.csv
check "a program that is not installed: nothing is done" test ! -e never.csv -a ! -e never.csv.journal
fails "--resume without a file" 2 "--resume needs" --resume --csv=-
fails "one file twice" 2 "are the same file" --csv x --json=x

# -------------------------------------------------------------------- programs

check_status "cmd" 0 "$XCODEC" sweep -q 1,2 --csv cmd.csv \
	--config 'copy: cmd: cp {in} {out.bin} ; cp {in.raw} {out}' --config 'own: xcodec:' a.ppm g.pgm alpha.xc
check_equal "cmd: bytes are those of the file, the decoded picture is the original" \
	"$(wc -c <a.ppm | tr -d ' ') inf 1.00000000" \
	"$(awk -F, '$1 == "a.ppm" && $10 == "copy" && $4 == 1 { print $5, $7, $9 }' cmd.csv)"
check_equal "cmd: a picture with alpha" "inf" "$(awk -F, '$1 == "alpha.xc" && $10 == "copy" && $4 == 1 { print $7 }' cmd.csv)"
nothing_left "cmd"

mkdir path
cat >path/cjpeg <<'END'
#!/bin/sh
[ "$1" != -version ] || exec echo "a fake, version 7.5 (2026)"
cp "$1" "$2"
END
chmod +x path/cjpeg
check_status "versions" 0 "$XCODEC" sweep -q 1,2 --csv v.csv --json v.json --config \
	"v: cmd: $tmp/path/cjpeg {in} {out} ; cp {in} {out}" --config "own: xcodec:" a.ppm
check "versions: in the table" grep -q '^v (cjpeg: a fake, version 7.5 (2026))$' stdout
check_equal "versions: in CSV" '"cjpeg: a fake, version 7.5 (2026)"' "$(awk -F '"' 'NR == 2 { print "\"" $2 "\"" }' v.csv)"
check_json "versions: in JSON" v.json '[c["version"] for c in j["configs"]] == ["cjpeg: a fake, version 7.5 (2026)",
	"xcodec: " + j["version"]]'
nothing_left "versions"

# A program that notes its arguments, and one that fails.
cat >program <<END
#!/bin/sh
echo "\$*" | sed "s|$tmp/tmpdir/[^ ]*/||g" >>'$tmp/said'
echo "\$1" >&2
[ "\$1" != fail ] || exit 5
shift 2
cp "\$1" "\$2"
END
chmod +x program
check_status "cmd: placeholders" 0 "$XCODEC" sweep --csv p.csv --config \
	"c: cmd: ./program q={q} 'a {ratio}' {in.png} {out.x} ; ./program 1 2 {in} {out.png} --qualities 0.5,3" a.ppm
check_equal "cmd: placeholders: what it was called with" "q=0.5 a 48 0.png coded.x
1 2 coded.x decoded.png
q=3 a 8 0.png coded.x
1 2 coded.x decoded.png" "$(sed 's|[^ ]*/||g' said)"
fails "a program that fails" 1 "a.ppm: c: './program' failed with status 5" --config \
	'c: cmd: ./program fail {in} {out} ; cp {in} {out}' -q1
check "a program that fails: what it said" grep -qx '  fail' stderr
fails "a program that writes nothing" 1 "a.ppm: c: 'true' wrote no file" --config \
	'c: cmd: true {in} {out} ; cp {in} {out}' -q1
fails "a program that writes no picture" 1 "what 'cp' wrote" --config \
	'c: cmd: ./program 1 2 configs {out} {in} ; cp {in} {out}' -q1
nothing_left "programs that fail"

for codec in jpeg:cjpeg:djpeg webp:cwebp:dwebp jxl:cjxl:djxl jp2:opj_compress:opj_decompress \
	avif:avifenc:avifdec; do
	name=${codec%%:*}
	programs=${codec#*:}
	if ! command -v "${programs%:*}" >/dev/null || ! command -v "${programs#*:}" >/dev/null; then
		skip "$name" "no ${programs%:*}"
		continue
	fi
	check_status "$name" 0 "$XCODEC" sweep -q 30,90 --config "$name:" --csv "$name.csv" a.ppm g.pgm
	# shellcheck disable=SC2016 # those are awk's
	check "$name: more bytes go with more quality, within reason" \
		awk -F, 'NR > 1 && ($7 < 15 || $5 < 100) { exit 1 }
			NR > 2 && $1 == last && ($5 > bytes) != ($8 > psnr) { exit 1 }
			{ last = $1; bytes = $5; psnr = $8 } END { exit NR < 5 }' "$name.csv"
done
if [ -f jpeg.csv ]; then
	cjpeg -quality 90 -outfile o.jpg a.ppm
	check "jpeg: the bytes are cjpeg's" grep -q "^a.ppm,96,64,90,$(wc -c <o.jpg | tr -d ' ')," jpeg.csv
	check_status "jpeg, with options" 0 "$XCODEC" sweep -q 90 --csv - --config 'o: jpeg: -optimize' a.ppm
	cjpeg -optimize -quality 90 -outfile o.jpg a.ppm
	check "jpeg, with options: they are passed on" grep -q "^a.ppm,96,64,90,$(wc -c <o.jpg | tr -d ' ')," stdout
fi
nothing_left "programs"

# ------------------------------------------------------------------------ jobs

set -- --config 'a: --effort 0' --config 'b: cmd: cp {in} {out} ; cp {in} {out}' -q 10:90:20
check_status "one job" 0 "$XCODEC" sweep "$@" --csv one.csv a.ppm g.pgm meadow.png
check_status "seven jobs" 0 "$XCODEC" sweep "$@" --jobs 7 --csv seven.csv --json seven.json a.ppm g.pgm meadow.png
check "jobs change no number and no order" test "$(untimed one.csv)" = "$(untimed seven.csv)"
check "that times were taken with several at once is said" grep -q '^Times were taken with 7' stdout
check_json "and written" seven.json 'j["jobs"] == 7'
check_status "all threads" 0 "$XCODEC" sweep "$@" --jobs 0 --csv zero.csv a.ppm g.pgm meadow.png
check "all threads: the same" test "$(untimed one.csv)" = "$(untimed zero.csv)"
check_status "a picture that cannot be read" 1 "$XCODEC" sweep "$@" --jobs 3 --csv bad.csv a.ppm configs g.pgm
check "a picture that cannot be read: no CSV" test ! -e bad.csv
check_equal "a picture that cannot be read: one line" 1 "$(wc -l <stderr | tr -d ' ')"

# -------------------------------------------------------------------- going on

cat >slow <<'END'
#!/bin/sh
echo >>count
[ "$(wc -l <count)" -lt 8 ] || [ -e go ] || { : >waiting; exec sleep 60; }
cp "$1" "$2"
END
chmod +x slow
set -- --config 'a: --effort 1' --config 's: cmd: ./slow {in} {out} ; cp {in} {out}' -q 10:90:20
for signal in INT KILL; do
	if [ -z "$tap_python" ]; then
		skip "SIG$signal" "no python3"
		break
	fi
	rm -f count go waiting
	# A job in the background ignores SIGINT, unless something else starts it.
	(exec "$tap_python" -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$XCODEC" sweep "$@" --csv $signal.csv a.ppm g.pgm) >stdout 2>stderr &
	pid=$!
	tries=0
	while [ ! -e waiting ] && [ $((tries += 1)) -le 300 ] && kill -0 $pid 2>/dev/null; do
		sleep 0.2
	done
	kill -$signal $pid
	wait $pid 2>/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -z "$(ls -A tmpdir)" ] || sleep 0.3
	done
	nothing_left "SIG$signal"
	check "SIG$signal: the journal has what was measured" test "$(grep -c . $signal.csv.journal)" = 17
	check "SIG$signal: no CSV" test ! -e $signal.csv
	# What is cut off or damaged does not count.
	cut=$(($(wc -c <$signal.csv.journal) - 5))
	dd if=$signal.csv.journal of=journal bs=$cut count=1 2>/dev/null
	sed '2s/ a.ppm / b.ppm /' journal >$signal.csv.journal
	cp $signal.csv.journal kept
	: >go
	: >count
	check_status "SIG$signal, resumed" 0 "$XCODEC" sweep "$@" --resume --csv $signal.csv a.ppm g.pgm
	check_equal "SIG$signal, resumed: what was done is not done again" 4 "$(wc -l <count | tr -d ' ')"
	check "SIG$signal, resumed: the journal is gone" test ! -e $signal.csv.journal
	cp $signal.csv first.csv
	check_status "SIG$signal: run through" 0 "$XCODEC" sweep "$@" -f --csv $signal.csv a.ppm g.pgm
	check "SIG$signal, resumed: the same CSV" test "$(untimed first.csv)" = "$(untimed $signal.csv)"
	cp kept $signal.csv.journal
	: >count
	check_status "SIG$signal: begun anew" 0 "$XCODEC" sweep "$@" -f --csv $signal.csv a.ppm g.pgm
	check "SIG$signal: begun anew: says so" grep -q "journal: warning: an interrupted sweep begins anew" stderr
	check_equal "SIG$signal: begun anew: all is done" 10 "$(wc -l <count | tr -d ' ')"
done

# Another picture of that name: nothing that was kept fits.
[ ! -e kept ] || cp kept x.csv.journal
"$XCODEC" encode -q 5 a.ppm b.xc && "$XCODEC" decode -f b.xc a.ppm
: >count
check_status "another picture" 0 "$XCODEC" sweep "$@" --resume --csv x.csv a.ppm
check_equal "another picture: is measured" 5 "$(wc -l <count | tr -d ' ')"

rm -f x.csv.journal
mkfifo x.csv.journal
check_status "a pipe for a journal" 1 timeout 10 "$XCODEC" sweep "$@" --resume -f --csv x.csv a.ppm
check "is told" grep -q 'x.csv.journal: cannot open: it is no regular file' stderr

# ------------------------------------------------------------------------ files

check_status "the report" 0 "$XCODEC" sweep -q 20,80 --config 'a: -e 2' --config \
	'b: --transform dct' --html r.html a.ppm g.pgm
check "the report is one" grep -q '<html' r.html
check_status "curves as files" 2 "$XCODEC" sweep --svg drawn a.ppm
check "curves as files: --html has them" grep -q -e '--html draws the curves' stderr
check_status "once more" 1 "$XCODEC" sweep -q 20,80 --html r.html a.ppm
check "once more: refused" grep -q 'exists already' stderr

check_status "curves on request" 0 env LC_ALL=C "$XCODEC" sweep -q 20:80:20 --config 'a: xcodec:' --config 'b: -e 2' --curves ssim_y a.ppm
check "curves on request: of ASCII" awk '/^SSIM, luma \(dB\)/ { drawn = 1 } /[^ -~]/ { exit 1 } END { exit !drawn }' stdout
check "curves on request: with their names" grep -q '^ *b  b$' stdout
check_status "no curves but on a terminal" 0 "$XCODEC" sweep -q 20:80:20 a.ppm
check "no curves but on a terminal: none" awk '/ over bits a pixel/ { exit 1 }' stdout

done_testing
