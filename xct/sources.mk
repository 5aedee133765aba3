# SPDX-License-Identifier: BSD-2-Clause
#
# libxct, the transforms of the laboratory for other programs; lab/sources.mk, which is included after this, has
# the algorithms, and `make lab` and `make install-lab` this library, too.
xct_sources = xct/context.h xct/context.c xct/strided.h xct/strided.c xct/plan.c xct/poisson.c
EXTRA_DIST += include/xct.h xct/libxct.map

if XC_LAB
if XC_SHARED
lab_shared = libxct.la
EXTRA_LTLIBRARIES += libxct.la
check_DATA += libxct.la
dist_check_SCRIPTS += tests/command/xct.sh
endif
libxct_la_SOURCES = src/core/cpu.c src/core/module.c src/core/pool.c
libxct_la_CFLAGS = $(AM_CFLAGS)
libxct_la_LIBADD = libxc_lab.la $(OPENMP_CFLAGS)
libxct_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined -rpath $(libdir) -version-info 0:0:0 \
	-Wl,--version-script=$(top_srcdir)/xct/libxct.map
libxct_la_DEPENDENCIES = libxc_lab.la $(top_srcdir)/xct/libxct.map

dist_man_MANS += man/xct.3
dist_doc_DATA += doc/xct.md
check_PROGRAMS += xct/tests/check_bands xct/tests/check_poisson xct/tests/check_xct xct/tests/check_xct_plans
xct_tests_check_bands_SOURCES = xct/tests/check_bands.c lab/tests/transform_arrays.h $(band_reference)
xct_tests_check_bands_LDADD = $(lab_libraries)
xct_tests_check_poisson_SOURCES = xct/tests/check_poisson.c xct/tests/arrays.h
xct_tests_check_poisson_LDADD = $(lab_libraries) $(LIBM)
xct_tests_check_xct_SOURCES = xct/tests/check_xct.c xct/tests/arrays.h
xct_tests_check_xct_LDADD = $(lab_libraries) $(FFTW_LIBS) $(LIBM)
xct_tests_check_xct_plans_SOURCES = xct/tests/check_xct_plans.c xct/tests/arrays.h
xct_tests_check_xct_plans_LDADD = $(lab_libraries)
# The library's allocations fail where the test wants that.
xct_tests_check_xct_plans_LDFLAGS = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=aligned_alloc
endif
