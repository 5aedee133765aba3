/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SSIMULACRA2, version 2.1, by Jon Sneyers (github.com/cloudinary/ssimulacra2, 2023), as libjxl's
 * program computes it: 100 for equal pictures, 90 where no difference is seen, 70 high, 50 medium,
 * 30 low quality, below 0 very low.
 *
 * On up to six scales, halved in linear light, the planes X, Y and B - Y of both pictures are
 * compared by three maps: SSIM without its luminance denominator, edges that only the second
 * picture has, and edges that it lacks. Means and 4-norms of the maps are weighed and added. Every
 * blur is Charalampidis's recursion ("Recursive implementation of the Gaussian filter using
 * truncated cosine functions", 2016) with sigma 1.5: nine taps, and zeros outside of the picture.
 *
 * A scale is cut into cells: strips of 128 columns by bands of 64 rows. A cell needs the state of
 * the rows' blur from the cell to its left and of the columns' blur from the cell above. So the
 * cells of a diagonal can be done at the same time, and the result never depends on threads. Only
 * strips and bands that the diagonal meets have memory: as many as there are of the fewer of both.
 */
#include "src/metrics/ssimulacra2.h"

#include <math.h>
#include <string.h>

#include "geometry/geometry.h"
#include "src/core/parallel.h"

enum { SCALES = 6, MIN_SIZE = XC_SSIMULACRA2_MIN, BAND = 64, DELAY = XC_BLUR_AHEAD };

/* Mean of structure, artefacts and lost detail, then their 4-norms: X, Y and B, finest scale
 * first. */
static const double weights[3 * SCALES][XC_ERROR_SUMS] = {
	{0, 0.00073766067074, 0, 0, 0.00077934816829, 0},
	{0, 0.00043711557301, 0, 1.1041726427, 0.00066284834129, 0.00015231632784},
	{0, 0.0016406437457, 0, 1.8422455521, 11.441172604, 0},
	{0.0007989109436, 0.00017681643808, 0, 1.878759498, 10.949069906, 0},
	{0.00072893469915, 0.96779370806, 0, 0.00014003424285, 0.99817669779, 0.00031949755934},
	{0.00045509921138, 0, 0, 0.0013648766163, 0, 0},
	{0, 0, 0, 7.4668903281, 0, 17.445833984},
	{0.0006235601634, 0, 0, 6.6836781462, 0.0003772440798, 1.0278899378},
	{225.20515301, 0, 0, 19.213238186, 0.0011401524587, 0.0012377556355},
	{176.39317598, 0, 0, 24.433009999, 0.28520802612, 0.00044854369238},
	{0, 0, 0, 34.779063445, 44.835625329, 0},
	{0, 0, 0, 0, 0, 0},
	{0, 0.00086805565733, 0, 0, 0, 0},
	{0, 0.00053131918744, 0, 0.00016533814161, 0, 0},
	{0, 0, 0, 0.00041791718033, 0.0017290828235, 0},
	{0.0020827005847, 0, 0, 8.826982765, 23.19243344, 0},
	{95.108049881, 0.98639780344, 0.98343827925, 0.0012286405048, 171.26672559, 0.98078588724},
	{0, 0, 0, 0.0005130064589, 0, 0.00010854057858},
};

static const xc_ssimulacra2_level *level_of(xc_cpu cpu)
{
	static const xc_ssimulacra2_level *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &xc_ssimulacra2_scalar,
	     XC_CPU_ENTRY_SSE2(&xc_ssimulacra2_sse2) XC_CPU_ENTRY_NEON(&xc_ssimulacra2_neon)
	         XC_CPU_ENTRY_AVX2(&xc_ssimulacra2_avx2) XC_CPU_ENTRY_AVX512(&xc_ssimulacra2_avx512)};

	return levels[cpu];
}

/* Sets the factors of y[n] = f (x[n - 6] + x[n + 4]) - d y[n - 1] - y[n - 2] for four outputs at
 * once: f and d by the paper's equations 33, 37, 44 and 50 to 56, radius 5. */
static void set_blur(xc_blur *blur)
{
	static const double f[] = {0.055295235726086613, -0.058836687026949989, 0.012955819110517068};
	static const double d[] = {-1.9021130325903071, -1.1755705045849463, -1.2246467991473532e-16};

	for (int t = 0; t < XC_BLUR_TERMS; t++) {
		/* Responses of a step's outputs to an input, and to the outputs before it. */
		double input[4] = {f[t], -d[t] * f[t]}, last[4] = {-d[t], d[t] * d[t] - 1};
		double second[4] = {-1, d[t]};
		for (int i = 2; i < 4; i++) {
			input[i] = -d[t] * input[i - 1] - input[i - 2];
			last[i] = -d[t] * last[i - 1] - last[i - 2];
			second[i] = -d[t] * second[i - 1] - second[i - 2];
		}
		for (int i = 0; i < 16; i++) {
			for (int k = 0; k < 4; k++)
				blur->input[t][k][i] = i % 4 >= k ? (float)input[i % 4 - k] : 0;
			blur->last[t][i] = (float)last[i % 4];
			blur->second[t][i] = (float)second[i % 4];
		}
	}
}

/* ----------------------------------------------------------------- pictures */

/* Red, green and blue of both pictures in linear light. */
typedef struct scale {
	uint32_t width, height;
	const xc_picture *picture[2]; /* of the finest scale, whose planes are NULL */
	uint32_t depth, peak;         /* of the samples; the peak is white */
	float background;             /* of transparent pixels, as an sRGB sample of 0 to 1 */
	float *plane[6];
} scale;

/* A piece of a row in linear light: red, green and blue of both pictures. */
typedef float light[6][XC_STRIP_INPUT];

/* Loads n samples, a multiple of 16, of a picture's row from (x, y) on. Those past the picture's edge
 * repeat the last one. */
static void load_picture(const xc_ssimulacra2_level *level, const scale *s, int picture, uint32_t x,
                         uint32_t y, uint32_t n, float to[3][XC_STRIP_INPUT])
{
	const xc_picture *p = s->picture[picture];
	const uint32_t inside = xc_min_u32(p->width - x, n);
	const float unit = 1.0f / (float)s->peak;
	xc_span span;

	xc_span_load(p, x, y, inside, s->depth, &span);
	for (int c = 0; c < 3; c++) {
		for (uint32_t i = 0; i < inside; i++)
			to[c][i] = (float)xc_min_u32(span.sample[c][i], s->peak) * unit;
		for (uint32_t i = 0; i < inside && p->channels % 2 == 0; i++) {
			const float alpha = (float)xc_min_u32(span.sample[3][i], s->peak) * unit;
			to[c][i] = alpha * to[c][i] + (1 - alpha) * s->background;
		}
		for (uint32_t i = inside; i < n; i++)
			to[c][i] = to[c][inside - 1];
		level->linear(to[c], n);
	}
}

/* The same for both pictures of any scale. */
static void load_row(const xc_ssimulacra2_level *level, const scale *s, uint32_t x, uint32_t y,
                     uint32_t n, light to)
{
	const uint32_t inside = xc_min_u32(s->width - x, n);

	for (int k = 0; k < 6; k += 3)
		if (s->picture[k / 3])
			load_picture(level, s, k / 3, x, y, n, to + k);
	for (int k = 0; k < 6 && s->plane[k]; k++) {
		memcpy(to[k], s->plane[k] + (size_t)y * s->width + x, inside * sizeof(float));
		for (uint32_t i = inside; i < n; i++)
			to[k][i] = to[k][inside - 1];
	}
}

/* ----------------------------------------------------------------- a scale */

typedef struct comparison {
	xc_context *context;
	const xc_ssimulacra2_level *level;
	xc_blur blur;
	scale now, next; /* `next` is made of `now`, unless its width is 0 */
	uint32_t strips, bands, diagonal;
	uint32_t slots;    /* of the next two, which strip or band number n modulo that uses */
	xc_strip *strip;   /* one a slot */
	xc_row_state *row; /* BAND a slot */
} comparison;

/* Makes a row of the next scale from the rows y and y + 1, which are the same at a lower edge. */
static void halve_row(const comparison *c, uint32_t x, uint32_t y, light upper, light lower)
{
	const uint32_t at = x / 2, n = xc_min_u32(c->next.width - at, XC_STRIP / 2);
	float half[XC_STRIP / 2];

	for (int k = 0; k < 6; k++) {
		const uint32_t from = x ? XC_STRIP_BEFORE : 0;
		c->level->halve(upper[k] + from, lower[k] + from, half, n);
		memcpy(c->next.plane[k] + (size_t)(y / 2) * c->next.width + at, half, n * sizeof *half);
	}
}

/* Loads the piece of row y of a strip of these columns; samples outside of the picture are 0 as X, Y
 * and B. rows: by even and odd rows. */
static void load_strip(const comparison *c, uint32_t x, uint32_t y, uint32_t columns, light rows[2],
                       xc_strip_input input)
{
	const scale *s = &c->now;
	const uint32_t all = columns + 2 * XC_STRIP_BEFORE;
	const uint32_t left = x ? 0 : XC_STRIP_BEFORE, from = x ? x - XC_STRIP_BEFORE : 0;
	const uint32_t room = all - left, n = xc_min_u32(s->width - from, room);

	load_row(c->level, s, from, y, all, rows[y % 2]);
	if (c->next.width && (y % 2 || y + 1 == s->height))
		halve_row(c, x, y, rows[0], rows[y % 2]);
	for (int k = 0; k < 6; k++) {
		memset(input[k], 0, left * sizeof(float));
		memcpy(input[k] + left, rows[y % 2][k], room * sizeof(float));
	}
	c->level->xyb(input, all);
	for (int k = 0; k < 6; k++) {
		memset(input[k], 0, left * sizeof(float));
		memset(input[k] + left + n, 0, (room - n) * sizeof(float));
	}
}

/* Rows of a ring by row of the picture; NULL: outside. */
static const float (*ring_row(const comparison *c, const xc_strip *s, int64_t y))[XC_STRIP]
{
	return y < 0 || y >= c->now.height ? NULL : s->across[y % XC_BLUR_ROWS];
}

/* Row y of the strip's input, after which the errors of row y - DELAY can be added. */
static void do_row(const comparison *c, xc_strip *s, uint32_t x, uint32_t y, xc_row_state state,
                   light rows[2])
{
	_Alignas(64) xc_strip_input input;
	const uint32_t slot = y % XC_BLUR_ROWS;
	const int64_t out = (int64_t)y - DELAY;
	const uint32_t n = xc_min_u32(c->now.width - x, XC_STRIP);

	if (y < c->now.height) {
		load_strip(c, x, y, s->columns, rows, input);
		memset(input[XC_BLURRED], 0, sizeof input[XC_BLURRED]);
		for (int k = 0; k < 6; k++)
			memcpy(s->plain[slot][k], input[k] + XC_STRIP_BEFORE, s->columns * sizeof(float));
		c->level->across(&c->blur, input, x, n, c->now.width, state, s->across[slot]);
	}
	c->level->down(&c->blur, s, ring_row(c, s, out - XC_BLUR_BEHIND),
	               ring_row(c, s, out + XC_BLUR_AHEAD),
	               (const void *)s->plain[(out + XC_BLUR_ROWS) % XC_BLUR_ROWS], out);
}

/* The rings keep what they held, of which nothing counts. */
static void start_strip(const comparison *c, xc_strip *s, uint32_t x)
{
	const uint32_t n = xc_min_u32(c->now.width - x, XC_STRIP);

	s->columns = (n + 15) / 16 * 16;
	for (uint32_t i = 0; i < XC_STRIP; i++)
		s->inside[i] = i < n;
	memset(s->down, 0, sizeof s->down);
	memset(s->sums, 0, sizeof s->sums);
}

static void do_cell(void *user, uint64_t item, int worker)
{
	const comparison *c = user;
	const uint32_t first = c->diagonal < c->bands ? 0 : c->diagonal - c->bands + 1;
	const uint32_t column = first + (uint32_t)item, band = c->diagonal - column;
	/* The last band also adds the errors that wait for rows below the picture. */
	const uint32_t end = band + 1 < c->bands ? (band + 1) * BAND : c->now.height + DELAY;
	xc_strip *strip = &c->strip[column % c->slots];
	xc_row_state *row = c->row + (size_t)(band % c->slots) * BAND;
	light rows[2];

	(void)worker;
	if (!band)
		start_strip(c, strip, column * XC_STRIP);
	if (!column)
		memset(row, 0, BAND * sizeof *row);
	for (uint32_t y = band * BAND; y < end; y++)
		do_row(c, strip, column * XC_STRIP, y, row[y % BAND], rows);
}

/* Adds the sums of the strip whose last cell is on the diagonal. */
static void add_strip(const comparison *c, double sums[3][XC_ERROR_SUMS])
{
	const xc_strip *s = &c->strip[(c->diagonal + 1 - c->bands) % c->slots];

	for (int p = 0; p < 3; p++)
		for (int k = 0; k < XC_ERROR_SUMS; k++)
			for (int slot = 0; slot < XC_SUM_SLOTS; slot++)
				sums[p][k] += s->sums[p][k][slot];
}

static void make_norms(const comparison *c, double sums[3][XC_ERROR_SUMS])
{
	const double pixels = (double)c->now.width * c->now.height;

	for (int p = 0; p < 3; p++)
		for (int k = 0; k < XC_ERROR_SUMS; k++)
			sums[p][k] = k < XC_ERROR_MAPS ? sums[p][k] / pixels : sqrt(sqrt(sums[p][k] / pixels));
}

/* NULL: too many for memory, or for a size_t. */
static void *allocate(xc_context *context, size_t count, size_t size)
{
	return count <= SIZE_MAX / size ? xc_allocate_zeroed(context, count * size) : NULL;
}

static xc_status compare_scale(comparison *c, double norms[3][XC_ERROR_SUMS])
{
	const uint32_t width = c->now.width, height = c->now.height;
	xc_status status = XC_OK;

	c->strips = width / XC_STRIP + !!(width % XC_STRIP);
	c->bands = height / BAND + !!(height % BAND);
	c->slots = xc_min_u32(c->strips, c->bands);
	const uint32_t diagonals = c->strips + c->bands - 1;
	memset(norms, 0, 3 * sizeof *norms);
	c->strip = allocate(c->context, c->slots, sizeof *c->strip);
	c->row = allocate(c->context, c->slots, BAND * sizeof *c->row);
	if (!c->strip || !c->row)
		status = xc_fail_memory(c->context, 0);
	for (c->diagonal = 0; c->diagonal < diagonals && !status; c->diagonal++) {
		const uint32_t first = c->diagonal < c->bands ? 0 : c->diagonal - c->bands + 1;
		const uint32_t last = c->diagonal < c->strips ? c->diagonal : c->strips - 1;
		const uint64_t cells = last - first + 1;
		status = xc_parallel_for(c->context, cells, cells * XC_STRIP * BAND / 16, do_cell, c, 0, 0);
		if (!status)
			status = xc_report_progress(c->context, (c->diagonal + 1.0) / diagonals);
		if (c->diagonal + 1 >= c->bands)
			add_strip(c, norms);
	}
	make_norms(c, norms);
	xc_release(c->context, c->strip);
	xc_release(c->context, c->row);
	return status;
}

static void free_planes(xc_context *context, scale *s)
{
	for (int i = 0; i < 6; i++)
		xc_release(context, s->plane[i]);
}

/* Makes room for the next scale, if there is one. */
static xc_status start_next(comparison *c, int scales)
{
	const uint32_t width = c->now.width / 2 + c->now.width % 2;
	const uint32_t height = c->now.height / 2 + c->now.height % 2;

	c->next = (scale){.width = 0};
	/* As in the program the size of this scale decides, so the last one may have 4 pixels a side. */
	if (scales == SCALES || c->now.width < MIN_SIZE || c->now.height < MIN_SIZE)
		return XC_OK;
	c->next = (scale){.width = width, .height = height};
	for (int i = 0; i < 6; i++) {
		c->next.plane[i] = allocate(c->context, height, (size_t)width * sizeof(float));
		if (!c->next.plane[i])
			return xc_fail_memory(c->context, 0);
	}
	return XC_OK;
}

/* The published map from the weighed sum to a score. */
static double score_of(double sum)
{
	const double x = sum * 0.9562382616834844;
	const double y = x *
	                 (2.326765642916932 + x * (6.248496625763138e-05 * x - 0.020884521182843837));

	return y > 0 ? 100 - 10 * pow(y, 0.6276336467831387) : 100;
}

/* With one background for transparent pixels. */
static xc_status measure(xc_context *context, const xc_picture *a, const xc_picture *b,
                         uint32_t peak, float background, double *score)
{
	const uint32_t depth = a->depth > b->depth ? a->depth : b->depth;
	comparison c = {.context = context, .level = level_of(context->cpu)};
	double norms[SCALES][3][XC_ERROR_SUMS], sum = 0;
	const xc_progress_range all = context->range;
	const double *weight = weights[0];
	xc_status status = XC_OK;
	int scales = 0;

	set_blur(&c.blur);
	c.now = (scale){.width = a->width,
	                .height = a->height,
	                .picture = {a, b},
	                .depth = depth,
	                .peak = peak ? peak : xc_span_peak(depth),
	                .background = background};
	if (a->width < MIN_SIZE || a->height < MIN_SIZE)
		c.now.width = 0;
	while (c.now.width && !status) {
		status = start_next(&c, scales + 1);
		/* A scale has a quarter of the pixels of the one before. */
		xc_progress_stage(context, all, 1 - pow(0.25, scales), 1 - pow(0.25, scales + 1));
		if (!status)
			status = compare_scale(&c, norms[scales++]);
		free_planes(context, &c.now);
		c.now = c.next;
	}
	free_planes(context, &c.now);
	/* With fewer scales the program takes the first weights of its list all the same. */
	for (int p = 0; p < 3 && !status; p++)
		for (int i = 0; i < scales; i++)
			for (int norm = 0; norm < 2; norm++)
				for (int map = 0; map < XC_ERROR_MAPS; map++)
					sum += *weight++ * norms[i][p][norm * XC_ERROR_MAPS + map];
	*score = status ? 0 : scales ? score_of(sum) : NAN;
	return status;
}

xc_status xc_ssimulacra2_of(xc_context *context, const xc_picture *a, const xc_picture *b,
                            uint32_t peak, double *score)
{
	double dark, bright;
	xc_status status;

	if (a->channels % 2 && b->channels % 2)
		return measure(context, a, b, peak, 0, score);
	const xc_progress_range all = context->range;
	xc_progress_stage(context, all, 0, 0.5);
	status = measure(context, a, b, peak, 0.1f, &dark);
	xc_progress_stage(context, all, 0.5, 1);
	if (!status)
		status = measure(context, a, b, peak, 0.9f, &bright);
	*score = status ? 0 : fmin(dark, bright);
	return status;
}
