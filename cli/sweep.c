/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec sweep: rate and distortion of pictures over a range of qualities and configurations. */
#include "cli/base/command.h"
#include "cli/base/io.h"
#include "cli/base/report.h"
#include "cli/base/settings.h"

#include "sweep/results.h"
#include "sweep/run/run.h"
#include "sweep/text/report.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* -------------------------------------------------- the files that it writes */

enum { CSV, JSON, HTML, FILES };

typedef struct sweep_files {
	const char *path[FILES]; /* as the options name them; NULL: not wanted */
	int force;
	xc_cli_output outputs[FILES]; /* between check and write */
} sweep_files;

/* Whether a name is that of standard output or input; NULL is none. */
static int is_standard(const char *path)
{
	return path && !strcmp(path, "-");
}

static int check_one(sweep_files *f, const xc_sweep_plan *p, int which, const char *path)
{
	xc_cli_output *to = &f->outputs[which];

	if (!path)
		return 0;
	const int force = f->force || is_standard(path); /* text may go to a terminal */
	if (xc_cli_output_start(to, path, force, (const char *const *)p->paths, (int)p->picture_count))
		return -1;
	for (size_t i = 0; i < p->setups.count; i++) {
		const char *tables = xc_cli_encoder_file(&p->setups.setup[i].encoder);
		if (xc_cli_output_check_inputs(to, &tables, 1))
			return -1;
	}
	return 0;
}

/* Makes sure that the files can be written and are none of those that are read. Returns 0, or -1
 * after reporting why not. */
static int check_files(sweep_files *files, const xc_sweep_plan *plan)
{
	for (int i = CSV; i <= HTML; i++)
		if (check_one(files, plan, i, files->path[i]))
			return -1;
	return 0;
}

/* Leaves what has not been written, checked or not. */
static void end_files(sweep_files *files)
{
	for (int i = CSV; i <= HTML; i++)
		if (files->outputs[i].path)
			xc_cli_output_end(&files->outputs[i], 0);
}

/* Whether a journal can be beside it: it is no pipe and no device. */
static int is_regular(const char *path)
{
	struct stat status;
	return path && !is_standard(path) && (stat(path, &status) || S_ISREG(status.st_mode));
}

/* The name of the journal, beside the first file that is no device; to be freed. *name is NULL if
 * there is no such file. Returns 0, or -1 after reporting why not. */
static int name_journal(const sweep_files *files, char **name)
{
	int i = 0;

	*name = NULL;
	while (i < FILES && !is_regular(files->path[i]))
		i++;
	if (i == FILES)
		return 0;
	*name = xc_cli_text(NULL, "%s.journal", files->path[i]);
	return *name ? 0 : -1;
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

/* A file is collected without a name, since a report may be larger than memory, and copied
 * when it is complete. */
static int write_one(sweep_files *f, int which, const xc_sweep_run *run,
                     const xc_sweep_bd_table *bd)
{
	xc_sweep_page_pictures page_pictures;
	FILE *t = tmpfile();
	int failed = 0, error = which == JSON ? ENOMEM : 0;

	if (!t)
		return xc_cli_error(NULL, "cannot create a temporary file: %s", strerror(errno));
	if (which == CSV) {
		xc_sweep_csv(t, run, is_standard(f->path[CSV]) && isatty(STDOUT_FILENO));
	} else if (which == JSON) {
		failed = xc_sweep_json(t, run, bd);
	} else {
		failed = xc_sweep_page_pictures_start(&page_pictures, run);
		if (!failed) {
			failed = xc_sweep_html(t, &run->results, bd, &page_pictures.viewer);
			error = page_pictures.reported ? 0 : errno;
		}
		xc_sweep_page_pictures_free(&page_pictures);
	}
	return end(t, &f->outputs[which], failed, error);
}

/* Each file becomes complete or is not there.  Returns 0, or -1 after reporting why not. */
static int write_files(sweep_files *files, const xc_sweep_run *run, const xc_sweep_bd_table *bd)
{
	int failed = 0;

	for (int i = CSV; i <= HTML && !failed; i++)
		failed = files->path[i] ? write_one(files, i, run, bd) : 0;
	return failed;
}

/* --------------------------------------------------------------------- options */

enum { MAX_TEXTS = 64, NO_CURVES = -1, CURVES_NOT_GIVEN = -2, SCREEN = 80 };

/* What --config and --configs gave, in their order. */
typedef struct texts {
	int count;
	struct {
		const char *text;
		int is_file;
	} given[MAX_TEXTS];
} texts;

typedef struct settings {
	int verbosity, jobs, resume, curves, peak;
	sweep_files files;
	texts texts;
	xc_sweep_qualities qualities;
	xc_cli_encoder encoder;
	xc_cli_limits limits;
} settings;

typedef struct sweep {
	settings *set;
	xc_sweep_plan plan;
	xc_sweep_run run;
	char *journal; /* its name */
	int print;     /* the tables are wanted */
	int terminal, width;
} sweep;

static const char *parse_qualities(const char *text, void *target)
{
	return xc_sweep_qualities_parse(text, 1, target);
}

static const char *add_text(texts *t, const char *text, int is_file)
{
	if (t->count == MAX_TEXTS)
		return "one of at most 64 such options";
	t->given[t->count].text = text;
	t->given[t->count++].is_file = is_file;
	return NULL;
}

static const char *parse_config(const char *text, void *target)
{
	return add_text(target, text, 0);
}

static const char *parse_configs(const char *text, void *target)
{
	return add_text(target, text, 1);
}

static const char *parse_svg(const char *text, void *target)
{
	(void)text, (void)target;
	return "taken any more: --html draws the curves in its page";
}

#define IN(field) offsetof(settings, field)

static const xc_cli_choice curves[] = {{"ssimulacra2", XC_SWEEP_SSIMULACRA2},
                                       {"psnr_rgb", XC_SWEEP_PSNR_RGB},
                                       {"psnr_y", XC_SWEEP_PSNR_Y},
                                       {"psnr_ycbcr", XC_SWEEP_PSNR_YCBCR},
                                       {"ssim_y", XC_SWEEP_SSIM_Y},
                                       {"ms_ssim_y", XC_SWEEP_MS_SSIM_Y},
                                       {"none", NO_CURVES},
                                       {NULL, 0}};

/* clang-format off */
static const xc_cli_option options[] = {
	XC_CLI_CUSTOM_OPTION("qualities", 'q', IN(qualities), parse_qualities, "FROM:TO:STEP",
		"qualities to try, or a list: 30,50,75; default 10:95:5"),
	XC_CLI_CUSTOM_OPTION("config", 0, IN(texts), parse_config, "TEXT",
		"compare several: 'NAME: OPTION...' with the options below, 'NAME: CODEC: OPTION...' with jpeg, webp, jxl, "
		"jp2, avif or cmd; may be repeated"),
	XC_CLI_CUSTOM_OPTION("configs", 0, IN(texts), parse_configs, "FILE",
		"take configurations from the lines of a file"),
	XC_CLI_CUSTOM_OPTION("peak", 0, IN(peak), xc_cli_range_parse, "N|auto",
		"the largest sample, which is white for SSIMULACRA2 and Butteraugli, and of which PSNR and SSIM are; auto: that "
		"of each picture; default: that of the depth"),
	{ .name = NULL }
};

static const xc_cli_option file_options[] = {
	XC_CLI_TEXT_OPTION("csv", 0, IN(files.path[CSV]), "FILE",
		"write the numbers as comma-separated values; - is standard output, instead of the tables"),
	XC_CLI_TEXT_OPTION("json", 0, IN(files.path[JSON]), "FILE",
		"write everything as JSON, means and BD-rates too; - likewise"),
	XC_CLI_TEXT_OPTION("html", 0, IN(files.path[HTML]), "FILE",
		"write a report to look at: curves, tables, and pictures of equal size side by side"),
	XC_CLI_CUSTOM_OPTION("svg", 0, 0, parse_svg, NULL, NULL),
	XC_CLI_FLAG_OPTION("force", 'f', IN(files.force), 1, "overwrite these files if they exist"),
	XC_CLI_FLAG_OPTION("resume", 0, IN(resume), 1,
		"go on with a sweep that was interrupted, by the journal beside its --csv, --json or --html file"),
	XC_CLI_CHOICE_OPTION("curves", 0, IN(curves), curves,
		"the curves to draw on a terminal, and elsewhere if this is given; default ssimulacra2"),
	{ .name = NULL }
};

static const xc_cli_option job_options[] = {
	XC_CLI_INT_OPTION("jobs", 0, IN(jobs), 0, XC_CLI_WRITERS,
		"points to measure at a time, 1 to 64; 0: one a thread; default 1, for times that compare"),
	{ .name = NULL }
};
/* clang-format on */

/* -------------------------------------------------------------------- the output */

static int no_memory(void)
{
	return xc_cli_error(NULL, "out of memory");
}

static int terminal_width(void)
{
	struct winsize size;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : SCREEN;
}

static int is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	const int utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return utf8;
}

static int print_picture(void *user, const xc_sweep_results *results, size_t picture)
{
	const sweep *s = user;

	if (!s->print)
		return 0;
	/* Nobody draws a progress line in between. */
	flockfile(stderr);
	xc_cli_show_progress(NULL);
	if (picture)
		putchar('\n');
	int failed = xc_sweep_table(stdout, results, (long)picture, s->width) ? no_memory() : 0;
	failed = failed ? failed : xc_cli_flush_output();
	funlockfile(stderr);
	return failed;
}

static int print_curves(const sweep *s, long picture)
{
	const int given = s->set->curves != CURVES_NOT_GIVEN;
	const int metric = given ? s->set->curves : XC_SWEEP_SSIMULACRA2;

	if (metric == NO_CURVES || !(given || s->terminal))
		return 0;
	return xc_sweep_plot(stdout, &s->run.results, (xc_sweep_metric)metric, picture,
	                     s->terminal ? s->width : SCREEN, is_utf8());
}

/* What follows the tables of all pictures. */
static int print_end(const sweep *s, const xc_sweep_bd_table *bd)
{
	const xc_sweep_results *r = &s->run.results;
	const long whole = r->picture_count > 1 ? XC_SWEEP_MEAN : 0;

	if (!s->print)
		return 0;
	if (whole == XC_SWEEP_MEAN) {
		putchar('\n');
		if (xc_sweep_table(stdout, r, whole, s->width))
			return no_memory();
	}
	xc_sweep_deltas(stdout, r, bd);
	if (print_curves(s, whole))
		return no_memory();
	if (s->run.jobs > 1)
		printf("\nTimes were taken with %d points measured at a time.\n", s->run.jobs);
	return xc_cli_flush_output();
}

static int finish(const sweep *s)
{
	xc_sweep_bd_table bd;

	if (xc_sweep_bd_table_make(&bd, &s->run.results))
		return no_memory();
	int failed = print_end(s, &bd);
	failed = failed ? failed : write_files(&s->set->files, &s->run, &bd);
	xc_sweep_bd_table_free(&bd);
	return failed;
}

/* ---------------------------------------------------------------- before the work */

static int add_setups(sweep *s, const xc_cli_command *self)
{
	const texts *t = &s->set->texts;
	const xc_sweep_defaults defaults = {&s->set->encoder, &s->set->qualities};
	xc_sweep_setups *setups = &s->plan.setups;
	int status = t->count ? -1 : xc_sweep_setups_add_own(setups, &defaults);

	for (int i = 0; i < t->count && status < 0; i++)
		status = (t->given[i].is_file
		              ? xc_sweep_setups_read
		              : xc_sweep_setups_add)(setups, self, t->given[i].text, &defaults);
	if (status < 0 && !setups->count)
		return xc_cli_misuse(self, "--configs: there is no configuration");
	return status;
}

static int prepare(sweep *s)
{
	xc_context *context = xc_cli_context(&s->set->limits);

	if (!context)
		return -1;
	const int failed = xc_sweep_setups_prepare(&s->plan.setups, context);
	xc_context_free(context);
	return failed || check_files(&s->set->files, &s->plan);
}

static int same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static int check_settings(const xc_cli_command *self, const sweep *s)
{
	const settings *set = s->set;
	const char *const *files = set->files.path;
	int standard = 0;

	for (size_t i = 0; i < s->plan.setups.count; i++)
		standard += is_standard(xc_cli_encoder_file(&s->plan.setups.setup[i].encoder));
	for (int i = 0; i < set->texts.count; i++)
		standard += set->texts.given[i].is_file && is_standard(set->texts.given[i].text);
	for (size_t i = 0; i < s->plan.picture_count; i++)
		standard += is_standard(s->plan.paths[i]);
	if (standard > 1)
		return xc_cli_misuse(self, "standard input can be given only once");
	if (same(files[0], files[1]) || same(files[0], files[2]) || same(files[1], files[2]))
		return xc_cli_misuse(self, "two of --csv, --json and --html are the same file");
	if (set->resume && !s->journal)
		return xc_cli_misuse(self,
		                     "--resume needs --csv, --json or --html with the name of a file");
	return -1;
}

/* A mean is one of all pictures. */
static void tell_without_score(const xc_sweep_results *r)
{
	int count = 0;

	for (size_t i = 0; i < r->picture_count; i++)
		count += r->pictures[i].width < 8 || r->pictures[i].height < 8;
	if (count && r->picture_count > 1)
		xc_cli_warning(
			"sweep",
			"%d picture%s of less than 8 pixels a side %s no SSIMULACRA2, and so the mean has none",
			count, xc_s((unsigned)count), count == 1 ? "has" : "have");
}

static int work(sweep *s)
{
	struct stat status;
	int failed = prepare(s);

	if (!failed && s->journal && !s->plan.resume && !stat(s->journal, &status) && status.st_size)
		xc_cli_warning(s->journal, "an interrupted sweep begins anew (--resume would go on)");
	if (!failed) {
		failed = xc_sweep_run_all(&s->run, &s->plan);
		failed = failed ? failed : finish(s);
		if (!failed)
			tell_without_score(&s->run.results);
		xc_sweep_run_free(&s->run, !failed);
	}
	return failed ? XC_CLI_FAILED : XC_CLI_DONE;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings set = {.jobs = 1, .curves = CURVES_NOT_GIVEN};
	const xc_cli_group groups[] = {{"Qualities and coding", options, &set},
	                               {NULL, xc_cli_encoder_options, &set.encoder},
	                               {"Output", file_options, &set},
	                               {NULL, xc_cli_quiet_options, &set.verbosity},
	                               {"Resources", job_options, &set},
	                               {NULL, xc_cli_limit_options, &set.limits},
	                               {NULL, NULL, NULL}};
	sweep s = {.set = &set, .terminal = isatty(STDOUT_FILENO)};
	int operands;

	parse_qualities("10:95:5", &set.qualities);
	xc_cli_encoder_default(&set.encoder);
	set.encoder.options.mode = XC_MODE_LOSSY; /* qualities are what it measures */
	xc_cli_limits_default(&set.limits);
	int status = xc_cli_parse(self, groups, argc, argv, &operands);
	if (status >= 0)
		return status;
	s.plan = (xc_sweep_plan){.paths = argv + 1,
	                         .picture_count = (size_t)operands,
	                         .limits = set.limits,
	                         .jobs = set.jobs,
	                         .verbosity = set.verbosity,
	                         .resume = set.resume,
	                         .peak = set.peak,
	                         .complete = print_picture,
	                         .user = &s};
	s.print = 1;
	for (int i = CSV; i <= HTML; i++)
		s.print &= !is_standard(set.files.path[i]);
	s.width = s.terminal ? terminal_width() : INT_MAX;
	if (set.verbosity == XC_CLI_QUIET)
		xc_cli_leave_out_warnings();
	status = add_setups(&s, self);
	if (status < 0 && name_journal(&set.files, &s.journal))
		status = XC_CLI_FAILED;
	s.plan.journal = s.journal;
	status = status < 0 ? check_settings(self, &s) : status;
	status = status < 0 ? work(&s) : status;
	xc_sweep_setups_free(&s.plan.setups);
	end_files(&set.files);
	free(s.journal);
	return status;
}

const xc_cli_command xc_cli_sweep = {
	.name = "sweep",
	.operands = "PICTURE...",
	.min_operands = 1,
	.max_operands = -1,
	.summary = "encode pictures at many qualities and tabulate size and error",
	.description = "Encodes and decodes each PICTURE (" XC_CLI_READABLE
				   " or XC) at each quality, and prints bytes, bits per pixel, "
				   "PSNR, SSIM and speed, per picture and the mean; with several "
				   "configurations BD-rates, too. \"-\" is standard input.",
	.run = run,
};
