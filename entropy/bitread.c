/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/bitread.h"

void xc_bit_reader_init(xc_bit_reader *r, const uint8_t *data, size_t size, const uint8_t *readable)
{
	/* No bytes give zeros wherever they lie, so an empty span need not be in memory. It has no fast
	 * part, whose end of NULL is below every address. */
	static const uint8_t nothing[1];

	*r = (xc_bit_reader){.next = nothing, .end = nothing};
	if (size) {
		r->next = data;
		r->end = data + size;
		r->fast = readable - data >= 8 ? readable - 8 : NULL;
	}
}

void xc_bit_reader_refill_slow(xc_bit_reader *r)
{
	r->count &= 63;
	while (r->count <= 56) {
		uint64_t byte = 0;
		if (r->next < r->end)
			byte = *r->next++;
		else
			r->beyond++;
		r->bits |= byte << (56 - r->count);
		r->count += 8;
	}
	/* 64 does not fit the 6 bits. */
	if (r->count == 64) {
		r->count = 56;
		if (r->beyond)
			r->beyond--;
		else
			r->next--;
		r->bits &= ~UINT64_C(0xff);
	}
}

int xc_bit_reader_at_end(const xc_bit_reader *r)
{
	/* In bits: what was taken from memory or made up, less what is left over. */
	const ptrdiff_t ahead = (r->next - r->end + (ptrdiff_t)r->beyond) * 8 -
	                        (ptrdiff_t)(r->count & 63);

	return ahead <= 0 && ahead > -8 && (ahead == 0 || !(r->bits >> (64 + ahead)));
}
