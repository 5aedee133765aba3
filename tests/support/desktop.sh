# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What the tests of desktop/ share; after tap.sh, which sets tmp.
: "${tmp:?}"

# loadable MODULE: ends the test where the module cannot be loaded by a program of others.
loadable() {
	[ -f "$1" ] || skip_all "${1##*/} is not built"
	[ -z "${XC_EMULATOR-}" ] || skip_all "an emulated module needs an emulated host"
	! grep -q -e __asan_init -e __ubsan_handle "$1" || skip_all "sanitizers have to be in the host"
}

# own_types: makes image/x-xcodec known to programs, or ends the test.
own_types() {
	command -v update-mime-database >/dev/null || skip_all "no update-mime-database"
	mkdir -p "$tmp/data/mime/packages"
	cp "$SRCDIR/desktop/xcodec.xml" "$tmp/data/mime/packages"
	XDG_DATA_HOME=$tmp/home XDG_DATA_DIRS=$tmp/data:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}
	export XDG_DATA_HOME XDG_DATA_DIRS
	update-mime-database "$tmp/data/mime" >"$tmp/mime" 2>&1 || not_ok "update-mime-database" "$(cat "$tmp/mime")"
}

# is_same A B: whether two picture files have the same pixels.
is_same() {
	"$XCODEC" compare "$1" "$2" | grep -q '^Identical *yes$'
}
