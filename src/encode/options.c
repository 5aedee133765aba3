/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/core/context.h"

void xc_encode_options_default(xc_encode_options *o)
{
	if (!o)
		return;
	*o = (xc_encode_options){.quality = 75,
	                         .transform = XC_TRANSFORM_TDLT,
	                         .entropy = XC_ENTROPY_RANS,
	                         .effort = 2};
	xc_quant_tables_sloped(&o->tables);
}

void xc_encode_options_jpeg(xc_encode_options *o)
{
	if (!o)
		return;
	*o = (xc_encode_options){.quality = 75, .transform = XC_TRANSFORM_DCT};
	xc_quant_tables_annex_k(&o->tables);
}

static int is_space(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\r' || ch == '\n' || ch == ',' || ch == '\f' ||
	       ch == '\v';
}

xc_status xc_quant_tables_parse(xc_context *c, const char *text, size_t size,
                                xc_quant_tables *tables)
{
	uint16_t values[128];
	unsigned n = 0, line = 1;

	if (tables)
		*tables = (xc_quant_tables){0};
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!tables || (size && !text))
		return xc_fail(c, XC_ERR_ARGUMENT, "no text or no place for the tables");
	for (size_t i = 0; i < size;) {
		if (text[i] == '#') {
			while (i < size && text[i] != '\n')
				i++;
		} else if (is_space(text[i])) {
			line += text[i++] == '\n';
		} else {
			uint32_t v = 0;
			const size_t start = i;
			for (; i < size && text[i] >= '0' && text[i] <= '9' && v <= 65535; i++)
				v = v * 10 + (uint32_t)(text[i] - '0');
			if (i == start || (i < size && !is_space(text[i]) && text[i] != '#') || !v || v > 65535)
				return xc_fail(c, XC_ERR_CORRUPT,
				               "a quantization step must be a number from 1 to 65535 (line %u)",
				               line);
			if (n == 128)
				return xc_fail(c, XC_ERR_CORRUPT, "more than 128 quantization steps (line %u)",
				               line);
			values[n++] = (uint16_t)v;
		}
	}
	if (n != 64 && n != 128)
		return xc_fail(c, XC_ERR_CORRUPT, "%u quantization steps instead of 64 or 128 (line %u)", n,
		               line);
	for (int i = 0; i < 64; i++) {
		tables->luma[i] = values[i];
		tables->chroma[i] = values[n == 128 ? 64 + i : i];
	}
	return XC_OK;
}
