/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: complex columns.  A column F of L complex values, after the FFT along it, becomes S[k]
 * = (w F[k] + conj(w) F[L-k]) with w = c - i s, and S[L-k] = i (w F[k] - conj(w) F[L-k]): a DCT of
 * its real and of its imaginary part at once, k and L - k together (Jiang, Gu, Pan, equations 17,
 * 18).  The inverse: F[k] = conj(w) (S[k] - i S[L-k]), F[L-k] = w (S[k] + i S[L-k]).
 */

/* Value k of column j. */
XC_INLINE XC_REAL *value_of(const xc_panel *panel, size_t j, size_t k)
{
	return panel->columns + j * panel->pitch + 2 * k;
}

/* The row of the spectrum that holds S[k]; NULL if S[k] is zero and has none (the sine transforms'
 * row 0). */
XC_INLINE XC_REAL *row_of(const xc_panel *panel, size_t k)
{
	if (!panel->reversed)
		return panel->rows + k * panel->row_stride;
	return k ? panel->rows + (panel->length - k) * panel->row_stride : NULL;
}

/* The place in a row of minus the imaginary part of column j; NULL: none. */
XC_INLINE XC_REAL *partner_of(const xc_panel *panel, XC_REAL *row, size_t j)
{
	if (j)
		return row + panel->n - j;
	return panel->n % 2 ? NULL : row + panel->n / 2;
}

XC_INLINE void emit_one(const xc_panel *panel, size_t k, size_t j, const XC_REAL *s)
{
	XC_REAL *const row = row_of(panel, k);
	XC_REAL *const partner = partner_of(panel, row, panel->first + j);
	row[panel->first + j] = s[0];
	if (partner)
		*partner = -s[1];
	if (panel->carry && j == 0)
		panel->carry[k] = -s[1];
}

XC_INLINE void combine_one(const XC_REAL *w, const XC_REAL *f, const XC_REAL *g, XC_REAL *s,
                           XC_REAL *t)
{
	const XC_REAL pr = f[0] + g[0], pi = f[1] + g[1];
	const XC_REAL dr = f[1] - g[1], di = g[0] - f[0]; /* -i (f - g) */
	s[0] = w[0] * pr + w[1] * dr;
	s[1] = w[0] * pi + w[1] * di;
	t[0] = w[1] * pr - w[0] * dr;
	t[1] = w[1] * pi - w[0] * di;
}

XC_INLINE void uncombine_one(const XC_REAL *w, const XC_REAL *s, const XC_REAL *t, XC_REAL *f,
                             XC_REAL *g)
{
	const XC_REAL pr = s[0] + t[1], pi = s[1] - t[0]; /* s - i t */
	const XC_REAL qr = s[0] - t[1], qi = s[1] + t[0];
	f[0] = w[0] * pr - w[1] * pi;
	f[1] = w[0] * pi + w[1] * pr;
	g[0] = w[0] * qr + w[1] * qi;
	g[1] = w[0] * qi - w[1] * qr;
}

#if XC_LANES > 1
XC_INLINE void combine(xc_v c, xc_v sine, xc_v f, xc_v g, xc_v *s, xc_v *t)
{
	const xc_v p = f + g, d = times_minus_i(f - g);
	*s = c * p + sine * d;
	*t = sine * p - c * d;
}

XC_INLINE void uncombine(xc_v c, xc_v sine, xc_v s, xc_v t, xc_v *f, xc_v *g)
{
	const xc_v d = times_minus_i(t), p = s + d, q = s - d;
	*f = c * p + sine * times_i(p);
	*g = c * q - sine * times_i(q);
}

/* XC_LANES columns from j on, as two complex vectors, to their two places in a
 * row.  Streaming writes whole cache lines only: the right-hand side is one
 * sample askew, so its last sample waits in *carry for the next call. */
XC_INLINE void emit(const xc_panel *panel, size_t k, size_t j, xc_v low, xc_v high,
                    const int streaming)
{
	const xc_v re = XC_SHUFFLE(low, high, XC_RULE_EVEN);
	const xc_v im = -XC_SHUFFLE(low, high, XC_RULE_ODD_BACK);
	const size_t column = panel->first + j;
	XC_REAL *const row = row_of(panel, k);
	XC_REAL *const right = row + panel->n - column - XC_LANES;
	if (streaming) {
		xc_stream(row + column, re);
		xc_stream(right, XC_SHUFFLE(im, xc_splat(panel->carry[k]), XC_RULE_SHIFT_IN));
	} else {
		xc_store(row + column, re);
		if (column) {
			xc_store(right + 1, im);
		} else {
			for (size_t i = 0; i + 1 < XC_LANES; i++)
				right[1 + i] = im[i];
			if (panel->n % 2 == 0)
				row[panel->n / 2] = im[XC_LANES - 1];
		}
	}
	if (panel->carry)
		panel->carry[k] = im[XC_LANES - 1];
}

/* Vectors across the columns of a panel. */
#define XC_ACROSS (XC_LINE / XC_PAIRS)

/* Values k ... k + XC_PAIRS - 1 and their partners, of `columns` columns (whole vectors of
 * samples).  A row is finished before the next is begun, because half a cache line that waits for
 * its other half is soon written as it is. */
XC_INLINE void emit_tiles(const xc_panel *panel, size_t columns, size_t k, const int streaming)
{
	const size_t mirrored = panel->length - k - XC_PAIRS + 1;
	xc_v f[XC_ACROSS][XC_PAIRS], g[XC_ACROSS][XC_PAIRS];
	for (size_t h = 0; h * XC_PAIRS < columns; h++) {
		load_pairs(value_of(panel, h * XC_PAIRS, k), panel->pitch, f[h]);
		load_pairs(value_of(panel, h * XC_PAIRS, mirrored), panel->pitch, g[h]);
	}
	for (size_t i = 0; i < XC_PAIRS; i++) {
		const xc_v c = xc_splat(panel->twiddles[2 * (k + i)]);
		const xc_v sine = xc_splat(panel->twiddles[2 * (k + i) + 1]);
		xc_v t[XC_ACROSS];
		for (size_t h = columns / XC_PAIRS; h > 0; h -= 2) {
			xc_v low, high;
			combine(c, sine, f[h - 2][i], g[h - 2][XC_PAIRS - 1 - i], &low, &t[h - 2]);
			combine(c, sine, f[h - 1][i], g[h - 1][XC_PAIRS - 1 - i], &high, &t[h - 1]);
			emit(panel, k + i, (h - 2) * XC_PAIRS, low, high, streaming);
		}
		for (size_t h = columns / XC_PAIRS; h > 0; h -= 2)
			emit(panel, panel->length - k - i, (h - 2) * XC_PAIRS, t[h - 2], t[h - 1], streaming);
	}
}

/* Whether a tile from k on and its mirror image fit without meeting. */
XC_INLINE int tile_fits(size_t length, size_t k)
{
	return 2 * (k + XC_PAIRS - 1) < length;
}
#endif

/* Value 0 has no partner, and the factor w[0] alone. */
static void emit_zero(const xc_panel *panel)
{
	const XC_REAL c = panel->twiddles[0];
	for (size_t j = 0; j < panel->count; j++) {
		const XC_REAL *const f = value_of(panel, j, 0);
		const XC_REAL s[2] = {panel->reversed ? 0 : c * f[0], panel->reversed ? 0 : c * f[1]};
		xc_panel top = *panel;
		top.reversed = 0; /* row 0 it is, even when it is zero */
		emit_one(&top, 0, j, s);
	}
}

XC_INLINE void emit_rest(const xc_panel *panel, size_t j, size_t k)
{
	const size_t other = panel->length - k;
	XC_REAL s[2], t[2];
	combine_one(panel->twiddles + 2 * k, value_of(panel, j, k), value_of(panel, j, other), s, t);
	emit_one(panel, k, j, s);
	if (other != k)
		emit_one(panel, other, j, t);
}

/* The last panel of all leaves nothing to carry. */
static void flush_carry(const xc_panel *panel)
{
	for (size_t k = 1; k < panel->length; k++) {
		XC_REAL *const partner = partner_of(panel, row_of(panel, k), panel->first);
		if (partner)
			*partner = panel->carry[k];
	}
}

static void panel_out(const xc_panel *panel)
{
	size_t k = 1;
#if XC_LANES > 1
	const int streaming = panel->stream && panel->carried && panel->count == XC_LINE;
	const size_t done = panel->count / XC_LANES * XC_LANES;
	for (; tile_fits(panel->length, k); k += XC_PAIRS) {
		if (streaming)
			emit_tiles(panel, XC_LINE, k, 1);
		else
			emit_tiles(panel, done, k, 0);
		for (size_t j = done; j < panel->count; j++)
			for (size_t i = 0; i < XC_PAIRS; i++)
				emit_rest(panel, j, k + i);
	}
#else
	const int streaming = 0;
#endif
	for (; k <= panel->length / 2; k++)
		for (size_t j = 0; j < panel->count; j++)
			emit_rest(panel, j, k);
	emit_zero(panel);
	if (streaming && panel->last)
		flush_carry(panel);
}

/* One column in place: every axis but the forward transform's last. */
XC_INLINE void column_within(size_t length, const XC_REAL *twiddles, XC_REAL *column,
                             const int inverse)
{
	size_t k = 1;
	column[0] *= twiddles[0];
	column[1] *= twiddles[0];
#if XC_LANES > 1
	for (; tile_fits(length, k); k += XC_PAIRS) {
		XC_REAL *const p = column + 2 * k;
		XC_REAL *const q = column + 2 * (length - k - XC_PAIRS + 1);
		const xc_v w = xc_load(twiddles + 2 * k);
		const xc_v c = XC_SHUFFLE(w, w, XC_RULE_REAL);
		const xc_v sine = XC_SHUFFLE(w, w, XC_RULE_IMAGINARY);
		xc_v s, t;
		if (inverse)
			uncombine(c, sine, xc_load(p), pairs_back(xc_load(q)), &s, &t);
		else
			combine(c, sine, xc_load(p), pairs_back(xc_load(q)), &s, &t);
		xc_store(p, s);
		xc_store(q, pairs_back(t));
	}
#endif
	for (; k <= length / 2; k++) {
		XC_REAL *const p = column + 2 * k, *const q = column + 2 * (length - k);
		XC_REAL s[2], t[2];
		if (inverse)
			uncombine_one(twiddles + 2 * k, p, q, s, t);
		else
			combine_one(twiddles + 2 * k, p, q, s, t);
		memcpy(q, t, sizeof t);
		memcpy(p, s, sizeof s);
	}
}

static void column(size_t length, const XC_REAL *twiddles, XC_REAL *values, xc_direction direction)
{
	if (direction == XC_INVERSE)
		column_within(length, twiddles, values, 1);
	else
		column_within(length, twiddles, values, 0);
}
