/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec's stages, timed as beginnings of its pipeline.  A beginning takes all tiles of a
 * picture through the first stages of the encoder or the decoder, tile by tile as the codec does,
 * and leaves out the rest.  A stage's time is the time by which one beginning exceeds the one
 * before.  So each stage finds its data in the caches as in the codec, and the stages add up to the
 * whole.  Kernels are the codec's own; functions that do nothing replace those that are left out.
 */
#ifndef XC_BENCH_STAGES_H
#define XC_BENCH_STAGES_H

#include "src/decode/coded.h"
#include "src/decode/schedule.h"
#include "src/pixels/forward.h"
#include "src/container/segment.h"

typedef enum xc_bench_part {
	XC_PART_COLOUR,       /* pixels to planes */
	XC_PART_TRANSFORM,    /* and to coefficients */
	XC_PART_TOKENS,       /* and to tokens */
	XC_PART_COUNT,        /* and these counted and kept */
	XC_PART_TABLES,       /* nothing but the codes for these counts */
	XC_PART_CODE,         /* counting, codes, and the tokens coded */
	XC_PART_CODE_DEFAULT, /* tokens, coded at once with the built-in codes */
	XC_PART_PARSE,        /* the container parsed, the decoder's tables made */
	XC_PART_CHECK,        /* the segments' CRCs */
	XC_PART_ENTROPY,      /* and their coefficients */
	XC_PART_INVERSE,      /* and their planes */
	XC_PART_OUTPUT,       /* and the pixels */
	XC_BENCH_PARTS
} xc_bench_part;

typedef struct xc_bench_worker {
	xc_forward_scratch forward;
	xc_inverse_scratch inverse;
	xc_coded_scratch coded;
	void *coefficients;
	xc_arena tokens, bits;
	xc_token_counts counts[2][XC_AC_CONTEXTS];
} xc_bench_worker;

typedef struct xc_bench_stages {
	xc_context *context;
	xc_buffer file;     /* a view */
	xc_coded coded;     /* the parsed file */
	xc_bench_part part; /* that is being run */
	xc_kernels silent;  /* without the forward transform and without output */
	xc_transform_kernels silent_transform;
	xc_pixels in, out;
	xc_forward forward, colour_only;
	xc_inverse inverse, planes_only;
	xc_schedule schedule;
	xc_coder codes[2], default_codes[2];
	xc_token_contexts contexts;
	xc_tile_tokens *tokens; /* [tiles] */
	uint32_t *crcs;         /* [tiles] */
	xc_bench_worker *workers;
	int worker_count;
	int out_of_memory;
} xc_bench_stages;

/* Takes a picture and its file with optimized codes; the decoder's stages write to `out`.
 * All three must outlive the stages.  threads: the most that will be used.  The stages must
 * be freed even after a failure. */
xc_status xc_bench_stages_init(xc_bench_stages *stages, xc_context *context,
                               const xc_picture *picture, const xc_buffer *file,
                               const xc_picture *out, int threads);
void xc_bench_stages_free(xc_bench_stages *stages);

/* Runs one beginning with the context's threads. */
xc_status xc_bench_stages_run(xc_bench_stages *stages, xc_bench_part part, double *seconds);

#endif
