/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: one line around one real FFT.  Each kernel is a vector loop over whole
 * vectors and a scalar loop for the rest.
 */

/* The N-point permutation (Makhoul 1980): even samples forwards, then the odd ones backwards. */
static void reorder(size_t n, const XC_REAL *in, XC_REAL *out)
{
	size_t i = 0;
#if XC_LANES > 1
	for (; 2 * (i + XC_LANES) <= n; i += XC_LANES) {
		const xc_v a = xc_load(in + 2 * i), b = xc_load(in + 2 * i + XC_LANES);
		xc_store(out + i, XC_SHUFFLE(a, b, XC_RULE_EVEN));
		xc_store(out + n - XC_LANES - i, XC_SHUFFLE(a, b, XC_RULE_ODD_BACK));
	}
#endif
	for (; 2 * i + 1 < n; i++) {
		out[i] = in[2 * i];
		out[n - 1 - i] = in[2 * i + 1];
	}
	if (n & 1)
		out[n / 2] = in[n - 1];
}

static void restore(size_t n, const XC_REAL *in, XC_REAL *out)
{
	size_t i = 0;
#if XC_LANES > 1
	for (; 2 * (i + XC_LANES) <= n; i += XC_LANES) {
		const xc_v a = xc_load(in + i), b = back(xc_load(in + n - XC_LANES - i));
		xc_store(out + 2 * i, XC_SHUFFLE(a, b, XC_RULE_ZIP_LOW));
		xc_store(out + 2 * i + XC_LANES, XC_SHUFFLE(a, b, XC_RULE_ZIP_HIGH));
	}
#endif
	for (; 2 * i + 1 < n; i++) {
		out[2 * i] = in[i];
		out[2 * i + 1] = in[n - 1 - i];
	}
	if (n & 1)
		out[n - 1] = in[n / 2];
}

/* The line, then its mirror image. */
static void mirror(size_t n, const XC_REAL *in, XC_REAL *out)
{
	size_t i = 0;
#if XC_LANES > 1
	for (; i + XC_LANES <= n; i += XC_LANES) {
		const xc_v a = xc_load(in + i);
		xc_store(out + i, a);
		xc_store(out + 2 * n - XC_LANES - i, back(a));
	}
#endif
	for (; i < n; i++)
		out[i] = out[2 * n - 1 - i] = in[i];
}

/* The transpose of mirror(): the sum of both halves. */
static void fold(size_t n, const XC_REAL *in, XC_REAL *out)
{
	size_t i = 0;
#if XC_LANES > 1
	for (; i + XC_LANES <= n; i += XC_LANES)
		xc_store(out + i, xc_load(in + i) + back(xc_load(in + 2 * n - XC_LANES - i)));
#endif
	for (; i < n; i++)
		out[i] = in[i] + in[2 * n - 1 - i];
}

/* The line, then as many zeros. */
static void pad(size_t n, const XC_REAL *in, XC_REAL *out)
{
	memcpy(out, in, n * sizeof *in);
	memset(out + n, 0, n * sizeof *in);
}

static void crop(size_t n, const XC_REAL *in, XC_REAL *out)
{
	memcpy(out, in, n * sizeof *out);
}

/* The line and its mirror image on the odd samples of 4 n, zeros between. */
static void spread(size_t n, const XC_REAL *in, XC_REAL *out)
{
	size_t i = 0;
#if XC_LANES > 1
	const xc_v zero = xc_splat(0);
	for (; i + XC_LANES <= n; i += XC_LANES) {
		const xc_v a = xc_load(in + i), b = back(a);
		XC_REAL *const mirrored = out + 4 * n - 2 * (i + XC_LANES);
		xc_store(out + 2 * i, XC_SHUFFLE(zero, a, XC_RULE_ZIP_LOW));
		xc_store(out + 2 * i + XC_LANES, XC_SHUFFLE(zero, a, XC_RULE_ZIP_HIGH));
		xc_store(mirrored, XC_SHUFFLE(zero, b, XC_RULE_ZIP_LOW));
		xc_store(mirrored + XC_LANES, XC_SHUFFLE(zero, b, XC_RULE_ZIP_HIGH));
	}
#endif
	for (; i < n; i++) {
		out[2 * i] = out[4 * n - 2 - 2 * i] = 0;
		out[2 * i + 1] = out[4 * n - 1 - 2 * i] = in[i];
	}
}

/* The odd samples of the first half of 4 n. */
static void gather(size_t n, const XC_REAL *in, XC_REAL *out)
{
	size_t i = 0;
#if XC_LANES > 1
	for (; i + XC_LANES <= n; i += XC_LANES) {
		const xc_v a = xc_load(in + 2 * i), b = xc_load(in + 2 * i + XC_LANES);
		xc_store(out + i, XC_SHUFFLE(a, b, XC_RULE_ODD));
	}
#endif
	for (; i < n; i++)
		out[i] = in[2 * i + 1];
}

/* out[k] = Re(w[k] X[k]), out[n - k] = -Im(w[k] X[k]) from the n / 2 + 1 complex
 * values of a real FFT: each gives two coefficients. */
static void rotate_pairs(size_t n, const XC_REAL *spectrum, const XC_REAL *twiddles, XC_REAL *out)
{
	const size_t half = (n + 1) / 2; /* the first k that has no partner of its own */
	size_t k = 1;
	out[0] = spectrum[0] * twiddles[0];
#if XC_LANES > 1
	for (; k + XC_LANES <= half; k += XC_LANES) {
		const XC_REAL *const x = spectrum + 2 * k, *const w = twiddles + 2 * k;
		const xc_v a = complex_product(xc_load(x), xc_load(w));
		const xc_v b = complex_product(xc_load(x + XC_LANES), xc_load(w + XC_LANES));
		xc_store(out + k, XC_SHUFFLE(a, b, XC_RULE_EVEN));
		xc_store(out + n - k - XC_LANES + 1, -XC_SHUFFLE(a, b, XC_RULE_ODD_BACK));
	}
#endif
	for (; k < half; k++) {
		const XC_REAL re = spectrum[2 * k], im = spectrum[2 * k + 1];
		const XC_REAL c = twiddles[2 * k], s = twiddles[2 * k + 1];
		out[k] = re * c - im * s;
		out[n - k] = -(re * s + im * c);
	}
	if (n > 1 && n % 2 == 0) /* the middle one is real */
		out[half] = spectrum[n] * twiddles[n];
}

/* The reverse: X[k] = conj(w[k]) (in[k] - i in[n - k]). */
static void unrotate_pairs(size_t n, const XC_REAL *in, const XC_REAL *twiddles, XC_REAL *spectrum)
{
	const size_t half = (n + 1) / 2;
	size_t k = 1;
	spectrum[0] = in[0] * twiddles[0];
	spectrum[1] = 0;
#if XC_LANES > 1
	for (; k + XC_LANES <= half; k += XC_LANES) {
		const xc_v re = xc_load(in + k), im = -back(xc_load(in + n - k - XC_LANES + 1));
		const xc_v a = XC_SHUFFLE(re, im, XC_RULE_ZIP_LOW);
		const xc_v b = XC_SHUFFLE(re, im, XC_RULE_ZIP_HIGH);
		const XC_REAL *const w = twiddles + 2 * k;
		xc_store(spectrum + 2 * k, conjugate_product(a, xc_load(w)));
		xc_store(spectrum + 2 * k + XC_LANES, conjugate_product(b, xc_load(w + XC_LANES)));
	}
#endif
	for (; k < half; k++) {
		const XC_REAL re = in[k], im = -in[n - k];
		const XC_REAL c = twiddles[2 * k], s = twiddles[2 * k + 1];
		spectrum[2 * k] = re * c + im * s;
		spectrum[2 * k + 1] = im * c - re * s;
	}
	if (n > 1 && n % 2 == 0) {
		/* conj(w) (y - i y) with w on the diagonal: real, twice w's real part. */
		spectrum[n] = in[half] * twiddles[n] * 2;
		spectrum[n + 1] = 0;
	}
}

/* out[k] = Re(w[k] X[k]) for k < n, from at least n complex values. */
static void rotate(size_t n, const XC_REAL *spectrum, const XC_REAL *twiddles, XC_REAL *out)
{
	size_t k = 0;
#if XC_LANES > 1
	for (; k + XC_LANES <= n; k += XC_LANES) {
		const XC_REAL *const x = spectrum + 2 * k, *const w = twiddles + 2 * k;
		const xc_v a = xc_load(x) * xc_load(w), b = xc_load(x + XC_LANES) * xc_load(w + XC_LANES);
		xc_store(out + k, XC_SHUFFLE(a, b, XC_RULE_EVEN) - XC_SHUFFLE(a, b, XC_RULE_ODD));
	}
#endif
	for (; k < n; k++)
		out[k] = spectrum[2 * k] * twiddles[2 * k] - spectrum[2 * k + 1] * twiddles[2 * k + 1];
}

/* X[k] = conj(w[k]) in[k] for k < n. */
static void unrotate(size_t n, const XC_REAL *in, const XC_REAL *twiddles, XC_REAL *spectrum)
{
	size_t k = 0;
#if XC_LANES > 1
	const xc_v conjugate = conjugation();
	for (; k + XC_LANES <= n; k += XC_LANES) {
		const xc_v a = xc_load(in + k);
		const XC_REAL *const w = twiddles + 2 * k;
		xc_store(spectrum + 2 * k, XC_SHUFFLE(a, a, XC_RULE_TWICE_LOW) * conjugate * xc_load(w));
		xc_store(spectrum + 2 * k + XC_LANES,
		         XC_SHUFFLE(a, a, XC_RULE_TWICE_HIGH) * conjugate * xc_load(w + XC_LANES));
	}
#endif
	for (; k < n; k++) {
		spectrum[2 * k] = in[k] * twiddles[2 * k];
		spectrum[2 * k + 1] = -(in[k] * twiddles[2 * k + 1]);
	}
}
