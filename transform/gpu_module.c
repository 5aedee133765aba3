/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* secure_getenv() */
#include "transform/gpu_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#ifdef XC_HAVE_DLOPEN
#include <dlfcn.h>

#include "gpu/module.h"

/* Both modules lie in one folder; $XC_CUDA_MODULE names xcodec-cuda.so in another one,
 * but not for programs that run with rights of their own. */
static void module_path(const char *name, char *path, size_t size)
{
#ifdef XC_HAVE_SECURE_GETENV
	const char *named = secure_getenv("XC_CUDA_MODULE");
#else
	const char *named = NULL;
#endif
	const char *slash = named ? strrchr(named, '/') : NULL;
	if (slash)
		snprintf(path, size, "%.*s/%s.so", (int)(slash - named), named, name);
	else
		snprintf(path, size, XC_PKGLIBDIR "/%s.so", name);
}

const xc_gpu_transform_ops *xc_gpu_transform_module(const char *name,
                                                    char why[XC_DEVICE_MESSAGE])
{
	char path[4096];
	module_path(name, path, sizeof path);
	/* The CUDA runtime in it does not survive being closed and opened again. */
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library) {
		const char *text = dlerror();
		snprintf(why, XC_DEVICE_MESSAGE, "no module: %s", text ? text : "no reason given");
		return NULL;
	}
	xc_gpu_module_getter get = NULL;
	void *entry = dlsym(library, XC_GPU_ENTRY);
	/* ISO C has no conversion between pointers to data and to functions. */
	memcpy(&get, &entry, sizeof get);
	const xc_gpu_module *module = get ? get() : NULL;
	dlclose(library);
	if (module && module->abi == XC_GPU_ABI && module->transform)
		return module->transform;
	snprintf(why, XC_DEVICE_MESSAGE, "%s.so is not of this version of xcodec", name);
	return NULL;
}

#else

const xc_gpu_transform_ops *xc_gpu_transform_module(const char *name,
                                                    char why[XC_DEVICE_MESSAGE])
{
	snprintf(why, XC_DEVICE_MESSAGE, "no module %s: built without modules", name);
	return NULL;
}

#endif
