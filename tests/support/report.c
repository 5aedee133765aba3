/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a report of a small sweep, for tests/command/report.sh:
 *
 * 	report PAGE.html PICTURE.png...
 * 	report --hostile PAGE.html PICTURE.png...
 *
 * With --hostile the names are such as could break a page, and some measures are
 * infinite or missing.
 */
#include "formats/formats.h"
#include "sweep/results.h"
#include "tests/support/bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIGS = 3, MAX_PICTURES = 32, MAX_BYTES = 1 << 24 };
static const int qualities[] = {5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90};
enum { QUALITIES = sizeof qualities / sizeof *qualities };

typedef struct sweep {
	xc_context *context;
	int hostile;
	int pictures;
	const char *path[MAX_PICTURES];
	char name[MAX_PICTURES][64];
	xc_sweep_picture picture[MAX_PICTURES];
	xc_sweep_config config[CONFIGS];
	xc_sweep_point *point;
	size_t points;
	xc_file_picture original; /* the one at hand */
	xc_picture decoded;
} sweep;

static void die(const char *what)
{
	fprintf(stderr, "report: %s\n", what);
	exit(1);
}

static void load(sweep *s, int picture)
{
	char message[XC_FILE_MESSAGE];
	FILE *file = fopen(s->path[picture], "rb");
	OWN_MEMORY uint8_t *bytes = malloc(MAX_BYTES);
	size_t size;

	if (!file || !bytes)
		die(s->path[picture]);
	size = fread(bytes, 1, MAX_BYTES, file);
	fclose(file);
	xc_picture_free(s->context, &s->decoded);
	xc_file_picture_free(&s->original);
	if (xc_file_read(bytes, size, NULL, NULL, &s->original, message))
		die(message);
}

static xc_encode_options options_of(uint32_t config, double quality)
{
	xc_encode_options options;

	if (config == 0)
		xc_encode_options_jpeg(&options);
	else
		xc_encode_options_default(&options);
	options.mode = XC_MODE_LOSSY;
	if (config == 1)
		options.transform = XC_TRANSFORM_DCT;
	options.quality = (int)quality;
	return options;
}

/* Codes the picture at hand, leaves the result in s->decoded, and returns how
 * many bytes it took. */
static uint64_t code(sweep *s, uint32_t config, double quality)
{
	const xc_encode_options options = options_of(config, quality);
	xc_buffer file;

	if (xc_encode(s->context, &s->original.picture, NULL, &options, &file) ||
	    xc_decode(s->context, file.data, file.size, NULL, &s->decoded))
		die(xc_context_message(s->context));
	const uint64_t bytes = file.size;
	xc_buffer_free(s->context, &file);
	return bytes;
}

static void measure(sweep *s, xc_sweep_point *p)
{
	xc_comparison c;
	double ms_ssim = NAN, score = NAN, distance = NAN, largest;

	p->bytes = code(s, p->config, p->quality);
	if (xc_compare(s->context, &s->original.picture, &s->decoded, &c) ||
	    xc_ms_ssim(s->context, &s->original.picture, &s->decoded, &ms_ssim) ||
	    xc_ssimulacra2(s->context, &s->original.picture, &s->decoded, 0, &score) ||
	    xc_butteraugli(s->context, &s->original.picture, &s->decoded, 0, &distance, &largest))
		die(xc_context_message(s->context));
	const double metric[XC_SWEEP_METRICS] =
		{score,    distance, c.ssim_y,          ms_ssim,           c.psnr_rgb,
	     c.psnr_y, NAN,      c.psnr_channel[0], c.psnr_channel[1], c.psnr_channel[2]};
	memcpy(p->metric, metric, sizeof metric);
	p->encode_seconds = 1e-8 * s->original.picture.width * s->original.picture.height;
	p->decode_seconds = p->config == 2 ? NAN : p->encode_seconds / 3;
	if (s->hostile && p->quality > 85)
		p->metric[XC_SWEEP_PSNR_RGB] = INFINITY;
}

static void sweep_picture(sweep *s, int picture)
{
	const xc_picture *shape = &s->original.picture;

	load(s, picture);
	s->picture[picture] = (xc_sweep_picture){s->name[picture], shape->width, shape->height,
	                                         shape->channels,  shape->depth, 255};
	for (int i = 0; i < CONFIGS * QUALITIES; i++) {
		xc_sweep_point *p = &s->point[s->points++];

		*p = (xc_sweep_point){.picture = (uint32_t)picture,
		                      .config = (uint32_t)(i / QUALITIES),
		                      .quality = qualities[i % QUALITIES]};
		measure(s, p);
	}
}

static int give_original(void *user, uint32_t picture, xc_picture *out)
{
	sweep *s = user;

	load(s, (int)picture);
	*out = s->original.picture;
	return 0;
}

static int give_decoded(void *user, xc_sweep_point *point, xc_picture *decoded)
{
	sweep *s = user;

	measure(s, point);
	if (decoded)
		*decoded = s->decoded;
	return 0;
}

static void name_things(sweep *s)
{
	static const xc_sweep_config good[CONFIGS] = {
		{"jpeg-like", "--preset jpeg", NULL},
		{"dct", "--transform dct", NULL},
		{"tdlt", "--transform tdlt", NULL},
	};
	static const xc_sweep_config bad[CONFIGS] = {
		{"</script><b>\"x\" & 'y'", "<!--<script>", NULL},
		{"\xff\xc0\x80 @@data@@ ]]>", "\x01\x1b[31m\t\n", NULL},
		{"a name that is longer than any legend would ever show in one of its lines",
	     "\xef\xbf\xbf", NULL},
	};

	memcpy(s->config, s->hostile ? bad : good, sizeof good);
	for (int i = 0; i < s->pictures; i++) {
		const char *slash = strrchr(s->path[i], '/');
		snprintf(s->name[i], sizeof s->name[i], "%s%s",
		         s->hostile ? "</script><b onclick=\"alert(1)\">\xe2\x28" : "",
		         slash ? slash + 1 : s->path[i]);
	}
}

static void write_all(sweep *s, const char *page)
{
	const xc_sweep_results results = {s->picture,          s->config, s->point,
	                                  (size_t)s->pictures, CONFIGS,   s->points};
	const xc_sweep_viewer viewer = {give_original, give_decoded, s, 0};
	FILE *html = fopen(page, "wb");
	xc_sweep_bd_table bd;

	if (!html || xc_sweep_bd_table_make(&bd, &results))
		die("cannot write");
	if (xc_sweep_html(html, &results, &bd, &viewer))
		die("cannot make the report");
	if (fclose(html))
		die("cannot write");
	xc_sweep_bd_table_free(&bd);
}

int main(int argc, char **argv)
{
	static sweep s;

	s.hostile = argc > 1 && strcmp(argv[1], "--hostile") == 0;
	argc -= s.hostile;
	argv += s.hostile;
	if (argc < 3 || argc - 2 > MAX_PICTURES)
		die("usage: report [--hostile] PAGE.html PICTURE...");
	s.context = xc_context_new(NULL);
	s.pictures = argc - 2;
	for (int i = 0; i < s.pictures; i++)
		s.path[i] = argv[2 + i];
	s.point = calloc((size_t)s.pictures * CONFIGS * QUALITIES, sizeof *s.point);
	if (!s.context || !s.point)
		die("out of memory");
	name_things(&s);
	for (int i = 0; i < s.pictures; i++)
		sweep_picture(&s, i);
	write_all(&s, argv[1]);
	free(s.point);
	xc_picture_free(s.context, &s.decoded);
	xc_file_picture_free(&s.original);
	xc_context_free(s.context);
	return 0;
}
