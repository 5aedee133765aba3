/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command says on stderr: one line an error, `xcodec: FILE: what (where)`. */
#ifndef XC_CLI_REPORT_H
#define XC_CLI_REPORT_H

#include <xcodec.h>

/* subject is a file, an option or a subcommand.  Control characters in it and
 * in the message are shown escaped, so that one error stays one line. */
void xc_cli_error(const char *subject, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void xc_cli_warning(const char *subject, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The last failure of a library call: the context's message, or the status. */
void xc_cli_library_error(const char *subject, const xc_context *context, xc_status status);

/* "-" by its long name. */
const char *xc_cli_input_name(const char *path);
const char *xc_cli_output_name(const char *path);

#endif
