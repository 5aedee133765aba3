/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels and their launches, and what they do to a batch.  Part of bench/tools/gpu_rans. */
#ifndef XC_BENCH_GPU_RANS_RUN_H
#define XC_BENCH_GPU_RANS_RUN_H

#include <algorithm>
#include <stdio.h>
#include <vector>

#include "bench/tools/gpu_rans_symbols.h"
#include "bench/tools/gpu_rans_values.h"

/* Copies of a picture. */
typedef struct batch {
	std::vector<uint8_t> data;
	std::vector<segment> segments;
	const std::vector<int16_t> *picture; /* the CPU's coefficients of one copy */
	size_t blocks, picture_bytes;
	uint64_t symbols;
	double pixels;
	xc_value_points points[2];
	constants model;
	rows tables;
} batch;

static int compare(const batch *b, const std::vector<int16_t> &coefficients)
{
	const std::vector<int16_t> &want = *b->picture;
	for (size_t i = 0; i < coefficients.size(); i++)
		if (coefficients[i] != want[i % want.size()]) {
			const size_t block = i % want.size() / 64;
			printf("coefficient %zu of block %zu of copy %zu is %d, not %d\n", i % 64, block,
			       i / want.size(), coefficients[i], want[i % want.size()]);
			return 1;
		}
	printf("  all %zu coefficients are the CPU's\n", coefficients.size());
	return 0;
}

#ifdef __CUDACC__

/* ----------------------------------------------------------------------- kernels */

__global__ void decode_symbols(job j)
{
	extern __shared__ four memory[];
	rows *tables = (rows *)memory;
	const uint32_t warps = blockDim.x / WARP;
	const four *from = (const four *)j.tables;
	for (uint32_t i = threadIdx.x; i < sizeof(rows) / sizeof(four); i += blockDim.x)
		memory[i] = from[i];
	__syncthreads();
	warp_memory *m = (warp_memory *)(tables + 1) + threadIdx.x / WARP;
	team t;
	begin_lane(t.l, threadIdx.x % WARP, m, j, blockIdx.x * warps + threadIdx.x / WARP);
	code_warp(t, m, j, tables);
}

/* The sum of the numbers of all threads before this one; *total: of all of them. */
DEVICE uint32_t sum_before(uint32_t n, uint32_t *of_warps, uint32_t *total)
{
	const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	uint32_t sum = n;
	for (int i = 1; i < WARP; i *= 2) {
		const uint32_t other = __shfl_up_sync(~0u, sum, i);
		sum += lane >= (uint32_t)i ? other : 0;
	}
	__syncthreads();
	if (lane == WARP - 1)
		of_warps[warp] = sum;
	__syncthreads();
	uint32_t before = 0;
	*total = 0;
	for (uint32_t i = 0; i < ALL_BLOCKS / WARP; i++) {
		before += i < warp ? of_warps[i] : 0;
		*total += of_warps[i];
	}
	return before + sum - n;
}

/* Class bits of escapes are known once all bits before them are: one block after another. */
DEVICE void add_escapes(const block &b, const raw &r, int16_t *own, uint32_t *at, uint32_t *end)
{
	__shared__ uint32_t next, more;
	bool waiting = b.escapes > 0;
	while (__syncthreads_or(waiting)) {
		if (threadIdx.x == 0)
			next = ALL_BLOCKS;
		__syncthreads();
		if (waiting)
			atomicMin(&next, threadIdx.x);
		__syncthreads();
		if (next == threadIdx.x) {
			more = escaped_bits(b, r, *at, own);
			waiting = false;
		}
		__syncthreads();
		*at += threadIdx.x > next ? more : 0;
		*end += more;
	}
}

__global__ void __launch_bounds__(ALL_BLOCKS) decode_values(job j)
{
	__shared__ uint32_t memory[ALL_BLOCKS * ROW_WORDS], of_warps[ALL_BLOCKS / WARP];
	const segment s = j.segments[blockIdx.x];
	const raw r = raw_of(j, blockIdx.x);
	uint32_t begin = 0;
	for (uint32_t first = 0; first < s.blocks; first += ALL_BLOCKS) {
		const uint32_t i = first + threadIdx.x, n = min(s.blocks - first, (uint32_t)ALL_BLOCKS);
		int16_t *own = (int16_t *)(memory + threadIdx.x * ROW_WORDS);
		block b = {};
		for (int k = 0; k < 32; k++)
			memory[threadIdx.x * ROW_WORDS + k] = 0;
		__syncthreads(); /* symbols are of another type */
		if (i < s.blocks)
			load_block(b, j, s.block + i, own);
		uint32_t total, at = begin + sum_before(b.bits, of_warps, &total);
		uint32_t end = begin + total;
		add_escapes(b, r, own, &at, &end);
		begin = end;
		finish_block(b, r, at, j.points[i >= s.luma], own);
		__syncthreads();
		uint32_t *to = (uint32_t *)(j.coefficients + (size_t)(s.block + first) * 64);
		for (uint32_t k = threadIdx.x; k < n * 32; k += ALL_BLOCKS)
			to[k] = memory[k / 32 * ROW_WORDS + k % 32];
		__syncthreads();
	}
}

/* A warp restores the DC of a component, a lane each row, each a column later than the one above. */
__global__ void __launch_bounds__(3 * WARP) decode_dc(job j)
{
	extern __shared__ int16_t restored[];
	const segment s = j.segments[blockIdx.x];
	int16_t *to = j.coefficients + (size_t)s.block * 64;
	for (uint32_t i = threadIdx.x; i < s.blocks; i += blockDim.x)
		restored[i] = to[(size_t)i * 64];
	__syncthreads();
	const uint32_t component = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const uint32_t wide = s.wide[component > 0], high = s.high[component > 0];
	int16_t *dc = restored + (component ? s.luma + (component - 1) * wide * high : 0);
	for (uint32_t first = 0; first < high; first += WARP)
		for (uint32_t step = 0; step < wide + WARP - 1; step++) {
			if (first + lane < high && step - lane < wide)
				restore_dc(dc, wide, first + lane, step - lane);
			__syncwarp();
		}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < s.blocks; i += blockDim.x)
		to[(size_t)i * 64] = restored[i];
}

/* ---------------------------------------------------------------------- launches */

#define TRY(call) \
	do { \
		const cudaError_t e_ = (call); \
		if (e_ != cudaSuccess) { \
			fprintf(stderr, "gpu_rans: %s: %s\n", #call, cudaGetErrorString(e_)); \
			return 1; \
		} \
	} while (0)

template <class T> static cudaError_t upload(T **to, const T *from, size_t n)
{
	void *p = NULL;
	cudaError_t e = cudaMalloc(&p, n * sizeof(T));
	if (!e && from)
		e = cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice);
	*to = (T *)p;
	return e;
}

static int describe(const char *name, const void *kernel, int threads, size_t dynamic)
{
	cudaFuncAttributes a;
	int blocks = 0;
	TRY(cudaFuncGetAttributes(&a, kernel));
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic));
	printf("  %-14s %3d registers, %zu bytes of local memory, %zu of shared a block of %d threads, "
	       "%d blocks = %d warps a multiprocessor\n",
	       name, a.numRegs, a.localSizeBytes, a.sharedSizeBytes + dynamic, threads, blocks,
	       blocks * threads / WARP);
	return 0;
}

static void report(const char *name, std::vector<float> &ms, const batch *b)
{
	std::sort(ms.begin(), ms.end());
	const double us = 1e3 * ms[ms.size() / 2];
	printf("  %-14s %9.1f us (least %.1f) %8.2f Gsymbol/s %8.1f Gpixel/s\n", name, us, 1e3 * ms[0],
	       (double)b->symbols / us / 1e3, b->pixels / us / 1e3);
}

static int run_batch(const batch *b, int runs, int warps, int a_warp)
{
	int devices = 0;
	if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices) {
		printf("no GPU\n");
		return 77;
	}
	job j = {};
	uint8_t *data;
	segment *segments;
	rows *tables;
	const size_t count = b->segments.size();
	TRY(cudaMemcpyToSymbol(model, &b->model, sizeof b->model));
	TRY(upload(&data, b->data.data(), b->data.size()));
	TRY(upload(&segments, b->segments.data(), count));
	TRY(upload(&tables, &b->tables, 1));
	TRY(upload(&j.symbols, (const uint32_t *)NULL, b->blocks * 8));
	TRY(upload(&j.carried, (const uint16_t *)NULL, count * LANES));
	TRY(upload(&j.end, (const uint32_t *)NULL, count));
	TRY(upload(&j.coefficients, (const int16_t *)NULL, b->blocks * 64));
	j.data = data;
	j.segments = segments;
	j.tables = tables;
	j.count = (uint32_t)count;
	j.a_warp = (uint32_t)a_warp;
	memcpy(j.points, b->points, sizeof j.points);
	uint32_t most = 0;
	for (const segment &s : b->segments)
		most = std::max(most, s.blocks);
	const size_t dynamic = sizeof(rows) + (size_t)warps * sizeof(warp_memory);
	const size_t dcs = ((size_t)most * 2 + 15) / 16 * 16;
	const unsigned per_block = (unsigned)(warps * a_warp);
	const unsigned grid = ((unsigned)count + per_block - 1) / per_block;
	const int dc_threads = b->segments[0].wide[1] ? 3 * WARP : WARP;
	TRY(cudaFuncSetAttribute(decode_symbols, cudaFuncAttributeMaxDynamicSharedMemorySize,
	                         (int)dynamic));
	TRY(cudaFuncSetAttribute(decode_symbols, cudaFuncAttributePreferredSharedMemoryCarveout,
	                         cudaSharedmemCarveoutMaxShared));
	if (describe("symbols", (const void *)decode_symbols, warps * WARP, dynamic) ||
	    describe("values", (const void *)decode_values, ALL_BLOCKS, 0) ||
	    describe("DC", (const void *)decode_dc, dc_threads, dcs))
		return 1;
	cudaEvent_t event[4];
	for (cudaEvent_t &e : event)
		TRY(cudaEventCreate(&e));
	std::vector<float> ms[4];
	TRY(cudaMemset(j.coefficients, 0x55, b->blocks * 128));
	TRY(cudaMemset(j.symbols, 0x55, b->blocks * 32));
	for (int run = -2; run < runs; run++) {
		TRY(cudaEventRecord(event[0]));
		decode_symbols<<<grid, (unsigned)warps * WARP, dynamic>>>(j);
		TRY(cudaEventRecord(event[1]));
		decode_values<<<(unsigned)count, ALL_BLOCKS>>>(j);
		TRY(cudaEventRecord(event[2]));
		decode_dc<<<(unsigned)count, (unsigned)dc_threads, dcs>>>(j);
		TRY(cudaEventRecord(event[3]));
		TRY(cudaGetLastError());
		TRY(cudaEventSynchronize(event[3]));
		for (int i = 0; i < 4 && run >= 0; i++) {
			float t;
			TRY(cudaEventElapsedTime(&t, event[i % 3], event[i < 3 ? i + 1 : 3]));
			ms[i].push_back(t);
		}
	}
	static const char *const names[] = {"symbols", "values", "DC", "all"};
	for (int i = 0; i < 4; i++)
		report(names[i], ms[i], b);
	std::vector<int16_t> coefficients(b->blocks * 64);
	TRY(cudaMemcpy(coefficients.data(), j.coefficients, b->blocks * 128, cudaMemcpyDeviceToHost));
	cudaFree(data), cudaFree(segments), cudaFree(tables), cudaFree(j.symbols);
	cudaFree(j.carried), cudaFree(j.end), cudaFree(j.coefficients);
	return compare(b, coefficients);
}

#else

/* The same on a CPU, one thread after another. */
static void decode_values(const job &j, uint32_t number)
{
	const segment &s = j.segments[number];
	const raw r = raw_of(j, number);
	uint32_t at = 0;
	for (uint32_t i = 0; i < s.blocks; i++) {
		block b = {};
		int16_t *c = j.coefficients + (size_t)(s.block + i) * 64;
		memset(c, 0, 128);
		load_block(b, j, s.block + i, c);
		const uint32_t more = escaped_bits(b, r, at, c);
		finish_block(b, r, at, j.points[i >= s.luma], c);
		at += b.bits + more;
	}
	std::vector<int16_t> dc(s.blocks);
	int16_t *c = j.coefficients + (size_t)s.block * 64;
	for (uint32_t i = 0; i < s.blocks; i++)
		dc[i] = c[(size_t)i * 64];
	for (uint32_t first = 0, k = 0; first < s.blocks; k++) {
		const uint32_t wide = s.wide[k > 0], high = s.high[k > 0];
		for (uint32_t i = 0; i < wide * high; i++)
			restore_dc(&dc[first], wide, i / wide, i % wide);
		first += wide * high;
	}
	for (uint32_t i = 0; i < s.blocks; i++)
		c[(size_t)i * 64] = dc[i];
}

static int run_batch(const batch *b, int, int, int a_warp)
{
	const uint32_t count = (uint32_t)b->segments.size();
	std::vector<uint32_t> symbols(b->blocks * 8, 0x55555555), end(count);
	std::vector<uint16_t> carried((size_t)count * LANES);
	std::vector<int16_t> coefficients(b->blocks * 64);
	model = b->model;
	job j = {};
	j.data = b->data.data();
	j.segments = b->segments.data();
	j.tables = &b->tables;
	/* Vectors of words are aligned to 16 on all systems of 64 bits. */
	j.symbols = symbols.data();
	j.carried = carried.data();
	j.end = end.data();
	j.coefficients = coefficients.data();
	j.count = count;
	j.a_warp = (uint32_t)a_warp;
	memcpy(j.points, b->points, sizeof j.points);
	for (uint32_t warp = 0; warp * j.a_warp < count; warp++) {
		static warp_memory m;
		static team t;
		for (uint32_t i = 0; i < WARP; i++)
			begin_lane(t.of[i], i, &m, j, warp);
		code_warp(t, &m, j, j.tables);
	}
	for (uint32_t s = 0; s < count; s++)
		decode_values(j, s);
	return compare(b, coefficients);
}

#endif

#endif
