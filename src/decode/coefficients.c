/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_decode_coefficients(): whole planes of quantized coefficients, row by row. */
#include <string.h>

#include "src/decode/coded.h"

void xc_coefficients_free(xc_context *c, xc_coefficients *k)
{
	if (c && k) {
		for (int i = 0; i < XC_MAX_COMPONENTS; i++)
			xc_release(c, k->plane[i].data);
		memset(k, 0, sizeof *k);
	}
}

static xc_status allocate(xc_context *c, const xc_geometry *g, xc_coefficients *out)
{
	out->components = (uint32_t)g->components;
	for (int i = 0; i < g->components; i++) {
		xc_plane_coefficients *p = &out->plane[i];
		p->blocks_wide = g->mcus_wide * (uint32_t)(i ? 1 : g->h);
		p->blocks_high = g->mcus_high * (uint32_t)(i ? 1 : g->v);
		const uint64_t bytes = (uint64_t)p->blocks_wide * p->blocks_high * 64 * sizeof(int32_t);
		p->data = bytes > SIZE_MAX ? NULL : xc_allocate(c, (size_t)bytes);
		if (!p->data)
			return xc_fail_memory(c, bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes);
	}
	return XC_OK;
}

typedef struct target {
	const xc_coded *coded;
	xc_coefficients *out;
} target;

static xc_status scatter(void *user, const xc_tile *t, void *from)
{
	const target *to = user;
	const xc_coded *d = to->coded;
	const xc_geometry *g = &d->container.geometry;

	xc_coded_add_ac_prediction(d, t, from);
	for (int c = 0; c < g->components; c++) {
		xc_plane_coefficients *p = &to->out->plane[c];
		const size_t x0 = t->x / 8 / (uint32_t)(c ? g->h : 1);
		const size_t y0 = t->y / 8 / (uint32_t)(c ? g->v : 1);
		for (size_t b = 0; b < (size_t)t->blocks_wide[c] * t->blocks_high[c]; b++) {
			const size_t y = y0 + b / t->blocks_wide[c], x = x0 + b % t->blocks_wide[c];
			const size_t at = (t->first_block[c] + b) * 64;
			int32_t *block = p->data + (y * p->blocks_wide + x) * 64;
			for (size_t i = 0; i < 64; i++)
				block[i % 8 * 8 + i / 8] = xc_coded_value(d, from, at + i);
		}
	}
	return XC_OK;
}

xc_status xc_decode_coefficients(xc_context *c, const void *file, size_t size, xc_coefficients *out)
{
	xc_coded d;

	if (out)
		*out = (xc_coefficients){0};
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!out)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	xc_status s = xc_coded_open(c, file, size, &d);
	if (!s)
		s = xc_container_check_expansion(c, &d.container, size);
	if (!s)
		s = allocate(c, &d.container.geometry, out);
	if (!s)
		s = xc_coded_visit(c, &d, scatter, &(target){&d, out});
	if (s)
		xc_coefficients_free(c, out);
	xc_coded_close(c, &d);
	return s;
}
