/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole arrays axis by axis, each by a batch of cuFFT's FFTs between two kernels.  Compiled once with
 * XC_REAL_BITS 32 and once with 64.
 */
#include "lab/gpu/frame/lines.h"

#include "lab/gpu/frame/frame.h"

enum { LINES_THREADS = 256, AXES = 3 };

static __global__ void before(const __grid_constant__ xc_rowcol l, const XC_REAL *in, void *out)
{
	xc_rowcol_before(&l, blockIdx.x * LINES_THREADS + threadIdx.x, in, out);
}

static __global__ void after(const __grid_constant__ xc_rowcol l, const void *in, XC_REAL *out)
{
	xc_rowcol_after(&l, blockIdx.x * LINES_THREADS + threadIdx.x, in, out);
}

typedef struct lines_state {
	int axes;
	size_t bytes; /* of the array */
	xc_rowcol axis[AXES];
	xc_cufft fft[AXES];
	void *between[2]; /* what the FFTs read and write */
} lines_state;

static void lines_close(void *state)
{
	lines_state *const s = (lines_state *)state;

	for (int i = 0; i < AXES; i++)
		xc_cufft_close(&s->fft[i]);
}

static int lines_axis(lines_state *s, const xc_lab_job *job, size_t n, size_t outer, size_t inner,
                      xc_lab_gpu *gpu)
{
	xc_rowcol *const l = &s->axis[s->axes];
	xc_cufft *const fft = &s->fft[s->axes++];

	if (xc_rowcol_make(l, job, n, outer, inner))
		return xc_lab_refuse(gpu, "too large for cuFFT");
	xc_complex *const table = xc_rowcol_turns(l);
	if (!table)
		return xc_lab_refuse(gpu, "out of memory");
	l->turns = (const xc_complex *)xc_lab_table(gpu, table,
	                                            ((size_t)xc_rowcol_turn_count(l) + 1) *
	                                                sizeof *table);
	free(table);
	fft->complex = l->fft == XC_ROWCOL_COMPLEX;
	fft->back = l->fft == XC_ROWCOL_BACK;
	fft->wide = XC_REAL_BITS == 64;
	return !l->turns || xc_cufft_make(fft, 1, &l->points, l->lines, l->step, gpu) ? -1 : 0;
}

static int lines_memory(lines_state *s, xc_lab_gpu *gpu)
{
	for (int side = 0; side < 2; side++) {
		size_t max = 0;
		for (int i = 0; i < s->axes; i++) {
			const xc_rowcol *const l = &s->axis[i];
			const int real = l->fft == (side ? XC_ROWCOL_BACK : XC_ROWCOL_FORWARD);
			const size_t bytes = l->lines * (size_t)l->elements[side] *
			                     (real ? sizeof(XC_REAL) : sizeof(xc_complex));
			max = bytes > max ? bytes : max;
		}
		s->between[side] = max ? xc_lab_memory(gpu, max) : NULL;
		if (max && !s->between[side])
			return -1;
	}
	return 0;
}

static int lines_set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	lines_state *const s = (lines_state *)state;
	const size_t size[AXES] = {job->in.slices, job->in.rows, job->in.cols};
	const size_t samples = xc_transform_samples(&job->in);
	size_t inner = 1;

	s->bytes = samples * sizeof(XC_REAL);
	/* A single sample is its own transform, of every kind. */
	for (int i = AXES; i-- > 0; inner *= size[i])
		if (size[i] > 1 && !(job->still >> i & 1) &&
		    lines_axis(s, job, size[i], samples / size[i] / inner, inner, gpu))
			return -1;
	return lines_memory(s, gpu);
}

static int lines_enqueue(void *state, const void *in, void *out, xc_lab_gpu *gpu)
{
	const lines_state *const s = (const lines_state *)state;
	int failed = 0;

	if (!s->axes)
		return xc_lab_check(gpu,
		                    cudaMemcpyAsync(out, in, s->bytes, cudaMemcpyDeviceToDevice,
		                                    gpu->stream),
		                    "copy");
	for (int i = 0; i < s->axes && !failed; i++) {
		const xc_rowcol *const l = &s->axis[i];
		unsigned blocks[2];
		for (int j = 0; j < 2; j++)
			blocks[j] = (l->work[j].count - 1) / LINES_THREADS + 1;
		if (xc_lab_stage(gpu, 0))
			before<<<blocks[0], LINES_THREADS, 0, gpu->stream>>>(*l,
			                                                     (const XC_REAL *)(i ? out : in),
			                                                     s->between[0]);
		failed = xc_lab_check_kernel(gpu);
		if (!failed && xc_lab_stage(gpu, 1))
			failed = xc_cufft_run(&s->fft[i], s->between[0], s->between[1], gpu);
		if (!failed && xc_lab_stage(gpu, 2)) {
			after<<<blocks[1], LINES_THREADS, 0, gpu->stream>>>(*l, s->between[1], (XC_REAL *)out);
			failed = xc_lab_check_kernel(gpu);
		}
	}
	return failed;
}

extern const xc_lab_work XC_T(xc_lab_lines) = {
	sizeof(lines_state), lines_set_up, lines_enqueue, lines_close, NULL, 1,
};
