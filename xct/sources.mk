# SPDX-License-Identifier: BSD-2-Clause
#
# libxct, the transforms of the laboratory for other programs; lab/sources.mk has the rest of it.
xct_sources = xct/context.h xct/context.c xct/strided.h xct/strided.c xct/plan.c
EXTRA_DIST += include/xct.h xct/libxct.map
