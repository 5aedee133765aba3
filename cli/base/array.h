/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays in files: reading them value by value, and what is said of them. */
#ifndef XC_CLI_BASE_ARRAY_H
#define XC_CLI_BASE_ARRAY_H

#include "cli/base/io.h"
#include "cli/base/json.h"
#include "cli/base/options.h"

#include "formats/array/array.h"

/* What OUT of an array may be called. */
#define XC_CLI_ARRAY_SUFFIXES ".npy, .pfm, .nii, .tif, .sgy, .su or .raw"

/* Adds the formats of arrays to the choices of --format, from XC_FILE_FORMATS on; raw: raw values, too. */
void xc_cli_array_formats(xc_cli_choice *choices, int raw);
/* The suffix that a choice stands for, "sgy"; NULL: it is none of these. */
const char *xc_cli_array_format(int choice);

/* What --raw says for a file, whose first bytes may be any; NULL: nothing. several: there may be other
 * files, and one whose name and first bytes are of a known format is of that one. */
const char *xc_cli_array_raw(const xc_cli_input *in, const char *raw, int several);
/* Whether a file holds an array and is no XC file. raw: what --raw says for it. */
int xc_cli_is_array_file(const xc_cli_input *in, const char *raw);

/* A file of an array that is being read, or an XC file of one, of which `input` then says what it is
 * and `values` has all. */
typedef struct xc_cli_array_file {
	xc_cli_input *in;
	xc_context *context;
	uint64_t at;     /* of the file, the byte that is read next */
	uint8_t *memory; /* all bytes of a file that cannot be sought in; NULL: it is not needed */
	size_t size;
	xc_array_input *input;
	uint64_t charged;        /* of input->memory */
	xc_array_reader *reader; /* of an XC file; NULL: another one */
	xc_array_input own;
	uint8_t *values;
	xc_array_info info;
	char attached[5]; /* the name of attached bytes that were read already, and these */
	const void *attached_bytes;
	size_t attached_size;
} xc_cli_array_file;

/* Opens it: 0, or -1 after reporting why not. format: "sgy" and so on, which it must be of; NULL: what
 * its bytes and its name say. raw: what --raw says for it; then format is NULL. twice: its values are
 * read twice, which takes the whole of a pipe in memory. It is closed in any case. */
int xc_cli_array_open(xc_cli_array_file *file, xc_cli_input *in, xc_context *context,
                      const char *format, const char *raw, int twice);
/* What the reader says: 0, or -1 after reporting it. */
int xc_cli_array_check(const xc_cli_array_file *file, xc_status status, const char *message);
/* Reads the next values: 0, or -1 after reporting why not. */
int xc_cli_array_next(xc_cli_array_file *file, void *values, uint64_t count);
/* Goes back to the first value: 0, or -1 after reporting why not. */
int xc_cli_array_rewind(xc_cli_array_file *file);
/* As xc_array_input_attached(): 0, or -1 after reporting why not. */
int xc_cli_array_attached(xc_cli_array_file *file, char name[5], const void **bytes, size_t *size);
/* Warns of what an XC file of the values will lack, once all were read. */
void xc_cli_array_warn(const xc_cli_array_file *file);
void xc_cli_array_close(xc_cli_array_file *file);

/* Opens an XC file with an array, of which all bytes are read if it is a pipe; *memory is for
 * xc_cli_forget(). instead: as in xc_array_reader_salvage(); NULL: damage is a failure. 0, or -1 after
 * reporting why not. */
int xc_cli_array_reader(xc_cli_input *in, xc_context *context, const double *instead,
                        uint8_t **memory, size_t *size, xc_array_reader **reader);
/* Decodes all values, by the slab, and drops them. */
xc_status xc_cli_array_read_all(xc_context *context, xc_array_reader *reader);
/* What the library says of an XC file that is being read, as xc_cli_array_check(). */
int xc_cli_array_reader_check(const xc_cli_input *in, xc_context *context, xc_status status);

/* Charges memory to the context: 0, or -1 after reporting that there is not as much. */
int xc_cli_array_charge(const char *name, xc_context *context, uint64_t bytes);
/* Memory that is charged to the context; NULL after reporting that there is none. */
void *xc_cli_array_memory(const char *name, xc_context *context, uint64_t bytes);

/* Says that no GPU works on the array, if one was named. */
void xc_cli_array_leave_gpu(const char *name, const char *device, int quiet);

uint64_t xc_cli_array_count(const xc_array_shape *shape);
static inline uint64_t xc_cli_array_bytes(const xc_array_shape *shape)
{
	return xc_cli_array_count(shape) * xc_array_type_size(shape->type);
}
/* "float32, 10 x 20" */
enum { XC_CLI_ARRAY_SHAPE = 112 };
void xc_cli_array_describe(const xc_array_shape *shape, char text[XC_CLI_ARRAY_SHAPE]);
void xc_cli_array_put(xc_cli_json *json, const xc_array_shape *shape);

/* "prediction", "dct" and so on. */
const char *xc_cli_array_way_name(xc_array_way way);

/* What was asked for: "relative 0.001". */
enum { XC_CLI_ARRAY_BOUND = 48 };
void xc_cli_array_bound(xc_array_bound kind, double bound, char text[XC_CLI_ARRAY_BOUND]);
/* "relative" */
const char *xc_cli_array_bound_name(xc_array_bound kind);

#endif
