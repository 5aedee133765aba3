/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_decode() by way of a GPU. */
#include "src/container/container.h"
#include "src/cuda/decode.h"
#include "src/cuda/module.h"
#include "src/cuda/device.h"
#include "src/core/picture.h"

/* Pixels of a file that can be decoded at all; 0: of none that is worth a GPU's while. */
static uint64_t pixels_of(xc_context *c, const void *file, size_t size, int truncated)
{
	xc_container *k = xc_allocate(c, sizeof *k);
	uint64_t pixels = 0;
	if (k && !xc_container_read(c, file, size, truncated, k))
		pixels = (uint64_t)k->header.width * k->header.height;
	xc_release(c, k);
	c->message[0] = '\0';
	return pixels;
}

xc_status xc_cuda_try_decode(xc_context *c, const void *file, size_t size,
                             xc_decode_options *options, xc_picture *picture, int *done)
{
	const int keep_going = options && options->keep_going, mine = !picture->data;
	*done = 0;
	if (c->device.choice == XC_DEVICE_CPU)
		return XC_OK;
	xc_cuda *gpu = xc_device_for(c, pixels_of(c, file, size, keep_going));
	if (!gpu)
		return XC_OK;
	xc_cuda_decode one = {.file = file, .size = size, .picture = *picture};
	const xc_status s = xc_cuda_decode_host(gpu, &one, 1, options);
	const int odd = s ? s != XC_ERR_UNSUPPORTED && s != XC_ERR_DEVICE : one.damaged_segments != 0;
	if (keep_going && odd) {
		/* The CPU names the first of the damaged segments, and knows how far a file
		 * goes that is cut off. */
		if (mine)
			xc_picture_free(c, &one.picture);
		c->message[0] = '\0';
		return XC_OK;
	}
	if (!s)
		*picture = one.picture;
	if (options)
		options->damaged_segments = one.damaged_segments;
	xc_stage(c, "GPU");
	xc_report_progress(c, 1);
	return xc_device_result(c, s, done);
}
