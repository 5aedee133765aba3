#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What others can see of a file while it is written, and what they can put in its place: the file is
# its owner's alone until it is complete, and links, pipes and folders that appear during the work are
# not followed.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
umask 022
# The bytes of a compressed file are noise enough.
{
	printf 'P5 512 1024 255\n'
	head -c 524288 "$SRCDIR/samples/meadow.png"
} >in.pgm
"$XCODEC" encode in.pgm a.xc || exit 99
"$XCODEC" decode a.xc whole.pgm || exit 99
half=$(($(wc -c <a.xc) / 2))

# shellcheck disable=SC2012 # no other way to see permissions everywhere
mode() { ls -ld "$1" | cut -c 1-10; }

# begin [OPTION]...: starts to decode the pipe "in" into out/o.pgm, gives it half of a file, and waits
# until its temporary file, $temporary, has bytes.
begin() {
	rm -f in
	mkfifo in
	$run "$XCODEC" decode "$@" in out/o.pgm 2>err &
	worker=$!
	exec 3>in
	head -c $half a.xc >&3
	tries=0
	temporary=
	while [ $tries -lt 500 ] && [ -z "$temporary" ] && kill -0 $worker; do
		sleep 0.02
		tries=$((tries + 1))
		temporary=$(find out/ -name '.xcodec-*' -size +0)
	done
}

# finish: gives it the rest; $status is its own.
finish() {
	{ tail -c +$((half + 1)) a.xc >&3; } 2>/dev/null
	exec 3>&-
	wait $worker
	status=$?
}

run=

# ------------------------------------------------------------------- permissions

mkdir out
begin
check_equal "a new file is its owner's while it is written" "-rw-------" "$(mode "$temporary")"
finish
check_equal "a new file: status" 0 $status
check "a new file: what is in it" cmp whole.pgm out/o.pgm
check_equal "a new file has the usual permissions in the end" "-rw-r--r--" "$(mode out/o.pgm)"

chmod 664 out/o.pgm
begin -f
check_equal "--force: likewise while it is written" "-rw-------" "$(mode "$temporary")"
check_equal "--force: the old file stays until then" "-rw-rw-r--" "$(mode out/o.pgm)"
chmod 600 out/o.pgm
finish
check_equal "--force: the permissions are those of the end" "-rw-------" "$(mode out/o.pgm)"

chmod 600 out/o.pgm
begin -f
rm out/o.pgm
finish
check_equal "a private file that was removed meanwhile stays private" "-rw-------" "$(mode out/o.pgm)"

# Polls a private file as another user while it is replaced.
other="setpriv --reuid=65534 --regid=65534 --clear-groups"
if [ "$(id -u)" -eq 0 ] && $other true 2>/dev/null; then
	chmod 755 "$tmp"
	printf 'P5 8 8 255\n%064d' 0 >small.pgm
	"$XCODEC" encode small.pgm out/o.xc
	chmod 600 out/o.xc
	# shellcheck disable=SC2016 # that is the inner shell's
	$other sh -c 'while [ ! -e stop ]; do cat out/.x* out/o.xc; done 2>/dev/null | wc -c' >polled &
	poller=$!
	rounds=${XC_LONG:+1000}
	i=0
	while [ $i -lt "${rounds:-50}" ]; do
		"$XCODEC" encode -f small.pgm out/o.xc || break
		i=$((i + 1))
	done
	touch stop
	wait $poller
	rm -f stop out/o.xc
	check_equal "a reader of a private file never got a byte" 0 "$(tr -d ' ' <polled)"
else
	skip "a reader of a private file" "no other user"
fi

# ------------------------------------------------------- what appears meanwhile

echo victim >victim
begin -f
rm out/o.pgm
ln -s ../victim out/o.pgm
finish
check_equal "a link that appears meanwhile: status" 0 $status
check_equal "it is not followed" victim "$(cat victim)"
check "it is replaced" test ! -L out/o.pgm
check "by the whole file" cmp whole.pgm out/o.pgm

rm -rf out/o.pgm
begin
ln -s ../victim out/o.pgm
finish
check_equal "a link where nothing was: status" 1 $status
check "it is refused" grep -q "out/o.pgm: exists already" err
check_equal "it is not followed" victim "$(cat victim)"
rm -f out/o.pgm

begin
mkdir elsewhere
mv out moved
ln -s elsewhere out
finish
check_equal "a link in the folder's place: status" 0 $status
check "the file is in the folder that was there" cmp whole.pgm moved/o.pgm
check_equal "nothing is where the link leads" "" "$(ls elsewhere)"
rm -rf out elsewhere
mv moved out

begin -f
rm out/o.pgm
mkfifo out/o.pgm
finish
check_equal "a pipe in the file's place: status" 0 $status
check "it is replaced" cmp whole.pgm out/o.pgm

if [ "$(id -u)" -eq 0 ] && $other true 2>/dev/null; then
	chmod 555 out
	# The first bytes wait until the pipe has the header.
	rm -f in
	mkfifo in
	chmod 644 in
	for kind in pipe link; do
		echo old >out/o.pgm
		chmod 666 out/o.pgm
		$other timeout 20 "$XCODEC" decode -f in out/o.pgm 2>err &
		worker=$!
		exec 3>in
		sleep 0.3
		rm out/o.pgm
		case $kind in
		pipe) mkfifo -m 666 out/o.pgm ;;
		link) chmod 666 victim && ln -s ../victim out/o.pgm ;;
		esac
		{ cat a.xc >&3; } 2>/dev/null
		exec 3>&-
		wait $worker
		check_equal "a $kind in the place of a file that is overwritten: status" 1 $?
		check_equal "a $kind: no byte went there" victim "$(cat victim)"
		rm out/o.pgm
	done
	chmod 755 out
else
	skip "a file that is overwritten in place" "no other user"
fi

# ---------------------------------------------------------------------- --sync

check "--sync" "$XCODEC" encode --sync in.pgm out/s.xc
check "--sync: the file" cmp a.xc out/s.xc
check "--sync --force" "$XCODEC" decode -f --sync a.xc out/o.pgm
"$XCODEC" encode --sync in.pgm - | cmp - a.xc
check_equal "--sync to a pipe" 0 $?
if command -v strace >/dev/null && strace -o traced true 2>/dev/null; then
	strace -f -e trace=fsync,renameat -o traced "$XCODEC" encode -f --sync in.pgm out/s.xc
	check_equal "--sync: the file, its name, the folder" "fsync renameat fsync" \
		"$(sed -n 's/^[0-9]* *\([a-z]*\)(.*/\1/p' traced | tr '\n' ' ' | sed 's/ $//')"
else
	skip "--sync: the order" "no strace"
fi
check_equal "no temporary file is left" "" "$(find out -name '.xcodec-*')"

done_testing
