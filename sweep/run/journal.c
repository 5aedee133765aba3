/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/io.h"
#include "cli/base/report.h"
#include "src/core/crc32c.h"

enum { CHECKSUM = 8, NUMBERS = 512 };

static const uint64_t size_limit = UINT64_C(1) << 28; /* half a million points and more */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether a line has its own checksum before it. */
static int is_whole(const char *line)
{
	const size_t n = strlen(line);
	char *end;

	return n > CHECKSUM + 1 && line[CHECKSUM] == ' ' &&
	       strtoul(line, &end, 16) == xc_crc32c(0, line + CHECKSUM + 1, n - CHECKSUM - 1) &&
	       end == line + CHECKSUM;
}

/* Takes the lines of a text, which is written over. */
static int take_lines(xc_sweep_journal *j, char *text)
{
	size_t room = 1;

	for (const char *c = text; *c; c++)
		room += *c == '\n';
	j->lines = calloc(room, sizeof *j->lines);
	if (!j->lines)
		return xc_cli_error(j->path, "out of memory");
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (is_whole(line) && !(j->lines[j->count] = strdup(line + CHECKSUM + 1)))
			return xc_cli_error(j->path, "out of memory");
		j->count += j->lines[j->count] != NULL;
	}
	if (j->count)
		qsort(j->lines, j->count, sizeof *j->lines, by_text);
	return 0;
}

static int load(xc_sweep_journal *j)
{
	uint8_t *data;
	size_t size;

	if (xc_cli_read_small(j->path, size_limit, &data, &size))
		return -1;
	char *text = strndup((const char *)data, size);
	free(data);
	const int failed = text ? take_lines(j, text) : xc_cli_error(j->path, "out of memory");
	free(text);
	return failed;
}

static int put(const xc_sweep_journal *j, const char *text, size_t size)
{
	ssize_t n;

	do
		n = write(j->file, text, size);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size
	           ? 0
	           : xc_cli_error(j->path, "cannot write: %s", strerror(n < 0 ? errno : ENOSPC));
}

int xc_sweep_journal_open(xc_sweep_journal *journal, const char *path, int resume)
{
	*journal = (xc_sweep_journal){.path = path, .file = -1};
	if (!path)
		return 0;
	journal->file = xc_cli_open_regular(AT_FDCWD, path,
	                                    O_WRONLY | O_CREAT | O_APPEND | (resume ? 0 : O_TRUNC));
	if (journal->file < 0 && resume)
		return xc_cli_error(path, "cannot open: %s", xc_cli_open_failure());
	if (journal->file < 0) {
		xc_cli_warning(path, "cannot create: %s (--resume will have nothing)",
		               xc_cli_open_failure());
		return 0;
	}
	if (resume && load(journal))
		return -1;
	/* The last line may have been cut off. */
	return lseek(journal->file, 0, SEEK_END) > 0 ? put(journal, "\n", 1) : 0;
}

/* The numbers in hexadecimal, so that what is read is what was written. */
static int print_numbers(char *text, const xc_sweep_point *p)
{
	int n = snprintf(text, NUMBERS, "%" PRIu64 " %a %a", p->bytes, p->encode_seconds,
	                 p->decode_seconds);

	for (int m = 0; m < XC_SWEEP_METRICS; m++)
		n += snprintf(text + n, NUMBERS - (size_t)n, " %a", p->metric[m]);
	return n + snprintf(text + n, NUMBERS - (size_t)n, " %a", p->max_abs_diff);
}

static int parse_numbers(const char *text, xc_sweep_point *p)
{
	double *const to[] = {&p->encode_seconds, &p->decode_seconds, &p->max_abs_diff};
	char *end;

	p->bytes = strtoull(text, &end, 10);
	for (int i = 0; i < XC_SWEEP_METRICS + 3 && end != text; i++) {
		const int m = i - 2;
		text = end;
		*(m < 0 ? to[i] : m < XC_SWEEP_METRICS ? &p->metric[m] : to[2]) = strtod(text, &end);
	}
	return end != text && !*end;
}

int xc_sweep_journal_find(const xc_sweep_journal *journal, const char *key, xc_sweep_point *point)
{
	const size_t n = strlen(key);
	size_t low = 0, high = journal->count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const char *line = journal->lines[middle];
		int order = strncmp(line, key, n);
		if (!order && line[n] == '\t')
			return parse_numbers(line + n + 1, point);
		if (order ? order < 0 : line[n] < '\t')
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

int xc_sweep_journal_add(const xc_sweep_journal *journal, const char *key,
                         const xc_sweep_point *point)
{
	char numbers[NUMBERS];

	if (journal->file < 0)
		return 0;
	print_numbers(numbers, point);
	const size_t size = CHECKSUM + 1 + strlen(key) + 1 + strlen(numbers) + 1;
	char *line = malloc(size + 1);
	if (!line)
		return xc_cli_error(journal->path, "out of memory");
	char *rest = line + CHECKSUM + 1;
	snprintf(rest, size - CHECKSUM, "%s\t%s", key, numbers);
	snprintf(line, CHECKSUM + 1, "%08x", (unsigned)xc_crc32c(0, rest, strlen(rest)));
	line[CHECKSUM] = ' ';
	line[size - 1] = '\n';
	const int failed = put(journal, line, size);
	free(line);
	return failed;
}

void xc_sweep_journal_close(xc_sweep_journal *journal, int complete)
{
	if (journal->file >= 0)
		close(journal->file);
	if (journal->file >= 0 && complete)
		remove(journal->path);
	for (size_t i = 0; i < journal->count; i++)
		free(journal->lines[i]);
	free(journal->lines);
	*journal = (xc_sweep_journal){.file = -1};
}
