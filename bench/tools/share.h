/* SPDX-License-Identifier: BSD-2-Clause */
/* The rival of xcodec-mpi's way to share out work; see share.c. */
#ifndef XC_BENCH_TOOLS_SHARE_H
#define XC_BENCH_TOOLS_SHARE_H

#include "mpi/share.h"

/* Does what xc_mpi_share_attend() does, for the lines of a regular file that each rank can read.  The
 * lines' numbers are the bytes where they begin. */
void share_by_counter(xc_mpi_share *share, const char *list);

#endif
