/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: the 8x8 DCT by FFTW in one precision.  Included by block_fftw.c through
 * each_real.h. */

typedef struct XC_T(xc_fftw_state) {
	XC_F(plan) plan;
	XC_REAL factor[64];
	size_t in_rows, in_cols, out_rows, out_cols; /* of the arrays */
	size_t rows, cols;                           /* in whole blocks */
	/* simple: a block before and after the plan; advanced: the whole array, when
	 * the caller's has no whole blocks. */
	XC_REAL *before, *after;
} XC_T(xc_fftw_state);

/* One plan for all blocks, from one array to another or (inverse) in place.  The
 * arrays it is run on are the caller's, of unknown alignment; planning would
 * overwrite them, so it has its own. */
static XC_F(plan) XC_T(xc_fftw_plan_all)(size_t rows, size_t cols, xc_direction direction)
{
	const ptrdiff_t width = (ptrdiff_t)cols;
	const XC_F(iodim64) block[2] = {{8, width, width}, {8, 1, 1}};
	const XC_F(iodim64)
		blocks[2] = {{(ptrdiff_t)rows / 8, 8 * width, 8 * width}, {width / 8, 8, 8}};
	const int inverse = direction == XC_INVERSE;
	const fftw_r2r_kind kind = inverse ? FFTW_REDFT01 : FFTW_REDFT10;
	const fftw_r2r_kind kinds[2] = {kind, kind};
	XC_REAL *in = XC_F(malloc)(rows * cols * sizeof *in);
	XC_REAL *out = inverse ? in : XC_F(malloc)(rows * cols * sizeof *out);
	XC_F(plan) plan = NULL;
	if (in && out)
		plan = XC_F(plan_guru64_r2r)(2, block, 2, blocks, in, out, kinds,
		                             FFTW_MEASURE | FFTW_UNALIGNED);
	if (!inverse)
		XC_F(free)(out);
	XC_F(free)(in);
	return plan;
}

static void XC_T(xc_fftw_finish)(xc_plan *plan)
{
	XC_T(xc_fftw_state) *s = plan->state;
	if (!s)
		return;
	if (s->plan)
		XC_F(destroy_plan)(s->plan);
	XC_F(free)(s->before);
	XC_F(free)(s->after);
	free(s);
	plan->state = NULL;
}

static int XC_T(xc_fftw_prepare)(xc_plan *plan, int advanced)
{
	XC_T(xc_fftw_state) *s = calloc(1, sizeof *s);
	if (!s)
		return -1;
	plan->state = s;
	const int inverse = plan->direction == XC_INVERSE;
	s->rows = (plan->size.rows + 7) & ~(size_t)7;
	s->cols = (plan->size.cols + 7) & ~(size_t)7;
	s->in_rows = inverse ? s->rows : plan->size.rows;
	s->in_cols = inverse ? s->cols : plan->size.cols;
	s->out_rows = inverse ? plan->size.rows : s->rows;
	s->out_cols = inverse ? plan->size.cols : s->cols;
	for (int i = 0; i < 64; i++)
		s->factor[i] = (XC_REAL)(normalisation(plan->direction, i / 8) *
		                         normalisation(plan->direction, i % 8));

	const int whole = s->rows == plan->size.rows && s->cols == plan->size.cols;
	const size_t buffer = advanced ? s->rows * s->cols : 64;
	if (!advanced || !whole)
		s->before = XC_F(malloc)(buffer * sizeof(XC_REAL));
	if (!advanced)
		s->after = XC_F(malloc)(buffer * sizeof(XC_REAL));
	if ((!s->before && !(advanced && whole)) || (!s->after && !advanced)) {
		XC_T(xc_fftw_finish)(plan);
		return -1;
	}
	const fftw_r2r_kind kind = inverse ? FFTW_REDFT01 : FFTW_REDFT10;
	if (advanced)
		s->plan = XC_T(xc_fftw_plan_all)(s->rows, s->cols, plan->direction);
	else
		s->plan = XC_F(plan_r2r_2d)(8, 8, s->before, s->after, kind, kind, FFTW_MEASURE);
	if (s->plan)
		return 0;
	XC_T(xc_fftw_finish)(plan);
	return -1;
}

/* rows x cols samples from one array to another; the last ones are repeated. */
static void XC_T(xc_fftw_pad)(const XC_REAL *in, size_t in_rows, size_t in_cols, XC_REAL *out,
                              size_t rows, size_t cols)
{
	for (size_t y = 0; y < rows; y++) {
		const XC_REAL *from = in + (y < in_rows ? y : in_rows - 1) * in_cols;
		for (size_t x = 0; x < cols; x++)
			out[y * cols + x] = from[x < in_cols ? x : in_cols - 1];
	}
}

static void XC_T(xc_fftw_read_block)(const XC_T(xc_fftw_state) * s, const XC_REAL *in, size_t row,
                                     size_t col)
{
	for (size_t i = 0; i < 64; i++) {
		const size_t y = row + i / 8, x = col + i % 8;
		s->before[i] = in[(y < s->in_rows ? y : s->in_rows - 1) * s->in_cols +
		                  (x < s->in_cols ? x : s->in_cols - 1)];
	}
}

static void XC_T(xc_fftw_write_block)(const XC_T(xc_fftw_state) * s, XC_REAL *out, size_t row,
                                      size_t col)
{
	for (size_t i = 0; i < 64; i++) {
		const size_t y = row + i / 8, x = col + i % 8;
		if (y < s->out_rows && x < s->out_cols)
			out[y * s->out_cols + x] = s->after[i];
	}
}

static void XC_T(xc_fftw_simple)(const xc_plan *plan, const XC_REAL *in, XC_REAL *out)
{
	const XC_T(xc_fftw_state) *s = plan->state;
	const int inverse = plan->direction == XC_INVERSE;
	for (size_t row = 0; row < s->rows; row += 8) {
		for (size_t col = 0; col < s->cols; col += 8) {
			XC_T(xc_fftw_read_block)(s, in, row, col);
			for (size_t i = 0; i < 64 && inverse; i++)
				s->before[i] *= s->factor[i];
			XC_F(execute)(s->plan);
			for (size_t i = 0; i < 64 && !inverse; i++)
				s->after[i] *= s->factor[i];
			XC_T(xc_fftw_write_block)(s, out, row, col);
		}
	}
}

static void XC_T(xc_fftw_normalise)(const XC_T(xc_fftw_state) * s, const XC_REAL *in, XC_REAL *out)
{
	for (size_t y = 0; y < s->rows; y++) {
		const XC_REAL *factor = s->factor + y % 8 * 8;
		for (size_t x = 0; x < s->cols; x += 8)
			for (size_t i = 0; i < 8; i++)
				out[y * s->cols + x + i] = in[y * s->cols + x + i] * factor[i];
	}
}

static void XC_T(xc_fftw_advanced)(const xc_plan *plan, const XC_REAL *in, XC_REAL *out)
{
	const XC_T(xc_fftw_state) *s = plan->state;
	if (plan->direction == XC_FORWARD) {
		if (s->before)
			XC_T(xc_fftw_pad)(in, s->in_rows, s->in_cols, s->before, s->rows, s->cols);
		/* FFTW's type says otherwise, but it does not write to its input. */
		XC_F(execute_r2r)(s->plan, s->before ? s->before : (XC_REAL *)in, out);
		XC_T(xc_fftw_normalise)(s, out, out);
		return;
	}
	XC_REAL *whole = s->before ? s->before : out;
	XC_T(xc_fftw_normalise)(s, in, whole);
	XC_F(execute_r2r)(s->plan, whole, whole);
	for (size_t y = 0; s->before && y < s->out_rows; y++)
		memcpy(out + y * s->out_cols, whole + y * s->cols, s->out_cols * sizeof *out);
}
