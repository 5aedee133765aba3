/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/batch_names.h"

#include "cli/base/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "a/b.c.png" in "out" with ".xc" is "out/b.c.xc"; NULL without memory. */
static char *name_in(const char *folder, const char *input, const char *suffix)
{
	const char *slash = strrchr(input, '/');
	const char *base = slash ? slash + 1 : input;
	const char *dot = strrchr(base, '.');
	size_t stem = dot && dot != base ? (size_t)(dot - base) : strlen(base);
	size_t front = strlen(folder);
	const char *between = front && folder[front - 1] == '/' ? "" : "/";
	size_t size = front + 1 + stem + strlen(suffix) + 1;
	char *name = malloc(size);

	if (name)
		snprintf(name, size, "%s%s%.*s%s", folder, between, (int)stem, base, suffix);
	return name;
}

static int check_folder(const char *folder)
{
	struct stat status;
	int missing = stat(folder, &status);

	if (!missing && S_ISDIR(status.st_mode))
		return 0;
	return xc_cli_error(folder, "cannot take the results: %s", strerror(missing ? errno : ENOTDIR));
}

/* ------------------------------------------------- each result has one input */

typedef struct pair {
	const char *name, *input;
} pair;

static int by_name(const void *a, const void *b)
{
	return strcmp(((const pair *)a)->name, ((const pair *)b)->name);
}

static int check_names(const xc_cli_command *self, const xc_cli_batch *b, char **names)
{
	pair *pairs = malloc((size_t)b->count * sizeof *pairs);
	int failed = 0;

	if (!pairs)
		return xc_cli_error(self->name, "out of memory");
	for (int i = 0; i < b->count; i++)
		pairs[i] = (pair){names[i], b->inputs[i]};
	qsort(pairs, (size_t)b->count, sizeof *pairs, by_name);
	for (int i = 1; i < b->count && !failed; i++)
		if (!by_name(&pairs[i - 1], &pairs[i]))
			failed = xc_cli_error(self->name, "'%s' and '%s' would both become '%s'",
			                      pairs[i - 1].input, pairs[i].input, pairs[i].name);
	free(pairs);
	return failed;
}

/* --------------------------------------------------- no result is an input */

typedef struct identity {
	dev_t device;
	ino_t number;
} identity;

static int by_identity(const void *a, const void *b)
{
	const identity *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int identify(const char *path, identity *out)
{
	struct stat status;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return -1;
	*out = (identity){status.st_dev, status.st_ino};
	return 0;
}

static int check_inputs(const xc_cli_command *self, const xc_cli_batch *b, char **names)
{
	identity *inputs = malloc(((size_t)b->count + 1) * sizeof *inputs), one;
	size_t known = 0;
	int failed = 0;

	if (!inputs)
		return xc_cli_error(self->name, "out of memory");
	for (int i = 0; i < b->count; i++)
		known += !identify(b->inputs[i], &inputs[known]);
	known += b->also_read && !identify(b->also_read, &inputs[known]);
	qsort(inputs, known, sizeof *inputs, by_identity);
	for (int i = 0; i < b->count && !failed; i++)
		if (!identify(names[i], &one) && bsearch(&one, inputs, known, sizeof *inputs, by_identity))
			failed = xc_cli_error(names[i], "is to be written, but is an input as well");
	free(inputs);
	return failed;
}

/* --------------------------------------------------------------------------- */

void xc_cli_batch_names_free(char **names, int count)
{
	for (int i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
}

static int make_names(const xc_cli_command *self, const xc_cli_batch *b, char **names)
{
	for (int i = 0; i < b->count; i++) {
		names[i] = name_in(b->folder, b->inputs[i], b->suffix);
		if (!names[i])
			return xc_cli_error(self->name, "out of memory");
	}
	return 0;
}

char **xc_cli_batch_names(const xc_cli_command *self, const xc_cli_batch *batch)
{
	char **names;

	if (check_folder(batch->folder))
		return NULL;
	names = calloc((size_t)batch->count, sizeof *names);
	if (!names)
		xc_cli_error(self->name, "out of memory");
	else if (!make_names(self, batch, names) && !check_names(self, batch, names) &&
	         !check_inputs(self, batch, names))
		return names;
	xc_cli_batch_names_free(names, batch->count);
	return NULL;
}
