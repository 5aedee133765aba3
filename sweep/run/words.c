/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

/* Writes the word at *from over *to, and moves both past it.  -1: a quote is not closed. */
static int take_word(const char **from, char **to)
{
	while (**from && !strchr(blanks, **from)) {
		const char quote = **from;
		if (quote != '\'' && quote != '"') {
			*(*to)++ = *(*from)++;
			continue;
		}
		const char *end = strchr(++*from, quote);
		if (!end)
			return -1;
		memcpy(*to, *from, (size_t)(end - *from));
		*to += end - *from;
		*from = end + 1;
	}
	*(*to)++ = '\0';
	return 0;
}

int xc_sweep_split(const char *text, xc_sweep_words *words)
{
	const size_t length = strlen(text);
	/* A word and what divides it from the next take two bytes, and each word ends in a zero. */
	*words = (xc_sweep_words){calloc(length / 2 + 2, sizeof(char *)), 0, malloc(length + 2)};
	char *to = words->text;
	int error = words->word && to ? 0 : ENOMEM;
	while (!error && *(text += strspn(text, blanks))) {
		words->word[words->count++] = to;
		error = take_word(&text, &to) ? EINVAL : 0;
	}
	if (!error)
		return 0;
	xc_sweep_words_free(words);
	errno = error;
	return -1;
}

void xc_sweep_words_free(xc_sweep_words *words)
{
	free(words->word);
	free(words->text);
	*words = (xc_sweep_words){NULL, 0, NULL};
}
