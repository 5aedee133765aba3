/* SPDX-License-Identifier: BSD-2-Clause */
/* What decides the bytes that a configuration makes, as one line of text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/report.h"
#include "src/core/crc32c.h"
#include "sweep/run/config.h"

/* A word with the size and time of the file that it names, if it names one: another version has others. */
static void put_file(FILE *to, const char *name, const char *path)
{
	struct stat status;
	fprintf(to, "'%s'", name);
	if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
		fprintf(to, "(%lld,%lld)", (long long)status.st_size, (long long)status.st_mtime);
}

static void put_words(FILE *to, char *const *words)
{
	char path[4096];
	const char *file = xc_file_program(words[0], path, sizeof path) ? path : "";
	put_file(to, words[0], file);
	/* Words may name files, of tables for instance. */
	while (*++words) {
		fputs(" ", to);
		put_file(to, *words, *words);
	}
}

static void put_own(FILE *to, const xc_encode_options *o, int range)
{
	put_file(to, xc_version_string(), "/proc/self/exe");
	fprintf(to, " subsampling %d transform %d entropy %d huffman %d tune %d colour %d effort %d",
	        (int)o->subsampling, (int)o->transform, (int)o->entropy, (int)o->huffman, (int)o->tune,
	        (int)o->colour, o->effort);
	if (range)
		fprintf(to, " range %d", range);
	fprintf(to, " tables %08x", (unsigned)xc_crc32c(0, &o->tables, sizeof o->tables));
}

static int identify(xc_sweep_setup *s)
{
	size_t size;
	FILE *to = open_memstream(&s->identity, &size);
	if (!to)
		return xc_cli_error(NULL, "out of memory");
	if (s->is_foreign) {
		put_words(to, s->foreign.encode);
		fputs(" ; ", to);
		put_words(to, s->foreign.decode);
	} else {
		put_own(to, &s->encoder.options, s->encoder.range);
	}
	return fclose(to) ? xc_cli_error(NULL, "out of memory") : 0;
}

int xc_sweep_setups_prepare(xc_sweep_setups *setups, xc_context *context)
{
	int failed = 0;
	for (size_t i = 0; i < setups->count && !failed; i++) {
		xc_sweep_setup *s = &setups->setup[i];
		failed = s->is_foreign ? xc_sweep_foreign_check(&s->foreign, s->name)
		                       : xc_cli_encoder_prepare(&s->encoder, context);
		if (failed && !s->is_foreign)
			xc_cli_error(s->name, "this configuration's --tables cannot be used");
		if (!failed)
			failed = identify(s);
	}
	return failed;
}
