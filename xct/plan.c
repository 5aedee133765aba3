/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libxct's plans.  An engine transforms one dense array; a round here runs one over all arrays of a
 * batch, and gathers and scatters around it where strides or a scaling ask for that.  Four dimensions
 * are two rounds: the last two axes of every pair of the others, then the first two.  So is an array that
 * several GPUs share.
 *
 * Many small arrays are shared out to threads, each of which has an engine of its own; otherwise an
 * engine has all threads.
 */
#include <stdlib.h>
#include <string.h>

#include "xct/context.h"
#include "lab/cpu/frame/frame.h"
#include "xct/strided.h"
#include "lab/cpu/shares.h"
#include "lab/samples.h"
#include "lab/scaling.h"

/* Arrays up to this many samples are shared out; larger ones would leave the threads' caches. */
enum { SHARED_SAMPLES = 1 << 16, ROUNDS = 2, LOOPS = 3 };

/* What one thread works with. */
typedef struct worker {
	xc_plan *engine;
	void *in, *out; /* dense arrays; NULL: none, or not yet */
} worker;

typedef struct plan_round {
	size_t loop[LOOPS], in_step[LOOPS], out_step[LOOPS]; /* the arrays, in samples */
	xc_strided gather, scatter;
	int gathers, scatters, in_place; /* in_place: the engine's */
	void *weights[2][XC_STRIDED_AXES];
	size_t in_samples, out_samples;
	int workers, threads; /* of the round; of a gather, a scatter and an engine */
	int still;            /* see xc_plan */
	worker *worker;
} plan_round;

struct xct_plan {
	xct_context *context;
	xc_request request;
	int rounds;
	plan_round round[ROUNDS];
};

/* ------------------------------------------------------------- scaling */

/* The kind whose scaling axis `axis` of a round has: those of a pair are cosines but for one. */
static xct_kind axis_kind(const xct_descriptor *d, int axis)
{
	if (d->kind == XCT_IDCT_IDXST || d->kind == XCT_IDXST_IDCT) {
		const int sine = d->kind == XCT_IDCT_IDXST ? 2 : 1;
		return axis == sine ? XCT_DCT4 : XCT_DCT2; /* IDXST is scaled alike everywhere */
	}
	return d->kind;
}

static xc_axis_scale scale_at(const xct_descriptor *d, int axis, size_t n, size_t i)
{
	const int first = XC_STRIDED_AXES - (d->dimensions < 4 ? d->dimensions : 2);

	return axis < first ? (xc_axis_scale){1, 1, 1}
	                    : xc_scaling_at(d->scaling, axis_kind(d, axis), d->direction, n, i);
}

/* Fills in the factors of the round's axes, of which the first may be none of the array.  What all samples
 * are multiplied with goes to the input if that has factors anyway, so that one side does where one can. */
static int make_weights(plan_round *r, const xct_descriptor *d)
{
	int needed[2] = {0, 0};

	for (int a = 0; a < XC_STRIDED_AXES; a++) {
		const size_t n = r->gather.size[a];
		needed[0] |= scale_at(d, a, n, 0).in != 1 || scale_at(d, a, n, n - 1).in != 1;
		needed[1] |= scale_at(d, a, n, 0).out != 1 || scale_at(d, a, n, n - 1).out != 1;
	}
	needed[1] |= !needed[0];
	for (int side = 0; side < 2; side++)
		for (int a = 0; a < XC_STRIDED_AXES && needed[side]; a++) {
			const size_t n = r->gather.size[a];
			void *const weights = xc_frame_allocate(n, xc_precision_bytes(d->precision));
			r->weights[side][a] = weights;
			if (!weights)
				return -1;
			(side ? &r->scatter : &r->gather)->weights[a] = weights;
			for (size_t i = 0; i < n; i++) {
				const xc_axis_scale s = scale_at(d, a, n, i);
				const long double factor = side == !needed[0] ? s.factor : 1;
				xc_sample_put(weights, d->precision, i, (side ? s.out : s.in) * factor);
			}
		}
	/* A GPU multiplies by itself. */
	r->gathers |= needed[0] && d->device == XCT_CPU;
	r->scatters |= needed[1] && d->device == XCT_CPU;
	return 0;
}

/* The factors of 8x8 coefficients: quantization, or a scaling. */
static void make_factors(const xct_descriptor *d, xc_plan *wanted)
{
	const int inverse = d->direction == XCT_INVERSE;

	wanted->weighs = d->kind == XCT_BLOCK_DCT_QUANTIZED || (d->kind == XCT_BLOCK_DCT && d->scaling);
	for (size_t i = 0; wanted->weighs && i < 64; i++) {
		const long double step = xct_quantizers()[i];
		long double factor = 1;
		for (int axis = 0; axis < 2 && d->kind == XCT_BLOCK_DCT; axis++) {
			const xc_axis_scale s = xc_scaling_at(d->scaling, XCT_DCT2, d->direction, 8,
			                                      axis ? i % 8 : i / 8);
			factor *= s.in * s.out * s.factor;
		}
		if (d->kind == XCT_BLOCK_DCT_QUANTIZED)
			factor = inverse ? step : 1 / step;
		wanted->factors[i] = factor;
	}
}

/* -------------------------------------------------------------- rounds */

static size_t arrays_of(const plan_round *r)
{
	return r->loop[0] * r->loop[1] * r->loop[2];
}

/* Sets a side's layout from the sizes and strides of `n` axes, whose other side is dense. */
static size_t make_side(xc_strided *l, const xct_descriptor *d, const size_t *size,
                        const size_t *stride, int n, int gather, int *needed)
{
	size_t samples = 1;

	l->precision = d->precision;
	for (int a = XC_STRIDED_AXES; a-- > 0;) {
		const int axis = a - (XC_STRIDED_AXES - n);
		const size_t of_array = axis >= 0 ? stride[axis] : samples;
		l->size[a] = axis >= 0 ? size[axis] : 1;
		l->in_stride[a] = gather ? of_array : samples;
		l->out_stride[a] = gather ? samples : of_array;
		*needed |= l->size[a] > 1 && of_array != samples;
		samples *= l->size[a];
	}
	return samples;
}

/* An engine works on axes first ... first + n - 1; `in` and `out` are the strides of all. */
static void make_round(plan_round *r, const xc_request *q, int first, int n, const size_t *in,
                       const size_t *out)
{
	const xct_descriptor *const d = &q->d;
	int loop = 1;

	for (int i = 0; i < LOOPS; i++)
		r->loop[i] = 1;
	r->loop[0] = d->batch;
	r->in_step[0] = in == d->in_stride ? d->in_distance : d->out_distance;
	r->out_step[0] = d->out_distance;
	for (int i = 0; i < d->dimensions; i++)
		if (i < first || i >= first + n) {
			r->loop[loop] = d->size[i];
			r->in_step[loop] = in[i];
			r->out_step[loop++] = out[i];
		}
	r->in_samples = make_side(&r->gather, d, q->in_size + first, in + first, n, 1, &r->gathers);
	r->out_samples = make_side(&r->scatter, d, q->out_size + first, out + first, n, 0,
	                           &r->scatters);
	r->in_place = q->algorithm->is.in_place && r->in_samples == r->out_samples;
}

/* A GPU does many arrays at once: blocks as those of one tall array; lines as those of a volume, of which an
 * axis is left alone.  The volume is arrays x rows x columns; in the second round of four dimensions the last two
 * are its columns.  Only batches that follow each other without gaps are one array. */
static void merge_arrays(plan_round *r, const xc_request *q, int second)
{
	const xct_descriptor *const d = &q->d;
	const int blocks = d->kind == XCT_BLOCK_DCT || d->kind == XCT_BLOCK_DCT_QUANTIZED;
	const int lines = q->algorithm->is.dimensions == 4 && d->dimensions != 3;
	const int axis = lines ? (second ? 2 : 0) : 1;
	size_t in = 1, out = 1, merged = r->loop[1] * r->loop[2];

	for (int i = 0; i < d->dimensions; i++) {
		in *= q->in_size[i];
		out *= q->out_size[i];
	}
	if (!lines && !(blocks && d->size[0] % 8 == 0))
		return;
	if (!second && d->devices < 2 && d->in_distance == in && d->out_distance == out) {
		merged *= d->batch;
		r->loop[0] = 1;
	}
	r->loop[1] = r->loop[2] = 1;
	if (second) {
		r->gather.size[0] = r->scatter.size[0] = d->size[0];
		r->gather.size[1] = r->scatter.size[1] = d->size[1];
		r->gather.size[2] = r->scatter.size[2] = 1;
		r->gathers = r->scatters = 0;
	}
	r->gather.size[axis] *= merged;
	r->scatter.size[axis] *= merged;
	r->in_samples *= merged;
	r->out_samples *= merged;
	r->still = lines ? 1 << axis : 0;
}

/* Several GPUs take one array as slabs: of rows, for all axes but the first, and then of columns, for that
 * one.  Only lines by themselves can be cut so, and each slab has as many as another. */
static int takes_slabs(const xc_request *q)
{
	const xct_descriptor *const d = &q->d;
	return d->devices > 1 && d->batch == 1 && d->dimensions > 1 && d->dimensions < 4 &&
	       q->algorithm->is.dimensions == 4 && d->scaling == XCT_ORTHONORMAL;
}

static size_t slabs_of(size_t lines, size_t devices)
{
	size_t slabs = devices < lines ? devices : lines;

	while (lines % slabs)
		slabs++;
	return slabs;
}

/* columns: the second round, whose slabs are gathered from the rows. */
static void make_slabs(plan_round *r, const xc_request *q, int columns)
{
	const xct_descriptor *const d = &q->d;
	const int volume = d->dimensions > 2;
	const size_t rest = d->size[1] * (volume ? d->size[2] : 1);
	const size_t slabs = slabs_of(columns ? rest : d->size[0], (size_t)d->devices);
	const size_t part = (columns ? rest : d->size[0]) / slabs;
	const size_t of_plane[] = {1, part, d->size[1]}, of_volume[] = {part, d->size[1], d->size[2]};
	const size_t of_columns[] = {1, d->size[0], part}, of_array[] = {0, rest, 1};
	const size_t dense[] = {0, part, 1};
	const size_t *const size = columns ? of_columns : volume ? of_volume : of_plane;

	r->loop[0] = slabs;
	r->loop[1] = r->loop[2] = 1;
	r->in_step[0] = r->out_step[0] = columns ? part : part * rest;
	r->in_samples = r->out_samples = part * (columns ? d->size[0] : rest);
	r->in_place = q->algorithm->is.in_place;
	r->gathers = r->scatters = columns;
	r->gather.precision = r->scatter.precision = d->precision;
	for (int a = 0; a < XC_STRIDED_AXES; a++) {
		r->gather.size[a] = r->scatter.size[a] = size[a];
		r->gather.in_stride[a] = r->scatter.out_stride[a] = of_array[a];
		r->gather.out_stride[a] = r->scatter.in_stride[a] = dense[a];
	}
	r->still = 1 << (columns ? 2 : volume ? 0 : 1);
}

/* Algorithms of 2006 that had OpenMP's threads have them here. */
static int is_openmp(const xc_algorithm *a)
{
	const char *end = strrchr(a->is.name, '-');
	return end && !strcmp(end, "-openmp");
}

static xc_plan wanted_engine(const xct_plan *p, const plan_round *r)
{
	const xc_request *const q = &p->request;
	/* The spatial side has the size. */
	const size_t *const size = q->d.direction == XCT_FORWARD ? r->gather.size : r->scatter.size;
	xc_plan wanted = {
		.algorithm = q->algorithm,
		.kind = q->d.kind,
		.direction = q->d.direction,
		.precision = q->d.precision,
		.size = {size[0], size[1], size[2]},
		.threads = r->threads,
		.bands = q->d.bands,
		.estimate = q->d.estimate,
		.pool = r->workers > 1 || is_openmp(q->algorithm) ? NULL : &p->context->pool,
		.still = r->still,
		.device = q->d.device,
		.memory = q->d.memory,
		.stream = q->d.stream,
	};

	make_factors(&q->d, &wanted);
	if (q->d.device >= 0)
		memcpy(wanted.axis_factors, r->weights, sizeof wanted.axis_factors);
	if (wanted.kind == XCT_DCT3 || wanted.kind == XCT_DST3) {
		wanted.kind = xc_kind_transposed(wanted.kind);
		wanted.direction = !wanted.direction;
	}
	return wanted;
}

static int start_workers(xct_plan *p, plan_round *r)
{
	const xct_descriptor *const d = &p->request.d;
	const size_t bytes = xc_precision_bytes(d->precision), arrays = arrays_of(r);
	const int many = arrays >= (size_t)d->threads && d->device == XCT_CPU &&
	                 (r->in_samples <= SHARED_SAMPLES || !p->request.algorithm->is.threads);

	r->workers = many ? d->threads : 1;
	if (d->devices > 1) /* each has an engine */
		r->workers = arrays < (size_t)d->devices ? (int)arrays : d->devices;
	r->threads = many ? 1 : d->threads;
	xc_plan wanted = wanted_engine(p, r);
	r->worker = calloc((size_t)r->workers, sizeof *r->worker);
	for (int i = 0; r->worker && i < r->workers; i++) {
		worker *const w = &r->worker[i];
		wanted.device = d->devices > 1 ? d->device + i : d->device;
		w->engine = xc_plan_new(&wanted);
		if (r->gathers)
			w->in = xc_frame_allocate(r->in_samples, bytes);
		if (r->scatters && !(r->gathers && r->in_place))
			w->out = xc_frame_allocate(r->out_samples, bytes);
		if (!w->engine || (r->gathers && !w->in) ||
		    (r->scatters && !(r->gathers && r->in_place) && !w->out))
			return -1;
	}
	return r->worker ? 0 : -1;
}

/* -------------------------------------------------------------- a plan */

/* Why a GPU failed, or NULL. */
static const char *failure_of(const plan_round *r)
{
	const char *why = NULL;

	for (int i = 0; i < r->workers && !why; i++)
		why = xc_plan_failure(r->worker[i].engine);
	return why;
}

static xct_status make_plan(xct_plan *p)
{
	const xct_descriptor *const d = &p->request.d;
	const int weighed = d->scaling != XCT_ORTHONORMAL && d->kind < XCT_BLOCK_DCT;
	const int n = d->dimensions < 4 ? d->dimensions : 2, first = d->dimensions - n;

	const int slabs = takes_slabs(&p->request);

	/* The second round works within the output. */
	p->rounds = d->dimensions < 4 && !slabs ? 1 : 2;
	for (int i = 0; i < p->rounds; i++) {
		plan_round *const r = &p->round[i];
		if (slabs)
			make_slabs(r, &p->request, i);
		else
			make_round(r, &p->request, i ? 0 : first, n, i ? d->out_stride : d->in_stride,
			           d->out_stride);
		if (d->device >= 0 && !slabs)
			merge_arrays(r, &p->request, i);
		if ((weighed && make_weights(r, d)) || start_workers(p, r))
			return xct_fail(p->context, XCT_ERR_MEMORY,
			                "out of memory, or too large for the algorithm");
		const char *const why = failure_of(r);
		if (why)
			return xct_fail(p->context, XCT_ERR_DEVICE, "%s", why);
	}
	return XCT_OK;
}

xct_status xct_plan_new(xct_context *context, const xct_descriptor *descriptor, xct_plan **out)
{
	if (out)
		*out = NULL;
	if (!context)
		return XCT_ERR_ARGUMENT;
	context->message[0] = '\0';
	if (!descriptor || !out)
		return xct_fail(context, XCT_ERR_ARGUMENT, "NULL");
	xct_plan *const p = calloc(1, sizeof *p);
	if (!p)
		return xct_fail(context, XCT_ERR_MEMORY, "out of memory");
	p->context = context;
	xct_status status = xc_request_check(context, descriptor, &p->request);
	if (status == XCT_OK)
		status = make_plan(p);
	if (status == XCT_OK)
		*out = p;
	else
		xct_plan_free(p);
	return status;
}

static void free_round(plan_round *r)
{
	for (int i = 0; r->worker && i < r->workers; i++) {
		xc_plan_free(r->worker[i].engine);
		free(r->worker[i].in);
		free(r->worker[i].out);
	}
	free(r->worker);
	for (int i = 0; i < 2 * XC_STRIDED_AXES; i++)
		free(r->weights[i / XC_STRIDED_AXES][i % XC_STRIDED_AXES]);
}

void xct_plan_free(xct_plan *plan)
{
	for (int i = 0; plan && i < ROUNDS; i++)
		free_round(&plan->round[i]);
	free(plan);
}

/* ----------------------------------------------------------- execution */

typedef struct round_job {
	const xct_plan *plan;
	const plan_round *round;
	const char *in;
	char *out;
	int failed; /* out of memory; changed atomically */
} round_job;

static void run_array(round_job *job, worker *w, const char *in, char *out)
{
	const plan_round *const r = job->round;
	struct xc_pool *const pool = r->workers > 1 ? NULL : &job->plan->context->pool;
	const void *source = in;
	void *target = out;

	if (r->gathers) {
		xc_strided_copy(&r->gather, pool, r->threads, in, w->in);
		source = w->in;
	}
	if (r->scatters) {
		target = w->out ? w->out : w->in;
	} else if (source == target && !r->in_place) {
		if (!w->out)
			w->out = xc_frame_allocate(r->out_samples,
			                           xc_precision_bytes(job->plan->request.d.precision));
		target = w->out;
	}
	if (!target) {
		__atomic_store_n(&job->failed, 1, __ATOMIC_RELAXED);
		return;
	}
	xc_plan_execute(w->engine, source, target);
	if (target != out)
		xc_strided_copy(&r->scatter, pool, r->threads, target, out);
}

static void run_share(void *context, int share, int shares)
{
	round_job *const job = context;
	const plan_round *const r = job->round;
	const size_t bytes = xc_precision_bytes(job->plan->request.d.precision);
	const size_t end = xc_share_first(arrays_of(r), share + 1, shares);

	for (size_t i = xc_share_first(arrays_of(r), share, shares); i < end; i++) {
		const size_t at[LOOPS] = {i / (r->loop[1] * r->loop[2]), i / r->loop[2] % r->loop[1],
		                          i % r->loop[2]};
		size_t in = 0, out = 0;
		for (int l = 0; l < LOOPS; l++) {
			in += at[l] * r->in_step[l];
			out += at[l] * r->out_step[l];
		}
		run_array(job, &r->worker[share], job->in + in * bytes, job->out + out * bytes);
		if (xc_plan_failure(r->worker[share].engine))
			return;
	}
}

static int laid_out_alike(const xc_request *r)
{
	int alike = r->d.batch == 1 || r->d.in_distance == r->d.out_distance;

	for (int i = 0; i < r->d.dimensions; i++)
		alike &= r->in_size[i] == r->out_size[i] && r->d.in_stride[i] == r->d.out_stride[i];
	return alike;
}

xct_status xct_execute(xct_plan *plan, const void *in, void *out)
{
	if (!plan)
		return XCT_ERR_ARGUMENT;
	plan->context->message[0] = '\0';
	if (!in || !out)
		return xct_fail(plan->context, XCT_ERR_ARGUMENT, "NULL");
	if (in == out && plan->request.d.memory == XCT_DEVICE)
		return xct_fail(plan->context, XCT_ERR_ARGUMENT, "input and output overlap on the GPU");
	if (in == out && !laid_out_alike(&plan->request))
		return xct_fail(plan->context, XCT_ERR_ARGUMENT,
		                "in place, input and output are laid out alike");
	for (int i = 0; i < plan->rounds; i++) {
		const plan_round *const r = &plan->round[i];
		round_job job = {plan, r, i ? out : in, out, 0};

		xc_shares_run(&plan->context->pool, r->workers, run_share, &job);
		if (job.failed)
			return xct_fail(plan->context, XCT_ERR_MEMORY, "out of memory");
		const char *const why = failure_of(r);
		if (why)
			return xct_fail(plan->context, XCT_ERR_DEVICE, "%s", why);
	}
	return XCT_OK;
}

/* ---------------------------------------------------------- about plans */

xct_status xct_plan_describe(const xct_plan *plan, xct_plan_info *info)
{
	if (info)
		*info = (xct_plan_info){.algorithm = NULL};
	if (!plan || !info)
		return XCT_ERR_ARGUMENT;
	info->algorithm = &plan->request.algorithm->is;
	info->threads = plan->request.d.threads;
	memcpy(info->in_size, plan->request.in_size, sizeof info->in_size);
	memcpy(info->out_size, plan->request.out_size, sizeof info->out_size);
	for (int i = 0; i < plan->rounds; i++) {
		const xct_operations one = xc_plan_operations(plan->round[i].worker[0].engine);
		const double arrays = (double)arrays_of(&plan->round[i]);
		info->operations.additions += arrays * one.additions;
		info->operations.multiplications += arrays * one.multiplications;
		info->operations.multiply_adds += arrays * one.multiply_adds;
		info->operations.shifts += arrays * one.shifts;
		info->operations.scaling += arrays * one.scaling;
	}
	return XCT_OK;
}

xct_status xct_plan_times(const xct_plan *plan, xct_times *times)
{
	if (times)
		*times = (xct_times){0};
	if (!plan || !times)
		return XCT_ERR_ARGUMENT;
	const xc_plan *const engine = plan->round[0].worker[0].engine;
	if (engine->algorithm->device)
		*times = engine->algorithm->device->times(engine);
	return XCT_OK;
}

xct_status xct_measure(xct_plan *plan, const void *in, int runs, double *seconds)
{
	if (!plan)
		return XCT_ERR_ARGUMENT;
	plan->context->message[0] = '\0';
	const xc_plan *const engine = plan->round[0].worker[0].engine;
	if (!in || !seconds || runs < 1 || !engine->algorithm->device)
		return xct_fail(plan->context, XCT_ERR_ARGUMENT, "this measures plans for a GPU");
	if (engine->algorithm->device->measure(engine, in, runs, seconds))
		return xct_fail(plan->context, XCT_ERR_DEVICE, "%s", xc_plan_failure(engine));
	return XCT_OK;
}
