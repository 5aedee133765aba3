#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The Python package's tests, python/tests, by pytest: each of them is a case.

. "${srcdir:-.}/tests/support/tap.sh"

[ -n "${PYTHON-}" ] || skip_all "no Python with headers"
"$PYTHON" -c 'import numpy, pytest' 2>/dev/null || skip_all "$PYTHON has no numpy or no pytest"

# The sanitizers' code must come before the interpreter's, which is not without leaks.
if grep -q __asan_init "$BUILDDIR"/python/xcodec/_xcodec.*so; then
	# shellcheck disable=SC2086 # CC may hold options
	asan=$($CC -print-file-name=libasan.so)
	[ -f "$asan" ] || skip_all "$CC has no libasan.so to start Python with"
	LD_PRELOAD=$asan:$($CC -print-file-name=libubsan.so):$($CC -print-file-name=libstdc++.so)
	export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" LD_PRELOAD
fi

cd "$tmp" || exit 99
export COLUMNS=150 PYTHONPATH="$BUILDDIR/python" PYTHONDONTWRITEBYTECODE=1 XCODEC_BUILD="$BUILDDIR"
"$PYTHON" -m pytest -v --tb=short --color=no -p no:cacheprovider "$SRCDIR/python/tests" >log
status=$?
unset LD_PRELOAD
sed -nE -e '/^[^ ]*::.* (PASSED|XFAIL)/s/^[^ ]*tests\/(.*) (PASSED|XFAIL).*/ok - \1/p' \
	-e '/^[^ ]*::.* SKIPPED/s/^[^ ]*tests\/(.*) SKIPPED *(.*)/ok - \1 # SKIP \2/p' \
	-e '/^[^ ]*::.* (FAILED|ERROR)/s/^[^ ]*tests\/(.*) (FAILED|ERROR).*/not ok - \1/p' log >cases
[ "$status" -eq 0 ] || sed -n '/^=.* \(ERRORS\|FAILURES\)/,$s/^/# /p' log
cat cases
tap_passed=$(grep -c '^ok' cases)
tap_failed=$(grep -c '^not ok' cases)
[ "$status" -eq 0 ] || [ "$tap_failed" -gt 0 ] || not_ok "pytest" "exit status $status" "$(tail -n 5 log)"
done_testing
