# SPDX-License-Identifier: BSD-2-Clause
array_sources = array/blocks.h array/builtin.c array/chunk.h array/chunk_double.c array/chunk_float.c \
	array/code.c array/code.h array/fit.c array/grid.h array/plan.c array/plan.h array/real.h \
	array/slab.c array/slab.h array/trial.h array/steps8.h array/value.h
