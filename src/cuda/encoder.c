/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoders: from a shape and options to the module's plan. */
#include "src/cuda/encoder.h"

#include <string.h>

#include "src/core/picture.h"
#include "src/encode/decide.h"
#include "src/encode/plan.h"

/* The coefficients of an 8-bit picture have at most 11 bits, and codes 16.  With rANS there are 67
 * symbols of 12 bits, and 16 or 30 raw bits for each of 64, and states. */
static size_t block_bound(const xc_header *h)
{
	const uint32_t depth = h->depth;

	if (h->entropy >= XC_ENTROPY_RANS_BUILT_IN)
		return (67 * 12 + 7) / 8 + 8 + 64 * (depth == 16 ? 30 : 16) / 8;
	return depth == 16 ? XC_CODED_BLOCK_BYTES : 64 * (16 + 11) / 8;
}

static size_t file_bound(const xc_encode_plan *p, const xc_metadata *m)
{
	return (size_t)(xc_container_overhead(m) +
	                xc_geometry_blocks(&p->geometry) * block_bound(&p->header) +
	                xc_geometry_pieces(&p->geometry) * 2 * (XC_CHUNK_OVERHEAD + 1) +
	                xc_geometry_tiles(&p->geometry) * 6);
}

/* Notes where chunk QNTZ is. */
static size_t write_prefix(const xc_encode_plan *p, const xc_metadata *m, uint8_t *prefix,
                           xc_gpu_rdo_plan *rdo)
{
	xc_metadata whole = m ? *m : (xc_metadata){.range = 0};
	xc_writer w = {prefix};

	xc_write_magic(&w);
	xc_write_head(&w, &p->header);
	whole.range = p->range;
	xc_write_metadata(&w, &whole, NULL);
	rdo->quant_at = (size_t)(w.next - prefix);
	xc_write_quant(&w, p->quant_preset, p->curves, p->geometry.components == 1 ? 1 : 2, p->steps,
	               p->points);
	rdo->quant_end = (size_t)(w.next - prefix);
	if (p->has_colours)
		xc_write_colours(&w, p->colours);
	return (size_t)(w.next - prefix);
}

static xc_gpu_rdo_plan rdo_of(const xc_encode_plan *p, const xc_encode_options *o)
{
	xc_gpu_rdo_plan w = {
		.dead_zone = o->effort > 0,
		.predicts_ac = xc_header_predicts_ac(&p->header),
	};

	for (int i = 0; i < 2; i++)
		w.ac_prediction[i] = xc_ac_prediction_of(p->steps[i]);
	return w;
}

/* What does not depend on the picture; copied by the module. */
struct xc_cuda_encoder_parts {
	xc_coder_tables coder[2];
	xc_rans_tables rans;
	xc_rans_decision decision;
};

static xc_status make_parts(xc_cuda_encoder *n, const xc_encode_options *o)
{
	xc_context *c = n->gpu->context;
	const xc_huffman_code(*codes)[2] = xc_default_codes(c);
	xc_rans_frequencies frequencies;

	n->parts = xc_allocate_zeroed(c, sizeof *n->parts);
	if (!n->parts)
		return xc_fail_memory(c, sizeof *n->parts);
	for (int i = 0; i < 2; i++)
		xc_coder_tables_init(&n->parts->coder[i], &codes[i][0], &codes[i][1]);
	xc_rans_builtin_frequencies(&frequencies);
	xc_rans_tables_init(&n->parts->rans, &frequencies);
	if (o->effort > 1)
		xc_rans_decision_init(&n->parts->decision, &frequencies, XC_LAMBDA);
	return XC_OK;
}

/* Opens the module's encoder, or makes it one for another picture. */
static xc_status set_plan(xc_cuda_encoder *n, const xc_encode_plan *p, const xc_picture *shape,
                          const xc_metadata *m, const xc_encode_options *o, const float *colours)
{
	xc_cuda *gpu = n->gpu;
	xc_context *c = gpu->context;
	const xc_gpu_encode_ops *ops = gpu->module->encode;
	const int rans = o->entropy == XC_ENTROPY_RANS;
	const size_t room = (size_t)xc_container_overhead(m);
	xc_gpu_rdo_plan rdo = rdo_of(p, o);
	xc_activity activity;
	uint8_t *prefix = xc_allocate(c, room);

	if (!prefix)
		return xc_fail_memory(c, room);
	n->prefix_size = write_prefix(p, m, prefix, &rdo);
	n->bound = file_bound(p, m);
	n->pieces = xc_geometry_pieces(&p->geometry);
	if (o->effort > 1) {
		xc_activity_init(&activity, o->tune, p->steps[0], p->peak);
		rdo.activity = &activity;
		rdo.decision = &n->parts->decision;
	}
	/* clang-format off */
	xc_gpu_encode_plan plan = {
		.channels = shape->channels, .depth = shape->depth,
		.transform = p->header.transform,
		.geometry = p->geometry, .rdo = rdo,
		.optimized = !rans && o->huffman == XC_HUFFMAN_OPTIMIZED,
		.coder = n->parts->coder,
		.rans = rans ? &n->parts->rans : NULL,
		.colours = p->has_colours ? colours : NULL,
		.prefix = prefix, .prefix_size = n->prefix_size, .batch = n->batch,
	};
	/* clang-format on */
	memcpy(plan.tables, p->tables, sizeof plan.tables);
	const xc_status s = n->encoder ? ops->change(n->encoder, &plan, &gpu->error)
	                               : ops->open(gpu->gpu, &plan, &n->encoder, &gpu->error);
	xc_release(c, prefix);
	return xc_cuda_check(gpu, s);
}

const char *xc_cuda_encoder_objection(const xc_encode_options *o)
{
	if (o->mode == XC_MODE_LOSSLESS)
		return "lossless coding is done by the CPU; --device cpu does it";
	if (o->entropy != XC_ENTROPY_RANS && o->effort > 0)
		return "the GPU makes Huffman codes with effort 0 alone; --effort 0, --entropy rans or --device "
			   "cpu does it";
	if (o->effort > 2)
		return "the GPU encodes with efforts up to 2; --effort 2 makes a file that it can";
	return NULL;
}

xc_status xc_cuda_encoder_change(xc_cuda_encoder *n, const xc_picture *shape,
                                 const xc_picture *only, const xc_metadata *m,
                                 const xc_encode_options *o)
{
	xc_encode_plan plan;
	float colours[9];
	const int own = o->colour == XC_COLOUR_PICTURE && shape->channels > 2 &&
	                o->subsampling != XC_SUBSAMPLING_GREY;

	if (own && !only)
		return xc_fail(n->gpu->context, XC_ERR_UNSUPPORTED,
		               "components are made for a picture in host memory alone; --colour ycbcr "
		               "needs none");
	xc_encode_plan_init(&plan, shape, o);
	if (own) {
		const xc_pixels pixels = xc_pixels_of(only);
		xc_encode_plan_colours(&plan, &pixels, colours);
	}
	return set_plan(n, &plan, shape, m, o, colours);
}

xc_status xc_cuda_encoder_make(xc_cuda *gpu, const xc_picture *shape, const xc_picture *only,
                               const xc_metadata *m, const xc_encode_options *o, uint32_t batch,
                               xc_cuda_encoder **encoder)
{
	xc_context *c = gpu->context;

	*encoder = NULL;
	if (!gpu->module->encode)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "this CUDA module has no encoder");
	if (xc_cuda_encoder_objection(o))
		return xc_fail(c, XC_ERR_UNSUPPORTED, "%s", xc_cuda_encoder_objection(o));
	xc_cuda_encoder *n = xc_allocate_zeroed(c, sizeof *n);
	if (!n)
		return xc_fail_memory(c, sizeof *n);
	n->gpu = gpu;
	n->batch = batch;
	xc_status s = make_parts(n, o);
	if (!s)
		s = xc_cuda_encoder_change(n, shape, only, m, o);
	if (!s)
		s = xc_cuda_check(gpu, gpu->module->event_new(gpu->gpu, &n->event, &gpu->error));
	if (s)
		xc_cuda_encoder_free(n);
	else
		*encoder = n;
	return s;
}

xc_status xc_cuda_encoder_take(xc_context *c, const xc_picture *shape, const xc_metadata *m,
                               const xc_encode_options *options, xc_encode_options *o)
{
	xc_status s = xc_picture_check(c, shape);

	if (!s)
		s = xc_encode_take_options(c, options, m, o);
	if (!s && shape->channels < 3)
		o->subsampling = XC_SUBSAMPLING_GREY;
	if (!s)
		xc_encode_choose(NULL, o);
	if (!s && shape->channels % 2 == 0)
		s = xc_fail(c, XC_ERR_UNSUPPORTED, "alpha is coded on the host");
	return s;
}

xc_status xc_cuda_encoder_new(xc_cuda *gpu, const xc_picture *shape, const xc_metadata *m,
                              const xc_encode_options *options, uint32_t batch,
                              xc_cuda_encoder **encoder)
{
	xc_encode_options o;

	if (encoder)
		*encoder = NULL;
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_context *c = gpu->context;
	xc_begin(c);
	if (!encoder)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	const xc_status s = xc_cuda_encoder_take(c, shape, m, options, &o);
	return s ? s : xc_cuda_encoder_make(gpu, shape, NULL, m, &o, batch, encoder);
}

void xc_cuda_encoder_free(xc_cuda_encoder *n)
{
	if (!n)
		return;
	xc_cuda *gpu = n->gpu;
	if (n->event) {
		(void)gpu->module->event_wait(gpu->gpu, n->event, &gpu->error);
		gpu->module->event_free(gpu->gpu, n->event);
	}
	xc_cuda_drop(gpu, &n->scratch);
	gpu->module->encode->close(n->encoder);
	xc_release(gpu->context, n->parts);
	xc_release(gpu->context, n);
}

size_t xc_cuda_encoder_bound(const xc_cuda_encoder *n)
{
	return n ? n->bound : 0;
}

static xc_status check(const xc_cuda_encoder *n, const xc_cuda_pictures *p, const xc_cuda_files *f)
{
	xc_context *c = n->gpu->context;

	if (!p || !f)
		return xc_fail(c, XC_ERR_ARGUMENT, "pictures or files are missing");
	if (!p->count || p->count > n->batch)
		return xc_fail(c, XC_ERR_ARGUMENT, "%u pictures, not 1 to %u", p->count, n->batch);
	return XC_OK;
}

xc_status xc_cuda_encoder_scratch(xc_cuda_encoder *n, const xc_cuda_pictures *p,
                                  const xc_cuda_files *f, size_t *size)
{
	if (size)
		*size = 0;
	if (!n)
		return XC_ERR_ARGUMENT;
	xc_context *c = n->gpu->context;
	xc_begin(c);
	if (!size)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	const xc_status s = check(n, p, f);
	if (!s)
		*size = n->gpu->module->encode->scratch(n->encoder, p->count, f->distance);
	return s;
}

xc_status xc_cuda_encoder_start(xc_cuda_encoder *n, const xc_cuda_pictures *p,
                                const xc_cuda_files *f, const xc_cuda_scratch *given, void *stream,
                                void **marks)
{
	xc_cuda *gpu = n->gpu;
	const xc_gpu_encode_ops *ops = gpu->module->encode;
	void *scratch;
	xc_status s = check(n, p, f);

	if (!s)
		s = xc_cuda_choose_scratch(gpu, given, ops->scratch(n->encoder, p->count, f->distance),
		                           &n->scratch, 1, stream, &scratch);
	if (s)
		return s;
	s = ops->run(n->encoder, p, f, scratch, stream, marks, &gpu->error);
	if (!s)
		s = gpu->module->event_record(gpu->gpu, n->event, stream, &gpu->error);
	return xc_cuda_check(gpu, s);
}

xc_status xc_cuda_encode(xc_cuda_encoder *n, const xc_cuda_pictures *p, const xc_cuda_files *f,
                         const xc_cuda_scratch *scratch, void *stream)
{
	if (!n)
		return XC_ERR_ARGUMENT;
	xc_begin(n->gpu->context);
	if (!p || !p->data || !f || !f->data || !f->sizes)
		return xc_fail(n->gpu->context, XC_ERR_ARGUMENT, "pictures or files are missing");
	return xc_cuda_encoder_start(n, p, f, scratch, stream, NULL);
}

xc_status xc_cuda_encoder_finish(xc_cuda_encoder *n)
{
	xc_cuda *gpu = n->gpu;
	return xc_cuda_check(gpu, gpu->module->event_wait(gpu->gpu, n->event, &gpu->error));
}

xc_status xc_cuda_encoder_wait(xc_cuda_encoder *n)
{
	if (!n)
		return XC_ERR_ARGUMENT;
	xc_begin(n->gpu->context);
	return xc_cuda_encoder_finish(n);
}
