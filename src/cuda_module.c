/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* secure_getenv() */
#include "src/cuda_module.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"

xc_status xc_cuda_status(xc_context *c, xc_status status, const xc_gpu_error *e)
{
	return status ? xc_fail(c, status, "%s", e->text) : XC_OK;
}

#ifdef XC_HAVE_DLOPEN
#include <dlfcn.h>

/* The variable is not for programs that run with rights of their own. */
static const char *module_path(void)
{
#ifdef XC_HAVE_SECURE_GETENV
	const char *named = secure_getenv("XC_CUDA_MODULE");
#else
	const char *named = NULL;
#endif
	return named && *named ? named : XC_PKGLIBDIR "/xcodec-cuda.so";
}

/* The module stays loaded: the CUDA runtime in it does not survive being closed and
 * opened again, and dlopen() of what is there is cheap. */
xc_status xc_cuda_module_open(xc_context *c, const xc_gpu_module **module)
{
	const char *path = module_path();
	*module = NULL;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library) {
		const char *why = dlerror();
		return xc_fail(c, XC_ERR_DEVICE, "no CUDA module (XC_CUDA_MODULE can name one): %s",
		               why ? why : path);
	}
	xc_gpu_module_getter get = NULL;
	void *entry = dlsym(library, XC_GPU_ENTRY);
	/* ISO C has no conversion between pointers to data and to functions. */
	memcpy(&get, &entry, sizeof get);
	const xc_gpu_module *found = get ? get() : NULL;
	dlclose(library);
	if (!found || found->abi != XC_GPU_ABI)
		return xc_fail(c, XC_ERR_DEVICE, "%s is not of this version of libxcodec", path);
	*module = found;
	return XC_OK;
}

#else

xc_status xc_cuda_module_open(xc_context *c, const xc_gpu_module **module)
{
	*module = NULL;
	return xc_fail(c, XC_ERR_DEVICE, "built without CUDA");
}

#endif
