/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/container/default_codes.h"

_Static_assert(4 * sizeof(xc_huffman_code) == XC_CODES_WORDS * sizeof(uint32_t),
               "the room that a context has for the codes");

const xc_huffman_code (*xc_default_codes(xc_context *c))[2]
{
	xc_huffman_code *codes = (void *)c->codes;
	for (int i = 0; i < 4 && !c->has_codes; i++)
		xc_huffman_default(&codes[i], i % 2, i / 2);
	c->has_codes = 1;
	return (const xc_huffman_code(*)[2])codes;
}
