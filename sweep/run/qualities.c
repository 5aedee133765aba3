/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/qualities.h"

#include <stdlib.h>
#include <string.h>

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
