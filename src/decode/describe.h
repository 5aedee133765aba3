/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_DECODE_DESCRIBE_H
#define XC_SRC_DECODE_DESCRIBE_H

#include "src/container/container.h"

/* What a container says about its file of so many bytes. */
void xc_describe(const xc_container *container, uint64_t file_bytes, xc_info *info);

#endif
