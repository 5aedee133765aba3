/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of the inverse transforms.  Numbers in brackets are sections of doc/format.md. */
#include "tests/format/refdec_internal.h"

#include <float.h>
#include <string.h>

/* [6.1] Each operation rounds to binary32 by itself. */
_Static_assert(FLT_EVAL_METHOD == 0 && sizeof(float) == 4, "no plain binary32 arithmetic");

/* [6.4.1] Eight values that lie `step` apart. */
void refdec_idct(float *x, uint64_t step)
{
#define X(i) x[(uint64_t)(i)*step]
	const float a = X(0) + X(4), b = X(0) - X(4), c = X(2) + X(6);
	const float d = (X(2) - X(6)) * 1.414213562373095049f - c;
	const float e0 = a + c, e3 = a - c, e1 = b + d, e2 = b - d;

	const float p = X(5) + X(3), m = X(5) - X(3), s = X(1) + X(7), t = X(1) - X(7);
	const float o3 = s + p;
	const float r = (s - p) * 1.414213562373095049f;
	const float q = (m + t) * 1.847759065022573512f;
	const float o0 = q - t * 1.082392200292393968f;
	const float o2 = q - m * 2.613125929752753055f;
	const float w2 = o2 - o3, w1 = r - w2, w0 = o0 - w1;

	X(0) = e0 + o3;
	X(7) = e0 - o3;
	X(1) = e1 + w2;
	X(6) = e1 - w2;
	X(2) = e2 + w1;
	X(5) = e2 - w1;
	X(3) = e3 + w0;
	X(4) = e3 - w0;
#undef X
}

/* [6.4.2] */
void refdec_lot_block(float *x, uint64_t step)
{
	static const float c = 0.917754625683981141f, s = 0.397147890634780614f;
	static const float big_c = 0.876306680043863587f, big_s = 0.481753674101715275f;
	float p[4], q[4];
	for (int i = 0; i < 4; i++) {
		p[i] = x[(uint64_t)(2 * i) * step];
		q[i] = x[(uint64_t)(2 * i + 1) * step];
	}
	const float q2 = q[2] * c + q[3] * s;
	q[3] = q[3] * c - q[2] * s;
	const float q1 = q[1] * big_c + q2 * big_s;
	q[2] = q2 * big_c - q[1] * big_s;
	const float q0 = q[0] * c + q1 * s;
	q[1] = q1 * c - q[0] * s;
	q[0] = q0;
	for (uint64_t i = 0; i < 4; i++) {
		x[i * step] = p[i] + q[i];
		x[(4 + i) * step] = p[i] - q[i];
	}
}

/* [6.4.3] */
static void tdlt_edge(float x[8])
{
	static const float m[4][4] = {{-0.0901872797501459194f, 0.278002888097743312f,
	                               0.0645491460975078198f, 0.0245221587306468680f},
	                              {-0.279469827672189238f, -0.135000083487806722f,
	                               0.195932091377484742f, 0.0168015456258170340f},
	                              {0.0590345110821556215f, -0.198492624008899047f,
	                               -0.0536346092188612778f, 0.0887329850064450224f},
	                              {-0.0215656264361602830f, 0.00949385956644505739f,
	                               -0.0905646797561281805f, -0.00883523215969719670f}};
	float d[4];
	for (int i = 0; i < 4; i++)
		d[i] = x[3 - i] - x[4 + i];
	for (int j = 0; j < 4; j++) {
		float c = d[0] * m[0][j];
		for (int i = 1; i < 4; i++)
			c = c + d[i] * m[i][j];
		x[3 - j] = x[3 - j] + c;
		x[4 + j] = x[4 + j] - c;
	}
}

/* [6.4.3] */
static void lot_edge(float x[8])
{
	static const float even[4] = {0.176776695296636881f, 0.230969883127821689f,
	                              0.176776695296636881f, 0.0956708580912724486f};
	static const float odd[4] = {0.245196320100807612f, 0.207867403075636307f,
	                             0.138892558254900579f, 0.0487725805040320585f};
	float t[8];
	for (int i = 0; i < 4; i++) {
		t[2 * i] = (x[i] + x[4 + i]) * even[i];
		t[2 * i + 1] = (x[i] - x[4 + i]) * odd[i];
	}
	refdec_idct(t, 1);
	memcpy(x, t, sizeof t);
}

/* [6.4.3] All edges of one row or column of `blocks` blocks, whose samples are `step`
 * apart. */
void refdec_edges(const refdec *d, float *line, uint64_t blocks, uint64_t step)
{
	for (uint64_t k = d->transform == 2; k <= blocks - (d->transform == 2); k++) {
		float x[8];
		for (uint64_t i = 0; i < 8; i++) {
			const uint64_t at = k == 0 ? i % 4 : k == blocks ? 8 * k - 4 + i % 4 : 8 * k - 4 + i;
			x[i] = line[at * step];
		}
		if (d->transform == 2)
			tdlt_edge(x);
		else
			lot_edge(x);
		for (uint64_t i = k ? 0 : 4; i < (k == blocks ? 4 : 8); i++)
			line[(8 * k - 4 + i) * step] = x[i];
	}
}
