/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long calls of libxct take that follow each other in a stream, on arrays of float in the memory of
 * a GPU, beside cuFFT's real FFT of the same size called in the same way: what a program that calls
 * libxct has, launches included.  (`xcodec bench transforms` measures the kernels alone.)
 *
 *	cc -O2 -Iinclude -I/usr/local/cuda/include bench/tools/xct_stream.c -o xct_stream \
 *		.libs/libxct.so -L/usr/local/cuda/lib64 -lcudart
 *	XC_CUDA_MODULE=$PWD/xcodec-lab-cuda.so ./xct_stream 512 1024 2048
 *
 * A line for each size: microseconds a call, least of five runs of 1,000 calls, forward and inverse, of
 * libxct's own choice, cuFFT's, and the ratio of forward to cuFFT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cuda_runtime_api.h>
#include <xct.h>

enum { CALLS = 1000, RUNS = 5 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "xct_stream: cannot %s: %s\n", what, why);
	exit(1);
}

/* Microseconds a call. */
static double time_calls(xct_context *context, xct_kind kind, xct_direction direction, size_t side,
                         cudaStream_t stream, const void *in, void *out)
{
	double best = 0;
	xct_descriptor d;
	xct_plan *plan;

	xct_descriptor_default(&d);
	d.kind = kind;
	d.direction = direction;
	d.dimensions = 2;
	d.size[0] = d.size[1] = side;
	d.device = 0;
	d.memory = XCT_DEVICE;
	d.stream = stream;
	if (xct_plan_new(context, &d, &plan) != XCT_OK)
		stop("plan", xct_context_message(context));
	for (int run = -1; run < RUNS; run++) {
		const double start = now();
		for (int i = 0; i < CALLS; i++)
			if (xct_execute(plan, in, out) != XCT_OK)
				stop("transform", xct_context_message(context));
		const cudaError_t e = cudaStreamSynchronize(stream);
		const double each = (now() - start) / CALLS * 1e6;
		if (e != cudaSuccess)
			stop("transform", cudaGetErrorString(e));
		if (run >= 0 && (run == 0 || each < best))
			best = each;
	}
	xct_plan_free(plan);
	return best;
}

int main(int argc, char **argv)
{
	xct_context *const context = xct_context_new();
	cudaStream_t stream;

	if (!context || cudaStreamCreate(&stream) != cudaSuccess)
		stop("begin", "no context or no stream");
	printf("%8s %9s %9s %9s %7s\n", "side", "forward", "inverse", "cuFFT", "ratio");
	for (int i = 1; i < argc; i++) {
		const size_t side = strtoul(argv[i], NULL, 10);
		const size_t bytes = side * side * sizeof(float),
					 spectrum = side * (side + 2) * sizeof(float);
		void *in, *out;

		if (cudaMalloc(&in, spectrum) != cudaSuccess || cudaMalloc(&out, spectrum) != cudaSuccess ||
		    cudaMemset(in, 0, bytes) != cudaSuccess)
			stop("allocate", argv[i]);
		const double forward = time_calls(context, XCT_DCT2, XCT_FORWARD, side, stream, in, out);
		const double inverse = time_calls(context, XCT_DCT2, XCT_INVERSE, side, stream, in, out);
		const double fft = time_calls(context, XCT_REAL_FFT, XCT_FORWARD, side, stream, in, out);
		printf("%8zu %9.2f %9.2f %9.2f %7.2f\n", side, forward, inverse, fft, forward / fft);
		cudaFree(in);
		cudaFree(out);
	}
	cudaStreamDestroy(stream);
	xct_context_free(context);
	return 0;
}
