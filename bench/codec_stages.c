/* SPDX-License-Identifier: BSD-2-Clause */
/* From the pipeline's beginnings to the times of its stages, and their report. */
#include "bench/codec.h"

/* A stage lasts from one beginning to another; NONE: from the start; WHOLE: to the end
 * of the codec's own call. */
enum { NONE = -1, WHOLE = -2 };

typedef struct stage {
	const char *name, *key;
	int to, from, less; /* parts; `less` is taken off as well */
} stage;

enum { STAGES = 7 };

typedef struct pipeline {
	const char *name, *key;
	xc_bench_task whole[2]; /* with one thread and with all */
	stage stages[STAGES];
} pipeline;

#define COMMON \
	{"colour, subsampling", "colour", XC_PART_COLOUR, NONE, NONE}, \
		{"transform, quantization", "transform", XC_PART_TRANSFORM, XC_PART_COLOUR, NONE}, \
	{ \
		"tokens", "tokens", XC_PART_TOKENS, XC_PART_TRANSFORM, NONE \
	}

/* clang-format off */
static const pipeline pipelines[] = {
	{"encode, optimized tables", "encode_optimized",
	 {XC_BENCH_OPTIMIZED, XC_BENCH_MORE_OPTIMIZED},
	 {COMMON,
	  {"statistics", "statistics", XC_PART_COUNT, XC_PART_TOKENS, NONE},
	  {"tables", "tables", XC_PART_TABLES, NONE, NONE},
	  {"coding", "coding", XC_PART_CODE, XC_PART_COUNT, XC_PART_TABLES},
	  {"CRC, placement, set-up", "rest", WHOLE, XC_PART_CODE, NONE}}},
	{"encode, default tables", "encode_default", {XC_BENCH_DEFAULT, XC_BENCH_MORE_DEFAULT},
	 {COMMON,
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
	return r->options.least ? t->least : t->median;
}

static double seconds(const xc_bench_codec_result *r, const pipeline *p, int many, const stage *s)
{
	return part(r, p, many, s->to) - part(r, p, many, s->from) - part(r, p, many, s->less);
}

static double pixels(const xc_bench_codec_result *r)
{
	return (double)r->options.picture->width * r->options.picture->height;
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

void xc_bench_codec_print_stages(FILE *f, const xc_bench_codec_result *r)
{
	fprintf(f,
	        "  Stages, by %s: what the pipeline cut off behind a stage takes more than\n"
	        "  cut off before it. Cycles are those of a pixel, at %.2f GHz as measured.\n",
	        r->options.least ? "least times" : "medians", r->hertz / 1e9);
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

void xc_bench_codec_json_stages(xc_cli_json *j, const xc_bench_codec_result *r)
{
	xc_cli_json_number(j, "hertz", r->hertz);
	xc_cli_json_text(j, "stages_timed_as",
	                 r->options.least
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
