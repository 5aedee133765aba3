/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder's decisions: the dead zone is its definition; the best way through a block is found,
 * by exhaustive search over small blocks; 16 and 32 bits decide alike at every SIMD level;
 * files hold the coefficients that were decided.
 */
#include <stdlib.h>
#include <string.h>

#include "entropy/scan.h"
#include "src/encode/decide.h"
#include "src/encode/plan.h"
#include "src/pixels/forward.h"
#include "tests/support/codec.h"

/* Bits are worth the same in all blocks. */
static uint16_t ones[4096];

enum { WIDE = 4, HIGH = 3, BLOCKS = WIDE * HIGH, COEFFICIENTS = BLOCKS * 64, PART = 16 };

static uint64_t seed = 77;
static const uint8_t scan[64] = {XC_SCAN_TABLE};

static uint32_t below(uint32_t n)
{
	return check_below(&seed, n);
}

static int32_t random_sign(int32_t v)
{
	return below(2) ? -v : v;
}

/* Blocks of any density and size of coefficients, in sixteenths of a step. */
static void random_blocks(int32_t *c, size_t n, uint32_t max)
{
	const uint32_t density = 1 + below(100), range = 1 + below(max);

	for (size_t i = 0; i < n; i++)
		c[i] = below(100) < density ? random_sign((int32_t)below(range))
		                            : random_sign((int32_t)below(14));
}

/* Codes of random counts, for one context or all of them. */
static void random_codes(xc_code_set *codes, uint32_t max)
{
	static xc_symbol_counts counts;

	memset(&counts, 0, sizeof counts);
	for (int k = 0; k < XC_AC_CONTEXTS; k++)
		for (uint32_t s = 0; s < XC_AC_SYMBOLS; s++)
			counts.ac[k][s] = below(8) ? below(UINT32_C(1000000) >> (s & 15)) >> (s >> 4) : 0;
	xc_code_set_build(codes, &counts, max);
}

static xc_value_points random_points(void)
{
	return (xc_value_points){(int8_t)((int)below(15) - 7), (int8_t)((int)below(15) - 7)};
}

/* ---------------------------------------------------------------- dead zone */

static void check_offsets(const xc_offsets *found, const xc_offsets *wanted)
{
	for (int k = 0; k < 2; k++)
		CHECK(found->sum[k] == wanted->sum[k] && found->count[k] == wanted->count[k],
		      "offsets: %lld of %llu, not %lld of %llu", (long long)found->sum[k],
		      (unsigned long long)found->count[k], (long long)wanted->sum[k],
		      (unsigned long long)wanted->count[k]);
}

/* With a dead zone a magnitude of q steps and r sixteenths becomes q up to r = 10 and q + 1 from
 * there on; without, and of a DC, it becomes the nearest value. */
static int32_t plain_rounding(int32_t c, int dc, int zone, xc_offsets *offsets)
{
	const int32_t magnitude = abs(c), q = magnitude / PART, r = magnitude % PART;
	const int32_t value = r < (dc || !zone ? 8 : 11) ? q : q + 1;

	if (!dc && value) {
		offsets->sum[value > 1] += value * PART - magnitude;
		offsets->count[value > 1]++;
	}
	return c < 0 ? -value : value;
}

static void dead_zone(int depth16)
{
	static int32_t c[COEFFICIENTS], wanted[COEFFICIENTS];
	static int16_t narrow[COEFFICIENTS];
	const xc_entropy_level *level = xc_entropy_level_get(XC_CPU_SCALAR, depth16);

	for (int round = 0; round < 500; round++) {
		const xc_decision none = {.window = 0, .dead_zone = round % 2};
		xc_offsets found = {{0}, {0}}, offsets = {{0}, {0}};
		random_blocks(c, COEFFICIENTS, depth16 ? 1 << 24 : 32000);
		/* All small magnitudes at least once. */
		for (int i = 0; round < 2 && i < COEFFICIENTS; i++)
			c[i] = i - COEFFICIENTS / 2;
		for (int i = 0; i < COEFFICIENTS; i++) {
			wanted[i] = plain_rounding(c[i], i % 64 == 0, round % 2, &offsets);
			narrow[i] = (int16_t)c[i];
		}
		xc_decide(&none, level, depth16 ? (void *)c : narrow, WIDE, HIGH, ones, NULL, &found);
		for (int i = 0; i < COEFFICIENTS; i++)
			CHECK((depth16 ? c[i] : narrow[i]) == wanted[i], "coefficient %d: %d, not %d", i,
			      (int)(depth16 ? c[i] : narrow[i]), (int)wanted[i]);
		check_offsets(&found, &offsets);
	}
}

/* The mean, rounded to the nearest with halves away from zero, and held to -7 to 7. */
static void points_of_offsets(void)
{
	for (int i = 0; i < 20000; i++) {
		xc_offsets o = {{0}, {0}};
		int wanted[2];
		for (int k = 0; k < 2; k++) {
			o.count[k] = below(i % 2 ? 6 : 100000);
			o.sum[k] = o.count[k] ? random_sign((int32_t)below((uint32_t)o.count[k] * 10)) : 0;
			wanted[k] = -7;
			while (wanted[k] < 7 && o.count[k]) {
				/* Twice the sum is above twice the mean of this point and the next one. */
				const int64_t half = (2 * wanted[k] + 1) * (int64_t)o.count[k], sum = 2 * o.sum[k];
				if (sum < half || (sum == half && half < 0))
					break;
				wanted[k]++;
			}
			if (!o.count[k])
				wanted[k] = 0;
		}
		const xc_value_points p = xc_offsets_points(&o);
		CHECK(p.one == wanted[0] && p.more == wanted[1],
		      "%d and %d for %lld of %llu and %lld of %llu", p.one, p.more, (long long)o.sum[0],
		      (unsigned long long)o.count[0], (long long)o.sum[1], (unsigned long long)o.count[1]);
	}
}

/* ---------------------------------------------------------------- the best way */

static unsigned size_of(int32_t v)
{
	unsigned n = 0;

	for (int32_t m = abs(v); m; m >>= 1)
		n++;
	return n;
}

/* What the AC coefficients of a block cost: weights of their symbols and squares of their
 * errors.  c: in sixteenths of a step; q: the values; both in the scan's order. */
static int64_t cost_of(const xc_decision *d, int32_t dc, const int32_t c[64], const int32_t q[64])
{
	int64_t cost = 0;
	unsigned context = size_of(dc) < 3 ? 0 : 1, run = 0;

	for (int k = 1; k < 64; k++) {
		const int32_t magnitude = abs(c[k]), value = abs(q[k]);
		const int32_t off = value == 1 ? d->points.one : d->points.more;
		const int64_t error = value                   ? PART * value - off - magnitude
		                      : magnitude < 64 * PART ? magnitude
		                                              : 64 * PART;
		cost += error * error;
		if (!value) {
			run++;
			continue;
		}
		for (; run > 15; run -= 16) {
			cost += d->weights[context][0xf0];
			context = 5;
		}
		const unsigned size = size_of(value) < 15 ? size_of(value) : 15;
		cost += d->weights[context][run << 4 | size];
		context = size > 2 ? 2 : size == 2 ? 3 : run ? 5 : 4;
		run = 0;
	}
	return run ? cost + d->weights[context][0] : cost;
}

/* The least cost when each coefficient of half a step or more is 0, its nearest value or one
 * less, but for 0. */
static int64_t min_cost(const xc_decision *d, int32_t dc, const int32_t c[64], int32_t q[64], int k)
{
	while (k < 64 && abs(c[k]) < PART / 2)
		q[k++] = 0;
	if (k == 64)
		return cost_of(d, dc, c, q);
	const int32_t nearest = (abs(c[k]) + PART / 2) / PART;
	int64_t min = INT64_MAX;
	for (int32_t v = nearest; v >= 0; v = v == nearest && v > 1 ? v - 1 : v ? 0 : -1) {
		q[k] = c[k] < 0 ? -v : v;
		const int64_t cost = min_cost(d, dc, c, q, k + 1);
		min = cost < min ? cost : min;
	}
	return min;
}

/* A block with up to seven coefficients that are no zeros from the outset, anywhere; a few are
 * large. */
static void sparse_block(int32_t c[64])
{
	const uint32_t wide = below(2) ? 62 : 1 + below(20);

	for (int k = 0; k < 64; k++)
		c[k] = random_sign((int32_t)below(8));
	for (uint32_t n = below(8); n; n--)
		c[1 + below(wide)] = random_sign((int32_t)(8 + below(below(10) ? 4u << below(4) : 5000)));
	c[0] = random_sign((int32_t)below(below(2) ? 60 : 3000));
}

static int64_t decide_one(xc_decision *d, const int32_t c[64])
{
	int32_t block[64], q[64], dc[1];
	xc_offsets offsets = {{0}, {0}};

	for (int k = 0; k < 64; k++)
		block[scan[k]] = c[k];
	xc_decide(d, xc_entropy_level_get(XC_CPU_SCALAR, 1), block, 1, 1, ones, dc, &offsets);
	for (int k = 0; k < 64; k++)
		q[k] = block[scan[k]];
	CHECK(q[0] == (abs(c[0]) + PART / 2) / PART * (c[0] < 0 ? -1 : 1), "DC %d for %d", (int)q[0],
	      (int)c[0]);
	return cost_of(d, q[0], c, q);
}

/* With one code for all contexts the cost of what follows a coefficient depends on nothing but
 * its place, so the search is exact.  With several codes it may miss the best way, but not by
 * much; and a wide window is never worse than a narrow one on average. */
static void best_way(int several)
{
	static xc_decision d;
	static xc_code_set codes;
	int64_t sum = 0, sum_min = 0, sum_narrow = 0, sum_zero = 0;
	int missed = 0;

	for (int i = 0; i < 4000; i++) {
		int32_t c[64], q[64], zeros[64] = {0};
		if (i % 50 == 0) {
			random_codes(&codes, several ? XC_AC_CONTEXTS : 1);
			xc_decision_take_codes(&d, &codes);
			d.points = random_points();
		}
		sparse_block(c);
		d.window = 63;
		const int64_t found = decide_one(&d, c);
		q[0] = (abs(c[0]) + PART / 2) / PART * (c[0] < 0 ? -1 : 1);
		const int64_t min = min_cost(&d, q[0], c, q, 1);
		CHECK(found >= min && (several || found == min), "cost %lld, not %lld", (long long)found,
		      (long long)min);
		d.window = 3;
		const int64_t narrow = decide_one(&d, c);
		CHECK(several || narrow >= found, "a narrow window costs %lld, a wide one %lld",
		      (long long)narrow, (long long)found);
		missed += found != min;
		sum += found;
		sum_min += min;
		sum_narrow += narrow;
		sum_zero += cost_of(&d, q[0], c, zeros);
	}
	CHECK(sum * 100 <= sum_min * 101 && sum <= sum_narrow && sum_narrow < sum_zero,
	      "cost %lld, narrow %lld, least %lld, of zeros %lld", (long long)sum,
	      (long long)sum_narrow, (long long)sum_min, (long long)sum_zero);
	printf("# %d of 4000 not the best; cost %.5f of the least, with a narrow window %.5f\n", missed,
	       (double)sum / (double)sum_min, (double)sum_narrow / (double)sum_min);
}

/* ---------------------------------------------------------------- 16 and 32 bits */

static void widths_agree(int window)
{
	static int32_t c[COEFFICIENTS], dc[BLOCKS];
	static int16_t narrow[COEFFICIENTS], narrow_dc[BLOCKS];
	static xc_decision d;
	static xc_code_set codes;

	for (int round = 0; round < 300; round++) {
		xc_offsets wanted = {{0}, {0}};
		random_blocks(c, COEFFICIENTS, 32000 >> below(10));
		for (int i = 0; i < COEFFICIENTS; i++)
			narrow[i] = (int16_t)c[i];
		random_codes(&codes, 1 + below(XC_AC_CONTEXTS));
		xc_decision_take_codes(&d, &codes);
		d.points = random_points();
		d.window = (uint32_t)window;
		xc_decide(&d, xc_entropy_level_get(XC_CPU_SCALAR, 1), c, WIDE, HIGH, ones, dc, &wanted);
		for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
			int16_t copy[COEFFICIENTS];
			xc_offsets found = {{0}, {0}};
			if (!xc_cpu_usable((xc_cpu)cpu))
				continue;
			memcpy(copy, narrow, sizeof copy);
			xc_decide(&d, xc_entropy_level_get((xc_cpu)cpu, 0), copy, WIDE, HIGH, ones, narrow_dc,
			          &found);
			for (int i = 0; i < COEFFICIENTS; i++)
				CHECK(copy[i] == c[i], "%s, coefficient %d: %d and %d", xc_cpu_name((xc_cpu)cpu), i,
				      (int)copy[i], (int)c[i]);
			check_offsets(&found, &wanted);
		}
	}
}

/* ---------------------------------------------------------------- files */

static int32_t coefficient(const void *blocks, size_t i, int depth16)
{
	return depth16 ? ((const int32_t *)blocks)[i] : ((const int16_t *)blocks)[i];
}

/* The decided blocks of a tile's component against those of the file. */
static void check_component(const xc_plane_coefficients *plane, const xc_tile *t, int c,
                            const xc_geometry *g, const void *blocks, int depth16)
{
	const uint32_t bx = t->x / 8 / (c ? (uint32_t)g->h : 1),
				   by = t->y / 8 / (c ? (uint32_t)g->v : 1);
	uint64_t others = 0;

	for (uint32_t b = 0; b < t->blocks_wide[c] * t->blocks_high[c]; b++) {
		const uint32_t x = bx + b % t->blocks_wide[c], y = by + b / t->blocks_wide[c];
		const int32_t *in_file = plane->data + ((size_t)y * plane->blocks_wide + x) * 64;
		for (size_t i = 0; i < 64; i++)
			others += in_file[i] != coefficient(blocks,
			                                    (t->first_block[c] + b) * 64 + i % 8 * 8 + i / 8,
			                                    depth16);
	}
	CHECK(!others, "%llu coefficients of component %d", (unsigned long long)others, c);
}

/* Built-in codes decide without a pass before, so they can be repeated here tile by tile. */
static void repeat_decisions(xc_context *context, const xc_picture *p, const xc_encode_options *o,
                             const xc_coefficients *found)
{
	static const uint32_t windows[XC_MOST_EFFORT + 1] = {0, 0, 3, 63};
	const int depth16 = p->depth == 16;
	const xc_entropy_level *level = xc_entropy_level_get(XC_CPU_SCALAR, depth16);
	xc_encode_plan plan;
	xc_forward_scratch scratch;
	xc_decision decisions[2];

	memset(decisions, 0, sizeof decisions);
	xc_encode_plan_init(&plan, p, o);
	const xc_pixels pixels = xc_pixels_of(p);
	xc_forward forward = {.pixels = &pixels,
	                      .geometry = &plan.geometry,
	                      .kernels = xc_kernels_get(XC_CPU_SCALAR),
	                      .transform = o->transform};
	memcpy(forward.tables, plan.tables, sizeof forward.tables);
	for (int class = 0; class < 2; class ++) {
		xc_code_set codes;
		xc_code_set_single(&codes, &xc_default_codes(context)[class][0],
		                   &xc_default_codes(context)[class][1]);
		xc_decision_take_codes(&decisions[class], &codes);
		decisions[class].dead_zone = 1;
		decisions[class].window = windows[o->effort];
	}
	const size_t n = (size_t)xc_geometry_tile_blocks(&plan.geometry);
	OWN_MEMORY char *blocks = xc_test_malloc(n * 64 * level->width),
					*dc = xc_test_malloc(n * level->width);
	REQUIRE_OK(context, xc_forward_scratch_init(context, &scratch, &forward));
	for (uint64_t i = 0; i < xc_geometry_tiles(&plan.geometry); i++) {
		xc_tile t;
		xc_offsets offsets = {{0}, {0}};
		xc_geometry_tile(&plan.geometry, i, &t);
		xc_forward_tile(&forward, &scratch, &t, blocks);
		for (int c = 0; c < plan.geometry.components; c++) {
			if (o->effort)
				xc_decide(&decisions[c > 0], level, blocks + t.first_block[c] * 64 * level->width,
				          t.blocks_wide[c], t.blocks_high[c], ones, dc, &offsets);
			check_component(&found->plane[c], &t, c, &plan.geometry, blocks, depth16);
		}
	}
	xc_forward_scratch_free(context, &scratch);
}

static void file_holds_decisions(int effort)
{
	OWN_CONTEXT context = xc_test_context();

	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		for (int s = 0; s < 4; s++) {
			xc_encode_options o = xc_test_options(30 + 20 * s, (xc_subsampling)s,
			                                      (xc_transform)(s % 3), XC_HUFFMAN_DEFAULT);
			OWN_PICTURE p = xc_test_picture(243, 131, s == XC_SUBSAMPLING_GREY ? 1 : 3, depth, 0,
			                                1);
			OWN_BUFFER(context, file);
			xc_coefficients found = {0};
			o.effort = effort;
			o.tune = XC_TUNE_PSNR;
			CHECK_OK(context, xc_encode(context, &p, NULL, &o, &file));
			CHECK_OK(context, xc_decode_coefficients(context, file.data, file.size, &found));
			if (found.components)
				repeat_decisions(context, &p, &o, &found);
			xc_coefficients_free(context, &found);
		}
	}
}

int main(void)
{
	for (int i = 0; i < 4096; i++)
		ones[i] = 16;
	RUN_FOR("16 bits", 0, dead_zone);
	RUN_FOR("32 bits", 1, dead_zone);
	RUN(points_of_offsets);
	RUN_FOR("one code", 0, best_way);
	RUN_FOR("codes by context", 1, best_way);
	RUN_FOR("dead zone", 0, widths_agree);
	RUN_FOR("window of 3", 3, widths_agree);
	RUN_FOR("window of 63", 63, widths_agree);
	for (int effort = 0; effort <= XC_MOST_EFFORT; effort++) {
		char label[32];
		snprintf(label, sizeof label, "effort %d", effort);
		RUN_FOR(label, effort, file_holds_decisions);
	}
	return check_done();
}
