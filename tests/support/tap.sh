# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What a shell test needs.  A test starts with
#
#	#!/bin/sh
#	. "${srcdir:-.}/tests/support/tap.sh"
#
# and ends with `done_testing`.  Each case prints one line that tests/support/run
# counts: "ok - name", "not ok - name" or "ok - name # SKIP why".
#
# It finds: $XCODEC the program, $SRCDIR the top of the sources, $BUILDDIR the
# top of the build, $SHARED the folder with large test pictures ("" when there
# is none), $tmp an empty directory that is removed at the end.

set -u
LC_ALL=C
export LC_ALL

SRCDIR=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
BUILDDIR=${BUILDDIR:-$(pwd)}
XCODEC=${XCODEC:-$BUILDDIR/xcodec}
SHARED=${XC_SHARED:-$SRCDIR/../shared}
[ -d "$SHARED" ] || SHARED=
export SRCDIR BUILDDIR XCODEC SHARED

tap_passed=0
tap_failed=0
tap_skipped=0
tap_done=
tap_name=${0##*/}

tmp=$(mktemp -d "${TMPDIR:-/tmp}/xcodec-test.XXXXXX") || exit 99
tap_exit() {
	tap_status=$?
	chmod -R u+w "$tmp" 2>/dev/null
	rm -rf "$tmp" "$tmp.built"
	if [ -z "$tap_done" ]; then
		echo "not ok - $tap_name ended before its last line (status $tap_status)"
		[ "$tap_status" -ne 0 ] || tap_status=1
	fi
	exit "$tap_status"
}
trap tap_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# A build for another machine: in place of the programs, scripts that emulate them.
if [ -n "${XC_EMULATOR-}" ]; then
	for tap_program in xcodec bench/rd/bd bench/tools/peak bench/tools/tile samples/make_scene \
		tests/format/refdec examples/decode examples/encode examples/region \
		examples/stream fuzz/decode tests/formats/check_formats tests/formats/check_formats_damage \
		tests/support/report; do
		mkdir -p "$tmp.built/$(dirname "$tap_program")"
		printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$XC_EMULATOR" "$BUILDDIR/$tap_program" \
			>"$tmp.built/$tap_program"
		chmod +x "$tmp.built/$tap_program"
	done
	# The laboratory's program, which an emulated one cannot start.
	if [ -x "$BUILDDIR/xcodec-lab" ]; then
		cat >"$tmp.built/xcodec" <<-END
			#!/bin/sh
			case \${1-}/\${2-} in
			help/transform | help/generate) set -- "\$2" --help ;;
			esac
			case \${1-}/\${2-} in
			transform/* | generate/* | bench/transforms) program=xcodec-lab ;;
			*) program=xcodec ;;
			esac
			exec $XC_EMULATOR "$BUILDDIR/\$program" "\$@"
		END
	fi
	ln -s "$BUILDDIR/.libs" "$BUILDDIR/config.h" "$tmp.built"
	BUILDDIR=$tmp.built
	XCODEC=$BUILDDIR/xcodec
fi

# ok NAME
ok() {
	echo "ok - $1"
	tap_passed=$((tap_passed + 1))
}

# not_ok NAME [DETAIL...]
not_ok() {
	tap_case=$1
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/# /'
	echo "not ok - $tap_case"
	tap_failed=$((tap_failed + 1))
}

# skip NAME WHY
skip() {
	echo "ok - $1 # SKIP $2"
	tap_skipped=$((tap_skipped + 1))
}

# skip_all WHY: nothing here can be tested; ends the test.
skip_all() {
	echo "# skipped: $1"
	tap_done=1
	exit 77
}

# can_measure_memory: sets $peak and $tile, programs of bench/tools; ends the test where memory is not that of
# the command alone.
can_measure_memory() {
	peak=$BUILDDIR/bench/tools/peak
	tile=$BUILDDIR/bench/tools/tile
	for program in "$peak" "$tile"; do
		[ -x "$program" ] || skip_all "no $program"
	done
	[ -z "${XC_EMULATOR-}" ] || skip_all "an emulator takes memory of its own"
	if grep -q __asan_init "$XCODEC" || grep -q __ubsan_handle "$XCODEC"; then
		skip_all "sanitizers take memory of their own"
	fi
}

# check NAME COMMAND...: ok when the command exits 0.  What it printed is
# shown when it does not.
check() {
	tap_case=$1
	shift
	if "$@" >"$tmp/.tap-output" 2>&1; then
		ok "$tap_case"
	else
		tap_status=$?
		sed 's/^/# /' "$tmp/.tap-output"
		not_ok "$tap_case" "exit status $tap_status: $*"
	fi
}

# check_status NAME STATUS COMMAND...: ok when the command exits with STATUS.
# Its output is left in $tmp/stdout and $tmp/stderr.
check_status() {
	tap_case=$1
	tap_want=$2
	shift 2
	"$@" >"$tmp/stdout" 2>"$tmp/stderr"
	tap_status=$?
	if [ "$tap_status" -eq "$tap_want" ]; then
		ok "$tap_case"
	else
		sed 's/^/# /' "$tmp/stderr"
		not_ok "$tap_case" "exit status $tap_status instead of $tap_want: $*"
	fi
}

# check_equal NAME WANTED FOUND
check_equal() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "wanted: $2" "found:  $3"
	fi
}

# The program itself, since what chooses among several takes longer to start than Python.
tap_python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)

# check_json NAME FILE EXPRESSION: FILE is JSON, and the Python expression about it, called
# j, is true.  Of an array of one object j is that object.
check_json() {
	if [ -z "$tap_python" ]; then
		skip "$1" "no python3"
	else
		check "$1" "$tap_python" -c 'import json, math, sys
j = json.loads(open(sys.argv[1], "rb").read().decode("utf-8"))
j = j[0] if isinstance(j, list) and len(j) == 1 and isinstance(j[0], dict) else j
sys.exit(0 if eval(sys.argv[2]) else repr(j))' "$2" "$3"
	fi
}

# exif_png SIZE [ORIENTATION ICC]: a PNG of 2 x 1 pixels, with a density, a description of colour, text, the
# mark of an animation, and that many bytes of EXIF, which may say an orientation; the text ICC serves as a
# profile.  Fails without Python.
exif_png() {
	[ -n "$tap_python" ] && "$tap_python" -c 'import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" +
    chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)) +
    chunk(b"pHYs", struct.pack(">IIB", 3000, 2835, 1)) +
    chunk(b"eXIf", (b"MM\0*" if len(sys.argv) < 3 else b"MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0" +
        bytes([int(sys.argv[2])])).ljust(int(sys.argv[1]), b"\0")) +
    (b"" if len(sys.argv) < 4 else chunk(b"iCCP", b"x\0\0" + zlib.compress(sys.argv[3].encode()))) +
    chunk(b"cICP", bytes([9, 16, 0, 1])) + chunk(b"gAMA", struct.pack(">I", 100000)) +
    chunk(b"sBIT", bytes([5, 6, 5])) + chunk(b"acTL", bytes(8)) +
    chunk(b"tEXt", b"Title\0A title") +
    chunk(b"IDAT", zlib.compress(b"\0abcdef")) + chunk(b"IEND", b""))' "$@"
}

done_testing() {
	tap_done=1
	[ "$tap_failed" -eq 0 ] || exit 1
	[ "$tap_passed" -eq 0 ] || exit 0
	[ "$tap_skipped" -eq 0 ] || exit 77
	echo "not ok - $tap_name tested nothing"
	exit 1
}
