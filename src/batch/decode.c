/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes one item of a batch on the processor, and makes an array of the pixels. */
#include <string.h>

#include "src/batch/batch.h"
#include "src/pixels/kernels.h"

/* Samples that are converted at a time, in the first-level cache. */
enum { PIXELS_AT_ONCE = 512, SAMPLES_AT_ONCE = 4 * PIXELS_AT_ONCE };

/* From pixels to an array. All counts are of samples. */
typedef struct arranging {
	const xc_kernels *kernels;
	xc_sample_type type;
	int depth16;
	uint32_t channels;
	size_t size; /* of a sample of the array, in bytes */
	/* For each sample of pixels side by side; with planes, for those of a channel. */
	float means[4][SAMPLES_AT_ONCE], deviations[4][SAMPLES_AT_ONCE];
	float floats[SAMPLES_AT_ONCE];
	uint16_t split[4][PIXELS_AT_ONCE];
} arranging;

static void set_up(arranging *a, const xc_context *c, const xc_batch_options *o,
                   const xc_picture *p)
{
	a->kernels = xc_kernels_get(c->cpu);
	a->type = o->type;
	a->depth16 = p->depth == 16;
	a->channels = p->channels;
	a->size = xc_batch_sample_bytes(o);
	for (uint32_t row = 0; row < 4 && o->type >= XC_SAMPLE_FLOAT16; row++)
		for (uint32_t i = 0; i < SAMPLES_AT_ONCE; i++) {
			const uint32_t channel = o->planar ? row : i % p->channels;
			a->means[row][i] = o->mean[channel];
			a->deviations[row][i] = xc_batch_deviation(o, channel);
		}
}

/* n samples, with the means of `row`. */
static void convert(arranging *a, const void *samples, size_t n, uint32_t row, void *to)
{
	const float largest = a->depth16 ? 65535 : 255;
	float *floats = a->type == XC_SAMPLE_FLOAT32 ? to : a->floats;

	if (a->type < XC_SAMPLE_FLOAT16) {
		memcpy(to, samples, n * a->size);
		return;
	}
	a->kernels->floats[a->depth16](samples, n, largest, a->means[row], a->deviations[row], floats);
	if (a->type == XC_SAMPLE_FLOAT16)
		a->kernels->halves(floats, n, to);
}

/* n pixels to planes of `plane` samples, from sample `at` on. */
static void separate(arranging *a, const void *pixels, size_t n, char *array, size_t plane,
                     size_t at)
{
	void *to[4] = {NULL, NULL, NULL, NULL};
	const int direct = a->type < XC_SAMPLE_FLOAT16;

	for (uint32_t c = 0; c < a->channels; c++)
		to[c] = direct ? (void *)(array + (c * plane + at) * a->size) : (void *)a->split[c];
	a->kernels->split[a->depth16](pixels, n, a->channels, to);
	for (uint32_t c = 0; c < a->channels && !direct; c++)
		convert(a, a->split[c], n, c, array + (c * plane + at) * a->size);
}

/* The pixels of p lie without padding. */
static void arrange(arranging *a, const xc_picture *p, int planar, char *array)
{
	const size_t pixel = p->channels * (size_t)(p->depth / 8);
	const size_t pixels = (size_t)p->width * p->height;
	const char *from = p->data;

	for (size_t at = 0, n; at < pixels; at += n, from += n * pixel) {
		n = pixels - at < PIXELS_AT_ONCE ? pixels - at : PIXELS_AT_ONCE;
		if (planar && p->channels > 1)
			separate(a, from, n, array, pixels, at);
		else
			convert(a, from, n * p->channels, 0, array + at * p->channels * a->size);
	}
}

static xc_status decode(xc_context *c, const xc_batch_options *o, xc_batch_item *i, void *array)
{
	xc_decode_options options = {.keep_going = o->keep_going,
	                             .jpeg_rounding = o->jpeg_rounding,
	                             .region = i->region,
	                             .scale = o->scale};
	const int as_is = xc_batch_is_plain(o, i->channels);
	const size_t pixel = i->channels * (size_t)(i->depth / 8);
	xc_picture p = {i->width, i->height,        i->channels,
	                i->depth, i->width * pixel, as_is ? array : NULL};

	xc_status s = xc_decode(c, i->file, i->size, &options, &p);
	i->damaged_segments = options.damaged_segments;
	if (s || as_is)
		return s;
	xc_batch_note(i->message, c);
	arranging *a = xc_allocate(c, sizeof *a);
	if (a) {
		set_up(a, c, o, &p);
		arrange(a, &p, o->planar, array);
	} else {
		s = xc_fail_memory(c, sizeof *a);
	}
	xc_release(c, a);
	xc_picture_free(c, &p);
	return s;
}

void xc_batch_decode_item(xc_context *c, const xc_batch_options *o, xc_batch_item *i, void *array)
{
	i->message[0] = '\0'; /* of an earlier call */
	i->status = decode(c, o, i, array);
	/* Freeing the pixels is a call of its own, after which there is no message. */
	if (c->message[0])
		xc_batch_note(i->message, c);
}
