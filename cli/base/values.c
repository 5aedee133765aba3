/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/options.h"

#include <stdint.h>

int xc_cli_parse_int(const char *text, int low, int high, int *value)
{
	int negative = *text == '-';
	int64_t number = 0;
	const char *p = text + negative;

	if (*p == '\0')
		return -1;
	for (; *p; p++) {
		if (*p < '0' || *p > '9')
			return -1;
		number = number * 10 + (*p - '0');
		if (number > INT32_MAX)
			return -1;
	}
	if (negative)
		number = -number;
	if (number < low || number > high)
		return -1;
	*value = (int)number;
	return 0;
}

/* The power of two that a suffix stands for, or -1. */
static int suffix_shift(const char *suffix)
{
	static const char letters[] = "KMGT";

	if (*suffix == '\0')
		return 0;
	if (suffix[1] != '\0')
		return -1;
	for (int i = 0; letters[i]; i++)
		if (*suffix == letters[i] || *suffix == letters[i] - 'A' + 'a')
			return 10 * (i + 1);
	return -1;
}

int xc_cli_parse_size(const char *text, uint64_t low, uint64_t *value)
{
	const char *p = text;
	uint64_t number = 0;
	int shift;

	for (; *p >= '0' && *p <= '9'; p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (number > (UINT64_MAX - digit) / 10)
			return -1;
		number = number * 10 + digit;
	}
	if (p == text)
		return -1;
	shift = suffix_shift(p);
	if (shift < 0 || number > UINT64_MAX >> shift)
		return -1;
	number <<= shift;
	if (number < low)
		return -1;
	*value = number;
	return 0;
}
