/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of a batch's results. */
#ifndef XC_CLI_BASE_BATCH_NAMES_H
#define XC_CLI_BASE_BATCH_NAMES_H

#include "cli/base/batch.h"

/* Returns batch->count names in the order of the inputs, to be freed by
 * xc_cli_batch_names_free().  Returns NULL after reporting why not: two inputs have the
 * same name, a result is an input, or the folder does not exist. */
char **xc_cli_batch_names(const xc_cli_command *self, const xc_cli_batch *batch);
void xc_cli_batch_names_free(char **names, int count);

#endif
