/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/manifest.h"

#include "cli/base/io.h"
#include "src/core/crc32c.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer lines may be what a loss of power left, but are not read to their end. */
enum { MOST_SKIPPED = 1 << 20 };

static uint32_t checksum(const char *line, size_t size)
{
	return xc_crc32c(0, line + XC_CLI_CHECKSUM, size - XC_CLI_CHECKSUM);
}

size_t xc_cli_line_make(char line[XC_CLI_LINE], char mark, const char *const text[3])
{
	char *p = line + XC_CLI_CHECKSUM, digits[XC_CLI_CHECKSUM + 1];

	*p++ = mark;
	for (int i = 0; i < 3 && text[i]; i++) {
		if (i)
			*p++ = '\t';
		for (const char *c = text[i]; *c && p < line + XC_CLI_LINE - 6; c++) {
			if (*c == '\\' || *c == '\n' || *c == '\t')
				*p++ = '\\';
			*p++ = *c == '\n' ? 'n' : *c == '\t' ? 't' : *c;
		}
	}
	const size_t size = (size_t)(p - line);
	snprintf(digits, sizeof digits, "%08x", (unsigned)checksum(line, size));
	memcpy(line, digits, XC_CLI_CHECKSUM);
	line[size] = '\n';
	line[size + 1] = '\0';
	return size + 1;
}

/* Turns a line, of `size` bytes and a zero, into its texts, in place: the mark, or 0 if the checksum is wrong. */
static char read_line(char *line, size_t size, char *text[3])
{
	char *to = line, *end;
	int texts = 0;

	if (size <= XC_CLI_CHECKSUM || memchr(line, '\0', size))
		return 0;
	const char mark = line[XC_CLI_CHECKSUM];
	const uint32_t found = checksum(line, size);
	line[XC_CLI_CHECKSUM] = '\0';
	if (strtoul(line, &end, 16) != found || end != line + XC_CLI_CHECKSUM)
		return 0;
	text[texts++] = to;
	for (const char *p = line + XC_CLI_CHECKSUM + 1; *p; p++) {
		const int escaped = *p == '\\' && p[1];

		p += escaped;
		if (*p == '\t' && texts < 3) {
			*to++ = '\0';
			text[texts++] = to;
		} else {
			*to++ = !escaped ? *p : *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
		}
	}
	*to = '\0';
	while (texts < 3)
		text[texts++] = to;
	return mark;
}

/* Reads a line without its end: its length, 0 if it has more than `room` bytes, -1 at the end of the file. */
static ptrdiff_t next_line(FILE *f, char *line, size_t room)
{
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(f)) != EOF && c != '\n') {
		if (n < room)
			line[n] = (char)c;
		if (++n == MOST_SKIPPED) {
			errno = EFBIG;
			return -2;
		}
	}
	return c == EOF ? -1 - (ferror(f) != 0) : n > room ? 0 : (ptrdiff_t)n;
}

int xc_cli_lines_each(int folder, const char *name, xc_cli_use_line use, void *user)
{
	const int file = xc_cli_open_regular(folder, name, O_RDONLY | O_NOFOLLOW);
	FILE *f = file < 0 ? NULL : fdopen(file, "r");
	char line[XC_CLI_LINE], *text[3];
	ptrdiff_t size;
	int status = 0;

	if (!f) {
		if (file >= 0)
			close(file);
		return -1;
	}
	while (!status && (size = next_line(f, line, sizeof line - 1)) != -1) {
		line[size < 0 ? 0 : size] = '\0';
		const char mark = size < 0 ? 0 : read_line(line, (size_t)size, text);
		status = size < 0 ? -1 : mark ? use(user, mark, text) : 0;
	}
	const int error = errno;
	fclose(f);
	errno = error;
	return status;
}

int xc_cli_entries_each(int folder, const char *prefix, xc_cli_use_entry use, void *user)
{
	const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = own < 0 ? NULL : fdopendir(own);
	const struct dirent *entry;
	int status = 0;

	if (!entries) {
		if (own >= 0)
			close(own);
		return -1;
	}
	while (!status && (entry = readdir(entries)))
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			status = use(user, folder, entry->d_name);
	closedir(entries);
	return status;
}

int xc_cli_lines_add(xc_cli_lines *t, const char *data, size_t size)
{
	if (size > t->room - t->size) {
		const size_t room = 2 * (t->room + size) + 1000;
		char *larger = realloc(t->data, room);

		if (!larger)
			return -1;
		t->data = larger;
		t->room = room;
	}
	memcpy(t->data + t->size, data, size);
	t->size += size;
	return 0;
}

int xc_cli_lines_write(int file, const char *data, size_t size)
{
	while (size) {
		const ssize_t put = write(file, data, size);

		if (put < 0 && errno != EINTR)
			return -1;
		if (put > 0) {
			data += put;
			size -= (size_t)put;
		}
	}
	return 0;
}
