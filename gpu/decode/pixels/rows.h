/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of pixels from a region's samples, the last step of gpu/decode/pixels/make_pixels.h. A warp makes
 * four rows at a time: 16 lanes share two rows, and each makes eight pixels of both. A lane
 * up-samples chroma, converts colours, and stores the bytes in place of those rows' luma. From
 * there the warp copies them to the picture.
 */
#ifndef XC_GPU_DECODE_PIXELS_ROWS_H
#define XC_GPU_DECODE_PIXELS_ROWS_H

#include <math.h>

#include "gpu/decode/pixels/region.h"
#include "transform/colour.h"

/* Whether regions begin 4 bytes after a multiple of 8 when the picture begins at one. */
XC_GPU_CONSTANT int xc_gpu_is_odd(int kind, uint32_t pixel)
{
	return (uint32_t)xc_gpu_shift(kind, 0) * pixel % 8 == 4;
}

/* The offset of a region's row from a multiple of 16 bytes, if the picture's rows begin at such
 * multiples. */
XC_GPU_CONSTANT uint32_t xc_gpu_row_start(int kind, uint32_t pixel)
{
	return (16 - (uint32_t)xc_gpu_shift(kind, 0) * pixel % 16) % 16;
}

XC_GPU_INLINE xc_gpu_output xc_gpu_output_of(const xc_gpu_region *r, int kind)
{
	const xc_gpu_decode_job *p = r->job;
	const uint32_t pixel = p->channels * p->depth / 8;
	const uint32_t before = r->x < 0 ? (uint32_t)-r->x : 0;
	const uint32_t n = xc_gpu_min(XC_GPU_REGION_WIDTH, p->width - (uint32_t)r->x);
	uint8_t *to = p->pixels + (ptrdiff_t)r->x * (int32_t)pixel +
	              (ptrdiff_t)r->y * (ptrdiff_t)p->stride;
	const uint32_t odd = xc_gpu_is_odd(kind, pixel) ? 4 : 0;
	const uint32_t unit = p->stride % 16 == 0 && (uintptr_t)to % 8 == odd ? 16
	                      : p->stride % 4 == 0 && (uintptr_t)to % 4 == 0  ? 4
	                                                                      : 1;
	const uint32_t start = unit == 16 ? (uint32_t)((uintptr_t)to % 16) : odd;
	const xc_gpu_output o = {p->width,
	                         p->height,
	                         r->x,
	                         r->y,
	                         p->gains,
	                         p->alpha,
	                         to - start,
	                         p->stride,
	                         start,
	                         start + before * pixel,
	                         start + n * pixel,
	                         unit,
	                         unit == 16 && before == 0 && n == XC_GPU_REGION_WIDTH &&
	                             start == xc_gpu_row_start(kind, pixel),
	                         p->channels % 2 == 0,
	                         p->rounding,
	                         p->mixed,
	                         (uint32_t)xc_gpu_is_border(r, kind)};

	return o;
}

/* ----------------------------------------------------------------- samples */

/* Eight pixels of two rows. */
typedef struct xc_gpu_rows8 {
	float of[3][2][8]; /* component, row */
} xc_gpu_rows8;

/* The input of up-sampling to that width: four samples of halved chroma and one on either side.
 * Scaled by 4 if the height is halved too. */
typedef struct xc_gpu_rows6 {
	float of[2][2][6]; /* component - 1, row */
} xc_gpu_rows6;

/* Lanes that share two rows. */
enum { XC_GPU_ROW_LANES = XC_GPU_REGION_WIDTH / 8 };

/* Eight samples from column x of a row on. */
XC_GPU_INLINE void xc_gpu_load8(const float *row, uint32_t x, float v[8], int kind, int c)
{
	const uint32_t at = xc_gpu_column(kind, c, x);
	xc_gpu_load_four(row + at, v);
	xc_gpu_load_four(row + (x % 8 ? xc_gpu_column(kind, c, x + 4) : at ^ 4), v + 4);
}

/* Six samples of halved chroma from column x - 1 on. If shifted, a lane loads four, and the end
 * lanes the outer one; xc_gpu_share6() gets the others from neighbouring lanes. */
XC_GPU_INLINE void xc_gpu_load6(const float *row, uint32_t x, float v[6], int kind, int c,
                                uint32_t lane)
{
	const uint32_t i = lane % XC_GPU_ROW_LANES;

	if (xc_gpu_is_shifted(kind, c)) {
		xc_gpu_load_four(row + xc_gpu_column(kind, c, x), v + 1);
		v[0] = xc_gpu_load_if(row + xc_gpu_column(kind, c, i ? x + 4 : x - 1),
		                      i == 0 || i == XC_GPU_ROW_LANES - 1);
		v[5] = v[0];
	} else { /* then x is no multiple of 4 */
		float a[4], b[4];
		xc_gpu_load_four(row + xc_gpu_column(kind, c, x - 2), a);
		xc_gpu_load_four(row + xc_gpu_column(kind, c, x + 2), b);
		v[0] = a[1], v[1] = a[2], v[2] = a[3];
		v[3] = b[0], v[4] = b[1], v[5] = b[2];
	}
}

/* Up-samples v[1] to v[4] to eight samples, scaled by 4. */
XC_GPU_INLINE void xc_gpu_widen(const float v[6], float out[8])
{
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const float near = v[i + 1] * 3.0f;
		out[2 * i] = near + v[i];
		out[2 * i + 1] = near + v[i + 2];
	}
}

/* A lane's samples of component c, rows y and y + 1 of the region: eight, or six
 * of halved chroma. */
XC_GPU_INLINE void xc_gpu_lane_samples(const xc_gpu_region *r, uint32_t lane, uint32_t y,
                                       xc_gpu_rows8 *rows8, xc_gpu_rows6 *rows6, int kind, int c)
{
	const int halved = xc_gpu_is_halved(kind, c, 0), low = xc_gpu_is_halved(kind, c, 1);
	const uint32_t row = xc_gpu_row_floats(kind, c);
	const uint32_t x = xc_gpu_first_sample(kind, c, 0) + (lane % XC_GPU_ROW_LANES * 8 >> halved);
	const float *at = r->shared + xc_gpu_plane(kind, c) +
	                  (xc_gpu_first_sample(kind, c, 1) + (y >> low)) * row;

	if (low) {
		float(*out)[6] = rows6->of[c - 1], here[6];
		xc_gpu_load6(at - row, x, out[0], kind, c, lane);
		xc_gpu_load6(at, x, here, kind, c, lane);
		xc_gpu_load6(at + row, x, out[1], kind, c, lane);
		XC_UNROLL
		for (int i = 0; i < 6; i++) {
			const float near = here[i] * 3.0f;
			out[0][i] = near + out[0][i];
			out[1][i] = near + out[1][i];
		}
		return;
	}
	XC_UNROLL
	for (uint32_t j = 0; j < 2; j++) {
		if (halved)
			xc_gpu_load6(at + j * row, x, rows6->of[c - 1][j], kind, c, lane);
		else
			xc_gpu_load8(at + j * row, x, rows8->of[c][j], kind, c);
	}
}

/* Gives each lane the samples on either side of its four, except at the row's ends. */
XC_WARP_INLINE void xc_gpu_share6(xc_gpu_rows6 rows6[XC_SLOTS], int c, int row)
{
	uint32_t left[XC_SLOTS], right[XC_SLOTS];

	XC_FOR_LANES(lane) {
		left[XC_SLOT(lane)] = xc_gpu_float_bits(rows6[XC_SLOT(lane)].of[c - 1][row][4]);
		right[XC_SLOT(lane)] = xc_gpu_float_bits(rows6[XC_SLOT(lane)].of[c - 1][row][1]);
	}
	xc_warp_up(left);
	xc_warp_down(right);
	XC_FOR_LANES(lane) {
		float *v = rows6[XC_SLOT(lane)].of[c - 1][row];
		const int i = lane % XC_GPU_ROW_LANES;
		v[0] = i ? xc_gpu_float_of(left[XC_SLOT(lane)]) : v[0];
		v[5] = i < XC_GPU_ROW_LANES - 1 ? xc_gpu_float_of(right[XC_SLOT(lane)]) : v[5];
	}
}

/* Up-samples component c. */
XC_WARP_INLINE void xc_gpu_widen_lanes(xc_gpu_rows6 rows6[XC_SLOTS], xc_gpu_rows8 rows8[XC_SLOTS],
                                       int kind, int c)
{
	XC_UNROLL
	for (int j = 0; j < 2; j++) {
		if (xc_gpu_is_shifted(kind, c))
			xc_gpu_share6(rows6, c, j);
		XC_FOR_LANES(lane)
			xc_gpu_widen(rows6[XC_SLOT(lane)].of[c - 1][j], rows8[XC_SLOT(lane)].of[c][j]);
	}
}

/* ------------------------------------------------------------------ pixels */

/* Packs four samples of 8 bits or two of 16 into a word, rounded to the nearest integer, ties to
 * even, and clamped. GPUs do this for two samples in one instruction. */
XC_GPU_INLINE uint32_t xc_gpu_pack(const float *v, int depth16)
{
#ifdef __CUDA_ARCH__
	uint32_t high, word;
	if (depth16) {
		asm("cvt.pack.sat.u16.s32 %0, %1, %2;"
		    : "=r"(word)
		    : "r"(__float2int_rn(v[1])), "r"(__float2int_rn(v[0])));
		return word;
	}
	asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
	    : "=r"(high)
	    : "r"(__float2int_rn(v[3])), "r"(__float2int_rn(v[2])), "r"(0));
	asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
	    : "=r"(word)
	    : "r"(__float2int_rn(v[1])), "r"(__float2int_rn(v[0])), "r"(high));
	return word;
#else
	const float largest = depth16 ? 65535.0f : 255.0f;
	const int n = depth16 ? 2 : 4;
	uint32_t word = 0;
	for (int i = 0; i < n; i++)
		word |= (uint32_t)nearbyintf(fminf(fmaxf(v[i], 0.0f), largest)) << i * 32 / n;
	return word;
#endif
}

/* The alpha of eight pixels of a row from x on, in the picture. */
XC_GPU_INLINE void xc_gpu_alpha(const xc_gpu_output *o, int32_t x, int32_t y, int depth16,
                                float a[8])
{
	XC_UNROLL
	for (int32_t i = 0; i < 8; i++) {
		const size_t at = (size_t)(uint32_t)y * o->width + (uint32_t)(x + i);
		a[i] = depth16 ? 65535.0f : 255.0f;
		if (o->alpha && (uint32_t)(x + i) < o->width && (uint32_t)y < o->height)
			a[i] = depth16 ? ((const uint16_t *)(const void *)o->alpha)[at] : o->alpha[at];
	}
}

/* The samples of eight pixels of row j, in the order of the picture's bytes. */
XC_GPU_INLINE void xc_gpu_colours(const xc_gpu_output *o, const xc_gpu_rows8 *e, int j,
                                  const float *alpha, float *flat, int channels, int depth16)
{
	const float middle = depth16 ? 32768.0f : 128.0f;

	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		const float luma = e->of[0][j][i] + middle;
		float *to = flat + i * channels;
		if (channels >= 3)
			xc_colour_inverse(luma, e->of[1][j][i], e->of[2][j][i], &o->gains, to, to + 1, to + 2);
		else
			to[0] = luma;
		if (channels % 2 == 0)
			to[channels - 1] = alpha[i];
	}
}

/* Stores n words at `to`, a multiple of 8 bytes or, if odd is 1, 4 bytes after such a multiple. */
XC_GPU_INLINE void xc_gpu_store_words(uint32_t *to, const uint32_t *words, int n, int odd)
{
#ifdef __CUDA_ARCH__
	if (odd)
		to[0] = words[0];
	XC_UNROLL
	for (int i = odd; i + 1 < n; i += 2)
		*(uint2 *)(to + i) = make_uint2(words[i], words[i + 1]);
	if (odd)
		to[n - 1] = words[n - 1];
#else
	XC_GPU_ALIGNED(to + odd, n > 1 ? 8 : 4);
	memcpy(to, words, (size_t)n * sizeof *words);
#endif
}

/* Makes eight pixels of row j at `to`; their position in the picture is (x, y). */
XC_GPU_INLINE void xc_gpu_lane_pixels(const xc_gpu_output *o, const xc_gpu_rows8 *e, int j,
                                      int32_t x, int32_t y, uint8_t *to, int channels, int depth16,
                                      int odd)
{
	const int n = channels * (depth16 ? 4 : 2);
	float alpha[8], flat[32];
	uint32_t words[16];

	if (channels % 2 == 0)
		xc_gpu_alpha(o, x, y, depth16, alpha);
	xc_gpu_colours(o, e, j, alpha, flat, channels, depth16);
	XC_UNROLL
	for (int i = 0; i < n; i++)
		words[i] = xc_gpu_pack(flat + i * (depth16 ? 2 : 4), depth16);
	xc_gpu_store_words((uint32_t *)(void *)to, words, n, odd);
}

/* ----------------------------------------------------------------- storing */

/* Copies 16 bytes or 4; `bytes` is a constant. */
XC_GPU_INLINE void xc_gpu_copy_aligned(uint8_t *to, const uint8_t *from, size_t bytes)
{
#ifdef __CUDA_ARCH__
	if (bytes == 16)
		*(uint4 *)to = *(const uint4 *)from;
	else
		*(uint32_t *)to = *(const uint32_t *)from;
#else
	XC_GPU_ALIGNED(to, bytes);
	XC_GPU_ALIGNED(from, bytes);
	memcpy(to, from, bytes);
#endif
}

/* Eight lanes store the bytes before the first and after the last multiple of 16. */
XC_GPU_INLINE void xc_gpu_store_ends(const xc_gpu_output *o, const uint8_t *from, uint8_t *to,
                                     uint32_t i)
{
	const uint32_t head = (o->first & ~15u) + 4 * i, tail = (o->last & ~15u) + 4 * (i - 4);
	const uint32_t at = i < 4 ? head : tail;

	if (i < 8 && at >= o->first && at + 4 <= o->last)
		xc_gpu_copy_aligned(to + at, from + at, 4);
	if (i < o->last % 4)
		to[(o->last & ~3u) + i] = from[(o->last & ~3u) + i];
}

/* Lane i of `lanes` stores its share of a row, 4 bytes or one at a time. */
XC_GPU_INLINE void xc_gpu_store_units(const xc_gpu_output *o, const uint8_t *from, uint8_t *to,
                                      uint32_t i, uint32_t lanes)
{
	const uint32_t words_end = o->unit == 4 ? o->last & ~3u : o->first;

	XC_ROLLED
	for (uint32_t at = o->first + 4 * i; at < words_end; at += 4 * lanes)
		xc_gpu_copy_aligned(to + at, from + at, 4);
	XC_ROLLED
	for (uint32_t at = words_end + i; at < o->last; at += lanes)
		to[at] = from[at];
}

/* Lane i of `lanes` stores its share of a whole row of `bytes` bytes at `to` + start; all but i are
 * constants. */
XC_GPU_INLINE void xc_gpu_store_whole(const uint8_t *from, uint8_t *to, uint32_t i, uint32_t lanes,
                                      uint32_t start, uint32_t bytes)
{
	const uint32_t head = (16 - start) % 16, tail = (start + bytes) % 16;
	const uint32_t middle = bytes - head - tail, at = start + head + 16 * i;

	XC_UNROLL
	for (uint32_t k = 0; k < middle; k += 16 * lanes)
		if (k + 16 * lanes <= middle || k + 16 * i < middle)
			xc_gpu_copy_aligned(to + at + k, from + at + k, 16);
	if (i < (head + tail) / 4) {
		const uint32_t end = start + 4 * i + (i < head / 4 ? 0 : middle);
		xc_gpu_copy_aligned(to + end, from + end, 4);
	}
}

/* Lane i of `lanes` stores its share of a row of at most `max` bytes. */
XC_GPU_INLINE void xc_gpu_store_row(const xc_gpu_output *o, const uint8_t *from, uint8_t *to,
                                    uint32_t i, uint32_t lanes, uint32_t max)
{
	if (o->unit != 16) {
		xc_gpu_store_units(o, from, to, i, lanes);
		return;
	}
	const uint32_t first = ((o->first + 15) & ~15u) + 16 * i;
	const uint8_t *piece = from + first;
	uint8_t *dst = to + first;
	XC_UNROLL
	for (uint32_t at = 0; at < max; at += 16 * lanes)
		if (first + at + 16 <= o->last)
			xc_gpu_copy_aligned(dst + at, piece + at, 16);
	if ((o->first | o->last) % 16)
		xc_gpu_store_ends(o, from, to, i);
}

/* ------------------------------------------------------------------- warps */

/* Makes rows row to row + 3 of the region. */
XC_WARP_INLINE void xc_gpu_four_rows(const xc_gpu_region *r, const xc_gpu_output *o, uint32_t row,
                                     int kind, int channels, int depth16)
{
	const uint32_t apart = xc_gpu_row_floats(kind, 0) * (uint32_t)sizeof(float);
	const uint32_t pixel = (uint32_t)channels * (depth16 ? 2 : 1);
	uint8_t *bytes = (uint8_t *)(r->shared + xc_gpu_plane(kind, 0)) +
	                 (xc_gpu_first_sample(kind, 0, 1) + row) * apart;
	xc_gpu_rows8 e[XC_SLOTS];
	xc_gpu_rows6 rows6[XC_SLOTS];

	XC_FOR_LANES(lane) {
		XC_UNROLL
		for (int c = 0; c < xc_gpu_components(kind); c++)
			xc_gpu_lane_samples(r, (uint32_t)lane, row + (uint32_t)lane / XC_GPU_ROW_LANES * 2,
			                    &e[XC_SLOT(lane)], &rows6[XC_SLOT(lane)], kind, c);
	}
	XC_UNROLL
	for (int c = 1; c < xc_gpu_components(kind) && xc_gpu_is_halved(kind, c, 0); c++)
		xc_gpu_widen_lanes(rows6, e, kind, c);
	/* A row of 16-bit pixels fills two rows of luma, so two rows take turns. */
	XC_UNROLL
	for (int turn = 0; turn <= depth16; turn++) {
		xc_warp_sync();
		XC_FOR_LANES(lane) {
			XC_OPAQUE_AGAIN(lane, "r");
			const uint32_t x = (uint32_t)lane % XC_GPU_ROW_LANES * 8;
			const uint32_t y = (uint32_t)lane / XC_GPU_ROW_LANES * 2;
			uint8_t *at = bytes + y * apart + o->start + x * pixel;
			XC_UNROLL
			for (int j = turn; j <= (depth16 ? turn : 1); j++)
				xc_gpu_lane_pixels(o, &e[XC_SLOT(lane)], j, r->x + (int32_t)x,
				                   r->y + (int32_t)(row + y) + j,
				                   at + (depth16 ? 0 : (uint32_t)j * apart), channels, depth16,
				                   xc_gpu_is_odd(kind, pixel));
		}
		xc_warp_sync();
		XC_FOR_LANES(lane) {
			XC_OPAQUE_AGAIN(lane, "r");
			const uint32_t lanes = depth16 ? 16 : 8, i = (uint32_t)lane / lanes;
			const uint32_t y = depth16 ? 2 * i + (uint32_t)turn : i;
			const xc_gpu_output now = *o; /* nvcc must assume that each store changes *o */
			uint8_t *to = now.pixels + (row + y) * now.stride;
			XC_GPU_GLOBAL(to);
			if ((uint32_t)r->y + row + y >= now.height)
				continue;
			if (now.whole)
				xc_gpu_store_whole(bytes + (depth16 ? 2 * i : i) * apart, to,
				                   (uint32_t)lane % lanes, lanes, xc_gpu_row_start(kind, pixel),
				                   XC_GPU_REGION_WIDTH * pixel);
			else
				xc_gpu_store_row(&now, bytes + (depth16 ? 2 * i : i) * apart, to,
				                 (uint32_t)lane % lanes, lanes, XC_GPU_REGION_WIDTH * pixel);
		}
	}
	xc_warp_sync();
}

/* Makes the region's pixels from its samples, as warp `warp` of `warps`. */
XC_WARP_INLINE void xc_gpu_region_rows(const xc_gpu_region *r, uint32_t warp, uint32_t warps,
                                       int kind, int depth16)
{
	const xc_gpu_output *o = xc_gpu_region_output(r, kind);
	const uint32_t before = r->y < 0 ? (uint32_t)-r->y : 0; /* a multiple of 4 */
	const uint32_t rows = xc_gpu_min(xc_gpu_region_height(kind), o->height - (uint32_t)r->y);
	const int channels = xc_gpu_components(kind);

	for (uint32_t row = before + 4 * warp; row < rows; row += 4 * warps) {
		if (o->alphas)
			xc_gpu_four_rows(r, o, row, kind, channels + 1, depth16);
		else
			xc_gpu_four_rows(r, o, row, kind, channels, depth16);
	}
}

#endif
