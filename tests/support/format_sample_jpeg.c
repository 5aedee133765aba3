/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/format_samples.h"

#include <stdlib.h>
#include <string.h>

void xc_sample_jpeg_marker(xc_bytes *bytes, uint32_t code, const void *data, size_t size)
{
	const uint32_t length = (uint32_t)size + 2;
	xc_bytes_add_u8(bytes, 0xff);
	xc_bytes_add_u8(bytes, code);
	xc_bytes_add_u8(bytes, length >> 8);
	xc_bytes_add_u8(bytes, length & 255);
	xc_bytes_add(bytes, data, size);
}

#ifdef XC_HAVE_LIBJPEG
#include <stdio.h>

#include <jpeglib.h>

static void set_up(struct jpeg_compress_struct *j, const xc_sample_jpeg *jpeg)
{
	j->image_width = jpeg->width;
	j->image_height = jpeg->height;
	j->input_components = jpeg->components;
	j->in_color_space = jpeg->components == 1   ? JCS_GRAYSCALE
	                    : jpeg->components == 3 ? JCS_RGB
	                                            : JCS_CMYK;
	jpeg_set_defaults(j);
	if (jpeg->colour)
		jpeg_set_colorspace(j, (J_COLOR_SPACE)jpeg->colour);
	if (jpeg->h) {
		j->comp_info[0].h_samp_factor = jpeg->h;
		j->comp_info[0].v_samp_factor = jpeg->v;
	}
	if (jpeg->progressive)
		jpeg_simple_progression(j);
	j->restart_in_rows = jpeg->restart;
}

static void write_rows(struct jpeg_compress_struct *j, const xc_sample_jpeg *jpeg)
{
	const size_t stride = (size_t)jpeg->width * (size_t)jpeg->components;
	uint8_t *row = xc_test_malloc(stride);
	uint64_t seed = jpeg->width;
	for (uint32_t y = 0; y < jpeg->height; y++) {
		JSAMPROW rows[1] = {row};
		for (size_t i = 0; i < stride; i++)
			row[i] = (uint8_t)(i * 3 + y * 5 + check_random(&seed) % 40);
		jpeg_write_scanlines(j, rows, 1);
	}
	free(row);
}

void xc_sample_jpeg_make(xc_bytes *bytes, const xc_sample_jpeg *jpeg, const xc_bytes *markers)
{
	struct jpeg_compress_struct j;
	struct jpeg_error_mgr errors;
	unsigned char *file = NULL;
	unsigned long size = 0;
	j.err = jpeg_std_error(&errors);
	jpeg_create_compress(&j);
	jpeg_mem_dest(&j, &file, &size);
	set_up(&j, jpeg);
	jpeg_start_compress(&j, TRUE);
	write_rows(&j, jpeg);
	jpeg_finish_compress(&j);
	jpeg_destroy_compress(&j);
	/* After the mark of the start and the JFIF header, if there is one. */
	const size_t start = file[3] == 0xe0 ? 20 : 2;
	xc_bytes_add(bytes, file, start);
	if (markers)
		xc_bytes_add(bytes, markers->data, markers->size);
	xc_bytes_add(bytes, file + start, size - start);
	free(file);
}
#endif
