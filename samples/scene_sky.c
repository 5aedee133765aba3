/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything far away: sky, clouds, sun and hills, as functions of direction. */
#include "samples/scene.h"

vec xc_scene_sun(void)
{
	return vec_unit(vec_of(0.62, 0.60, -0.38));
}

vec xc_scene_haze(void)
{
	return vec_of(0.46, 0.58, 0.72);
}

/* Clouds hang on a plane, so they shrink towards the horizon. */
static vec clouds(vec direction, vec behind)
{
	double reach = 1 / (direction.y + 0.06);
	vec p = vec_of(direction.x * reach * 0.55 + 3.1, 0.5, direction.z * reach * 0.8);
	double cover = xc_noise_fractal(p, 7);
	double amount = smooth_step(0.44, 0.60, cover);
	/* The same cloud seen a little nearer to the sun tells how deep inside we are. */
	double lit = xc_noise_fractal(vec_add(p, vec_of(0.12, 0.05, -0.1)), 5);
	vec colour = vec_mix(vec_of(1.02, 1.0, 0.97), vec_of(0.55, 0.60, 0.68),
	                     smooth_step(0.45, 0.75, lit));
	return vec_mix(behind, colour, amount * smooth_step(0.02, 0.15, direction.y));
}

typedef struct ridge {
	double base, height, roughness, shift; /* elevations as tangents */
	vec colour;
	double haze;
} ridge;

static vec hills(vec direction, vec behind)
{
	static const ridge ridges[] = {
		{0.070, 0.150, 2.2, 4.0, {0.12, 0.17, 0.22}, 0.55},
		{0.035, 0.085, 3.5, 11.0, {0.10, 0.17, 0.12}, 0.32},
		{0.008, 0.050, 6.0, 23.0, {0.09, 0.15, 0.05}, 0.12},
	};
	double flat = sqrt(direction.x * direction.x + direction.z * direction.z);
	double elevation = direction.y / flat;
	double azimuth = atan2(direction.x, direction.z);
	vec colour = behind;
	for (unsigned i = 0; i < sizeof ridges / sizeof ridges[0]; i++) {
		const ridge *r = &ridges[i];
		vec at = vec_of(azimuth * r->roughness + r->shift, 0, r->shift);
		double top = r->base + r->height * (xc_noise_fractal(at, 6) - 0.25);
		/* Woods: fine bumps along the ridge and over its side. */
		vec wood = vec_of(azimuth * 130, elevation * 210, r->shift);
		top += 0.003 * xc_noise(vec_scale(wood, 1.7));
		if (elevation >= top)
			continue;
		double light = 0.35 + 1.1 * xc_noise_fractal(wood, 4);
		double slope = xc_noise_fractal(vec_of(azimuth * 9, elevation * 14, r->shift), 3);
		vec side = vec_scale(r->colour, light * (0.6 + 0.8 * slope));
		colour = vec_mix(side, xc_scene_haze(), r->haze);
	}
	return colour;
}

vec xc_scene_sky(vec direction)
{
	double up = greater(direction.y, 0);
	vec colour = vec_mix(vec_of(0.60, 0.74, 0.90), vec_of(0.08, 0.22, 0.58), pow(up, 0.5));
	double near_sun = greater(vec_dot(direction, xc_scene_sun()), 0);
	colour = vec_add(colour, vec_scale(vec_of(1, 0.9, 0.7), 0.25 * pow(near_sun, 24)));
	if (direction.y > 0)
		colour = clouds(direction, colour);
	return direction.y < 0.3 ? hills(direction, colour) : colour;
}
