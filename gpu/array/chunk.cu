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

enum {
	WARPS = 4,    /* of a thread block */
	POINTS = 1024 /* of a batch of rows, unless one has more: then of a part of it */
};

/* The decoder's states, a lane each, and 64 words from `next` on, two a lane, of which `used` are
 * taken. Later ones are under way long before they are needed. */
typedef struct reader {
	const uint8_t *bytes;
	uint32_t next, used, end, lanes, state;
	uint32_t word[2];
	uint32_t bad;
} reader;

static __device__ __forceinline__ uint32_t load_word(const reader *r, uint32_t at)
{
	return at + 2 <= r->end ? r->bytes[at] | (uint32_t)r->bytes[at + 1] << 8 : 0;
}

static __device__ __forceinline__ void read_begin(reader *r, const uint8_t *bytes, uint32_t size,
                                                  uint32_t lanes, uint32_t lane)
{
	r->bytes = bytes;
	r->lanes = lanes;
	r->next = 4 * lanes;
	r->used = 0;
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
		r->end = r->next = 0;
		r->state = XC_STATE_MIN;
	}
	r->word[0] = load_word(r, r->next + 2 * lane);
	r->word[1] = load_word(r, r->next + 64 + 2 * lane);
}

/* Each lane that needs a word takes one, in the order of lanes. */
static __device__ __forceinline__ void fill(reader *r, uint32_t lane)
{
	const int need = r->state < XC_STATE_MIN;
	const uint32_t all = __ballot_sync(0xffffffffu, need);

	if (!all)
		return;
	const uint32_t k = r->used + (uint32_t)__popc(all & ((1u << lane) - 1));
	const uint32_t first = __shfl_sync(0xffffffffu, r->word[0], (int)(k & 31));
	const uint32_t second = __shfl_sync(0xffffffffu, r->word[1], (int)(k & 31));
	if (need) {
		const int there = r->next + 2 * k + 2 <= r->end;
		r->state = there ? r->state << 16 | (k < 32 ? first : second) : (uint32_t)XC_STATE_MIN;
		r->bad |= !there;
	}
	r->used += (uint32_t)__popc(all);
	if (r->used < 32)
		return;
	r->used -= 32;
	/* Beyond the end it stays there. */
	r->next = min(r->next + 64, r->end + 64);
	r->word[0] = r->word[1];
	r->word[1] = load_word(r, r->next + 64 + 2 * lane);
}

/* The folded residues of a group; levels of XC_LEVEL_IDLE take none. */
static __device__ __forceinline__ uint32_t take(reader *r, const uint2 (*tables)[XC_SYMBOLS],
                                                uint32_t level, uint32_t lane)
{
	uint32_t bits = 0, z = 0;

	if (level != XC_LEVEL_IDLE) {
		const uint32_t x = r->state, slot = x & (XC_SLOTS - 1), bucket = slot >> 8;
		const uint2 b = tables[level][bucket];
		const int own = (slot & 255) < b.x >> 24;
		const uint32_t entry = own ? b.x : b.y, s = own ? bucket : b.y >> 24;
		const uint32_t c = xc_raw_bits(level), more = s > 9 ? s - 9 : 0;
		r->state = (entry & 4095) * (x >> 12) + ((slot + (entry >> 12 & 4095)) & (XC_SLOTS - 1));
		bits = s == XC_SYMBOL_ESCAPE ? 32 : more + c;
		z = s == XC_SYMBOL_ESCAPE ? 0 : ((1U << more) - 1 + (s < 9 ? s : 9)) << c;
	}
	fill(r, lane);
	for (uint32_t done = 0; __any_sync(0xffffffffu, bits > done); done += 16) {
		if (bits > done) {
			const uint32_t n = min(bits - done, 16u);
			z += (r->state & ((1U << n) - 1)) << done;
			r->state >>= n;
		}
		fill(r, lane);
	}
	return z;
}

/* The same for up to 32 values of a row, in groups of as many as there are lanes. */
static __device__ __forceinline__ uint32_t take_row(reader *r, const uint2 (*tables)[XC_SYMBOLS],
                                                    uint32_t level, uint32_t lane)
{
	uint32_t z = 0;

	if (r->lanes == 32)
		return take(r, tables, level, lane);
	for (uint32_t first = 0; first < 32; first += r->lanes) {
		const uint32_t l = __shfl_sync(0xffffffffu, level, (int)((first + lane) & 31));
		const uint32_t some = take(r, tables, lane < r->lanes ? l : (uint32_t)XC_LEVEL_IDLE, lane);
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
	uint32_t stride[3]; /* and how far these are apart there, by the model's dimensions */
	uint32_t size[3];
	uint32_t at; /* of the pass's first value in the order of coding */
	uint32_t any, breaks;
} chunk;

/* What a thread block shares. */
typedef struct shared {
	xc_gpu_walk walk;
	xc_gpu_row known[WARPS][XC_ROWS], own[WARPS][XC_ROWS];
	float prediction[POINTS], sum[POINTS]; /* of a batch */
	uint2 tables[XC_LEVELS][XC_SYMBOLS];   /* of a pass */
	float ring[3][POINTS / 4 + 2]; /* magnitudes of the last rows, if they are short, and beside */
	uint32_t any, breaks;
} shared;

/* Part of a pass: rows from `first` on, all their points, or points from `from` on of one row. */
typedef struct batch {
	int first, rows, from, n;
} batch;

/* Where the points of row (a, b) of a pass lie, in the chunk and in the array. */
typedef struct line {
	int place;
	uint64_t from;
	uint32_t apart;
} line;

static __device__ __forceinline__ line line_of(const chunk *k, const xc_gpu_walk *w,
                                               const xc_pass *p, int a, int b)
{
	line l;

	l.place = a * w->apart[0] + b * w->apart[1] + w->off;
	l.from = k->first +
	         (uint64_t)(uint32_t)((w->d == 0 ? 2 * a + 1 : a) * (int)p->step[0]) * k->stride[0] +
	         (uint64_t)(uint32_t)((w->d == 1 ? 2 * b + 1 : b) * (int)p->step[1]) * k->stride[1] +
	         (w->d == 2 ? p->step[2] * k->stride[2] : 0);
	l.apart = p->step[2] * (w->d == 2 ? 2 : 1) * k->stride[2];
	return l;
}

/* Finds the residue of a value, sets what a decoder will have, and holds it against the bound. place:
 * in the chunk; own: its bits; at: in the order of coding. */
static __device__ __forceinline__ void encode_value(chunk *k, int place, uint32_t own, uint32_t at,
                                                    float p, float step, float inverse)
{
	const xc_gpu_array_work *w = k->work;
	const int mode = k->slab->mode;
	const float x = xc_gpu_loaded(k->slab, xc_gpu_number_of_bits(w->type, own));
	const uint32_t z = residue_of(mode, x, p, step, inverse);
	const float v = rebuild(mode, p, z, step);

	k->value[place] = v;
	k->magnitude[place] = xc_magnitude(xc_unfold(z));
	w->residue[at] = z;
	k->any |= z;
	k->breaks += (uint32_t)xc_gpu_breaks(w, own, xc_gpu_unloaded(w, k->slab, v));
}

/* Anchors, by one warp: each is predicted by the one before it. */
template <int DECODE>
static __device__ void anchors(chunk *k, reader *in, const uint2 (*tables)[XC_SYMBOLS], int lane)
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
				uint32_t z = 0;
				if (DECODE && tables)
					z = take_row(in, tables, lane ? (uint32_t)XC_LEVEL_IDLE : s->anchor_level,
					             (uint32_t)lane);
				if (lane)
					continue;
				if (DECODE) {
					k->value[place] = rebuild(s->mode, p, z, s->anchor_step);
				} else {
					const uint64_t from = k->first + (uint64_t)a * k->stride[0] +
					                      (uint64_t)b * k->stride[1] + (uint64_t)c * k->stride[2];
					encode_value(k, place, xc_gpu_bits(k->work->type, k->work->array, from), k->at,
					             p, s->anchor_step, s->anchor_inverse);
					k->work->level[k->at] = (uint8_t)s->anchor_level;
				}
				k->magnitude[place] = 0;
				before = k->value[place];
			}
}

/* 1: rows behind row y of planes are such of an earlier batch. In the first plane the one above that
 * behind, which is not there, is the row above. */
static __device__ __forceinline__ int is_behind_known(const xc_gpu_walk *w, int y)
{
	return w->volume && (y > 0 || w->d == 0);
}

/* What known points, and magnitudes of rows behind, say of J times 32 points of a row from c on.
 * sum, prediction: those of the row in the batch. */
template <int DECODE, int CLAMP, int J>
static __device__ __forceinline__ void from_known(chunk *k, const shared *s, const xc_gpu_row *rows,
                                                  const xc_gpu_row *own, int behind, const line *l,
                                                  uint32_t at, float *prediction, float *sums,
                                                  int c, int end, int lane)
{
	const xc_gpu_walk *w = &s->walk;
	const int complete = w->taps == w->all;
	float p[J], sum[J];
	uint32_t bits[J];

#pragma unroll
	for (int j = 0; j < J; j++) {
		const int i = min(c + 32 * j + lane, end - 1);
		if (!DECODE && complete)
			bits[j] = xc_gpu_bits(k->work->type, k->work->array,
			                      l->from + (uint64_t)((uint32_t)i * l->apart));
		p[j] = xc_gpu_predict<CLAMP>(w, k->value, rows, 0, w->taps, 0, i);
		sum[j] = xc_gpu_level_known<CLAMP>(w, k->magnitude, rows, i);
	}
#pragma unroll
	for (int j = 0; j < J && complete; j++) {
		const int i = min(c + 32 * j + lane, end - 1);
		p[j] = xc_gpu_settled(w, p[j]);
		if (w->inverse != 0)
			sum[j] += xc_gpu_level_bend<CLAMP>(w, k->value, rows, i, p[j]);
		if (DECODE && behind)
			sum[j] += xc_gpu_level_behind<CLAMP>(w, k->magnitude, own, i);
	}
#pragma unroll
	for (int j = 0; j < J; j++) {
		const int i = c + 32 * j + lane;
		if (i >= end)
			continue;
		sums[i] = sum[j];
		if (!DECODE && complete)
			encode_value(k, l->place + i * w->stride, bits[j], at + (uint32_t)i, p[j], w->step,
			             w->inverse);
		else
			prediction[i] = p[j];
	}
}

/* All rows of a batch, as far as known points go, by all warps. */
template <int DECODE>
static __device__ void known_rows(chunk *k, shared *s, const xc_pass *pass, const batch *b,
                                  int warp, int lane)
{
	const xc_gpu_walk *w = &s->walk;
	const int n = w->fresh[2], end = b->from + b->n;

	for (int r = warp; r < b->rows; r += WARPS) {
		const int row = b->first + r, y = row / w->fresh[1], x = row - y * w->fresh[1];
		const int behind = is_behind_known(w, y);
		const line l = line_of(k, w, pass, y, x);
		const uint32_t at = k->at + (uint32_t)(row * n);
		float *p = s->prediction + r * n - b->from, *sum = s->sum + r * n - b->from;
		xc_gpu_find_known(w, y, x, s->known[warp], lane);
		if (DECODE)
			xc_gpu_find_own(w, y, x, s->own[warp], lane);
		for (int c = b->from; c < end; c += 64) {
			const int inner = c >= w->inner_low && min(c + 63, end - 1) <= w->inner_high;
			if (end - c <= 32)
				from_known<DECODE, 1, 1>(k, s, s->known[warp], s->own[warp], behind, &l, at, p, sum,
				                         c, end, lane);
			else if (inner)
				from_known<DECODE, 0, 2>(k, s, s->known[warp], s->own[warp], behind, &l, at, p, sum,
				                         c, end, lane);
			else
				from_known<DECODE, 1, 2>(k, s, s->known[warp], s->own[warp], behind, &l, at, p, sum,
				                         c, end, lane);
		}
	}
}

/* The rest of a prediction and of a level's sum, where there are taps of own points. */
template <int DECODE>
static __device__ __forceinline__ void from_own(const chunk *k, const shared *s, int i, float *p,
                                                float *sum)
{
	const xc_gpu_walk *w = &s->walk;
	const xc_gpu_row *known = s->known[0], *own = s->own[0];

	*p = xc_gpu_settled(w, xc_gpu_predict<1>(w, k->value, own, w->taps, w->all, *p, i));
	if (w->inverse != 0)
		*sum += xc_gpu_level_bend<1>(w, k->value, known, i, *p);
	if (DECODE && w->volume)
		*sum += xc_gpu_level_behind<1>(w, k->magnitude, own, i);
}

/* Rows of a batch with taps of own points, to encode: one after the other, by one warp. */
static __device__ void own_rows(chunk *k, shared *s, const xc_pass *pass, const batch *b, int lane)
{
	const xc_gpu_walk *w = &s->walk;
	const int n = w->fresh[2], end = b->from + b->n;

	for (int r = 0; r < b->rows; r++) {
		const int row = b->first + r, y = row / w->fresh[1], x = row - y * w->fresh[1];
		const line l = line_of(k, w, pass, y, x);
		xc_gpu_find_known(w, y, x, s->known[0], lane);
		xc_gpu_find_own(w, y, x, s->own[0], lane);
		for (int i = b->from + lane; i < end; i += 32) {
			const uint32_t bits = xc_gpu_bits(k->work->type, k->work->array,
			                                  l.from + (uint64_t)((uint32_t)i * l.apart));
			const int at = r * n + i - b->from;
			float p = s->prediction[at], sum = s->sum[at];
			from_own<0>(k, s, i, &p, &sum);
			s->sum[at] = sum;
			encode_value(k, l.place + i * w->stride, bits, k->at + (uint32_t)(row * n + i), p,
			             w->step, w->inverse);
		}
	}
}

/* Levels of a batch, to encode, by all warps. */
static __device__ void level_rows(chunk *k, shared *s, const batch *b, int warp, int lane)
{
	const xc_gpu_walk *w = &s->walk;
	const int n = w->fresh[2], end = b->from + b->n;

	for (int r = warp; r < b->rows; r += WARPS) {
		const int row = b->first + r, y = row / w->fresh[1], x = row - y * w->fresh[1];
		const xc_gpu_row *rows = s->own[warp];
		xc_gpu_find_own(w, y, x, s->own[warp], lane);
#pragma unroll 2
		for (int i = b->from + lane; i < end; i += 32) {
			float sum = s->sum[r * n + i - b->from];
			if (w->volume)
				sum += xc_gpu_level_behind<1>(w, k->magnitude, rows, i);
			k->work->level[k->at + (uint32_t)(row * n + i)] = (uint8_t)
				xc_gpu_level<1>(w, k->magnitude, rows, i, sum);
		}
	}
}

/* A row's magnitudes in the ring, with the last ones once more beside them. */
static __device__ __forceinline__ float *ring_row(shared *s, int row)
{
	return s->ring[row % 3] + 1;
}

/* The level of point i of row `row`, whose rows above are in the ring. */
static __device__ __forceinline__ uint32_t ring_level(shared *s, int row, int i, float sum)
{
	const float *above = ring_row(s, row + 2), *twice = ring_row(s, row + 1);

	sum += xc_level_above(above[i], above[i - 1], above[i + 1]);
	sum += XC_LEVEL_ABOVE_2 * twice[i];
	return xc_level_of(sum, XC_LEVELS);
}

/* Residues of a batch, in order, by one warp. tables NULL: all are 0. */
static __device__ void decode_rows(chunk *k, shared *s, const batch *b, reader *in,
                                   const uint2 (*tables)[XC_SYMBOLS], int lane)
{
	const xc_gpu_walk *w = &s->walk;
	const int n = w->fresh[2], end = b->from + b->n, ringed = n <= POINTS / 4;
	const int complete = w->taps == w->all;

	for (int r = 0; r < b->rows; r++) {
		const int row = b->first + r, y = row / w->fresh[1], x = row - y * w->fresh[1];
		const int first = y * w->apart[0] + x * w->apart[1] + w->off;
		const int near = ringed && x >= 2, late = complete && w->volume && !is_behind_known(w, y);
		float *ring = ring_row(s, row);
		__syncwarp();
		if (!complete)
			xc_gpu_find_known(w, y, x, s->known[0], lane);
		if (!complete || !near || late)
			xc_gpu_find_own(w, y, x, s->own[0], lane);
		for (int c = b->from; c < end; c += 32) {
			const int i = min(c + lane, end - 1), at = r * n + i - b->from;
			float p = s->prediction[at], sum = s->sum[at];
			uint32_t z = 0, level = XC_LEVEL_IDLE;
			if (!complete)
				from_own<1>(k, s, i, &p, &sum);
			if (late)
				sum += xc_gpu_level_behind<1>(w, k->magnitude, s->own[0], i);
			if (tables) {
				if (c + lane < end)
					level = near ? ring_level(s, row, i, sum)
					             : xc_gpu_level<1>(w, k->magnitude, s->own[0], i, sum);
				z = take_row(in, tables, level, (uint32_t)lane);
			}
			if (c + lane >= end)
				continue;
			const float magnitude = xc_magnitude(xc_unfold(z));
			k->value[first + i * w->stride] = rebuild(w->mode, p, z, w->step);
			k->magnitude[first + i * w->stride] = magnitude;
			if (!ringed)
				continue;
			ring[i] = magnitude;
			if (i == 0)
				ring[-1] = magnitude;
			if (i == n - 1)
				ring[n] = magnitude;
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

/* Rows of a batch are less than a plane's, so that all behind them are known before. */
static __device__ __forceinline__ void next_batch(const xc_gpu_walk *w, batch *b)
{
	const int n = w->fresh[2], some = max(1, min(POINTS / n, w->fresh[1] - 1));

	if (n > POINTS) {
		b->from += POINTS;
		if (b->from >= n || b->rows == 0) {
			b->first += b->rows;
			b->from = 0;
		}
		b->rows = 1;
		b->n = min(POINTS, n - b->from);
		return;
	}
	b->first += b->rows;
	b->rows = min(some, w->fresh[0] * w->fresh[1] - b->first);
	b->n = n;
}

template <int DECODE>
static __device__ void walk_pass(chunk *k, shared *s, const xc_pass *pass, reader *in,
                                 const uint2 (*tables)[XC_SYMBOLS], int warp, int lane)
{
	const xc_gpu_walk *w = &s->walk;
	batch b = {0, 0, 0, 0};

	for (next_batch(w, &b); b.first < w->fresh[0] * w->fresh[1]; next_batch(w, &b)) {
		known_rows<DECODE>(k, s, pass, &b, warp, lane);
		__syncthreads();
		if (DECODE && warp == 0)
			decode_rows(k, s, &b, in, tables, lane);
		if (!DECODE && w->taps < w->all) {
			if (warp == 0)
				own_rows(k, s, pass, &b, lane);
			__syncthreads();
		}
		if (!DECODE)
			level_rows(k, s, &b, warp, lane);
		__syncthreads();
	}
}

/* A thread block takes a chunk. */
template <int DECODE>
static __global__ void __launch_bounds__(32 * WARPS, 8)
	walk_chunks(const __grid_constant__ xc_gpu_array_work work)
{
	__shared__ shared s;
	const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x & 31;
	const xc_gpu_array_chunk *c = &work.chunk[blockIdx.x];
	const uint2(*tables)[XC_SYMBOLS] = DECODE && c->lanes ? s.tables : NULL;
	reader in;
	chunk k;

	chunk_begin(&k, &work, c);
	if (DECODE && c->raw)
		return;
	if (DECODE && c->lanes && warp == 0)
		read_begin(&in, work.code + c->code, c->bytes, c->lanes, (uint32_t)lane);
	if (threadIdx.x == 0)
		s.any = s.breaks = 0;
	for (int i = -1; i < k.slab->passes; i++) {
		const xc_gpu_array_pass *pass = &k.slab->pass[max(i, 0)];
		const int set = i < 0 ? XC_ARRAY_SETS - 1 : pass->set;
		if (tables) {
			const uint2 *from = (const uint2 *)work.tables[c->slab].bucket[set * XC_LEVELS][0];
			for (int t = (int)threadIdx.x; t < XC_LEVELS * XC_SYMBOLS; t += 32 * WARPS)
				s.tables[0][t] = from[t];
		}
		if (warp == 0 && i >= 0)
			xc_gpu_walk_begin(&s.walk, k.slab, i, k.size, lane);
		__syncthreads();
		if (i < 0) {
			if (warp == 0)
				anchors<DECODE>(&k, &in, tables, lane);
			k.at = (uint32_t)c->at + xc_points(k.size[0], k.slab->top[0]) *
			                             xc_points(k.size[1], k.slab->top[1]) *
			                             xc_points(k.size[2], k.slab->top[2]);
		} else if (s.walk.fresh[0] && s.walk.fresh[1] && s.walk.fresh[2]) {
			walk_pass<DECODE>(&k, &s, &pass->pass, &in, tables, warp, lane);
			k.at += (uint32_t)(s.walk.fresh[0] * s.walk.fresh[1] * s.walk.fresh[2]);
		}
		__syncthreads();
	}
	if (DECODE) {
		const int bad = warp == 0 && c->lanes &&
		                (in.bad || in.state != XC_STATE_MIN || in.next + 2 * in.used != in.end);
		if (__any_sync(0xffffffffu, bad) && lane == 0)
			work.outcome[blockIdx.x].damaged = 1;
		return;
	}
	if (k.any)
		atomicOr(&s.any, 1u);
	if (k.breaks)
		atomicAdd(&s.breaks, k.breaks);
	__syncthreads();
	if (threadIdx.x == 0) {
		work.outcome[blockIdx.x].lanes = s.any ? 32 : 0;
		work.outcome[blockIdx.x].breaks = s.breaks;
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
