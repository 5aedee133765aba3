/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/codec.h"

static const char *const task_names[XC_BENCH_TASKS] = {
	"libjpeg encode, default tables", "libjpeg encode, optimized", "libjpeg decode",
	"encode, default tables",         "encode, optimized",         "decode",
	"encode, default tables",         "encode, optimized",         "decode",
};

static const char *const json_names[XC_BENCH_TASKS] = {
	"jpeg_encode_default",    "jpeg_encode_optimized",    "jpeg_decode",
	"encode_default",         "encode_optimized",         "decode",
	"threads_encode_default", "threads_encode_optimized", "threads_decode",
};

static const char *const subsamplings[] = {"4:2:0", "4:2:2", "4:4:4", "grey"};
static const char *const transforms[] = {"DCT", "LOT", "TDLT"};
static const char *const transform_keys[] = {"dct", "lot", "tdlt"};

/* The ratios that matter. */
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

static double megapixels(const xc_bench_codec_result *r)
{
	return (double)r->options.picture->width * r->options.picture->height / 1e6;
}

void xc_bench_codec_print(FILE *f, const xc_bench_codec_result *r)
{
	const xc_bench_codec_options *o = &r->options;
	fprintf(f, "%ux%u, quality %d, %s, %s, SIMD level %s, %d runs\n", (unsigned)o->picture->width,
	        (unsigned)o->picture->height, o->quality, subsamplings[o->subsampling],
	        transforms[o->transform], r->cpu, o->rounds);
	fprintf(f, "  %-32s %7s %10s %10s %9s\n", "", "threads", "least ms", "median ms", "MP/s");
	for (int t = 0; t < XC_BENCH_TASKS; t++) {
		if (r->time[t].least > 0)
			fprintf(f, "  %-32s %7d %10.2f %10.2f %9.1f\n", task_names[t],
			        t > XC_BENCH_DECODE ? o->threads : 1, r->time[t].least * 1e3,
			        r->time[t].median * 1e3, megapixels(r) / r->time[t].least);
	}
	fprintf(f, "  %-46s %8s %8s\n", "times as fast", "least", "median");
	for (int i = 0; i < RATIOS; i++) {
		const double least = xc_bench_speedup(r, ratios[i].peer, ratios[i].task, 0);
		if (least > 0)
			fprintf(f, "  %-46s %8.2f %8.2f\n", ratios[i].name, least,
			        xc_bench_speedup(r, ratios[i].peer, ratios[i].task, 1));
	}
	fprintf(f, "  %zu bytes, PSNR %.2f dB", r->bytes, r->psnr);
	if (r->jpeg_bytes)
		fprintf(f, "; libjpeg %zu bytes, %.2f dB; %.2f %% of its size", r->jpeg_bytes, r->jpeg_psnr,
		        100.0 * (double)r->bytes / (double)r->jpeg_bytes);
	fprintf(f, "\n");
	xc_bench_codec_print_stages(f, r);
}

static void json_pair(xc_cli_json *j, const char *key, double least, double median)
{
	xc_cli_json_inline_object(j, key);
	xc_cli_json_number(j, "least", least);
	xc_cli_json_number(j, "median", median);
	xc_cli_json_end_object(j);
}

void xc_bench_codec_json(xc_cli_json *j, const char *key, const xc_bench_codec_result *r)
{
	const xc_bench_codec_options *o = &r->options;
	xc_cli_json_object(j, key);
	xc_cli_json_integer(j, "width", o->picture->width);
	xc_cli_json_integer(j, "height", o->picture->height);
	xc_cli_json_integer(j, "quality", (uint64_t)o->quality);
	xc_cli_json_text(j, "subsampling", subsamplings[o->subsampling]);
	xc_cli_json_text(j, "transform", transform_keys[o->transform]);
	xc_cli_json_text(j, "cpu", r->cpu);
	xc_cli_json_integer(j, "runs", (uint64_t)o->rounds);
	xc_cli_json_integer(j, "threads", (uint64_t)o->threads);
	xc_cli_json_object(j, "seconds");
	for (int t = 0; t < XC_BENCH_TASKS; t++)
		if (r->time[t].least > 0)
			json_pair(j, json_names[t], r->time[t].least, r->time[t].median);
	xc_cli_json_end_object(j);
	xc_cli_json_object(j, "times_as_fast");
	for (int i = 0; i < RATIOS; i++) {
		const double least = xc_bench_speedup(r, ratios[i].peer, ratios[i].task, 0);
		if (least > 0)
			json_pair(j, ratios[i].key, least,
			          xc_bench_speedup(r, ratios[i].peer, ratios[i].task, 1));
	}
	xc_cli_json_end_object(j);
	xc_cli_json_integer(j, "bytes", r->bytes);
	xc_cli_json_number(j, "psnr", r->psnr);
	if (r->jpeg_bytes) {
		xc_cli_json_integer(j, "jpeg_bytes", r->jpeg_bytes);
		xc_cli_json_number(j, "jpeg_psnr", r->jpeg_psnr);
	}
	xc_bench_codec_json_stages(j, r);
	xc_cli_json_end_object(j);
}
