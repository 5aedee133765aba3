# SPDX-License-Identifier: BSD-2-Clause

# XC_CUDA
# Looks for nvcc in PATH, in $CUDA_HOME and where NVIDIA's packages put it.
AC_DEFUN([XC_CUDA], [
	AC_ARG_ENABLE([cuda], [AS_HELP_STRING([--disable-cuda],
		[do not look for CUDA])],
		[], [enable_cuda=auto])
	AC_ARG_VAR([NVCC], [the CUDA compiler])
	xc_have_cuda=no
	AS_IF([test "$enable_cuda" != no], [
		AC_PATH_PROG([NVCC], [nvcc], [],
			[$PATH$PATH_SEPARATOR${CUDA_HOME:-/usr/local/cuda}/bin])
		AS_IF([test -n "$NVCC"], [xc_have_cuda=yes],
			[test "$enable_cuda" = yes],
			[AC_MSG_ERROR([CUDA was asked for, but nvcc was not found])])
	])
	AM_CONDITIONAL([XC_CUDA], [test "$xc_have_cuda" = yes])
])
