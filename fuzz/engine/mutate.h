/* SPDX-License-Identifier: BSD-2-Clause */
/* Seeded damage, for fuzzing without a fuzzer. */
#ifndef XC_FUZZ_ENGINE_MUTATE_H
#define XC_FUZZ_ENGINE_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes up to 8 places of data (room bytes, of which size are used); returns the
 * new size.  The result may by chance equal the original. */
size_t xc_mutate(uint8_t *data, size_t size, size_t room, uint64_t *seed);

#endif
