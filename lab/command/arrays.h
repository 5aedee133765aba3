/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of samples for the transforms, from and to files: text data files, what formats/array/ has, and
 * pictures, whose channels are an array each.
 */
#ifndef XC_LAB_COMMAND_ARRAYS_H
#define XC_LAB_COMMAND_ARRAYS_H

#include "cli/base/io.h"
#include "cli/base/settings.h"

#include "formats/formats.h"
#include "lab/datafile.h"

typedef struct xc_cli_arrays {
	xc_data_set *set;
	size_t count, room;
	uint64_t held;  /* bytes of samples */
	uint32_t depth; /* of a picture's samples, in bits; otherwise 0 */
} xc_cli_arrays;

/* Reads the arrays of a file.  Precision 0: a text file's own; that of other arrays as far as they need
 * more than 32 bits; 32 bits for the rest.  raw: see xc_array_input_new().  0, or -1 after reporting why
 * not. */
int xc_cli_arrays_read(const char *path, const char *raw, const xc_cli_limits *limits,
                       int precision, xc_cli_arrays *arrays);
/* Writes them in the format that the output's name says.  Pictures are rounded to `depth` bits; samples
 * beyond these are an error, or cut with `clip`.  slices: of which the rows are.  0, or -1 after reporting
 * why not. */
int xc_cli_arrays_write(xc_cli_output *to, uint32_t depth, int clip, size_t slices,
                        const xc_cli_arrays *arrays);
void xc_cli_arrays_free(xc_cli_arrays *arrays);

/* Writes a picture; metadata may be NULL. A picture without samples counts as out of
 * memory. Returns 0, or -1 after reporting why not. */
int xc_cli_write_picture(xc_cli_output *to, xc_file_format format, const xc_picture *picture,
                         const xc_metadata *metadata);

/* Appends an array of zeros; NULL when memory is out. */
xc_data_set *xc_cli_arrays_add(xc_cli_arrays *arrays, xc_data_kind kind, size_t rows, size_t cols,
                               xct_precision precision);

/* Bytes that --max-memory leaves beside `held` ones. */
uint64_t xc_cli_memory_left(const xc_cli_limits *limits, uint64_t held);

/* Whether --max-memory allows an array of that size beside `held` bytes of others; reports it if
 * not. */
int xc_cli_arrays_allowed(const char *name, const xc_cli_limits *limits, uint64_t held, size_t rows,
                          size_t cols, xct_precision precision);

/* Appends an array for a channel of a picture, beside `others` bytes and the arrays so far; NULL
 * after reporting that memory or the limit does not allow it. */
xc_data_set *xc_cli_arrays_add_channel(xc_cli_arrays *arrays, const char *name,
                                       const xc_cli_limits *limits, uint64_t others, size_t rows,
                                       size_t cols, xct_precision precision);

/* Sets a sample, rounded in 16 bits.  Returns -1 when the value does not fit in 16 bits or is too
 * large for 32. */
int xc_cli_sample_put(xc_data_set *set, size_t i, double value);

/* A random number from 0 to just below 1, the same on every machine. */
double xc_cli_random(uint64_t *state);

/* Adds to zeros the area of each sample that the cells of a circuit cover: some thousand small rectangles, and a
 * few large ones. */
void xc_cli_draw_cells(xc_data_set *set, uint64_t *state);

/* The format of a picture of this name; XC_FILE_UNKNOWN: it is none, but an array or text. */
xc_file_format xc_cli_arrays_format(const char *path);
/* Whether a file of this name would be taken for a picture of a format that is not written here. */
int xc_cli_arrays_refused(const char *path);
/* Whether a file of this format holds a picture, and not arbitrary numbers. */
int xc_cli_arrays_is_picture(xc_file_format format);

/* Copies the samples of a picture's channel, and back again; whole ones are rounded and clamped to
 * the range of the depth.
 * Reading returns -1 when a sample does not fit, writing how many were clamped. */
int xc_cli_array_from_picture(const xc_picture *picture, uint32_t channel, xc_data_set *set);
size_t xc_cli_array_to_picture(const xc_data_set *set, uint32_t channel, xc_picture *picture);

#endif
