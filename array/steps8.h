/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps on 8 values of the transforms of arrays, forward and back: the DCT, orthonormal, and the
 * edge and block steps of the two lapped transforms that transform/lapped8.h describes, whose
 * scales are 1 here. A value is a vector of neighbours. For array/blocks.h; the order of operations
 * is part of the format (doc/format.md, 11.12).
 */
#ifndef XC_ARRAY_STEPS8_H
#define XC_ARRAY_STEPS8_H

#include "array/real.h"

enum { XC_NEIGHBOURS = 8 };
typedef xc_real xc_eight __attribute__((vector_size(XC_NEIGHBOURS * sizeof(xc_real))));
typedef void xc_step8(xc_eight x[8]);

#define K(v) ((xc_real)(v))
#define ROOT_8 K(0.35355339059327376220) /* 1 / sqrt(8) */
#define COS_2 K(0.46193976625564337806)  /* cos(k pi / 16) / 2 */
#define COS_6 K(0.19134171618254488586)
#define COS_1 K(0.49039264020161522456)
#define COS_3 K(0.41573480615127261854)
#define COS_5 K(0.27778511650980111237)
#define COS_7 K(0.09754516100806413392)

/* Differences of mirrored values to the odd coefficients, and back. */
static inline void odd_half(xc_eight d[4])
{
	const xc_eight d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3];

	d[0] = ((d0 * COS_1 + d1 * COS_3) + d2 * COS_5) + d3 * COS_7;
	d[1] = ((d0 * COS_3 - d1 * COS_7) - d2 * COS_1) - d3 * COS_5;
	d[2] = ((d0 * COS_5 - d1 * COS_1) + d2 * COS_7) + d3 * COS_3;
	d[3] = ((d0 * COS_7 - d1 * COS_5) + d2 * COS_3) - d3 * COS_1;
}

static inline void dct_forward(xc_eight x[8])
{
	xc_eight d[4] = {x[0] - x[7], x[1] - x[6], x[2] - x[5], x[3] - x[4]};
	const xc_eight s0 = x[0] + x[7], s1 = x[1] + x[6], s2 = x[2] + x[5], s3 = x[3] + x[4];
	const xc_eight e0 = s0 + s3, e1 = s1 + s2, e2 = s1 - s2, e3 = s0 - s3;

	odd_half(d);
	x[0] = (e0 + e1) * ROOT_8;
	x[4] = (e0 - e1) * ROOT_8;
	x[2] = e3 * COS_2 + e2 * COS_6;
	x[6] = e3 * COS_6 - e2 * COS_2;
	for (int i = 0; i < 4; i++)
		x[2 * i + 1] = d[i];
}

static inline void dct_back(xc_eight x[8])
{
	xc_eight d[4] = {x[1], x[3], x[5], x[7]};
	const xc_eight p0 = (x[0] + x[4]) * ROOT_8, p1 = (x[0] - x[4]) * ROOT_8;
	const xc_eight q0 = x[2] * COS_2 + x[6] * COS_6, q1 = x[2] * COS_6 - x[6] * COS_2;
	const xc_eight e[4] = {p0 + q0, p1 + q1, p1 - q1, p0 - q0};

	odd_half(d);
	for (int i = 0; i < 4; i++) {
		x[i] = e[i] + d[i];
		x[7 - i] = e[i] - d[i];
	}
}

/* (V - I) / 2 of the TDLT's edge step, or its transpose. */
static inline void tdlt_edge(xc_eight x[8], const int back)
{
	static const xc_real v[4][4] = {
		{K(-0.090187279750145919436), K(0.27800288809774331153), K(0.064549146097507819931),
	     K(0.024522158730646867980)},
		{K(-0.27946982767218658924), K(-0.13500008348780672164), K(0.19593209137748174408),
	     K(0.016801545625817034036)},
		{K(0.059034511082155621470), K(-0.19849262400889904720), K(-0.053634609218861277656),
	     K(0.088732985006445022433)},
		{K(-0.021565626436160283035), K(0.0094938595664450573896), K(-0.090564679756128180525),
	     K(-0.0088352321596971966693)},
	};
	const xc_eight d0 = x[3] - x[4], d1 = x[2] - x[5], d2 = x[1] - x[6], d3 = x[0] - x[7];

	for (int i = 0; i < 4; i++) {
		const xc_eight c = ((d0 * (back ? v[0][i] : v[i][0]) + d1 * (back ? v[1][i] : v[i][1])) +
		                    d2 * (back ? v[2][i] : v[i][2])) +
		                   d3 * (back ? v[3][i] : v[i][3]);
		x[3 - i] = x[3 - i] + c;
		x[4 + i] = x[4 + i] - c;
	}
}

static inline void tdlt_edge_forward(xc_eight x[8])
{
	tdlt_edge(x, 0);
}

static inline void tdlt_edge_back(xc_eight x[8])
{
	tdlt_edge(x, 1);
}

static inline void lot_edge_forward(xc_eight x[8])
{
	xc_eight t[8];

	memcpy(t, x, sizeof t);
	dct_forward(t);
	for (int i = 0; i < 4; i++) {
		x[i] = (t[2 * i] + t[2 * i + 1]) * K(0.5);
		x[4 + i] = (t[2 * i] - t[2 * i + 1]) * K(0.5);
	}
}

static inline void lot_edge_back(xc_eight x[8])
{
	xc_eight t[8];

	for (int i = 0; i < 4; i++) {
		t[2 * i] = (x[i] + x[4 + i]) * K(0.5);
		t[2 * i + 1] = (x[i] - x[4 + i]) * K(0.5);
	}
	dct_back(t);
	memcpy(x, t, sizeof t);
}

/* Turns (a, b) by an angle of cosine c and sine s. */
static inline void turn(xc_eight *a, xc_eight *b, xc_real c, xc_real s)
{
	const xc_eight p = *a, q = *b;

	*a = p * c - q * s;
	*b = p * s + q * c;
}
#define COS_13 K(0.91775462568398114115) /* of 0.13 pi and 0.16 pi */
#define SIN_13 K(0.39714789063478061375)
#define COS_16 K(0.87630668004386358731)
#define SIN_16 K(0.48175367410171527499)

static inline void lot_block_forward(xc_eight x[8])
{
	xc_eight p[4], q[4];

	for (int i = 0; i < 4; i++) {
		p[i] = x[i] + x[4 + i];
		q[i] = x[i] - x[4 + i];
	}
	turn(&q[0], &q[1], COS_13, SIN_13);
	turn(&q[1], &q[2], COS_16, SIN_16);
	turn(&q[2], &q[3], COS_13, SIN_13);
	for (int i = 0; i < 4; i++) {
		x[2 * i] = p[i];
		x[2 * i + 1] = q[i];
	}
}

static inline void lot_block_back(xc_eight x[8])
{
	xc_eight p[4], q[4];

	for (int i = 0; i < 4; i++) {
		p[i] = x[2 * i];
		q[i] = x[2 * i + 1];
	}
	turn(&q[2], &q[3], COS_13, -SIN_13);
	turn(&q[1], &q[2], COS_16, -SIN_16);
	turn(&q[0], &q[1], COS_13, -SIN_13);
	for (int i = 0; i < 4; i++) {
		x[i] = p[i] + q[i];
		x[4 + i] = p[i] - q[i];
	}
}

#endif
