/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec's kernels have gpu/runtime/device.h before everything; those of the registry are
 * written for other precisions, and for the device alone.  Comes first.
 */
#undef XC_DEVICE
#undef XC_V
#undef XC_UNROLL
#define XC_DEVICE __device__
