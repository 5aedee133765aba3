/* SPDX-License-Identifier: BSD-2-Clause */
#include <sched.h>
#include <string.h>

#include "src/decode/decoder.h"

xc_status xc_decoder_leads_set_up(xc_decoder *d)
{
	xc_decode_leads *l = &d->leads;
	const xc_geometry *g = &d->crop;
	const uint32_t mcus = xc_inverse_lead_mcus(g, d->coded.container.header.transform);
	if (d->groups.stretches < 2 || !mcus)
		return XC_OK;
	const uint32_t rows = d->wave < g->tiles_high ? d->wave : g->tiles_high - d->groups.split;
	l->each = d->groups.stretches - 1;
	l->count = (size_t)rows * l->each;
	l->bytes = (size_t)mcus * g->tile_mcus_high * xc_geometry_mcu_blocks(g) * 64 *
	           d->coded.level->width;
	const size_t bytes = l->count * (l->bytes + 1);
	l->memory = xc_scratch_allocate(d->context, bytes);
	if (!l->memory)
		return xc_fail_memory(d->context, bytes);
	l->given = (uint8_t *)l->memory + l->count * l->bytes;
	return XC_OK;
}

void xc_decoder_leads_tear_down(xc_decoder *d)
{
	xc_scratch_free(d->context, d->leads.memory);
}

void xc_decoder_leads_begin(xc_decoder *d)
{
	if (d->leads.count)
		memset(d->leads.given, 0, d->leads.count);
}

static size_t place(const xc_decoder *d, uint32_t row, uint32_t stretch)
{
	const uint32_t split = d->groups.split, first = d->tile_row > split ? d->tile_row : split;
	return (size_t)(row - first) * d->leads.each + stretch;
}

void xc_decoder_leads_give(xc_decoder *d, uint32_t row, uint32_t stretch, const xc_tile *t,
                           const void *coefficients)
{
	if (!d->leads.count)
		return;
	const xc_tile lead = xc_inverse_lead_of(&d->inverse, t);
	const size_t at = place(d, row, stretch), block = 64 * d->coded.level->width;
	char *to = d->leads.memory + at * d->leads.bytes;
	for (int c = 0; c < d->crop.components; c++) {
		const size_t n = lead.blocks_wide[c] * block;
		const char *from = (const char *)coefficients + t->first_block[c] * block;
		for (uint32_t b = 1; b <= t->blocks_high[c]; b++, to += n)
			memcpy(to, from + (size_t)b * t->blocks_wide[c] * block - n, n);
	}
	__atomic_store_n(&d->leads.given[at], 1, __ATOMIC_RELEASE);
}

void xc_decoder_leads_take(xc_decoder *d, xc_decode_worker *w, uint32_t row, uint32_t stretch,
                           const xc_tile *t)
{
	if (!d->leads.count)
		return;
	const size_t at = place(d, row, stretch);
	/* That stretch was begun before this one, and gives its lead before it waits, so this never takes longer
	 * than to decode its segments. */
	while (!__atomic_load_n(&d->leads.given[at], __ATOMIC_ACQUIRE))
		sched_yield();
	const xc_tile lead = xc_inverse_lead_of(&d->inverse, t);
	xc_inverse_lead(&d->inverse, &w->inverse, &lead, d->leads.memory + at * d->leads.bytes);
}
