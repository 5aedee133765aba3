/* SPDX-License-Identifier: BSD-2-Clause */
/* Independent pieces of work over the threads of a context. */
#ifndef XC_PARALLEL_H
#define XC_PARALLEL_H

#include "src/context.h"

/* Threads that `items` pieces of work will use: worker is below this. */
int xc_parallel_workers(const xc_context *context, uint64_t items);

/* Calls work(user, item, worker) once for each item below `items`, in any order; no
 * two calls with the same worker at once.  Progress goes from `from` to `to`. */
void xc_parallel_for(xc_context *context, uint64_t items,
                     void (*work)(void *user, uint64_t item, int worker), void *user, double from,
                     double to);

#endif
