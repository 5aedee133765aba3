/* SPDX-License-Identifier: BSD-2-Clause */
/* The results' names of a batch. */
#ifndef XC_CLI_BASE_BATCH_NAMES_H
#define XC_CLI_BASE_BATCH_NAMES_H

#include "cli/base/batch.h"

/* An array of batch->count names, in the order of the inputs, freed by
 * xc_cli_batch_names_free(); NULL after reporting why not: two inputs have the same
 * name, a result is an input, or there is no such folder. */
char **xc_cli_batch_names(const xc_cli_command *self, const xc_cli_batch *batch);
void xc_cli_batch_names_free(char **names, int count);

#endif
