/* SPDX-License-Identifier: BSD-2-Clause */
/* Text and bytes inside HTML. */
#ifndef XC_SWEEP_REPORT_MARKUP_H
#define XC_SWEEP_REPORT_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* Writes text as the contents of an element or of an attribute in quotation marks.  What is no UTF-8, and
 * characters that XML does not allow, become U+FFFD. */
void xc_sweep_put_text(FILE *out, const char *text);

/* Writes a number with that many digits after the point; infinity as its sign and NAN as a dash. */
void xc_sweep_put_number(FILE *out, double value, int digits);

/* Writes bytes in base64 (RFC 4648). */
void xc_sweep_put_base64(FILE *out, const void *bytes, size_t size);

#endif
