/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/io.h"
#include "cli/base/report.h"
#include "sweep/run/run.h"

/* One thread each, so that they compare; no words on success. cjxl is told a distance, opj_compress
 * (of raw codestreams) bits a pixel, avifenc a quantizer. */
const xc_sweep_known xc_sweep_codecs[] = {
	{"xcodec", NULL, NULL},
	{"jpeg",
     "cjpeg {options} -quality {q} -outfile {out.jpg} {in.ppm} ; "
     "djpeg -pnm -outfile {out.pnm} {in}",
     NULL},
	{"webp",
     "cwebp -quiet {options} -q {q} {in.ppm} -o {out.webp} ; dwebp -quiet {in} -ppm -o {out.ppm}",
     NULL},
	{"jxl",
     "cjxl --quiet --num_threads=0 {options} -d {q} {in.ppm} {out.jxl} ; "
     "djxl --quiet --num_threads=0 {in} {out.ppm}",
     "0.3,0.5,0.9,1.5,2.4,3.8,6,9.5,15,25"},
	{"jp2",
     "opj_compress -i {in.ppm} -o {out.j2k} {options} -r {ratio} ; "
     "opj_decompress -i {in} -o {out.ppm}",
     "0.05,0.1,0.19,0.33,0.57,1,1.7,2.9"},
	{"avif",
     "avifenc -j 1 {options} --min {q} --max {q} {in.png} {out.avif} ; avifdec -j 1 {in} {out.png}",
     "4,8,16,24,32,40,48,55,60,62,63"},
	{"cmd", "{options}", NULL},
	{NULL, NULL, NULL}};

/* Whether some word holds such a placeholder: "{in" is in "{in}" and "{in.png}". */
static int mentions(char *const *words, const char *placeholder)
{
	while (*words && !strstr(*words, placeholder))
		words++;
	return *words != NULL;
}

/* Divides the words of both commands. */
static const char *cut(xc_sweep_foreign *f, size_t count)
{
	size_t i = 0;

	while (i < count && strcmp(f->all[i], ";"))
		i++;
	if (i == 0 || i + 1 >= count)
		return "no two commands divided by a word ';'";
	f->all[i] = NULL;
	f->encode = f->all;
	f->decode = f->all + i + 1;
	if (!mentions(f->encode, "{in") || !mentions(f->encode, "{out") ||
	    !mentions(f->decode, "{in") || !mentions(f->decode, "{out"))
		return "both commands need {in} and {out}";
	return NULL;
}

const char *xc_sweep_foreign_make(const xc_sweep_known *known, const xc_sweep_words *options,
                                  xc_sweep_foreign *foreign)
{
	size_t count = 0;

	*foreign = (xc_sweep_foreign){.encode = NULL};
	if (xc_sweep_split(known->commands, &foreign->words))
		return "out of memory";
	foreign->all = calloc(foreign->words.count + options->count + 1, sizeof(char *));
	if (!foreign->all)
		return "out of memory";
	for (size_t i = 0; i < foreign->words.count; i++) {
		char *word = foreign->words.word[i];
		if (strcmp(word, "{options}"))
			foreign->all[count++] = word;
		else
			for (size_t k = 0; k < options->count; k++)
				foreign->all[count++] = options->word[k];
	}
	return cut(foreign, count);
}

void xc_sweep_foreign_free(xc_sweep_foreign *foreign)
{
	free(foreign->all);
	xc_sweep_words_free(&foreign->words);
}

int xc_sweep_foreign_check(const xc_sweep_foreign *foreign, const char *config)
{
	const char *const programs[] = {foreign->encode[0], foreign->decode[0]};
	char path[4096];

	for (int i = 0; i < 2; i++)
		if (!xc_file_program(programs[i], path, sizeof path))
			return xc_cli_error(config, "'%s' is not installed", programs[i]);
	return 0;
}

xc_file_format xc_sweep_foreign_input(const xc_sweep_foreign *foreign, const xc_picture *picture)
{
	if (mentions(foreign->encode, "{in.png}"))
		return XC_FILE_PNG;
	return picture->channels < 3 ? XC_FILE_PGM : XC_FILE_PPM;
}

extern char **environ;

/* Lets the program begin with the signals as any other: the group, nothing
 * blocked, nothing ignored. */
static int set_attributes(posix_spawnattr_t *attributes, pid_t group)
{
	sigset_t none, ignored;

	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGXFSZ);
	int error = posix_spawnattr_setsigmask(attributes, &none);
	error = error ? error : posix_spawnattr_setsigdefault(attributes, &ignored);
	error = error ? error : posix_spawnattr_setpgroup(attributes, group);
	if (!error)
		error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
		                                                 POSIX_SPAWN_SETSIGDEF |
		                                                 POSIX_SPAWN_SETPGROUP);
	return error;
}

static int set_files(posix_spawn_file_actions_t *files, const char *log)
{
	int error = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (!error)
		error = posix_spawn_file_actions_addopen(files, STDERR_FILENO, log,
		                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
	error = error ? error : posix_spawn_file_actions_adddup2(files, STDERR_FILENO, STDOUT_FILENO);
	return error;
}

/* Returns an errno. */
static int start(char *const argv[], pid_t group, const char *log, pid_t *process)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&files);

	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (!error) {
		error = set_attributes(&attributes, group);
		error = error ? error : set_files(&files, log);
		error = error ? error : posix_spawnp(process, argv[0], &files, &attributes, argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&files);
	return error;
}

/* Says the end of the file, a line each. */
static void tell(const char *log)
{
	char text[1024], shown[2048];
	FILE *file = fopen(log, "r");

	if (!file)
		return;
	if (fseek(file, -(long)sizeof text, SEEK_END))
		rewind(file);
	while (fgets(text, sizeof text, file)) {
		text[strcspn(text, "\n")] = '\0';
		xc_cli_escape(shown, sizeof shown, text);
		if (*shown)
			xc_cli_say("  %s\n", shown);
	}
	fclose(file);
}

/* Runs a program, found by PATH, with nothing to read on standard input, and waits for its end. The
 * process joins the group. What it says goes to the file `log`. Returns 0, or -1 after reporting
 * why not and, if it failed, the end of what it said; name and config: for messages. name NULL: it
 * may fail, and nothing is reported. */
static int spawn(char *const argv[], pid_t group, const char *log, const char *name,
                 const char *config)
{
	pid_t process;
	int status = 0;
	const int error = start(argv, group, log, &process);

	if (error && !name)
		return -1;
	if (error)
		return xc_cli_error(name, "%s: cannot run '%s': %s", config, argv[0], strerror(error));
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	if (!name || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return 0;
	if (WIFSIGNALED(status))
		xc_cli_error(name, "%s: '%s' was ended by signal %d", config, argv[0], WTERMSIG(status));
	else
		xc_cli_error(name, "%s: '%s' failed with status %d", config, argv[0], WEXITSTATUS(status));
	tell(log);
	return -1;
}

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

/* Writes the file's name: that in the folder, with the suffix that the command's
 * {out.SUFFIX} has. */
static void name_result(const xc_sweep_foreign_job *e, char *const *words, const char *base,
                        char *path)
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

static void name_all(const xc_sweep_foreign_job *e, names *n)
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

static int call(const xc_sweep_foreign_job *e, const names *n, char *const *words, const char *in,
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
	                                : spawn(argv, e->group, n->log, e->name, e->config);
	*seconds = xc_cli_seconds() - start;
	for (size_t i = 0; i < made; i++)
		free(argv[i]);
	free(argv);
	return failed;
}

/* The size of what the encoder wrote. */
static int measure(const xc_sweep_foreign_job *e, const char *path, uint64_t *bytes)
{
	struct stat status;

	if (stat(path, &status) || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return xc_cli_error(e->name, "%s: '%s' wrote no file", e->config, e->foreign->encode[0]);
	*bytes = (uint64_t)status.st_size;
	return 0;
}

static int read_decoded(const xc_sweep_foreign_job *e, const char *path, xc_file_picture *decoded)
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

int xc_sweep_foreign_run(const xc_sweep_foreign_job *job, uint64_t *bytes, double seconds[2],
                         xc_file_picture *decoded)
{
	const xc_sweep_foreign *f = job->foreign;
	names n;

	*decoded = (xc_file_picture){.owned = {NULL}};
	name_all(job, &n);
	int failed = call(job, &n, f->encode, job->input, n.coded, &seconds[0]) ||
	             measure(job, n.coded, bytes) ||
	             call(job, &n, f->decode, n.coded, n.decoded, &seconds[1]) ||
	             read_decoded(job, n.decoded, decoded);
	remove(n.coded);
	remove(n.decoded);
	return failed ? -1 : 0;
}

/* What the programs of other codecs say that they are. */

/* A program that is not here is not asked: nobody knows what it would do. */
static const char *const known[][2] = {{"cjpeg", "-version"},   {"cwebp", "-version"},
                                       {"cjxl", "--version"},   {"opj_compress", "-h"},
                                       {"avifenc", "-V"},       {"ffmpeg", "-version"},
                                       {"convert", "-version"}, {"magick", "-version"}};

/* Sets the line to the first one with a digit, a point and a digit that the
 * program says, or to "". */
static void ask(const xc_sweep_run *run, char *program, const char *option, char line[256])
{
	char log[PATH_MAX + 8], *const argv[] = {program, (char *)option, NULL};
	const char *at = NULL;

	snprintf(log, sizeof log, "%s/said", run->private.folder);
	spawn(argv, run->private.process, log, NULL, NULL);
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
		const char *name = program ? xc_cli_base_name(program) : "xcodec";
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
