/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges of segments of about equal work, for the launches of Huffman codes and rANS: plain host arithmetic. Each thread
 * block gets a range, across pictures. */
#ifndef XC_GPU_DECODE_RANGES_H
#define XC_GPU_DECODE_RANGES_H

#include "gpu/decode/job.h"

/* The work of a segment is its bytes plus a constant. With rANS the number of steps hardly depends
 * on the bytes, so the constant dominates. */
enum { XC_GPU_SEGMENT_COST = 1024, XC_GPU_RANS_COST = 81920, XC_GPU_MAX_RANGES = 256 };

/* Range i: segments first[i] to first[i + 1] - 1 of all pictures; job[i]: the picture of the first.
 * */
typedef struct xc_gpu_ranges {
	uint32_t first[XC_GPU_MAX_RANGES + 1], job[XC_GPU_MAX_RANGES];
} xc_gpu_ranges;

/* The work before segment i of a picture. */
static inline uint64_t xc_gpu_work_before(const xc_gpu_decode_job *p,
                                          const xc_gpu_segment *segments, uint32_t i, uint32_t cost)
{
	const uint64_t start = i < p->segments ? segments[p->first_segment + i].start : p->bytes;
	return (start < p->bytes ? start : p->bytes) + (uint64_t)i * cost;
}

/* The first segment of a picture, from segment `from` on, that has at least `work` before it. */
static inline uint32_t xc_gpu_segment_after(const xc_gpu_decode_job *p,
                                            const xc_gpu_segment *segments, uint32_t from,
                                            uint64_t work, uint32_t cost)
{
	uint32_t low = from, step = 4;

	while (step < p->segments - low && xc_gpu_work_before(p, segments, low + step, cost) < work) {
		low += step;
		step *= 2;
	}
	uint32_t high = step < p->segments - low ? low + step : p->segments;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (xc_gpu_work_before(p, segments, middle, cost) < work)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Cuts the segments of `count` successive pictures, at least one, into n ranges; a range may be
 * empty. Returns the number of segments in the longest range. */
static inline uint32_t xc_gpu_ranges_make(xc_gpu_ranges *r, uint32_t n,
                                          const xc_gpu_decode_job *jobs, uint32_t count,
                                          const xc_gpu_segment *segments, uint32_t cost)
{
	uint64_t all = 0, before = 0;
	uint32_t longest = 0, k = 0, from = 0;

	for (uint32_t i = 0; i < count; i++)
		all += xc_gpu_work_before(&jobs[i], segments, jobs[i].segments, cost);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t target = all / n * i;
		uint64_t here;
		while (k + 1 < count &&
		       before + (here = xc_gpu_work_before(&jobs[k], segments, jobs[k].segments, cost)) <=
		           target) {
			before += here;
			k++;
			from = 0;
		}
		from = xc_gpu_segment_after(&jobs[k], segments, from, target - before, cost);
		r->job[i] = k;
		r->first[i] = jobs[k].first_segment + from;
		if (i && longest < r->first[i] - r->first[i - 1])
			longest = r->first[i] - r->first[i - 1];
	}
	r->first[n] = jobs[count - 1].first_segment + jobs[count - 1].segments;
	return longest < r->first[n] - r->first[n - 1] ? r->first[n] - r->first[n - 1] : longest;
}

#endif
