/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/io.h"
#include "cli/base/report.h"
#include "cli/base/settings.h"
#include "src/core/crc32c.h"

enum { FILE_LIMIT = 1 << 20 };

static const char blanks[] = " \t\r\n";

static int no_memory(void)
{
	xc_cli_error(NULL, "out of memory");
	return XC_CLI_FAILED;
}

/* The codec that the text begins with, as "jpeg:"; *rest is what follows. */
static const xc_sweep_known *take_codec(const char *text, const char **rest)
{
	const xc_sweep_known *k = xc_sweep_codecs;

	for (; k->name; k++) {
		const size_t n = strlen(k->name);
		if (!strncmp(text, k->name, n) && text[n] == ':') {
			*rest = text + n + 1;
			return k;
		}
	}
	*rest = text;
	return NULL;
}

/* Finds name, codec and options of a text; *codec NULL: there is none, and the options are
 * xcodec's. -1: it has no name. */
static int take_name(const char *text, xc_sweep_setup *s, const xc_sweep_known **codec,
                     const char **options)
{
	text += strspn(text, blanks);
	const size_t n = strcspn(text, ":");
	if (n == 0 || text[n] != ':')
		return -1;
	*codec = take_codec(text, options);
	const char *shown = text;
	if (!*codec) {
		shown = text + n + 1;
		shown += strspn(shown, blanks);
		*codec = take_codec(shown, options);
	}
	/* Whose options they are stands in the results anyway. */
	if (*codec && !(*codec)->commands)
		shown = *options + strspn(*options, blanks);
	size_t length = strlen(shown);
	while (length && strchr(blanks, shown[length - 1]))
		length--;
	s->name = strndup(text, n);
	s->options = strndup(shown, length);
	return 0;
}

/* Takes "--qualities LIST" and "--qualities=LIST" out of the words: NULL, or what is wrong. */
static const char *take_qualities(xc_sweep_words *words, const char **list)
{
	static const char option[] = "--qualities";
	const size_t n = strlen(option);
	size_t kept = 0;

	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->word[i];
		if (strncmp(word, option, n) || (word[n] && word[n] != '='))
			words->word[kept++] = words->word[i];
		else if (word[n] == '=')
			*list = word + n + 1;
		else if (i + 1 < words->count)
			*list = words->word[++i];
		else
			return "--qualities needs a value";
	}
	words->word[kept] = NULL;
	words->count = kept;
	return NULL;
}

/* Options of `encode`; the words become the arguments of a command. */
static int parse_own(xc_sweep_setup *s)
{
	const xc_cli_group groups[] = {{"Coding", xc_cli_encoder_options, &s->encoder},
	                               {NULL, NULL, NULL}};
	char within[256];
	const xc_cli_command encode = {.name = "encode", .within = within, .operands = "OPTION..."};
	char name[] = "encode";

	snprintf(within, sizeof within, "configuration '%s': ", s->name);
	int operands;
	char **argv = calloc(s->words.count + 2, sizeof *argv);
	if (!argv)
		return no_memory();
	argv[0] = name;
	memcpy(argv + 1, s->words.word, s->words.count * sizeof *argv);
	const int status = xc_cli_parse(&encode, groups, (int)s->words.count + 1, argv, &operands);
	free(argv);
	/* --help was answered, but this is no place for it. */
	return status == XC_CLI_DONE ? XC_CLI_USAGE : status;
}

/* Says what is wrong with a configuration. */
static int misuse(const xc_cli_command *self, const xc_sweep_setup *s, const char *what)
{
	return xc_cli_misuse(self, "configuration '%s': %s", s->name, what);
}

/* Without an option the name may be that of a codec which is not known, and so may another word. */
static int unknown(const xc_cli_command *self, const xc_sweep_setup *s, const char *options)
{
	const char *word = strchr(options, ':') ? options : s->name;
	char list[128] = "";

	for (const xc_sweep_known *k = xc_sweep_codecs; k->name; k++)
		strcat(strcat(list, k->name), k[1].name ? ", " : "");
	return xc_cli_misuse(
		self,
		"configuration '%s': '%.*s' is no codec that is known: %s; a name of your own "
		"stands before one, as in 'mine: xcodec:'",
		s->name, (int)strcspn(word, ": \t"), word, list);
}

static int parse_foreign(xc_sweep_setup *s, const xc_cli_command *self, const xc_sweep_known *codec)
{
	const char *wrong = xc_sweep_foreign_make(codec, &s->words, &s->foreign);
	return wrong ? misuse(self, s, wrong) : -1;
}

static int parse_options(xc_sweep_setup *s, const xc_cli_command *self, const xc_sweep_known *codec,
                         const char *options, const xc_sweep_defaults *defaults)
{
	const char *list = codec ? codec->qualities : NULL;

	options += strspn(options, blanks);
	if (!codec && (!*options || !strchr("-'\"", *options)))
		return unknown(self, s, options);
	if (xc_sweep_split(options, &s->words))
		return errno == EINVAL ? misuse(self, s, "a quote is not closed") : no_memory();
	const char *wrong = take_qualities(&s->words, &list);
	if (wrong)
		return misuse(self, s, wrong);
	s->encoder = *defaults->encoder;
	s->qualities = *defaults->qualities;
	s->is_foreign = codec && codec->commands;
	wrong = list ? xc_sweep_qualities_parse(list, !s->is_foreign, &s->qualities) : NULL;
	if (wrong)
		return xc_cli_misuse(self, "configuration '%s': --qualities: '%s' is not %s", s->name, list,
		                     wrong);
	return s->is_foreign ? parse_foreign(s, self, codec) : parse_own(s);
}

/* The value of an option as it is given; NULL: it was not. */
static const char *value_of(const xc_cli_encoder *e, const xc_cli_option *o, char number[16])
{
	const void *at = (const char *)e + o->offset;

	if (o->type == XC_CLI_TEXT)
		return *(const char *const *)at;
	/* An option that was not given is -1; --preset and --range are 0 then. */
	if (o->type == XC_CLI_CUSTOM && *(const int *)at == XC_CLI_RANGE_AUTO)
		return "auto";
	const int value = *(const int *)at;
	if (value < 0 ||
	    (value == 0 && (o->type == XC_CLI_CUSTOM || o->offset == offsetof(xc_cli_encoder, preset))))
		return NULL;
	if (o->type == XC_CLI_CHOICE)
		for (const xc_cli_choice *c = o->choices; c->name; c++)
			if (c->value == value)
				return c->name;
	snprintf(number, 16, "%d", value);
	return number;
}

/* The options that were given, as they are written; to be freed.  NULL: out of memory. */
static char *describe(const xc_cli_encoder *e)
{
	char *text = NULL, number[16];
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (const xc_cli_option *o = xc_cli_encoder_options; to && o->name; o++) {
		const char *value = value_of(e, o, number);
		if (value)
			fprintf(to, "%s--%s %s", ftell(to) ? " " : "", o->name, value);
	}
	if (to && !fclose(to))
		return text;
	free(text);
	return NULL;
}

static void free_setup(xc_sweep_setup *s)
{
	free(s->name);
	free(s->options);
	free(s->identity);
	xc_sweep_words_free(&s->words);
	xc_sweep_foreign_free(&s->foreign);
}

void xc_sweep_setups_free(xc_sweep_setups *setups)
{
	for (size_t i = 0; i < setups->count; i++)
		free_setup(&setups->setup[i]);
	free(setups->setup);
	*setups = (xc_sweep_setups){NULL, 0};
}

static int is_taken(const xc_sweep_setups *setups, const char *name)
{
	for (size_t i = 0; i < setups->count; i++)
		if (!strcmp(setups->setup[i].name, name))
			return 1;
	return 0;
}

/* Parses into *s, which is freed afterwards unless that worked. */
static int parse(const xc_sweep_setups *setups, xc_sweep_setup *s, const xc_cli_command *self,
                 const char *text, const xc_sweep_defaults *defaults)
{
	const xc_sweep_known *codec;
	const char *options;

	if (take_name(text, s, &codec, &options))
		return xc_cli_misuse(self, "'%s' is no configuration 'NAME: OPTION...'", text);
	if (!s->name || !s->options)
		return no_memory();
	if (is_taken(setups, s->name))
		return misuse(self, s, "two have this name");
	return parse_options(s, self, codec, options, defaults);
}

/* An empty one after the last, which does not count yet.  NULL: out of memory. */
static xc_sweep_setup *make_room(xc_sweep_setups *setups)
{
	xc_sweep_setup *more = realloc(setups->setup, (setups->count + 1) * sizeof *more);

	if (!more)
		return NULL;
	setups->setup = more;
	more[setups->count] = (xc_sweep_setup){.name = NULL};
	return &more[setups->count];
}

int xc_sweep_setups_add_own(xc_sweep_setups *setups, const xc_sweep_defaults *defaults)
{
	xc_sweep_setup *s = make_room(setups);

	if (!s)
		return no_memory();
	setups->count++;
	s->name = strdup("xcodec");
	s->options = describe(defaults->encoder);
	s->encoder = *defaults->encoder;
	s->qualities = *defaults->qualities;
	return s->name && s->options ? -1 : no_memory();
}

int xc_sweep_setups_add(xc_sweep_setups *setups, const xc_cli_command *self, const char *text,
                        const xc_sweep_defaults *defaults)
{
	xc_sweep_setup *s = make_room(setups);

	if (!s)
		return no_memory();
	const int status = parse(setups, s, self, text, defaults);
	if (status < 0)
		setups->count++;
	else
		free_setup(s);
	return status;
}

int xc_sweep_setups_read(xc_sweep_setups *setups, const xc_cli_command *self, const char *path,
                         const xc_sweep_defaults *defaults)
{
	uint8_t *data;
	size_t size;
	int status = -1;

	if (xc_cli_read_small(path, FILE_LIMIT, &data, &size))
		return XC_CLI_FAILED;
	if (size && memchr(data, 0, size)) {
		free(data);
		return xc_cli_error(path, "a zero byte in a text file"), XC_CLI_FAILED;
	}
	char *text = strndup((const char *)data, size);
	free(data);
	if (!text)
		return no_memory();
	for (char *line = text, *next; line && status < 0; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line += strspn(line, blanks);
		if (*line && *line != '#')
			status = xc_sweep_setups_add(setups, self, line, defaults);
	}
	free(text);
	return status;
}

/* What decides the bytes that a configuration makes, as one line of text. */

/* A word with the size and time of the file that it names, if it names one: another
 * version has others. */
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
		failed = failed ? failed : identify(s);
	}
	return failed;
}
