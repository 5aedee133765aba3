/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/config.h"

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

/* Adds a number in its place, once: 0, or -1 if there is no room. */
static int add(xc_sweep_qualities *list, double value)
{
	int i = list->count;

	while (i > 0 && list->value[i - 1] > value)
		i--;
	if (i > 0 && list->value[i - 1] == value)
		return 0;
	if (list->count == XC_SWEEP_CURVE_POINTS)
		return -1;
	memmove(&list->value[i + 1], &list->value[i], (size_t)(list->count - i) * sizeof(double));
	list->value[i] = value;
	list->count++;
	return 0;
}

/* Takes digits with at most one point among them; returns what follows, or NULL. */
static const char *take_number(const char *text, int whole, double *value)
{
	const size_t digits = strspn(text, "0123456789");
	const size_t point = !whole && text[digits] == '.';
	const size_t more = point ? strspn(text + digits + 1, "0123456789") : 0;
	char copy[16];

	if (!(digits + more) || digits > 6 || more > 6)
		return NULL;
	memcpy(copy, text, digits + point + more);
	copy[digits + point + more] = '\0';
	*value = strtod(copy, NULL);
	return text + digits + point + more;
}

/* Takes "A", "A:B" or "A:B:STEP", up to a comma or the end; returns what follows, or NULL. */
static const char *take_range(const char *text, int xcodec, xc_sweep_qualities *list)
{
	double number[3] = {0, 0, 1};
	int given = 0, failed = 0;

	for (;; text++) {
		if (given == 3 || !(text = take_number(text, xcodec, &number[given])))
			return NULL;
		if (given == 2 ? number[2] <= 0 : xcodec && (number[given] < 1 || number[given] > 100))
			return NULL;
		given++;
		if (*text != ':')
			break;
	}
	if (given == 1)
		number[1] = number[0];
	if (number[1] < number[0])
		return NULL;
	/* The last number of the range may be a rounding away. */
	for (int i = 0; number[0] + i * number[2] <= number[1] + 1e-9 && !failed; i++)
		failed = add(list, number[0] + i * number[2]);
	return failed ? NULL : text;
}

const char *xc_sweep_qualities_parse(const char *text, int xcodec, xc_sweep_qualities *list)
{
	xc_sweep_qualities found = {.count = 0};

	do {
		text = take_range(text, xcodec, &found);
		if (!text || (*text && *text != ','))
			return xcodec ? "FROM:TO:STEP or a list such as 30,50,75, all within 1 to 100"
			              : "FROM:TO:STEP or a list such as 0.5,1,2, of at most 128 numbers";
	} while (*text++ == ',');
	*list = found;
	return NULL;
}
