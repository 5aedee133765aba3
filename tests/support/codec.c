/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/codec.h"

#include <stdlib.h>

xc_context *xc_test_context(void)
{
	xc_context *c = xc_context_new(NULL);
	if (!c)
		abort();
	return c;
}

xc_encode_options xc_test_options(int quality, xc_subsampling subsampling, xc_transform transform,
                                  xc_huffman huffman)
{
	xc_encode_options o;
	xc_encode_options_default(&o);
	o.quality = quality;
	o.subsampling = subsampling;
	o.transform = transform;
	o.huffman = huffman;
	return o;
}
