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

#include "bench/stages.h"
#include "cli/base/json.h"

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
	/* The pipeline's beginnings (see stages.h), with one thread and with all. */
	xc_bench_time part[2][XC_BENCH_PARTS];
	/* Of the files with optimized tables. */
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
