/* SPDX-License-Identifier: BSD-2-Clause */
/* Triangles, and a tree of bounding boxes to find the one that a ray hits. */
#ifndef XC_SAMPLES_MESH_H
#define XC_SAMPLES_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "samples/vector.h"

typedef enum xc_material { MATERIAL_BARK, MATERIAL_LEAF, MATERIAL_GRASS } xc_material;

typedef struct triangle {
	vec a, ab, ac; /* a corner and the edges to the other two */
	vec colour;
	xc_material material;
} triangle;

typedef struct mesh_node {
	vec low, high;
	uint32_t first, count; /* a leaf's triangles; count 0: an inner node */
	uint32_t right;        /* an inner node's second child; the first one follows it */
} mesh_node;

typedef struct xc_mesh {
	triangle *triangles;
	size_t count, room;
	mesh_node *nodes;
	size_t node_count;
	int failed; /* out of memory at some point */
} xc_mesh;

void xc_mesh_add(xc_mesh *mesh, xc_material material, vec colour, vec a, vec b, vec c);
/* To be called once, after the last triangle.  Returns 0, or -1 without memory. */
int xc_mesh_build(xc_mesh *mesh);
void xc_mesh_free(xc_mesh *mesh);

/* The nearest triangle that origin + t * direction hits for 0 < t < *distance, and
 * its t in *distance; NULL when there is none.  `any`: the first one found will do. */
const triangle *xc_mesh_hit(const xc_mesh *mesh, vec origin, vec direction, double *distance,
                            int any);

#endif
