/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies through pinned pieces, of several pieces and their ends, with a stub in the GPU's place. */
#include <stdlib.h>

#include "src/cuda/staging.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

static xc_context *context;
static xc_cuda *gpu;

static uint8_t *noise(size_t size)
{
	uint8_t *bytes = xc_test_malloc(size);
	uint64_t seed = size;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(check_random(&seed) >> 56);
	return bytes;
}

/* The last row on the host ends with its pixels. */
static void upload(size_t row, size_t host_stride, size_t device_stride, size_t rows)
{
	uint8_t *const host = noise((rows - 1) * host_stride + row);
	uint8_t *const device = xc_stub_need(device_stride * rows);
	const xc_status s = xc_cuda_upload_rows(gpu, device, device_stride, host, host_stride, row,
	                                        rows);
	size_t wrong = 0;
	for (size_t y = 0; y < rows; y++)
		wrong += memcmp(device + y * device_stride, host + y * host_stride, row) != 0;
	CHECK(!s && !wrong, "rows of %zu, %zu and %zu: status %d, %zu of %zu wrong", row, host_stride,
	      device_stride, (int)s, wrong, rows);
	CHECK(gpu->gpu->allocations[XC_GPU_PINNED_MEMORY] <= 1 && gpu->gpu->handles <= 2,
	      "more is left than both pieces");
	free(host);
	free(device);
}

static void uploads(void)
{
	upload(1, 1, 16, 1);
	upload(1000, 1003, 1008, 5);
	upload(1000, 1000, 1008, 2080);       /* just a piece */
	upload(1000, 1000, 1008, 2081);       /* and a row */
	upload(1000, 1001, 1008, 4161);       /* three pieces */
	upload(3001, 4000, 3008, 3500);       /* six */
	upload(2097152, 2097152, 2097152, 3); /* a row is a piece */
	upload(2097153, 2097153, 2097168, 3); /* and more than that */
}

static void downloads(void)
{
	static const size_t sizes[] = {0, 1, 1000, 4194303, 4194304, 4194305, 9000001};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		uint8_t *const from = noise(sizes[i]), *const to = xc_test_malloc(sizes[i]);
		const xc_status s = xc_cuda_download(gpu, to, from, sizes[i]);
		CHECK(!s && !memcmp(from, to, sizes[i]), "%zu bytes", sizes[i]);
		free(from);
		free(to);
	}
}

int main(void)
{
	context = xc_context_new(NULL);
	gpu = context ? xc_stub_open(context) : NULL;
	if (!gpu)
		return 99;
	RUN(uploads);
	RUN(downloads);
	xc_cuda_close(gpu);
	xc_context_free(context);
	return check_done();
}
