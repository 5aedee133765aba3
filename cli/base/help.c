/* SPDX-License-Identifier: BSD-2-Clause */
/* The help text of a subcommand.  The shell completion reads it too: it relies on options
 * at the start of their lines and on '|' between the choices of a value. */
#include "cli/base/options.h"
#include "cli/base/report.h"

#include "formats/formats.h"

#include <stdio.h>
#include <string.h>

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

void xc_cli_help(const xc_cli_command *command, const xc_cli_group *groups)
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
			print_option(o);
		if (!group[1].options)
			print_option(&help);
	}
}
