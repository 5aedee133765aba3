/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/codec.h"

#include <stdlib.h>
#include <string.h>

#include "bench/tiled.h"
#include "cli/base/clock.h"
#include "cli/base/report.h"

#ifdef XC_HAVE_LIBJPEG
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
#endif

/* libjpeg as a peer, used as cjpeg and djpeg do, but from memory to memory. */
typedef struct jpeg_peer {
	/* Encodes RGB of 8 bits.  optimized: with Huffman tables made for the picture.  Returns
	 * the number of bytes, or 0 after a failure.  The caller frees *out with free(). */
	unsigned long (*encode)(const xc_picture *picture, int quality, xc_subsampling subsampling,
	                        int optimized, unsigned char **out);
	/* Decodes to RGB of 8 bits; `out` must have the file's size.  Returns 1, or 0 after a
	 * failure. */
	int (*decode)(const unsigned char *data, unsigned long size, const xc_picture *out);
} jpeg_peer;

#ifdef XC_HAVE_LIBJPEG
/* An error in libjpeg jumps back to the caller. */
typedef struct escape {
	struct jpeg_error_mgr errors; /* first, because libjpeg passes a pointer to it */
	jmp_buf to;
} escape;

static void leave(j_common_ptr j)
{
	longjmp(((escape *)(void *)j->err)->to, 1);
}

static int compress(const xc_picture *p, int quality, xc_subsampling s, int optimized,
                    unsigned char **out, unsigned long *size)
{
	static const int h[4] = {2, 2, 1, 1}, v[4] = {2, 1, 1, 1};
	struct jpeg_compress_struct j;
	escape e;

	j.err = jpeg_std_error(&e.errors);
	e.errors.error_exit = leave;
	if (setjmp(e.to)) {
		jpeg_destroy_compress(&j);
		return 0;
	}
	jpeg_create_compress(&j);
	jpeg_mem_dest(&j, out, size);
	j.image_width = p->width;
	j.image_height = p->height;
	j.input_components = 3;
	j.in_color_space = JCS_RGB;
	jpeg_set_defaults(&j);
	if (s == XC_SUBSAMPLING_GREY)
		jpeg_set_colorspace(&j, JCS_GRAYSCALE);
	jpeg_set_quality(&j, quality, FALSE);
	j.comp_info[0].h_samp_factor = h[s];
	j.comp_info[0].v_samp_factor = v[s];
	j.optimize_coding = optimized ? TRUE : FALSE;
	jpeg_start_compress(&j, TRUE);
	while (j.next_scanline < j.image_height) {
		JSAMPROW row = (JSAMPROW)p->data + j.next_scanline * p->stride;
		jpeg_write_scanlines(&j, &row, 1);
	}
	jpeg_finish_compress(&j);
	jpeg_destroy_compress(&j);
	return 1;
}

static unsigned long encode(const xc_picture *picture, int quality, xc_subsampling subsampling,
                            int optimized, unsigned char **out)
{
	unsigned long size = 0;

	*out = NULL;
	if (compress(picture, quality, subsampling, optimized, out, &size))
		return size;
	free(*out);
	*out = NULL;
	return 0;
}

static int decode(const unsigned char *data, unsigned long size, const xc_picture *out)
{
	struct jpeg_decompress_struct j;
	escape e;

	j.err = jpeg_std_error(&e.errors);
	e.errors.error_exit = leave;
	if (setjmp(e.to)) {
		jpeg_destroy_decompress(&j);
		return 0;
	}
	jpeg_create_decompress(&j);
	jpeg_mem_src(&j, data, size);
	jpeg_read_header(&j, TRUE);
	j.out_color_space = JCS_RGB;
	jpeg_start_decompress(&j);
	const int fits = j.output_width == out->width && j.output_height == out->height;
	while (fits && j.output_scanline < j.output_height) {
		JSAMPROW row = (JSAMPROW)out->data + j.output_scanline * out->stride;
		jpeg_read_scanlines(&j, &row, 1);
	}
	if (fits)
		jpeg_finish_decompress(&j);
	jpeg_destroy_decompress(&j);
	return fits;
}

/* Its functions are NULL if this was built without libjpeg. */
static const jpeg_peer libjpeg = {encode, decode};
#else
static const jpeg_peer libjpeg = {NULL, NULL};
#endif

static const char name[] = "bench codec"; /* for messages */

typedef struct state {
	const xc_bench_codec_options *options;
	xc_context *context;
	xc_picture out; /* what the decoders write into */
	xc_buffer file;
	unsigned char *jpeg;
	unsigned long jpeg_size;
	xc_bench_stages stages;
	double *hertz, *times[XC_BENCH_TASKS], *parts[2][XC_BENCH_PARTS]; /* [rounds] */
} state;

static int check(const state *s, xc_status status)
{
	return xc_cli_check(name, s->context, status);
}

static int is_jpeg(xc_bench_task t)
{
	return t <= XC_BENCH_JPEG_DECODE;
}

static int is_left_out(const state *s, xc_bench_task t)
{
	return is_jpeg(t) ? !libjpeg.encode : t > XC_BENCH_DECODE && s->options->threads < 2;
}

static int set_threads(const state *s, int threads)
{
	return check(s, xc_context_set_threads(s->context, threads));
}

/* The JPEG that is kept for the decoder is the one with optimized tables. */
static int run_jpeg(state *s, xc_bench_task task, double *seconds)
{
	const xc_bench_codec_options *o = s->options;
	const int optimized = task == XC_BENCH_JPEG_OPTIMIZED, decodes = task == XC_BENCH_JPEG_DECODE;
	unsigned char *data = NULL;
	unsigned long size;
	const double start = xc_cli_seconds();

	if (decodes)
		size = (unsigned long)libjpeg.decode(s->jpeg, s->jpeg_size, &s->out);
	else
		size = libjpeg.encode(o->picture, o->quality, o->subsampling, optimized, &data);
	*seconds = xc_cli_seconds() - start;
	if (!size)
		return xc_cli_error(name, "libjpeg failed to %s", decodes ? "decode" : "encode");
	if (optimized) {
		free(s->jpeg);
		s->jpeg = data;
		s->jpeg_size = size;
	} else {
		free(data);
	}
	return 0;
}

/* Keeps the first file with optimized tables for the decoders. */
static int run_codec(state *s, xc_bench_task task, double *seconds)
{
	const int decodes = task == XC_BENCH_DECODE || task == XC_BENCH_MORE_DECODE;
	xc_encode_options o;
	xc_buffer file = {NULL, 0};

	xc_encode_options_jpeg(&o);
	o.mode = XC_MODE_LOSSY;
	o.quality = s->options->quality;
	o.subsampling = s->options->subsampling;
	o.transform = s->options->transform;
	if (task == XC_BENCH_DEFAULT || task == XC_BENCH_MORE_DEFAULT)
		o.huffman = XC_HUFFMAN_DEFAULT;
	if (set_threads(s, task > XC_BENCH_DECODE ? s->options->threads : 1))
		return -1;
	const double start = xc_cli_seconds();
	const xc_status status = decodes
	                             ? xc_decode(s->context, s->file.data, s->file.size, NULL, &s->out)
	                             : xc_encode(s->context, s->options->picture, NULL, &o, &file);
	*seconds = xc_cli_seconds() - start;
	if (o.huffman == XC_HUFFMAN_OPTIMIZED && !s->file.data)
		s->file = file;
	else
		xc_buffer_free(s->context, &file);
	return check(s, status);
}

static int run(state *s, xc_bench_task task, double *seconds)
{
	return (is_jpeg(task) ? run_jpeg : run_codec)(s, task, seconds);
}

/* The PSNR of the last decoded picture, over all samples, in dB. */
static int measure_psnr(const state *s, double *psnr)
{
	xc_comparison c = {0};
	const xc_status status = xc_compare(s->context, s->options->picture, &s->out, &c);

	*psnr = c.psnr_rgb;
	return check(s, status);
}

/* The round before the first.  Its times do not count; its results give sizes and PSNR. */
static int warm_up(state *s, xc_bench_codec_result *r)
{
	for (int t = 0; t < XC_BENCH_TASKS; t++) {
		double seconds;
		if (is_left_out(s, (xc_bench_task)t))
			continue;
		if (run(s, (xc_bench_task)t, &seconds))
			return -1;
		if ((t == XC_BENCH_JPEG_DECODE && measure_psnr(s, &r->jpeg_psnr)) ||
		    (t == XC_BENCH_DECODE && measure_psnr(s, &r->psnr)))
			return -1;
	}
	r->bytes = s->file.size;
	r->jpeg_bytes = s->jpeg_size;
	return 0;
}

/* Runs the beginnings once with one thread or with all; their times go to number `round`. */
static int run_parts(state *s, int many, int round)
{
	xc_status status = XC_OK;

	if (set_threads(s, many ? s->options->threads : 1))
		return -1;
	for (int p = 0; !status && p < XC_BENCH_PARTS; p++)
		status = xc_bench_stages_run(&s->stages, (xc_bench_part)p, &s->parts[many][p][round]);
	return check(s, status);
}

static int all_rounds(state *s)
{
	for (int i = 0; i < s->options->rounds; i++) {
		s->hertz[i] = xc_bench_hertz();
		for (int t = 0; t < XC_BENCH_TASKS; t++)
			if (!is_left_out(s, (xc_bench_task)t) && run(s, (xc_bench_task)t, &s->times[t][i]))
				return -1;
		if (run_parts(s, 0, i) || (s->options->threads > 1 && run_parts(s, 1, i)))
			return -1;
	}
	return 0;
}

static xc_bench_time summarize(double *times, int n)
{
	const double median = xc_bench_median(times, n);
	return (xc_bench_time){times[0], median};
}

static void summarize_all(state *s, xc_bench_codec_result *r)
{
	const int n = s->options->rounds;

	r->hertz = summarize(s->hertz, n).median;
	for (int t = 0; t < XC_BENCH_TASKS; t++)
		r->time[t] = summarize(s->times[t], n);
	for (int p = 0; p < XC_BENCH_PARTS; p++) {
		r->part[0][p] = summarize(s->parts[0][p], n);
		r->part[1][p] = summarize(s->parts[1][p], n);
	}
}

static int set_up(state *s, xc_bench_codec_result *r)
{
	const xc_bench_codec_options *o = s->options;
	const xc_picture *p = o->picture;

	if (!p || p->channels != 3 || p->depth != 8 || o->rounds < 1 || o->threads < 1)
		return xc_cli_error(name, "a picture of RGB, 8 bits, a round and a thread are needed");
	s->context = xc_context_new(NULL);
	s->out = (xc_picture){p->width, p->height, 3, 8, (size_t)p->width * 3, NULL};
	s->out.data = malloc(s->out.stride * s->out.height);
	/* One array for everything that is measured in a round. */
	const size_t n = (size_t)o->rounds;
	double *next = s->hertz = calloc(1 + XC_BENCH_TASKS + 2 * XC_BENCH_PARTS, n * sizeof *next);
	if (!s->context || !s->out.data || !next)
		return xc_cli_error(name, "out of memory");
	for (int t = 0; t < XC_BENCH_TASKS; t++)
		s->times[t] = next += n;
	for (int i = 0; i < 2 * XC_BENCH_PARTS; i++)
		s->parts[i / XC_BENCH_PARTS][i % XC_BENCH_PARTS] = next += n;
	/* Touches the pages, so that the first decoder does not pay for them. */
	memset(s->out.data, 0, s->out.stride * s->out.height);
	if (check(s, xc_context_set_cpu(s->context, o->cpu)))
		return -1;
	snprintf(r->cpu, sizeof r->cpu, "%s", xc_context_cpu(s->context));
	return 0;
}

/* The beginnings of the pipeline run once before their times count. */
static int set_up_stages(state *s)
{
	const xc_bench_codec_options *o = s->options;

	if (set_threads(s, o->threads) ||
	    check(s, xc_bench_stages_init(&s->stages, s->context, o->picture, &s->file, &s->out,
	                                  o->threads)))
		return -1;
	return run_parts(s, o->threads > 1, 0);
}

static void tear_down(state *s)
{
	xc_bench_stages_free(&s->stages);
	free(s->hertz);
	free(s->jpeg);
	free(s->out.data);
	if (s->context)
		xc_buffer_free(s->context, &s->file);
	xc_context_free(s->context);
}

int xc_bench_codec(const xc_bench_codec_options *options, xc_bench_codec_result *result)
{
	state s = {.options = options};

	*result = (xc_bench_codec_result){.options = *options};
	const int failed = set_up(&s, result) || warm_up(&s, result) || set_up_stages(&s) ||
	                   all_rounds(&s);
	if (!failed)
		summarize_all(&s, result);
	tear_down(&s);
	return failed ? -1 : 0;
}

double xc_bench_speedup(const xc_bench_codec_result *r, xc_bench_task peer, xc_bench_task task,
                        int medians)
{
	const xc_bench_time *p = &r->time[peer], *t = &r->time[task];

	if (!(p->min > 0) || !(t->min > 0))
		return 0;
	return medians ? p->median / t->median : p->min / t->min;
}
