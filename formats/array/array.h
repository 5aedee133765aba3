/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of arrays: NPY, PFM, raw values, SEG-Y, SU, NIfTI and TIFF, read and written value by value.
 *
 * The command is the caller. It reads an array from one file and gives it to xc_array_writer, or the
 * other way round. No more is in memory than some rows or traces; the exceptions are a PFM that is
 * written, whose last row comes first, and an NPY in Fortran order. Files may be larger than 4 GB and memory.
 *
 * What a file holds beside its values are attachments: some letters and bytes that nobody but the
 * format's writer here understands. Who keeps them in order gets the same file back where the values
 * are the same. Attachments of one format mean nothing to the writer of another one, which leaves
 * them out.
 */
#ifndef XC_FORMATS_ARRAY_ARRAY_H
#define XC_FORMATS_ARRAY_ARRAY_H

#include <stdio.h>
#include <xcodec_array.h>

#include "formats/formats.h"

#define XC_ARRAY_SIZE_UNKNOWN UINT64_MAX

/* Where a file comes from. */
typedef struct xc_array_source {
	xc_byte_source bytes;
	/* Goes on from another byte: 0, or -1. NULL: the bytes come once, as those of a pipe do. SEG-Y,
	 * SU, PFM and TIFF need it, and xc_array_input_rewind(). */
	int (*seek)(void *user, uint64_t to);
	uint64_t size; /* of the file, or XC_ARRAY_SIZE_UNKNOWN */
} xc_array_source;

/* The rest of an open file; one that can be sought in is read from its first byte. It is not closed. */
xc_array_source xc_array_source_file(FILE *file);

/* Whether a file is one of these by its first bytes, 4 KiB or all of it, and its name (NULL: none).
 * A raw file is not. */
int xc_array_file_is(const void *start, size_t size, const char *name);
/* Whether a path, or a suffix such as "npy", names a file that xc_array_output_new() writes. */
int xc_array_file_is_written(const char *name);
/* "SEG-Y" of "sgy" and so on; NULL: there is no such format. */
const char *xc_array_file_format(const char *suffix);
/* The suffix of the format whose files have attachments of that name, ".sgy"; NULL: none. */
const char *xc_array_file_suffix(const char name[5]);
/* Whether a path names a file that can be read; raw: raw values too. */
int xc_array_file_is_read(const char *name, int raw);

/* A file that is being read. */
typedef struct xc_array_input {
	xc_array_shape shape;
	uint64_t values;    /* of the shape; their bytes are at most INT64_MAX */
	const char *format; /* "SEG-Y" */
	char detail[64];    /* of the format, "rev 1, IBM floats"; may be empty */
	int has_fill;       /* the file names a value that stands for "no data" */
	double fill;
	uint64_t
		memory; /* bytes that are allocated when the first value is read, beside some buffers */
	double slope, intercept; /* the file means slope * value + intercept; 1 and 0 elsewhere */
	double rounding; /* values that are written into this format again change by at most so much of
	                  * their magnitude: 2^-21 for IBM floats, else 0 */
} xc_array_input;

/*
 * Opens a file. Its size is checked against its shape before anything is allocated for it. After a
 * failure *input is NULL, and message holds one line.
 *
 * name: of the file, or NULL; its suffix tells what the first bytes leave open.
 * raw: NULL, or what the file holds: type, sizes with the slowest dimension first, and perhaps byte
 * order and how many bytes come before the values, as "f32,512x512x300,little+128". Types: f32 f64
 * i8 i16 i32 u8 u16 u32; without a byte order it is little.
 *
 * Shapes: an NPY has numpy's, and its values come in C order; the whole of one in Fortran order is in
 * memory for that. A NIfTI has its dimensions reversed, so that the last one is the fastest, and none
 * of one value. More than four dimensions are refused. A PFM is rows x columns, the top row first,
 * and x 3 in colour. Its scale is not applied, and neither is NIfTI's slope. A SEG-Y is traces x
 * samples; if its inlines and crosslines (bytes 189 and 193 of trace headers) make a complete regular
 * grid, it is inlines x crosslines x samples, or the other way round, as they follow each other in
 * the file. A TIFF is pages x rows x columns, or one page.
 */
xc_status xc_array_input_new(const xc_array_source *source, const char *name, const char *raw,
                             xc_array_input **input, char message[XC_FILE_MESSAGE]);
/* Whether text is such a description, and what it must be where it is not. */
int xc_array_raw_is(const char *text);
#define XC_ARRAY_RAW_RULE \
	"TYPE,SIZES[,little|,big][+BYTES before them], such as f32,300x512x512,big+128 (types: f32 f64 i8 " \
	"i16 i32 u8 u16 u32)"
/* Reads the next values, in the machine's byte order; the caller asks for no more than are left. */
xc_status xc_array_input_read(xc_array_input *input, void *values, uint64_t count,
                              char message[XC_FILE_MESSAGE]);
/* Goes back to the first value. Attachments are not given again. */
xc_status xc_array_input_rewind(xc_array_input *input, char message[XC_FILE_MESSAGE]);
/* The next attachment, whose bytes stay until the next call; *size is 0 after the last. Some come
 * before the first value is read, the others after the last value, so the caller asks twice. */
xc_status xc_array_input_attached(xc_array_input *input, char name[5], const void **bytes,
                                  size_t *size, char message[XC_FILE_MESSAGE]);
/* After all values: message is empty, or says what will not be the same in a SEG-Y that is written
 * of them. */
void xc_array_input_end(const xc_array_input *input, char message[XC_FILE_MESSAGE]);
/* Sets what the header of a file says of its values, slope, intercept and fill, from what was attached
 * of it by this name. */
xc_status xc_array_input_about(xc_array_input *input, const char name[5], const void *bytes,
                               size_t size, char message[XC_FILE_MESSAGE]);
void xc_array_input_free(xc_array_input *input); /* at any time, NULL too */

/* Where a writer gets attachments from. next is called as xc_array_attached() is, and only when one
 * is needed. */
typedef struct xc_array_attachments {
	xc_status (*next)(void *user, char name[5], const void **bytes, size_t *size);
	void *user;
} xc_array_attachments;

/* Where the values that are written lie in the array that was attached to: of each of its dimensions
 * the first one, and every step-th of `size` from there on. */
typedef struct xc_array_part {
	xc_array_shape whole;
	uint64_t first[XC_ARRAY_DIMENSIONS], size[XC_ARRAY_DIMENSIONS], step[XC_ARRAY_DIMENSIONS];
} xc_array_part;

typedef struct xc_array_output xc_array_output;

/*
 * Begins a file, whose bytes go to the sink in order. name: a path or a suffix: npy, pfm, nii,
 * tif, tiff; sgy, segy, su, which need the attachments of such a file; raw, bin, dat and f32, i16
 * and so on for raw values. attachments: NULL: none.
 *
 * A header that was attached is written if the shape is that of the header. Of a part (part: NULL: the
 * values are all) NIfTI writes that header with sizes and affine adjusted, NPY, PFM and raw a new one,
 * and SEG-Y is refused. TIFF is not compressed; a part has few of the tags that were kept. After
 * success message is empty or holds a warning, as at the end.
 *
 * SEG-Y of IBM floats: every IBM number with an exponent of 16 from -31 to 32 is a float32 exactly,
 * since both have 24 bits. Of larger ones infinities are read, and smaller ones are rounded. An IBM
 * number has up to three bits less than a float32, so decoded values are rounded once more when
 * they are written, by at most 2^-21 of the value, on top of the bound. Without loss nothing is
 * rounded, and the same bytes are written if the numbers were normalized and exact;
 * xc_array_input_end() counts those that were not.
 */
xc_status xc_array_output_new(const char *name, const xc_byte_sink *sink,
                              const xc_array_shape *shape, const xc_array_part *part,
                              const xc_array_attachments *attachments, xc_array_output **output,
                              char message[XC_FILE_MESSAGE]);
/* Bytes that are allocated when the first value is written, beside some buffers. */
uint64_t xc_array_output_memory(const xc_array_output *output);
xc_status xc_array_output_write(xc_array_output *output, const void *values, uint64_t count,
                                char message[XC_FILE_MESSAGE]);
/* Ends the file, whose values have all come. After success message is empty or holds a warning, as
 * that values have no IBM number. */
xc_status xc_array_output_end(xc_array_output *output, char message[XC_FILE_MESSAGE]);
void xc_array_output_free(xc_array_output *output); /* at any time, NULL too */

#endif
