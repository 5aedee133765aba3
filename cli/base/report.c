/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/report.h"

#include "cli/base/json.h"

#include <math.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *xc_cli_program = "xcodec";

static const char wipe[] = "\r\033[K";

/* Whether the progress line is visible.  Like the terminal this belongs to the process;
 * the lock of stderr guards it. */
static int progress_shown;

void xc_cli_show_progress(const char *text)
{
	flockfile(stderr);
	if (text)
		fprintf(stderr, "\r%s", text);
	else if (progress_shown)
		fputs(wipe, stderr);
	progress_shown = text != NULL;
	funlockfile(stderr);
}

/* One call of fwrite on the unbuffered stderr is one write, so what several processes say
 * does not mix. */
static void put(const char *text, size_t size)
{
	flockfile(stderr);
	xc_cli_show_progress(NULL);
	fwrite(text, 1, size, stderr);
	funlockfile(stderr);
}

void xc_cli_say(const char *format, ...)
{
	char text[2 * XC_CLI_SHOWN];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	put(text, strlen(text));
}

size_t xc_cli_escape(char *out, size_t room, const char *text)
{
	size_t size = 0;

	/* 4 for a byte that is escaped, as much as the longest character; 1 for the final zero */
	while (*text && room - size >= 5) {
		const unsigned char *at = (const unsigned char *)text;
		const size_t length = xc_cli_is_control(at) ? 0 : xc_cli_utf8_length(at);

		if (length == 0) {
			size += (size_t)snprintf(out + size, 5, "\\x%02x", *at);
			text++;
		}
		for (size_t i = 0; i < length; i++)
			out[size++] = *text++;
	}
	out[size] = '\0';
	return size;
}

/* Whether --quiet was given, which like the terminal belongs to the process. */
static int without_warnings;

void xc_cli_leave_out_warnings(void)
{
	without_warnings = 1;
}

static _Thread_local char last_line[512];

const char *xc_cli_last_line(void)
{
	return last_line;
}

__attribute__((format(printf, 3, 0))) static void say(const char *subject, const char *kind,
                                                      const char *format, va_list arguments)
{
	char message[2048], line[4096];
	const char *const parts[] = {xc_cli_program,      ": ", subject ? subject : "",
	                             subject ? ": " : "", kind, message};
	const size_t skipped = strlen(xc_cli_program) + 2;
	size_t size = 0;

	vsnprintf(message, sizeof message, format, arguments);
	/* always leaves room for the newline */
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		size += xc_cli_escape(line + size, sizeof line - 1 - size, parts[i]);
	if (!*kind)
		snprintf(last_line, sizeof last_line, "%.*s", (int)(size - skipped), line + skipped);
	line[size++] = '\n';
	put(line, size);
}

int xc_cli_error(const char *subject, const char *format, ...)
{
	va_list arguments;
	const int error = errno;

	va_start(arguments, format);
	say(subject, "", format, arguments);
	va_end(arguments);
	errno = error;
	return -1;
}

void xc_cli_warning(const char *subject, const char *format, ...)
{
	va_list arguments;

	if (without_warnings)
		return;
	va_start(arguments, format);
	say(subject, "warning: ", format, arguments);
	va_end(arguments);
}

char *xc_cli_text(const char *subject, const char *format, ...)
{
	va_list arguments, again;
	char *text;

	va_start(arguments, format);
	va_copy(again, arguments);
	const int size = vsnprintf(NULL, 0, format, arguments) + 1;
	text = size > 0 ? malloc((size_t)size) : NULL;
	if (text)
		vsnprintf(text, (size_t)size, format, again);
	else
		xc_cli_error(subject, "out of memory");
	va_end(again);
	va_end(arguments);
	return text;
}

static _Thread_local xc_status last_failure;

xc_status xc_cli_last_failure(void)
{
	return last_failure;
}

void xc_cli_note_failure(xc_status status)
{
	last_failure = status;
}

int xc_cli_status_error(const char *subject, xc_status status, const char *message)
{
	xc_cli_note_failure(status);
	return xc_cli_error(subject, "%s%s", *message ? message : xc_status_string(status),
	                    status == XC_ERR_LIMIT
	                        ? " (see --max-pixels, --max-memory, --max-metadata, --max-expansion)"
	                        : "");
}

int xc_cli_check(const char *subject, const xc_context *context, xc_status status)
{
	return status == XC_OK ? 0 : xc_cli_status_error(subject, status, xc_context_message(context));
}

const char *xc_cli_input_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

const char *xc_cli_output_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard output";
}

void xc_cli_print_decibels(FILE *file, const char *title, double value)
{
	if (isinf(value))
		fprintf(file, "%-22s %f\n", title, value);
	else
		fprintf(file, "%-22s %.4f dB\n", title, value);
}

void xc_cli_passed_other(xc_cli_passed *p, const char *what)
{
	int i = 0;

	while (i < XC_CLI_PASSED_KINDS - 1 && p->kind[i].count && strcmp(p->kind[i].what, what))
		i++;
	snprintf(p->kind[i].what, sizeof p->kind[i].what, "%s",
	         i < XC_CLI_PASSED_KINDS - 1 ? what : "others");
	p->kind[i].count++;
	p->all++;
}

void xc_cli_passed_file(xc_cli_passed *p, const char *path)
{
	const char *name = xc_cli_base_name(path);
	const char *dot = strrchr(name, '.');
	char suffix[12];
	const int n = dot && dot != name ? snprintf(suffix, sizeof suffix, "%s", dot) : 0;

	for (int i = 0; i < n && i < (int)sizeof suffix; i++)
		if (suffix[i] >= 'A' && suffix[i] <= 'Z')
			suffix[i] = (char)(suffix[i] - 'A' + 'a');
	xc_cli_passed_other(p, n > 1 && n < (int)sizeof suffix ? suffix : "others");
}

static int by_count(const void *a, const void *b)
{
	const xc_cli_passed_kind *x = a, *y = b;

	return x->count < y->count ? 1 : x->count > y->count ? -1 : strcmp(x->what, y->what);
}

void xc_cli_passed_tell(xc_cli_passed *p, const char *subject, const char *done)
{
	char list[XC_CLI_PASSED_KINDS * 48];
	const char *what;
	size_t size = 0;

	if (!p->all)
		return;
	qsort(p->kind, XC_CLI_PASSED_KINDS, sizeof *p->kind, by_count);
	for (int i = 0; i < XC_CLI_PASSED_KINDS && p->kind[i].count; i++) {
		what = p->kind[i].what;
		if (p->kind[i].count == 1 && !strcmp(what, "others"))
			what = "other";
		size += (size_t)snprintf(list + size, sizeof list - size, "%s%llu %s", i ? ", " : "",
		                         (unsigned long long)p->kind[i].count, what);
	}
	xc_cli_warning(subject, "%llu file%s %s: %s", (unsigned long long)p->all,
	               p->all == 1 ? "" : "s", done, list);
}
