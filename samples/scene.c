/* SPDX-License-Identifier: BSD-2-Clause */
/* The near things, the rays that find them, and the light on them. */
#include "samples/scene.h"

#include <string.h>

#include "samples/scene_surfaces.h"

static const double far_away = 1e9;
static const double nudge = 1e-4;       /* off a surface, so that a new ray does not hit it */
static const double sun_radius = 0.022; /* the real one is 0.0047; softer shadows */

static const ball balls[] = {
	{{1.12, 0.36, 0.10}, 0.36, BALL_MARBLE, {0.80, 0.78, 0.74}},
	{{2.02, 0.27, -0.75}, 0.27, BALL_CHROME, {0.92, 0.93, 0.95}},
	{{0.36, 0.17, -1.15}, 0.17, BALL_GLOSS, {0.70, 0.03, 0.03}},
	{{1.55, 1.02, 2.38}, 0.24, BALL_STRIPES, {0.03, 0.10, 0.55}},
	{{2.75, 0.98, 2.36}, 0.20, BALL_GLOSS, {0.85, 0.50, 0.02}},
};
enum { BALLS = sizeof balls / sizeof balls[0] };

static const vec wall_low = {0.75, -0.01, 2.10}, wall_high = {6.00, 0.78, 2.62};

/* --------------------------------------------------------- intersections */

static int hit_ball(const ball *b, vec origin, vec direction, double *distance)
{
	vec o = vec_sub(origin, b->centre);
	double along = vec_dot(o, direction);
	double square = along * along - vec_dot(o, o) + b->radius * b->radius;
	if (square < 0)
		return 0;
	double t = -along - sqrt(square);
	if (t <= 1e-6 || t >= *distance)
		return 0;
	*distance = t;
	return 1;
}

static int hit_wall(vec origin, vec direction, double *distance, vec *normal)
{
	const double o[3] = {origin.x, origin.y, origin.z};
	const double d[3] = {direction.x, direction.y, direction.z};
	const double low[3] = {wall_low.x, wall_low.y, wall_low.z};
	const double high[3] = {wall_high.x, wall_high.y, wall_high.z};
	double enter = -far_away, leave = far_away, n[3] = {0, 0, 0};
	int side = 0;
	for (int i = 0; i < 3; i++) {
		double a = (low[i] - o[i]) / d[i], b = (high[i] - o[i]) / d[i];
		if (lesser(a, b) > enter) {
			enter = lesser(a, b);
			side = i;
		}
		leave = lesser(leave, greater(a, b));
	}
	if (enter > leave || enter <= 1e-6 || enter >= *distance)
		return 0;
	n[side] = d[side] > 0 ? -1 : 1;
	*normal = vec_of(n[0], n[1], n[2]);
	*distance = enter;
	return 1;
}

static int hit_ground(vec origin, vec direction, double *distance)
{
	if (direction.y >= -1e-9)
		return 0;
	double t = -origin.y / direction.y;
	if (t <= 1e-6 || t >= *distance)
		return 0;
	*distance = t;
	return 1;
}

/* The nearest thing that the ray meets, as a surface; returns 0 when there is none. */
static int trace(const xc_mesh *mesh, vec origin, vec direction, surface_point *at,
                 double *distance)
{
	memset(at, 0, sizeof *at);
	*distance = far_away;
	const ball *found = NULL;
	for (int i = 0; i < BALLS; i++) {
		if (hit_ball(&balls[i], origin, direction, distance))
			found = &balls[i];
	}
	int wall = hit_wall(origin, direction, distance, &at->normal);
	int ground = hit_ground(origin, direction, distance);
	const triangle *plant = xc_mesh_hit(mesh, origin, direction, distance, 0);
	at->point = vec_add(origin, vec_scale(direction, *distance));
	if (plant)
		xc_surface_triangle(at, plant, direction);
	else if (ground)
		xc_surface_ground(at);
	else if (wall)
		xc_surface_brick(at);
	else if (found)
		xc_surface_ball(at, found);
	return plant || ground || wall || found;
}

static int blocked(const xc_mesh *mesh, vec origin, vec direction, double distance)
{
	vec normal;
	for (int i = 0; i < BALLS; i++) {
		if (hit_ball(&balls[i], origin, direction, &distance))
			return 1;
	}
	return hit_wall(origin, direction, &distance, &normal) ||
	       hit_ground(origin, direction, &distance) ||
	       xc_mesh_hit(mesh, origin, direction, &distance, 1) != NULL;
}

/* ------------------------------------------------------------------ light */

static vec sun_sample(random_stream *random)
{
	vec sun = xc_scene_sun(), u, v;
	vec_basis(sun, &u, &v);
	double r = sun_radius * sqrt(xc_random_unit(random));
	double angle = xc_random_range(random, 0, 6.283185307179586);
	vec off = vec_add(vec_scale(u, r * cos(angle)), vec_scale(v, r * sin(angle)));
	return vec_unit(vec_add(sun, off));
}

/* Light from the sun that the surface throws towards the eye. */
static vec sunlight(const xc_mesh *mesh, const surface_point *at, vec direction,
                    random_stream *random)
{
	const vec sun_colour = vec_of(2.5, 2.2, 1.75);
	vec sun = sun_sample(random);
	double facing = vec_dot(at->normal, sun);
	double direct = facing > 0 ? facing : -facing * at->through;
	if (direct <= 0)
		return vec_of(0, 0, 0);
	vec start = vec_add(at->point, vec_scale(at->normal, facing > 0 ? nudge : -nudge));
	if (blocked(mesh, start, sun, far_away))
		return vec_of(0, 0, 0);
	vec half = vec_unit(vec_sub(sun, direction));
	double shine = 1.2 * at->gloss * pow(greater(vec_dot(half, at->normal), 0), 90);
	return vec_mul(sun_colour, vec_add(vec_scale(at->colour, direct), vec_of(shine, shine, shine)));
}

/* One ray in a random direction of the half sphere (cosine law): open sky, or the
 * dim light between things that stand close. */
static vec skylight(const xc_mesh *mesh, const surface_point *at, random_stream *random)
{
	vec start = vec_add(at->point, vec_scale(at->normal, nudge));
	vec towards = vec_add(vec_scale(at->normal, 1.0001), xc_random_direction(random));
	towards = vec_unit(towards);
	vec light = vec_of(0.055, 0.06, 0.045);
	if (!blocked(mesh, start, towards, 3))
		light = vec_mix(vec_of(0.26, 0.27, 0.20), vec_of(0.38, 0.52, 0.80),
		                smooth_step(-0.2, 0.6, towards.y));
	return vec_mul(at->colour, light);
}

/* Schlick's approximation (1994) of Fresnel's law, for what is smooth enough. */
static double reflectance(const surface_point *at, double cosine)
{
	if (at->mirror > 0)
		return at->mirror;
	return at->gloss >= 0.3 ? 0.04 + 0.96 * pow(1 - cosine, 5) : 0;
}

static vec colour_seen(const xc_mesh *mesh, vec origin, vec direction, random_stream *random,
                       int bounces)
{
	surface_point at;
	double distance;
	if (!trace(mesh, origin, direction, &at, &distance))
		return xc_scene_sky(direction);
	vec colour = vec_add(sunlight(mesh, &at, direction, random), skylight(mesh, &at, random));
	double cosine = greater(-vec_dot(at.normal, direction), 0);
	double reflect = reflectance(&at, cosine);
	if (reflect > 0.01 && bounces > 0) {
		vec start = vec_add(at.point, vec_scale(at.normal, nudge));
		vec mirrored = vec_unit(vec_add(direction, vec_scale(at.normal, 2 * cosine)));
		vec seen = colour_seen(mesh, start, mirrored, random, bounces - 1);
		if (at.mirror > 0)
			seen = vec_mul(seen, at.colour);
		colour = vec_mix(colour, seen, reflect);
	}
	return vec_mix(xc_scene_haze(), colour, exp(-distance / 1100));
}

static void render_row(const xc_mesh *mesh, uint32_t width, uint32_t height, uint32_t row,
                       unsigned samples, float *rgb)
{
	const vec eye = vec_of(0.1, 1.25, -5.2);
	const double field = 1.02; /* width of the picture at distance 1 */
	vec ahead = vec_unit(vec_sub(vec_of(0.25, 1.16, 2), eye));
	vec right = vec_unit(vec_cross(vec_of(0, 1, 0), ahead)), up = vec_cross(ahead, right);
	for (uint32_t column = 0; column < width; column++) {
		random_stream random = xc_random_stream(row, column);
		vec sum = vec_of(0, 0, 0);
		for (unsigned i = 0; i < samples; i++) {
			double x = (column + xc_random_unit(&random) - 0.5 * width) / width;
			double y = (0.5 * height - row - xc_random_unit(&random)) / width;
			vec direction = vec_add(ahead,
			                        vec_add(vec_scale(right, field * x), vec_scale(up, field * y)));
			sum = vec_add(sum, colour_seen(mesh, eye, vec_unit(direction), &random, 2));
		}
		rgb[3 * column] = (float)(sum.x / samples);
		rgb[3 * column + 1] = (float)(sum.y / samples);
		rgb[3 * column + 2] = (float)(sum.z / samples);
	}
}

int xc_scene_render(uint32_t width, uint32_t height, unsigned samples, float *rgb)
{
	xc_mesh mesh = {0};
	xc_scene_plant_tree(&mesh, vec_of(-1.95, 0, 1.9));
	xc_scene_plant_grass(&mesh);
	int failed = xc_mesh_build(&mesh);
	if (!failed) {
		/* Rows cost differently; every pixel has its own random numbers, so the
		 * order does not matter. */
#pragma omp parallel for schedule(dynamic)
		for (uint32_t row = 0; row < height; row++)
			render_row(&mesh, width, height, row, samples, rgb + (size_t)row * width * 3);
	}
	xc_mesh_free(&mesh);
	return failed;
}
