/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_CORE_PLURAL_H
#define XC_CORE_PLURAL_H

/* "s" where a number wants a plural: "%d file%s". */
static inline const char *xc_s(unsigned long long number)
{
	return number == 1 ? "" : "s";
}

#endif
