/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of arrays between their array and the work of gpu/array/, what they are like, and the
 * functions that src/cuda/arrays.c calls. A thread block takes part of a chunk or slab; time goes to
 * memory.
 */
#include "gpu/array/kernels.h"
#include "gpu/array/walk.h"
#include "gpu/runtime/gpu.h"

enum { THREADS = 256, PART = 8192 /* values of a thread block */ };

/* ------------------------------------------------------------------- values */

static __device__ __forceinline__ float number_of(xc_gpu_array_type type, const void *values,
                                                  uint64_t i)
{
	switch (type) {
	case XC_GPU_INT8:
		return ((const int8_t *)values)[i];
	case XC_GPU_INT16:
		return ((const int16_t *)values)[i];
	case XC_GPU_UINT8:
		return ((const uint8_t *)values)[i];
	case XC_GPU_UINT16:
		return ((const uint16_t *)values)[i];
	default:
		return ((const float *)values)[i];
	}
}

static __device__ __forceinline__ uint32_t bits_of(xc_gpu_array_type type, const void *values,
                                                   uint64_t i)
{
	const uint32_t bytes = xc_gpu_array_size(type);

	return bytes == 4   ? ((const uint32_t *)values)[i]
	       : bytes == 2 ? ((const uint16_t *)values)[i]
	                    : ((const uint8_t *)values)[i];
}

static __device__ __forceinline__ void set_bits(xc_gpu_array_type type, void *values, uint64_t i,
                                                uint32_t bits)
{
	const uint32_t bytes = xc_gpu_array_size(type);

	if (bytes == 4)
		((uint32_t *)values)[i] = bits;
	else if (bytes == 2)
		((uint16_t *)values)[i] = (uint16_t)bits;
	else
		((uint8_t *)values)[i] = (uint8_t)bits;
}

/* The bits of what a coded number stands for; see xc_slab_unload(). */
static __device__ __forceinline__ uint32_t unloaded(const xc_gpu_array_work *w,
                                                    const xc_gpu_array_slab *s, float v)
{
	if (s->ranks) {
		const float most = (float)(s->ranks - 1);
		return w->ranks[s->rank + (uint32_t)(v > 0 ? v < most ? v : most : 0)];
	}
	switch (w->type) {
	case XC_GPU_INT8:
		return (uint32_t)(int32_t)(v > -128 ? v < 127 ? v : 127 : -128) & 0xff;
	case XC_GPU_INT16:
		return (uint32_t)(int32_t)(v > -32768 ? v < 32767 ? v : 32767 : -32768) & 0xffff;
	case XC_GPU_UINT8:
		return (uint32_t)(v > 0 ? v < 255 ? v : 255 : 0);
	case XC_GPU_UINT16:
		return (uint32_t)(v > 0 ? v < 65535 ? v : 65535 : 0);
	default:
		if (s->unload[0] != 1 || s->unload[1] != 1)
			v = v * s->unload[0] * s->unload[1];
		return __float_as_uint(v);
	}
}

static __device__ __forceinline__ float number_of_bits(xc_gpu_array_type type, uint32_t bits)
{
	return number_of(type, &bits, 0);
}

/* A value of a chunk: its index in the array, and in the work. */
typedef struct place {
	uint64_t array, work;
} place;

/* Value i in the array's order. */
static __device__ __forceinline__ place place_of(const xc_gpu_array_work *w,
                                                 const xc_gpu_array_chunk *c,
                                                 const xc_gpu_array_slab *s, uint32_t i)
{
	const uint32_t x = i % c->size[2], y = i / c->size[2] % c->size[1];
	const uint32_t z = i / c->size[2] / c->size[1], at[3] = {z, y, x};
	place p = {c->first + z * w->stride[0] + y * w->stride[1] + x, c->at};

	p.work += ((uint64_t)at[s->axis[0]] * c->size[s->axis[1]] + at[s->axis[1]]) *
	              c->size[s->axis[2]] +
	          at[s->axis[2]];
	return p;
}

/* Thread block (x, y) takes part x of chunk y: f(place, value in the array's order). */
template <typename F>
static __device__ __forceinline__ void each(const xc_gpu_array_work *w, const F &f)
{
	const xc_gpu_array_chunk *c = &w->chunk[blockIdx.y];
	const xc_gpu_array_slab *s = &w->slab[c->slab];
	const uint32_t all = c->size[0] * c->size[1] * c->size[2], from = blockIdx.x * PART;

	for (uint32_t i = from + threadIdx.x; i < min(all, from + PART); i += THREADS)
		f(c, s, place_of(w, c, s, i), i);
}

/* Values of the array to numbers that are coded. */
static __global__ void load(const __grid_constant__ xc_gpu_array_work w)
{
	each(&w, [&](const xc_gpu_array_chunk *, const xc_gpu_array_slab *s, place p, uint32_t) {
		float v = number_of(w.type, w.array, p.array);
		if (s->load[0] != 1 || s->load[1] != 1)
			v = v * s->load[0] * s->load[1];
		w.value[p.work] = v;
	});
}

/* And back; chunks of raw bytes too. */
static __global__ void unload(const __grid_constant__ xc_gpu_array_work w)
{
	each(&w, [&](const xc_gpu_array_chunk *c, const xc_gpu_array_slab *s, place p, uint32_t i) {
		const uint32_t bytes = xc_gpu_array_size(w.type);
		uint32_t bits = 0;
		if (c->raw)
			for (uint32_t b = 0; b < bytes; b++)
				bits |= (uint32_t)w.code[c->code + (uint64_t)i * bytes + b] << 8 * b;
		else
			bits = unloaded(&w, s, w.value[p.work]);
		set_bits(w.type, w.array, p.array, bits);
	});
}

static __global__ void set_exceptions(const __grid_constant__ xc_gpu_array_work w)
{
	const xc_gpu_array_chunk *c = &w.chunk[blockIdx.y];
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x;

	if (i >= c->exceptions)
		return;
	const xc_gpu_array_exception *x = &w.exceptions[c->exception + i];
	set_bits(w.type, w.array, place_of(&w, c, &w.slab[c->slab], x->at).array, x->bits);
}

/* 1: the bound is broken; see xc_array_breaks(). */
static __device__ __forceinline__ int breaks(const xc_gpu_array_work *w, uint32_t own,
                                             uint32_t decoded)
{
	if (w->error == 0 && w->share == 0)
		return own != decoded;
	const double x = (double)number_of_bits(w->type, own);
	const double y = (double)number_of_bits(w->type, decoded), d = y - x, by = fabs(d);
	if (by < w->error + w->share * fabs(x) || x == y)
		return 0;
	const double back = d + x, off = (y - back) - (x - (back - d));
	return !(by == w->error && (d < 0 ? -off : off) <= 0);
}

/* Counts values that a decoder will have wrong. */
static __global__ void check(const __grid_constant__ xc_gpu_array_work w)
{
	uint32_t found = 0;

	each(&w, [&](const xc_gpu_array_chunk *, const xc_gpu_array_slab *s, place p, uint32_t) {
		found += (uint32_t)breaks(&w, bits_of(w.type, w.array, p.array),
		                          unloaded(&w, s, w.value[p.work]));
	});
	if (found)
		atomicAdd(&w.outcome[blockIdx.y].breaks, found);
}

/* A warp lists those of a chunk, in the array's order, where its exceptions begin. */
static __global__ void list_breaks(const __grid_constant__ xc_gpu_array_work w, uint32_t *places,
                                   uint32_t *bits)
{
	const xc_gpu_array_chunk *c = &w.chunk[blockIdx.x];
	const xc_gpu_array_slab *s = &w.slab[c->slab];
	const uint32_t all = c->size[0] * c->size[1] * c->size[2], lane = threadIdx.x;
	uint32_t at = c->exception;

	for (uint32_t i = lane; i - lane < all && c->exceptions; i += 32) {
		int found = 0;
		uint32_t own = 0;
		if (i < all) {
			const place p = place_of(&w, c, s, i);
			own = bits_of(w.type, w.array, p.array);
			found = breaks(&w, own, unloaded(&w, s, w.value[p.work]));
		}
		const uint32_t mask = __ballot_sync(0xffffffffu, found);
		if (found) {
			const uint32_t to = at + (uint32_t)__popc(mask & ((1u << lane) - 1));
			places[to] = i;
			bits[to] = own;
		}
		at += (uint32_t)__popc(mask);
	}
}

/* Raw values to the ends of the rooms of chunks whose `raw` is set. */
static __global__ void keep_raw(const __grid_constant__ xc_gpu_array_work w)
{
	each(&w, [&](const xc_gpu_array_chunk *c, const xc_gpu_array_slab *, place p, uint32_t i) {
		const uint32_t bytes = xc_gpu_array_size(w.type);
		const uint32_t all = c->size[0] * c->size[1] * c->size[2];
		if (!c->raw)
			return;
		const uint32_t bits = bits_of(w.type, w.array, p.array);
		for (uint32_t b = 0; b < bytes; b++)
			w.code[c->code + c->bytes - (uint64_t)(all - i) * bytes + b] = (uint8_t)(bits >> 8 * b);
	});
}

/* Thread block (x, y) moves part x of move y. */
static __global__ void move(const uint8_t *code, uint8_t *file, const xc_gpu_array_move *moves)
{
	const xc_gpu_array_move m = moves[blockIdx.y];

	for (uint32_t i = blockIdx.x * PART + threadIdx.x; i < min(m.bytes, (blockIdx.x + 1) * PART);
	     i += THREADS)
		file[m.to + i] = code[m.from + i];
}

/* ------------------------------------------------------------------ looking */

static __device__ __forceinline__ uint32_t key_of(float v)
{
	const uint32_t bits = __float_as_uint(v);
	return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* Thread block (x, y) looks at every gridDim.x-th part of slab y. */
static __global__ void look(xc_gpu_array_type type, const void *values,
                            const xc_gpu_array_part *parts, xc_gpu_array_look *looks)
{
	__shared__ struct {
		uint32_t low, high, unusual, broken;
	} own;
	const xc_gpu_array_part p = parts[blockIdx.y];
	uint32_t low = UINT32_MAX, high = 0, unusual = 0, broken = 0;

	if (threadIdx.x == 0) {
		own.low = UINT32_MAX;
		own.high = own.unusual = own.broken = 0;
	}
	__syncthreads();

	for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < p.count;
	     i += (uint64_t)gridDim.x * THREADS) {
		const float v = number_of(type, values, p.first + i);
		if (!xc_is_finite(v)) {
			unusual++;
			continue;
		}
		low = min(low, key_of(v));
		high = max(high, key_of(v));
		broken |= !(v >= -2097152 && v <= 2097152 && v == (float)(int32_t)v &&
		            __float_as_uint(v) != 0x80000000u);
	}
	atomicMin(&own.low, low);
	atomicMax(&own.high, high);
	if (unusual)
		atomicAdd(&own.unusual, unusual);
	if (broken)
		atomicOr(&own.broken, 1u);
	__syncthreads();
	if (threadIdx.x == 0) {
		xc_gpu_array_look *l = &looks[blockIdx.y];
		atomicMin(&l->low, own.low);
		atomicMax(&l->high, own.high);
		atomicAdd(&l->unusual, own.unusual);
		atomicOr(&l->broken, own.broken);
	}
}

/* Samples of slab x. */
static __global__ void sample(xc_gpu_array_type type, const void *values,
                              const xc_gpu_array_part *parts, xc_gpu_array_look *looks)
{
	const xc_gpu_array_part p = parts[blockIdx.x];

	if (p.count < 2 * XC_GPU_ARRAY_SAMPLES)
		return;
	for (uint32_t i = threadIdx.x; i < XC_GPU_ARRAY_SAMPLES; i += THREADS) {
		const uint64_t at = p.count * i / XC_GPU_ARRAY_SAMPLES;
		looks[blockIdx.x].sample[i] = bits_of(type, values, p.first + at);
		looks[blockIdx.x].next[i] = at + 1 < p.count ? bits_of(type, values, p.first + at + 1) : 0;
	}
}

/* Where each value of 8 or 16 bits is first seen in its slab. */
static __global__ void see(xc_gpu_array_type type, const void *values,
                           const xc_gpu_array_part *parts, uint32_t *seen)
{
	const xc_gpu_array_part p = parts[blockIdx.y];
	uint32_t *own = seen + (size_t)blockIdx.y * 65536;

	for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < p.count;
	     i += (uint64_t)gridDim.x * THREADS) {
		uint32_t *at = &own[bits_of(type, values, p.first + i)];
		if (*(volatile uint32_t *)at > (uint32_t)i)
			atomicMin(at, (uint32_t)i);
	}
}

/* Whether floats of slab x have so many distinct values that xc_ranks_find() gives up. seen: the
 * values so far, by open addresses. */
enum { MANY_THREADS = 1024, RANKS = 1 << 14 /* XC_RANKS */ };
static __global__ void __launch_bounds__(MANY_THREADS)
	see_many(const uint32_t *values, const xc_gpu_array_part *parts, uint32_t *seen, uint32_t *many)
{
	__shared__ uint32_t n;
	const xc_gpu_array_part p = parts[blockIdx.x];
	uint32_t *own = seen + (size_t)blockIdx.x * 65536;

	if (threadIdx.x == 0)
		n = 0;
	__syncthreads();
	for (uint64_t from = 0; from < p.count; from += MANY_THREADS) {
		if (from + threadIdx.x < p.count) {
			const uint32_t bits = values[p.first + from + threadIdx.x];
			uint32_t at = bits * 2654435761u >> 16, old = own[at];
			while (old != bits) {
				old = atomicCAS(&own[at], UINT32_MAX, bits);
				if (old == UINT32_MAX)
					atomicAdd(&n, 1u);
				if (old == UINT32_MAX || old == bits)
					break;
				at = (at + 1) & 65535;
				old = own[at];
			}
		}
		__syncthreads();
		/* The last of n was new after n - 1 others, and before this place. */
		const int enough = n > RANKS || n > 2049 + (from + MANY_THREADS) / 8;
		__syncthreads();
		if (enough) {
			if (threadIdx.x == 0)
				many[blockIdx.x] = 1;
			return;
		}
	}
}

/* ------------------------------------------------------------- the functions */

static dim3 parts_of(const xc_gpu_array_work *w)
{
	return dim3((w->max_values + PART - 1) / PART, w->chunks);
}

static xc_status look_at(xc_gpu *gpu, xc_gpu_array_type type, const void *values,
                         const xc_gpu_array_part *parts, uint32_t count, xc_gpu_array_look *looks,
                         void *stream, xc_gpu_error *e)
{
	const cudaStream_t on = xc_gpu_stream(gpu, stream);
	xc_status s = xc_gpu_enter(gpu, e);

	if (!s)
		s = xc_gpu_launch_with("that looks at values", NULL, look, dim3(64, count), THREADS, 0, on,
		                       e, type, values, parts, looks);
	return s ? s
	         : xc_gpu_launch_with("that samples values", NULL, sample, dim3(count), THREADS, 0, on,
	                              e, type, values, parts, looks);
}

static xc_status see_values(xc_gpu *gpu, xc_gpu_array_type type, const void *values,
                            const xc_gpu_array_part *parts, uint32_t count, uint32_t *seen,
                            uint32_t *many, void *stream, xc_gpu_error *e)
{
	const cudaStream_t on = xc_gpu_stream(gpu, stream);
	const size_t bytes = (size_t)count * 65536 * sizeof *seen;
	xc_status s = xc_gpu_enter(gpu, e);

	if (!s)
		s = xc_gpu_check(e, cudaMemsetAsync(seen, 0xff, bytes, on), "clear memory");
	if (!s)
		s = xc_gpu_check(e, cudaMemsetAsync(many, 0, count * sizeof *many, on), "clear memory");
	if (s || type != XC_GPU_FLOAT32)
		return s ? s
		         : xc_gpu_launch_with("that sees integers", NULL, see, dim3(64, count), THREADS, 0,
		                              on, e, type, values, parts, seen);
	return xc_gpu_launch_with("that sees numbers", NULL, see_many, dim3(count), MANY_THREADS, 0, on,
	                          e, (const uint32_t *)values, parts, seen, many);
}

static xc_status predict(xc_gpu *gpu, const xc_gpu_array_work *work, void *stream, xc_gpu_error *e)
{
	const cudaStream_t on = xc_gpu_stream(gpu, stream);
	const size_t counts = (size_t)work->slabs * XC_GPU_ARRAY_SHAPES * XC_GPU_ARRAY_SYMBOLS;
	xc_status s = xc_gpu_enter(gpu, e);

	if (!s)
		s = xc_gpu_check(e, cudaMemsetAsync(work->counts, 0, counts * sizeof *work->counts, on),
		                 "clear");
	if (!s)
		s = xc_gpu_check(e,
		                 cudaMemsetAsync(work->outcome, 0, work->chunks * sizeof *work->outcome,
		                                 on),
		                 "clear");
	if (!s)
		s = xc_gpu_launch_with("that loads values", NULL, load, parts_of(work), THREADS, 0, on, e,
		                       *work);
	if (!s)
		s = xc_gpu_array_walk(work, 0, on, e);
	if (!s)
		s = xc_gpu_array_count(work, on, e);
	if (!s)
		s = xc_gpu_launch_with("that checks values", NULL, check, parts_of(work), THREADS, 0, on, e,
		                       *work);
	return s;
}

static xc_status list(xc_gpu *gpu, const xc_gpu_array_work *work, uint32_t *places, uint32_t *bits,
                      void *stream, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_enter(gpu, e);

	return s ? s
	         : xc_gpu_launch_with("that lists exceptions", NULL, list_breaks, dim3(work->chunks),
	                              32, 0, xc_gpu_stream(gpu, stream), e, *work, places, bits);
}

static xc_status code(xc_gpu *gpu, const xc_gpu_array_work *work, void *stream, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_enter(gpu, e);

	return s ? s : xc_gpu_array_code(work, xc_gpu_stream(gpu, stream), e);
}

static xc_status pack(xc_gpu *gpu, const xc_gpu_array_work *work, int raw,
                      const xc_gpu_array_move *moves, uint32_t max_bytes, void *file, void *stream,
                      xc_gpu_error *e)
{
	const cudaStream_t on = xc_gpu_stream(gpu, stream);
	xc_status s = xc_gpu_enter(gpu, e);

	if (!s && raw)
		s = xc_gpu_launch_with("that keeps values", NULL, keep_raw, parts_of(work), THREADS, 0, on,
		                       e, *work);
	if (!s && max_bytes)
		s = xc_gpu_launch_with("that moves bytes", NULL, move,
		                       dim3((max_bytes + PART - 1) / PART, work->chunks), THREADS, 0, on, e,
		                       (const uint8_t *)work->code, (uint8_t *)file, moves);
	return s;
}

static xc_status decode(xc_gpu *gpu, const xc_gpu_array_work *work, uint32_t max_exceptions,
                        void *stream, xc_gpu_error *e)
{
	const cudaStream_t on = xc_gpu_stream(gpu, stream);
	xc_status s = xc_gpu_enter(gpu, e);

	if (!s)
		s = xc_gpu_check(e,
		                 cudaMemsetAsync(work->outcome, 0, work->chunks * sizeof *work->outcome,
		                                 on),
		                 "clear");
	if (!s)
		s = xc_gpu_array_walk(work, 1, on, e);
	if (!s)
		s = xc_gpu_launch_with("that stores values", NULL, unload, parts_of(work), THREADS, 0, on,
		                       e, *work);
	if (!s && max_exceptions)
		s = xc_gpu_launch_with("that stores exceptions", NULL, set_exceptions,
		                       dim3((max_exceptions + THREADS - 1) / THREADS, work->chunks),
		                       THREADS, 0, on, e, *work);
	return s;
}

extern const xc_gpu_array_ops xc_gpu_array_table;
const xc_gpu_array_ops xc_gpu_array_table = {look_at, see_values, predict, list, code, pack, decode};
