/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/tiled.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/scene.h"

static int fail(char message[XC_FILE_MESSAGE], const char *path, const char *why)
{
	/* A long path is cut off rather than the reason. */
	snprintf(message, XC_FILE_MESSAGE, "%.100s: %.150s", path, why);
	return -1;
}

uint8_t *xc_bench_read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	int error = f ? 0 : errno;
	*size = 0;
	for (size_t room = 1 << 20; !error && !feof(f); room *= 2) {
		uint8_t *more = realloc(data, room);
		if (more) {
			data = more;
			*size += fread(data + *size, 1, room - *size, f);
		}
		if (!more || ferror(f))
			error = errno;
	}
	if (f)
		fclose(f);
	if (error) {
		free(data);
		errno = error;
	}
	return error ? NULL : data;
}

int xc_bench_read_picture(const char *path, xc_file_picture *out, char message[XC_FILE_MESSAGE])
{
	char why[XC_FILE_MESSAGE];
	size_t size;
	uint8_t *data = xc_bench_read_file(path, &size);
	if (!data) {
		snprintf(why, sizeof why, "cannot read: %s", strerror(errno));
		return fail(message, path, why);
	}
	const xc_status s = xc_file_read(data, size, 0, 0, out, why);
	free(data);
	return s ? fail(message, path, why) : 0;
}

static void to_rgb(const xc_picture *p, uint8_t *out)
{
	const size_t bytes = p->depth / 8, n = p->channels;
	for (uint32_t y = 0; y < p->height; y++) {
		const uint8_t *row = (const uint8_t *)p->data + y * p->stride;
		for (uint32_t x = 0; x < p->width; x++) {
			for (size_t c = 0; c < 3; c++) {
				const uint8_t *s = row + (x * n + (n < 3 ? 0 : c)) * bytes;
				uint16_t v = *s;
				if (bytes == 2) {
					memcpy(&v, s, 2);
					v >>= 8;
				}
				*out++ = (uint8_t)v;
			}
		}
	}
}

static int read_rgb(const char *path, xc_picture *out, char message[XC_FILE_MESSAGE])
{
	xc_file_picture f;
	if (xc_bench_read_picture(path, &f, message))
		return -1;
	*out = (xc_picture){f.picture.width, f.picture.height, 3, 8, (size_t)f.picture.width * 3, NULL};
	out->data = malloc(out->stride * out->height);
	if (out->data)
		to_rgb(&f.picture, out->data);
	xc_file_picture_free(&f);
	return out->data ? 0 : fail(message, path, "out of memory");
}

/* Copies the part of `from` that fits to (x, y). */
static void put(xc_picture *to, uint32_t x, uint32_t y, const xc_picture *from)
{
	const uint32_t wide = to->width - x < from->width ? to->width - x : from->width;
	const uint32_t high = to->height - y < from->height ? to->height - y : from->height;
	for (uint32_t i = 0; i < high; i++)
		memcpy((uint8_t *)to->data + (y + i) * to->stride + (size_t)x * 3,
		       (const uint8_t *)from->data + i * from->stride, (size_t)wide * 3);
}

static void fill(xc_picture *out, const xc_picture *pictures, int count)
{
	int next = 0;
	for (uint32_t y = 0; y < out->height; y += pictures[0].height) {
		for (uint32_t x = 0; x < out->width; x += pictures[0].width) {
			put(out, x, y, &pictures[next]);
			next = (next + 1) % count;
		}
	}
}

/* Reads the pictures that have the first one's size; without paths, draws one.  Returns how
 * many there are, or -1. */
static int read_all(const char *const *paths, int count, xc_picture *pictures,
                    char message[XC_FILE_MESSAGE])
{
	int n = 0;
	if (!count) {
		const int failed = xc_scene_draw(XC_SCENE_WIDTH, XC_SCENE_HEIGHT, 0, &pictures[0]);
		return failed ? fail(message, "the generated picture", "out of memory") : 1;
	}
	for (int i = 0; i < count; i++) {
		if (read_rgb(paths[i], &pictures[n], message))
			return -1;
		if (pictures[n].width == pictures[0].width && pictures[n].height == pictures[0].height)
			n++;
		else
			free(pictures[n].data);
		pictures[n].data = NULL;
	}
	return n;
}

int xc_bench_tile(const char *const *paths, int count, uint32_t width, uint32_t height,
                  xc_picture *out, char message[XC_FILE_MESSAGE])
{
	xc_picture *pictures = calloc((size_t)count + 1, sizeof *pictures);
	if (!pictures)
		return fail(message, "pictures", "out of memory");
	const int n = read_all(paths, count, pictures, message);
	int status = -1;
	if (n > 0) {
		const uint32_t w = width ? width : pictures[0].width;
		const uint32_t h = height ? height : pictures[0].height;
		*out = (xc_picture){w, h, 3, 8, (size_t)w * 3, malloc((size_t)w * 3 * h)};
		if (out->data) {
			fill(out, pictures, n);
			status = 0;
		} else {
			fail(message, "the large picture", "out of memory");
		}
	}
	for (int i = 0; i <= count; i++)
		free(pictures[i].data);
	free(pictures);
	return status;
}

int xc_bench_parse_size(const char *text, uint32_t *width, uint32_t *height)
{
	uint32_t *const sides[2] = {width, height};
	for (int i = 0; i < 2; i++) {
		const size_t digits = strspn(text, "0123456789");
		*sides[i] = digits && digits <= 5 ? (uint32_t)strtoul(text, NULL, 10) : 0;
		if (!*sides[i] || text[digits] != (i ? '\0' : 'x'))
			return 0;
		text += digits + 1;
	}
	return 1;
}
