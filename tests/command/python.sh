#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The Python package's tests, python/tests, by pytest: each of them is a case.

. "${srcdir:-.}/tests/support/tap.sh"
. "$SRCDIR/tests/support/pytest.sh"

[ -n "${PYTHON-}" ] || skip_all "no Python with headers"
"$PYTHON" -c 'import numpy, pytest' 2>/dev/null || skip_all "$PYTHON has no numpy or no pytest"
export PYTHONPATH="$BUILDDIR/python" XCODEC_BUILD="$BUILDDIR"
run_pytest "$BUILDDIR"/python/xcodec/_xcodec.*so "$SRCDIR/python/tests"
