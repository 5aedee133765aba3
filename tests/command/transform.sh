#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# xcodec transform, generate and bench transforms, end to end.
# shellcheck disable=SC2016 # what stands in single quotes is for sh -c

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99

# The largest difference of the numbers of two data files, as a fraction of the
# largest number; "headers" when these differ.
difference() {
	paste "$1" "$2" | awk '
		/^!/ { if ($1 != $2) headers = 1; next }
		{
			half = NF / 2
			for (i = 1; i <= half; i++) {
				d = $i - $(i + half)
				if (d < 0) d = -d
				m = $i < 0 ? -$i : $i
				if (d > worst) worst = d
				if (m > most) most = m
			}
		}
		END { if (headers) print "headers"; else printf "%g\n", most ? worst / most : worst }'
}

# close_to NAME LIMIT FILE FILE
close_to() {
	found=$(difference "$3" "$4")
	if [ "$found" != headers ] && awk "BEGIN { exit !($found <= $2) }"; then
		ok "$1"
	else
		not_ok "$1" "difference: $found, limit: $2"
	fi
}

check "list" sh -c '"$XCODEC" transform --list >list'
has() {
	grep -q "^$1 " list
}
check "list with sources" sh -c \
	'"$XCODEC" transform --list --verbose >long && grep -q "scaling: " long'

# ------------------------------------------------------------ data files

check "generate" "$XCODEC" generate --size 40x24 --sets 3 --precision 64 --seed 7 in.txt
check_equal "generate: headers" "!dct:24:40:64 !dct:24:40:64 !dct:24:40:64" \
	"$(grep '^!' in.txt | tr '\n' ' ' | sed 's/ $//')"
check_equal "generate: numbers" 2880 "$(grep -v '^!' in.txt | wc -w | tr -d ' ')"
"$XCODEC" generate --size 40x24 --sets 3 --precision 64 --seed 7 again.txt
check "generate: the same again" cmp in.txt again.txt
"$XCODEC" generate --size 40x24 --sets 3 --precision 64 --seed 8 other.txt
check_status "generate: another seed, other numbers" 1 cmp in.txt other.txt

check "generate: the words of 2006" "$XCODEC" generate words.txt 40x24 64 3 dct --seed 7
check "generate: the words of 2006: the same" cmp in.txt words.txt
check_status "generate: words that are none" 2 "$XCODEC" generate new.txt 40x24 64 3 dst
check_status "generate: some words" 2 "$XCODEC" generate new.txt 40x24

# A file as the 2006 program wrote them: every set goes there and back.
cat >hand.txt <<'END'
!dct:2:3:32
1.5 -2 3e1
4 5.25 .5
!lot:1:1:128
7
END
check "an old file forward" "$XCODEC" transform cpu-dmm hand.txt bands.txt forward
check "an old file inverse" "$XCODEC" transform cpu-dmm bands.txt back.txt inverse
check_equal "an old file: sizes" "!dct:2:3:32 !dct:1:1:128" \
	"$(grep '^!' back.txt | tr '\n' ' ' | sed 's/ $//')"
grep -v '^!' hand.txt >a
grep -v '^!' back.txt >b
close_to "an old file: there and back" 1e-6 a b

# DC of an orthonormal transform of ones is the square root of their number.
check "constant" "$XCODEC" generate --size 8 --pattern constant --high 1 ones.txt
for name in cpu-dmm cpu-aan cpu-naive; do
	"$XCODEC" transform $name ones.txt dc.txt forward --force >/dev/null
	check_equal "$name: DC of ones" 8 "$(sed -n 2p dc.txt | awk '{ printf "%.4g", $1 }')"
done

# Every whole-frame algorithm finds the same.
"$XCODEC" transform cpu-dmm in.txt wanted.txt forward >times.txt
check_equal "a line of times for each set" 3 "$(grep -c 'wall [0-9.]* s, cpu [0-9.]* s (user [0-9.]* s, system [0-9.]* s), plan [0-9.]* s$' times.txt)"
for name in cpu-fft-4n cpu-fft-2n-mirrored cpu-fft-2n-padded cpu-fft-n cpu-fft2d cpu-fft3d \
	cpu-fftw-frame; do
	if ! has $name; then
		skip "$name" "built without FFTW"
		continue
	fi
	"$XCODEC" transform $name in.txt found.txt forward --force --threads 2 >/dev/null
	close_to "$name is cpu-dmm" 1e-14 wanted.txt found.txt
	"$XCODEC" transform $name found.txt back.txt inverse --force --threads 1 >/dev/null
	close_to "$name: there and back" 1e-14 in.txt back.txt
done

check "precision" "$XCODEC" transform cpu-dmm in.txt short.txt forward --precision 32
check_equal "precision: header" "!dct:24:40:32" "$(sed -n 1p short.txt)"

# A lapped transform with stored edges grows, and comes back.
"$XCODEC" generate --size 32x16 --kind lot lot.txt
check "lapped forward" "$XCODEC" transform cpu-flot lot.txt bands.txt forward --force
check_equal "lapped: edges are stored" "!lot:24:40:32" "$(sed -n 1p bands.txt)"
check "lapped inverse" "$XCODEC" transform cpu-flot bands.txt back.txt inverse --force
close_to "lapped: there and back" 1e-5 lot.txt back.txt

"$XCODEC" generate --size 33x17 --precision 64 odd.txt
for name in cpu-aan cpu-tdlt cpu-flot; do
	"$XCODEC" transform $name odd.txt bands.txt forward --force >/dev/null
	[ $name = cpu-flot ] && whole=:32:48:64 || whole=:24:40:64
	check_equal "$name, an odd size: whole blocks, and the size" "$whole:17:33" "$(sed -n '1s/^!...//p' bands.txt)"
	"$XCODEC" transform $name bands.txt back.txt inverse --force >/dev/null
	sed '1s/^!lot/!dct/' back.txt >same.txt
	close_to "$name, an odd size: there and back" 1e-14 odd.txt same.txt
	# Files of 2006 did not say the size.
	[ $name = cpu-flot ] && continue
	sed '1s/:17:33$//' bands.txt >old.txt
	"$XCODEC" transform $name old.txt back.txt inverse --force >/dev/null
	check_equal "$name, an odd size back: whole blocks" ":24:40:64" \
		"$(sed -n '1s/^!...//p' back.txt)"
	awk 'NR == 1 { print "!dct:17:33:64" }
		NR > 1 && NR <= 18 { NF = 33; print }' back.txt >cut.txt
	close_to "$name, an odd size back: the array is its upper left" 1e-14 odd.txt cut.txt
done
printf '!dct:24:40:64:5:33\n' >other.txt
sed 1d old.txt >>other.txt
check_status "coefficients of another size" 1 "$XCODEC" transform cpu-tdlt other.txt new.txt inverse
"$XCODEC" transform cpu-dmm odd.txt bands.txt forward --force >/dev/null
check_equal "cpu-dmm keeps an odd size" "!dct:17:33:64" "$(sed -n 1p bands.txt)"

if has cpu-fft3d; then
	check "a volume" "$XCODEC" transform cpu-fft3d in.txt volume.txt forward --slices 6
	check "a volume back" "$XCODEC" transform cpu-fft3d volume.txt back.txt inverse --slices 6 --force
	close_to "a volume: there and back" 1e-14 in.txt back.txt
	check_status "a volume is no plane" 1 cmp -s volume.txt wanted.txt
fi

check "standard input and output" sh -c \
	'"$XCODEC" transform cpu-dmm - - forward <in.txt >piped.txt 2>times.txt'
check "standard output: the same" cmp wanted.txt piped.txt
check_equal "standard output: times on standard error" 3 "$(grep -c ' wall ' times.txt)"

# -------------------------------------------------------------- pictures

check "a picture" "$XCODEC" generate --size 40x48 --pattern cosine --high 250 p.pgm
check "PGM to PFM" "$XCODEC" transform cpu-aan p.pgm p.pfm forward
check "PFM to PGM" "$XCODEC" transform cpu-aan p.pfm q.pgm inverse
check "PGM: there and back" cmp p.pgm q.pgm
check "PGM to text" "$XCODEC" transform cpu-dmm p.pgm p.txt forward
check "text to PNG" "$XCODEC" transform cpu-dmm p.txt q.png inverse
check "PNG: the same picture" sh -c '"$XCODEC" compare p.pgm q.png | grep -q "^Identical *yes"'
printf 'P5 2 2 65535 \377\377\200\001\000\007\022\064' >deep.pgm
"$XCODEC" transform cpu-dmm deep.pgm deep.pfm forward --precision 64 >/dev/null
"$XCODEC" transform cpu-dmm deep.pgm deep.txt forward --precision 64 >/dev/null
"$XCODEC" transform cpu-dmm deep.txt deep.txt2 inverse >/dev/null
check_equal "16-bit samples: all their bits" "65535 32769 7 4660" \
	"$(sed 1d deep.txt2 | tr '\n' ' ' | awk '{ printf "%.6g %.6g %.6g %.6g", $1, $2, $3, $4 }')"
check_status "16-bit samples to 8 bits" 1 "$XCODEC" transform cpu-dmm deep.pfm deep8.pgm inverse
check "16-bit samples to 8 bits: says so" grep -q '^xcodec: deep8.pgm: 3 samples outside of 0 to 255, what 8 bits hold: --clip cuts them, --depth 16' stderr
check "16-bit samples to 8 bits: writes nothing" test ! -e deep8.pgm
check_status "--depth 16" 0 "$XCODEC" transform cpu-dmm deep.txt deep16.pgm inverse --depth 16
check "--depth 16: the same picture" sh -c '"$XCODEC" compare --quiet deep.pgm deep16.pgm | grep -q "^Identical *yes"'
check_status "--depth elsewhere" 2 "$XCODEC" transform threshold --depth 16 --keep 1 p.pgm new.png

# ---------------------------------------------------------------- arrays

"$XCODEC" generate --size 40x24 --seed 7 a.txt
check "generate an array" "$XCODEC" generate --size 40x24 --seed 7 a.npy
"$XCODEC" transform cpu-dmm a.txt bands.txt forward --force >/dev/null
check "NPY to text" "$XCODEC" transform cpu-dmm a.npy bands2.txt forward
check "NPY to text: the same coefficients" cmp bands.txt bands2.txt
for name in npy pfm tif nii raw; do
	check "text to $name" "$XCODEC" transform cpu-dmm a.txt bands.$name forward
	raw=
	[ $name = raw ] && raw="--raw f32,24x40"
	# shellcheck disable=SC2086 # two words
	check "$name back to text" "$XCODEC" transform cpu-dmm bands.$name back.txt inverse --force $raw
	close_to "$name: there and back" 1e-6 a.txt back.txt
done
check "$name from a pipe" sh -c 'cat a.npy | "$XCODEC" transform cpu-dmm - - forward 2>/dev/null | cmp bands.txt -'
"$XCODEC" generate --size 40x24 --seed 7 -p 64 wide.npy
"$XCODEC" transform cpu-dmm wide.npy wide.txt forward >/dev/null
check_equal "float64 stays so" "!dct:24:40:64" "$(sed -n 1p wide.txt)"
check "several arrays are one more dimension" "$XCODEC" transform cpu-dmm in.txt volume.npy forward
"$XCODEC" transform cpu-dmm volume.npy back.txt inverse --force >/dev/null
check_equal "several arrays are one more dimension: rows" "!dct:72:40:64" "$(sed -n 1p back.txt)"
check "colours" "$XCODEC" generate --size 6x5 --sets 3 c.pfm
check "colours are three arrays" "$XCODEC" transform cpu-dmm c.pfm c.txt forward
check_equal "colours are three arrays: sizes" 3 "$(grep -c '^!dct:5:6:32$' c.txt)"
check "PFM of colours again" "$XCODEC" transform cpu-dmm c.txt c2.pfm inverse
"$XCODEC" compare --json c.pfm c2.pfm >stdout
check_json "PFM of colours again: nearly the same" stdout 'j["shape"] == [5, 6, 3] and j["max_error"] < 1e-3'
"$tap_python" -c '
import struct
binary = bytearray(400)
struct.pack_into(">h", binary, 16, 4000)
struct.pack_into(">h", binary, 20, 40)
struct.pack_into(">h", binary, 24, 5)
numbers = [float(n) for n in open("a.txt").read().split()[1:]]
with open("section.sgy", "wb") as f:
    f.write(b"\x40" * 3200 + binary)
    for trace in range(24):
        head = bytearray(240)
        struct.pack_into(">h", head, 114, 40)
        f.write(head + struct.pack(">40f", *numbers[trace * 40 : trace * 40 + 40]))
'
check "SEG-Y to NPY" "$XCODEC" transform cpu-dmm section.sgy section.npy forward
check "SEG-Y to NPY: the same coefficients" cmp section.npy bands.npy
check_status "SEG-Y is not made of nothing" 1 "$XCODEC" transform cpu-dmm a.txt new.sgy forward
check "SEG-Y is not made of nothing: no file" test ! -e new.sgy

# ---------------------------------------------------------- thresholding

check "colour" "$XCODEC" generate --size 64 --sets 3 --pattern ramp rgb.ppm
check "keep everything" "$XCODEC" transform threshold --keep 1 rgb.ppm all.ppm
check "keep everything: nothing is lost" \
	sh -c '"$XCODEC" compare rgb.ppm all.ppm | grep -q "^Identical *yes"'
"$XCODEC" transform threshold --keep 0.01 --json p.pgm less.png >less.json
check_equal "keep a hundredth" 19 "$(sed -n 's/.*"kept": \([0-9]*\).*/\1/p' less.json)"
check_equal "its PSNR is that of compare" \
	"$("$XCODEC" compare --json p.pgm less.png | sed -n 's/.*"psnr_y": \([0-9.]*\).*/\1/p')" \
	"$(sed -n 's/.*"psnr_y": \([0-9.]*\).*/\1/p' less.json)"
epsilon=$(sed -n 's/.*"epsilon": \([0-9.e+-]*\).*/\1/p' less.json)
# a hair less than the rounded number, which may be above the coefficient
epsilon=$(awk "BEGIN { printf \"%.9g\", $epsilon * 0.9999 }")
check "epsilon" "$XCODEC" transform threshold --epsilon "$epsilon" p.pgm same.png
check "epsilon: the same picture" \
	sh -c '"$XCODEC" compare less.png same.png | grep -q "^Identical *yes"'
check_equal "keep nothing" 0 \
	"$("$XCODEC" transform threshold --keep 0 --json p.pgm none.png |
		sed -n 's/.*"kept": \([0-9]*\).*/\1/p')"
check "infinite PSNR has no unit" sh -c \
	'"$XCODEC" transform threshold --keep 1 -f rgb.ppm all.ppm | grep -q "^PSNR luma *inf$"'
check "another algorithm" "$XCODEC" transform threshold --keep 0.01 -a cpu-dmm -p 64 p.pgm dmm.png
check "another algorithm: the same picture" \
	sh -c '"$XCODEC" compare less.png dmm.png | grep -q "^Identical *yes"'

check_equal "the lowest corner: coefficients" 15 \
	"$("$XCODEC" transform threshold --corner 5x3 --json p.pgm corner.png | sed -n 's/.*"kept": \([0-9]*\).*/\1/p')"
check "a corner of everything" "$XCODEC" transform threshold --corner 4000 rgb.ppm corner.ppm
check "a corner of everything: nothing is lost" \
	sh -c '"$XCODEC" compare rgb.ppm corner.ppm | grep -q "^Identical *yes"'

# What is kept as a file, of grey and of colours: its picture is the one that is written at once, and so are
# its numbers. cpu-dmm, since FFTW may go other ways.
for picture in p.pgm rgb.ppm odd.pgm; do
	[ $picture = odd.pgm ] && "$XCODEC" generate --size 33x17 odd.pgm
	"$XCODEC" transform threshold --keep 0.1 -a cpu-dmm --json -f $picture direct.pnm >direct.json
	check "$picture: coefficients in a file" sh -c \
		'"$XCODEC" transform threshold --keep 0.1 -a cpu-dmm --json -f "$1" kept.xc >kept.json' sh $picture
	check "$picture: coefficients in a file: their picture" \
		"$XCODEC" transform threshold --read -a cpu-dmm -f kept.xc read.pnm
	check "$picture: coefficients in a file: the same picture" cmp direct.pnm read.pnm
	check_json "$picture: coefficients in a file: what is told" kept.json \
		'j["bytes"] == '"$(wc -c <kept.xc)"' and abs(j["bits_per_sample"] - 8 * j["bytes"] / j["coefficients"]) < 1e-9'
	check_equal "$picture: coefficients in a file: PSNR" \
		"$(grep psnr_rgb direct.json)" "$(grep psnr_rgb kept.json)"
done
"$XCODEC" transform threshold --keep 0.1 --max-error 2 -f p.pgm bound.xc >/dev/null
"$XCODEC" transform threshold --keep 0.1 -p 64 -f p.pgm exact.xc >/dev/null
check "coefficients with a bound: a smaller file" test "$(wc -c <bound.xc)" -lt "$(wc -c <exact.xc)"
"$XCODEC" decode bound.xc bound.npy
"$XCODEC" transform threshold --keep 0.1 -f p.pgm float.xc >/dev/null
"$XCODEC" compare --json float.xc bound.npy >stdout
check_json "coefficients with a bound: it holds" stdout 'j["max_error"] <= 2 and j["shape"] == [1, 48, 40]'
"$XCODEC" encode p.pgm picture.xc
"$XCODEC" encode bound.npy array.xc
for file in picture.xc array.xc p.pgm; do
	check_status "no coefficients: $file" 1 "$XCODEC" transform threshold --read $file new.png
	check_equal "no coefficients: $file: a line" 1 "$(wc -l <stderr | tr -d ' ')"
done
check_status "coefficients of a picture with alpha" 1 \
	"$XCODEC" transform threshold --keep 1 "$SRCDIR/samples/rgba.png" new.xc
check_status "a bound without a file" 2 "$XCODEC" transform threshold --keep 1 --max-error 1 p.pgm new.png
check "no coefficients: no files" sh -c '! ls new.*'
head -c 300 exact.xc >cut.xc
check_status "coefficients that are cut off" 1 "$XCODEC" transform threshold --read cut.xc new.png

# --------------------------------------------------------------- poisson

# A charge in the middle of a square: the potential falls to all sides alike, the forces point away.
"$XCODEC" generate --size 9 --pattern impulse --high 1 -p 64 charge.txt
check "poisson" "$XCODEC" transform poisson charge.txt field.txt
check_equal "poisson: three arrays" 3 "$(grep -c '^!dct:9:9:64$' field.txt)"
check "poisson: the field of a charge" awk '
	/^!/ { set++; row = 0; next }
	{ row++; for (i = 1; i <= 9; i++) v[set, row, i] = $i }
	function far(a, b) { return a - b > 1e-14 || b - a > 1e-14 }
	END {
		for (r = 1; r <= 9; r++)
			for (c = 1; c <= 9; c++)
				bad += far(v[1, r, c], v[1, 10 - r, c]) || far(v[1, r, c], v[1, c, r]) ||
					far(v[2, r, c], -v[2, r, 10 - c]) || far(v[2, r, c], v[3, c, r]) || v[1, r, c] > v[1, 5, 5]
		exit bad || v[2, 5, 6] <= 0 || v[2, 5, 4] >= 0 || v[3, 6, 5] <= 0
	}' field.txt
check "cells" "$XCODEC" generate --size 64x48 --pattern cells --high 1 cells.npy
check "cells: their potential" "$XCODEC" transform poisson cells.npy cells.txt
check "poisson in an array" "$XCODEC" transform poisson --json charge.txt field.npy
"$XCODEC" transform cpu-dmm field.npy back.txt forward --force >/dev/null
check_equal "poisson in an array: 3 x 9 x 9" "!dct:27:9:64" "$(sed -n 1p back.txt)"
check_status "poisson in a picture" 2 "$XCODEC" transform poisson charge.txt new.png
check_status "poisson without OUT" 2 "$XCODEC" transform poisson charge.txt
check_status "poisson's options elsewhere" 2 "$XCODEC" transform cpu-dmm --gpu charge.txt new.txt forward

# ------------------------------------------- kinds, bands, scalings, words

# The DCT-IV and the DST-I are their own inverses.
for kind in dct4 dst1; do
	for name in cpu-fft-lines cpu-fftw-frame cpu-definition-lines; do
		has $name || continue
		"$XCODEC" transform $name --kind $kind in.txt $kind.txt forward --force >/dev/null
		"$XCODEC" transform $name --kind $kind $kind.txt back.txt forward --force >/dev/null
		close_to "$name --kind $kind, twice" 1e-14 in.txt back.txt
	done
done
"$XCODEC" transform cpu-definition-lines --scaling jiang in.txt jiang.txt forward >/dev/null
"$XCODEC" transform cpu-definition-lines --scaling none in.txt unscaled.txt forward >/dev/null
awk '/^!/ { print; next } { for (i = 1; i <= NF; i++) printf "%.17g ", 4 * $i; print "" }' jiang.txt >four.txt
close_to "--scaling none is four times jiang" 1e-15 unscaled.txt four.txt
check "32 bands" "$XCODEC" transform cpu-lot2 --bands 32 odd.txt bands.txt forward --force
check_equal "32 bands: whole blocks" "!lot:32:64:64:17:33" "$(sed -n 1p bands.txt)"
check "32 bands back" "$XCODEC" transform cpu-lot2 --bands 32 bands.txt back.txt inverse --force
check "quantized" "$XCODEC" transform cpu-aan-quantized p.pgm levels.txt forward
check "quantized: whole numbers" sh -c '! sed 1d levels.txt | grep -q "[.e]"'
check "the words of 2006" sh -c '"$XCODEC" transform cpu-aan-openmp in.txt new.txt forward 2 | grep -q ", 2 threads: wall"'
rm -f new.txt
check_status "no number of threads" 2 "$XCODEC" transform cpu-aan-openmp in.txt new.txt forward two
check "operations" sh -c '"$XCODEC" transform --list -v | grep -A5 "^cpu-flot$" |
	grep -q "8x8: 384 additions, 160 multiplications, 384 multiply-adds; sum 1312"'
check_status "a yardstick transforms nothing" 2 "$XCODEC" transform copy in.txt new.txt forward
check "basis functions" "$XCODEC" generate --basis cpu-aan basis.pgm
check_equal "basis functions: 8 x 8 of 8 x 8, four pixels each" "263 263" "$(sed -n 2p basis.pgm)"
check "basis functions of a lapped transform" "$XCODEC" generate --basis cpu-tdlt --zoom 1 tdlt.pgm
check_equal "basis functions of a lapped transform: 24 x 24" "199 199" "$(sed -n 2p tdlt.pgm)"
check_status "basis functions of a large array" 2 "$XCODEC" generate --basis cpu-dmm --size 65 new.pgm

# ---------------------------------------------------------------- errors

# fails NAME STATUS WORDS COMMAND...: one line on standard error that has the
# words, and no output file named new.
fails() {
	name=$1
	words=$3
	status=$2
	shift 3
	check_status "$name" "$status" "$@"
	if [ "$(wc -l <stderr)" -eq 1 ] && grep -q -e "^xcodec: .*$words" stderr && [ ! -e new.txt ]; then
		ok "$name: message"
	else
		not_ok "$name: message" "$(cat stderr)"
		rm -f new.txt
	fi
}

printf '!dct:2:2:32\n1 2\n3 x\n' >bad.txt
printf '!dct:9999999:9999999:32\n1 2\n3 4\n' >huge.txt
fails "unknown algorithm" 2 "no algorithm 'cpu-none'" \
	"$XCODEC" transform cpu-none in.txt new.txt forward
fails "neither forward nor inverse" 2 "'sideways'" \
	"$XCODEC" transform cpu-dmm in.txt new.txt sideways
fails "too few arguments" 2 "wants ALGORITHM" "$XCODEC" transform cpu-dmm in.txt new.txt
fails "a bad number" 1 "bad.txt: line 3: 'x'" "$XCODEC" transform cpu-dmm bad.txt new.txt forward
fails "a set larger than its file" 1 "line 1: the file is too short" \
	"$XCODEC" transform cpu-dmm huge.txt new.txt forward
fails "no such file" 1 "none.txt: " "$XCODEC" transform cpu-dmm none.txt new.txt forward
fails "no data file" 1 "neither a data file" "$XCODEC" transform cpu-dmm list new.txt forward
fails "wrong precision" 1 "does not work with 16 bits" \
	"$XCODEC" transform cpu-dmm in.txt new.txt forward --precision 16
"$XCODEC" transform --json cpu-dmm in.txt json.txt forward >times.json
check_json "the times as JSON" times.json \
	'len(j) == 3 and j[0]["algorithm"] == "cpu-dmm" and j[0]["width"] == 40 and j[0]["wall_s"] >= 0'
fails "rows of no slices" 1 "24 rows are not those of 5 slices" \
	"$XCODEC" transform cpu-dmm in.txt new.txt forward --slices 5
fails "slices of a plane's transform" 1 "does not take 40 x 24 in 2 slices" \
	"$XCODEC" transform cpu-dmm in.txt new.txt forward --slices 2
fails "coefficients in a picture" 2 "coefficients go to" \
	"$XCODEC" transform cpu-dmm in.txt new.pgm forward
fails "no overwriting" 1 "exists already" "$XCODEC" transform cpu-dmm in.txt wanted.txt forward
fails "threshold without a threshold" 2 "either --epsilon or --keep" \
	"$XCODEC" transform threshold p.pgm new.png
fails "threshold's options elsewhere" 2 "are for threshold" \
	"$XCODEC" transform cpu-dmm in.txt new.txt forward --keep 1
fails "threshold to no picture" 2 "the name must end in" \
	"$XCODEC" transform threshold --keep 1 p.pgm new.txt
for picture in new.jpg new.gif new.xc; do
	fails "generate $picture" 2 "is named as a picture of a kind" "$XCODEC" generate $picture
	fails "transform to $picture" 2 "is named as a picture of a kind" \
		"$XCODEC" transform cpu-naive in.txt $picture inverse
done
fails "a bad size" 2 "is not a size" "$XCODEC" generate --size 0 new.txt
fails "more than 16 bits" 1 "do not fit in 16 bits" "$XCODEC" generate -p 16 --high 40000 new.txt
fails "more than a float" 1 "do not fit in 32 bits" "$XCODEC" generate --high 1e39 new.txt
fails "too wide a range" 2 "are too far apart" \
	"$XCODEC" generate -p 64 --low -1e308 --high 1e308 new.txt

# ------------------------------------------------- memory, threads, XC_CPU

# Files of 4 to 16 KiB, of which arrays of 64 x 64 numbers are made: 16 KiB each, or 32.  The file, and
# the picture in it, are held until they are made.
"$XCODEC" generate --size 64 --pattern constant --high 1 m.txt
"$XCODEC" generate --size 64 m.pfm
"$XCODEC" generate --size 64 m.pgm
fails "memory of a text file" 1 "line 1: 64 x 64 numbers do not fit into" \
	"$XCODEC" transform cpu-dmm -p 64 --max-memory 20K m.txt new.txt forward
for file in m.txt m.pfm m.pgm; do
	fails "memory of what $file becomes" 1 \
		"$file: 64 x 64 numbers need more than the memory limit of 26624 bytes" \
		"$XCODEC" transform cpu-dmm --max-memory 26K $file new.txt forward
	check "$file in enough memory" \
		"$XCODEC" transform cpu-dmm --max-memory 68K $file enough.txt forward --force
done
for file in m.pfm m.pgm; do
	fails "memory of $file itself" 1 "$file: 64 x 64 numbers need more" \
		"$XCODEC" transform cpu-dmm -p 64 --max-memory 20K $file new.txt forward
done
# an array of 1 MiB, and another one to transform to
"$XCODEC" generate --size 512 t.pgm
check "threshold in enough memory" \
	"$XCODEC" transform threshold --keep 1 --max-memory 5M t.pgm enough.pgm
fails "memory of threshold" 1 "512 x 512 numbers need more than the memory limit" \
	"$XCODEC" transform threshold --keep 1 --max-memory 1900K t.pgm new.txt.pgm

fails "transform: no such level" 1 "XC_CPU: no SIMD level is called 'none'" \
	env XC_CPU=none "$XCODEC" transform cpu-dmm m.txt new.txt forward
fails "bench transforms: no such level" 1 "XC_CPU: no SIMD level is called 'none'" \
	env XC_CPU=none "$XCODEC" bench transforms --sizes 8 -n 1 -a cpu-dmm
fails "bench codec: no such level" 1 "XC_CPU: no SIMD level is called 'none'" \
	env XC_CPU=none "$XCODEC" bench codec --size 64x64 -n 1 m.pgm

# Those that the process may use, not all that there are.
if ! command -v taskset >/dev/null 2>&1; then
	skip "threads: one processor allowed" "no taskset"
elif one=$(taskset -cp $$ | sed 's/.*[: ]\([0-9][0-9]*\).*/\1/') && [ -z "${XC_EMULATOR-}" ] &&
	taskset -c "$one" true 2>/dev/null; then
	check "threads: one processor allowed" sh -c \
		'taskset -c "$1" "$XCODEC" transform cpu-dmm m.txt - forward 2>&1 >/dev/null |
		grep -q ", 1 thread: "' sh "$one"
else
	skip "threads: one processor allowed" "taskset cannot"
fi

# Stacks of 8 MiB for a thousand threads do not fit into the addresses that are left.
few_threads() {
	(
		# shellcheck disable=SC3045 # without these limits the cases are skipped
		ulimit -s 8192 && ulimit -v 2000000 || exit 1
		"$XCODEC" "$@"
	)
}
if [ -n "${XC_EMULATOR-}" ] || grep -q __asan_init "$XCODEC" || ! few_threads --version >/dev/null 2>&1; then
	skip "threads that cannot be started" "memory cannot be limited"
else
	fails "threads that cannot be started" 1 "cannot start 1000 threads: Resource temporarily" \
		few_threads transform --threads 1000 cpu-flot-openmp m.txt new.txt forward
	fails "threads that cannot be started: threshold" 1 "cannot start 1000 threads: Resource" \
		few_threads transform threshold --threads 1000 --keep 1 m.pgm new.txt.pgm
	fails "threads that cannot be started: bench" 1 "cannot start 1000 threads: Resource" \
		few_threads bench transforms --threads 1000 --sizes 16 -n 1 -a cpu-fft2d
fi

# ----------------------------------------------------------------- bench

check "bench" sh -c \
	'"$XCODEC" bench transforms --sizes 16,24x8 --algorithms cpu-aan,cpu-dmm --runs 2 >bench.txt'
check_equal "bench: both sizes" 2 "$(grep -c '^algorithm ' bench.txt)"
# Two algorithms, FFTW's two where it is built in, two directions, two sizes.
lines=8
has cpu-fftw-frame && lines=16
check_equal "bench: every case" $lines "$(grep -c '^cpu-.* [0-9.]*e-[0-9]*$' bench.txt)"
check "bench: errors are small" sh -c \
	'awk "/^cpu-/ { if (\$NF > 2e-6) exit 1 }" bench.txt'
check "bench: JSON" sh -c \
	'"$XCODEC" bench transforms --sizes 16 -a cpu-dmm -p 64 -n 1 --json >bench.json'
check_equal "bench: JSON has the precision" 64 \
	"$(sed -n 's/.*"cpu-dmm".*"forward".*"bits": \([0-9]*\).*/\1/p' bench.json)"
check "bench: threads" sh -c \
	'"$XCODEC" bench transforms --sizes 64 -a cpu-aan-openmp,cpu-dmm -n 2 -t 1,2 >threads.txt'
check_equal "bench: threads side by side" 2 "$(grep -c '^cpu-dmm  *[fi].*[0-9]  *[0-9.]*  *[0-9.]*  *[0-9.]*$' threads.txt)"
if has cpu-fft2d; then
	check "bench: lines" sh -c \
		'"$XCODEC" bench transforms --table lines --sizes 64 -n 1 | grep -q "^64 *inverse"'
	check "bench: fusion" sh -c \
		'"$XCODEC" bench transforms --table fusion --sizes 32x48 -n 1 | grep -q "^32 x 48 *inverse"'
fi
check "bench: poisson" sh -c '"$XCODEC" bench transforms --table poisson --sizes 24x16 -n 2 --json >poisson.json'
check_json "bench: poisson: times" poisson.json \
	'[c["wall_median"] > 0 and c["plan"] > 0 for c in j["results"] if c["algorithm"] == "poisson"] == [True]'
if has cpu-fft3d; then
	check "bench: a volume" sh -c \
		'"$XCODEC" bench transforms --sizes 8x6x4 -a cpu-fft3d -n 1 >bench.txt &&
		grep -q "^8 x 6 x 4," bench.txt && grep -q "^cpu-fft3d *inverse" bench.txt'
else
	skip "bench: a volume" "no FFTW"
fi
check_status "bench: a size of four sides" 2 "$XCODEC" bench transforms --sizes 2x3x4x5
check_status "bench: a volume beyond all bounds" 2 \
	"$XCODEC" bench transforms --sizes 4194304x4194304x4194304
check_status "bench: no such benchmark" 2 "$XCODEC" bench none
check_status "bench: no such algorithm" 2 "$XCODEC" bench transforms -a cpu-none
check_status "bench: no such size" 2 "$XCODEC" bench transforms --sizes 8x

done_testing
