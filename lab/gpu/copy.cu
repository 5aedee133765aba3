/* SPDX-License-Identifier: BSD-2-Clause */
/* The copy that transforms are measured against, as the driver does it. */
#include "lab/gpu/works.h"

#include <stdlib.h>

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	size_t *const bytes = (size_t *)malloc(sizeof *bytes);
	if (!bytes)
		xc_gpu_refuse(why, "out of memory");
	else
		*bytes = xc_gpu_samples(&job->in) * xc_precision_bytes(job->precision);
	return bytes;
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	return xc_gpu_check_call(cudaMemcpyAsync(out, in, *(const size_t *)own,
	                                         cudaMemcpyDeviceToDevice, stream),
	                         "copy", why);
}

const xc_gpu_work xc_gpu_copy = {prepare, enqueue, free};
