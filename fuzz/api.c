/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any calls of the library in any order with any arguments that C allows, of which many are
 * wrong, with allocations, reads and writes that fail, and calls that are cancelled. Whatever
 * happens, a failure has a message and leaves nothing, and in the end all memory has been
 * given back. The input: an XC file, the calls with their arguments, a byte with the number of
 * bytes that these take.
 */
#include <string.h>
#include <xcodec_batch.h>
#include <xcodec_pixels.h>
#include <xcodec_target.h>

#include "fuzz/fuzz.h"
#include "tests/support/check.h"

enum { MAX_CALLS = 64, MAX_ROWS = 1 << 22 };

typedef struct api {
	const uint8_t *at; /* the arguments that are left */
	size_t left;
	const uint8_t *file;
	size_t size;
	long held, until_none;           /* allocations; those until one fails */
	unsigned until_cancel, until_io; /* calls until one is cancelled or fails; 0: never */
	size_t position;                 /* of a source that is read in order */
	xc_context *c;
	xc_encoder *e;
	xc_decoder *d;
	xc_picture shape, whole; /* of the encoder; what was decoded last */
	xc_bytes out;            /* of the encoder */
} api;

static uint8_t next(api *a)
{
	return a->left ? a->left--, *a->at++ : 0;
}

/* ------------------------------------------------------- what the library calls */

static void *allocate(void *user, size_t size)
{
	api *a = user;

	if (__atomic_load_n(&a->until_none, __ATOMIC_RELAXED) &&
	    !__atomic_sub_fetch(&a->until_none, 1, __ATOMIC_RELAXED))
		return NULL;
	void *const memory = malloc(size);
	if (memory)
		__atomic_add_fetch(&a->held, 1, __ATOMIC_RELAXED);
	return memory;
}

static void release(void *user, void *memory)
{
	api *a = user;

	if (memory)
		__atomic_sub_fetch(&a->held, 1, __ATOMIC_RELAXED);
	free(memory);
}

static int counts_down(unsigned *count)
{
	return *count && !--*count;
}

static int report(void *user, double fraction)
{
	FUZZ_CHECK(fraction >= 0 && fraction <= 1, "%g done", fraction);
	return counts_down(&((api *)user)->until_cancel);
}

static int write_bytes(void *user, const void *data, size_t size)
{
	api *a = user;

	if (a->out.size < MAX_ROWS)
		xc_bytes_add(&a->out, data, size);
	return counts_down(&a->until_io);
}

static ptrdiff_t read_at(void *user, uint64_t offset, void *to, size_t size)
{
	api *a = user;
	const size_t left = offset < a->size ? a->size - (size_t)offset : 0;
	const size_t n = left < size ? left : size;

	if (n)
		memcpy(to, a->file + offset, n);
	return counts_down(&a->until_io) ? -1 : (ptrdiff_t)n;
}

static ptrdiff_t read_next(void *user, void *to, size_t size)
{
	api *a = user;
	const size_t portion = size > 100 && a->size % 2 ? size / 3 : size;
	const ptrdiff_t n = read_at(user, a->position, to, portion);

	a->position += n > 0 ? (size_t)n : 0;
	return n;
}

/* ---------------------------------------------------------------------- checks */

static int good(const api *a, xc_status s)
{
	FUZZ_CHECK(s <= XC_ERR_CANCELLED && xc_status_string(s)[0], "status %d", (int)s);
	FUZZ_CHECK(s == XC_OK || xc_context_message(a->c)[0], "status %d without a message", (int)s);
	FUZZ_CHECK(!strpbrk(xc_context_message(a->c), "\n\033"), "%s", xc_context_message(a->c));
	return s == XC_OK;
}

/* ------------------------------------------------------------------- settings */

/* They must stay while an encoder or a decoder is open. */
static void set_up(api *a)
{
	static const char *const levels[] = {NULL,   "auto",   "scalar", "sse2", "neon",
	                                     "avx2", "avx512", "none",   ""};
	static const char *const devices[] = {NULL, "cpu", "auto", "cuda:x", "tpu"};
	const uint8_t what = next(a), value = next(a);
	xc_limits limits;

	if (a->e || a->d)
		return;
	switch (what % 4) {
	case 0:
		good(a, xc_context_set_threads(a->c, value < 250 ? value % 5 - 1 : 1000 + value));
		FUZZ_CHECK(xc_context_threads(a->c) > 0, "no threads");
		break;
	case 1:
		good(a, xc_context_set_cpu(a->c, levels[value % COUNT(levels)]));
		FUZZ_CHECK(xc_context_cpu(a->c)[0], "no level");
		break;
	case 2:
		xc_limits_default(&limits);
		limits.max_pixels = UINT64_C(1) << value % 19;
		limits.max_memory = value & 1 ? UINT64_C(64) << 20 : UINT64_C(1) << value % 26;
		limits.max_metadata = value;
		good(a, xc_context_set_limits(a->c, &limits));
		break;
	default:
		good(a, xc_context_set_device(a->c, devices[value % COUNT(devices)]));
		FUZZ_CHECK(!strcmp(xc_context_device(a->c), "cpu"), "%s", xc_context_device(a->c));
	}
}

static void fail_soon(api *a)
{
	const uint8_t what = next(a), value = next(a);

	a->until_none = what & 1 ? value : 0;
	a->until_cancel = what & 2 ? value : 0;
	a->until_io = what & 4 ? value : 0;
	xc_context_set_progress(a->c, what & 8 ? report : NULL, a);
}

/* -------------------------------------------------------------------- encoding */

static void take_options(api *a, xc_encode_options *o)
{
	const uint8_t wrong = next(a), kind = next(a), more = next(a);

	(kind & 1 ? xc_encode_options_jpeg : xc_encode_options_default)(o);
	o->quality = next(a) % 102;
	o->subsampling = (xc_subsampling)(kind / 2 % 4 + 2 * (wrong == 1));
	o->transform = (xc_transform)(kind / 8 % 3 + 2 * (wrong == 2));
	o->huffman = (xc_huffman)(kind / 24 % 2 + (wrong == 3));
	o->entropy = (xc_entropy)(kind / 48 % 2 + (wrong == 4));
	o->effort = more % 4 + (wrong == 5);
	o->tune = (xc_tune)(more / 4 % 2 * 2 + (wrong == 6));
	o->colour = (xc_colour)(more / 12 % 2 + (wrong == 7));
	o->quality_parts = wrong == 8 ? 256 : more / 24;
	o->segment_blocks = wrong == 10 ? more : more & 64 ? 32 + more : 0;
	if (wrong == 9 || kind & 128) {
		xc_quant_tables_sloped(&o->tables);
		o->tables.luma[5] = wrong == 9 ? 0 : 500;
	}
	if (more & 32)
		xc_quant_tables_annex_k(&o->tables);
}

static void take_metadata(api *a, xc_metadata *m)
{
	static const uint8_t blob[300] = "II*";
	const uint8_t which = next(a), size = next(a);

	/* Every eighth is wrong. */
	*m = (xc_metadata){.density_x = which & 1,
	                   .density_y = (which & 1) && size % 8,
	                   .density_unit = which & 2,
	                   .gamma = which & 4,
	                   .cicp = {which & 8}};
	if (which & 16)
		m->icc = (xc_blob){blob, size};
	if (which & 32)
		m->text = (xc_blob){blob, size};
	if (which & 64)
		m->exif = m->xmp = m->iptc = (xc_blob){blob, size};
}

/* A picture of any shape, mostly a possible one, over memory that lasts. */
static xc_picture take_picture(api *a)
{
	static uint16_t samples[80 * 80 * 4];
	const uint8_t shape = next(a);
	xc_picture p = {next(a) % 64u, next(a) % 64u, 1 + shape % 5u, shape & 16 ? 16 : 8, 0, samples};

	p.depth += shape & 128 ? 1 : 0;
	p.stride = (size_t)p.width * p.channels * p.depth / 8 + (shape >> 5 & 3) - (shape & 8 ? 1 : 0);
	for (size_t i = 0; !samples[1] && i < COUNT(samples); i++)
		samples[i] = (uint16_t)(i * i * 2654435761u >> 7);
	return p;
}

static void encode(api *a)
{
	const xc_picture p = take_picture(a);
	const xc_target target = {.kind = (xc_target_kind)(next(a) % 4), .value = next(a) - 3};
	xc_encode_options o;
	xc_metadata m;
	xc_target_result result;
	xc_buffer b;
	const int searched = p.width * p.height < 400 && target.kind;

	take_options(a, &o);
	take_metadata(a, &m);
	const xc_status s = searched ? xc_encode_target(a->c, &p, &m, &o, &target, &result, &b)
	                             : xc_encode(a->c, &p, &m, &o, &b);
	if (good(a, s))
		xc_buffer_free(a->c, &b);
	FUZZ_CHECK(!b.data && !b.size, "%zu bytes are left", b.size);
}

static void begin_encoder(api *a)
{
	xc_encode_options o;

	if (a->e)
		return;
	a->shape = take_picture(a);
	take_options(a, &o);
	a->out.size = 0;
	const xc_status s = xc_encoder_new(a->c, &a->shape, NULL, &o, write_bytes, a, &a->e);
	FUZZ_CHECK(good(a, s) == (a->e != NULL), "an encoder after status %d", (int)s);
}

/* Rows of the shape's samples; the memory has 80 of the widest. */
static xc_pixels rows_of(const xc_picture *shape, uint8_t layout, uint32_t rows)
{
	uint8_t *const data = shape->data;
	const ptrdiff_t stride = 64 * 8;
	const xc_pixels p = {.layout = (xc_layout)(layout % 13),
	                     .width = shape->width,
	                     .height = rows % 70,
	                     .depth = shape->depth,
	                     .plane = {data, data, layout & 32 ? NULL : data},
	                     .stride = {stride, layout & 64 ? 1 : stride, stride}};

	return p;
}

static void feed_encoder(api *a)
{
	const uint8_t how = next(a), count = next(a);
	const xc_pixels pixels = rows_of(&a->shape, count, how / 8);
	const size_t row = (size_t)a->shape.width * a->shape.channels * a->shape.depth / 8;
	xc_metadata m;
	void *rows;
	size_t stride;
	uint32_t n;

	if (!a->e)
		return;
	switch (how % 8) {
	case 0:
	case 1:
	case 2:
		good(a, xc_encoder_rows(a->e, a->shape.data, a->shape.stride, count % 70));
		break;
	case 3:
		if (good(a, xc_encoder_room(a->e, &rows, &stride, &n)) && n) {
			memset(rows, count, stride * (n - 1) + row);
			good(a, xc_encoder_rows(a->e, rows, stride, count & 1 ? n : 1));
		}
		break;
	case 4:
		good(a, xc_encoder_pixels(a->e, &pixels));
		break;
	case 5:
		take_metadata(a, &m);
		good(a, xc_encoder_metadata(a->e, &m));
		break;
	case 6:
		good(a, xc_encoder_end(a->e));
		break;
	default:
		xc_encoder_free(a->e);
		a->e = NULL;
	}
}

/* -------------------------------------------------------------------- decoding */

static void take_decode_options(api *a, xc_decode_options *o)
{
	const uint8_t how = next(a);

	*o = (xc_decode_options){.keep_going = how & 1, .jpeg_rounding = how >> 1 & 1};
	o->scale = how & 4 ? 1u << (how >> 4 & 3) : how >> 4;
	if (how & 8)
		o->region = (xc_rectangle){next(a), next(a), next(a), next(a)};
}

static void decode(api *a)
{
	static uint8_t samples[80 * 80 * 8];
	xc_decode_options o;

	take_decode_options(a, &o);
	const uint8_t how = next(a);
	xc_picture own = take_picture(a), p = {.channels = how & 7};
	if (how & 16) {
		own.data = samples;
		good(a, xc_decode(a->c, a->file, a->size, &o, &own));
		return;
	}
	if (how & 32) {
		own.data = samples;
		const xc_pixels pixels = rows_of(&own, how, next(a));
		good(a, xc_decode_pixels(a->c, a->file, a->size, &o, &pixels));
		return;
	}
	const xc_status s = xc_decode(a->c, a->file, a->size, &o, &p);
	FUZZ_CHECK(good(a, s) == (p.data != NULL), "a picture after status %d", (int)s);
	if (p.data) {
		xc_picture_free(a->c, &a->whole);
		a->whole = p;
	}
}

static void describe(api *a)
{
	const uint64_t first = next(a), count = next(a) % 8;
	xc_segment_info segments[8];
	xc_bit_usage usage;
	xc_coefficients k;
	xc_info info;

	if (!good(a, xc_read_info(a->c, a->file, a->size, &info)))
		FUZZ_CHECK(!info.width && !info.metadata.icc.data, "left behind");
	good(a, xc_read_header(a->c, a->file, a->size, &info));
	good(a, xc_read_segments(a->c, a->file, a->size, first, count, segments));
	good(a, xc_read_bit_usage(a->c, a->file, a->size, &usage));
	good(a, xc_decode_coefficients(a->c, a->file, a->size, &k));
	xc_coefficients_free(a->c, &k);
}

static void begin_decoder(api *a)
{
	const uint8_t how = next(a);
	const xc_source sources[] = {{.memory = a->file, .size = a->size},
	                             {.read_at = read_at, .size = a->size, .user = a},
	                             {.read = read_next, .user = a},
	                             {.size = 1}};
	xc_decode_options o;

	take_decode_options(a, &o);
	if (a->d)
		return;
	a->position = 0;
	const xc_status s = xc_decoder_new(a->c, &sources[how % 4], how & 8 ? &o : NULL, &a->d);
	FUZZ_CHECK(good(a, s) == (a->d != NULL), "a decoder after status %d", (int)s);
}

/* In any layout, or that of a picture. */
static void take_rows(api *a, uint32_t count, uint8_t layout)
{
	xc_picture p;

	xc_decoder_shape(a->d, &p);
	const size_t stride = p.stride + layout % 3;
	if (!p.width || count > p.height + 1 || stride * 2 * count > MAX_ROWS)
		return;
	OWN_MEMORY uint8_t *const rows = xc_test_malloc(2 * stride * count + 64);
	const xc_pixels pixels = {.layout = (xc_layout)(layout / 4 % 13),
	                          .width = p.width,
	                          .height = count,
	                          .depth = p.depth,
	                          .plane = {rows, rows, rows},
	                          .stride = {(ptrdiff_t)(2 * stride), (ptrdiff_t)stride,
	                                     (ptrdiff_t)stride}};
	good(a, layout & 3 ? xc_decoder_pixels(a->d, &pixels)
	                   : xc_decoder_rows(a->d, rows, stride, count));
}

static void drain_decoder(api *a)
{
	const uint8_t how = next(a), count = next(a);
	const void *rows;
	size_t stride;
	uint32_t n;
	xc_info info;

	if (!a->d)
		return;
	switch (how % 6) {
	case 0:
	case 1:
		take_rows(a, count, how / 6);
		break;
	case 2:
		if (!good(a, xc_decoder_next(a->d, &rows, &stride, &n)))
			FUZZ_CHECK(!rows && !n, "rows after a failure");
		break;
	case 3:
		xc_decoder_info(a->d, &info);
		FUZZ_CHECK(info.width && info.height, "no size");
		(void)xc_decoder_damaged(a->d);
		break;
	case 4:
		good(a, xc_decoder_finish(a->d));
		break;
	default:
		xc_decoder_free(a->d);
		a->d = NULL;
	}
}

/* --------------------------------------------------------------------- batches */

static void check_item(xc_status s, const char *message)
{
	FUZZ_CHECK(s <= XC_ERR_CANCELLED && (s == XC_OK || message[0]), "status %d, '%s'", (int)s,
	           message);
}

/* The file several times, cut off once, each with a region or without. */
static void decode_items(api *a, xc_batch *b)
{
	const uint8_t type = next(a), how = next(a), scale = next(a);
	const xc_batch_options o = {.type = (xc_sample_type)(type % 5),
	                            .planar = how & 1,
	                            .channels = how / 2 % 6,
	                            .scale = how & 128 ? 1u << scale % 4 : scale % 2,
	                            .mean = {how, 0.5f},
	                            .deviation = {type & 32 ? -1.f : 2, 0.1f},
	                            .keep_going = how >> 4 & 1,
	                            .jpeg_rounding = how >> 5 & 1};
	xc_batch_item items[3];

	for (size_t i = 0; i < COUNT(items); i++) {
		items[i] = (xc_batch_item){.file = a->file, .size = i == 1 ? a->size / 2 : a->size};
		if (how >> 6 & 1)
			items[i].region = (xc_rectangle){next(a), next(a), next(a), next(a)};
	}
	if (xc_batch_shapes(b, &o, items, COUNT(items)))
		return;
	for (size_t i = 0; i < COUNT(items); i++) {
		const size_t size = xc_batch_item_bytes(&o, &items[i]);
		items[i].data = size <= MAX_ROWS && !items[i].status ? xc_test_malloc(size) : NULL;
		items[i].status = items[i].data || items[i].status ? items[i].status : XC_ERR_LIMIT;
	}
	const xc_status s = xc_batch_decode(b, &o, items, COUNT(items), NULL);
	for (size_t i = 0; i < COUNT(items); i++) {
		if (!s && items[i].data)
			check_item(items[i].status, items[i].message);
		free(items[i].data);
	}
}

static void batches(api *a)
{
	xc_batch_picture pictures[2] = {{.picture = take_picture(a)}, {.picture = take_picture(a)}};
	xc_encode_options o;
	xc_batch *b;

	take_options(a, &o);
	const xc_status s = xc_batch_new(a->c, NULL, 1, &b);
	FUZZ_CHECK(good(a, s) == (b != NULL), "a batch after status %d", (int)s);
	if (!b)
		return;
	decode_items(a, b);
	if (!xc_batch_encode(b, &o, pictures, COUNT(pictures)))
		for (size_t i = 0; i < COUNT(pictures); i++)
			check_item(pictures[i].status, pictures[i].message);
	xc_batch_free(b);
}

/* ----------------------------------------------------------------------- others */

static void measure(api *a)
{
	const xc_picture p = take_picture(a), *const other = next(a) & 1 ? &p : &a->whole;
	xc_comparison comparison;
	const xc_timing *timings;
	double ms_ssim, largest;

	good(a, xc_compare(a->c, other, &a->whole, &comparison));
	good(a, xc_ms_ssim(a->c, &p, other, &ms_ssim));
	good(a, xc_ssimulacra2(a->c, &p, other, 0, &ms_ssim));
	good(a, xc_butteraugli(a->c, &p, other, 0, &ms_ssim, &largest));
	good(a, xc_compare_all(a->c, &p, other, 0, &comparison, &ms_ssim));
	for (size_t i = xc_context_timings(a->c, &timings); i--;)
		FUZZ_CHECK(timings[i].stage[0] && timings[i].wall >= 0, "stage %zu", i);
}

static void make(api *a)
{
	xc_picture p = take_picture(a);
	xc_quant_tables tables;

	p.data = NULL;
	const xc_status s = xc_picture_allocate(a->c, &p);
	FUZZ_CHECK(good(a, s) == (p.data != NULL), "a picture after status %d", (int)s);
	xc_picture_free(a->c, &p);
	good(a, xc_quant_tables_parse(a->c, (const char *)a->at, a->left, &tables));
	FUZZ_CHECK(xc_status_string((xc_status)next(a))[0], "no words for a status");
}

static void call(api *a)
{
	static void (*const calls[])(api *) = {set_up,        fail_soon,     encode,  begin_encoder,
	                                       feed_encoder,  feed_encoder,  decode,  describe,
	                                       begin_decoder, drain_decoder, measure, make,
	                                       drain_decoder, batches};

	calls[next(a) % COUNT(calls)](a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const xc_limits limits = {.max_pixels = XC_FUZZ_PIXELS,
	                          .max_memory = XC_FUZZ_MEMORY,
	                          .max_metadata = 1 << 20};
	api a = {.left = size ? data[size - 1] : 0};

	if (!size || a.left > size - 1)
		return 0;
	a.at = data + size - 1 - a.left;
	OWN_MEMORY uint8_t *const file = xc_test_copy(data, size - 1 - a.left);
	a.file = file;
	a.size = size - 1 - a.left;
	const xc_allocator allocator = {.allocate = allocate, .release = release, .user = &a};
	a.c = xc_context_new(&allocator);
	FUZZ_CHECK(a.c, "out of memory");
	xc_context_set_limits(a.c, &limits);
	xc_context_set_threads(a.c, 1);
	for (int i = 0; a.left && i < MAX_CALLS; i++)
		call(&a);
	xc_encoder_free(a.e);
	xc_decoder_free(a.d);
	xc_picture_free(a.c, &a.whole);
	xc_context_free(a.c);
	FUZZ_CHECK(!a.held, "%ld pieces of memory are left", a.held);
	xc_bytes_free(&a.out);
	return 0;
}

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	uint64_t seed = i;
	const unsigned n = 10 + 5 * i;

	xc_fuzz_file(i, out);
	for (unsigned k = 0; k < n && k < 250; k++)
		xc_bytes_add_u8(out, (uint32_t)check_random(&seed));
	xc_bytes_add_u8(out, n < 250 ? n : 250);
}
