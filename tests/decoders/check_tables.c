/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * doc/format-tables.txt, by which the text of the format needs no source, is what the library codes by, and
 * doc/format.md names its SHA-256. `check_tables --print` writes it anew, where srcdir is not needed.
 */
#include <stdlib.h>
#include <string.h>

#include "jpeg/code.h"
#include "jpeg/jpeg.h"
#include "lossless/draw.h"
#include "lossless/part.h"
#include "src/core/sha256.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

/* In array/builtin.c; array/slab.h has a XC_TAPS of its own. */
extern const xc_shape_index xc_array_shapes[XC_LEVELS];

static const char about[] =
	"The tables of the XC picture format. Appendix D of format.md says how to read this file and which\n"
	"section uses each table.\n";

static void add(xc_bytes *to, const char *text)
{
	xc_bytes_add(to, text, strlen(text));
}

/* A table of n signed or unsigned bytes: a line with its name and sizes, and a line for each row. */
static void put(xc_bytes *to, const char *name, const void *numbers, int is_signed, size_t n,
                size_t row)
{
	char line[128];

	snprintf(line, sizeof line, "\n%s\n", name);
	add(to, line);
	for (size_t i = 0; i < n; i++) {
		const int v = is_signed ? ((const int8_t *)numbers)[i] : ((const uint8_t *)numbers)[i];
		snprintf(line, sizeof line, "%d%c", v, (i + 1) % row ? ' ' : '\n');
		add(to, line);
	}
}

/* The dictionary of JPEGs without the steps, which differ between two of all 1 and of all 2. */
static void put_dictionary(xc_bytes *to)
{
	static const char *const names[] = {"jpeg-before 257", "jpeg-between 5", "jpeg-after 477"};
	uint8_t steps[2][64];
	xc_jpeg_dictionary one, two;
	size_t at = 0;

	memset(steps, 1, sizeof steps);
	xc_jpeg_dictionary_make(steps, one);
	memset(steps, 2, sizeof steps);
	xc_jpeg_dictionary_make(steps, two);
	for (int i = 0; i < 3; i++, at += 64) {
		const size_t first = at;
		while (at < XC_JPEG_DICTIONARY && one[at] == two[at])
			at++;
		put(to, names[i], one + first, 0, at - first, at - first);
	}
}

static void make(xc_bytes *to)
{
	static xc_shape_index jpeg[XC_JPEG_SHAPES];

	xc_jpeg_builtin_shapes(jpeg);
	add(to, about);
	put(to, "lossless-coefficients 2 3 8 12", xc_fixed_taps, 1, sizeof xc_fixed_taps, XC_TAPS);
	put(to, "lossless-shapes 3 64 16", xc_builtin_shapes, 0, sizeof xc_builtin_shapes, XC_SYMBOLS);
	put(to, "drawing-clusters 4096", xc_draw_cluster, 0, sizeof xc_draw_cluster, 64);
	put(to, "drawing-shapes 157 16", xc_draw_shapes, 0, sizeof xc_draw_shapes, XC_SYMBOLS);
	put(to, "array-shapes 64 16", xc_array_shapes, 0, XC_LEVELS * XC_SYMBOLS, XC_SYMBOLS);
	put(to, "jpeg-weights 2 64 9", xc_jpeg_weights, 0, sizeof xc_jpeg_weights, XC_JPEG_WEIGHTS);
	put(to, "jpeg-shapes 712 16", jpeg, 0, sizeof jpeg, XC_SYMBOLS);
	put_dictionary(to);
}

static void read_source(const char *name, xc_bytes *to)
{
	const char *folder = getenv("srcdir");
	char path[1024], piece[4096];
	size_t n;

	snprintf(path, sizeof path, "%s/doc/%s", folder ? folder : ".", name);
	FILE *f = fopen(path, "rb");
	if (!f) {
		CHECK(0, "%s cannot be opened", path);
		return;
	}
	while ((n = fread(piece, 1, sizeof piece, f)) > 0)
		xc_bytes_add(to, piece, n);
	fclose(f);
}

static void tables(void)
{
	OWN_BYTES wanted = {0};
	OWN_BYTES found = {0};

	make(&wanted);
	read_source("format-tables.txt", &found);
	CHECK(found.size == wanted.size && !memcmp(found.data, wanted.data, found.size),
	      "the file has %zu bytes, the tables %zu", found.size, wanted.size);
}

static void hash(void)
{
	OWN_BYTES file = {0};
	OWN_BYTES text = {0};
	uint8_t hash[XC_SHA256_BYTES];
	char digits[2 * XC_SHA256_BYTES + 1];

	read_source("format-tables.txt", &file);
	read_source("format.md", &text);
	xc_sha256(file.data, file.size, hash);
	for (size_t i = 0; i < sizeof hash; i++)
		snprintf(digits + 2 * i, 3, "%02x", hash[i]);
	xc_bytes_add_u8(&text, 0);
	CHECK(strstr((const char *)text.data, digits), "format.md does not have %s", digits);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--print")) {
		OWN_BYTES all = {0};
		make(&all);
		return fwrite(all.data, 1, all.size, stdout) != all.size;
	}
	RUN(tables, hash);
	return check_done();
}
