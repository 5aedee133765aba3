#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What compare measures against others: PSNR against ImageMagick's, SSIM against scikit-image's, MS-SSIM
# against metrics.py, which follows the authors' program, SSIMULACRA2 against libjxl's ssimulacra2.  On samples/, and on parts of the Kodak pictures
# where they are.

. "${srcdir:-.}/tests/support/tap.sh"

for python in python3 /usr/bin/python3; do
	"$python" -c 'import skimage.metrics, scipy.ndimage' 2>/dev/null && break
	python=
done
magick=$(command -v compare)
"$magick" -version 2>/dev/null | grep -q ImageMagick || magick=
seen=$(command -v ssimulacra2)
[ -n "$python$magick$seen" ] || skip_all "neither ImageMagick nor scikit-image nor ssimulacra2"

cd "$tmp" || exit 99
pairs=0

# value KEY: of the JSON in `compared`.
value() { sed -n 's/^ *"'"$1"'": *\([0-9.e-]*\),*$/\1/p' compared; }

# agrees NAME OURS THEIRS TOLERANCE
agrees() {
	if awk "BEGIN { d = $2 - $3; exit !(d <= $4 && -d <= $4) }"; then
		ok "$1: $2, $3"
	else
		not_ok "$1" "ours: $2" "theirs: $3"
	fi
}

# compare_with NAME A B: two PNM files, of which A stays as it is.  Python starts once for all of them, at the end.
compare_with() {
	pairs=$((pairs + 1))
	"$XCODEC" compare --json "$2" "$3" >compared
	if [ -n "$magick" ]; then
		# ImageMagick's exit status is 1 for pictures that differ.
		theirs=$("$magick" -metric PSNR "$2" "$3" null: 2>&1)
		agrees "$1: PSNR as ImageMagick's" "$(value psnr_rgb)" "${theirs%% *}" 0.001
	fi
	if [ -n "$seen" ]; then
		agrees "$1: SSIMULACRA2 as libjxl's" "$(value ssimulacra2)" "$("$seen" "$2" "$3")" 0.000002
	fi
	mv "$3" "coded-$pairs.pnm"
	echo "$2 coded-$pairs.pnm" >>pairs
	echo "$(value ssim_y) $(value ms_ssim_y) $1" >>ours
}

# What was compared, against the Python program.
compare_similarity() {
	[ -n "$python" ] || return 0
	xargs "$python" "$SRCDIR/tests/command/metrics.py" <pairs >theirs || not_ok "metrics.py"
	while read -r ssim multi name && read -r their_ssim their_multi <&3; do
		agrees "$name: SSIM as scikit-image's" "$ssim" "$their_ssim" 0.0000005
		[ "$their_multi" = none ] ||
			agrees "$name: MS-SSIM as the authors'" "$multi" "$their_multi" 0.0000005
	done <ours 3<theirs
	check "all $pairs pairs" test "$(wc -l <theirs)" -eq "$pairs"
}

# coded NAME PICTURE OPTION...: a picture against what it becomes.
coded() {
	name=$1
	picture=$2
	shift 2
	"$XCODEC" encode -f "$@" "$picture" coded.xc
	case $picture in
	*.pgm) back=back.pgm ;;
	*) back=back.ppm ;;
	esac
	"$XCODEC" decode -f coded.xc $back
	compare_with "$name, $*" "$picture" $back
}

# as_ppm PNG PPM [OPTION...]: a picture to begin with, nearly that of the PNG.  PPM is what everyone reads.
as_ppm() {
	from=$1
	to=$2
	shift 2
	"$XCODEC" encode -f -q 100 -s 444 "$from" whole.xc && "$XCODEC" decode -f "$@" whole.xc "$to"
}

as_ppm "$SRCDIR/samples/meadow.png" meadow.ppm || skip_all "cannot read a PNG"
as_ppm "$SRCDIR/samples/meadow.png" odd.ppm --region 333x241+10+20
"$XCODEC" encode -f -q 100 -s grey "$SRCDIR/samples/meadow.png" whole.xc
"$XCODEC" decode -f whole.xc grey.pgm
coded meadow meadow.ppm -q 20
coded meadow meadow.ppm -q 75
coded meadow meadow.ppm -q 97 -s 444
coded meadow meadow.ppm --preset jpeg -q 5
coded "odd size" odd.ppm -q 50
coded grey grey.pgm -q 60
as_ppm "$SRCDIR/samples/meadow.png" small.ppm --region 40x23+300+200
coded "small" small.ppm -q 60
if [ -n "$python" ]; then
	"$python" "$SRCDIR/tests/command/metrics.py" --deepen odd.ppm >deep.ppm
	coded "16 bits" deep.ppm -q 70
	coded "16 bits" deep.ppm -q 99 -s 444
fi

kodak=$SHARED/data/kodak
if [ -n "$SHARED" ] && [ -d "$kodak" ]; then
	for file in "$kodak"/*.png; do
		name=$(basename "$file" .png)
		as_ppm "$file" "$name.ppm" --region 384x256+64+128
		coded "$name" "$name.ppm" -q 50
	done
else
	skip "the Kodak pictures" "no folder with them"
fi

compare_similarity
done_testing
