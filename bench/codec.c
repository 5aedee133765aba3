/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/timing.h"
#include "bench/peer_jpeg.h"
#include "cli/base/clock.h"

typedef struct state {
	const xc_bench_codec_options *options;
	xc_context *context;
	xc_picture out; /* what the decoders write into */
	xc_buffer file;
	unsigned char *jpeg;
	unsigned long jpeg_size;
	xc_bench_stages stages;
	double *hertz, *times[XC_BENCH_TASKS], *parts[2][XC_BENCH_PARTS]; /* [rounds] */
	char *message;
} state;

static xc_status fail(state *s, xc_status status, const char *why)
{
	snprintf(s->message, XC_BENCH_MESSAGE, "%s", why);
	return status;
}

/* The context's message if one of its calls failed. */
static xc_status check(state *s, xc_status status)
{
	return status ? fail(s, status, xc_context_message(s->context)) : XC_OK;
}

static int is_jpeg(xc_bench_task t)
{
	return t <= XC_BENCH_JPEG_DECODE;
}

static int is_left_out(const state *s, xc_bench_task t)
{
	return is_jpeg(t) ? !xc_peer_jpeg.encode : t > XC_BENCH_DECODE && s->options->threads < 2;
}

/* ------------------------------------------------------------------ the tasks */

/* Keeps the first file with optimized tables for the decoders. */
static xc_status encode(state *s, xc_huffman huffman, double *seconds)
{
	xc_encode_options o;
	xc_buffer file;
	xc_encode_options_default(&o);
	o.quality = s->options->quality;
	o.subsampling = s->options->subsampling;
	o.transform = s->options->transform;
	o.huffman = huffman;
	const double start = xc_cli_seconds();
	const xc_status status = xc_encode(s->context, s->options->picture, NULL, &o, &file);
	*seconds = xc_cli_seconds() - start;
	if (status)
		return check(s, status);
	if (huffman == XC_HUFFMAN_OPTIMIZED && !s->file.data)
		s->file = file;
	else
		xc_buffer_free(s->context, &file);
	return XC_OK;
}

static xc_status decode(state *s, double *seconds)
{
	const double start = xc_cli_seconds();
	const xc_status status = xc_decode(s->context, s->file.data, s->file.size, NULL, &s->out);
	*seconds = xc_cli_seconds() - start;
	return check(s, status);
}

static xc_status jpeg_encode(state *s, int optimized, double *seconds)
{
	unsigned char *data;
	const xc_bench_codec_options *o = s->options;
	const double start = xc_cli_seconds();
	const unsigned long n = xc_peer_jpeg.encode(o->picture, o->quality, o->subsampling, optimized,
	                                            &data);
	*seconds = xc_cli_seconds() - start;
	if (!n)
		return fail(s, XC_ERR_UNSUPPORTED, "libjpeg failed to encode");
	if (optimized) {
		free(s->jpeg);
		s->jpeg = data;
		s->jpeg_size = n;
	} else {
		free(data);
	}
	return XC_OK;
}

static xc_status jpeg_decode(state *s, double *seconds)
{
	const double start = xc_cli_seconds();
	const int good = xc_peer_jpeg.decode(s->jpeg, s->jpeg_size, &s->out);
	*seconds = xc_cli_seconds() - start;
	return good ? XC_OK : fail(s, XC_ERR_UNSUPPORTED, "libjpeg failed to decode");
}

static xc_status set_threads(state *s, int threads)
{
	return check(s, xc_context_set_threads(s->context, threads));
}

static xc_status run(state *s, xc_bench_task task, double *seconds)
{
	if (!is_jpeg(task)) {
		const xc_status status = set_threads(s, task > XC_BENCH_DECODE ? s->options->threads : 1);
		if (status)
			return status;
	}
	switch (task) {
	case XC_BENCH_JPEG_DEFAULT:
	case XC_BENCH_JPEG_OPTIMIZED:
		return jpeg_encode(s, task == XC_BENCH_JPEG_OPTIMIZED, seconds);
	case XC_BENCH_JPEG_DECODE:
		return jpeg_decode(s, seconds);
	case XC_BENCH_DEFAULT:
	case XC_BENCH_MORE_DEFAULT:
		return encode(s, XC_HUFFMAN_DEFAULT, seconds);
	case XC_BENCH_OPTIMIZED:
	case XC_BENCH_MORE_OPTIMIZED:
		return encode(s, XC_HUFFMAN_OPTIMIZED, seconds);
	default:
		return decode(s, seconds);
	}
}

/* ----------------------------------------------------------------- the rounds */

/* Over all samples, in dB. */
static double psnr(const xc_picture *a, const xc_picture *b)
{
	uint64_t sum = 0;
	for (uint32_t y = 0; y < a->height; y++) {
		const uint8_t *p = (const uint8_t *)a->data + y * a->stride;
		const uint8_t *q = (const uint8_t *)b->data + y * b->stride;
		for (size_t i = 0; i < (size_t)a->width * 3; i++)
			sum += (uint64_t)((p[i] - q[i]) * (p[i] - q[i]));
	}
	const double mse = (double)sum / ((double)a->width * a->height * 3);
	return 10 * log10(255 * 255 / mse);
}

/* The round before the first.  Its times do not count; its results give sizes and PSNR. */
static xc_status warm_up(state *s, xc_bench_codec_result *r)
{
	for (int t = 0; t < XC_BENCH_TASKS; t++) {
		double seconds;
		if (is_left_out(s, (xc_bench_task)t))
			continue;
		const xc_status status = run(s, (xc_bench_task)t, &seconds);
		if (status)
			return status;
		if (t == XC_BENCH_JPEG_DECODE)
			r->jpeg_psnr = psnr(s->options->picture, &s->out);
		else if (t == XC_BENCH_DECODE)
			r->psnr = psnr(s->options->picture, &s->out);
	}
	r->bytes = s->file.size;
	r->jpeg_bytes = s->jpeg_size;
	return XC_OK;
}

static xc_status run_parts(state *s, int round)
{
	for (int many = 0; many < (s->options->threads > 1 ? 2 : 1); many++) {
		xc_status status = set_threads(s, many ? s->options->threads : 1);
		for (int p = 0; !status && p < XC_BENCH_PARTS; p++)
			status = xc_bench_stages_run(&s->stages, (xc_bench_part)p, &s->parts[many][p][round]);
		if (status)
			return check(s, status);
	}
	return XC_OK;
}

static xc_status all_rounds(state *s)
{
	for (int i = 0; i < s->options->rounds; i++) {
		s->hertz[i] = xc_bench_hertz();
		for (int t = 0; t < XC_BENCH_TASKS; t++) {
			if (is_left_out(s, (xc_bench_task)t))
				continue;
			const xc_status status = run(s, (xc_bench_task)t, &s->times[t][i]);
			if (status)
				return status;
		}
		const xc_status status = run_parts(s, i);
		if (status)
			return status;
	}
	return XC_OK;
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

static xc_status set_up(state *s, xc_bench_codec_result *r)
{
	const xc_bench_codec_options *o = s->options;
	const xc_picture *p = o->picture;
	if (!p || p->channels != 3 || p->depth != 8 || o->rounds < 1 || o->threads < 1)
		return fail(s, XC_ERR_ARGUMENT,
		            "a picture of RGB, 8 bits, a round and a thread are needed");
	s->context = xc_context_new(NULL);
	s->out = (xc_picture){p->width, p->height, 3, 8, (size_t)p->width * 3, NULL};
	s->out.data = malloc(s->out.stride * s->out.height);
	if (!s->context || !s->out.data)
		return fail(s, XC_ERR_MEMORY, "out of memory");
	/* Touches the pages, so that the first decoder does not pay for them. */
	memset(s->out.data, 0, s->out.stride * s->out.height);
	const xc_status status = check(s, xc_context_set_cpu(s->context, o->cpu));
	if (status)
		return status;
	snprintf(r->cpu, sizeof r->cpu, "%s", xc_context_cpu(s->context));
	/* One array for everything that is measured in a round. */
	const size_t n = (size_t)o->rounds;
	double *next = s->hertz = calloc(1 + XC_BENCH_TASKS + 2 * XC_BENCH_PARTS, n * sizeof *next);
	if (!next)
		return fail(s, XC_ERR_MEMORY, "out of memory");
	for (int t = 0; t < XC_BENCH_TASKS; t++)
		s->times[t] = next += n;
	for (int i = 0; i < 2 * XC_BENCH_PARTS; i++)
		s->parts[i / XC_BENCH_PARTS][i % XC_BENCH_PARTS] = next += n;
	return XC_OK;
}

static xc_status set_up_stages(state *s)
{
	const xc_bench_codec_options *o = s->options;
	double seconds;
	xc_status status = set_threads(s, o->threads);
	if (!status)
		status = xc_bench_stages_init(&s->stages, s->context, o->picture, &s->file, &s->out,
		                              o->threads);
	for (int p = 0; !status && p < XC_BENCH_PARTS; p++)
		status = xc_bench_stages_run(&s->stages, (xc_bench_part)p, &seconds);
	return check(s, status);
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

xc_status xc_bench_codec(const xc_bench_codec_options *options, xc_bench_codec_result *result,
                         char message[XC_BENCH_MESSAGE])
{
	state s = {.options = options, .message = message};
	*message = '\0';
	*result = (xc_bench_codec_result){.options = *options};
	xc_status status = set_up(&s, result);
	if (!status)
		status = warm_up(&s, result);
	if (!status)
		status = set_up_stages(&s);
	if (!status)
		status = all_rounds(&s);
	if (!status)
		summarize_all(&s, result);
	tear_down(&s);
	return status;
}

double xc_bench_speedup(const xc_bench_codec_result *r, xc_bench_task peer, xc_bench_task task,
                        int medians)
{
	const xc_bench_time *p = &r->time[peer], *t = &r->time[task];
	if (!(p->least > 0) || !(t->least > 0))
		return 0;
	return medians ? p->median / t->median : p->least / t->least;
}
