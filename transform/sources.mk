# SPDX-License-Identifier: BSD-2-Clause
#
# transform_sources is what libxcodec itself needs; registry_sources and its
# relatives are the named algorithms, which only the command and tests link.
# The files of one SIMD level are compiled with that level's flags.

transform_sources = transform/dct8.h

registry_sources = \
	transform/registry.h

registry_avx2_sources =

registry_avx512_sources =

registry_fftw_sources =
