/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/clock.h"
#include "cli/base/io.h"
#include "cli/base/report.h"
#include "sweep/run/foreign.h"
#include "sweep/run/spawn.h"

enum { PATH = 4096, NUMBER = 32, SUFFIX = 16, FIELDS = 4 };

/* What the placeholders of a command stand for. */
typedef struct field {
	const char *name, *value;
} field;

typedef struct names {
	char coded[PATH], decoded[PATH], log[PATH];
	char quality[NUMBER], ratio[NUMBER];
} names;

/* The length of a placeholder "{name}" or "{name.suffix}" at `text`; 0: it is none. */
static size_t placeholder(const char *text, const char *name)
{
	const size_t n = strlen(name);
	if (*text != '{' || strncmp(text + 1, name, n) || (text[n + 1] != '}' && text[n + 1] != '.'))
		return 0;
	const char *end = strchr(text, '}');
	return end ? (size_t)(end - text) + 1 : 0;
}

/* Writes the file's name: that in the folder, with the suffix that the command's {out.SUFFIX} has. */
static void name_result(const xc_sweep_errand *e, char *const *words, const char *base, char *path)
{
	char suffix[SUFFIX] = "";
	for (; *words; words++) {
		const char *at = strstr(*words, "{out.");
		if (at)
			snprintf(suffix, sizeof suffix, ".%.*s", (int)strcspn(at + 5, "}"), at + 5);
	}
	if (!strcmp(suffix, ".ppm") || !strcmp(suffix, ".pgm"))
		snprintf(suffix, sizeof suffix, e->picture->channels < 3 ? ".pgm" : ".ppm");
	snprintf(path, PATH, "%s/%s%s", e->folder, base, suffix);
}

static void name_all(const xc_sweep_errand *e, names *n)
{
	const xc_picture *p = e->picture;
	const double bits = p->depth * (p->channels < 3 ? 1.0 : 3.0);
	name_result(e, e->foreign->encode, "coded", n->coded);
	name_result(e, e->foreign->decode, "decoded", n->decoded);
	snprintf(n->log, PATH, "%s/said", e->folder);
	snprintf(n->quality, NUMBER, "%.10g", e->quality);
	snprintf(n->ratio, NUMBER, "%.10g", bits / e->quality);
}

static const field *field_at(const char *text, const field *fields, size_t *length)
{
	for (int i = 0; i < FIELDS; i++)
		if ((*length = placeholder(text, fields[i].name)))
			return &fields[i];
	return NULL;
}

/* A copy of the word with its placeholders replaced, or NULL. */
static char *expand(const char *word, const field *fields)
{
	char *text = NULL;
	size_t size, length;
	FILE *to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	while (*word) {
		const field *f = field_at(word, fields, &length);
		if (f)
			fputs(f->value, to);
		else
			putc(*word, to);
		word += f ? length : 1;
	}
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static int call(const xc_sweep_errand *e, const names *n, char *const *words, const char *in,
                const char *out, double *seconds)
{
	const field fields[FIELDS] = {{"in", in}, {"out", out}, {"q", n->quality}, {"ratio", n->ratio}};
	size_t count = 0, made = 0;
	while (words[count])
		count++;
	char **argv = calloc(count + 1, sizeof *argv);
	while (argv && made < count && (argv[made] = expand(words[made], fields)))
		made++;
	const double start = xc_cli_seconds();
	const int failed = made < count ? xc_cli_error(e->name, "out of memory")
	                                : xc_sweep_spawn(argv, e->group, n->log, e->name, e->config);
	*seconds = xc_cli_seconds() - start;
	for (size_t i = 0; i < made; i++)
		free(argv[i]);
	free(argv);
	return failed;
}

/* The size of what the encoder wrote. */
static int measure(const xc_sweep_errand *e, const char *path, uint64_t *bytes)
{
	struct stat status;
	if (stat(path, &status) || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return xc_cli_error(e->name, "%s: '%s' wrote no file", e->config, e->foreign->encode[0]);
	*bytes = (uint64_t)status.st_size;
	return 0;
}

static int read_decoded(const xc_sweep_errand *e, const char *path, xc_file_picture *decoded)
{
	char message[XC_FILE_MESSAGE] = "";
	struct stat status;
	uint8_t *data;
	size_t size;
	if (stat(path, &status))
		return xc_cli_error(e->name, "%s: '%s' wrote no file", e->config, e->foreign->decode[0]);
	if (xc_cli_read(path, e->limits->context, NULL, &data, &size))
		return -1;
	const xc_status failed = xc_file_read(data, size, e->limits, NULL, decoded, message);
	xc_cli_forget(e->limits->context, data, size);
	if (!failed)
		return 0;
	return xc_cli_error(e->name, "%s: what '%s' wrote: %s", e->config, e->foreign->decode[0],
	                    *message ? message : xc_status_string(failed));
}

int xc_sweep_foreign_run(const xc_sweep_errand *errand, uint64_t *bytes, double seconds[2],
                         xc_file_picture *decoded)
{
	const xc_sweep_foreign *f = errand->foreign;
	names n;
	*decoded = (xc_file_picture){.owned = {NULL}};
	name_all(errand, &n);
	int failed = call(errand, &n, f->encode, errand->input, n.coded, &seconds[0]) ||
	             measure(errand, n.coded, bytes) ||
	             call(errand, &n, f->decode, n.coded, n.decoded, &seconds[1]) ||
	             read_decoded(errand, n.decoded, decoded);
	remove(n.coded);
	remove(n.decoded);
	return failed ? -1 : 0;
}
