/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec compare: how much two pictures differ. */
#include "cli/compare.h"

#include "cli/base/crew.h"
#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/base/settings.h"
#include "formats/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------- the picture of a difference, row by row */

/* A sample in units of 8 bits; of a grey picture all colours are the same. */
static double sample(const xc_picture *p, uint32_t x, uint32_t y, uint32_t colour)
{
	const uint8_t *row = (const uint8_t *)p->data + y * p->stride;
	const size_t at = (size_t)x * p->channels + (p->channels > 2 ? colour : 0);

	return p->depth == 16 ? ((const uint16_t *)(const void *)row)[at] / 257.0 : row[at];
}

static void make_row(const xc_picture *a, const xc_picture *b, uint32_t y, uint32_t colours,
                     int factor, uint8_t *to)
{
	for (uint32_t x = 0; x < a->width; x++)
		for (uint32_t c = 0; c < colours; c++) {
			const double d = factor * (sample(b, x, y, c) - sample(a, x, y, c));

			*to++ = (uint8_t)(d < -128 ? 0 : d > 127 ? 255 : lround(128 + d));
		}
}

static xc_status write_rows(const xc_picture *a, const xc_picture *b, const xc_picture *shape,
                            int factor, xc_row_writer *writer, char *message)
{
	const size_t stride = (size_t)shape->width * shape->channels;
	uint8_t *row = malloc(stride);
	xc_status status = row ? XC_OK : XC_ERR_MEMORY;

	for (uint32_t y = 0; !status && y < shape->height; y++) {
		make_row(a, b, y, shape->channels, factor, row);
		status = xc_rows_write(writer, row, stride, 1, message);
	}
	free(row);
	return status ? status : xc_rows_end(writer, message);
}

/* Writes the map of a pair: B less A, `factor` times, around mid-grey.  Returns 0, or -1 after reporting
 * why not. */
static int write_difference(xc_cli_output *map, xc_context *context, const xc_picture *a,
                            const xc_picture *b, int factor)
{
	const int grey = a->channels < 3 && b->channels < 3;
	const xc_picture shape = {.width = a->width,
	                          .height = a->height,
	                          .channels = grey ? 1 : 3,
	                          .depth = 8};
	char message[XC_FILE_MESSAGE] = "";
	xc_row_writer *writer = NULL;
	const xc_byte_sink sink = {xc_cli_output_write, map};

	xc_status status = xc_rows_create(xc_file_format_by_path(map->path), &sink, &shape, NULL, -1,
	                                  NULL, context, &writer, message);
	if (!status)
		status = write_rows(a, b, &shape, factor, writer, message);
	xc_rows_discard(writer);
	if (status && !map->failed)
		xc_cli_status_error(map->path, status, message);
	return xc_cli_output_end(map, !status) || status ? -1 : 0;
}

/* --------------------------------------------------------------------- options */

typedef struct settings {
	int json, verbosity, factor, force, peak, orient;
	const char *map;
	xc_cli_limits limits;
	xc_cli_limits share; /* of one of several pairs at a time */
	xc_cli_pairs pairs;
} settings;

#define IN(field) offsetof(settings, field)

/* clang-format off */
static const xc_cli_option map_options[] = {
	{ .name = "peak", .type = XC_CLI_CUSTOM, .offset = IN(peak), .parse = xc_cli_range_parse, .value = "N|auto",
	  .help = "the largest sample, of which PSNR and SSIM are; auto: the largest one of A; default: that of "
	          "the depth, or what the files say" },
	{ .name = "map", .letter = 'm', .type = XC_CLI_TEXT, .offset = IN(map), .value = "OUT",
	  .help = "write the difference as a picture, in which mid-grey means none; of several pairs into the "
	          "folder OUT" },
	{ .name = "factor", .type = XC_CLI_INT, .offset = IN(factor), .low = 1, .high = 255,
	  .value = "N", .help = "how many times as large the map shows differences; default 8" },
	{ .name = "force", .letter = 'f', .type = XC_CLI_FLAG, .offset = IN(force), .low = 1,
	  .help = "overwrite OUT if it exists" },
	{ .name = "orient", .type = XC_CLI_FLAG, .offset = IN(orient), .low = 1,
	  .help = XC_CLI_ORIENT },
	{ .name = NULL }
};
/* clang-format on */

/* Chooses the peak.  Samples that were scaled alike go back to what they were, which is what errors are told
 * in. */
static uint32_t peak_of(const settings *s, const char *name, const xc_cli_picture read[2])
{
	const xc_metadata *a = &read[0].metadata, *b = &read[1].metadata;
	const int deep = read[0].picture.depth == 16 && read[1].picture.depth == 16;
	const uint16_t maxval = deep && a->maxval == b->maxval ? a->maxval : 0;
	const uint16_t range = a->range ? a->range : b->range;
	const xc_metadata known = {.range = maxval ? maxval : deep ? range : 0};

	for (int i = 0; i < 2 && maxval; i++)
		xc_cli_range_restore(&read[i].picture, a);
	if (!s->peak && deep)
		xc_cli_range_hint(name, known.range, xc_cli_largest(&read[0].picture),
		                  "--peak auto measures against these");
	return xc_cli_peak_of(s->peak, &read[0].picture, &known);
}

static int measure(const settings *s, xc_context *context, xc_cli_pair *pair, xc_cli_output *map,
                   const xc_cli_picture read[2])
{
	const char *name = xc_cli_input_name(pair->paths[1]);
	const xc_picture *a = &read[0].picture, *b = &read[1].picture;

	if (a->width != b->width || a->height != b->height)
		return xc_cli_error(name, "is %u x %u pixels, but %s is %u x %u", b->width, b->height,
		                    xc_cli_input_name(pair->paths[0]), a->width, a->height);
	if (pair->map && write_difference(map, context, a, b, s->factor))
		return -1;
	if (xc_cli_check(name, context,
	                 xc_compare_all(context, a, b, peak_of(s, name, read), &pair->comparison,
	                                &pair->ms_ssim_y)))
		return -1;
	pair->done = 1;
	return 0;
}

/* Reads both and compares; the three steps share one progress line. */
static int compare(const settings *s, const xc_cli_limits *limits, xc_context *context,
                   xc_cli_progress *progress, xc_cli_pair *pair)
{
	const xc_cli_reader reader = {.context = context,
	                              .limits = limits,
	                              .progress = progress,
	                              .pixels_alone = 1,
	                              .orient = s->orient};
	xc_cli_picture read[2] = {{.file_bytes = 0}};
	xc_cli_output map;

	if (pair->map && xc_cli_output_start(&map, pair->map, s->force, pair->paths, 2))
		return -1;
	int failed = 0;
	xc_cli_limit_memory(context, limits, xc_cli_sizes(pair->paths, 2), 1);
	for (int i = 0; i < 2 && !failed; i++) {
		xc_cli_progress_part(progress, i / 3.0, 1.0 / 3);
		failed = xc_cli_picture_read(&reader, pair->paths[i], XC_FILE_UNKNOWN, &read[i]);
	}
	xc_cli_progress_part(progress, 2.0 / 3, 1.0 / 3);
	if (!failed)
		failed = measure(s, context, pair, &map, read);
	for (int i = 0; i < 2; i++)
		xc_cli_picture_free(context, &read[i]);
	if (pair->map)
		xc_cli_output_end(&map, 0);
	return failed;
}

static int one_of_many(void *user, int item, xc_context *context, xc_cli_progress *progress)
{
	const settings *s = user;

	return compare(s, &s->share, context, progress, &s->pairs.pair[item]);
}

static int all_pairs(settings *s)
{
	xc_cli_crew crew = {.count = s->pairs.count,
	                    .work = one_of_many,
	                    .user = s,
	                    .verbosity = s->verbosity,
	                    .verb = "comparing",
	                    .things = "pair"};
	int failed = xc_cli_crew_begin_usual(&crew, &s->limits);
	s->share = crew.limits;

	if (!failed)
		xc_cli_crew_run(&crew);
	xc_cli_crew_end(&crew);
	return failed || crew.failed;
}

static int one_pair(settings *s)
{
	xc_cli_progress progress;
	xc_cli_pair *pair = &s->pairs.pair[0];
	xc_context *context = xc_cli_context(&s->limits);

	if (!context)
		return -1;
	xc_cli_progress_start(&progress, context, s->verbosity, "comparing",
	                      xc_cli_input_name(pair->paths[1]));
	int failed = compare(s, &s->limits, context, &progress, pair);
	xc_cli_progress_stop(&progress, context);
	xc_context_free(context);
	return failed;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {.factor = 8};
	const xc_cli_group groups[] = {{"Options", xc_cli_json_options, &s.json},
	                               {NULL, map_options, &s},
	                               {NULL, xc_cli_quiet_options, &s.verbosity},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, NULL, NULL}};
	int operands, status;

	xc_cli_limits_default(&s.limits);
	status = xc_cli_parse(self, groups, argc, argv, &operands);
	if (status >= 0)
		return status;
	if (s.verbosity == XC_CLI_QUIET)
		xc_cli_leave_out_warnings();
	status = xc_cli_pairs_make(self, argv + 1, operands, s.map, &s.pairs);
	if (status < 0) {
		status = (s.pairs.many ? all_pairs : one_pair)(&s) ? XC_CLI_FAILED : XC_CLI_DONE;
		if (s.pairs.many || status == XC_CLI_DONE)
			(s.json ? xc_cli_pairs_print_json : xc_cli_pairs_print)(&s.pairs);
	}
	xc_cli_pairs_free(&s.pairs);
	return status;
}

const xc_cli_command xc_cli_compare = {
	.name = "compare",
	.operands = "A B [A B]...",
	.least = 2,
	.most = -1,
	.summary = "measure how much two pictures differ",
	.description = "Compares the pictures A and B, of any readable format (" XC_CLI_READABLE
				   ", XC). Grey counts as equal red, green and blue, a missing "
				   "alpha as opaque; the smaller depth is scaled up. \"-\" is standard input. "
				   "Compares several pairs at a time, and of two folders the files of one name.",
	.run = run,
};
