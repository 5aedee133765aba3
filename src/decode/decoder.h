/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments to rows of pixels. All threads decode a *batch* of tile rows at a time
 * (src/decode/schedule.h) and write the pixels that are then complete. The *crop* (src/decode/crop.h)
 * is what they decode: all tiles, or those of a region and its margins. */
#ifndef XC_SRC_DECODE_DECODER_H
#define XC_SRC_DECODE_DECODER_H

#include "lossless/lossless.h"
#include "src/decode/feed.h"
#include "src/decode/schedule.h"
#include "src/pixels/reduced.h"

typedef struct xc_decode_worker {
	xc_inverse_scratch inverse;
	xc_coded_scratch coded;
	uint8_t *alpha;    /* scratch and samples of a tile */
	uint8_t *lossless; /* the same of a file without loss */
} xc_decode_worker;

/* See src/decode/batch.c. */
typedef struct xc_decode_alpha {
	uint8_t *window; /* rows of samples of the crop, at the size of the output */
	uint32_t first;  /* row */
	int seen;        /* some may not be opaque */
} xc_decode_alpha;

struct xc_decoder {
	xc_context *context;
	xc_decode_options options;
	uint64_t file_bytes; /* of a file in memory */
	uint8_t *file;       /* the decoder's own, or NULL */
	int from_memory;
	xc_status failed; /* of an earlier call */
	int finished;     /* no more rows are given */

	/* What is decoded: the crop as tiles and as a picture, and the rectangle that is given. */
	xc_tile_span span;
	xc_geometry crop;
	uint32_t scale;
	uint32_t left, top, width, height; /* in reduced pixels of the crop */
	xc_layout layout;                  /* of the output, known when the first rows are wanted */
	size_t pixel;                      /* bytes of one, in its first plane */

	/* How. */
	int set_up;
	xc_inverse inverse;
	xc_reduced reduced;
	float colours[9]; /* see inverse.colours */
	xc_schedule schedule;
	xc_decode_worker *workers; /* [schedule.workers] */
	char *halos;               /* of the batch's runs; NULL: none are needed */
	size_t halo_bytes;         /* of each */

	/* How far. */
	uint32_t tile_row;    /* of the crop, the next one */
	uint32_t batch_end;   /* the end of the batch under way */
	uint64_t tiles;       /* of the crop, how many are decoded */
	uint32_t made, given; /* rows of pixels of the crop */
	xc_pixels window;     /* where a batch's pixels go to; its rows from window_first on */
	uint32_t window_first;
	xc_pixels buffer;                /* memory for it, which begins with its first plane */
	uint32_t *crcs;                  /* of coded.segments */
	uint64_t damaged, first_damaged; /* segments: how many, and the number of the first one */

	xc_decode_alpha alpha;
	const xc_lossless_level *lossless; /* NULL: there are coefficients */

	xc_coded coded;
	xc_feed feed;
};

/* xc_decode() within a call, to a picture or, if that is NULL, to pixels. */
xc_status xc_decode_file(xc_context *context, const void *file, size_t size,
                         xc_decode_options *options, xc_picture *picture, const xc_pixels *pixels);

/* The time to decode the whole crop, which each batch uses, so that it gets all threads. */
uint64_t xc_decoder_time(const xc_decoder *decoder);

/* Chooses the schedule.  whole: one batch has all rows. */
xc_status xc_decoder_schedule(xc_decoder *decoder, int whole);

/* Chooses the next batch; returns the row of pixels where it ends. */
uint32_t xc_decoder_plan_batch(xc_decoder *decoder);
/* Decodes it: rows `made` to `end` - 1. The planes of `to` point to row `made`. */
xc_status xc_decoder_run_batch(xc_decoder *decoder, uint32_t end, const xc_pixels *to);

/* Fails with the first damaged segment. */
xc_status xc_decoder_fail_segment(xc_decoder *decoder);

/* Set-up and tear-down of alpha do nothing in a picture without it. */
xc_status xc_decoder_alpha_set_up(xc_decoder *decoder);
void xc_decoder_alpha_tear_down(xc_decoder *decoder);

/* Files without loss: chooses the schedule, allocates the workers, and decodes tile `index` of the
 * crop, which is `number` in the picture, to the window. 0: its segment is damaged, and it becomes
 * grey. */
xc_status xc_decoder_lossless_schedule(xc_decoder *decoder, int whole);
xc_status xc_decoder_lossless_set_up(xc_decoder *decoder);
int xc_decoder_lossless_tile(xc_decoder *decoder, const xc_decode_worker *worker, uint64_t index,
                             uint64_t number);

/* Checks `reserved` and the flags; NULL is right. */
xc_status xc_decode_options_check(xc_context *context, const xc_decode_options *options);
/* Checks a scale; 0 means 1. */
xc_status xc_scale_check(xc_context *context, uint32_t scale);
/* The same, and a region of a picture; one of width 0 becomes all pixels. */
xc_status xc_region_check(xc_context *context, uint32_t width, uint32_t height, uint32_t scale,
                          xc_rectangle *region);
/* The reduced pixels that have a part in a checked region. */
static inline void xc_region_size(const xc_rectangle *r, uint32_t scale, uint32_t *width,
                                  uint32_t *height)
{
	*width = xc_reduced_size(r->x + r->width, scale) - r->x / scale;
	*height = xc_reduced_size(r->y + r->height, scale) - r->y / scale;
}

#endif
