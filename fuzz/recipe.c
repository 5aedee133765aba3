/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/recipe.h"

#include "tests/support/check.h"

void xc_recipe_seed(unsigned i, xc_bytes *out)
{
	uint64_t seed = i;

	out->size = 0;
	for (int k = 0; k < XC_RECIPE_BYTES; k++)
		xc_bytes_add_u8(out, (uint32_t)check_random(&seed));
	for (int k = 0; k < 64; k++)
		xc_bytes_add_u8(out, (uint32_t)(check_random(&seed) >> (i % 2 ? 60 : 56)));
}

static void set_options(xc_encode_options *o, const uint8_t f[XC_RECIPE_BYTES])
{
	xc_encode_options_default(o);
	o->quality = 1 + f[3] % 100;
	o->subsampling = (xc_subsampling)(f[4] % 4);
	o->huffman = (xc_huffman)(f[4] / 4 % 2);
	o->transform = (xc_transform)(f[4] / 8 % 3);
	o->effort = f[4] / 24 % (XC_MOST_EFFORT + 1);
	o->entropy = (xc_entropy)(f[7] % 2);
	o->tune = (xc_tune)(f[7] / 4 % 3);
	o->quality_parts = o->quality < 100 ? f[7] / 12 * 12 : 0;
	o->segment_blocks = f[5] & 128 ? 32 + f[0] : 0;
	o->range = f[6] & 8 ? 255 + 255u * f[3] : 0;
	if (o->subsampling == XC_SUBSAMPLING_444)
		o->colour = (xc_colour)(f[7] / 2 % 2);
	if (f[5] & 1)
		xc_quant_tables_flat(&o->tables);
	for (int i = 0; f[5] & 2 && i < 64; i++) {
		o->tables.luma[i] = (uint16_t)(1 + (f[5] >> 2) * i * i);
		o->tables.chroma[i] = (uint16_t)(1 + (f[5] >> 2) * 16 * i);
	}
}

static xc_picture make_picture(const uint8_t f[XC_RECIPE_BYTES], const uint8_t *samples, size_t n,
                               uint32_t max)
{
	const uint32_t depth = f[2] & 4 ? 16 : 8;
	xc_picture p = {1 + f[0] % max, 1 + f[1] % max, 1 + f[2] % 4u, depth, 0, NULL};

	p.stride = (size_t)p.width * p.channels * (depth / 8) + f[6] % 4 * 2;
	p.data = xc_test_malloc(p.stride * p.height);
	for (size_t i = 0; i < p.stride * p.height; i++)
		((uint8_t *)p.data)[i] = n ? samples[(i * (f[6] | 1) + i / p.stride) % n] : f[6];
	return p;
}

static void set_metadata(xc_metadata *m, const uint8_t f[XC_RECIPE_BYTES])
{
	*m = (xc_metadata){.gamma = 0};
	if (f[6] & 16)
		*m = (xc_metadata){.icc = {"profile", 7},
		                   .xmp = {"<x/>", 4},
		                   .density_x = f[0],
		                   .density_y = f[1],
		                   .density_unit = f[2] & 1};
	if (f[6] & 32) {
		m->exif = (xc_blob){"II*\0", 4};
		m->iptc = (xc_blob){"\x1c\2\5\0\1x", 6};
		m->text = (xc_blob){"Title\0text", 11};
		m->cicp[0] = f[3];
		m->significant_bits[0] = 5;
		m->maxval = 4095;
		m->gamma = 45455;
	}
}

void xc_recipe_make(const uint8_t *data, size_t size, uint32_t max, xc_recipe *r)
{
	set_options(&r->options, data);
	set_metadata(&r->metadata, data);
	r->picture = make_picture(data, data + XC_RECIPE_BYTES, size - XC_RECIPE_BYTES, max);
}
