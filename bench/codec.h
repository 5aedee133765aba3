/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec, its stages, and libjpeg(-turbo) as a peer, from memory to memory in one process.
 * The tasks take turns, so that whatever else the machine does slows all of them alike.
 * Each is run once before anything is counted.
 */
#ifndef XC_BENCH_CODEC_H
#define XC_BENCH_CODEC_H

#include <stdio.h>
#include <xcodec.h>

#include "cli/base/json.h"
#include "src/decode/coded.h"
#include "src/decode/schedule.h"
#include "src/pixels/forward.h"
#include "src/container/segment.h"

/*
 * The codec's stages, timed as beginnings of its pipeline.  A beginning takes all tiles of a
 * picture through the first stages of the encoder or the decoder, tile by tile as the codec does,
 * and leaves out the rest.  A stage's time is the time by which one beginning exceeds the one
 * before.  So each stage finds its data in the caches as in the codec, and the stages add up to the
 * whole.  Kernels are the codec's own; functions that do nothing replace those that are left out.
 */

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

enum { XC_BENCH_TASKS = 9 };

/* What is timed.  The JPEG ones have one thread and are left out without libjpeg. */
typedef enum xc_bench_task {
	XC_BENCH_JPEG_DEFAULT,   /* cjpeg */
	XC_BENCH_JPEG_OPTIMIZED, /* cjpeg -optimize */
	XC_BENCH_JPEG_DECODE,    /* djpeg of that */
	XC_BENCH_DEFAULT,        /* xcodec encode --huffman default, one thread */
	XC_BENCH_OPTIMIZED,      /* xcodec encode, one thread */
	XC_BENCH_DECODE,         /* xcodec decode of that, one thread */
	XC_BENCH_MORE_DEFAULT,   /* the same three with more threads */
	XC_BENCH_MORE_OPTIMIZED,
	XC_BENCH_MORE_DECODE
} xc_bench_task;

typedef struct xc_bench_codec_options {
	const xc_picture *picture; /* RGB of 8 bits */
	int quality;
	xc_subsampling subsampling;
	xc_transform transform;
	int rounds;      /* 1 or more */
	int threads;     /* of the last three tasks, which 1 leaves out */
	int min;         /* report stages by the least times, not by the medians */
	const char *cpu; /* SIMD level, as xc_context_set_cpu() takes it */
} xc_bench_codec_options;

/* Seconds, over the rounds; zero if the task was left out. */
typedef struct xc_bench_time {
	double min, median;
} xc_bench_time;

typedef struct xc_bench_codec_result {
	xc_bench_codec_options options;
	char cpu[16]; /* the level used */
	double hertz; /* of the processor, the median of a measurement a round */
	xc_bench_time time[XC_BENCH_TASKS];
	/* The pipeline's beginnings (see above), with one thread and with all. */
	xc_bench_time part[2][XC_BENCH_PARTS];
	/* Sizes and PSNR are of the files with optimized tables. */
	size_t bytes, jpeg_bytes;
	double psnr, jpeg_psnr; /* of all samples, in dB */
} xc_bench_codec_result;

/* Returns 0, or -1 after reporting why not. */
int xc_bench_codec(const xc_bench_codec_options *options, xc_bench_codec_result *result);

/* How many times as fast as `peer` the task was, by the least times or the medians; 0 if one
 * of them was left out. */
double xc_bench_speedup(const xc_bench_codec_result *result, xc_bench_task peer, xc_bench_task task,
                        int medians);

#endif
