/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of `xcodec bench gpu` share. */
#ifndef XC_BENCH_GPU_GPU_H
#define XC_BENCH_GPU_GPU_H

#include "cli/base/json.h"

#include "src/cuda/encoder.h"

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
	/* Bytes a second of copies: on the device, read + written; to it and from it; both at
	 * once, together. */
	double copy_rate, up_rate, down_rate, both_rate;
	int as_json;
	xc_cli_json json;
} xc_bench_gpu;

/* One line of the table. */
typedef struct xc_bench_gpu_result {
	const char *what;  /* "encode" or "decode", behind the codec's name if not ours */
	char coding[64];   /* "q75 4:2:0 default" */
	uint32_t pictures; /* in a call */
	int in_a_row;      /* calls that follow each other without waiting */
	uint32_t workers;  /* that shared the call, if the codec is not ours; 0: one */
	const char *workers_name;
	double seconds;      /* of a call, the median */
	double host_seconds; /* of these calls: what the processor works on one */
	double bytes;        /* that a call must at least read and write */
	int stages;
	const char *stage_names[XC_BENCH_GPU_STAGES];
	double stage_seconds[XC_BENCH_GPU_STAGES];
} xc_bench_gpu_result;

/* Reports what went wrong with the GPU and returns -1; or 0. */
int xc_bench_gpu_check(const xc_bench_gpu *b, xc_status status, const xc_gpu_error *e);

/* Puts the context's message about a failure into *e; returns it. */
xc_status xc_bench_gpu_tell(const xc_bench_gpu *b, xc_status status, xc_gpu_error *e);

/* The median of n numbers, which it sorts. */
double xc_bench_gpu_median(double *values, int n);

/* Does `enqueue` on the GPU's stream, `runs` times after a few that do not count, and
 * gives the median of the seconds between events around it.  marks is NULL, or events
 * for enqueue to record; then stage_seconds gets the medians between them.  0 or -1. */
typedef struct xc_bench_gpu_work {
	xc_status (*enqueue)(void *user, uint32_t run, void **marks, xc_gpu_error *e);
	/* Once it is done; or NULL. */
	xc_status (*finish)(void *user, uint32_t run, xc_gpu_error *e);
	void *user;
	int stages;
	void *stream; /* that enqueue uses; NULL: the GPU's own */
} xc_bench_gpu_work;
int xc_bench_gpu_time(const xc_bench_gpu *b, const xc_bench_gpu_work *work,
                      xc_bench_gpu_result *result);

/* The same work, call after call: the next one is enqueued before the one before is done.
 * The seconds of a call are the mean over `runs`; the stages are not measured. */
int xc_bench_gpu_time_row(const xc_bench_gpu *b, const xc_bench_gpu_work *work,
                          xc_bench_gpu_result *result);

double xc_bench_gpu_now(void); /* seconds, by the wall clock */

/* The codings that are measured, and their names. */
enum { XC_BENCH_GPU_CODINGS = 8 };
void xc_bench_gpu_coding(int number, xc_encode_options *options, char name[64]);

/* Draws b->frames, mosaics of the pictures; 0, or -1 after reporting why not. */
int xc_bench_gpu_frames_make(xc_bench_gpu *b, const xc_picture *const *sources, int count);

/* The frames as files of one coding, `room` bytes from one to the next. */
typedef struct xc_bench_gpu_files {
	size_t room;
	void *device, *host; /* the host's are pinned */
	uint64_t *sizes;
} xc_bench_gpu_files;
xc_status xc_bench_gpu_files_make(xc_bench_gpu *b, const xc_encode_options *options,
                                  xc_bench_gpu_files *files, xc_gpu_error *e);
void xc_bench_gpu_files_free(const xc_bench_gpu *b, const xc_bench_gpu_files *files);

/* pictures: what the frames are made of. */
void xc_bench_gpu_print_start(xc_bench_gpu *b, const char *pictures);
void xc_bench_gpu_print_end(xc_bench_gpu *b);
void xc_bench_gpu_print(xc_bench_gpu *b, const xc_bench_gpu_result *result);

/* What went over the bus from host to host. */
typedef struct xc_bench_gpu_flow {
	double pictures, seconds, up, down; /* the last two in bytes */
} xc_bench_gpu_flow;
void xc_bench_gpu_print_flow(xc_bench_gpu *b, const char *what, const char *coding,
                             const xc_bench_gpu_flow *flow);
/* Encoding and decoding at the same time. */
void xc_bench_gpu_print_both(xc_bench_gpu *b, const char *coding, const xc_bench_gpu_flow *encode,
                             const xc_bench_gpu_flow *decode);

/* The measurements; 0, or -1 after reporting why not. */
int xc_bench_gpu_rates(xc_bench_gpu *b);
int xc_bench_gpu_encode(xc_bench_gpu *b);
int xc_bench_gpu_decode(xc_bench_gpu *b);
/* From host to host, one direction after the other and both at once. */
int xc_bench_gpu_host(xc_bench_gpu *b);
/* nvJPEG, if its library is there and the GPU is the first. */
int xc_bench_gpu_nvjpeg(xc_bench_gpu *b);

#endif
