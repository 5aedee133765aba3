/* SPDX-License-Identifier: BSD-2-Clause */
/* Options from tables.  One table serves the parser, the help text and, through the help
 * text, the shell completion. */
#ifndef XC_CLI_BASE_OPTIONS_H
#define XC_CLI_BASE_OPTIONS_H

#include "cli/base/command.h"

#include <stddef.h>
#include <stdint.h>

typedef enum xc_cli_option_type {
	XC_CLI_FLAG = 1, /* int: becomes `low` */
	XC_CLI_INT,      /* int: from low to high */
	XC_CLI_SIZE,     /* uint64_t: a number from low up, with an optional K, M, G or T */
	XC_CLI_CHOICE,   /* int: the value of one of `choices` */
	XC_CLI_TEXT,     /* const char *: unchanged */
	XC_CLI_CUSTOM    /* what `parse` makes of it */
} xc_cli_option_type;

/* The end of the list has a NULL name.  The help shows the first name of each value; its
 * other names, which follow, are accepted as well. */
typedef struct xc_cli_choice {
	const char *name;
	int value;
} xc_cli_choice;

/* The end of the list has a NULL name. */
typedef struct xc_cli_option {
	const char *name; /* without the dashes */
	char letter;      /* 0: none */
	xc_cli_option_type type;
	size_t offset; /* of the target in its group's base */
	int whole;     /* a name that is cut off does not mean it */
	int low, high;
	const xc_cli_choice *choices;
	/* Returns NULL, or what is wanted, as in "is not WANTED". */
	const char *(*parse)(const char *text, void *target);
	const char *value; /* what the help calls the value; NULL: the choices */
	const char *help;  /* NULL: the help leaves it out */
} xc_cli_option;

/* Rows of tables: name, letter, offset, what the type wants of the values, and the help. */
#define XC_CLI_OPTION(t, n, l, o, ...) \
	{ \
		.name = n, .letter = l, .type = XC_CLI_##t, .offset = o, __VA_ARGS__ \
	}
#define XC_CLI_FLAG_OPTION(n, l, o, v, h) XC_CLI_OPTION(FLAG, n, l, o, .low = v, .help = h)
#define XC_CLI_INT_OPTION(n, l, o, min, max, h) \
	XC_CLI_OPTION(INT, n, l, o, .low = min, .high = max, .value = "N", .help = h)
#define XC_CLI_SIZE_OPTION(n, l, o, h) \
	XC_CLI_OPTION(SIZE, n, l, o, .low = 1, .value = "N", .help = h)
#define XC_CLI_CHOICE_OPTION(n, l, o, c, h) XC_CLI_OPTION(CHOICE, n, l, o, .choices = c, .help = h)
#define XC_CLI_TEXT_OPTION(n, l, o, v, h) XC_CLI_OPTION(TEXT, n, l, o, .value = v, .help = h)
#define XC_CLI_CUSTOM_OPTION(n, l, o, p, v, h) \
	XC_CLI_OPTION(CUSTOM, n, l, o, .parse = p, .value = v, .help = h)

/* Options that write into one structure.  The end of the list has a NULL table. */
typedef struct xc_cli_group {
	const char *title; /* in the help; NULL: the previous one goes on */
	const xc_cli_option *options;
	void *base;
} xc_cli_group;

/* Parses argv[1..argc-1].  Options and operands mix freely, "--" ends the options, "-" is
 * an operand, the last of repeated options holds, and a long name may be cut off as long as it can
 * mean one option alone.  Returns -1 to go on, with the operands
 * moved to argv[1..*operands].  Any other value is the exit status, after --help was
 * answered or an error was reported. */
int xc_cli_parse(const xc_cli_command *command, const xc_cli_group *groups, int argc, char **argv,
                 int *operands);

/* Reports a wrong use of `command`; returns XC_CLI_USAGE. */
int xc_cli_misuse(const xc_cli_command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* -1 if there are `min` to `max` operands (-1: any number), else the exit status of a reported
 * error.  xc_cli_parse() checks the command's own numbers. */
int xc_cli_check_count(const xc_cli_command *command, int min, int max, int operands, char **argv);

/* Whether an argument is `--help` or `-h`. */
int xc_cli_asks_for_help(const char *argument);

/* Strict parsers: they take the whole text, without blanks, and no sign but '-'.  0, or -1. */
int xc_cli_parse_int(const char *text, int low, int high, int *value);
int xc_cli_parse_size(const char *text, uint64_t low, uint64_t *value);
/* Reads a decimal number such as "12", "0.5" or ".5", without sign, blanks or exponent: what follows it,
 * or NULL. */
const char *xc_cli_read_decimal(const char *text, double *number);

/* The benchmarks of `xcodec bench`. */

/* To add a benchmark, declare it here and give it its line in bench/codec_command.c. */
typedef struct xc_cli_benchmark {
	const char *name;    /* "transforms" */
	const char *summary; /* one line */
	/* For the help of all benchmarks; NULL: it has its own help alone. */
	const xc_cli_option *options;
	/* argv[0] is "bench", argv[1] the name, then options; returns the exit status. */
	int (*run)(const xc_cli_command *bench, int argc, char **argv);
} xc_cli_benchmark;

extern const xc_cli_benchmark xc_cli_bench_codec;
extern const xc_cli_benchmark xc_cli_bench_transforms;
extern const xc_cli_benchmark xc_cli_bench_gpu;

#endif
