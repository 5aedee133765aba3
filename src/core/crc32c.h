/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_CORE_CRC32C_H
#define XC_SRC_CORE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli; RFC 3720, B.4) of `size` bytes, continuing from `crc`; start with 0. */
uint32_t xc_crc32c(uint32_t crc, const void *data, size_t size);
/* The same without any special instruction. */
uint32_t xc_crc32c_portable(uint32_t crc, const void *data, size_t size);

#endif
