/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: blocked transposes, of samples and of complex values.  A tile of as
 * many rows as a vector has elements is transposed in registers, by exchanging
 * blocks of 1, 2, 4, ... elements between rows that are as far apart.
 */
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
