/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a fuzz target is: a function that takes any bytes and ends the program when the
 * library does what it must not, and seeds to start from.  libFuzzer and AFL call the first;
 * engine/standalone.c calls both.
 */
#ifndef XC_FUZZ_FUZZ_H
#define XC_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include "src/core/cpu.h"
#include "tests/support/xc_files.h"

/* The name is libFuzzer's.  Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Seed number i, from 0; the same for every run.  xc_fuzz_file() unless the target has its own. */
void xc_fuzz_seed(unsigned i, xc_bytes *out);

/* Mutations of each seed when make check runs the target. */
extern unsigned xc_fuzz_mutations;

/* Ends the program with a message unless condition holds. */
#define FUZZ_CHECK(condition, ...) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not true: %s: ", __FILE__, __LINE__, #condition); \
			fprintf(stderr, __VA_ARGS__); \
			putc('\n', stderr); \
			abort(); \
		} \
	} while (0)

#define FUZZ_OK(context, call) FUZZ_CHECK((call) == XC_OK, "%s", xc_context_message(context))

enum { XC_FUZZ_PIXELS = 1 << 18, XC_FUZZ_MEMORY = 64 << 20 };

/* A context with these limits, one thread, and a SIMD level that depends on `choice`. */
xc_context *xc_fuzz_context(unsigned choice);
/* Contexts with these limits of each SIMD level that the processor has, the first one with one
 * thread, the next with two, and so on; all must give the same. They stay for the next input, so
 * what a failure leaves in one is seen as well. Returns how many. */
int xc_fuzz_contexts(xc_context *list[XC_CPU_LEVELS]);
/* Files as an encoder makes them, or as none does: seeds of some targets. */
void xc_fuzz_file(unsigned i, xc_bytes *out);
/* Calls `each` with the bytes as they are and, where that changes them, with checksums that
 * hold; in memory of exactly their size. */
void xc_fuzz_fixed(const uint8_t *data, size_t size, void (*each)(const uint8_t *, size_t));
/* xc_decode() returned s and *p for the file: the reference decoder must agree. */
void xc_fuzz_judge(const xc_context *c, xc_status s, const xc_picture *p, const uint8_t *file,
                   size_t size);

/*
 * A picture and options made of any bytes. The input: a byte each for width, height,
 * channels and depth, quality, subsampling with kind of codes, transform and effort,
 * tables, stride with metadata, entropy coding with colour, tune and parts of quality; then
 * samples, repeated as needed.
 */
enum { XC_RECIPE_BYTES = 8 };

typedef struct xc_recipe {
	xc_picture picture; /* its data is freed with free() */
	xc_encode_options options;
	xc_metadata metadata;
} xc_recipe;

/* size: at least XC_RECIPE_BYTES.  max: of width and height. */
void xc_recipe_make(const uint8_t *data, size_t size, uint32_t max, xc_recipe *recipe);
/* Replaces the bytes by a seed. */
void xc_recipe_seed(unsigned i, xc_bytes *out);

#endif
