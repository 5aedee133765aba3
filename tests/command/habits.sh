#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Habits that users bring from other commands: names for results, permissions, silence,
# pipes, options cut short.
#
# $run, which runs a command as another user, is several words or none.
# shellcheck disable=SC2086

. "${srcdir:-.}/tests/support/tap.sh"

mkdir "$tmp/d" && cd "$tmp/d" || exit 99

awk 'BEGIN { print "P3 40 30 255"; for (i = 0; i < 3600; i++) print i * 37 % 256 }' >in.ppm
"$XCODEC" encode in.ppm a.xc || skip_all "cannot encode at all"
"$XCODEC" decode a.xc a.ppm
cp in.ppm other.ppm

# shellcheck disable=SC2012 # no other way to see permissions everywhere
mode() { ls -l "$1" | cut -c 1-10; }

# ------------------------------------------------------------------- -o FILE

check "encode -o FILE" "$XCODEC" encode in.ppm -o one.xc
check "encode -o FILE: the file" cmp a.xc one.xc
check_status "encode -o FILE does not overwrite" 1 "$XCODEC" encode -o one.xc in.ppm
check "encode -o FILE -f does" "$XCODEC" encode -o one.xc in.ppm -f
check "decode -o FILE" "$XCODEC" decode a.xc -oone.ppm
check "decode -o FILE: the file" cmp a.ppm one.ppm
check "decode -o FILE: the name says the format" "$XCODEC" decode --output-dir=one.pam a.xc
check_equal "decode -o FILE: that is what it is" P7 "$(head -n 1 one.pam)"
"$XCODEC" encode -o - - <in.ppm >piped.xc
check "encode -o -: standard output" cmp a.xc piped.xc
check_status "encode -o FILE with two inputs" 1 "$XCODEC" encode -o none in.ppm other.ppm
check_status "encode -o FOLDER/ that is not there" 1 "$XCODEC" encode -o none/ in.ppm
check_status "encode -o to a picture's name" 2 "$XCODEC" encode in.ppm -o o.ppm
check_status "decode -o to no format" 2 "$XCODEC" decode a.xc -o o
check "nothing came of these" test ! -e none -a ! -e o.ppm -a ! -e o
mkdir folder
check "encode -o FOLDER" "$XCODEC" encode -o folder in.ppm
check "encode -o FOLDER: the file" cmp a.xc folder/in.xc
rm -f one.* piped.xc folder/in.xc

# ------------------------------------------------- what is overwritten, by another user

# What follows needs a user who may not do everything.
run=
if [ "$(id -u)" -eq 0 ]; then
	run="setpriv --reuid=65534 --regid=65534 --clear-groups"
	chmod 755 "$tmp" "$tmp/d"
fi
if $run "$XCODEC" --version >/dev/null 2>&1 && $run test -r in.ppm; then
	mkdir shut open
	for name in shut open; do
		echo old >$name/o.xc
		chmod 666 $name/o.xc
	done
	chmod 555 shut
	chmod 777 open
	check "a file in an unwritable folder" $run "$XCODEC" encode -f in.ppm shut/o.xc
	check "it is written" cmp a.xc shut/o.xc
	check_equal "its mode stays" "-rw-rw-rw-" "$(mode shut/o.xc)"
	check_status "without --force it is not" 1 $run "$XCODEC" encode in.ppm shut/o.xc
	check_status "nor is a new one" 1 $run "$XCODEC" encode -f in.ppm shut/new.xc
	check "that is what it says" grep -q "shut/new.xc: cannot create: Permission denied" "$tmp/stderr"
	printf x >cut.xc
	echo old >shut/o.xc
	check_status "a failure before the first byte" 1 $run "$XCODEC" decode -f --format ppm cut.xc shut/o.xc
	check_equal "leaves the file" old "$(cat shut/o.xc)"
	(
		ulimit -f 1 || exit 1
		$run "$XCODEC" decode -f --format pam a.xc shut/o.xc 2>/dev/null
	)
	check "a failure after it leaves an empty one" test ! -s shut/o.xc
	chmod 444 shut/o.xc
	[ "$(id -u)" -ne 0 ] ||
		check_status "an unwritable file in an unwritable folder" 1 $run "$XCODEC" encode -f in.ppm shut/o.xc
	check "a file of mode 0666 in a writable folder" $run "$XCODEC" encode -f in.ppm open/o.xc
	check "it is written" cmp a.xc open/o.xc
	check_equal "its mode stays" "-rw-rw-rw-" "$(mode open/o.xc)"
	if [ "$(id -u)" -eq 0 ]; then
		# The owner's group becomes others, and others the group.
		for pair in 664:-rw-r--r-- 646:-rw-r--r-- 640:-rw------- 777:-rwxrwxrwx; do
			echo old >open/o.xc
			chown 0:0 open/o.xc
			chmod "${pair%%:*}" open/o.xc
			$run "$XCODEC" encode -f in.ppm open/o.xc
			check_equal "mode ${pair%%:*} of another user" "${pair#*:}" "$(mode open/o.xc)"
		done
	fi
	rm -rf open
	chmod 755 shut
	rm -rf shut
else
	skip "files of other users" "no user who may not do everything"
fi

# ------------------------------------------------------------------- --quiet

size=$(wc -c <a.xc)
{
	head -c $((size * 3 / 4)) a.xc
	printf 'damage'
	tail -c +$((size * 3 / 4 + 7)) a.xc
} >damaged.xc
check_status "-k warns" 3 "$XCODEC" decode -k damaged.xc d.ppm
check "-k: the warning" grep -q "warning: 1 of" "$tmp/stderr"
check_status "-k --quiet has the status" 3 "$XCODEC" decode -kf --quiet damaged.xc d.ppm
check_equal "-k --quiet says nothing" "" "$(cat "$tmp/stderr")"
check_status "--quiet says errors" 1 "$XCODEC" decode -f --quiet damaged.xc d.ppm
check "--quiet: the error" grep -q segment "$tmp/stderr"

# ------------------------------------------------------- compare writes nothing

# A PNG with a gamma of its own, and one whose gamma is damaged.
gamma_png() {
	"$tap_python" -c 'import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" +
    chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)) +
    chunk(b"gAMA", struct.pack(">I", int(sys.argv[1]))) +
    chunk(b"IDAT", zlib.compress(b"\0abcdef")) + chunk(b"IEND", b""))' "$1"
}
if [ -z "$tap_python" ] || "$XCODEC" --version | grep -q 'no PNG'; then
	skip "compare and gamma" "no python3, or no PNG"
else
	for gamma in 100000 0; do
		gamma_png $gamma >g$gamma.png
		check_status "compare, gamma $gamma" 0 "$XCODEC" compare g$gamma.png g$gamma.png
		check_equal "compare says nothing of gamma $gamma" "" "$(cat "$tmp/stderr")"
		check_status "sweep, gamma $gamma" 0 "$XCODEC" sweep -q 50 g$gamma.png
		check_equal "sweep says nothing of gamma $gamma" "" "$(cat "$tmp/stderr")"
	done
	check_status "encode, a damaged gamma" 0 "$XCODEC" encode -f g0.png g.xc
	check "encode warns" grep -q "warning: .*left out" "$tmp/stderr"
	check_status "encode --quiet, a damaged gamma" 0 "$XCODEC" encode -f --quiet g0.png g.xc
	check_equal "encode --quiet does not" "" "$(cat "$tmp/stderr")"
fi

# -------------------------------------------------------------- a closed pipe

# shellcheck disable=SC2016 # that is the inner shell's
if sh -c 'kill -s PIPE $$'; then
	skip "a closed pipe" "SIGPIPE is ignored here"
else
	for command in "decode --format ppm a.xc -" "encode in.ppm -" "info a.xc"; do
		{
			sleep 0.3
			# shellcheck disable=SC2086 # words
			"$XCODEC" $command 2>"$tmp/stderr"
			echo $? >"$tmp/status"
		} | true
		check_equal "a closed pipe, ${command%% *}: ends by SIGPIPE" PIPE "$(kill -l "$(cat "$tmp/status")")"
		check_equal "a closed pipe, ${command%% *}: without a word" "" "$(cat "$tmp/stderr")"
	done
	{
		sleep 0.3
		sh -c 'trap "" PIPE; exec "$XCODEC" info a.xc' 2>"$tmp/stderr"
		echo $? >"$tmp/status"
	} | true
	check_equal "a closed pipe, SIGPIPE ignored: status" 1 "$(cat "$tmp/status")"
	check "a closed pipe, SIGPIPE ignored: message" grep -q "Broken pipe" "$tmp/stderr"
	# One thread writes a temporary file and another to a pipe that nobody reads.
	mkdir out
	mkfifo out/fifo.ppm
	(read -r _ <out/fifo.ppm) &
	cp a.xc fifo.xc
	"$XCODEC" decode -f -t 2 --format ppm -o out a.xc fifo.xc 2>"$tmp/stderr"
	wait
	check_equal "a closed pipe leaves no temporary file" "" "$(find out -name '.xcodec*')"
	rm -rf out
fi

# ------------------------------------------------------------ options cut short

"$XCODEC" encode -q 90 in.ppm q90.xc
"$XCODEC" encode --qual 90 in.ppm - >short.xc
check "--qual is --quality" cmp q90.xc short.xc
"$XCODEC" encode --quali=90 in.ppm - >short.xc
check "--quali=90 is --quality=90" cmp q90.xc short.xc
check_status "--qu may mean two" 2 "$XCODEC" encode --qu 90 in.ppm o.xc
check "both are named" grep -q "'--qu' may mean --quality or --quiet" "$tmp/stderr"
check_status "--frob means none" 2 "$XCODEC" encode --frob in.ppm o.xc
check_status "--max-m may mean two" 2 "$XCODEC" decode --max-m 1G a.xc o.ppm
"$XCODEC" encode --help >whole
"$XCODEC" encode --he >short
check "--he is --help" cmp whole short
"$XCODEC" --version >whole
for form in -V --vers --v; do
	"$XCODEC" $form >short
	check "$form is --version" cmp whole short
done
"$XCODEC" --help >whole
"$XCODEC" --h >short
check "--h is --help" cmp whole short

# --------------------------------------------------- one letter, one meaning

commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' whole | grep -vx -e help -e bench)
for command in $commands 'bench codec' 'bench gpu' 'bench transforms'; do
	# shellcheck disable=SC2086 # one word or two
	"$XCODEC" $command --help 2>/dev/null | sed -n 's/^  -\(.\), --\([a-z-]*\).*/\1 \2/p'
done | sed 's/ies$/y/; s/s$//' | sort -u >letters
check "there are letters" test "$(wc -l <letters)" -gt 10
check_equal "a letter means the same in every command" "" "$(cut -d ' ' -f 1 letters | uniq -d)"

done_testing
