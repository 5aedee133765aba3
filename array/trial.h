/* SPDX-License-Identifier: BSD-2-Clause */
/* A box in the middle of a slab that is coded to compare models. For array/fit.c. */
#ifndef XC_ARRAY_TRIAL_H
#define XC_ARRAY_TRIAL_H

#include <string.h>

#include "array/slab.h"

enum { XC_TRIAL_VALUES = 1 << 16 };
static const uint32_t xc_trial_sizes[3][3] = {{16, 64, 64}, {1, 256, 256}, {1, 1, XC_TRIAL_VALUES}};

typedef struct xc_trial {
	uint32_t size[3]; /* in the array's order */
	char *values, *kinds, *residues, *work;
	uint32_t (*counts)[XC_SYMBOLS];
} xc_trial;

/* Places a trial in memory; returns the bytes. */
static inline size_t xc_trial_place(xc_trial *t, int wide, void *memory)
{
	uintptr_t at = (uintptr_t)memory; /* perhaps NULL */
	/* Blocks have a coefficient and a correction for each value. */
	static const uint32_t most[3] = {1, 1, 2 * XC_TRIAL_VALUES + XC_FREQUENCIES};
	const size_t room = xc_residues_room(wide, most);
	size_t work = 0;

	for (int i = 0; i < 3; i++) {
		const size_t w = xc_chunk_scratch(wide, xc_trial_sizes[i]);
		work = w > work ? w : work;
	}
	t->values = (void *)at;
	at += (size_t)XC_TRIAL_VALUES * (wide ? 8 : 4);
	t->kinds = (void *)at;
	at += XC_TRIAL_VALUES;
	t->residues = (void *)at;
	at += xc_aligned64(room);
	t->work = (void *)at;
	at += xc_aligned64(work);
	t->counts = (void *)at;
	return at + XC_ARRAY_SHAPES * sizeof *t->counts - (uintptr_t)memory;
}

static inline void xc_trial_size(xc_trial *t, const xc_fit_source *s)
{
	const int dimensions = s->chunk[0] > 1 ? 0 : s->chunk[1] > 1 ? 1 : 2;

	for (int k = 0; k < 3; k++) {
		const uint32_t n = xc_trial_sizes[dimensions][k], c = s->chunk[k];
		t->size[k] = n < c ? n : c;
		t->size[k] = t->size[k] < s->size[k] ? t->size[k] : s->size[k];
	}
}

/* Copies n values of the slab in the model's order of dimensions. */
static inline void xc_trial_copy(const xc_trial *t, const xc_fit_source *s, const xc_array_model *m,
                                 const uint32_t n[3])
{
	const size_t strides[3] = {(size_t)s->size[1] * s->size[2], s->size[2], 1};
	size_t at = 0, first = 0, stride[3];

	for (int k = 0; k < 3; k++) {
		stride[k] = strides[m->axis[k]];
		first += (s->size[m->axis[k]] - n[k]) / 2 * stride[k];
	}
	for (uint32_t a = 0; a < n[0]; a++)
		for (uint32_t b = 0; b < n[1]; b++)
			for (uint32_t c = 0; c < n[2]; c++, at++) {
				const size_t i = first + a * stride[0] + b * stride[1] + c * stride[2];
				if (s->wide)
					((double *)(void *)t->values)[at] = ((const double *)s->values)[i];
				else
					((float *)(void *)t->values)[at] = ((const float *)s->values)[i];
				if (s->kind)
					t->kinds[at] = (char)s->kind[i];
			}
}

/* The bits of the box, coded by the model, and its share of the frequencies. */
static inline uint64_t xc_trial_bits(const xc_fit_source *s, const xc_array_model *m,
                                     const xc_trial *t)
{
	xc_chunk_values box = {.values = t->values, .kind = s->kind ? (const void *)t->kinds : NULL};
	uint32_t room[3];
	xc_residues r;

	for (int k = 0; k < 3; k++)
		box.size[k] = t->size[m->axis[k]];
	xc_trial_copy(t, s, m, box.size);
	xc_residues_size(m, box.size, room);
	xc_residues_place(&r, s->wide, room, t->residues);
	xc_chunk_residues(m, &box, &r, t->work);
	memset(t->counts, 0, XC_ARRAY_SHAPES * sizeof *t->counts);
	const uint64_t above = xc_residues_count(&r, t->counts);
	return above +
	       xc_counts_bits(s->wide, t->counts,
	                      (double)xc_chunk_count(box.size) / (double)xc_chunk_count(s->size));
}

#endif
