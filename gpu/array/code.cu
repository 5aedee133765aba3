/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Residues of chunks to coded bytes: symbols are counted, and with the slabs' tables there a warp
 * codes a chunk from its end, as array/code.c does.
 */
#include "array/code.h"
#include "gpu/array/kernels.h"
#include "gpu/runtime/gpu.h"

enum { WARPS = 4, COUNT_THREADS = 256, COUNTED = 8192 /* values of a thread block */ };

/* xc_symbol_of() in 32 bits. */
static __device__ __forceinline__ uint32_t symbol_of(uint32_t z, uint32_t level, uint32_t *bits,
                                                     uint32_t *raw)
{
	const uint32_t c = xc_raw_bits(level), t = z >> c;

	if (t < 10) {
		*bits = c;
		*raw = z & ((1u << c) - 1);
		return t;
	}
	if (t >= 72) {
		*bits = 32;
		*raw = z;
		return XC_SYMBOL_ESCAPE;
	}
	const uint32_t n = 31 - (uint32_t)__clz((int)t - 8);
	*bits = n + c;
	*raw = z - (((1u << n) + 8) << c);
	return 9 + n;
}

/* The chunk's size in the order of its model, and the number of anchors. */
static __device__ uint32_t anchors_of(const xc_gpu_array_slab *s, const xc_gpu_array_chunk *c,
                                      uint32_t size[3])
{
	uint32_t n = 1;

	for (int k = 0; k < 3; k++) {
		size[k] = c->size[s->axis[k]];
		n *= xc_points(size[k], s->top[k]);
	}
	return n;
}

/* The rows of a pass, and their length in *n. */
static __device__ uint32_t rows_of(const xc_pass *p, const uint32_t size[3], uint32_t *n)
{
	uint32_t points[3];

	for (int k = 0; k < 3; k++) {
		points[k] = xc_points(size[k], p->step[k]);
		points[k] = k == p->d ? points[k] / 2 : points[k];
	}
	*n = points[2];
	return points[0] * points[1];
}

/* Thread block (x, y) counts symbols of part x of chunk y. */
static __global__ void count_symbols(const __grid_constant__ xc_gpu_array_work work)
{
	__shared__ uint32_t counts[XC_ARRAY_SHAPES][XC_SYMBOLS];
	__shared__ uint32_t end[XC_PASSES + 1]; /* of values by pass, anchors first */
	const xc_gpu_array_chunk *c = &work.chunk[blockIdx.y];
	const xc_gpu_array_slab *s = &work.slab[c->slab];
	const uint32_t all = c->size[0] * c->size[1] * c->size[2], from = blockIdx.x * COUNTED;
	const uint32_t to = min(all, from + COUNTED);

	if (from >= all || !work.outcome[blockIdx.y].lanes)
		return;
	for (uint32_t i = threadIdx.x; i < XC_ARRAY_SHAPES * XC_SYMBOLS; i += COUNT_THREADS)
		counts[0][i] = 0;
	if (threadIdx.x == 0) {
		uint32_t size[3], n, sum = anchors_of(s, c, size);
		end[0] = sum;
		for (int i = 0; i < s->passes; i++) {
			sum += rows_of(&s->pass[i].pass, size, &n) * n;
			end[i + 1] = sum;
		}
	}
	__syncthreads();
	int pass = 0;
	for (uint32_t i = from + threadIdx.x; i < to; i += COUNT_THREADS) {
		uint32_t bits, raw;
		while (i >= end[pass])
			pass++;
		const int set = pass ? s->pass[pass - 1].set : XC_ARRAY_SETS - 1;
		const uint32_t level = work.level[c->at + i];
		const uint32_t symbol = symbol_of(work.residue[c->at + i], level, &bits, &raw);
		atomicAdd(&counts[set * XC_LEVELS + level][symbol], 1u);
	}
	__syncthreads();
	uint32_t *sums = work.counts + (size_t)c->slab * XC_ARRAY_SHAPES * XC_SYMBOLS;
	for (uint32_t i = threadIdx.x; i < XC_ARRAY_SHAPES * XC_SYMBOLS; i += COUNT_THREADS)
		if (counts[0][i])
			atomicAdd(&sums[i], counts[0][i]);
}

/* Thread block (x, y) makes what shape x of slab y is coded by, from its buckets. */
static __global__ void make_slots(const __grid_constant__ xc_gpu_array_work work)
{
	__shared__ uint32_t sum[XC_SYMBOLS];
	const size_t shape = (size_t)blockIdx.y * XC_ARRAY_SHAPES + blockIdx.x;
	const uint32_t(*bucket)[2] = work.tables[blockIdx.y].bucket[blockIdx.x];
	const uint32_t *counts = work.counts + shape * XC_SYMBOLS;
	uint16_t *slots = work.slots + shape * XC_FREQUENCY_ONE;
	uint32_t n = 0;

	for (int i = 0; i < XC_SYMBOLS; i++)
		n |= counts[i];
	if (!n)
		return;
	if (threadIdx.x < XC_SYMBOLS) {
		uint32_t before = 0;
		for (uint32_t i = 0; i < threadIdx.x; i++)
			before += bucket[i][0] & 4095;
		sum[threadIdx.x] = before;
		work.symbols[shape * XC_SYMBOLS + threadIdx.x] = (bucket[threadIdx.x][0] & 4095) |
		                                                 before << 12;
	}
	__syncthreads();
	for (uint32_t slot = threadIdx.x; slot < XC_FREQUENCY_ONE; slot += blockDim.x) {
		const uint32_t *b = bucket[slot >> 8];
		const int own = (slot & 255) < b[0] >> 24;
		const uint32_t entry = b[own ? 0 : 1], symbol = own ? slot >> 8 : b[1] >> 24;
		slots[sum[symbol] + ((slot + (entry >> 12)) & (XC_FREQUENCY_ONE - 1))] = (uint16_t)slot;
	}
}

/* The states of a chunk under way, a lane each, and where its bytes begin. */
typedef struct writer {
	uint8_t *bytes;
	uint32_t next; /* bytes go before it */
	uint32_t state;
	int full;
} writer;

/* Lanes whose state is at its limit put a word; those of higher lanes come first. */
static __device__ __forceinline__ void put(writer *w, int active, uint32_t limit, uint32_t after)
{
	const int full = active && w->state >= limit;
	const uint32_t all = __ballot_sync(0xffffffffu, full);

	if (w->next < 2 * (uint32_t)__popc(all)) {
		w->full = 1;
		w->next += 64; /* what is written does not matter any more */
	}
	if (full) {
		const uint32_t at = w->next - 2 * ((uint32_t)__popc(all & after) + 1);
		w->bytes[at] = (uint8_t)w->state;
		w->bytes[at + 1] = (uint8_t)(w->state >> 8);
		w->state >>= 16;
	}
	w->next -= 2 * (uint32_t)__popc(all);
}

/* A lane's value on its way. */
typedef struct value {
	int active;
	uint32_t shape;
	uint32_t raw, bits;
	uint32_t symbol; /* its frequency, and the sum of those before it above */
	float inverse;   /* of the frequency */
} value;

static __device__ __forceinline__ void look_up(value *v, int active, uint32_t z, uint32_t level,
                                               uint32_t first_shape, const uint32_t *symbols)
{
	const uint32_t s = symbol_of(z, level, &v->bits, &v->raw);

	v->active = active;
	v->shape = first_shape + level;
	v->symbol = active ? symbols[v->shape * XC_SYMBOLS + s] : 1;
	v->bits = active ? v->bits : 0;
	v->inverse = __fdividef(1, (float)(v->symbol & 4095));
}

/* x / f for x below f 2^20. Relative errors add up to less than 2^-20, so the product is off by less
 * than one. */
static __device__ __forceinline__ uint32_t quotient(uint32_t x, uint32_t f, float inverse,
                                                    uint32_t *rest)
{
	uint32_t q = (uint32_t)(__uint2float_rz(x) * inverse);
	int32_t r = (int32_t)(x - q * f);

	if (r < 0) {
		q--;
		r += (int32_t)f;
	} else if (r >= (int32_t)f) {
		q++;
		r -= (int32_t)f;
	}
	*rest = (uint32_t)r;
	return q;
}

/* Codes a group, from the last round on. */
static __device__ __forceinline__ void code_group(writer *w, const value *v, const uint16_t *slots,
                                                  uint32_t after)
{
	const uint32_t f = v->symbol & 4095;

	if (__any_sync(0xffffffffu, v->bits)) {
		for (int from = __any_sync(0xffffffffu, v->bits > 16) ? 16 : 0; from >= 0; from -= 16) {
			const int some = (int)v->bits > from;
			const uint32_t n = some ? min(v->bits - (uint32_t)from, 16u) : 1;
			put(w, some, 1U << (32 - n), after);
			if (some)
				w->state = w->state << n | (v->raw >> from & ((1U << n) - 1));
		}
	}
	put(w, v->active, f << 20, after);
	if (v->active) {
		uint32_t r;
		const uint32_t q = quotient(w->state, f, v->inverse, &r);
		w->state = q << 12 | slots[(size_t)v->shape * XC_FREQUENCY_ONE + (v->symbol >> 12) + r];
	}
}

/* What a warp reads of its chunk. */
typedef struct source {
	const uint32_t *residue, *symbols;
	const uint8_t *level;
	const uint16_t *slots;
} source;

/* Codes n values from `at` on, in groups of `lanes` from the last one on. Values are fetched a group
 * ahead, and their symbols too. */
static __device__ void code_values(writer *w, const source *s, uint32_t at, uint32_t n,
                                   uint32_t first_shape, uint32_t lanes, uint32_t lane)
{
	const uint32_t after = lane == 31 ? 0 : ~0u << (lane + 1);
	const uint32_t *residue = s->residue + at + lane;
	const uint8_t *level = s->level + at + lane;
	uint32_t from = (n - 1) / lanes * lanes;
	int active = lane < lanes && from + lane < n;
	value now, next;

	look_up(&next, active, active ? residue[from] : 0, active ? level[from] : 0, first_shape,
	        s->symbols);
	active = lane < lanes;
	uint32_t z = from && active ? residue[from - lanes] : 0;
	uint32_t l = from && active ? level[from - lanes] : 0;
	for (;; from -= lanes) {
		now = next;
		if (from)
			look_up(&next, active, z, l, first_shape, s->symbols);
		if (from > lanes && active) {
			z = residue[from - 2 * lanes];
			l = level[from - 2 * lanes];
		}
		code_group(w, &now, s->slots, after);
		if (!from)
			return;
	}
}

/* Codes a chunk in `lanes` lanes; returns the bytes, UINT32_MAX: more than there is room for. */
static __device__ uint32_t code_chunk(const xc_gpu_array_work *work, const xc_gpu_array_chunk *c,
                                      uint32_t lanes, uint32_t lane)
{
	const xc_gpu_array_slab *s = &work->slab[c->slab];
	const source from = {work->residue + c->at,
	                     work->symbols + (size_t)c->slab * XC_ARRAY_SHAPES * XC_SYMBOLS,
	                     work->level + c->at,
	                     work->slots + (size_t)c->slab * XC_ARRAY_SHAPES * XC_FREQUENCY_ONE};
	writer w = {work->code + c->code, c->bytes, XC_STATE_MIN, 0};
	uint32_t size[3], at = c->size[0] * c->size[1] * c->size[2];
	const uint32_t anchors = anchors_of(s, c, size);

	for (int i = s->passes; i >= 0; i--) {
		uint32_t n = 1, rows = anchors, set = XC_ARRAY_SETS - 1;
		if (i) {
			rows = rows_of(&s->pass[i - 1].pass, size, &n);
			set = (uint32_t)s->pass[i - 1].set;
		}
		/* Rows of whole groups are as one. */
		if (n % lanes == 0) {
			n *= rows;
			rows = 1;
		}
		for (uint32_t row = 0; row < rows && n; row++) {
			at -= n;
			code_values(&w, &from, at, n, set * XC_LEVELS, lanes, lane);
			if (w.full)
				return UINT32_MAX;
		}
	}
	if (w.next < 4 * lanes)
		return UINT32_MAX;
	w.next -= 4 * lanes;
	for (uint32_t b = 0; b < 4 && lane < lanes; b++)
		w.bytes[w.next + 4 * lane + b] = (uint8_t)(w.state >> 8 * b);
	return c->bytes - w.next;
}

static __global__ void __launch_bounds__(32 * WARPS)
	code_chunks(const __grid_constant__ xc_gpu_array_work work)
{
	const uint32_t index = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x & 31;

	if (index >= work.chunks || !work.outcome[index].lanes)
		return;
	const xc_gpu_array_chunk *c = &work.chunk[index];
	uint32_t lanes = 32, bytes = code_chunk(&work, c, lanes, lane);
	/* As src/array/encode.c has it: states of few bytes would be a good part of them. */
	for (uint32_t less = 1; less < 3 && bytes < (less == 1 ? 4096 : 512); less++) {
		lanes /= 4;
		bytes = code_chunk(&work, c, lanes, lane);
	}
	if (lane == 0) {
		work.outcome[index].lanes = lanes;
		work.outcome[index].bytes = bytes;
	}
}

xc_status xc_gpu_array_count(const xc_gpu_array_work *work, cudaStream_t stream, xc_gpu_error *e)
{
	const dim3 grid((work->max_values + COUNTED - 1) / COUNTED, work->chunks);

	return xc_gpu_launch_with("that counts symbols", NULL, count_symbols, grid, COUNT_THREADS, 0,
	                          stream, e, *work);
}

xc_status xc_gpu_array_code(const xc_gpu_array_work *work, cudaStream_t stream, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_launch_with("that makes slots", NULL, make_slots,
	                                       dim3(XC_ARRAY_SHAPES, work->slabs), 256, 0, stream, e,
	                                       *work);

	return s ? s
	         : xc_gpu_launch_with("that codes residues", NULL, code_chunks,
	                              dim3((work->chunks + WARPS - 1) / WARPS), 32 * WARPS, 0, stream,
	                              e, *work);
}
