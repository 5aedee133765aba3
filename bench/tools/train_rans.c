/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	train_rans PICTURE... > entropy/rans/builtin.c
 *
 * Makes the built-in numbers of the rANS mode from pictures: weights, limits, frequencies.
 * Coefficients are decided with the numbers that the program was built with, so it should be
 * built and run twice when the model has changed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XC_V float
#include "bench/tiled.h"
#include "bench/tools/train_rans.h"
#include "entropy/rans/model.h"
#include "entropy/ac_prediction.h"
#include "entropy/tokens.h"
#include "src/encode/decide.h"
#include "transform/lapped8.h"

enum { TILE_WIDE = 32, TILE_HIGH = 16 };

typedef struct plane {
	uint32_t wide, high; /* in blocks */
	float *samples;
} plane;

static void *room_for(size_t size)
{
	void *p = NULL;

	if (posix_memalign(&p, 64, (size + 63) & ~(size_t)63))
		abort();
	return p;
}

/* A component of YCoCg at a pixel; beyond the edges the last ones go on. */
static float sample(const xc_picture *p, uint32_t x, uint32_t y, int component)
{
	const uint32_t column = x < p->width ? x : p->width - 1,
				   row = y < p->height ? y : p->height - 1;
	const uint8_t *rgb = (const uint8_t *)p->data + row * p->stride + 3 * (size_t)column;
	const float r = rgb[0], g = rgb[1], b = rgb[2];

	switch (component) {
	case 0:
		return (r + 2 * g + b) / 4 - 128;
	case 1:
		return (r - b) / 2;
	default:
		return (2 * g - r - b) / 4;
	}
}

/* shrink: the mean of 2x2 pixels. */
static plane make_plane(const xc_picture *p, int component, int half)
{
	const uint32_t unit = half ? 16 : 8, shrink = half && component;
	plane to;

	to.wide = (p->width + unit - 1) / unit * (half && !component ? 2 : 1);
	to.high = (p->height + unit - 1) / unit * (half && !component ? 2 : 1);
	to.samples = room_for((size_t)to.wide * to.high * 64 * sizeof(float));
	for (uint32_t y = 0; y < to.high * 8; y++)
		for (uint32_t x = 0; x < to.wide * 8; x++) {
			float sum = 0;
			for (uint32_t i = 0; i < 1 + 3 * shrink; i++)
				sum += sample(p, (x << shrink) + (i & 1), (y << shrink) + (i >> 1), component);
			to.samples[(size_t)y * to.wide * 8 + x] = sum / (float)(1 + 3 * shrink);
		}
	return to;
}

/* A step on n values that lie `apart` from each other. */
static void apply(void (*step)(float x[8]), float *first, size_t apart)
{
	float x[8];

	for (int i = 0; i < 8; i++)
		x[i] = first[(size_t)i * apart];
	step(x);
	for (int i = 0; i < 8; i++)
		first[(size_t)i * apart] = x[i];
}

static void edge_step(float x[8])
{
	xc_tdlt8_forward_edge(x);
}

static void block_step(float x[8])
{
	xc_dct8_forward(x);
}

/* In place, without the scaling of the DCT. */
static void transform(plane *p, int dct)
{
	const size_t stride = (size_t)p->wide * 8, rows = (size_t)p->high * 8;

	for (size_t y = 8; y < rows && !dct; y += 8)
		for (size_t x = 0; x < stride; x++)
			apply(edge_step, p->samples + (y - 4) * stride + x, stride);
	for (size_t y = 0; y < rows && !dct; y++)
		for (size_t x = 8; x < stride; x += 8)
			apply(edge_step, p->samples + y * stride + x - 4, 1);
	for (size_t y = 0; y < rows; y += 8)
		for (size_t x = 0; x < stride; x++)
			apply(block_step, p->samples + y * stride + x, stride);
	for (size_t y = 0; y < rows; y++)
		for (size_t x = 0; x < stride; x += 8)
			apply(block_step, p->samples + y * stride + x, 1);
}

/* The blocks of a tile in transposed order, in units of the step. */
static void take_values(const plane *p, uint32_t x0, uint32_t y0, uint32_t wide, uint32_t high,
                        float step, float *values)
{
	static const double scale[8] = XC_AAN_SCALES;

	for (uint32_t b = 0; b < wide * high; b++)
		for (uint32_t i = 0; i < 64; i++) {
			const uint32_t u = i / 8, v = i % 8;
			const size_t at = ((size_t)(y0 + b / wide) * 8 + v) * p->wide * 8 +
			                  (x0 + b % wide) * 8 + u;
			values[(size_t)b * 64 + i] = (float)(p->samples[at] / (8 * scale[u] * scale[v] * step));
		}
}

static void add_part(xc_train_parts *parts, const int16_t *blocks, uint32_t wide, uint32_t high,
                     int chroma)
{
	const size_t n = (size_t)wide * high;

	if (parts->count == parts->room) {
		parts->room = 2 * parts->room + 64;
		parts->of = realloc(parts->of, parts->room * sizeof *parts->of);
		if (!parts->of)
			abort();
	}
	xc_train_part *part = &parts->of[parts->count++];
	*part = (xc_train_part){room_for(n * 64), wide, high, chroma, 0};
	int16_t *dc = room_for(n * sizeof *dc);
	xc_predict_dc16(blocks, wide, high, dc);
	for (size_t i = 0; i < n * 64; i++) {
		const int value = i % 64 ? blocks[i] : dc[i / 64];
		part->symbols[i / 64][i % 64] = (uint8_t)xc_rans_symbol((uint32_t)abs(value));
	}
	free(dc);
}

/* Each component as a segment of its own: chroma, too, is decided as what it is. */
static void add_tile(xc_train_parts *parts, const plane *p, uint32_t x, uint32_t y, float step,
                     int chroma)
{
	static xc_rans_frequencies builtin;
	static xc_rans_tables tables;
	static xc_rans_decision decision;
	static int ready;

	if (!ready) {
		xc_rans_builtin_frequencies(&builtin);
		xc_rans_tables_init(&tables, &builtin);
		xc_rans_decision_init(&decision, &builtin, 30);
		ready = 1;
	}
	const uint32_t wide = p->wide - x < TILE_WIDE ? p->wide - x : TILE_WIDE;
	const uint32_t high = p->high - y < TILE_HIGH ? p->high - y : TILE_HIGH;
	const uint32_t luma = chroma ? 0 : high, blocks = wide * high;
	const xc_rans_shape shape = {.components = chroma ? 3 : 1,
	                             .wide = {wide, wide, wide},
	                             .high = {luma, high, chroma ? high : 0},
	                             .first = {0, 0, blocks},
	                             .blocks = chroma ? 2 * blocks : blocks};
	float *values = room_for((size_t)shape.blocks * 256);
	int16_t *decided = room_for((size_t)shape.blocks * 128);
	uint16_t *factors = room_for(shape.blocks * sizeof *factors);
	void *scratch = room_for(xc_rans_scratch(&shape));
	memset(values, 0, (size_t)shape.blocks * 256);
	take_values(p, x, y, wide, high, step, values);
	for (size_t i = 0; i < (size_t)shape.blocks * 64; i++)
		decided[i] = (int16_t)lrintf(values[i] * XC_STEP_PARTS);
	const uint32_t flat[64] = {[0] = 1, [1] = 1, [8] = 1};
	xc_ac_prediction_remove16(decided, wide, high, xc_ac_prediction_of(flat));
	for (uint32_t i = 0; i < shape.blocks; i++)
		factors[i] = 16;
	xc_offsets offsets[2] = {{{0}, {0}}, {{0}, {0}}};
	xc_rans_scalar_decide[0](&tables, &decision, &shape, factors, scratch, decided, offsets);
	free(factors);
	add_part(parts, decided, wide, high, chroma);
	free(values);
	free(decided);
	free(scratch);
}

/* All files weigh as much, since it is relative sizes that are to become small.  A file takes about
 * 7 bits for a coefficient that is not 0 and half a bit for a block. */
static void set_weights(xc_train_parts *parts, size_t first)
{
	enum { SCALE = 10000000 };
	double bits = 0;

	for (size_t i = first; i < parts->count; i++) {
		const xc_train_part *p = &parts->of[i];
		const size_t n = (size_t)p->wide * p->high * 64;
		bits += (double)n / 128;
		for (size_t k = 0; k < n; k++)
			bits += p->symbols[k / 64][k % 64] ? 7 : 0;
	}
	for (size_t i = first; i < parts->count; i++)
		parts->of[i].weight = SCALE / bits;
}

void xc_train_add(xc_train_parts *parts, const xc_picture *picture, float step, int dct, int half)
{
	const size_t first = parts->count;

	for (int c = 0; c < 3; c++) {
		plane p = make_plane(picture, c, half);
		transform(&p, dct);
		for (uint32_t y = 0; y < p.high; y += TILE_HIGH)
			for (uint32_t x = 0; x < p.wide; x += TILE_WIDE)
				add_tile(parts, &p, x, y, step, c > 0);
		free(p.samples);
	}
	set_weights(parts, first);
}

int main(int argc, char **argv)
{
	static const float steps[] = {6, 9, 13, 19, 28, 41, 60, 90};
	xc_train_parts parts = {NULL, 0, 0};

	if (argc < 2) {
		fprintf(stderr, "usage: train_rans PICTURE... > entropy/rans/builtin.c\n");
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		char message[XC_FILE_MESSAGE];
		xc_picture p;
		if (xc_bench_tile((const char *const *)argv + i, 1, 0, 0, &p, message)) {
			fprintf(stderr, "train_rans: %s\n", message);
			return 1;
		}
		for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
			xc_train_add(&parts, &p, steps[s], i % 3 == 2, i & 1);
		free(p.data);
	}
	xc_train_fit(&parts);
	return 0;
}
