/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec encode: a picture file to an XC file. */
#include "command.h"

#include "io.h"
#include "picture.h"
#include "progress.h"
#include "report.h"

#include <string.h>

typedef struct settings {
	int quality, format, force, strip, verbosity;
	xc_cli_encoder encoder;
	xc_cli_limits limits;
} settings;

#define IN(field) offsetof(settings, field)

static const xc_cli_choice formats[] = {
	{ "png", XC_FILE_PNG },
	{ "ppm", XC_FILE_PPM },
	{ "pgm", XC_FILE_PGM },
	{ "pam", XC_FILE_PAM },
	{ "bmp", XC_FILE_BMP },
	{ "xc", XC_FILE_XC },
	{ NULL, 0 }
};

static const xc_cli_option quality_options[] = {
	{ .name = "quality", .letter = 'q', .type = XC_CLI_INT, .offset = IN(quality),
	  .low = 1, .high = 100, .value = "N",
	  .help = "1 (smallest) to 100 (best); default 75" },
	{ .name = NULL }
};

static const xc_cli_option file_options[] = {
	{ .name = "format", .type = XC_CLI_CHOICE, .offset = IN(format), .choices = formats,
	  .help = "insist that IN is such a file; xc writes XC whatever OUT is called" },
	{ .name = "force", .letter = 'f', .type = XC_CLI_FLAG, .offset = IN(force), .low = 1,
	  .help = "overwrite OUT if it exists" },
	{ .name = "strip", .type = XC_CLI_FLAG, .offset = IN(strip), .low = 1,
	  .help = "leave out ICC profile, EXIF, XMP and pixel density" },
	{ .name = "quiet", .type = XC_CLI_FLAG, .offset = IN(verbosity), .low = XC_CLI_QUIET,
	  .help = "no progress on the terminal" },
	{ .name = "verbose", .letter = 'v', .type = XC_CLI_FLAG, .offset = IN(verbosity),
	  .low = XC_CLI_VERBOSE, .help = "say sizes and the time of each stage" },
	{ .name = NULL }
};

/* "out.png" is no name for an XC file: most likely IN and OUT were exchanged. */
static int check_name(const xc_cli_command *self, const settings *s, const char *path)
{
	xc_file_format format = xc_file_format_by_path(path);

	if (s->format == XC_FILE_XC || format == XC_FILE_UNKNOWN || format == XC_FILE_XC)
		return 0;
	return xc_cli_misuse(self, "'%s' is a %s file by its name, but encode writes XC: "
	                     "name it .xc or give --format xc",
	                     path, xc_cli_format_title(format));
}

static int encode(const settings *s, xc_context *context, char **paths, const xc_cli_picture *in,
                  xc_cli_stages *stages, xc_buffer *out)
{
	xc_encode_options options;
	xc_cli_progress progress;
	xc_status status;

	if (xc_cli_encode_options(&s->encoder, context, &options))
		return -1;
	options.quality = s->quality;
	xc_cli_progress_start(&progress, context, s->verbosity, "encoding",
	                      xc_cli_input_name(paths[0]));
	status = xc_encode(context, &in->picture, s->strip ? NULL : &in->metadata, &options, out);
	xc_cli_progress_stop(&progress, context);
	if (status != XC_OK) {
		xc_cli_library_error(xc_cli_input_name(paths[0]), context, status);
		return -1;
	}
	xc_cli_stages_end_library(stages, context);
	return 0;
}

static int work(const settings *s, xc_context *context, char **paths)
{
	xc_file_format wanted = s->format == XC_FILE_XC ? XC_FILE_UNKNOWN
	                                                : (xc_file_format)s->format;
	xc_cli_picture in;
	xc_cli_stages stages;
	const xc_cli_reader reader = { context, &s->limits, &stages, NULL };
	xc_buffer out = { NULL, 0 };
	int failed;

	xc_cli_stages_start(&stages);
	if (xc_cli_picture_read(&reader, paths[0], wanted, &in))
		return -1;
	failed = encode(s, context, paths, &in, &stages, &out);
	if (!failed)
		failed = xc_cli_write(paths[1], s->force, out.data, out.size);
	if (!failed && s->verbosity == XC_CLI_VERBOSE) {
		xc_cli_stages_end(&stages, "write file");
		xc_cli_print_sizes(xc_cli_output_name(paths[1]), &in.picture, out.size);
		xc_cli_stages_print(&stages, context);
	}
	xc_buffer_free(context, &out);
	xc_cli_picture_free(context, &in);
	return failed;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = { .quality = 75 };
	const xc_cli_group groups[] = {
		{ "Quality and coding", quality_options, &s },
		{ NULL, xc_cli_encoder_options, &s.encoder },
		{ "Files", file_options, &s },
		{ "Resources", xc_cli_limit_options, &s.limits },
		{ NULL, xc_cli_device_options, &s.limits },
		{ NULL, NULL, NULL }
	};
	const char *inputs[2];
	xc_context *context;
	int operands, status;

	xc_cli_encoder_default(&s.encoder);
	xc_cli_limits_default(&s.limits);
	s.limits.device = "auto";
	status = xc_cli_parse(self, groups, argc, argv, &operands);
	if (status < 0 && check_name(self, &s, argv[2]))
		status = XC_CLI_USAGE;
	if (status >= 0)
		return status;
	inputs[0] = argv[1];
	inputs[1] = xc_cli_encoder_file(&s.encoder);
	if (inputs[1] && !strcmp(inputs[0], "-") && !strcmp(inputs[1], "-"))
		return xc_cli_misuse(self, "only one of IN and --tables can be standard input");
	if (xc_cli_output_check(argv[2], s.force, inputs, 2))
		return XC_CLI_FAILED;
	context = xc_cli_context(&s.limits);
	if (!context)
		return XC_CLI_FAILED;
	status = work(&s, context, argv + 1);
	xc_context_free(context);
	return status ? XC_CLI_FAILED : XC_CLI_DONE;
}

const xc_cli_command xc_cli_encode = {
	.name = "encode",
	.operands = "IN OUT",
	.least = 2,
	.most = 2,
	.summary = "make an XC file from a picture",
	.description = "Encodes the picture IN (PNG, PNM, PAM, BMP or XC) into the XC file OUT. "
	               "\"-\" is standard input or output.",
	.run = run,
};
