/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of three doubles: points, directions and colours (linear light). */
#ifndef XC_SAMPLES_VECTOR_H
#define XC_SAMPLES_VECTOR_H

#include <math.h>

typedef struct vec {
	double x, y, z;
} vec;

static inline vec vec_of(double x, double y, double z)
{
	return (vec){x, y, z};
}

static inline vec vec_add(vec a, vec b)
{
	return vec_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline vec vec_sub(vec a, vec b)
{
	return vec_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* Component by component: light filtered by a surface's colour. */
static inline vec vec_mul(vec a, vec b)
{
	return vec_of(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline vec vec_scale(vec a, double s)
{
	return vec_of(a.x * s, a.y * s, a.z * s);
}

static inline vec vec_mix(vec a, vec b, double t)
{
	return vec_add(vec_scale(a, 1 - t), vec_scale(b, t));
}

static inline double vec_dot(vec a, vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec vec_cross(vec a, vec b)
{
	return vec_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline vec vec_unit(vec a)
{
	return vec_scale(a, 1 / sqrt(vec_dot(a, a)));
}

/* Any two directions that are perpendicular to the unit vector n and each other. */
static inline void vec_basis(vec n, vec *u, vec *v)
{
	vec other = fabs(n.x) < 0.8 ? vec_of(1, 0, 0) : vec_of(0, 1, 0);
	*u = vec_unit(vec_cross(n, other));
	*v = vec_cross(n, *u);
}

/* fmin() and fmax() without their care for NaN, and so without a call. */
static inline double lesser(double a, double b)
{
	return a < b ? a : b;
}

static inline double greater(double a, double b)
{
	return a > b ? a : b;
}

/* 0 below a, 1 above b, smooth between. */
static inline double smooth_step(double a, double b, double x)
{
	double t = (x - a) / (b - a);
	t = t < 0 ? 0 : t > 1 ? 1 : t;
	return t * t * (3 - 2 * t);
}

#endif
