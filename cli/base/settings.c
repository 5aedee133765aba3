/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/settings.h"

#include "cli/base/io.h"
#include "cli/base/report.h"

#include "src/core/crc32c.h"
#include "cli/base/options.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A table file holds 128 numbers and comments. */
enum { TABLE_FILE_LIMIT = 1 << 20 };

#define IN(field) offsetof(xc_cli_limits, field)

/* clang-format off */
const xc_cli_option xc_cli_limit_options[] = {
	XC_CLI_INT_OPTION("threads", 't', IN(threads), 0, 1024, "threads to use, 1 to 1024; default 0: one a processor"),
	XC_CLI_SIZE_OPTION("max-pixels", 0, IN(bounds.max_pixels),
		"refuse larger pictures; K, M, G and T multiply by powers of 1024; default 16G"),
	XC_CLI_SIZE_OPTION("max-memory", 0, IN(bounds.max_memory),
		"refuse what needs more bytes of memory; default: a quarter of this machine's, for small files less"),
	XC_CLI_SIZE_OPTION("max-expansion", 0, IN(bounds.max_expansion),
		"refuse more than 64M pixels if they are more than N for each byte of the file; default 1024"),
	XC_CLI_SIZE_OPTION("max-metadata", 0, IN(bounds.max_metadata),
		"refuse XC files with a longer ICC profile, EXIF, XMP, IPTC or text; default 64M"),
	{ .name = NULL }
};
/* clang-format on */

static const char *parse_device(const char *text, void *target)
{
	const char *number = strncmp(text, "cuda:", 5) ? NULL : text + 5;

	if (strcmp(text, "auto") != 0 && strcmp(text, "cpu") != 0 && strcmp(text, "cuda") != 0 &&
	    (!number || !*number || number[strspn(number, "0123456789")]))
		return "auto, cpu, cuda or cuda:N";
	*(const char **)target = text;
	return NULL;
}

const xc_cli_option xc_cli_device_options[] =
	{{.name = "device",
      .letter = 'd',
      .type = XC_CLI_CUSTOM,
      .offset = IN(device),
      .parse = parse_device,
      .value = "auto|cpu|cuda|cuda:N",
      .help = "where to work: a GPU where that pays, the processor, the first GPU, the N-th; "
              "default auto"},
     {.name = NULL}};

/* clang-format off */
const xc_cli_option xc_cli_quiet_options[] = {
	XC_CLI_FLAG_OPTION("quiet", 0, 0, XC_CLI_QUIET, "no progress on the terminal, and no warnings"), {.name = NULL}};
const xc_cli_option xc_cli_json_options[] = {
	XC_CLI_FLAG_OPTION("json", 'j', 0, 1, "print JSON"), {.name = NULL}};
const xc_cli_option xc_cli_verbose_options[] = {
	XC_CLI_FLAG_OPTION("verbose", 'v', 0, XC_CLI_VERBOSE, "say sizes and the time of each stage"), {.name = NULL}};
/* clang-format on */

#undef IN
#define IN(field) offsetof(xc_cli_encoder, field)

/* The tables write the library's enumerations as integers. */
_Static_assert(sizeof(xc_subsampling) == sizeof(int) && sizeof(xc_transform) == sizeof(int) &&
                   sizeof(xc_huffman) == sizeof(int) && sizeof(xc_colour) == sizeof(int) &&
                   sizeof(xc_entropy) == sizeof(int) && sizeof(xc_mode) == sizeof(int),
               "an enumeration is no int");

static const xc_cli_choice subsamplings[] =
	{{"auto", XC_SUBSAMPLING_AUTO}, {"444", XC_SUBSAMPLING_444},
     {"4:4:4", XC_SUBSAMPLING_444}, {"422", XC_SUBSAMPLING_422},
     {"4:2:2", XC_SUBSAMPLING_422}, {"420", XC_SUBSAMPLING_420},
     {"4:2:0", XC_SUBSAMPLING_420}, {"grey", XC_SUBSAMPLING_GREY},
     {"gray", XC_SUBSAMPLING_GREY}, {NULL, 0}};

const xc_cli_choice xc_cli_transforms[] = {{"dct", XC_TRANSFORM_DCT},
                                           {"lot", XC_TRANSFORM_LOT},
                                           {"tdlt", XC_TRANSFORM_TDLT},
                                           {NULL, 0}};

static const xc_cli_choice transforms[] = {{"auto", XC_TRANSFORM_AUTO},
                                           {"dct", XC_TRANSFORM_DCT},
                                           {"lot", XC_TRANSFORM_LOT},
                                           {"tdlt", XC_TRANSFORM_TDLT},
                                           {NULL, 0}};

static const xc_cli_choice colours[] = {{"ycbcr", XC_COLOUR_YCBCR},
                                        {"picture", XC_COLOUR_PICTURE},
                                        {NULL, 0}};

static const xc_cli_choice tunes[] = {{"eye", XC_TUNE_EYE}, {"psnr", XC_TUNE_PSNR}, {NULL, 0}};

static const xc_cli_choice entropies[] = {{"huffman", XC_ENTROPY_HUFFMAN},
                                          {"rans", XC_ENTROPY_RANS},
                                          {NULL, 0}};

static const xc_cli_choice huffmans[] = {{"optimized", XC_HUFFMAN_OPTIMIZED},
                                         {"default", XC_HUFFMAN_DEFAULT},
                                         {NULL, 0}};

static const xc_cli_choice modes[] = {{"auto", XC_MODE_AUTO},
                                      {"lossy", XC_MODE_LOSSY},
                                      {"lossless", XC_MODE_LOSSLESS},
                                      {NULL, 0}};

/* A number from 0 on. */
static const char *parse_bound(const char *text, void *to)
{
	double *bound = to;
	char *end;

	*bound = strtod(text, &end);
	return end == text || *end || strpbrk(text, " \t\nxX") || !(*bound >= 0 && *bound <= DBL_MAX)
	           ? "a number from 0 on, such as 2 or 1e-3"
	           : NULL;
}

/* Options that were not given, before the preset says what they are. */
enum { NOT_GIVEN = -1 };

enum { PRESET_DEFAULT, PRESET_JPEG };
static const xc_cli_choice presets[] = {{"default", PRESET_DEFAULT},
                                        {"jpeg", PRESET_JPEG},
                                        {NULL, 0}};

/* clang-format off */
const xc_cli_option xc_cli_encoder_options[] = {
	XC_CLI_CHOICE_OPTION("preset", 0, IN(preset), presets,
		"what the options below are where they are not given: the defaults, or as in JPEG"),
	XC_CLI_CHOICE_OPTION("subsampling", 's', IN(options.subsampling), subsamplings,
		"resolution of the colour; grey drops it; default auto: 444 or 420, by the quality and the picture"),
	XC_CLI_CHOICE_OPTION("tune", 0, IN(options.tune), tunes,
		"what the file is best for: the eye (the default), or PSNR, which also means --tables flat -s 444 --colour "
		"picture"),
	XC_CLI_CHOICE_OPTION("colour", 0, IN(options.colour), colours,
		"YCbCr, or components made for the picture, the best for PSNR, which need 4:4:4; default ycbcr"),
	XC_CLI_TEXT_OPTION("tables", 0, IN(tables), "eye|annex-k|flat|sloped|FILE",
		"quantization steps at quality 50: for the eye (the default), those of JPEG's Annex K, all equal, slowly "
		"rising, or 64 or 128 numbers from a text file"),
	XC_CLI_CUSTOM_OPTION("range", 0, IN(range), xc_cli_range_parse, "auto|N",
		"the largest sample of 16 bits that is in use, such as 4095, for the steps; auto looks; default: all 16 "
		"bits, or what IN says"),
	XC_CLI_CHOICE_OPTION("entropy", 0, IN(options.entropy), entropies,
		"Huffman codes, or rANS with contexts, for smaller files; default rans"),
	XC_CLI_CHOICE_OPTION("huffman", 0, IN(options.huffman), huffmans,
		"code tables made for the picture, or the built-in ones; default optimized"),
	XC_CLI_CHOICE_OPTION("transform", 0, IN(options.transform), transforms,
		"block transform, or a lapped one without block edges; default auto: dct for screens and drawings, else tdlt, and none for arrays"),
	XC_CLI_INT_OPTION("effort", 'e', IN(options.effort), 0, XC_MOST_EFFORT,
		"0 to 3: work spent on choosing coefficients, for smaller files; 0 rounds; default 2"),
	XC_CLI_INT_OPTION("segment-blocks", 0, IN(options.segment_blocks), 32, 1024,
		"blocks of luma a segment, 32 to 1024: fewer make more segments, on which a GPU or many threads work at a "
		"time, for more bytes (at 128 1.7 % more); default: as suits the rest"),
	{ .name = NULL }
};

const xc_cli_option xc_cli_mode_options[] = {
	XC_CLI_CHOICE_OPTION("mode", 0, IN(options.mode), modes,
		"with loss or without; default auto: drawings, masks and pictures with a palette without"),
	XC_CLI_FLAG_OPTION("lossless", 0, IN(options.mode), XC_MODE_LOSSLESS, "the same as --mode lossless"),
	XC_CLI_FLAG_OPTION("lossy", 0, IN(options.mode), XC_MODE_LOSSY, "the same as --mode lossy"),
	XC_CLI_CUSTOM_OPTION("max-error", 0, IN(max_error), parse_bound, "E",
		"of an array: no value is off by more than E; of a picture: as --lossless, but each sample may be off by up "
		"to E of its own steps, a whole number up to 4095"),
	XC_CLI_FLAG_OPTION("clear-transparent", 0, IN(options.clear_transparent), 1,
		"without loss: colours become 0 where alpha is 0, for a smaller file"),
	{ .name = NULL }
};
/* clang-format on */

void xc_cli_limits_default(xc_cli_limits *limits)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long page = sysconf(_SC_PAGESIZE);

	limits->threads = 0;
	limits->device = NULL;
	xc_limits_default(&limits->bounds);
	if (pages > 0 && page > 0)
		limits->bounds.max_memory = (uint64_t)pages * (uint64_t)page / 4;
	limits->usual_memory = limits->bounds.max_memory;
}

xc_cli_limits xc_cli_limits_share(const xc_cli_limits *limits, int parts)
{
	xc_cli_limits share = *limits;

	share.bounds.max_memory /= (unsigned)parts;
	share.usual_memory /= (unsigned)parts;
	return share;
}

/* `each` for each byte, but at least `any`. */
static uint64_t allowance(uint64_t bytes, uint64_t each, uint64_t any)
{
	return bytes > UINT64_MAX / each ? UINT64_MAX : bytes * each > any ? bytes * each : any;
}

void xc_cli_limit_memory(xc_context *context, const xc_cli_limits *limits, uint64_t bytes,
                         int contexts)
{
	const uint64_t small = allowance(bytes, 512, UINT64_C(448) << 20) / (unsigned)contexts;
	xc_limits bounds = limits->bounds;

	if (bounds.max_memory == limits->usual_memory && bounds.max_memory > small)
		bounds.max_memory = small;
	xc_context_set_limits(context, &bounds);
}

void xc_cli_limit_entry(xc_context *context, const xc_cli_limits *limits, uint64_t bytes,
                        uint64_t packed)
{
	const uint64_t pixels = allowance(packed, limits->bounds.max_expansion, XC_ANY_FILE_PIXELS);
	xc_cli_limits own = *limits;

	if (own.bounds.max_pixels > pixels)
		own.bounds.max_pixels = pixels;
	xc_cli_limit_memory(context, &own, bytes < packed ? bytes : packed, 1);
}

uint64_t xc_cli_sizes(const char *const *paths, int count)
{
	uint64_t sum = 0;
	struct stat status;

	for (int i = 0; i < count; i++) {
		if ((strcmp(paths[i], "-") ? stat(paths[i], &status) : fstat(STDIN_FILENO, &status)) ||
		    !S_ISREG(status.st_mode))
			return UINT64_MAX;
		sum += (uint64_t)status.st_size;
	}
	return sum;
}

/* The number in encoder->options that an option sets; NULL: it sets something else. */
static int *number_in(xc_cli_encoder *encoder, const xc_cli_option *o)
{
	const size_t end = offsetof(xc_cli_encoder, options) + sizeof encoder->options;

	return o->offset < end ? (int *)(void *)((char *)encoder + o->offset) : NULL;
}

void xc_cli_encoder_default(xc_cli_encoder *encoder)
{
	const xc_cli_option *o = xc_cli_encoder_options;

	*encoder = (xc_cli_encoder){.preset = PRESET_DEFAULT};
	xc_encode_options_default(&encoder->options);
	for (; o->name; o++)
		if (number_in(encoder, o))
			*number_in(encoder, o) = NOT_GIVEN;
	encoder->options.mode = (xc_mode)NOT_GIVEN;
	encoder->max_error = NAN;
}

const char *xc_cli_encoder_lossy_option(xc_cli_encoder *encoder)
{
	/* Arrays have an effort and a transform too. */
	for (const xc_cli_option *o = xc_cli_encoder_options; o->name; o++)
		if (number_in(encoder, o) && *number_in(encoder, o) != NOT_GIVEN &&
		    strcmp(o->name, "effort") != 0 && strcmp(o->name, "transform") != 0)
			return o->name;
	return encoder->tables ? "tables" : encoder->preset != PRESET_DEFAULT ? "preset" : NULL;
}

int xc_cli_encoder_check(const xc_cli_command *self, xc_cli_encoder *encoder, const char *target)
{
	const int mode = (int)encoder->options.mode, bound = !isnan(encoder->max_error);
	const char *other = target ? target : xc_cli_encoder_lossy_option(encoder);

	if (bound && mode != NOT_GIVEN)
		return xc_cli_misuse(self, "--max-error and --mode %s exclude each other",
		                     modes[mode].name);
	if (!bound && mode != XC_MODE_LOSSLESS)
		return -1;
	encoder->options.mode = XC_MODE_LOSSLESS;
	return other ? xc_cli_misuse(self, "--%s and --%s exclude each other",
	                             bound ? "max-error" : "lossless", other)
	             : -1;
}

int xc_cli_encoder_check_bound(const xc_cli_encoder *encoder, const char *name)
{
	const double bound = encoder->max_error;

	if (isnan(bound) || (bound <= 4095 && bound == floor(bound)))
		return 0;
	return xc_cli_error(name,
	                    "--max-error %g is for arrays, and this is a picture, whose samples have "
	                    "whole steps, 0 to 4095",
	                    bound);
}

void xc_cli_encoder_lossless(const xc_cli_encoder *encoder, xc_encode_options *o)
{
	xc_encode_options_default(o);
	o->mode = XC_MODE_LOSSLESS;
	o->effort = encoder->options.effort;
	o->clear_transparent = encoder->options.clear_transparent;
}

/* What --tune psnr changes besides the decisions. */
static void tune_options(const xc_cli_encoder *given, xc_encode_options *o)
{
	const int subsampling = (int)given->options.subsampling;

	if ((int)given->options.tune != XC_TUNE_PSNR)
		return;
	xc_quant_tables_flat(&o->tables);
	if (subsampling == NOT_GIVEN || subsampling == XC_SUBSAMPLING_444) {
		o->subsampling = XC_SUBSAMPLING_444;
		o->colour = XC_COLOUR_PICTURE;
	}
}

/* The library reads XC_CPU by itself, but has nobody to tell that the level is unknown. */
static xc_status set_cpu(xc_context *context)
{
	const char *level = getenv("XC_CPU");

	return level && *level ? xc_context_set_cpu(context, level) : XC_OK;
}

xc_context *xc_cli_context(const xc_cli_limits *limits)
{
	xc_context *context = xc_context_new(NULL);

	if (!context) {
		xc_cli_error(NULL, "out of memory");
		return NULL;
	}
	if (!xc_cli_check("XC_CPU", context, set_cpu(context)) &&
	    !xc_cli_check("--threads", context, xc_context_set_threads(context, limits->threads)) &&
	    !xc_cli_check("--max-pixels, --max-memory, --max-metadata, --max-expansion", context,
	                  xc_context_set_limits(context, &limits->bounds)) &&
	    !xc_cli_check("--device", context,
	                  limits->device ? xc_context_set_device(context, limits->device) : XC_OK))
		return context;
	xc_context_free(context);
	return NULL;
}

int xc_cli_threads(const xc_cli_limits *limits)
{
	xc_context *context = xc_cli_context(limits);
	const int threads = context ? xc_context_threads(context) : -1;

	xc_context_free(context);
	return threads;
}

const char *xc_cli_encoder_file(const xc_cli_encoder *encoder)
{
	const char *tables = encoder->tables;

	static const char *const names[] = {"eye", "annex-k", "flat", "sloped"};

	for (size_t i = 0; tables && i < sizeof names / sizeof *names; i++)
		if (!strcmp(tables, names[i]))
			return NULL;
	return tables;
}

static int read_tables(const char *path, xc_context *context, xc_quant_tables *tables)
{
	uint8_t *text;
	size_t size;

	if (xc_cli_read_small(path, TABLE_FILE_LIMIT, &text, &size))
		return -1;
	xc_status status = xc_quant_tables_parse(context, (const char *)text, size, tables);
	free(text);
	return xc_cli_check(xc_cli_input_name(path), context, status);
}

int xc_cli_encoder_prepare(xc_cli_encoder *encoder, xc_context *context)
{
	xc_cli_encoder base = {.preset = encoder->preset};
	const xc_cli_option *o = xc_cli_encoder_options;

	if (encoder->preset == PRESET_JPEG) {
		xc_encode_options_jpeg(&base.options);
	} else {
		xc_encode_options_default(&base.options);
		tune_options(encoder, &base.options);
	}
	for (; o->name; o++)
		if (number_in(encoder, o) && *number_in(encoder, o) == NOT_GIVEN)
			*number_in(encoder, o) = *number_in(&base, o);
	if ((int)encoder->options.mode == NOT_GIVEN)
		encoder->options.mode = encoder->preset == PRESET_JPEG ? XC_MODE_LOSSY : XC_MODE_AUTO;
	encoder->options.max_error = encoder->max_error <= 4095 ? (uint32_t)encoder->max_error : 0;
	if (xc_cli_encoder_file(encoder))
		return read_tables(encoder->tables, context, &encoder->options.tables);
	if (!encoder->tables)
		encoder->options.tables = base.options.tables;
	else if (!strcmp(encoder->tables, "eye"))
		encoder->options.tables = (xc_quant_tables){{0}, {0}};
	else if (!strcmp(encoder->tables, "sloped"))
		xc_quant_tables_sloped(&encoder->options.tables);
	else if (!strcmp(encoder->tables, "flat"))
		xc_quant_tables_flat(&encoder->options.tables);
	else
		xc_quant_tables_annex_k(&encoder->options.tables);
	return 0;
}

size_t xc_cli_encoder_describe(const xc_cli_encoder *encoder, char *text, size_t room)
{
	const xc_encode_options *o = &encoder->options;
	const unsigned tables = (unsigned)xc_crc32c(0, &o->tables, sizeof o->tables);
	xc_cli_encoder copy = *encoder;
	size_t size = (size_t)snprintf(text, room, "quality %d+%d/256 tables %08x", o->quality,
	                               o->quality_parts, tables);

	/* Only where they are given, so that manifests of before, all lossy, hold. */
	if (encoder->range)
		size += (size_t)snprintf(text + size, room - size, " range %d", encoder->range);
	if (o->mode != XC_MODE_LOSSY)
		size += (size_t)snprintf(text + size, room - size, " mode %d max-error %u clear %d",
		                         (int)o->mode, o->max_error, o->clear_transparent);
	for (const xc_cli_option *each = xc_cli_encoder_options; each->name && size < room; each++)
		if (number_in(&copy, each))
			size += (size_t)snprintf(text + size, room - size, " %s %d", each->name,
			                         *number_in(&copy, each));
	return size < room ? size : room - 1;
}

const char *xc_cli_name(xc_cli_named kind, uint32_t number)
{
	/* Those of enumerations are in the order of <xcodec.h>. */
	static const char *const names[][5] = {
		[XC_CLI_SUBSAMPLING] = {"4:2:0", "4:2:2", "4:4:4", "grey"},
		[XC_CLI_TRANSFORM] = {"DCT", "LOT", "TDLT", "none"},
		[XC_CLI_ENTROPY] = {"Huffman", "rANS", "none", "lossless"},
		[XC_CLI_HUFFMAN] = {"optimized", "default"},
		[XC_CLI_COLOUR] = {"YCbCr", "picture"},
		[XC_CLI_CHANNELS] = {"no channels", "grey", "grey+alpha", "RGB", "RGBA"},
		[XC_CLI_COMPONENT] = {"Y", "Cb", "Cr"},
	};
	const char *name = number < 5 ? names[kind][number] : NULL;

	return name ? name : "unknown";
}

/* -------------------------------------------------------- the range of samples */

enum { FULL = 65535, MIN = 255 };

const char *xc_cli_range_parse(const char *text, void *to)
{
	if (!strcmp(text, "auto"))
		*(int *)to = XC_CLI_RANGE_AUTO;
	else if (xc_cli_parse_int(text, 1, FULL, to))
		return "auto or a number from 1 to 65535";
	return NULL;
}

uint32_t xc_cli_largest(const xc_picture *p)
{
	const uint32_t opaque = p->channels - !(p->channels % 2);
	const size_t samples = (size_t)p->width * p->channels;
	uint32_t largest = 0;

	for (uint32_t y = 0; y < p->height; y++) {
		const uint8_t *row = (const uint8_t *)p->data + y * p->stride;

		for (size_t i = 0; i < samples; i++) {
			const uint32_t v = p->depth == 8 ? row[i] : ((const uint16_t *)(const void *)row)[i];

			if (v > largest && i % p->channels < opaque)
				largest = v;
		}
	}
	return largest;
}

uint32_t xc_cli_range_in_file(uint32_t sample, const xc_metadata *m)
{
	return m->maxval > UINT8_MAX ? (sample * m->maxval + FULL / 2) / FULL : sample;
}

void xc_cli_range_restore(const xc_picture *p, const xc_metadata *m)
{
	for (uint32_t y = 0; y < p->height; y++) {
		uint16_t *row = (void *)((uint8_t *)p->data + y * p->stride);

		for (size_t i = 0; i < (size_t)p->width * p->channels; i++)
			row[i] = (uint16_t)xc_cli_range_in_file(row[i], m);
	}
}

uint32_t xc_cli_peak_of(int given, const xc_picture *p, const xc_metadata *m)
{
	const uint64_t n = given > 0 ? (uint64_t)given : m->range;

	if (given == XC_CLI_RANGE_AUTO)
		return xc_cli_largest(p);
	if (p->depth == 8 || !given || !m->maxval)
		return p->depth == 8 && !given ? 0 : (uint32_t)n;
	return n < m->maxval ? (uint32_t)((n * FULL + m->maxval / 2) / m->maxval) : FULL;
}

uint32_t xc_cli_range_of(int given, const xc_picture *p, const xc_metadata *m)
{
	const uint32_t peak = p->depth == 16 ? xc_cli_peak_of(given, p, m) : 0;
	uint32_t range = MIN;

	while (range < peak && given == XC_CLI_RANGE_AUTO)
		range = 2 * range + 1;
	return !peak ? 0 : range > peak || given == XC_CLI_RANGE_AUTO ? range : peak;
}

void xc_cli_range_hint(const char *name, uint32_t peak, uint32_t largest, const char *help)
{
	peak = peak ? peak : FULL;
	if (largest && largest < (peak + 1) / 8)
		xc_cli_warning(name, "samples go up to %u of %u: %s", largest, peak, help);
}
