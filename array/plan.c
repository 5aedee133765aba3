/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the plan of array/plan.h; array/slab_encode.c and slab_decode.c call it. */
#include "array/plan.h"

#include <string.h>

void xc_plan_make(xc_array_plan *p)
{
	uint32_t step[3];
	int doublings[3] = {0, 0, 0}; /* that a dimension has had, and its lag */

	for (int k = 0; k < 3; k++) {
		p->top[k] = 1;
		while (p->top[k] < XC_ARRAY_TOP && 2 * p->top[k] < p->size[k])
			p->top[k] *= 2;
		if (p->size[k] == 2)
			p->top[k] = 2;
		step[k] = p->top[k];
		/* A dimension of smaller distances is as if it had begun at XC_ARRAY_TOP. */
		for (uint32_t s = step[k]; s < XC_ARRAY_TOP; s *= 2)
			doublings[k]++;
		doublings[k] += p->lag[k];
	}
	for (p->passes = 0; step[0] * step[1] * step[2] > 1; p->passes++) {
		int next = -1;
		for (int i = 0; i < 3; i++) {
			const int k = p->order[i];
			if (step[k] > 1 && (next < 0 || doublings[k] < doublings[next]))
				next = k;
		}
		step[next] /= 2;
		doublings[next]++;
		xc_pass *pass = &p->pass[p->passes];
		memset(pass, 0, sizeof *pass);
		pass->d = next;
		memcpy(pass->step, step, sizeof step);
		xc_pass_cubic(pass);
	}
}

void xc_pass_cubic(xc_pass *p)
{
	static const int16_t weights[4] = {-256, 2304, 2304, -256};

	p->fitted = 0;
	p->taps = 4;
	memset(p->tap, 0, sizeof p->tap);
	for (int i = 0; i < 4; i++) {
		p->tap[i].offset[p->d] = (int8_t)(2 * i - 3);
		p->tap[i].weight = weights[i];
	}
}
