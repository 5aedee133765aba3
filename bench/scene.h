/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures to measure with where there are no files. */
#ifndef XC_BENCH_SCENE_H
#define XC_BENCH_SCENE_H

#include <xcodec.h>

/* RGB of 8 bits: coloured regions with hard edges and textures whose spectrum falls off as
 * that of photographs, with a little grain.  0, or -1: out of memory.  data is malloc'ed. */
int xc_bench_scene(uint32_t width, uint32_t height, uint32_t number, xc_picture *out);

#endif
