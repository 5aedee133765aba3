/* SPDX-License-Identifier: BSD-2-Clause */
/* A call of the GPU's decoder, from the files to what lies where in memory. */
#ifndef XC_SRC_CUDA_DECODE_JOB_H
#define XC_SRC_CUDA_DECODE_JOB_H

#include "src/container/container.h"
#include "src/cuda/decode.h"
#include "src/cuda/module.h"

/* A picture of the list. */
typedef struct xc_decode_job {
	xc_container container;
	xc_status alpha_status; /* counts if the segments are right */
	char alpha_message[64];
	int ready; /* it takes part */
	uint32_t plan, codes;
	size_t alpha_at; /* in the piece */
} xc_decode_job;

struct xc_cuda_decoding {
	xc_cuda *gpu;
	xc_cuda_decode *list; /* only read but for the outputs */
	size_t count;
	const xc_container *given; /* the only file taken apart, or NULL */
	xc_decode_options options;
	xc_decode_job *jobs;
	xc_gpu_decode_batch batch;
	const xc_container **coders; /* whose codes each set has */
	size_t *order;               /* which job each plan is of */
	/* The piece, and behind it the results; their bytes. */
	void *pinned;
	size_t pinned_size, results_at;
	/* The same, then tables, what is known of blocks, and segments that are copied. */
	void *device;
	size_t device_size, tables_at, rest_at;
	int device_given;               /* by the caller */
	void *event;                    /* NULL: nothing is under way */
	xc_status status;               /* of the first picture that failed, */
	char message[XC_MESSAGE_BYTES]; /* and what was said about it */
};

/* Sets the status of picture i, and the whole call's if it is the first failure. */
void xc_decode_note(xc_cuda_decoding *d, size_t i, xc_status status);

/* Allocates what d->count pictures need on the host. */
xc_status xc_decode_jobs_make(xc_cuda_decoding *d);
void xc_decode_jobs_free(xc_cuda_decoding *d);

/* Takes file i apart.  whole: the picture's memory is checked, too. */
xc_status xc_decode_open_file(xc_cuda_decoding *d, size_t i, int whole);
/* Numbers the plans of the jobs that are ready. */
xc_status xc_decode_number_plans(xc_cuda_decoding *d);
/* Decompresses alpha into the piece. */
void xc_decode_alpha(xc_cuda_decoding *d);

/* Finds out where everything goes, and how much memory that takes. */
void xc_decode_lay_out(xc_cuda_decoding *d);
/* Fills the piece, in the memory that there is now.  The segments of pictures whose file
 * is not on the device go to plan->data. */
void xc_decode_fill_piece(xc_cuda_decoding *d);
/* The segments of picture i are copied. */
int xc_decode_is_copied(const xc_cuda_decoding *d, size_t i);

#endif
