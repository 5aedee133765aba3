/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks to residues, and coded bytes to chunks: a thread block takes a chunk by the way of
 * gpu/array/walk.h. What known points say of a pass all warps find; what a pass's own rows need of
 * each other, and words, one warp takes row by row. Time goes to loads and, in that one warp, to the
 * latency of its steps.
 */
#include "array/code.h"
#include "array/slab.h"
#include "gpu/array/kernels.h"
#include "gpu/array/values.h"
#include "gpu/array/walk.h"
#include "gpu/runtime/gpu.h"

enum { WARPS = 4 }; /* of a thread block */

/* The decoder's states, a lane each, and its bytes. */
typedef struct reader {
	const uint8_t *bytes;
	uint32_t next, end, lanes, state;
	uint32_t bad;
} reader;

static __device__ __forceinline__ void read_begin(reader *r, const uint8_t *bytes, uint32_t size,
                                                  uint32_t lanes, uint32_t lane)
{
	r->bytes = bytes;
	r->lanes = lanes;
	r->next = 4 * lanes;
	r->end = size;
	r->bad = size < 4 * lanes;
	r->state = XC_STATE_MIN;
	if (!r->bad && lane < lanes) {
		const uint8_t *p = bytes + 4 * lane;
		r->state = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		           (uint32_t)p[3] << 24;
		r->bad = r->state < XC_STATE_MIN;
	}
	if (__any_sync(0xffffffffu, (int)r->bad)) {
		/* Reads nothing more. */
		r->bad = 1;
		r->next = r->end;
		r->state = XC_STATE_MIN;
	}
}

/* Each lane that needs a word takes one, in the order of lanes. */
static __device__ __forceinline__ void fill(reader *r, uint32_t before)
{
	const int need = r->state < XC_STATE_MIN;
	const uint32_t all = __ballot_sync(0xffffffffu, need);

	if (need) {
		const uint32_t at = r->next + 2 * (uint32_t)__popc(all & before);
		if (at + 2 <= r->end && at >= r->next) {
			r->state = r->state << 16 | r->bytes[at] | (uint32_t)r->bytes[at + 1] << 8;
		} else {
			r->state = XC_STATE_MIN;
			r->bad = 1;
		}
	}
	r->next = min(r->next + 2 * (uint32_t)__popc(all), max(r->end, r->next));
}

/* The folded residues of a group; levels of XC_LEVEL_IDLE take none. */
static __device__ __forceinline__ uint32_t take(reader *r, const uint32_t (*tables)[16][2],
                                                uint32_t level, uint32_t before)
{
	uint32_t bits = 0, z = 0;

	if (level != XC_LEVEL_IDLE) {
		const uint32_t x = r->state, slot = x & (XC_SLOTS - 1), bucket = slot >> 8;
		const uint2 b = *(const uint2 *)tables[level][bucket];
		const int own = (slot & 255) < b.x >> 24;
		const uint32_t entry = own ? b.x : b.y, s = own ? bucket : b.y >> 24;
		const uint32_t c = xc_raw_bits(level), more = s > 9 ? s - 9 : 0;
		r->state = (entry & 4095) * (x >> 12) + ((slot + (entry >> 12 & 4095)) & (XC_SLOTS - 1));
		bits = s == XC_SYMBOL_ESCAPE ? 32 : more + c;
		z = s == XC_SYMBOL_ESCAPE ? 0 : ((1U << more) - 1 + (s < 9 ? s : 9)) << c;
	}
	fill(r, before);
	for (uint32_t done = 0; __any_sync(0xffffffffu, bits > done); done += 16) {
		if (bits > done) {
			const uint32_t n = min(bits - done, 16u);
			z += (r->state & ((1U << n) - 1)) << done;
			r->state >>= n;
		}
		fill(r, before);
	}
	return z;
}

/* The same for up to 32 values of a row, in groups of as many as there are lanes. */
static __device__ __forceinline__ uint32_t take_row(reader *r, const uint32_t (*tables)[16][2],
                                                    uint32_t level, uint32_t lane)
{
	const uint32_t before = (1U << lane) - 1;
	uint32_t z = 0;

	if (r->lanes == 32)
		return take(r, tables, level, before);
	for (uint32_t first = 0; first < 32; first += r->lanes) {
		const uint32_t l = __shfl_sync(0xffffffffu, level, (int)((first + lane) & 31));
		const uint32_t some = take(r, tables, lane < r->lanes ? l : (uint32_t)XC_LEVEL_IDLE,
		                           before);
		const uint32_t own = __shfl_sync(0xffffffffu, some, (int)((lane - first) & 31));
		if (lane / r->lanes == first / r->lanes)
			z = own;
	}
	return z;
}

/* A value from its prediction and folded residue. */
static __device__ __forceinline__ float rebuild(int mode, float p, uint32_t z, float step)
{
	return mode == XC_MODE_KEYS ? xc_rebuilt_key(p, xc_unfold(z), (int32_t)step)
	                            : xc_rebuilt(p, xc_unfold(z), step);
}

static __device__ __forceinline__ uint32_t residue_of(int mode, float x, float p, float step,
                                                      float inverse)
{
	return mode == XC_MODE_KEYS ? xc_residue_of_key(x, p, (int32_t)step)
	                            : xc_residue_of(x, p, inverse);
}

/* A chunk under way, in registers. */
typedef struct chunk {
	const xc_gpu_array_work *work;
	const xc_gpu_array_slab *slab;
	float *value, *magnitude;
	uint64_t first;     /* of its values in the array, */
	uint32_t stride[3]; /* and how far these are apart there; both dimensions of the model */
	uint32_t size[3];
	uint32_t at; /* of the pass's first value in the order of coding */
	uint32_t any, breaks;
} chunk;

/* Finds the residue of a value, sets what a decoder will have, and holds it against the bound. place,
 * from: in the chunk and in the array; at: in the order of coding. */
static __device__ __forceinline__ void encode_value(chunk *k, int place, uint64_t from, uint32_t at,
                                                    float p, float sum, float step, float inverse)
{
	const xc_gpu_array_work *w = k->work;
	const int mode = k->slab->mode;
	const uint32_t own = xc_gpu_bits(w->type, w->array, from);
	const float x = xc_gpu_loaded(k->slab, xc_gpu_number_of_bits(w->type, own));
	const uint32_t z = residue_of(mode, x, p, step, inverse);
	const float v = rebuild(mode, p, z, step);

	k->value[place] = v;
	k->magnitude[place] = xc_magnitude(xc_unfold(z));
	w->residue[at] = z;
	w->sum[at] = sum;
	k->any |= z;
	k->breaks += (uint32_t)xc_gpu_breaks(w, own, xc_gpu_unloaded(w, k->slab, v));
}

/* Anchors, by one warp: each is predicted by the one before it. */
template <int DECODE>
static __device__ void anchors(chunk *k, reader *in, const xc_gpu_array_tables *tables, int lane)
{
	const xc_gpu_array_slab *s = k->slab;
	const uint32_t *n = k->size, *top = s->top;
	float before = 0;

	for (uint32_t a = 0; a < n[0]; a += top[0])
		for (uint32_t b = 0; b < n[1]; b += top[1])
			for (uint32_t c = 0; c < n[2]; c += top[2], k->at++) {
				const int place = (int)((a * n[1] + b) * n[2] + c);
				const float p = s->mode == XC_MODE_WHOLE ? xc_limited(before, s->low, s->high)
				                                         : before;
				if (DECODE) {
					const uint32_t z =
						tables ? take_row(in, tables->bucket + (XC_ARRAY_SETS - 1) * XC_LEVELS,
					                      lane ? (uint32_t)XC_LEVEL_IDLE : s->anchor_level,
					                      (uint32_t)lane)
							   : 0;
					if (lane == 0)
						k->value[place] = rebuild(s->mode, p, z, s->anchor_step);
				} else if (lane == 0) {
					encode_value(k, place,
					             k->first + (uint64_t)a * k->stride[0] +
					                 (uint64_t)b * k->stride[1] + (uint64_t)c * k->stride[2],
					             k->at, p, 0, s->anchor_step, s->anchor_inverse);
					k->work->level[k->at] = (uint8_t)s->anchor_level;
				}
				if (lane == 0) {
					k->magnitude[place] = 0;
					before = k->value[place];
				}
			}
}

/* Where the points of row (a, b) of a pass lie, in the chunk and in the array, and their distances. */
typedef struct line {
	int place;
	uint64_t from, apart;
} line;

static __device__ __forceinline__ line line_of(const chunk *k, const xc_gpu_walk *w,
                                               const xc_pass *p, int a, int b)
{
	line l;
	const uint32_t step[3] = {p->step[0], p->step[1], p->step[2]};

	l.place = a * w->apart[0] + b * w->apart[1] + w->off;
	l.from = k->first + (uint64_t)((w->d == 0 ? 2 * a + 1 : a) * (int)step[0]) * k->stride[0] +
	         (uint64_t)((w->d == 1 ? 2 * b + 1 : b) * (int)step[1]) * k->stride[1] +
	         (w->d == 2 ? (uint64_t)step[2] * k->stride[2] : 0);
	l.apart = (uint64_t)step[2] * (w->d == 2 ? 2 : 1) * k->stride[2];
	return l;
}

/* What known points say of 32 points of a row from c on. Where that is all, encoding ends with it. */
template <int DECODE, int CLAMP>
static __device__ __forceinline__ void from_known(chunk *k, const xc_gpu_walk *w,
                                                  const xc_gpu_row *rows, const line *l,
                                                  uint32_t at, int c, int lane)
{
	const int n = w->fresh[2], i = min(c + lane, n - 1), complete = w->taps == w->all;
	float p = xc_gpu_predict<CLAMP>(w, k->value, rows, 0, w->taps, 0, i);
	float sum = xc_gpu_level_known<CLAMP>(w, k->magnitude, rows, i);

	if (complete) {
		p = xc_gpu_settled(w, p);
		if (w->inverse != 0)
			sum += xc_gpu_level_bend<CLAMP>(w, k->value, rows, i, p);
	}
	if (c + lane >= n)
		return;
	if (!DECODE && complete) {
		encode_value(k, l->place + i * w->stride, l->from + (uint64_t)i * l->apart,
		             at + (uint32_t)i, p, sum, w->step, w->inverse);
		return;
	}
	k->value[l->place + i * w->stride] = p;
	k->magnitude[l->place + i * w->stride] = sum;
}

/* The rest of a prediction and of a level's sum, where there are taps of own points. */
template <int CLAMP>
static __device__ __forceinline__ void from_own(const chunk *k, const xc_gpu_walk *w,
                                                const xc_gpu_row *rows, const xc_gpu_row *known,
                                                int i, float *p, float *sum)
{
	*p = xc_gpu_settled(w, xc_gpu_predict<CLAMP>(w, k->value, rows, w->taps, w->all, *p, i));
	if (w->inverse != 0)
		*sum += xc_gpu_level_bend<CLAMP>(w, k->value, known, i, *p);
}

/* All rows of a pass, as far as known points go, by all warps. */
template <int DECODE>
static __device__ void known_rows(chunk *k, const xc_gpu_walk *w, const xc_pass *p,
                                  xc_gpu_row *rows, int warp, int lane)
{
	const int n = w->fresh[2], all = w->fresh[0] * w->fresh[1];

	for (int r = warp; r < all; r += WARPS) {
		const int a = r / w->fresh[1], b = r - a * w->fresh[1];
		const line l = line_of(k, w, p, a, b);
		const uint32_t at = k->at + (uint32_t)(r * n);
		xc_gpu_find_known(w, a, b, rows, lane);
		for (int c = 0; c < n; c += 32)
			if (c >= w->inner_low && min(c + 31, n - 1) <= w->inner_high)
				from_known<DECODE, 0>(k, w, rows, &l, at, c, lane);
			else
				from_known<DECODE, 1>(k, w, rows, &l, at, c, lane);
	}
}

/* Rows with taps of own points, to encode: one after the other, by one warp. */
static __device__ void own_rows(chunk *k, const xc_gpu_walk *w, const xc_pass *pass,
                                xc_gpu_row *rows, xc_gpu_row *known, int lane)
{
	const int n = w->fresh[2];

	for (int a = 0, r = 0; a < w->fresh[0]; a++)
		for (int b = 0; b < w->fresh[1]; b++, r++) {
			const line l = line_of(k, w, pass, a, b);
			xc_gpu_find_known(w, a, b, known, lane);
			xc_gpu_find_own(w, a, b, rows, lane);
			for (int c = 0; c < n; c += 32) {
				const int i = min(c + lane, n - 1), place = l.place + i * w->stride;
				float p = k->value[place], sum = k->magnitude[place];
				from_own<1>(k, w, rows, known, i, &p, &sum);
				if (c + lane < n)
					encode_value(k, place, l.from + (uint64_t)i * l.apart,
					             k->at + (uint32_t)(r * n + i), p, sum, w->step, w->inverse);
			}
		}
}

/* Levels of all rows of a pass, to encode, by all warps. */
static __device__ void level_rows(chunk *k, const xc_gpu_walk *w, xc_gpu_row *rows, int warp,
                                  int lane)
{
	const int n = w->fresh[2], all = w->fresh[0] * w->fresh[1];

	for (int r = warp; r < all; r += WARPS) {
		const int a = r / w->fresh[1], b = r - a * w->fresh[1];
		xc_gpu_find_own(w, a, b, rows, lane);
		for (int c = lane; c < n; c += 32) {
			const uint32_t at = k->at + (uint32_t)(r * n + c);
			const float sum = k->work->sum[at];
			const int from = c - lane;
			k->work->level[at] = (uint8_t)(from >= w->inner_low &&
			                                       min(from + 31, n - 1) <= w->inner_high
			                                   ? xc_gpu_level<0>(w, k->magnitude, rows, c, sum)
			                                   : xc_gpu_level<1>(w, k->magnitude, rows, c, sum));
		}
	}
}

/* Residues of a pass, in order, by one warp. */
static __device__ void decode_rows(chunk *k, const xc_gpu_walk *w, int set, xc_gpu_row *rows,
                                   xc_gpu_row *known, reader *in, const xc_gpu_array_tables *tables,
                                   int lane)
{
	const int n = w->fresh[2];

	for (int a = 0; a < w->fresh[0]; a++)
		for (int b = 0; b < w->fresh[1]; b++) {
			const int first = a * w->apart[0] + b * w->apart[1] + w->off;
			xc_gpu_find_own(w, a, b, rows, lane);
			if (w->taps < w->all)
				xc_gpu_find_known(w, a, b, known, lane);
			for (int c = 0; c < n; c += 32) {
				const int i = min(c + lane, n - 1), place = first + i * w->stride;
				float p = k->value[place], sum = k->magnitude[place];
				if (w->taps < w->all)
					from_own<1>(k, w, rows, known, i, &p, &sum);
				uint32_t z = 0;
				if (tables) {
					uint32_t level = c >= w->inner_low && min(c + 31, n - 1) <= w->inner_high
					                     ? xc_gpu_level<0>(w, k->magnitude, rows, i, sum)
					                     : xc_gpu_level<1>(w, k->magnitude, rows, i, sum);
					level = c + lane < n ? level : (uint32_t)XC_LEVEL_IDLE;
					z = take_row(in, tables->bucket + set * XC_LEVELS, level, (uint32_t)lane);
				}
				if (c + lane < n) {
					k->value[place] = rebuild(w->mode, p, z, w->step);
					k->magnitude[place] = xc_magnitude(xc_unfold(z));
				}
			}
		}
}

static __device__ void chunk_begin(chunk *k, const xc_gpu_array_work *work,
                                   const xc_gpu_array_chunk *c)
{
	const xc_gpu_array_slab *s = &work->slab[c->slab];

	k->work = work;
	k->slab = s;
	k->value = work->value + c->at;
	k->magnitude = work->magnitude + c->at;
	k->first = c->first;
	for (int i = 0; i < 3; i++) {
		k->size[i] = c->size[s->axis[i]];
		k->stride[i] = s->axis[i] == 2 ? 1 : (uint32_t)work->stride[s->axis[i]];
	}
	k->at = (uint32_t)c->at;
	k->any = k->breaks = 0;
}

/* A thread block takes a chunk. */
template <int DECODE>
static __global__ void __launch_bounds__(32 * WARPS, DECODE ? 8 : 6)
	walk_chunks(const __grid_constant__ xc_gpu_array_work work)
{
	__shared__ xc_gpu_row rows[WARPS + 1][XC_ROWS];
	__shared__ xc_gpu_walk w;
	__shared__ uint32_t any, breaks;
	const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x & 31;
	const xc_gpu_array_chunk *c = &work.chunk[blockIdx.x];
	const xc_gpu_array_tables *tables = NULL;
	reader in;
	chunk k;

	chunk_begin(&k, &work, c);
	if (DECODE && c->raw)
		return;
	if (DECODE && c->lanes && warp == 0) {
		tables = &work.tables[c->slab];
		read_begin(&in, work.code + c->code, c->bytes, c->lanes, (uint32_t)lane);
	}
	if (threadIdx.x == 0)
		any = breaks = 0;
	if (warp == 0)
		anchors<DECODE>(&k, &in, tables, lane);
	k.at = (uint32_t)c->at + xc_points(k.size[0], k.slab->top[0]) *
	                             xc_points(k.size[1], k.slab->top[1]) *
	                             xc_points(k.size[2], k.slab->top[2]);
	for (int i = 0; i < k.slab->passes; i++) {
		const xc_pass *pass = &k.slab->pass[i].pass;
		if (warp == 0)
			xc_gpu_walk_begin(&w, k.slab, i, k.size, lane);
		__syncthreads();
		if (w.fresh[0] && w.fresh[1] && w.fresh[2]) {
			known_rows<DECODE>(&k, &w, pass, rows[warp], warp, lane);
			__syncthreads();
			if (DECODE && warp == 0)
				decode_rows(&k, &w, k.slab->pass[i].set, rows[0], rows[WARPS], &in, tables, lane);
			if (!DECODE && w.taps < w.all) {
				if (warp == 0)
					own_rows(&k, &w, pass, rows[0], rows[WARPS], lane);
				__syncthreads();
			}
			if (!DECODE)
				level_rows(&k, &w, rows[warp], warp, lane);
			k.at += (uint32_t)(w.fresh[0] * w.fresh[1] * w.fresh[2]);
		}
		__syncthreads();
	}
	if (DECODE) {
		const int bad = warp == 0 && c->lanes &&
		                (in.bad || in.state != XC_STATE_MIN || in.next != in.end);
		if (__any_sync(0xffffffffu, bad) && lane == 0)
			work.outcome[blockIdx.x].damaged = 1;
		return;
	}
	if (k.any)
		atomicOr(&any, 1u);
	if (k.breaks)
		atomicAdd(&breaks, k.breaks);
	__syncthreads();
	if (threadIdx.x == 0) {
		work.outcome[blockIdx.x].lanes = any ? 32 : 0;
		work.outcome[blockIdx.x].breaks = breaks;
	}
}

xc_status xc_gpu_array_walk(const xc_gpu_array_work *work, int decode, cudaStream_t stream,
                            xc_gpu_error *e)
{
	return decode ? xc_gpu_launch_with("that decodes chunks", NULL, walk_chunks<1>,
	                                   dim3(work->chunks), 32 * WARPS, 0, stream, e, *work)
	              : xc_gpu_launch_with("that predicts chunks", NULL, walk_chunks<0>,
	                                   dim3(work->chunks), 32 * WARPS, 0, stream, e, *work);
}
