/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of one precision.  XC_REAL_BITS, 16, 32, 64 or 80, is set before, by the makefile where a
 * source is compiled once for each precision.
 *
 *   XC_REAL     the sample type
 *   XC_T(name)  name with the precision's suffix
 *   XC_F(name)  FFTW's name in this precision, such as fftwf_execute
 *   XC_ROUND     rintf() or its like
 *   XC_LINE     samples in a cache line of 64 bytes
 */
#ifndef XC_LAB_REAL_H
#define XC_LAB_REAL_H

#if XC_REAL_BITS == 16 /* in memory; arithmetic is in float */
#define XC_REAL float
#define XC_T(name) name##_f16
#elif XC_REAL_BITS == 32
#define XC_REAL float
#define XC_T(name) name##_f32
#define XC_F(name) fftwf_##name
#define XC_ROUND rintf
#define XC_LINE 16
#elif XC_REAL_BITS == 64
#define XC_REAL double
#define XC_T(name) name##_f64
#define XC_F(name) fftw_##name
#define XC_ROUND rint
#define XC_LINE 8
#elif XC_REAL_BITS == 80
#define XC_REAL long double
#define XC_T(name) name##_f80
#define XC_F(name) fftwl_##name
#define XC_ROUND rintl
#define XC_LINE 4
#else
#error "XC_REAL_BITS must be 16, 32, 64 or 80"
#endif

#endif
