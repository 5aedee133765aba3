/* SPDX-License-Identifier: BSD-2-Clause */
/* The stages of Butteraugli (butteraugli.c), by rows. The makefile compiles this file once per SIMD
 * level; XC_BUTTER_STEP is the function's name. All levels give the same bits: each operation is
 * rounded once, in the same order. After the last column the blurs' scale and so the blurs are 0,
 * which makes the pictures equal there. */
#include "src/metrics/butteraugli.h"
#include "src/pixels/vec.h"

V_INLINE vf square(vf x)
{
	return x * x;
}

/* The nearest value to x between two others, of which either may be the larger. */
V_INLINE vf between(vf x, vf a, vf b)
{
	return v_min(v_max(x, v_min(a, b)), v_max(a, b));
}

V_INLINE vf within(vf x, float limit)
{
	return v_min(v_max(x, v_splat(-limit)), v_splat(limit));
}

/* Finds the rows about y; outside of the picture one such row, or with NULL its mirror image. */
V_INLINE void rows_around(const xc_rings *r, int ring, uint32_t y, int reach, const float *outside,
                          const float **rows)
{
	const int64_t height = r->height;
	const int64_t n = xc_ring_rows[ring], middle = y % n; /* one division for all rows */

	for (int k = -reach; k <= reach; k++) {
		int64_t at = (int64_t)y + k;
		if (!outside)
			at = at < 0 ? -1 - at : at < height ? at : 2 * height - 1 - at;
		const int64_t slot = middle + at - y,
					  inside = slot < 0 ? slot + n : slot - (slot < n ? 0 : n);
		rows[k] = at >= 0 && at < height ? xc_ring_slot(r, ring, (uint32_t)inside) : outside;
	}
}

V_INLINE void set_rows(const xc_rings *r, int ring, int n, uint32_t y, float **rows)
{
	for (int i = 0; i < n; i++)
		rows[i] = xc_ring_row(r, ring + i, y);
}

/* Blurs row y of n rings, down, then across. Weights outside of the picture are left out, except
 * that the soft blur mirrors the picture. Sets the rows of what is blurred and of the result. */
V_INLINE void blur(const xc_rings *r, int which, int from, int n, uint32_t y, int to, float **in,
                   float **out)
{
	const int reach = xc_blur_reach[which];
	const int mirrored = which == XC_SOFT_BLUR;
	const float *weight = r->weight[which] + XC_MAX_REACH;
	const float *scale = xc_ring_row(r, XC_RING_SCALE + which, 0);
	const float *outside = mirrored ? NULL : xc_ring_row(r, XC_RING_ZERO, 0);
	const float *all[2 * XC_MAX_REACH + 1], **rows = all + reach;
	set_rows(r, from, n, y, in);
	set_rows(r, to, n, y, out);
	const size_t ring = xc_ring_rows[from] * r->stride; /* from one ring to the next */
	float weights = 0;
	rows_around(r, from, y, reach, outside, rows);
	for (int k = -reach; k <= reach; k++)
		weights += rows[k] == outside ? 0 : weight[k];
	/* All rows are blurred down first: a narrow one would wait for its own values to be stored. */
	for (int i = 0; i < n; i++) {
		float *work = xc_ring_row(r, XC_RING_WORK + i, 0);
		for (int k = -reach; k <= reach && i; k++)
			rows[k] = rows[k] == outside ? outside : rows[k] + ring;
		for (size_t x = 0; x < r->padded; x += XC_LANES) {
			vf sum = v_load(rows[0] + x) * weight[0];
			for (int k = 1; k <= reach; k++)
				sum += (v_load(rows[-k] + x) + v_load(rows[k] + x)) * weight[k];
			v_store(work + x, sum * (1 / weights));
		}
		for (int k = 0; k < reach; k++) {
			work[-1 - k] = mirrored ? work[k] : 0;
			work[r->width + k] = mirrored ? work[r->width - 1 - k] : 0;
		}
	}
	for (int i = 0; i < n; i++) {
		const float *work = xc_ring_row(r, XC_RING_WORK + i, 0);
		for (size_t x = 0; x < r->padded; x += XC_LANES) {
			vf sum = v_load(work + x) * weight[0];
			for (int k = 1; k <= reach; k++)
				sum += (v_load(work + x - k) + v_load(work + x + k)) * weight[k];
			v_store(out[i] + x, sum * v_load(scale + x));
		}
	}
}

/* The natural logarithm of normal numbers: for m from sqrt(0.5) to sqrt(2) and s = (m - 1) / (m +
 * 1) it is 2 (s + s^3 / 3 + s^5 / 5 + s^7 / 7) but for 3e-8. */
V_INLINE vf logarithm(vf x)
{
	vi bits;
	vf m;

	memcpy(&bits, &x, sizeof bits);
	const vi exponent = (bits - 0x3F3504F3) >> 23;
	bits -= exponent << 23;
	memcpy(&m, &bits, sizeof m);
	const vf s = (m - 1) / (m + 1), s2 = s * s;
	const vf series = s + s * s2 * (0.333333333f + s2 * (0.2f + s2 * 0.142857143f));
	return V_CONVERT(vf, exponent) * 0.693147181f + 2 * series;
}

/* The light that each kind of receptor takes in; `own` is there in the dark. */
static const float own[3] = {1.75574836f, 1.75574836f, 12.2264547f};

V_INLINE void absorb(float *const rgb[3], size_t x, vf light[3])
{
	const vf r = v_load(rgb[0] + x), g = v_load(rgb[1] + x), b = v_load(rgb[2] + x);

	light[0] = r * 0.299565503f + g * 0.633730878f + b * 0.0777056178f + own[0];
	light[1] = r * 0.221586911f + g * 0.693913880f + b * 0.0987313589f + own[1];
	light[2] = r * 0.02f + g * 0.02f + b * 0.204801290f + own[2];
}

/* Receptors answer to a pixel by the sensitivity that the light around it gives them. */
static void make_opsin(const xc_rings *r, uint32_t y)
{
	float *in[6], *soft[6], *to[5];

	blur(r, XC_SOFT_BLUR, XC_RING_LINEAR, 6, y, XC_RING_SPARE, in, soft);
	set_rows(r, XC_RING_OPSIN, 5, y, to);
	for (size_t x = 0; x < r->padded; x += XC_LANES) {
		vf around[3], light[2][3];
		for (int i = 0; i < 2; i++) {
			absorb(soft + 3 * i, x, around);
			absorb(in + 3 * i, x, light[i]);
			for (int c = 0; c < 3; c++) {
				const vf answer = 19.2450133f * logarithm(around[c] + 9.97106358f);
				light[i][c] *= (answer - 23.1604624f) / around[c];
				light[i][c] = v_max(light[i][c], v_splat(own[c]));
			}
			v_store(to[2 * i] + x, light[i][0] - light[i][1]);
			v_store(to[2 * i + 1] + x, light[i][0] + light[i][1]);
		}
		v_store(to[4] + x, light[0][2] - light[1][2]);
	}
}

/* Splits off the low frequencies, and weighs their differences. */
static void make_low(const xc_rings *r, uint32_t y)
{
	float *dc = xc_ring_row(r, XC_RING_DC, y), *from[5], *to[5];

	blur(r, XC_LOW_BLUR, XC_RING_OPSIN, 5, y, XC_RING_OVER_LOW, from, to);
	for (size_t x = 0; x < r->padded; x += XC_LANES) {
		const vf dx = (v_load(to[0] + x) - v_load(to[2] + x)) * 33.8328372f;
		const vf dy = v_load(to[1] + x) - v_load(to[3] + x);
		const vf db = (v_load(to[4] + x) - 0.362267052f * dy) * 49.8798465f;
		v_store(dc + x, 29.2353798f * square(dx) + 0.703646628f * square(db) +
		                    0.844626971f * square(dy * 14.4582681f));
		for (int i = 0; i < 5; i++)
			v_store(to[i] + x, v_load(from[i] + x) - v_load(to[i] + x));
	}
}

/* What the Malta filters see: the difference of the pictures' values u and v, less where they are
 * large, and what v lacks from 0.55, or exceeds 1.05, of u. Bias and weight of each band; a weight
 * is f / 8.5 * bias * sqrt(w), where f is 0.611612573796, but 0.39905817637 for the last two, and
 * w is 8246.75321353, 37.0819870399, 6923.99476109, 18.7237414387, 173.5, 1.10039032555. */
static const float malta_weights[6][2] = {{1009002.71f, 6593125.0f},  {130262060.0f, 57076445.5f},
                                          {8051.15833f, 48205.2359f}, {4498534.45f, 1400634.59f},
                                          {5.0f, 3.09198253f},        {71.7800275f, 3.53503966f}};

V_INLINE vf malta_input(int band, vf u, vf v)
{
	const vf size = malta_weights[band][0] + 0.5f * (v_max(u, -u) + v_max(v, -v));
	const vf excess = between(v, 0.55f * u, 1.05f * u) - v;

	/* The roots of 0.5 and 0.33, which share out the weight. */
	return (0.707106781f * (u - v) + 0.574456265f * excess) * malta_weights[band][1] / size;
}

static void make_medium(const xc_rings *r, uint32_t y)
{
	float *from[5], *to[5], *malta[2], *ac = xc_ring_row(r, XC_RING_AC, y);

	blur(r, XC_MEDIUM_BLUR, XC_RING_OVER_LOW, 5, y, XC_RING_OVER_MEDIUM, from, to);
	set_rows(r, XC_RING_MALTA, 2, y, malta);
	for (size_t x = 0; x < r->padded; x += XC_LANES) {
		vf mx[2], my[2];
		for (int i = 0; i < 2; i++) {
			mx[i] = v_load(to[2 * i] + x);
			my[i] = v_load(to[2 * i + 1] + x);
			const vf rest = v_load(from[2 * i + 1] + x) - my[i];
			/* Red against green shows less where brightness changes. */
			const vf shows = 0.653020556f + 0.346979444f * 46 / (46 + square(rest));
			v_store(to[2 * i] + x, (v_load(from[2 * i] + x) - mx[i]) * shows);
			v_store(to[2 * i + 1] + x, rest);
			mx[i] -= within(mx[i], 0.29f);
			my[i] += within(my[i], 0.1f);
		}
		v_store(ac + x, 2150 * square(mx[0] - mx[1]) + 10.6195433f * square(my[0] - my[1]) +
		                    16.2176043f * square(v_load(to[4] + x)));
		v_store(malta[0] + x, malta_input(0, mx[0], mx[1]));
		v_store(malta[1] + x, malta_input(1, my[0], my[1]));
	}
}

V_INLINE vf soft_limit(vf v, float limit)
{
	const vf inside = within(v, limit);

	return inside + (v - inside) * 0.724216146f;
}

static void make_high(const xc_rings *r, uint32_t y)
{
	float *ac = xc_ring_row(r, XC_RING_AC, y), *from[4], *low[4], *malta[4], *activity[2];

	blur(r, XC_HIGH_BLUR, XC_RING_OVER_MEDIUM, 4, y, XC_RING_SPARE, from, low);
	set_rows(r, XC_RING_MALTA + 2, 4, y, malta);
	set_rows(r, XC_RING_ACTIVITY, 2, y, activity);
	for (size_t x = 0; x < r->padded; x += XC_LANES) {
		vf band[4][2]; /* X and Y of the high frequencies, and of the highest */
		for (int i = 0; i < 2; i++) {
			const vf hx = v_load(low[2 * i] + x), ux = v_load(from[2 * i] + x) - hx;
			const vf hy = soft_limit(v_load(low[2 * i + 1] + x), 28.4691807f);
			const vf uy = soft_limit(v_load(from[2 * i + 1] + x) - hy, 5.19175295f);
			band[0][i] = hx - within(hx, 1.5f);
			band[1][i] = 2.155f * hy + within(2.155f * hy, 0.132f);
			band[2][i] = ux - within(ux, 0.04f);
			band[3][i] = uy * 2.69313764f;
			const vf sum = square(2.5f * (band[0][i] + band[2][i])) +
			               square(0.4f * (band[1][i] + band[3][i]));
			/* The root of 6.19424080 * (root + 12.6105059), but 0 for 0. */
			v_store(activity[i] + x, v_sqrt(6.19424080f * v_sqrt(sum) + 78.1125105f) - 8.83812822f);
		}
		vf sum = v_load(ac + x);
		for (int i = 0; i < 4; i++) {
			const vf u = band[i][0], v = band[i][1], excess = between(v, 0.4f * u, u) - v;
			v_store(malta[i] + x, malta_input(2 + i, u, v));
			if (i < 2)
				sum += (i ? 1.20652570f : 320) * (square(u - v) + square(excess));
		}
		v_store(ac + x, sum);
	}
}

static void make_mask(const xc_rings *r, uint32_t y)
{
	float *ac = xc_ring_row(r, XC_RING_AC, y), *activity[2], *calm[2];

	blur(r, XC_MASK_BLUR, XC_RING_ACTIVITY, 2, y, XC_RING_CALM, activity, calm);
	for (size_t x = 0; x < r->padded; x += XC_LANES)
		v_store(ac + x, v_load(ac + x) + 10 * square(v_load(calm[0] + x) - v_load(calm[1] + x)));
	for (int k = 0; k < XC_CALM_REACH; k++)
		*(calm[0] - 1 - k) = *(calm[0] + r->width + k) = __builtin_inff();
}

/* The two pixels on opposite sides of x. */
#define PAIR(down, right) (v_load(row[down] + x + (right)) + v_load(row[-(down)] + x - (right)))

/* The sum of the squares of 16 lines of 5 pixels about x. */
V_INLINE vf sparse_lines(const float *const *row, size_t x)
{
	const vf middle = v_load(row[0] + x), a = middle + PAIR(2, 1), c = middle + PAIR(2, -1);
	const vf d = middle + PAIR(1, 2), e = middle + PAIR(-1, 2);
	vf sum = square(middle + PAIR(0, 2) + PAIR(0, 4)) + square(middle + PAIR(2, 0) + PAIR(4, 0));

	sum += square(middle + PAIR(2, 2) + PAIR(3, 3)) + square(middle + PAIR(2, -2) + PAIR(3, -3));
	sum += square(a + PAIR(4, 1)) + square(a + PAIR(3, 2)) + square(a + PAIR(4, 2));
	sum += square(c + PAIR(4, -1)) + square(c + PAIR(3, -2)) + square(c + PAIR(4, -2));
	sum += square(d + PAIR(1, 4)) + square(d + PAIR(2, 3)) + square(d + PAIR(2, 4));
	sum += square(e + PAIR(-1, 4)) + square(e + PAIR(-2, 3)) + square(e + PAIR(-2, 4));
	return sum;
}

/* The same of 16 lines of 7 or 9 pixels, of which 4 count twice. */
V_INLINE vf dense_lines(const float *const *row, size_t x)
{
	const vf middle = v_load(row[0] + x), across = middle + PAIR(0, 1), down = middle + PAIR(1, 0);
	const vf right = middle + PAIR(1, 1), left = middle + PAIR(1, -1);
	const vf a = PAIR(2, 1), c = PAIR(2, -1), d = PAIR(1, 2), e = PAIR(-1, 2);
	vf twice = square(down + a + PAIR(3, 1) + PAIR(4, 1));

	twice += square(down + c + PAIR(3, -1) + PAIR(4, -1));
	twice += square(across + d + PAIR(1, 3) + PAIR(1, 4));
	twice += square(across + e + PAIR(-1, 3) + PAIR(-1, 4));
	vf sum = 2 * twice + square(across + PAIR(0, 2) + PAIR(0, 3) + PAIR(0, 4));
	sum += square(down + PAIR(2, 0) + PAIR(3, 0) + PAIR(4, 0));
	sum += square(right + PAIR(2, 2) + PAIR(3, 3)) + square(left + PAIR(2, -2) + PAIR(3, -3));
	sum += square(right + a + PAIR(3, 2)) + square(left + c + PAIR(3, -2));
	sum += square(right + d + PAIR(2, 3)) + square(left + e + PAIR(-2, 3));
	return sum;
}

/* Weighs the three calmest of a place and its eight neighbours at a distance of 3. */
V_INLINE vf calmest(const float *const *row, size_t x)
{
	vf first = v_load(row[0] + x), second = 2 * first, third = second;

	for (int i = 0; i < 9; i += i == 3 ? 2 : 1) {
		const vf v = v_load(row[i / 3 * 3 - 3] + x + i % 3 * 3 - 3);
		third = v_min(third, v_max(second, v));
		second = v_min(second, v_max(first, v));
		first = v_min(first, v);
	}
	return 0.45f * first + 0.3f * second + 0.25f * third;
}

static void make_end(const xc_rings *r, uint32_t y)
{
	const float scale = (float)(1 / (17.83 * 0.79079917404));
	float *ac = xc_ring_row(r, XC_RING_AC, y), *result = xc_ring_row(r, XC_RING_RESULT, 0);
	const float *all[2 * XC_MALTA_REACH + 1], **rows = all + XC_MALTA_REACH;
	const float *dc = xc_ring_row(r, XC_RING_DC, y);

	for (int i = 0; i < 6; i++) {
		rows_around(r, XC_RING_MALTA + i, y, XC_MALTA_REACH, xc_ring_row(r, XC_RING_ZERO, 0), rows);
		for (size_t x = 0; x < r->padded; x += XC_LANES)
			v_store(ac + x,
			        v_load(ac + x) + (i < 4 ? sparse_lines(rows, x) : dense_lines(rows, x)));
	}
	rows_around(r, XC_RING_CALM, y, XC_CALM_REACH, xc_ring_row(r, XC_RING_INFINITE, 0), rows);
	for (size_t x = 0; x < r->padded; x += XC_LANES) {
		const vf mask = calmest(rows, x);
		const vf shows = 1 + 2.54859448f / (0.451936922f * mask + 0.829591755f);
		const vf dc_shows = 1 + 0.505054525f / (3.87449419f * mask + 0.200255785f);
		v_store(result + x, v_sqrt(v_load(dc + x) * square(scale * dc_shows) +
		                           v_load(ac + x) * square(scale * shows)));
	}
}

void XC_BUTTER_STEP(const xc_rings *r, uint32_t t)
{
	static const struct {
		void (*make)(const xc_rings *r, uint32_t y);
		uint32_t delay; /* it is as far behind the stage before as it reaches */
	} stages[6] = {{make_opsin, 2}, {make_low, 18},  {make_medium, 25},
	               {make_high, 28}, {make_mask, 34}, {make_end, XC_BUTTER_DELAY}};

	for (int i = 0; i < 6; i++) /* a row before the first one has a number beyond the last */
		if (t - stages[i].delay < r->height)
			stages[i].make(r, t - stages[i].delay);
}
