/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples/mesh.h"

#include <stdlib.h>

enum { LEAF_TRIANGLES = 4, MAX_DEPTH = 64 };

void xc_mesh_add(xc_mesh *mesh, xc_material material, vec colour, vec a, vec b, vec c)
{
	if (mesh->count == mesh->room) {
		size_t room = mesh->room ? 2 * mesh->room : 4096;
		triangle *more = realloc(mesh->triangles, room * sizeof *more);
		if (!more) {
			mesh->failed = 1;
			return;
		}
		mesh->triangles = more;
		mesh->room = room;
	}
	mesh->triangles[mesh->count++] = (triangle){a, vec_sub(b, a), vec_sub(c, a), colour, material};
}

void xc_mesh_free(xc_mesh *mesh)
{
	free(mesh->triangles);
	free(mesh->nodes);
	*mesh = (struct xc_mesh){0};
}

static void grow(mesh_node *node, vec p)
{
	vec a = node->low, b = node->high;
	node->low = vec_of(lesser(a.x, p.x), lesser(a.y, p.y), lesser(a.z, p.z));
	node->high = vec_of(greater(b.x, p.x), greater(b.y, p.y), greater(b.z, p.z));
}

static vec centre(const triangle *t)
{
	return vec_add(t->a, vec_scale(vec_add(t->ab, t->ac), 1.0 / 3));
}

static int compare_x(const void *a, const void *b)
{
	double x = centre(a).x, y = centre(b).x;
	return (x > y) - (x < y);
}

static int compare_y(const void *a, const void *b)
{
	double x = centre(a).y, y = centre(b).y;
	return (x > y) - (x < y);
}

static int compare_z(const void *a, const void *b)
{
	double x = centre(a).z, y = centre(b).z;
	return (x > y) - (x < y);
}

/* Sorts along the longest side and cuts in the middle, so the depth is at most
 * the logarithm of the count. */
static void split(xc_mesh *mesh, uint32_t first, uint32_t count)
{
	mesh_node *node = &mesh->nodes[mesh->node_count++];
	node->low = vec_of(1e30, 1e30, 1e30);
	node->high = vec_of(-1e30, -1e30, -1e30);
	for (uint32_t i = first; i < first + count; i++) {
		const triangle *t = &mesh->triangles[i];
		grow(node, t->a);
		grow(node, vec_add(t->a, t->ab));
		grow(node, vec_add(t->a, t->ac));
	}
	node->first = first;
	if (count <= LEAF_TRIANGLES) {
		node->count = count;
		return;
	}
	node->count = 0;
	vec size = vec_sub(node->high, node->low);
	int (*compare)(const void *, const void *) = size.x > size.y && size.x > size.z ? compare_x
	                                             : size.y > size.z                  ? compare_y
	                                                                                : compare_z;
	qsort(mesh->triangles + first, count, sizeof *mesh->triangles, compare);
	uint32_t half = count / 2;
	split(mesh, first, half);
	node->right = (uint32_t)mesh->node_count;
	split(mesh, first + half, count - half);
}

int xc_mesh_build(xc_mesh *mesh)
{
	if (mesh->failed || mesh->count == 0 || mesh->count > UINT32_MAX / 2)
		return -1;
	mesh->nodes = calloc(2 * mesh->count, sizeof *mesh->nodes);
	if (!mesh->nodes)
		return -1;
	split(mesh, 0, (uint32_t)mesh->count);
	return 0;
}

/* Möller and Trumbore's test (1997). */
static int hit_triangle(const triangle *t, vec origin, vec direction, double *distance)
{
	vec p = vec_cross(direction, t->ac);
	double det = vec_dot(t->ab, p);
	if (fabs(det) < 1e-14)
		return 0;
	vec s = vec_sub(origin, t->a);
	double u = vec_dot(s, p) / det;
	if (u < 0 || u > 1)
		return 0;
	vec q = vec_cross(s, t->ab);
	double v = vec_dot(direction, q) / det;
	if (v < 0 || u + v > 1)
		return 0;
	double d = vec_dot(t->ac, q) / det;
	if (d <= 1e-6 || d >= *distance)
		return 0;
	*distance = d;
	return 1;
}

static int hit_box(const mesh_node *node, vec origin, vec inverse, double distance)
{
	double ax = (node->low.x - origin.x) * inverse.x, bx = (node->high.x - origin.x) * inverse.x;
	double ay = (node->low.y - origin.y) * inverse.y, by = (node->high.y - origin.y) * inverse.y;
	double az = (node->low.z - origin.z) * inverse.z, bz = (node->high.z - origin.z) * inverse.z;
	double enter = greater(greater(lesser(ax, bx), lesser(ay, by)), lesser(az, bz));
	double leave = lesser(lesser(greater(ax, bx), greater(ay, by)), greater(az, bz));
	return leave >= greater(enter, 0) && enter < distance;
}

const triangle *xc_mesh_hit(const xc_mesh *mesh, vec origin, vec direction, double *distance,
                            int any)
{
	vec inverse = vec_of(1 / direction.x, 1 / direction.y, 1 / direction.z);
	const triangle *found = NULL;
	uint32_t stack[MAX_DEPTH];
	int top = 0;
	stack[top++] = 0;
	while (top) {
		uint32_t index = stack[--top];
		const mesh_node *node = &mesh->nodes[index];
		if (!hit_box(node, origin, inverse, *distance))
			continue;
		if (!node->count) {
			stack[top++] = node->right;
			stack[top++] = index + 1;
			continue;
		}
		for (uint32_t i = node->first; i < node->first + node->count; i++) {
			if (!hit_triangle(&mesh->triangles[i], origin, direction, distance))
				continue;
			found = &mesh->triangles[i];
			if (any)
				return found;
		}
	}
	return found;
}
