#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What ./bootstrap does, in a tree whose configure and make only say that they ran, on a
# machine whose apt-get, sudo and pkg-config are scripts of this test.

. "${srcdir:-.}/tests/support/tap.sh"

tree=$tmp/tree
mkdir -p "$tree" "$tmp/bin"
cd "$tree" || exit 99
cp "$SRCDIR/bootstrap" . || exit 99
PATH=$tmp/bin:$PATH
export PATH

# executable FILE: from standard input.
executable() {
	cat >"$1"
	chmod +x "$1"
}

# There is every library but the one in ../lacking; apt-get provides it.
executable "$tmp/bin/pkg-config" <<'END_OF_SCRIPT'
#!/bin/sh
[ "$2" != "$(cat ../lacking 2>/dev/null)" ]
END_OF_SCRIPT
executable "$tmp/bin/apt-get" <<'END_OF_SCRIPT'
#!/bin/sh
echo "$*" >>../apt-log
rm -f ../lacking
END_OF_SCRIPT
executable "$tmp/bin/sudo" <<'END_OF_SCRIPT'
#!/bin/sh
exec "$@"
END_OF_SCRIPT
executable "$tmp/bin/make" <<'END_OF_SCRIPT'
#!/bin/sh
echo "$*" >>../make-log
case $* in
*" -n"*) printf 'echo "  CC      " one.o\necho "  CC      " two.o\n'; exit ;;
*clean) exec rm -f build/xcodec ;;
esac
printf '#!/bin/sh\necho made\n' >build/xcodec
chmod +x build/xcodec
echo "  CC       one.o"
exit "${MAKE_STATUS:-0}"
END_OF_SCRIPT
for program in autoreconf automake libtoolize; do
	executable "$tmp/bin/$program" </dev/null
done
executable configure <<'END_OF_SCRIPT'
#!/bin/sh
echo "configure $*" >>../../configure-log
for argument; do
	quoted="$quoted '$argument'"
done
printf '#!/bin/sh\necho "%s"\n' "$quoted" >config.status
chmod +x config.status
: >Makefile
END_OF_SCRIPT
: >Makefile.in

# afresh LACKING: as in a fresh clone, on a machine without that library.
afresh() {
	rm -rf build "$tmp"/*-log
	echo "$1" >"$tmp/lacking"
}

afresh none
check_status "all is there" 0 ./bootstrap
check "all is there: built" grep -q '^bootstrap: ready: build/xcodec' "$tmp/stdout"
check_equal "all is there: configured once" "configure " "$(cat "$tmp/configure-log")"
check_status "a second run" 0 ./bootstrap
check_equal "a second run does not configure" "configure " "$(cat "$tmp/configure-log")"

afresh none
check_status "--no-install, all is there" 0 ./bootstrap --no-install
check "--no-install, all is there: built" [ -x build/xcodec ]

afresh zlib
check_status "without zlib" 0 ./bootstrap
check "without zlib: installed" grep -q 'install .* zlib1g-dev$' "$tmp/apt-log"

afresh zlib
check_status "--no-install without zlib" 1 ./bootstrap --no-install
check "--no-install without zlib: says so" grep -q 'not here .*: zlib1g-dev$' "$tmp/stderr"
check "--no-install without zlib: not built" [ ! -e "$tmp/make-log" ]
check "--no-install without zlib: no apt-get" [ ! -e "$tmp/apt-log" ]

afresh fftw3
check_status "--no-install without FFTW" 0 ./bootstrap --no-install
check "--no-install without FFTW: says so" \
	grep -q 'going on without (optional): libfftw3-dev$' "$tmp/stdout"
check "--no-install without FFTW: built" [ -x build/xcodec ]
check "--no-install without FFTW: no apt-get" [ ! -e "$tmp/apt-log" ]

afresh none
check_status "arguments for configure" 0 ./bootstrap -- --one CFLAGS='-O1 -g'
check_equal "arguments for configure: passed on" "configure --one CFLAGS=-O1 -g" \
	"$(cat "$tmp/configure-log")"
./bootstrap -- --one CFLAGS='-O1 -g' >/dev/null
check_equal "the same arguments: nothing is configured" "configure --one CFLAGS=-O1 -g" \
	"$(cat "$tmp/configure-log")"
: >"$tmp/make-log"
check_status "other arguments" 0 ./bootstrap -- --two
check_equal "other arguments: passed on" "configure --two" "$(tail -n 1 "$tmp/configure-log")"
check_equal "other arguments: everything is built again" "-C build clean" \
	"$(head -n 1 "$tmp/make-log")"
sleep 1
touch configure
check_status "a new configure" 0 ./bootstrap
check_equal "a new configure: the arguments of the last time" \
	"configure --two|configure --two" "$(tail -n 2 "$tmp/configure-log" | paste -sd '|')"
./bootstrap -- >/dev/null
check_equal "no arguments any more" "configure " "$(tail -n 1 "$tmp/configure-log")"

afresh libpng
check_status "--without-libpng needs no libpng" 0 ./bootstrap --no-install -- --without-libpng

afresh none
mkdir -p samples
: >samples/meadow.png
./bootstrap demo >/dev/null 2>&1
check "demo: builds the command alone" grep -q ' xcodec$' "$tmp/make-log"
check_status "what cannot be built" 1 env MAKE_STATUS=1 ./bootstrap
check "what cannot be built: says where the log is" grep -q 'all of it: build/bootstrap.log' "$tmp/stderr"
check "progress: every tenth of the files" grep -q '^  1 of 2: one.o$' "$tmp/stdout"

check_status "an unknown argument" 2 ./bootstrap --frobnicate

done_testing
