/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `xcodec encode` that say how good or how large the file shall be. */
#ifndef XC_CLI_TARGET_H
#define XC_CLI_TARGET_H

#include "cli/base/json.h"
#include "cli/base/options.h"

#include <xcodec_target.h>

typedef struct xc_cli_target {
	int quality, quality_parts; /* as -q says; 0: it was not given */
	xc_target target;
	int wanted;    /* a target was given */
	int per_pixel; /* it is in bits a pixel */
	int too_many;  /* so was another one */
} xc_cli_target;

extern const xc_cli_option xc_cli_target_options[]; /* base: xc_cli_target */

/* -1 if the options go together; else the exit status after reporting why not.  Sets the quality
 * of the options for the encoder. */
int xc_cli_target_check(const xc_cli_command *self, const xc_cli_target *target,
                        xc_encode_options *options);

/* Encodes to the target: 0, or -1 after reporting why not. Warns if the target was missed. name: of
 * the picture, for messages. */
int xc_cli_target_encode(const xc_cli_target *target, xc_context *context, const char *name,
                         const xc_picture *picture, const xc_metadata *metadata,
                         const xc_encode_options *options, xc_target_result *result,
                         xc_buffer *file);

/* Say what was reached, on stderr and in JSON. */
void xc_cli_target_tell(const xc_cli_target *target, const xc_target_result *result);
void xc_cli_target_json(const xc_cli_target *target, const xc_target_result *result,
                        xc_cli_json *json);

#endif
