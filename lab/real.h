/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of one precision, for templates by include: define XC_REAL_BITS as
 * 32, 64 or 80, then include this (again for the next precision).
 *
 *   XC_REAL     the sample type
 *   XC_T(name)  name with the precision's suffix
 *   XC_F(name)  FFTW's name in this precision, such as fftwf_execute
 *   XC_LINE     samples in a cache line of 64 bytes
 */
#undef XC_REAL
#undef XC_T
#undef XC_F
#undef XC_LINE

#if XC_REAL_BITS == 32
#define XC_REAL float
#define XC_T(name) name##_f32
#define XC_F(name) fftwf_##name
#define XC_LINE 16
#elif XC_REAL_BITS == 64
#define XC_REAL double
#define XC_T(name) name##_f64
#define XC_F(name) fftw_##name
#define XC_LINE 8
#elif XC_REAL_BITS == 80
#define XC_REAL long double
#define XC_T(name) name##_f80
#define XC_F(name) fftwl_##name
#define XC_LINE 4
#else
#error "XC_REAL_BITS must be 32, 64 or 80"
#endif
