/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/metrics/span.h"

static void load_channel(const xc_picture *p, uint32_t x, uint32_t y, uint32_t channel, uint32_t n,
                         uint32_t depth, uint16_t *to)
{
	const uint8_t *row8 = (const uint8_t *)p->data + y * p->stride;
	const uint16_t *row16 = (const void *)row8;
	const unsigned scale = depth > p->depth ? 257 : 1; /* 255 becomes 65535 */
	size_t at = (size_t)x * p->channels + channel;

	if (p->depth == 8)
		for (uint32_t i = 0; i < n; i++, at += p->channels)
			to[i] = (uint16_t)(row8[at] * scale);
	else
		for (uint32_t i = 0; i < n; i++, at += p->channels)
			to[i] = row16[at];
}

void xc_span_load(const xc_picture *p, uint32_t x, uint32_t y, uint32_t n, uint32_t depth,
                  xc_span *span)
{
	int has_alpha = p->channels % 2 == 0, has_colour = p->channels > 2;

	for (uint32_t c = 0; c < 3; c++)
		load_channel(p, x, y, has_colour ? c : 0, n, depth, span->sample[c]);
	if (has_alpha)
		load_channel(p, x, y, p->channels - 1, n, depth, span->sample[3]);
	else
		for (uint32_t i = 0; i < n; i++)
			span->sample[3][i] = (uint16_t)xc_span_peak(depth);
}

void xc_span_luma(const xc_span *span, uint32_t n, uint16_t *luma)
{
	/* The weights add up to 2^20 - 1, and rounding keeps the value of grey. */
	for (uint32_t i = 0; i < n; i++)
		luma[i] = (uint16_t)((UINT64_C(313524) * span->sample[0][i] +
		                      UINT64_C(615514) * span->sample[1][i] +
		                      UINT64_C(119537) * span->sample[2][i] + (1 << 19)) >>
		                     20);
}

void xc_span_chroma(const xc_span *span, uint32_t n, uint32_t depth, uint16_t *cb, uint16_t *cr)
{
	/* As above; halves are rounded down, or the largest value would not fit. */
	const int64_t middle = (INT64_C(1) << (depth - 1 + 20)) + (1 << 19) - 1;

	for (uint32_t i = 0; i < n; i++) {
		const int64_t r = span->sample[0][i], g = span->sample[1][i], b = span->sample[2][i];
		cb[i] = (uint16_t)((middle + 524288 * b - 176932 * r - 347356 * g) >> 20);
		cr[i] = (uint16_t)((middle + 524288 * r - 439026 * g - 85262 * b) >> 20);
	}
}
