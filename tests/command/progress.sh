#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The progress line: on a terminal, when work takes more than half a second.  A pipe with
# a name is an input that takes as long as the test wants.

. "${srcdir:-.}/tests/support/tap.sh"

python=$tap_python
[ -n "$python" ] && "$python" -c 'import pty' 2>/dev/null || skip_all "no python3"
cd "$tmp" || exit 99

# on_terminal [NAME=FILE...] -- COMMAND...: runs it with standard error on a terminal,
# whose bytes are left in `seen`.  Each pipe NAME is given the bytes of FILE when it has
# been waited for, one after the other, 0.7 s the first and 0.2 s each of the others.
cat >on_terminal.py <<'EOF'
import os, pty, subprocess, sys, threading, time, tty

end = sys.argv.index("--")
master, terminal = pty.openpty()
tty.setraw(terminal)
child = subprocess.Popen(sys.argv[end + 1:], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=terminal)
os.close(terminal)

def feed():
    time.sleep(0.7)
    for pair in sys.argv[1:end]:
        name, source = pair.split("=")
        with open(name, "wb") as pipe:
            pipe.write(open(source, "rb").read())
        time.sleep(0.2)

threading.Thread(target=feed, daemon=True).start()
seen = b""
while True:
    try:
        piece = os.read(master, 65536)
    except OSError:  # Linux's end of file
        break
    if not piece:
        break
    seen += piece
open("seen", "wb").write(seen)
sys.exit(child.wait())
EOF
on_terminal() {
	TERM=vt100 "$python" on_terminal.py "$@"
}

# seen EXPRESSION: the Python expression holds; s is what was seen, `lines` the pairs of
# text, less the time that is left, and percentage that were drawn.  Whatever else was said began on an empty line,
# and none of it is left at the end.
seen() {
	"$python" -c 'import re, sys
s = open("seen", "rb").read().decode()
drawn = r"\r([^\r\n]*?)(?:, [0-9:]+ left)? \[#*\.*\] +(\d+)%"
lines = [(text, int(percent)) for text, percent in re.findall(drawn, s)]
print(repr(s)[:2000])
whole = re.fullmatch(r"((" + drawn + r")+\r\x1b\[K|(xcodec: |  )?[^\r\n]+\n)*", s)
sys.exit(not (whole and ('"$1"')))'
}

"$python" -c 'import sys
w, h = 1500, 1000
row = bytes(x * 3 % 256 for x in range(3 * w + h))
sys.stdout.buffer.write(b"P6 %d %d 255\n" % (w, h) + b"".join(row[y:y + 3 * w] for y in range(h)))' >big.ppm
awk 'BEGIN { print "P2 40 30 255"; for (i = 0; i < 1200; i++) print i * 37 % 256 }' >small.pgm
"$XCODEC" encode small.pgm small.xc
"$XCODEC" encode big.ppm big.xc
mkdir out
mkfifo slow.ppm slow.xc slow.png

# ------------------------------------------------------------------- one file

check_status "encode" 0 on_terminal slow.ppm=big.ppm -- "$XCODEC" encode slow.ppm a.xc
check "it has a line, which goes" seen 'lines and lines[0][0] == "encoding slow.ppm"'
check "the same file" cmp big.xc a.xc
check_status "encode --quiet" 0 \
	on_terminal slow.ppm=big.ppm -- "$XCODEC" encode -f --quiet slow.ppm a.xc
check "nothing is shown" test ! -s seen
check_status "encode -v" 0 on_terminal slow.ppm=big.ppm -- "$XCODEC" encode -vf slow.ppm a.xc
check "what it says comes after the line" \
	seen 'lines and s.rindex("\r") < s.index("a.xc: 1500 x 1000")'
check_status "on a dumb terminal" 0 on_terminal slow.ppm=big.ppm -- \
	env TERM=dumb "$XCODEC" encode -f slow.ppm a.xc
check "nothing is shown" test ! -s seen
size=$(wc -c <big.xc)
{
	head -c "$((size - 1000))" big.xc
	printf 'damage'
	tail -c 994 big.xc
} >damaged.xc
check_status "decode what is damaged" 1 \
	on_terminal slow.xc=damaged.xc -- "$XCODEC" decode -t 1 slow.xc a.ppm
check "the error is a line of its own" seen '"\r\x1b[Kxcodec: slow.xc: " in s'
if "$XCODEC" --version | grep -q 'no PNG'; then
	skip "packing and unpacking PNG" "no PNG"
else
	check_status "decode to PNG" 0 \
		on_terminal slow.xc=big.xc -- "$XCODEC" decode --png-level 9 slow.xc big.png
	check "the line moves while it is packed" \
		seen 'any(5 < percent < 100 for what, percent in lines if what == "decoding slow.xc")'
	check_status "encode from PNG" 0 \
		on_terminal slow.png=big.png -- "$XCODEC" encode -f slow.png a.xc
	check "the line is there while it is unpacked" \
		seen 'lines[0][0] == "encoding slow.png" and lines[0][1] < 50'
	mkdir png
	check_status "decode -o" 0 \
		on_terminal slow.xc=big.xc -- "$XCODEC" decode --png-level 9 -o png slow.xc
	check "the line moves while one is packed" \
		seen 'any(5 < percent < 100 for what, percent in lines if what == "decoding 0 of 1 file")'
fi
# Unless the machine is so busy that it takes half a second, three times.
for _ in 1 2 3; do
	check_status "work that is quick" 0 on_terminal -- "$XCODEC" encode -f small.pgm a.xc
	[ -s seen ] || break
done
check "nothing is shown" test ! -s seen

# ----------------------------------------------------------------- many files

check_status "encode -o" 1 on_terminal slow.ppm=big.ppm -- \
	"$XCODEC" encode -t 1 -o out small.pgm slow.ppm missing.ppm
check "the line counts files" \
	seen 'any(what == "encoding 1 of 3 files" and n >= 33 for what, n in lines)'
check "errors are lines of their own" \
	seen '"\r\x1b[Kxcodec: missing.ppm: cannot open" in s and s.endswith("files failed\n")'
check_status "decode -o" 0 on_terminal slow.xc=big.xc -- \
	"$XCODEC" decode --format pam -v -t 1 -o out small.xc slow.xc
check "the line counts files" seen 'any(what == "decoding 1 of 2 files" for what, _ in lines)'
check_status "encode -o --quiet" 0 on_terminal slow.ppm=big.ppm -- \
	"$XCODEC" encode -f --quiet -t 1 -o out small.pgm slow.ppm
check "nothing is shown" test ! -s seen

mkdir many
set -- slow.ppm slow2.ppm
mkfifo slow2.ppm
i=0
while [ $i -lt 100 ]; do
	[ $((i % 10)) -eq 0 ] || ln -s ../small.pgm many/$i.ppm
	set -- "$@" many/$i.ppm
	i=$((i + 1))
done
check_status "many, with errors, by several threads" 1 \
	on_terminal slow.ppm=big.ppm slow2.ppm=big.ppm -- "$XCODEC" encode -vft 4 -o out "$@"
check "all of it is whole" seen 'lines and s.count("xcodec: many/") == 10 and
	s.count(": 1500 x 1000 RGB") == 2 and s.count(": 40 x 30 grey") == 90 and s.endswith("xcodec: encode: 10 of 102 files failed\n")'
check "it never goes back" seen '[n for _, n in lines] == sorted(n for _, n in lines)'

done_testing
