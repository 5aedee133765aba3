/* SPDX-License-Identifier: BSD-2-Clause */
/* What xcodec.h promises about arguments, failures, metadata and progress. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <xcodec_array.h>
#include <xcodec_batch.h>
#include <xcodec_jpeg.h>
#include <xcodec_pixels.h>
#include <xcodec_target.h>

#include "src/core/cpu.h"
#include "tests/support/codec.h"

static xc_context *c;

/* The last call failed with `wanted` and left one line about it. */
static void check_failed(xc_status found, xc_status wanted, const char *what)
{
	const char *message = xc_context_message(c);

	CHECK(found == wanted, "%s: '%s' instead of '%s' (%s)", what, xc_status_string(found),
	      xc_status_string(wanted), message);
	CHECK(*message && !strchr(message, '\n'), "%s: message '%s'", what, message);
}

static void strings(void)
{
	char version[32];

	snprintf(version, sizeof version, "%d.%d.%d%s", XC_VERSION_MAJOR, XC_VERSION_MINOR,
	         XC_VERSION_PATCH, XC_VERSION_SUFFIX);
	CHECK(!strcmp(version, xc_version_string()), "the header says %s, the library %s", version,
	      xc_version_string());
	CHECK(XC_VERSION / 1000000 == XC_VERSION_MAJOR &&
	          XC_VERSION / 1000 % 1000 == XC_VERSION_MINOR && XC_VERSION % 1000 == XC_VERSION_PATCH,
	      "%d", XC_VERSION);
	for (int i = XC_OK; i <= XC_ERR_CANCELLED; i++) {
		const char *s = xc_status_string((xc_status)i);
		CHECK(s && *s && !isupper((unsigned char)*s), "status %d", i);
		for (int j = XC_OK; j < i; j++)
			CHECK(strcmp(s, xc_status_string((xc_status)j)), "statuses %d and %d are '%s'", i, j,
			      s);
	}
	CHECK(xc_status_string((xc_status)12345), "unknown status");
}

static void context_settings(void)
{
	static const int good[] = {1, 2, 1024, 0}, bad[] = {-1, 1025, 1 << 30};
	static const char *const no_levels[] = {"z80", "", "a\nb"};

	for (size_t i = 0; i < COUNT(good); i++) {
		CHECK(!xc_context_set_threads(c, good[i]), "%d threads", good[i]);
		CHECK(good[i] ? xc_context_threads(c) == good[i] : xc_context_threads(c) >= 1, "%d",
		      xc_context_threads(c));
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		check_failed(xc_context_set_threads(c, bad[i]), XC_ERR_ARGUMENT, "threads");
	for (int i = 0; i < XC_CPU_LEVELS; i++) {
		const char *name = xc_cpu_name((xc_cpu)i);
		const xc_status s = xc_context_set_cpu(c, name);
		if (!xc_cpu_usable((xc_cpu)i))
			check_failed(s, XC_ERR_UNSUPPORTED, name);
		else
			CHECK(!s && !strcmp(xc_context_cpu(c), name), "%s, got %s", name, xc_context_cpu(c));
	}
	for (size_t i = 0; i < COUNT(no_levels); i++)
		check_failed(xc_context_set_cpu(c, no_levels[i]), XC_ERR_ARGUMENT, no_levels[i]);
	CHECK(!xc_context_set_cpu(c, "scalar") && !xc_context_set_cpu(c, NULL), "NULL is auto");
	CHECK(strcmp(xc_context_cpu(c), "scalar") || xc_cpu_auto() == XC_CPU_SCALAR, "NULL is %s",
	      xc_context_cpu(c));
	CHECK(!xc_context_set_device(c, NULL) && !strcmp(xc_context_device(c), "cpu"), "device");
	CHECK(!xc_context_set_cpu(c, "auto"), "auto");
	CHECK(!*xc_context_message(c), "a message without a failure");
	check_failed(xc_context_set_limits(c, NULL), XC_ERR_ARGUMENT, "limits");
	xc_context_free(NULL);
	xc_buffer_free(c, NULL);
	xc_picture_free(c, NULL);
	xc_coefficients_free(c, NULL);
}

/* ----------------------------------------------------------------- arguments */

static uint16_t pixels[64 * 64 * 4];

/* Encoding must refuse this picture and leave an empty buffer. */
static void refuse_picture(const xc_picture *p, const xc_encode_options *o, xc_status wanted,
                           const char *what)
{
	xc_buffer out = {(uint8_t *)pixels, 99};

	check_failed(xc_encode(c, p, NULL, o, &out), wanted, what);
	CHECK(!out.data && !out.size, "%s: something was left in the buffer", what);
	xc_buffer_free(c, &out);
}

static void encoder_pictures(void)
{
	const xc_picture good = {8, 8, 3, 8, 24, pixels};
	xc_picture p = good;
	xc_buffer out;

	CHECK_OK(c, xc_encode(c, &good, NULL, NULL, &out));
	CHECK(out.size, "an empty file");
	xc_buffer_free(c, &out);
	CHECK(!out.data && !out.size, "not emptied");
	check_failed(xc_encode(c, &good, NULL, NULL, NULL), XC_ERR_ARGUMENT, "no buffer");
	refuse_picture(NULL, NULL, XC_ERR_ARGUMENT, "no picture");
#define REFUSE(field, value, status) \
	(p = good, p.field = (value), refuse_picture(&p, NULL, status, #field " " #value))
	REFUSE(width, 0, XC_ERR_ARGUMENT);
	REFUSE(height, 0, XC_ERR_ARGUMENT);
	REFUSE(channels, 0, XC_ERR_ARGUMENT);
	REFUSE(channels, 5, XC_ERR_ARGUMENT);
	REFUSE(depth, 0, XC_ERR_ARGUMENT);
	REFUSE(depth, 12, XC_ERR_ARGUMENT);
	REFUSE(stride, 23, XC_ERR_ARGUMENT);
	REFUSE(stride, 0, XC_ERR_ARGUMENT);
	REFUSE(stride, SIZE_MAX, XC_ERR_ARGUMENT);
	REFUSE(stride, SIZE_MAX / 8, XC_ERR_ARGUMENT);
	REFUSE(data, NULL, XC_ERR_ARGUMENT);
	REFUSE(width, 0xffffffff, XC_ERR_LIMIT);
	p = (xc_picture){8, 8, 1, 16, 17, pixels};
	refuse_picture(&p, NULL, XC_ERR_ARGUMENT, "odd stride");
	p = (xc_picture){8, 8, 1, 16, 16, (char *)pixels + 1};
	refuse_picture(&p, NULL, XC_ERR_ARGUMENT, "odd address");
}

static void encoder_options(void)
{
	const xc_picture p = {8, 8, 3, 8, 24, pixels};
	xc_encode_options good, o;

	xc_encode_options_default(&good);
	CHECK(good.quality == 75 && good.subsampling == XC_SUBSAMPLING_AUTO &&
	          good.transform == XC_TRANSFORM_AUTO && good.huffman == XC_HUFFMAN_OPTIMIZED &&
	          good.entropy == XC_ENTROPY_RANS && good.tune == XC_TUNE_EYE &&
	          good.colour == XC_COLOUR_YCBCR && good.effort == 2 && !good.tables.luma[0] &&
	          !good.tables.chroma[63],
	      "the defaults");
#define WRONG(field, value) \
	(o = good, o.field = (value), refuse_picture(&p, &o, XC_ERR_ARGUMENT, #field " " #value))
	WRONG(quality, 0);
	WRONG(quality, 101);
	WRONG(quality, -75);
	WRONG(subsampling, (xc_subsampling)5);
	WRONG(subsampling, (xc_subsampling)-1);
	WRONG(huffman, (xc_huffman)2);
	WRONG(effort, -1);
	WRONG(effort, XC_MOST_EFFORT + 1);
	WRONG(segment_blocks, 31);
	WRONG(segment_blocks, 1025);
	WRONG(segment_blocks, -32);
	WRONG(tables.luma[0], 16); /* the others are 0 */
	WRONG(tune, (xc_tune)1);
	WRONG(tune, (xc_tune)3);
	xc_quant_tables_sloped(&good.tables);
	WRONG(tables.luma[5], 0);
	WRONG(tables.chroma[63], 0);
	WRONG(transform, (xc_transform)3);
	WRONG(transform, (xc_transform)5);
	WRONG(transform, (xc_transform)-1);
	WRONG(entropy, (xc_entropy)2);
	WRONG(entropy, (xc_entropy)-1);
	WRONG(colour, (xc_colour)2);
	WRONG(colour, (xc_colour)-1);
	good.subsampling = XC_SUBSAMPLING_420;
	WRONG(colour, XC_COLOUR_PICTURE);
	good.subsampling = XC_SUBSAMPLING_422;
	WRONG(colour, XC_COLOUR_PICTURE);
}

static void decoder_arguments(void)
{
	const xc_picture good = {20, 10, 3, 8, 60, pixels};
	xc_picture p = good;
	OWN_BUFFER(c, file);

	REQUIRE_OK(c, xc_encode(c, &good, NULL, NULL, &file));
	CHECK_OK(c, xc_decode(c, file.data, file.size, NULL, &p));
	check_failed(xc_decode(c, file.data, file.size, NULL, NULL), XC_ERR_ARGUMENT, "no picture");
#define DIFFERENT(field, value) \
	(p = good, p.field = (value), \
	 check_failed(xc_decode(c, file.data, file.size, NULL, &p), XC_ERR_ARGUMENT, #field), \
	 CHECK(p.data == pixels, #field ": the caller's memory was taken away"))
	DIFFERENT(width, 19);
	DIFFERENT(height, 11);
	DIFFERENT(channels, 4);
	DIFFERENT(depth, 16);
	DIFFERENT(stride, 59);
	p = (xc_picture){0};
	check_failed(xc_decode(c, NULL, file.size, NULL, &p), XC_ERR_ARGUMENT, "no file");
	CHECK(!p.data && !p.width, "not empty after a failure");
	check_failed(xc_decode(c, file.data, 0, NULL, &p), XC_ERR_FORMAT, "nothing");
	check_failed(xc_decode(c, "P6 1 1 255 abc", 14, NULL, &p), XC_ERR_FORMAT, "a PPM file");
	xc_info info;
	xc_coefficients k;
	xc_bit_usage usage;
	check_failed(xc_read_info(c, file.data, file.size, NULL), XC_ERR_ARGUMENT, "info");
	check_failed(xc_read_info(c, NULL, 10, &info), XC_ERR_ARGUMENT, "info");
	check_failed(xc_read_info(c, pixels, 3, &info), XC_ERR_FORMAT, "info");
	check_failed(xc_decode_coefficients(c, file.data, file.size, NULL), XC_ERR_ARGUMENT,
	             "coefficients");
	check_failed(xc_decode_coefficients(c, NULL, 10, &k), XC_ERR_ARGUMENT, "coefficients");
	check_failed(xc_read_bit_usage(c, file.data, file.size, NULL), XC_ERR_ARGUMENT, "bits");
	check_failed(xc_read_bit_usage(c, NULL, 10, &usage), XC_ERR_ARGUMENT, "bits");
}

static void other_arguments(void)
{
	const xc_picture good = {8, 8, 3, 8, 24, pixels};
	xc_picture p = {1u << 30, 1u << 30, 3, 8, 17, pixels};
	xc_quant_tables tables = {{1}, {1}};
	xc_comparison result;

	check_failed(xc_picture_allocate(c, &p), XC_ERR_LIMIT, "a huge picture");
	CHECK(!p.data && !p.width && !p.stride, "not empty after a failure");
	check_failed(xc_picture_allocate(c, NULL), XC_ERR_ARGUMENT, "no picture");
	check_failed(xc_quant_tables_parse(c, "1 2 3", 5, &tables), XC_ERR_CORRUPT, "three steps");
	CHECK(!tables.luma[0] && !tables.chroma[0], "not empty after a failure");
	check_failed(xc_quant_tables_parse(c, "1", 1, NULL), XC_ERR_ARGUMENT, "no tables");
	check_failed(xc_quant_tables_parse(c, NULL, 1, &tables), XC_ERR_ARGUMENT, "no text");
	check_failed(xc_compare(c, &good, &good, NULL), XC_ERR_ARGUMENT, "no result");
	check_failed(xc_compare(c, &good, NULL, &result), XC_ERR_ARGUMENT, "no picture");
	xc_decode_options o = {.damaged_segments = 77};
	p = (xc_picture){0};
	check_failed(xc_decode(c, "XC", 2, &o, &p), XC_ERR_FORMAT, "no file");
	CHECK(!o.damaged_segments, "not empty after a failure");
}

/* ------------------------------------------------------------------ metadata */

static void metadata_comes_back(void)
{
	static uint8_t bytes[100000];
	uint64_t seed = 8;

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(check_random(&seed) >> 56);
	const xc_picture p = {8, 8, 2, 8, 16, pixels};
	for (unsigned which = 0; which < 32; which++) {
		xc_metadata m = {0};
		OWN_BUFFER(c, file);
		xc_info info;
		if (which & 1)
			m.icc = (xc_blob){bytes, 70000};
		if (which & 2)
			m.exif = (xc_blob){memcpy(bytes + 1, "MM\0*", 4), 127};
		if (which & 4)
			m.xmp = (xc_blob){"<x> an XMP packet \xe2\x82\xac\0</x>", 1 + which % 18};
		if (which & 8) {
			m.density_x = 2835;
			m.density_y = which & 16 ? 1 : INT32_MAX;
			m.density_unit = which >> 4;
		}
		if (which & 16) {
			m.iptc = (xc_blob){bytes + 3, 300};
			m.text = (xc_blob){which & 1 ? "key\0\0key\0value" : "a\0b", which & 1 ? 15 : 4};
			memcpy(m.cicp, bytes, 2);
			m.cicp[3] = which & 1;
			m.significant_bits[which & 3] = 5;
			m.gamma = which & 4 ? 0 : 45455;
			m.primaries[7] = which;
		}
		REQUIRE_OK(c, xc_encode(c, &p, &m, NULL, &file));
		CHECK_OK(c, xc_read_info(c, file.data, file.size, &info));
		xc_check_metadata(&info.metadata, &m);
		CHECK(info.metadata_bytes >= m.icc.size + m.exif.size + m.xmp.size, "combination %u",
		      which);
		CHECK(which || !info.metadata_bytes, "metadata out of nothing");
	}
}

static int refuse(void *user, const void *data, size_t size)
{
	(void)user;
	(void)data;
	(void)size;
	return 1;
}

static void metadata_refused(void)
{
	const xc_picture p = {64, 64, 3, 8, 192, pixels};
	xc_metadata m = {0};
	xc_buffer file, plain;
	xc_limits limits;

	REQUIRE_OK(c, xc_encode(c, &p, NULL, NULL, &plain));
	/* The size of what is absent does not count. */
	for (size_t less = 1; less < 5000; less += 300) {
		m.icc.size = m.exif.size = m.xmp.size = (size_t)0 - less;
		REQUIRE_OK(c, xc_encode(c, &p, &m, NULL, &file));
		CHECK(file.size == plain.size && !memcmp(file.data, plain.data, file.size),
		      "%zu bytes instead of %zu", file.size, plain.size);
		xc_buffer_free(c, &file);
	}
	xc_buffer_free(c, &plain);
	xc_limits_default(&limits);
	limits.max_metadata = 100;
	CHECK(!xc_context_set_limits(c, &limits), "limits");
	m = (xc_metadata){.exif = {pixels, 101}};
	check_failed(xc_encode(c, &p, &m, NULL, &file), XC_ERR_LIMIT, "long metadata");
	CHECK(!file.data, "not empty after a failure");
	xc_limits_default(&limits);
	CHECK(!xc_context_set_limits(c, &limits), "limits");
	m = (xc_metadata){.text = {"key\0value", 9}};
	check_failed(xc_encode(c, &p, &m, NULL, &file), XC_ERR_ARGUMENT, "text without its end");
	m.text.size = 4;
	check_failed(xc_encode(c, &p, &m, NULL, &file), XC_ERR_ARGUMENT, "a key alone");
	static const struct {
		const char *what;
		xc_metadata metadata;
	} wrong[] = {
		{"density unit", {.density_x = 1, .density_y = 1, .density_unit = 7}},
		{"half a density", {.density_y = 5}},
		{"an empty key", {.text = {"\0value", 7}}},
		{"a second empty key", {.text = {"key\0value\0\0x", 13}}},
		{"three texts", {.text = {"key\0value\0key", 14}}},
		{"text in Latin-1", {.text = {"key\0\xe9", 6}}},
		{"XMP in UTF-16", {.xmp = {"\xff\xfe<\0x\0", 6}}},
		{"EXIF of three bytes", {.exif = {"II*", 3}}},
		{"EXIF of nothing known", {.exif = {"junk", 4}}},
		{"EXIF of a JPEG's marker", {.exif = {"Exif\0\0II*\0", 10}}},
		{"EXIF of the other byte order", {.exif = {"II\0*", 4}}},
		{"significant bits", {.significant_bits = {8, 8, 9}}},
		{"full range", {.cicp = {1, 13, 0, 2}}},
	};
	const xc_pixels planes = {.layout = XC_LAYOUT_YCBCR_444,
	                          .width = 64,
	                          .height = 20,
	                          .depth = 8,
	                          .plane = {pixels, pixels, pixels},
	                          .stride = {64, 64, 64}};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const xc_metadata *w = &wrong[i].metadata;
		xc_encoder *e;
		check_failed(xc_encode(c, &p, w, NULL, &file), XC_ERR_ARGUMENT, wrong[i].what);
		check_failed(xc_encode_pixels(c, &planes, w, NULL, &file), XC_ERR_ARGUMENT, wrong[i].what);
		check_failed(xc_encoder_new(c, &p, w, NULL, refuse, NULL, &e), XC_ERR_ARGUMENT,
		             wrong[i].what);
	}
	const xc_metadata others[] = {{.density_x = 1, .density_y = 1u << 31},
	                              {.gamma = UINT32_MAX},
	                              {.primaries = {1, [7] = 1u << 31}},
	                              {.cicp = {9, 16, 9, 1}},
	                              {.cicp = {9, 16, 0, 2}}};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		check_failed(xc_encode(c, &p, &others[i], NULL, &file), XC_ERR_ARGUMENT, "a number");
}

/* ------------------------------------------------------------------ progress */

typedef struct progress {
	double last;
	unsigned calls;
} progress;

static int note(void *user, double fraction)
{
	progress *p = user;

	CHECK(fraction >= p->last && fraction <= 1.000001, "%g after %g", fraction, p->last);
	p->last = fraction;
	p->calls++;
	return 0;
}

/* Ends the call when that fraction is reached, of which `user` is a double. */
static int give_up(void *user, double fraction)
{
	return fraction >= *(const double *)user;
}

/* What was noted during a call, and the timings that it left. */
static void check_noted(progress *noted, int threads, const char *what)
{
	const xc_timing *t = NULL;
	const size_t n = xc_context_timings(c, &t);

	CHECK((threads > 1 || noted->calls > 2) && noted->last > 0.9, "%s: %u calls, %g", what,
	      noted->calls, noted->last);
	*noted = (progress){0, 0};
	CHECK(n, "%s: no stages", what);
	for (size_t i = 0; i < n; i++)
		CHECK(t[i].stage && *t[i].stage && t[i].wall >= 0 && t[i].cpu >= 0, "%s: stage %zu", what,
		      i);
}

static void progress_and_timings(void)
{
	progress noted = {0, 0};
	xc_picture p = xc_test_picture(900, 700, 3, 8, 0, 1);

	for (int i = 0; i < 4; i++) {
		const int threads = i < 2 ? 1 : 3;
		const xc_encode_options o = xc_test_options(75, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT,
		                                            (xc_huffman)(i % 2));
		OWN_DECODED(c, back);
		OWN_BUFFER(c, file);
		CHECK_OK(c, xc_context_set_threads(c, threads));
		xc_context_set_progress(c, note, &noted);
		CHECK_OK(c, xc_encode(c, &p, NULL, &o, &file));
		check_noted(&noted, threads, "encoding");
		CHECK_OK(c, xc_decode(c, file.data, file.size, NULL, &back));
		check_noted(&noted, threads, "decoding");
		xc_context_set_progress(c, NULL, NULL);
	}
	free(p.data);
	CHECK_OK(c, xc_context_set_threads(c, 0));
}

/* Inputs of each kind of call, and what they leave. */
typedef struct inputs {
	xc_picture a, b; /* of equal size */
	xc_buffer file, like_jpeg, jpeg, kept, array;
} inputs;

static const xc_array_shape array_shape = {XC_ARRAY_UINT8, 2, {700, 2700}};

static xc_status encode_effort(const inputs *in)
{
	xc_encode_options o;
	OWN_BUFFER(c, file);

	xc_encode_options_default(&o);
	o.mode = XC_MODE_LOSSY;
	o.quality = 100;
	o.effort = 3;
	return xc_encode(c, &in->a, NULL, &o, &file);
}

static xc_status encode_target(const inputs *in)
{
	const xc_target t = {.kind = XC_TARGET_SSIMULACRA2, .value = 60};
	xc_target_result r;
	OWN_BUFFER(c, file);

	return xc_encode_target(c, &in->a, NULL, NULL, &t, &r, &file);
}

static xc_status decode_kept(const inputs *in)
{
	OWN_DECODED(c, back);

	return xc_decode(c, in->kept.data, in->kept.size, NULL, &back);
}

static xc_status transcode(const inputs *in)
{
	OWN_BUFFER(c, jpeg);

	return xc_jpeg_transcode(c, in->like_jpeg.data, in->like_jpeg.size, 1, &jpeg);
}

static xc_status bit_usage(const inputs *in)
{
	xc_bit_usage u;

	return xc_read_bit_usage(c, in->file.data, in->file.size, &u);
}

static xc_status coefficients(const inputs *in)
{
	xc_coefficients k;
	const xc_status s = xc_decode_coefficients(c, in->file.data, in->file.size, &k);

	xc_coefficients_free(c, &k);
	return s;
}

static xc_status compare_plainly(const inputs *in)
{
	xc_comparison r;

	return xc_compare(c, &in->a, &in->b, &r);
}

static xc_status compare_all(const inputs *in)
{
	xc_comparison r;
	double ms_ssim;

	return xc_compare_all(c, &in->a, &in->b, 0, &r, &ms_ssim);
}

static xc_status ms_ssim_alone(const inputs *in)
{
	double ms_ssim;

	return xc_ms_ssim(c, &in->a, &in->b, &ms_ssim);
}

static xc_status ssimulacra2(const inputs *in)
{
	double score;

	return xc_ssimulacra2(c, &in->a, &in->b, 0, &score);
}

static xc_status butteraugli(const inputs *in)
{
	double norm3, max;

	return xc_butteraugli(c, &in->a, &in->b, 0, &norm3, &max);
}

static xc_status array_encode(const inputs *in)
{
	const xc_array_options o = {.kind = XC_BOUND_PSNR, .bound = 30};
	OWN_BUFFER(c, file);

	return xc_array_encode(c, &array_shape, in->a.data, &o, &file);
}

static xc_status array_read(const inputs *in)
{
	const xc_source source = {.memory = in->array.data, .size = in->array.size};
	OWN_PICTURE to = {.data = malloc(in->a.height * in->a.stride)};
	xc_array_reader *r;
	xc_status s = xc_array_reader_new(c, &source, &r);

	if (!s)
		s = xc_array_read(r, NULL, 1, to.data);
	xc_array_reader_free(r);
	return s;
}

static xc_status array_compare(const inputs *in)
{
	xc_array_difference d;

	return xc_array_compare(c, &array_shape, in->a.data, in->b.data, NULL, &d);
}

static const struct {
	const char *name;
	xc_status (*run)(const inputs *in);
} long_calls[] = {
	{"effort 3", encode_effort},  {"a target", encode_target},       {"a kept JPEG", decode_kept},
	{"a JPEG made", transcode},   {"bit usage", bit_usage},          {"coefficients", coefficients},
	{"compare", compare_plainly}, {"compare all", compare_all},      {"MS-SSIM", ms_ssim_alone},
	{"SSIMULACRA2", ssimulacra2}, {"Butteraugli", butteraugli},      {"array, PSNR", array_encode},
	{"array, read", array_read},  {"array, compare", array_compare},
};

static int end_second(void *user, double fraction)
{
	unsigned *calls = user;

	(void)fraction;
	return ++*calls == 2;
}

/* Every function that may take long reports more than once, with fractions that never fall, and can be
 * ended. */
static void progress_of_all(void)
{
	xc_encode_options like_jpeg = xc_test_jpeg();
	inputs in = {.a = xc_test_picture(900, 700, 3, 8, 0, 1),
	             .b = xc_test_picture(900, 700, 3, 8, 0, 2)};

	CHECK_OK(c, xc_context_set_threads(c, 1));
	REQUIRE_OK(c, xc_encode(c, &in.a, NULL, NULL, &in.file));
	REQUIRE_OK(c, xc_encode(c, &in.a, NULL, &like_jpeg, &in.like_jpeg));
	REQUIRE_OK(c, xc_jpeg_transcode(c, in.like_jpeg.data, in.like_jpeg.size, 0, &in.jpeg));
	REQUIRE_OK(c, xc_jpeg_encode(c, in.jpeg.data, in.jpeg.size, NULL, NULL, &in.kept));
	REQUIRE_OK(c, xc_array_encode(c, &array_shape, in.a.data, NULL, &in.array));
	for (size_t i = 0; i < COUNT(long_calls); i++) {
		const char *name = long_calls[i].name;
		progress noted = {0, 0};
		unsigned calls = 0;
		xc_context_set_progress(c, note, &noted);
		CHECK_OK(c, long_calls[i].run(&in));
		CHECK(noted.calls > 2 && noted.last > 0.9, "%s: %u calls, %g", name, noted.calls,
		      noted.last);
		xc_context_set_progress(c, end_second, &calls);
		check_failed(long_calls[i].run(&in), XC_ERR_CANCELLED, name);
		CHECK(calls == 2, "%s: %u calls after the end", name, calls);
		xc_context_set_progress(c, NULL, NULL);
	}
	xc_buffer *const files[] = {&in.file, &in.like_jpeg, &in.jpeg, &in.kept, &in.array};
	for (size_t i = 0; i < COUNT(files); i++)
		xc_buffer_free(c, files[i]);
	free(in.a.data);
	free(in.b.data);
	CHECK_OK(c, xc_context_set_threads(c, 0));
}

/* A batch reports the fraction of its items; those that are not done when it ends say so, and are done
 * by the next call. */
static void progress_of_batches(void)
{
	enum { ITEMS = 5 };
	const xc_batch_options o = {.type = XC_SAMPLE_UINT8};
	OWN_PICTURE p = xc_test_picture(900, 700, 3, 8, 0, 1);
	xc_batch_picture pictures[ITEMS] = {{.size = 0}};
	xc_batch_item items[ITEMS] = {{.size = 0}};
	progress noted = {0, 0};
	unsigned calls = 0, undone = 0;
	xc_batch *encoding, *decoding;

	REQUIRE_OK(c, xc_batch_new(c, NULL, 1, &encoding));
	REQUIRE_OK(c, xc_batch_new(c, NULL, 1, &decoding));
	for (int i = 0; i < ITEMS; i++)
		pictures[i].picture = p;
	xc_batch_set_progress(encoding, end_second, &calls);
	CHECK(xc_batch_encode(encoding, NULL, pictures, ITEMS) == XC_ERR_CANCELLED, "encoding");
	for (int i = 0; i < ITEMS; i++)
		CHECK(pictures[i].status == XC_ERR_CANCELLED && *pictures[i].message && !pictures[i].file,
		      "picture %d: %d %s", i, pictures[i].status, pictures[i].message);
	xc_batch_set_progress(encoding, note, &noted);
	CHECK(!xc_batch_encode(encoding, NULL, pictures, ITEMS), "%s", xc_batch_message(encoding));
	CHECK(noted.calls > ITEMS && noted.last == 1, "encoding: %u, %g", noted.calls, noted.last);
	for (int i = 0; i < ITEMS; i++) {
		CHECK(!pictures[i].status && pictures[i].file, "picture %d", i);
		items[i] = (xc_batch_item){.file = pictures[i].file, .size = pictures[i].size};
		items[i].data = malloc(p.height * p.stride);
	}
	double when = 0.5;
	CHECK(!xc_batch_shapes(decoding, &o, items, ITEMS), "%s", xc_batch_message(decoding));
	xc_batch_set_progress(decoding, give_up, &when);
	CHECK(xc_batch_decode(decoding, &o, items, ITEMS, NULL) == XC_ERR_CANCELLED, "decoding");
	for (int i = 0; i < ITEMS; i++) {
		CHECK(!items[i].status || (items[i].status == XC_ERR_CANCELLED && *items[i].message),
		      "%d: %s", i, items[i].message);
		undone += items[i].status != XC_OK;
	}
	CHECK(undone == 3, "%u of %d are not done", undone, ITEMS);
	noted = (progress){0, 0};
	xc_batch_set_progress(decoding, note, &noted);
	CHECK(!xc_batch_decode(decoding, &o, items, ITEMS, NULL), "%s", xc_batch_message(decoding));
	CHECK(noted.calls > ITEMS && noted.last == 1, "decoding: %u, %g", noted.calls, noted.last);
	for (int i = 0; i < ITEMS; i++) {
		CHECK(!items[i].status && !*items[i].message, "%d: %s", i, items[i].message);
		free(items[i].data);
	}
	xc_batch_free(encoding);
	xc_batch_free(decoding);
}

/* -------------------------------------------------------------- cancelling */

static int write_nothing(void *user, const void *data, size_t size)
{
	(void)user;
	(void)data;
	(void)size;
	return 0;
}

/* With several threads the work may be done before the caller's has a part in it. */
static void check_cancelled(xc_status s, void *const *left, const char *what)
{
	if (s || xc_context_threads(c) == 1) {
		check_failed(s, XC_ERR_CANCELLED, what);
		CHECK(!*left, "%s: left behind", what);
	}
}

/* The call fails so, leaves nothing, and the next one goes well. */
static void cancel_one(const xc_picture *p, const xc_encode_options *o, double when)
{
	xc_buffer file, none;
	xc_picture back = {0};

	REQUIRE_OK(c, xc_encode(c, p, NULL, o, &file));
	xc_context_set_progress(c, give_up, &when);
	check_cancelled(xc_encode(c, p, NULL, o, &none), (void **)&none.data, "encoding");
	check_cancelled(xc_decode(c, file.data, file.size, NULL, &back), &back.data, "decoding");
	xc_buffer_free(c, &none);
	xc_picture_free(c, &back);
	xc_context_set_progress(c, NULL, NULL);
	CHECK_OK(c, xc_decode(c, file.data, file.size, NULL, &back));
	xc_picture_free(c, &back);
	xc_buffer_free(c, &file);
}

/* An encoder and a decoder that were cancelled give that failure again. */
static void cancel_streams(const xc_picture *p, const xc_encode_options *o)
{
	double when = 0;
	xc_encoder *e;
	xc_decoder *d;
	OWN_BUFFER(c, file);

	REQUIRE_OK(c, xc_encode(c, p, NULL, o, &file));
	const xc_source source = {.memory = file.data, .size = file.size};
	xc_context_set_progress(c, give_up, &when);
	CHECK_OK(c, xc_encoder_new(c, p, NULL, o, write_nothing, NULL, &e));
	check_failed(xc_encoder_rows(e, p->data, p->stride, p->height), XC_ERR_CANCELLED, "rows");
	CHECK(xc_encoder_end(e) == XC_ERR_CANCELLED, "the end");
	xc_encoder_free(e);
	CHECK_OK(c, xc_decoder_new(c, &source, NULL, &d));
	void *rows = malloc(p->height * p->stride);
	check_failed(xc_decoder_rows(d, rows, p->stride, p->height), XC_ERR_CANCELLED, "decoder");
	CHECK(xc_decoder_finish(d) != XC_OK, "a decoder that failed goes on");
	xc_decoder_free(d);
	free(rows);
	xc_context_set_progress(c, NULL, NULL);
}

static void cancelling(void)
{
	static const double when[] = {0, 0.3, 0.8};
	xc_picture p = xc_test_picture(700, 900, 3, 8, 0, 1);

	for (int i = 0; i < 4; i++) {
		xc_encode_options o = xc_test_options(75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT,
		                                      (xc_huffman)(i % 2));
		CHECK_OK(c, xc_context_set_threads(c, i < 2 ? 1 : 3));
		o.entropy = i == 3 ? XC_ENTROPY_RANS : XC_ENTROPY_HUFFMAN;
		for (size_t j = 0; j < (i < 2 ? COUNT(when) : 1); j++)
			cancel_one(&p, &o, when[j]);
		if (i < 2)
			cancel_streams(&p, &o);
	}
	free(p.data);
	CHECK_OK(c, xc_context_set_threads(c, 0));
}

static ptrdiff_t read_file(void *user, uint64_t offset, void *to, size_t size)
{
	const xc_buffer *file = user;
	const size_t left = offset < file->size ? file->size - (size_t)offset : 0;
	const size_t n = left < size ? left : size;

	memcpy(to, file->data + (file->size - left), n);
	return (ptrdiff_t)n;
}

/* No row need be taken of a file before its end is read, and none can be afterwards. */
static void finish_at_once(void)
{
	OWN_PICTURE p = xc_test_picture(300, 200, 4, 8, 0, 1);
	OWN_BUFFER(c, file);
	OWN_DECODER d = NULL;
	const void *rows;
	size_t stride;
	uint32_t count;

	REQUIRE_OK(c, xc_encode(c, &p, NULL, NULL, &file));
	const xc_source source = {.read_at = read_file, .size = file.size, .user = &file};
	REQUIRE_OK(c, xc_decoder_new(c, &source, NULL, &d));
	CHECK_OK(c, xc_decoder_finish(d));
	CHECK_OK(c, xc_decoder_finish(d));
	check_failed(xc_decoder_next(d, &rows, &stride, &count), XC_ERR_ARGUMENT, "the next rows");
	check_failed(xc_decoder_rows(d, p.data, p.stride, 1), XC_ERR_ARGUMENT, "a row");
}

int main(void)
{
	c = xc_test_context();
	RUN(strings, context_settings, encoder_pictures, encoder_options, decoder_arguments,
	    other_arguments, metadata_comes_back, metadata_refused, progress_and_timings,
	    progress_of_all, progress_of_batches, cancelling, finish_at_once);
	xc_context_free(c);
	return check_done();
}
