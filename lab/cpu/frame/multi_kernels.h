/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: two real rows as the real and imaginary part of one complex row z.  With A and B the
 * spectra of the two rows, Z[k] = A[k] + i B[k] and, the rows being real, Z[n - k] = conj(A[k]) + i
 * conj(B[k]).
 *
 * Forward: load_pair(), FFT, split_pair().  The panels hold, in column k, R[k] = w[k] A[k], whose
 * real part is the row's DCT coefficient k and whose imaginary part is minus the coefficient n - k;
 * column 0 pairs coefficient 0 with n / 2 (or with nothing when n is odd).
 *
 * Inverse: merge_pair(), FFT, store_pair().  The panels hold the samples of each row as they come,
 * two to a complex value.
 *
 * The sine transforms are those of the coefficients in reversed order, with the sign of every odd
 * sample changed.
 */
/* z = both rows in the N-point permutation: even samples forwards, then the odd ones backwards. */
static void load_pair(const xc_row_pair *rows, const XC_REAL *a, const XC_REAL *b, XC_REAL *z)
{
	const size_t n = rows->n;
	const XC_REAL sign = rows->sine ? -1 : 1;
	size_t m = 0;
#if XC_LANES > 1
	const xc_v signs = xc_splat(sign);
	for (; 2 * m + XC_LANES <= n; m += XC_PAIRS) {
		const xc_v x = xc_load(a + 2 * m), y = xc_load(b + 2 * m);
		xc_store(z + 2 * m, XC_SHUFFLE(x, y, XC_RULE_PAIR_EVEN));
		xc_store(z + 2 * (n - m) - XC_LANES, XC_SHUFFLE(x, y, XC_RULE_PAIR_ODD_BACK) * signs);
	}
#endif
	for (; 2 * m < n; m++) {
		z[2 * m] = a[2 * m];
		z[2 * m + 1] = b[2 * m];
		if (2 * m + 1 < n) {
			z[2 * (n - 1 - m)] = a[2 * m + 1] * sign;
			z[2 * (n - 1 - m) + 1] = b[2 * m + 1] * sign;
		}
	}
}

/* Column 0 of both rows: coefficients 0 and n / 2 from Z[0] and Z[n / 2]. */
static void split_first(const xc_row_pair *rows, const XC_REAL *z, XC_REAL *a, XC_REAL *b)
{
	const size_t n = rows->n;
	const XC_REAL wa = rows->twiddles[0][0], wb = rows->twiddles[1][0];
	const int even = n % 2 == 0;

	a[0] = rows->sine ? 0 : z[0] * wa;
	b[0] = rows->sine ? 0 : z[1] * wb;
	a[1] = even ? -(z[n] * wa) : 0;
	b[1] = even ? -(z[n + 1] * wb) : 0;
}

XC_INLINE void split_one(const xc_row_pair *rows, const XC_REAL *z, size_t k, XC_REAL *a,
                         XC_REAL *b)
{
	const XC_REAL *const x = z + 2 * k, *const y = z + 2 * (rows->n - k);
	const XC_REAL *const wa = rows->twiddles[0] + 2 * k;
	const XC_REAL *const wb = rows->twiddles[1] + 2 * k;
	const XC_REAL are = x[0] + y[0], aim = x[1] - y[1];
	const XC_REAL bre = x[1] + y[1], bim = y[0] - x[0];
	const XC_REAL ra = are * wa[0] - aim * wa[1], ia = aim * wa[0] + are * wa[1];
	const XC_REAL rb = bre * wb[0] - bim * wb[1], ib = bim * wb[0] + bre * wb[1];

	a[0] = rows->sine ? -ia : ra;
	a[1] = rows->sine ? -ra : ia;
	b[0] = rows->sine ? -ib : rb;
	b[1] = rows->sine ? -rb : ib;
}

#if XC_LANES > 1
/* Takes `count` columns from k on, in one panel; returns how many are done. */
XC_INLINE size_t split_vectors(const xc_row_pair *rows, const XC_REAL *z, size_t k, size_t count,
                               XC_REAL *a, XC_REAL *b, const int streaming)
{
	const xc_v conjugate = conjugation();
	size_t j = 0;

	for (; j + XC_PAIRS <= count; j += XC_PAIRS) {
		const XC_REAL *const mirrored = z + 2 * (rows->n - k - j + 1) - XC_LANES;
		const xc_v x = xc_load(z + 2 * (k + j));
		const xc_v y = pairs_back(xc_load(mirrored)) * conjugate;
		xc_v ra = complex_product(x + y, xc_load(rows->twiddles[0] + 2 * (k + j)));
		xc_v rb = complex_product(times_minus_i(x - y), xc_load(rows->twiddles[1] + 2 * (k + j)));
		if (rows->sine) {
			ra = -swap(ra);
			rb = -swap(rb);
		}
		if (k + j == 0) {
			XC_REAL first[4];
			split_first(rows, z, first, first + 2);
			ra[0] = first[0];
			ra[1] = first[1];
			rb[0] = first[2];
			rb[1] = first[3];
		}
		xc_put(a + 2 * j, ra, streaming);
		xc_put(b + 2 * j, rb, streaming);
	}
	return j;
}
#endif

/* From the spectrum z (n complex values and room for one more) to the lines a
 * and b of every panel; a and b point into the first one. */
static void split_pair(const xc_row_pair *rows, XC_REAL *z, XC_REAL *a, XC_REAL *b)
{
	const size_t n = rows->n, columns = (n + 1) / 2;

	z[2 * n] = z[0]; /* Z[n] = Z[0] */
	z[2 * n + 1] = z[1];
	for (size_t k = 0; k < columns; k += rows->width) {
		const size_t count = columns - k < rows->width ? columns - k : rows->width;
		size_t j = 0;
#if XC_LANES > 1
		/* Only whole cache lines are streamed. */
		if (rows->stream && count == rows->width)
			j = split_vectors(rows, z, k, count, a, b, 1);
		else
			j = split_vectors(rows, z, k, count, a, b, 0);
#endif
		for (; j < count; j++) {
			if (k + j)
				split_one(rows, z, k + j, a + 2 * j, b + 2 * j);
			else
				split_first(rows, z, a, b);
		}
		a += rows->panel_stride;
		b += rows->panel_stride;
	}
}

/* A[k] from coefficients k and n - k: conj(w) (a[k] - i a[n - k]). */
XC_INLINE void merge_one(const xc_row_pair *rows, size_t k, const XC_REAL *a, const XC_REAL *b,
                         XC_REAL *z)
{
	const XC_REAL *const wa = rows->twiddles[0] + 2 * k;
	const XC_REAL *const wb = rows->twiddles[1] + 2 * k;
	const size_t p = rows->sine ? rows->n - k : k, q = rows->n - p;
	const XC_REAL are = a[p] * wa[0] - a[q] * wa[1], aim = -a[q] * wa[0] - a[p] * wa[1];
	const XC_REAL bre = b[p] * wb[0] - b[q] * wb[1], bim = -b[q] * wb[0] - b[p] * wb[1];
	XC_REAL *const mirrored = z + 2 * (rows->n - k);

	z[2 * k] = are - bim;
	z[2 * k + 1] = aim + bre;
	mirrored[0] = are + bim;
	mirrored[1] = bre - aim;
}

static void merge_first(const xc_row_pair *rows, const XC_REAL *a, const XC_REAL *b, XC_REAL *z)
{
	const size_t n = rows->n;
	const XC_REAL wa = rows->twiddles[0][0], wb = rows->twiddles[1][0];

	z[0] = rows->sine ? 0 : a[0] * wa;
	z[1] = rows->sine ? 0 : b[0] * wb;
	if (n % 2 == 0) {
		z[n] = a[n / 2] * wa;
		z[n + 1] = b[n / 2] * wb;
	}
}

#if XC_LANES > 1
/* A[k] ... of XC_PAIRS columns, in two vectors. */
XC_INLINE void merge_vectors(const xc_row_pair *rows, size_t k, const XC_REAL *a,
                             const XC_REAL *twiddles, xc_v spectrum[2])
{
	const xc_v x = xc_load(a + k), y = back(xc_load(a + rows->n - k - XC_LANES + 1));
	const xc_v re = rows->sine ? y : x, im = rows->sine ? -x : -y;
	const XC_REAL *const w = twiddles + 2 * k;

	spectrum[0] = conjugate_product(XC_SHUFFLE(re, im, XC_RULE_ZIP_LOW), xc_load(w));
	spectrum[1] = conjugate_product(XC_SHUFFLE(re, im, XC_RULE_ZIP_HIGH), xc_load(w + XC_LANES));
}
#endif

/* From the coefficients of two rows to the spectrum z. */
static void merge_pair(const xc_row_pair *rows, const XC_REAL *a, const XC_REAL *b, XC_REAL *z)
{
	const size_t n = rows->n, columns = (n + 1) / 2;
	size_t k = 1;
#if XC_LANES > 1
	const xc_v conjugate = conjugation();
	for (; k + XC_LANES <= columns; k += XC_LANES) {
		xc_v x[2], y[2];
		merge_vectors(rows, k, a, rows->twiddles[0], x);
		merge_vectors(rows, k, b, rows->twiddles[1], y);
		for (size_t h = 0; h < 2; h++) {
			XC_REAL *const mirrored = z + 2 * (n - k + 1) - (h + 1) * XC_LANES;
			const xc_v ib = times_i(y[h]);
			xc_store(z + 2 * k + h * XC_LANES, x[h] + ib);
			/* conj(A) + i conj(B) = conj(A - i B) */
			xc_store(mirrored, pairs_back((x[h] - ib) * conjugate));
		}
	}
#endif
	for (; k < columns; k++)
		merge_one(rows, k, a, b, z);
	merge_first(rows, a, b, z);
}

#if XC_LANES > 1
/* `count` complex columns, samples 2 k ..., in one panel; returns how many are done. */
XC_INLINE size_t store_vectors(const xc_row_pair *rows, const XC_REAL *z, size_t k, size_t count,
                               XC_REAL *a, XC_REAL *b, const int streaming)
{
	const xc_v signs = xc_splat(rows->sine ? -1 : 1);
	size_t j = 0;

	for (; j + XC_PAIRS <= count && 2 * (k + j) + XC_LANES <= rows->n; j += XC_PAIRS) {
		const xc_v x = xc_load(z + 2 * (k + j));
		const xc_v y = xc_load(z + 2 * (rows->n - k - j) - XC_LANES) * signs;
		xc_put(a + 2 * j, XC_SHUFFLE(x, y, XC_RULE_UNPAIR_FIRST), streaming);
		xc_put(b + 2 * j, XC_SHUFFLE(x, y, XC_RULE_UNPAIR_SECOND), streaming);
	}
	return j;
}
#endif

/* From z, the two rows in the N-point permutation, to the lines a and b of every panel. */
static void store_pair(const xc_row_pair *rows, XC_REAL *z, XC_REAL *a, XC_REAL *b)
{
	const size_t n = rows->n, columns = (n + 1) / 2;
	const XC_REAL sign = rows->sine ? -1 : 1;

	for (size_t k = 0; k < columns; k += rows->width) {
		const size_t count = columns - k < rows->width ? columns - k : rows->width;
		size_t j = 0;
#if XC_LANES > 1
		if (rows->stream && count == rows->width)
			j = store_vectors(rows, z, k, count, a, b, 1);
		else
			j = store_vectors(rows, z, k, count, a, b, 0);
#endif
		for (; j < count; j++) {
			const size_t m = k + j;
			const XC_REAL *const odd = z + 2 * (n - 1 - m);
			const int both = 2 * m + 1 < n;
			a[2 * j] = z[2 * m];
			a[2 * j + 1] = both ? odd[0] * sign : 0;
			b[2 * j] = z[2 * m + 1];
			b[2 * j + 1] = both ? odd[1] * sign : 0;
		}
		a += rows->panel_stride;
		b += rows->panel_stride;
	}
}

/* Template: complex columns.  A column F of L complex values, after the FFT along it, becomes S[k]
 * = (w F[k] + conj(w) F[L-k]) with w = c - i s, and S[L-k] = i (w F[k] - conj(w) F[L-k]): a DCT of
 * its real and of its imaginary part at once, k and L - k together (Jiang, Gu, Pan, equations 17,
 * 18).  The inverse: F[k] = conj(w) (S[k] - i S[L-k]), F[L-k] = w (S[k] + i S[L-k]). */

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

static void column(size_t length, const XC_REAL *twiddles, XC_REAL *values, xct_direction direction)
{
	if (direction == XCT_INVERSE)
		column_within(length, twiddles, values, 1);
	else
		column_within(length, twiddles, values, 0);
}
