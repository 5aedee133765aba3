/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/bitread.h"

void xc_bit_reader_init(xc_bit_reader *r, const uint8_t *data, size_t size, const uint8_t *readable)
{
	*r = (xc_bit_reader){.next = data, .end = data + size};
	/* A segment shorter than a word is read byte by byte. */
	r->fast = readable - data >= 8 ? readable - 8 : NULL;
}

int xc_bit_reader_at_end(const xc_bit_reader *r)
{
	/* In bits: what was taken from memory or made up, less what is left over. */
	const ptrdiff_t ahead = (r->next - r->end + (ptrdiff_t)r->beyond) * 8 - (ptrdiff_t)r->count;
	return ahead <= 0 && ahead > -8 && (ahead == 0 || !(r->bits >> (64 + ahead)));
}
