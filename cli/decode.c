/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec decode: an XC file to a picture file. */
#include "cli/base/command.h"

#include "cli/base/batch.h"
#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct settings {
	int format, keep_going, jpeg_rounding, png_level, jpeg_quality;
	xc_file_format target; /* what to write */
	xc_cli_limits limits;
	xc_cli_batch batch;
} settings;

typedef struct job {
	const settings *settings;
	xc_context *context;
	xc_cli_progress *progress;
	const char *in, *out;
	xc_cli_stages stages;
	uint8_t *file; /* the XC file's bytes */
	size_t size;
	xc_info info;
	xc_picture picture;
} job;

/* The part of the time that decoding takes; the rest is packing the picture.  Measured with one
 * thread and the default level. */
static double decoding_share(xc_file_format target)
{
	return target == XC_FILE_PNG ? 0.25 : target == XC_FILE_JPEG ? 0.5 : 0.9;
}

#define IN(field) offsetof(settings, field)

/* The format of results in a folder: one that holds every picture. */
#ifdef XC_HAVE_LIBPNG
#define USUAL XC_FILE_PNG
#define USUAL_SUFFIX ".png"
#else
#define USUAL XC_FILE_PAM
#define USUAL_SUFFIX ".pam"
#endif

static const xc_cli_choice formats[] = {
#ifdef XC_HAVE_LIBPNG
	{"png", XC_FILE_PNG},
#endif
#ifdef XC_HAVE_LIBJPEG
	{"jpg", XC_FILE_JPEG},
	{"jpeg", XC_FILE_JPEG},
#endif
	{"ppm", XC_FILE_PPM},
	{"pgm", XC_FILE_PGM},
	{"pnm", XC_FILE_PNM},
	{"pam", XC_FILE_PAM},
	{"bmp", XC_FILE_BMP},
	{"xc", XC_FILE_XC},
	{NULL, 0}};

/* clang-format off */
static const xc_cli_option options[] = {
	{ .name = "format", .type = XC_CLI_CHOICE, .offset = IN(format), .choices = formats,
	  .help = "the format of OUT, whatever its name; xc says what IN is, which is always so" },
#ifdef XC_HAVE_LIBPNG
	{ .name = "png-level", .type = XC_CLI_INT, .offset = IN(png_level), .low = 0,
	  .high = 9, .value = "N",
	  .help = "0 (fast) to 9 (small): compression of PNG files; default 3" },
#endif
#ifdef XC_HAVE_LIBJPEG
	{ .name = "jpeg-quality", .type = XC_CLI_INT, .offset = IN(jpeg_quality), .low = 1,
	  .high = 100, .value = "N",
	  .help = "1 (smallest) to 100 (best): quality of JPEG files; default 90" },
#endif
	{ .name = "keep-going", .letter = 'k', .type = XC_CLI_FLAG, .offset = IN(keep_going),
	  .low = 1, .help = "fill damaged parts with grey and say how many there are" },
	{ .name = "jpeg-rounding", .type = XC_CLI_FLAG, .offset = IN(jpeg_rounding), .low = 1,
	  .help = "round samples before the colour conversion, as JPEG decoders do" },
	{ .name = "output-dir", .letter = 'o', .type = XC_CLI_TEXT, .offset = IN(batch.folder),
	  .value = "DIR", .help = "decode every IN, into DIR/NAME" USUAL_SUFFIX
	                          ", or whatever --format says" },
	{ .name = "force", .letter = 'f', .type = XC_CLI_FLAG, .offset = IN(batch.force), .low = 1,
	  .help = "overwrite OUT if it exists" },
	{ .name = NULL }
};
/* clang-format on */

static int can_write(xc_file_format format)
{
	switch (format) {
	case XC_FILE_PNG:
	case XC_FILE_JPEG:
	case XC_FILE_PPM:
	case XC_FILE_PGM:
	case XC_FILE_PNM:
	case XC_FILE_PAM:
	case XC_FILE_BMP:
		return 1;
	default:
		return 0;
	}
}

/* Sets the format to write: what --format says, else what `path` says, the name of OUT or
 * of the folder.  Returns -1 to go on, else the exit status after reporting what is
 * missing. */
static int choose_target(const xc_cli_command *self, settings *s, const char *path)
{
	xc_file_format format = s->batch.folder ? USUAL : xc_file_format_by_path(path);

	if (s->format != XC_FILE_UNKNOWN && s->format != XC_FILE_XC)
		format = (xc_file_format)s->format;
	s->target = format;
	if (format == XC_FILE_UNKNOWN)
		return xc_cli_misuse(self,
		                     "what format shall '%s' have? "
		                     "Give --format " XC_CLI_IF_PNG("png, ")
		                         XC_CLI_IF_JPEG("jpg, ") "ppm, pgm, pnm, pam or bmp",
		                     path);
	if (!can_write(format))
		return xc_cli_misuse(self, "'%s': cannot write %s, only " XC_CLI_WRITABLE " and BMP", path,
		                     xc_file_format_title(format));
	if (s->jpeg_quality >= 0 && format != XC_FILE_JPEG)
		return xc_cli_misuse(self, "--jpeg-quality is for JPEG, and '%s' will be %s", path,
		                     xc_file_format_title(format));
	if (s->png_level >= 0 && format != XC_FILE_PNG)
		return xc_cli_misuse(self, "--png-level is for PNG, and '%s' will be %s", path,
		                     xc_file_format_title(format));
	return -1;
}

/* One pixel tells before the work whether the format can hold such a picture. */
static int check_fit(const job *j)
{
	uint16_t sample[4] = {0};
	xc_picture pixel = {1, 1, j->info.channels, j->info.depth, sizeof sample, sample};
	char message[XC_FILE_MESSAGE] = "";
	uint8_t *data = NULL;
	size_t size;
	xc_status status = xc_file_write(j->settings->target, &pixel, NULL, -1, NULL, &data, &size,
	                                 message);

	free(data);
	return status == XC_OK ? 0 : xc_cli_status_error(xc_cli_output_name(j->out), status, message);
}

static int decode(job *j)
{
	const char *name = xc_cli_input_name(j->in);
	xc_decode_options decoding = {.keep_going = j->settings->keep_going,
	                              .jpeg_rounding = j->settings->jpeg_rounding};
	xc_status status = xc_decode(j->context, j->file, j->size, &decoding, &j->picture);

	if (xc_cli_check(name, j->context, status))
		return -1;
	if (decoding.damaged_segments)
		xc_cli_warning(name, "%llu of %llu segments damaged and left grey: %s",
		               (unsigned long long)decoding.damaged_segments,
		               (unsigned long long)j->info.segments, xc_context_message(j->context));
	xc_cli_stages_end_library(&j->stages, j->context);
	return 0;
}

static int level_of(const settings *s)
{
	return s->target == XC_FILE_JPEG ? s->jpeg_quality : s->png_level;
}

static int save(job *j)
{
	const xc_file_watcher watcher = {xc_cli_progress_report, j->progress};
	char message[XC_FILE_MESSAGE] = "";
	uint8_t *data = NULL;
	size_t size;

	const double share = decoding_share(j->settings->target);
	xc_cli_progress_part(j->progress, share, 1 - share);
	xc_status status = xc_file_write(j->settings->target, &j->picture, &j->info.metadata,
	                                 level_of(j->settings), &watcher, &data, &size, message);
	if (status != XC_OK)
		return xc_cli_status_error(xc_cli_output_name(j->out), status, message);
	if (*message)
		xc_cli_warning(xc_cli_output_name(j->out), "%s", message);
	xc_cli_stages_end(&j->stages, "pack picture");
	int failed = xc_cli_write(j->out, j->settings->batch.force, data, size);
	free(data);
	xc_cli_stages_end(&j->stages, "write file");
	return failed;
}

static int work(const void *user, xc_context *context, xc_cli_progress *progress, const char *in,
                const char *out)
{
	const settings *s = user;
	job j = {.settings = s, .context = context, .progress = progress, .in = in, .out = out};

	xc_cli_stages_start(&j.stages);
	xc_cli_progress_part(progress, 0, decoding_share(s->target));
	if (xc_cli_read_xc(in, &s->limits, &j.file, &j.size))
		return -1;
	xc_cli_stages_end(&j.stages, "read file");
	int failed = xc_cli_check(xc_cli_input_name(in), context,
	                          xc_read_info(context, j.file, j.size, &j.info)) ||
	             check_fit(&j) || decode(&j) || save(&j);
	if (!failed && s->batch.verbosity == XC_CLI_VERBOSE) {
		xc_cli_print_sizes(xc_cli_input_name(in), &j.picture, j.size, context);
		if (!s->batch.folder)
			xc_cli_stages_print(&j.stages);
	}
	xc_picture_free(context, &j.picture);
	free(j.file);
	return failed ? -1 : 0;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {.png_level = -1,
	              .jpeg_quality = -1,
	              .batch = {.inputs = argv + 1,
	                        .limits = &s.limits,
	                        .verb = "decoding",
	                        .work = work,
	                        .user = &s}};
	const xc_cli_group groups[] = {{"Options", options, &s},
	                               {NULL, xc_cli_quiet_options, &s.batch.verbosity},
	                               {NULL, xc_cli_verbose_options, &s.batch.verbosity},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, xc_cli_device_options, &s.limits},
	                               {NULL, NULL, NULL}};
	char suffix[8];

	xc_cli_limits_default(&s.limits);
	s.limits.device = "auto";
	int status = xc_cli_parse(self, groups, argc, argv, &s.batch.count);
	if (status < 0 && !s.batch.folder)
		status = xc_cli_check_count(self, 2, 2, s.batch.count, argv);
	if (status < 0)
		status = choose_target(self, &s, s.batch.folder ? s.batch.folder : argv[2]);
	if (status >= 0)
		return status;
	snprintf(suffix, sizeof suffix, ".%s", xc_file_format_name(s.target));
	s.batch.suffix = suffix;
	return xc_cli_batch_run(self, &s.batch);
}

const xc_cli_command xc_cli_decode = {
	.name = "decode",
	.operands = "IN OUT | -o DIR IN...",
	.least = 1,
	.most = -1,
	.summary = "make a picture from an XC file",
	.description =
		"Decodes the XC file IN into the picture OUT, whose name ends in " XC_CLI_SUFFIXES
		" or .bmp. \"-\" is standard input or output. With -o, decodes any number of files, several at a time, each "
		"into DIR under its own name.",
	.run = run,
};
