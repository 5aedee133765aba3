/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lossless [-n ROUNDS] [-e EFFORT] [-m MAX_ERROR] [-c LEVEL] PICTURE...: sums of bytes and the speed of
 * coding pictures without loss, in memory, by one thread; and of lossless WebP (its method 4) beside
 * it, in turn, where libwebp is installed. Every decoded sample is checked.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/tiled.h"

/* The simple interface of libwebp (webp/encode.h, webp/decode.h), which has had the same form since
 * version 0.2. */
typedef size_t webp_encoder(const uint8_t *pixels, int width, int height, int stride,
                            uint8_t **out);
typedef uint8_t *webp_decoder(const uint8_t *data, size_t size, uint8_t *out, size_t out_size,
                              int stride);

typedef struct webp {
	webp_encoder *encode_rgb, *encode_rgba;
	webp_decoder *decode_rgb, *decode_rgba;
	void (*release)(void *);
} webp;

typedef struct sums {
	double bytes, encode, decode;
} sums;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int load_webp(webp *w)
{
	void *lib = dlopen("libwebp.so.7", RTLD_NOW);

	if (!lib)
		return 0;
	*(void **)&w->encode_rgb = dlsym(lib, "WebPEncodeLosslessRGB");
	*(void **)&w->encode_rgba = dlsym(lib, "WebPEncodeLosslessRGBA");
	*(void **)&w->decode_rgb = dlsym(lib, "WebPDecodeRGBInto");
	*(void **)&w->decode_rgba = dlsym(lib, "WebPDecodeRGBAInto");
	*(void **)&w->release = dlsym(lib, "WebPFree");
	return w->encode_rgb && w->encode_rgba && w->decode_rgb && w->decode_rgba && w->release;
}

/* Grey as RGB, which WebP wants. NULL: out of memory. */
static uint8_t *as_rgb(const xc_picture *p)
{
	uint8_t *rgb = malloc((size_t)p->width * p->height * 3);

	for (uint32_t y = 0; rgb && y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			xc_bench_rgb(p, x, y, rgb + 3 * ((size_t)y * p->width + x));
	return rgb;
}

static int run_webp(const webp *w, const xc_picture *p, sums *s)
{
	const int alpha = p->channels == 4;
	uint8_t *rgb = alpha ? NULL : as_rgb(p), *file = NULL;
	const int stride = (int)p->width * (alpha ? 4 : 3);
	const size_t n = (size_t)stride * p->height;
	uint8_t *out = malloc(n);
	double t = now();
	const size_t size = (alpha ? w->encode_rgba : w->encode_rgb)(alpha ? p->data : rgb,
	                                                             (int)p->width, (int)p->height,
	                                                             stride, &file);

	s->encode += now() - t;
	t = now();
	const int good = size && out &&
	                 (alpha ? w->decode_rgba : w->decode_rgb)(file, size, out, n, stride);
	s->decode += now() - t;
	s->bytes += (double)size;
	w->release(file);
	free(out);
	free(rgb);
	return good;
}

static int within(const xc_picture *a, const xc_picture *b, uint32_t most)
{
	const size_t n = (size_t)a->width * a->height * a->channels;
	const uint8_t *x = a->data, *y = b->data;
	const uint16_t *x16 = a->data, *y16 = b->data;

	for (size_t i = 0; i < n; i++) {
		const int d = a->depth == 8 ? x[i] - y[i] : x16[i] - y16[i];
		if ((uint32_t)abs(d) > most)
			return 0;
	}
	return 1;
}

static int run_xcodec(xc_context *c, const xc_picture *p, const xc_encode_options *o, sums *s)
{
	xc_picture back = {0};
	xc_buffer file;
	double t = now();

	if (xc_encode(c, p, NULL, o, &file))
		return 0;
	s->encode += now() - t;
	t = now();
	const xc_status status = xc_decode(c, file.data, file.size, NULL, &back);
	s->decode += now() - t;
	s->bytes += (double)file.size;
	const int good = !status && within(p, &back, o->max_error);
	xc_picture_free(c, &back);
	xc_buffer_free(c, &file);
	return good;
}

static void print(const char *name, const sums *s, double pixels, int rounds)
{
	printf("%-10s %12.0f bytes %8.2f bits a pixel, encodes %8.1f, decodes %8.1f Mpixel/s\n", name,
	       s->bytes / rounds, 8 * s->bytes / pixels, pixels / s->encode * 1e-6,
	       pixels / s->decode * 1e-6);
}

/* All pictures once. Returns the pixels, or 0 after a message. */
static double run_round(xc_context *c, const webp *w, const xc_encode_options *o, char **paths,
                        sums *own, sums *peer)
{
	double pixels = 0;

	for (; *paths; paths++) {
		char message[XC_FILE_MESSAGE];
		xc_file_picture f;
		if (xc_bench_read_picture(*paths, &f, message))
			return fprintf(stderr, "%s\n", message), 0;
		const xc_picture *p = &f.picture;
		int good = run_xcodec(c, p, o, own);
		if (good && w && p->depth == 8 && p->channels != 2)
			good = run_webp(w, p, peer);
		pixels += (double)p->width * p->height;
		xc_file_picture_free(&f);
		if (!good)
			return fprintf(stderr, "%s: %s\n", *paths, xc_context_message(c)), 0;
	}
	return pixels;
}

int main(int argc, char **argv)
{
	xc_context *c = xc_context_new(NULL);
	xc_encode_options o;
	sums own = {0}, peer = {0};
	webp w;
	double pixels = 0;
	int rounds = 3;

	xc_encode_options_default(&o);
	o.mode = XC_MODE_LOSSLESS;
	for (int k; (k = getopt(argc, argv, "n:e:m:c:")) != -1;) {
		if (k == 'n')
			rounds = atoi(optarg);
		else if (k == 'e')
			o.effort = atoi(optarg);
		else if (k == 'm')
			o.max_error = (uint32_t)atoi(optarg);
		else if (k != 'c' || xc_context_set_cpu(c, optarg))
			return fprintf(stderr, "see the beginning of bench/tools/lossless.c\n"), 2;
	}
	xc_context_set_threads(c, 1);
	const int has_webp = !o.max_error && load_webp(&w);
	for (int i = 0; i < rounds; i++) {
		const double n = run_round(c, has_webp ? &w : NULL, &o, argv + optind, &own, &peer);
		if (n <= 0)
			return 1;
		pixels += n;
	}
	print("xcodec", &own, pixels, rounds);
	if (has_webp && peer.bytes > 0)
		print("WebP", &peer, pixels, rounds);
	xc_context_free(c);
	return 0;
}
