/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec bench codec: the codec's stages, and all of it against libjpeg. */
#include "cli/base/options.h"

#include "cli/base/report.h"
#include "cli/base/settings.h"

#include "bench/codec.h"
#include "bench/tiled.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the picture lies that is used if none is given: as installed, or in the sources. */
static const char *const samples[] = {
#ifdef XC_HAVE_LIBPNG
	XC_DATA_DIR "/meadow.png", "samples/meadow.png",
#endif
	NULL};

typedef struct size {
	uint32_t width, height;
} size;

typedef struct settings {
	int json;
	size size;
	/* quality 0, subsampling -1: not given */
	xc_bench_codec_options codec;
} settings;

#define IN(field) offsetof(settings, field)

static const char *parse_size(const char *text, void *target)
{
	size *s = target;

	if (xc_bench_parse_size(text, &s->width, &s->height))
		return NULL;
	return "a size, such as 4608x4096";
}

static const xc_cli_choice subsamplings[] = {{"420", XC_SUBSAMPLING_420},
                                             {"422", XC_SUBSAMPLING_422},
                                             {"444", XC_SUBSAMPLING_444},
                                             {NULL, 0}};

/* clang-format off */
static const xc_cli_option options[] = {
	{ .name = "quality", .letter = 'q', .type = XC_CLI_INT, .offset = IN(codec.quality), .low = 1,
	  .high = 100, .value = "N",
	  .help = "1 to 100; default 75, or 75 with 4:2:0 and then 90 with 4:4:4 if neither "
	          "--quality nor --subsampling is given" },
	{ .name = "subsampling", .letter = 's', .type = XC_CLI_CHOICE,
	  .offset = IN(codec.subsampling), .choices = subsamplings,
	  .help = "resolution of the colour; default 420" },
	{ .name = "transform", .type = XC_CLI_CHOICE, .offset = IN(codec.transform),
	  .choices = xc_cli_transforms, .help = "block transform, or a lapped one; default dct" },
	{ .name = "size", .type = XC_CLI_CUSTOM, .offset = IN(size), .parse = parse_size,
	  .value = "WxH",
	  .help = "size of the picture that the given ones are laid out on; default 4608x4096" },
	{ .name = "level", .type = XC_CLI_TEXT, .offset = IN(codec.cpu),
	  .value = "auto|scalar|sse2|avx2|avx512|neon",
	  .help = "vector instructions; default the best of this processor" },
	{ .name = "runs", .letter = 'n', .type = XC_CLI_INT, .offset = IN(codec.rounds), .low = 1,
	  .high = 10000, .value = "N", .help = "runs of everything; default 7" },
	{ .name = "threads", .letter = 't', .type = XC_CLI_INT, .offset = IN(codec.threads), .low = 0,
	  .high = 1024, .value = "N",
	  .help = "threads of what is not done in one; 0, the default, is one a processor" },
	{ .name = "least", .type = XC_CLI_FLAG, .offset = IN(codec.min), .low = 1,
	  .help = "stages by the least times instead of the medians, for a busy machine" },
	{ .name = "json", .letter = 'j', .type = XC_CLI_FLAG, .offset = IN(json), .low = 1,
	  .help = "print JSON" },
	{ .name = NULL }
};
/* clang-format on */

static int bench(const settings *s, xc_cli_json *json)
{
	xc_bench_codec_result result;

	if (xc_bench_codec(&s->codec, &result))
		return -1;
	if (s->json)
		xc_bench_codec_json(json, &result);
	else
		xc_bench_codec_print(stdout, &result);
	fflush(stdout);
	return 0;
}

static int bench_cases(settings *s)
{
	const int given = (int)s->codec.subsampling >= 0;
	const int both = !s->codec.quality && !given;
	xc_cli_json json;

	if (s->json) {
		xc_cli_json_start(&json, stdout);
		xc_cli_json_array(&json, NULL);
	}
	s->codec.quality = s->codec.quality ? s->codec.quality : 75;
	s->codec.subsampling = given ? s->codec.subsampling : XC_SUBSAMPLING_420;
	int failed = bench(s, &json);
	if (!failed && both) {
		s->codec.quality = 90;
		s->codec.subsampling = XC_SUBSAMPLING_444;
		failed = bench(s, &json);
	}
	if (s->json && !failed)
		xc_cli_json_end_array(&json);
	return failed;
}

/* Returns the sample picture's path, or NULL. */
static const char *find_sample(void)
{
	const char *const *sample = samples;

	while (*sample && access(*sample, R_OK))
		sample++;
	return *sample;
}

/* Makes the picture to measure with of the files, the sample or, without either, a generated
 * one.  Returns 0, or -1 after an error. */
static int make_picture(const settings *s, const char *const *paths, int count, xc_picture *out)
{
	const char *sample = count ? NULL : find_sample();
	char message[XC_FILE_MESSAGE];

	if (!count && !sample)
		xc_cli_warning("bench codec", "the sample picture is not here, so one is generated; "
		                              "photographs tell more");
	return xc_bench_tile(sample ? &sample : paths, sample ? 1 : count, s->size.width,
	                     s->size.height, out, message)
	           ? xc_cli_error(NULL, "%s", message)
	           : 0;
}

/* Refuses an unknown level, and one that this machine lacks, before minutes are spent. */
static int check_level(const char *level, const char *given_by, int *threads)
{
	xc_context *context = xc_context_new(NULL);

	if (!context)
		return xc_cli_error(NULL, "out of memory");
	int failed = xc_cli_check(given_by, context, xc_context_set_cpu(context, level));
	if (!failed && !*threads)
		*threads = xc_context_threads(context);
	xc_context_free(context);
	return failed;
}

static int run(const xc_cli_command *bench_command, int argc, char **argv)
{
	const xc_cli_command command = {.name = "bench codec",
	                                .operands = "[PICTURE...]",
	                                .max_operands = -1,
	                                .description = bench_command->description};
	settings s = {.size = {4608, 4096}, .codec = {.rounds = 7, .subsampling = (xc_subsampling)-1}};
	const xc_cli_group groups[] = {{"Options of codec", options, &s}, {NULL, NULL, NULL}};
	const char *level = getenv("XC_CPU"), *given_by;
	xc_picture picture;
	int operands, status;

	status = xc_cli_parse(&command, groups, argc - 1, argv + 1, &operands);
	if (status >= 0)
		return status;
	given_by = s.codec.cpu ? "--level" : "XC_CPU";
	if (!s.codec.cpu)
		s.codec.cpu = level && *level ? level : "auto";
	if (check_level(s.codec.cpu, given_by, &s.codec.threads) ||
	    make_picture(&s, (const char *const *)argv + 2, operands, &picture))
		return XC_CLI_FAILED;
	s.codec.picture = &picture;
	status = bench_cases(&s);
	free(picture.data);
	return status ? XC_CLI_FAILED : XC_CLI_DONE;
}

const xc_cli_benchmark xc_cli_bench_codec = {
	.name = "codec",
	.summary = "Options of codec",
	.options = options,
	.run = run,
};

/* ----------------------------------------------------------------- the command */

/* xcodec bench: finds the benchmark by its name and runs it. */

static const xc_cli_benchmark *const benchmarks[] = {
	&xc_cli_bench_codec,
#ifdef XC_HAVE_LAB
	&xc_cli_bench_transforms,
#endif
	&xc_cli_bench_gpu,
};

enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static int run_named(const xc_cli_command *self, int argc, char **argv)
{
	xc_cli_command all = *self; /* whose name is printed before the options */
	xc_cli_group groups[BENCHMARKS + 1] = {{NULL, NULL, NULL}};
	int operands, status, g = 0;

	for (int i = 0; argc > 1 && i < BENCHMARKS; i++)
		if (!strcmp(argv[1], benchmarks[i]->name))
			return benchmarks[i]->run(self, argc, argv);
	if (argc > 1 && argv[1][0] != '-')
		return xc_cli_misuse(self, "no benchmark '%s'", argv[1]);
	/* Without a benchmark, --help is the only option. */
	all.name = "bench codec|" XC_CLI_IF_LAB("transforms|") "gpu";
	for (int i = 0; i < BENCHMARKS; i++)
		if (benchmarks[i]->options)
			groups[g++] = (xc_cli_group){benchmarks[i]->summary, benchmarks[i]->options, NULL};
	if (argc > 1 && !xc_cli_asks_for_help(argv[1]))
		return xc_cli_misuse(self, "the benchmark comes first");
	status = argc > 1 ? xc_cli_parse(&all, groups, argc, argv, &operands) : -1;
	return status >= 0 ? status : xc_cli_misuse(self, "wants the name of a benchmark");
}

const xc_cli_command xc_cli_bench = {
	.name = "bench",
	.operands = "[PICTURE...]",
	.summary = "measure how fast the codec" XC_CLI_IF_LAB(", the transforms") " and the GPU are",
	.description =
		"Measures on this machine and prints tables. What is compared runs in turn, "
		"round by round, so that whatever else the machine does hits all alike; the "
		"first round does not count. codec: every stage of encoder and decoder, and all "
		"of it against libjpeg, with the pictures laid out on a large one (default a "
		"picture of its own). " XC_CLI_IF_LAB(
			"transforms: the algorithms of 'xcodec transform', with options of its own (see "
			"'xcodec bench transforms --help'). ") "gpu: the codec on a GPU.",
	.run = run_named,
};
