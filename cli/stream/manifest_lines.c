/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/manifest_lines.h"

#include "src/core/crc32c.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t checksum(const char *line, size_t size)
{
	return xc_crc32c(0, line + XC_CLI_CHECKSUM, size - XC_CLI_CHECKSUM);
}

size_t xc_cli_line_make(char line[XC_CLI_LINE], char mark, const char *text)
{
	char *p = line + XC_CLI_CHECKSUM, digits[XC_CLI_CHECKSUM + 1];

	*p++ = mark;
	for (; *text && p < line + XC_CLI_LINE - 4; text++) {
		if (*text == '\\' || *text == '\n')
			*p++ = '\\';
		*p++ = *text == '\n' ? 'n' : *text;
	}
	const size_t size = (size_t)(p - line);
	snprintf(digits, sizeof digits, "%08x", (unsigned)checksum(line, size));
	memcpy(line, digits, XC_CLI_CHECKSUM);
	line[size] = '\n';
	line[size + 1] = '\0';
	return size + 1;
}

/* Turns a line, of `size` bytes without the newline, into its text, in place: the mark, or 0 if the checksum is
 * wrong. */
static char read_line(char *line, size_t size)
{
	char *to = line, *end;

	if (size <= XC_CLI_CHECKSUM || memchr(line, '\0', size))
		return 0;
	const char mark = line[XC_CLI_CHECKSUM];
	const uint32_t found = checksum(line, size);
	line[XC_CLI_CHECKSUM] = '\0';
	if (strtoul(line, &end, 16) != found || end != line + XC_CLI_CHECKSUM)
		return 0;
	for (const char *p = line + XC_CLI_CHECKSUM + 1; *p; p++) {
		const int escaped = *p == '\\' && p[1];

		p += escaped;
		*to++ = escaped && *p == 'n' ? '\n' : *p;
	}
	*to = '\0';
	return mark;
}

int xc_cli_lines_each(int folder, const char *name, xc_cli_use_line use, void *user)
{
	const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *f = file < 0 ? NULL : fdopen(file, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	int status = 0;

	if (!f) {
		if (file >= 0)
			close(file);
		return -1;
	}
	while (!status && (size = getline(&line, &room, f)) > 0 && line[size - 1] == '\n') {
		line[--size] = '\0';
		const char mark = read_line(line, (size_t)size);
		if (mark)
			status = use(user, mark, line);
	}
	if (!status && ferror(f))
		status = -1;
	free(line);
	fclose(f);
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
