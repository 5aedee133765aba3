/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/gpu/nvjpeg_library.h"

#include "config.h"

#include <string.h>

#ifdef XC_HAVE_DLOPEN
#include <dlfcn.h>

static int load_functions(void *library, xc_nvjpeg *f)
{
	/* clang-format off */
	static const char *const names[] = {
		"nvjpegCreateSimple", "nvjpegCreateEx", "nvjpegDestroy",
		"nvjpegGetHardwareDecoderInfo", "nvjpegEncoderStateCreate",
		"nvjpegEncoderStateDestroy", "nvjpegEncoderParamsCreate",
		"nvjpegEncoderParamsDestroy", "nvjpegEncoderParamsSetQuality",
		"nvjpegEncoderParamsSetOptimizedHuffman", "nvjpegEncoderParamsSetSamplingFactors",
		"nvjpegEncodeImage", "nvjpegEncodeRetrieveBitstream",
		"nvjpegEncodeRetrieveBitstreamDevice", "nvjpegJpegStateCreate",
		"nvjpegJpegStateDestroy", "nvjpegDecode", "nvjpegDecodeBatchedInitialize",
		"nvjpegDecodeBatched",
	};
	/* clang-format on */
	_Static_assert(sizeof *f == sizeof names, "a name for each function");
	void *entries[sizeof names / sizeof *names];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		entries[i] = dlsym(library, names[i]);
		if (!entries[i])
			return -1;
	}
	/* ISO C has no conversion between pointers to data and to functions. */
	memcpy(f, entries, sizeof *f);
	return 0;
}

void *xc_nvjpeg_open(xc_nvjpeg *f)
{
	static const char *const names[] = {"libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so",
	                                    "/usr/local/cuda/lib64/libnvjpeg.so"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		if (library && load_functions(library, f) == 0)
			return library;
		if (library)
			dlclose(library);
	}
	return NULL;
}

void xc_nvjpeg_close(void *library)
{
	dlclose(library);
}

#else

void *xc_nvjpeg_open(xc_nvjpeg *f)
{
	memset(f, 0, sizeof *f);
	return NULL;
}

void xc_nvjpeg_close(void *library)
{
	(void)library;
}

#endif
