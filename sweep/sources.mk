# SPDX-License-Identifier: BSD-2-Clause
#
# `xcodec sweep`: rate and distortion.
sweep_bd = sweep/bd.c sweep/bd.h
sweep_sources = \
	$(sweep_bd) \
	sweep/bd_table.c sweep/bd_table.h \
	sweep/measures.c sweep/measures.h \
	sweep/results.h \
	sweep/rows.c sweep/rows.h
