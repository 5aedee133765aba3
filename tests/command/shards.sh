#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Tar files of pictures: what becomes of their entries, that the bytes are the same in each run, and what tar
# files of strangers cannot do.

. "${srcdir:-.}/tests/support/tap.sh"

! "$XCODEC" --version | grep -q 'no tar' || {
	cd "$tmp" || exit 99
	: >in.tar
	check_status "a tar file, in a build without libarchive" 1 "$XCODEC" encode in.tar out.tar
	check "one line says so" grep -q 'this build' stderr
	done_testing
}
command -v tar >/dev/null || skip_all "no tar"
cd "$tmp" || exit 99

mkdir -p in/sub out back
for i in 1 2 3 4 5 6 7 8 9; do
	awk -v s=$i 'BEGIN {
		print "P3"; print 20 * s, 33; print 255
		for (i = 0; i < 20 * s * 33 * 3; i++)
			print (i * s) % 256
	}' >in/p$i.ppm
done
mv in/p3.ppm in/p7.ppm in/sub
echo cat >in/p1.cls
tar cf in.tar in/p9.ppm in/sub in/p1.ppm in/p1.cls in/p2.ppm in/p4.ppm in/p5.ppm in/p6.ppm in/p8.ppm || exit 99
wanted=$(tar tf in.tar | grep -v '/$' | sed 's/ppm$/xc/')

# ---------------------------------------------------------------------- what comes out

for threads in 1 2 5 16; do
	check_status "IN.tar OUT.tar, $threads threads" 0 "$XCODEC" encode -f -t $threads in.tar o.tar
	check_equal "one line for all" "9 pictures: 8 coded with loss, 1 coded without loss, $(cat in/*.ppm in/sub/*.ppm | wc -c | tr -d ' ') bytes in" \
		"$(cat stdout stderr | sed 's/, [0-9]* bytes out, [0-9.]* s$//')"
	check_equal "names with another suffix, in their order" "$wanted" "$(tar tf o.tar)"
	[ -e first.tar ] || cp o.tar first.tar
	check "the same bytes" cmp o.tar first.tar
done
mkdir x
(cd x && tar xf ../o.tar)
check "what is no picture is copied" cmp x/in/p1.cls in/p1.cls
different=
for file in p1 p2 sub/p3 p9; do
	"$XCODEC" encode -f in/$file.ppm one.xc && cmp -s one.xc x/in/$file.xc || different="$different $file"
done
check_equal "the bytes of single runs" "" "$different"
check_status "a folder of results" 0 "$XCODEC" encode -o out in.tar in/p1.ppm
check "NAME.tar" cmp out/in.tar o.tar
check "beside the others" test -s out/p1.xc
check_status "decode" 0 "$XCODEC" decode --format ppm -o back out/in.tar out/p1.xc
check_equal "names again" "$(echo "$wanted" | sed 's/xc$/ppm/')" "$(tar tf back/in.tar)"
check_status "a result that exists" 1 "$XCODEC" encode in.tar o.tar
check_status "the shard itself" 1 "$XCODEC" encode -f in.tar in.tar
mkdir tree
cp in.tar tree/s.tar
rm -rf out/*
check_status "-r finds shards" 0 "$XCODEC" encode --replace-suffix --tars -r -o out tree
check "among the files" cmp out/s.tar o.tar
if command -v gzip >/dev/null; then
	gzip -c in.tar >in.tar.gz
	rm out/*
	check_status "a compressed one" 0 "$XCODEC" encode -o out in.tar.gz
	check "gives the same" cmp out/in.tar o.tar
	check_status "two of one name" 1 "$XCODEC" encode -f -o out in.tar.gz in.tar
else
	skip "a compressed one" "no gzip"
fi
cp in/p1.ppm in/as.DIB
echo other | tee in/a.heic in/b.HEIC in/c.tif >in/notes.txt
tar cf kinds.tar -C in as.DIB a.heic b.HEIC c.tif notes.txt
check_status "pictures of other formats" 0 "$XCODEC" encode -f kinds.tar o.tar
check_equal "are copied and told" \
	"xcodec: encode: warning: 3 files of shards copied as they are, although named as pictures: 2 .heic, 1 .tif" "$(grep warning stderr)"
check_equal "others are not" "as.xc a.heic b.HEIC c.tif notes.txt" "$(tar tf o.tar | tr '\n' ' ' | sed 's/ $//')"
cp first.tar o.tar
check_status "OUT must be a tar file" 2 "$XCODEC" encode in.tar o.xc
check_status "that is not compressed" 2 "$XCODEC" encode in.tar o.tar.gz
check_status "IN must be one" 2 "$XCODEC" encode in/p1.ppm new.tar
"$XCODEC" encode -f --json in.tar o.tar >told
check_json "--json tells of each picture" told 'len(j) == 9 and "o.tar/in/sub/p7.xc" in [f["output"] for f in j]'
check_status "-v" 0 "$XCODEC" encode -f -v -t 1 --lossy in.tar o.tar
check_equal "three lines for each picture, and three for all" 30 "$(wc -l <stderr | tr -d ' ')"

# ------------------------------------------------------------------- cut off, damaged

check_cut() {
	head -c "$2" in.tar >cut.tar
	check_status "$1" 1 "$XCODEC" encode -f -t 3 cut.tar o.tar
	check "it is told" grep -q 'cut.tar: .*what came before is done' stderr
	check_equal "what was whole is done: $3" "$3" "$(tar tf o.tar | wc -l | tr -d ' ')"
}
whole=$(($(wc -c <in/p9.ppm) / 512 * 512 + 1024))
check_cut "cut off within an entry" $((whole + 2000)) 1
check_cut "cut off within a header" $((whole + 100)) 1
check_cut "cut off after an entry" $whole 1
head -c 300 in.tar >cut.tar
rm o.tar
check_status "cut off within the first header" 1 "$XCODEC" encode cut.tar o.tar
check "nothing is made of it" test ! -e o.tar
echo 'no tar file' >no.tar
: >empty.tar
rm -rf out/*
check_status "files that are none" 1 "$XCODEC" encode -o out no.tar empty.tar none.tar
check_equal "a line each, and one for all" 4 "$(wc -l <stderr | tr -d ' ')"
check_equal "nothing is made of them" "" "$(ls -A out)"
cp in/p1.ppm bad.ppm
printf 'P6 99999999 99999999 255\n' >huge.ppm
echo text >text.ppm
: >empty.ppm
tar cf some.tar bad.ppm huge.ppm text.ppm empty.ppm in/p2.ppm
check_status "pictures that fail" 1 "$XCODEC" encode -f some.tar o.tar
check_equal "a line each, and two for all" 5 "$(wc -l <stderr | tr -d ' ')"
check_equal "the others are done" "bad.xc in/p2.xc" "$(tar tf o.tar | tr '\n' ' ' | sed 's/ $//')"
check_status "--max-pixels holds" 1 "$XCODEC" encode -f --max-pixels 1000 in.tar o.tar
check_equal "for each picture" "in/p1.xc in/p1.cls" "$(tar tf o.tar | tr '\n' ' ' | sed 's/ $//')"
rm o.tar
check_status "a disk that is full" 1 sh -c "ulimit -f 4; '$XCODEC' encode in.tar o.tar"
check "no result" test ! -e o.tar

# ----------------------------------------------------------------- of strangers

if [ -n "$tap_python" ]; then
	"$tap_python" - <<'END' || exit 99
import io, tarfile
picture = open("in/p1.ppm", "rb").read()
t = tarfile.open("hostile.tar", "w", format=tarfile.PAX_FORMAT)
def add(name, data=picture, **fields):
    h = tarfile.TarInfo(name)
    h.size = len(data)
    for field, value in fields.items():
        setattr(h, field, value)
    t.addfile(h, io.BytesIO(data) if h.isreg() else None)
add("../up.ppm")
add("/tmp/xcodec-absolute.ppm")
add("a/../../up.ppm")
add("..")
add("link.ppm", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")
add("hard.ppm", b"", type=tarfile.LNKTYPE, linkname="../in/p1.ppm")
add("device.ppm", b"", type=tarfile.CHRTYPE)
add("pipe.ppm", b"", type=tarfile.FIFOTYPE)
add("good.ppm", mode=0o4777, uid=12, gname="wheel", mtime=1e9 + 0.5)
add("good.pgm")
add("a/..b/c..ppm")
add("\u00e9\u6f22.ppm")
add("x" * 300 + ".ppm")
add("\x1b[2J.ppm", b"no picture")
add("late.ppm", mtime=2**40)
add("early.ppm", mtime=-1)
t.close()
plain = tarfile.open("plain.tar", "w", format=tarfile.USTAR_FORMAT)
h = tarfile.TarInfo("a.ppm")
h.size = len(picture)
for i in range(2):
    plain.addfile(h, io.BytesIO(picture))
plain.close()
data = bytearray(open("plain.tar", "rb").read())
def claim(name, size):
    header = bytearray(data)
    header[124:136] = size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header[:512])
    open(name, "wb").write(header)
claim("claims8g.tar", b"77777777777\0")
claim("claims4e.tar", b"\x80\0\0\0" + (2**62).to_bytes(8, "big"))
claim("negative.tar", b"\xff" * 12)
END
	mkdir deep
	check_status "names, links and devices" 1 "$XCODEC" encode -t 3 hostile.tar deep/o.tar
	check_equal "a line each, and two for all" 12 "$(wc -l <stderr | tr -d ' ')"
	check "no control character is printed" sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' stderr"
	check_equal "nothing else was written" "o.tar" "$(ls -A deep)"
	check "nor upwards" test ! -e up.ppm -a ! -e up.xc -a ! -e /tmp/xcodec-absolute.xc
	check_equal "the rest is done" "good.xc a/..b/c..xc late.xc early.xc" \
		"$(tar tf deep/o.tar | grep '^[gale]' | tr '\n' ' ' | sed 's/ $//')"
	check_equal "and has long names and others" 6 "$(tar tf deep/o.tar | wc -l | tr -d ' ')"
	check "modes and owners are not kept" sh -c "tar tvf deep/o.tar | grep -q '^-rw-r--r-- 0/0 .* good.xc$'"
	for file in claims8g claims4e negative; do
		check_status "$file" 1 "$XCODEC" encode -f $file.tar deep/o.tar
		check "$file: its line" grep -q "$file" stderr
	done
	# The same bytes stand for each further megabyte.
	"$tap_python" -c 'import os, tarfile, zlib
h = tarfile.TarInfo("zeros.txt")
h.size = 1 << 33
c = zlib.compressobj(1, zlib.DEFLATED, 31)
first, again = (c.compress(part + bytes(1 << 20)) + c.flush(zlib.Z_FULL_FLUSH) for part in (h.tobuf(), b""))
with open("bomb.tar.gz", "wb") as f:
    f.write(first + again * (1 << 11 if not os.environ.get("XC_LONG") else 1 << 13))'
	check_status "a file that unpacks to a thousand times its size" 1 \
		"$XCODEC" encode -f --max-memory 100M --max-expansion 50 bomb.tar.gz deep/o.tar
	check "has its line" grep -q 'bomb.tar.gz: unpacks to far more than it has' stderr
else
	skip "tar files of strangers" "no python3"
fi
check_equal "no temporary file is left" "" "$(find . -name '.xcodec-*')"

# ------------------------------------------------------------------------------- links

mkdir links back
cp in/p1.ppm links/1.ppm
cp in/p1.ppm links/small.ppm
printf 'P5 1 1 255\nx' >links/tiny.pgm # whose result is larger
echo label >links/1.txt
ln links/1.ppm links/2.ppm
ln links/1.ppm links/copy
ln links/tiny.pgm links/tiny2.pgm
ln links/1.txt links/2.txt
tar cf links.tar links/1.ppm links/2.ppm links/copy links/tiny.pgm links/tiny2.pgm links/1.txt links/2.txt
check_status "hard links" 0 "$XCODEC" encode -t 3 --smaller links.tar linked.tar
check_equal "nothing is left out" "1.xc 2.xc copy.xc tiny.pgm tiny2.pgm 1.txt 2.txt" \
	"$(tar tf linked.tar | sed 's|links/||' | tr '\n' ' ' | sed 's/ $//')"
(cd back && tar xf ../linked.tar)
check "they are links" test back/links/1.xc -ef back/links/2.xc -a back/links/tiny.pgm -ef back/links/tiny2.pgm
check_status "and back" 0 "$XCODEC" decode --format ppm -o back linked.tar
check_equal "likewise" "1.ppm 2.ppm copy.ppm tiny.pgm tiny2.pgm 1.txt 2.txt" \
	"$(tar tf back/linked.tar | sed 's|links/||' | tr '\n' ' ' | sed 's/ $//')"
check_status "copies" 0 "$XCODEC" encode -f --copy-match '*' links.tar linked.tar
check_equal "have links too" "1.ppm 2.ppm" "$(tar tf linked.tar | sed -n 's|links/\([12].ppm\)|\1|p' | tr '\n' ' ' | sed 's/ $//')"
check_status "a link to what is left out" 1 "$XCODEC" encode -f --quiet --exclude 1.ppm links.tar linked.tar
check "is an error" grep -q 'links.tar/links/2.ppm: is a link to an entry that has no result' stderr
echo text >links/1.ppm
tar cf links.tar links/1.ppm links/2.ppm
check_status "a link to what fails" 1 "$XCODEC" encode -f --quiet links.tar linked.tar
check_equal "is one too" 2 "$(grep -c 'links.tar/links/[12].ppm' stderr)"
chmod 600 links/small.ppm
ln -s 1.ppm links/soft.ppm
tar cf links.tar links/small.ppm links/soft.ppm
check_status "a symbolic link" 1 "$XCODEC" encode -f --quiet --json links.tar linked.tar
check_json "is named" stdout '[f["input"] for f in j if "status" in f] == ["links.tar/links/soft.ppm"]'
check "is told" grep -q 'links.tar/links/soft.ppm: is a symbolic link, and left out (--exclude' stderr
check_status "unless it is excluded" 0 "$XCODEC" encode -f --exclude soft.ppm links.tar linked.tar
check "a private entry stays so" sh -c "tar tvf linked.tar | grep -q '^-rw------- 0/0 .* links/small.xc$'"
check_status "verify" 0 "$XCODEC" verify back/linked.tar

# --------------------------------------------------------------- damaged, compressed

mkdir small cut
"$XCODEC" encode in/p1.ppm small/a.xc && "$XCODEC" encode in/p2.ppm small/b.xc || exit 99
tar cf t.tar small
"$XCODEC" decode --format ppm t.tar good.tar || exit 99
# check_bytes PROGRAM SUFFIX: no byte can change and be taken for another picture.
check_bytes() {
	if ! command -v "$1" >/dev/null || [ -z "$tap_python" ]; then
		skip "damaged .tar.$2" "no $1 or python3"
		return
	fi
	rm -rf cut/* out/*
	"$1" -c <t.tar >"t.tar.$2"
	"$tap_python" -c 'import sys
data = open("t.tar." + sys.argv[1], "rb").read()
for i in list(range(0, len(data), 5)) + list(range(len(data) - 12, len(data))):
    for name, to in ("flip", data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1:]), ("cut", data[:i]):
        open("cut/%s%d.tar.%s" % (name, i, sys.argv[1]), "wb").write(to)' "$2"
	check_status "damaged .tar.$2" 1 "$XCODEC" decode --format ppm --tars -r -o out cut
	check_equal "each that is cut off is told" "$(find cut -name 'cut?*' | wc -l)" "$(grep -c '/cut[0-9]*[.].*: ' stderr)"
	check_equal "no sum is passed over" "" "$(find out -type f ! -exec cmp -s {} good.tar ';' -print)"
}
for kind in gzip:gz bzip2:bz2 xz:xz zstd:zst lz4:lz4; do
	check_bytes "${kind%:*}" "${kind#*:}"
done
if [ -f t.tar.gz ]; then
	head -c 5000 t.tar | gzip >two.tar.gz
	tail -c +5001 t.tar | gzip >>two.tar.gz
	head -c 1000 /dev/zero >>two.tar.gz
	check_status "members of gzip, and zeros" 0 "$XCODEC" decode -f --format ppm two.tar.gz o.tar
	check "are one file" cmp o.tar good.tar
fi

# ------------------------------------------------------- sparse files, few bytes of much

if [ -n "$tap_python" ]; then
	"$tap_python" - <<'END' || exit 99
import bz2, tarfile
def entry(name, size, kind=tarfile.REGTYPE, sparse=b""):
    h = tarfile.TarInfo(name)
    h.size, h.type = size, kind
    b = bytearray(h.tobuf(tarfile.GNU_FORMAT))
    b[386:386 + len(sparse)] = sparse
    b[148:156] = b"%06o\0 " % (sum(b) - sum(b[148:156]) + 256)
    return bytes(b)
# GNU's old way: where bytes are and how many, and the size of the whole
def sparse(name, size):
    places = b"%011o\0%011o\0" % (0, 512) + bytes(73) + b"%011o\0" % size
    return entry(name, 512, tarfile.GNUTYPE_SPARSE, places) + rows
rows = b"P5 128 128 255\n" + bytes([7]) * 497
open("hole.pgm", "wb").write(rows + bytes(16399 - 512))
open("sparse.tar", "wb").write(sparse("hole.pgm", 16399) + entry("after.txt", 0) + bytes(1024))
open("claims.tar", "wb").write(sparse("huge.pgm", 1 << 30) + bytes(1024))
open("bomb.tar.bz2", "wb").write(bz2.compress(entry("a.txt", 80 << 20) + bytes((80 << 20) + 1024)))
# a PBM of 11 MB may have so many pixels
head = b"P4 9500 9500\n"
open("pixels.tar.bz2", "wb").write(bz2.compress(entry("a.pgm", 11 << 20) + head + bytes((11 << 20) + 1024 - len(head))))
END
	check_status "a file that ends in a hole" 0 "$XCODEC" encode -f sparse.tar o.tar
	check_equal "and what comes after it" "hole.xc after.txt" "$(tar tf o.tar | tr '\n' ' ' | sed 's/ $//')"
	"$XCODEC" encode hole.pgm hole.xc
	tar xf o.tar -O hole.xc >one.xc
	check "it is zeros" cmp one.xc hole.xc
	for file in claims.tar bomb.tar.bz2 pixels.tar.bz2; do
		check_status "$file" 1 "$XCODEC" encode -f $file o.tar
		check "$file: the limit's line" grep -q "^xcodec: $file/.*--max-expansion" stderr
	done
	check_status "with another limit" 0 "$XCODEC" encode --max-expansion 10M -o deep bomb.tar.bz2 pixels.tar.bz2
else
	skip "sparse files" "no python3"
fi

# ----------------------------------------------------------------- no memory

# Each allocation of a run fails once.  libarchive ends the process for some of them, or crashes.
cat >fail.c <<'END'
#include <stddef.h>
#include <stdlib.h>
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long calls;
static int fails(void) { return getenv("FAIL") && ++calls == atol(getenv("FAIL")); }
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
END
failing() { FAIL=$1 LD_PRELOAD="$PWD/fail.so" "$XCODEC" decode -f --format ppm -t 1 t.tar o.tar; }
if ! grep -q -e __asan_init -e __ubsan_handle "$XCODEC" && [ -z "${XC_EMULATOR-}" ] &&
	${CC:-cc} -shared -fPIC -o fail.so fail.c 2>/dev/null && ! failing 1 2>/dev/null; then
	wrong='' n=0
	while [ $((n += 1)) -lt 200 ]; do
		(failing $n) >stdout 2>stderr
		case $? in
		0) cmp -s o.tar good.tar || wrong="$wrong $n:lost" ;;
		1) [ -s stderr ] || wrong="$wrong $n:silent" ;;
		esac
		[ -z "$(find . -name '.xcodec-*')" ] || wrong="$wrong $n:file"
	done
	check_equal "a failing allocation is told, and leaves no temporary file" "" "$wrong"
else
	skip "a failing allocation" "allocations cannot be made to fail"
fi

done_testing
