/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec: runs the subcommand that the first argument names. */
#include "cli/base/command.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/base/sandbox.h"
#include "cli/base/settings.h"
#include "cli/base/io.h"

#include <stdio.h>
#include <string.h>

#if defined __clang__
#define COMPILER "clang " __clang_version__
#elif defined __GNUC__
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif

static const char built_with[] = COMPILER
#ifdef XC_HAVE_LIBPNG
	", libpng"
#else
	", no PNG"
#endif
#ifdef XC_HAVE_ISAL
	", ISA-L"
#endif
#ifdef XC_HAVE_LIBJPEG
	", libjpeg"
#else
	", no JPEG"
#endif
#ifdef XC_HAVE_LIBARCHIVE
	", libarchive"
#else
	", no tar"
#endif
#ifdef XC_HAVE_LAB
#ifdef XC_HAVE_FFTW
	", FFTW"
#endif
#ifdef XC_HAVE_OPENMP
	", OpenMP"
#endif
#endif
	;

static const xc_cli_command *const commands[] = {
	&xc_cli_encode,
	&xc_cli_decode,
	&xc_cli_info,
	&xc_cli_verify,
	&xc_cli_compare,
	&xc_cli_sweep,
#ifdef XC_HAVE_LAB
	&xc_cli_transform_command,
	&xc_cli_generate,
#endif
	&xc_cli_bench,
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int print_usage(FILE *file)
{
	fputs("Usage: xcodec COMMAND [OPTION]... FILE...\n\n"
	      "Encodes and decodes pictures with a block transform, and arrays of numbers within a "
	      "bound,\nand measures the result.\n\n"
	      "Commands:\n",
	      file);
	for (int i = 0; i < COMMANDS; i++)
		fprintf(file, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(file, "  %-14s %s\n", "help", "show the options of a command");
	fputs("\nOptions:\n"
	      "  -h, --help     show this text\n"
	      "  -V, --version  show the version and what it was built with\n\n"
	      "'xcodec help COMMAND' or 'xcodec COMMAND --help' shows a command's options.\n",
	      file);
	return XC_CLI_DONE;
}

static int print_version(void)
{
	xc_cli_limits limits;
	char sandbox[32];

	xc_cli_limits_default(&limits);
	xc_context *context = xc_cli_context(&limits);
	if (!context)
		return XC_CLI_FAILED;
	xc_cli_sandbox_describe(sandbox, sizeof sandbox);
	printf("xcodec %s\n", xc_version_string());
	printf("SIMD level    %s\n", xc_context_cpu(context));
	printf("threads       %d\n", xc_context_threads(context));
	printf("built with    %s\n", built_with);
	printf("sandbox       %s\n", sandbox);
	xc_context_free(context);
	return XC_CLI_DONE;
}

/* Reports an argument that is wrong without a command. */
static int misuse(const char *subject, const char *what, const char *argument)
{
	xc_cli_error(subject, "%s '%s' (see 'xcodec --help')", what, argument);
	return XC_CLI_USAGE;
}

static int run_command(const char *name, int argc, char **argv)
{
	for (int i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i]->run(commands[i], argc, argv);
	return misuse(NULL, *name == '-' ? "unknown option" : "unknown command", name);
}

/* `xcodec help NAME` is `xcodec NAME --help`. */
static int help(int argc, char **argv)
{
	char option[] = "--help";
	char *arguments[] = {argc > 1 ? argv[1] : NULL, option, NULL};

	if (argc > 2)
		return misuse("help", "too many arguments:", argv[2]);
	if (argc == 2 && strcmp(argv[1], "help") != 0 && !xc_cli_asks_for_help(argv[1]))
		return run_command(argv[1], 2, arguments);
	return print_usage(stdout);
}

/* Whether a long option is that one, or begins like it. */
static int begins(const char *argument, const char *option)
{
	return strlen(argument) > 2 && !strncmp(option, argument, strlen(argument));
}

static int dispatch(int argc, char **argv)
{
	const char *name = argv[1];

	if (!strcmp(name, "help"))
		return help(argc - 1, argv + 1);
	const int help_wanted = xc_cli_asks_for_help(name) || begins(name, "--help");
	if (help_wanted || !strcmp(name, "-V") || begins(name, "--version")) {
		if (argc > 2)
			return misuse(name, "too many arguments:", argv[2]);
		return help_wanted ? print_usage(stdout) : print_version();
	}
	return run_command(name, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	xc_cli_start("xcodec");
	if (argc < 2) {
		print_usage(stderr);
		return XC_CLI_USAGE;
	}
	return xc_cli_end(dispatch(argc, argv));
}
