/* SPDX-License-Identifier: BSD-2-Clause */
/* The program bench/tools/lapped_speed: see bench/README.md. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/tiled.h"
#include "cli/base/clock.h"

enum { TRANSFORMS = 3, TASKS = 3 };

static const struct {
	const char *name;
	int quality;
	xc_subsampling subsampling;
} cases[] = {
	{"quality 75, 4:2:0", 75, XC_SUBSAMPLING_420},
	{"quality 90, 4:4:4", 90, XC_SUBSAMPLING_444},
	{"quality 75, grey", 75, XC_SUBSAMPLING_GREY},
};

/* Of the thread, so that other programs take nothing but the caches. */
static double seconds(void)
{
	return xc_cli_seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static void need(xc_context *c, xc_status s)
{
	if (s) {
		fprintf(stderr, "lapped_speed: %s\n", xc_context_message(c));
		exit(1);
	}
}

static void keep_least(double *least, double time)
{
	if (*least <= 0 || time < *least)
		*least = time;
}

/* Encodes with built-in and with optimized codes, decodes. */
static void run_once(xc_context *c, const xc_picture *p, const xc_encode_options *options,
                     xc_picture *out, double least[TASKS])
{
	xc_encode_options o = *options;
	xc_buffer file;
	o.huffman = XC_HUFFMAN_DEFAULT;
	double start = seconds();
	need(c, xc_encode(c, p, NULL, &o, &file));
	keep_least(&least[0], seconds() - start);
	xc_buffer_free(c, &file);
	o.huffman = XC_HUFFMAN_OPTIMIZED;
	start = seconds();
	need(c, xc_encode(c, p, NULL, &o, &file));
	keep_least(&least[1], seconds() - start);
	start = seconds();
	need(c, xc_decode(c, file.data, file.size, NULL, out));
	keep_least(&least[2], seconds() - start);
	xc_buffer_free(c, &file);
}

static void one_case(xc_context *c, const xc_picture *p, size_t which, int rounds)
{
	static const char *const transforms[TRANSFORMS] = {"DCT", "LOT", "TDLT"};
	double least[TRANSFORMS][TASKS] = {{0}};
	xc_picture out = {0};
	/* Taking turns, the first round not counted. */
	for (int r = 0; r <= rounds; r++) {
		for (int t = 0; t < TRANSFORMS; t++) {
			double uncounted[TASKS] = {0};
			xc_encode_options o;
			xc_encode_options_default(&o);
			o.quality = cases[which].quality;
			o.subsampling = cases[which].subsampling;
			o.transform = (xc_transform)t;
			run_once(c, p, &o, &out, r ? least[t] : uncounted);
		}
	}
	xc_picture_free(c, &out);
	const double pixels = 1e-6 * p->width * p->height;
	printf("  %s, %s\n", cases[which].name, xc_context_cpu(c));
	for (int t = 0; t < TRANSFORMS; t++) {
		printf("    %-8s", transforms[t]);
		for (int i = 0; i < TASKS; i++)
			printf(" %9.1f %4.0f %%", pixels / least[t][i], 100 * least[0][i] / least[t][i]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	xc_context *c = xc_context_new(NULL);
	char message[XC_FILE_MESSAGE];
	xc_picture p;
	int option, rounds = 7;
	if (!c)
		return 1;
	while ((option = getopt(argc, argv, "r:c:")) != -1) {
		if (option == 'c')
			need(c, xc_context_set_cpu(c, optarg));
		else if (option != 'r' || (rounds = atoi(optarg)) < 1)
			optind = argc;
	}
	if (optind >= argc) {
		fputs("usage: lapped_speed [-r ROUNDS] [-c LEVEL] PICTURE...\n", stderr);
		return 2;
	}
	if (xc_bench_tile((const char *const *)argv + optind, argc - optind, 4608, 4096, &p, message)) {
		fprintf(stderr, "lapped_speed: %s\n", message);
		return 1;
	}
	need(c, xc_context_set_threads(c, 1));
	printf(
		"Mpixel/s of processor time, one thread, %ux%u, least of %d; per cent of the DCT's speed\n",
		(unsigned)p.width, (unsigned)p.height, rounds);
	printf("    %-8s %16s %16s %16s\n", "", "encode, built-in", "optimized", "decode");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		one_case(c, &p, i, rounds);
	free(p.data);
	xc_context_free(c);
	return 0;
}
