/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

xc_context *xc_test_context(void)
{
	xc_context *c = xc_context_new(NULL);

	if (!c)
		abort();
	return c;
}

void xc_test_limits(xc_context *c, uint64_t pixels, uint64_t memory, uint64_t metadata)
{
	const xc_limits limits = {.max_pixels = pixels, .max_memory = memory, .max_metadata = metadata};
	CHECK_OK(c, xc_context_set_limits(c, &limits));
}

xc_encode_options xc_test_options(int quality, xc_subsampling subsampling, xc_transform transform,
                                  xc_huffman huffman)
{
	xc_encode_options o = xc_test_jpeg();

	o.quality = quality;
	o.subsampling = subsampling;
	o.transform = transform;
	o.huffman = huffman;
	o.effort = 2;
	return o;
}

void xc_test_coding(xc_encode_options *o, int coding)
{
	o->huffman = coding & XC_TEST_BUILT_IN ? XC_HUFFMAN_DEFAULT : XC_HUFFMAN_OPTIMIZED;
	o->entropy = coding & XC_TEST_RANS ? XC_ENTROPY_RANS : XC_ENTROPY_HUFFMAN;
	o->colour = coding & XC_TEST_COMPONENTS && o->subsampling == XC_SUBSAMPLING_444
	                ? XC_COLOUR_PICTURE
	                : XC_COLOUR_YCBCR;
}

static int same_blob(xc_blob a, xc_blob b)
{
	return a.size == b.size && !a.data == !b.data && (!a.size || !memcmp(a.data, b.data, a.size));
}

void xc_check_metadata(const xc_metadata *a, const xc_metadata *b)
{
	static const xc_metadata none;

	b = b ? b : &none;
	CHECK(same_blob(a->icc, b->icc), "icc: %zu bytes, not %zu", a->icc.size, b->icc.size);
	CHECK(same_blob(a->exif, b->exif), "exif: %zu bytes, not %zu", a->exif.size, b->exif.size);
	CHECK(same_blob(a->xmp, b->xmp), "xmp: %zu bytes, not %zu", a->xmp.size, b->xmp.size);
	CHECK(a->density_x == b->density_x && a->density_y == b->density_y &&
	          a->density_unit == b->density_unit,
	      "density %u x %u unit %u", a->density_x, a->density_y, a->density_unit);
	CHECK(same_blob(a->iptc, b->iptc), "iptc: %zu bytes, not %zu", a->iptc.size, b->iptc.size);
	CHECK(same_blob(a->text, b->text), "text: %zu bytes, not %zu", a->text.size, b->text.size);
	CHECK(!memcmp(a->cicp, b->cicp, 4), "cicp %u", a->cicp[0]);
	CHECK(!memcmp(a->significant_bits, b->significant_bits, 4), "%u significant bits",
	      a->significant_bits[0]);
	CHECK(a->maxval == b->maxval, "maxval %u", a->maxval);
	CHECK(a->gamma == b->gamma && !memcmp(a->primaries, b->primaries, sizeof a->primaries),
	      "gamma %u, white %u", a->gamma, a->primaries[0]);
}

double xc_test_dct(int u, int x)
{
	static double basis[8][8];

	if (basis[u][x] == 0) /* not yet: none of them is 0 */
		basis[u][x] = sqrt((u ? 2 : 1) / 8.0) * cos((2 * x + 1) * u * acos(-1) / 16);
	return basis[u][x];
}
