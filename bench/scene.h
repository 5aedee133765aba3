/* SPDX-License-Identifier: BSD-2-Clause */
/* Landscapes for tests and measurements where there are no photographs. */
#ifndef XC_BENCH_SCENE_H
#define XC_BENCH_SCENE_H

#include <xcodec.h>

/* The size of samples/meadow.png, which is scene 0. */
enum { XC_SCENE_WIDTH = 768, XC_SCENE_HEIGHT = 512 };

/* Draws RGB of 8 bits: a smooth sky, hard edges, saturated colours, and textures whose
 * spectrum falls off like that of photographs, with a little grain.  Every machine draws
 * the same pixels.  Returns 0, or -1 if out of memory.  The caller frees out->data. */
int xc_scene_draw(uint32_t width, uint32_t height, uint32_t number, xc_picture *out);

#endif
