/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs independent items on the threads of a context. */
#ifndef XC_SRC_CORE_PARALLEL_H
#define XC_SRC_CORE_PARALLEL_H

#include "src/core/context.h"

/* About how many microseconds one thread takes. This decides how many threads are used. */
uint64_t xc_parallel_coding_time(uint64_t pixels);
uint64_t xc_parallel_copying_time(uint64_t bytes);

/* The number of threads that xc_parallel_for() uses; `worker` is below it. */
int xc_parallel_workers(const xc_context *context, uint64_t items, uint64_t time);

/* Calls work(user, item, worker) once for each item below `items`, in any order, and never two at
 * once with the same worker. Reports progress from `from` to `to` if they differ. XC_ERR_CANCELLED:
 * the progress function ended the call, and items may be left out. */
xc_status xc_parallel_for(xc_context *context, uint64_t items, uint64_t time,
                          void (*work)(void *user, uint64_t item, int worker), void *user,
                          double from, double to);

/* The same with at most this number of threads, 1 or more. */
xc_status xc_parallel_by(xc_context *context, int workers, uint64_t items,
                         void (*work)(void *user, uint64_t item, int worker), void *user,
                         double from, double to);

#endif
