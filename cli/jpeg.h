/* SPDX-License-Identifier: BSD-2-Clause */
/* What the subcommands do with JPEGs that come back as they were: cli/encode.c and so on call it. */
#ifndef XC_CLI_JPEG_H
#define XC_CLI_JPEG_H

#include "cli/base/json.h"
#include "cli/stream/batch.h"

#include <xcodec_jpeg.h>

extern const xc_cli_option xc_cli_jpeg_options[]; /* base: int, an xc_jpeg_fallback */

/* Encodes the JPEG, decodes the XC file that holds one to the same JPEG, or with keep_going to one of what is intact:
 * 0, XC_CLI_DAMAGED, or -1, both after reporting why. */
int xc_cli_jpeg_encode(int fallback, const xc_cli_batch *batch, xc_cli_task *task);
int xc_cli_jpeg_decode(int keep_going, const xc_cli_batch *batch, xc_cli_task *task);

/* Whether --orient leaves a JPEG as it is. 1 also if it cannot be read, which is reported, as *failed then tells. */
int xc_cli_jpeg_upright(const xc_cli_limits *limits, xc_cli_task *task, int *failed);

/* What an XC file says about its JPEG. */
void xc_cli_jpeg_print(const char *name, const xc_jpeg_info *info);
void xc_cli_jpeg_put(xc_cli_json *json, const xc_jpeg_info *info);

#endif
