/* SPDX-License-Identifier: BSD-2-Clause */
/* What the things in the scene are made of. */
#ifndef XC_SAMPLES_SCENE_SURFACES_H
#define XC_SAMPLES_SCENE_SURFACES_H

#include "samples/scene.h"

typedef enum ball_kind { BALL_MARBLE, BALL_CHROME, BALL_GLOSS, BALL_STRIPES } ball_kind;

typedef struct ball {
	vec centre;
	double radius;
	ball_kind kind;
	vec colour;
} ball;

/* Where a ray met a surface.  point is given (for bricks normal too); the functions
 * below fill in the rest. */
typedef struct surface_point {
	vec point, normal, colour;
	double gloss, mirror;
	double through; /* share of the light that shines through from behind */
} surface_point;

void xc_surface_ground(surface_point *at);
void xc_surface_brick(surface_point *at);
void xc_surface_ball(surface_point *at, const ball *ball);
void xc_surface_triangle(surface_point *at, const triangle *triangle, vec direction);

#endif
