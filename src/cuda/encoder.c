/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoders: from shapes and options to what the module is given, and from results to statuses. */
#include "src/cuda/encoder.h"

#include <string.h>

#include "src/core/floats.h"
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

/* Writes all before HUFF or INDX; notes where chunk QNTZ is. */
static size_t write_prefix(const xc_encode_plan *p, const xc_metadata *m, uint8_t *prefix,
                           xc_gpu_encode_shape *shape)
{
	xc_metadata whole = m ? *m : (xc_metadata){.range = 0};
	xc_writer w = {prefix};

	xc_write_magic(&w);
	xc_write_head(&w, &p->header);
	whole.range = p->range;
	xc_write_metadata(&w, &whole, NULL);
	shape->quant_at = (size_t)(w.next - prefix);
	xc_write_quant(&w, p->quant_preset, p->curves, p->geometry.components == 1 ? 1 : 2, p->steps,
	               p->points);
	shape->quant_end = (size_t)(w.next - prefix);
	if (p->has_colours)
		xc_write_colours(&w, p->colours);
	return (size_t)(w.next - prefix);
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

/* Rows that begin at multiples of 16 bytes suit the kernels best. */
void xc_cuda_encoder_lay_out(xc_picture *p, size_t *bytes, size_t *room)
{
	p->stride = ((size_t)p->width * xc_picture_pixel_bytes(p) + 15) / 16 * 16;
	*bytes = p->stride * p->height;
	*room = (*bytes + 65536 + 255) / 256 * 256;
}

/* ------------------------------------------------------------------ kinds and shapes */

static xc_gpu_rdo_plan rdo_of(const xc_encode_plan *p, const xc_encode_options *o)
{
	xc_gpu_rdo_plan w = {
		.dead_zone = o->effort > 0,
		.decides = o->effort > 1,
		.predicts_ac = xc_header_predicts_ac(&p->header),
	};

	if (w.decides)
		xc_activity_init(&w.activity, o->tune, p->steps[0], p->peak);
	for (int i = 0; i < 2; i++)
		w.ac_prediction[i] = xc_ac_prediction_of(p->steps[i]);
	return w;
}

static xc_gpu_encode_kind kind_of(const xc_encode_plan *p, const xc_picture *shape,
                                  const xc_encode_options *o, const float *colours)
{
	const int rans = o->entropy == XC_ENTROPY_RANS;
	/* clang-format off */
	xc_gpu_encode_kind k = {
		.channels = shape->channels, .depth = shape->depth,
		.transform = p->header.transform,
		.components = (uint32_t)p->geometry.components,
		.h = (uint32_t)p->geometry.h, .v = (uint32_t)p->geometry.v,
		.rans = rans, .optimized = !rans && o->huffman == XC_HUFFMAN_OPTIMIZED,
		.mixes = p->has_colours,
	};
	/* clang-format on */

	memcpy(k.tables, p->tables, sizeof k.tables);
	if (rans)
		k.rdo = rdo_of(p, o);
	if (p->has_colours)
		memcpy(k.colours, colours, sizeof k.colours);
	return k;
}

/* Whether the components are made for the picture. */
static int makes_colours(const xc_picture *shape, const xc_encode_options *o)
{
	return o->colour == XC_COLOUR_PICTURE && shape->channels > 2 &&
	       o->subsampling != XC_SUBSAMPLING_GREY;
}

/* Makes room for `more` elements of an array beside the `count` that it has. */
static xc_status need_more(xc_context *c, void **array, size_t *room, size_t count, size_t more,
                           size_t size)
{
	const size_t wanted = 2 * count + more;

	if (count + more <= *room)
		return XC_OK;
	void *const fresh = xc_allocate(c, wanted * size);
	if (!fresh)
		return xc_fail_memory(c, wanted * size);
	if (count)
		memcpy(fresh, *array, count * size);
	xc_release(c, *array);
	*array = fresh;
	*room = wanted;
	return XC_OK;
}

/* Pictures share a kind with those of the last ones that are the same. */
enum { LOOK_BACK = 32 };

static int is_same(const xc_cuda_kind_key *k, const xc_picture *shape, const xc_encode_options *o)
{
	return k->plan.header.depth == shape->depth && k->channels == shape->channels &&
	       !memcmp(&k->options, o, sizeof *o);
}

/* Finds or makes a picture's kind; *plan becomes that of the picture. */
static xc_status take_kind(xc_cuda_encoder *n, const xc_picture *shape, const xc_picture *only,
                           const xc_encode_options *o, xc_encode_plan *plan, uint32_t *kind)
{
	xc_context *c = n->gpu->context;
	const uint32_t count = n->work.kind_count;
	const int own = makes_colours(shape, o);
	float colours[9];

	for (uint32_t i = 1; i <= count && i <= LOOK_BACK && !own; i++)
		if (is_same(&n->keys[count - i], shape, o)) {
			*plan = n->keys[count - i].plan;
			xc_encode_plan_shape(plan, shape, o);
			*kind = count - i;
			return XC_OK;
		}
	xc_encode_plan_init(plan, shape, o);
	if (own) {
		const xc_pixels pixels = xc_pixels_of(only);
		xc_encode_plan_colours(plan, &pixels, colours);
	}
	xc_status s = need_more(c, (void **)&n->kinds, &n->kind_room, count, 1, sizeof *n->kinds);
	if (!s)
		s = need_more(c, (void **)&n->keys, &n->key_room, count, 1, sizeof *n->keys);
	if (s)
		return s;
	n->kinds[count] = kind_of(plan, shape, o, colours);
	n->keys[count] = (xc_cuda_kind_key){*o, shape->channels, *plan};
	*kind = n->work.kind_count++;
	return XC_OK;
}

static xc_status take_shape(xc_cuda_encoder *n, const xc_encode_plan *p, const xc_metadata *m,
                            uint32_t *shape)
{
	xc_context *c = n->gpu->context;
	const size_t at = n->work.prefix_bytes;
	xc_status s = need_more(c, (void **)&n->prefixes, &n->prefix_room, at,
	                        (size_t)xc_container_overhead(m), 1);

	if (!s)
		s = need_more(c, (void **)&n->shapes, &n->shape_room, n->shape_count, 1, sizeof *n->shapes);
	if (s)
		return s;
	xc_gpu_encode_shape *const to = &n->shapes[n->shape_count];
	*to = (xc_gpu_encode_shape){.geometry = p->geometry, .prefix_at = at};
	to->prefix_size = write_prefix(p, m, n->prefixes + at, to);
	n->work.prefix_bytes += to->prefix_size;
	*shape = n->shape_count++;
	return XC_OK;
}

void xc_cuda_encoder_begin(xc_cuda_encoder *n)
{
	n->work = (xc_gpu_encode_batch){.kind_count = n->kept != NULL,
	                                .prefix_bytes = n->kept ? n->shapes[0].prefix_size : 0};
	n->shape_count = n->kept != NULL;
	n->others = 0;
}

xc_status xc_cuda_encoder_check(xc_context *c, const xc_picture *shape, const xc_picture *only,
                                const xc_encode_options *o)
{
	xc_geometry g;

	if (xc_cuda_encoder_objection(o))
		return xc_fail(c, XC_ERR_UNSUPPORTED, "%s", xc_cuda_encoder_objection(o));
	if (makes_colours(shape, o) && !only)
		return xc_fail(c, XC_ERR_UNSUPPORTED,
		               "components are made for a picture in host memory alone; --colour ycbcr "
		               "needs none");
	xc_geometry_init(&g, shape->width, shape->height,
	                 shape->channels < 3 ? XC_SUBSAMPLING_GREY : o->subsampling);
	if (xc_geometry_blocks(&g) > INT32_MAX)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "%ux%u pixels are too many for the GPU", shape->width,
		               shape->height);
	return XC_OK;
}

/* Adds what a picture is to kinds and shapes. only: its pixels in host memory, from which components can
 * be made, or NULL. */
static xc_status add(xc_cuda_encoder *n, const xc_picture *shape, const xc_picture *only,
                     const xc_metadata *m, const xc_encode_options *o,
                     xc_gpu_encode_picture_plan *to)
{
	xc_encode_plan plan;
	xc_status s = xc_cuda_encoder_check(n->gpu->context, shape, only, o);

	if (!s)
		s = take_kind(n, shape, only, o, &plan, &to->kind);
	if (!s)
		s = take_shape(n, &plan, m, &to->shape);
	if (s)
		return s;
	n->bound = file_bound(&plan, m);
	n->others = 1;
	return XC_OK;
}

xc_status xc_cuda_encoder_add(xc_cuda_encoder *n, const xc_picture *picture, const xc_metadata *m,
                              const xc_encode_options *o, void *file, size_t room, uint64_t *size)
{
	xc_gpu_encode_picture_plan *const to = &n->pictures[n->work.count];
	xc_status s = XC_OK;

	if (o)
		s = add(n, picture, NULL, m, o, to);
	else
		to->kind = to->shape = 0; /* the one that was kept */
	if (s)
		return s;
	to->pixels = picture->data;
	to->stride = picture->stride;
	to->file = file;
	to->room = room;
	to->size = size;
	n->work.count++;
	return XC_OK;
}

/* ------------------------------------------------------------------ new and free */

static xc_status open_module(xc_cuda_encoder *n)
{
	typedef struct tables {
		xc_coder_tables coder[2];
		xc_rans_tables rans;
		xc_rans_decision decision;
	} tables;
	xc_cuda *gpu = n->gpu;
	xc_context *c = gpu->context;
	const xc_huffman_code(*codes)[2] = xc_default_codes(c);
	xc_rans_frequencies frequencies;
	tables *t = xc_allocate_zeroed(c, sizeof *t);

	if (!t)
		return xc_fail_memory(c, sizeof *t);
	for (int i = 0; i < 2; i++)
		xc_coder_tables_init(&t->coder[i], &codes[i][0], &codes[i][1]);
	xc_rans_builtin_frequencies(&frequencies);
	xc_rans_tables_init(&t->rans, &frequencies);
	xc_rans_decision_init(&t->decision, &frequencies, XC_LAMBDA);
	const xc_gpu_encode_tables given = {t->coder, &t->rans, &t->decision};
	const xc_status s = gpu->module->encode->open(gpu->gpu, &given, &n->encoder, &gpu->error);
	xc_release(c, t);
	return xc_cuda_check(gpu, s);
}

xc_status xc_cuda_encoder_make(xc_cuda *gpu, uint32_t batch, xc_cuda_encoder **encoder)
{
	xc_context *c = gpu->context;

	*encoder = NULL;
	if (!gpu->module->encode)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "this CUDA module has no encoder");
	if (!batch || batch > XC_GPU_MAX_PICTURES)
		return xc_fail(c, XC_ERR_ARGUMENT, "a batch has 1 to %d pictures", XC_GPU_MAX_PICTURES);
	xc_cuda_encoder *n = xc_allocate_zeroed(c, sizeof *n);
	if (!n)
		return xc_fail_memory(c, sizeof *n);
	n->gpu = gpu;
	n->batch = batch;
	n->pictures = xc_allocate_zeroed(c, batch * sizeof *n->pictures);
	xc_status s = n->pictures ? XC_OK : xc_fail_memory(c, batch * sizeof *n->pictures);
	if (!s)
		s = open_module(n);
	if (!s)
		s = xc_cuda_check(gpu, gpu->module->event_new(gpu->gpu, &n->event, &gpu->error));
	if (s)
		xc_cuda_encoder_free(n);
	else
		*encoder = n;
	return s;
}

xc_status xc_cuda_encoder_set(xc_cuda_encoder *n, const xc_picture *shape, const xc_picture *only,
                              const xc_metadata *m, const xc_encode_options *o)
{
	xc_cuda_encoder_begin(n);
	const xc_status s = add(n, shape, only, m, o, &n->pictures[0]);
	n->has_shape = !s;
	return s;
}

xc_status xc_cuda_encoder_keep(xc_cuda_encoder *n)
{
	xc_cuda *gpu = n->gpu;

	return xc_cuda_check(gpu,
	                     gpu->module->encode->keep(n->encoder, n->prefixes, n->work.prefix_bytes,
	                                               &n->kept, &gpu->error));
}

xc_status xc_cuda_encoder_take(xc_context *c, const xc_picture *shape, const xc_metadata *m,
                               const xc_encode_options *options, xc_encode_options *o)
{
	xc_status s = xc_picture_check(c, shape);

	if (!s)
		s = xc_encode_take_options(c, options, m, o);
	if (!s)
		s = xc_metadata_check_depth(c, m, shape->depth);
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
	XC_DEFAULT_FLOATS;
	xc_encode_options all, o;
	xc_cuda_encoder *n;

	if (encoder)
		*encoder = NULL;
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_context *c = gpu->context;
	xc_begin(c);
	if (!encoder)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	xc_status s = xc_encode_take_options(c, options, NULL, &all);
	if (!s && shape)
		s = xc_cuda_encoder_take(c, shape, m, options, &o);
	if (!s)
		s = xc_cuda_encoder_make(gpu, batch, &n);
	if (s)
		return s;
	n->options = all;
	if (shape)
		s = xc_cuda_encoder_set(n, shape, NULL, m, &o);
	if (shape && !s)
		s = xc_cuda_encoder_keep(n);
	if (s)
		xc_cuda_encoder_free(n);
	else
		*encoder = n;
	return s;
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
	xc_cuda_drop(gpu, &n->sizes);
	gpu->module->release(gpu->gpu, n->kept);
	gpu->module->encode->close(n->encoder);
	void *const arrays[] = {n->kinds, n->keys, n->shapes, n->pictures, n->prefixes, n->listed};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		xc_release(gpu->context, arrays[i]);
	xc_release(gpu->context, n);
}

size_t xc_cuda_encoder_bound(const xc_cuda_encoder *n)
{
	return n && n->has_shape ? n->bound : 0;
}

/* ------------------------------------------------------------------ pictures of one shape */

/* Tells the module about pictures. */
static xc_status take_pictures(xc_cuda_encoder *n, const xc_cuda_pictures *p,
                               const xc_cuda_files *f)
{
	xc_context *c = n->gpu->context;

	if (!n->has_shape)
		return xc_fail(c, XC_ERR_ARGUMENT,
		               "the encoder has no shape; xc_cuda_encode_list() needs none");
	if (!p || !f)
		return xc_fail(c, XC_ERR_ARGUMENT, "pictures or files are missing");
	if (!p->count || p->count > n->batch)
		return xc_fail(c, XC_ERR_ARGUMENT, "%u pictures, not 1 to %u", p->count, n->batch);
	if (n->kept)
		xc_cuda_encoder_begin(n);
	for (uint32_t i = 0; i < p->count; i++)
		n->pictures[i] = (xc_gpu_encode_picture_plan){
			.pixels = p->data ? (char *)p->data + i * p->distance : NULL,
			.stride = p->stride,
			.file = f->data ? (char *)f->data + i * f->distance : NULL,
			.room = f->distance,
			.size = f->sizes ? f->sizes + i : NULL,
		};
	n->work.count = p->count;
	return XC_OK;
}

/* The scratch of what the module has been told. */
static xc_status scratch_bytes(xc_cuda_encoder *n, size_t *size)
{
	n->work.kinds = n->kinds;
	n->work.shapes = n->shapes;
	n->work.pictures = n->pictures;
	n->work.prefixes = n->prefixes;
	n->work.kept = n->others ? NULL : n->kept;
	*size = n->work.count ? n->gpu->module->encode->scratch(n->encoder, &n->work) : 0;
	return *size < SIZE_MAX
	           ? XC_OK
	           : xc_fail(n->gpu->context, XC_ERR_LIMIT, "more memory is needed than there can be");
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
	const xc_status s = take_pictures(n, p, f);
	return s ? s : scratch_bytes(n, size);
}

xc_status xc_cuda_encoder_run(xc_cuda_encoder *n, const xc_cuda_scratch *given, xc_cuda_memory *own,
                              void *stream, void **marks)
{
	xc_cuda *gpu = n->gpu;
	size_t size;
	void *scratch;
	xc_status s = scratch_bytes(n, &size);

	if (!s)
		s = xc_cuda_choose_scratch(gpu, given, size, own, 1, stream, &scratch);
	if (s || !n->work.count)
		return s;
	s = gpu->module->encode->run(n->encoder, &n->work, scratch, stream, marks, &gpu->error);
	if (!s)
		s = gpu->module->event_record(gpu->gpu, n->event, stream, &gpu->error);
	return xc_cuda_check(gpu, s);
}

xc_status xc_cuda_encoder_start(xc_cuda_encoder *n, const xc_cuda_pictures *p,
                                const xc_cuda_files *f, const xc_cuda_scratch *given, void *stream,
                                void **marks)
{
	const xc_status s = take_pictures(n, p, f);
	return s ? s : xc_cuda_encoder_run(n, given, &n->scratch, stream, marks);
}

xc_status xc_cuda_encode(xc_cuda_encoder *n, const xc_cuda_pictures *p, const xc_cuda_files *f,
                         const xc_cuda_scratch *scratch, void *stream)
{
	XC_DEFAULT_FLOATS;
	if (!n)
		return XC_ERR_ARGUMENT;
	xc_begin(n->gpu->context);
	if (!p || !p->data || !f || !f->data || !f->sizes)
		return xc_fail(n->gpu->context, XC_ERR_ARGUMENT, "pictures or files are missing");
	return xc_cuda_encoder_start(n, p, f, scratch, stream, NULL);
}

/* ------------------------------------------------------------------ lists */

/* Sets the outcome of a picture, whose message is the context's. */
static void note(xc_cuda_encoder *n, size_t i, xc_status s)
{
	n->list[i].status = s;
	if (s && !n->status) {
		n->status = s;
		memcpy(n->message, n->gpu->context->message, sizeof n->message);
	}
}

/* Tells the module about picture i of the list. */
static xc_status take_listed(xc_cuda_encoder *n, size_t i, int measures)
{
	xc_context *c = n->gpu->context;
	const xc_cuda_picture *const p = &n->list[i];
	xc_encode_options o;
	xc_status s = XC_CHECK_RESERVED(c, p, "picture");

	if (!s)
		s = xc_cuda_encoder_take(c, &p->picture, p->metadata, p->options ? p->options : &n->options,
		                         &o);
	if (!s && !measures && (!p->picture.data || !p->file))
		s = xc_fail(c, XC_ERR_ARGUMENT, "a picture or a file is missing");
	const uint32_t k = n->work.count;
	if (!s)
		s = xc_cuda_encoder_add(n, &p->picture, p->metadata, &o, p->file, p->room,
		                        measures ? NULL : (uint64_t *)n->sizes.data + k);
	if (!s)
		n->listed[k] = (uint32_t)i;
	return s;
}

static xc_status take_list(xc_cuda_encoder *n, xc_cuda_picture *list, size_t count, int measures)
{
	xc_context *c = n->gpu->context;
	xc_status s = XC_OK;

	if (n->under_way)
		return xc_fail(c, XC_ERR_ARGUMENT, "a list is being encoded");
	if (count > n->batch)
		return xc_fail(c, XC_ERR_ARGUMENT, "%zu pictures, not up to %u", count, n->batch);
	if (!n->listed)
		n->listed = xc_allocate(c, n->batch * sizeof *n->listed);
	if (!n->listed)
		return xc_fail_memory(c, n->batch * sizeof *n->listed);
	if (!measures)
		s = xc_cuda_need(n->gpu, XC_GPU_PINNED_MEMORY, n->batch * sizeof(uint64_t), &n->sizes);
	if (s)
		return s;
	n->list = list;
	n->status = XC_OK;
	xc_cuda_encoder_begin(n);
	for (size_t i = 0; i < count; i++) {
		c->message[0] = '\0';
		s = take_listed(n, i, measures);
		if (measures)
			continue;
		list[i].size = 0;
		note(n, i, s);
	}
	c->message[0] = '\0';
	return XC_OK;
}

xc_status xc_cuda_encode_list_scratch(xc_cuda_encoder *n, const xc_cuda_picture *list, size_t count,
                                      size_t *size)
{
	if (size)
		*size = 0;
	if (!n || (!list && count))
		return XC_ERR_ARGUMENT;
	xc_context *c = n->gpu->context;
	xc_begin(c);
	if (!size)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	/* Measuring leaves the list as it is. */
	const xc_status s = take_list(n, (xc_cuda_picture *)(uintptr_t)list, count, 1);
	return s ? s : scratch_bytes(n, size);
}

xc_status xc_cuda_encode_list(xc_cuda_encoder *n, xc_cuda_picture *list, size_t count,
                              const xc_cuda_scratch *scratch, void *stream)
{
	XC_DEFAULT_FLOATS;
	if (!n || (!list && count))
		return XC_ERR_ARGUMENT;
	xc_begin(n->gpu->context);
	xc_status s = take_list(n, list, count, 0);
	if (s)
		return s;
	s = xc_cuda_encoder_run(n, scratch, &n->scratch, stream, NULL);
	n->under_way = !s;
	/* What was put on the stream may still use the memory. */
	if (s)
		xc_cuda_sync_stream(n->gpu, stream);
	return s;
}

/* The outcome of picture k of those that were encoded. */
static xc_status judge(const xc_cuda_encoder *n, uint32_t k)
{
	xc_cuda_picture *const p = &n->list[n->listed[k]];
	const uint64_t size = ((const uint64_t *)n->sizes.data)[k];

	p->size = (size_t)size;
	if (size <= p->room)
		return XC_OK;
	return xc_fail(n->gpu->context, XC_ERR_LIMIT, "a file of %llu bytes, and room for %zu",
	               (unsigned long long)size, p->room);
}

xc_status xc_cuda_encoder_finish(xc_cuda_encoder *n)
{
	xc_cuda *gpu = n->gpu;
	xc_context *c = gpu->context;
	xc_status s = xc_cuda_check(gpu, gpu->module->event_wait(gpu->gpu, n->event, &gpu->error));

	if (!n->under_way)
		return s;
	n->under_way = 0;
	for (uint32_t k = 0; k < n->work.count; k++) {
		if (!s)
			c->message[0] = '\0';
		note(n, n->listed[k], s ? s : judge(n, k));
	}
	c->message[0] = '\0';
	if (n->status)
		memcpy(c->message, n->message, sizeof n->message);
	return n->status;
}

xc_status xc_cuda_encoder_wait(xc_cuda_encoder *n)
{
	XC_DEFAULT_FLOATS;
	if (!n)
		return XC_ERR_ARGUMENT;
	xc_begin(n->gpu->context);
	return xc_cuda_encoder_finish(n);
}
