/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_CLI_STREAM_OPERANDS_H
#define XC_CLI_STREAM_OPERANDS_H

#include "cli/stream/batch.h"

/* For a batch whose inputs are all operands: makes sure that no two of them have the same result, and that no result
 * is an input.  0, or -1 after reporting what is so. */
int xc_cli_operands_check(const xc_cli_command *self, const xc_cli_batch *batch);

#endif
