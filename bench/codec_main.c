/* SPDX-License-Identifier: BSD-2-Clause */
/* The program bench/codec: see bench/README.md. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bench/codec.h"
#include "bench/tiled.h"

enum { CASES = 16 };

typedef struct arguments {
	xc_bench_codec_options options;
	uint32_t width, height;
	int quality[CASES];
	xc_subsampling subsampling[CASES];
	int cases;
	int json;
} arguments;

static int usage(FILE *f)
{
	fprintf(f, "usage: codec [-s WIDTHxHEIGHT] [-r ROUNDS] [-t THREADS] [-c LEVEL]\n"
	           "             [-q QUALITY:420|422|444|grey]... [--json] PICTURE...\n");
	return f == stdout ? 0 : 2;
}

/* "75:420" */
static int add_case(arguments *a, const char *text)
{
	static const char *const names[] = {"420", "422", "444", "grey"};
	char *end;
	const long quality = strtol(text, &end, 10);
	if (a->cases == CASES || quality < 1 || quality > 100 || *end != ':')
		return 0;
	for (int s = 0; s < 4; s++) {
		if (!strcmp(end + 1, names[s])) {
			a->quality[a->cases] = (int)quality;
			a->subsampling[a->cases++] = (xc_subsampling)s;
			return 1;
		}
	}
	return 0;
}

/* 1: understood. */
static int parse(int argc, char **argv, arguments *a)
{
	static const struct option longer[] = {{"json", no_argument, NULL, 'j'}, {NULL, 0, NULL, 0}};
	int option;
	while ((option = getopt_long(argc, argv, "s:r:t:c:q:", longer, NULL)) != -1) {
		if (option == 's' && xc_bench_parse_size(optarg, &a->width, &a->height))
			continue;
		if (option == 'r' && (a->options.rounds = atoi(optarg)) > 0)
			continue;
		if (option == 't' && (a->options.threads = atoi(optarg)) > 0)
			continue;
		if (option == 'q' && add_case(a, optarg))
			continue;
		if (option == 'c')
			a->options.cpu = optarg;
		else if (option == 'j')
			a->json = 1;
		else
			return 0;
	}
	return optind < argc;
}

static int run(arguments *a)
{
	char message[XC_BENCH_MESSAGE];
	xc_cli_json json;
	if (a->json) {
		xc_cli_json_start(&json, stdout);
		xc_cli_json_array(&json, NULL);
	}
	for (int i = 0; i < a->cases; i++) {
		xc_bench_codec_result r;
		a->options.quality = a->quality[i];
		a->options.subsampling = a->subsampling[i];
		if (xc_bench_codec(&a->options, &r, message)) {
			fprintf(stderr, "codec: %s\n", message);
			return 1;
		}
		if (a->json)
			xc_bench_codec_json(&json, NULL, &r);
		else
			xc_bench_codec_print(stdout, &r);
		fflush(stdout);
	}
	if (a->json)
		xc_cli_json_end_array(&json);
	return ferror(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	arguments a = {.options = {.rounds = 7, .threads = 2, .cpu = "auto"},
	               .width = 4608, .height = 4096};
	char message[XC_FILE_MESSAGE];
	xc_picture p;
	if (!parse(argc, argv, &a))
		return usage(stderr);
	if (!a.cases && (!add_case(&a, "75:420") || !add_case(&a, "90:444")))
		return 1;
	if (xc_bench_tile((const char *const *)argv + optind, argc - optind, a.width, a.height, &p,
	                  message)) {
		fprintf(stderr, "codec: %s\n", message);
		return 1;
	}
	a.options.picture = &p;
	const int status = run(&a);
	free(p.data);
	return status;
}
