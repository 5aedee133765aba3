/* SPDX-License-Identifier: BSD-2-Clause */
/* NULL in place of each argument of each function of xcodec.h, xcodec_array.h, xcodec_jpeg.h, xcodec_pixels.h and
 * xcodec_target.h: XC_ERR_ARGUMENT and empty results, nothing at all, or what the header says of
 * an argument that is optional. Of xcodec_cuda.h NULL in place of what each function is called
 * with first, since the rest needs a GPU (tests/emulated has some of it). tests/command/pages.sh
 * looks whether a function is missing here. */
#include <stdlib.h>
#include <string.h>

#include <xcodec_array.h>
#include <xcodec_batch.h>
#include <xcodec_cuda.h>
#include <xcodec_jpeg.h>
#include <xcodec_pixels.h>
#include <xcodec_target.h>

#include "tests/support/codec.h"

static xc_context *c;
static uint8_t pixels[16 * 16 * 3];
static const xc_picture picture = {16, 16, 3, 8, 48, pixels};
static xc_buffer file;

/* Every call fails, with a message where there is a context. */
#define FAILS(call) \
	CHECK((call) == XC_ERR_ARGUMENT && *xc_context_message(c), "'%s'", xc_context_message(c))
#define FAILS_WITHOUT(call) CHECK((call) == XC_ERR_ARGUMENT, "no XC_ERR_ARGUMENT")

static int write_nothing(void *user, const void *data, size_t size)
{
	(void)user;
	(void)data;
	(void)size;
	return 0;
}

static int empty(const void *object, size_t size)
{
	const uint8_t *bytes = object;

	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return 0;
	return 1;
}

/* Fills an object for output, so that it is seen whether a failure empties it. */
#define DIRTY(object) memset(&(object), 0x5a, sizeof(object))
#define CHECK_EMPTY(object) CHECK(empty(&(object), sizeof(object)), "not empty after a failure")
#define EMPTIES(object, fails) \
	do { \
		DIRTY(object); \
		fails; \
		CHECK_EMPTY(object); \
	} while (0)

static void contexts(void)
{
	const xc_allocator half[2] = {{.user = c}, {.allocate = NULL, .release = NULL}};
	const xc_timing *timings = (const xc_timing *)&half;

	CHECK(!xc_context_new(&half[0]) && !xc_context_new(&half[1]), "an allocator without functions");
	xc_context_free(xc_context_new(NULL));
	xc_context_free(NULL);
	FAILS_WITHOUT(xc_context_set_threads(NULL, 1));
	CHECK(xc_context_threads(NULL) == 0, "threads of no context");
	FAILS_WITHOUT(xc_context_set_cpu(NULL, "auto"));
	CHECK_OK(c, xc_context_set_cpu(c, NULL));
	CHECK(!strcmp(xc_context_cpu(NULL), ""), "'%s'", xc_context_cpu(NULL));
	FAILS_WITHOUT(xc_context_set_device(NULL, "cpu"));
	CHECK_OK(c, xc_context_set_device(c, NULL));
	CHECK(*xc_context_device(NULL), "no device");
	xc_limits_default(NULL);
	FAILS_WITHOUT(xc_context_set_limits(NULL, NULL));
	FAILS(xc_context_set_limits(c, NULL));
	FAILS_WITHOUT(xc_context_charge(NULL, 1));
	xc_context_refund(NULL, 1);
	xc_context_set_progress(NULL, NULL, NULL);
	xc_context_set_progress(c, NULL, NULL);
	CHECK(!*xc_context_message(NULL), "a message of no context");
	CHECK(!xc_context_timings(NULL, &timings) && !timings, "timings of no context");
	CHECK(!xc_context_timings(NULL, NULL), "timings of nothing");
	CHECK(xc_context_timings(c, NULL) == xc_context_timings(c, &timings), "timings");
	CHECK(xc_status_string(XC_OK) && xc_version_string(), "strings");
}

static void pictures(void)
{
	xc_picture p = {4, 4, 1, 8, 0, NULL};
	xc_buffer b = {NULL, 0};

	FAILS_WITHOUT(xc_picture_allocate(NULL, NULL));
	FAILS(xc_picture_allocate(c, NULL));
	FAILS_WITHOUT(xc_picture_allocate(NULL, &p));
	CHECK_EMPTY(p);
	xc_picture_free(NULL, NULL);
	xc_picture_free(NULL, &p);
	xc_picture_free(c, NULL);
	xc_picture_free(c, &p);
	xc_buffer_free(NULL, NULL);
	xc_buffer_free(NULL, &b);
	xc_buffer_free(c, NULL);
	xc_buffer_free(c, &b);
	xc_quant_tables_annex_k(NULL);
	xc_quant_tables_flat(NULL);
	xc_quant_tables_sloped(NULL);
	xc_encode_options_default(NULL);
	xc_encode_options_jpeg(NULL);
	xc_quant_tables tables;
	EMPTIES(tables, FAILS_WITHOUT(xc_quant_tables_parse(NULL, "1", 1, &tables)));
	FAILS(xc_quant_tables_parse(c, NULL, 1, &tables));
	FAILS(xc_quant_tables_parse(c, "1", 1, NULL));
}

static void encoding(void)
{
	xc_buffer out;

	EMPTIES(out, FAILS_WITHOUT(xc_encode(NULL, &picture, NULL, NULL, &out)));
	FAILS(xc_encode(c, NULL, NULL, NULL, &out));
	FAILS(xc_encode(c, &picture, NULL, NULL, NULL));
}

static void encoders(void)
{
	xc_encoder *e;
	void *rows;
	size_t stride;
	uint32_t count;

	EMPTIES(e, FAILS_WITHOUT(xc_encoder_new(NULL, &picture, NULL, NULL, write_nothing, NULL, &e)));
	FAILS(xc_encoder_new(c, NULL, NULL, NULL, write_nothing, NULL, &e));
	FAILS(xc_encoder_new(c, &picture, NULL, NULL, NULL, NULL, &e));
	FAILS(xc_encoder_new(c, &picture, NULL, NULL, write_nothing, NULL, NULL));
	FAILS_WITHOUT(xc_encoder_metadata(NULL, NULL));
	FAILS_WITHOUT(xc_encoder_rows(NULL, pixels, 48, 1));
	FAILS_WITHOUT(xc_encoder_room(NULL, &rows, &stride, &count));
	FAILS_WITHOUT(xc_encoder_end(NULL));
	xc_encoder_free(NULL);
	REQUIRE_OK(c, xc_encoder_new(c, &picture, NULL, NULL, write_nothing, NULL, &e));
	FAILS(xc_encoder_rows(e, NULL, 48, 1));
	FAILS(xc_encoder_room(e, NULL, &stride, &count));
	FAILS(xc_encoder_room(e, &rows, NULL, &count));
	FAILS(xc_encoder_room(e, &rows, &stride, NULL));
	CHECK_OK(c, xc_encoder_rows(e, pixels, 48, 16));
	CHECK_OK(c, xc_encoder_metadata(e, NULL));
	CHECK_OK(c, xc_encoder_end(e));
	xc_encoder_free(e);
}

static void describing(void)
{
	xc_info info;
	xc_bit_usage usage;
	xc_segment_info segment;

	EMPTIES(info, FAILS_WITHOUT(xc_read_info(NULL, file.data, file.size, &info)));
	FAILS(xc_read_info(c, NULL, file.size, &info));
	FAILS(xc_read_info(c, file.data, file.size, NULL));
	EMPTIES(info, FAILS_WITHOUT(xc_read_header(NULL, file.data, file.size, &info)));
	FAILS(xc_read_header(c, NULL, file.size, &info));
	FAILS(xc_read_header(c, file.data, file.size, NULL));
	EMPTIES(usage, FAILS_WITHOUT(xc_read_bit_usage(NULL, file.data, file.size, &usage)));
	FAILS(xc_read_bit_usage(c, NULL, file.size, &usage));
	FAILS(xc_read_bit_usage(c, file.data, file.size, NULL));
	FAILS_WITHOUT(xc_read_segments(NULL, file.data, file.size, 0, 1, &segment));
	FAILS(xc_read_segments(c, NULL, file.size, 0, 1, &segment));
	FAILS(xc_read_segments(c, file.data, file.size, 0, 1, NULL));
}

static void decoding(void)
{
	xc_picture p = {0};
	xc_coefficients k;
	xc_decode_options o = {.damaged_segments = 7};

	FAILS_WITHOUT(xc_decode(NULL, file.data, file.size, &o, &p));
	CHECK(!o.damaged_segments && !p.data, "left behind");
	FAILS(xc_decode(c, NULL, file.size, NULL, &p));
	FAILS(xc_decode(c, file.data, file.size, NULL, NULL));
	EMPTIES(k, FAILS_WITHOUT(xc_decode_coefficients(NULL, file.data, file.size, &k)));
	FAILS(xc_decode_coefficients(c, NULL, file.size, &k));
	FAILS(xc_decode_coefficients(c, file.data, file.size, NULL));
	xc_coefficients_free(NULL, NULL);
	xc_coefficients_free(NULL, &k);
	xc_coefficients_free(c, NULL);
	xc_coefficients_free(c, &k);
}

static void decoders(void)
{
	const xc_source source = {.memory = file.data, .size = file.size}, nothing = {.size = 1};
	xc_decoder *d;
	xc_info info;
	xc_picture shape;
	const void *rows;
	size_t stride;
	uint32_t count;

	EMPTIES(d, FAILS_WITHOUT(xc_decoder_new(NULL, &source, NULL, &d)));
	FAILS(xc_decoder_new(c, NULL, NULL, &d));
	FAILS(xc_decoder_new(c, &nothing, NULL, &d));
	FAILS(xc_decoder_new(c, &source, NULL, NULL));
	DIRTY(info);
	xc_decoder_info(NULL, &info);
	CHECK_EMPTY(info);
	xc_decoder_info(NULL, NULL);
	DIRTY(shape);
	xc_decoder_shape(NULL, &shape);
	CHECK_EMPTY(shape);
	xc_decoder_shape(NULL, NULL);
	CHECK(!xc_decoder_damaged(NULL), "damage in nothing");
	FAILS_WITHOUT(xc_decoder_rows(NULL, pixels, 48, 1));
	FAILS_WITHOUT(xc_decoder_next(NULL, &rows, &stride, &count));
	FAILS_WITHOUT(xc_decoder_finish(NULL));
	xc_decoder_free(NULL);
	REQUIRE_OK(c, xc_decoder_new(c, &source, NULL, &d));
	xc_decoder_info(d, NULL);
	xc_decoder_shape(d, NULL);
	FAILS(xc_decoder_rows(d, NULL, 48, 1));
	FAILS(xc_decoder_next(d, NULL, &stride, &count));
	FAILS(xc_decoder_next(d, &rows, NULL, &count));
	FAILS(xc_decoder_next(d, &rows, &stride, NULL));
	CHECK_OK(c, xc_decoder_next(d, &rows, &stride, &count));
	CHECK(count, "no rows");
	CHECK_OK(c, xc_decoder_finish(d));
	xc_decoder_free(d);
}

static void other_layouts(void)
{
	const xc_pixels packed = {.layout = XC_LAYOUT_BGR,
	                          .width = 16,
	                          .height = 16,
	                          .depth = 8,
	                          .plane = {pixels},
	                          .stride = {48}};
	const xc_pixels planes = {.layout = XC_LAYOUT_YCBCR_444,
	                          .width = 16,
	                          .height = 16,
	                          .depth = 8,
	                          .plane = {pixels},
	                          .stride = {16, 16, 16}};
	xc_decode_options o = {.damaged_segments = 7};
	xc_buffer out;

	EMPTIES(out, FAILS_WITHOUT(xc_encode_pixels(NULL, &packed, NULL, NULL, &out)));
	EMPTIES(out, FAILS(xc_encode_pixels(c, NULL, NULL, NULL, &out)));
	FAILS(xc_encode_pixels(c, &packed, NULL, NULL, NULL));
	FAILS(xc_encode_pixels(c, &planes, NULL, NULL, &out));
	FAILS_WITHOUT(xc_decode_pixels(NULL, file.data, file.size, &o, &packed));
	CHECK(!o.damaged_segments, "damage in nothing");
	FAILS(xc_decode_pixels(c, NULL, file.size, NULL, &packed));
	FAILS(xc_decode_pixels(c, file.data, file.size, NULL, NULL));
	FAILS(xc_decode_pixels(c, file.data, file.size, NULL, &planes));
}

static void rows_of_other_layouts(void)
{
	const xc_pixels none = {.layout = XC_LAYOUT_BGR,
	                        .width = 16,
	                        .height = 16,
	                        .depth = 8,
	                        .plane = {NULL},
	                        .stride = {48}};
	const xc_pixels packed = {.layout = XC_LAYOUT_BGR,
	                          .width = 16,
	                          .height = 16,
	                          .depth = 8,
	                          .plane = {pixels},
	                          .stride = {48}};
	const xc_source source = {.memory = file.data, .size = file.size};
	xc_encoder *e;
	xc_decoder *d;

	FAILS_WITHOUT(xc_encoder_pixels(NULL, &packed));
	REQUIRE_OK(c, xc_encoder_new(c, &picture, NULL, NULL, write_nothing, NULL, &e));
	FAILS(xc_encoder_pixels(e, NULL));
	FAILS(xc_encoder_pixels(e, &none));
	CHECK_OK(c, xc_encoder_pixels(e, &packed));
	xc_encoder_free(e);
	FAILS_WITHOUT(xc_decoder_pixels(NULL, &packed));
	REQUIRE_OK(c, xc_decoder_new(c, &source, NULL, &d));
	FAILS(xc_decoder_pixels(d, NULL));
	FAILS(xc_decoder_pixels(d, &none));
	CHECK_OK(c, xc_decoder_pixels(d, &packed));
	xc_decoder_free(d);
}

static void targets(void)
{
	const xc_target target = {.kind = XC_TARGET_BYTES, .value = 500};
	xc_target_result result;
	xc_buffer out;

	DIRTY(out);
	DIRTY(result);
	FAILS_WITHOUT(xc_encode_target(NULL, &picture, NULL, NULL, &target, &result, &out));
	CHECK_EMPTY(out);
	CHECK_EMPTY(result);
	EMPTIES(out, FAILS(xc_encode_target(c, NULL, NULL, NULL, &target, &result, &out)));
	FAILS(xc_encode_target(c, &picture, NULL, NULL, NULL, &result, &out));
	FAILS(xc_encode_target(c, &picture, NULL, NULL, &target, NULL, &out));
	FAILS(xc_encode_target(c, &picture, NULL, NULL, &target, &result, NULL));
}

static void array_writers(const xc_array_shape *shape, const uint8_t *values)
{
	xc_array_options none;
	xc_array_writer *w;
	xc_buffer out;

	xc_array_options_default(NULL);
	xc_array_options_default(&none);
	EMPTIES(out, FAILS_WITHOUT(xc_array_encode(NULL, shape, values, NULL, &out)));
	EMPTIES(out, FAILS(xc_array_encode(c, NULL, values, NULL, &out)));
	EMPTIES(out, FAILS(xc_array_encode(c, shape, NULL, NULL, &out)));
	FAILS(xc_array_encode(c, shape, values, NULL, NULL));
	EMPTIES(w, FAILS_WITHOUT(xc_array_writer_new(NULL, shape, NULL, write_nothing, NULL, &w)));
	EMPTIES(w, FAILS(xc_array_writer_new(c, NULL, NULL, write_nothing, NULL, &w)));
	EMPTIES(w, FAILS(xc_array_writer_new(c, shape, NULL, NULL, NULL, &w)));
	FAILS(xc_array_writer_new(c, shape, NULL, write_nothing, NULL, NULL));
	FAILS_WITHOUT(xc_array_writer_values(NULL, values, 1));
	FAILS_WITHOUT(xc_array_writer_attach(NULL, "abcd", values, 1));
	FAILS_WITHOUT(xc_array_writer_end(NULL));
	CHECK(xc_array_writer_predicted(NULL) == 0, "slabs of no writer");
	xc_array_writer_free(NULL);
	REQUIRE(!xc_array_writer_new(c, shape, NULL, write_nothing, NULL, &w), "no writer");
	FAILS(xc_array_writer_values(w, NULL, 1));
	xc_array_writer_free(w);
	REQUIRE(!xc_array_writer_new(c, shape, NULL, write_nothing, NULL, &w), "no writer");
	FAILS(xc_array_writer_attach(w, NULL, values, 1));
	FAILS(xc_array_writer_attach(w, "abcd", NULL, 1));
	xc_array_writer_free(w);
}

static void array_readers(const xc_buffer *coded, const uint8_t *values)
{
	const xc_source source = {.memory = coded->data, .size = coded->size}, nothing = {.size = 1};
	xc_array_reader *r;
	xc_array_segment segment;
	xc_array_info info;
	const void *bytes;
	size_t size;
	char name[5];

	EMPTIES(r, FAILS(xc_array_reader_new(c, NULL, &r)));
	EMPTIES(r, FAILS(xc_array_reader_new(c, &nothing, &r)));
	EMPTIES(r, FAILS_WITHOUT(xc_array_reader_new(NULL, &source, &r)));
	FAILS(xc_array_reader_new(c, &source, NULL));
	EMPTIES(r, FAILS(xc_array_reader_salvage(c, NULL, NULL, &r)));
	FAILS_WITHOUT(xc_array_reader_salvage(NULL, &source, NULL, &r));
	FAILS(xc_array_reader_salvage(c, &source, NULL, NULL));
	CHECK(xc_array_reader_damaged(NULL) == 0, "damage of no reader");
	FAILS_WITHOUT(xc_array_next_segment(NULL, &segment));
	EMPTIES(info, xc_array_reader_info(NULL, &info));
	FAILS_WITHOUT(xc_array_reader_predicted(NULL, &info.chunks));
	FAILS_WITHOUT(xc_array_read(NULL, NULL, 1, (void *)(uintptr_t)values));
	FAILS_WITHOUT(xc_array_attached(NULL, name, &bytes, &size));
	xc_array_reader_free(NULL);
	REQUIRE(!xc_array_reader_new(c, &source, &r), "no reader: %s", xc_context_message(c));
	xc_array_reader_info(r, NULL);
	FAILS(xc_array_reader_predicted(r, NULL));
	FAILS(xc_array_read(r, NULL, 1, NULL));
	FAILS(xc_array_next_segment(r, NULL));
	FAILS(xc_array_attached(r, NULL, &bytes, &size));
	FAILS(xc_array_attached(r, name, NULL, &size));
	FAILS(xc_array_attached(r, name, &bytes, NULL));
	xc_array_reader_free(r);
}

static void jpegs(void)
{
	static const uint8_t jpeg[] = {0xff, 0xd8, 0xff, 0xd9};
	const xc_jpeg_options odd = {.fallback = (xc_jpeg_fallback)2};
	xc_jpeg_info info;
	xc_buffer coded, other;

	EMPTIES(other, FAILS_WITHOUT(xc_jpeg_encode(NULL, jpeg, 4, NULL, NULL, &other)));
	EMPTIES(other, FAILS(xc_jpeg_encode(c, NULL, 4, NULL, NULL, &other)));
	EMPTIES(info, FAILS(xc_jpeg_encode(c, jpeg, 4, &odd, &info, &other)));
	EMPTIES(other, FAILS_WITHOUT(xc_jpeg_transcode(NULL, jpeg, 4, 0, &other)));
	EMPTIES(other, FAILS(xc_jpeg_transcode(c, NULL, 4, 0, &other)));
	FAILS(xc_jpeg_transcode(c, jpeg, 4, 0, NULL));
	uint64_t damaged;
	FAILS_WITHOUT(xc_jpeg_rescue(NULL, jpeg, 4, &other, &damaged));
	EMPTIES(other, FAILS(xc_jpeg_rescue(c, NULL, 4, &other, &damaged)));
	EMPTIES(other, FAILS(xc_jpeg_rescue(c, jpeg, 4, &other, NULL)));
	FAILS(xc_jpeg_rescue(c, jpeg, 4, NULL, &damaged));
	FAILS(xc_jpeg_encode(c, jpeg, 4, NULL, NULL, NULL));
	REQUIRE(!xc_jpeg_encode(c, jpeg, 4, NULL, NULL, &coded), "%s", xc_context_message(c));
	CHECK(xc_jpeg_is(coded.data, coded.size) && !xc_jpeg_is(NULL, 16), "what is a JPEG");
	EMPTIES(info, FAILS_WITHOUT(xc_jpeg_read_info(NULL, coded.data, coded.size, &info)));
	EMPTIES(info, FAILS(xc_jpeg_read_info(c, NULL, 0, &info)));
	FAILS(xc_jpeg_read_info(c, coded.data, coded.size, NULL));
	EMPTIES(other, FAILS_WITHOUT(xc_jpeg_decode(NULL, coded.data, coded.size, &other)));
	EMPTIES(other, FAILS(xc_jpeg_decode(c, NULL, 0, &other)));
	FAILS(xc_jpeg_decode(c, coded.data, coded.size, NULL));
	xc_buffer_free(c, &coded);
}

static void arrays(void)
{
	const xc_array_shape shape = {XC_ARRAY_UINT8, 2, {4, 8, 0, 0}};
	xc_array_difference difference;
	xc_buffer coded;

	CHECK(!xc_array_type_size((xc_array_type)XC_ARRAY_TYPES) &&
	          !xc_array_type_name((xc_array_type)XC_ARRAY_TYPES),
	      "a type too many");
	array_writers(&shape, pixels);
	REQUIRE(!xc_array_encode(c, &shape, pixels, NULL, &coded), "%s", xc_context_message(c));
	CHECK(xc_array_is(coded.data, coded.size) && !xc_array_is(NULL, 16), "what is an array");
	char origin[5] = "none";
	xc_array_origin(NULL, 0, origin);
	CHECK(!*origin, "what a file without bytes comes from");
	array_readers(&coded, pixels);
	EMPTIES(difference,
	        FAILS_WITHOUT(xc_array_compare(NULL, &shape, pixels, pixels, NULL, &difference)));
	FAILS(xc_array_compare(c, NULL, pixels, pixels, NULL, &difference));
	FAILS(xc_array_compare(c, &shape, NULL, pixels, NULL, &difference));
	FAILS(xc_array_compare(c, &shape, pixels, NULL, NULL, &difference));
	FAILS(xc_array_compare(c, &shape, pixels, pixels, NULL, NULL));
	xc_buffer_free(c, &coded);
}

static void metrics(void)
{
	xc_comparison comparison;
	double ms_ssim = 1, largest;

	EMPTIES(comparison, FAILS_WITHOUT(xc_compare(NULL, &picture, &picture, &comparison)));
	FAILS(xc_compare(c, NULL, &picture, &comparison));
	FAILS(xc_compare(c, &picture, NULL, &comparison));
	FAILS(xc_compare(c, &picture, &picture, NULL));
	FAILS_WITHOUT(xc_ms_ssim(NULL, &picture, &picture, &ms_ssim));
	CHECK(ms_ssim == 0, "%g", ms_ssim);
	FAILS(xc_ms_ssim(c, NULL, &picture, &ms_ssim));
	FAILS(xc_ms_ssim(c, &picture, NULL, &ms_ssim));
	FAILS(xc_ms_ssim(c, &picture, &picture, NULL));
	FAILS(xc_ssimulacra2(c, NULL, &picture, 0, &ms_ssim));
	FAILS(xc_ssimulacra2(c, &picture, NULL, 0, &ms_ssim));
	FAILS(xc_ssimulacra2(c, &picture, &picture, 0, NULL));
	FAILS(xc_ssimulacra2(c, &picture, &picture, 65536, &ms_ssim));
	FAILS(xc_butteraugli(c, NULL, &picture, 0, &ms_ssim, &largest));
	FAILS(xc_butteraugli(c, &picture, NULL, 0, &ms_ssim, &largest));
	FAILS(xc_butteraugli(c, &picture, &picture, 0, NULL, &largest));
	FAILS(xc_butteraugli(c, &picture, &picture, 0, &ms_ssim, NULL));
	FAILS(xc_butteraugli(c, &picture, &picture, 65536, &ms_ssim, &largest));
	FAILS_WITHOUT(xc_butteraugli(NULL, &picture, &picture, 0, &ms_ssim, &largest));
	ms_ssim = 1;
	FAILS_WITHOUT(xc_ssimulacra2(NULL, &picture, &picture, 0, &ms_ssim));
	CHECK(ms_ssim == 0, "%g", ms_ssim);
	ms_ssim = 1;
	EMPTIES(comparison,
	        FAILS_WITHOUT(xc_compare_all(NULL, &picture, &picture, 0, &comparison, &ms_ssim)));
	CHECK(ms_ssim == 0, "%g", ms_ssim);
	FAILS(xc_compare_all(c, &picture, &picture, 65536, &comparison, &ms_ssim));
	FAILS(xc_compare_all(c, NULL, &picture, 0, &comparison, &ms_ssim));
	FAILS(xc_compare_all(c, &picture, NULL, 0, &comparison, &ms_ssim));
	FAILS(xc_compare_all(c, &picture, &picture, 0, NULL, &ms_ssim));
	FAILS(xc_compare_all(c, &picture, &picture, 0, &comparison, NULL));
}

/* NULL where a GPU, or what was opened with one, should be. */
static void gpus(void)
{
	void *memory = pixels;
	const void *bytes = pixels;
	size_t size = 1;
	int count = 1;
	xc_cuda *gpu = (xc_cuda *)(void *)pixels;
	xc_cuda_encoder *encoder = (xc_cuda_encoder *)(void *)pixels;
	xc_cuda_decoder *decoder = (xc_cuda_decoder *)(void *)pixels;
	xc_cuda_encode_queue *encodes = (xc_cuda_encode_queue *)(void *)pixels;
	xc_cuda_decode_queue *decodes = (xc_cuda_decode_queue *)(void *)pixels;
	xc_picture out = picture;

	FAILS_WITHOUT(xc_cuda_devices(NULL, NULL, 0, &count));
	FAILS(xc_cuda_devices(c, NULL, 0, NULL));
	FAILS_WITHOUT(xc_cuda_open(NULL, 0, &gpu));
	FAILS(xc_cuda_open(c, 0, NULL));
	xc_cuda_close(NULL);
	FAILS_WITHOUT(xc_cuda_allocate_device(NULL, 1, &memory));
	FAILS_WITHOUT(xc_cuda_allocate_pinned(NULL, 1, &memory));
	xc_cuda_release(NULL, NULL);
	FAILS_WITHOUT(xc_cuda_synchronize(NULL, NULL));
	uint64_t held = 1;
	FAILS_WITHOUT(xc_cuda_trim(NULL, &held, NULL));
	CHECK(!held, "bytes of no GPU");
	FAILS_WITHOUT(xc_cuda_encoder_new(NULL, &picture, NULL, NULL, 1, &encoder));
	xc_cuda_encoder_free(NULL);
	CHECK(xc_cuda_encoder_bound(NULL) == 0, "a bound");
	FAILS_WITHOUT(xc_cuda_encoder_scratch(NULL, NULL, NULL, &size));
	CHECK(!size, "a size");
	FAILS_WITHOUT(xc_cuda_encode(NULL, NULL, NULL, NULL, NULL));
	size = 1;
	FAILS_WITHOUT(xc_cuda_encode_list_scratch(NULL, NULL, 0, &size));
	CHECK(!size, "a size");
	FAILS_WITHOUT(xc_cuda_encode_list(NULL, NULL, 0, NULL, NULL));
	FAILS_WITHOUT(xc_cuda_encoder_wait(NULL));
	FAILS_WITHOUT(xc_cuda_decoder_new(NULL, NULL, 1, &decoder));
	xc_cuda_decoder_free(NULL);
	size = 1;
	FAILS_WITHOUT(xc_cuda_decoder_scratch(NULL, NULL, 0, &size));
	CHECK(!size, "a size");
	FAILS_WITHOUT(xc_cuda_decode(NULL, NULL, 0, NULL, NULL));
	FAILS_WITHOUT(xc_cuda_decoder_wait(NULL));
	FAILS_WITHOUT(xc_cuda_array_encode(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
	FAILS_WITHOUT(xc_cuda_array_decode(NULL, NULL, 0, NULL, NULL));
	FAILS_WITHOUT(xc_cuda_encode_queue_new(NULL, &picture, NULL, NULL, 1, &encodes));
	xc_cuda_encode_queue_free(NULL);
	FAILS_WITHOUT(xc_cuda_encode_queue_next(NULL, &out));
	CHECK(empty(&out, sizeof out), "a picture");
	out = picture;
	FAILS_WITHOUT(xc_cuda_encode_queue_next_shape(NULL, &picture, NULL, NULL, &out));
	CHECK(empty(&out, sizeof out), "a picture");
	FAILS_WITHOUT(xc_cuda_encode_queue_submit(NULL));
	FAILS_WITHOUT(xc_cuda_encode_queue_collect(NULL, &bytes, &size));
	FAILS_WITHOUT(xc_cuda_decode_queue_new(NULL, NULL, 1, &decodes));
	xc_cuda_decode_queue_free(NULL);
	FAILS_WITHOUT(xc_cuda_decode_queue_next(NULL, 1, &memory));
	FAILS_WITHOUT(xc_cuda_decode_queue_submit(NULL));
	out = picture;
	FAILS_WITHOUT(xc_cuda_decode_queue_collect(NULL, &out, NULL));
	CHECK(empty(&out, sizeof out), "a picture");
	CHECK(!count && !gpu && !encoder && !decoder && !encodes && !decodes && !bytes && !memory,
	      "results are left");
}

static void batches(void)
{
	xc_batch *b;
	xc_batch_item item = {0};
	xc_batch_picture bad = {0};
	const xc_batch_options options = {0};
	xc_limits limits;
	void *memory;

	EMPTIES(b, FAILS_WITHOUT(xc_batch_new(NULL, NULL, 0, &b)));
	FAILS(xc_batch_new(c, NULL, 0, NULL));
	EMPTIES(b, FAILS(xc_batch_new(c, "no such device", 0, &b)));
	EMPTIES(b, FAILS(xc_batch_new(c, NULL, -1, &b)));
	CHECK(!*xc_batch_message(NULL), "a message about nothing");
	xc_limits_default(&limits);
	FAILS_WITHOUT(xc_batch_set_limits(NULL, &limits));
	FAILS_WITHOUT(xc_batch_trim(NULL));
	FAILS_WITHOUT(xc_batch_shapes(NULL, &options, &item, 1));
	FAILS_WITHOUT(xc_batch_decode(NULL, &options, &item, 1, NULL));
	FAILS_WITHOUT(xc_batch_encode(NULL, NULL, &bad, 1));
	EMPTIES(memory, FAILS_WITHOUT(xc_batch_allocate(NULL, 1, &memory)));
	xc_batch_release(NULL, NULL);
	xc_batch_free(NULL);
	CHECK(!xc_batch_item_bytes(&options, &item), "bytes of nothing");
	CHECK(!xc_batch_item_bytes(NULL, &item) && !xc_batch_item_bytes(&options, NULL), "of no item");
	REQUIRE_OK(c, xc_batch_new(c, NULL, 1, &b));
	FAILS_WITHOUT(xc_batch_set_limits(b, NULL));
	FAILS_WITHOUT(xc_batch_shapes(b, NULL, &item, 1));
	FAILS_WITHOUT(xc_batch_shapes(b, &options, NULL, 1));
	FAILS_WITHOUT(xc_batch_decode(b, NULL, &item, 1, NULL));
	FAILS_WITHOUT(xc_batch_decode(b, &options, NULL, 1, NULL));
	FAILS_WITHOUT(xc_batch_encode(b, NULL, NULL, 1));
	CHECK(*xc_batch_message(b), "no message");
	CHECK(!xc_batch_shapes(b, &options, &item, 1) && item.status == XC_ERR_ARGUMENT &&
	          *item.message,
	      "an item without a file: %s", item.message);
	CHECK(!xc_batch_encode(b, NULL, &bad, 1) && bad.status == XC_ERR_ARGUMENT && *bad.message,
	      "a picture without pixels: %s", bad.message);
	xc_batch_free(b);
}

static void *allocate(void *user, size_t size)
{
	(void)user;
	return malloc(size);
}

static void release(void *user, void *memory)
{
	(void)user;
	free(memory);
}

/* What a later release has put in the place of `reserved` is refused. */
static void reserved(void)
{
	xc_limits limits;
	xc_encode_options options;
	xc_decode_options decode = {.reserved = {[3] = 1}};
	xc_array_options array;
	const xc_jpeg_options jpeg = {.reserved = {1}};
	const xc_metadata metadata = {.reserved = {[7] = 1}};
	const xc_batch_options batch_options = {.reserved = {[3] = 1}};
	const xc_array_shape shape = {XC_ARRAY_UINT8, 1, {sizeof pixels}};
	xc_picture back = {0};
	xc_buffer other;
	xc_batch *batch;
	xc_batch_item item = {.reserved = {[1] = 1}};
	const xc_allocator allocator = {.allocate = allocate,
	                                .release = release,
	                                .reserved = {[3] = 1}};
	const xc_source source = {.memory = file.data, .size = file.size, .reserved = {[3] = 1}};
	const xc_pixels rows = {.width = 16,
	                        .height = 16,
	                        .depth = 8,
	                        .plane = {pixels},
	                        .stride = {16},
	                        .reserved = {[3] = 1}};
	const xc_target target = {.value = 500, .reserved = {[3] = 1}};
	xc_target_result result;
	xc_decoder *d;
	xc_array_reader *r;

	CHECK(!xc_context_new(&allocator), "an allocator");
	FAILS(xc_decoder_new(c, &source, NULL, &d));
	FAILS(xc_array_reader_new(c, &source, &r));
	FAILS(xc_encode_pixels(c, &rows, NULL, NULL, &other));
	FAILS(xc_decode_pixels(c, file.data, file.size, NULL, &rows));
	FAILS(xc_encode_target(c, &picture, NULL, NULL, &target, &result, &other));
	xc_limits_default(&limits);
	xc_encode_options_default(&options);
	xc_array_options_default(&array);
	limits.reserved[3] = options.reserved[7] = array.reserved[3] = 1;
	FAILS(xc_context_set_limits(c, &limits));
	FAILS(xc_encode(c, &picture, NULL, &options, &other));
	FAILS(xc_encode(c, &picture, &metadata, NULL, &other));
	FAILS(xc_decode(c, file.data, file.size, &decode, &back));
	FAILS(xc_array_encode(c, &shape, pixels, &array, &other));
	FAILS(xc_jpeg_encode(c, pixels, sizeof pixels, &jpeg, NULL, &other));
	CHECK_OK(c, xc_batch_new(c, NULL, 1, &batch));
	CHECK(xc_batch_shapes(batch, &batch_options, &item, 1) == XC_ERR_ARGUMENT, "options");
	item.file = file.data;
	item.size = file.size;
	CHECK_OK(c, xc_batch_shapes(batch, &(const xc_batch_options){.channels = 0}, &item, 1));
	CHECK(item.status == XC_ERR_ARGUMENT && *item.message, "%s", item.message);
	xc_batch_free(batch);
}

/* A flag that is neither 0 nor 1 has no meaning yet. */
static void flags(void)
{
	static const int wrong[] = {2, -1};
	xc_batch *batch;
	xc_batch_item item = {.file = file.data, .size = file.size};
	xc_picture back = {0};
	xc_buffer other;
	xc_decoder *d;
	const xc_source source = {.memory = file.data, .size = file.size};

	REQUIRE_OK(c, xc_batch_new(c, NULL, 1, &batch));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const int flag = wrong[i];
		xc_decode_options decode[] = {{.keep_going = flag}, {.jpeg_rounding = flag}};
		const xc_batch_options options[] = {{.keep_going = flag},
		                                    {.jpeg_rounding = flag},
		                                    {.planar = flag}};
		xc_encode_options encode;

		for (int k = 0; k < 2; k++) {
			FAILS(xc_decode(c, file.data, file.size, &decode[k], &back));
			FAILS(xc_decoder_new(c, &source, &decode[k], &d));
		}
		for (int k = 0; k < 3; k++)
			FAILS_WITHOUT(xc_batch_shapes(batch, &options[k], &item, 1));
		xc_encode_options_default(&encode);
		encode.clear_transparent = flag;
		FAILS(xc_encode(c, &picture, NULL, &encode, &other));
		FAILS(xc_jpeg_transcode(c, file.data, file.size, flag, &other));
	}
	xc_batch_free(batch);
}

/* An item that is wrong has its own status, and the others are decoded or encoded. */
static void wrong_items(void)
{
	enum { N = 4, LAST = N - 1 };
	const xc_batch_options options = {0};
	xc_batch_item items[N];
	xc_batch_picture pictures[N];
	uint8_t arrays[N][sizeof pixels];
	xc_batch *batch;

	REQUIRE_OK(c, xc_batch_new(c, NULL, 1, &batch));
	for (int i = 0; i < N; i++) {
		items[i] = (xc_batch_item){.file = file.data, .size = file.size, .data = arrays[i]};
		pictures[i] = (xc_batch_picture){.picture = picture};
	}
	CHECK_OK(c, xc_batch_shapes(batch, &options, items, N));
	items[0].data = NULL;
	items[1].reserved[3] = 1;
	pictures[0].picture.data = NULL;
	pictures[1].reserved[1] = 1;
	CHECK_OK(c, xc_batch_decode(batch, &options, items, N, NULL));
	CHECK_OK(c, xc_batch_encode(batch, NULL, pictures, N));
	for (int i = 0; i < N; i++) {
		const xc_status wanted = i < 2 ? XC_ERR_ARGUMENT : XC_OK;
		CHECK(items[i].status == wanted && !*items[i].message == !wanted, "item %d: %d '%s'", i,
		      items[i].status, items[i].message);
		CHECK(pictures[i].status == wanted && !*pictures[i].message == !wanted,
		      "picture %d: %d '%s'", i, pictures[i].status, pictures[i].message);
	}
	CHECK(!memcmp(arrays[2], arrays[LAST], sizeof arrays[2]) &&
	          pictures[LAST].size == pictures[2].size,
	      "other results");
	xc_batch_free(batch);
}

int main(void)
{
	c = xc_test_context();
	for (size_t i = 0; i < sizeof pixels; i++)
		pixels[i] = (uint8_t)(i * i);
	if (xc_encode(c, &picture, NULL, NULL, &file))
		return 1;
	RUN(contexts, pictures, encoding, encoders, describing, decoding, decoders, other_layouts,
	    rows_of_other_layouts, targets, arrays, jpegs, metrics, batches, reserved, flags,
	    wrong_items, gpus);
	xc_buffer_free(c, &file);
	xc_context_free(c);
	return check_done();
}
