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
static const char *const known[][2] = {{"cjpeg", "-version"},   {"cwebp", "-version"},
                                       {"cjxl", "--version"},   {"opj_compress", "-h"},
                                       {"avifenc", "-V"},       {"ffmpeg", "-version"},
                                       {"convert", "-version"}, {"magick", "-version"}};

/* Sets the line to the first one with a digit, a point and a digit that the program says, or to "". */
static void ask(const xc_sweep_run *run, char *program, const char *option, char line[256])
{
	char log[PATH_MAX + 8], *const argv[] = {program, (char *)option, NULL};
	const char *at = NULL;
	snprintf(log, sizeof log, "%s/said", run->keeper.folder);
	xc_sweep_spawn(argv, run->keeper.process, log, NULL, NULL);
	FILE *said = fopen(log, "r");
	while (said && !at && fgets(line, 256, said))
		for (at = line; (at = strchr(at, '.')); at++)
			if (at > line && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]))
				break;
	if (said)
		fclose(said);
	remove(log);
	line[at ? strcspn(line, "\r\n") : 0] = '\0';
}

int xc_sweep_versions(xc_sweep_run *run)
{
	for (size_t i = 0; i < run->results.config_count; i++) {
		const xc_sweep_setup *s = &run->plan->setups.setup[i];
		char *const program = s->is_foreign ? s->foreign.encode[0] : NULL;
		const char *slash = program ? strrchr(program, '/') : NULL;
		const char *name = slash ? slash + 1 : program ? program : "xcodec";
		char line[256] = "", text[512];
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (!strcmp(name, known[k][0]))
				ask(run, program, known[k][1], line);
		snprintf(text, sizeof text, "%.200s%s%s", name, *line || !program ? ": " : "",
		         program ? line : xc_version_string());
		run->configs[i].version = strdup(text);
		if (!run->configs[i].version)
			return xc_cli_error(NULL, "out of memory");
	}
	return 0;
}
