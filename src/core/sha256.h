/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_CORE_SHA256_H
#define XC_SRC_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { XC_SHA256_BYTES = 32 };

/* SHA-256 (FIPS 180-4). */
void xc_sha256(const void *data, size_t size, uint8_t hash[XC_SHA256_BYTES]);
/* The same without any special instruction. */
void xc_sha256_portable(const void *data, size_t size, uint8_t hash[XC_SHA256_BYTES]);

#endif
