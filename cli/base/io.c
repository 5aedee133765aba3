/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/io.h"

#include "cli/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are read before the probe decides; every magic number is far shorter. */
enum { FIRST_SIZE = 1 << 16 };

typedef struct source {
	int file;
	const char *name;
	xc_context *context; /* that `room` is charged to; NULL: `limit` holds */
	uint64_t limit;
	uint8_t *data;
	size_t size, room;
} source;

static int too_large(const source *s)
{
	xc_cli_note_failure(XC_ERR_LIMIT);
	if (s->context)
		return xc_cli_error(s->name, "%s (see --max-memory)", xc_context_message(s->context));
	return xc_cli_error(s->name, "larger than %llu bytes", (unsigned long long)s->limit);
}

/* Grows the buffer to `room` bytes. */
static int make_room(source *s, size_t room)
{
	if (s->context && xc_context_charge(s->context, room - s->room))
		return too_large(s);
	uint8_t *data = realloc(s->data, room);
	if (!data) {
		xc_context_refund(s->context, room - s->room);
		return xc_cli_status_error(s->name, XC_ERR_MEMORY, "out of memory");
	}
	s->data = data;
	s->room = room;
	return 0;
}

static int grow(source *s)
{
	size_t room = s->room ? s->room + s->room / 2 : FIRST_SIZE;

	if (room > s->limit)
		room = (size_t)s->limit + 1; /* one more tells "too large" from "just fits" */
	return room > s->room ? make_room(s, room) : too_large(s);
}

/* Allocates a regular file in one piece, and one more byte, which finds its end. */
static int expect_size(source *s)
{
	struct stat status;

	if (fstat(s->file, &status) || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return 0;
	if ((uint64_t)status.st_size > s->limit)
		return too_large(s);
	return make_room(s, (size_t)status.st_size + 1);
}

/* Reads until the source has `wanted` bytes or ends: 1 at the end, 0 if there may be
 * more, -1 after a failure. */
static int read_until(source *s, size_t wanted)
{
	while (s->size < wanted) {
		if (s->size > s->limit)
			return too_large(s);
		if (s->size == s->room && grow(s))
			return -1;
		ssize_t got = read(s->file, s->data + s->size,
		                   (s->room < wanted ? s->room : wanted) - s->size);
		if (got == 0)
			return 1;
		if (got > 0)
			s->size += (size_t)got;
		else if (errno != EINTR) {
			xc_cli_note_failure(XC_ERR_IO);
			return xc_cli_error(s->name, "cannot read: %s", strerror(errno));
		}
	}
	return 0;
}

static int read_source(source *s, xc_cli_probe probe)
{
	if (expect_size(s))
		return -1;
	int ended = read_until(s, FIRST_SIZE);
	if (ended < 0 || (probe && probe(s->name, s->data, s->size)))
		return -1;
	return ended || read_until(s, SIZE_MAX) == 1 ? 0 : -1;
}

static int finish(source *s, int failed, uint8_t **data, size_t *size)
{
	if (failed) {
		xc_cli_forget(s->context, s->data, s->room);
		return -1;
	}
	xc_context_refund(s->context, s->room - s->size);
	*data = s->data;
	*size = s->size;
	return 0;
}

static int open_file(const char *path)
{
	return strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
}

static void close_file(int file)
{
	if (file != STDIN_FILENO)
		close(file);
}

void xc_cli_forget(xc_context *context, uint8_t *data, size_t size)
{
	if (data)
		xc_context_refund(context, size);
	free(data);
}

static int read_file(const char *path, source *s, xc_cli_probe probe, uint8_t **data, size_t *size)
{
	s->file = open_file(path);
	s->name = xc_cli_input_name(path);
	*data = NULL;
	*size = 0;
	if (s->file < 0)
		return xc_cli_error(s->name, "cannot open: %s", strerror(errno));
	int failed = read_source(s, probe);
	close_file(s->file);
	return finish(s, failed, data, size);
}

int xc_cli_read(const char *path, xc_context *context, xc_cli_probe probe, uint8_t **data,
                size_t *size)
{
	source s = {.context = context, .limit = SIZE_MAX / 2};

	return read_file(path, &s, probe, data, size);
}

int xc_cli_read_small(const char *path, uint64_t limit, uint8_t **data, size_t *size)
{
	source s = {.limit = limit};

	return read_file(path, &s, NULL, data, size);
}

/* Where standard input stands, which may have been read before. */
static void find_begin(xc_cli_input *input)
{
	const off_t at = input->file == STDIN_FILENO ? lseek(input->file, 0, SEEK_CUR) : 0;

	input->begin = at > 0 ? (uint64_t)at : 0;
}

static int look(xc_cli_input *input)
{
	const ptrdiff_t got = xc_cli_input_read(input, input->first, sizeof input->first);

	if (got < 0) {
		xc_cli_input_close(input);
		return xc_cli_error(input->name, "cannot read: %s", strerror(input->error));
	}
	input->size = (size_t)got;
	return 0;
}

int xc_cli_input_open(xc_cli_input *input, const char *path)
{
	input->file = open_file(path);
	input->name = xc_cli_input_name(path);
	input->size = input->at = 0;
	input->error = input->is_range = 0;
	input->memory = NULL;
	input->packed = 0;
	if (input->file < 0)
		return xc_cli_error(input->name, "cannot open: %s", strerror(errno));
	if (fstat(input->file, &input->status))
		input->status.st_mode = 0;
	if (S_ISDIR(input->status.st_mode)) {
		close_file(input->file);
		return xc_cli_error(
			input->name,
			"cannot read: %s (encode, decode, verify and info take what is below it "
			"with -r)",
			strerror(EISDIR));
	}
	find_begin(input);
	return look(input);
}

int xc_cli_input_range(xc_cli_input *input, const char *name, int file, uint64_t begin,
                       uint64_t size)
{
	*input = (xc_cli_input){.file = file, .name = name, .is_range = 1, .begin = begin};
	input->status.st_mode = S_IFREG;
	input->status.st_size = (off_t)(begin + size);
	return look(input);
}

void xc_cli_input_memory(xc_cli_input *input, const char *name, xc_context *context, uint8_t *data,
                         size_t size)
{
	*input = (xc_cli_input){.file = -1,
	                        .name = name,
	                        .memory = data,
	                        .memory_size = size,
	                        .context = context};
	input->size = size < sizeof input->first ? size : sizeof input->first;
	memcpy(input->first, data, input->size);
	input->memory_at = input->size;
}

void xc_cli_input_close(xc_cli_input *input)
{
	if (input->file >= 0 && !input->is_range)
		close_file(input->file);
	xc_cli_forget(input->context, input->memory, input->memory_size);
	input->memory = NULL;
}

/* Copies bytes of an input in memory from `at` on; returns how many there were. */
static size_t copy(const xc_cli_input *input, void *to, size_t size, uint64_t at)
{
	if (at >= input->memory_size)
		return 0;
	if (size > input->memory_size - at)
		size = input->memory_size - (size_t)at;
	memcpy(to, input->memory + at, size);
	return size;
}

/* Reads on after the first n of `size` bytes at `to`, from byte `at` of the file, or from where it
 * stands if that is negative.  Returns how many there are then, or -1. */
static ptrdiff_t fill(xc_cli_input *input, void *to, size_t n, size_t size, off_t at)
{
	const size_t before = n;

	while (n < size) {
		uint8_t *next = (uint8_t *)to + n;
		ssize_t got = at < 0 ? read(input->file, next, size - n)
		                     : pread(input->file, next, size - n, at + (off_t)(n - before));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			input->error = errno;
			return -1;
		}
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ptrdiff_t)n;
}

/* Bytes that a part has from its byte `at` on, at most `size`. */
static size_t left(const xc_cli_input *input, uint64_t at, size_t size)
{
	const uint64_t all = (uint64_t)input->status.st_size - input->begin;

	return at >= all ? 0 : all - at < size ? (size_t)(all - at) : size;
}

static ptrdiff_t read_range(xc_cli_input *input, void *to, size_t n, size_t size)
{
	const ptrdiff_t got = fill(input, to, n, n + left(input, input->read, size - n),
	                           (off_t)(input->begin + input->read));

	if (got > 0)
		input->read += (size_t)got - n;
	return got;
}

ptrdiff_t xc_cli_input_read(void *user, void *to, size_t size)
{
	xc_cli_input *input = user;
	size_t n = input->size - input->at;

	n = n < size ? n : size;
	memcpy(to, input->first + input->at, n);
	input->at += n;
	if (input->is_range)
		return read_range(input, to, n, size);
	if (!input->memory)
		return fill(input, to, n, size, -1);
	const size_t more = copy(input, (uint8_t *)to + n, size - n, input->memory_at);
	input->memory_at += more;
	return (ptrdiff_t)(n + more);
}

int xc_cli_input_regular(xc_cli_input *input, uint64_t *size)
{
	if (input->memory)
		*size = input->memory_size;
	else if (!S_ISREG(input->status.st_mode) || (uint64_t)input->status.st_size < input->begin)
		return 0;
	else
		*size = (uint64_t)input->status.st_size - input->begin;
	return 1;
}

ptrdiff_t xc_cli_input_read_at(void *user, uint64_t offset, void *to, size_t size)
{
	xc_cli_input *input = user;

	if (input->memory)
		return (ptrdiff_t)copy(input, to, size, offset);
	if (input->is_range)
		size = left(input, offset, size);
	return fill(input, to, 0, size, (off_t)(input->begin + offset));
}

static int read_rest(xc_cli_input *input, source *s)
{
	if (expect_size(s) || (s->room < input->size && grow(s)))
		return -1;
	memcpy(s->data, input->first, input->size);
	s->size = input->size;
	return read_until(s, SIZE_MAX) == 1 ? 0 : -1;
}

static int read_whole_range(xc_cli_input *input, source *s)
{
	const size_t size = left(input, 0, SIZE_MAX);

	if (make_room(s, size + !size))
		return -1;
	const ptrdiff_t got = fill(input, s->data, 0, size, (off_t)input->begin);
	if (got < 0) {
		xc_cli_note_failure(XC_ERR_IO);
		return xc_cli_error(s->name, "cannot read: %s", strerror(input->error));
	}
	s->size = (size_t)got;
	return 0;
}

int xc_cli_input_read_all(xc_cli_input *input, xc_context *context, uint8_t **data, size_t *size)
{
	source s = {.file = input->file,
	            .name = input->name,
	            .context = context,
	            .limit = SIZE_MAX / 2};

	*data = input->memory;
	*size = input->memory_size;
	if (input->memory && !input->stays) {
		input->memory = NULL;
		return 0;
	}
	*size = 0;
	if (input->memory) {
		if (make_room(&s, input->memory_size + !input->memory_size))
			return -1;
		s.size = copy(input, s.data, input->memory_size, 0);
		return finish(&s, 0, data, size);
	}
	const int failed = input->is_range ? read_whole_range(input, &s) : read_rest(input, &s);
	return finish(&s, failed, data, size);
}

int xc_cli_input_load(xc_cli_input *input, xc_context *context)
{
	uint8_t *data;
	size_t size;

	if (input->memory)
		return 0;
	if (xc_cli_input_read_all(input, context, &data, &size))
		return -1;
	input->context = context;
	input->memory = data;
	input->memory_size = size;
	input->memory_at = input->size;
	return 0;
}

int xc_cli_flush_output(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return xc_cli_error("standard output", "cannot write: %s", strerror(errno));
}
