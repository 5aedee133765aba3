/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The potential of a density and its field (Jiang, Gu, Pan, algorithm 4): a DCT, its coefficients divided by
 * the squares of their frequencies, and an inverse transform for each result, of which those of the field are a
 * sine along one axis.  Where no algorithm does such pairs (they need FFTW), equation 21 makes an inverse DCT
 * of them: coefficients from behind, and every second sample negated.
 */
#include <stdlib.h>
#include <string.h>

#include "xct/context.h"
#include "lab/cpu/frame/frame.h"
#include "lab/cpu/shares.h"
#include "lab/samples.h"

enum { POTENTIAL, FORCE_X, FORCE_Y, OUTPUTS };

struct xct_poisson {
	xct_context *context;
	xct_poisson_descriptor d;
	xct_plan *forward, *inverse[OUTPUTS]; /* mirrored: of the field, NULL */
	int mirrored;
	void *bands;   /* the coefficients */
	void *wave[2]; /* frequencies down the columns and along the rows, in radians a column's step */
	long double gain[OUTPUTS];
};

void xct_poisson_default(xct_poisson_descriptor *descriptor)
{
	if (descriptor)
		*descriptor = (xct_poisson_descriptor){.row_step = 1,
		                                       .column_step = 1,
		                                       .precision = XCT_FLOAT32,
		                                       .threads = 1,
		                                       .device = XCT_CPU};
}

static xct_status plan(xct_poisson *p, xct_kind kind, xct_direction direction, xct_plan **out)
{
	xct_descriptor d;

	xct_descriptor_default(&d);
	d.kind = kind;
	d.direction = direction;
	d.precision = p->d.precision;
	d.dimensions = 2;
	d.size[0] = p->d.rows;
	d.size[1] = p->d.columns;
	d.threads = p->d.threads;
	d.device = p->d.device;
	d.estimate = p->d.estimate;
	return xct_plan_new(p->context, &d, out);
}

static xct_status plan_all(xct_poisson *p)
{
	static const xct_kind kinds[OUTPUTS] = {XCT_DCT2, XCT_IDCT_IDXST, XCT_IDXST_IDCT};
	xct_status status = plan(p, XCT_DCT2, XCT_FORWARD, &p->forward);

	for (int i = 0; i < OUTPUTS && status == XCT_OK; i++) {
		status = plan(p, kinds[i], XCT_INVERSE, &p->inverse[i]);
		p->mirrored |= i > 0 && status == XCT_ERR_UNSUPPORTED;
		if (p->mirrored)
			status = XCT_OK;
	}
	return status;
}

static int make_tables(xct_poisson *p)
{
	const xct_poisson_descriptor *const d = &p->d;
	const long double pi = 3.141592653589793238462643383279502884L;
	const size_t bytes = xc_precision_bytes(d->precision), n[2] = {d->rows, d->columns};
	const long double step[2] = {(long double)d->row_step, (long double)d->column_step};

	p->bands = xc_frame_allocate(n[0] * n[1], bytes); /* the plans have checked the product */
	for (int axis = 0; axis < 2; axis++) {
		p->wave[axis] = xc_frame_allocate(n[axis], bytes);
		for (size_t k = 0; p->wave[axis] && k < n[axis]; k++)
			xc_sample_put(p->wave[axis], d->precision, k,
			              pi * (long double)k / (long double)n[axis] * (step[1] / step[axis]));
	}
	p->gain[POTENTIAL] = step[1] * step[1];
	p->gain[FORCE_X] = p->gain[FORCE_Y] = step[1];
	return p->bands && p->wave[0] && p->wave[1] ? 0 : -1;
}

static int in_range(double step)
{
	return step >= 1e-9 && step <= 1e9;
}

xct_status xct_poisson_new(xct_context *context, const xct_poisson_descriptor *descriptor,
                           xct_poisson **out)
{
	if (out)
		*out = NULL;
	if (!context)
		return XCT_ERR_ARGUMENT;
	context->message[0] = '\0';
	if (!descriptor || !out)
		return xct_fail(context, XCT_ERR_ARGUMENT, "NULL");
	if (!in_range(descriptor->row_step) || !in_range(descriptor->column_step) ||
	    !in_range(descriptor->row_step / descriptor->column_step))
		return xct_fail(context, XCT_ERR_ARGUMENT, "steps of %g and %g", descriptor->row_step,
		                descriptor->column_step);
	if (descriptor->precision == XCT_INT16 || descriptor->precision == XCT_FLOAT16)
		return xct_fail(context, XCT_ERR_UNSUPPORTED, "a density has 32 bits or more");
	xct_poisson *const p = calloc(1, sizeof *p);
	if (!p)
		return xct_fail(context, XCT_ERR_MEMORY, "out of memory");
	p->context = context;
	p->d = *descriptor;
	xct_status status = plan_all(p);
	if (status == XCT_OK && make_tables(p))
		status = xct_fail(context, XCT_ERR_MEMORY, "out of memory");
	if (status == XCT_OK) {
		context->message[0] = '\0';
		*out = p;
	} else {
		xct_poisson_free(p);
	}
	return status;
}

void xct_poisson_free(xct_poisson *poisson)
{
	if (!poisson)
		return;
	xct_plan_free(poisson->forward);
	for (int i = 0; i < OUTPUTS; i++)
		xct_plan_free(poisson->inverse[i]);
	free(poisson->bands);
	free(poisson->wave[0]);
	free(poisson->wave[1]);
	free(poisson);
}

typedef struct job {
	const xct_poisson *poisson;
	void *const *out; /* OUTPUTS arrays, of which those that are not wanted are NULL */
	void *negated;    /* by negate_share(): the array, */
	int by_column;    /* of which every second column or row is negated */
} job;

/* The coefficients of a row, over the squares of their frequencies, and what each output takes of them. */
#define ROW(type) \
	static void row_##type(const xct_poisson *p, size_t row, void *const *out) \
	{ \
		const size_t n = p->d.columns; \
		const type *const wide = p->wave[1], down = ((const type *)p->wave[0])[row]; \
		const type gain = (type)p->gain[FORCE_X], square = (type)p->gain[POTENTIAL]; \
		type *const bands = (type *)p->bands + row * n; \
\
		for (size_t u = 0; u < n; u++) \
			bands[u] = row + u ? bands[u] / (wide[u] * wide[u] + down * down) : 0; \
		if (out[POTENTIAL]) \
			for (size_t u = 0; u < n; u++) \
				((type *)out[POTENTIAL] + row * n)[u] = bands[u] * square; \
		if (out[FORCE_X]) \
			for (size_t u = 0; u < n; u++) \
				((type *)out[FORCE_X] + row * n)[p->mirrored && u ? n - u : u] = bands[u] * \
				                                                                 (wide[u] * gain); \
		if (out[FORCE_Y]) \
			for (size_t u = 0; u < n; u++) \
				((type *)out[FORCE_Y] + \
				 (p->mirrored && row ? p->d.rows - row : row) * n)[u] = bands[u] * (down * gain); \
	}
typedef long double extended;
ROW(float)
ROW(double)
ROW(extended)

static void weigh_share(void *user, int share, int shares)
{
	const job *const j = user;
	const xct_poisson *const p = j->poisson;
	const size_t end = xc_share_first(p->d.rows, share + 1, shares);
	void (*const work)(const xct_poisson *, size_t, void *const *) = p->d.precision == XCT_FLOAT32
	                                                                     ? row_float
	                                                                 : p->d.precision == XCT_FLOAT64
	                                                                     ? row_double
	                                                                     : row_extended;

	for (size_t row = xc_share_first(p->d.rows, share, shares); row < end; row++)
		work(p, row, j->out);
}

static void negate_share(void *user, int share, int shares)
{
	const job *const j = user;
	const xct_poisson_descriptor *const d = &j->poisson->d;
	const size_t end = xc_share_first(d->rows, share + 1, shares) * d->columns;

	for (size_t i = xc_share_first(d->rows, share, shares) * d->columns; i < end; i++)
		if ((j->by_column ? i % d->columns : i / d->columns) % 2)
			xc_sample_put(j->negated, d->precision, i, -xc_sample_get(j->negated, d->precision, i));
}

xct_status xct_poisson_execute(xct_poisson *poisson, const void *density, void *potential,
                               void *force_x, void *force_y)
{
	void *const out[OUTPUTS] = {potential, force_x, force_y};
	job j = {.poisson = poisson, .out = out};

	if (!poisson)
		return XCT_ERR_ARGUMENT;
	xct_status status = xct_execute(poisson->forward, density, poisson->bands);
	if (status != XCT_OK)
		return status;
	xc_shares_run(&poisson->context->pool, poisson->d.threads, weigh_share, &j);
	for (int i = 0; i < OUTPUTS && status == XCT_OK; i++) {
		if (!out[i])
			continue;
		const int mirrored = i > 0 && poisson->mirrored;
		status = xct_execute(poisson->inverse[mirrored ? POTENTIAL : i], out[i], out[i]);
		j.negated = out[i];
		j.by_column = i == FORCE_X;
		if (status == XCT_OK && mirrored)
			xc_shares_run(&poisson->context->pool, poisson->d.threads, negate_share, &j);
	}
	return status;
}
