/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether an XC file gives back all of the file that it was made of, for --delete-after-verify and `xcodec compare`. */
#ifndef XC_CLI_ORIGINAL_H
#define XC_CLI_ORIGINAL_H

#include "cli/base/settings.h"

#include <stddef.h>
#include <stdint.h>

/* Whether the XC file keeps a JPEG, and these are its bytes: 1, or 0; -1 after reporting that it is
 * damaged. name: of the XC file, for messages. */
int xc_cli_original_jpeg(xc_context *context, const char *name, const uint8_t *xc, size_t xc_size,
                         const uint8_t *jpeg, size_t jpeg_size);

/* Reads both files, the XC file `result` from the disk: 1 if it keeps the JPEG `input`, byte for byte, or has the
 * pixels and the metadata of the picture `input`, of which the reader leaves nothing out. 0: it does not,
 * as with loss, or it is an array. -1 after reporting why that cannot be told, or that a JPEG is
 * another one. Thread-safe with a context for each thread. */
int xc_cli_original_same(const xc_cli_limits *limits, xc_context *context, const char *input,
                         const char *result);

#endif
