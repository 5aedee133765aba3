/* SPDX-License-Identifier: BSD-2-Clause */
/* batch FILE.xc...: decodes all files on the first NVIDIA GPU, the upper left 224x224 pixels of each to
 * planes of floats that lie side by side (NCHW), and gives them to a kernel, which takes the means. */
#include <stdio.h>
#include <stdlib.h>
#include <xcodec_batch.h>

enum { SIDE = 224, PLANES = 3, THREADS = 256 };

/* Thread block i sums up plane i. */
static __global__ void sum_planes(const float *arrays, float *means)
{
	__shared__ float sums[THREADS];
	const float *plane = arrays + (size_t)blockIdx.x * SIDE * SIDE;
	float sum = 0;

	for (int i = threadIdx.x; i < SIDE * SIDE; i += THREADS)
		sum += plane[i];
	sums[threadIdx.x] = sum;
	for (int n = THREADS / 2; n; n /= 2) {
		__syncthreads();
		if (threadIdx.x < n)
			sums[threadIdx.x] += sums[threadIdx.x + n];
	}
	if (threadIdx.x == 0)
		means[blockIdx.x] = sums[0] / (SIDE * SIDE);
}

static size_t read_file(const char *name, void **data)
{
	FILE *f = fopen(name, "rb");
	const long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : 0;

	*data = malloc(size > 0 ? (size_t)size : 1);
	if (f)
		rewind(f);
	const size_t got = f && *data && size > 0 ? fread(*data, 1, (size_t)size, f) : 0;
	if (f)
		fclose(f);
	return got;
}

int main(int argc, char **argv)
{
	const size_t count = (size_t)argc - 1, array = sizeof(float) * PLANES * SIDE * SIDE;
	xc_batch_options options = {XC_SAMPLE_FLOAT32, 1, PLANES};
	xc_batch_item *items = (xc_batch_item *)calloc(count + 1, sizeof *items);
	float *arrays = NULL, *means = NULL;
	xc_context *context = xc_context_new(NULL);
	xc_batch *batch = NULL;

	if (!count || xc_batch_new(context, "cuda", 0, &batch)) {
		fprintf(stderr, "Usage: batch FILE.xc... %s\n", xc_context_message(context));
		return 2;
	}
	if (cudaMalloc(&arrays, count * array) ||
	    cudaMallocManaged(&means, count * PLANES * sizeof *means))
		return 1;
	for (size_t i = 0; i < count; i++) {
		void *file;
		items[i].size = read_file(argv[i + 1], &file);
		items[i].file = file;
		items[i].region.width = items[i].region.height = SIDE;
		items[i].data = (char *)arrays + i * array;
	}
	if (xc_batch_shapes(batch, &options, items, count) ||
	    xc_batch_decode(batch, &options, items, count, NULL)) {
		fprintf(stderr, "%s\n", xc_batch_message(batch));
		return 1;
	}
	sum_planes<<<(unsigned)count * PLANES, THREADS>>>(arrays, means);
	if (cudaDeviceSynchronize())
		return 1;
	for (size_t i = 0; i < count; i++)
		printf("%s: %.4f %.4f %.4f %s\n", argv[i + 1], means[3 * i], means[3 * i + 1],
		       means[3 * i + 2], items[i].message);
	xc_batch_free(batch);
	xc_context_free(context);
	return 0;
}
