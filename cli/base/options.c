/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/options.h"

#include "cli/base/report.h"

#include "formats/formats.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
	const xc_cli_command *command;
	const xc_cli_group *groups;
	int argc;
	char **argv;
	int next; /* the argument to look at next */
	int help; /* --help was seen */
} parser;

int xc_cli_misuse(const xc_cli_command *command, const char *format, ...)
{
	char message[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	xc_cli_error(command->name, "%s%s (see '%s %s --help')", command->within ? command->within : "",
	             message, xc_cli_program, command->name);
	return XC_CLI_USAGE;
}

/* Returns what follows the digits; NULL without digits, or if their number does not fit. */
static const char *read_digits(const char *text, uint64_t *number)
{
	const char *p = text;

	*number = 0;
	for (; *p >= '0' && *p <= '9'; p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (*number > (UINT64_MAX - digit) / 10)
			return NULL;
		*number = *number * 10 + digit;
	}
	return p == text ? NULL : p;
}

int xc_cli_parse_int(const char *text, int low, int high, int *value)
{
	int negative = *text == '-';
	uint64_t digits;
	const char *end = read_digits(text + negative, &digits);

	if (!end || *end || digits > INT32_MAX)
		return -1;
	int64_t number = negative ? -(int64_t)digits : (int64_t)digits;
	if (number < low || number > high)
		return -1;
	*value = (int)number;
	return 0;
}

/* The power of two that a suffix means, or -1. */
static int suffix_shift(const char *suffix)
{
	static const char letters[] = "KkMmGgTt";
	const char *letter = *suffix ? strchr(letters, *suffix) : NULL;

	if (*suffix == '\0')
		return 0;
	return letter && suffix[1] == '\0' ? 10 * ((int)(letter - letters) / 2 + 1) : -1;
}

int xc_cli_parse_size(const char *text, uint64_t low, uint64_t *value)
{
	uint64_t number;
	const char *end = read_digits(text, &number);
	int shift = end ? suffix_shift(end) : -1;

	if (shift < 0 || number > UINT64_MAX >> shift || number << shift < low)
		return -1;
	*value = number << shift;
	return 0;
}

/* The help text of a subcommand.  The shell completion reads it too: it relies on options
 * at the start of their lines and on '|' between the choices of a value. */
enum { WIDTH = 79, HELP_COLUMN = 28 };

/* Prints text, wrapped at WIDTH and indented by `indent`, the column where the cursor
 * already is.  Newlines in the text stay. */
static void print_wrapped(const char *text, int indent)
{
	int column = indent;
	int first = 1; /* the word is the first on its line */

	while (*text) {
		int word = (int)strcspn(text, " \n");

		if (word && !first && column + 1 + word > WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
			first = 1;
		}
		if (word) {
			printf("%s%.*s", first ? "" : " ", word, text);
			column += word + !first;
			first = 0;
		}
		text += word;
		if (*text == '\n') {
			printf("\n%*s", text[1] == '\n' ? 0 : indent, "");
			column = indent;
			first = 1;
		}
		text += *text != '\0';
	}
	putchar('\n');
}

/* The text with a list of formats in the place of XC_CLI_READABLE or XC_CLI_SUFFIXES, of which it
 * may have one. */
static const char *with_list(const char *text, char *to, size_t room)
{
	const char *readable = strstr(text, XC_CLI_READABLE), *suffixes = strstr(text, XC_CLI_SUFFIXES);
	const char *mark = readable ? readable : suffixes;
	char list[XC_FILE_MESSAGE];

	if (!mark)
		return text;
	xc_file_formats(readable ? XC_FORMATS_READABLE : XC_FORMATS_SUFFIXES, readable ? ", " : " or ",
	                list);
	snprintf(to, room, "%.*s%s%s", (int)(mark - text), text, list, strchr(mark, '}') + 1);
	return to;
}

/* Prints "  -s, --subsampling 444|422|420|grey" and the like; returns its width. */
static int print_option_name(const xc_cli_option *o)
{
	int width = o->letter ? printf("  -%c, --%s", o->letter, o->name)
	                      : printf("      --%s", o->name);

	if (o->value)
		return width + printf(" %s", o->value);
	if (o->type != XC_CLI_CHOICE)
		return width;
	for (const xc_cli_choice *c = o->choices; c->name; c++)
		if (c == o->choices || c[-1].value != c->value)
			width += printf("%c%s", c == o->choices ? ' ' : '|', c->name);
	return width;
}

static void print_option(const xc_cli_option *o)
{
	int width = print_option_name(o);

	if (width + 2 > HELP_COLUMN) {
		putchar('\n');
		width = 0;
	}
	printf("%*s", HELP_COLUMN - width, "");
	print_wrapped(o->help, HELP_COLUMN);
}

int xc_cli_asks_for_help(const char *argument)
{
	return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

static void print_help(const xc_cli_command *command, const xc_cli_group *groups)
{
	static const xc_cli_option help = {.name = "help", .letter = 'h', .help = "show this text"};
	char description[2048];

	printf("Usage: %s %s [OPTION]...%s%s\n\n", xc_cli_program, command->name,
	       *command->operands ? " " : "", command->operands);
	print_wrapped(with_list(command->description, description, sizeof description), 0);
	for (const xc_cli_group *group = groups; group->options; group++) {
		if (group->title)
			printf("\n%s:\n", group->title);
		for (const xc_cli_option *o = group->options; o->name; o++)
			if (o->help)
				print_option(o);
		if (!group[1].options)
			print_option(&help);
	}
}

static const xc_cli_option *find_letter(const xc_cli_group *groups, char letter, void **base)
{
	for (const xc_cli_group *group = groups; group->options; group++)
		for (const xc_cli_option *o = group->options; o->name; o++)
			if (o->letter == letter) {
				*base = group->base;
				return o;
			}
	return NULL;
}

/* An option that every table ends with. */
static const xc_cli_option help_option = {.name = "help"};

/* What a long name, which may be cut off, can mean. */
typedef struct meaning {
	const xc_cli_option *option, *other; /* NULL: none; there is no other one */
	void *base;
} meaning;

/* Takes an option whose name begins so: returns 1 if it has that very name. */
static int consider(meaning *m, const xc_cli_option *o, void *base, const char *name, size_t length)
{
	if (strncmp(o->name, name, length) != 0)
		return 0;
	const int exact = o->name[length] == '\0';
	if (o->whole && !exact)
		return 0;
	m->other = exact ? NULL : m->option;
	m->option = o;
	m->base = base;
	return exact;
}

static meaning find_long(const xc_cli_group *groups, const char *name, size_t length)
{
	meaning m = {NULL, NULL, NULL};

	if (consider(&m, &help_option, NULL, name, length))
		return m;
	for (const xc_cli_group *group = groups; group->options; group++)
		for (const xc_cli_option *o = group->options; o->name; o++)
			if (consider(&m, o, group->base, name, length))
				return m;
	return m;
}

/* Writes what is wanted to `wanted` if the text is no choice. */
static void store_choice(const xc_cli_option *o, const char *text, int *target, char *wanted,
                         size_t room)
{
	size_t used = 0;

	for (const xc_cli_choice *c = o->choices; c->name; c++) {
		int alias = c != o->choices && c[-1].value == c->value;

		if (!strcmp(c->name, text)) {
			*target = c->value;
			*wanted = '\0';
			return;
		}
		if (!alias && used < room)
			used += (size_t)snprintf(wanted + used, room - used, "%s%s", used ? ", " : "one of ",
			                         c->name);
	}
}

/* Stores a value in its place; 0, or the exit status of a reported error. */
static int store(const parser *p, const xc_cli_option *o, void *base, const char *text)
{
	void *target = (char *)base + o->offset;
	char wanted[256] = "";
	const char *custom;

	switch (o->type) {
	case XC_CLI_FLAG:
		*(int *)target = o->low;
		break;
	case XC_CLI_TEXT:
		*(const char **)target = text;
		break;
	case XC_CLI_CHOICE:
		store_choice(o, text, target, wanted, sizeof wanted);
		break;
	case XC_CLI_INT:
		if (xc_cli_parse_int(text, o->low, o->high, target))
			snprintf(wanted, sizeof wanted, "a whole number from %d to %d", o->low, o->high);
		break;
	case XC_CLI_SIZE:
		if (xc_cli_parse_size(text, (uint64_t)o->low, target))
			snprintf(wanted, sizeof wanted, "a number from %d up, such as 500M or 2G", o->low);
		break;
	case XC_CLI_CUSTOM:
		custom = o->parse(text, target);
		snprintf(wanted, sizeof wanted, "%s", custom ? custom : "");
		break;
	}
	return *wanted ? xc_cli_misuse(p->command, "--%s: '%s' is not %s", o->name, text, wanted) : 0;
}

/* The value of an option is the rest of its own argument, or the next argument. */
static int store_value(parser *p, const xc_cli_option *o, void *base, const char *attached)
{
	if (!attached) {
		if (p->next == p->argc)
			return xc_cli_misuse(p->command, "--%s needs a value", o->name);
		attached = p->argv[p->next++];
	}
	return store(p, o, base, attached);
}

/* Names all that a name which is cut off may mean, in the order of the help. */
static int fail_ambiguous(const parser *p, const char *name, size_t length)
{
	char text[256] = "";
	const char *last = NULL;
	size_t n = 0;

	for (const xc_cli_group *group = p->groups; group->options; group++)
		for (const xc_cli_option *o = group->options; o->name; o++) {
			if (o->whole || strncmp(o->name, name, length) != 0)
				continue;
			if (last && n < sizeof text)
				n += (size_t)snprintf(text + n, sizeof text - n, "%s--%s", n ? ", " : "", last);
			last = o->name;
		}
	return xc_cli_misuse(p->command, "'--%.*s' may mean %s or --%s", (int)length, name,
	                     *text ? text : "--help", last);
}

static int parse_long(parser *p, const char *argument)
{
	const char *name = argument + 2;
	size_t length = strcspn(name, "=");
	const char *attached = name[length] ? name + length + 1 : NULL;
	const meaning m = find_long(p->groups, name, length);
	const xc_cli_option *o = m.option;

	if (!o)
		return xc_cli_misuse(p->command, "unknown option '--%.*s'", (int)length, name);
	if (m.other)
		return fail_ambiguous(p, name, length);
	if (o != &help_option && o->type != XC_CLI_FLAG)
		return store_value(p, o, m.base, attached);
	if (attached)
		return xc_cli_misuse(p->command, "--%s takes no value", o->name);
	if (o != &help_option)
		return store(p, o, m.base, NULL);
	p->help = 1;
	return 0;
}

/* "-vf" is "-v -f"; "-q75" is "-q 75". */
static int parse_letters(parser *p, const char *argument)
{
	int status = 0;

	for (const char *c = argument + 1; *c && !status; c++) {
		void *base = NULL;
		const xc_cli_option *o = find_letter(p->groups, *c, &base);

		if (*c == 'h')
			p->help = 1;
		else if (!o)
			return xc_cli_misuse(p->command, "unknown option '-%c'", *c);
		else if (o->type != XC_CLI_FLAG)
			return store_value(p, o, base, c[1] ? c + 1 : NULL);
		else
			status = store(p, o, base, NULL);
	}
	return status;
}

int xc_cli_check_count(const xc_cli_command *command, int min, int max, int operands, char **argv)
{
	if (max >= 0 && operands > max)
		return xc_cli_misuse(command, "too many arguments: '%s'", argv[max + 1]);
	if (operands < min)
		return xc_cli_misuse(command, "too few arguments, wants %s", command->operands);
	return -1;
}

int xc_cli_parse(const xc_cli_command *command, const xc_cli_group *groups, int argc, char **argv,
                 int *operands)
{
	parser p = {command, groups, argc, argv, 1, 0};
	int ended = 0;

	*operands = 0;
	while (p.next < argc) {
		char *argument = argv[p.next++];
		int status = 0;

		if (ended || argument[0] != '-' || argument[1] == '\0')
			argv[++*operands] = argument;
		else if (argument[1] != '-')
			status = parse_letters(&p, argument);
		else if (argument[2] == '\0')
			ended = 1;
		else
			status = parse_long(&p, argument);
		if (status)
			return status;
		if (p.help) {
			print_help(command, groups);
			return XC_CLI_DONE;
		}
	}
	return xc_cli_check_count(command, command->min_operands, command->max_operands, *operands,
	                          argv);
}

const char *xc_cli_read_decimal(const char *text, double *number)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(text, digits);
	size_t part = text[whole] == '.' ? strspn(text + whole + 1, digits) : 0;

	if (!(whole + part) || (text[whole] == '.' && !part) || whole + part > 15)
		return NULL;
	*number = strtod(text, NULL);
	return text + whole + (part ? part + 1 : 0);
}
