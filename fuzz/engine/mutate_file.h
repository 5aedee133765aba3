/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damage that gets past checksums and lengths: pieces of XC, PNG and JPEG files are changed,
 * taken out, repeated and exchanged, and lengths and checksums put right afterwards. Other bytes
 * are changed as such.
 */
#ifndef XC_FUZZ_ENGINE_MUTATE_FILE_H
#define XC_FUZZ_ENGINE_MUTATE_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A fuzzer's own way to change bytes: room bytes are there, of which size are used; returns the new
 * size. */
typedef size_t (*xc_change_bytes)(uint8_t *data, size_t size, size_t room);

/* Changes data like that; always the same for a seed if change is NULL, which is xc_mutate(). */
size_t xc_mutate_file(uint8_t *data, size_t size, size_t room, uint64_t *seed,
                      xc_change_bytes change);

#endif
