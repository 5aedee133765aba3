/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language in which the arithmetic of the transforms is written, once for C and for CUDA.  A
 * file that instantiates it may define, before it includes any of the kernel headers,
 *
 *	XC_V		the type of a value: a real, a vector of them (float)
 *	XC_REAL		the type of a constant, and of one lane (float)
 *	XC_K(c)		a constant, from a decimal literal without suffix
 *	XC_ADD, XC_SUB	sum and difference of two values
 *	XC_MUL(a, k)	a value times a constant
 *	XC_HALVE(a)	a value divided by two
 *	XC_MADD(a, k, c) a * k + c, rounded once where that is cheap
 *	XC_DEVICE	what functions for a GPU are marked with
 *
 * The kernels use these and no operators, so that a test can put in a type that counts the
 * operations.  Constants have 38 digits, enough for every long double.
 */
#ifndef XC_LAB_KERNELS_KERNEL_H
#define XC_LAB_KERNELS_KERNEL_H

#ifndef XC_V
#define XC_V float
#endif
#ifndef XC_REAL
#define XC_REAL float
#endif
#ifndef XC_DEVICE
#define XC_DEVICE
#endif
#ifndef XC_K
#define XC_K(c) ((XC_REAL)(c##L))
#endif
#ifndef XC_ADD
#define XC_ADD(a, b) ((a) + (b))
#define XC_SUB(a, b) ((a) - (b))
#define XC_MUL(a, k) ((a) * (k))
#define XC_HALVE(a) ((a)*XC_K(0.5))
#endif
#ifndef XC_MADD
#define XC_MADD(a, k, c) ((a) * (k) + (c))
#endif

/* cos(k pi / 16), the tangents of pi/16, pi/8 and 3pi/16, cos(pi/8) -+ sin(pi/8). */
#define XC_C1 XC_K(0.98078528040323044912618223613423903697)
#define XC_C2 XC_K(0.92387953251128675612818318939678828682)
#define XC_C3 XC_K(0.83146961230254523707878837761790575674)
#define XC_C4 XC_K(0.70710678118654752440084436210484903928)
#define XC_C5 XC_K(0.55557023301960222474283081394853287437)
#define XC_C6 XC_K(0.38268343236508977172845998403039886676)
#define XC_C7 XC_K(0.19509032201612826784828486847702224093)
#define XC_T1 XC_K(0.1989123673796580069115976226446762286)
#define XC_T2 XC_K(0.41421356237309504880168872420969807857)
#define XC_T3 XC_K(0.66817863791929891999775768652308076155)
#define XC_C2_LESS_C6 XC_K(0.54119610014619698439972320536638942006)
#define XC_C2_PLUS_C6 XC_K(1.3065629648763765278566431734271871536)
/* sqrt(1/8) = cos(pi/4) / 2 */
#define XC_SQRT_1_8 XC_K(0.35355339059327376220042218105242451964)

/* A row of a table of constants. */
#define XC_ROW4(a, b, c, d) \
	{ \
		XC_K(a), XC_K(b), XC_K(c), XC_K(d) \
	}

#define XC_KERNEL static inline __attribute__((always_inline, unused)) XC_DEVICE

/* x = m x, or x = m' x if `transposed`, a constant, is 1.  It takes 16 multiplications and 12
 * additions, 12 of the former in multiply-adds. */
XC_KERNEL void xc_matrix4(XC_V x[4], const XC_REAL m[4][4], const int transposed)
{
	const XC_V a = x[0], b = x[1], c = x[2], d = x[3];

	for (int i = 0; i < 4; i++) {
		XC_V sum = XC_MUL(a, transposed ? m[0][i] : m[i][0]);
		sum = XC_MADD(b, transposed ? m[1][i] : m[i][1], sum);
		sum = XC_MADD(c, transposed ? m[2][i] : m[i][2], sum);
		x[i] = XC_MADD(d, transposed ? m[3][i] : m[i][3], sum);
	}
}

/* s and d become the sums and differences of 8 values, `step` apart, and their mirror image. */
XC_KERNEL void xc_split_mirrored(const XC_V *x, int step, XC_V s[4], XC_V d[4])
{
	for (int i = 0; i < 4; i++) {
		s[i] = XC_ADD(x[i * step], x[(7 - i) * step]);
		d[i] = XC_SUB(x[i * step], x[(7 - i) * step]);
	}
}

/* Its transpose. */
XC_KERNEL void xc_join_mirrored(XC_V *x, int step, const XC_V s[4], const XC_V d[4])
{
	for (int i = 0; i < 4; i++) {
		x[i * step] = XC_ADD(s[i], d[i]);
		x[(7 - i) * step] = XC_SUB(s[i], d[i]);
	}
}

/* s and d become the sums and differences of both halves of x. */
XC_KERNEL void xc_split_halves(const XC_V x[8], XC_V s[4], XC_V d[4])
{
	for (int i = 0; i < 4; i++) {
		s[i] = XC_ADD(x[i], x[4 + i]);
		d[i] = XC_SUB(x[i], x[4 + i]);
	}
}

/* Its transpose. */
XC_KERNEL void xc_join_halves(XC_V x[8], const XC_V s[4], const XC_V d[4])
{
	for (int i = 0; i < 4; i++) {
		x[i] = XC_ADD(s[i], d[i]);
		x[4 + i] = XC_SUB(s[i], d[i]);
	}
}

/* Takes the even and the odd values of x apart, and puts them together again. */
XC_KERNEL void xc_deinterleave(const XC_V x[8], XC_V even[4], XC_V odd[4])
{
	for (int i = 0; i < 4; i++) {
		even[i] = x[2 * i];
		odd[i] = x[2 * i + 1];
	}
}

XC_KERNEL void xc_interleave(XC_V x[8], const XC_V even[4], const XC_V odd[4])
{
	for (int i = 0; i < 4; i++) {
		x[2 * i] = even[i];
		x[2 * i + 1] = odd[i];
	}
}

#endif
