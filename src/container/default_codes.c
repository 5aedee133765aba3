/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/container/default_codes.h"

xc_status xc_default_codes_make(xc_context *c)
{
	enum { BYTES = 4 * sizeof(xc_huffman_code) };
	xc_attachment *a = &c->attached[XC_ATTACHED_CODES];
	if (a->data)
		return XC_OK;
	xc_huffman_code *codes = xc_allocate(c, BYTES);
	if (!codes)
		return xc_fail_memory(c, BYTES);
	for (int i = 0; i < 4; i++)
		xc_huffman_default(&codes[i], i % 2, i / 2);
	*a = (xc_attachment){codes, xc_release};
	return XC_OK;
}

const xc_huffman_code (*xc_default_codes(xc_context *c))[2]
{
	return c->attached[XC_ATTACHED_CODES].data;
}
