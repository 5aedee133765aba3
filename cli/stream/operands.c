/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be checked before any work if all inputs are operands. */
#include "cli/stream/batch.h"

#include "cli/base/report.h"
#include "cli/stream/results.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Makes sure that each result has one input. */
static int check_names(const xc_cli_command *self, const xc_cli_batch *b, char **names)
{
	xc_cli_names results = {.slot = NULL};
	int failed = 0;

	for (int i = 0; i < b->count && !failed; i++) {
		uint64_t *number = xc_cli_names_value(&results, names[i]);

		if (!number)
			failed = xc_cli_error(self->name, "out of memory");
		else if (*number)
			failed = xc_cli_error(self->name,
			                      "'%s' and '%s' would both become '%s' (see --keep-suffix)",
			                      b->inputs[*number - 1], b->inputs[i], names[i]);
		else
			*number = (uint64_t)i + 1;
	}
	xc_cli_names_free(&results);
	return failed;
}

static int by_identity(const void *a, const void *b)
{
	const struct stat *x = a, *y = b;

	if (x->st_dev != y->st_dev)
		return x->st_dev < y->st_dev ? -1 : 1;
	return x->st_ino < y->st_ino ? -1 : x->st_ino > y->st_ino;
}

static int is_file(const char *path, struct stat *out)
{
	return stat(path, out) == 0 && S_ISREG(out->st_mode);
}

/* Makes sure that no result is an input. */
static int check_inputs(const xc_cli_command *self, const xc_cli_batch *b, char **names)
{
	struct stat *inputs = malloc(((size_t)b->count + 1) * sizeof *inputs), one;
	size_t known = 0;
	int failed = 0;

	if (!inputs)
		return xc_cli_error(self->name, "out of memory");
	for (int i = 0; i < b->count; i++)
		known += (size_t)is_file(b->inputs[i], &inputs[known]);
	known += b->also_read && is_file(b->also_read, &inputs[known]);
	qsort(inputs, known, sizeof *inputs, by_identity);
	for (int i = 0; i < b->count && !failed; i++)
		if (is_file(names[i], &one) && bsearch(&one, inputs, known, sizeof *inputs, by_identity))
			failed = xc_cli_error(names[i], "is to be written, but is an input as well");
	free(inputs);
	return failed;
}

static void free_names(char **names, int count)
{
	for (int i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
}

int xc_cli_operands_check(const xc_cli_command *self, const xc_cli_batch *b)
{
	char **names = calloc((size_t)b->count, sizeof *names);
	int made = 0, failed = -1;

	if (!names)
		return xc_cli_error(self->name, "out of memory");
	while (made < b->count) {
		const char *slash = strrchr(b->inputs[made], '/');

		names[made] = xc_cli_result_path(b->folder, slash ? slash + 1 : b->inputs[made], b->suffix,
		                                 b->keep_suffix);
		if (!names[made++])
			break;
	}
	if (made == b->count && names[made - 1])
		failed = check_names(self, b, names) || check_inputs(self, b, names) ? -1 : 0;
	free_names(names, b->count);
	return failed;
}
