/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command says on stderr: one line an error, `xcodec: FILE: what (where)`, and
 * the progress line.  Whatever else is said here wipes the progress line first.  Any
 * thread may call these functions. */
#ifndef XC_CLI_BASE_REPORT_H
#define XC_CLI_BASE_REPORT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <xcodec.h>

#include "src/core/context.h"

/* Which program it is, as its messages and its help call it. */
extern const char *xc_cli_program;

/* subject is a file, an option or a subcommand; NULL: none.  Control characters in it and
 * in the message are shown escaped, so that one error stays one line.  xc_cli_error()
 * returns -1, for the caller to return. */
int xc_cli_error(const char *subject, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void xc_cli_warning(const char *subject, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The last error that this thread reported, without the program's name, cut to fit. */
const char *xc_cli_last_line(void);

/* A text that the caller frees; NULL after reporting that there is no memory. */
char *xc_cli_text(const char *subject, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* From now on warnings are not said. */
void xc_cli_leave_out_warnings(void);

/* Reports a failure of the library, or of a picture file's reader or writer: its message,
 * or, if that is empty, what the status says.  Returns -1. */
int xc_cli_status_error(const char *subject, xc_status status, const char *message);
/* The outcome of the context's last call: 0 for XC_OK, else -1 after reporting the
 * context's message. */
int xc_cli_check(const char *subject, const xc_context *context, xc_status status);

/* What the last failure was that this thread reported, as far as a status tells; XC_OK: none does.
 * The second function sets it. */
xc_status xc_cli_last_failure(void);
void xc_cli_note_failure(xc_status status);

/* Says a text of up to 2 * XC_CLI_SHOWN bytes in one piece. */
void xc_cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Draws the progress line; text is at least as long as the previous one.  NULL wipes the
 * line, if there is one. */
void xc_cli_show_progress(const char *text);

/* Room for any path that can be opened, if it has no control characters. */
enum { XC_CLI_SHOWN = 4096 + 8 };
/* Copies text with its control characters, and bytes that are no UTF-8, escaped: a name must not
 * move the cursor or begin a line. The copy is cut to fit `room` bytes, 1 or more, with the final
 * zero; returns its length. */
size_t xc_cli_escape(char *out, size_t room, const char *text);

/* What follows the last slash of a path. */
static inline const char *xc_cli_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The path as messages show it: "-" is "standard input" or "standard output". */
const char *xc_cli_input_name(const char *path);
const char *xc_cli_output_name(const char *path);

/* Prints a line of a report with a PSNR.  That of equal pictures is infinite and has no unit. */
void xc_cli_print_decibels(FILE *file, const char *title, double value);

/* Files that are passed over by their names, counted by their suffixes. */
enum { XC_CLI_PASSED_KINDS = 32 };
typedef struct xc_cli_passed_kind {
	char what[24]; /* ".heic" */
	uint64_t count;
} xc_cli_passed_kind;
typedef struct xc_cli_passed {
	xc_cli_passed_kind kind[XC_CLI_PASSED_KINDS]; /* the last one: all that have no other */
	uint64_t all;
} xc_cli_passed;

/* Counts a file, or, by a kind that is no suffix, something else.  One thread at a time. */
void xc_cli_passed_file(xc_cli_passed *passed, const char *path);
void xc_cli_passed_other(xc_cli_passed *passed, const char *what);
/* A warning with all counts, the largest first: "subject: warning: 3 files DONE: 2 .heic, 1 .tif".
 * Nothing if there are none. */
void xc_cli_passed_tell(xc_cli_passed *passed, const char *subject, const char *done);

#endif
