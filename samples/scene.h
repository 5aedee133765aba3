/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A meadow with a tree, a brick wall and some balls under a cloudy sky, ray
 * traced.  y points up, z away from the camera; lengths are metres.
 */
#ifndef XC_SAMPLES_SCENE_H
#define XC_SAMPLES_SCENE_H

#include "samples/mesh.h"
#include "samples/noise.h"

/* Towards the middle of the sun. */
vec xc_scene_sun(void);
/* What a ray that hits nothing sees: sky, sun, clouds, hills. */
vec xc_scene_sky(vec direction);
/* Light that the ground and the hills fade into with distance. */
vec xc_scene_haze(void);

/* How much of the ground at (x, z) is path: 0 grass, 1 bare earth. */
double xc_scene_path(double x, double z);

void xc_scene_plant_tree(xc_mesh *mesh, vec foot);
void xc_scene_plant_grass(xc_mesh *mesh);

/* Renders into rgb (width * height * 3, linear light, 1 is white), with samples
 * rays a pixel.  Returns 0, or -1 without memory. */
int xc_scene_render(uint32_t width, uint32_t height, unsigned samples, float *rgb);

#endif
