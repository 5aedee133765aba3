/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damaged picture files: every truncation of a file of each kind, and thousands of
 * seeded mutations.  A reader may refuse or accept them.  It must not read outside
 * the file, which lies in a block of exactly its size for the address sanitizer; it
 * must not allocate beyond the limits; and it must leave nothing after it refused.
 *
 *	check_formats_damage [--mutations N] [FILE...]
 *
 * does the same to other files.
 */
#include "fuzz/engine/mutate.h"
#include "lab/command/arrays.h"
#include "tests/support/format_samples.h"

#include <stdlib.h>
#include <string.h>

enum { MUTATIONS = 5000, MAX_PIXELS = 1 << 18, MAX_MEMORY = 1 << 22, HEADERS = 64 };

/* What the optimizer must not take away: the sum of all bytes that were read. */
static volatile unsigned long sum;

static void touch(const void *data, size_t size)
{
	const uint8_t *p = data;
	for (size_t i = 0; i < size; i++)
		sum += p[i];
}

static void check_picture(const xc_file_picture *read)
{
	const xc_picture *p = &read->picture;

	CHECK(p->data && p->width && p->height && p->channels >= 1 && p->channels <= 4 &&
	          (p->depth == 8 || p->depth == 16),
	      "%u x %u, %u channels of %u bits", p->width, p->height, p->channels, p->depth);
	CHECK((uint64_t)p->width * p->height <= MAX_PIXELS, "%u x %u", p->width, p->height);
	CHECK(p->stride * p->height <= MAX_MEMORY, "%zu bytes", p->stride * p->height);
	touch(p->data, p->stride * p->height);
	touch(read->metadata.icc.data, read->metadata.icc.size);
	touch(read->metadata.exif.data, read->metadata.exif.size);
	touch(read->metadata.xmp.data, read->metadata.xmp.size);
	touch(read->metadata.iptc.data, read->metadata.iptc.size);
	touch(read->metadata.text.data, read->metadata.text.size);
}

static void check_message(const char *message, int needed)
{
	CHECK(memchr(message, 0, XC_FILE_MESSAGE) && !strchr(message, '\n'), "message");
	CHECK(message[0] || !needed, "no message");
}

/* Returns 1 when the file can be read. */
static int read_exactly(const uint8_t *data, size_t size)
{
	char message[XC_FILE_MESSAGE];
	xc_file_picture read;
	OWN_MEMORY uint8_t *exact = xc_test_copy(data, size);
	const xc_file_limits limits = {.max_pixels = MAX_PIXELS, .max_memory = MAX_MEMORY};
	xc_status status = xc_file_read(exact, size, &limits, NULL, &read, message);

	check_message(message, status != XC_OK);
	if (status) {
		CHECK(!read.picture.data, "status %d, not empty", status);
		for (size_t i = 0; i < COUNT(read.owned); i++)
			CHECK(!read.owned[i], "status %d, not empty: %zu", status, i);
	} else {
		check_picture(&read);
	}
	xc_file_picture_free(&read);
	return !status;
}

static void truncate_file(const xc_bytes *file, size_t min)
{
	for (size_t size = 0; size < file->size; size++)
		if (read_exactly(file->data, size))
			CHECK(size >= min, "read after %zu of %zu bytes", size, file->size);
	CHECK(read_exactly(file->data, file->size), "the whole file cannot be read");
}

/* Half of the damage near the start, where the headers are. */
static size_t mutate(uint8_t *data, size_t size, uint64_t *seed)
{
	if (check_below(seed, 2) || size <= HEADERS)
		return xc_mutate(data, size, size, seed);
	const size_t kept = xc_mutate(data, HEADERS, HEADERS, seed);
	memmove(data + kept, data + HEADERS, size - HEADERS);
	return size - HEADERS + kept;
}

static void mutate_file(const xc_bytes *file, unsigned mutations, uint64_t seed)
{
	OWN_MEMORY uint8_t *copy = xc_test_malloc(file->size);
	int png = xc_file_format_detect(file->data, file->size) == XC_FILE_PNG;
	unsigned good = 0;

	for (unsigned i = 0; i < mutations; i++) {
		memcpy(copy, file->data, file->size);
		const size_t size = mutate(copy, file->size, &seed);
		/* There is more to get wrong when the checksums hold. */
		if (png && i % 8 && size > 8)
			xc_sample_png_fix(copy, size);
		good += (unsigned)read_exactly(copy, size);
	}
	printf("# %u of %u mutations can be read\n", good, mutations);
}

static void made_files(unsigned mutations)
{
	OWN_BYTES file = {0};
	const char *name;
	size_t min;

	for (unsigned n = 0; xc_sample_file(n, &name, &file, &min); n++) {
		check_begin("truncated: %s", name);
		truncate_file(&file, min);
		check_end();
		check_begin("mutated: %s", name);
		mutate_file(&file, mutations, n);
		check_end();
	}
}

static void given_file(const char *path, unsigned mutations)
{
	OWN_BYTES file = {0};

	check_begin("damaged: %s", path);
	CHECK(xc_bytes_load(&file, path), "cannot be read");
	if (file.size) {
		for (size_t size = 0; size < file.size; size++)
			read_exactly(file.data, size);
		mutate_file(&file, mutations, file.size);
	}
	check_end();
}

int main(int argc, char **argv)
{
	unsigned mutations = MUTATIONS;
	int i = 1;

	if (argc > 2 && strcmp(argv[1], "--mutations") == 0) {
		mutations = (unsigned)strtoul(argv[2], NULL, 10);
		i = 3;
	}
	if (i == argc)
		made_files(mutations);
	for (; i < argc; i++)
		given_file(argv[i], mutations);
	return check_done();
}
