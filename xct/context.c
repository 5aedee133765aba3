/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts and their messages, the list of algorithms, and what a descriptor asks for. */
#include "xct/context.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/algorithms.h"
#include "lab/scaling.h"

const char *xct_status_string(xct_status status)
{
	switch (status) {
	case XCT_OK:
		return "success";
	case XCT_ERR_ARGUMENT:
		return "invalid argument";
	case XCT_ERR_MEMORY:
		return "out of memory";
	case XCT_ERR_UNSUPPORTED:
		return "not supported";
	case XCT_ERR_DEVICE:
		return "device failure";
	}
	return "unknown status";
}

xct_status xct_fail(xct_context *context, xct_status status, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(context->message, sizeof context->message, format, list);
	va_end(list);
	return status;
}

xct_context *xct_context_new(void)
{
	xct_context *context = calloc(1, sizeof *context);

	if (!context || !xc_pool_init(&context->pool))
		return context;
	free(context);
	return NULL;
}

void xct_context_free(xct_context *context)
{
	if (context)
		xc_pool_free(&context->pool);
	free(context);
}

const char *xct_context_message(const xct_context *context)
{
	return context ? context->message : "";
}

void *xct_allocate(size_t bytes)
{
	return xc_frame_allocate(bytes, 1);
}

void xct_release(void *memory)
{
	free(memory);
}

const unsigned char *xct_quantizers(void)
{
	static const unsigned char steps[64] = {
		32, 33, 51, 81, 66, 39, 34, 17, 33, 36, 48, 47, 28, 23, 12, 12, 51, 48, 47, 28, 23, 12,
		12, 12, 81, 47, 28, 23, 12, 12, 12, 12, 66, 28, 23, 12, 12, 12, 12, 12, 39, 23, 12, 12,
		12, 12, 12, 12, 34, 12, 12, 12, 12, 12, 12, 12, 17, 12, 12, 12, 12, 12, 12, 12,
	};
	return steps;
}

void xct_descriptor_default(xct_descriptor *descriptor)
{
	if (descriptor)
		*descriptor = (xct_descriptor){.kind = XCT_DCT2,
		                               .precision = XCT_FLOAT32,
		                               .batch = 1,
		                               .threads = 1,
		                               .device = XCT_CPU};
}

/* ------------------------------------------------------------ algorithms */

const xct_algorithm *xct_algorithm_at(size_t number)
{
	size_t i = 0;

	for (; xc_cpu_algorithms[i]; i++)
		if (i == number)
			return &xc_cpu_algorithms[i]->is;
	for (const xc_algorithm *const *a = xc_gpu_algorithms; *a; a++, i++)
		if (i == number)
			return &(*a)->is;
	return NULL;
}

const xct_algorithm *xct_algorithm_find(const char *name)
{
	const xc_algorithm *const found = name ? xc_algorithm_find(name) : NULL;
	return found ? &found->is : NULL;
}

xct_status xct_algorithm_usable(xct_context *context, const xct_algorithm *algorithm, int device,
                                const char **device_name)
{
	if (device_name)
		*device_name = "";
	if (!context)
		return XCT_ERR_ARGUMENT;
	context->message[0] = '\0';
	if (!algorithm)
		return xct_fail(context, XCT_ERR_ARGUMENT, "no algorithm");
	const xc_algorithm *const a = xc_algorithm_find(algorithm->name);
	if (!a->device)
		return XCT_OK;
	if (a->device->usable(a, device < 0 ? 0 : device, context->device_name))
		return xct_fail(context, XCT_ERR_DEVICE, "%s", context->device_name);
	if (device_name)
		*device_name = context->device_name;
	return XCT_OK;
}

/* ---------------------------------------------------------- descriptors */

/* a + b * c, or SIZE_MAX. */
static size_t add_product(size_t a, size_t b, size_t c)
{
	const size_t product = xc_frame_multiply(b, c);
	return product > SIZE_MAX - a ? SIZE_MAX : a + product;
}

/* Fills in dense strides and distances; -1 if the arrays are larger than memory can be. */
static int lay_out(const xct_descriptor *d, const size_t *size, size_t *stride, size_t *distance,
                   int *dense)
{
	size_t samples = 1, last = 0, given = 0;

	for (int i = 0; i < d->dimensions; i++)
		given |= stride[i];
	*dense = 1;
	for (int i = d->dimensions; i-- > 0;) {
		if (!given)
			stride[i] = samples;
		*dense &= stride[i] == samples || size[i] == 1;
		last = add_product(last, size[i] - 1, stride[i]);
		samples = xc_frame_multiply(samples, size[i]);
	}
	if (!*distance)
		*distance = samples;
	last = add_product(last, d->batch - 1, *distance);
	return last < SIZE_MAX / 64 && samples < SIZE_MAX / 64 ? 0 : -1;
}

/* The array as an engine sees it. */
static xc_transform_size engine_size(const xct_descriptor *d, const size_t *size)
{
	/* 4 dimensions are done by rounds of 2. */
	const int n = d->dimensions < 4 ? d->dimensions : 2, first = d->dimensions - n;

	return (xc_transform_size){
		.slices = n > 2 ? size[first] : 1,
		.rows = n > 1 ? size[first + n - 2] : 1,
		.cols = size[first + n - 1],
	};
}

/* Why the algorithm does not do it; NULL if it does. */
static const char *objection(const xc_algorithm *a, const xct_descriptor *d)
{
	const int banded = xc_is_banded(&a->is);
	const int plane = d->kind == XCT_IDCT_IDXST || d->kind == XCT_IDXST_IDCT ||
	                  d->kind == XCT_MATRIX_PRODUCT;

	if (!(a->is.kinds & 1u << d->kind))
		return "does another kind of transform";
	if (!(a->is.precisions & (unsigned)d->precision))
		return "does not work in this precision";
	if (banded && !(a->is.bands & (unsigned)d->bands))
		return "has another number of bands";
	if (a->is.gpu != (d->device >= 0))
		return a->is.gpu ? "needs a GPU as device" : "runs on the processor";
	if ((banded || plane) && d->dimensions != 2)
		return "takes two dimensions";
	if (d->dimensions > a->is.dimensions &&
	    (a->is.gpu || d->dimensions < 4 || a->is.dimensions < 2))
		return "takes fewer dimensions";
	return NULL;
}

/* The plan's choice: the first that fits, of those that are usually fastest and then of all. */
static const xc_algorithm *choose(const xct_descriptor *d)
{
	static const char *const preferred[] = {
		"cpu-fft2d",
		"cpu-fft3d",
		"cpu-flmad-openmp",
		"cpu-flot-openmp",
		"cpu-flot-symmetric-openmp",
		"cpu-aan-quantized",
		"gpu-fft2d",
		"gpu-fft3d",
		"gpu-flmad",
	};
	const xc_algorithm *const line = xc_algorithm_find("cpu-fft-n");
	const xc_algorithm *const shared = xc_algorithm_find("gpu-fft-lines");

	/* One array on several GPUs goes by lines. */
	if (d->devices > 1 && d->batch == 1 && d->dimensions > 1 && d->scaling == XCT_ORTHONORMAL &&
	    shared && !objection(shared, d))
		return shared;
	if (d->dimensions == 1 && line && !objection(line, d))
		return line;
	for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++) {
		const xc_algorithm *const a = xc_algorithm_find(preferred[i]);
		if (a && !objection(a, d))
			return a;
	}
	for (const xc_algorithm *const *a = d->device < 0 ? xc_cpu_algorithms : xc_gpu_algorithms; *a;
	     a++)
		if (!objection(*a, d))
			return *a;
	return NULL;
}

static xct_status check_values(xct_context *context, const xct_descriptor *d)
{
	const unsigned precision = (unsigned)d->precision;

	if ((unsigned)d->kind > XCT_LOT2 || (unsigned)d->direction > XCT_INVERSE ||
	    (unsigned)d->scaling > XCT_JIANG || (unsigned)d->memory > XCT_DEVICE)
		return xct_fail(context, XCT_ERR_ARGUMENT, "no such kind, direction, scaling or memory");
	if (!precision || precision > XCT_FLOAT16 || precision & (precision - 1))
		return xct_fail(context, XCT_ERR_ARGUMENT, "precision %u is not one of them", precision);
	if (d->dimensions < 1 || d->dimensions > XCT_MAX_DIMENSIONS || !d->batch)
		return xct_fail(context, XCT_ERR_ARGUMENT, "%d dimensions, %zu arrays", d->dimensions,
		                d->batch);
	if (d->threads < 1 || d->threads > XC_MAX_THREADS || d->device < XCT_CPU)
		return xct_fail(context, XCT_ERR_ARGUMENT, "%d threads, device %d", d->threads, d->device);
	if (d->device == XCT_CPU && (d->memory == XCT_DEVICE || d->stream || d->devices))
		return xct_fail(context, XCT_ERR_ARGUMENT, "device memory or a stream, and no device");
	if (d->devices < 0 || d->devices > XC_MAX_THREADS ||
	    (d->devices > 1 && (d->memory == XCT_DEVICE || d->stream)))
		return xct_fail(context, XCT_ERR_ARGUMENT, "%d devices: several take arrays in host memory",
		                d->devices);
	for (int i = 0; i < d->dimensions; i++)
		if (!d->size[i] || (d->kind == XCT_DCT1 && d->size[i] < 2))
			return xct_fail(context, XCT_ERR_ARGUMENT, "%zu samples along axis %d", d->size[i], i);
	if (d->bands != 8 && d->bands != 16 && d->bands != 32)
		return xct_fail(context, XCT_ERR_ARGUMENT, "%d bands", d->bands);
	if (!xc_scaling_possible(d))
		return xct_fail(context, XCT_ERR_ARGUMENT, "this kind or precision has no such scaling");
	return XCT_OK;
}

static size_t whole(size_t n, size_t bands)
{
	return (n + bands - 1) / bands * bands;
}

static xct_status check_layout(xct_context *context, xc_request *r)
{
	xct_descriptor *const d = &r->d;
	xc_transform_size spatial = engine_size(d, d->size), bands;

	/* The whole array must be no larger than memory can be, before engines look at a part of it. */
	if (r->algorithm->output_size(XCT_FORWARD, &spatial, &bands))
		return xct_fail(context, XCT_ERR_ARGUMENT, "%s does not take this size",
		                r->algorithm->is.name);
	memcpy(r->in_size, d->size, sizeof r->in_size);
	memcpy(r->out_size, d->size, sizeof r->out_size);
	if (xc_is_banded(&r->algorithm->is)) {
		size_t *const banded = d->direction == XCT_FORWARD ? r->out_size : r->in_size;
		/* output_size() knows of 8 bands. */
		banded[0] = d->bands == 8 ? bands.rows : whole(bands.rows, (size_t)d->bands);
		banded[1] = d->bands == 8 ? bands.cols : whole(bands.cols, (size_t)d->bands);
	}
	if (lay_out(d, r->in_size, d->in_stride, &d->in_distance, &r->in_dense) ||
	    lay_out(d, r->out_size, d->out_stride, &d->out_distance, &r->out_dense))
		return xct_fail(context, XCT_ERR_ARGUMENT, "the arrays are larger than memory can be");
	for (int i = 0; i < d->dimensions; i++)
		if (!d->in_stride[i] || !d->out_stride[i])
			return xct_fail(context, XCT_ERR_ARGUMENT, "a stride of 0 beside others");
	const int weighed = d->dimensions == 4 && d->scaling != XCT_ORTHONORMAL;
	if (d->device >= 0 && (!r->in_dense || !r->out_dense || weighed))
		return xct_fail(context, XCT_ERR_UNSUPPORTED,
		                "a GPU takes dense arrays, and orthonormal ones of 4 dimensions");
	return XCT_OK;
}

xct_status xc_request_check(xct_context *context, const xct_descriptor *descriptor, xc_request *r)
{
	*r = (xc_request){.d = *descriptor};
	r->d.bands = descriptor->bands ? descriptor->bands : 8;
	descriptor = &r->d;
	const xct_status status = check_values(context, descriptor);

	if (status != XCT_OK)
		return status;
	if (descriptor->algorithm) {
		r->algorithm = xc_algorithm_find(descriptor->algorithm);
		if (!r->algorithm)
			return xct_fail(context, XCT_ERR_ARGUMENT, "no algorithm '%s'", descriptor->algorithm);
		const char *const why = objection(r->algorithm, descriptor);
		if (why)
			return xct_fail(context, XCT_ERR_UNSUPPORTED, "%s %s", descriptor->algorithm, why);
	} else {
		r->algorithm = choose(descriptor);
		if (!r->algorithm)
			return xct_fail(context, XCT_ERR_UNSUPPORTED,
			                "no algorithm does this kind in this precision, dimension and place");
	}
	return check_layout(context, r);
}

xct_status xct_describe(xct_context *context, const xct_descriptor *descriptor, xct_plan_info *info)
{
	xc_request r;

	if (info)
		*info = (xct_plan_info){.algorithm = NULL};
	if (!context)
		return XCT_ERR_ARGUMENT;
	context->message[0] = '\0';
	if (!descriptor || !info)
		return xct_fail(context, XCT_ERR_ARGUMENT, "NULL");
	const xct_status status = xc_request_check(context, descriptor, &r);
	if (status != XCT_OK)
		return status;
	info->algorithm = &r.algorithm->is;
	info->threads = descriptor->threads;
	memcpy(info->in_size, r.in_size, sizeof r.in_size);
	memcpy(info->out_size, r.out_size, sizeof r.out_size);
	return XCT_OK;
}
