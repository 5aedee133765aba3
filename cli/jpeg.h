/* SPDX-License-Identifier: BSD-2-Clause */
/* What the subcommands do with JPEGs that come back as they were: cli/encode.c and so on call it. */
#ifndef XC_CLI_JPEG_H
#define XC_CLI_JPEG_H

#include "cli/stream/batch.h"

#include <xcodec_jpeg.h>

extern const xc_cli_option xc_cli_jpeg_options[]; /* base: int, an xc_jpeg_fallback */

/* Encodes the JPEG, decodes the XC file that holds one to the same JPEG: 0, or -1 after reporting why
 * not. */
int xc_cli_jpeg_encode(int fallback, const xc_cli_batch *batch, xc_cli_task *task);
int xc_cli_jpeg_decode(const xc_cli_batch *batch, xc_cli_task *task);

/* Prints what an XC file says about its JPEG: 0, or -1 after reporting why not. before: what is
 * printed first, if it can be read. */
int xc_cli_jpeg_info(xc_context *context, xc_cli_input *in, int json, const char *before);

#endif
