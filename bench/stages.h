/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec's stages, timed as beginnings of its pipeline: all tiles of a picture go
 * through the first stages of the encoder or the decoder, tile by tile as in the codec
 * itself, and what follows is left out.  A stage is what one beginning takes more than
 * the one before, so that stages find their data in the caches where the codec has them,
 * and add up to the whole.  The kernels are the codec's own; those to be left out are
 * replaced by functions that do nothing.
 */
#ifndef XC_BENCH_STAGES_H
#define XC_BENCH_STAGES_H

#include "src/decode/coded.h"
#include "src/pixels/forward.h"
#include "src/pixels/inverse.h"
#include "src/pixels/inverse_edge.h"
#include "src/container/segment.h"

typedef enum xc_bench_part {
	XC_PART_COLOUR,       /* pixels to planes */
	XC_PART_TRANSFORM,    /* and to coefficients */
	XC_PART_TOKENS,       /* and to tokens */
	XC_PART_COUNT,        /* and these counted and kept */
	XC_PART_TABLES,       /* the codes for these counts alone */
	XC_PART_CODE,         /* all of it, and the tokens coded */
	XC_PART_CODE_DEFAULT, /* tokens, coded at once with the built-in codes */
	XC_PART_PARSE,        /* the container read, the decoder's tables made */
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
	xc_token_counts counts[2];
} xc_bench_worker;

typedef struct xc_bench_stages {
	xc_context *context;
	xc_buffer file;     /* a view */
	xc_coded coded;     /* says all that the stages need to know */
	xc_bench_part part; /* being run */
	xc_kernels silent;  /* without the forward transform and without output */
	xc_transform_kernels silent_transform;
	xc_forward forward, colour_only;
	xc_inverse inverse, planes_only;
	xc_coder_tables codes[2], default_codes[2];
	xc_tile_tokens *tokens; /* [tiles] */
	uint32_t *crcs;         /* [tiles] */
	xc_bench_worker *workers;
	int worker_count;
	int out_of_memory;
} xc_bench_stages;

/* The picture and its file with optimized codes; `out` is what the decoder's stages
 * write.  All must stay.  threads: the most that will be used.  To be freed also after
 * a failure. */
xc_status xc_bench_stages_init(xc_bench_stages *stages, xc_context *context,
                               const xc_picture *picture, const xc_buffer *file,
                               const xc_picture *out, int threads);
void xc_bench_stages_free(xc_bench_stages *stages);

/* One beginning, with the context's threads. */
xc_status xc_bench_stages_run(xc_bench_stages *stages, xc_bench_part part, double *seconds);

#endif
