/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a module: a shared object of this build with code that not every machine can run. */
#ifndef XC_SRC_CORE_MODULE_H
#define XC_SRC_CORE_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* Every module exports this function, which has no arguments and returns a table of functions. The
 * table's first field is a uint32_t, the ABI that both sides were compiled with. */
#define XC_MODULE_ENTRY "xc_module_get"

/* Opens the module `name` ("xcodec-cuda") and returns its table, or NULL and one line in `why`
 * without a newline. The module is looked for beside the file that the environment variable
 * XC_CUDA_MODULE names, else beside the shared object that contains the library, else where `make
 * install` puts it; xcodec-cuda may also be that file under any name. A module stays loaded: CUDA's
 * runtime cannot be opened again. */
const void *xc_module_open(const char *name, uint32_t abi, char *why, size_t size);

#endif
