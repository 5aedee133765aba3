/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that several subcommands share, and what they mean to the library. */
#ifndef XC_CLI_BASE_SETTINGS_H
#define XC_CLI_BASE_SETTINGS_H

#include "cli/base/options.h"

#include <xcodec.h>

typedef struct xc_cli_limits {
	int threads;
	uint64_t max_pixels, max_memory, max_metadata;
	const char *device; /* as xc_context_set_device() wants it */
} xc_cli_limits;

enum { XC_CLI_QUIET = -1, XC_CLI_NORMAL = 0, XC_CLI_VERBOSE = 1 };

typedef struct xc_cli_encoder {
	int subsampling, transform, huffman, effort;
	const char *tables;
} xc_cli_encoder;

/* The defaults, to be parsed over. */
void xc_cli_limits_default(xc_cli_limits *limits);
void xc_cli_encoder_default(xc_cli_encoder *encoder);

extern const xc_cli_option xc_cli_limit_options[];   /* base: xc_cli_limits */
extern const xc_cli_option xc_cli_device_options[];  /* likewise */
extern const xc_cli_option xc_cli_encoder_options[]; /* base: xc_cli_encoder */

/* A context with these limits and threads, or NULL after reporting why not. */
xc_context *xc_cli_context(const xc_cli_limits *limits);

/* The library's options, the tables read from their file; 0, or -1 after
 * reporting why not.  The quality is left at its default. */
int xc_cli_encode_options(const xc_cli_encoder *encoder, xc_context *context,
                          xc_encode_options *options);

/* The file that holds the tables; NULL for built-in ones. */
const char *xc_cli_encoder_file(const xc_cli_encoder *encoder);

/* The names of the library's enumerations, for reports. */
const char *xc_cli_subsampling_name(int subsampling); /* "4:2:0" */
const char *xc_cli_transform_name(int transform);     /* "DCT" */
const char *xc_cli_huffman_name(int huffman);         /* "optimized" */
const char *xc_cli_channels_name(uint32_t channels);  /* "RGB" */

#endif
