/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of one precision and one SIMD level.  The makefile compiles this file once for
 * each of them and sets XC_REAL_BITS (32, 64 or 80), XC_VECTOR_BYTES (0, 16, 32 or 64) and
 * XC_FRAME_TABLE, the name of the table.
 */
#include "lab/cpu/frame/kernels.h"

#include "lab/cpu/lanes.h"

/* Complex numbers in lanes, real part first, and the shuffles that FFT data need.  With one lane
 * only the scalar loops of the kernels are compiled. */

#if XC_LANES > 1

#define XC_RULE_EVEN(i) (2 * (i))
#define XC_RULE_ODD(i) (2 * (i) + 1)
#define XC_RULE_ODD_BACK(i) (2 * XC_LANES - 1 - 2 * (i))
#define XC_RULE_BACK(i) (XC_LANES - 1 - (i))
#define XC_RULE_SWAP(i) ((i) ^ 1)
#define XC_RULE_PAIRS_BACK(i) (XC_LANES - 2 - ((i) & ~1) + ((i)&1))
#define XC_RULE_REAL(i) ((i) & ~1)
#define XC_RULE_IMAGINARY(i) ((i) | 1)
#define XC_RULE_ZIP_LOW(i) (((i)&1) * XC_LANES + (i) / 2)
#define XC_RULE_ZIP_HIGH(i) (((i)&1) * XC_LANES + XC_LANES / 2 + (i) / 2)
#define XC_RULE_TWICE_LOW(i) ((i) / 2)
#define XC_RULE_TWICE_HIGH(i) (XC_LANES / 2 + (i) / 2)
/* Even samples of a and b side by side: a0 b0 a2 b2 ...; and the odd ones from
 * the last to the first: a[last] b[last] a[last-2] ... */
#define XC_RULE_PAIR_EVEN(i) (((i)&1) * XC_LANES + ((i) & ~1))
#define XC_RULE_PAIR_ODD_BACK(i) (((i)&1) * XC_LANES + XC_LANES - 1 - ((i) & ~1))
/* The reverse of both: of z and of the mirrored w, the first (second) of each
 * pair, taken in turn. */
#define XC_RULE_UNPAIR_FIRST(i) (((i)&1) ? 2 * XC_LANES - 1 - (i) : (i))
#define XC_RULE_UNPAIR_SECOND(i) (((i)&1) ? 2 * XC_LANES - (i) : (i) + 1)
/* One sample of b in front of all but the last of a. */
#define XC_RULE_SHIFT_IN(i) ((i) ? (i)-1 : XC_LANES)

/* clang-format off */
XC_INLINE xc_v swap(xc_v a) { return XC_SHUFFLE(a, a, XC_RULE_SWAP); }
XC_INLINE xc_v pairs_back(xc_v a) { return XC_SHUFFLE(a, a, XC_RULE_PAIRS_BACK); }
XC_INLINE xc_v back(xc_v a) { return XC_SHUFFLE(a, a, XC_RULE_BACK); }
/* clang-format on */

/* +1 -1 +1 -1 ...: conjugates complex numbers. */
#define XC_SIGN_RULE(i) ((i)&1 ? -1 : 1)
XC_INLINE xc_v conjugation(void)
{
	return (xc_v){XC_EVERY_LANE(XC_SIGN_RULE)};
}

/* clang-format off */
XC_INLINE xc_v times_i(xc_v a) { return swap(a) * -conjugation(); }
XC_INLINE xc_v times_minus_i(xc_v a) { return swap(a) * conjugation(); }
/* clang-format on */

XC_INLINE xc_v complex_product(xc_v a, xc_v b)
{
	const xc_v re = XC_SHUFFLE(b, b, XC_RULE_REAL);
	const xc_v im = XC_SHUFFLE(b, b, XC_RULE_IMAGINARY);
	return a * re + times_i(a) * im;
}

/* a times the conjugate of b. */
XC_INLINE xc_v conjugate_product(xc_v a, xc_v b)
{
	const xc_v re = XC_SHUFFLE(b, b, XC_RULE_REAL);
	const xc_v im = XC_SHUFFLE(b, b, XC_RULE_IMAGINARY);
	return a * re + times_minus_i(a) * im;
}

#endif

/* Template: blocked transposes, of samples and of complex values.  A tile of as
 * many rows as a vector has elements is transposed in registers, by exchanging
 * blocks of 1, 2, 4, ... elements between rows that are as far apart. */
#if XC_LANES > 1
#define XC_RULE_BLOCK_LOW(i, lanes) ((i) & (lanes) ? XC_LANES + (i) - (lanes) : (i))
#define XC_RULE_BLOCK_HIGH(i, lanes) ((i) & (lanes) ? XC_LANES + (i) : (i) + (lanes))
#define XC_RULE_LOW1(i) XC_RULE_BLOCK_LOW(i, 1)
#define XC_RULE_HIGH1(i) XC_RULE_BLOCK_HIGH(i, 1)
#define XC_RULE_LOW2(i) XC_RULE_BLOCK_LOW(i, 2)
#define XC_RULE_HIGH2(i) XC_RULE_BLOCK_HIGH(i, 2)
#define XC_RULE_LOW4(i) XC_RULE_BLOCK_LOW(i, 4)
#define XC_RULE_HIGH4(i) XC_RULE_BLOCK_HIGH(i, 4)
#define XC_RULE_LOW8(i) XC_RULE_BLOCK_LOW(i, 8)
#define XC_RULE_HIGH8(i) XC_RULE_BLOCK_HIGH(i, 8)
#define XC_EXCHANGE(r, count, apart, low, high) \
	for (int i = 0; i < (count); i++) { \
		if (!(i & (apart))) { \
			const xc_v t = XC_SHUFFLE((r)[i], (r)[i + (apart)], low); \
			(r)[i + (apart)] = XC_SHUFFLE((r)[i], (r)[i + (apart)], high); \
			(r)[i] = t; \
		} \
	}

/* XC_LANES rows of XC_LANES samples. */
XC_INLINE void transpose_samples(xc_v r[XC_LANES])
{
	XC_EXCHANGE(r, XC_LANES, 1, XC_RULE_LOW1, XC_RULE_HIGH1)
#if XC_LANES > 2
	XC_EXCHANGE(r, XC_LANES, 2, XC_RULE_LOW2, XC_RULE_HIGH2)
#endif
#if XC_LANES > 4
	XC_EXCHANGE(r, XC_LANES, 4, XC_RULE_LOW4, XC_RULE_HIGH4)
#endif
#if XC_LANES > 8
	XC_EXCHANGE(r, XC_LANES, 8, XC_RULE_LOW8, XC_RULE_HIGH8)
#endif
}

/* Complex values in a vector, and rows of a complex tile. */
#define XC_PAIRS (XC_LANES / 2)

XC_INLINE void transpose_pairs(xc_v r[XC_PAIRS])
{
	(void)r; /* a single pair stays */
#if XC_PAIRS > 1
	XC_EXCHANGE(r, XC_PAIRS, 1, XC_RULE_LOW2, XC_RULE_HIGH2)
#endif
#if XC_PAIRS > 2
	XC_EXCHANGE(r, XC_PAIRS, 2, XC_RULE_LOW4, XC_RULE_HIGH4)
#endif
#if XC_PAIRS > 4
	XC_EXCHANGE(r, XC_PAIRS, 4, XC_RULE_LOW8, XC_RULE_HIGH8)
#endif
}
#endif

/* out[j][i] = in[i][j], of samples (unit 1) or of complex values (unit 2); the samples `ahead` of
 * those that are read are prefetched. */
XC_INLINE void turn_units(size_t rows, size_t cols, const XC_REAL *in, size_t in_stride,
                          XC_REAL *out, size_t out_stride, const size_t unit, size_t ahead)
{
	size_t i = 0;
#if XC_LANES > 1
	const size_t tile = XC_LANES / unit;
	for (; i + tile <= rows; i += tile) {
		size_t j = 0;
		for (; j + tile <= cols; j += tile) {
			xc_v r[XC_LANES];
			for (size_t y = 0; y < tile; y++) {
				const XC_REAL *const p = in + (i + y) * in_stride + unit * j;
				__builtin_prefetch(p + ahead);
				r[y] = xc_load(p);
			}
			if (unit == 1)
				transpose_samples(r);
			else
				transpose_pairs(r);
			for (size_t x = 0; x < tile; x++)
				xc_store(out + (j + x) * out_stride + unit * i, r[x]);
		}
		for (; j < cols; j++)
			for (size_t y = i; y < i + tile; y++)
				memcpy(out + j * out_stride + unit * y, in + y * in_stride + unit * j,
				       unit * sizeof *in);
	}
#else
	(void)ahead;
#endif
	for (; i < rows; i++)
		for (size_t j = 0; j < cols; j++)
			memcpy(out + j * out_stride + unit * i, in + i * in_stride + unit * j,
			       unit * sizeof *in);
}

/* Down a narrow strip of a frame the rows are too far apart for the hardware to foresee the next
 * ones. */
static void transpose(size_t rows, size_t cols, const XC_REAL *in, size_t in_stride, XC_REAL *out,
                      size_t out_stride)
{
	turn_units(rows, cols, in, in_stride, out, out_stride, 1, cols <= XC_LINE ? 32 * in_stride : 0);
}

/* A panel is read in the order in which it lies in memory, so prefetching pays. */
static void turn(size_t rows, size_t cols, const XC_REAL *in, size_t in_stride, XC_REAL *out,
                 size_t out_stride)
{
	turn_units(rows, cols, in, in_stride, out, out_stride, 2,
	           in_stride == 2 * XC_LINE ? 64 * in_stride : 0);
}

#if XC_LANES > 1
XC_INLINE void load_pairs(const XC_REAL *in, size_t stride, xc_v r[XC_PAIRS])
{
	for (size_t y = 0; y < XC_PAIRS; y++)
		r[y] = xc_load(in + y * stride);
	transpose_pairs(r);
}
#endif

/* A complex value times a sign. */
XC_INLINE void put_signed(XC_REAL *out, const XC_REAL *in, XC_REAL sign)
{
	out[0] = in[0] * sign;
	out[1] = in[1] * sign;
}

/* The reverse of turn(), from few long rows, times a sign: cache lines of the output are
 * finished one after the other, so that they may be streamed. */
static void turn_back(size_t rows, size_t cols, const XC_REAL *in, size_t in_stride, XC_REAL *out,
                      ptrdiff_t out_stride, XC_REAL sign, int streaming)
{
	size_t j = 0;
#if XC_LANES > 1
	const int whole = streaming && rows == XC_LINE && out_stride % XC_LINE == 0;
	const xc_v signs = xc_splat(sign);
	for (; j + XC_PAIRS <= cols; j += XC_PAIRS) {
		size_t i = 0;
		for (; i + XC_PAIRS <= rows; i += XC_PAIRS) {
			XC_REAL *const tile = out + (ptrdiff_t)j * out_stride + 2 * i;
			xc_v r[XC_PAIRS];
			load_pairs(in + i * in_stride + 2 * j, in_stride, r);
			for (size_t x = 0; x < XC_PAIRS; x++)
				xc_put(tile + (ptrdiff_t)x * out_stride, r[x] * signs, whole);
		}
		for (; i < rows; i++)
			for (size_t x = j; x < j + XC_PAIRS; x++)
				put_signed(out + (ptrdiff_t)x * out_stride + 2 * i, in + i * in_stride + 2 * x,
				           sign);
	}
#else
	(void)streaming;
#endif
	for (; j < cols; j++)
		for (size_t i = 0; i < rows; i++)
			put_signed(out + (ptrdiff_t)j * out_stride + 2 * i, in + i * in_stride + 2 * j, sign);
}

/* Template: one line around one real FFT.  Each kernel is a vector loop over whole
 * vectors and a scalar loop for the rest. */

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

/* Template: the innermost tile of the matrix product.  left holds `depth` columns
 * of XC_TILE_ROWS samples, right `depth` rows of XC_TILE_COLS; the tile of sums
 * stays in registers: 24 vectors of 32 with AVX-512, 12 of 16 with AVX2 or SSE2. */
#if XC_VECTOR_BYTES == 64
#define XC_TILE_ROWS 12
#elif XC_LANES > 1
#define XC_TILE_ROWS 6
#else
#define XC_TILE_ROWS 4
#endif
#define XC_TILE_VECTORS 2
#define XC_TILE_COLS (XC_TILE_VECTORS * XC_LANES)

static void product(size_t depth, const XC_REAL *left, const XC_REAL *right, XC_REAL *tile,
                    size_t stride, int add)
{
	xc_v sum[XC_TILE_ROWS][XC_TILE_VECTORS];

	for (size_t i = 0; i < XC_TILE_ROWS; i++)
		for (size_t j = 0; j < XC_TILE_VECTORS; j++)
			sum[i][j] = xc_splat(0);
	for (size_t d = 0; d < depth; d++) {
		const xc_v r0 = xc_load(right), r1 = xc_load(right + XC_LANES);
		for (size_t i = 0; i < XC_TILE_ROWS; i++) {
			const xc_v l = xc_splat(left[i]);
			sum[i][0] = xc_multiply_add(l, r0, sum[i][0]);
			sum[i][1] = xc_multiply_add(l, r1, sum[i][1]);
		}
		left += XC_TILE_ROWS;
		right += XC_TILE_COLS;
	}
	for (size_t i = 0; i < XC_TILE_ROWS; i++) {
		XC_REAL *const p = tile + i * stride;
		for (size_t j = 0; j < XC_TILE_VECTORS; j++) {
			const xc_v s = sum[i][j];
			xc_store(p + j * XC_LANES, add ? xc_load(p + j * XC_LANES) + s : s);
		}
	}
}

#include "lab/cpu/frame/multi_kernels.h"

const xc_frame_kernels XC_FRAME_TABLE = {
	/* in the order of xc_line_method */
	.before = {spread, mirror, pad, reorder},
	.after = {gather, fold, crop, restore},
	.rotate = {rotate, rotate, rotate, rotate_pairs},
	.unrotate = {unrotate, unrotate, unrotate, unrotate_pairs},
	.transpose = transpose,
	.from_rows = {load_pair, merge_pair},
	.to_panels = {split_pair, store_pair},
	.turn = turn,
	.turn_back = turn_back,
	.panel_out = panel_out,
	.column = column,
	.product = product,
	.product_rows = XC_TILE_ROWS,
	.product_cols = XC_TILE_COLS,
};
