/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libxct: cosine, sine and lapped transforms by name, on processor and GPU: plan, execute, free.
 *
 * Conventions that hold for the whole header
 *   - A function that can fail returns an xct_status.  After a failure *out is NULL or zero, nothing
 *     needs freeing, and xct_context_message() says in one line what went wrong.
 *   - NULL in place of an argument that is not said to be optional is XCT_ERR_ARGUMENT; a function
 *     without a status then does nothing and returns 0, "" or NULL.
 *   - The library never prints or exits (FFTW, where it is linked, ends the process if its own planner finds no
 *     memory).  Its state is in contexts and plans.  A context and its plans
 *     serve one call at a time: one context a thread.  (FFTW's planner is the process's: libxct locks
 *     its own calls of it. A program that plans with FFTW in other threads at the same time calls
 *     fftw_make_planner_thread_safe().)
 *   - Sizes, strides and distances are in samples.  Arrays are row by row: the last size is that of the
 *     axis whose samples lie side by side.
 *   - Threads are the context's, which sleep between calls; algorithms whose names end in -openmp take
 *     OpenMP's, which spin unless the environment has OMP_WAIT_POLICY=passive.
 *   - Interface and names of algorithms may change from release to release: this is a workshop's library,
 *     without the promises of xcodec.h.
 *   - Results of a plan depend on descriptor and input: not on threads, and, but for algorithms by FFTW,
 *     which measures which way is fastest, not on the machine's load.
 */
#ifndef XCT_H
#define XCT_H

#include <stddef.h>

#if defined XC_BUILD_SHARED && defined __GNUC__
#define XCT_API __attribute__((visibility("default")))
#else
#define XCT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------ status, context */

/* Numbers never change meaning; they are those of libxcodec. */
typedef enum xct_status {
	XCT_OK = 0,
	XCT_ERR_ARGUMENT = 1,    /* an argument is out of its documented range */
	XCT_ERR_MEMORY = 2,      /* out of memory */
	XCT_ERR_UNSUPPORTED = 7, /* meaningful, but no algorithm of this build does it */
	XCT_ERR_DEVICE = 8       /* a GPU failed, or there is none */
} xct_status;

/* A static string in lower case, such as "out of memory".  Never NULL. */
XCT_API const char *xct_status_string(xct_status status);

typedef struct xct_context xct_context;

/* NULL: out of memory.  The context holds the threads, which sleep between calls.  It is freed after
 * its plans; xct_context_free() accepts NULL. */
XCT_API xct_context *xct_context_new(void);
XCT_API void xct_context_free(xct_context *context);

/* One line about the failure of the last call on the context or on a plan of it, without a newline; ""
 * after success; until the next call. */
XCT_API const char *xct_context_message(const xct_context *context);

/* Memory for arrays: zeros, aligned to 64 bytes, large ones on huge pages where the system has them,
 * which is what plans run fastest on.  NULL: out of memory.  Freed with xct_release(), which accepts
 * NULL.  Plans take any other memory that is aligned for its samples, too. */
XCT_API void *xct_allocate(size_t bytes);
XCT_API void xct_release(void *memory);

/* ----------------------------------------------------- what to transform */

/* One bit each, so that a sum is a set. */
typedef enum xct_precision {
	XCT_INT16 = 1,       /* int16_t */
	XCT_FLOAT32 = 2,     /* float */
	XCT_FLOAT64 = 4,     /* double */
	XCT_LONG_DOUBLE = 8, /* long double: processor only */
	XCT_FLOAT16 = 16     /* IEEE binary16: GPU only */
} xct_precision;

typedef enum xct_direction { XCT_FORWARD = 0, XCT_INVERSE = 1 } xct_direction;

/* Along each axis of N samples, orthonormal (see xct_scaling), with n and k from 0 to N - 1,
 * c(0) = sqrt(1/2), c = 1 otherwise:
 *   DCT1  X[k] = sqrt(2/(N-1)) e(k) sum e(n) x[n] cos(pi n k / (N-1)), e(0) = e(N-1) = sqrt(1/2); N >= 2
 *   DCT2  X[k] = sqrt(2/N) c(k) sum x[n] cos(pi (2n+1) k / 2N)
 *   DCT3  X[k] = sqrt(2/N) sum c(n) x[n] cos(pi n (2k+1) / 2N)
 *   DCT4  X[k] = sqrt(2/N) sum x[n] cos(pi (2n+1) (2k+1) / 4N)
 *   DST1  X[k] = sqrt(2/(N+1)) sum x[n] sin(pi (n+1) (k+1) / (N+1))
 *   DST2  X[k] = sqrt(2/N) c(N-1-k) sum x[n] sin(pi (2n+1) (k+1) / 2N)
 *   DST3  X[k] = sqrt(2/N) sum c(N-1-n) x[n] sin(pi (n+1) (2k+1) / 2N)
 *   DST4  X[k] = sqrt(2/N) sum x[n] sin(pi (2n+1) (2k+1) / 4N)
 * (S. A. Martucci, Symmetric convolution and the discrete sine and cosine transforms, IEEE Trans.
 * Signal Processing 42, 1994.)  Their matrices are orthogonal: XCT_INVERSE is the transpose, so that
 * DCT2 inverse is DCT3 forward.
 *   IDCT_IDXST, IDXST_IDCT  inverse: IDXST, x[n] = sqrt(2/N) sum over k > 0 of X[k] sin(pi (2n+1) k / 2N),
 *     along each row and DCT3 down the columns, or the reverse (Jiang, Gu, Pan, equations 21 and 22);
 *     forward: the transpose.  IDXST ignores X[0].  2 dimensions.
 *   REAL_FFT  the real FFT alone, which others are measured against; it leaves its spectrum to itself
 *   COPY      a copy, likewise
 *   COMPLEX_FFT  columns 2j and 2j + 1 are real and imaginary parts; along each axis X[k] = sum x[n]
 *     exp(-2 pi i n k / N), inverse exp(+...), not scaled.  1 or 2 dimensions, an even last size
 *   MATRIX_PRODUCT  the DCT2 down the columns alone, as the product of its matrix and the array.  2 dimensions
 * In 8x8 blocks or overlapping bands of 8, 2 dimensions of any size; the forward transform repeats
 * the last row and column up to whole blocks, the inverse drops what was added:
 *   BLOCK_DCT  DCT2 of each 8x8 block
 *   BLOCK_DCT_QUANTIZED  the same, divided by the table xct_quantizers() and rounded to whole numbers
 *   LOT_STORED  Malvar's LOT, zeros around the array; 8 rows and 8 columns of coefficients more: bands
 *     8b ... 8b + 7 belong to the edge before block b
 *   LOT        the LOT of the array continued as its mirror image: as many coefficients as samples; bands
 *     8b ... 8b + 7 sit on samples 8b ... 8b + 7 and reach half a block beyond
 *   TDLT       a filter across block edges, then the 8x8 DCT (Tran)
 *   GENLOT     GenLOT of order 3, 24 samples (de Queiroz)
 *   LOT2       Malvar's LOT of type II, continued likewise
 * BLOCK_DCT and LOT2 have 16 or 32 bands, too: `bands` of the descriptor. */
typedef enum xct_kind {
	XCT_DCT1 = 0,
	XCT_DCT2 = 1,
	XCT_DCT3 = 2,
	XCT_DCT4 = 3,
	XCT_DST1 = 4,
	XCT_DST2 = 5,
	XCT_DST3 = 6,
	XCT_DST4 = 7,
	XCT_IDCT_IDXST = 8,
	XCT_IDXST_IDCT = 9,
	XCT_REAL_FFT = 10,
	XCT_COPY = 11,
	XCT_COMPLEX_FFT = 12,
	XCT_MATRIX_PRODUCT = 13,
	XCT_BLOCK_DCT = 14,
	XCT_BLOCK_DCT_QUANTIZED = 15,
	XCT_LOT_STORED = 16,
	XCT_LOT = 17,
	XCT_TDLT = 18,
	XCT_GENLOT = 19,
	XCT_LOT2 = 20
} xct_kind;

/* The table of the whitepaper (Obukhov and Kharlamov 2008), 64 steps row by row. */
XCT_API const unsigned char *xct_quantizers(void);

/* What a transform multiplies with, along each axis.
 *   ORTHONORMAL  as above; norm="ortho" of SciPy
 *   UNSCALED  the sums of FFTW's r2r kinds of the same name (DCT2: REDFT10, 2 sum x cos; DCT3: REDFT01,
 *     x[0] + 2 sum; DCT1: REDFT00; DST2: RODFT10 ...), and for XCT_INVERSE those of the inverse kind;
 *     there and back multiplies by 2N (DCT1: 2 (N - 1), DST1: 2 (N + 1)).  DCT and DST kinds, BLOCK_DCT
 *   MATLAB  dct(), dct2(): orthonormal; dst(), idst(): DST1 is sum x sin, its inverse 2/(N+1) sum; the
 *     other DSTs, which MATLAB lacks, are refused
 *   JIANG  Jiang, Gu, Pan, equations 1, 2 and 21: DCT2 is sum x cos, its inverse (and DCT3) x[0]/2 + sum
 *     over k > 0; IDXST is the sum; there and back multiplies by N/2.  DCT2, DCT3, BLOCK_DCT and IDXST pairs */
typedef enum xct_scaling {
	XCT_ORTHONORMAL = 0,
	XCT_UNSCALED = 1,
	XCT_MATLAB = 2,
	XCT_JIANG = 3
} xct_scaling;

/* Where the pointers of xct_execute() lead to. */
typedef enum xct_memory {
	XCT_HOST = 0,  /* of a GPU's plan: copied there and back, and the call waits */
	XCT_DEVICE = 1 /* of the GPU: nothing is copied, and the call returns before the work is done */
} xct_memory;

enum { XCT_MAX_DIMENSIONS = 4, XCT_CPU = -1 };

typedef struct xct_descriptor {
	xct_kind kind;
	xct_direction direction;
	xct_precision precision;
	xct_scaling scaling;
	int dimensions;                  /* 1 to 4 */
	size_t size[XCT_MAX_DIMENSIONS]; /* of the spatial array: input of forward, output of inverse */
	size_t
		in_stride[XCT_MAX_DIMENSIONS]; /* from a sample to its neighbour along each axis; all 0: */
	size_t out_stride[XCT_MAX_DIMENSIONS]; /* dense */
	size_t batch;                          /* arrays transformed by each call, at least 1 */
	size_t in_distance, out_distance;      /* from an array to the next; 0: dense */
	int bands;                             /* of blocks and lapped transforms: 8 (or 0), 16, 32 */
	const char *algorithm;                 /* a name of the list; NULL: the plan chooses */
	int threads;                           /* of the processor, 1 to 1024 */
	int device;                            /* XCT_CPU, or a GPU, counted from 0 */
	int devices;       /* GPUs from there on that arrays in host memory are shared out to; 0: 1 */
	xct_memory memory; /* of a GPU's plan */
	void *stream;      /* of a GPU's plan: a cudaStream_t; NULL: one of the plan's */
	int estimate;      /* 1: FFTW guesses which way is fastest, and measures nothing */
} xct_descriptor;

/* An orthonormal forward DCT2 of one array of float, by one thread of the processor; dimensions and
 * sizes are 0. */
XCT_API void xct_descriptor_default(xct_descriptor *descriptor);

/* ------------------------------------------------------------ algorithms */

/* Lives as long as the program. */
typedef struct xct_algorithm {
	const char *name;    /* "cpu-aan" */
	const char *summary; /* one line */
	const char *source;  /* who published it, and where */
	const char *scaling; /* "orthonormal", or what XCT_ORTHONORMAL is here */
	unsigned kinds;      /* set of 1u << xct_kind */
	unsigned precisions; /* set of xct_precision */
	unsigned bands;      /* sum of the numbers of bands that it does; 0: whole arrays */
	int dimensions;      /* the most; 4 dimensions are done by rounds of 2 */
	int threads;         /* 1: it uses more than one */
	int in_place;        /* 1: in place it needs no memory more */
	int gpu;             /* 1: on a GPU */
} xct_algorithm;

/* All algorithms of this build, the processor's first, by number from 0; NULL: there are no more. */
XCT_API const xct_algorithm *xct_algorithm_at(size_t number);
/* NULL: there is none of that name. */
XCT_API const xct_algorithm *xct_algorithm_find(const char *name);
/* Whether it can run here, on that GPU: XCT_OK, and *device_name the GPU's name or "" until the next
 * call on the context, or a failure.  device_name may be NULL. */
XCT_API xct_status xct_algorithm_usable(xct_context *context, const xct_algorithm *algorithm,
                                        int device, const char **device_name);

/* ----------------------------------------------------------------- plans */

typedef struct xct_plan xct_plan;

/* Tables, scratch, and FFTs, which are measured unless `estimate` is set.  *out is the caller's, freed
 * with xct_plan_free(), which accepts NULL.  The descriptor is not used afterwards. */
XCT_API xct_status xct_plan_new(xct_context *context, const xct_descriptor *descriptor,
                                xct_plan **out);
XCT_API void xct_plan_free(xct_plan *plan);

/* Transforms `batch` arrays.  in and out may be equal if the layouts of both arrays are, but not with XCT_DEVICE;
 * otherwise they do not overlap, and the input is not changed.  With XCT_DEVICE the work is in the
 * stream, after what was put there before.  The stream's work must be done before the plan is freed. */
XCT_API xct_status xct_execute(xct_plan *plan, const void *in, void *out);

/* What one call does, in operations of reals.  FFTW's are those of fftw_flops(). */
typedef struct xct_operations {
	double additions, multiplications, multiply_adds, shifts; /* a shift halves a value */
	double scaling; /* multiplications of a scaling of its own, which quantization may absorb */
} xct_operations;

typedef struct xct_plan_info {
	const xct_algorithm *algorithm;
	size_t in_size
		[XCT_MAX_DIMENSIONS]; /* of the input and the output, as many as there are dimensions */
	size_t out_size[XCT_MAX_DIMENSIONS];
	int threads;
	xct_operations operations; /* all 0: not known */
} xct_plan_info;
XCT_API xct_status xct_plan_describe(const xct_plan *plan, xct_plan_info *info);

/* What xct_plan_new() would say of the descriptor's algorithm and sizes, without planning: *info has no
 * operations. */
XCT_API xct_status xct_describe(xct_context *context, const xct_descriptor *descriptor,
                                xct_plan_info *info);

/* Seconds of a GPU's last xct_execute() with XCT_HOST, and those of the stages in the last
 * xct_measure(): before the FFTs, the FFTs, after them.  0: not known, or no such stage. */
typedef struct xct_times {
	double upload, kernel, download;
	double stage[3]; /* means */
} xct_times;
XCT_API xct_status xct_plan_times(const xct_plan *plan, xct_times *times);

/* For benchmarks: the seconds of each of `runs` runs of a GPU's plan on arrays that are there already, by
 * its clock; in is an array in host memory. */
XCT_API xct_status xct_measure(xct_plan *plan, const void *in, int runs, double *seconds);

/* ------------------------------------------------- potential of a density */

/*
 * What a density of charge or mass on a rectangle makes around it (Jiang, Gu, Pan, algorithm 4).  With x to the
 * right along a row and y down a column, in the units of the steps, sample [r][c] stands for the middle
 * of its cell, x = (c + 1/2) column_step, y = (r + 1/2) row_step, and
 *
 *   potential P:  d2P/dx2 + d2P/dy2 = -(density - its mean)
 *   force on a charge of 1:  force_x = -dP/dx, force_y = -dP/dy
 *
 * No force goes through the rectangle's edges (Neumann's condition), which only a charge of 0 in all can
 * obey: therefore the mean is taken off.  The mean of P is 0.  With a[v][u] the orthonormal DCT2 of the density,
 * c(0) = sqrt(1/2) and c = 1 otherwise, p = pi u / (columns column_step) and q = pi v / (rows row_step),
 *
 *   P = 2 / sqrt(rows columns) sum over (v, u) but (0, 0) of c(v) c(u) a[v][u] / (p^2 + q^2) cos(p x) cos(q y)
 *
 * and the forces are the exact derivatives of this sum, with p sin(p x) cos(q y) and q cos(p x) sin(q y).
 * Errors are as those of transforms; those of the density's lowest frequency weigh most.
 */
typedef struct xct_poisson_descriptor {
	size_t rows, columns;
	double row_step, column_step; /* from a row to the next; they and their ratio 1e-9 to 1e9 */
	xct_precision precision;      /* FLOAT32, FLOAT64, or, on the processor, LONG_DOUBLE */
	int threads, device;          /* as in xct_descriptor */
	int estimate;
} xct_poisson_descriptor;

/* float, steps of 1, one thread of the processor; rows and columns are 0. */
XCT_API void xct_poisson_default(xct_poisson_descriptor *descriptor);

typedef struct xct_poisson xct_poisson;

/* Plans and memory for one array more; as xct_plan_new(). */
XCT_API xct_status xct_poisson_new(xct_context *context, const xct_poisson_descriptor *descriptor,
                                   xct_poisson **out);
XCT_API void xct_poisson_free(xct_poisson *poisson);

/* All arrays are dense ones of host memory, rows x columns.  An output that is NULL is not computed, and its
 * inverse transform is saved.  Outputs do not overlap; one of them may be the density itself. */
XCT_API xct_status xct_poisson_execute(xct_poisson *poisson, const void *density, void *potential,
                                       void *force_x, void *force_y);

#ifdef __cplusplus
}
#endif

#endif
