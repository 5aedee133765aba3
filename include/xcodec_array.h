/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of numbers in XC files: sections, slices, volumes, lists of them, with a bound on the error
 * of each value that holds, or without any error.
 *
 * Conventions are those of xcodec.h. An array is in C order: its dimensions are named from the
 * slowest to the fastest one, and values lie without gaps in the machine's byte order, aligned as
 * their type. The same values and options give the same file, and a file the same values, for any
 * number of threads and on any machine.
 */
#ifndef XCODEC_ARRAY_H
#define XCODEC_ARRAY_H

#include <xcodec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers never change meaning. */
typedef enum xc_array_type {
	XC_ARRAY_FLOAT32 = 0,
	XC_ARRAY_FLOAT64 = 1,
	XC_ARRAY_INT8 = 2,
	XC_ARRAY_INT16 = 3,
	XC_ARRAY_INT32 = 4,
	XC_ARRAY_UINT8 = 5,
	XC_ARRAY_UINT16 = 6,
	XC_ARRAY_UINT32 = 7
} xc_array_type;

enum { XC_ARRAY_TYPES = 8, XC_ARRAY_DIMENSIONS = 4 };

/* Bytes of a value, 1 to 8; 0 if there is no such type. */
XC_API size_t xc_array_type_size(xc_array_type type);
/* "float32" and so on; NULL if there is no such type. */
XC_API const char *xc_array_type_name(xc_array_type type);

typedef struct xc_array_shape {
	xc_array_type type;
	int dimensions;                     /* 1 to 4; of four, the first is a list of volumes */
	uint64_t size[XC_ARRAY_DIMENSIONS]; /* each at least 1; the slowest first */
} xc_array_shape;

/* What the error of every value keeps to. NaN, infinities and the fill value are kept exactly. */
typedef enum xc_array_bound {
	XC_BOUND_LOSSLESS = 0, /* every bit is kept */
	XC_BOUND_ABSOLUTE = 1, /* |decoded - value| <= bound */
	XC_BOUND_RELATIVE =
		2, /* the same with bound * (largest - smallest finite value that is not the fill value) */
	XC_BOUND_POINTWISE = 3, /* |decoded - value| <= bound * |value| */
	/* Over finite values that are not the fill value: */
	XC_BOUND_PSNR = 4, /* 20 log10(range / RMSE) is at least bound dB */
	XC_BOUND_SNR = 5   /* 20 log10(RMS of the values / RMSE) is at least bound dB */
} xc_array_bound;

/* How values are coded. A transform is worth using where most of its coefficients are 0: for
 * sections at large bounds. */
typedef enum xc_array_way {
	XC_ARRAY_PREDICTION = 0, /* from values around, on grids of more and more points */
	XC_ARRAY_DCT = 1,        /* of blocks of 8 in each dimension, and corrections */
	XC_ARRAY_LOT = 2,        /* Malvar's lapped orthogonal transform, and corrections */
	XC_ARRAY_TDLT = 3        /* a filter across the edges of blocks, then the DCT */
} xc_array_way;

typedef struct xc_array_options {
	xc_array_bound kind;
	/* Finite, from 0 on. 0 keeps every bit, but as a PSNR or SNR it asks for nothing. XC_BOUND_LOSSLESS
	 * does not look at it. */
	double bound;
	/* The smallest and largest finite value, if has_range is not 0. XC_BOUND_RELATIVE in a writer needs
	 * them, which it cannot know beforehand; xc_array_encode() finds those that are not given. */
	double low, high;
	/* A value that stands for none, if has_fill is not 0: it is kept exactly and counts in no range,
	 * RMS or RMSE. float32 takes the nearest one. NaN and infinities need not be named. */
	double fill;
	int has_range, has_fill;
	int effort;        /* 0 to 3 */
	xc_array_way way;  /* see xc_array_writer_predicted() */
	uint32_t chunk[3]; /* of the last three dimensions, the slowest first: what is coded on its own;
	                    * each 1 to 65536, together at most 2^21; 0: chosen for the shape */
	uint64_t reserved[4]; /* 0 */
} xc_array_options;

/* Effort 2, all else 0: no loss, no fill, the rest chosen. */
XC_API void xc_array_options_default(xc_array_options *options);

/* Encodes an array in memory into a complete XC file in *file. options NULL: the defaults. */
XC_API xc_status xc_array_encode(xc_context *context, const xc_array_shape *shape,
                                 const void *values, const xc_array_options *options,
                                 xc_buffer *file);

/*
 * Encodes an array whose values come one after another, and writes the file as it becomes complete.
 * However they come, the file is that of xc_array_encode(). Memory: a slab of chunks (all chunks
 * beside each other in the slowest of the last three dimensions) and its coded bytes; with PSNR and
 * SNR the whole array, and nothing is written before its last value. Failures are as in xc_encoder.
 */
typedef struct xc_array_writer xc_array_writer;
XC_API xc_status xc_array_writer_new(xc_context *context, const xc_array_shape *shape,
                                     const xc_array_options *options, xc_write write, void *user,
                                     xc_array_writer **writer);
/* Takes the next `count` values in C order; they need not stay. */
XC_API xc_status xc_array_writer_values(xc_array_writer *writer, const void *values,
                                        uint64_t count);
/* Keeps bytes in the file as they are, in the order in which they are given: headers of the file
 * that the array comes from. name: four letters that say what they are, as "segy". */
XC_API xc_status xc_array_writer_attach(xc_array_writer *writer, const char name[4],
                                        const void *bytes, size_t size);
/* How many slabs so far have floats that were predicted although options.way is a transform: their
 * bound is one by the value, or none, or close to their precision. 0 for NULL. */
XC_API uint64_t xc_array_writer_predicted(const xc_array_writer *writer);
XC_API xc_status xc_array_writer_end(xc_array_writer *writer);
XC_API void xc_array_writer_free(xc_array_writer *writer); /* at any time, NULL too */

/* What a file says about its array. */
typedef struct xc_array_info {
	xc_array_shape shape;
	xc_array_bound kind; /* as it was asked for */
	double bound;
	double error;     /* the absolute bound that it became, POINTWISE apart; 0: there is no error */
	xc_array_way way; /* as it was asked for */
	uint32_t chunk[3]; /* as in xc_array_options */
	uint64_t chunks;
	/* Reading is fastest by slabs, which follow each other along this dimension of the array, `slab`
	 * indices each. */
	int along;
	uint64_t slab;
	uint64_t file_size;
	uint64_t attached;    /* bytes */
	uint64_t reserved[4]; /* 0 */
} xc_array_info;

/* Whether the first bytes of a file, at least 16, are those of an XC file with an array. */
XC_API int xc_array_is(const void *start, size_t size);
/* Sets name to that of the attached bytes that follow the header of such a file, "" if there are none:
 * what file the array comes from. start: its first bytes, at least 256 or all. */
XC_API void xc_array_origin(const void *start, size_t size, char name[5]);

/* A box of values: the first one and how many, for each dimension of the array. */
typedef struct xc_array_box {
	uint64_t first[XC_ARRAY_DIMENSIONS], size[XC_ARRAY_DIMENSIONS];
} xc_array_box;

/* Reads an array from a source whose bytes can be read from anywhere: memory or read_at. */
typedef struct xc_array_reader xc_array_reader;
XC_API xc_status xc_array_reader_new(xc_context *context, const xc_source *source,
                                     xc_array_reader **reader);
/* The same of a file that may be damaged or cut off after its header ARRY; the context's message then
 * says that it is cut off or has bytes after its end, else it is empty. xc_array_read() gives
 * *instead, a number, in the place of each value of a damaged chunk (NULL: NaN, and 0 in arrays of
 * integers), and the context's message then names one. Damaged attached bytes are left out. */
XC_API xc_status xc_array_reader_salvage(xc_context *context, const xc_source *source,
                                         const double *instead, xc_array_reader **reader);
/* Damaged chunks and attached pieces that calls have met so far, each time they did, and 1 if the file is
 * cut off. 0 for NULL. */
XC_API uint64_t xc_array_reader_damaged(const xc_array_reader *reader);
XC_API void xc_array_reader_info(const xc_array_reader *reader, xc_array_info *info);
/* Sets *chunks to how many chunks are predicted although `way` is a transform; those of a damaged model do not
 * count. It reads the model of each slab then. */
XC_API xc_status xc_array_reader_predicted(xc_array_reader *reader, uint64_t *chunks);
/* Decodes a box, NULL: the whole array, to `values`. Only chunks that the box touches are read.
 * scale: 1, or 2, 4, 8, ... to 64: every scale-th value from the box's first one on in each of the
 * last three dimensions that is longer than 1; ceil(size / scale) of them. */
XC_API xc_status xc_array_read(xc_array_reader *reader, const xc_array_box *box, uint32_t scale,
                               void *values);
/* The next attached bytes, from the first on: *size is 0 after the last. They stay until the next
 * call. */
XC_API xc_status xc_array_attached(xc_array_reader *reader, char name[5], const void **bytes,
                                   size_t *size);

/* A chunk of the file, as it lies there. */
typedef struct xc_array_segment {
	xc_array_box box;      /* its values in the array; of several volumes of a list, all slices */
	uint64_t offset, size; /* its bytes; 0 where the index is lost that tells them */
	int intact;            /* 1: its checksum holds, and that of its slab's model */
	/* Bytes of its parts (doc/format.md, 11.9), of one whose checksum holds; raw values are residues. */
	uint64_t kinds, exceptions, residues;
	uint64_t model;       /* bytes of the slab's model, with the slab's first chunk; else 0 */
	uint64_t reserved[4]; /* 0 */
} xc_array_segment;
/* The next chunk, from the first one of the file on, whose bytes are read; all is 0 after the last. */
XC_API xc_status xc_array_next_segment(xc_array_reader *reader, xc_array_segment *segment);
XC_API void xc_array_reader_free(xc_array_reader *reader); /* NULL is allowed */

/* How far two arrays of one shape are apart. NaN, infinities and the fill value of the first are not in
 * these numbers where both are equal. One place where they are not makes `error`, `relative` and `rmse` infinite,
 * `psnr` and `snr` -infinite, and `correlation` NaN. */
typedef struct xc_array_difference {
	uint64_t values, different;
	double low, high;     /* the smallest and largest finite value of the first */
	double error;         /* the largest |a - b| */
	double relative;      /* the largest |a - b| / |a|; infinite where a is 0 and b is not */
	double rmse;          /* root of the mean squared difference */
	double psnr, snr;     /* dB: 20 log10((high - low) / rmse), 20 log10(RMS of a / rmse) */
	double correlation;   /* Pearson's; NaN where one of them is constant */
	uint64_t reserved[4]; /* 0 */
} xc_array_difference;
/* fill: as in xc_array_options; NULL: there is none. */
XC_API xc_status xc_array_compare(xc_context *context, const xc_array_shape *shape, const void *a,
                                  const void *b, const double *fill,
                                  xc_array_difference *difference);

#ifdef __cplusplus
}
#endif

#endif
