/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The region of a picture that a thread block makes, and its planes of samples in shared memory.
 *
 * A plane consists of all blocks that the region's samples depend on. Halved chroma needs one more
 * sample on all sides, lapped transforms the reach of their edge steps. Regions begin in the middle
 * of such blocks, so that a row needs one more block instead of two:
 *
 *	     before          region
 *	  [ . . . . ][ . . . . ][ . . . . ][ . . . . ]     blocks
 *	         |<--------------------------->|           samples needed
 *
 * With the DCT this saving applies vertically only, see xc_gpu_shift().
 */
#ifndef XC_GPU_DECODE_PIXELS_REGION_H
#define XC_GPU_DECODE_PIXELS_REGION_H

#include "gpu/decode/job.h"
#include "gpu/decode/pixels/block.h"
#include "gpu/runtime/device.h"
#include "gpu/runtime/warp.h"
#include "transform/colour.h"

/* The kinds of pictures, each of which has a kernel for 8 and one for 16 bits.  XC_GPU_LAPPED is
 * added with a lapped transform, XC_GPU_LOWER for lower regions on GPUs with less shared memory. */
enum {
	XC_GPU_GREY,
	XC_GPU_444,
	XC_GPU_422,
	XC_GPU_420,
	XC_GPU_LAPPED,
	XC_GPU_LOWER = 8,
	XC_GPU_KINDS = 16
};

/* The kind of a job's picture. */
XC_GPU_INLINE int xc_gpu_kind_of(const xc_gpu_decode_job *p)
{
	const int base = p->channels < 3 ? XC_GPU_GREY
	                 : p->h == 1     ? XC_GPU_444
	                 : p->v == 1     ? XC_GPU_422
	                                 : XC_GPU_420;

	return p->transform == XC_TRANSFORM_DCT ? base : XC_GPU_LAPPED + base;
}

enum { XC_GPU_REGION_WIDTH = 128 };

XC_GPU_CONSTANT int xc_gpu_is_lapped(int kind)
{
	return (kind & XC_GPU_LAPPED) != 0;
}

XC_GPU_CONSTANT int xc_gpu_base_kind(int kind)
{
	return kind % XC_GPU_LAPPED;
}

/* Whether component c is halved across, or down. */
XC_GPU_CONSTANT int xc_gpu_is_halved(int kind, int c, int down)
{
	return c && xc_gpu_base_kind(kind) >= (down ? XC_GPU_420 : XC_GPU_422);
}

XC_GPU_CONSTANT int xc_gpu_components(int kind)
{
	return xc_gpu_base_kind(kind) == XC_GPU_GREY ? 1 : 3;
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_height(int kind)
{
	if (kind == XC_GPU_LAPPED + XC_GPU_420)
		return 96;
	if (kind == XC_GPU_LOWER + XC_GPU_LAPPED + XC_GPU_444)
		return 24;
	if (kind == XC_GPU_LOWER + XC_GPU_LAPPED + XC_GPU_420)
		return 32;
	if (kind == XC_GPU_444)
		return 16;
	return xc_gpu_components(kind) == 1 ? 64 : 32;
}

/* The pixels by which regions begin before multiples of their size, across or down: half a block
 * with a lapped transform, else a luma block if chroma is halved down. Across, a row of halved
 * chroma has two more blocks than the region instead: otherwise idle lanes take them, and rows of
 * pixels begin at multiples of 16 bytes. */
XC_GPU_CONSTANT int xc_gpu_shift(int kind, int down)
{
	if (xc_gpu_is_lapped(kind))
		return 4;
	return down && xc_gpu_is_halved(kind, 1, 1) ? 8 : 0;
}

/* Blocks of component c before that multiple, across or down: 0 or 1. */
XC_GPU_CONSTANT int xc_gpu_before(int kind, int c, int down)
{
	return xc_gpu_shift(kind, down) > 0 || xc_gpu_is_halved(kind, c, down);
}

/* Blocks of component c across, or down. */
XC_GPU_CONSTANT uint32_t xc_gpu_blocks_along(int kind, int c, int down)
{
	const int halved = xc_gpu_is_halved(kind, c, down), lapped = xc_gpu_is_lapped(kind);
	return ((down ? xc_gpu_region_height(kind) : (uint32_t)XC_GPU_REGION_WIDTH) / 8 >> halved) +
	       (uint32_t)(lapped + halved + (halved && !lapped && !down));
}

XC_GPU_CONSTANT uint32_t xc_gpu_blocks_of(int kind, int c)
{
	return c >= xc_gpu_components(kind)
	           ? 0
	           : xc_gpu_blocks_along(kind, c, 0) * xc_gpu_blocks_along(kind, c, 1);
}

/* Whether rows of pixels load aligned vec16s of component c, the first one at column 8. */
XC_GPU_CONSTANT int xc_gpu_is_shifted(int kind, int c)
{
	return !xc_gpu_is_lapped(kind) && xc_gpu_is_halved(kind, c, 0);
}

/* Floats from one row of a plane to the next. In the end the pixels of a row replace its luma; they
 * may need 12 bytes more than 4 each. */
XC_GPU_CONSTANT uint32_t xc_gpu_row_floats(int kind, int c)
{
	return 8 * xc_gpu_blocks_along(kind, c, 0) + (c == 0 || xc_gpu_is_shifted(kind, c) ? 4 : 0);
}

/* Before the samples, the same memory holds coefficients: a matrix for each warp with a column for
 * each of its blocks (xc_gpu_block_scatter()). In these kinds a warp has blocks of one component
 * only, and its matrix lies where their samples go, so the warps need a single barrier, when all
 * samples are stored. */
XC_GPU_CONSTANT int xc_gpu_is_own(int kind)
{
	return kind == XC_GPU_GREY || kind == XC_GPU_444 || kind == XC_GPU_420;
}

enum { XC_GPU_MATRIX_FLOATS = 64 * XC_WARP_LANES };

/* Threads for the blocks of component c. */
XC_GPU_CONSTANT uint32_t xc_gpu_component_threads(int kind, int c)
{
	const uint32_t blocks = xc_gpu_blocks_of(kind, c);
	return xc_gpu_is_own(kind) ? (blocks + XC_WARP_LANES - 1) & ~(XC_WARP_LANES - 1u) : blocks;
}

/* Threads: one a block. */
XC_GPU_CONSTANT uint32_t xc_gpu_pixel_threads(int kind)
{
	const uint32_t threads = xc_gpu_component_threads(kind, 0) +
	                         2 * xc_gpu_component_threads(kind, 1);
	return (threads + XC_WARP_LANES - 1) & ~(XC_WARP_LANES - 1u);
}

XC_GPU_CONSTANT uint32_t xc_gpu_plane_floats(int kind, int c)
{
	const uint32_t samples = c >= xc_gpu_components(kind)
	                             ? 0
	                             : xc_gpu_row_floats(kind, c) * 8 * xc_gpu_blocks_along(kind, c, 1);
	const uint32_t matrices = xc_gpu_component_threads(kind, c) * 64;

	return xc_gpu_is_own(kind) && matrices > samples ? matrices : samples;
}

/* Floats from the start of shared memory to plane c. */
XC_GPU_CONSTANT uint32_t xc_gpu_plane(int kind, int c)
{
	return (c > 0 ? xc_gpu_plane_floats(kind, 0) : 0) + (c > 1 ? xc_gpu_plane_floats(kind, 1) : 0) +
	       (c > 2 ? xc_gpu_plane_floats(kind, 2) : 0);
}

/* The column (or row) of the region's first sample in plane c. */
XC_GPU_CONSTANT uint32_t xc_gpu_first_sample(int kind, int c, int down)
{
	return (uint32_t)(8 * xc_gpu_before(kind, c, down) -
	                  (xc_gpu_shift(kind, down) >> xc_gpu_is_halved(kind, c, down)));
}

/* Tables follow the matrices and samples: 64 steps of a class, and the values of 16 symbols. */
enum { XC_GPU_TABLE_FLOATS = 80 };

/* Each warp has a table if its blocks are of one class, else the region has two. */
XC_GPU_CONSTANT uint32_t xc_gpu_region_tables(int kind)
{
	return xc_gpu_is_own(kind) ? xc_gpu_pixel_threads(kind) / XC_WARP_LANES : 2;
}

/* The index of the first table. */
XC_GPU_CONSTANT uint32_t xc_gpu_region_steps(int kind)
{
	const uint32_t matrices = xc_gpu_pixel_threads(kind) * 64;
	return matrices > xc_gpu_plane(kind, 3) ? matrices : xc_gpu_plane(kind, 3);
}

/* The destination of pixels. It lies in shared memory, after the tables, because registers are too
 * few, and local memory is slower.
 *
 * Bytes first to last - 1 of each row of the region in shared memory belong to the picture. If unit
 * is 16, byte 0 goes to a multiple of 16. */
typedef struct xc_gpu_output {
	uint32_t width, height;
	int32_t x, y; /* of the region */
	xc_colour_gains gains;
	const uint8_t *alpha;
	uint8_t *pixels; /* where byte 0 of the region's first row goes */
	size_t stride;
	uint32_t start; /* byte of the region's first pixel: 0, 4, 8 or 12 */
	uint32_t first, last;
	uint32_t unit;   /* bytes stored at a time: 16, 4 or 1 */
	uint32_t whole;  /* the rows are as in most regions, see xc_gpu_row_start() */
	uint32_t alphas; /* whether pixels have alpha */
	/* Steps that few pictures need; copied here, because loading them from the job after the
	 * barrier would stall all warps. */
	uint32_t rounding, mixed;
	uint32_t border; /* xc_gpu_is_border() */
} xc_gpu_output;

XC_GPU_CONSTANT uint32_t xc_gpu_region_end(int kind)
{
	return xc_gpu_region_steps(kind) + xc_gpu_region_tables(kind) * XC_GPU_TABLE_FLOATS;
}

XC_GPU_CONSTANT size_t xc_gpu_region_bytes(int kind)
{
	return xc_gpu_region_end(kind) * sizeof(float) + sizeof(xc_gpu_output);
}

/* The kind of kernel for a job if a thread block can have `bytes` bytes of shared memory. */
XC_GPU_INLINE int xc_gpu_kind_for(const xc_gpu_decode_job *p, size_t bytes)
{
	const int kind = xc_gpu_kind_of(p);
	return xc_gpu_region_bytes(kind) > bytes ? kind + XC_GPU_LOWER : kind;
}

/* Regions of a picture, in a row and in all. */
XC_GPU_INLINE uint32_t xc_gpu_regions_wide(uint32_t width, int kind)
{
	return (width + (uint32_t)xc_gpu_shift(kind, 0) + XC_GPU_REGION_WIDTH - 1) /
	       XC_GPU_REGION_WIDTH;
}

XC_GPU_INLINE uint64_t xc_gpu_regions(uint32_t width, uint32_t height, int kind)
{
	const uint32_t high = xc_gpu_region_height(kind);
	return (uint64_t)xc_gpu_regions_wide(width, kind) *
	       ((height + (uint32_t)xc_gpu_shift(kind, 1) + high - 1) / high);
}

typedef struct xc_gpu_region {
	const xc_gpu_decode_job *job;
	xc_gpu_shape shape;
	const xc_gpu_segment *segments; /* of all pictures */
	const xc_gpu_segment_result *results;
	int32_t x, y; /* of its first pixel, which may lie before the picture */
	float *shared;
} xc_gpu_region;

XC_GPU_INLINE xc_gpu_output *xc_gpu_region_output(const xc_gpu_region *r, int kind)
{
	return (xc_gpu_output *)(void *)(r->shared + xc_gpu_region_end(kind));
}

/* Region i; its y may lie after the picture. */
XC_GPU_INLINE xc_gpu_region xc_gpu_region_of(const xc_gpu_decode_job *p,
                                             const xc_gpu_segment *segments,
                                             const xc_gpu_segment_result *results, uint32_t i,
                                             float *shared, int kind, int source)
{
	const xc_gpu_shape shape = xc_gpu_shape_of(p, source);
	const uint32_t wide = xc_gpu_regions_wide(shape.width, kind);
	const uint32_t row = xc_gpu_divide(i, wide, shape.regions_inverse);
	const uint32_t x = (i - row * wide) * XC_GPU_REGION_WIDTH, y = row * xc_gpu_region_height(kind);
	const xc_gpu_region r = {p,
	                         shape,
	                         segments,
	                         results,
	                         (int32_t)x - xc_gpu_shift(kind, 0),
	                         (int32_t)y - xc_gpu_shift(kind, 1),
	                         shared};

	return r;
}

/* Whether up-sampling needs chroma from beyond the picture. */
XC_GPU_INLINE int xc_gpu_is_border(const xc_gpu_region *r, int kind)
{
	const xc_gpu_decode_job *p = r->job;

	return xc_gpu_is_halved(kind, 1, 0) &&
	       (r->x <= 0 || r->y < 0 || p->width - (uint32_t)r->x <= XC_GPU_REGION_WIDTH ||
	        p->height - (uint32_t)r->y <= xc_gpu_region_height(kind));
}

/* The column (or row) of the first block of plane c among the picture's blocks. */
XC_GPU_INLINE int32_t xc_gpu_first_block(const xc_gpu_region *r, int kind, int c, int down)
{
	const int halved = xc_gpu_is_halved(kind, c, down);
	return (((down ? r->y : r->x) + xc_gpu_shift(kind, down)) >> (3 + halved)) -
	       xc_gpu_before(kind, c, down);
}

/* The index in its row of column x of component c. Vec16s stay together. In every other 128 bytes
 * the two vec16s of a pair are swapped, so eight lanes that load every second vec16 are
 * conflict-free. Eight lanes that load consecutive vec16s are conflict-free if the first is
 * 128-byte aligned; column 8 is, if the component is shifted. */
XC_GPU_INLINE uint32_t xc_gpu_column(int kind, int c, uint32_t x)
{
	const uint32_t before = xc_gpu_is_shifted(kind, c) ? 24 : 0, at = x + before;
	return (at ^ (at >> 3 & 4)) - before;
}

/* Column x and row y of component c, counted from the region's first. */
typedef struct xc_gpu_xy {
	uint32_t c, x, y;
} xc_gpu_xy;

/* The position of item i of all components; luma, chroma: items of one component; less: items fewer
 * than blocks in a row. All but i are constants. All components take the same path, because a warp
 * may have items of two. */
XC_GPU_INLINE xc_gpu_xy xc_gpu_xy_of(uint32_t i, uint32_t luma, uint32_t chroma, int kind,
                                     uint32_t less)
{
	const uint32_t wide0 = xc_gpu_blocks_along(kind, 0, 0) - less;
	const uint32_t wide1 = xc_gpu_blocks_along(kind, 1, 0) - less;
	xc_gpu_xy s;

	s.c = chroma ? (i >= luma) + (i >= luma + chroma) : 0;
	const uint32_t n = i - (s.c ? luma : 0) - (s.c > 1 ? chroma : 0);
	uint32_t y0 = n / wide0, y1 = n / wide1;
	XC_OPAQUE(y0, "r"); /* or nvcc would merge them into one division by a variable */
	XC_OPAQUE(y1, "r");
	s.y = s.c ? y1 : y0;
	s.x = n - s.y * (s.c ? wide1 : wide0);
	return s;
}

#endif
