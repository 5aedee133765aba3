/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include <string.h>

#include "src/core/cpu.h"
#include "tests/format/refdec_compare.h"
#include "tests/support/check.h"

xc_context *xc_fuzz_context(unsigned choice)
{
	const xc_limits limits = {.max_pixels = XC_FUZZ_PIXELS,
	                          .max_memory = XC_FUZZ_MEMORY,
	                          .max_metadata = 1 << 20};
	xc_context *c = xc_context_new(NULL);

	FUZZ_CHECK(c, "out of memory");
	xc_context_set_limits(c, &limits);
	xc_context_set_threads(c, 1);
	/* A level that this machine lacks leaves the best one. */
	xc_context_set_cpu(c, xc_cpu_name((xc_cpu)(choice % XC_CPU_LEVELS)));
	return c;
}

int xc_fuzz_contexts(xc_context *list[XC_CPU_LEVELS])
{
	static xc_context *made[XC_CPU_LEVELS];
	static int count;

	if (!count) {
		for (unsigned i = 0; i < XC_CPU_LEVELS; i++)
			if (xc_cpu_usable((xc_cpu)i))
				made[count++] = xc_fuzz_context(i);
		for (int i = 0; i < count; i++)
			xc_context_set_threads(made[i], i + 1);
	}
	memcpy(list, made, sizeof made);
	return count;
}

void xc_fuzz_file(unsigned i, xc_bytes *out)
{
	if (i % 3) {
		xc_random_file(out, i, i % 3 == 1);
		return;
	}
	OWN_CONTEXT c = xc_fuzz_context(0);
	const xc_metadata m = {.icc = {"profile", 7},
	                       .exif = {"II*\0", 4},
	                       .density_x = 1,
	                       .density_y = 1};
	xc_encode_options o = xc_test_defaults();
	OWN_BUFFER(c, file);
	/* Some have rows with enough tiles for several threads to share one. */
	const int wide = i % 9 == 6;
	OWN_PICTURE p = xc_smooth_picture(wide ? 1000 + i * 7 : 1 + i * 7 % 90, 1 + i * 5 % 70,
	                                  1 + i / 3 % (wide ? 3 : 4), i / 12 % 2 ? 16 : 8, i);
	o.quality = 1 + (int)(i * 13 % (wide ? 20 : 100));
	o.segment_blocks = wide ? 64 : 0;
	if (wide && i % 4 == 2)
		o.transform = XC_TRANSFORM_LOT;
	o.subsampling = (xc_subsampling)(i / 6 % 3);
	o.huffman = (xc_huffman)(i / 3 % 2);
	o.effort = (int)(i / 9 % (XC_MOST_EFFORT + 1));
	o.entropy = (xc_entropy)(i / 3 % 4 > 1);
	if (o.subsampling == XC_SUBSAMPLING_444)
		o.colour = XC_COLOUR_PICTURE; /* random files have the other kind */
	if (i % 4) {
		xc_quant_tables_sloped(&o.tables);
		o.tables.luma[1] = (uint16_t)(i % 2 ? 11 : 500);
	}
	FUZZ_OK(c, xc_encode(c, &p, i % 2 ? &m : NULL, &o, &file));
	out->size = 0;
	xc_bytes_add(out, file.data, file.size);
}

__attribute__((weak)) void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	xc_fuzz_file(i, out);
}

void xc_fuzz_fixed(const uint8_t *data, size_t size, void (*each)(const uint8_t *, size_t))
{
	each(data, size);
	OWN_MEMORY uint8_t *copy = xc_test_copy(data, size);
	xc_file_fix(copy, size);
	if (size && memcmp(copy, data, size))
		each(copy, size);
}

void xc_fuzz_judge(const xc_context *c, xc_status s, const xc_picture *p, const uint8_t *file,
                   size_t size)
{
	const char *objection = refdec_objection(s, p, file, size, XC_FUZZ_PIXELS);
	FUZZ_CHECK(!objection, "status %d (%s), but reference: %s", (int)s, xc_context_message(c),
	           objection);
}

/* --------------------------------------------------------- pictures and options of any bytes */

void xc_recipe_seed(unsigned i, xc_bytes *out)
{
	uint64_t seed = i;

	out->size = 0;
	for (int k = 0; k < XC_RECIPE_BYTES; k++)
		xc_bytes_add_u8(out, (uint32_t)check_random(&seed));
	/* Three pictures in four are small, because large ones take most of the time. */
	for (int k = 0; k < 2 && i % 4; k++)
		out->data[k] %= 64;
	for (int k = 0; k < 64; k++)
		xc_bytes_add_u8(out, (uint32_t)(check_random(&seed) >> (i % 2 ? 60 : 56)));
}

static void set_options(xc_encode_options *o, const uint8_t f[XC_RECIPE_BYTES])
{
	xc_encode_options_default(o);
	o->quality = 1 + f[3] % 100;
	o->subsampling = f[6] & 64 ? XC_SUBSAMPLING_AUTO : (xc_subsampling)(f[4] % 4);
	o->huffman = (xc_huffman)(f[4] / 4 % 2);
	o->transform = f[6] & 64 ? XC_TRANSFORM_AUTO : (xc_transform)(f[4] / 8 % 3);
	o->effort = f[4] / 24 % (XC_MOST_EFFORT + 1);
	o->entropy = (xc_entropy)(f[7] % 2);
	o->tune = f[7] / 4 % 2 ? XC_TUNE_PSNR : XC_TUNE_EYE;
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
		                   .density_y = f[0] ? f[1] | 1u : 0,
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
