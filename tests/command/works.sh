#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# samples/works.sh: every table of the five works runs, with tiny sizes, and has the paper's figures beside ours.

. "${srcdir:-.}/tests/support/tap.sh"

"$XCODEC" transform --list >"$tmp/list" 2>/dev/null || skip_all "no laboratory"
grep -q '^cpu-fft2d ' "$tmp/list" || skip_all "no FFTW"

check_equal "works.txt: a figure for each size" "" "$(awk '
	$1 == "sizes" { n = NF - 1 }
	($1 == "row" || $1 == "base") && NF != n + 6 { print FILENAME ":" FNR }' "$SRCDIR/samples/works.txt")"

# tables SIDE WORK [TABLE...]: all lines but the notes.
tables() {
	most=$1
	shift
	check_status "$*, up to $most" 0 sh "$SRCDIR/samples/works.sh" -m "$most" -n 1 -t 0.01 "$@"
	check_equal "$*: no complaints" "" "$(cat "$tmp/stderr")"
	if grep -q '^-- unusable' "$tmp/list"; then
		check_equal "$*: all of the CPU's are measured" "" "$(awk '$2 ~ /^(cpu|fftw)-/ && $2 !~ /plain$/ && $(NF - 1) == "-" && $(NF - 2) != "-"' "$tmp/stdout")"
	fi
}
tables 64 larsen
check "larsen 3.1: the operations of Feig and Linzer's DCT" \
	grep -Eq '^FL multiply-add +cpu-flmad +64 256 160 640 +64 256 160 640 +1.00$' "$tmp/stdout"
check "larsen 5.1: a time" grep -Eq '^cpu-naive-32 +cpu-naive +32 +1 +64 +1.7 +[0-9.]+ +[0-9.]+$' "$tmp/stdout"
check "larsen 5.6: a speed-up" grep -Eq '^Best 32-bit 2xCPU +best of 2 +32 +2 +64 +0.62 +[0-9.]+ +[0-9.]+$' "$tmp/stdout"
tables 64 yeshi
check "yeshi Fig.2: rate and PSNR" grep -Eq '^ours: .* 4096 of 65536 .* PSNR' "$tmp/stdout"
tables 128 jiang IV
check "jiang IV: a time" grep -Eq '^N +cpu-fft-n +64 +1 +16384x1 +0.1016 +[0-9.]+ +[0-9.]+$' "$tmp/stdout"
tables 64 jiang II III V V-gpu VI VII sine Fig.6
tables 256 gpupp
check_status "a table that no work has" 2 sh "$SRCDIR/samples/works.sh" larsen 9.9
check_status "a work that is not one" 2 sh "$SRCDIR/samples/works.sh" nobody
check_status "the whitepaper needs a picture" 2 sh "$SRCDIR/samples/works.sh" whitepaper

done_testing
