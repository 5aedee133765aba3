#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Arrays of numbers by the command: bounds, which Python checks with the numbers of the files; formats, regions,
# pipes, batches, broken files, and what is refused.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
[ -n "$tap_python" ] || skip_all "no python3"

# make.py: f.f32, 10 x 24 x 30 with NaN and an infinity, and the same numbers as f64, i16 and u8 without these.
# bound.py: a line for each line KIND BOUND TYPE A B of standard input whose raw values do not keep to it.
cat >make.py <<'END'
import array, math, struct
n = range(10 * 24 * 30)
v = [900 * math.sin(i / 97) * math.cos(i % 30 / 7) + (i * 7919 % 101) / 50 for i in n]
for name, code, to in ("f64", "d", float), ("i16", "h", round), ("u8", "B", lambda x: round(x) & 255):
    array.array(code, map(to, v)).tofile(open("f." + name, "wb"))
v[100] = v[5000] = math.nan
v[7] = math.inf
array.array("f", v).tofile(open("f.f32", "wb"))
def npy(name, descr, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    head += " " * (117 - len(head)) + "\n"
    open(name, "wb").write(b"\x93NUMPY\x01\0" + len(head).to_bytes(2, "little") + head.encode() + data)
npy("f.npy", "<f4", (10, 24, 30), open("f.f32", "rb").read())
npy("i.npy", "<i2", (240, 30), open("f.i16", "rb").read())
# A field of 180 x 360 with a patch of -9999, and with NaN there.
for name, fill in ("fill", -9999), ("nan", math.nan):
    v = [fill if 60 <= y < 100 and 100 <= x < 180 else 15 + 20 * math.cos(y / 57) + 3 * math.sin(x / 20)
         for y in range(180) for x in range(360)]
    npy(name + ".npy", "<f4", (180, 360), array.array("f", v).tobytes())
# int16, 5 x 6 x 7, that mean .5 * value - 1000; z is 3 mm apart, x runs backwards; forms 1 by a quaternion.
head = bytearray(352)
struct.pack_into("<i", head, 0, 348)
struct.pack_into("<8h", head, 40, 3, 7, 6, 5, 1, 1, 1, 1)
struct.pack_into("<2h", head, 70, 4, 16)
struct.pack_into("<8f", head, 76, 1, 2, 2, 3, 1, 1, 1, 1)
struct.pack_into("<3f", head, 108, 352, .5, -1000)
struct.pack_into("<2h6f", head, 252, 1, 1, 0, 0, 1, 90, -126, -72)  # half a turn about z
struct.pack_into("<12f", head, 280, -2, 0, 0, 90, 0, -2, 0, -126, 0, 0, 3, -72)
head[344:347] = b"n+1"
open("s.nii", "wb").write(head + array.array("h", range(210)).tobytes())
# IEEE floats: 12 traces of 50 samples.
trace = lambda i: bytes(115) + b"\x32" + bytes(72) + bytes([0, 0, 0, i]) * 2 + bytes(44)
samples = array.array("f", (x if math.isfinite(x) else 0 for x in v[:600]))
samples.byteswap()
traces = [trace(i) + samples[50 * i:50 * i + 50].tobytes() for i in range(12)]
open("l.sgy", "wb").write(b"C" * 3200 + bytes(21) + b"\x32" + bytes(3) + b"\x05" + bytes(374) + b"".join(traces))
open("l.su", "wb").write(b"".join(traces))
END
cat >bound.py <<'END'
import array, math, sys
def load(name, code):
    v = array.array({"f32": "f", "f64": "d", "i16": "h", "u8": "B"}[code])
    v.frombytes(open(name, "rb").read())
    return v
def check(kind, bound, code, a, b):
    a, b = load(a, code), load(b, code)
    finite = [x for x in a if math.isfinite(x)]
    low, high = min(finite), max(finite)
    squares = energy = 0
    assert len(a) == len(b)
    for x, y in zip(a, b):
        if not math.isfinite(x):
            assert x == y or math.isnan(x) and math.isnan(y), (x, y)
            continue
        e = {"absolute": bound, "relative": bound * (high - low), "pointwise": bound * abs(x)}.get(kind, math.inf)
        assert abs(x - y) <= e, (x, y, e)
        squares += (x - y) ** 2
        energy += x * x
    # Integers may have no step between this and none.
    assert kind != "psnr" or squares < (high - low) ** 2 * len(finite) / 10 ** (bound / 10), squares
    assert kind != "snr" or squares < energy / 10 ** (bound / 10), squares
for line in sys.stdin:
    try:
        kind, bound, *rest = line.split()
        check(kind, float(bound), *rest)
    except Exception as e:
        print(line.strip(), repr(e))
END
"$tap_python" make.py || exit 99

# one_line NAME TEXT: standard error has one line, in which this is.
one_line() {
	check_equal "$1: one line" 1 "$(grep -c . stderr)"
	check "$1: that says why" grep -qF -e "$2" stderr
}

# refused NAME STATUS TEXT ARGUMENT...: no file comes.
refused() {
	what=$1 status=$2 text=$3
	shift 3
	rm -f o.*
	check_status "$what" "$status" "$XCODEC" "$@"
	one_line "$what" "$text"
	check_equal "$what: no file" "" "$(find . -name 'o.*' -o -name '.o.*' -o -name '..o.*')"
}

# ------------------------------------------------------------------------ bounds

kept=1
for type in f32 f64 i16 u8; do
	for bound in "max-error 2" "relative-error 1e-3" "pointwise-error 0.01" "target-psnr 50" "target-snr 40"; do
		"$XCODEC" encode -f -e 0 --raw $type,10x24x30 "--${bound% *}" "${bound#* }" f.$type o.xc &&
			"$XCODEC" decode -f o.xc o.$type
		echo "$(echo "$bound" | sed 's/max-error/absolute/; s/-error//; s/target-//') $type f.$type $kept.$type" >>bounds
		mv o.$type $kept.$type && kept=$((kept + 1))
	done
	"$XCODEC" encode -f --raw $type,10x24x30 f.$type o.xc && "$XCODEC" decode -f o.xc o.$type
	check "$type: without a bound nothing is lost" cmp f.$type o.$type
done
check_equal "20 bounds" 20 "$(grep -c . bounds)"
check_equal "hold" "" "$("$tap_python" bound.py <bounds)"
check_status "the bound is said" 0 "$XCODEC" encode -vf f.npy o.xc
check "to be none" grep -q 'bound: lossless' stderr
"$XCODEC" encode -f --relative-error 1e-2 f.npy a.xc || exit 99
# Redirected, a file can be sought in.
# shellcheck disable=SC2002
cat f.npy | "$XCODEC" encode --relative-error 1e-2 - - >o.xc
check "a pipe gives the same file" cmp a.xc o.xc
# A pipe has no size.
# shellcheck disable=SC2016
check_status "one that cannot be sought in" 0 sh -c 'cat f.npy | cat | "$0" encode -f --relative-error 1e-2 - o.xc' "$XCODEC"
check "too" cmp a.xc o.xc
"$XCODEC" encode -f f.npy p.xc
# shellcheck disable=SC2016
sh -c 'cat f.npy | "$0" encode -f - o.xc' "$XCODEC"
check "and without loss" cmp p.xc o.xc
{ cat f.npy && echo more; } >more.npy
# shellcheck disable=SC2016
sh -c 'cat more.npy | "$0" encode -f - o.xc && "$0" decode o.xc o.npy' "$XCODEC"
check "what follows comes back" cmp more.npy o.npy
"$XCODEC" encode -f -t 3 --relative-error 1e-2 --raw f32,10x24x30 f.f32 o.xc && "$XCODEC" decode -f o.xc o.npy &&
	"$XCODEC" decode -f a.xc a.npy
check "raw values, three threads: the same numbers" cmp a.npy o.npy
check_status "--chunk" 0 "$XCODEC" encode -f --chunk 4x8x30 --fill 900 -e 0 --max-error 0.01 f.npy o.xc
check_status "--chunk of a long row" 0 "$XCODEC" encode -f --chunk 5000 --raw f32,1x7200 f.f32 t.xc
"$XCODEC" info --json t.xc >stdout
check_json "is kept" stdout 'j["chunk"] == [1, 1, 5000]'
for transform in dct lot tdlt; do
	check_status "--transform $transform" 0 "$XCODEC" encode -f --transform $transform --max-error 2 --raw f64,10x24x30 f.f64 t.xc
	"$XCODEC" decode -f t.xc t.f64 && "$XCODEC" info --json t.xc >stdout
	check_json "is told" stdout "j['coding'] == '$transform' and j['max_error'] == 2"
	check_equal "$transform: the bound holds" "" "$(echo "absolute 2 f64 f.f64 t.f64" | "$tap_python" bound.py)"
done
check_status "no transform by the value" 0 "$XCODEC" encode -f --transform dct --pointwise-error 0.01 f.npy t.xc
one_line "is said" "predicted, not transformed"
"$XCODEC" info t.xc >stdout
check "and by info" grep -q '^Coding *transform dct, corrections; 1 of 1 chunk predicted$' stdout
check_status "--quiet" 0 "$XCODEC" encode -f --quiet --transform dct --pointwise-error 0.01 f.npy t.xc
check_equal "says nothing" "" "$(cat stderr)"
check_status "info" 0 "$XCODEC" info --json o.xc
check "its profile" grep -q '"profile": "full"' stdout
check_json "tells them" stdout '(j["type"] == "float32" and j["shape"] == [10, 24, 30] and j["chunk"] == [4, 8, 30] and
	j["segments"]["count"] == 9 and j["bound_kind"] == "absolute" and j["bound"] == j["max_error"] == 0.01 and
	j["attached_bytes"] == 0 and j["ratio"] > 1)'
# shellcheck disable=SC2016
check_status "info as text, of a pipe" 0 sh -c 'cat a.xc | "$0" info -' "$XCODEC"
check "says the bound as it was asked for" grep -q '^Bound *relative 0.01, no value is off by more than 1[78]\.' stdout

# --------------------------------------------------------------- a value for none

for bound in "target-psnr 60" "target-snr 50" "relative-error 1e-4"; do
	name=${bound% *}
	"$XCODEC" encode -f --fill -9999 "--$name" "${bound#* }" fill.npy o.xc
	"$XCODEC" encode -f "--$name" "${bound#* }" nan.npy n.xc
	check_status "--$name: compare --fill" 0 "$XCODEC" compare --json --fill -9999 fill.npy o.xc
	"$XCODEC" compare --json nan.npy n.xc >other
	check_equal "--$name: the figures are those with NaN" "$(grep -v file_ other)" "$(grep -v file_ stdout)"
	check_json "--$name: and what was asked for" stdout '(round(j["high"]) == 38 and
		j["psnr"] > 57 and j["snr"] > 50 and j["max_error"] < 0.2)'
	"$XCODEC" info --json o.xc >stdout
	check_json "--$name: info says it" stdout 'j["bound_kind"].lower() == "'"$(echo "$name" | sed 's/target-//; s/-error//')"'"'
done
"$XCODEC" compare --json fill.npy o.xc >stdout
check_json "compare without --fill counts it" stdout 'j["low"] == -9999'
"$XCODEC" compare --json --fill -9999 fill.npy nan.npy >stdout
check_json "a fill value that is gone is an infinite error" stdout '([j[k] for k in ("max_error", "max_relative_error", "rmse", "psnr", "snr", "correlation")]
	== ["inf", "inf", "inf", "-inf", "-inf", None] and j["different"] == 3200)'
"$XCODEC" compare --fill -9999 fill.npy nan.npy >stdout
check "and no PSNR" grep -q '^PSNR by the range *-inf$' stdout
printf 'P5 4 2 255\n12345678' >p.pgm
refused "compare --fill of pictures" 1 "--fill is for arrays" compare --fill 1 p.pgm p.pgm

# ----------------------------------------------------------------------- formats

for suffix in npy nii tif f32; do
	check_status "decode to $suffix" 0 "$XCODEC" decode -f a.xc o.$suffix
	[ $suffix = f32 ] && break
	[ $suffix = tif ] && ! grep -q '^#define XC_HAVE_LIBTIFF 1' "$BUILDDIR/config.h" && continue
	"$XCODEC" compare o.$suffix a.xc >stdout
	check "$suffix has these numbers" grep -q '^Identical *yes$' stdout
	"$XCODEC" encode -f o.$suffix b.xc && "$XCODEC" decode -f b.xc b.$suffix
	check "$suffix comes back byte for byte" cmp o.$suffix b.$suffix
done
# shellcheck disable=SC2016
check_status "decode to a pipe" 0 sh -c '"$0" decode --format npy - - <a.xc >o.npy' "$XCODEC"
check "the same numbers" cmp a.npy o.npy
"$XCODEC" decode -f --region 3 a.xc o.pfm
"$XCODEC" decode -f --region 3 a.xc o.npy
"$XCODEC" compare --json o.pfm o.npy >stdout
check_json "a slice as PFM" stdout 'j["identical"] and j["shape"] == [24, 30]'
# Debian's packages are for its own Python.
for numpy in "$tap_python" /usr/bin/python3; do
	"$numpy" -c 'import numpy' 2>/dev/null && break
	numpy=
done
if [ -n "$numpy" ]; then
	for region in 3:9,:,5 7 :,2:3 0:1,0:1,29 -1 :-1,-30:5 0:1000,-3: ... ...,5 2,... -2:,...,1:-1 1,...,2; do
		"$XCODEC" decode -f --region $region a.xc o.npy
		check "numpy: region $region" "$numpy" -c "import numpy as n
a, b = n.load('a.npy')[$region], n.load('o.npy')
assert a.shape == b.shape and n.array_equal(a, b, equal_nan=True), (a.shape, b.shape)"
	done
	"$XCODEC" decode -f --scale 1/4 --region 1:9,2: a.xc o.npy
	check "numpy: region and scale" "$numpy" -c "import numpy as n
assert n.array_equal(n.load('a.npy')[1:9, 2:][::4, ::4, ::4], n.load('o.npy'), equal_nan=True)"
	"$numpy" -c "import numpy as n; n.save('b.npy', n.asfortranarray(n.load('i.npy').reshape(2, 120, 30)))"
	"$XCODEC" encode -f --max-error 3 b.npy b.xc && "$XCODEC" decode -f b.xc o.npy
	check "numpy: Fortran's order" "$numpy" -c "import numpy as n
a, b = n.load('b.npy'), n.load('o.npy')
assert b.flags.f_contiguous and a.shape == b.shape and abs(a.astype(int) - b).max() <= 3"
	"$XCODEC" encode -f b.npy b.xc && "$XCODEC" decode -f b.xc o.npy
	check "comes back without loss" cmp b.npy o.npy
	"$XCODEC" info --json b.xc >stdout
	check_json "its shape is numpy's" stdout "j['shape'] == [2, 120, 30]"
	"$XCODEC" decode -f --region 1,3:7 b.xc o.npy
	check "and its regions" "$numpy" -c "import numpy as n
assert n.array_equal(n.load('b.npy')[1, 3:7], n.load('o.npy'))"
	refused "too little memory to turn it" 1 "--max-memory" encode --max-memory 4K b.npy o.xc
else
	skip "numpy reads what is decoded" "no numpy"
fi

check_status "a bound of a NIfTI with a slope" 0 "$XCODEC" encode -f --max-error 2 s.nii o.xc
one_line "is one of stored values" "those that the file means may be off by 1, as its slope is 0.5"
"$XCODEC" encode -f s.nii s.xc
check_status "as another format" 0 "$XCODEC" decode -f s.xc o.npy
one_line "it has no slope" "those of the NIfTI file are 0.5 times them plus -1000"
"$XCODEC" decode -f --region 3:5,2 --scale 1/2 s.xc o.nii && "$XCODEC" decode -f --region 3:5 s.xc o.raw 2>stderr
check_equal "a part of a NIfTI has its slope, and its origin and spacing" \
	"4x1x1 4.0x4.0x6.0 0.5 -1000.0 90.0 -130.0 -63.0 -4.0 -4.0 6.0 90.0 -130.0 -63.0 140 142 144 146" \
	"$("$tap_python" - <<'END'
import struct
data = open("o.nii", "rb").read()
get = lambda form, at: struct.unpack_from("<" + form, data, at)
x, y, z = get("3h", 42)
srow = get("12f", 280)
print("%dx%dx%d" % (x, y, z), "%sx%sx%s" % get("3f", 80), *get("2f", 112), *get("3f", 268), srow[0], srow[5], srow[10],
      *srow[3::4], *get("4h", 352))
END
)"

# ------------------------------------------------------- without a name that tells

"$XCODEC" encode -f l.sgy x.xc && "$XCODEC" encode -f l.su y.xc && "$XCODEC" encode -f s.nii z.xc
gzip -c s.nii >packed
printf 'P5 4 2 255\n12345678' >p.pgm
# shellcheck disable=SC2016
piped='file=$1; shift; cat "$file" | "$0" encode -f "$@" - o.xc'
check_status "SEG-Y from a pipe" 0 sh -c "$piped" "$XCODEC" l.sgy --format sgy
check "is as from its file" cmp x.xc o.xc
check_status "SU from a pipe" 0 sh -c "$piped" "$XCODEC" l.su --format su
check "is as from its file" cmp y.xc o.xc
check_status "NIfTI in gzip from a pipe" 0 sh -c "$piped" "$XCODEC" packed
check "is as from its file" cmp z.xc o.xc
check_status "or of another name" 0 "$XCODEC" encode -f packed o.xc
refused "another array" 1 "is a NPY file, not SEG-Y" encode --format sgy f.npy o.xc
refused "a picture" 1 "is a PGM file, not TIFF" encode --format tif p.pgm o.xc
refused "an XC file" 1 "is a XC file, not NPY" encode --format npy a.xc o.xc

# ------------------------------------------------------------------------ XC files

# What a file says of its values is known of its XC file, too: the slope, and what a TIFF has for no data.
"$XCODEC" encode -f f.npy x.xc
"$XCODEC" encode -f --relative-error 1e-2 x.xc o.xc
check "an array of an XC file is encoded as its file is" cmp a.xc o.xc
check_status "once more" 0 "$XCODEC" encode -f --max-error 20 a.xc o.xc
one_line "errors add up" "has a bound already: errors add up"
"$XCODEC" compare -j f.npy o.xc >stdout
check_json "to the sum" stdout '18.5 < j["max_error"] < 38.5'
"$XCODEC" encode -f l.sgy x.xc && "$XCODEC" encode -f --target-snr 30 l.sgy y.xc
check_status "headers of SEG-Y" 0 "$XCODEC" encode -f --target-snr 30 x.xc o.xc
check "go along" cmp y.xc o.xc
check_status "the slope of a NIfTI" 0 "$XCODEC" encode -f --max-error 2 s.xc o.xc
one_line "is known" "may be off by 1, as its slope is 0.5"
check_status "an option of pictures" 1 "$XCODEC" encode -f -q 50 a.xc o.xc
one_line "is told" "--quality is for pictures, and this is an array"
refused "too little memory" 1 "--max-memory" encode --max-memory 8K a.xc o.xc

# ------------------------------------------------------------------- comparisons

"$XCODEC" encode -f --max-error 2 i.npy b.xc
check_status "compare" 0 "$XCODEC" compare --json i.npy b.xc
check_json "says how far they are apart" stdout '(j["max_error"] == 2 and not j["identical"] and 0 < j["different"] < j["values"]
	and j["rmse"] < 2 and j["psnr"] > 50 and j["correlation"] > 0.99 and j["max_relative_error"] == "inf")'
"$tap_python" - <<'END' >wanted
import array, math
a = array.array("h", open("f.i16", "rb").read())
print(max(a) - min(a))
END
check_equal "and the range" "$(cat wanted)" "$(sed -n 's/.*"\(low\|high\)": \(.*\),/\2/p' stdout | tr '\n' ' ' |
	awk '{ print $2 - $1 }')"
check_status "several pairs" 0 "$XCODEC" compare i.npy b.xc a.npy a.xc
check_equal "have a line each" "b.xc a.xc" "$(awk 'NR > 1 { printf "%s%s", s, $NF; s = " " }' stdout)"
refused "shapes that differ" 1 "has int16, 240 x 30, but f.npy has float32, 10 x 24 x 30" compare f.npy i.npy
refused "types that differ" 1 "has float64" compare --raw f64,10x24x30 f.npy f.f64

# ----------------------------------------------------------------------- batches

mkdir -p in/sub out back
cp f.npy i.npy p.pgm in && cp f.npy in/sub/g.npy
check_status "a folder of pictures and arrays" 0 "$XCODEC" encode --replace-suffix -r -q 90 --relative-error 1e-2 -o out in
check_equal "each is encoded" "out/f.xc out/i.xc out/p.xc out/sub/g.xc" "$(find out -name '*.xc' | sort | tr '\n' ' ' | sed 's/ $//')"
check "as alone" cmp a.xc out/f.xc
check_status "and back" 0 "$XCODEC" decode -r --resume -o back out
check_equal "under names of their own" "back/f.npy back/i.npy back/p.p back/sub/g.npy" \
	"$(find back -name '*.[np]*' ! -name '*.[0-9]' | sort | tr '\n' ' ' | sed 's/ $//; s/p.p[a-z]*/p.p/')"
check "is the same" cmp a.npy back/f.npy
check_status "again" 0 "$XCODEC" decode -r --resume -o back out
check "all was finished" grep -q '(4 files finished before)' stderr
check_status "plain operands" 0 "$XCODEC" decode -f -o back out/f.xc out/p.xc
rm -rf own && mkdir own own/in own/out own/back
"$XCODEC" decode a.xc own/in/n.nii && "$XCODEC" decode --region 3 a.xc own/in/p.pfm && cp l.sgy l.su f.npy own/in
gzip -c own/in/n.nii >own/in/z.nii.gz && cp own/in/n.nii z.nii
mv own/in/l.su own/in/u.su
check_status "files of many formats" 0 "$XCODEC" encode --arrays -o own/out own/in/*
check_status "and back" 0 "$XCODEC" decode -o own/back own/out/*
check_equal "are of the formats that they came from" "f.npy l.sgy n.nii p.pfm u.su z.nii" "$(cd own/back && echo *)"
for f in f.npy l.sgy n.nii p.pfm u.su; do
	check "$f is the same" cmp own/in/$f own/back/$f
done
check "and so is what gzip packed" cmp z.nii own/back/z.nii
check_status "regions of them" 0 "$XCODEC" decode -f --region 1:2 -o own/back own/out/*
check_equal "are NPY, where a format has none" "f.npy l.npy l.sgy n.nii p.npy p.pfm u.npy u.su z.nii" "$(cd own/back && echo *)"
check_status "--format" 0 "$XCODEC" decode -f --format raw -o own/back own/out/l.xc
check "chooses" test -s own/back/l.raw
check_status "one format for all" 1 "$XCODEC" decode -f --format npy -o back out/f.xc out/p.xc
check "is none of a picture" grep -q "out/p.xc: holds a picture, and 'npy' is an array" stderr
check_status "a format of pictures" 1 "$XCODEC" decode -f --format ppm -o back out/f.xc
check "is none of an array" grep -q 'out/f.xc: holds an array' stderr
rm -rf out && mkdir out
check_status "no option for arrays" 0 "$XCODEC" encode --replace-suffix -r -o out in
check_equal "passes over them" out/p.xc "$(find out -name '*.xc')"
check_status "--arrays, --resume" 0 "$XCODEC" encode --replace-suffix -r -f --arrays --resume -o out in
check_status "again" 0 "$XCODEC" encode --replace-suffix -r --arrays --resume -o out in
check "all was finished" grep -q '(4 files finished before)' stderr
if ! "$XCODEC" --version | grep -q 'no tar' && command -v tar >/dev/null; then
	tar cf in.tar -C in f.npy p.pgm
	check_status "a shard" 0 "$XCODEC" encode --arrays in.tar o.tar
	check_equal "has both" "f.xc p.xc" "$(tar tf o.tar | tr '\n' ' ' | sed 's/ $//')"
	gzip -c o.tar >o.tgz
	for shard in o.tar o.tgz; do
		check_status "and back from $shard" 0 "$XCODEC" decode -f $shard back.tar
		check_equal "$shard: both are there" "f.npy p.p" "$(tar tf back.tar | tr '\n' ' ' | sed 's/ $//; s/p.p[a-z]*/p.p/')"
		tar xf back.tar f.npy
		check "$shard: nothing is lost" cmp f.npy in/f.npy
	done
fi

# ----------------------------------------------------------------------- refusals

"$tap_python" - <<'END'
for name in "f2", "b1", "i8":
    head = "{'descr': '|%s', 'fortran_order': False, 'shape': (1,), }" % name
    open(name + ".npy", "wb").write(b"\x93NUMPY\x01\0" + bytes([len(head), 0]) + head.encode() + bytes(8))
END
refused "float16" 1 "a.astype('f4') of numpy makes them so" encode f2.npy o.xc
refused "truth values" 1 "a.view('u1') of numpy makes them so" encode b1.npy o.xc
refused "integers of 64 bits" 1 "a.astype('i4') or 'f8' of numpy makes them so" encode i8.npy o.xc
"$XCODEC" encode -f p.pgm p.xc
refused "two bounds" 2 "--relative-error and --max-error exclude each other" \
	encode --max-error 1 --relative-error 1 f.npy o.xc
refused "other two" 2 "--target-snr and --relative-error exclude each other" \
	encode --relative-error 1 --target-snr 30 f.npy o.xc
refused "an array's name for an XC file" 2 "'o.npy' is an array by its name, but encode writes XC" encode f.npy o.npy
refused "no number" 2 "'1e-3x' is not a number" encode --relative-error 1e-3x f.npy o.xc
refused "no chunk" 2 "is not up to three sizes" encode --chunk 8x65537 f.npy o.xc
refused "a transform of pictures without loss" 1 "without loss pictures have no --transform" \
	encode --max-error 1 --transform dct p.pgm o.xc
refused "quality" 1 "--quality is for pictures, and this is an array" encode -q 50 f.npy o.xc
refused "a bound of pictures" 1 "--relative-error is for arrays, and this is a picture" \
	encode --relative-error 1e-3 p.pgm o.xc
refused "steps of pictures" 1 "--max-error 0.5 is for arrays" encode --max-error 0.5 p.pgm o.xc
refused "raw values without --raw" 1 "not a picture that can be read" encode f.f64 o.xc
refused "too few raw values" 1 "shorter than its shape" encode --raw f32,10x24x31 f.f32 o.xc
refused "an array as a picture" 1 "holds an array: name OUT .npy" decode a.xc o.ppm
refused "a picture as an array" 1 "holds a picture" decode p.xc o.npy
refused "a region of pictures" 2 "is no region of an array" decode --region 4x4+0+0 a.xc o.npy
for region in 1,2,3,4 "0," ::2 1-2 - .. 1,...,...,2 ...3 1,2,...,3,4 1:2:; do
	refused "region $region" 1 "is no region of an array of float32, 10 x 24 x 30" decode --region "$region" a.xc o.npy
done
refused "fill without keep-going" 2 "--fill goes with --keep-going" decode --fill 1 a.xc o.npy
for region in 10 5:5 -11 12: 5:2 :-10 ...,30; do
	refused "region $region" 1 "has no values in an array of float32, 10 x 24 x 30" decode --region "$region" a.xc o.npy
done
refused "SEG-Y of nothing" 1 "needs the headers" decode a.xc o.sgy
refused "an array and a picture" 1 "no array" compare a.xc p.pgm
size=$(wc -c <a.xc)
for at in 9 30 100 $((size / 2)) $((size - 1)); do
	head -c $at a.xc >cut.xc
	refused "cut at byte $at" 1 cut.xc decode cut.xc o.npy
done
for at in 20 200 $((size / 2)) $((size - 40)); do
	{ head -c $at a.xc && printf '\252\125' && tail -c +$((at + 3)) a.xc; } >cut.xc
	refused "damaged at byte $at" 1 cut.xc decode cut.xc o.npy
done

# ----------------------------------------------------------------------- salvage

"$XCODEC" encode -f --max-error 0.5 --chunk 5x12x30 f.npy d.xc && "$XCODEC" decode -f d.xc d.f32 || exit 99
"$XCODEC" info --json --segments --bits d.xc >stdout
check_json "four chunks" stdout '(len(j["segments"]["list"]) == j["segments"]["count"] == 4 and j["damaged_segments"] == 0 and j["kind"] == "array" and
	j["segments"]["list"][2]["first"] == [5, 0, 0] and j["segments"]["list"][2]["size"] == [5, 12, 30] and sum(j["bits"].values()) == 8 * j["bytes"])'
at=$(sed -n 's/.*"offset": \([0-9]*\),.*"first": \[5, 0, 0\].*/\1/p' stdout)
{ head -c $((at + 9)) d.xc && printf '\252\125' && tail -c +$((at + 12)) d.xc; } >bad.xc
check_status "info of a damaged chunk" 0 "$XCODEC" info --segments bad.xc
check "says that there is one" grep -q '^Chunks .*, 1 DAMAGED$' stdout
check_equal "and which" "2" "$(awk '/^[0-9].*DAMAGED$/ { print $1 }' stdout)"
check_status "info --bits" 1 "$XCODEC" info --bits bad.xc
one_line "fails" "a segment is damaged"
check "after all else" grep -q '^Bits *cannot be decoded: a segment is damaged' stdout
check_status "decode -k" 3 "$XCODEC" decode -kf bad.xc o.f32
one_line "counts it" "1 of 4 chunks damaged and left nan: a segment is damaged"
check_status "decode -k --fill" 3 "$XCODEC" decode -kf --fill -7 --json bad.xc p.f32
check_json "tells it" stdout 'j["damaged_segments"] == 1'
check_equal "the others are as they were" "" "$("$tap_python" - <<'END'
import array, math
def load(name):
    v = array.array("f")
    v.frombytes(open(name, "rb").read())
    return v
for i, (d, o, p) in enumerate(zip(load("d.f32"), load("o.f32"), load("p.f32"))):
    if i // 720 >= 5 and i // 30 % 24 < 12:
        assert math.isnan(o) and p == -7, i
    else:
        assert d == o == p or math.isnan(d) and math.isnan(o) and math.isnan(p), i
END
)"
check_status "a region beside it" 0 "$XCODEC" decode -kf --region 0:5 bad.xc o.npy
head -c $((at + 9)) d.xc >bad.xc
check_status "decode -k of a file that is cut off" 3 "$XCODEC" decode -kf bad.xc o.npy
one_line "counts what is lost" "2 of 4 chunks damaged"

{ printf '\134\1\0\0' && head -c 340 /dev/zero && printf 'ni1\0'; } >pair.hdr
refused "a NIfTI of two files" 1 "is one of a pair (.hdr and .img)" encode pair.hdr o.xc
head -c 5000 f.npy >cut.npy
refused "a file that is cut off" 1 "shorter than its shape" encode cut.npy o.xc
check_status "a fill value that the type has not" 0 "$XCODEC" encode -f --fill 300 --raw u8,10x24x30 f.u8 o.xc
one_line "is told" "--fill 300 is no uint8"
refused "more values than are wanted" 1 "has 7200 values, more than 7199 (see --max-pixels)" encode --max-pixels 7199 f.npy o.xc
refused "a range of pictures" 1 "--range is for pictures, and this is an array" encode --range auto f.npy o.xc
refused "no format" 2 "or of an array npy, pfm" decode a.xc o.csv
refused "an array where pictures are" 1 "f.npy: holds an array, not a picture" sweep f.npy
# Volumes of a list share chunks and models.
awk 'BEGIN { for (i = 0; i < 128000; i++) printf "%c", 40 + i % 8 * 3 + i % 13 }' >many.raw
for shape in 2000x8x8 2000x1x8x8 1000x2x8x8 4x500x8x8; do
	"$XCODEC" encode -f --lossless --raw u8,$shape many.raw $shape.xc && "$XCODEC" decode -f $shape.xc back.raw
	check "$shape comes back" cmp many.raw back.raw
	check_status "$shape is good" 0 "$XCODEC" verify $shape.xc
	check "in few bytes" test "$(stat -c %s $shape.xc)" -lt 64000
done
"$XCODEC" decode -f --region 3:900,1:2,2:5,: 1000x2x8x8.xc part.raw
check_equal "a region of many volumes" "$(awk 'BEGIN {
	for (v = 3; v < 900; v++) for (y = 2; y < 5; y++) for (x = 0; x < 8; x++) {
		i = ((v * 2 + 1) * 8 + y) * 8 + x; printf "%c", 40 + i % 8 * 3 + i % 13
	} }' | cksum)" "$(cksum <part.raw)"
# shellcheck disable=SC2002
cat cut.npy | "$XCODEC" encode - o.xc 2>stderr
one_line "a pipe that is cut off" "ends too early"
check "leaves no file" test ! -e o.xc

done_testing
