#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Files of arrays that numpy, nibabel, tifffile and segyio write and read; and those in the folder that
# XC_ARRAY_FILES names, if there are any: files of others, which must come back byte for byte or be
# refused.
. "${srcdir:-.}/tests/support/tap.sh"

# Debian's packages are for its own Python.
for python in python3 /usr/bin/python3; do
	"$python" -c 'import numpy' 2>/dev/null && break
	python=
done
[ -n "$python" ] || skip_all "no numpy"
[ -z "${XC_EMULATOR-}" ] || skip_all "an emulator starts Python for another machine"
program=$BUILDDIR/tests/formats/check_array_files

for module in numpy nibabel tifffile segyio; do
	if ! "$python" -c "import $module" 2>/dev/null; then
		skip "$module" "no $module"
	elif [ $module = tifffile ] && ! grep -q '^#define XC_HAVE_LIBTIFF 1' "$BUILDDIR/config.h"; then
		skip "$module" "built without libtiff"
	else
		check "$module" "$python" "$SRCDIR/tests/formats/array_files.py" "$program" "$tmp" $module
	fi
done

if [ -d "${XC_ARRAY_FILES-}" ]; then
	find "$XC_ARRAY_FILES" -type f -size -20000k |
		grep -iE '\.(npy|pfm|nii|gz|sgy|segy|su|tiff?)$' >"$tmp/files"
	check "files of others" xargs -d '\n' -a "$tmp/files" \
		"$python" "$SRCDIR/tests/formats/array_files.py" "$program" "$tmp" files
else
	skip "files of others" "XC_ARRAY_FILES names no folder"
fi
done_testing
