/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoders.  Files are parsed and alpha is decoded here; the module does the rest.  When it has
 * finished, its results for segments become a status and a message for each picture, as of
 * xc_decode().
 */
#include <string.h>

#include "src/cuda/decoder.h"
#include "transform/colour_matrix.h"
#include "quant/tables.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"
#include "src/core/picture.h"
#include "src/decode/coded.h"
#include "src/decode/decoder.h"
#include "src/jpeg/kept.h"
#include "src/pixels/samples.h"

/* --------------------------------------------------- codes and frequencies of a batch */

/* Sets of Huffman codes and of rANS frequencies, at most one a picture, and the picture of each. */
typedef struct code_sets {
	xc_gpu_class_codes (*codes)[2];
	xc_rans_frequencies *frequencies;
	const xc_container **codes_of, **frequencies_of;
	uint32_t known; /* bits a sample if codes[0] are the built-in ones for them; else 0 */
} code_sets;

/* Makes room for batches of up to `max` pictures.  codes_free() follows, also after a failure. */
static xc_status codes_init(xc_context *c, code_sets *d, uint32_t max)
{
	d->codes = xc_allocate(c, max * sizeof *d->codes);
	d->frequencies = xc_allocate(c, max * sizeof *d->frequencies);
	d->codes_of = xc_allocate(c, max * sizeof *d->codes_of);
	d->frequencies_of = xc_allocate(c, max * sizeof *d->frequencies_of);
	if (!d->codes || !d->frequencies || !d->codes_of || !d->frequencies_of)
		return xc_fail_memory(c, max * sizeof *d->codes);
	return XC_OK;
}

static void codes_free(xc_context *c, const code_sets *d)
{
	xc_release(c, d->codes);
	xc_release(c, d->frequencies);
	xc_release(c, d->codes_of);
	xc_release(c, d->frequencies_of);
}

/* Makes a batch without sets. */
static void codes_begin(const code_sets *d, const xc_gpu_jpeg_model *model, xc_gpu_decode_batch *w)
{
	*w = (xc_gpu_decode_batch){.codes = d->codes,
	                           .frequencies = d->frequencies,
	                           .weights = xc_rans_builtin_weights,
	                           .model = model};
}

/* Whether a picture of one AC code a class has points of reconstruction besides. */
static int has_points(const xc_container *k)
{
	const xc_value_points *p = k->points;
	return p[0].one || p[0].more || p[1].one || p[1].more;
}

static int same_code(const xc_huffman_code *a, const xc_huffman_code *b)
{
	return !memcmp(a->length, b->length, a->symbols);
}

static int same_set(const xc_code_set *a, const xc_code_set *b)
{
	return same_code(&a->dc, &b->dc) && same_code(&a->ac[0], &b->ac[0]);
}

static xc_gpu_coding coding_of(const xc_container *k)
{
	return k->header.entropy >= XC_ENTROPY_RANS_BUILT_IN ? XC_GPU_RANS : XC_GPU_HUFFMAN;
}

static int same_frequencies(const xc_container *a, const xc_container *b)
{
	if (a->header.entropy != b->header.entropy)
		return 0;
	return a->header.entropy == XC_ENTROPY_RANS_BUILT_IN ||
	       !memcmp(&a->frequencies, &b->frequencies, sizeof a->frequencies);
}

/* Whether two files take the same tables. */
static int same_codes(const xc_container *a, const xc_container *b)
{
	if (a->header.entropy != b->header.entropy || a->header.depth != b->header.depth)
		return 0;
	/* Built-in codes are there for grey as well. */
	if (a->header.entropy == XC_ENTROPY_HUFFMAN_DEFAULT)
		return 1;
	if (a->geometry.components != b->geometry.components)
		return 0;
	for (int i = 0; i < (a->geometry.components == 1 ? 1 : 2); i++)
		if (!same_set(&a->codes[i], &b->codes[i]))
			return 0;
	return 1;
}

static void take_codes(xc_gpu_class_codes *to, const xc_code_set *set, const xc_container *k)
{
	xc_canonical_code_init(&to->code[0], &set->dc);
	xc_canonical_code_init(&to->code[1], &set->ac[0]);
	to->depth16 = k->header.depth == 16;
}

/* Pictures share codes, or frequencies, with those of the last sets that are the same. */
enum { LOOK_BACK = 4 };

/* The set of frequencies of the picture that comes next. */
static uint32_t frequencies_of(code_sets *d, xc_gpu_decode_batch *w, const xc_container *k)
{
	for (uint32_t i = 0; i < w->frequency_sets && i < LOOK_BACK; i++)
		if (same_frequencies(d->frequencies_of[w->frequency_sets - 1 - i], k))
			return w->frequency_sets - 1 - i;
	if (k->header.entropy == XC_ENTROPY_RANS_BUILT_IN)
		xc_rans_builtin_frequencies(&d->frequencies[w->frequency_sets]);
	else
		d->frequencies[w->frequency_sets] = k->frequencies;
	d->frequencies_of[w->frequency_sets] = k;
	return w->frequency_sets++;
}

/* The set of codes of the picture that comes next. */
static uint32_t codes_of(code_sets *d, xc_gpu_decode_batch *w, const xc_container *k)
{
	for (uint32_t i = 0; i < w->code_sets && i < LOOK_BACK; i++)
		if (same_codes(d->codes_of[w->code_sets - 1 - i], k))
			return w->code_sets - 1 - i;
	const int built_in = k->header.entropy == XC_ENTROPY_HUFFMAN_DEFAULT;
	const int classes = built_in || k->geometry.components > 1 ? 2 : 1;
	const uint32_t known = built_in ? k->header.depth : 0;
	d->codes_of[w->code_sets] = k;
	/* Making them takes as long as all else that the library does about a single picture. */
	if (w->code_sets == 0 && known && known == d->known)
		return w->code_sets++;
	xc_gpu_class_codes *to = d->codes[w->code_sets];
	memset(to, 0, sizeof *d->codes);
	for (int i = 0; i < 2; i++)
		take_codes(&to[i], &k->codes[i < classes ? i : 0], k);
	if (w->code_sets == 0)
		d->known = known;
	return w->code_sets++;
}

/* Sets how a picture is coded and its set, which it may share with one of the last pictures.  The
 * container must stay until the batch is complete. */
static void codes_take(code_sets *d, xc_gpu_decode_batch *w, const xc_container *k,
                       xc_gpu_coded_picture *p)
{
	p->coding = coding_of(k);
	p->codes = p->coding == XC_GPU_RANS ? frequencies_of(d, w, k) : codes_of(d, w, k);
}

/* A file of the list. */
typedef struct job {
	xc_container own;
	const xc_container *container; /* that or one that was given */
	xc_gpu_coded_picture *picture; /* NULL: it does not take part */
	xc_gpu_jpeg jpeg;              /* of a kept JPEG */
	uint32_t *crcs;  /* of all segments, those of colour still to come; NULL: the file has no */
	uint8_t *intact; /* segments of alpha */
} job;

struct xc_cuda_decoder {
	xc_cuda *gpu;
	xc_gpu_decoder *decoder;
	xc_decode_options options;
	/* Room for `batch` each. */
	uint32_t batch;
	job *jobs;
	xc_gpu_coded_picture *pictures; /* of the jobs that take part */
	code_sets codes;
	xc_gpu_jpeg_model model;
	xc_cuda_memory scratch, alpha; /* its own scratch; pinned */
	void *event;                   /* after the last call */
	/* The last call. */
	int under_way;
	xc_cuda_file *list;
	const xc_cuda_given *given;
	size_t count;
	xc_gpu_decode_batch work;
	xc_status status;               /* of the first picture that failed, */
	char message[XC_MESSAGE_BYTES]; /* and what was said about it */
};

static void note(xc_cuda_decoder *d, size_t i, xc_status s)
{
	d->list[i].status = s;
	if (d->given && d->given[i].message && d->gpu->context->message[0])
		memcpy(d->given[i].message, d->gpu->context->message, XC_MESSAGE_BYTES);
	if (s && !d->status) {
		d->status = s;
		memcpy(d->message, d->gpu->context->message, sizeof d->message);
	}
}

/* ------------------------------------------------------------ new and free */

void xc_cuda_decoder_set(xc_cuda_decoder *d, const xc_decode_options *options)
{
	d->options = options ? *options : (xc_decode_options){0};
	if (!d->options.scale)
		d->options.scale = 1;
}

xc_status xc_cuda_decoder_make(xc_cuda *gpu, const xc_decode_options *options, uint32_t batch,
                               xc_cuda_decoder **decoder)
{
	xc_context *c = gpu->context;

	*decoder = NULL;
	if (!gpu->module->decode)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "this CUDA module has no decoder");
	xc_status s = xc_decode_options_check(c, options);
	if (!s && options)
		s = xc_scale_check(c, options->scale);
	if (s)
		return s;
	if (!batch || batch > INT32_MAX / sizeof(job))
		return xc_fail(c, XC_ERR_ARGUMENT, "%u pictures in a call", batch);
	xc_cuda_decoder *d = xc_allocate_zeroed(c, sizeof *d);
	if (!d)
		return xc_fail_memory(c, sizeof *d);
	d->gpu = gpu;
	d->batch = batch;
	xc_cuda_jpeg_model(&d->model);
	xc_cuda_decoder_set(d, options);
	d->jobs = xc_allocate_zeroed(c, batch * sizeof *d->jobs);
	d->pictures = xc_allocate(c, batch * sizeof *d->pictures);
	s = codes_init(c, &d->codes, batch);
	if (!d->jobs || !d->pictures)
		s = xc_fail_memory(c, batch * sizeof *d->jobs);
	if (!s)
		s = xc_cuda_check(gpu, gpu->module->decode->open(gpu->gpu, &d->decoder, &gpu->error));
	if (!s)
		s = xc_cuda_check(gpu, gpu->module->event_new(gpu->gpu, &d->event, &gpu->error));
	if (s)
		xc_cuda_decoder_free(d);
	else
		*decoder = d;
	return s;
}

xc_status xc_cuda_decoder_new(xc_cuda *gpu, const xc_decode_options *options, uint32_t batch,
                              xc_cuda_decoder **decoder)
{
	XC_DEFAULT_FLOATS;
	if (decoder)
		*decoder = NULL;
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_begin(gpu->context);
	if (!decoder)
		return xc_fail(gpu->context, XC_ERR_ARGUMENT, "no place for the result");
	return xc_cuda_decoder_make(gpu, options, batch, decoder);
}

void xc_cuda_decoder_free(xc_cuda_decoder *d)
{
	if (!d)
		return;
	xc_cuda *gpu = d->gpu;
	if (d->event) {
		(void)gpu->module->event_wait(gpu->gpu, d->event, &gpu->error);
		gpu->module->event_free(gpu->gpu, d->event);
	}
	gpu->module->decode->close(d->decoder);
	xc_cuda_drop(gpu, &d->scratch);
	xc_cuda_drop(gpu, &d->alpha);
	for (uint32_t i = 0; d->jobs && i < d->batch; i++) {
		xc_container_close(gpu->context, &d->jobs[i].own);
		xc_release(gpu->context, d->jobs[i].crcs);
	}
	codes_free(gpu->context, &d->codes);
	xc_release(gpu->context, d->pictures);
	xc_release(gpu->context, d->jobs);
	xc_release(gpu->context, d);
}

/* ------------------------------------------------------------ taking files apart */

const char *xc_cuda_decoder_objection(const xc_container *k)
{
	if (k->jpeg && !k->listed)
		return "the GPU decodes no JPEG in many pieces; --device cpu does";
	if (k->header.entropy == XC_ENTROPY_HUFFMAN_CONTEXTS ||
	    (k->header.entropy <= XC_ENTROPY_HUFFMAN_STORED && has_points(k)))
		return "Huffman codes of an effort above 0 are decoded by the CPU; --device cpu does it";
	if (xc_header_is_lossless(&k->header))
		return "lossless coding is done by the CPU; --device cpu does it";
	if (k->header.transform == XC_TRANSFORM_NONE)
		return "the GPU decodes no stored samples; --device cpu does";
	if (xc_geometry_blocks(&k->geometry) > INT32_MAX)
		return "the GPU decodes no more than 2^31 blocks; --device cpu does";
	if (k->header.depth == 16 && k->metadata.range)
		return "the GPU does not hold samples to a range; --device cpu does";
	return NULL;
}

/* Checks a picture's shape. Callers within the library may also want the Y of colour. */
static xc_status check(const xc_cuda_decoder *d, const xc_picture *p, const xc_container *k,
                       const xc_cuda_given *given)
{
	xc_context *c = d->gpu->context;
	xc_header h = k->header;

	if (given && given->crop) {
		h.width = given->crop->crop.picture.width;
		h.height = given->crop->crop.picture.height;
	}
	if (given && p->channels < 3)
		h.channels = p->channels;
	h.width = xc_reduced_size(h.width, d->options.scale);
	h.height = xc_reduced_size(h.height, d->options.scale);
	xc_status s = xc_header_check_picture(c, &h, p);

	if (!s && xc_cuda_decoder_objection(k))
		s = xc_fail(c, XC_ERR_UNSUPPORTED, "%s", xc_cuda_decoder_objection(k));
	return s;
}

static xc_status take_apart(const xc_cuda_decoder *d, const xc_cuda_file *f,
                            const xc_cuda_given *given, job *j)
{
	xc_context *c = d->gpu->context;
	xc_status s = XC_CHECK_RESERVED(c, f, "file's members");

	j->container = given ? given->container : &j->own;
	xc_container_close(c, &j->own);
	if (!s && !given)
		s = f->file ? xc_cuda_read_file(c, f->file, f->size, d->options.keep_going, &j->own)
		            : xc_fail(c, XC_ERR_ARGUMENT, "no file given");
	if (!s)
		s = check(d, &f->picture, j->container, given);
	return s;
}

/* Takes the segments of a crop instead. */
static void describe_crop(const xc_cuda_given *given, xc_gpu_coded_picture *p)
{
	const xc_cuda_crop *crop = given->crop;

	p->geometry = crop->crop.picture;
	p->list = crop->list;
	p->segments = crop->crop.span.wide * crop->crop.span.high;
	p->data_bytes = crop->bytes;
}

static void describe(const xc_cuda_decoder *d, const xc_cuda_file *f, const xc_container *k,
                     const xc_cuda_given *given, xc_gpu_jpeg *jpeg, xc_gpu_coded_picture *p)
{
	/* The kernels read whole words, so something must follow the segments. */
	const int resident = f->device_file && (k->data_checked || k->jpeg);
	/* Coefficients of a JPEG are whole steps. */
	const uint32_t parts = k->jpeg ? 1 : XC_STEP_PARTS;

	*p = (xc_gpu_coded_picture){
		.channels = f->picture.channels,
		.depth = k->header.depth,
		.scale = d->options.scale,
		.transform = k->header.transform,
		.jpeg_rounding = d->options.jpeg_rounding,
		.geometry = k->geometry,
		.pieces = k->pieces,
		.segments = (uint32_t)k->segments,
		.layers = k->layers,
		.data_bytes = k->data_available,
		.points = {k->points[0], k->points[1]},
		.data = given && given->data ? given->data : k->data,
		.resident = resident,
		.pixels = f->picture.data,
		.stride = f->picture.stride,
	};
	if (resident)
		p->data = (const uint8_t *)f->device_file + (k->data - (const uint8_t *)f->file);
	if (given && given->on_device) {
		p->resident = 1;
		p->data = given->on_device;
	}
	if (given && given->crop)
		describe_crop(given, p);
	for (int i = 0; i < 2; i++) {
		const uint32_t *steps = k->quant[k->geometry.components == 1 ? 0 : i];
		xc_quant_inverse_table(k->header.transform, steps, parts, p->tables[i]);
		if (xc_header_predicts_ac(&k->header))
			p->ac_prediction[i] = xc_ac_prediction_of(steps);
	}
	p->mixed = k->has_colours;
	if (k->has_colours)
		xc_colours_inverse(k->colours, p->colours);
	if (k->jpeg)
		xc_cuda_describe_jpeg(k->listed, jpeg, p);
}

/* Files that a worker describes at a time. */
enum { DESCRIBED_AT_ONCE = 16 };

static void describe_some(void *user, uint64_t group, int worker)
{
	const xc_cuda_decoder *d = user;
	const size_t first = (size_t)group * DESCRIBED_AT_ONCE;

	(void)worker;
	for (size_t i = first; i < d->count && i < first + DESCRIBED_AT_ONCE; i++) {
		job *j = &d->jobs[i];
		if (j->picture)
			describe(d, &d->list[i], j->container, d->given ? &d->given[i] : NULL, &j->jpeg,
			         j->picture);
	}
}

/* Describes what takes part, of large batches by several threads. */
static xc_status describe_all(xc_cuda_decoder *d)
{
	const size_t groups = (d->count + DESCRIBED_AT_ONCE - 1) / DESCRIBED_AT_ONCE;
	const int threads = groups < 4 ? 1 : xc_context_threads(d->gpu->context);
	xc_status s = xc_parallel_by(d->gpu->context, threads, groups, describe_some, d, 0, 0);

	for (size_t i = 0; i < d->count && !s; i++)
		if (d->jobs[i].picture && !d->jobs[i].container->jpeg)
			codes_take(&d->codes, &d->work, d->jobs[i].container, d->jobs[i].picture);
	return s;
}

/* Makes d->work of a list.  whole: to decode, not only to measure. */
static xc_status prepare(xc_cuda_decoder *d, xc_cuda_file *list, size_t count,
                         const xc_cuda_given *given, int whole)
{
	xc_context *c = d->gpu->context;
	xc_gpu_decode_batch *w = &d->work;

	if (count && !list)
		return xc_fail(c, XC_ERR_ARGUMENT, "no pictures to decode");
	if (count > d->batch)
		return xc_fail(c, XC_ERR_ARGUMENT, "%zu pictures, not up to %u", count, d->batch);
	if (d->under_way)
		return xc_fail(c, XC_ERR_ARGUMENT, "the decoder's last call has not been waited for");
	codes_begin(&d->codes, &d->model, w);
	w->pictures = d->pictures;
	d->list = list;
	d->given = given;
	d->count = count;
	d->status = XC_OK;
	for (size_t i = 0; i < count; i++) {
		job *j = &d->jobs[i];
		xc_status s = take_apart(d, &list[i], given ? &given[i] : NULL, j);
		if (!s && whole)
			s = xc_picture_check_data(c, &list[i].picture);
		if (whole) {
			list[i].damaged_segments = 0;
			note(d, i, s);
		}
		j->picture = s ? NULL : &d->pictures[w->count++];
	}
	return describe_all(d);
}

/* The bytes that a picture's alpha takes in pinned memory; 0: it has none, or takes no part. */
static size_t alpha_room(const job *j)
{
	const xc_header *h = &j->container->header;

	if (!j->picture || h->channels % 2)
		return 0;
	return ((size_t)h->width * h->height * (h->depth / 8) + 255) / 256 * 256;
}

/* Decodes the segments of alpha of a picture. */
static xc_status decode_tiles(xc_context *c, job *j, const xc_picture *plane)
{
	const xc_container *k = j->container;
	const size_t n = (size_t)k->segments, bytes = n * (2 * sizeof *j->crcs + 1);

	xc_release(c, j->crcs);
	j->crcs = xc_allocate_zeroed(c, bytes);
	if (!j->crcs)
		return xc_fail_memory(c, bytes);
	j->intact = (uint8_t *)(j->crcs + 2 * n);
	return xc_cuda_decode_alpha(c, k, plane, j->crcs, j->intact);
}

/* Decodes alpha into pinned memory. */
static xc_status decode_alpha(xc_cuda_decoder *d)
{
	xc_context *c = d->gpu->context;
	size_t size = 0, at = 0;

	for (size_t i = 0; i < d->count; i++)
		size += alpha_room(&d->jobs[i]);
	xc_status s = size ? xc_cuda_need(d->gpu, XC_GPU_PINNED_MEMORY, size, &d->alpha) : XC_OK;
	for (size_t i = 0; i < d->count && !s; i++) {
		job *j = &d->jobs[i];
		const xc_header *h = &j->container->header;
		if (!alpha_room(j))
			continue;
		const xc_picture plane = {h->width,
		                          h->height,
		                          1,
		                          h->depth,
		                          (size_t)h->width * (h->depth / 8),
		                          (char *)d->alpha.data + at};
		at += alpha_room(j);
		/* Pixels without alpha want to know of damage alone. */
		j->picture->alpha = j->picture->channels % 2 ? NULL : plane.data;
		s = decode_tiles(c, j, &plane);
		if (!s && d->options.scale > 1)
			xc_samples_reduce(plane.data, 1, h->depth, h->width, h->height, d->options.scale);
	}
	return s;
}

/* ------------------------------------------------------------ the calls */

static xc_status scratch_bytes(xc_cuda_decoder *d, size_t *size)
{
	const xc_gpu_decode_batch *w = &d->work;

	*size = w->count ? d->gpu->module->decode->scratch(d->decoder, w) : 0;
	if (*size < SIZE_MAX)
		return XC_OK;
	return xc_fail(d->gpu->context, XC_ERR_LIMIT, "more memory is needed than there can be");
}

xc_status xc_cuda_decoder_scratch(xc_cuda_decoder *d, const xc_cuda_file *list, size_t count,
                                  size_t *size)
{
	if (size)
		*size = 0;
	if (!d || (!list && count))
		return XC_ERR_ARGUMENT;
	xc_context *c = d->gpu->context;
	xc_begin(c);
	if (!size)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	/* Measuring leaves the list as it is. */
	xc_status s = prepare(d, (xc_cuda_file *)(uintptr_t)list, count, NULL, 0);
	if (!s)
		s = scratch_bytes(d, size);
	if (!s)
		c->message[0] = '\0';
	return s;
}

xc_status xc_cuda_decoder_start(xc_cuda_decoder *d, xc_cuda_file *list, size_t count,
                                const xc_cuda_given *given, const xc_cuda_scratch *scratch,
                                void *stream, void **marks)
{
	xc_cuda *gpu = d->gpu;
	size_t size = 0;
	void *memory = NULL;
	xc_status s = prepare(d, list, count, given, 1);

	if (!s)
		s = scratch_bytes(d, &size);
	if (!s && (d->work.count || scratch))
		s = xc_cuda_choose_scratch(gpu, scratch, size, &d->scratch, 0, stream, &memory);
	if (!s)
		s = decode_alpha(d);
	d->under_way = !s;
	if (s || !d->work.count)
		return s;
	s = gpu->module->decode->run(d->decoder, &d->work, memory, stream, marks, &gpu->error);
	if (!s)
		s = gpu->module->event_record(gpu->gpu, d->event, stream, &gpu->error);
	if (!s)
		return XC_OK;
	/* What was put on the stream may still use the memory. */
	s = xc_cuda_check(gpu, s);
	xc_cuda_sync_stream(gpu, stream);
	d->under_way = 0;
	return s;
}

xc_status xc_cuda_decode(xc_cuda_decoder *d, xc_cuda_file *list, size_t count,
                         const xc_cuda_scratch *scratch, void *stream)
{
	XC_DEFAULT_FLOATS;
	if (!d || (!list && count))
		return XC_ERR_ARGUMENT;
	xc_begin(d->gpu->context);
	return xc_cuda_decoder_start(d, list, count, NULL, scratch, stream, NULL);
}

/* The verdict on a picture's segments. */
typedef struct verdict {
	uint64_t damaged, first; /* how many; the tile of the first one, */
	uint32_t layer;          /* and whether it is of alpha */
	int other;               /* the CRC of all data says that there is more damage */
} verdict;

static void count_damage(verdict *v, int intact, uint64_t tile, uint32_t layer)
{
	if (!intact && !v->damaged++) {
		v->first = tile;
		v->layer = layer;
	}
}

static xc_status look(const xc_cuda_decoder *d, const job *j, verdict *v)
{
	xc_context *c = d->gpu->context;
	const xc_gpu_segment_result *r = j->picture->results;
	const size_t n = j->picture->segments, layers = j->container->layers;
	/* A crop says nothing of the CRCs of whole pieces. */
	const int whole = !j->picture->list || j->picture->jpeg;
	uint32_t *crcs = layers > 1 ? j->crcs : xc_allocate(c, n * sizeof *crcs);

	*v = (verdict){0};
	if (!crcs)
		return xc_fail_memory(c, n * sizeof *crcs);
	for (size_t k = 0; k < n; k++) {
		crcs[k * layers] = r[k].crc;
		count_damage(v, r[k].intact != 0, k, 0);
		if (layers > 1)
			count_damage(v, j->intact[k], k, 1);
	}
	const xc_kept_list *kept = j->container->listed;
	v->other = whole && !v->damaged &&
	           !(kept ? xc_kept_data_intact(kept, crcs) : xc_coded_data_intact(j->container, crcs));
	if (layers == 1)
		xc_release(c, crcs);
	return XC_OK;
}

/* The number of a picture's tile in its file. */
static uint64_t tile_of(const xc_cuda_decoder *d, size_t i, uint64_t number)
{
	const xc_cuda_crop *crop = d->given ? d->given[i].crop : NULL;

	if (!crop)
		return number;
	const xc_tile_span *s = &crop->crop.span;
	return (s->y + number / s->wide) * d->jobs[i].container->geometry.tiles_wide + s->x +
	       number % s->wide;
}

/* The status and message of a picture, in the words of xc_decode(). */
static xc_status judge(xc_cuda_decoder *d, size_t i)
{
	const job *j = &d->jobs[i];
	xc_context *c = d->gpu->context;
	verdict v;
	xc_status s = look(d, j, &v);

	if (s)
		return s;
	if (v.damaged && j->container->listed)
		s = xc_kept_fail_segment(c, j->container->listed, v.first);
	else if (v.damaged)
		s = xc_fail_segment(c, &j->container->geometry, tile_of(d, i, v.first), v.layer);
	else if (v.other)
		s = xc_fail(c, XC_ERR_CORRUPT, "some segment %sis damaged",
		            j->container->listed ? "of the JPEG " : "");
	d->list[i].damaged_segments = v.other ? 1 : v.damaged;
	return d->options.keep_going ? XC_OK : s;
}

xc_status xc_cuda_decoder_finish(xc_cuda_decoder *d)
{
	xc_cuda *gpu = d->gpu;
	xc_status s = XC_OK;

	if (!d->under_way)
		return XC_OK;
	d->under_way = 0;
	if (d->work.count)
		s = xc_cuda_check(gpu, gpu->module->event_wait(gpu->gpu, d->event, &gpu->error));
	for (size_t i = 0; i < d->count; i++)
		if (d->jobs[i].picture) {
			if (!s)
				gpu->context->message[0] = '\0';
			note(d, i, s ? s : judge(d, i));
		}
	gpu->context->message[0] = '\0';
	if (d->status)
		memcpy(gpu->context->message, d->message, sizeof d->message);
	return d->status;
}

xc_status xc_cuda_decoder_wait(xc_cuda_decoder *d)
{
	XC_DEFAULT_FLOATS;
	if (!d)
		return XC_ERR_ARGUMENT;
	xc_begin(d->gpu->context);
	return xc_cuda_decoder_finish(d);
}

/* Decoding one picture from host to host: the file goes up and the pixels come down in pinned
 * memory, unless the caller's can serve. */

/* `memory` if the GPU reaches it, else pinned memory that stands in for it. */
static xc_status reach(xc_cuda_transfer *t, const void *memory, size_t size, xc_cuda_memory *other,
                       void **reached)
{
	*reached = (void *)(uintptr_t)memory;
	if (memory && t->gpu->module->pinned(t->gpu->gpu, memory))
		return XC_OK;
	const xc_status s = xc_cuda_need(t->gpu, XC_GPU_PINNED_MEMORY, size, other);
	*reached = other->data;
	return s;
}

xc_status xc_cuda_transfer_start(xc_cuda_transfer *t, const xc_container *k,
                                 const xc_cuda_crop *crop, void *direct)
{
	const xc_gpu_module *m = t->gpu->module;
	const xc_header *h = &k->header;
	xc_picture *p = &t->file.picture;
	const int part = crop && crop->list;
	const xc_geometry *g = part ? &crop->crop.picture : &k->geometry;
	const size_t bytes = (size_t)(part ? crop->bytes : k->data_available);
	void *data = NULL;

	const uint32_t scale = t->decoder->options.scale;
	t->file = (xc_cuda_file){.picture = {xc_reduced_size(g->width, scale),
	                                     xc_reduced_size(g->height, scale), h->channels, h->depth,
	                                     0, NULL}};
	p->stride = (size_t)p->width * xc_picture_pixel_bytes(p);
	const size_t size = p->stride * p->height;
	xc_status s = xc_cuda_need(t->gpu, XC_GPU_DEVICE_MEMORY, size, &t->pixels);
	if (!s)
		s = reach(t, direct, size, &t->staging, &t->to);
	if (!s)
		s = reach(t, part ? NULL : k->data, bytes, &t->data, &data);
	if (s)
		return s;
	if (part)
		xc_cuda_crop_copy(k, crop, data);
	else if (data != k->data)
		memcpy(data, k->data, bytes);
	p->data = t->pixels.data;
	t->given = (xc_cuda_given){.container = k, .data = data, .crop = part ? crop : NULL};
	s = xc_cuda_decoder_start(t->decoder, &t->file, 1, &t->given, NULL, t->stream, NULL);
	if (s)
		return s;
	s = xc_cuda_check(t->gpu,
	                  m->copy(t->gpu->gpu, t->to, p->data, size, t->stream, &t->gpu->error));
	if (s)
		(void)xc_cuda_decoder_finish(t->decoder);
	return s;
}

xc_status xc_cuda_transfer_finish(xc_cuda_transfer *t)
{
	const xc_status s = xc_cuda_decoder_finish(t->decoder);
	const xc_status copied = t->gpu->module->synchronize(t->gpu->gpu, t->stream, &t->gpu->error);
	return s ? s : xc_cuda_check(t->gpu, copied);
}

void xc_cuda_transfer_free(xc_cuda_transfer *t)
{
	xc_cuda_decoder_free(t->decoder);
	if (t->stream)
		xc_cuda_sync_stream(t->gpu, t->stream);
	t->gpu->module->stream_free(t->gpu->gpu, t->stream);
	xc_cuda_drop(t->gpu, &t->data);
	xc_cuda_drop(t->gpu, &t->pixels);
	xc_cuda_drop(t->gpu, &t->staging);
}
