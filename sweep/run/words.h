/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a command or of options that stand in one text. */
#ifndef XC_SWEEP_RUN_WORDS_H
#define XC_SWEEP_RUN_WORDS_H

#include <stddef.h>

typedef struct xc_sweep_words {
	char **word; /* and NULL after the last */
	size_t count;
	char *text; /* which they point into */
} xc_sweep_words;

/* Words are divided by blanks.  What stands between two ' or two " belongs to a word as it is, blanks
 * and all; nothing else has a meaning of its own.  Returns 0, or -1 with errno: EINVAL for a quote
 * that is not closed, ENOMEM.  The caller frees the words with xc_sweep_words_free(). */
int xc_sweep_split(const char *text, xc_sweep_words *words);
void xc_sweep_words_free(xc_sweep_words *words);

#endif
