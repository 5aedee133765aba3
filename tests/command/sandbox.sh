#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The sandbox of the command: a decoder gone wrong (tests/support/gone_wrong.c) opens no other file, no socket
# and no program, where it could without; and files get where they always got.

# shellcheck source=tests/support/tap.sh
. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
mkdir in out elsewhere
printf 'P5\n8 8\n255\n%064d' 0 >in/a.pgm
echo secret >elsewhere/secret
"$XCODEC" encode in/a.pgm in/a.xc || exit 99
cp in/a.xc in/b.xc

has=$("$XCODEC" --version | sed -n 's/^sandbox *//p')
check "--version tells about the sandbox" test -n "$has"
case $has in *Landlock*) landlock=1 ;; *) landlock= ;; esac
case $has in *seccomp*) seccomp=1 ;; *) seccomp= ;; esac

# ------------------------------------------------------------------ files get where they always got

for option in "" --no-sandbox; do
	rm -rf out/*
	check_status "decode $option: one file" 0 "$XCODEC" decode --quiet $option in/a.xc out/a.pgm
	check "decode $option: it is whole" cmp in/a.pgm out/a.pgm
	check_status "decode $option: the file is replaced" 0 "$XCODEC" decode --quiet $option -f in/a.xc out/a.pgm
	check_status "decode $option: standard output" 0 "$XCODEC" decode --quiet $option --format pgm in/a.xc -
	check "decode $option: it is whole" cmp in/a.pgm stdout
	check_status "decode $option: a device" 0 "$XCODEC" decode --quiet $option --format pgm in/a.xc /dev/null
	check_status "decode $option: standard input" 0 "$XCODEC" decode --quiet $option - out/b.pgm <in/a.xc
	check_status "decode $option: /dev/stdin" 0 "$XCODEC" decode --quiet $option /dev/stdin out/c.pgm <in/a.xc
	check_status "decode $option: files" 0 "$XCODEC" decode --quiet $option -f -t 4 --format pgm -o out in/a.xc in/b.xc
	check_status "decode $option: a folder" 0 "$XCODEC" decode --quiet $option -f --format pgm -r --resume -o out in
	check_status "encode $option" 0 "$XCODEC" encode --quiet $option in/a.pgm out/a.xc
	check_status "info $option" 0 "$XCODEC" info $option in/a.xc in/b.xc
	check_status "verify $option" 0 "$XCODEC" verify $option -r in
	check_status "compare $option" 0 "$XCODEC" compare $option --map out/map.pgm in/a.pgm out/a.pgm
done
mkdir -p out/links
ln -s ../elsewhere out/away
ln -s ../../elsewhere/linked.pgm out/links/a.pgm
: >elsewhere/linked.pgm
check_status "a link to a file that exists: that file is replaced" 0 \
	"$XCODEC" decode --quiet -f in/a.xc out/links/a.pgm
check "it stays a link" test -L out/links/a.pgm
check "the file has the picture" cmp in/a.pgm elsewhere/linked.pgm

# ------------------------------------------------------------------------- a decoder that went wrong

gone_wrong=$BUILDDIR/tests/support/.libs/gone_wrong.so
# tries WHAT COMMAND...: the status of the command whose decoder tries that
tries() {
	word=$1
	shift
	LD_PRELOAD=$gone_wrong XC_GONE_WRONG="$word" "$@" >wrong 2>&1 </dev/null
}

# stopped HAS WHAT COMMAND...: it could, but for the sandbox
stopped() {
	has=$1 what=$2 command=$3
	shift 3
	if [ -z "$has" ]; then
		skip "$command: $what" "this kernel or build has no such sandbox"
		return
	fi
	tries "$what" "$XCODEC" "$command" --no-sandbox "$@"
	check_equal "$command --no-sandbox: $what" 86 $?
	tries "$what" "$XCODEC" "$command" "$@"
	check_equal "$command: $what is stopped" 87 $?
}

if [ ! -f "$gone_wrong" ] || [ -n "${XC_EMULATOR-}" ] || grep -q __asan_init "$XCODEC" || ! objdump -p "$XCODEC" | grep -q 'NEEDED *libc\.'; then
	skip "a decoder that went wrong" "this build takes no LD_PRELOAD"
	done_testing
fi
secret=$tmp/elsewhere/secret
attacked() {
	stopped "$landlock" "read $secret" "$@"
	stopped "$landlock" "write $secret" "$@"
	stopped "$landlock" "write $tmp/elsewhere/new" "$@"
	rm -f elsewhere/new
	stopped "$seccomp" socket "$@"
	stopped "$seccomp" exec "$@"
}
attacked info in/a.xc
attacked verify in/a.xc
attacked compare in/a.pgm in/a.xc
attacked encode --lossless -f -o out in/a.xc
attacked decode --format pgm -f in/a.xc out/b.pgm
attacked decode --format pgm -f -t 4 -o out in/a.xc in/b.xc # in other threads
for what in fork trace signal limit "mode $secret"; do
	stopped "$seccomp" "$what" info in/a.xc
done
stopped "$landlock" "remove $tmp/in/b.xc" decode --format pgm -f in/a.xc out/b.pgm
cp in/a.xc in/b.xc
stopped "$landlock" "write $tmp/in/a.xc" decode --format pgm -f in/a.xc out/b.pgm
# Nothing needs to be written for these.
stopped "$landlock" "write $tmp/out/new" info in/a.xc
if [ -n "$seccomp" ]; then
	for what in type clone3; do
		tries $what "$XCODEC" info in/a.xc
		check_equal "info: $what is stopped" 87 $?
	done
fi

# Links that lead out of the folder of the results.
if [ -n "$landlock" ]; then
	mkdir in/away
	cp in/a.xc in/away/c.xc
	check_status "results do not follow a link out of DIR" 1 "$XCODEC" decode --format pgm -r -f -o out in
	check "why is said" grep -q 'out/away/c.pgm: cannot create in the sandbox (see --no-sandbox): ' stderr
	check "nothing came there" test ! -e elsewhere/c.pgm
	check_status "--no-sandbox: they do" 0 "$XCODEC" decode --no-sandbox --format pgm -r -f -o out in
	check "it came there" test -e elsewhere/c.pgm
fi

done_testing
