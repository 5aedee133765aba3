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
