/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks to residues, and coded bytes to chunks: a thread block takes a chunk by the way of
 * gpu/array/pass.h. What known points say of a pass all warps find; what a pass's own rows need of
 * each other, and words, one warp takes row by row. Time goes to loads and, in that one warp, to the
 * latency of its steps.
 */
#include "array/code.h"
#include "array/slab.h"
#include "gpu/array/kernels.h"
#include "gpu/array/values.h"
#include "gpu/array/pass.h"
#include "gpu/runtime/gpu.h"

enum {
	WARPS = 4,    /* of a thread block */
	POINTS = 512, /* of a batch of rows, unless one has more: then of a part of it */
	RINGED = 256  /* points of a row that the ring can have */
};

/* The decoder's states, a lane each, and 64 words from `next` on, two a lane, of which `used` are
 * taken. Later ones are under way long before they are needed. */
typedef struct reader {
	const uint8_t *bytes;
	uint32_t next, used, end, lanes, state;
	uint32_t word, low, high; /* of the second word its bytes, so that nothing waits for them yet */
	uint32_t bad;
} reader;

static __device__ __forceinline__ void load_word(reader *r, uint32_t at)
{
	r->low = at < r->end ? r->bytes[at] : 0;
	r->high = at + 1 < r->end ? r->bytes[at + 1] : 0;
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
	load_word(r, r->next + 2 * lane);
	r->word = r->low | r->high << 8;
	load_word(r, r->next + 64 + 2 * lane);
}

/* Each lane that needs a word takes one, in the order of lanes. */
static __device__ __forceinline__ void fill(reader *r, uint32_t lane)
{
	const int need = r->state < XC_STATE_MIN;
	const uint32_t all = __ballot_sync(0xffffffffu, need);

	if (!all)
		return;
	const uint32_t k = r->used + (uint32_t)__popc(all & ((1u << lane) - 1));
	const uint32_t count = (uint32_t)__popc(all);
	uint32_t word = __shfl_sync(0xffffffffu, r->word, (int)(k & 31));
	if (r->used + count > 32) {
		const uint32_t second = __shfl_sync(0xffffffffu, r->low | r->high << 8, (int)(k & 31));
		word = k < 32 ? word : second;
	}
	if (need)
		r->state = r->state << 16 | word;
	r->used += count;
	if (r->used < 32)
		return;
	r->used -= 32;
	/* What is missing is seen at the end; beyond it, it stays there. */
	r->next = min(r->next + 64, r->end + 64);
	r->word = r->low | r->high << 8;
	load_word(r, r->next + 64 + 2 * lane);
}

/* The folded residues of a group; levels of XC_LEVEL_IDLE take none. */
static __device__ __forceinline__ uint32_t take(reader *r, const uint2 (*tables)[XC_SYMBOLS],
                                                uint32_t level, uint32_t lane)
{
	uint32_t bits = 0, z = 0;

	if (level != XC_LEVEL_IDLE) {
		const uint32_t x = r->state, slot = x & (XC_FREQUENCY_ONE - 1), bucket = slot >> 8;
		const uint2 b = tables[level][bucket];
		const int own = (slot & 255) < b.x >> 24;
		const uint32_t entry = own ? b.x : b.y, s = own ? bucket : b.y >> 24;
		const uint32_t c = xc_raw_bits(level), more = s > 9 ? s - 9 : 0;
		r->state = (entry & 4095) * (x >> 12) +
		           ((slot + (entry >> 12 & 4095)) & (XC_FREQUENCY_ONE - 1));
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
	uint64_t first; /* of its values in the array */
	/* And how far these are apart there, by the model's dimensions: a slab has at most 2^30 values, so
	 * offsets in one have 32 bits (xc_gpu_array_fits()). */
	uint32_t stride[3];
	uint32_t size[3];
	uint32_t at; /* of the pass's first value in the order of coding */
	uint32_t any, breaks;
} chunk;

/* What a thread block shares, and what more of it to decode. */
typedef struct shared {
	xc_gpu_pass pass;
	xc_gpu_row known[WARPS][XC_ROWS], own[XC_ROWS];
	float prediction[2][POINTS], sum[2][POINTS]; /* of a batch, and of the next one */
	uint32_t any, breaks;
} shared;

typedef struct words {
	uint2 tables[XC_LEVELS][XC_SYMBOLS]; /* of a pass */
	float ring[3][RINGED + 2]; /* magnitudes of the last rows, if they are short, and beside */
} words;

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

static __device__ __forceinline__ line line_of(const chunk *k, const xc_gpu_pass *w,
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
				const float p = xc_gpu_limited(s->mode, s->low, s->high, before);
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
					encode_value(k, place, xc_gpu_array_bits(k->work->type, k->work->array, from),
					             k->at, p, s->anchor_step, s->anchor_inverse);
					k->work->level[k->at] = (uint8_t)s->anchor_level;
				}
				k->magnitude[place] = 0;
				before = k->value[place];
			}
}

/* 1: rows behind row y of planes are such of an earlier batch. In the first plane the one above that
 * behind, which is not there, is the row above. */
static __device__ __forceinline__ int is_behind_known(const xc_gpu_pass *w, int y)
{
	return w->volume && (y > 0 || w->d == 0);
}

/* Keeps what known points say of every 32nd point from i on; a complete prediction is encoded at once.
 * bits: of the values, to encode. */
template <int DECODE, int J>
static __device__ __forceinline__ void keep_points(chunk *k, const xc_gpu_pass *w, const line *l,
                                                   int complete, uint32_t at, const float p[J],
                                                   const float sum[J], const uint32_t bits[J],
                                                   float *prediction, float *sums, int i, int end)
{
#pragma unroll
	for (int j = 0; j < J; j++, i += 32) {
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

/* What known points, and magnitudes of rows behind, say of J times 32 points of a row from c on.
 * sums, prediction: those of the row in the batch. */
template <int DECODE, int CLAMP, int LINE, int J>
static __device__ __forceinline__ void from_known(chunk *k, const shared *s, int warp,
                                                  const xc_gpu_behind *behind, const line *l,
                                                  uint32_t at, float *prediction, float *sums,
                                                  int c, int end, int lane)
{
	const xc_gpu_pass *w = &s->pass;
	const xc_gpu_row *rows = s->known[warp];
	const int taps = w->taps, stride = w->stride, complete = taps == w->all;
	const int aside = w->known[w->d == 2 ? 1 : 2] > 1;
	const float bend = w->bend, *value = k->value, *magnitude = k->magnitude;
	float p[J], sum[J];
	uint32_t bits[J];

#pragma unroll
	for (int j = 0; j < J; j++) {
		const int i = min(c + 32 * j + lane, end - 1);
		if (!DECODE && complete)
			bits[j] = xc_gpu_array_bits(k->work->type, k->work->array,
			                            l->from + (uint64_t)((uint32_t)i * l->apart));
		p[j] = xc_gpu_predict<CLAMP, LINE>(w, stride, value, rows, 0, taps, 0, i);
		sum[j] = xc_gpu_level_known<CLAMP>(aside, stride, magnitude, rows, i);
		if (!complete)
			continue;
		p[j] = xc_gpu_limited(w->mode, w->low, w->high, p[j]);
		if (bend != 0)
			sum[j] += xc_gpu_level_bend<CLAMP, LINE>(stride, value, rows, i, p[j], bend);
		if (DECODE && behind)
			sum[j] += xc_gpu_term_behind(behind, stride, magnitude, i);
	}
	keep_points<DECODE, J>(k, w, l, complete, at, p, sum, bits, prediction, sums, c + lane, end);
}

/* The same of a cubic prediction. */
template <int DECODE, int ALONG, int J>
static __device__ __forceinline__ void from_cubic(chunk *k, const shared *s,
                                                  const xc_gpu_cubic *rows,
                                                  const xc_gpu_behind *behind, const line *l,
                                                  uint32_t at, float *prediction, float *sums,
                                                  int c, int end, int lane)
{
	const xc_gpu_pass *w = &s->pass;
	const int stride = w->stride;
	const float bend = w->bend, *value = k->value, *magnitude = k->magnitude;
	float p[J], sum[J];
	uint32_t bits[J];

#pragma unroll
	for (int j = 0; j < J; j++) {
		const int i = min(c + 32 * j + lane, end - 1);
		float v[2];
		if (!DECODE)
			bits[j] = xc_gpu_array_bits(k->work->type, k->work->array,
			                            l->from + (uint64_t)((uint32_t)i * l->apart));
		p[j] = ALONG ? xc_gpu_cubic_along(w, rows, stride, value, magnitude, i, v, &sum[j])
		             : xc_gpu_cubic_rows(w, rows, stride, value, magnitude, i, v, &sum[j]);
		p[j] = xc_gpu_limited(w->mode, w->low, w->high, p[j]);
		if (bend != 0)
			sum[j] += xc_level_bend(v[0], v[1], p[j], bend);
		if (DECODE && behind)
			sum[j] += xc_gpu_term_behind(behind, stride, magnitude, i);
	}
	keep_points<DECODE, J>(k, w, l, 1, at, p, sum, bits, prediction, sums, c + lane, end);
}

template <int DECODE, int ALONG>
static __device__ __forceinline__ void cubic_row(chunk *k, shared *s, int y, int x,
                                                 const xc_gpu_behind *behind, const line *l,
                                                 uint32_t at, float *p, float *sum, int c, int end,
                                                 int lane)
{
	const xc_gpu_cubic rows = xc_gpu_rows_cubic(&s->pass, y, x);

	for (; c < end; c += 64)
		if (end - c > 32)
			from_cubic<DECODE, ALONG, 2>(k, s, &rows, behind, l, at, p, sum, c, end, lane);
		else
			from_cubic<DECODE, ALONG, 1>(k, s, &rows, behind, l, at, p, sum, c, end, lane);
}

/* Rows of a batch, as far as known points go, every `warps`-th from `first` on. */
template <int DECODE>
static __device__ void known_rows(chunk *k, shared *s, const xc_pass *pass, const batch *b, int odd,
                                  int first, int warps, int warp, int lane)
{
	const xc_gpu_pass *w = &s->pass;
	const int n = w->fresh[2], end = b->from + b->n;
	int y = (b->first + first) / w->fresh[1], x = b->first + first - y * w->fresh[1];

	for (int r = first; r < b->rows; r += warps, x += warps) {
		for (; x >= w->fresh[1]; y++)
			x -= w->fresh[1];
		const xc_gpu_behind rows = DECODE && w->volume ? xc_gpu_rows_behind(w, y, x)
		                                               : xc_gpu_behind{};
		const xc_gpu_behind *const behind = is_behind_known(w, y) ? &rows : NULL;
		const line l = line_of(k, w, pass, y, x);
		const uint32_t at = k->at + (uint32_t)((b->first + r) * n);
		float *p = s->prediction[odd] + r * n - b->from, *sum = s->sum[odd] + r * n - b->from;
		if (w->cubic) {
			if (w->d == 2)
				cubic_row<DECODE, 1>(k, s, y, x, behind, &l, at, p, sum, b->from, end, lane);
			else
				cubic_row<DECODE, 0>(k, s, y, x, behind, &l, at, p, sum, b->from, end, lane);
			continue;
		}
		const int goes_on = xc_gpu_find_known(w, y, x, s->known[warp], lane);
		for (int c = b->from; c < end; c += 64) {
			const int inner = c >= w->inner_low && min(c + 63, end - 1) <= w->inner_high;
			if (end - c <= 32)
				from_known<DECODE, 1, 1, 1>(k, s, warp, behind, &l, at, p, sum, c, end, lane);
			else if (goes_on && (!inner || w->d != 2))
				from_known<DECODE, 1, 1, 2>(k, s, warp, behind, &l, at, p, sum, c, end, lane);
			else if (inner)
				from_known<DECODE, 0, 0, 2>(k, s, warp, behind, &l, at, p, sum, c, end, lane);
			else
				from_known<DECODE, 1, 0, 2>(k, s, warp, behind, &l, at, p, sum, c, end, lane);
		}
	}
}

/* The rest of a prediction and of a level's sum, where there are taps of own points. */
static __device__ __forceinline__ void from_own(const chunk *k, const shared *s, int i, float *p,
                                                float *sum)
{
	const xc_gpu_pass *w = &s->pass;
	const xc_gpu_row *known = s->known[0], *own = s->own;
	const int stride = w->stride;

	*p = xc_gpu_predict<1, 1>(w, stride, k->value, own, w->taps, w->all, *p, i);
	*p = xc_gpu_limited(w->mode, w->low, w->high, *p);
	if (w->bend != 0)
		*sum += xc_gpu_level_bend<1, 1>(stride, k->value, known, i, *p, w->bend);
}

/* Rows of a batch with taps of own points, to encode: one after the other, by one warp. */
static __device__ void own_rows(chunk *k, shared *s, const xc_pass *pass, const batch *b, int lane)
{
	const xc_gpu_pass *w = &s->pass;
	const int n = w->fresh[2], end = b->from + b->n;

	for (int r = 0; r < b->rows; r++) {
		const int row = b->first + r, y = row / w->fresh[1], x = row - y * w->fresh[1];
		const line l = line_of(k, w, pass, y, x);
		xc_gpu_find_known(w, y, x, s->known[0], lane);
		xc_gpu_find_own(w, y, x, s->own, lane);
		for (int i = b->from + lane; i < end; i += 32) {
			const uint32_t bits = xc_gpu_array_bits(k->work->type, k->work->array,
			                                        l.from + (uint64_t)((uint32_t)i * l.apart));
			const int at = r * n + i - b->from;
			float p = s->prediction[0][at], sum = s->sum[0][at];
			from_own(k, s, i, &p, &sum);
			s->sum[0][at] = sum;
			encode_value(k, l.place + i * w->stride, bits, k->at + (uint32_t)(row * n + i), p,
			             w->step, w->inverse);
		}
	}
}

/* Levels of a batch, to encode, by all warps. */
static __device__ void level_rows(chunk *k, shared *s, const batch *b, int warp, int lane)
{
	const xc_gpu_pass *w = &s->pass;
	const int n = w->fresh[2], end = b->from + b->n, stride = w->stride, volume = w->volume;
	int y = (b->first + warp) / w->fresh[1], x = b->first + warp - y * w->fresh[1];

	for (int r = warp; r < b->rows; r += WARPS, x += WARPS) {
		for (; x >= w->fresh[1]; y++)
			x -= w->fresh[1];
		const float *sums = s->sum[0] + r * n - b->from, *magnitude = k->magnitude;
		uint8_t *level = k->work->level + k->at + (uint32_t)((b->first + r) * n);
		const xc_gpu_above above = xc_gpu_rows_above(w, y, x);
		xc_gpu_behind behind;
		if (volume)
			behind = xc_gpu_rows_behind(w, y, x);
#pragma unroll 2
		for (int i = b->from + lane; i < end; i += 32) {
			float sum = sums[i];
			if (volume)
				sum += xc_gpu_term_behind(&behind, stride, magnitude, i);
			level[i] = (uint8_t)xc_gpu_level_above(&above, stride, magnitude, i, sum);
		}
	}
}

/* A row's magnitudes in the ring, with the last ones once more beside them. */
static __device__ __forceinline__ float *ring_row(words *d, int row)
{
	return d->ring[row % 3] + 1;
}

static __device__ __forceinline__ void set_ring(float *ring, int i, int n, float magnitude)
{
	ring[i] = magnitude;
	if (i == 0)
		ring[-1] = magnitude;
	if (i == n - 1)
		ring[n] = magnitude;
}

/* The level of point i, whose rows above are in the ring. */
static __device__ __forceinline__ uint32_t ring_level(const float *above, const float *twice, int i,
                                                      float sum)
{
	sum += xc_level_above(above[i], above[i - 1], above[i + 1]);
	sum += XC_LEVEL_ABOVE_2 * twice[i];
	return xc_level_of(sum, XC_LEVELS);
}

/* A row whose rows above are in the ring, and that needs nothing else: 64 points at a time. */
static __device__ __forceinline__ void decode_near(chunk *k, shared *s, words *d, int row,
                                                   int first, const float *prediction,
                                                   const float *sum, reader *in,
                                                   const uint2 (*tables)[XC_SYMBOLS], int lane)
{
	const xc_gpu_pass *w = &s->pass;
	const int n = w->fresh[2], stride = w->stride, mode = w->mode;
	const float step = w->step, *above = ring_row(d, row + 2), *twice = ring_row(d, row + 1);
	float *ring = ring_row(d, row);

	for (int c = 0; c < n; c += 64) {
		uint32_t level[2], z[2] = {0, 0};
		float p[2];
#pragma unroll
		for (int j = 0; j < 2; j++) {
			const int i = min(c + 32 * j + lane, n - 1);
			p[j] = prediction[i];
			level[j] = ring_level(above, twice, i, sum[i]);
			level[j] = c + 32 * j + lane < n ? level[j] : (uint32_t)XC_LEVEL_IDLE;
		}
		if (tables) {
			z[0] = take_row(in, tables, level[0], (uint32_t)lane);
			if (n - c > 32)
				z[1] = take_row(in, tables, level[1], (uint32_t)lane);
		}
#pragma unroll
		for (int j = 0; j < 2; j++) {
			const int i = c + 32 * j + lane;
			if (i >= n)
				continue;
			const float magnitude = xc_magnitude(xc_unfold(z[j]));
			k->value[first + i * stride] = rebuild(mode, p[j], z[j], step);
			k->magnitude[first + i * stride] = magnitude;
			set_ring(ring, i, n, magnitude);
		}
	}
}

/* Any row, 32 points at a time. */
static __device__ void decode_any(chunk *k, shared *s, words *d, int y, int x, int row, int first,
                                  const batch *b, const float *prediction, const float *sums,
                                  reader *in, const uint2 (*tables)[XC_SYMBOLS], int lane)
{
	const xc_gpu_pass *w = &s->pass;
	const int n = w->fresh[2], end = b->from + b->n, stride = w->stride;
	const int complete = w->taps == w->all;
	const xc_gpu_above above = xc_gpu_rows_above(w, y, x);
	const xc_gpu_behind behind = xc_gpu_rows_behind(w, y, x);

	for (int c = b->from; c < end; c += 32) {
		const int i = min(c + lane, end - 1);
		float p = prediction[i], sum = sums[i];
		uint32_t z = 0, level = XC_LEVEL_IDLE;
		if (!complete)
			from_own(k, s, i, &p, &sum);
		if (w->volume && (!complete || !is_behind_known(w, y)))
			sum += xc_gpu_term_behind(&behind, stride, k->magnitude, i);
		if (tables) {
			if (c + lane < end)
				level = xc_gpu_level_above(&above, stride, k->magnitude, i, sum);
			z = take_row(in, tables, level, (uint32_t)lane);
		}
		if (c + lane >= end)
			continue;
		const float magnitude = xc_magnitude(xc_unfold(z));
		k->value[first + i * stride] = rebuild(w->mode, p, z, w->step);
		k->magnitude[first + i * stride] = magnitude;
		if (n <= RINGED)
			set_ring(ring_row(d, row), i, n, magnitude);
	}
}

/* Residues of a batch, in order, by one warp. tables NULL: all are 0. */
static __device__ void decode_rows(chunk *k, shared *s, words *d, const batch *b, int odd,
                                   reader *in, const uint2 (*tables)[XC_SYMBOLS], int lane)
{
	const xc_gpu_pass *w = &s->pass;
	const int n = w->fresh[2], complete = w->taps == w->all;
	int y = b->first / w->fresh[1], x = b->first - y * w->fresh[1];

	for (int r = 0; r < b->rows; r++, x++) {
		if (x == w->fresh[1]) {
			x = 0;
			y++;
		}
		const int row = b->first + r, first = y * w->apart[0] + x * w->apart[1] + w->off;
		const float *p = s->prediction[odd] + r * n - b->from, *sum = s->sum[odd] + r * n - b->from;
		__syncwarp();
		if (n <= RINGED && x >= 2 && complete && (!w->volume || is_behind_known(w, y))) {
			decode_near(k, s, d, row, first, p, sum, in, tables, lane);
			continue;
		}
		if (!complete) {
			xc_gpu_find_known(w, y, x, s->known[0], lane);
			xc_gpu_find_own(w, y, x, s->own, lane);
		}
		decode_any(k, s, d, y, x, row, first, b, p, sum, in, tables, lane);
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

/* Two batches have less rows than a plane, so that all rows behind those of the second are known
 * before the first; planes of one or two rows have batches of one. */
static __device__ __forceinline__ void next_batch(const xc_gpu_pass *w, batch *b)
{
	const int n = w->fresh[2], some = w->volume ? (w->fresh[1] - 1) / 2 : POINTS;

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
	b->rows = min(max(1, min(POINTS / n, some)), w->fresh[0] * w->fresh[1] - b->first);
	b->n = n;
}

static __device__ void encode_pass(chunk *k, shared *s, const xc_pass *pass, int warp, int lane)
{
	const xc_gpu_pass *w = &s->pass;
	batch b = {0, 0, 0, 0};

	for (next_batch(w, &b); b.first < w->fresh[0] * w->fresh[1]; next_batch(w, &b)) {
		known_rows<0>(k, s, pass, &b, 0, warp, WARPS, warp, lane);
		__syncthreads();
		if (w->taps < w->all) {
			if (warp == 0)
				own_rows(k, s, pass, &b, lane);
			__syncthreads();
		}
		level_rows(k, s, &b, warp, lane);
		__syncthreads();
	}
}

/* One warp decodes a batch, and the others prepare the next one. */
static __device__ void decode_pass(chunk *k, shared *s, words *d, const xc_pass *pass, reader *in,
                                   const uint2 (*tables)[XC_SYMBOLS], int warp, int lane)
{
	const xc_gpu_pass *w = &s->pass;
	const int rows = w->fresh[0] * w->fresh[1], ahead = !w->volume || w->fresh[1] > 2;
	batch b = {0, 0, 0, 0}, next;
	int odd = 0;

	next_batch(w, &b);
	known_rows<1>(k, s, pass, &b, 0, warp, WARPS, warp, lane);
	__syncthreads();
	for (; b.first < rows; b = next, odd ^= 1) {
		next = b;
		next_batch(w, &next);
		if (warp == 0)
			decode_rows(k, s, d, &b, odd, in, tables, lane);
		else if (ahead && next.first < rows)
			known_rows<1>(k, s, pass, &next, odd ^ 1, warp - 1, WARPS - 1, warp, lane);
		__syncthreads();
		if (ahead || next.first >= rows)
			continue;
		known_rows<1>(k, s, pass, &next, odd ^ 1, warp, WARPS, warp, lane);
		__syncthreads();
	}
}

/* A thread block takes a chunk. */
template <int DECODE>
static __global__ void __launch_bounds__(32 * WARPS, 8)
	run_passes(const __grid_constant__ xc_gpu_array_work work)
{
	__shared__ shared s;
	__shared__ uint4 room[DECODE ? (sizeof(words) + 15) / 16 : 1];
	words *const d = (words *)room;
	const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x & 31;
	const xc_gpu_array_chunk *c = &work.chunk[blockIdx.x];
	const uint2(*tables)[XC_SYMBOLS] = DECODE && c->lanes ? d->tables : NULL;
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
				d->tables[0][t] = from[t];
		}
		if (warp == 0 && i >= 0)
			xc_gpu_pass_begin(&s.pass, k.slab, i, k.size, lane);
		__syncthreads();
		if (i < 0) {
			if (warp == 0)
				anchors<DECODE>(&k, &in, tables, lane);
			k.at = (uint32_t)c->at + xc_points(k.size[0], k.slab->top[0]) *
			                             xc_points(k.size[1], k.slab->top[1]) *
			                             xc_points(k.size[2], k.slab->top[2]);
		} else if (s.pass.fresh[0] && s.pass.fresh[1] && s.pass.fresh[2]) {
			if (DECODE)
				decode_pass(&k, &s, d, &pass->pass, &in, tables, warp, lane);
			else
				encode_pass(&k, &s, &pass->pass, warp, lane);
			k.at += (uint32_t)(s.pass.fresh[0] * s.pass.fresh[1] * s.pass.fresh[2]);
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

xc_status xc_gpu_array_run_passes(const xc_gpu_array_work *work, int decode, cudaStream_t stream,
                                  xc_gpu_error *e)
{
	return decode ? xc_gpu_launch_with("that decodes chunks", NULL, run_passes<1>,
	                                   dim3(work->chunks), 32 * WARPS, 0, stream, e, *work)
	              : xc_gpu_launch_with("that predicts chunks", NULL, run_passes<0>,
	                                   dim3(work->chunks), 32 * WARPS, 0, stream, e, *work);
}
