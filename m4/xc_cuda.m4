# SPDX-License-Identifier: BSD-2-Clause

# XC_CUDA
# Looks for nvcc in PATH, in $CUDA_HOME and where NVIDIA's packages put it, and which
# of the wanted GPUs it compiles for.  Sets XC_CUDA_CODE: machine code for each of
# CUDA_ARCHS, and PTX of the first and the last of them for what is older or newer
# than the list.  Without CUDA_ARCHS these are the GPUs of this machine; where there is
# none, PTX alone, which the driver compiles when the module is first loaded.
AC_DEFUN([XC_CUDA], [
	AC_ARG_ENABLE([cuda], [AS_HELP_STRING([--disable-cuda],
		[do not look for CUDA])],
		[], [enable_cuda=auto])
	AC_ARG_VAR([NVCC], [the CUDA compiler])
	AC_ARG_VAR([NVCCFLAGS], [flags for the CUDA compiler])
	AC_ARG_VAR([CUDA_ARCHS], [GPUs to compile for, as compute capabilities without the dot, such as
		"75 80 86 89 90" @<:@those of this machine, else PTX for 75@:>@])
	xc_have_cuda=no
	AS_IF([test "$enable_cuda" != no], [
		AC_PATH_PROG([NVCC], [nvcc], [],
			[$PATH$PATH_SEPARATOR${CUDA_HOME:-/usr/local/cuda}/bin])
		AS_IF([test -n "$NVCC"], [XC_CUDA_COMPILER])
		AS_IF([test "$xc_have_cuda" = no && test "$enable_cuda" = yes],
			[AC_MSG_ERROR([CUDA was asked for, but no nvcc that works was found])])
	])
	AC_SUBST([XC_CUDA_CODE])
	AM_CONDITIONAL([XC_CUDA], [test "$xc_have_cuda" = yes])
	xc_have_cufft=no
	AS_IF([test "$xc_have_cuda" = yes], [XC_CUFFT])
	AM_CONDITIONAL([XC_CUFFT], [test "$xc_have_cufft" = yes])
])

# XC_CUFFT
# cuFFT is for some transforms of the command alone, in a module of their own.
AC_DEFUN([XC_CUFFT], [
	AC_MSG_CHECKING([for cuFFT])
	printf '%s\n' '#include <cufft.h>' \
		'int f(cufftHandle *plan) { return cufftPlan1d(plan, 8, CUFFT_R2C, 1); }' >conftest.cu
	AS_IF(["$NVCC" -shared -Xcompiler=-fPIC -o conftest.so conftest.cu -lcufft \
		>&AS_MESSAGE_LOG_FD 2>&1], [xc_have_cufft=yes])
	rm -f conftest.cu conftest.so
	AC_MSG_RESULT([$xc_have_cufft])
])

# XC_CUDA_COMPILER
# Leaves out what this nvcc is too old or too new for.
AC_DEFUN([XC_CUDA_COMPILER], [
	XC_CUDA_CODE= xc_cuda_first= xc_cuda_last=
	AS_IF([test -z "$CUDA_ARCHS"], [
		CUDA_ARCHS=`nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
			sed -n 's/^ *\(@<:@0-9@:>@@<:@0-9@:>@*\)\.\(@<:@0-9@:>@\) *$/\1\2/p' | sort -nu | tr '\n' ' '`
	])
	AC_MSG_CHECKING([what $NVCC compiles for])
	xc_cuda_known=`"$NVCC" --list-gpu-code 2>/dev/null | tr '\n' ' '`
	AS_IF([test -z "$CUDA_ARCHS"], [xc_cuda_first=75 xc_cuda_last=75])
	for xc_arch in $CUDA_ARCHS; do
		AS_CASE([" $xc_cuda_known "], [*" sm_$xc_arch "*], [
			AS_VAR_APPEND([XC_CUDA_CODE],
				[" -gencode arch=compute_$xc_arch,code=sm_$xc_arch"])
			: ${xc_cuda_first:=$xc_arch}
			xc_cuda_last=$xc_arch
		])
	done
	AS_IF([test -n "$xc_cuda_first"], [
		for xc_arch in `printf '%s\n' $xc_cuda_first $xc_cuda_last | sort -u`; do
			AS_VAR_APPEND([XC_CUDA_CODE],
				[" -gencode arch=compute_$xc_arch,code=compute_$xc_arch"])
		done
		printf '%s\n' 'static __global__ void f(void) {}' \
			'int g(void) { f<<<1, 1>>>(); return 0; }' >conftest.cu
		AS_IF(["$NVCC" $XC_CUDA_CODE -c -o conftest.o conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
			[xc_have_cuda=yes])
		rm -f conftest.cu conftest.o
	])
	xc_cuda_codes=`printf '%s\n' $XC_CUDA_CODE | sed -n 's/^arch=.*,code=//p' | tr '\n' ' '`
	AS_IF([test "$xc_have_cuda" = yes],
		[AC_MSG_RESULT([$xc_cuda_codes])],
		[AC_MSG_RESULT([nothing that is wanted: no CUDA])])
])
