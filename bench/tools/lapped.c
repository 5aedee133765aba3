/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares what lapped transforms save in bits; bench/README.md describes its options. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/bd.h"
#include "bench/tiled.h"

#define XC_V double
#include "transform/lapped8.h"

enum { VARIANTS = 8 };

/* A transform with tables.  The others are compared with the first one. */
typedef struct variant {
	const char *name;
	xc_transform transform;
	xc_quant_tables tables;
	double psnr_rate, ssim_rate; /* sums over pictures */
	double jumps, error_jumps;   /* sums of the excess at block edges at quality 10 */
} variant;

typedef struct bench {
	xc_context *context;
	variant variants[VARIANTS];
	int count, pictures;
	xc_subsampling subsampling;
	double least, most; /* bits a pixel */
} bench;

static const int qualities[] = {2,  3,  5,  7,  10, 14, 18, 23, 29, 35, 42, 50, 57,
                                64, 70, 75, 80, 84, 87, 90, 92, 94, 95, 96, 97, 98};
enum { QUALITIES = sizeof qualities / sizeof *qualities };

_Noreturn static void die(const char *what, const char *why)
{
	fprintf(stderr, "lapped: %s: %s\n", what, why);
	exit(1);
}

/* "tdlt", "tdlt:annex-k" or "tdlt:FILE"; the tables are flat if none are named. */
static void add_variant(bench *b, const char *text)
{
	static const char *const names[] = {"dct", "lot", "tdlt"};
	const char *tables = strchr(text, ':');
	const size_t n = tables ? (size_t)(tables - text) : strlen(text);
	variant *v = &b->variants[b->count];
	int t = 0;
	while (t < 3 && (strlen(names[t]) != n || strncmp(text, names[t], n)))
		t++;
	if (t == 3 || b->count == VARIANTS)
		die(text, "no such transform, or too many");
	*v = (variant){.name = text, .transform = (xc_transform)t};
	xc_quant_tables_flat(&v->tables);
	if (tables && !strcmp(tables + 1, "annex-k")) {
		xc_quant_tables_annex_k(&v->tables);
	} else if (tables && strcmp(tables + 1, "flat")) {
		size_t size;
		uint8_t *file = xc_bench_read_file(tables + 1, &size);
		if (!file)
			die(tables + 1, "cannot be read");
		if (xc_quant_tables_parse(b->context, (const char *)file, size, &v->tables))
			die(tables + 1, xc_context_message(b->context));
		free(file);
	}
	b->count++;
}

static void try_quality(const bench *b, const variant *v, const xc_picture *p, int quality,
                        double *rate, xc_picture *out)
{
	xc_encode_options o;
	xc_buffer file;
	xc_encode_options_jpeg(&o);
	o.quality = quality;
	o.transform = v->transform;
	o.subsampling = b->subsampling;
	o.tables = v->tables;
	memset(out, 0, sizeof *out);
	if (xc_encode(b->context, p, NULL, &o, &file) ||
	    xc_decode(b->context, file.data, file.size, NULL, out))
		die(v->name, xc_context_message(b->context));
	*rate = 8.0 * (double)file.size / ((double)p->width * p->height);
	xc_buffer_free(b->context, &file);
}

/* ------------------------------------------------------------ block edges */

static double luma(const xc_picture *p, uint32_t x, uint32_t y)
{
	const uint8_t *s = (const uint8_t *)p->data + y * p->stride + (size_t)x * p->channels;
	return p->channels < 3 ? s[0] : 0.299 * s[0] + 0.587 * s[1] + 0.114 * s[2];
}

/* By how much the mean squared difference of neighbours on two sides of a block edge exceeds
 * that of neighbours inside a block: in the picture, or in its error if original is not NULL. */
static double excess(const xc_picture *p, const xc_picture *original)
{
	double sum[2] = {0, 0}, n[2] = {0, 0};
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			const double here = luma(p, x, y) - (original ? luma(original, x, y) : 0);
			for (int down = 0; down < 2; down++) {
				const uint32_t x2 = x - !down, y2 = y - (uint32_t)down;
				if (down ? y == 0 : x == 0)
					continue;
				const double d = here - luma(p, x2, y2) + (original ? luma(original, x2, y2) : 0);
				const int edge = (down ? y : x) % 8 == 0;
				sum[edge] += d * d;
				n[edge]++;
			}
		}
	}
	return sum[1] / n[1] - sum[0] / n[0];
}

/* ---------------------------------------------------------------- pictures */

static void measure(bench *b, const xc_picture *p)
{
	xc_sweep_curve psnr[VARIANTS] = {{0}}, ssim[VARIANTS] = {{0}};
	for (int i = 0; i < b->count; i++) {
		variant *v = &b->variants[i];
		for (int q = 0; q < QUALITIES; q++) {
			xc_picture out;
			xc_comparison c;
			double rate;
			try_quality(b, v, p, qualities[q], &rate, &out);
			if (xc_compare(b->context, p, &out, &c))
				die(v->name, xc_context_message(b->context));
			xc_sweep_curve_add(&psnr[i], rate, c.psnr_y);
			xc_sweep_curve_add(&ssim[i], rate, xc_sweep_ssim_decibels(c.ssim_y));
			if (qualities[q] == 10) {
				v->jumps += excess(&out, NULL);
				v->error_jumps += excess(&out, p);
			}
			xc_picture_free(b->context, &out);
		}
		v->psnr_rate += xc_sweep_compare(&psnr[0], &psnr[i], b->least, b->most).percent;
		v->ssim_rate += xc_sweep_compare(&ssim[0], &ssim[i], b->least, b->most).percent;
	}
	b->pictures++;
}

/* ------------------------------------------------------------- coding gain */

enum { LINE = 64 };

static void forward_line(xc_transform t, double x[LINE])
{
	static const double scale[8] = XC_AAN_SCALES;
	for (int i = 4; t != XC_TRANSFORM_DCT && i < LINE - 4; i += 8)
		(t == XC_TRANSFORM_LOT ? xc_lot8_forward_edge : xc_tdlt8_forward_edge)(x + i);
	for (int i = 0; i < LINE; i++) {
		if (i % 8 == 0)
			(t == XC_TRANSFORM_LOT ? xc_lot8_forward_block : xc_dct8_forward)(x + i);
		if (t != XC_TRANSFORM_LOT)
			x[i] /= 2 * sqrt(2) * scale[i % 8];
	}
}

/* The gain of a block in the middle, in dB, for an AR(1) source of 0.95. */
static double coding_gain(xc_transform t)
{
	static double columns[LINE][LINE];
	double sum = 0;
	for (int i = 0; i < LINE; i++) {
		memset(columns[i], 0, sizeof columns[i]);
		columns[i][i] = 1;
		forward_line(t, columns[i]);
	}
	for (int k = 24; k < 32; k++) {
		double variance = 0;
		for (int i = 0; i < LINE; i++)
			for (int j = 0; j < LINE; j++)
				variance += columns[i][k] * columns[j][k] * pow(0.95, abs(i - j));
		sum += log10(variance);
	}
	return -10 * sum / 8;
}

static void report(const bench *b)
{
	printf("%d pictures, %s, %g to %g bits a pixel; in per cent of bits against %s\n", b->pictures,
	       b->subsampling == XC_SUBSAMPLING_GREY ? "grey" : "4:2:0", b->least, b->most,
	       b->variants[0].name);
	printf("  %-24s %10s %10s   %-25s %12s\n", "", "at equal", "at equal",
	       "excess at edges at q 10", "coding gain");
	printf("  %-24s %10s %10s   %12s %12s %12s\n", "", "PSNR-Y", "SSIM-Y", "of picture", "of error",
	       "0.95, dB");
	for (int i = 0; i < b->count; i++) {
		const variant *v = &b->variants[i];
		printf("  %-24s %10.2f %10.2f   %12.3f %12.3f %12.4f\n", v->name,
		       v->psnr_rate / b->pictures, v->ssim_rate / b->pictures, v->jumps / b->pictures,
		       v->error_jumps / b->pictures, coding_gain(v->transform));
	}
}

static int usage(FILE *f)
{
	fputs("usage: lapped [-v TRANSFORM[:flat|:annex-k|:FILE]]... [-c] [-l LEAST] [-m MOST]\n"
	      "              PICTURE...\n",
	      f);
	return f == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
	bench b = {.context = xc_context_new(NULL),
	           .subsampling = XC_SUBSAMPLING_GREY,
	           .least = 0.2,
	           .most = 2};
	int option;
	if (!b.context)
		die("context", "out of memory");
	while ((option = getopt(argc, argv, "v:cl:m:h")) != -1) {
		switch (option) {
		case 'v':
			add_variant(&b, optarg);
			break;
		case 'c':
			b.subsampling = XC_SUBSAMPLING_420;
			break;
		case 'l':
			b.least = atof(optarg);
			break;
		case 'm':
			b.most = atof(optarg);
			break;
		case 'h':
			return usage(stdout);
		default:
			return usage(stderr);
		}
	}
	if (optind == argc)
		return usage(stderr);
	if (!b.count) {
		add_variant(&b, "dct");
		add_variant(&b, "lot");
		add_variant(&b, "tdlt");
	}
	for (int i = optind; i < argc; i++) {
		char message[XC_FILE_MESSAGE];
		xc_file_picture p;
		if (xc_bench_read_picture(argv[i], &p, message))
			die("picture", message);
		if (p.picture.depth != 8)
			die(argv[i], "not of 8 bits");
		measure(&b, &p.picture);
		xc_file_picture_free(&p);
	}
	report(&b);
	xc_context_free(b.context);
	return 0;
}
