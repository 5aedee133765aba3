# SPDX-License-Identifier: BSD-2-Clause
transform_sources = \
	transform/colour.h transform/colour_gains.h transform/colour_matrix.c transform/colour_matrix.h \
	transform/dct8.h \
	transform/lapped8.h transform/mean8.h transform/samples.h
