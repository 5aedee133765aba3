/* SPDX-License-Identifier: BSD-2-Clause */
#include "xct/strided.h"

#include <stdint.h>
#include <string.h>

#include "lab/cpu/shares.h"
#include "lab/samples.h"

typedef struct copy_job {
	const xc_strided *layout;
	const char *in;
	char *out;
} copy_job;

/* The samples of a row, moved or weighed. */
#define MOVE(type) \
	for (size_t x = 0; x < n; x++) \
	((type *)out)[x * to] = ((const type *)in)[x * from]
#define WEIGH(type) \
	do { \
		const type row = ((const type *)l->weights[0])[z] * ((const type *)l->weights[1])[y]; \
		for (size_t x = 0; x < n; x++) \
			((type *)out)[x * to] = ((const type *)in)[x * from] * \
			                        (row * ((const type *)l->weights[2])[x]); \
	} while (0)

static void copy_row(const xc_strided *l, size_t z, size_t y, const void *in, void *out)
{
	const size_t n = l->size[2], from = l->in_stride[2], to = l->out_stride[2];
	const size_t bytes = xc_precision_bytes(l->precision);

	if (l->weights[0] && l->precision == XCT_FLOAT32)
		WEIGH(float);
	else if (l->weights[0] && l->precision == XCT_FLOAT64)
		WEIGH(double);
	else if (l->weights[0])
		WEIGH(long double);
	else if (from == 1 && to == 1)
		memmove(out, in, n * bytes);
	else if (bytes == 2)
		MOVE(uint16_t);
	else if (bytes == 4)
		MOVE(uint32_t);
	else if (bytes == 8)
		MOVE(uint64_t);
	else
		MOVE(long double);
}

static void copy_share(void *context, int share, int shares)
{
	const copy_job *const job = context;
	const xc_strided *const l = job->layout;
	const size_t bytes = xc_precision_bytes(l->precision), rows = l->size[0] * l->size[1];
	const size_t end = xc_share_first(rows, share + 1, shares);

	for (size_t r = xc_share_first(rows, share, shares); r < end; r++) {
		const size_t z = r / l->size[1], y = r % l->size[1];
		copy_row(l, z, y, job->in + (z * l->in_stride[0] + y * l->in_stride[1]) * bytes,
		         job->out + (z * l->out_stride[0] + y * l->out_stride[1]) * bytes);
	}
}

void xc_strided_copy(const xc_strided *layout, struct xc_pool *pool, int threads, const void *in,
                     void *out)
{
	copy_job job = {layout, in, out};
	xc_shares_run(pool, threads, copy_share, &job);
}
