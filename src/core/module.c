/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens modules with dlopen(). src/cuda/module.c and lab/gpu.c call this once for each module. */
#define _GNU_SOURCE /* secure_getenv(), dladdr1() */
#include "src/core/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef XC_HAVE_DLOPEN
#include <dlfcn.h>
#ifdef XC_HAVE_DLADDR1
#include <link.h>
#include <unistd.h>

/* Whether the module lies beside the shared object that this code is in, as in a Python package.  A
 * program has no name here, and a relative one does not count: it would lead to another folder
 * after a chdir(). */
static int find_beside(const char *name, char *path, size_t size)
{
	static const char here = 0;
	Dl_info info;
	struct link_map *map = NULL;

	if (!dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || map->l_name[0] != '/')
		return 0;
	const int folder = (int)(strrchr(map->l_name, '/') - map->l_name);
	snprintf(path, size, "%.*s/%s.so", folder, map->l_name, name);
	return !access(path, R_OK);
}
#else
static int find_beside(const char *name, char *path, size_t size)
{
	(void)name, (void)path, (void)size;
	return 0;
}
#endif

static void find(const char *name, char *path, size_t size)
{
	/* The variable is not for programs that run with rights of their own. */
#ifdef XC_HAVE_SECURE_GETENV
	const char *named = secure_getenv("XC_CUDA_MODULE");
#else
	const char *named = NULL;
#endif
	const char *slash = named ? strrchr(named, '/') : NULL;
	if (named && *named && !strcmp(name, "xcodec-cuda"))
		snprintf(path, size, "%s", named);
	else if (slash)
		snprintf(path, size, "%.*s/%s.so", (int)(slash - named), named, name);
	else if (!find_beside(name, path, size))
		snprintf(path, size, XC_PKGLIBDIR "/%s.so", name);
}

const void *xc_module_open(const char *name, uint32_t abi, char *why, size_t size)
{
	char path[4096];
	const void *(*get)(void) = NULL;

	find(name, path, sizeof path);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library) {
		const char *text = dlerror();
		snprintf(why, size, "no CUDA module (XC_CUDA_MODULE can name one): %s", text ? text : path);
		return NULL;
	}
	void *entry = dlsym(library, XC_MODULE_ENTRY);
	/* ISO C has no conversion between pointers to data and to functions. */
	memcpy(&get, &entry, sizeof get);
	const uint32_t *table = get ? get() : NULL;
	dlclose(library);
	if (table && *table == abi)
		return table;
	snprintf(why, size, "%s is not of this version of xcodec", path);
	return NULL;
}

#else

const void *xc_module_open(const char *name, uint32_t abi, char *why, size_t size)
{
	(void)abi;
	snprintf(why, size, "no module %s: built without modules", name);
	return NULL;
}

#endif
