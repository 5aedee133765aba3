/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of `xcodec bench gpu` share. */
#ifndef XC_BENCH_GPU_GPU_H
#define XC_BENCH_GPU_GPU_H

#include "cli/base/json.h"

#include "src/cuda/encoder.h"

enum { XC_BENCH_GPU_FRAMES = 64, XC_BENCH_GPU_STAGES = XC_GPU_MAX_STAGES };

/* The codings that are measured. */
enum { XC_BENCH_GPU_CODINGS = 19 };

/* Size and error of one frame in a coding, measured by the processor; 0: not known. */
typedef struct xc_bench_gpu_quality {
	double bits, psnr; /* a pixel; over R, G and B, in dB */
} xc_bench_gpu_quality;

typedef struct xc_bench_gpu {
	xc_context *context;
	xc_cuda *gpu;
	xc_cuda_device device;
	uint32_t width, height, batch;
	int runs;
	/* Different frames in device memory, one after another: more than the cache holds. */
	void *frames;
	size_t stride, frame_bytes;
	uint32_t frame_count;
	/* Bytes a second of copies: read and written on the device; to it; from it; and the sum
	 * of to and from at the same time. */
	double copy_rate, up_rate, down_rate, both_rate;
	char coding[64]; /* that is being measured: "q75 4:2:0 default" */
	int number;      /* of that coding */
	int kept;        /* its files become JPEGs that are kept, which a GPU decodes alone */
	xc_bench_gpu_quality quality[XC_BENCH_GPU_CODINGS];
	int as_json;
	xc_cli_json json;
} xc_bench_gpu;

/* One line of the table. */
typedef struct xc_bench_gpu_result {
	const char *what;  /* "encode" or "decode", after the codec's name if it is not ours */
	uint32_t pictures; /* in a call */
	int in_a_row;      /* a call starts before the one before it is done */
	uint32_t workers;  /* how many shared the call, if the codec is not ours; 0: one */
	const char *workers_name;
	double seconds;      /* of a call, the median */
	double host_seconds; /* of processor work on a call, if in_a_row */
	double bytes;        /* the least that a call must read and write */
	int stages;
	const char *stage_names[XC_BENCH_GPU_STAGES];
	double stage_seconds[XC_BENCH_GPU_STAGES];
} xc_bench_gpu_result;

/* Returns 0, or -1 after reporting what went wrong: e's text, or the context's without e. */
int xc_bench_gpu_check(const xc_bench_gpu *b, xc_status status, const xc_gpu_error *e);

/* Copies the context's message about a failure to *e and returns the status. */
xc_status xc_bench_gpu_tell(const xc_bench_gpu *b, xc_status status, xc_gpu_error *e);

/* Allocates memory unless e->status says that something failed before, and sets that. */
void xc_bench_gpu_allocate(const xc_bench_gpu *b, xc_gpu_memory kind, size_t size, void **memory,
                           xc_gpu_error *e);

/* Copies and waits for the end of the copy. */
xc_status xc_bench_gpu_copy(const xc_bench_gpu *b, void *to, const void *from, size_t size,
                            xc_gpu_error *e);

/* What is timed. */
typedef struct xc_bench_gpu_work {
	/* Starts a call.  marks is NULL, or `stages` + 1 events to record around the stages. */
	xc_status (*enqueue)(void *user, uint32_t run, void **marks, xc_gpu_error *e);
	/* Is called after the call is done; or NULL. */
	xc_status (*finish)(void *user, uint32_t run, xc_gpu_error *e);
	void *user;
	int stages;
	/* How many calls of a row are under way at a time, 1 or more. Call i is on streams[i %
	 * under_way]; NULL: all are on the GPU's own stream. */
	int under_way;
	void *const *streams;
} xc_bench_gpu_work;

/* Runs the work b->runs times after a few that do not count.  seconds becomes the median of the
 * times between events around a call.  stage_seconds becomes the medians between marks, in as many
 * calls more.  Returns 0, or -1 after reporting why not. */
int xc_bench_gpu_time(const xc_bench_gpu *b, const xc_bench_gpu_work *work,
                      xc_bench_gpu_result *result);

/* Times and prints work of our own codec: single calls, and for a whole batch also calls in a row,
 * each enqueued before the last one is done.  sizes: of the call's files, valid after the first. */
int xc_bench_gpu_measure(xc_bench_gpu *b, const xc_bench_gpu_work *work, const uint64_t *sizes,
                         xc_bench_gpu_result *result);

/* Chooses a coding, whose name becomes b->coding. */
void xc_bench_gpu_coding(xc_bench_gpu *b, int number, xc_encode_options *options);

/* Draws b->frames, mosaics of the pictures.  Returns 0, or -1 after reporting why not. */
int xc_bench_gpu_frames_make(xc_bench_gpu *b, const xc_picture *sources, int count);

/* The room for the file of a frame. */
size_t xc_bench_gpu_file_room(const xc_bench_gpu *b);

/* The frames as files of one coding, `room` bytes from one to the next. */
typedef struct xc_bench_gpu_files {
	size_t room;
	void *device, *host; /* the host's are pinned */
	uint64_t *sizes;
} xc_bench_gpu_files;
xc_status xc_bench_gpu_files_make(xc_bench_gpu *b, const xc_encode_options *options,
                                  xc_bench_gpu_files *files, xc_gpu_error *e);
void xc_bench_gpu_files_free(const xc_bench_gpu *b, const xc_bench_gpu_files *files);

void xc_bench_gpu_print(xc_bench_gpu *b, const xc_bench_gpu_result *result);

/* What crossed the bus when pictures were coded from host to host. */
typedef struct xc_bench_gpu_flow {
	double pictures, seconds, up, down; /* up and down in bytes */
} xc_bench_gpu_flow;
void xc_bench_gpu_print_flow(xc_bench_gpu *b, const char *what, const xc_bench_gpu_flow *flow);
/* What encoding and decoding at the same time did. */
void xc_bench_gpu_print_both(xc_bench_gpu *b, const xc_bench_gpu_flow *encode,
                             const xc_bench_gpu_flow *decode);

/* Finds the quality of the coding. Returns 0, or -1 after reporting what is wrong: that the file of
 * the GPU is not the processor's, perhaps. */
int xc_bench_gpu_judge(xc_bench_gpu *b, const xc_encode_options *options);

/* The measurements return 0, or -1 after reporting why not. */
int xc_bench_gpu_rates(xc_bench_gpu *b);
/* Each measures one coding: encoding and decoding in device memory, and from host to host, there one
 * direction after the other and both at once. */
typedef int xc_bench_gpu_case(xc_bench_gpu *b, const xc_encode_options *o);
xc_bench_gpu_case xc_bench_gpu_encode, xc_bench_gpu_decode, xc_bench_gpu_host;
/* nvJPEG, if its library is installed and the GPU is the first. */
int xc_bench_gpu_nvjpeg(xc_bench_gpu *b);

#endif
