/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef XC_HAVE_LIBARCHIVE
#include "cli/stream/libarchive.h"

#ifndef XC_LIBARCHIVE_NAME

/* Where libraries cannot be loaded by name, it is linked. */
#define LINKED(name) .name = archive_##name,
xc_cli_libarchive libarchive = {XC_CLI_LIBARCHIVE(LINKED)};

const char *xc_cli_libarchive_load(void)
{
	return NULL;
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

xc_cli_libarchive libarchive;

static char failure[512]; /* "": none */

static void fail(const char *fallback)
{
	const char *why = dlerror();

	snprintf(failure, sizeof failure, "%s", why ? why : fallback);
}

static void find(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		fail(name);
	/* ISO C has no conversion between pointers to data and to functions. */
	memcpy(function, &symbol, sizeof symbol);
}

static void load(void)
{
	void *library = dlopen(XC_LIBARCHIVE_NAME, RTLD_LAZY | RTLD_LOCAL);

	if (!library) {
		fail(XC_LIBARCHIVE_NAME);
		return;
	}
#define FIND(name) find(library, "archive_" #name, &libarchive.name);
	XC_CLI_LIBARCHIVE(FIND)
}

const char *xc_cli_libarchive_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return *failure ? failure : NULL;
}

#endif
#endif
