/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of `xcodec bench gpu` share. */
#ifndef XC_CLI_BENCH_GPU_H
#define XC_CLI_BENCH_GPU_H

#include "json.h"

#include <src/cuda_encode.h>

enum { XC_BENCH_GPU_FRAMES = 64, XC_BENCH_GPU_STAGES = 8 };

typedef struct xc_bench_gpu {
	xc_context *context;
	xc_cuda *gpu;
	xc_cuda_device device;
	uint32_t width, height, batch;
	int runs;
	/* Different frames in device memory, behind each other: more than the cache holds. */
	void *frames;
	size_t stride, frame_bytes;
	uint32_t frame_count;
	double copy_rate, up_rate, down_rate; /* bytes a second; the first read + written */
	int as_json;
	xc_cli_json json;
} xc_bench_gpu;

/* One line of the table. */
typedef struct xc_bench_gpu_result {
	const char *what;     /* "encode" or "decode", behind the codec's name if not ours */
	char coding[64];      /* "q75 4:2:0 default" */
	uint32_t pictures;    /* in a call */
	double seconds;       /* of a call, the median */
	double bytes;         /* that a call must at least read and write */
	int stages;
	const char *stage_names[XC_BENCH_GPU_STAGES];
	double stage_seconds[XC_BENCH_GPU_STAGES];
} xc_bench_gpu_result;

/* Reports what went wrong with the GPU and returns -1; or 0. */
int xc_bench_gpu_check(const xc_bench_gpu *b, xc_status status, const xc_gpu_error *e);

/* The median of n numbers, which it sorts. */
double xc_bench_gpu_median(double *values, int n);

/* Does `enqueue` on the GPU's stream, `runs` times after a few that do not count, and
 * gives the median of the seconds between events around it.  marks is NULL, or events
 * for enqueue to record; then stage_seconds gets the medians between them.  0 or -1. */
typedef struct xc_bench_gpu_work {
	xc_status (*enqueue)(void *user, uint32_t run, void **marks, xc_gpu_error *e);
	xc_status (*finish)(void *user, xc_gpu_error *e); /* once it is done; or NULL */
	void *user;
	int stages;
	void *stream; /* that enqueue uses; NULL: the GPU's own */
} xc_bench_gpu_work;
int xc_bench_gpu_time(const xc_bench_gpu *b, const xc_bench_gpu_work *work,
                      xc_bench_gpu_result *result);

/* The codings that are measured, and their names. */
enum { XC_BENCH_GPU_CODINGS = 7 };
void xc_bench_gpu_coding(int number, xc_encode_options *options, char name[64]);

void xc_bench_gpu_print(xc_bench_gpu *b, const xc_bench_gpu_result *result);
/* From host to host: pictures a second, and the share of the bus. */
void xc_bench_gpu_print_bus(xc_bench_gpu *b, const char *what, const char *coding,
                            double pictures, double seconds, double bytes_up, double bytes_down);

/* The measurements; 0, or -1 after reporting why not. */
int xc_bench_gpu_rates(xc_bench_gpu *b);
int xc_bench_gpu_encode(xc_bench_gpu *b);
int xc_bench_gpu_decode(xc_bench_gpu *b);
/* nvJPEG, if its library is there and the GPU is the first. */
int xc_bench_gpu_nvjpeg(xc_bench_gpu *b);

#endif
