/* SPDX-License-Identifier: BSD-2-Clause */
/* A subcommand: what the dispatcher and the help text must know about it. */
#ifndef XC_CLI_BASE_COMMAND_H
#define XC_CLI_BASE_COMMAND_H

/* A part of a text that is left out where PNG or tar files cannot be read and written, or where the
 * laboratory was not built. */
#ifdef XC_HAVE_LIBPNG
#define XC_CLI_IF_PNG(text) text
#else
#define XC_CLI_IF_PNG(text) ""
#endif

#ifdef XC_HAVE_LIBARCHIVE
#define XC_CLI_IF_TAR(text) text
#else
#define XC_CLI_IF_TAR(text) ""
#endif

/* What `xcodec NAME --help` puts into a description: the formats that are read, and suffixes of
 * those that are written (formats/table.c). */
#define XC_CLI_READABLE "{readable}"
#define XC_CLI_SUFFIXES "{suffixes}"
/* The format of results in a folder, which holds every picture: one of xc_file_format. */
#ifdef XC_HAVE_LIBPNG
#define XC_CLI_USUAL XC_FILE_PNG
#define XC_CLI_USUAL_SUFFIX ".png"
#else
#define XC_CLI_USUAL XC_FILE_PAM
#define XC_CLI_USUAL_SUFFIX ".pam"
#endif

#ifdef XC_HAVE_LAB
#define XC_CLI_IF_LAB(text) text
#else
#define XC_CLI_IF_LAB(text) ""
#endif

/* XC_CLI_DAMAGED: done, but parts of a damaged file were lost. */
enum { XC_CLI_DONE = 0, XC_CLI_FAILED = 1, XC_CLI_USAGE = 2, XC_CLI_DAMAGED = 3 };

struct xc_cli_spread; /* cli/stream/spread.h */
typedef struct xc_cli_command xc_cli_command;
struct xc_cli_command {
	const char *name;     /* "encode" */
	const char *within;   /* what it is a part of, for messages: "configuration 'a': "; or NULL */
	const char *operands; /* "IN OUT", as the usage line shows them */
	int min_operands, max_operands; /* number of operands; most -1: no bound */
	const char *summary;            /* one line for `xcodec --help` */
	const char *description;        /* paragraphs for `xcodec NAME --help`, wrapped there */
	/* argv[0] is the subcommand's name; returns the exit status. */
	int (*run)(const xc_cli_command *self, int argc, char **argv);
	const struct xc_cli_spread
		*spread; /* over processes, of one of which this is; NULL: there is one */
};

/* To add a subcommand, declare it here and give it its line in main.c. */
extern const xc_cli_command xc_cli_encode;
extern const xc_cli_command xc_cli_decode;
extern const xc_cli_command xc_cli_info;
extern const xc_cli_command xc_cli_verify;
extern const xc_cli_command xc_cli_compare;
extern const xc_cli_command xc_cli_sweep;
extern const xc_cli_command xc_cli_bench;
#ifdef XC_HAVE_LAB
extern const xc_cli_command xc_cli_transform_command;
extern const xc_cli_command xc_cli_generate;
#endif

#endif
