/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/io.h"
#include "cli/base/report.h"
#include "sweep/run/run.h"
#include "sweep/text/report.h"

int xc_sweep_is_standard(const char *path)
{
	return path && !strcmp(path, "-");
}

int xc_sweep_files_to_standard(const xc_sweep_files *files)
{
	return xc_sweep_is_standard(files->csv) || xc_sweep_is_standard(files->json) ||
	       xc_sweep_is_standard(files->html);
}

/* ---------------------------------------------------------------- before the work */

enum { CSV, JSON, HTML };

static int check_one(xc_sweep_files *f, const xc_sweep_plan *p, int which, const char *path)
{
	xc_cli_output *to = &f->outputs[which];
	if (!path)
		return 0;
	const int force = f->force || xc_sweep_is_standard(path); /* text may go to a terminal */
	if (xc_cli_output_start(to, path, force, (const char *const *)p->paths, (int)p->picture_count))
		return -1;
	for (size_t i = 0; i < p->setups.count; i++) {
		const char *tables = xc_cli_encoder_file(&p->setups.setup[i].encoder);
		if (xc_cli_output_check_inputs(to, &tables, 1))
			return -1;
	}
	return 0;
}

static const char *name_of(const xc_sweep_files *files, int which)
{
	return which == CSV ? files->csv : which == JSON ? files->json : files->html;
}

int xc_sweep_files_check(xc_sweep_files *files, const xc_sweep_plan *plan)
{
	for (int i = CSV; i <= HTML; i++)
		if (check_one(files, plan, i, name_of(files, i)))
			return -1;
	return 0;
}

void xc_sweep_files_end(xc_sweep_files *files)
{
	for (int i = CSV; i <= HTML; i++)
		if (files->outputs[i].path)
			xc_cli_output_end(&files->outputs[i], 0);
}

/* Whether a journal can be beside it: it is no pipe and no device. */
static int is_regular(const char *path)
{
	struct stat status;
	return path && !xc_sweep_is_standard(path) && (stat(path, &status) || S_ISREG(status.st_mode));
}

int xc_sweep_files_journal(const xc_sweep_files *files, char **name)
{
	static const char suffix[] = ".journal";
	const char *const beside[] = {files->csv, files->json, files->html};
	int i = 0;
	*name = NULL;
	while (i < 3 && !is_regular(beside[i]))
		i++;
	if (i == 3)
		return 0;
	const size_t size = strlen(beside[i]) + sizeof suffix;
	*name = malloc(size);
	if (!*name)
		return xc_cli_error(NULL, "out of memory");
	snprintf(*name, size, "%s%s", beside[i], suffix);
	return 0;
}

/* ------------------------------------------------------------------- after the work */

/* A file is collected without a name, since a report may be larger than memory, and copied when it is
 * complete. */
static FILE *begin(void)
{
	FILE *text = tmpfile();
	if (!text)
		xc_cli_error(NULL, "cannot create a temporary file: %s", strerror(errno));
	return text;
}

static int copy(FILE *text, xc_cli_output *to)
{
	char data[1 << 14];
	size_t n;
	while ((n = fread(data, 1, sizeof data, text)) > 0)
		if (xc_cli_output_write(to, data, n))
			return -1;
	return ferror(text) ? -1 : 0;
}

/* Writes it unless it failed, which is reported if error is an errno. */
static int end(FILE *text, xc_cli_output *to, int failed, int error)
{
	if (!failed && (fflush(text) || fseek(text, 0, SEEK_SET))) {
		failed = -1;
		error = errno;
	}
	if (failed && error)
		xc_cli_error(xc_cli_output_name(to->path), "cannot write: %s", strerror(error));
	failed = xc_cli_output_end(to, !failed && copy(text, to) == 0);
	fclose(text);
	return failed;
}

static int write_csv(xc_sweep_files *f, const xc_sweep_run *run)
{
	FILE *t = begin();
	if (!t)
		return -1;
	xc_sweep_csv(t, run, xc_sweep_is_standard(f->csv) && isatty(STDOUT_FILENO));
	return end(t, &f->outputs[CSV], 0, 0);
}

static int write_json(xc_sweep_files *f, const xc_sweep_run *run, const xc_sweep_bd_table *bd)
{
	FILE *t = begin();
	if (!t)
		return -1;
	return end(t, &f->outputs[JSON], xc_sweep_json(t, run, bd), ENOMEM);
}

static int write_html(xc_sweep_files *f, const xc_sweep_run *run, const xc_sweep_bd_table *bd)
{
	xc_sweep_recoder recoder;
	FILE *t = begin();
	if (!t)
		return -1;
	int failed = xc_sweep_recoder_start(&recoder, run), error = 0;
	if (!failed) {
		failed = xc_sweep_html(t, &run->results, bd, &recoder.viewer);
		error = recoder.reported ? 0 : errno;
	}
	xc_sweep_recoder_free(&recoder);
	return end(t, &f->outputs[HTML], failed, error);
}

int xc_sweep_files_write(xc_sweep_files *files, const xc_sweep_run *run,
                         const xc_sweep_bd_table *bd)
{
	int failed = files->csv ? write_csv(files, run) : 0;
	if (!failed && files->json)
		failed = write_json(files, run, bd);
	if (!failed && files->html)
		failed = write_html(files, run, bd);
	return failed;
}
