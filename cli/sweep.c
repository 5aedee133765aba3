/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec sweep: rate and distortion of pictures over a range of qualities. */
#include "cli/base/command.h"
#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Qualities as on the command line: "75", "10:90:5", "30,50,75:95:10". */
typedef struct qualities {
	unsigned char wanted[101]; /* [1] to [100] */
} qualities;

typedef struct settings {
	int force, verbosity;
	const char *csv;
	qualities qualities;
	xc_cli_encoder encoder;
	xc_cli_limits limits;
} settings;

/* What is measured. */
enum { BYTES, BITS_PER_PIXEL, PSNR_RGB, PSNR_Y, SSIM_Y, COLUMNS };

/* One picture at one quality, or the mean of several pictures. */
typedef struct row {
	double value[COLUMNS];
} row;

typedef struct sweep {
	settings *settings;
	xc_context *context;
	xc_cli_progress progress;
	row sum[101]; /* by quality */
	FILE *csv;    /* NULL: not wanted */
	int print;    /* the tables are wanted */
	int steps;    /* pictures times qualities */
	int steps_done;
} sweep;

/* Parses "A", "A:B" or "A:B:STEP", up to a comma or the end, and returns what follows; NULL if
 * text is none of these. */
static const char *parse_range(const char *text, qualities *list)
{
	int number[3] = {0, 0, 1}, given = 0;

	for (;; text++) {
		char copy[16];
		size_t length = strcspn(text, ":,");
		int low = given == 1 ? number[0] : 1, high = given == 2 ? 99 : 100;

		if (given == 3 || length >= sizeof copy)
			return NULL;
		snprintf(copy, sizeof copy, "%.*s", (int)length, text);
		if (xc_cli_parse_int(copy, low, high, &number[given++]))
			return NULL;
		text += length;
		if (*text != ':')
			break;
	}
	if (given == 1)
		number[1] = number[0];
	for (int quality = number[0]; quality <= number[1]; quality += number[2])
		list->wanted[quality] = 1;
	return text;
}

static const char *parse_qualities(const char *text, void *target)
{
	qualities list = {{0}};

	do {
		text = parse_range(text, &list);
		if (!text)
			return "FROM:TO:STEP or a list such as 30,50,75, all within 1 to 100";
	} while (*text++ == ',');
	*(qualities *)target = list;
	return NULL;
}

#define IN(field) offsetof(settings, field)

/* clang-format off */
static const xc_cli_option options[] = {
	{ .name = "qualities", .letter = 'q', .type = XC_CLI_CUSTOM, .offset = IN(qualities),
	  .parse = parse_qualities, .value = "FROM:TO:STEP",
	  .help = "qualities to try, or a list: 30,50,75; default 10:95:5" },
	{ .name = NULL }
};

static const xc_cli_option file_options[] = {
	{ .name = "csv", .type = XC_CLI_TEXT, .offset = IN(csv), .value = "FILE",
	  .help = "write the numbers as comma-separated values; - is standard output, instead of "
	          "the tables" },
	{ .name = "force", .letter = 'f', .type = XC_CLI_FLAG, .offset = IN(force), .low = 1,
	  .help = "overwrite the --csv file if it exists" },
	{ .name = NULL }
};
/* clang-format on */

/* ------------------------------------------------------------------ printing */

static const char headings[] = "quality       bytes  bits/pixel  PSNR RGB  PSNR luma  SSIM luma";

/* An infinite PSNR is shown as printf's own "inf". */
static void print_row(int quality, const row *r)
{
	printf("%7d %11.0f %11.4f %9.3f %10.3f %10.5f\n", quality, r->value[BYTES],
	       r->value[BITS_PER_PIXEL], r->value[PSNR_RGB], r->value[PSNR_Y], r->value[SSIM_Y]);
}

/* Comma-separated values are as in RFC 4180, but with line feeds. */
static void put_field(FILE *csv, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, csv);
		return;
	}
	putc('"', csv);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', csv);
		putc(*text, csv);
	}
	putc('"', csv);
}

static void put_row(FILE *csv, const char *name, const xc_picture *p, int quality, const row *r)
{
	put_field(csv, name);
	fprintf(csv, ",%u,%u,%d,%.0f,%.6f,%.6f,%.6f,%.8f\n", p->width, p->height, quality,
	        r->value[BYTES], r->value[BITS_PER_PIXEL], r->value[PSNR_RGB], r->value[PSNR_Y],
	        r->value[SSIM_Y]);
}

/* ----------------------------------------------------------------- measuring */

/* Encodes, decodes and compares: one row of the table.  Returns 0, or -1 after reporting
 * why not. */
static int measure(sweep *s, const char *name, const xc_picture *original, xc_picture *decoded,
                   row *out)
{
	const xc_encode_options *coding = &s->settings->encoder.options;
	double base = (double)s->steps_done / s->steps, third = 1.0 / (3.0 * s->steps);
	xc_buffer coded = {NULL, 0};
	xc_comparison comparison = {0};

	xc_cli_progress_part(&s->progress, base, third);
	xc_status status = xc_encode(s->context, original, NULL, coding, &coded);
	if (status == XC_OK) {
		xc_cli_progress_part(&s->progress, base + third, third);
		status = xc_decode(s->context, coded.data, coded.size, NULL, decoded);
	}
	if (status == XC_OK) {
		xc_cli_progress_part(&s->progress, base + 2 * third, third);
		status = xc_compare(s->context, original, decoded, &comparison);
	}
	xc_cli_show_progress(NULL);
	*out = (row){{
		[BYTES] = (double)coded.size,
		[BITS_PER_PIXEL] = 8 * (double)coded.size / ((double)original->width * original->height),
		[PSNR_RGB] = comparison.psnr_rgb,
		[PSNR_Y] = comparison.psnr_y,
		[SSIM_Y] = comparison.ssim_y,
	}};
	s->steps_done++;
	int failed = xc_cli_check(name, s->context, status);
	xc_buffer_free(s->context, &coded);
	return failed;
}

static int sweep_qualities(sweep *s, const char *name, const xc_picture *original)
{
	xc_picture decoded = {0};
	int failed = 0;

	for (int quality = 1; quality <= 100 && !failed; quality++) {
		row one;

		if (!s->settings->qualities.wanted[quality])
			continue;
		s->settings->encoder.options.quality = quality;
		failed = measure(s, name, original, &decoded, &one);
		if (failed)
			break;
		for (int i = 0; i < COLUMNS; i++)
			s->sum[quality].value[i] += one.value[i];
		if (s->print)
			print_row(quality, &one);
		if (s->csv)
			put_row(s->csv, name, original, quality, &one);
		failed = xc_cli_flush_output();
	}
	xc_picture_free(s->context, &decoded);
	return failed;
}

static void print_title(const char *name, const xc_picture *p)
{
	char shown[XC_CLI_SHOWN];

	xc_cli_escape(shown, sizeof shown, name);
	printf("%s: %u x %u, %s, %u bits a sample\n%s\n", shown, p->width, p->height,
	       xc_cli_name(XC_CLI_CHANNELS, p->channels), p->depth, headings);
}

static int sweep_pictures(sweep *s, char **paths, int count)
{
	const xc_cli_reader reader = {s->context, &s->settings->limits, NULL, NULL, 1};

	for (int i = 0; i < count; i++) {
		const char *name = xc_cli_input_name(paths[i]);
		xc_cli_picture original;

		if (xc_cli_picture_read(&reader, paths[i], XC_FILE_UNKNOWN, &original))
			return -1;
		if (s->print && i)
			putchar('\n');
		if (s->print)
			print_title(name, &original.picture);
		xc_cli_progress_start(&s->progress, s->context, s->settings->verbosity, "sweeping", name);
		int failed = sweep_qualities(s, name, &original.picture);
		xc_cli_progress_stop(&s->progress, s->context);
		xc_cli_picture_free(s->context, &original);
		if (failed)
			return -1;
	}
	return 0;
}

static void print_means(const sweep *s, int pictures)
{
	printf("\nMean of %d pictures\n%s\n", pictures, headings);
	for (int quality = 1; quality <= 100; quality++)
		if (s->settings->qualities.wanted[quality]) {
			row mean = s->sum[quality];

			for (int i = 0; i < COLUMNS; i++)
				mean.value[i] /= pictures;
			print_row(quality, &mean);
		}
}

static int work(sweep *s, char **paths, int count)
{
	for (int quality = 1; quality <= 100; quality++)
		s->steps += s->settings->qualities.wanted[quality];
	s->steps *= count;
	s->print = !s->settings->csv || strcmp(s->settings->csv, "-") != 0;
	if (xc_cli_encoder_prepare(&s->settings->encoder, s->context) ||
	    sweep_pictures(s, paths, count))
		return -1;
	if (s->print && count > 1)
		print_means(s, count);
	return xc_cli_flush_output();
}

/* Collects the CSV in memory, so that its file is complete or does not exist. */
static int work_with_csv(sweep *s, char **paths, int count)
{
	const settings *set = s->settings;
	const char *tables = xc_cli_encoder_file(&set->encoder);
	int force = set->force || !strcmp(set->csv, "-"); /* text may go to a terminal */
	char *text = NULL;
	size_t size = 0;

	if (xc_cli_output_check(set->csv, force, (const char *const *)paths, count) ||
	    xc_cli_output_check(set->csv, force, &tables, 1))
		return -1;
	s->csv = open_memstream(&text, &size);
	if (!s->csv)
		return xc_cli_error(xc_cli_output_name(set->csv), "out of memory");
	fputs("picture,width,height,quality,bytes,bpp,psnr_rgb,psnr_y,ssim_y\n", s->csv);
	int failed = work(s, paths, count);
	if (fclose(s->csv) && !failed)
		failed = xc_cli_error(xc_cli_output_name(set->csv), "out of memory");
	if (!failed)
		failed = xc_cli_write(set->csv, set->force, text, size);
	free(text);
	return failed;
}

static int check_operands(const xc_cli_command *self, const settings *set, char **paths, int count)
{
	const char *tables = xc_cli_encoder_file(&set->encoder);
	int standard = tables && !strcmp(tables, "-");

	for (int i = 0; i < count; i++)
		standard += !strcmp(paths[i], "-");
	return standard > 1 ? xc_cli_misuse(self, "standard input can be given only once") : -1;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings set = {0};
	const xc_cli_group groups[] = {{"Qualities and coding", options, &set},
	                               {NULL, xc_cli_encoder_options, &set.encoder},
	                               {"Output", file_options, &set},
	                               {NULL, xc_cli_quiet_options, &set.verbosity},
	                               {"Resources", xc_cli_limit_options, &set.limits},
	                               {NULL, NULL, NULL}};
	sweep s = {.settings = &set};
	int operands, status;

	parse_qualities("10:95:5", &set.qualities);
	xc_cli_encoder_default(&set.encoder);
	xc_cli_limits_default(&set.limits);
	status = xc_cli_parse(self, groups, argc, argv, &operands);
	if (status < 0)
		status = check_operands(self, &set, argv + 1, operands);
	if (status >= 0)
		return status;
	if (set.verbosity == XC_CLI_QUIET)
		xc_cli_leave_out_warnings();
	s.context = xc_cli_context(&set.limits);
	if (s.context)
		status = (set.csv ? work_with_csv : work)(&s, argv + 1, operands);
	xc_context_free(s.context);
	return status ? XC_CLI_FAILED : XC_CLI_DONE;
}

const xc_cli_command xc_cli_sweep = {
	.name = "sweep",
	.operands = "PICTURE...",
	.least = 1,
	.most = -1,
	.summary = "encode pictures at many qualities and tabulate size and error",
	.description = "Encodes and decodes each PICTURE (" XC_CLI_READABLE
				   " or XC) at each quality, and prints bytes, bits per pixel, "
				   "PSNR and SSIM, per picture and the mean. \"-\" is standard input.",
	.run = run,
};
