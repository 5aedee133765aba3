/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading pictures of any readable format, XC included. */
#ifndef XC_CLI_BASE_PICTURE_H
#define XC_CLI_BASE_PICTURE_H

#include "cli/base/io.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"
#include "cli/base/settings.h"
#include "cli/base/stages.h"

#include "formats/formats.h"
#include "src/core/pool.h"

#include <xcodec_jpeg.h>

/* What --orient does, for the help. */
#define XC_CLI_ORIENT "turn the pixels as EXIF says, which then calls them upright"

/* A picture with what it owns: `file` of a picture file, `decoded` and `coded` of an XC
 * file. */
typedef struct xc_cli_picture {
	xc_picture picture;   /* a view, which is not freed */
	xc_metadata metadata; /* a view as well */
	xc_file_format format;
	uint64_t file_bytes;
	uint32_t checksum; /* CRC-32C of the file */
	xc_file_picture file;
	xc_picture decoded;
	xc_turned turned;
	int damaged;    /* and that was told */
	int flawed;     /* the same of a JPEG before it was kept in an XC file */
	uint8_t *coded; /* the metadata points into it */
} xc_cli_picture;

/* stages and progress may be NULL. */
typedef struct xc_cli_reader {
	xc_context *context;
	const xc_cli_limits *limits;
	xc_cli_stages *stages;
	xc_cli_progress *progress;
	int pixels_alone; /* nothing else is wanted: no word about metadata that is lost */
	int orient;       /* the picture is turned as its EXIF says */
	int keep_going;   /* what is damaged becomes grey */
	int *told;        /* set where there is a warning, which is not printed then; or NULL */
} xc_cli_reader;

/* Reads path ("-": standard input), which must have the format `wanted` unless that is
 * XC_FILE_UNKNOWN.  Returns 0, or -1 after reporting why not. */
int xc_cli_picture_read(const xc_cli_reader *reader, const char *path, xc_file_format wanted,
                        xc_cli_picture *out);
/* The same with a file that was opened and may have any format. */
int xc_cli_picture_take(const xc_cli_reader *reader, xc_cli_input *input, xc_cli_picture *out);
/* The same with its bytes, which it then owns, also after a failure. */
int xc_cli_picture_of(const xc_cli_reader *reader, const char *name, uint8_t *data, size_t size,
                      xc_cli_picture *out);
void xc_cli_picture_free(xc_context *context, xc_cli_picture *picture);

/* What the limits say about reading picture files. */
xc_file_limits xc_cli_file_limits(const xc_cli_limits *limits, xc_context *context);

/* An xc_cli_probe: whether a file is a picture of a readable format. */
int xc_cli_probe_picture(const char *name, const uint8_t *start, size_t size);
/* The choices of --format: the formats that can be read or written, and XC. */
enum { XC_CLI_FORMAT_CHOICES = XC_FILE_FORMATS * XC_FORMAT_NAMES };
void xc_cli_format_choices(xc_cli_choice choices[XC_CLI_FORMAT_CHOICES], int writing);
/* Whether it has the format wanted, which may be XC_FILE_UNKNOWN: 0, or -1 after reporting that. */
int xc_cli_check_format(const char *name, xc_file_format format, xc_file_format wanted);

/* An xc_cli_probe for XC files. */
int xc_cli_probe_xc(const char *name, const uint8_t *start, size_t size);
/* Reads the bytes of an XC file, which xc_cli_forget() frees: 0, or -1 after reporting why not. */
int xc_cli_read_xc(const char *path, xc_context *context, uint8_t **data, size_t *size);

/* What is wrong with a JPEG that lacks no blocks but is cut off or damaged. */
const char *xc_cli_jpeg_flaw(const xc_jpeg_info *info);
/* Warns of a JPEG in an XC file that is cut off or damaged: 1; 0: nothing is known to be wrong with it. */
int xc_cli_warn_of_jpeg(const char *name, const xc_jpeg_info *info);

/* Threads that share out the work of a picture file's writer. */
typedef struct xc_cli_row_pool {
	xc_row_pool row_pool;
	xc_pool pool;
	int open;
} xc_cli_row_pool;

/* Begins a pool of `threads` threads, which must not move. It is ended even if this fails. NULL:
 * one thread, or none more to be had. */
const xc_row_pool *xc_cli_row_pool_begin(xc_cli_row_pool *row_pool, int threads);
/* A pool of zeros is allowed. */
void xc_cli_row_pool_end(xc_cli_row_pool *row_pool);

#endif
