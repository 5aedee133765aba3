/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: the strips and tiles of one precision.  Included by frame.c through
 * each_real.h. */

/* Scratch of one share; every part is a whole number of cache lines. */
typedef struct XC_T(xc_band_share) {
	const xc_band_frame *frame;
	XC_REAL *line, *carry;         /* see xc_band_strip */
	XC_REAL *strip_in, *strip_out; /* a strip with rows of its own making */
	XC_REAL *tile_in, *tile_out;   /* a tile at the left or right edge */
	ptrdiff_t line_stride, in_stride, out_stride;
} XC_T(xc_band_share);

/* Lays the parts out from `base`; returns the samples they take. */
static size_t XC_T(xc_band_layout)(const xc_band_frame *f, XC_REAL *base,
                                   XC_T(xc_band_share) * share)
{
	const size_t tile = f->tile;
	const size_t tiles = f->lead + ((size_t)f->cols.blocks * 8 + tile - 1) / tile;
	const size_t line = tiles * tile;
	const size_t in = ((size_t)f->cols.in_size + 63) & ~(size_t)63;
	const size_t out = ((size_t)f->cols.out_size + 63) & ~(size_t)63;
	const size_t sizes[6] = {
		f->shifts * 4 * line, f->shifts * 4 * tile, 8 * in, 8 * out, 8 * tile, 8 * tile,
	};
	XC_REAL **const parts[6] = {
		&share->line,      &share->carry,   &share->strip_in,
		&share->strip_out, &share->tile_in, &share->tile_out,
	};
	size_t at = 0;
	for (int i = 0; i < 6; i++) {
		*parts[i] = base ? base + at : NULL;
		at += (sizes[i] + 63) & ~(size_t)63;
	}
	share->frame = f;
	share->line_stride = (ptrdiff_t)line;
	share->in_stride = (ptrdiff_t)in;
	share->out_stride = (ptrdiff_t)out;
	return at;
}

size_t XC_T(xc_band_scratch)(const xc_band_frame *frame)
{
	XC_T(xc_band_share) share;
	return XC_T(xc_band_layout)(frame, NULL, &share) * sizeof(XC_REAL);
}

/* Tiles from number `first` on, which lie in the arrays with all their columns. */
static void XC_T(xc_band_tiles)(const XC_T(xc_band_share) * s, xc_band_strip strip,
                                const XC_REAL *in, XC_REAL *out, ptrdiff_t first, ptrdiff_t count)
{
	const xc_band_frame *f = s->frame;
	const ptrdiff_t tile = (ptrdiff_t)f->tile;
	if (count <= 0)
		return;
	strip.in = in + f->cols.in_first + first * tile;
	strip.out = out + f->cols.out_first + first * tile;
	strip.line = s->line + ((ptrdiff_t)f->lead + first) * tile;
	strip.tiles = (size_t)count;
	f->run(&strip);
}

/* One tile that does not: its columns are gathered by rule, and those of its
 * results that exist are stored. */
static void XC_T(xc_band_edge_tile)(const XC_T(xc_band_share) * s, xc_band_strip strip,
                                    const XC_REAL *in, XC_REAL *out, ptrdiff_t number)
{
	const xc_band_frame *f = s->frame;
	const ptrdiff_t tile = (ptrdiff_t)f->tile;
	const ptrdiff_t from = f->cols.in_first + number * tile;
	const ptrdiff_t to = f->cols.out_first + number * tile;
	for (ptrdiff_t x = 0; x < tile; x++) {
		const xc_band_source source = xc_band_locate(&f->cols, from + x);
		for (ptrdiff_t y = 0; y < 8; y++)
			s->tile_in[y * tile + x] = source.sign
			                               ? source.sign * in[y * strip.in_stride + source.at]
			                               : 0;
	}
	const ptrdiff_t out_stride = strip.out_stride;
	strip.in = s->tile_in;
	strip.out = s->tile_out;
	strip.in_stride = strip.out_stride = tile;
	strip.line = s->line + ((ptrdiff_t)f->lead + number) * tile;
	strip.tiles = 1;
	strip.stream = 0;
	f->run(&strip);
	if (number < 0)
		return;
	for (ptrdiff_t y = 0; y < 8; y++)
		for (ptrdiff_t x = to < 0 ? -to : 0; x < tile && to + x < f->cols.out_size; x++)
			out[y * out_stride + to + x] = s->tile_out[y * tile + x];
}

static void XC_T(xc_band_strip)(const XC_T(xc_band_share) * s, const XC_REAL *in,
                                ptrdiff_t in_stride, XC_REAL *out, ptrdiff_t out_stride, int stream)
{
	const xc_band_frame *f = s->frame;
	const xc_band_axis *a = &f->cols;
	const ptrdiff_t tile = (ptrdiff_t)f->tile, tiles = (a->blocks * 8 + tile - 1) / tile;
	const xc_band_strip strip = {
		.in_stride = in_stride,
		.out_stride = out_stride,
		.line_stride = s->line_stride,
		.carry = s->carry,
		.scale = f->has_scale ? f->scale : NULL,
		.stream = stream,
	};
	memset(s->carry, 0, f->shifts * 4 * f->tile * sizeof(XC_REAL));

	/* Tiles [first, end) lie in both arrays. */
	ptrdiff_t first = 0, end = tiles;
	while (first < tiles && (a->in_first + first * tile < 0 || a->out_first + first * tile < 0))
		first++;
	while (end > first &&
	       (a->in_first + end * tile > a->in_size || a->out_first + end * tile > a->out_size))
		end--;
	for (ptrdiff_t t = -(ptrdiff_t)f->lead; t < first; t++)
		XC_T(xc_band_edge_tile)(s, strip, in, out, t);
	XC_T(xc_band_tiles)(s, strip, in, out, first, end - first);
	for (ptrdiff_t t = end; t < tiles; t++)
		XC_T(xc_band_edge_tile)(s, strip, in, out, t);
}

/* Rows at and beyond the upper and lower edge, gathered by rule. */
static void XC_T(xc_band_gather_rows)(const XC_T(xc_band_share) * s, const XC_REAL *in,
                                      ptrdiff_t position)
{
	const ptrdiff_t width = s->frame->cols.in_size;
	for (ptrdiff_t y = 0; y < 8; y++) {
		const xc_band_source source = xc_band_locate(&s->frame->rows, position + y);
		const XC_REAL *from = in + source.at * width;
		XC_REAL *to = s->strip_in + y * s->in_stride;
		for (ptrdiff_t x = 0; x < width; x++)
			to[x] = source.sign ? source.sign * from[x] : 0;
	}
}

/* Those rows of the strip that the array has. */
static void XC_T(xc_band_store_rows)(const XC_T(xc_band_share) * s, XC_REAL *out,
                                     ptrdiff_t position)
{
	const ptrdiff_t width = s->frame->cols.out_size;
	for (ptrdiff_t y = 0; y < 8; y++)
		if (position + y >= 0 && position + y < s->frame->rows.out_size)
			memcpy(out + (position + y) * width, s->strip_out + y * s->out_stride,
			       (size_t)width * sizeof(XC_REAL));
}

/* Whether the rows can be written past the caches. */
static int XC_T(xc_band_aligned)(const xc_band_frame *f, const XC_REAL *out)
{
	const uintptr_t first = (uintptr_t)(out + (f->cols.out_first & 7));
	const uintptr_t stride = (uintptr_t)f->cols.out_size * sizeof(XC_REAL);
	return f->kernels->lanes > 1 && first % 16 == 0 && stride % 32 == 0;
}

void XC_T(xc_band_work)(const xc_band_frame *f, const void *in_array, void *out_array, int number)
{
	const XC_REAL *in = in_array;
	XC_REAL *out = out_array;
	const xc_band_axis *a = &f->rows;
	const ptrdiff_t first = (ptrdiff_t)xc_team_first((size_t)a->blocks, number, f->shares);
	const ptrdiff_t end = (ptrdiff_t)xc_team_first((size_t)a->blocks, number + 1, f->shares);
	const int stream = f->stream && XC_T(xc_band_aligned)(f, out);
	XC_T(xc_band_share) s;
	char *scratch = (char *)f->scratch + f->scratch_bytes * (size_t)number;
	XC_T(xc_band_layout)(f, (XC_REAL *)(void *)scratch, &s);
	memset(s.line, 0, f->shifts * 4 * (size_t)s.line_stride * sizeof(XC_REAL));

	for (ptrdiff_t i = first - (ptrdiff_t)f->shifts; i < end; i++) {
		const ptrdiff_t from = a->in_first + 8 * i, to = a->out_first + 8 * i;
		const XC_REAL *strip_in = s.strip_in;
		ptrdiff_t in_stride = s.in_stride;
		if (from >= 0 && from + 8 <= a->in_size) {
			strip_in = in + from * f->cols.in_size;
			in_stride = f->cols.in_size;
		} else {
			XC_T(xc_band_gather_rows)(&s, in, from);
		}
		if (i >= first && to >= 0 && to + 8 <= a->out_size) {
			XC_T(xc_band_strip)
			(&s, strip_in, in_stride, out + to * f->cols.out_size, f->cols.out_size, stream);
			continue;
		}
		XC_T(xc_band_strip)(&s, strip_in, in_stride, s.strip_out, s.out_stride, 0);
		if (i >= first)
			XC_T(xc_band_store_rows)(&s, out, to);
	}
}
