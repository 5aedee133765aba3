/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of samples for the transforms, from and to files: text data files, PFM,
 * and pictures, whose channels are an array each.
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
	uint64_t held;         /* bytes of samples */
	xc_file_format format; /* XC_FILE_UNKNOWN: a text data file */
	uint32_t depth;        /* of a picture's samples, in bits; otherwise 0 */
} xc_cli_arrays;

/* Reads the arrays of a file.  Precision 0 means a text file's own, and 32 bits for the others.
 * Returns 0, or -1 after reporting why not. */
int xc_cli_arrays_read(const char *path, const xc_cli_limits *limits, int precision,
                       xc_cli_arrays *arrays);
/* Writes them. Pictures are rounded to `depth` bits; samples beyond these are an error, or cut with
 * `clip`. Returns 0, or -1 after reporting why not. */
int xc_cli_arrays_write(xc_cli_output *to, xc_file_format format, uint32_t depth, int clip,
                        const xc_cli_arrays *arrays);
void xc_cli_arrays_free(xc_cli_arrays *arrays);

/* A picture of floats, as PFM files hold it: row 0 is the top row; channels 1 or 3. */
typedef struct xc_float_picture {
	uint32_t width, height, channels;
	float *data; /* malloc'ed */
} xc_float_picture;
xc_status xc_pfm_read(const void *data, size_t size, xc_float_picture *out,
                      char message[XC_FILE_MESSAGE]);
xc_status xc_pfm_write(const xc_float_picture *picture, uint8_t **out, size_t *out_size,
                       char message[XC_FILE_MESSAGE]);

/* The depth of a picture whose samples are floats, as in a PFM file. */
enum { XC_CLI_DEPTH_FLOAT = 32 };

/* Writes a picture or PFM file; metadata may be NULL. A picture without samples counts as out of
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
int xc_cli_array_put(xc_data_set *set, size_t i, double value);

/* A random number from 0 to just below 1, the same on every machine. */
double xc_cli_random(uint64_t *state);

/* The format of an output file of this name; XC_FILE_UNKNOWN is text. */
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
