/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec encode: a picture file to an XC file. */
#include "cli/base/command.h"

#include "cli/base/batch.h"
#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"

#include <string.h>

typedef struct settings {
	int format, strip;
	xc_cli_encoder encoder;
	xc_cli_limits limits;
	xc_cli_batch batch;
} settings;

#define IN(field) offsetof(settings, field)

static const xc_cli_choice formats[] = {
#ifdef XC_HAVE_LIBPNG
	{"png", XC_FILE_PNG},
#endif
#ifdef XC_HAVE_LIBJPEG
	{"jpg", XC_FILE_JPEG}, {"jpeg", XC_FILE_JPEG},
#endif
	{"ppm", XC_FILE_PPM},  {"pgm", XC_FILE_PGM},   {"pam", XC_FILE_PAM},
	{"bmp", XC_FILE_BMP},  {"xc", XC_FILE_XC},     {NULL, 0}};

/* clang-format off */
static const xc_cli_option quality_options[] = {
	{ .name = "quality", .letter = 'q', .type = XC_CLI_INT,
	  .offset = IN(encoder.options.quality), .low = 1, .high = 100, .value = "N",
	  .help = "1 (smallest) to 100 (best); default 75" },
	{ .name = NULL }
};

static const xc_cli_option file_options[] = {
	{ .name = "format", .type = XC_CLI_CHOICE, .offset = IN(format), .choices = formats,
	  .help = "insist that IN is such a file; xc writes XC whatever OUT is called" },
	{ .name = "output-dir", .letter = 'o', .type = XC_CLI_TEXT, .offset = IN(batch.folder),
	  .value = "DIR", .help = "encode every IN, into DIR/NAME.xc" },
	{ .name = "force", .letter = 'f', .type = XC_CLI_FLAG, .offset = IN(batch.force), .low = 1,
	  .help = "overwrite OUT if it exists" },
	{ .name = "strip", .type = XC_CLI_FLAG, .offset = IN(strip), .low = 1,
	  .help = "leave out everything but the pixels: profile, EXIF, XMP, density and so on" },
	{ .name = NULL }
};
/* clang-format on */

/* "out.png" is no name for an XC file; most likely the user exchanged IN and OUT. */
static int check_name(const xc_cli_command *self, const settings *s, const char *path)
{
	xc_file_format format = xc_file_format_by_path(path);
	int foreign = xc_file_foreign_name(path);

	if (s->format == XC_FILE_XC || format == XC_FILE_XC || (format == XC_FILE_UNKNOWN && !foreign))
		return 0;
	return xc_cli_misuse(self,
	                     "'%s' is %s%s%s by its name, but encode writes XC: "
	                     "name it .xc or give --format xc",
	                     path, foreign ? "another kind of picture" : "a ",
	                     foreign ? "" : xc_file_format_title(format), foreign ? "" : " file");
}

static int prepare(void *user, xc_context *context)
{
	settings *s = user;

	return xc_cli_encoder_prepare(&s->encoder, context);
}

static int work(const void *user, xc_context *context, xc_cli_progress *progress, const char *from,
                const char *to)
{
	const settings *s = user;
	xc_file_format wanted = s->format == XC_FILE_XC ? XC_FILE_UNKNOWN : (xc_file_format)s->format;
	xc_cli_picture in;
	xc_cli_stages stages;
	const xc_cli_reader reader = {context, &s->limits, &stages, progress};
	xc_buffer out = {NULL, 0};

	xc_cli_stages_start(&stages);
	xc_cli_progress_part(progress, 0, 0.5);
	if (xc_cli_picture_read(&reader, from, wanted, &in))
		return -1;
	xc_cli_progress_part(progress, 0.5, 0.5);
	int failed = xc_cli_check(xc_cli_input_name(from), context,
	                          xc_encode(context, &in.picture, s->strip ? NULL : &in.metadata,
	                                    &s->encoder.options, &out));
	if (!failed) {
		xc_cli_stages_end_library(&stages, context);
		failed = xc_cli_write(to, s->batch.force, out.data, out.size);
	}
	if (!failed && s->batch.verbosity == XC_CLI_VERBOSE) {
		xc_cli_stages_end(&stages, "write file");
		xc_cli_print_sizes(xc_cli_output_name(to), &in.picture, out.size, context);
		if (!s->batch.folder)
			xc_cli_stages_print(&stages);
	}
	xc_buffer_free(context, &out);
	xc_cli_picture_free(context, &in);
	return failed;
}

static int check_one_file(const xc_cli_command *self, const settings *s, char **argv, int operands)
{
	const char *tables = xc_cli_encoder_file(&s->encoder);
	int status = xc_cli_check_count(self, 2, 2, operands, argv);

	if (status >= 0)
		return status;
	if (check_name(self, s, argv[2]))
		return XC_CLI_USAGE;
	if (tables && !strcmp(argv[1], "-") && !strcmp(tables, "-"))
		return xc_cli_misuse(self, "only one of IN and --tables can be standard input");
	return -1;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {.batch = {.suffix = ".xc",
	                        .inputs = argv + 1,
	                        .limits = &s.limits,
	                        .verb = "encoding",
	                        .prepare = prepare,
	                        .work = work,
	                        .user = &s}};
	const xc_cli_group groups[] = {{"Quality and coding", quality_options, &s},
	                               {NULL, xc_cli_encoder_options, &s.encoder},
	                               {"Files", file_options, &s},
	                               {NULL, xc_cli_quiet_options, &s.batch.verbosity},
	                               {NULL, xc_cli_verbose_options, &s.batch.verbosity},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, xc_cli_device_options, &s.limits},
	                               {NULL, NULL, NULL}};

	xc_cli_encoder_default(&s.encoder);
	xc_cli_limits_default(&s.limits);
	s.limits.device = "auto";
	int status = xc_cli_parse(self, groups, argc, argv, &s.batch.count);
	if (status < 0 && !s.batch.folder)
		status = check_one_file(self, &s, argv, s.batch.count);
	if (status >= 0)
		return status;
	s.batch.also_read = xc_cli_encoder_file(&s.encoder);
	return xc_cli_batch_run(self, &s.batch);
}

const xc_cli_command xc_cli_encode = {
	.name = "encode",
	.operands = "IN OUT | -o DIR IN...",
	.least = 1,
	.most = -1,
	.summary = "make an XC file from a picture",
	.description = "Encodes the picture IN (" XC_CLI_READABLE " or XC) into "
				   "the XC file OUT. \"-\" is standard input or output. With -o, encodes any "
				   "number of pictures, several at a time, each into DIR under its own name.",
	.run = run,
};
