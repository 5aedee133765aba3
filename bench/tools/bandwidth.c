/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures how many bytes one core reads, writes and copies in a cycle: in its first cache, in
 * its second, and in memory.  doc/performance.md compares the codec with these limits.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/timing.h"
#include "cli/base/clock.h"

#if defined __x86_64__
#define WIDE __attribute__((target("avx512f")))
#else
#define WIDE
#endif

/* Aligned no further than malloc() aligns. */
typedef uint64_t wide __attribute__((vector_size(64), aligned(16)));

WIDE static void read_all(wide *a, size_t n)
{
	for (size_t i = 0; i < n; i += 8)
		for (size_t j = 0; j < 8; j++) {
			const wide v = a[i + j];
			__asm__ volatile("" : : "v"(v));
		}
}

WIDE static void write_all(wide *a, size_t n)
{
	const wide zero = {0};
	for (size_t i = 0; i < n; i += 8)
		for (size_t j = 0; j < 8; j++)
			a[i + j] = zero;
	__asm__ volatile("" : : : "memory");
}

/* Copies the first half to the second. */
WIDE static void copy_half(wide *a, size_t n)
{
	for (size_t i = 0; i < n / 2; i += 4)
		for (size_t j = 0; j < 4; j++)
			a[n / 2 + i + j] = a[i + j];
	__asm__ volatile("" : : : "memory");
}

/* Returns bytes a second, the best of some tries. */
static double measure(void (*work)(wide *, size_t), wide *a, size_t bytes)
{
	enum { TRIES = 40 };
	const size_t repeats = bytes < 1 << 24 ? (1 << 26) / bytes : 1;
	double best = 0;
	for (int t = 0; t < TRIES; t++) {
		const double start = xc_cli_seconds();
		for (size_t i = 0; i < repeats; i++)
			work(a, bytes / sizeof *a);
		const double rate = (double)bytes * (double)repeats / (xc_cli_seconds() - start);
		best = rate > best ? rate : best;
	}
	return best;
}

int main(void)
{
	static const size_t sizes[] = {16 << 10, 256 << 10, 256 << 20};
	static const char *const names[] = {"16 KiB", "256 KiB", "256 MiB"};
	wide *a = aligned_alloc(64, sizes[2]);
#if defined __x86_64__
	if (!__builtin_cpu_supports("avx512f")) {
		fputs("bandwidth: this processor lacks AVX-512\n", stderr);
		free(a);
		return 77;
	}
#endif
	if (!a)
		return 1;
	memset(a, 0, sizes[2]);
	const double hertz = xc_bench_hertz();
	printf("%.2f GHz; bytes a cycle, and GB/s\n", hertz / 1e9);
	printf("%-8s %16s %16s %22s\n", "", "read", "write", "copy (one way)");
	for (int i = 0; i < 3; i++) {
		const double r = measure(read_all, a, sizes[i]), w = measure(write_all, a, sizes[i]),
					 c = measure(copy_half, a, sizes[i]) / 2;
		printf("%-8s %6.1f %9.1f %6.1f %9.1f %6.1f %15.1f\n", names[i], r / hertz, r / 1e9,
		       w / hertz, w / 1e9, c / hertz, c / 1e9);
	}
	free(a);
	return 0;
}
