/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of transforms on a GPU. */
#ifndef XC_LAB_COMMAND_BENCH_DEVICE_H
#define XC_LAB_COMMAND_BENCH_DEVICE_H

#include "lab/command/bench_report.h"

#include "lab/registry.h"

/* The kernels' times of all algorithms of a list (ends with NULL; those that are not of
 * a device are passed over) on arrays of one size, with a copy on the device and cuFFT's
 * real FFT measured beside them.  0, or -1 after reporting why not. */
int xc_bench_device(xc_bench_report *report, const xc_algorithm *const *list,
                    const xc_transform_size *size, xc_precision precision, int runs);

/* Whether any algorithm of the list can run here; if not, why. */
int xc_bench_device_usable(const xc_algorithm *const *list, char why[XC_DEVICE_MESSAGE]);

#endif
