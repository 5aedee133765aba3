/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codecs that are programs.
 *
 * A codec is a text of two commands, "ENCODE ; DECODE", whose words (words.h) may hold
 *   {in}, {in.SUFFIX}    the file to read; for the encoder a PNG file if the suffix is png, else
 *                        PPM, or PGM for a grey picture
 *   {out}, {out.SUFFIX}  the file to write; that of the encoder is the decoder's {in}
 *   {q}, {ratio}         the number of quality; the bits of the picture's samples divided by it
 * The suffixes ppm and pgm become the one that fits the picture.  Alpha is not passed on.
 */
#ifndef XC_SWEEP_RUN_FOREIGN_H
#define XC_SWEEP_RUN_FOREIGN_H

#include "formats/formats.h"
#include "sweep/run/words.h"

#include <sys/types.h>

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

/* Makes the commands of a codec with these options, which must stay.  Returns NULL, or what is wrong with
 * them.  The caller frees *foreign in both cases. */
const char *xc_sweep_foreign_make(const xc_sweep_known *known, const xc_sweep_words *options,
                                  xc_sweep_foreign *foreign);
void xc_sweep_foreign_free(xc_sweep_foreign *foreign);

/* Looks for both programs: 0, or -1 after reporting which one is not installed. */
int xc_sweep_foreign_check(const xc_sweep_foreign *foreign, const char *config);

/* The format that the encoder wants: PNG, PPM or PGM. */
xc_file_format xc_sweep_foreign_input(const xc_sweep_foreign *foreign, const xc_picture *picture);

/* One picture on its way through a codec. */
typedef struct xc_sweep_errand {
	const xc_sweep_foreign *foreign;
	const char *config, *name; /* for messages: the configuration, the picture */
	const xc_picture *picture;
	const char *input;  /* the picture as a file of the format above */
	const char *folder; /* for the coded and the decoded file and what programs say */
	pid_t group;        /* of processes, which the programs join */
	double quality;
	const xc_file_limits *limits; /* of the decoded picture */
} xc_sweep_errand;

/* Encodes and decodes.  seconds: the wall time of both programs, from start to end.  Returns 0, or -1
 * after reporting why not. */
int xc_sweep_foreign_run(const xc_sweep_errand *errand, uint64_t *bytes, double seconds[2],
                         xc_file_picture *decoded);

#endif
