/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of the module that need no picture.  This file also includes every header of the encoder
 * beside every one of the decoder: each name means one thing.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/decode/block.h"
#include "gpu/decode/crc_read.h"
#include "gpu/decode/lane.h"
#include "gpu/decode/lapped.h"
#include "gpu/decode/layout.h"
#include "gpu/decode/pixels.h"
#include "gpu/decode/ranges.h"
#include "gpu/decode/rans/symbols.h"
#include "gpu/decode/rans/values.h"
#include "gpu/decode/rows.h"
#include "gpu/decode/segment.h"

#include "gpu/encode/code.h"
#include "gpu/encode/code_set.h"
#include "gpu/encode/crc_write.h"
#include "gpu/encode/forward.h"
#include "gpu/encode/head.h"
#include "gpu/encode/huffman.h"
#include "gpu/encode/rans/decide.h"
#include "gpu/encode/lapped_rgb.h"
#include "gpu/encode/assemble.h"
#include "gpu/encode/layout.h"

#include "src/core/crc32c.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/check.h"

static void checksums_written(void)
{
	xc_crc_write_constants k;
	uint32_t words[300];
	uint64_t seed = 5;
	xc_crc_write_constants_init(&k);
	for (size_t i = 0; i < 300; i++)
		words[i] = (uint32_t)(check_random(&seed) >> 32);
	for (uint32_t size = 0; size < 1190; size++) {
		uint32_t sum = 0;
		for (uint32_t lane = 0; lane < 32; lane++)
			sum ^= xc_crc_write_lane(&k, k.tables, words, size, lane);
		CHECK(~sum == xc_crc32c(0, words, size), "%u bytes", size);
	}
}

/* Bits that were held are put where a writer would put them, and in no word besides. */
static void held_bits(void)
{
	enum { WORDS = 8 };
	uint64_t seed = 17;
	for (uint32_t start = 0; start < 97; start++)
		for (uint32_t max = 0; max <= 32 * XC_GPU_HELD_WORDS; max++) {
			/* Of its own memory, in front of which a sanitizer sees every access. */
			uint32_t wanted[WORDS] = {0}, *found = calloc(WORDS, sizeof *found);
			xc_gpu_held_bits held = {{0}, 0};
			xc_gpu_bit_writer w = xc_gpu_writer(wanted, start);
			REQUIRE(found, "out of memory");
			while (held.count < max) {
				const uint32_t left = max - held.count, n = 1 + (uint32_t)check_random(&seed) % 23;
				const uint32_t count = n < left ? n : left;
				const uint32_t entry = (uint32_t)check_random(&seed) << (32 - count) | count;
				xc_gpu_put_small(&w, entry);
				xc_gpu_hold_small(&held, entry);
			}
			xc_gpu_put_end(&w);
			xc_gpu_put_held(&held, found, start);
			CHECK(held.count == max && !memcmp(found, wanted, sizeof wanted), "%u bits from %u",
			      max, start);
			free(found);
		}
}

/* States of rANS divide by every frequency as they should: at multiples and beside them, up to the
 * largest state. */
static void quotients(void)
{
	uint64_t seed = 11;
	for (uint32_t f = 1; f < 4096; f++) {
		const xc_gpu_rans_entry e = xc_gpu_rans_entry_of(f, 4095 - f);
		uint32_t wrong = 0;
		for (int i = 0; i < 300; i++) {
			const uint32_t q = i < 2 ? (uint32_t)i : (uint32_t)(check_random(&seed) >> 44);
			const uint32_t at = (i % 3 ? q : (1u << 20) - 1 - q % 5) * f;
			const uint32_t x = at + (i % 2 ? f - 1 : 0);
			wrong += xc_gpu_rans_coded(x, e) != x + x / f * (4096 - f) + (4095 - f);
		}
		wrong += xc_gpu_rans_limit(e) != (f << 20) - 1;
		CHECK(!wrong, "frequency %u: %u of 300", (unsigned)f, (unsigned)wrong);
	}
}

/* Numbers are divided as C divides them: multiples and what is beside them, up to the largest number. */
static void divisions(void)
{
	uint64_t seed = 13;
	for (uint32_t i = 0; i < 6000; i++) {
		const uint32_t d = i < 4000 ? i + 1 : ((uint32_t)check_random(&seed) >> i % 32) | 1;
		const uint32_t inverse = xc_gpu_inverse_of(d), max = UINT32_MAX / d;
		uint32_t wrong = xc_gpu_divide(UINT32_MAX, d, inverse) != max;
		for (uint32_t j = 0; j < 100; j++) {
			const uint32_t q = j < 10 ? j : j < 20 ? max - j : (uint32_t)check_random(&seed);
			const uint32_t at = q % max * d;
			wrong += xc_gpu_divide(at, d, inverse) != at / d;
			wrong += xc_gpu_divide(at - 1, d, inverse) != (at - 1) / d;
		}
		CHECK(!wrong, "by %u: %u of 201", (unsigned)d, (unsigned)wrong);
	}
}

/* Coefficients are reconstructed as the processor does it, whatever the points. */
static void reconstructed(void)
{
	for (int one = -XC_MAX_POINT; one <= XC_MAX_POINT; one++)
		for (int more = -XC_MAX_POINT; more <= XC_MAX_POINT; more++) {
			const xc_value_points p = {(int8_t)one, (int8_t)more};
			int wrong = 0;
			for (int32_t v = -2047; v <= 2047; v++)
				wrong += v && xc_gpu_reconstruct(v, one, more) != xc_reconstruct(v, p);
			CHECK(!wrong, "points %d and %d: %d values", one, more, wrong);
		}
}

/* Ranges hold every segment once, and no more work than there is beside the largest one. */
static void ranges(void)
{
	enum { PICTURES = 7, MAX = 40 };
	xc_gpu_decode_job jobs[PICTURES] = {0};
	xc_gpu_segment *segments = xc_stub_need(PICTURES * MAX * sizeof *segments);
	uint32_t seed = 3, all_segments = 0;
	uint64_t all = 0, largest = 0;
	for (int k = 0; k < PICTURES; k++) {
		jobs[k].first_segment = all_segments;
		jobs[k].segments = 1 + (uint32_t)k * 37 % MAX;
		for (uint32_t i = 0; i < jobs[k].segments; i++) {
			seed = seed * 1664525 + 1013904223;
			const uint32_t size = seed >> 20;
			segments[all_segments++] = (xc_gpu_segment){.start = jobs[k].bytes, .size = size};
			jobs[k].bytes += size;
			largest = size > largest ? size : largest;
		}
		all += jobs[k].bytes;
	}
	all += (uint64_t)all_segments * XC_GPU_SEGMENT_COST;
	for (uint32_t n = 1; n <= 132; n++) {
		xc_gpu_ranges r;
		uint32_t longest = 0, wrong = 0;
		const uint32_t said = xc_gpu_ranges_make(&r, n, jobs, PICTURES, segments,
		                                         XC_GPU_SEGMENT_COST);
		for (uint32_t i = 0; i < n; i++) {
			uint64_t work = 0;
			const uint32_t first = r.first[i], end = r.first[i + 1];
			wrong += end < first || jobs[r.job[i]].first_segment > first;
			for (uint32_t j = first; j < end; j++)
				work += segments[j].size + XC_GPU_SEGMENT_COST;
			wrong += work > all / n + largest + 2 * XC_GPU_SEGMENT_COST;
			longest = end - first > longest ? end - first : longest;
		}
		CHECK(!wrong && r.first[0] == 0 && r.first[n] == all_segments && said == longest,
		      "%u ranges, %u wrong", (unsigned)n, (unsigned)wrong);
	}
	free(segments);
}

/* Every length and alignment, against the CPU's CRC. */
static void checksums_read(void)
{
	xc_crc_read_tables *tables = xc_stub_need(XC_WARP_GROUP_MAX * sizeof *tables);
	uint8_t *memory = xc_stub_need(1200);
	uint32_t seed = 7;
	for (uint32_t i = 0; i < XC_WARP_GROUP_MAX; i++) {
		const xc_crc_read_constants constants = xc_crc_read_constants_make(i + 1);
		xc_crc_read_fill(&tables[i], &constants, 0, 1);
	}
	for (int i = 0; i < 1200; i++) {
		seed = seed * 1664525 + 1013904223;
		memory[i] = (uint8_t)(seed >> 24);
	}
	for (uint32_t size = 1; size < 600; size++) {
		uint8_t *exact = xc_stub_need((size + 15 + 3) / 4 * 4);
		for (uint32_t shift = 0; shift < 16; shift++) {
			memcpy(exact + shift, memory + size, size);
			const xc_gpu_bits b = xc_gpu_bits_of(exact + shift, size);
			const uint32_t right = xc_crc32c(0, exact + shift, size);
			uint32_t *to = xc_stub_need(xc_gpu_copy_words(size) * sizeof *to);
			xc_warp_group wg = {1 + (size + shift) % XC_WARP_GROUP_MAX, 0, NULL, 0};
			const xc_crc_read_tables *t = &tables[wg.warps - 1];
			const xc_gpu_bits copy = xc_gpu_copy_bits(&wg, &b, to, 0);
			CHECK(xc_crc_read(&wg, &b, t, 0) == right && xc_crc_read(&wg, &copy, t, 1) == right,
			      "%u bytes, %u beside a group, %u warps", (unsigned)size, (unsigned)shift,
			      (unsigned)wg.warps);
			free(to);
		}
		free(exact);
	}
	free(memory);
	free(tables);
}

int main(void)
{
	if (!xc_stub_fits())
		return CHECK_SKIPPED;
	RUN(checksums_written, checksums_read, held_bits, quotients, divisions, reconstructed, ranges);
	return check_done();
}
