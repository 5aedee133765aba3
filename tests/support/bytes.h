/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory and growing strings of bytes.  Running out of memory ends the program. */
#ifndef XC_TESTS_SUPPORT_BYTES_H
#define XC_TESTS_SUPPORT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Memory of exactly this size, so that a sanitizer sees every access past its end; a copy
 * of data in such memory.  Freed with free(). */
void *xc_test_malloc(size_t size);
void *xc_test_copy(const void *data, size_t size);

/* `OWN_MEMORY type *p = ...` is freed where the scope ends, as what the other OWN_ words declare. */
static inline void xc_test_memory_free(const void *pointer)
{
	free(*(void *const *)pointer);
}
#define OWN_MEMORY __attribute__((cleanup(xc_test_memory_free), unused))

/* Bytes that grow; zero-initialised to start with. */
typedef struct xc_bytes {
	uint8_t *data;
	size_t size, capacity;
} xc_bytes;

void xc_bytes_add(xc_bytes *bytes, const void *data, size_t size);
void xc_bytes_add_u8(xc_bytes *bytes, uint32_t value);
void xc_bytes_add_le16(xc_bytes *bytes, uint32_t value);
void xc_bytes_add_le32(xc_bytes *bytes, uint32_t value);
void xc_bytes_add_be32(xc_bytes *bytes, uint32_t value);
void xc_bytes_add_text(xc_bytes *bytes, const char *text);
void xc_bytes_free(xc_bytes *bytes);
#define OWN_BYTES __attribute__((cleanup(xc_bytes_free))) xc_bytes
/* Bits that become bytes of *out, the first one the highest; up to 30 at a time. */
typedef struct xc_test_bits {
	xc_bytes *out;
	uint32_t bits, count; /* of the byte that is not whole yet */
} xc_test_bits;
void xc_test_bits_put(xc_test_bits *writer, uint32_t value, uint32_t n);
/* Replaces the bytes by those of the file; returns 0 when it cannot be read. */
int xc_bytes_load(xc_bytes *bytes, const char *path);

#endif
