/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/tiled.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int fail(char message[XC_FILE_MESSAGE], const char *path, const char *why)
{
	/* The end of a long path is cut off, not what is wrong. */
	snprintf(message, XC_FILE_MESSAGE, "%.100s: %.150s", path, why);
	return -1;
}

/* How long a file is that can be read as a whole; -1 with errno. */
static long size_of(FILE *f)
{
	struct stat status;
	if (fstat(fileno(f), &status))
		return -1;
	if (S_ISDIR(status.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	if (fseek(f, 0, SEEK_END))
		return -1;
	const long n = ftell(f);
	return n < 0 || fseek(f, 0, SEEK_SET) ? -1 : n;
}

/* The whole file, malloc'ed; NULL with errno if it cannot be read. */
static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return NULL;
	const long n = size_of(f);
	uint8_t *data = n < 0 ? NULL : malloc(n ? (size_t)n : 1);
	if (data && fread(data, 1, (size_t)n, f) != (size_t)n) {
		free(data);
		data = NULL;
		errno = EIO;
	}
	const int error = errno;
	fclose(f);
	errno = error;
	*size = data ? (size_t)n : 0;
	return data;
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

int xc_bench_read_rgb(const char *path, xc_picture *out, char message[XC_FILE_MESSAGE])
{
	xc_file_picture f;
	char why[XC_FILE_MESSAGE];
	size_t size;
	uint8_t *data = read_file(path, &size);
	if (!data) {
		snprintf(why, sizeof why, "cannot read: %s", strerror(errno));
		return fail(message, path, why);
	}
	const xc_status s = xc_file_read(data, size, 0, 0, &f, why);
	free(data);
	if (s)
		return fail(message, path, why);
	*out = (xc_picture){f.picture.width, f.picture.height, 3, 8, (size_t)f.picture.width * 3, NULL};
	out->data = malloc(out->stride * out->height);
	if (out->data)
		to_rgb(&f.picture, out->data);
	xc_file_picture_free(&f);
	return out->data ? 0 : fail(message, path, "out of memory");
}

/* Copies what fits of `from` to x, y. */
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

/* Reads those of the first one's size; returns how many, or -1. */
static int read_all(const char *const *paths, int count, xc_picture *pictures,
                    char message[XC_FILE_MESSAGE])
{
	int n = 0;
	for (int i = 0; i < count; i++) {
		if (xc_bench_read_rgb(paths[i], &pictures[n], message))
			return -1;
		if (pictures[n].width == pictures[0].width && pictures[n].height == pictures[0].height)
			n++;
		else
			free(pictures[n].data);
		if (n < count)
			pictures[n].data = NULL;
	}
	return n;
}

int xc_bench_tile(const char *const *paths, int count, uint32_t width, uint32_t height,
                  xc_picture *out, char message[XC_FILE_MESSAGE])
{
	xc_picture *pictures = calloc((size_t)count + 1, sizeof *pictures);
	if (!pictures)
		return fail(message, paths[0], "out of memory");
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
			fail(message, paths[0], "out of memory");
		}
	}
	for (int i = 0; i < count; i++)
		free(pictures[i].data);
	free(pictures);
	return status;
}

int xc_bench_parse_size(const char *text, uint32_t *width, uint32_t *height)
{
	unsigned w, h;
	char rest;
	if (sscanf(text, "%5ux%5u%c", &w, &h, &rest) != 2 || !w || !h)
		return 0;
	*width = w;
	*height = h;
	return 1;
}
