/* SPDX-License-Identifier: BSD-2-Clause */
/* What fuzz targets change files with: a file taken apart and put together is the same file, and
 * most changed ones have right checksums. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/engine/mutate_file.h"
#include "tests/support/format_samples.h"

enum { ROOM = 1 << 16 };

/* The n-th XC file or picture file; 0 after the last one. */
static int take_file(unsigned n, xc_bytes *file)
{
	const char *name;
	size_t min;

	if (n >= 20)
		return xc_sample_file(n - 20, &name, file, &min);
	xc_random_file(file, n, 0);
	return 1;
}

static void apart_and_together(void)
{
	OWN_BYTES file = {0}, joined = {0};
	xc_pieces pieces;
	int split = 0;

	for (unsigned n = 0; take_file(n, &file); n++) {
		if (!xc_pieces_split(file.data, file.size, &pieces))
			continue;
		xc_pieces_join(&pieces, file.data, file.size, &joined);
		CHECK(joined.size == file.size && !memcmp(joined.data, file.data, file.size),
		      "file %u: %zu bytes became %zu", n, file.size, joined.size);
		split++;
	}
	CHECK(split > 20, "%d files have pieces", split);
}

static int is_fixed(const uint8_t *data, size_t size)
{
	OWN_MEMORY uint8_t *copy = xc_test_copy(data, size);

	xc_pieces_fix(copy, size);
	const int same = !memcmp(copy, data, size);
	return same;
}

static void changed(void)
{
	static uint8_t data[ROOM];
	OWN_BYTES file = {0};
	uint64_t seed = 5;
	int fixed = 0, same = 0, runs = 0;

	for (unsigned n = 0; take_file(n, &file); n++)
		for (int i = 0; i < 50 && file.size < ROOM / 2; i++, runs++) {
			memcpy(data, file.data, file.size);
			const size_t size = xc_mutate_file(data, file.size, ROOM, &seed, NULL);
			REQUIRE(size <= ROOM, "%zu bytes", size);
			fixed += is_fixed(data, size);
			same += size == file.size && !memcmp(data, file.data, size);
		}
	CHECK(fixed > runs * 7 / 8, "%d of %d have right checksums", fixed, runs);
	CHECK(same < runs / 8, "%d of %d are as they were", same, runs);
}

int main(void)
{
	RUN(apart_and_together, changed);
	return check_done();
}
