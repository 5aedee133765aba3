/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of arrays between their array and the work of gpu/array/, what they are like, and the
 * functions that src/cuda/arrays.c calls. A thread block takes part of a chunk or slab; time goes to
 * memory.
 */
#include "gpu/array/kernels.h"
#include "gpu/array/values.h"
#include "array/real.h"
#include "gpu/runtime/gpu.h"

enum { THREADS = 256, PART = 8192, ROWS = 64 /* bytes and rows of a thread block */ };

/* ------------------------------------------------------------------- values */

/* Where row (z, y) of a chunk, in the array's order, begins in the array and in the work, and how far
 * its values are apart in the work. */
typedef struct row {
	uint64_t array, work;
	uint32_t apart;
} row;

static __device__ __forceinline__ row row_of(const xc_gpu_array_work *w,
                                             const xc_gpu_array_chunk *c,
                                             const xc_gpu_array_slab *s, uint32_t z, uint32_t y)
{
	uint32_t stride[3];
	row r;

	stride[s->axis[2]] = 1;
	stride[s->axis[1]] = c->size[s->axis[2]];
	stride[s->axis[0]] = c->size[s->axis[1]] * c->size[s->axis[2]];
	r.array = c->first + z * w->stride[0] + y * w->stride[1];
	r.work = c->at + z * stride[0] + y * stride[1];
	r.apart = stride[2];
	return r;
}

/* A warp a row: f(chunk, slab, row, its first value's number in the chunk, x). */
template <typename F>
static __device__ __forceinline__ void each(const xc_gpu_array_work *w, const F &f)
{
	const xc_gpu_array_chunk *c = &w->chunk[blockIdx.y];
	const xc_gpu_array_slab *s = &w->slab[c->slab];
	const uint32_t rows = c->size[0] * c->size[1];

	for (uint32_t i = blockIdx.x * ROWS + threadIdx.x / 32; i < min(rows, (blockIdx.x + 1) * ROWS);
	     i += THREADS / 32) {
		const row r = row_of(w, c, s, i / c->size[1], i % c->size[1]);
		for (uint32_t x = threadIdx.x % 32; x < c->size[2]; x += 32)
			f(c, s, r, i * c->size[2], x);
	}
}

/* Numbers that are coded to values of the array; chunks of raw bytes too. */
static __global__ void unload(const __grid_constant__ xc_gpu_array_work w)
{
	each(&w, [&](const xc_gpu_array_chunk *c, const xc_gpu_array_slab *s, row r, uint32_t first,
	             uint32_t x) {
		const uint32_t bytes = xc_gpu_array_size(w.type);
		uint32_t bits = 0;
		if (c->raw)
			for (uint32_t b = 0; b < bytes; b++)
				bits |= (uint32_t)w.code[c->code + (uint64_t)(first + x) * bytes + b] << 8 * b;
		else
			bits = xc_gpu_unloaded(&w, s, w.value[r.work + (uint64_t)x * r.apart]);
		xc_gpu_set_bits(w.type, w.array, r.array + x, bits);
	});
}

static __global__ void set_exceptions(const __grid_constant__ xc_gpu_array_work w)
{
	const xc_gpu_array_chunk *c = &w.chunk[blockIdx.y];
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x;

	if (i >= c->exceptions)
		return;
	const xc_gpu_array_exception *x = &w.exceptions[c->exception + i];
	const uint32_t y = x->at / c->size[2];
	const row r = row_of(&w, c, &w.slab[c->slab], y / c->size[1], y % c->size[1]);
	xc_gpu_set_bits(w.type, w.array, r.array + x->at % c->size[2], x->bits);
}

/* A warp lists values of a chunk that break the bound, in the array's order, where its exceptions begin. */
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
			const uint32_t y = i / c->size[2], x = i % c->size[2];
			const row r = row_of(&w, c, s, y / c->size[1], y % c->size[1]);
			own = xc_gpu_array_bits(w.type, w.array, r.array + x);
			found = xc_gpu_breaks(&w, own,
			                      xc_gpu_unloaded(&w, s, w.value[r.work + (uint64_t)x * r.apart]));
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
	each(&w, [&](const xc_gpu_array_chunk *c, const xc_gpu_array_slab *, row r, uint32_t first,
	             uint32_t x) {
		const uint32_t bytes = xc_gpu_array_size(w.type);
		const uint32_t left = c->size[0] * c->size[1] * c->size[2] - first - x;
		if (!c->raw)
			return;
		const uint32_t bits = xc_gpu_array_bits(w.type, w.array, r.array + x);
		for (uint32_t b = 0; b < bytes; b++)
			w.code[c->code + c->bytes - (uint64_t)left * bytes + b] = (uint8_t)(bits >> 8 * b);
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
		const float v = xc_gpu_number(type, values, p.first + i);
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
		looks[blockIdx.x].sample[i] = xc_gpu_array_bits(type, values, p.first + at);
		looks[blockIdx.x].next[i] = at + 1 < p.count
		                                ? xc_gpu_array_bits(type, values, p.first + at + 1)
		                                : 0;
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
		uint32_t *at = &own[xc_gpu_array_bits(type, values, p.first + i)];
		if (*(volatile uint32_t *)at > (uint32_t)i)
			atomicMin(at, (uint32_t)i);
	}
}

/* Sets many[x] if floats of slab x have more distinct values than xc_ranks_find() takes. seen: the
 * values so far, by open addresses. */
enum { MANY_THREADS = 1024 };
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
		const int enough = n > XC_GPU_ARRAY_RANKS;
		__syncthreads();
		if (enough) {
			if (threadIdx.x == 0)
				many[blockIdx.x] = 1;
			return;
		}
	}
}

/* ------------------------------------------------------------- the functions */

static xc_status clear(void *memory, size_t bytes, cudaStream_t on, xc_gpu_error *e)
{
	return xc_gpu_check(e, cudaMemsetAsync(memory, 0, bytes, on), "clear memory");
}

static dim3 parts_of(const xc_gpu_array_work *w)
{
	return dim3((w->max_rows + ROWS - 1) / ROWS, w->chunks);
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
		s = clear(many, count * sizeof *many, on, e);
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
		s = clear(work->counts, counts * sizeof *work->counts, on, e);
	if (!s)
		s = clear(work->outcome, work->chunks * sizeof *work->outcome, on, e);
	if (!s)
		s = xc_gpu_array_run_passes(work, 0, on, e);
	if (!s)
		s = xc_gpu_array_count(work, on, e);
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
		s = clear(work->outcome, work->chunks * sizeof *work->outcome, on, e);
	if (!s)
		s = xc_gpu_array_run_passes(work, 1, on, e);
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
const xc_gpu_array_ops xc_gpu_array_table = {look_at, see_values, predict, list,
                                             code,    pack,       decode};
