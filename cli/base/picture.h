/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of any readable kind, XC files included, by path. */
#ifndef XC_CLI_BASE_PICTURE_H
#define XC_CLI_BASE_PICTURE_H

#include "cli/base/progress.h"
#include "cli/base/settings.h"
#include "cli/base/stages.h"

#include "formats/formats.h"

/* A picture with what it owns; which of the two parts is used depends on the
 * file.  Zero it before the first use. */
typedef struct xc_cli_picture {
	xc_picture picture;   /* a view, not to be freed */
	xc_metadata metadata; /* a view as well */
	xc_file_format format;
	uint64_t file_bytes;
	xc_file_picture file; /* from a picture file */
	xc_picture decoded;   /* from an XC file, */
	uint8_t *coded;       /* whose bytes the metadata points into */
} xc_cli_picture;

/* What reading needs; stages and progress may be NULL. */
typedef struct xc_cli_reader {
	xc_context *context;
	const xc_cli_limits *limits;
	xc_cli_stages *stages;
	xc_cli_progress *progress;
} xc_cli_reader;

/* Reads path ("-": standard input), which must have the format `wanted` unless
 * that is XC_FILE_UNKNOWN.  0, or -1 after reporting why. */
int xc_cli_picture_read(const xc_cli_reader *reader, const char *path, xc_file_format wanted,
                        xc_cli_picture *out);
void xc_cli_picture_free(xc_context *context, xc_cli_picture *picture);

/* Reads an XC file's bytes: 0, or -1 after reporting why. */
int xc_cli_read_xc(const char *path, const xc_cli_limits *limits, uint8_t **data, size_t *size);

/* The format's name as people write it: "PNG". */
const char *xc_cli_format_title(xc_file_format format);

#endif
