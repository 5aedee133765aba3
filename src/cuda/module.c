/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/cuda/module.h"

#include "src/core/module.h"

xc_status xc_cuda_status(xc_context *c, xc_status status, const xc_gpu_error *e)
{
	return status ? xc_fail(c, status, "%s", e->text) : XC_OK;
}

xc_status xc_cuda_module_open(xc_context *c, const xc_gpu_module **module)
{
	char why[XC_MESSAGE_BYTES];
	*module = xc_module_open("xcodec-cuda", XC_GPU_ABI, why, sizeof why);
	return *module ? XC_OK : xc_fail(c, XC_ERR_DEVICE, "%s", why);
}
