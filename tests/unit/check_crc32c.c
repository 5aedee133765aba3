/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C: the test values of RFC 3720, B.4, and the check value of "123456789";
 * any special instructions against plain C; checksums continued in pieces. */
#include <string.h>

#include "src/core/crc32c.h"
#include "tests/support/check.h"

static void known_values(int portable)
{
	/* The SCSI Read (10) command PDU of the RFC. */
	static const uint8_t pdu[48] = {0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0,    0, 0, 0, 0,
	                                0x14, 0,    0, 0, 0, 0, 4, 0, 0,    0, 0, 0x14, 0, 0, 0, 0x18,
	                                0x28, 0,    0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0,    0, 0, 0, 0};
	uint8_t zeros[32] = {0}, ones[32], up[32], down[32];

	for (int i = 0; i < 32; i++) {
		ones[i] = 255;
		up[i] = (uint8_t)i;
		down[i] = (uint8_t)(31 - i);
	}
	const struct {
		const char *name;
		const void *data;
		size_t size;
		uint32_t crc;
	} known[] = {
		{"nothing", zeros, 0, 0},
		{"zeros", zeros, 32, 0x8a9136aa},
		{"ones", ones, 32, 0x62a8ab43},
		{"counting up", up, 32, 0x46dd794e},
		{"counting down", down, 32, 0x113fdb5c},
		{"a SCSI command", pdu, 48, 0xd9963a56},
		{"digits", "123456789", 9, 0xe3069283},
	};
	for (size_t i = 0; i < COUNT(known); i++) {
		const uint32_t found = (portable ? xc_crc32c_portable : xc_crc32c)(0, known[i].data,
		                                                                   known[i].size);
		CHECK(found == known[i].crc, "%s: %08x instead of %08x", known[i].name, found,
		      known[i].crc);
	}
}

static uint8_t data[10000];

/* All short lengths at all alignments, and some long ones. */
static void fast_equals_portable(void)
{
	for (size_t at = 0; at < 16; at++) {
		for (size_t n = 0; n < sizeof data - 16; n = n < 300 ? n + 1 : n * 3 / 2) {
			const uint32_t start = (uint32_t)(n * 2654435761u);
			CHECK(xc_crc32c(start, data + at, n) == xc_crc32c_portable(start, data + at, n),
			      "%zu bytes at %zu", n, at);
		}
	}
}

static void pieces(void)
{
	const uint32_t whole = xc_crc32c_portable(0, data, 1000);

	for (size_t cut = 0; cut <= 1000; cut++) {
		const uint32_t first = xc_crc32c(0, data, cut);
		CHECK(xc_crc32c(first, data + cut, 1000 - cut) == whole, "cut at %zu", cut);
		CHECK(xc_crc32c_portable(first, data + cut, 1000 - cut) == whole, "cut at %zu", cut);
	}
}

int main(void)
{
	uint64_t seed = 3;

	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(check_random(&seed) >> 56);
	RUN_FOR("fast", 0, known_values);
	RUN_FOR("portable", 1, known_values);
	RUN(fast_equals_portable, pieces);
	return check_done();
}
