#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The filter for HDF5: hdf5/test_filter.py by pytest, each of its tests is a case.

. "${srcdir:-.}/tests/support/tap.sh"
. "$SRCDIR/tests/support/pytest.sh"

plugin=$BUILDDIR/hdf5/.libs/libh5xcodec.so
[ -f "$plugin" ] || skip_all "the filter is not built"
PYTHON=${PYTHON:-/usr/bin/python3}
"$PYTHON" -c 'import h5py, numpy, pytest' 2>/dev/null || skip_all "$PYTHON has no h5py, numpy or pytest"
export HDF5_PLUGIN_PATH="${plugin%/*}"
run_pytest "$plugin" "$SRCDIR/hdf5/test_filter.py"
