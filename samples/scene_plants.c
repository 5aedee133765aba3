/* SPDX-License-Identifier: BSD-2-Clause */
/* What grows in the scene, as triangles. */
#include "samples/scene.h"

static const double pi = 3.14159265358979323846;

enum { TREE_SEED = 20, BRANCH_SIDES = 7, TWIG_LEVEL = 6, LEAVES_A_TWIG = 26, BLADES = 90000 };

static void add_branch(xc_mesh *mesh, vec from, vec to, double thick, double thin)
{
	vec u, v, ring[2][BRANCH_SIDES];
	vec_basis(vec_unit(vec_sub(to, from)), &u, &v);
	for (int i = 0; i < BRANCH_SIDES; i++) {
		double angle = 2 * pi * i / BRANCH_SIDES;
		vec out = vec_add(vec_scale(u, cos(angle)), vec_scale(v, sin(angle)));
		ring[0][i] = vec_add(from, vec_scale(out, thick));
		ring[1][i] = vec_add(to, vec_scale(out, thin));
	}
	vec colour = vec_of(0.20, 0.14, 0.09);
	for (int i = 0; i < BRANCH_SIDES; i++) {
		int j = (i + 1) % BRANCH_SIDES;
		xc_mesh_add(mesh, MATERIAL_BARK, colour, ring[0][i], ring[0][j], ring[1][i]);
		xc_mesh_add(mesh, MATERIAL_BARK, colour, ring[1][i], ring[0][j], ring[1][j]);
	}
}

/* A leaf is a rhombus: two triangles that share the midrib. */
static void add_leaf(xc_mesh *mesh, random_stream *random, vec at)
{
	vec along = xc_random_direction(random);
	along.y -= 0.4; /* leaves hang a little */
	along = vec_unit(along);
	vec side, other;
	vec_basis(along, &side, &other);
	double turn = xc_random_range(random, 0, pi);
	side = vec_add(vec_scale(side, cos(turn)), vec_scale(other, sin(turn)));
	double length = xc_random_range(random, 0.07, 0.14), width = 0.32 * length;
	vec tip = vec_add(at, vec_scale(along, length));
	vec middle = vec_add(at, vec_scale(along, 0.45 * length));
	vec colour = vec_mix(vec_of(0.10, 0.24, 0.04), vec_of(0.30, 0.42, 0.07),
	                     xc_random_unit(random));
	if (xc_random_unit(random) < 0.04)
		colour = vec_of(0.55, 0.30, 0.05); /* the first of autumn */
	vec left = vec_add(middle, vec_scale(side, width));
	vec right = vec_sub(middle, vec_scale(side, width));
	xc_mesh_add(mesh, MATERIAL_LEAF, colour, at, left, tip);
	xc_mesh_add(mesh, MATERIAL_LEAF, colour, at, tip, right);
}

static void add_twig_leaves(xc_mesh *mesh, random_stream *random, vec from, vec to)
{
	for (int i = 0; i < LEAVES_A_TWIG; i++) {
		vec at = vec_mix(from, to, xc_random_range(random, 0.2, 1.1));
		vec off = vec_scale(xc_random_direction(random), xc_random_range(random, 0, 0.16));
		add_leaf(mesh, random, vec_add(at, off));
	}
}

static void grow_branch(xc_mesh *mesh, random_stream *random, vec from, vec direction,
                        double length, double thick, int level)
{
	/* Two straight pieces with a bend make a branch that looks grown. */
	vec bend = vec_scale(xc_random_direction(random), level ? 0.22 : 0.07);
	vec middle = vec_add(from, vec_scale(direction, 0.5 * length));
	vec second = vec_unit(vec_add(direction, bend));
	vec to = vec_add(middle, vec_scale(second, 0.5 * length));
	double thin = thick * 0.72;
	add_branch(mesh, from, middle, level ? thick : 1.25 * thick, 0.86 * thick);
	add_branch(mesh, middle, to, 0.86 * thick, thin);
	if (level >= TWIG_LEVEL - 1)
		add_twig_leaves(mesh, random, middle, to);
	if (level == TWIG_LEVEL)
		return;
	int children = level == 0 ? 4 : xc_random_unit(random) < 0.55 ? 3 : 2;
	vec u, v;
	vec_basis(second, &u, &v);
	double turn = xc_random_range(random, 0, 2 * pi);
	for (int i = 0; i < children; i++) {
		double angle = turn + 2 * pi * (i + xc_random_range(random, -0.2, 0.2)) / children;
		double spread = xc_random_range(random, 0.45, 0.85);
		vec out = vec_add(vec_scale(u, cos(angle)), vec_scale(v, sin(angle)));
		vec next = vec_add(second, vec_scale(out, spread));
		next.y += 0.06;
		grow_branch(mesh, random, to, vec_unit(next), length * xc_random_range(random, 0.70, 0.84),
		            thin * 0.78, level + 1);
	}
}

void xc_scene_plant_tree(xc_mesh *mesh, vec foot)
{
	random_stream random = xc_random_stream(1, TREE_SEED);
	grow_branch(mesh, &random, foot, vec_unit(vec_of(0.06, 1, 0.02)), 1.25, 0.15, 0);
}

static void add_blade(xc_mesh *mesh, random_stream *random, vec foot, double height)
{
	double angle = xc_random_range(random, 0, 2 * pi);
	double lean = xc_random_range(random, 0.1, 0.7) * height;
	double width = 0.0022 + 0.020 * height;
	vec across = vec_of(width * cos(angle), 0, width * sin(angle));
	double fall = xc_random_range(random, 0, 2 * pi);
	vec tip = vec_add(foot, vec_of(lean * cos(fall), height, lean * sin(fall)));
	double dry = xc_noise_fractal(vec_of(foot.x * 0.9, 7, foot.z * 0.9), 3);
	vec colour = vec_mix(vec_of(0.12, 0.27, 0.04), vec_of(0.36, 0.36, 0.11),
	                     smooth_step(0.3, 0.8, dry + xc_random_range(random, -0.25, 0.25)));
	xc_mesh_add(mesh, MATERIAL_GRASS, colour, vec_sub(foot, across), vec_add(foot, across), tip);
}

void xc_scene_plant_grass(xc_mesh *mesh)
{
	random_stream random = xc_random_stream(2, 7);
	for (int i = 0; i < BLADES; i++) {
		/* Squared, so that most stand near the camera, where they are seen. */
		double t = xc_random_unit(&random);
		double z = -3.6 + 13 * t * t;
		double x = xc_random_range(&random, -1, 1) * 0.72 * (z + 5.4);
		double tall = xc_random_range(&random, 0.04, 0.13);
		if (xc_scene_path(x, z) + xc_random_range(&random, -0.3, 0.3) < 0.35)
			add_blade(mesh, &random, vec_of(x, 0, z), tall);
	}
}
