/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include <string.h>

#include "src/core/cpu.h"
#include "tests/format/refdec_compare.h"

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
	/* Some have rows of so many tiles that several threads share one. */
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
	o.tables.luma[1] = (uint16_t)(i % 2 ? 11 : 500);
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
