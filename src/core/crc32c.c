/* SPDX-License-Identifier: BSD-2-Clause */
/* The checksum of chunks and segments. Files are checked as they are decoded, so speed matters:
 * with SSE4.2 eight bytes a step. */
#include "src/core/crc32c.h"

#include <string.h>

/* The CRC of a byte is linear in its bits, so an entry is the sum of up to eight constants: x^(8+i)
 * modulo the polynomial, reflected. */
#define BIT(n, i, c) ((n) >> (i)&1 ? (c) : 0u)
#define E(n) \
	(BIT(n, 0, 0xf26b8303u) ^ BIT(n, 1, 0xe13b70f7u) ^ BIT(n, 2, 0xc79a971fu) ^ \
	 BIT(n, 3, 0x8ad958cfu) ^ BIT(n, 4, 0x105ec76fu) ^ BIT(n, 5, 0x20bd8edeu) ^ \
	 BIT(n, 6, 0x417b1dbcu) ^ BIT(n, 7, 0x82f63b78u))
#define E4(n) E(n), E((n) + 1), E((n) + 2), E((n) + 3)
#define E16(n) E4(n), E4((n) + 4), E4((n) + 8), E4((n) + 12)
#define E64(n) E16(n), E16((n) + 16), E16((n) + 32), E16((n) + 48)
static const uint32_t table[256] = {E64(0), E64(64), E64(128), E64(192)};

uint32_t xc_crc32c_portable(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;

	crc = ~crc;
	for (; size; size--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
	return ~crc;
}

#if defined __x86_64__ && defined __GNUC__
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const void *data,
                                                               size_t size)
{
	const uint8_t *p = data;
	uint64_t c = ~crc;

	for (; size >= 8; size -= 8, p += 8) {
		uint64_t word;
		memcpy(&word, p, 8);
		c = __builtin_ia32_crc32di(c, word);
	}
	for (; size; size--)
		c = __builtin_ia32_crc32qi((uint32_t)c, *p++);
	return ~(uint32_t)c;
}

#endif

uint32_t xc_crc32c(uint32_t crc, const void *data, size_t size)
{
#if defined __x86_64__ && defined __GNUC__
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(crc, data, size);
#endif
	return xc_crc32c_portable(crc, data, size);
}
