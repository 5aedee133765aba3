#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Limits on memory.  With --max-memory 64M a command holds at most 8 MB more, as xcodec(1) says, whatever it reads, or refuses.
# Small files that claim much make nobody hold more than 512 MB, or compute for more than 20 s, without
# being asked.

. "${srcdir:-.}/tests/support/tap.sh"

can_measure_memory
[ -n "$tap_python" ] || skip_all "no python3"

cd "$tmp" || exit 99
mkdir out
"$tile" -s 4096x3072 big.ppm "$SRCDIR/samples/meadow.png" || exit 99
"$tile" -s 2048x1536 mid.ppm "$SRCDIR/samples/meadow.png" || exit 99
"$XCODEC" encode big.ppm big.xc && "$XCODEC" encode --preset jpeg mid.ppm mid.xc || exit 99
for suffix in png bmp jpg; do
	"$XCODEC" decode big.xc big.$suffix 2>/dev/null
	"$XCODEC" decode mid.xc mid.$suffix 2>/dev/null
done

# within KIB NAME COMMAND...: the command ends by itself, with success or with a message about a limit,
# within so many KiB and 20 s of processor time.
within() {
	limit=$1
	name=$2
	shift 2
	"$peak" "$@" >/dev/null 2>err
	status=$?
	kib=$(sed -n 's/^peak \([0-9]*\) KiB.*/\1/p' err)
	seconds=$(sed -n 's/^peak .* cpu \([0-9]*\)\..*/\1/p' err)
	if [ $status -eq 1 ] && ! grep -q -e limit -e 'no .* file' err; then
		not_ok "$name" "$(cat err)"
	else
		check "$name: status $status, $kib KiB, $seconds s" test "${kib:-$limit}" -lt "$limit" -a \
			"${seconds:-20}" -lt 20 -a $status -lt 126
	fi
}

# ------------------------------------------------------------ --max-memory 64M

held() { within $((64 * 1024 + 8 * 1000 * 1000 / 1024)) "64M: $*" "$XCODEC" "$@" --max-memory 64M; }

# Every kind of file with what takes most; XC_FULL has all options with each.
options="-t1 -t16 -e3"
[ -z "${XC_LONG-}" ] || options="$options --tune=psnr --preset=jpeg -q95 --target-size=200K --target-ssim=0.9"
for in in big.ppm big.png big.bmp big.jpg mid.ppm mid.png mid.xc; do
	[ -e $in ] || continue
	[ -n "${XC_FULL-}" ] || [ $in = big.ppm ] || options=-t16
	for option in $options; do
		held encode -f "$option" $in out/o.xc
	done
done
for in in big.xc mid.xc; do
	for out in o.ppm o.png o.jpg; do
		[ -e "mid.${out#o.}" ] || continue
		held decode -f $in out/$out
		held decode -f -t 16 $in out/$out
	done
	held decode -f --scale 1/2 $in out/o.ppm
	held info --bits --segments $in
done
held encode -f --target-size 300K mid.ppm out/o.xc
[ -z "${XC_FULL-}" ] || held compare mid.ppm mid.xc # which the next but one holds, too
held compare big.ppm big.xc
held compare -fm out/map.ppm mid.bmp mid.xc
held encode -f -t 4 -o out mid.ppm big.ppm
held decode -f -t 4 -o out mid.xc big.xc
held sweep -q 75 --jobs 2 mid.ppm
"$XCODEC" transform --help >/dev/null 2>&1 && {
	held transform cpu-dmm -f mid.ppm out/t.pfm forward
	held transform threshold --keep 0.1 -f mid.ppm out/t.ppm
}

# ------------------------------------------------- small files that claim much

# PNG files of one colour, an RLE BMP of jumps, an XC file that was cut off.
"$tap_python" - <<'END' || exit 99
import struct, zlib

def zeros(n):
    # The same bytes stand for each further megabyte; the sum is that of zeros.
    c = zlib.compressobj(9)
    first, again = (c.compress(bytes(1 << 20)) + c.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return (first + again * ((n >> 20) - 1) + c.compress(bytes(n % (1 << 20))) + c.flush()[:-4] +
            struct.pack(">I", n % 65521 << 16 | 1))

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

def png(name, size, bits, colour, interlace, before, raw):
    head = struct.pack(">IIBBBBB", size, size, bits, colour, 0, 0, interlace)
    with open(name, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + before + chunk(b"IDAT", raw) +
                chunk(b"IEND", b""))

palette = chunk(b"PLTE", bytes(6)) + chunk(b"tRNS", b"\0")
rows = zeros(23000 * 2876)
png("palette.png", 23000, 1, 3, 0, palette, rows)
png("interlaced.png", 23000, 1, 3, 1, palette, rows)
png("deep.png", 6000, 16, 6, 0, b"", zeros(6000 * 48001))
png("profile.png", 8, 8, 2, 0, chunk(b"iCCP", b"x\0\0" + zeros(50 << 20)), zlib.compress(bytes(200)))
data = b"\0\2\xff\xff" * 16000 + b"\0\1"
with open("jumps.bmp", "wb") as f:
    f.write(b"BM" + struct.pack("<IHHI", 62 + len(data), 0, 0, 62) +
            struct.pack("<IiiHHIIiiII", 40, 32000, 33000, 1, 8, 1, len(data), 0, 0, 2, 2) +
            bytes([0, 0, 0, 0, 255, 0, 0, 0]) + data)
END
{
	printf 'P5 10000 8000 255\n'
	head -c 80000000 /dev/zero
} | "$XCODEC" encode --lossy --max-expansion 1T --max-memory 1G - blank.xc || exit 99
head -c 65000 blank.xc >cut.xc

usual() { within $((512 * 1024)) "usual limits: $*" "$XCODEC" "$@"; }

for in in palette.png interlaced.png deep.png profile.png jumps.bmp; do
	if "$XCODEC" --version | grep -q 'no PNG' && [ $in != jumps.bmp ]; then
		continue
	fi
	usual encode -f $in out/o.xc
	usual compare $in $in
	within $((512 * 1024)) "a pipe: $in" sh -c "'$XCODEC' encode -f - out/o.xc <$in"
done
usual decode -fk cut.xc out/o.pgm
usual decode -fk cut.xc out/o.png
usual info --segments cut.xc
within $((512 * 1024)) "a pipe: cut.xc" sh -c "cat cut.xc | '$XCODEC' decode -fk - out/o.pgm"
check_status "what is refused may be asked for" 3 \
	"$XCODEC" decode -fk --max-expansion 1T cut.xc out/o.pgm
check_status "a blank page needs no asking" 0 "$XCODEC" decode -f blank.xc out/o.pgm
if ! "$XCODEC" --version | grep -q 'no PNG'; then
	check_status "a profile that inflates a thousandfold" 0 "$XCODEC" encode -f profile.png out/o.xc
	check "is left out" grep -q "warning: PNG colour profile .* left out" "$tmp/stderr"
	check_status "unless it is asked for" 0 \
		"$XCODEC" encode -f --max-expansion 32K profile.png out/o.xc
	check_equal "which says nothing" "" "$(cat "$tmp/stderr")"
fi

done_testing
