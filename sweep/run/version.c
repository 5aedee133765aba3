/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs of other codecs say that they are. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"
#include "sweep/run/run.h"
#include "sweep/run/spawn.h"

/* A program that is not here is not asked: nobody knows what it would do. */
static const struct {
	const char *program, *option;
} known[] = {{"cjpeg", "-version"},   {"cwebp", "-version"}, {"cjxl", "--version"},
             {"opj_compress", "-h"},  {"avifenc", "-V"},     {"ffmpeg", "-version"},
             {"convert", "-version"}, {"magick", "-version"}};

/* Whether a line has a digit, a point and a digit. */
static int has_version(const char *line)
{
	while (*line &&
	       !(isdigit((unsigned char)line[0]) && line[1] == '.' && isdigit((unsigned char)line[2])))
		line++;
	return *line != 0;
}

/* The first such line of what the program says, or "". */
static void ask(const xc_sweep_run *run, char *program, const char *option, char line[256])
{
	char log[PATH_MAX + 8];
	char *const argv[] = {program, (char *)option, NULL};
	snprintf(log, sizeof log, "%s/said", run->keeper.folder);
	xc_sweep_spawn(argv, run->keeper.process, log, NULL, NULL);
	FILE *said = fopen(log, "r");
	while (said && fgets(line, 256, said) && !has_version(line))
		line[0] = '\0';
	if (said)
		fclose(said);
	remove(log);
	line[strcspn(line, "\r\n")] = '\0';
}

int xc_sweep_versions(xc_sweep_run *run)
{
	for (size_t i = 0; i < run->results.config_count; i++) {
		const xc_sweep_setup *s = &run->plan->setups.setup[i];
		char *const program = s->is_foreign ? s->foreign.encode[0] : NULL;
		const char *slash = program ? strrchr(program, '/') : NULL;
		const char *name = slash ? slash + 1 : program ? program : "xcodec";
		char line[256] = "", text[512];
		if (!program)
			snprintf(line, sizeof line, "%s", xc_version_string());
		for (size_t k = 0; program && k < sizeof known / sizeof *known; k++)
			if (!strcmp(name, known[k].program))
				ask(run, program, known[k].option, line);
		snprintf(text, sizeof text, "%.200s%s%s", name, *line ? ": " : "", line);
		run->configs[i].version = strdup(text);
		if (!run->configs[i].version)
			return xc_cli_error(NULL, "out of memory");
	}
	return 0;
}
