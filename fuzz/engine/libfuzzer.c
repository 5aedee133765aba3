/* SPDX-License-Identifier: BSD-2-Clause */
/* What libFuzzer asks of a target besides the function itself: its way to change an input. */
#include "fuzz/engine/mutate_file.h"

/* The names are libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	uint64_t state = seed;
	return xc_mutate_file(data, size, room, &state, LLVMFuzzerMutate);
}
