# SPDX-License-Identifier: BSD-2-Clause

# XC_SIMD_LEVEL(NAME, FLAGS, PROLOGUE, BODY)
# Sets xc_have_NAME to yes or no: whether the compiler can build for that level.
AC_DEFUN([XC_SIMD_LEVEL], [
	xc_have_$1=no
	XC_CHECK_CFLAGS([$2], [xc_have_$1=yes], [], [$3], [$4])
])

# XC_SIMD
# One set of flags a level; which level runs is decided when the program starts.
# The codec's levels leave out -mfma, which would let a compiler fuse operations
# that must stay apart; the transform registry's may use it.
AC_DEFUN([XC_SIMD], [
	AC_ARG_ENABLE([simd], [AS_HELP_STRING([--disable-simd],
		[plain C only: no code for particular processors])],
		[], [enable_simd=yes])

	xc_avx2_flags="-mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt"
	xc_avx512_flags="$xc_avx2_flags -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mavx512vbmi2 -mavx512vnni"
	xc_have_sse2=no xc_have_avx2=no xc_have_avx512=no xc_have_neon=no

	AS_IF([test "$enable_simd" = yes], [
		AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
			#if !defined __x86_64__ || !defined __SSE2__
			#error "not x86-64"
			#endif
			]])], [xc_have_sse2=yes])
		AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
			#if !defined __aarch64__ || !defined __ARM_NEON
			#error "not AArch64"
			#endif
			]])], [xc_have_neon=yes])
	])

	AS_IF([test "$xc_have_sse2" = yes], [
		XC_SIMD_LEVEL([avx2],
			[-mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt -mfma],
			[@%:@include <immintrin.h>],
			[volatile __m256i a = _mm256_set1_epi32(3);
			 (void)_mm256_mullo_epi32(a, a); (void)_pext_u64(1, 2);])
		XC_SIMD_LEVEL([avx512],
			[-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mavx512vbmi2 -mavx512vnni],
			[@%:@include <immintrin.h>],
			[volatile __m512i a = _mm512_set1_epi8(3);
			 (void)_mm512_maskz_compress_epi8(1, _mm512_permutexvar_epi8(a, a));])
		AS_IF([test "$xc_have_avx2" = no], [xc_have_avx512=no])
	])

	m4_foreach_w([xc_level], [sse2 avx2 avx512 neon], [
		AS_IF([test "$xc_have_]xc_level[" = yes], [
			AC_DEFINE([XC_HAVE_]m4_toupper(xc_level), [1],
				[Define to 1 when the ]xc_level[ level is built.])
		])
	])
	AM_CONDITIONAL([XC_X86_64], [test "$xc_have_sse2" = yes])
	AM_CONDITIONAL([XC_AVX2], [test "$xc_have_avx2" = yes])
	AM_CONDITIONAL([XC_AVX512], [test "$xc_have_avx512" = yes])
	AM_CONDITIONAL([XC_ARM64], [test "$xc_have_neon" = yes])
	AC_SUBST([XC_AVX2_CFLAGS], ["$xc_avx2_flags"])
	AC_SUBST([XC_AVX512_CFLAGS], ["$xc_avx512_flags"])
])
