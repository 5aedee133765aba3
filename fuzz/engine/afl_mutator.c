/* SPDX-License-Identifier: BSD-2-Clause */
/* AFL++'s custom mutator (AFL_CUSTOM_MUTATOR_LIBRARY): the same changes as in the other engines. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/engine/mutate_file.h"
#include "tests/support/bytes.h"

typedef struct state {
	uint64_t seed;
	xc_bytes out;
} state;

/* The names are AFL++'s. */
#define AFL_API __attribute__((visibility("default")))
AFL_API void *afl_custom_init(void *afl, unsigned seed);
AFL_API size_t afl_custom_fuzz(void *data, uint8_t *in, size_t size, uint8_t **out, uint8_t *other,
                               size_t other_size, size_t max);
AFL_API void afl_custom_deinit(void *data);

void *afl_custom_init(void *afl, unsigned seed)
{
	state *s = calloc(1, sizeof *s);

	(void)afl;
	if (s)
		s->seed = seed;
	return s;
}

size_t afl_custom_fuzz(void *data, uint8_t *in, size_t size, uint8_t **out, uint8_t *other,
                       size_t other_size, size_t max)
{
	static const uint8_t zeros[256];
	state *s = data;

	(void)other;
	(void)other_size;
	s->out.size = 0;
	xc_bytes_add(&s->out, in, size);
	xc_bytes_add(&s->out, zeros, sizeof zeros);
	*out = s->out.data;
	const size_t room = s->out.size < max ? s->out.size : max;
	return size < room ? xc_mutate_file(s->out.data, size, room, &s->seed, NULL) : size;
}

void afl_custom_deinit(void *data)
{
	state *s = data;
	xc_bytes_free(&s->out);
	free(s);
}
