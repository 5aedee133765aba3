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
	XC_CLI_INT_OPTION("quality", 'q', IN(codec.quality), 1, 100,
		"1 to 100; default 75, or 75 with 4:2:0 and then 90 with 4:4:4 if neither --quality nor --subsampling is "
		"given"),
	XC_CLI_CHOICE_OPTION("subsampling", 's', IN(codec.subsampling), subsamplings,
		"resolution of the colour; default 420"),
	XC_CLI_CHOICE_OPTION("transform", 0, IN(codec.transform), xc_cli_transforms,
		"block transform, or a lapped one; default dct"),
	XC_CLI_CUSTOM_OPTION("size", 0, IN(size), parse_size, "WxH",
		"size of the picture that the given ones are laid out on; default 4608x4096"),
	XC_CLI_TEXT_OPTION("level", 0, IN(codec.cpu), "auto|scalar|sse2|avx2|avx512|neon",
		"vector instructions; default the best of this processor"),
	XC_CLI_INT_OPTION("runs", 'n', IN(codec.rounds), 1, 10000, "runs of everything; default 7"),
	XC_CLI_INT_OPTION("threads", 't', IN(codec.threads), 0, 1024,
		"threads of what is not done in one; 0, the default, is one a processor"),
	XC_CLI_FLAG_OPTION("least", 0, IN(codec.min), 1,
		"stages by the least times instead of the medians, for a busy machine"),
	XC_CLI_FLAG_OPTION("json", 'j', IN(json), 1, "print JSON"),
	{ .name = NULL }
};
/* clang-format on */

static const struct {
	const char *name, *key;
} tasks[XC_BENCH_TASKS] = {
	{"libjpeg encode, default tables", "jpeg_encode_default"},
	{"libjpeg encode, optimized", "jpeg_encode_optimized"},
	{"libjpeg decode", "jpeg_decode"},
	{"encode, default tables", "encode_default"},
	{"encode, optimized", "encode_optimized"},
	{"decode", "decode"},
	{"encode, default tables", "threads_encode_default"},
	{"encode, optimized", "threads_encode_optimized"},
	{"decode", "threads_decode"},
};

/* The ratios of times that are printed. */
static const struct ratio {
	const char *name, *key;
	xc_bench_task peer, task;
} ratios[] = {
	{"encode, default tables, to libjpeg's default", "encode_default_to_jpeg_default",
     XC_BENCH_JPEG_DEFAULT, XC_BENCH_DEFAULT},
	{"encode, optimized, to libjpeg's optimized", "encode_optimized_to_jpeg_optimized",
     XC_BENCH_JPEG_OPTIMIZED, XC_BENCH_OPTIMIZED},
	{"encode, optimized, to libjpeg's default", "encode_optimized_to_jpeg_default",
     XC_BENCH_JPEG_DEFAULT, XC_BENCH_OPTIMIZED},
	{"decode, to libjpeg's", "decode_to_jpeg_decode", XC_BENCH_JPEG_DECODE, XC_BENCH_DECODE},
	{"encode, default tables, threads to one", "threads_encode_default", XC_BENCH_DEFAULT,
     XC_BENCH_MORE_DEFAULT},
	{"encode, optimized, threads to one", "threads_encode_optimized", XC_BENCH_OPTIMIZED,
     XC_BENCH_MORE_OPTIMIZED},
	{"decode, threads to one", "threads_decode", XC_BENCH_DECODE, XC_BENCH_MORE_DECODE},
};
enum { RATIOS = sizeof ratios / sizeof *ratios };

static double pixels(const xc_bench_codec_result *r)
{
	return (double)r->options.picture->width * r->options.picture->height;
}

/* ----------------------------------------------------------------- the stages */

/* A stage lasts from the end of one beginning of the pipeline (see codec.h) to that of
 * another.  NONE stands for the start, WHOLE for the end of the codec's own call. */
enum { NONE = -1, WHOLE = -2 };

typedef struct stage {
	const char *name, *key;
	int to, from, less; /* parts; `less` is subtracted as well */
} stage;

enum { STAGES = 7 };

typedef struct pipeline {
	const char *name, *key;
	xc_bench_task whole[2]; /* with one thread and with all */
	stage stages[STAGES];
} pipeline;

/* clang-format off */
static const pipeline pipelines[] = {
	{"encode, optimized tables", "encode_optimized",
	 {XC_BENCH_OPTIMIZED, XC_BENCH_MORE_OPTIMIZED},
	 {{"colour, subsampling", "colour", XC_PART_COLOUR, NONE, NONE},
	  {"transform, quantization", "transform", XC_PART_TRANSFORM, XC_PART_COLOUR, NONE},
	  {"tokens", "tokens", XC_PART_TOKENS, XC_PART_TRANSFORM, NONE},
	  {"statistics", "statistics", XC_PART_COUNT, XC_PART_TOKENS, NONE},
	  {"tables", "tables", XC_PART_TABLES, NONE, NONE},
	  {"coding", "coding", XC_PART_CODE, XC_PART_COUNT, XC_PART_TABLES},
	  {"CRC, placement, set-up", "rest", WHOLE, XC_PART_CODE, NONE}}},
	{"encode, default tables", "encode_default", {XC_BENCH_DEFAULT, XC_BENCH_MORE_DEFAULT},
	 {{"colour, subsampling", "colour", XC_PART_COLOUR, NONE, NONE},
	  {"transform, quantization", "transform", XC_PART_TRANSFORM, XC_PART_COLOUR, NONE},
	  {"tokens", "tokens", XC_PART_TOKENS, XC_PART_TRANSFORM, NONE},
	  {"coding", "coding", XC_PART_CODE_DEFAULT, XC_PART_TOKENS, NONE},
	  {"CRC, placement, set-up", "rest", WHOLE, XC_PART_CODE_DEFAULT, NONE}}},
	{"decode", "decode", {XC_BENCH_DECODE, XC_BENCH_MORE_DECODE},
	 {{"parsing, tables", "parsing", XC_PART_PARSE, NONE, NONE},
	  {"CRC", "crc", XC_PART_CHECK, NONE, NONE},
	  {"entropy decoding", "entropy", XC_PART_ENTROPY, XC_PART_CHECK, NONE},
	  {"dequantization, transform", "transform", XC_PART_INVERSE, XC_PART_ENTROPY, NONE},
	  {"upsampling, colour", "colour", XC_PART_OUTPUT, XC_PART_INVERSE, NONE},
	  {"set-up", "rest", WHOLE, XC_PART_OUTPUT, XC_PART_PARSE}}},
};
/* clang-format on */
enum { PIPELINES = sizeof pipelines / sizeof *pipelines };

static double part(const xc_bench_codec_result *r, const pipeline *p, int many, int which)
{
	if (which == NONE)
		return 0;
	const xc_bench_time *t = which == WHOLE ? &r->time[p->whole[many]] : &r->part[many][which];
	return r->options.min ? t->min : t->median;
}

static double seconds(const xc_bench_codec_result *r, const pipeline *p, int many, const stage *s)
{
	return part(r, p, many, s->to) - part(r, p, many, s->from) - part(r, p, many, s->less);
}

/* Cycles of one processor that a pixel takes. */
static double cycles(const xc_bench_codec_result *r, double time)
{
	return time * r->hertz / pixels(r);
}

static void print_line(FILE *f, const xc_bench_codec_result *r, const pipeline *p, const char *name,
                       const double time[2])
{
	fprintf(f, "    %-30s", name);
	for (int many = 0; many < (r->options.threads > 1 ? 2 : 1); many++)
		fprintf(f, " %9.2f %8.2f %6.1f %%", time[many] * 1e3, cycles(r, time[many]),
		        100 * time[many] / part(r, p, many, WHOLE));
	fprintf(f, "\n");
}

static void print_pipeline(FILE *f, const xc_bench_codec_result *r, const pipeline *p)
{
	fprintf(f, "  %-32s %9s %8s %8s", p->name, "ms", "cycles", "share");
	if (r->options.threads > 1)
		fprintf(f, " %9s %8s %8s", "ms", "cycles", "share");
	fprintf(f, "\n");
	for (int i = 0; i < STAGES && p->stages[i].name; i++) {
		const stage *s = &p->stages[i];
		const double time[2] = {seconds(r, p, 0, s), seconds(r, p, 1, s)};
		print_line(f, r, p, s->name, time);
	}
	const double whole[2] = {part(r, p, 0, WHOLE), part(r, p, 1, WHOLE)};
	print_line(f, r, p, "all of it", whole);
}

static void print_stages(FILE *f, const xc_bench_codec_result *r)
{
	fprintf(f,
	        "  Stages, by %s: what the pipeline cut off behind a stage takes more than\n"
	        "  cut off before it. Cycles are those of a pixel, at %.2f GHz as measured.\n",
	        r->options.min ? "least times" : "medians", r->hertz / 1e9);
	if (r->options.threads > 1)
		fprintf(f, "  %-32s %27s %20d threads\n", "", "1 thread", r->options.threads);
	for (int i = 0; i < PIPELINES; i++)
		print_pipeline(f, r, &pipelines[i]);
}

static void json_stage(xc_cli_json *j, const xc_bench_codec_result *r, const pipeline *p,
                       const char *key, int many, double time)
{
	xc_cli_json_inline_object(j, NULL);
	xc_cli_json_text(j, "pipeline", p->key);
	xc_cli_json_integer(j, "threads", many ? (uint64_t)r->options.threads : 1);
	xc_cli_json_text(j, "stage", key);
	xc_cli_json_number(j, "seconds", time);
	xc_cli_json_number(j, "cycles_per_pixel", cycles(r, time));
	xc_cli_json_number(j, "share", time / part(r, p, many, WHOLE));
	xc_cli_json_end_object(j);
}

static void json_stages(xc_cli_json *j, const xc_bench_codec_result *r)
{
	xc_cli_json_number(j, "hertz", r->hertz);
	xc_cli_json_text(j, "stages_timed_as",
	                 r->options.min
	                     ? "the pipeline cut off behind it less cut off before it, least times"
	                     : "the pipeline cut off behind it less cut off before it, medians");
	xc_cli_json_array(j, "stages");
	for (int i = 0; i < PIPELINES; i++) {
		const pipeline *p = &pipelines[i];
		for (int many = 0; many < (r->options.threads > 1 ? 2 : 1); many++) {
			for (int s = 0; s < STAGES && p->stages[s].name; s++)
				json_stage(j, r, p, p->stages[s].key, many, seconds(r, p, many, &p->stages[s]));
			json_stage(j, r, p, "all", many, part(r, p, many, WHOLE));
		}
	}
	xc_cli_json_end_array(j);
}

/* ------------------------------------------------------------------ all of it */

/* Prints a table for people, or one object for programs. */
static void print_text(FILE *f, const xc_bench_codec_result *r)
{
	const xc_bench_codec_options *o = &r->options;

	fprintf(f, "%ux%u, quality %d, %s, %s, SIMD level %s, %d runs\n", (unsigned)o->picture->width,
	        (unsigned)o->picture->height, o->quality,
	        xc_cli_name(XC_CLI_SUBSAMPLING, o->subsampling),
	        xc_cli_name(XC_CLI_TRANSFORM, o->transform), r->cpu, o->rounds);
	fprintf(f, "  %-32s %7s %10s %10s %9s\n", "", "threads", "least ms", "median ms", "MP/s");
	for (int t = 0; t < XC_BENCH_TASKS; t++) {
		if (r->time[t].min > 0)
			fprintf(f, "  %-32s %7d %10.2f %10.2f %9.1f\n", tasks[t].name,
			        t > XC_BENCH_DECODE ? o->threads : 1, r->time[t].min * 1e3,
			        r->time[t].median * 1e3, pixels(r) / 1e6 / r->time[t].min);
	}
	fprintf(f, "  %-46s %8s %8s\n", "times as fast", "least", "median");
	for (int i = 0; i < RATIOS; i++) {
		const double min = xc_bench_speedup(r, ratios[i].peer, ratios[i].task, 0);
		if (min > 0)
			fprintf(f, "  %-46s %8.2f %8.2f\n", ratios[i].name, min,
			        xc_bench_speedup(r, ratios[i].peer, ratios[i].task, 1));
	}
	fprintf(f, "  %zu bytes, PSNR %.2f dB", r->bytes, r->psnr);
	if (r->jpeg_bytes)
		fprintf(f, "; libjpeg %zu bytes, %.2f dB; %.2f %% of its size", r->jpeg_bytes, r->jpeg_psnr,
		        100.0 * (double)r->bytes / (double)r->jpeg_bytes);
	fprintf(f, "\n");
	print_stages(f, r);
}

static void json_pair(xc_cli_json *j, const char *key, double min, double median)
{
	xc_cli_json_inline_object(j, key);
	xc_cli_json_number(j, "least", min);
	xc_cli_json_number(j, "median", median);
	xc_cli_json_end_object(j);
}

static void print_json(xc_cli_json *j, const xc_bench_codec_result *r)
{
	const xc_bench_codec_options *o = &r->options;

	xc_cli_json_object(j, NULL);
	xc_cli_json_integer(j, "width", o->picture->width);
	xc_cli_json_integer(j, "height", o->picture->height);
	xc_cli_json_integer(j, "quality", (uint64_t)o->quality);
	xc_cli_json_text(j, "subsampling", xc_cli_name(XC_CLI_SUBSAMPLING, o->subsampling));
	xc_cli_json_text(j, "transform", xc_cli_transforms[o->transform].name);
	xc_cli_json_text(j, "cpu", r->cpu);
	xc_cli_json_integer(j, "runs", (uint64_t)o->rounds);
	xc_cli_json_integer(j, "threads", (uint64_t)o->threads);
	xc_cli_json_object(j, "seconds");
	for (int t = 0; t < XC_BENCH_TASKS; t++)
		if (r->time[t].min > 0)
			json_pair(j, tasks[t].key, r->time[t].min, r->time[t].median);
	xc_cli_json_end_object(j);
	xc_cli_json_object(j, "times_as_fast");
	for (int i = 0; i < RATIOS; i++) {
		const double min = xc_bench_speedup(r, ratios[i].peer, ratios[i].task, 0);
		if (min > 0)
			json_pair(j, ratios[i].key, min,
			          xc_bench_speedup(r, ratios[i].peer, ratios[i].task, 1));
	}
	xc_cli_json_end_object(j);
	xc_cli_json_integer(j, "bytes", r->bytes);
	xc_cli_json_number(j, "psnr", r->psnr);
	if (r->jpeg_bytes) {
		xc_cli_json_integer(j, "jpeg_bytes", r->jpeg_bytes);
		xc_cli_json_number(j, "jpeg_psnr", r->jpeg_psnr);
	}
	json_stages(j, r);
	xc_cli_json_end_object(j);
}

static int bench(const settings *s, xc_cli_json *json)
{
	xc_bench_codec_result result;

	if (xc_bench_codec(&s->codec, &result))
		return -1;
	if (s->json)
		print_json(json, &result);
	else
		print_text(stdout, &result);
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
