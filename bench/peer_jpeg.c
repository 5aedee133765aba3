/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/codec.h"

#ifdef XC_HAVE_LIBJPEG
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

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

const xc_peer xc_peer_jpeg = {encode, decode};
#else
const xc_peer xc_peer_jpeg = {NULL, NULL};
#endif
