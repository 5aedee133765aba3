/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/cuda/decoder.h"

#include <string.h>

xc_status xc_cuda_codes_init(xc_context *c, xc_cuda_codes *d, uint32_t max)
{
	d->codes = xc_allocate(c, max * sizeof *d->codes);
	d->frequencies = xc_allocate(c, max * sizeof *d->frequencies);
	d->codes_of = xc_allocate(c, max * sizeof *d->codes_of);
	d->frequencies_of = xc_allocate(c, max * sizeof *d->frequencies_of);
	if (!d->codes || !d->frequencies || !d->codes_of || !d->frequencies_of)
		return xc_fail_memory(c, max * sizeof *d->codes);
	return XC_OK;
}

void xc_cuda_codes_free(xc_context *c, const xc_cuda_codes *d)
{
	xc_release(c, d->codes);
	xc_release(c, d->frequencies);
	xc_release(c, d->codes_of);
	xc_release(c, d->frequencies_of);
}

void xc_cuda_codes_begin(const xc_cuda_codes *d, xc_gpu_decode_batch *w)
{
	*w = (xc_gpu_decode_batch){.codes = d->codes,
	                           .frequencies = d->frequencies,
	                           .weights = xc_rans_builtin_weights};
}

/* Whether a picture of one AC code a class has points of reconstruction besides. */
static int has_points(const xc_container *k)
{
	const xc_value_points *p = k->points;
	return p[0].one || p[0].more || p[1].one || p[1].more;
}

static int same_code(const xc_huffman_code *a, const xc_huffman_code *b)
{
	return !memcmp(a->length, b->length, a->symbols);
}

static int same_set(const xc_code_set *a, const xc_code_set *b)
{
	if (!same_code(&a->dc, &b->dc) || a->ac_codes != b->ac_codes ||
	    memcmp(a->ac_code, b->ac_code, sizeof a->ac_code))
		return 0;
	for (uint32_t i = 0; i < a->ac_codes; i++)
		if (!same_code(&a->ac[i], &b->ac[i]))
			return 0;
	return 1;
}

static xc_gpu_coding coding_of(const xc_container *k)
{
	if (k->header.entropy >= XC_ENTROPY_RANS_BUILT_IN)
		return XC_GPU_RANS;
	return k->header.entropy == XC_ENTROPY_HUFFMAN_CONTEXTS || has_points(k) ? XC_GPU_CONTEXTS
	                                                                         : XC_GPU_PLAIN;
}

static int same_frequencies(const xc_container *a, const xc_container *b)
{
	if (a->header.entropy != b->header.entropy)
		return 0;
	return a->header.entropy == XC_ENTROPY_RANS_BUILT_IN ||
	       !memcmp(&a->frequencies, &b->frequencies, sizeof a->frequencies);
}

/* Whether two files take the same tables. */
static int same_codes(const xc_container *a, const xc_container *b)
{
	if (a->header.entropy != b->header.entropy || a->header.depth != b->header.depth ||
	    coding_of(a) != coding_of(b))
		return 0;
	/* Built-in codes are there for grey as well. */
	if (a->header.entropy == XC_ENTROPY_HUFFMAN_DEFAULT)
		return 1;
	if (a->geometry.components != b->geometry.components)
		return 0;
	for (int i = 0; i < (a->geometry.components == 1 ? 1 : 2); i++)
		if (!same_set(&a->codes[i], &b->codes[i]))
			return 0;
	return 1;
}

static void take_codes(xc_gpu_class_codes *to, const xc_code_set *set, const xc_container *k)
{
	xc_canonical_code_init(&to->code[0], &set->dc);
	for (uint32_t i = 0; i < set->ac_codes; i++)
		xc_canonical_code_init(&to->code[1 + i], &set->ac[i]);
	for (int i = 0; i < XC_AC_CONTEXTS; i++)
		to->after[i] = (uint8_t)(1 + set->ac_code[i]);
	to->ac_codes = set->ac_codes;
	to->depth16 = k->header.depth == 16;
	to->coding = coding_of(k);
}

/* Pictures share codes, or frequencies, with those of the last sets that are the same. */
enum { LOOK_BACK = 4 };

/* The set of frequencies of the picture that comes next. */
static uint32_t frequencies_of(xc_cuda_codes *d, xc_gpu_decode_batch *w, const xc_container *k)
{
	for (uint32_t i = 0; i < w->frequency_sets && i < LOOK_BACK; i++)
		if (same_frequencies(d->frequencies_of[w->frequency_sets - 1 - i], k))
			return w->frequency_sets - 1 - i;
	if (k->header.entropy == XC_ENTROPY_RANS_BUILT_IN)
		xc_rans_builtin_frequencies(&d->frequencies[w->frequency_sets]);
	else
		d->frequencies[w->frequency_sets] = k->frequencies;
	d->frequencies_of[w->frequency_sets] = k;
	return w->frequency_sets++;
}

/* The set of codes of the picture that comes next. */
static uint32_t codes_of(xc_cuda_codes *d, xc_gpu_decode_batch *w, const xc_container *k)
{
	for (uint32_t i = 0; i < w->code_sets && i < LOOK_BACK; i++)
		if (same_codes(d->codes_of[w->code_sets - 1 - i], k))
			return w->code_sets - 1 - i;
	const int built_in = k->header.entropy == XC_ENTROPY_HUFFMAN_DEFAULT;
	const int classes = built_in || k->geometry.components > 1 ? 2 : 1;
	const uint32_t known = built_in && !has_points(k) ? k->header.depth : 0;
	d->codes_of[w->code_sets] = k;
	/* Making them takes as long as all else that the library does about a single picture. */
	if (w->code_sets == 0 && known && known == d->known)
		return w->code_sets++;
	xc_gpu_class_codes *to = d->codes[w->code_sets];
	memset(to, 0, sizeof *d->codes);
	for (int i = 0; i < 2; i++)
		take_codes(&to[i], &k->codes[i < classes ? i : 0], k);
	if (w->code_sets == 0)
		d->known = known;
	return w->code_sets++;
}

void xc_cuda_codes_take(xc_cuda_codes *d, xc_gpu_decode_batch *w, const xc_container *k,
                        xc_gpu_coded_picture *p)
{
	p->coding = coding_of(k);
	p->codes = p->coding == XC_GPU_RANS ? frequencies_of(d, w, k) : codes_of(d, w, k);
}
