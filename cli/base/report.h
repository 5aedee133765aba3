/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command says on stderr: one line an error, `xcodec: FILE: what (where)`; and
 * the line of progress, which anything else that is said here wipes first.  All of it may
 * be called by any thread. */
#ifndef XC_CLI_BASE_REPORT_H
#define XC_CLI_BASE_REPORT_H

#include <xcodec.h>

/* subject is a file, an option or a subcommand.  Control characters in it and
 * in the message are shown escaped, so that one error stays one line. */
void xc_cli_error(const char *subject, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void xc_cli_warning(const char *subject, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A failure of the library or of a picture file's reader or writer: its message,
 * or, if that is empty, what the status says. */
void xc_cli_status_error(const char *subject, xc_status status, const char *message);
/* The same with the context's message about its last call. */
void xc_cli_library_error(const char *subject, const xc_context *context, xc_status status);

/* Says that much in one piece. */
void xc_cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Puts text, at least as long as the one before it, where the cursor's line is; NULL
 * wipes the line, if there is one. */
void xc_cli_show_progress(const char *text);

/* Room for any path that can be opened, if it has no control characters. */
enum { XC_CLI_SHOWN = 4096 + 8 };
/* text as it is shown to people, control characters escaped: a name must not move the
 * cursor or begin a line.  Cut to fit `room` bytes, 1 or more, with the final zero;
 * returns the length. */
size_t xc_cli_escape(char *out, size_t room, const char *text);

/* "-" by its long name. */
const char *xc_cli_input_name(const char *path);
const char *xc_cli_output_name(const char *path);

#endif
