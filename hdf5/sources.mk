# SPDX-License-Identifier: BSD-2-Clause
#
# The filter for HDF5, a plugin with the library inside.

if XC_HDF5
hdf5plugin_LTLIBRARIES = hdf5/libh5xcodec.la
endif
hdf5_libh5xcodec_la_SOURCES = hdf5/filter.c
hdf5_libh5xcodec_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
hdf5_libh5xcodec_la_LIBTOOLFLAGS = --tag=disable-static
hdf5_libh5xcodec_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -export-symbols-regex '^H5PLget_'
hdf5_libh5xcodec_la_LIBADD = libxc_core.la
EXTRA_DIST += hdf5/test_filter.py
