#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Memory does not depend on the length of a list, nor on the number of entries in a tar file: 3 * 10^5 names (10^6 with
# XC_FULL, 10^7 with XC_LONG) take no more than a thousand, and 16 bytes each in a table if they are inputs.

. "${srcdir:-.}/tests/support/tap.sh"

can_measure_memory

cd "$tmp" || exit 99
printf 'P5 1 1 255\n.' >p.pgm
mkdir out

# peak_of COMMAND...: KiB, whatever the exit status.
peak_of() {
	"$peak" "$@" 2>err >/dev/null
	sed -n 's/^peak \([0-9]*\) KiB.*/\1/p' err | tail -n 1
}

# names NUMBER: that many names of files that cannot be inputs.
names() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "../some/folder/%03d/picture-%08d.png\n", i % 1000, i }'
}

many=300000
[ -z "${XC_FULL-}" ] || many=1000000
[ -z "${XC_LONG-}" ] || many=10000000
names 1000 >few
few=$(peak_of "$XCODEC" encode --replace-suffix -t 2 --list few -o out)
names "$many" | sed '1,2d' >long
echo p.pgm >>long
long=$(peak_of "$XCODEC" encode --replace-suffix -t 2 --list long -o out)
check "a list of $many names: $long KiB, $few KiB for 1000" test "$long" -lt $((few + 2048))
check "its last one was done" test -s out/p.xc

# What was finished is known by 16 bytes, in a table of at most 2.7 times its names, which grows by copying.
if [ -n "$tap_python" ]; then
	mkdir -p resumed
	"$XCODEC" encode -t 2 --resume -o resumed p.pgm
	"$tap_python" - "$many" <<'END'
import os, sys
table = []
for i in range(256):
    c = i
    for _ in range(8):
        c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    table.append(c)
def crc(data):
    c = 0xFFFFFFFF
    for b in data:
        c = c >> 8 ^ table[(c ^ b) & 255]
    return c ^ 0xFFFFFFFF
names = ["folder/%03d/picture-%08d" % (i % 1000, i) for i in range(int(sys.argv[1]) // 10)]
def line(name):
    return " %s.xc\t%s/%s.png" % (name, os.getcwd(), name)
# Lines of one length: the sum of a name is that of its thousand, of its number in it, and of the first, combined.
low = [crc(line(name).encode()) for name in names[:1000]]
high = [crc(line(name).encode()) ^ low[0] for name in names[::1000]]
# What is finished has a result: links to a few files, as a file has no more than some thousand.
with open("resumed/.xcodec/manifest.0", "a") as m, open("finished", "w") as f:
    for i, name in enumerate(names):
        path = "resumed/%s.xc" % name
        if i < 1000:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        if i % 1000 == 0:
            first = path
            open(path, "w").write("a result")
        else:
            os.link(first, path)
        m.write("%08x%s\n" % (low[i % 1000] ^ high[i // 1000], line(name)))
        f.write(name + ".png\n")
END
	resumed=$(peak_of "$XCODEC" encode --replace-suffix -t 2 --resume --list finished -o resumed)
	check_equal "nothing fails" 0 "$(grep -vc '^peak\|finished before' err)"
	check "$((many / 10)) finished names: $resumed KiB" \
		test "$resumed" -lt $((few + 4096 + many / 160))
else
	skip "finished names" "no python3"
fi

if [ -n "$tap_python" ] && ! "$XCODEC" --version | grep -q 'no tar'; then
	for n in 100 10000; do
		"$tap_python" - $n <<'END'
import io, sys, tarfile
n = int(sys.argv[1])
t = tarfile.open("t%d.tar" % n, "w")
data = b"P5 64 64 255\n" + bytes(range(256)) * 16
h = tarfile.TarInfo("")
h.size = len(data)
for i in range(n):
    h.name = "p%06d.pgm" % i
    t.addfile(h, io.BytesIO(data))
t.close()
END
	done
	few=$(peak_of "$XCODEC" encode -t 2 -e 0 t100.tar few.tar)
	long=$(peak_of "$XCODEC" encode -t 2 -e 0 t10000.tar long.tar)
	check "a tar file of 10000 entries: $long KiB, $few KiB for 100" test "$long" -lt $((few + 2048))
	check_equal "all of them" 10000 "$(tar tf long.tar | wc -l | tr -d ' ')"
else
	skip "tar files" "no python3 or libarchive"
fi

done_testing
