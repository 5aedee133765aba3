/* SPDX-License-Identifier: BSD-2-Clause */
/* The hash of whole JPEGs. It is the one that sha256sum prints, so an archive can be compared with
 * lists that other programs made. x86 has instructions for it, by which it costs a fortieth of coding;
 * one function of our own takes less than a library that every program would have to link. */
#include "src/core/sha256.h"

#include <string.h>

#if defined __x86_64__ && defined __GNUC__
#include <cpuid.h>
#include <immintrin.h>
#endif

/* The first 32 bits after the point of the cube roots of the first 64 primes. */
static const uint32_t roots[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
                                   0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
                                   0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
                                   0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
                                   0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
                                   0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
                                   0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
                                   0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
                                   0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
                                   0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
                                   0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
                                   0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
                                   0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

typedef void (*block_function)(uint32_t state[8], const uint8_t *p, size_t blocks);

static uint32_t turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void blocks_portable(uint32_t state[8], const uint8_t *p, size_t blocks)
{
	for (; blocks; blocks--, p += 64) {
		uint32_t w[64], s[8];
		memcpy(s, state, sizeof s);
		for (int i = 0; i < 16; i++)
			w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
			       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
		for (int i = 16; i < 64; i++)
			w[i] = w[i - 16] + w[i - 7] +
			       (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
			       (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
		for (int i = 0; i < 64; i++) {
			const uint32_t a = s[0], e = s[4];
			const uint32_t t = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
			                   ((e & s[5]) ^ (~e & s[6])) + roots[i] + w[i];
			memmove(s + 1, s, 28);
			s[4] += t;
			s[0] = t + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
			       ((a & s[2]) ^ (a & s[3]) ^ (s[2] & s[3]));
		}
		for (int i = 0; i < 8; i++)
			state[i] += s[i];
	}
}

#if defined __x86_64__ && defined __GNUC__
static int has_instructions(void)
{
	unsigned a, b, c, d;

	return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
	       b >> 29 & 1;
}

/* x: A, B, E, F, y: C, D, G, H, from the highest lane; w: the last 16 words of the schedule. */
__attribute__((target("sha,sse4.1"))) static void blocks_sha(uint32_t state[8], const uint8_t *p,
                                                             size_t blocks)
{
	const __m128i bytes = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
	__m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const void *)state), 0xb1);
	__m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(state + 4)), 0x1b);
	__m128i x = _mm_alignr_epi8(low, high, 8), y = _mm_blend_epi16(high, low, 0xf0);

	for (; blocks; blocks--, p += 64) {
		const __m128i x0 = x, y0 = y;
		__m128i w[4];
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) {
			if (i < 4) {
				w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(p + 16 * i)), bytes);
			} else {
				const __m128i last = w[(i + 3) % 4];
				const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]),
				                                  _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
				w[i % 4] = _mm_sha256msg2_epu32(sum, last);
			}
			const __m128i k = _mm_add_epi32(w[i % 4],
			                                _mm_loadu_si128((const void *)(roots + 4 * i)));
			y = _mm_sha256rnds2_epu32(y, x, k);
			x = _mm_sha256rnds2_epu32(x, y, _mm_shuffle_epi32(k, 0x0e));
		}
		x = _mm_add_epi32(x, x0);
		y = _mm_add_epi32(y, y0);
	}
	low = _mm_shuffle_epi32(x, 0x1b);
	high = _mm_shuffle_epi32(y, 0xb1);
	_mm_storeu_si128((void *)state, _mm_blend_epi16(low, high, 0xf0));
	_mm_storeu_si128((void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
#endif

static void hash_by(block_function run, const uint8_t *data, size_t size,
                    uint8_t hash[XC_SHA256_BYTES])
{
	/* The first 32 bits after the point of the square roots of the first eight primes. */
	uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	const size_t rest = size % 64, blocks = rest < 56 ? 1 : 2;
	uint8_t end[128] = {0};

	run(state, data, size / 64);
	if (rest)
		memcpy(end, data + size - rest, rest);
	end[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		end[64 * blocks - 1 - (size_t)i] = (uint8_t)((uint64_t)size << 3 >> 8 * i);
	run(state, end, blocks);
	for (int i = 0; i < XC_SHA256_BYTES; i++)
		hash[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void xc_sha256_portable(const void *data, size_t size, uint8_t hash[XC_SHA256_BYTES])
{
	hash_by(blocks_portable, data, size, hash);
}

void xc_sha256(const void *data, size_t size, uint8_t hash[XC_SHA256_BYTES])
{
	block_function run = blocks_portable;

#if defined __x86_64__ && defined __GNUC__
	if (has_instructions())
		run = blocks_sha;
#endif
	hash_by(run, data, size, hash);
}
