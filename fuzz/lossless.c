/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as samples of a tile without loss, coded and decoded, and as a segment. The input: a
 * byte each for width and height, one whose bits are channels, depth, effort and whether it may be a
 * drawing and may be cleared, and one for the error that is allowed; then the samples, repeated as
 * needed, which are also the segment. All SIMD levels must agree, and the reference decoder with
 * them.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "lossless/lossless.h"
#include "tests/format/refdec.h"
#include "tests/support/check.h"

enum { HEAD_BYTES = 4, SIDE = 64 };

unsigned xc_fuzz_mutations = 20;

typedef struct tile {
	xc_lossless_shape shape;
	xc_lossless_options options;
	size_t row, bytes;
	uint8_t *samples;
} tile;

static void take_head(const uint8_t *data, tile *t)
{
	const uint32_t bits = data[2], channels = 1 + bits % 4, depth = bits & 4 ? 16 : 8;
	const uint32_t error = data[3] % 4 ? 0 : data[3] * (depth == 8 ? 1 : 16u);

	t->shape = (xc_lossless_shape){1 + data[0] % SIDE, 1 + data[1] % SIDE, channels, depth, error};
	t->options = (xc_lossless_options){bits >> 3 & 3, bits >> 5 & 1, bits >> 6 & 1};
	t->row = (size_t)t->shape.width * channels * (depth / 8);
	t->bytes = t->row * t->shape.height;
}

static uint32_t sample(const tile *t, const uint8_t *samples, size_t i)
{
	return t->shape.depth == 8 ? samples[i] : ((const uint16_t *)(const void *)samples)[i];
}

/* Decodes by all levels, which must agree; 1: the segment is good. */
static int decode(const tile *t, const uint8_t *segment, size_t size, uint8_t *out)
{
	OWN_MEMORY void *const scratch = xc_test_malloc(xc_lossless_decode_scratch(&t->shape));
	OWN_MEMORY uint8_t *const other = xc_test_malloc(t->bytes);
	OWN_MEMORY uint16_t *const wanted = xc_test_malloc(t->bytes * 2);
	const uint32_t shape[5] = {t->shape.width, t->shape.height, t->shape.channels, t->shape.depth,
	                           t->shape.max_error};
	const int good = !refdec_decode_lossless(shape, segment, size, wanted);

	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		uint8_t *const to = cpu ? other : out;
		const xc_lossless_level *l = xc_lossless_level_get((xc_cpu)cpu);
		FUZZ_CHECK(l->decode(&t->shape, segment, size, scratch, to, t->row) == good,
		           "%s: good is %d", xc_cpu_name((xc_cpu)cpu), !good);
		FUZZ_CHECK(!good || !cpu || !memcmp(out, other, t->bytes), "%s: other samples",
		           xc_cpu_name((xc_cpu)cpu));
	}
	for (size_t i = 0; good && i < t->bytes * 8 / t->shape.depth; i++)
		FUZZ_CHECK(wanted[i] == sample(t, out, i), "sample %zu is another one", i);
	return good;
}

static void check_samples(const tile *t, const uint8_t *decoded)
{
	const uint32_t channels = t->shape.channels;

	for (size_t i = 0; i < t->bytes * 8 / t->shape.depth; i++) {
		const int alpha = channels % 2 == 0;
		const size_t of_alpha = i - i % channels + channels - 1;
		const int clear = alpha && t->options.clear_transparent && !sample(t, t->samples, of_alpha);
		const int64_t most = alpha && i == of_alpha ? 0 : t->shape.max_error;
		const int64_t d = (int64_t)sample(t, decoded, i) - (clear ? 0 : sample(t, t->samples, i));
		FUZZ_CHECK(d <= most && -d <= most, "sample %zu is off by %lld", i, (long long)d);
	}
}

/* Codes by scalar code and by another level, which must agree; returns the bytes. */
static size_t encode(const tile *t, unsigned choice, uint8_t *out)
{
	const size_t bound = xc_lossless_bound(&t->shape);
	OWN_MEMORY void *const scratch = xc_test_malloc(xc_lossless_encode_scratch(&t->shape));
	OWN_MEMORY uint8_t *const other = xc_test_malloc(bound);
	const xc_cpu cpu = (xc_cpu)(choice % XC_CPU_LEVELS);
	const size_t size = xc_lossless_level_get(XC_CPU_SCALAR)
	                        ->encode(&t->shape, &t->options, t->samples, t->row, scratch, out);

	FUZZ_CHECK(size <= bound, "%zu bytes, at most %zu", size, bound);
	if (!xc_cpu_usable(cpu))
		return size;
	const size_t again = xc_lossless_level_get(cpu)->encode(&t->shape, &t->options, t->samples,
	                                                        t->row, scratch, other);
	FUZZ_CHECK(again == size && !memcmp(out, other, size), "%s: other bytes", xc_cpu_name(cpu));
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tile t;

	if (size <= HEAD_BYTES)
		return 0;
	take_head(data, &t);
	OWN_MEMORY uint8_t *const samples = xc_test_malloc(t.bytes), *const decoded = xc_test_malloc(
																	 t.bytes);
	OWN_MEMORY uint8_t *const segment = xc_test_malloc(xc_lossless_bound(&t.shape));
	t.samples = samples;
	for (size_t i = 0; i < t.bytes; i++)
		samples[i] = data[HEAD_BYTES + i % (size - HEAD_BYTES)];
	OWN_MEMORY uint8_t *const given = xc_test_copy(data + HEAD_BYTES, size - HEAD_BYTES);
	decode(&t, given, size - HEAD_BYTES, decoded);
	const size_t coded = encode(&t, (unsigned)size, segment);
	OWN_MEMORY uint8_t *const exact = xc_test_copy(segment, coded);
	FUZZ_CHECK(decode(&t, exact, coded, decoded), "the segment is damaged");
	check_samples(&t, decoded);
	return 0;
}

/* Samples that are noisy here and constant there, or their segment. */
void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	const uint8_t head[HEAD_BYTES] = {(uint8_t)(i * 37), (uint8_t)(i * 11 + i / 8),
	                                  (uint8_t)(i * 5 ^ i >> 3), (uint8_t)(i % 7 ? 1 : i)};
	uint64_t seed = i;
	uint32_t value = i * 5;
	tile t;

	take_head(head, &t);
	OWN_MEMORY uint8_t *const samples = xc_test_malloc(t.bytes);
	OWN_MEMORY uint8_t *const segment = xc_test_malloc(xc_lossless_bound(&t.shape));
	t.samples = samples;
	for (size_t k = 0; k < t.bytes; k++) {
		value = check_below(&seed, 2 + i % 90) ? value : check_below(&seed, 256);
		samples[k] = k >= t.row && check_below(&seed, 9) ? samples[k - t.row]
		                                                 : (uint8_t)(value + (i % 3 ? 0 : k / 4));
	}
	out->size = 0;
	xc_bytes_add(out, head, HEAD_BYTES);
	if (i % 2)
		xc_bytes_add(out, samples, t.bytes);
	else
		xc_bytes_add(out, segment, encode(&t, 0, segment));
}
