/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec generate: arrays to feed the transforms with. */
#include "cli/base/command.h"

#include "lab/command/arrays.h"
#include "cli/base/array.h"
#include "cli/base/io.h"
#include "cli/base/report.h"
#include "lab/command/common.h"

#include "lab/samples.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef enum pattern { RANDOM, RAMP, COSINE, IMPULSE, CONSTANT, CELLS } pattern;

typedef struct settings {
	int pattern, kind, precision, sets, force, zoom;
	const char *basis;
	uint64_t seed;
	xc_cli_size size;
	double low, high;
} settings;

#define IN(field) offsetof(settings, field)

static const xc_cli_choice patterns[] =
	{{"random", RANDOM},     {"ramp", RAMP},   {"cosine", COSINE}, {"impulse", IMPULSE},
     {"constant", CONSTANT}, {"cells", CELLS}, {NULL, 0}};

static const xc_cli_choice kinds[] = {{"dct", XC_DATA_DCT}, {"lot", XC_DATA_LOT}, {NULL, 0}};

/* "512" or "640x480". */
static const char *parse_dimensions(const char *text, void *target)
{
	const char *rest = xc_cli_parse_array_size(text, 2, 1 << 24, target);

	return rest && !*rest ? NULL : "a size, such as 512 or 640x480 (width x height)";
}

static const char *parse_number(const char *text, void *target)
{
	return xc_cli_parse_number(text, -DBL_MAX, DBL_MAX, "a number", target);
}

/* clang-format off */
static const xc_cli_option options[] = {
	{ .name = "size", .type = XC_CLI_CUSTOM, .offset = IN(size),
	  .parse = parse_dimensions, .value = "WIDTHxHEIGHT",
	  .help = "size of each array; one number for both; default 512" },
	{ .name = "precision", .letter = 'p', .type = XC_CLI_CHOICE, .offset = IN(precision),
	  .choices = xc_cli_precisions + 1, /* files have no half */
	  .help = "bits, 128 being long double; default 32" },
	{ .name = "sets", .type = XC_CLI_INT, .offset = IN(sets), .low = 1,
	  .high = 1000000, .value = "N", .help = "number of arrays in the file; default 1" },
	{ .name = "kind", .type = XC_CLI_CHOICE, .offset = IN(kind),
	  .choices = kinds, .help = "what the arrays are for; default dct" },
	{ .name = "pattern", .type = XC_CLI_CHOICE, .offset = IN(pattern), .choices = patterns,
	  .help = "default random" },
	{ .name = "seed", .type = XC_CLI_SIZE, .offset = IN(seed), .low = 0, .value = "N",
	  .help = "start of the random numbers; default 1; the next array continues" },
	{ .name = "low", .type = XC_CLI_CUSTOM, .offset = IN(low), .parse = parse_number,
	  .value = "X", .help = "the smallest sample; default 0" },
	{ .name = "high", .type = XC_CLI_CUSTOM, .offset = IN(high), .parse = parse_number,
	  .value = "X", .help = "the largest sample; default 255; above that a picture has 16 bits" },
	{ .name = "basis", .type = XC_CLI_TEXT, .offset = IN(basis), .value = "ALGORITHM",
	  .help = "the basis functions of a transform instead, side by side; of whole arrays those of "
	          "--size, 8 by default" },
	{ .name = "zoom", .type = XC_CLI_INT, .offset = IN(zoom), .low = 1, .high = 64, .value = "N",
	  .help = "with --basis: samples of N x N pixels; default 4" },
	{ .name = "force", .letter = 'f', .type = XC_CLI_FLAG, .offset = IN(force), .low = 1,
	  .help = "overwrite OUT if it exists" },
	{ .name = NULL }
};
/* clang-format on */

/* Bits of a picture's samples: as many as the largest one needs. */
static uint32_t picture_depth(const settings *s)
{
	return s->high > 255 ? 16 : 8;
}

/* The pattern at a place, from 0 to 1. */
static double pattern_at(const settings *s, size_t row, size_t col, uint64_t *state)
{
	const double y = (double)row / (double)s->size.rows, x = (double)col / (double)s->size.cols;
	const double pi = 3.14159265358979323846;

	switch ((pattern)s->pattern) {
	case RANDOM:
		return xc_cli_random(state);
	case RAMP:
		return (x + y) / 2;
	case COSINE:
		return 0.5 + 0.25 * (cos(16 * pi * y) + cos(32 * pi * x * x));
	case IMPULSE:
		return row == s->size.rows / 2 && col == s->size.cols / 2;
	case CONSTANT:
	case CELLS:
		break;
	}
	return 1;
}

static int fill(const settings *s, uint64_t *state, xc_cli_arrays *arrays)
{
	xc_data_set *set = xc_cli_arrays_add(arrays, (xc_data_kind)s->kind, s->size.rows, s->size.cols,
	                                     (xct_precision)s->precision);

	if (!set)
		return xc_cli_error("generate", "out of memory for %d arrays of %zu x %zu", s->sets,
		                    s->size.cols, s->size.rows);
	if (s->pattern == CELLS)
		xc_cli_draw_cells(set, state);
	for (size_t i = 0; i < s->size.rows * s->size.cols; i++) {
		const double t = s->pattern == CELLS
		                     ? fmin((double)xc_sample_get(set->samples, set->precision, i), 1)
		                     : pattern_at(s, i / s->size.cols, i % s->size.cols, state);

		if (xc_cli_sample_put(set, i, s->low + t * (s->high - s->low)))
			return xc_cli_error("generate", "samples from %g to %g do not fit in %d bits", s->low,
			                    s->high, xc_precision_bits(set->precision));
	}
	return 0;
}

enum { BASIS_MAX = 64, GAP = 1 };

/* How the basis functions are drawn: `rows` x `cols` of them, of which `high` x `wide` samples are shown. */
typedef struct drawing {
	xc_cli_size array, shown; /* what is transformed, and the part of it around a function */
	size_t first;             /* row and column of that part, and of the coefficients */
	size_t coefficient, rows, cols;
} drawing;

static drawing draw(const xct_algorithm *a, const xc_cli_size *size)
{
	const size_t bands = a->bands & -a->bands;

	if (!bands)
		return (drawing){*size, *size, 0, 0, size->rows, size->cols};
	if (!xc_cli_is_lapped(a))
		return (drawing){{1, bands, bands}, {1, bands, bands}, 0, 0, bands, bands};
	/* The middle one of five blocks, with its neighbours. */
	return (drawing){{1, 5 * bands, 5 * bands},
	                 {1, 3 * bands, 3 * bands},
	                 bands,
	                 2 * bands,
	                 bands,
	                 bands};
}

/* One after the other, by the inverse transform of a coefficient; the largest value found. */
static int make_functions(const xct_algorithm *a, const drawing *d, xc_data_set *set, size_t zoom,
                          long double *largest)
{
	xct_context *const context = xct_context_new();
	const xct_descriptor descriptor = xc_cli_descriptor(a, -1, XCT_INVERSE, XCT_FLOAT64, &d->array);
	xc_cli_size bands = d->array;
	xct_plan *plan = NULL;
	double *in = NULL, *out = xct_allocate(xc_cli_samples(&d->array) * sizeof *out);

	if (context && !xc_cli_bands(context, &descriptor, &bands))
		in = xct_allocate(xc_cli_samples(&bands) * sizeof *in);
	int failed = !in || !out || xct_plan_new(context, &descriptor, &plan) != XCT_OK;
	for (size_t f = 0; f < d->rows * d->cols && !failed; f++) {
		const size_t k = f / d->cols, l = f % d->cols;
		double *const one = &in[(d->coefficient + k) * bands.cols + d->coefficient + l];
		*one = 1;
		failed = xct_execute(plan, in, out) != XCT_OK;
		*one = 0;
		const size_t top = k * (d->shown.rows * zoom + GAP),
					 left = l * (d->shown.cols * zoom + GAP);
		for (size_t i = 0; i < xc_cli_samples(&d->shown) * zoom * zoom; i++) {
			const size_t y = i / (d->shown.cols * zoom), x = i % (d->shown.cols * zoom);
			const double v = out[(d->first + y / zoom) * d->array.cols + d->first + x / zoom];
			xc_sample_put(set->samples, set->precision, (top + y) * set->cols + left + x,
			              (long double)v);
			*largest = fmaxl(*largest, fabsl((long double)v));
		}
	}
	if (failed)
		xc_cli_error("generate", "%s: %s", a->name,
		             context ? xct_context_message(context) : "out of memory");
	xct_plan_free(plan);
	xct_release(in);
	xct_release(out);
	xct_context_free(context);
	return failed ? -1 : 0;
}

/* 0 lies in the middle of --low and --high, the largest value at one of them. */
static int basis(const settings *s, const xct_algorithm *a, xc_cli_arrays *arrays)
{
	const drawing d = draw(a, &s->size);
	const size_t zoom = (size_t)s->zoom;
	const size_t rows = d.rows * (d.shown.rows * zoom + GAP) - GAP;
	const size_t cols = d.cols * (d.shown.cols * zoom + GAP) - GAP;
	xc_data_set *set = xc_cli_arrays_add(arrays, (xc_data_kind)s->kind, rows, cols, XCT_FLOAT32);
	long double largest = 0;

	if (!set)
		return xc_cli_error("generate", "out of memory for %zu x %zu", cols, rows);
	if (make_functions(a, &d, set, zoom, &largest))
		return -1;
	for (size_t i = 0; i < rows * cols; i++) {
		const long double v = xc_sample_get(set->samples, set->precision, i) /
		                      (largest > 0 ? largest : 1);
		xc_cli_sample_put(set, i, (s->low + s->high) / 2 + (double)v * (s->high - s->low) / 2);
	}
	return 0;
}

static int choose(const xc_cli_choice *choices, const char *word, int *value)
{
	while (choices->name && strcmp(choices->name, word) != 0)
		choices++;
	*value = choices->value;
	return choices->name ? 0 : -1;
}

/* The 2006 program's: SIZE PRECISION COUNT and what for. */
static int words_of_2006(settings *s, char **words)
{
	xc_cli_size count = {0, 0, 0};
	const char *const rest = xc_cli_parse_array_size(words[2], 1, 1000000, &count);

	s->sets = (int)count.cols;
	return parse_dimensions(words[0], &s->size) ||
	       choose(xc_cli_precisions + 1, words[1], &s->precision) || !rest || *rest ||
	       choose(kinds, words[3], &s->kind);
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s =
		{.precision = XCT_FLOAT32, .sets = 1, .seed = 1, .size = {1, 0, 0}, .zoom = 4, .high = 255};
	const xc_cli_group groups[] = {{"Options", options, &s}, {NULL, NULL, NULL}};
	xc_cli_arrays arrays = {.set = NULL};
	xc_cli_output out;
	int operands, failed = 0;
	int status = xc_cli_parse(self, groups, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands != 1 && (operands != 5 || words_of_2006(&s, argv + 2)))
		return xc_cli_misuse(self, "wants %s", self->operands);
	if (xc_cli_arrays_refused(argv[1]))
		return xc_cli_misuse(self, "'%s' is named as a picture of a kind that is not written here",
		                     argv[1]);
	const xct_algorithm *const drawn = s.basis ? xc_cli_algorithm("generate", s.basis) : NULL;
	if (s.basis && !drawn)
		return XC_CLI_USAGE;
	if (!s.size.rows)
		s.size.rows = s.size.cols = drawn ? 8 : 512;
	if (drawn && (s.size.rows > BASIS_MAX || s.size.cols > BASIS_MAX || drawn->gpu ||
	              !(drawn->precisions & XCT_FLOAT64) || xc_cli_is_yardstick(drawn)))
		return xc_cli_misuse(
			self, "--basis takes the processor's transforms of 64 bits, and --size up to %d",
			BASIS_MAX);
	if (s.low > s.high)
		return xc_cli_misuse(self, "--low %g is above --high %g", s.low, s.high);
	if (!isfinite(s.high - s.low))
		return xc_cli_misuse(self, "--low %g and --high %g are too far apart", s.low, s.high);
	if (xc_cli_arrays_is_picture(xc_cli_arrays_format(argv[1])) &&
	    (s.low < 0 || s.high > UINT16_MAX))
		return xc_cli_misuse(self, "'%s': the samples of a picture are from 0 to %d", argv[1],
		                     UINT16_MAX);
	if (xc_cli_output_start(&out, argv[1], s.force, NULL, 0))
		return XC_CLI_FAILED;
	if (drawn)
		failed = basis(&s, drawn, &arrays);
	for (int i = 0; i < s.sets && !failed && !drawn; i++)
		failed = fill(&s, &s.seed, &arrays);
	if (!failed)
		failed = xc_cli_arrays_write(&out, picture_depth(&s), 0, 1, &arrays);
	xc_cli_output_end(&out, 0);
	xc_cli_arrays_free(&arrays);
	return failed ? XC_CLI_FAILED : XC_CLI_DONE;
}

const xc_cli_command xc_lab_generate = {
	.name = "generate",
	.operands = "OUT [SIZE PRECISION COUNT dct|lot]",
	.min_operands = 1,
	.max_operands = 5,
	.description =
		"Writes arrays of samples: a text data file (sets that begin with "
		"!dct:N:M:precision), or what the end of the name says: an array (" XC_CLI_ARRAY_SUFFIXES
		"), or a picture (" XC_CLI_IF_PNG(
			".png, ") ".pgm, .ppm, .pnm, .pam or .bmp). \"-\" is standard output.",
	.run = run,
};
