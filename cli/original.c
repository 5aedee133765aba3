/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syncfs() */
#endif

#include "cli/original.h"

#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xcodec.h>
#include <xcodec_array.h>
#include <xcodec_jpeg.h>

int xc_cli_original_jpeg(xc_context *context, const char *name, const uint8_t *xc, size_t xc_size,
                         const uint8_t *jpeg, size_t jpeg_size)
{
	xc_buffer back = {NULL, 0};

	if (!xc_jpeg_is(xc, xc_size))
		return 0;
	if (xc_cli_check(name, context, xc_jpeg_decode(context, xc, xc_size, &back)))
		return -1;
	const int same = back.size == jpeg_size && !memcmp(back.data, jpeg, jpeg_size);
	xc_buffer_free(context, &back);
	return same;
}

static int same_blob(const xc_blob *a, const xc_blob *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

/* All but the range, which is about steps. */
static int same_metadata(const xc_metadata *a, const xc_metadata *b)
{
	return same_blob(&a->icc, &b->icc) && same_blob(&a->exif, &b->exif) &&
	       same_blob(&a->xmp, &b->xmp) && same_blob(&a->text, &b->text) &&
	       same_blob(&a->iptc, &b->iptc) && same_blob(&a->palette, &b->palette) &&
	       a->palette_bits == b->palette_bits && a->density_x == b->density_x &&
	       a->density_y == b->density_y && a->density_unit == b->density_unit &&
	       !memcmp(a->cicp, b->cicp, sizeof a->cicp) &&
	       !memcmp(a->significant_bits, b->significant_bits, sizeof a->significant_bits) &&
	       a->gamma == b->gamma && !memcmp(a->primaries, b->primaries, sizeof a->primaries) &&
	       a->maxval == b->maxval;
}

static int same_pixels(const xc_picture *a, const xc_picture *b)
{
	const size_t row = (size_t)a->width * a->channels * a->depth / 8;
	int same = a->width == b->width && a->height == b->height && a->channels == b->channels &&
	           a->depth == b->depth;

	for (uint32_t y = 0; same && y < a->height; y++)
		same = !memcmp((const char *)a->data + y * a->stride, (const char *)b->data + y * b->stride,
		               row);
	return same;
}

/* Takes over the bytes of the XC file. */
static int same_picture(const xc_cli_limits *limits, xc_context *context, const char *input,
                        const char *result, uint8_t *xc, size_t size)
{
	int told = 0, same = 0;
	const xc_cli_reader reader = {.context = context, .limits = limits, .told = &told};
	xc_cli_picture a, b;

	if (xc_cli_picture_of(&reader, result, xc, size, &a))
		return -1;
	if (xc_cli_picture_read(&reader, input, XC_FILE_UNKNOWN, &b)) {
		same = -1;
	} else {
		same = !told && same_pixels(&a.picture, &b.picture) &&
		       same_metadata(&a.metadata, &b.metadata);
		xc_cli_picture_free(context, &b);
	}
	xc_cli_picture_free(context, &a);
	return same;
}

/* What the disk has is to be looked at, not what memory holds of it. The name of a file that was there before may
 * not be on the disk either. 0, or -1 after reporting that it cannot be brought there. */
static int drop_cache(const char *path)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return xc_cli_error(path, "cannot open: %s", strerror(errno));
#ifdef __linux__
	const int failed = syncfs(file);
#else
	const int failed = fsync(file);
#endif
	if (failed)
		xc_cli_error(path, "cannot be flushed to the disk: %s", strerror(errno));
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	close(file);
	return failed ? -1 : 0;
}

int xc_cli_original_same(const xc_cli_limits *limits, xc_context *context, const char *input,
                         const char *result)
{
	const char *const paths[] = {input, result};
	uint8_t *xc, *data;
	size_t size, data_size;
	xc_info info;

	if (drop_cache(result))
		return -1;
	xc_cli_limit_memory(context, limits, xc_cli_sizes(paths, 2), 1);
	if (xc_cli_read_xc(result, context, &xc, &size))
		return -1;
	if (!xc_jpeg_is(xc, size)) {
		if (!xc_array_is(xc, size) && !xc_read_header(context, xc, size, &info) && info.lossless)
			return same_picture(limits, context, input, result, xc, size);
		xc_cli_forget(context, xc, size);
		return 0;
	}
	if (xc_cli_read(input, context, NULL, &data, &data_size)) {
		xc_cli_forget(context, xc, size);
		return -1;
	}
	const int same = xc_cli_original_jpeg(context, result, xc, size, data, data_size);
	xc_cli_forget(context, data, data_size);
	xc_cli_forget(context, xc, size);
	return same ? same : xc_cli_error(result, "does not give back the JPEG '%s'", input);
}
