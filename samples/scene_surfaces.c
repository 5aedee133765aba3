/* SPDX-License-Identifier: BSD-2-Clause */
/* Procedural surfaces: colour, gloss and bumps as functions of place. */
#include "samples/scene_surfaces.h"

double xc_scene_path(double x, double z)
{
	double middle = -0.75 + 0.55 * sin(0.55 * z + 0.4) - 0.05 * z;
	double ragged = 0.5 * (xc_noise_fractal(vec_of(3 * x, 0, 3 * z), 4) - 0.5);
	return 1 - smooth_step(0.34, 0.62, fabs(x - middle) + ragged);
}

static vec ground_colour(double x, double z)
{
	double patch = xc_noise_fractal(vec_of(0.5 * x, 3, 0.5 * z), 4);
	double fine = xc_noise_fractal(vec_of(14 * x, 1, 14 * z), 4);
	vec meadow = vec_mix(vec_of(0.10, 0.19, 0.04), vec_of(0.27, 0.29, 0.09),
	                     smooth_step(0.3, 0.7, patch));
	meadow = vec_scale(meadow, 0.5 + fine);
	double id = 0;
	double pebble = xc_noise_cells(vec_of(16 * x, 0, 16 * z), &id);
	vec earth = vec_scale(vec_of(0.36, 0.27, 0.18), 0.55 + 0.8 * fine);
	vec stone = vec_scale(vec_of(0.45, 0.42, 0.38), 0.5 + id);
	if (id > 0.45)
		earth = vec_mix(stone, earth, smooth_step(0.25, 0.42, pebble));
	return vec_mix(meadow, earth, xc_scene_path(x, z));
}

/* Bumps: leans the normal against the slope of a texture. */
static vec lean(vec normal, vec p, double fineness, double strength)
{
	const double step = 0.02;
	vec q = vec_scale(p, fineness);
	double here = xc_noise_fractal(q, 3);
	vec slope = vec_of(xc_noise_fractal(vec_add(q, vec_of(step, 0, 0)), 3) - here,
	                   xc_noise_fractal(vec_add(q, vec_of(0, step, 0)), 3) - here,
	                   xc_noise_fractal(vec_add(q, vec_of(0, 0, step)), 3) - here);
	return vec_unit(vec_sub(normal, vec_scale(slope, strength / step)));
}

void xc_surface_ground(surface_point *at)
{
	at->normal = lean(vec_of(0, 1, 0), at->point, 12, 0.25);
	at->colour = ground_colour(at->point.x, at->point.z);
}

void xc_surface_brick(surface_point *at)
{
	vec p = at->point;
	double across = fabs(at->normal.x) > 0.5 ? p.z : p.x;
	double up = fabs(at->normal.y) > 0.5 ? p.z : p.y;
	double row = floor(up / 0.088);
	across += 0.125 * (row - 2 * floor(row / 2));
	double column = floor(across / 0.25);
	double id = xc_noise(vec_of(31 * row + 0.5, 57 * column + 0.5, 0.5));
	double grain = xc_noise_fractal(vec_scale(p, 30), 4);
	double edge = lesser(lesser(across - 0.25 * column, 0.25 * (column + 1) - across),
	                     lesser(up - 0.088 * row, 0.088 * (row + 1) - up));
	double ragged = 0.003 * xc_noise(vec_scale(p, 90));
	double mortar = 1 - smooth_step(0.004, 0.009, edge + ragged);
	vec clay = vec_mix(vec_of(0.42, 0.13, 0.07), vec_of(0.62, 0.29, 0.16), id);
	clay = vec_scale(clay, 0.6 + 0.7 * grain);
	at->colour = vec_mix(clay, vec_scale(vec_of(0.58, 0.55, 0.50), 0.6 + 0.6 * grain), mortar);
	at->normal = lean(at->normal, p, 25, 0.25);
}

void xc_surface_ball(surface_point *at, const ball *b)
{
	vec p = vec_scale(vec_sub(at->point, b->centre), 1 / b->radius);
	at->normal = p;
	at->colour = b->colour;
	at->gloss = 0.6;
	switch (b->kind) {
	case BALL_MARBLE: {
		double vein = xc_noise_fractal(vec_add(vec_scale(p, 2.2), vec_of(5, 5, 5)), 6);
		double wave = fabs(sin(5 * p.x + 3 * p.y + 14 * vein));
		at->colour = vec_mix(vec_of(0.20, 0.22, 0.24), b->colour, smooth_step(0.0, 0.35, wave));
		at->gloss = 0.3;
		break;
	}
	case BALL_CHROME:
		at->mirror = 0.9;
		break;
	case BALL_STRIPES: {
		double turns = 5 * (p.y + 0.35 * p.x);
		double inside = turns - floor(turns);
		if (inside < 0.45)
			at->colour = vec_of(0.88, 0.86, 0.80);
		break;
	}
	default:
		break;
	}
}

void xc_surface_triangle(surface_point *at, const triangle *t, vec direction)
{
	at->normal = vec_unit(vec_cross(t->ab, t->ac));
	if (vec_dot(at->normal, direction) > 0)
		at->normal = vec_scale(at->normal, -1);
	at->colour = t->colour;
	switch (t->material) {
	case MATERIAL_BARK:
		at->colour = vec_scale(t->colour, 0.3 + 1.5 * xc_noise_fractal(vec_of(38 * at->point.x,
		                                                                      9 * at->point.y,
		                                                                      38 * at->point.z),
		                                                               4));
		at->normal = lean(at->normal, at->point, 20, 0.3);
		break;
	case MATERIAL_LEAF:
		at->through = 0.55;
		at->gloss = 0.10;
		break;
	case MATERIAL_GRASS:
		at->through = 0.45;
		/* Darker at the foot, where blades stand close. */
		at->colour = vec_scale(t->colour, 0.35 + 8 * lesser(at->point.y, 0.1));
		/* A meadow as a whole is lit like the ground it stands on. */
		at->normal = vec_unit(vec_add(at->normal, vec_of(0, 1.2, 0)));
		break;
	}
}
