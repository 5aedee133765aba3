/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configurations of a sweep.  One is a text
 *
 *   [NAME:] [CODEC:] OPTION...
 *
 * CODEC is one of xc_sweep_codecs, which then also serves as a name; without it the
 * options are those of `xcodec encode` that describe the coding. --qualities LIST among
 * the options is the sweep's own.
 */
#ifndef XC_SWEEP_RUN_CONFIG_H
#define XC_SWEEP_RUN_CONFIG_H

#include "cli/base/settings.h"
#include "formats/formats.h"
#include "sweep/bd.h"

#include <stddef.h>
#include <sys/types.h>

/* The words of a command or of options that stand in one text. */
typedef struct xc_sweep_words {
	char **word; /* and NULL after the last */
	size_t count;
	char *text; /* which they point into */
} xc_sweep_words;

/* Words are divided by blanks. What stands between two ' or two " belongs to a word as it is,
 * blanks and all; nothing else has a meaning of its own. Returns 0, or -1 with errno: EINVAL for a
 * quote that is not closed, ENOMEM. The caller frees the words with xc_sweep_words_free(). */
int xc_sweep_split(const char *text, xc_sweep_words *words);
void xc_sweep_words_free(xc_sweep_words *words);

/* Numbers of quality, rising. */
typedef struct xc_sweep_qualities {
	int count;
	double value[XC_SWEEP_CURVE_POINTS];
} xc_sweep_qualities;

/* Parses "75", "10:90:5", "30,50,75:95:10": numbers and ranges FROM:TO or FROM:TO:STEP, where the
 * step is 1 if it is left out. xcodec: they are whole and from 1 to 100, as xcodec's own; else they
 * have at most six digits before and six after the point. Returns NULL, or what was wanted. */
const char *xc_sweep_qualities_parse(const char *text, int xcodec, xc_sweep_qualities *list);

/*
 * Codecs that are programs.
 *
 * A codec is a text of two commands, "ENCODE ; DECODE", whose words may hold
 *   {in}, {in.SUFFIX}    the file to read; for the encoder a PNG file if the suffix is png, else
 *                        PPM, or PGM for a grey picture
 *   {out}, {out.SUFFIX}  the file to write; that of the encoder is the decoder's {in}
 *   {q}, {ratio}         the number of quality; the bits of the picture's samples divided by it
 * The suffixes ppm and pgm become the one that fits the picture.  Alpha is not passed on.
 */

/* A codec that is known by name. */
typedef struct xc_sweep_known {
	const char *name;
	const char *commands;  /* {options} is where options go; NULL: xcodec itself */
	const char *qualities; /* to try if none are given for it; NULL: those of --qualities */
} xc_sweep_known;

/* xcodec, jpeg, webp, jxl, jp2, avif and cmd; the last has a NULL name. */
extern const xc_sweep_known xc_sweep_codecs[];

typedef struct xc_sweep_foreign {
	char **encode, **decode; /* each with a NULL after its last word */
	char **all;              /* what these point into */
	xc_sweep_words words;    /* those that are no options */
} xc_sweep_foreign;

/* Makes the commands of a codec with these options, which must stay. Returns NULL, or what is wrong
 * with them. The caller frees *foreign in both cases. */
const char *xc_sweep_foreign_make(const xc_sweep_known *known, const xc_sweep_words *options,
                                  xc_sweep_foreign *foreign);
void xc_sweep_foreign_free(xc_sweep_foreign *foreign);

/* Looks for both programs: 0, or -1 after reporting which one is not installed. */
int xc_sweep_foreign_check(const xc_sweep_foreign *foreign, const char *config);

/* The format that the encoder wants: PNG, PPM or PGM. */
xc_file_format xc_sweep_foreign_input(const xc_sweep_foreign *foreign, const xc_picture *picture);

/* One picture on its way through a codec. */
typedef struct xc_sweep_foreign_job {
	const xc_sweep_foreign *foreign;
	const char *config, *name; /* for messages: the configuration, the picture */
	const xc_picture *picture;
	const char *input;  /* the picture as a file of the format above */
	const char *folder; /* for the coded and the decoded file and what programs say */
	pid_t group;        /* of processes, which the programs join */
	double quality;
	const xc_file_limits *limits; /* of the decoded picture */
} xc_sweep_foreign_job;

/* Encodes and decodes. seconds: the wall time of both programs, from start to end. Returns 0, or -1
 * after reporting why not. */
int xc_sweep_foreign_run(const xc_sweep_foreign_job *job, uint64_t *bytes, double seconds[2],
                         xc_file_picture *decoded);

typedef struct xc_sweep_setup {
	char *name, *options; /* without the name */
	char *identity;       /* all that decides what it makes; xc_sweep_setup_prepare() */
	int is_foreign;
	xc_sweep_foreign foreign; /* its commands */
	xc_cli_encoder encoder;   /* for xcodec itself */
	xc_sweep_words words;     /* which the encoder's options point into */
	xc_sweep_qualities qualities;
} xc_sweep_setup;

/* What holds where a configuration says nothing. */
typedef struct xc_sweep_defaults {
	const xc_cli_encoder *encoder;
	const xc_sweep_qualities *qualities;
} xc_sweep_defaults;

typedef struct xc_sweep_setups {
	xc_sweep_setup *setup;
	size_t count;
} xc_sweep_setups;

/* Adds xcodec as the options of the command say, which is called "xcodec". Returns -1 to go on, or
 * the exit status of a reported error, as those below. */
int xc_sweep_setups_add_own(xc_sweep_setups *setups, const xc_sweep_defaults *defaults);
/* Adds the configuration of a text, or of each line of a file that neither is blank nor begins with
 * '#'. */
int xc_sweep_setups_add(xc_sweep_setups *setups, const xc_cli_command *self, const char *text,
                        const xc_sweep_defaults *defaults);
int xc_sweep_setups_read(xc_sweep_setups *setups, const xc_cli_command *self, const char *path,
                         const xc_sweep_defaults *defaults);
void xc_sweep_setups_free(xc_sweep_setups *setups);

/* Makes sure that programs are installed, reads files of tables, and writes the identities. Returns
 * 0, or -1 after reporting why not. */
int xc_sweep_setups_prepare(xc_sweep_setups *setups, xc_context *context);

#endif
