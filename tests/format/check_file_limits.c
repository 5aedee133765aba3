/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a file can make the library allocate, and what the index of segments costs.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/memory_checks.h"
#include "tests/support/test_pictures.h"
#include "tests/support/xc_files.h"

/* What a file of a hundred bytes may say. */
typedef struct claim {
	xc_head head;
	uint32_t segments;     /* entries of the index */
	uint32_t segment_size; /* each */
	uint64_t data_length;  /* that DATA says */
	size_t data_available;
} claim;

/* Built-in codes and tables, so that the headers take 69 bytes. */
static void make_file(xc_bytes *f, const claim *c)
{
	OWN_BYTES b = {0};

	f->size = 0;
	xc_bytes_add_magic(f);
	xc_bytes_add_head(f, &c->head);
	xc_bytes_add_chunk(f, "QNTZ", "\1\x88\x88", c->head.subsampling == 3 ? 2 : 3);
	xc_bytes_add_u8(&b, 4);
	for (uint32_t i = 0; i < c->segments; i++) {
		xc_bytes_add_le32(&b, c->segment_size);
		xc_bytes_add_le16(&b, 0);
	}
	xc_bytes_add_chunk(f, "INDX", b.data, b.size);
	xc_bytes_add_text(f, "DATA");
	xc_bytes_add_length(f, c->data_length);
	for (size_t i = 0; i < c->data_available; i++)
		xc_bytes_add_u8(f, 0);
	if (c->data_available == c->data_length) {
		xc_bytes_add_le32(f, 0);
		xc_bytes_add_chunk(f, "DONE", NULL, 0);
		xc_file_fix(f->data, f->size);
	}
}

/* Most bytes that any call took for the file, with limits that forbid nothing.  Adds
 * to *believed when the headers were. */
static uint64_t peak_of(const xc_bytes *f, int keep_going, unsigned *believed)
{
	xc_counting counting;
	xc_picture p = {0};
	xc_decode_options o = {.keep_going = keep_going};
	xc_info info;
	xc_bit_usage usage;
	xc_segment_info segment;
	xc_coefficients k;
	xc_context *c = xc_counting_context(&counting, 4);

	xc_test_limits(c, UINT64_MAX, UINT64_MAX, UINT64_MAX);
	xc_decode(c, f->data, f->size, &o, &p);
	xc_picture_free(c, &p);
	*believed += xc_read_info(c, f->data, f->size, &info) == XC_OK;
	xc_read_bit_usage(c, f->data, f->size, &usage);
	xc_read_segments(c, f->data, f->size, 0, 1, &segment);
	if (xc_decode_coefficients(c, f->data, f->size, &k) == XC_OK)
		xc_coefficients_free(c, &k);
	xc_context_free(c);
	CHECK(!counting.blocks, "%llu blocks left", (unsigned long long)counting.blocks);
	return counting.peak;
}

static claim random_claim(uint64_t r)
{
	static const uint32_t sizes[] = {1, 8, 16, 17, 100, 4096, 65535, 65536, 1 << 20, INT32_MAX};
	static const uint32_t tiles[] = {1, 2, 8, 64, 256, 512, 682, 1024, 2048, 4096, 65535};
	claim c = {.segments = (uint32_t)(r >> 40) % 5};

	c.head = (xc_head){.entropy = r >> 57 & 1 ? 3 : 0, /* rANS */
	                   .width = sizes[r % 10],
	                   .height = sizes[(r >> 8) % 10],
	                   .channels = 1 + (r >> 16 & 3),
	                   .depth = r & 1 << 20 ? 16 : 8,
	                   .subsampling = r & 2 << 16 ? (uint32_t)(r >> 48) % 3 : 3,
	                   .quality = 75,
	                   .tile_wide = tiles[(r >> 24) % 11],
	                   .tile_high = tiles[(r >> 32) % 11]};
	c.data_available = r >> 52 & 31;
	c.segment_size = r & 1 << 21 ? (uint32_t)(r >> 22) : (uint32_t)c.data_available;
	c.data_length = (uint64_t)c.segments * c.segment_size;
	if (c.data_length < c.data_available)
		c.data_available = (size_t)c.data_length;
	/* One in two is as large as that index can serve. */
	xc_head *h = &c.head;
	if (r & 1 << 22 && c.segments && h->tile_wide < 4096 && h->tile_high < 4096) {
		h->width = h->tile_wide * (h->subsampling < 2 ? 16 : 8);
		h->height = h->tile_high * (h->subsampling == 0 ? 16 : 8);
		*(r & 1 << 23 ? &h->width : &h->height) *= c.segments;
	}
	return c;
}

/* Whatever a hundred bytes say, they cannot make the library take much memory. */
static void a_hundred_bytes(int keep_going)
{
	uint64_t seed = 11, worst = 0;
	unsigned believed = 0;
	OWN_BYTES f = {0};

	for (int i = 0; i < 20000; i++) {
		const claim c = random_claim(check_random(&seed));
		make_file(&f, &c);
		/* Without two bits a block what bounds it is the index. */
		const int by_index = keep_going || c.head.entropy;
		const uint64_t max = by_index ? UINT64_C(64) << 20 : UINT64_C(4) << 20;
		const uint64_t peak = peak_of(&f, keep_going, &believed);
		worst = peak > worst ? peak : worst;
		CHECK(f.size <= 132, "%zu bytes", f.size);
		CHECK(peak <= max, "%llu bytes for %ux%u, %u channels, tiles of %ux%u, %u segments",
		      (unsigned long long)peak, c.head.width, c.head.height, c.head.channels,
		      c.head.tile_wide, c.head.tile_high, c.segments);
	}
	printf("# at most %llu bytes; %u headers believed\n", (unsigned long long)worst, believed);
	CHECK(believed > 300, "the headers of only %u files were believed", believed);
}

/* Sizes that would overflow what is calculated from them. */
static void impossible_pictures(void)
{
	static uint16_t sample[4];
	OWN_CONTEXT c = xc_test_context();
	static const uint32_t sizes[] = {0x80000000u, UINT32_MAX};

	xc_test_limits(c, UINT64_MAX, UINT64_MAX, UINT64_MAX);
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 2; k++) {
			xc_buffer out;
			xc_picture p = {k ? 1 : sizes[i], k ? sizes[i] : 1, 4, 16, SIZE_MAX - 1, sample};
			CHECK(xc_encode(c, &p, NULL, NULL, &out) == XC_ERR_LIMIT, "encoded %ux%u", p.width,
			      p.height);
			p.data = NULL;
			CHECK(xc_picture_allocate(c, &p) == XC_ERR_LIMIT, "allocated %ux%u", p.width, p.height);
		}
	}
}

/* ------------------------------------------------------- cost of the index */

static void index_of(const char *name, xc_file_picture *file)
{
	xc_context *c = xc_test_context();

	for (int quality = 30; quality <= 90; quality += 15) {
		const xc_encode_options o = xc_test_options(quality, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT,
		                                            XC_HUFFMAN_OPTIMIZED);
		OWN_BUFFER(c, out);
		xc_info info;
		REQUIRE_OK(c, xc_encode(c, &file->picture, NULL, &o, &out));
		REQUIRE_OK(c, xc_read_info(c, out.data, out.size, &info));
		CHECK(info.index_bytes * 100 < info.file_bytes, "%s: %llu of %llu bytes", name,
		      (unsigned long long)info.index_bytes, (unsigned long long)info.file_bytes);
		printf("# %s, quality %d: the index takes %.2f %%\n", name, quality,
		       100.0 * (double)info.index_bytes / (double)info.file_bytes);
	}
	xc_context_free(c);
	xc_file_picture_free(file);
}

static void index_of_the_sample(void)
{
	xc_file_picture p;

	if (!xc_test_sample("meadow.png", &p))
		SKIP("no samples/meadow.png");
	index_of("meadow.png", &p);
}

static void index_of_photographs(void)
{
	unsigned found = 0;

	for (int i = 1; i <= 24; i++) {
		char name[64];
		xc_file_picture p;
		snprintf(name, sizeof name, "data/kodak/kodim%02d.png", i);
		if (!xc_test_shared(name, &p))
			continue;
		found++;
		index_of(name, &p);
	}
	if (!found)
		SKIP("there are no photographs");
}

int main(void)
{
	RUN_FOR("memory for a small file", 0, a_hundred_bytes);
	RUN_FOR("memory for one that is cut off", 1, a_hundred_bytes);
	RUN(impossible_pictures, index_of_the_sample, index_of_photographs);
	return check_done();
}
