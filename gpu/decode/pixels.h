/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to pixels: one thread block makes a region of a picture (gpu/decode/region.h).
 * Each thread makes the samples of one block in shared memory. Then follow the edge steps of lapped
 * transforms (xc_gpu_region_cells()), samples of halved chroma around the picture
 * (xc_gpu_region_extend()), and rows of pixels, by warps (gpu/decode/rows.h). Called by
 * gpu/decode/make_pixels.h.
 */
#ifndef XC_GPU_DECODE_PIXELS_H
#define XC_GPU_DECODE_PIXELS_H

#include "gpu/decode/rans/tables.h"
#include "gpu/decode/region.h"
#include "transform/colour.h"
#include "transform/lapped8.h"

/* ------------------------------------------------------- blocks of the rANS mode */

/* The coefficient, in sixteenths of a step, of a symbol without class bits; 0 for the others. */
enum { XC_GPU_SYMBOL_VALUES = 16 };

XC_GPU_INLINE float xc_gpu_symbol_value(uint32_t symbol, xc_value_points points)
{
	return symbol < XC_RANS_FIRST_CLASS ? (float)xc_reconstruct((int32_t)symbol, points) : 0.0f;
}

/* Shared by the blocks of a class. */
typedef struct xc_gpu_rans_class {
	/* In shared memory, aligned to 64 bytes: 64 steps in transposed order, then 16 symbol values.
	 * */
	const float *steps;
	xc_value_points points;
	int predicted, depth16;
} xc_gpu_rans_class;

/* Whether AC prediction is added to coefficient k with 16 bits a sample: it then stays an integer.
 * */
XC_GPU_INLINE int xc_gpu_is_whole(const xc_gpu_rans_class *c, uint32_t k)
{
	return c->depth16 && c->predicted && (k == 1 || k == 8);
}

/* The lowest address bytes of four symbols' values, less 64 floats; symbols: each in bits 2 to 5 of
 * a byte. */
XC_GPU_INLINE uint32_t xc_gpu_value_bytes(const float *steps, uint32_t symbols)
{
	const uint32_t four = symbols & 0x3c3c3c3c;
#ifdef __CUDA_ARCH__
	return four | (xc_gpu_shared_address(steps) & 0xc0) * 0x01010101;
#else
	(void)steps;
	return four;
#endif
}

/* The value of symbol i of the four. */
XC_GPU_INLINE float xc_gpu_value_of(const float *steps, uint32_t bytes, uint32_t i)
{
#ifdef __CUDA_ARCH__
	const uint32_t at = __byte_perm(bytes, xc_gpu_shared_address(steps), 0x7650 | i);
	float value;
	asm("ld.shared.f32 %0, [%1 + 256];" : "=f"(value) : "r"(at));
	return value;
#else
	return steps[64 + (bytes >> 8 * i & 60) / 4];
#endif
}

/* Eight coefficients from position `first` on. Symbols with class bits give 0 with their sign;
 * symbols that are 0 give 0 with any sign. signs: of the nonzero symbols from here on, the first
 * one highest. */
XC_GPU_INLINE void xc_gpu_load_values8(const xc_gpu_rans_class *c, uint32_t word, uint32_t first,
                                       uint32_t *signs, float f[8])
{
	const uint32_t even = xc_gpu_value_bytes(c->steps, word << 2);
	const uint32_t odd = xc_gpu_value_bytes(c->steps, word >> 2);

	XC_UNROLL
	for (uint32_t four = 0; four < 8; four += 4) {
		float step[4];
		xc_gpu_load_four(c->steps + first + four, step);
		XC_UNROLL
		for (uint32_t i = four; i < four + 4; i++) {
			const uint32_t present = word & 15u << 4 * i, sign = *signs & 1u << 31;
			const float size = xc_gpu_value_of(c->steps, i % 2 ? odd : even, i / 2);
			const float value = xc_gpu_float_of(xc_gpu_float_bits(size) ^ sign);
			*signs = present ? *signs << 1 : *signs;
			f[i] = value * step[i - four];
			if (xc_gpu_is_whole(c, first + i))
				f[i] = xc_gpu_float_of((uint32_t)(int32_t)value |
				                       (present && size == 0 ? sign : 0));
		}
	}
}

/* Where a thread stores magnitudes of symbols with class bits: the place of its block's samples, in
 * rows of two vec16s (left, right), `apart` floats from row to row. */
typedef struct xc_gpu_block_room {
	float *left, *right;
	uint32_t apart;
} xc_gpu_block_room;

XC_GPU_INLINE float *xc_gpu_room_at(const xc_gpu_block_room *room, uint32_t row, uint32_t i)
{
	return (i < 4 ? room->left : room->right) + row * room->apart + i % 4;
}

/* Fetches the stored magnitudes of eight coefficients from position k on; large: see
 * xc_gpu_large_symbols(). */
XC_GPU_INLINE void xc_gpu_take_large(const xc_gpu_rans_class *c, uint32_t large, uint32_t k,
                                     const xc_gpu_block_room *room, float f[8])
{
	XC_UNROLL
	for (uint32_t i = 0; i < 8; i++) {
		if (!(large >> 4 * i & 1))
			continue;
		const uint32_t sign = xc_gpu_float_bits(f[i]) & 1u << 31;
		const uint32_t size = xc_gpu_float_bits(*xc_gpu_room_at(room, k / 8, i));
		f[i] = xc_gpu_float_of(!xc_gpu_is_whole(c, k + i) ? size | sign : sign ? 0 - size : size);
	}
}

/* The coefficients of four words of symbols. */
XC_GPU_INLINE void xc_gpu_many_values(const xc_gpu_rans_class *c, const uint32_t word[4],
                                      uint32_t first, uint32_t signs, const xc_gpu_block_room *room,
                                      float f[32])
{
	XC_UNROLL
	for (uint32_t i = 0; i < 4; i++) {
		if (word[i]) {
			/* The DC is set elsewhere. */
			const uint32_t large = xc_gpu_large_symbols(word[i]) & ~(first + i ? 0u : 1u);
			xc_gpu_load_values8(c, word[i], first + 8 * i, &signs, f + 8 * i);
			if (large)
				xc_gpu_take_large(c, large, first + 8 * i, room, f + 8 * i);
			continue;
		}
		XC_UNROLL
		for (uint32_t j = 0; j < 8; j++)
			f[8 * i + j] = 0;
	}
}

/* Stores the magnitudes of the AC symbols with class bits, which begin at bit `at`, in the room:
 * times the steps, or as integers. words: a bit for each of the block's words that has any. */
XC_GPU_INLINE void xc_gpu_leave_large(const uint32_t *symbols, const xc_gpu_raw_window *window,
                                      const xc_gpu_rans_class *c, uint32_t words, uint32_t at,
                                      const xc_gpu_block_room *room)
{
	XC_ROLLED
	for (; words; words &= words - 1) {
		const uint32_t i = (uint32_t)xc_gpu_lowest(words), word = symbols[i];
		uint32_t left = xc_gpu_large_symbols(word) & ~(i ? 0u : 1u);
		XC_ROLLED
		for (; left; left &= left - 1) {
			const uint32_t shift = (uint32_t)xc_gpu_lowest(left), k = 8 * i + shift / 4;
			const uint32_t size = xc_gpu_window_magnitude(window, word >> shift & 15, &at);
			const int32_t value = xc_reconstruct((int32_t)size, c->points);
			*xc_gpu_room_at(room, i, shift / 4) = xc_gpu_is_whole(c, k)
			                                          ? xc_gpu_float_of((uint32_t)value)
			                                          : (float)value * c->steps[k];
		}
	}
}

XC_GPU_INLINE uint32_t xc_gpu_reversed(uint32_t w)
{
#ifdef __CUDA_ARCH__
	return __brev(w);
#else
	uint32_t r = 0;
	for (int i = 0; i < 32; i++)
		r |= (w >> i & 1) << (31 - i);
	return r;
#endif
}

/* The 32 bits from bit n on, 0 to 32, of two words, the first one lower. */
XC_GPU_INLINE uint32_t xc_gpu_bits_from(uint32_t low, uint32_t high, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_rc(low, high, n);
#else
	return (uint32_t)(((uint64_t)high << 32 | low) >> n);
#endif
}

/* The number of nonzero symbols in four words. */
XC_GPU_INLINE uint32_t xc_gpu_count_some(const uint32_t word[4])
{
	uint32_t some = 0;

	XC_UNROLL
	for (int i = 0; i < 4; i++)
		some += xc_gpu_count_bits(xc_gpu_some_symbols(word[i]));
	return some;
}

/* Bit i: word i of four has symbols with class bits. */
XC_GPU_INLINE uint32_t xc_gpu_find_large(const uint32_t word[4])
{
	uint32_t large = 0;

	XC_UNROLL
	for (int i = 0; i < 4; i++)
		large |= xc_gpu_large_symbols(word[i]) ? 1u << i : 0u;
	return large;
}

/* Sets f to the block's AC in transposed order; f[0] becomes undefined. */
XC_GPU_INLINE void xc_gpu_rans_coefficients(const xc_gpu_block_source *b, const uint32_t *symbols,
                                            const xc_gpu_rans_class *c,
                                            const xc_gpu_block_room *room, float f[64])
{
	const xc_gpu_raw_window window = xc_gpu_raw_window_at(b->tokens + 1, b->first);
	uint32_t low[4], high[4];

	xc_gpu_load_vec16(symbols, low);
	xc_gpu_load_vec16(symbols + 4, high);
	const uint32_t signs = xc_gpu_funnel(window.word[0], window.word[1], b->first);
	const uint32_t more = xc_gpu_funnel(window.word[1], window.word[2], b->first);
	const uint32_t lower = low[0] | low[1] | low[2] | low[3];
	const uint32_t upper = high[0] | high[1] | high[2] | high[3];
	const uint32_t some = xc_gpu_count_some(low);
	if ((lower | upper) & 0x88888888) {
		const uint32_t dc = low[0] & 15;
		uint32_t classes = b->first + some + xc_gpu_count_some(high);
		if (dc >= XC_RANS_FIRST_CLASS)
			(void)xc_gpu_window_magnitude(&window, dc, &classes);
		xc_gpu_leave_large(symbols, &window, c,
		                   xc_gpu_find_large(low) | xc_gpu_find_large(high) << 4, classes, room);
	}
	xc_gpu_many_values(c, low, 0, xc_gpu_reversed(signs), room, f);
	if (upper) {
		/* Loaded again, so that no registers hold them meanwhile. */
		XC_OPAQUE(symbols, "l");
		xc_gpu_load_vec16(symbols + 4, high);
		xc_gpu_many_values(c, high, 32, xc_gpu_reversed(xc_gpu_bits_from(signs, more, some)), room,
		                   f + 32);
		return;
	}
	XC_UNROLL
	for (int k = 32; k < 64; k++)
		f[k] = 0;
}

/*
 * The edge steps of the lapped transforms, in shared memory. A thread takes a *cell*, the 8x8
 * samples around the corner of four blocks: the steps across its edges, along rows and then
 * columns, stay inside it. No sample of the region depends on the outer halves of a plane's outer
 * blocks.
 */

/* Whether an edge is the picture's own: first or last of a line of blocks. */
typedef struct xc_gpu_own_edge {
	int first, last;
} xc_gpu_own_edge;

/* At the picture's own edges the samples inside replace the samples outside, whose results are
 * discarded. */
XC_GPU_INLINE void xc_gpu_mirror_edge(xc_gpu_own_edge own, float x[8])
{
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const float before = x[i], after = x[4 + i];
		x[i] = own.first ? after : before;
		x[4 + i] = own.last ? before : after;
	}
}

/* A cell's steps along its rows or, if `down`, its columns. The TDLT has none at the picture's own
 * edges. lot, down: constants. */
XC_GPU_INLINE void xc_gpu_cell_steps(float f[64], xc_gpu_own_edge own, int lot, int down)
{
	if (!lot && (own.first || own.last))
		return;
	XC_UNROLL
	for (int line = 0; line < 8; line++) {
		float x[8];
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			x[i] = f[down ? 8 * i + line : 8 * line + i];
		if (lot) {
			if (own.first || own.last)
				xc_gpu_mirror_edge(own, x);
			xc_lot8_inverse_edge(x);
		} else {
			xc_tdlt8_inverse_edge(x);
		}
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			f[down ? 8 * i + line : 8 * line + i] = x[i];
	}
}

/* The number of cells of component c. */
XC_GPU_CONSTANT uint32_t xc_gpu_cells(int kind, int c)
{
	return c >= xc_gpu_components(kind)
	           ? 0
	           : (xc_gpu_blocks_along(kind, c, 0) - 1) * (xc_gpu_blocks_along(kind, c, 1) - 1);
}

/* Edge number `at` of the region's part of component c, across or down. */
XC_GPU_INLINE xc_gpu_own_edge xc_gpu_edge_at(const xc_gpu_region *r, int kind, int c, uint32_t at,
                                             int down)
{
	const uint32_t mcus = down ? r->job->mcus_high : r->job->mcus_wide;
	const uint32_t blocks = c ? mcus : mcus * (down ? r->job->v : r->job->h);
	const uint32_t k = (uint32_t)(xc_gpu_first_block(r, kind, c, down) + 1) + at;
	const xc_gpu_own_edge own = {k == 0, k >= blocks};

	return own;
}

/* Cell i of all components; lot: a constant. */
XC_GPU_INLINE void xc_gpu_region_cell(const xc_gpu_region *r, uint32_t i, int kind, int lot)
{
	const xc_gpu_xy xy = xc_gpu_xy_of(i, xc_gpu_cells(kind, 0), xc_gpu_cells(kind, 1), kind, 1);
	const int c = (int)xy.c;
	const uint32_t x = xy.x, y = xy.y;
	uint32_t row = xc_gpu_row_floats(kind, c);
	float *at = r->shared + xc_gpu_plane(kind, c) + (8 * y + 4) * row;
	float *left = at + xc_gpu_column(kind, c, 8 * x + 4);
	float *right = at + xc_gpu_column(kind, c, 8 * x + 8);
	const xc_gpu_own_edge across = xc_gpu_edge_at(r, kind, c, x, 0);
	const xc_gpu_own_edge down = xc_gpu_edge_at(r, kind, c, y, 1);
	float f[64];

	XC_UNROLL
	for (uint32_t j = 0; j < 8; j++) {
		xc_gpu_load_four(left + j * row, f + 8 * j);
		xc_gpu_load_four(right + j * row, f + 8 * j + 4);
	}
	xc_gpu_cell_steps(f, across, lot, 0);
	xc_gpu_cell_steps(f, down, lot, 1);
	XC_OPAQUE(row, "r"); /* or nvcc would spill 16 addresses during the steps */
	XC_UNROLL
	for (uint32_t j = 0; j < 8; j++) {
		xc_gpu_store_four(left + j * row, f + 8 * j);
		xc_gpu_store_four(right + j * row, f + 8 * j + 4);
	}
}

/* All cells, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_region_cells(const xc_gpu_region *r, int kind, uint32_t worker,
                                       uint32_t workers)
{
	const uint32_t cells = xc_gpu_cells(kind, 0) + 2 * xc_gpu_cells(kind, 1);
	const int lot = r->job->transform == XC_TRANSFORM_LOT;

	for (uint32_t i = worker; i < cells; i += workers) {
		if (lot)
			xc_gpu_region_cell(r, i, kind, 1);
		else
			xc_gpu_region_cell(r, i, kind, 0);
	}
}

/* A thread's block of the region. */
typedef struct xc_gpu_region_block {
	uint32_t c; /* its component */
	int inside; /* 0: it lies outside the picture */
	xc_gpu_block_source source;
	xc_gpu_block_vecs vecs; /* the first ones of tokens */
	float *column;          /* of its warp's matrix, for tokens */
	float *table;           /* of its class */
	uint32_t left;          /* index in shared memory of its first sample */
} xc_gpu_region_block;

/* The table of warp `warp` for blocks of component c. */
XC_GPU_INLINE float *xc_gpu_region_table(const xc_gpu_region *r, uint32_t warp, uint32_t c,
                                         int kind)
{
	const uint32_t i = xc_gpu_is_own(kind) ? warp : c != 0;
	return r->shared + xc_gpu_region_steps(kind) + i * XC_GPU_TABLE_FLOATS;
}

/* The matrix of warp `warp`; c: the component of its blocks, if all have one. */
XC_GPU_INLINE float *xc_gpu_warp_matrix(const xc_gpu_region *r, uint32_t warp, uint32_t c, int kind)
{
	if (!xc_gpu_is_own(kind))
		return r->shared + warp * XC_GPU_MATRIX_FLOATS;
	/* Two rows of blocks of luma, or all of a chroma. */
	return r->shared + xc_gpu_plane(kind, (int)c) +
	       (c ? 0 : warp * 16 * xc_gpu_row_floats(kind, 0));
}

/* The block of thread i. */
XC_GPU_INLINE xc_gpu_region_block xc_gpu_region_block_of(const xc_gpu_region *r, uint32_t i,
                                                         int kind, int source)
{
	const xc_gpu_shape *p = &r->shape;
	const xc_gpu_xy xy = xc_gpu_xy_of(i, xc_gpu_component_threads(kind, 0),
	                                  xc_gpu_component_threads(kind, 1), kind, 0);
	const uint32_t c = xy.c;
	const uint32_t x = (uint32_t)xc_gpu_first_block(r, kind, (int)c, 0) + xy.x;
	const uint32_t y = (uint32_t)xc_gpu_first_block(r, kind, (int)c, 1) + xy.y;
	const uint32_t wide = p->mcus_wide * (c ? 1 : p->h), high = p->mcus_high * (c ? 1 : p->v);
	xc_gpu_region_block b;

	b.c = c;
	b.inside = xy.y < xc_gpu_blocks_along(kind, (int)c, 1) && x < wide && y < high;
	/* Blocks outside load the nearest one: with a branch, nvcc would sink the loads before it to
	 * their uses, and one would wait for another. */
	const uint32_t inside_x = xc_gpu_min(x, wide - 1), inside_y = xc_gpu_min(y, high - 1);
	b.source = source == XC_GPU_BLOCKS ? xc_gpu_jpeg_block_at(r->job, c, inside_x, inside_y)
	                                   : xc_gpu_block_at(p, r->segments, r->results, c, inside_x,
	                                                     inside_y, source == XC_GPU_SYMBOLS);
	b.column = (float *)xc_gpu_opaque_shared_ptr(xc_gpu_warp_matrix(r, i / XC_WARP_LANES, c, kind) +
	                                             i % XC_WARP_LANES);
	b.left = xc_gpu_plane(kind, (int)c) + 8 * xy.y * xc_gpu_row_floats(kind, (int)c) +
	         xc_gpu_column(kind, (int)c, 8 * xy.x);
	XC_OPAQUE(b.left, "r"); /* or nvcc would keep its terms in registers */
	b.table = (float *)xc_gpu_opaque_shared_ptr(xc_gpu_region_table(r, i / XC_WARP_LANES, c, kind));
	return b;
}

/* Waits for the block's source and begins to load its coefficients. */
XC_GPU_INLINE void xc_gpu_region_wait(const xc_gpu_region *r, xc_gpu_region_block *b, int source)
{
	if (!b->inside || source == XC_GPU_BLOCKS)
		return;
	xc_gpu_block_wait(&b->source, &r->shape, &r->job->ac_prediction[b->c != 0]);
	if (source == XC_GPU_TOKENS)
		xc_gpu_load_first_vecs(&b->source, &b->vecs);
}

/* The first factor of coefficient k of a class, see xc_gpu_scatter_vec(). */
XC_GPU_INLINE float xc_gpu_first_step(const xc_gpu_region *r, uint32_t class_, uint32_t k, int rans)
{
	const int predicted = k == xc_gpu_across_step(rans) || k == xc_gpu_down_step(rans);
	float step = r->job->steps[class_][k];

	XC_OPAQUE_AGAIN(step, "f"); /* the load does not wait for `predicted` */
	return r->shape.predicted && predicted ? 1.0f : step;
}

/* Zeroes rows `first` to end - 1 of a matrix, with the other lanes; column: of this lane. */
XC_GPU_INLINE void xc_gpu_clear_rows(float *column, uint32_t first, uint32_t end, uint32_t lane)
{
	const float zeros[4] = {0, 0, 0, 0};

	XC_UNROLL
	for (uint32_t row = first; row < end; row += 4)
		xc_gpu_store_four(column - lane + row * XC_WARP_LANES + 4 * lane, zeros);
}

/* Whether the blocks of a warp are likely to be low: chroma of 8 bits. */
XC_GPU_INLINE int xc_gpu_may_be_low(uint32_t c, int kind, int depth16)
{
	return xc_gpu_is_own(kind) && !depth16 && c;
}

/* Fills a share of the tables and zeroes coefficients, as the thread of block b. */
XC_GPU_INLINE void xc_gpu_region_begin(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                       uint32_t thread, int kind, int depth16, int source)
{
	/* The lanes of a warp fill its table, or all threads both; each has one or two entries. */
	const int own = xc_gpu_is_own(kind);
	const uint32_t tables = own ? 1 : 2, class_ = own ? b->c != 0 : 0;
	const uint32_t workers = own ? (uint32_t)XC_WARP_LANES : xc_gpu_pixel_threads(kind);
	const uint32_t lane = thread % XC_WARP_LANES, worker = own ? lane : thread;
	float *table = own ? b->table : xc_gpu_region_table(r, 0, 0, kind);
	float step[2] = {0, 0}; /* loaded while it stores zeros */

	XC_UNROLL
	for (uint32_t i = 0; i < 2 && i * workers < 64 * tables; i++) {
		const uint32_t at = i * workers + worker;
		step[i] = xc_gpu_first_step(r, class_ + at / 64 % tables, at % 64,
		                            source == XC_GPU_SYMBOLS);
	}
	if (source == XC_GPU_TOKENS) {
		xc_gpu_clear_rows(b->column, 0, XC_GPU_LOW, lane);
		if (!xc_gpu_may_be_low(b->c, kind, depth16))
			xc_gpu_clear_rows(b->column, XC_GPU_LOW, 64, lane);
	}
	XC_UNROLL
	for (uint32_t i = 0; i < 2 && i * workers < 64 * tables; i++) {
		const uint32_t at = i * workers + worker;
		if (at < 64 * tables)
			table[at / 64 * XC_GPU_TABLE_FLOATS + at % 64] = step[i];
	}
	if (source == XC_GPU_SYMBOLS && worker < tables * XC_GPU_SYMBOL_VALUES) {
		const uint32_t i = worker / XC_GPU_SYMBOL_VALUES, symbol = worker % XC_GPU_SYMBOL_VALUES;
		const xc_value_points points = r->job->points[class_ + i];
		table[i * XC_GPU_TABLE_FLOATS + 64 + symbol] = xc_gpu_symbol_value(symbol, points);
	}
}

/* The place of the block's samples. Planes and rows of blocks begin at multiples of eight floats,
 * so the two vec16s of a row form a pair, see xc_gpu_column(). */
XC_GPU_INLINE xc_gpu_block_room xc_gpu_room_of(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                               int kind)
{
	const xc_gpu_block_room room = {r->shared + b->left, r->shared + (b->left ^ 4),
	                                xc_gpu_row_floats(kind, (int)b->c)};
	return room;
}

/* Scatters the coefficients of a warp's blocks into its matrix. Returns 1 if all blocks are low; it
 * may return 0 for low blocks too. */
XC_WARP_INLINE int xc_gpu_warp_scatter(const xc_gpu_region *r, xc_gpu_region_block b[XC_SLOTS],
                                       int kind, int depth16)
{
	const uint32_t c = b[0].c;
	const int predicted = r->shape.predicted != 0;
	int low = 0;

	XC_FOR_LANES(lane)
		xc_gpu_forget_others(&b[XC_SLOT(lane)].source, &b[XC_SLOT(lane)].vecs);
	if (xc_gpu_may_be_low(c, kind, depth16)) {
		uint32_t high[XC_SLOTS];
		XC_FOR_LANES(lane)
			high[XC_SLOT(lane)] = b[XC_SLOT(lane)].inside &&
			                      !xc_gpu_block_is_low(&b[XC_SLOT(lane)].source,
			                                           &b[XC_SLOT(lane)].vecs);
		low = !xc_warp_any(high);
		XC_FOR_LANES(lane)
			if (!low)
				xc_gpu_clear_rows(b[XC_SLOT(lane)].column, XC_GPU_LOW, 64, (uint32_t)lane);
	}
	if (xc_gpu_is_own(kind))
		xc_warp_sync();
	XC_FOR_LANES(lane) {
		xc_gpu_region_block *own = &b[XC_SLOT(lane)];
		if (own->inside)
			xc_gpu_block_scatter(&own->source, &own->vecs, own->table, own->column, XC_WARP_LANES,
			                     predicted, depth16);
	}
	return low;
}

/* Loads a block of a kept JPEG. Coefficients that sixteenths of a step in 16 bits do not hold, as the CPU has them
 * (src/decode/coded_decode.c), become the largest ones. */
XC_GPU_INLINE void xc_gpu_load_jpeg_block(const uint32_t *from, const float steps[64], float f[64])
{
	enum { MAX = INT16_MAX / XC_STEP_PARTS };
#ifdef __CUDA_ARCH__
	constexpr uint8_t order[64] = {XC_SCAN_TABLE};
#else
	static const uint8_t order[64] = {XC_SCAN_TABLE};
#endif

	XC_UNROLL
	for (uint32_t k = 0; k < 64; k += 8) {
		uint32_t word[XC_GPU_VEC16_WORDS];
		float step[8];
		xc_gpu_load_vec16(from + k / 2, word);
		xc_gpu_load_four(steps + k, step);
		xc_gpu_load_four(steps + k + 4, step + 4);
		XC_UNROLL
		for (uint32_t i = 0; i < 8; i++) {
			const int32_t v = (int16_t)(word[i / 2] >> 16 * (i % 2));
			f[order[k + i]] = (float)(v > MAX ? MAX : v < -MAX ? -MAX : v) * step[i];
		}
	}
}

/* Loads the coefficients of a block, from its column of the matrix, from rANS symbols or as they are. low, a
 * constant: the block is low, and only the first ones are set. */
XC_GPU_INLINE void xc_gpu_region_load(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                      int kind, float f[64], int low, int depth16, int source)
{
	const xc_gpu_decode_job *p = r->job;
	const float *steps = b->table;
	const int predicted = r->shape.predicted != 0;

	if (!b->inside)
		return;
	if (source == XC_GPU_BLOCKS) {
		xc_gpu_load_jpeg_block(b->source.tokens, steps, f);
		return;
	}
	if (source == XC_GPU_SYMBOLS) {
		const xc_gpu_rans_class c = {steps, p->points[b->c != 0], predicted, depth16};
		const xc_gpu_block_room room = xc_gpu_room_of(r, b, kind);
		XC_UNROLL
		for (int k = 0; k < 64; k++)
			f[k] = 0;
		if (b->source.tokens)
			xc_gpu_rans_coefficients(&b->source,
			                         p->tokens + (size_t)b->source.end * XC_GPU_SYMBOL_WORDS, &c,
			                         &room, f);
		f[0] = (float)b->source.dc * steps[0];
	} else {
		xc_gpu_block_gather(&b->source, steps, b->column, XC_WARP_LANES, f,
		                    low ? (uint32_t)XC_GPU_LOW : 64);
	}
	if (predicted)
		xc_gpu_add_ac_prediction(p, &b->source, b->c != 0, f, depth16, source == XC_GPU_SYMBOLS);
}

/* Stores the left or right four columns of samples in the plane. */
XC_GPU_INLINE void xc_gpu_store_half(const xc_gpu_block_room *room, const float f[64], int right)
{
	XC_UNROLL
	for (uint32_t y = 0; y < 8; y++) {
		const float *at = f + 32 * right + y, row[4] = {at[0], at[8], at[16], at[24]};
		xc_gpu_store_four((right ? room->right : room->left) + y * room->apart, row);
	}
}

XC_GPU_INLINE int xc_gpu_region_is_lot(const xc_gpu_region *r, int kind)
{
	return xc_gpu_is_lapped(kind) && r->job->transform == XC_TRANSFORM_LOT;
}

/* The transform of a block in steps: first its rows. low, a constant: the block is low. */
XC_GPU_INLINE void xc_gpu_region_transform(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                           float f[64], int kind, int low)
{
	if (!b->inside)
		return;
	if (xc_gpu_region_is_lot(r, kind))
		xc_gpu_inverse_rows(f, 1, 0);
	else
		xc_gpu_inverse_rows(f, 0, low);
}

/* Then four columns, the first or the last ones. */
XC_GPU_INLINE void xc_gpu_region_columns(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                         float f[64], int last, int kind)
{
	if (!b->inside)
		return;
	if (xc_gpu_region_is_lot(r, kind))
		xc_gpu_inverse_columns(f, last, 1);
	else
		xc_gpu_inverse_columns(f, last, 0);
}

/* The last columns, and the stores to shared memory. The left half is stored before the right half
 * is transformed: otherwise registers would be too few to have the four numbers of a store
 * adjacent. */
XC_GPU_INLINE void xc_gpu_region_store(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                       float f[64], int kind)
{
	if (!b->inside)
		return;
	const xc_gpu_block_room room = xc_gpu_room_of(r, b, kind);
	xc_gpu_store_half(&room, f, 0);
	xc_gpu_region_columns(r, b, f, 1, kind);
	xc_gpu_store_half(&room, f, 1);
}

/* Rounds all samples as JPEG decoders do, see xc_decode_options. */
XC_GPU_INLINE void xc_gpu_region_round(const xc_gpu_region *r, int kind, int depth16,
                                       uint32_t worker, uint32_t workers)
{
	for (uint32_t i = worker; i < xc_gpu_plane(kind, 3); i += workers)
		r->shared[i] = xc_gpu_round(r->shared[i], depth16);
}

/* Converts components made for the picture to Y, Cb and Cr; only 4:4:4 has such components. */
XC_GPU_INLINE void xc_gpu_region_mix(const xc_gpu_region *r, int kind, uint32_t worker,
                                     uint32_t workers)
{
	const uint32_t fours = 2 * xc_gpu_blocks_along(kind, 0, 0);
	const uint32_t items = fours * 8 * xc_gpu_blocks_along(kind, 0, 1);

	for (uint32_t i = worker; i < items; i += workers) {
		float v[3][4], mixed[4];
		float *at[3];
		XC_UNROLL
		for (int c = 0; c < 3; c++) {
			at[c] = r->shared + xc_gpu_plane(kind, c) + i / fours * xc_gpu_row_floats(kind, c) +
			        4 * (i % fours);
			xc_gpu_load_four(at[c], v[c]);
		}
		XC_UNROLL
		for (int c = 0; c < 3; c++) {
			XC_UNROLL
			for (int j = 0; j < 4; j++)
				mixed[j] = xc_colour_mix(v[0][j], v[1][j], v[2][j], r->job->colours + 3 * c);
			xc_gpu_store_four(at[c], mixed);
		}
	}
}

/* ---------------------------------------------------------------- around it */

/* The valid samples of a plane: first and last, across and down. */
typedef struct xc_gpu_inside {
	int32_t x[2], y[2];
} xc_gpu_inside;

/* Sample (x, y) becomes the nearest valid one. */
XC_GPU_INLINE void xc_gpu_extend(float *plane, int kind, int c, int32_t x, int32_t y,
                                 const xc_gpu_inside *in)
{
	const uint32_t row = xc_gpu_row_floats(kind, c);
	const int32_t sx = x < in->x[0] ? in->x[0] : x > in->x[1] ? in->x[1] : x;
	const int32_t sy = y < in->y[0] ? in->y[0] : y > in->y[1] ? in->y[1] : y;

	plane[(uint32_t)y * row + xc_gpu_column(kind, c, (uint32_t)x)] =
		plane[(uint32_t)sy * row + xc_gpu_column(kind, c, (uint32_t)sx)];
}

/* Extends a plane by a column on either side of the picture, and by rows above and below. */
XC_GPU_INLINE void xc_gpu_plane_extend(const xc_gpu_region *r, int kind, int c, uint32_t worker,
                                       uint32_t workers)
{
	const int low = xc_gpu_is_halved(kind, c, 1);
	const int32_t x0 = -8 * xc_gpu_first_block(r, kind, c, 0);
	const int32_t y0 = -8 * xc_gpu_first_block(r, kind, c, 1);
	const xc_gpu_inside in = {{x0, x0 + (int32_t)((r->job->width - 1) / 2)},
	                          {y0, y0 + (int32_t)((r->job->height - 1) >> low)}};
	const int32_t wide = 8 * (int32_t)xc_gpu_blocks_along(kind, c, 0);
	const int32_t high = 8 * (int32_t)xc_gpu_blocks_along(kind, c, 1);
	float *plane = r->shared + xc_gpu_plane(kind, c);

	for (int side = 0; side < 2; side++) {
		const int32_t x = side ? in.x[1] + 1 : in.x[0] - 1, y = side ? in.y[1] + 1 : in.y[0] - 1;
		if (x >= 0 && x < wide)
			for (int32_t i = (int32_t)worker; i < high; i += (int32_t)workers)
				xc_gpu_extend(plane, kind, c, x, i, &in);
		if (low && y >= 0 && y < high)
			for (int32_t i = (int32_t)worker; i < wide; i += (int32_t)workers)
				if (i >= in.x[0] && i <= in.x[1])
					xc_gpu_extend(plane, kind, c, i, y, &in);
	}
}

XC_GPU_INLINE void xc_gpu_region_extend(const xc_gpu_region *r, int kind, uint32_t worker,
                                        uint32_t workers)
{
	for (int c = 1; c < xc_gpu_components(kind); c++)
		xc_gpu_plane_extend(r, kind, c, worker, workers);
}

#endif
