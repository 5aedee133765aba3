/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec compare: how much two pictures or arrays differ. */
#include "cli/array.h"
#include "cli/original.h"
#include "cli/base/command.h"
#include "cli/base/workers.h"
#include "cli/base/io.h"
#include "cli/base/json.h"
#include "cli/base/options.h"
#include "cli/base/picture.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/base/sandbox.h"
#include "cli/base/settings.h"
#include "formats/formats.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcodec.h>
#include <xcodec_jpeg.h>

typedef struct xc_cli_pair {
	const char *paths[2]; /* A and B */
	char *owned[2];       /* these paths, if they were made of folders; else NULL */
	char *map;            /* where the picture of the difference goes; NULL: nowhere */
	int same_jpeg;        /* one is a JPEG, and the other the XC file that keeps it */
	int done;             /* what follows was measured */
	int is_array;         /* of what follows, the first member; else the others */
	xc_cli_array_pair array;
	xc_comparison comparison;
	double ms_ssim_y, ssimulacra2, butteraugli; /* of the last, the 3-norm */
} xc_cli_pair;

typedef struct xc_cli_pairs {
	xc_cli_pair *pair;
	int count;
	int many; /* there may be several: they are shown as a table */
} xc_cli_pairs;

/* The length of a name without its suffix. */
static size_t stem(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name ? (size_t)(dot - name) : strlen(name);
}

/* "folder/name", of whose name `length` bytes count, and a suffix. NULL after reporting that
 * there is no memory. */
static char *join(const char *folder, const char *name, size_t length, const char *suffix)
{
	const size_t front = strlen(folder);

	return xc_cli_text(NULL, "%s%s%.*s%s", folder, front && folder[front - 1] == '/' ? "" : "/",
	                   (int)length, name, suffix);
}

/* ------------------------------------------------------------------ two folders */

typedef struct listing {
	struct dirent **entry;
	int count;
} listing;

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int list(const char *folder, listing *l)
{
	l->count = scandir(folder, &l->entry, is_visible, alphasort);
	if (l->count >= 0)
		return 0;
	l->count = 0;
	l->entry = NULL;
	return xc_cli_error(folder, "cannot list the folder");
}

static void free_listing(listing *l)
{
	for (int i = 0; i < l->count; i++)
		free(l->entry[i]);
	free(l->entry);
}

/* Whether one name is the other with a suffix more, as "a.jpg.xc" and "a.jpg". */
static int has_one_more(const char *a, const char *b)
{
	const size_t m = strlen(a), n = strlen(b);

	return m < n ? stem(b) == m && !strncmp(a, b, m) : stem(a) == n && !strncmp(a, b, n);
}

/* The partner of a name: that very name, else the one that has a suffix more or less, else the only
 * one with its stem; NULL: none, and *several tells whether there are too many. */
static const char *partner(const listing *l, const char *name, int *several)
{
	const char *found = NULL;

	for (int i = 0; i < l->count; i++) {
		const char *other = l->entry[i]->d_name;

		if (strcmp(other, name) && has_one_more(other, name))
			found = found && strlen(found) > strlen(other) ? found : other;
	}
	const char *longer = found;

	found = NULL;
	*several = 0;
	for (int i = 0; i < l->count; i++) {
		const char *other = l->entry[i]->d_name;

		if (!strcmp(other, name))
			return other;
		if (stem(other) == stem(name) && !strncmp(other, name, stem(name))) {
			*several = found != NULL;
			found = other;
		}
	}
	if (longer)
		*several = 0;
	return longer ? longer : *several ? NULL : found;
}

static int add_pair(char **folders, const char *a, const char *b, xc_cli_pairs *pairs)
{
	xc_cli_pair *p = &pairs->pair[pairs->count++];
	const char *const names[] = {a, b};

	for (int i = 0; i < 2; i++) {
		p->owned[i] = join(folders[i], names[i], strlen(names[i]), "");
		p->paths[i] = p->owned[i];
		if (!p->owned[i])
			return -1;
	}
	return 0;
}

static int pair_names(char **folders, const listing lists[2], xc_cli_pairs *pairs)
{
	for (int i = 0; i < lists[0].count; i++) {
		const char *a = lists[0].entry[i]->d_name;
		int several;
		const char *b = partner(&lists[1], a, &several);

		if (several)
			return xc_cli_error(folders[1], "has several files that could be the partner of '%s'",
			                    a);
		if (!b)
			xc_cli_warning(folders[1], "has no partner of '%s'", a);
		else if (add_pair(folders, a, b, pairs))
			return -1;
	}
	return pairs->count ? 0 : xc_cli_error(folders[1], "has no file of those in '%s'", folders[0]);
}

static int pair_folders(char **folders, xc_cli_pairs *pairs)
{
	listing lists[2] = {{NULL, 0}, {NULL, 0}};
	int failed = list(folders[0], &lists[0]) || list(folders[1], &lists[1]);

	pairs->many = 1;
	if (!failed) {
		pairs->pair = calloc((size_t)lists[0].count + 1, sizeof *pairs->pair);
		failed = pairs->pair ? pair_names(folders, lists, pairs)
		                     : xc_cli_error(NULL, "out of memory");
	}
	free_listing(&lists[0]);
	free_listing(&lists[1]);
	return failed ? XC_CLI_FAILED : -1;
}

static int check_map_name(const xc_cli_command *self, const char *map)
{
	const xc_file_format format = xc_file_format_by_path(map);
	char list[XC_FILE_MESSAGE];

	if (format == XC_FILE_UNKNOWN || format == XC_FILE_XC)
		return xc_cli_misuse(self, "'%s' has no suffix of a picture: %s", map,
		                     xc_file_formats(XC_FORMATS_SUFFIXES, " or ", list));
	return -1;
}

/* No two of several maps may have one name. */
static int check_map_names(const xc_cli_command *self, const xc_cli_pairs *pairs)
{
	for (int i = 0; i < pairs->count; i++)
		for (int k = 0; k < i; k++)
			if (!strcmp(pairs->pair[i].map, pairs->pair[k].map)) {
				xc_cli_error(self->name, "the maps of '%s' and '%s' would both become '%s'",
				             pairs->pair[k].paths[1], pairs->pair[i].paths[1], pairs->pair[i].map);
				return XC_CLI_FAILED;
			}
	return -1;
}

static int place_maps(const xc_cli_command *self, const char *map, xc_cli_pairs *pairs)
{
	const int folder = xc_cli_is_folder(map);

	if (pairs->many && !folder)
		return xc_cli_misuse(self, "with several pairs --map must be a folder, and '%s' is none",
		                     map);
	for (int i = 0; i < pairs->count; i++) {
		xc_cli_pair *p = &pairs->pair[i];
		const char *name = xc_cli_base_name(p->paths[1]);

		p->map = folder ? join(map, name, stem(name), XC_CLI_USUAL_SUFFIX) : strdup(map);
		if (!p->map)
			return XC_CLI_FAILED;
	}
	return folder ? check_map_names(self, pairs) : check_map_name(self, map);
}

/* -------------------------------------------------------------------- all of it */

static int pair_operands(const xc_cli_command *self, char **operands, int count,
                         xc_cli_pairs *pairs)
{
	int standard = 0;

	for (int i = 0; i < count; i++)
		standard += !strcmp(operands[i], "-");
	if (count % 2)
		return xc_cli_misuse(self, "'%s' has no partner", operands[count - 1]);
	if (standard > 1)
		return xc_cli_misuse(self, "only one picture can be standard input");
	pairs->pair = calloc((size_t)count / 2, sizeof *pairs->pair);
	if (!pairs->pair) {
		xc_cli_error(self->name, "out of memory");
		return XC_CLI_FAILED;
	}
	pairs->count = count / 2;
	pairs->many = pairs->count > 1;
	for (int i = 0; i < count; i++)
		pairs->pair[i / 2].paths[i % 2] = operands[i];
	return -1;
}

/* Makes the pairs of operands: A B A B..., or the files of two folders whose names are the same but
 * for the suffix. Gives each a place for its map, if `map` is not NULL: that file, or its own name
 * in that folder. Returns -1 to go on, else the exit status after reporting why not. The caller
 * frees the pairs in any case. */
static int make_pairs(const xc_cli_command *self, char **operands, int count, const char *map,
                      xc_cli_pairs *pairs)
{
	const int folders = count == 2 && xc_cli_is_folder(operands[0]) &&
	                    xc_cli_is_folder(operands[1]);
	int status;

	*pairs = (xc_cli_pairs){.pair = NULL};
	status = folders ? pair_folders(operands, pairs) : pair_operands(self, operands, count, pairs);
	return status < 0 && map ? place_maps(self, map, pairs) : status;
}

static void free_pairs(xc_cli_pairs *pairs)
{
	for (int i = 0; i < pairs->count; i++) {
		free(pairs->pair[i].owned[0]);
		free(pairs->pair[i].owned[1]);
		free(pairs->pair[i].map);
	}
	free(pairs->pair);
}

static void print_json(xc_cli_json *json, const xc_cli_pair *pair)
{
	const xc_comparison *c = &pair->comparison;
	static const char *const channels[] = {"r", "g", "b", "a"};

	xc_cli_json_object(json, NULL);
	xc_cli_json_path(json, "file_a", xc_cli_input_name(pair->paths[0]));
	xc_cli_json_path(json, "file_b", xc_cli_input_name(pair->paths[1]));
	xc_cli_json_text(json, "kind", pair->is_array ? "array" : "picture");
	if (pair->is_array) {
		xc_cli_array_pair_put(json, &pair->array);
		xc_cli_json_end_object(json);
		return;
	}
	xc_cli_json_integer(json, "width", c->width);
	xc_cli_json_integer(json, "height", c->height);
	xc_cli_json_integer(json, "depth", c->depth);
	xc_cli_json_integer(json, "peak", c->peak);
	xc_cli_json_boolean(json, "identical", c->identical);
	xc_cli_json_boolean(json, "same_jpeg", pair->same_jpeg);
	xc_cli_json_number(json, "ssimulacra2", pair->ssimulacra2);
	xc_cli_json_number(json, "butteraugli_3norm", pair->butteraugli);
	xc_cli_json_number(json, "psnr_rgb", c->psnr_rgb);
	xc_cli_json_number(json, "psnr_y", c->psnr_y);
	xc_cli_json_inline_object(json, "psnr_channels");
	for (int i = 0; i < 3 + !!c->has_alpha; i++)
		xc_cli_json_number(json, channels[i], c->psnr_channel[i]);
	xc_cli_json_end_object(json);
	xc_cli_json_number(json, "mse", c->mse);
	xc_cli_json_integer(json, "max_abs_diff", c->max_abs_diff);
	xc_cli_json_number(json, "ssim_y", c->ssim_y);
	xc_cli_json_number(json, "ms_ssim_y", pair->ms_ssim_y);
	xc_cli_json_end_object(json);
}

static void print_pairs_json(const xc_cli_pairs *pairs)
{
	xc_cli_json json;

	xc_cli_json_start(&json, stdout);
	xc_cli_json_array(&json, NULL);
	for (int i = 0; i < pairs->count; i++)
		if (pairs->pair[i].done)
			print_json(&json, &pairs->pair[i]);
	xc_cli_json_end_array(&json);
}

/* ----------------------------------------------------------------------- text */

static void print_one(const xc_cli_pair *pair)
{
	const xc_comparison *c = &pair->comparison;
	static const char *const channels[] = {"PSNR red", "PSNR green", "PSNR blue", "PSNR alpha"};

	printf("%-22s %u x %u, %u bits a sample\n", "Size", c->width, c->height, c->depth);
	printf("%-22s %u\n", "Peak", c->peak);
	printf("%-22s %s\n", "Identical",
	       pair->same_jpeg ? "yes, the same JPEG"
	       : c->identical  ? "yes"
	                       : "no");
	printf("%-22s %.4f\n", "SSIMULACRA2", pair->ssimulacra2);
	printf("%-22s %.4f\n", "Butteraugli, 3-norm", pair->butteraugli);
	xc_cli_print_decibels(stdout, "PSNR RGB", c->psnr_rgb);
	xc_cli_print_decibels(stdout, "PSNR luma", c->psnr_y);
	for (int i = 0; i < 3 + !!c->has_alpha; i++)
		xc_cli_print_decibels(stdout, channels[i], c->psnr_channel[i]);
	printf("%-22s %.6g\n", "MSE", c->mse);
	printf("%-22s %u\n", "Largest difference", c->max_abs_diff);
	printf("%-22s %.6f\n", "SSIM luma", c->ssim_y);
	printf("%-22s %.6f\n", "MS-SSIM luma", pair->ms_ssim_y);
}

#define IN_PAIR(field) offsetof(xc_cli_pair, field)

static const struct {
	const char *heading;
	int width, digits;
	size_t offset; /* in xc_cli_pair */
} columns[] = {
	{"SSIMULACRA2", 11, 4, IN_PAIR(ssimulacra2)}, {"PSNR RGB", 9, 4, IN_PAIR(comparison.psnr_rgb)},
	{"luma", 9, 4, IN_PAIR(comparison.psnr_y)},   {"SSIM", 9, 6, IN_PAIR(comparison.ssim_y)},
	{"MS-SSIM", 9, 6, IN_PAIR(ms_ssim_y)},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* largest: -1 in the line of means, which has none. */
static void print_line(const double value[COLUMNS], int64_t largest, const char *name)
{
	char shown[XC_CLI_SHOWN], number[24] = "";

	xc_cli_escape(shown, sizeof shown, name);
	if (largest >= 0)
		snprintf(number, sizeof number, "%lld", (long long)largest);
	/* An infinite PSNR is shown as printf's own "inf", a missing SSIMULACRA2 as "nan". */
	for (int k = 0; k < COLUMNS; k++)
		printf("%*.*f ", columns[k].width, columns[k].digits, value[k]);
	printf("%7s  %s\n", number, shown);
}

static void print_table(const xc_cli_pairs *pairs)
{
	double sum[COLUMNS] = {0};
	int done = 0;

	for (int k = 0; k < COLUMNS; k++)
		printf("%*s ", columns[k].width, columns[k].heading);
	printf("%7s  %s\n", "largest", "B");
	for (int i = 0; i < pairs->count; i++) {
		const xc_cli_pair *p = &pairs->pair[i];
		double value[COLUMNS];

		if (!p->done || p->is_array)
			continue;
		for (int k = 0; k < COLUMNS; k++) {
			value[k] = *(const double *)((const char *)p + columns[k].offset);
			sum[k] += value[k];
		}
		print_line(value, p->comparison.max_abs_diff, xc_cli_input_name(p->paths[1]));
		done++;
	}
	for (int k = 0; k < COLUMNS && done; k++)
		sum[k] /= done;
	if (done > 1)
		print_line(sum, -1, "mean");
}

static void print_array_table(const xc_cli_pairs *pairs)
{
	xc_cli_array_pair_heading();
	for (int i = 0; i < pairs->count; i++)
		if (pairs->pair[i].done && pairs->pair[i].is_array)
			xc_cli_array_pair_line(&pairs->pair[i].array,
			                       xc_cli_input_name(pairs->pair[i].paths[1]));
}

/* Prints what was measured of the pairs that are done: pictures and arrays have a table each. */
static void print_pairs(const xc_cli_pairs *pairs)
{
	int arrays = 0, done = 0;

	for (int i = 0; i < pairs->count; i++) {
		arrays += pairs->pair[i].done && pairs->pair[i].is_array;
		done += pairs->pair[i].done;
	}
	if (pairs->many && (done > arrays || !arrays))
		print_table(pairs);
	if (pairs->many && arrays)
		print_array_table(pairs);
	else if (pairs->many)
		return;
	else if (arrays)
		xc_cli_array_pair_print(&pairs->pair[0].array);
	else if (pairs->pair[0].done)
		print_one(&pairs->pair[0]);
}

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

/* Writes the map of a pair: B less A, `factor` times, around mid-grey. Returns 0, or -1 after
 * reporting why not. */
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

	status = status ? status : write_rows(a, b, &shape, factor, writer, message);
	xc_rows_discard(writer);
	if (status && !map->failed)
		xc_cli_status_error(map->path, status, message);
	return xc_cli_output_end(map, !status) || status ? -1 : 0;
}

/* --------------------------------------------------------------------- options */

typedef struct settings {
	int json, verbosity, factor, force, peak, orient, no_sandbox;
	const char *map, *raw;
	double fill; /* NaN: none is given */
	xc_cli_limits limits;
	xc_cli_limits share; /* of one of several pairs at a time */
	xc_cli_pairs pairs;
} settings;

#define IN(field) offsetof(settings, field)

/* clang-format off */
static const xc_cli_option map_options[] = {
	XC_CLI_CUSTOM_OPTION("peak", 0, IN(peak), xc_cli_range_parse, "N|auto",
		"the largest sample, which is white for SSIMULACRA2 and Butteraugli, and of which PSNR and SSIM are; auto: the "
		"largest one of A; default: that of the depth, or what the files say"),
	XC_CLI_TEXT_OPTION("map", 'm', IN(map), "OUT",
		"write the difference as a picture, in which mid-grey means none; of several pairs into the folder OUT"),
	XC_CLI_INT_OPTION("factor", 0, IN(factor), 1, 255,
		"how many times as large the map shows differences; default 8"),
	XC_CLI_FLAG_OPTION("force", 'f', IN(force), 1, "overwrite OUT if it exists"),
	XC_CLI_FLAG_OPTION("orient", 0, IN(orient), 1, XC_CLI_ORIENT),
	XC_CLI_CUSTOM_OPTION("fill", 0, IN(fill), xc_cli_array_parse_number, "V",
		"values of A that are this one stand for none: they must be the same in B, and no figure has them"),
	{ .name = NULL }
};
/* clang-format on */

/* Chooses the peak. Samples that were scaled alike go back to what they were, which is what
 * errors are told in. */
static uint32_t peak_of(const settings *s, const char *name, const xc_cli_picture read[2])
{
	const xc_metadata *a = &read[0].metadata, *b = &read[1].metadata;
	const int depth16 = read[0].picture.depth == 16 && read[1].picture.depth == 16;
	const uint16_t maxval = depth16 && a->maxval == b->maxval ? a->maxval : 0;
	const uint16_t range = a->range ? a->range : b->range;
	const xc_metadata known = {.range = maxval ? maxval : depth16 ? range : 0};

	for (int i = 0; i < 2 && maxval; i++)
		xc_cli_range_restore(&read[i].picture, a);
	if (!s->peak && depth16)
		xc_cli_range_hint(name, known.range, xc_cli_largest(&read[0].picture),
		                  "--peak auto measures against these");
	return xc_cli_peak_of(s->peak, &read[0].picture, &known);
}

/* Takes the last third of the progress. */
static int measure(const settings *s, const xc_cli_reader *reader, xc_cli_pair *pair,
                   xc_cli_output *map, const xc_cli_picture read[2])
{
	const char *name = xc_cli_input_name(pair->paths[1]);
	const xc_picture *a = &read[0].picture, *b = &read[1].picture;
	xc_context *context = reader->context;

	if (a->width != b->width || a->height != b->height)
		return xc_cli_error(name, "is %u x %u pixels, but %s is %u x %u", b->width, b->height,
		                    xc_cli_input_name(pair->paths[0]), a->width, a->height);
	if (pair->map && write_difference(map, context, a, b, s->factor))
		return -1;
	const uint32_t peak = peak_of(s, name, read);
	double largest; /* distance, which is not shown */
	xc_cli_progress_part(reader->progress, 6.0 / 9, 1.0 / 9);
	xc_status status = xc_compare_all(context, a, b, peak, &pair->comparison, &pair->ms_ssim_y);
	xc_cli_progress_part(reader->progress, 7.0 / 9, 1.0 / 9);
	if (!status)
		status = xc_ssimulacra2(context, a, b, peak, &pair->ssimulacra2);
	xc_cli_progress_part(reader->progress, 8.0 / 9, 1.0 / 9);
	if (!status)
		status = xc_butteraugli(context, a, b, peak, &pair->butteraugli, &largest);
	if (xc_cli_check(name, context, status))
		return -1;
	pair->done = 1;
	return 0;
}

/* Compares what was opened; the steps share one progress line. */
static int compare_pictures(const settings *s, const xc_cli_limits *limits, xc_context *context,
                            xc_cli_progress *progress, xc_cli_pair *pair, xc_cli_input in[2],
                            xc_cli_output *map)
{
	const xc_cli_reader reader = {.context = context,
	                              .limits = limits,
	                              .progress = progress,
	                              .pixels_alone = 1,
	                              .orient = s->orient};
	xc_cli_picture read[2] = {{.file_bytes = 0}};
	int failed = 0;

	for (int i = 0; i < 2 && !failed; i++) {
		xc_cli_progress_part(progress, i / 3.0, 1.0 / 3);
		failed = xc_cli_probe_picture(in[i].name, in[i].first, in[i].size) ||
		         xc_cli_picture_take(&reader, &in[i], &read[i]);
	}
	failed = failed ? failed : measure(s, &reader, pair, map, read);
	for (int i = 0; i < 2; i++)
		xc_cli_picture_free(context, &read[i]);
	return failed;
}

/* Whether one of both is a JPEG, and the other the XC file that keeps it: 1 and what the file says of it, 0, or
 * -1 after reporting what is wrong. */
static int keeps_other(xc_context *context, const xc_cli_pair *pair, const xc_cli_input in[2],
                       xc_jpeg_info *info)
{
	uint8_t *data[2] = {NULL, NULL};
	size_t size[2] = {0, 0};
	int same = 0;

	const int xc = xc_jpeg_is(in[1].first, in[1].size);
	const xc_cli_input *other = &in[!xc];
	if (!xc_jpeg_is(in[xc].first, in[xc].size) || !S_ISREG(in[0].status.st_mode) ||
	    !S_ISREG(in[1].status.st_mode) ||
	    xc_file_format_detect(other->first, other->size) != XC_FILE_JPEG)
		return 0;
	for (int i = 0; i < 2 && !same; i++)
		same = xc_cli_read(pair->paths[i], context, NULL, &data[i], &size[i]);
	if (!same)
		same = xc_cli_original_jpeg(context, in[xc].name, data[xc], size[xc], data[!xc], size[!xc]);
	if (same > 0 && xc_jpeg_read_info(context, data[xc], size[xc], info))
		same = 0;
	for (int i = 0; i < 2; i++)
		xc_cli_forget(context, data[i], size[i]);
	return same;
}

/* Fills in what the comparison of equal pixels gives: the pixels of a JPEG depend on who decodes it, and some cannot
 * be shown at all. Sizes are 0 of a JPEG that is stored as it is. */
static void be_same(xc_cli_pair *pair, const xc_jpeg_info *i)
{
	xc_comparison *c = &pair->comparison;

	pair->done = pair->same_jpeg = 1;
	*c = (xc_comparison){.width = i->width,
	                     .height = i->height,
	                     .depth = 8,
	                     .peak = 255,
	                     .identical = 1,
	                     .psnr_rgb = INFINITY,
	                     .psnr_y = INFINITY,
	                     .ssim_y = 1};
	for (int k = 0; k < 3; k++)
		c->psnr_channel[k] = INFINITY;
	pair->ms_ssim_y = 1;
	pair->ssimulacra2 = 100;
}

static int is_array(const settings *s, const xc_cli_input *in)
{
	return xc_array_is(in->first, in->size) || xc_cli_is_array_file(in, s->raw);
}

static int compare_arrays(const settings *s, xc_context *context, xc_cli_pair *pair,
                          xc_cli_input in[2])
{
	const char *option = pair->map ? "map" : s->peak ? "peak" : s->orient ? "orient" : NULL;

	if (option)
		return xc_cli_error(in[0].name, "--%s is for pictures, and this is an array", option);
	pair->is_array = 1;
	pair->done = !xc_cli_array_compare(context, in, s->raw, s->fill, &pair->array);
	return pair->done ? 0 : -1;
}

/* Opens both and compares. */
static int compare(const settings *s, const xc_cli_limits *limits, xc_context *context,
                   xc_cli_progress *progress, xc_cli_pair *pair)
{
	xc_cli_input in[2];
	int opened = 0;
	xc_cli_output map;
	xc_jpeg_info jpeg;

	if (pair->map && xc_cli_output_start(&map, pair->map, s->force, pair->paths, 2))
		return -1;
	int failed = 0;
	xc_cli_limit_memory(context, limits, xc_cli_sizes(pair->paths, 2), 1);
	while (opened < 2 && !failed) {
		failed = xc_cli_input_open(&in[opened], pair->paths[opened]);
		opened += !failed;
	}
	const int same = failed ? 0 : keeps_other(context, pair, in, &jpeg);
	if (same > 0)
		be_same(pair, &jpeg);
	failed = failed ? failed : same < 0 ? -1 : 0;
	/* A map shows what one decoder makes of both. */
	if (same > 0 && pair->map) {
		const int jpeg_at = !xc_jpeg_is(in[1].first, in[1].size);
		xc_cli_input_close(&in[jpeg_at]);
		failed = xc_cli_input_open(&in[jpeg_at], pair->paths[!jpeg_at]);
		in[jpeg_at].file = failed ? -1 : in[jpeg_at].file;
	}
	if (!failed && (!same || pair->map))
		failed = is_array(s, &in[0]) || is_array(s, &in[1]) ? compare_arrays(s, context, pair, in)
		         : !isnan(s->fill)
		             ? xc_cli_error(in[0].name, "--fill is for arrays, and this is a picture")
		             : compare_pictures(s, limits, context, progress, pair, in, &map);
	while (opened)
		xc_cli_input_close(&in[--opened]);
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
	xc_cli_workers workers = {.count = s->pairs.count,
	                          .work = one_of_many,
	                          .user = s,
	                          .verbosity = s->verbosity,
	                          .verb = "comparing",
	                          .things = "pair"};
	int failed = xc_cli_workers_begin_usual(&workers, &s->limits);

	s->share = workers.limits;

	if (!failed)
		xc_cli_workers_run(&workers);
	xc_cli_workers_end(&workers);
	return failed || workers.failed;
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

static int enter_sandbox(const settings *s, char **operands, int count)
{
	const int folder = s->map && xc_cli_is_folder(s->map);
	const xc_cli_sandbox allowed = {.off = s->no_sandbox,
	                                .limits = &s->limits,
	                                .inputs = operands,
	                                .count = count,
	                                .result = folder ? NULL : s->map,
	                                .folder = folder ? s->map : NULL};

	return xc_cli_sandbox_enter(&allowed);
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {.factor = 8, .fill = NAN};
	const xc_cli_group groups[] = {{"Options", xc_cli_json_options, &s.json},
	                               {NULL, map_options, &s},
	                               {NULL, xc_cli_array_raw_options, &s.raw},
	                               {NULL, xc_cli_quiet_options, &s.verbosity},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, xc_cli_sandbox_options, &s.no_sandbox},
	                               {NULL, NULL, NULL}};
	int operands, status;

	xc_cli_limits_default(&s.limits);
	status = xc_cli_parse(self, groups, argc, argv, &operands);
	if (status >= 0)
		return status;
	if (s.verbosity == XC_CLI_QUIET)
		xc_cli_leave_out_warnings();
	status = make_pairs(self, argv + 1, operands, s.map, &s.pairs);
	if (status < 0 && enter_sandbox(&s, argv + 1, operands))
		status = XC_CLI_FAILED;
	if (status < 0) {
		status = (s.pairs.many ? all_pairs : one_pair)(&s) ? XC_CLI_FAILED : XC_CLI_DONE;
		if (s.json || s.pairs.many || status == XC_CLI_DONE)
			(s.json ? print_pairs_json : print_pairs)(&s.pairs);
	}
	free_pairs(&s.pairs);
	return status;
}

const xc_cli_command xc_cli_compare = {
	.name = "compare",
	.operands = "A B [A B]...",
	.min_operands = 2,
	.max_operands = -1,
	.summary = "measure how much two pictures or arrays differ",
	.description =
		"Compares the arrays A and B, as encode takes them or XC, or the pictures A and B, of any readable format (" XC_CLI_READABLE
		", XC). Grey counts as equal red, green and blue, a missing "
		"alpha as opaque; the smaller depth is scaled up. \"-\" is standard input. "
		"Compares several pairs at a time, and of two folders the files of one name.",
	.run = run,
};
