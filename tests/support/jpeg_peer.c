/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/jpeg_peer.h"

#ifdef XC_HAVE_LIBJPEG
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

/* Coarse steps make libjpeg warn that a file is no baseline JPEG. */
static void say_nothing(j_common_ptr jpeg, int level)
{
	(void)jpeg;
	(void)level;
}

static void set_up(struct jpeg_compress_struct *j, const xc_info *info)
{
	const int grey = info->components == 1;
	j->image_width = info->width;
	j->image_height = info->height;
	j->input_components = grey ? 1 : 3;
	j->in_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(j);
	j->comp_info[0].h_samp_factor = info->subsampling == XC_SUBSAMPLING_420 ||
	                                        info->subsampling == XC_SUBSAMPLING_422
	                                    ? 2
	                                    : 1;
	j->comp_info[0].v_samp_factor = info->subsampling == XC_SUBSAMPLING_420 ? 2 : 1;
	for (int t = 0; t < (grey ? 1 : 2); t++) {
		unsigned steps[64];
		for (int i = 0; i < 64; i++)
			steps[i] = info->quant[t][i];
		jpeg_add_quant_table(j, t, steps, 100, FALSE);
	}
	j->optimize_coding = TRUE;
}

static void fill_plane(struct jpeg_compress_struct *j, jvirt_barray_ptr array,
                       const xc_plane_coefficients *p)
{
	for (uint32_t y = 0; y < p->blocks_high; y++) {
		JBLOCKARRAY row = j->mem->access_virt_barray((j_common_ptr)j, array, y, 1, TRUE);
		for (uint32_t x = 0; x < p->blocks_wide; x++)
			for (int i = 0; i < 64; i++)
				row[0][x][i] = (JCOEF)p->data[((size_t)y * p->blocks_wide + x) * 64 + i];
	}
}

void xc_jpeg_write(const xc_info *info, const xc_coefficients *c, unsigned char **out,
                   unsigned long *size)
{
	struct jpeg_compress_struct j;
	struct jpeg_error_mgr errors;
	jvirt_barray_ptr arrays[3];
	*out = NULL;
	*size = 0;
	j.err = jpeg_std_error(&errors);
	errors.emit_message = say_nothing;
	jpeg_create_compress(&j);
	jpeg_mem_dest(&j, out, size);
	set_up(&j, info);
	for (uint32_t i = 0; i < c->components; i++) {
		const xc_plane_coefficients *p = &c->plane[i];
		arrays[i] = j.mem->request_virt_barray((j_common_ptr)&j, JPOOL_IMAGE, FALSE, p->blocks_wide,
		                                       p->blocks_high,
		                                       (JDIMENSION)j.comp_info[i].v_samp_factor);
	}
	/* This makes the arrays real; they are read when the compression is finished. */
	jpeg_write_coefficients(&j, arrays);
	for (uint32_t i = 0; i < c->components; i++)
		fill_plane(&j, arrays[i], &c->plane[i]);
	jpeg_finish_compress(&j);
	jpeg_destroy_compress(&j);
}

uint8_t *xc_jpeg_read(const unsigned char *data, unsigned long size, size_t stride)
{
	struct jpeg_decompress_struct j;
	struct jpeg_error_mgr errors;
	j.err = jpeg_std_error(&errors);
	errors.emit_message = say_nothing;
	jpeg_create_decompress(&j);
	jpeg_mem_src(&j, data, size);
	jpeg_read_header(&j, TRUE);
	jpeg_start_decompress(&j);
	uint8_t *pixels = malloc(stride * j.output_height);
	if (!pixels)
		abort();
	while (j.output_scanline < j.output_height) {
		JSAMPROW row = pixels + j.output_scanline * stride;
		jpeg_read_scanlines(&j, &row, 1);
	}
	jpeg_finish_decompress(&j);
	jpeg_destroy_decompress(&j);
	return pixels;
}
#endif
