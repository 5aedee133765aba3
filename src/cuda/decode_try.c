/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_decode() by way of a GPU. */
#include "src/container/container.h"
#include "src/cuda/decode.h"
#include "src/cuda/module.h"
#include "src/cuda/device.h"
#include "src/core/picture.h"

xc_status xc_cuda_backend_decode(xc_context *c, const xc_container *k, xc_decode_options *options,
                                 xc_picture *picture, int *done)
{
	const int keep_going = options->keep_going, mine = !picture->data;
	*done = 0;
	xc_cuda *gpu = xc_device_for(c, (uint64_t)k->header.width * k->header.height);
	if (!gpu)
		return XC_OK;
	xc_cuda_decode one = {.picture = *picture};
	const xc_status s = xc_cuda_decode_container(gpu, k, &one, options);
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
	options->damaged_segments = one.damaged_segments;
	xc_stage(c, "GPU");
	xc_report_progress(c, 1);
	return xc_device_result(c, s, done);
}
