/* SPDX-License-Identifier: BSD-2-Clause */
/* Options, and everything that follows from them and from the shape of a picture: header, tiles,
 * steps, the choices that options leave open, and the matrix of colours. src/cuda/ and src/target/ use it, too. */
#include "src/encode/plan.h"

#include <string.h>

#include "lossless/lossless.h"
#include "quant/tables.h"
#include "transform/colour_matrix.h"
#include "src/core/floats.h"

/* ---------------------------------------------------------------- options */

void xc_encode_options_default(xc_encode_options *o)
{
	if (!o)
		return;
	*o = (xc_encode_options){.quality = 75,
	                         .subsampling = XC_SUBSAMPLING_AUTO,
	                         .transform = XC_TRANSFORM_AUTO,
	                         .entropy = XC_ENTROPY_RANS,
	                         .effort = 2};
}

void xc_encode_options_jpeg(xc_encode_options *o)
{
	if (!o)
		return;
	*o = (xc_encode_options){.quality = 75, .transform = XC_TRANSFORM_DCT, .mode = XC_MODE_LOSSY};
	xc_quant_tables_annex_k(&o->tables);
}

static int is_space(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\r' || ch == '\n' || ch == ',' || ch == '\f' ||
	       ch == '\v';
}

xc_status xc_quant_tables_parse(xc_context *c, const char *text, size_t size,
                                xc_quant_tables *tables)
{
	XC_DEFAULT_FLOATS;
	uint16_t values[128];
	unsigned n = 0, line = 1;

	if (tables)
		*tables = (xc_quant_tables){0};
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!tables || (size && !text))
		return xc_fail(c, XC_ERR_ARGUMENT, "no text or no place for the tables");
	for (size_t i = 0; i < size;) {
		if (text[i] == '#') {
			while (i < size && text[i] != '\n')
				i++;
		} else if (is_space(text[i])) {
			line += text[i++] == '\n';
		} else {
			uint32_t v = 0;
			const size_t start = i;
			for (; i < size && text[i] >= '0' && text[i] <= '9' && v <= 65535; i++)
				v = v * 10 + (uint32_t)(text[i] - '0');
			if (i == start || (i < size && !is_space(text[i]) && text[i] != '#') || !v || v > 65535)
				return xc_fail(c, XC_ERR_CORRUPT,
				               "a quantization step must be a number from 1 to 65535 (line %u)",
				               line);
			if (n == 128)
				return xc_fail(c, XC_ERR_CORRUPT, "more than 128 quantization steps (line %u)",
				               line);
			values[n++] = (uint16_t)v;
		}
	}
	if (n != 64 && n != 128)
		return xc_fail(c, XC_ERR_CORRUPT, "%u quantization steps instead of 64 or 128 (line %u)", n,
		               line);
	for (int i = 0; i < 64; i++) {
		tables->luma[i] = values[i];
		tables->chroma[i] = values[n == 128 ? 64 + i : i];
	}
	return XC_OK;
}

static int quant_preset(const xc_quant_tables *t)
{
	xc_quant_tables known = {{0}, {0}};

	if (!memcmp(t, &known, sizeof known))
		return XC_QUANT_CURVE;

	xc_quant_tables_annex_k(&known);
	if (!memcmp(t, &known, sizeof known))
		return XC_QUANT_ANNEX_K;
	xc_quant_tables_flat(&known);
	if (!memcmp(t, &known, sizeof known))
		return XC_QUANT_FLAT;
	xc_quant_tables_sloped(&known);
	return memcmp(t, &known, sizeof known) ? XC_QUANT_STORED : XC_QUANT_SLOPED;
}

static xc_status check_mode(xc_context *c, const xc_encode_options *o)
{
	const int most = o->mode == XC_MODE_LOSSLESS ? XC_LOSSLESS_TILE_MCUS * XC_LOSSLESS_TILE_MCUS
	                                             : 1024;

	if ((unsigned)o->mode > XC_MODE_LOSSLESS)
		return xc_fail(c, XC_ERR_ARGUMENT, "unknown mode");
	if (o->max_error && o->mode != XC_MODE_LOSSLESS)
		return xc_fail(c, XC_ERR_ARGUMENT, "a maximum of errors is for the lossless mode alone");
	if (o->max_error > XC_LOSSLESS_MAX_ERROR)
		return xc_fail(c, XC_ERR_ARGUMENT, "a maximum error of %u is not 0 to %d", o->max_error,
		               XC_LOSSLESS_MAX_ERROR);
	if (o->clear_transparent && o->mode == XC_MODE_LOSSY)
		return xc_fail(c, XC_ERR_ARGUMENT, "transparent pixels are cleared without loss alone");
	if (o->segment_blocks && (o->segment_blocks < 32 || o->segment_blocks > most))
		return xc_fail(c, XC_ERR_ARGUMENT, "%d blocks a segment are not 32 to %d",
		               o->segment_blocks, most);
	return XC_OK;
}

static xc_status check_options(xc_context *c, const xc_encode_options *o)
{
	const xc_status s = XC_CHECK_FLAGS(c, o, "options", o->clear_transparent);
	if (s)
		return s;
	if (o->quality < 1 || o->quality > 100)
		return xc_fail(c, XC_ERR_ARGUMENT, "quality %d is not 1 to 100", o->quality);
	if (o->quality_parts < 0 || o->quality_parts > (o->quality < 100 ? 255 : 0))
		return xc_fail(c, XC_ERR_ARGUMENT, "%d 256ths after quality %d", o->quality_parts,
		               o->quality);
	if ((unsigned)o->subsampling > XC_SUBSAMPLING_AUTO)
		return xc_fail(c, XC_ERR_ARGUMENT, "unknown subsampling");
	if ((unsigned)o->entropy > XC_ENTROPY_RANS)
		return xc_fail(c, XC_ERR_ARGUMENT, "unknown entropy coding");
	if ((unsigned)o->huffman > XC_HUFFMAN_DEFAULT)
		return xc_fail(c, XC_ERR_ARGUMENT, "unknown kind of Huffman tables");
	if (o->effort < 0 || o->effort > XC_MOST_EFFORT)
		return xc_fail(c, XC_ERR_ARGUMENT, "effort %d is not 0 to %d", o->effort, XC_MOST_EFFORT);
	if (o->tune != XC_TUNE_EYE && o->tune != XC_TUNE_PSNR)
		return xc_fail(c, XC_ERR_ARGUMENT, "unknown tune");
	if ((unsigned)o->colour > XC_COLOUR_PICTURE)
		return xc_fail(c, XC_ERR_ARGUMENT, "unknown kind of colour");
	if (o->colour != XC_COLOUR_YCBCR && o->subsampling != XC_SUBSAMPLING_444 &&
	    o->subsampling != XC_SUBSAMPLING_GREY)
		return xc_fail(c, XC_ERR_ARGUMENT, "components made for the picture need 4:4:4");
	if ((unsigned)o->transform > XC_TRANSFORM_TDLT && o->transform != XC_TRANSFORM_AUTO)
		return xc_fail(c, XC_ERR_ARGUMENT, "unknown transform");
	if (o->range && (o->range < 255 || o->range > 65535))
		return xc_fail(c, XC_ERR_ARGUMENT, "a range up to %u is not 255 to 65535", o->range);
	const int automatic = quant_preset(&o->tables) == XC_QUANT_CURVE;
	for (int i = 0; i < 64 && !automatic; i++)
		if (!o->tables.luma[i] || !o->tables.chroma[i])
			return xc_fail(c, XC_ERR_ARGUMENT, "a quantization step is zero");
	return XC_OK;
}

xc_status xc_encode_take_options(xc_context *c, const xc_encode_options *options,
                                 const xc_metadata *m, xc_encode_options *taken)
{
	if (options)
		*taken = *options;
	else
		xc_encode_options_default(taken);
	/* An index is no colour that may be near another. */
	if (taken->mode == XC_MODE_AUTO && m && m->palette.data)
		taken->mode = XC_MODE_LOSSLESS;
	if (taken->colour == XC_COLOUR_PICTURE && taken->subsampling == XC_SUBSAMPLING_AUTO)
		taken->subsampling = XC_SUBSAMPLING_444;
	xc_status s = check_mode(c, taken);
	if (!s)
		s = check_options(c, taken);
	return s ? s : xc_metadata_check(c, m);
}

static xc_subsampling subsampling_of(xc_layout layout)
{
	return layout == XC_LAYOUT_YCBCR_444   ? XC_SUBSAMPLING_444
	       : layout == XC_LAYOUT_YCBCR_422 ? XC_SUBSAMPLING_422
	                                       : XC_SUBSAMPLING_420;
}

static xc_status check_planes(xc_context *c, xc_layout layout, const xc_encode_options *o)
{
	static const char *const names[] = {"4:2:0", "4:2:2", "4:4:4"};
	const xc_subsampling planes = subsampling_of(layout);

	if (o->mode == XC_MODE_LOSSLESS)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "planes of Y, Cb and Cr are coded with loss alone");
	if (o->subsampling == XC_SUBSAMPLING_GREY)
		return XC_OK;
	if (o->subsampling != planes && o->subsampling != XC_SUBSAMPLING_AUTO)
		return xc_fail(c, XC_ERR_ARGUMENT, "planes of %s cannot be encoded as %s", names[planes],
		               names[o->subsampling]);
	if (o->colour != XC_COLOUR_YCBCR)
		return xc_fail(c, XC_ERR_ARGUMENT, "components made for the picture need R, G and B");
	return XC_OK;
}

xc_status xc_encode_check_layout(xc_context *c, xc_layout layout, const xc_encode_options *o)
{
	const xc_status s = xc_layout_is_planar(layout) ? check_planes(c, layout, o) : XC_OK;
	return s ? s : xc_layout_check_device(c);
}

/* The number of blocks of a tile: few enough for many threads and a GPU, but enough that the index
 * and the restarts of prediction stay under 1 % of the file. */
static uint32_t tile_blocks(const xc_geometry *g, const xc_encode_options *o)
{
	/* mcu / luma: blocks of all components for each one of luma. */
	const uint32_t mcu = xc_geometry_mcu_blocks(g), luma = (uint32_t)(g->h * g->v);
	/* Effort above 0 makes larger segments, unless there would be too few for threads. */
	const int larger = o->effort && (uint64_t)g->width * g->height >= 1 << 18;

	if (o->segment_blocks)
		return (uint32_t)o->segment_blocks * mcu / luma;
	if (o->entropy == XC_ENTROPY_RANS)
		return 768 * mcu / luma;
	return larger ? 512 * mcu / luma : o->quality < 35 ? 512 : 256;
}

/* A tile row of 32 rows of pixels stays in a core's cache at any width, and most blocks still have
 * an upper neighbour to predict from. rANS has a lane for each of 16 rows of blocks. */
static void choose_tiles(xc_geometry *g, const xc_encode_options *o, int alpha)
{
	xc_geometry_choose_tiles(g, tile_blocks(g, o), o->entropy == XC_ENTROPY_RANS ? 128 : 32, alpha);
}

/* Scales the tables by 256ths. Rounded steps change by whole diagonals at a time, which is too
 * coarse for small steps: below a scale of one, a fraction of a quality gets steps in between,
 * which are stored. */
static void choose_sloped_steps(xc_encode_plan *e, const xc_encode_options *o)
{
	const uint16_t *tables[2] = {o->tables.luma, o->tables.chroma};
	const uint32_t parts = (uint32_t)o->quality_parts, coarse = xc_quant_sloped_scale(o->quality);
	const uint32_t fine = parts ? xc_quant_sloped_scale(o->quality + 1) : 0;
	const uint32_t exact = coarse * (256 - parts) + fine * parts; /* in 256ths of 256ths */
	const int close = exact < 256 * 256 && exact % 256;

	e->curves[0].scale = (uint16_t)(close ? exact / 256 : (exact + 128) / 256);
	for (int i = 0; i < 2; i++) {
		uint32_t larger[64], smaller[64];
		xc_quant_scale_by(tables[i], e->curves[0].scale, e->peak, smaller);
		xc_quant_scale_by(tables[i], e->curves[0].scale + 1, e->peak, larger);
		xc_quant_between(close ? larger : smaller, smaller, 256 - exact % 256, i, e->steps[i]);
	}
	if (close)
		e->quant_preset = XC_QUANT_STORED;
}

void xc_encode_plan_steps(xc_encode_plan *e, const xc_encode_options *o, unsigned depth)
{
	const uint16_t *tables[2] = {o->tables.luma, o->tables.chroma};

	e->peak = xc_encode_peak(o, depth);
	e->quant_preset = quant_preset(&o->tables);
	if (e->quant_preset == XC_QUANT_SLOPED) {
		choose_sloped_steps(e, o);
	} else if (e->quant_preset == XC_QUANT_CURVE) {
		xc_quant_eye_curves((uint32_t)(256 * o->quality + o->quality_parts),
		                    o->subsampling == XC_SUBSAMPLING_444, e->curves);
		for (int i = 0; i < 2; i++)
			xc_quant_curve_steps(&e->curves[i], e->peak, e->steps[i]);
	}
	const int exact = e->quant_preset == XC_QUANT_SLOPED || e->quant_preset == XC_QUANT_CURVE;
	for (int i = 0; i < 2 && !exact; i++) {
		uint32_t coarse[64], fine[64];
		xc_quant_scale(tables[i], o->quality, e->peak, coarse);
		xc_quant_scale(tables[i], o->quality + !!o->quality_parts, e->peak, fine);
		xc_quant_between(coarse, fine, (uint32_t)o->quality_parts, i, e->steps[i]);
	}
	/* Readers scale by the depth alone. */
	e->range = depth == 16 && e->peak < 65535 ? (uint16_t)e->peak : 0;
	if ((o->quality_parts && !exact) || e->range)
		e->quant_preset = XC_QUANT_STORED;
}

/* The largest coefficients are those of lapped transforms, 1420 and 363000
 * (tests/unit/check_lapped.c), and no step is below 1. In sixteenths of a step they fit int16_t and
 * v_round(), or v_round_depth16(). */
_Static_assert(1420 * XC_STEP_PARTS <= INT16_MAX && 363000 * XC_STEP_PARTS < 1 << 23,
               "rounded coefficients exceed their range");

int xc_encode_plan_is_fine(const xc_encode_options *o, unsigned depth, unsigned step)
{
	xc_encode_plan plan;
	uint64_t min = UINT32_MAX, sum = 0;

	xc_encode_plan_steps(&plan, o, depth);
	for (int i = 0; i < 64; i++) {
		min = plan.steps[0][i] < min ? plan.steps[0][i] : min;
		sum += plan.steps[0][i];
	}
	/* The mean of the sloped tables is 1.7 times their smallest step. */
	return min * 255 <= step * plan.peak && sum * 255 <= 112 * (uint64_t)step * plan.peak;
}

void xc_encode_plan_storing(xc_encode_plan *e)
{
	e->header.transform = XC_TRANSFORM_NONE;
	e->header.entropy = XC_ENTROPY_SAMPLES;
	e->quant_preset = XC_QUANT_STORED;
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 64; k++)
			e->steps[i][k] = 1;
		xc_quant_forward_table(XC_TRANSFORM_NONE, e->steps[i], 1, e->tables[i]);
	}
}

void xc_encode_plan_lossless(xc_encode_plan *e, const xc_picture *p, const xc_encode_options *o)
{
	enum { MCUS = 64 * 64 };
	const xc_subsampling s = p->channels < 3 ? XC_SUBSAMPLING_GREY : XC_SUBSAMPLING_444;

	xc_geometry_init(&e->geometry, p->width, p->height, s);
	xc_geometry_choose_lossless_tiles(&e->geometry,
	                                  o->segment_blocks ? (uint32_t)o->segment_blocks : MCUS);
	e->header = (xc_header){
		.width = p->width,
		.height = p->height,
		.channels = p->channels,
		.depth = p->depth,
		.subsampling = s,
		.transform = XC_TRANSFORM_NONE,
		.entropy = XC_ENTROPY_EXACT,
		.quality = 100,
		.tile_mcus_wide = e->geometry.tile_mcus_wide,
		.tile_mcus_high = e->geometry.tile_mcus_high,
	};
	e->range = 0;
	e->has_colours = 0;
}

void xc_encode_plan_shape(xc_encode_plan *e, const xc_picture *p, const xc_encode_options *o)
{
	const xc_subsampling s = p->channels < 3 ? XC_SUBSAMPLING_GREY : o->subsampling;
	const uint32_t alpha = p->channels % 2 == 0;

	xc_geometry_init(&e->geometry, p->width, p->height, s);
	choose_tiles(&e->geometry, o, alpha != 0);
	e->header = (xc_header){
		.width = p->width,
		.height = p->height,
		.channels = (s == XC_SUBSAMPLING_GREY ? 1 : 3) + alpha,
		.depth = p->depth,
		.subsampling = s,
		.transform = o->transform,
		.entropy = o->entropy == XC_ENTROPY_RANS      ? XC_ENTROPY_RANS_BUILT_IN
	               : o->huffman == XC_HUFFMAN_DEFAULT ? XC_ENTROPY_HUFFMAN_DEFAULT
	               : o->effort                        ? XC_ENTROPY_HUFFMAN_CONTEXTS
	                                                  : XC_ENTROPY_HUFFMAN_STORED,
		.quality = o->quality,
		.tile_mcus_wide = e->geometry.tile_mcus_wide,
		.tile_mcus_high = e->geometry.tile_mcus_high,
	};
}

void xc_encode_plan_init(xc_encode_plan *e, const xc_picture *p, const xc_encode_options *o)
{
	xc_encode_plan_shape(e, p, o);
	xc_encode_plan_steps(e, o, p->depth);
	e->has_colours = 0;
	e->parts = o->effort || xc_header_predicts_ac(&e->header) ? XC_STEP_PARTS : 1;
	memset(e->points, 0, sizeof e->points);
	for (int i = 0; i < 2; i++)
		xc_quant_forward_table(o->transform, e->steps[i], e->parts, e->tables[i]);
}

/* ------------------------------------------- components made for the picture */

static int32_t sample_of(const uint8_t *pixel, int channel, int depth16)
{
	uint16_t value;

	if (!depth16)
		return pixel[channel];
	memcpy(&value, pixel + 2 * channel, sizeof value);
	return value;
}

/* A sample in 8 bits. */
static int32_t level_of(const uint8_t *pixel, int channel, uint32_t depth, uint32_t peak)
{
	const uint32_t value = (uint32_t)sample_of(pixel, channel, depth == 16);
	return (int32_t)(depth == 8 ? value : value < peak ? value * 255 / peak : 255);
}

/* Adds the difference of two pixels, whose red sample is the first or the last one. */
static void add_gradient(const uint8_t *a, const uint8_t *b, int depth16, int red, int64_t sums[6])
{
	int64_t d[3];

	for (int c = 0; c < 3; c++) {
		const int at = red ? 2 - c : c;
		d[c] = sample_of(a, at, depth16) - sample_of(b, at, depth16);
	}
	sums[0] += d[0] * d[0];
	sums[1] += d[0] * d[1];
	sums[2] += d[0] * d[2];
	sums[3] += d[1] * d[1];
	sums[4] += d[1] * d[2];
	sums[5] += d[2] * d[2];
}

/* Sums the gradients of a sample of the pixels, which have 3 or 4 channels. */
static void sample_gradients(const xc_pixels *p, xc_gradients *g)
{
	enum { MAX_PIXELS = 1 << 16 };
	const size_t bytes = xc_pixels_step(p, 0);
	const int red = xc_layout_is_bgr(p->layout) ? 2 : 0;
	const int depth16 = p->depth == 16;
	/* Exact: at most 2^17 differences, whose products have 32 bits. */
	int64_t sums[6] = {0};
	const uint64_t pixels = (uint64_t)p->width * p->height;
	const uint64_t apart = pixels / MAX_PIXELS + 1;

	/* Positions in a sequence of all pixels, so that narrow and wide pictures are treated alike. */
	for (uint64_t i = 0; i < pixels; i += apart) {
		const uint32_t x = (uint32_t)(i % p->width), y = (uint32_t)(i / p->width);
		const uint8_t *here = xc_pixels_row(p, 0, 0, y) + x * bytes;
		if (x)
			add_gradient(here, here - bytes, depth16, red, sums);
		if (y)
			add_gradient(here, here - p->stride[0], depth16, red, sums);
	}
	const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			g->product[i][j] = (double)sums[at[i][j]];
}

void xc_encode_plan_colours(xc_encode_plan *e, const xc_pixels *pixels, float forward[9])
{
	const xc_geometry *g = &e->geometry;
	const uint64_t rows = (uint64_t)xc_geometry_piece_rows(g) * g->tile_mcus_high * 8 *
	                      (uint32_t)g->v;
	xc_pixels piece = *pixels;
	xc_gradients gradients;

	if (rows < piece.height)
		piece.height = (uint32_t)rows;
	sample_gradients(&piece, &gradients);
	xc_colours_choose(&gradients, e->colours);
	xc_colours_forward(e->colours, forward);
	e->has_colours = 1;
}

/* ------------------------------------------- what options leave open */

/* Chroma at full resolution costs bits everywhere and helps at coloured edges; lapped transforms suit
 * what is continuous, the DCT screens, which are flat between edges. Integers decide, so that it is
 * the same on every machine. bench/rd/auto fits the numbers. */

/* 4:4:4 begins at quality BASE, SLOPE / 16 later for each halving of the share of coloured squares,
 * to which SHARE_MIN / 65536 are added, and at ALWAYS at the latest; without pixels it begins at
 * BLIND. The transform is the DCT if more than FLAT / 65536 of the squares are flat. */
enum { BASE = 30, SLOPE = 108, SHARE_MIN = 128, ALWAYS = 88, BLIND = 85, FLAT = 32768 };

int xc_encode_chooses(const xc_encode_options *o, xc_layout l)
{
	return o->transform == XC_TRANSFORM_AUTO ||
	       (o->mode != XC_MODE_LOSSY && !xc_layout_is_planar(l)) ||
	       (o->subsampling == XC_SUBSAMPLING_AUTO && xc_layout_get(l)->channels > 2 &&
	        !xc_layout_is_planar(l));
}

uint32_t xc_encode_choice_rows(uint32_t width, uint32_t height)
{
	const uint64_t two = 2 * (uint64_t)width, rows = (XC_CHOICE_PIXELS + two - 1) / two * 2;
	return rows < height ? (uint32_t)rows : height;
}

/* 1: the variance of Cb and Cr together exceeds 2 (Y + 16); the eye sees more where it is dark. */
static int is_coloured(const int32_t q[4][3])
{
	/* B - Y and R - Y, in sixteenths, are 1.772 Cb and 1.402 Cr, whose squares are as 8 to 5. The
	 * variance of four values times 16 is 4 times the sum of their squares less the square of their
	 * sum, which has 28 bits. */
	int32_t luma = 0, sum[2] = {0}, squares[2] = {0};

	for (int i = 0; i < 4; i++) {
		const int32_t y = 5 * q[i][0] + 9 * q[i][1] + 2 * q[i][2];
		luma += y;
		for (int k = 0; k < 2; k++) {
			const int32_t d = 16 * q[i][2 * k] - y;
			sum[k] += d;
			squares[k] += d * d;
		}
	}
	const int64_t cr = 4 * squares[0] - sum[0] * sum[0], cb = 4 * squares[1] - sum[1] * sum[1];
	/* 5 / 15.7 and 8 / 15.7 are the reciprocals of these squares, and luma is 64 Y. */
	return 10 * (5 * cb + 8 * cr) > 157 * 16 * 256 * 2 * (luma / 64 + 16);
}

void xc_encode_choice_sample(const xc_pixels *p, uint32_t peak, uint32_t shares[2])
{
	/* Runs of squares of 2x2 pixels; a run takes two lines of a cache. */
	enum { RUN = 16, MAX_RUNS = 1 << 10, MIN_DISTANCE = 4 };
	const int grey = xc_layout_get(p->layout)->channels < 3 || xc_layout_is_planar(p->layout);
	const int red = xc_layout_is_bgr(p->layout) ? 2 : 0, green = !grey, blue = grey ? 0 : 2 - red;
	const size_t step = xc_pixels_step(p, 0);
	const uint64_t across = (p->width / 2 + RUN - 1) / RUN;
	const uint64_t runs = across * (xc_encode_choice_rows(p->width, p->height) / 2);
	const uint64_t distance = runs / MAX_RUNS + MIN_DISTANCE;
	uint64_t squares = 0, flat = 0, coloured = 0;

	/* One of every `distance` runs, here and there, so that not all are in a few columns. */
	for (uint64_t k = 0; (k + 1) * distance <= runs; k++) {
		const uint64_t run = k * distance + (uint32_t)(k * 2654435769u) % distance;
		const uint32_t y = (uint32_t)(run / across) * 2, x = (uint32_t)(run % across) * RUN * 2;
		const uint32_t left = p->width / 2 - x / 2, n = left < RUN ? left : RUN;
		const uint8_t *at = xc_pixels_row(p, 0, 0, y) + x * step;
		for (uint32_t j = 0; j < n; j++, at += 2 * step) {
			int32_t q[4][3];
			for (int m = 0; m < 4; m++) {
				const uint8_t *pixel = at + m % 2 * step + m / 2 * p->stride[0];
				q[m][0] = level_of(pixel, red, p->depth, peak);
				q[m][1] = level_of(pixel, green, p->depth, peak);
				q[m][2] = level_of(pixel, blue, p->depth, peak);
			}
			flat += !memcmp(q[3], q[2], sizeof q[3]) && !memcmp(q[3], q[1], sizeof q[3]);
			coloured += (uint64_t)is_coloured(q);
			squares++;
		}
	}
	/* One in a hundred more, so that the few edges of a flat picture do not count too much. */
	const uint64_t others = squares - flat + squares / 100 + 1, share = (coloured << 16) / others;
	shares[0] = share < 65536 ? (uint32_t)share : 65536;
	shares[1] = squares ? (uint32_t)((flat << 16) / squares) : 0;
}

static void choose_lossy(const xc_pixels *p, xc_encode_options *o)
{
	const int planar = p && xc_layout_is_planar(p->layout);
	uint32_t shares[2] = {0};
	int full = 256 * BLIND;

	/* The steps of luma depend on it. */
	if (p && xc_layout_get(p->layout)->channels < 3)
		o->subsampling = XC_SUBSAMPLING_GREY;
	if (p && xc_encode_chooses(o, p->layout)) {
		xc_encode_choice_sample(p, xc_encode_peak(o, p->depth), shares);
		int32_t n = (int32_t)shares[0] + SHARE_MIN;
		for (full = 256 * BASE; n < 32768; n *= 2)
			full += 16 * SLOPE;
		full += 16 * SLOPE * (65536 - n) / 32768; /* the logarithm on a line */
		full = full < 256 * ALWAYS ? full : 256 * ALWAYS;
	}
	if (o->subsampling == XC_SUBSAMPLING_AUTO)
		o->subsampling = planar                                        ? subsampling_of(p->layout)
		                 : 256 * o->quality + o->quality_parts >= full ? XC_SUBSAMPLING_444
		                                                               : XC_SUBSAMPLING_420;
	if (o->transform == XC_TRANSFORM_AUTO)
		o->transform = shares[1] > FLAT ? XC_TRANSFORM_DCT : XC_TRANSFORM_TDLT;
}

uint32_t xc_encode_share_of_equals(const xc_pixels *p)
{
	const uint32_t bytes = xc_layout_get(p->layout)->channels * p->depth / 8;
	const uint32_t rows = xc_encode_choice_rows(p->width, p->height);

	return xc_lossless_share_of_equals(p->plane[0], p->stride[0], p->width, rows, bytes,
	                                   (uint32_t)xc_pixels_step(p, 0));
}

/* Options of a file without loss. What a drawing's tile has learnt is lost at its end, so it gets the
 * largest tiles. */
static void choose_lossless(int drawing, xc_encode_options *o)
{
	o->mode = XC_MODE_LOSSLESS;
	o->transform = XC_TRANSFORM_DCT;
	o->subsampling = XC_SUBSAMPLING_444;
	o->colour = XC_COLOUR_YCBCR;
	o->entropy = XC_ENTROPY_HUFFMAN;
	o->huffman = XC_HUFFMAN_DEFAULT;
	if (drawing && !o->segment_blocks)
		o->segment_blocks = XC_LOSSLESS_TILE_MCUS * XC_LOSSLESS_TILE_MCUS;
}

void xc_encode_choose(const xc_pixels *p, xc_encode_options *o)
{
	const int may = o->mode != XC_MODE_LOSSY && p && !xc_layout_is_planar(p->layout);
	const int drawing = may && xc_encode_share_of_equals(p) >= XC_LOSSLESS_DRAWING;

	if (o->mode == XC_MODE_LOSSLESS || drawing) {
		choose_lossless(drawing, o);
		return;
	}
	o->mode = XC_MODE_LOSSY;
	choose_lossy(p, o);
}
