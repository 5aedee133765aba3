/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SAMPLES_MAKE_SCENE_H
#define XC_SAMPLES_MAKE_SCENE_H

#include <xcodec.h>

/* Pictures for tests, drawn with integers only, so every machine makes the same. */
typedef struct tiny_picture {
	const char *name;
	uint32_t width, height, channels, depth;
	/* Sample c of the pixel at (x, y). */
	unsigned (*sample)(uint32_t x, uint32_t y, uint32_t c);
} tiny_picture;

/* NULL when there is none of that name. */
const tiny_picture *xc_tiny_find(const char *name);
/* picture has the size, channels and depth of tiny, and memory for the samples. */
void xc_tiny_draw(const tiny_picture *tiny, const xc_picture *picture);

#endif
