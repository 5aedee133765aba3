/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks to residues, and coded bytes to chunks: a warp takes a chunk by the way of
 * gpu/array/walk.h. Residues: values in the work become what a decoder will have. Time goes to
 * loads of points and, between rows, to their latency: 8 warps a multiprocessor hide it badly.
 */
#include "array/code.h"
#include "array/slab.h"
#include "gpu/array/kernels.h"
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

static __device__ __forceinline__ uint32_t residue(int mode, float x, float p, float step,
                                                   float inverse)
{
	return mode == XC_MODE_KEYS ? xc_residue_of_key(x, p, (int32_t)step)
	                            : xc_residue_of(x, p, inverse);
}

static __device__ __forceinline__ float limited(const xc_gpu_array_slab *s, float p)
{
	return s->mode == XC_MODE_WHOLE ? xc_limited(p, s->low, s->high) : xc_is_finite(p) ? p : 0;
}

/* A chunk under way. */
typedef struct chunk {
	const xc_gpu_array_slab *slab;
	float *value, *magnitude;
	uint32_t size[3]; /* in the model's order */
	uint32_t *residue;
	uint8_t *level;
	uint32_t at; /* in these */
	uint32_t any;
	reader in;
	const xc_gpu_array_tables *tables;
} chunk;

/* Up to 32 values, a lane each, at places in the chunk whose predictions are p. */
template <int DECODE>
static __device__ __forceinline__ void values(chunk *k, int set, uint32_t n, int place, float p,
                                              uint32_t level, float step, float inverse, int lane)
{
	const int active = (uint32_t)lane < n, mode = k->slab->mode;
	uint32_t z = 0;

	if (DECODE) {
		if (k->tables)
			z = take_row(&k->in, k->tables->bucket + set * XC_LEVELS,
			             active ? level : (uint32_t)XC_LEVEL_IDLE, (uint32_t)lane);
	} else if (active) {
		z = residue(mode, k->value[place], p, step, inverse);
		k->residue[k->at + (uint32_t)lane] = z;
		k->level[k->at + (uint32_t)lane] = (uint8_t)level;
		k->any |= z;
	}
	k->at += n;
	if (active) {
		k->value[place] = rebuild(mode, p, z, step);
		k->magnitude[place] = xc_magnitude(xc_unfold(z));
	}
}

template <int DECODE> static __device__ void anchors(chunk *k, int lane)
{
	const xc_gpu_array_slab *s = k->slab;
	const uint32_t *n = k->size, *top = s->top;
	float before = 0;

	for (uint32_t a = 0; a < n[0]; a += top[0])
		for (uint32_t b = 0; b < n[1]; b += top[1])
			for (uint32_t c = 0; c < n[2]; c += top[2]) {
				const int place = (int)((a * n[1] + b) * n[2] + c);
				values<DECODE>(k, XC_ARRAY_SETS - 1, 1, place, limited(s, before), s->anchor_level,
				               s->anchor_step, s->anchor_inverse, lane);
				if (lane == 0) {
					k->magnitude[place] = 0;
					before = k->value[place];
				}
			}
}

template <int DECODE> static __device__ void passes(chunk *k, xc_gpu_row rows[XC_ROWS], int lane)
{
	for (int i = 0; i < k->slab->passes; i++) {
		const xc_gpu_array_pass *pass = &k->slab->pass[i];
		xc_gpu_walk w;
		w.value = k->value;
		w.magnitude = k->magnitude;
		if (!xc_gpu_walk_begin(&w, pass, k->size))
			continue;
		const int n = w.fresh[2], set = pass->set;
		const float step = pass->step, inverse = pass->inverse;
		for (int a = 0; a < w.fresh[0]; a++)
			for (int b = 0; b < w.fresh[1]; b++) {
				const int first = a * w.apart[0] + b * w.apart[1] + w.off;
				xc_gpu_find_rows(&w, a, b, rows, lane);
				for (int c = 0; c < n; c += 32) {
					const int at = min(c + lane, n - 1);
					const float p = limited(k->slab, xc_gpu_predict(&w, rows, at));
					const uint32_t level = xc_gpu_level(&w, rows, at, p);
					values<DECODE>(k, set, (uint32_t)min(32, n - c), first + at * w.stride, p,
					               level, step, inverse, lane);
				}
			}
	}
}

template <int DECODE>
static __global__ void __launch_bounds__(32 * WARPS)
	walk_chunks(const __grid_constant__ xc_gpu_array_work work)
{
	__shared__ xc_gpu_row rows[WARPS][XC_ROWS];
	const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x & 31;
	const uint32_t index = blockIdx.x * WARPS + warp;

	if (index >= work.chunks)
		return;
	const xc_gpu_array_chunk *c = &work.chunk[index];
	const xc_gpu_array_slab *s = &work.slab[c->slab];
	chunk k = {};
	k.slab = s;
	k.value = work.value + c->at;
	k.magnitude = work.magnitude + c->at;
	for (int i = 0; i < 3; i++)
		k.size[i] = c->size[s->axis[i]];
	if (DECODE) {
		if (c->raw)
			return;
		if (c->lanes) {
			k.tables = &work.tables[c->slab];
			read_begin(&k.in, work.code + c->code, c->bytes, c->lanes, lane);
		}
	} else {
		k.residue = work.residue + c->at;
		k.level = work.level + c->at;
	}
	anchors<DECODE>(&k, (int)lane);
	passes<DECODE>(&k, rows[warp], (int)lane);
	if (DECODE) {
		const int bad = c->lanes &&
		                (k.in.bad || k.in.state != XC_STATE_MIN || k.in.next != k.in.end);
		if (__any_sync(0xffffffffu, bad) && lane == 0)
			work.outcome[index].damaged = 1;
	} else {
		const int any = __any_sync(0xffffffffu, k.any != 0);
		if (lane == 0)
			work.outcome[index].lanes = any ? 32 : 0;
	}
}

xc_status xc_gpu_array_walk(const xc_gpu_array_work *work, int decode, cudaStream_t stream,
                            xc_gpu_error *e)
{
	const uint32_t blocks = (work->chunks + WARPS - 1) / WARPS;

	return decode ? xc_gpu_launch_with("that decodes chunks", NULL, walk_chunks<1>, dim3(blocks),
	                                   32 * WARPS, 0, stream, e, *work)
	              : xc_gpu_launch_with("that predicts chunks", NULL, walk_chunks<0>, dim3(blocks),
	                                   32 * WARPS, 0, stream, e, *work);
}
