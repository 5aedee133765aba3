/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEGs in XC files by the second decoder, which was written from doc/format.md alone (refdec_jpeg.c): the
 * same bytes come back. Files that are named as arguments are JPEGs to be kept, too. */
#include "tests/formats/refdec_jpeg.h"

#include <stdio.h>
#include <stdlib.h>
#include <xcodec_jpeg.h>

#include "tests/support/format_samples.h"
#include "tests/support/jpeg_files.h"
#include "tests/support/xc_files.h"

enum { MOST = 1 << 24 };

/* Returns 1 if the JPEG was repacked. */
static int check(xc_context *c, const xc_bytes *jpeg, const char *name, unsigned number)
{
	xc_buffer file;
	xc_jpeg_info info;
	uint8_t *back;
	uint64_t size;

	const xc_status s = xc_jpeg_encode(c, jpeg->data, jpeg->size, NULL, &info, &file);
	CHECK(!s, "%s %u: %s", name, number, xc_context_message(c));
	if (s)
		return 0;
	const char *error = refdec_decode_jpeg(file.data, file.size, UINT32_MAX, MOST, &back, &size);
	CHECK(!error, "%s %u: %s", name, number, error);
	CHECK(error || (size == jpeg->size && !memcmp(back, jpeg->data, jpeg->size)),
	      "%s %u: another JPEG", name, number);
	free(back);
	xc_buffer_free(c, &file);
	return !info.stored;
}

static void made(void)
{
	OWN_CONTEXT c = xc_test_context();
	int repacked = 0;

	for (unsigned i = 0; i < 600; i++) {
		OWN_BYTES jpeg = {0};
		xc_test_jpeg_make(&jpeg, i);
		if (i % 5 == 4)
			xc_test_jpeg_make(&jpeg, i + 1);
		repacked += check(c, &jpeg, "made", i);
	}
	CHECK(repacked > 40, "%d are repacked", repacked);
}

#ifdef XC_HAVE_LIBJPEG
static void large(void)
{
	OWN_CONTEXT c = xc_test_context();

	for (unsigned i = 0; i < 8; i++) {
		OWN_BYTES jpeg = {0};
		const xc_sample_jpeg sample = {.width = 300 + i,
		                               .height = 700,
		                               .components = i % 3 == 2 ? 1 : 3,
		                               .progressive = i % 2,
		                               .restart = i % 4 / 3 * 5,
		                               .h = 1 + (int)i % 2,
		                               .v = 1 + (int)i / 2 % 2};
		xc_sample_jpeg_make(&jpeg, &sample, NULL);
		CHECK(check(c, &jpeg, "large", i), "%u is stored", i);
	}
}
#endif

static void files(int count, char **names)
{
	OWN_CONTEXT c = xc_test_context();

	for (int i = 0; i < count; i++) {
		OWN_BYTES jpeg = {0};
		uint8_t piece[4096];
		FILE *f = fopen(names[i], "rb");
		REQUIRE(f, "%s", names[i]);
		for (size_t n; (n = fread(piece, 1, sizeof piece, f));)
			xc_bytes_add(&jpeg, piece, n);
		fclose(f);
		check(c, &jpeg, names[i], 0);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		files(argc - 1, argv + 1);
		return check_done();
	}
	RUN(made);
#ifdef XC_HAVE_LIBJPEG
	RUN(large);
#endif
	return check_done();
}
