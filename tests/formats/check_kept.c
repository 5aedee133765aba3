/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEGs in XC files (include/xcodec_jpeg.h): the same bytes for any threads and SIMD level, the same
 * JPEG again, or it is stored; damage is found, limits hold, memory may fail. And SHA-256. */
#include <string.h>
#include <xcodec_jpeg.h>

#include "jpeg/jpeg.h"
#include "src/core/sha256.h"
#include "tests/support/format_samples.h"
#include "tests/support/jpeg_files.h"
#include "tests/support/memory_checks.h"
#include "tests/support/xc_files.h"

static void hashes(void)
{
	static const struct {
		const char *text;
		uint8_t begin[4];
	} known[] = {{"", {0xe3, 0xb0, 0xc4, 0x42}},
	             {"abc", {0xba, 0x78, 0x16, 0xbf}},
	             {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	              {0x24, 0x8d, 0x6a, 0x61}}};
	uint8_t a[XC_SHA256_BYTES], b[XC_SHA256_BYTES], bytes[300];

	for (size_t i = 0; i < COUNT(known); i++) {
		xc_sha256_portable(known[i].text, strlen(known[i].text), a);
		CHECK(!memcmp(a, known[i].begin, 4), "%s", known[i].text);
	}
	for (size_t n = 0; n < sizeof bytes; n++) {
		bytes[n] = (uint8_t)(n * n);
		xc_sha256_portable(bytes, n, a);
		xc_sha256(bytes, n, b);
		CHECK(!memcmp(a, b, sizeof a), "%zu bytes", n);
	}
}

/* A larger JPEG: three components, some bands; 0: no libjpeg. */
static int large(xc_bytes *out, int i)
{
#ifdef XC_HAVE_LIBJPEG
	const xc_sample_jpeg jpeg = {.width = 300 + (uint32_t)i,
	                             .height = 340,
	                             .components = i % 3 == 2 ? 1 : 3,
	                             .progressive = i % 2,
	                             .restart = i % 4 / 3 * 5,
	                             .h = 1 + i % 2,
	                             .v = 1 + i / 2 % 2};
	xc_sample_jpeg_make(out, &jpeg, NULL);
	return 1;
#else
	(void)out;
	(void)i;
	return 0;
#endif
}

/* The file by one context; its JPEG by another one. */
static void same(const xc_bytes *jpeg, xc_jpeg_info *info, int i)
{
	OWN_CONTEXT first = xc_test_context();
	xc_jpeg_info again;
	xc_buffer file, other, back;

	REQUIRE(!xc_jpeg_encode(first, jpeg->data, jpeg->size, NULL, info, &file), "%d: %s", i,
	        xc_context_message(first));
	OWN_BUFFER_OF(first, own, file);
	CHECK(file.size <= jpeg->size + 100 && file.size == info->file_size, "%zu of %zu bytes",
	      file.size, jpeg->size);
	CHECK(xc_jpeg_is(file.data, file.size), "no JPEG");
	CHECK(!xc_jpeg_read_info(first, file.data, file.size, &again), "%s", xc_context_message(first));
	CHECK(!memcmp(again.sha256, info->sha256, 32) && again.jpeg_size == jpeg->size &&
	          again.file_size == file.size && again.segments == info->segments &&
	          again.stored == info->stored && again.described_size == info->described_size &&
	          again.quality == info->quality,
	      "%d: another info", i);
	CHECK(info->stored ||
	          (again.cut_off == info->cut_off && again.damaged == info->damaged &&
	           again.blocks == info->blocks && again.missing_blocks == info->missing_blocks),
	      "%d: other flaws", i);
	for (int level = 0; level < XC_CPU_LEVELS; level++) {
		if (!xc_cpu_usable((xc_cpu)level))
			continue;
		OWN_CONTEXT c = xc_test_context();
		REQUIRE(!xc_context_set_cpu(c, xc_cpu_name((xc_cpu)level)) &&
		            !xc_context_set_threads(c, 1 + level * 2),
		        "level");
		REQUIRE(!xc_jpeg_encode(c, jpeg->data, jpeg->size, NULL, NULL, &other), "%s",
		        xc_context_message(c));
		CHECK(other.size == file.size && !memcmp(other.data, file.data, file.size),
		      "%d: other bytes by level %d", i, level);
		xc_buffer_free(c, &other);
		REQUIRE(!xc_jpeg_decode(c, file.data, file.size, &back), "%d: %s", i,
		        xc_context_message(c));
		CHECK(back.size == jpeg->size && !memcmp(back.data, jpeg->data, back.size),
		      "%d: another JPEG by level %d", i, level);
		xc_buffer_free(c, &back);
	}
}

static void made(void)
{
	for (int i = 0; i < 60; i++) {
		OWN_BYTES jpeg = {0};
		xc_jpeg_info info;
		xc_test_jpeg_make(&jpeg, (uint64_t)i);
		if (i % 3)
			xc_bytes_add(&jpeg, "\xff\xd8\xff what follows", 16);
		same(&jpeg, &info, i);
	}
}

/* Pictures one after another, with something between them. */
static void several(void)
{
	for (int i = 0; i < 8; i += CHECK_SANITIZED ? 3 : 1) {
		OWN_BYTES jpeg = {0};
		xc_jpeg_info info;
		int pictures = 0;
		for (int k = 0; k <= i % 4; k++) {
			OWN_BYTES next = {0};
			pictures += large(&next, i + k);
			xc_bytes_add(&jpeg, next.data, next.size);
			xc_bytes_add(&jpeg, "between them", (size_t)(k * 3));
		}
		if (!pictures)
			SKIP("no libjpeg");
		same(&jpeg, &info, i);
		CHECK(info.pictures == pictures && !info.stored && info.height == 340, "%d pictures",
		      info.pictures);
	}
}

/* A grey JPEG of few bytes for its pixels: DC does not change, and of few blocks up to four of AC are 1 or -1. */
static void make_sparse(xc_bytes *out, uint32_t width, uint32_t height)
{
	const uint8_t frame[] = {0xff,
	                         0xc0,
	                         0,
	                         11,
	                         8,
	                         (uint8_t)(height >> 8),
	                         (uint8_t)height,
	                         (uint8_t)(width >> 8),
	                         (uint8_t)width,
	                         1,
	                         1,
	                         0x11,
	                         0};
	uint64_t seed = 1;
	uint32_t bits = 1; /* below a bit that is set */

	xc_bytes_add(out, CHECK_BYTES("\xff\xd8\xff\xdb\0\x43\0"));
	for (int i = 0; i < 64; i++)
		xc_bytes_add_u8(out, 16);
	xc_bytes_add(out, frame, sizeof frame);
	/* 0: size 0, or the end of a block; 10: size 1, or a coefficient of that size. */
	for (int class = 0; class < 2; class ++) {
		xc_bytes_add(out, CHECK_BYTES("\xff\xc4\0\x15"));
		xc_bytes_add_u8(out, 16U * (unsigned)class);
		xc_bytes_add(out, CHECK_BYTES("\1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"));
	}
	xc_bytes_add(out, CHECK_BYTES("\xff\xda\0\x08\1\1\0\0\x3f\0"));
	for (uint32_t blocks = width / 8 * (height / 8); blocks; blocks--) {
		uint32_t ones = check_below(&seed, 100) ? 0 : check_below(&seed, 5);
		/* DC, as many of AC, and the end. */
		for (uint32_t i = 0;; i++) {
			const int one = ones && i;
			const uint32_t code = one ? 4 | check_below(&seed, 2) : 0;
			for (int b = one ? 2 : 0; b >= 0; b--) {
				bits = bits << 1 | (code >> b & 1);
				if (bits < 256)
					continue;
				xc_bytes_add_u8(out, bits & 255);
				if (bits == 511)
					xc_bytes_add_u8(out, 0);
				bits = 1;
			}
			ones -= (uint32_t)one;
			if (i && !one)
				break;
		}
	}
	for (; bits < 256; bits = bits << 1 | 1) {
	}
	xc_bytes_add_u8(out, bits & 255);
	if (bits == 511)
		xc_bytes_add_u8(out, 0);
	xc_bytes_add(out, CHECK_BYTES("\xff\xd9"));
}

/* Appends the lowest `count` of bits to `out`, of which *last has those below its highest 1 that are no byte yet. */
static void put_bits(xc_bytes *out, uint32_t *last, uint32_t bits, int count)
{
	while (count--) {
		*last = *last << 1 | (bits >> count & 1);
		if (*last > 255) {
			xc_bytes_add_u8(out, *last & 255);
			*last = 1;
		}
	}
}

/* A progressive grey JPEG of a row of blocks whose coefficients are all 2; one run refines all of them. */
static void make_run(xc_bytes *out, uint32_t blocks)
{
	static const char *const scans[] = {"\0\0\0", "\1\x3f\1", "\1\x3f\x10"};
	const uint8_t frame[] =
		{0xff, 0xc2, 0, 11, 8, 0, 8, (uint8_t)(blocks >> 5), (uint8_t)(blocks << 3), 1, 1, 0x11, 0};

	xc_bytes_add(out, CHECK_BYTES("\xff\xd8\xff\xdb\0\x43\0"));
	for (int i = 0; i < 64; i++)
		xc_bytes_add_u8(out, 16);
	xc_bytes_add(out, frame, sizeof frame);
	/* DC: 0 is size 0. AC: 00 is a coefficient of size 1, 01 a run of 128 blocks and more, by 7 bits. */
	xc_bytes_add(out, CHECK_BYTES("\xff\xc4\0\x14\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"));
	xc_bytes_add(out, CHECK_BYTES("\xff\xc4\0\x15\x10\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\x70"));
	for (int i = 0; i < 3; i++) {
		uint32_t last = 1;
		xc_bytes_add(out, CHECK_BYTES("\xff\xda\0\x08\1\1\0"));
		xc_bytes_add(out, scans[i], 3);
		if (i == 2)
			put_bits(out, &last, 1 << 7 | (blocks - 128), 9);
		for (uint32_t k = 0; k < blocks * (i ? 63 : 1); k++)
			put_bits(out, &last, i == 1, i == 1 ? 3 : 1);
		put_bits(out, &last, 127, 7);
	}
	xc_bytes_add(out, CHECK_BYTES("\xff\xd9"));
}

/* The longest run that is kept, and one that is stored: valid all the same, and called so. */
static void long_runs(void)
{
	for (uint32_t blocks = 129; blocks < 131; blocks++) {
		OWN_BYTES jpeg = {0};
		xc_jpeg_info info;
		make_run(&jpeg, blocks);
		same(&jpeg, &info, 0);
		CHECK(blocks == 129
		          ? !info.stored
		          : info.why && !strcmp(info.why, "a run of blocks is refined by too many bits"),
		      "%u blocks: %s", blocks, info.why ? info.why : "no reason");
	}
}

/* What is wrong with a JPEG is told, and it comes back. */
static void flawed(void)
{
	enum { SIDE = 1024, BLOCKS = SIDE / 8 * (SIDE / 8), MARKER = 2, REST = 9 };
	static const char noise[2 * REST] = "\0\0\0\0\0\0\0\0\0an encod";
	OWN_BYTES whole = {0};

	make_sparse(&whole, SIDE, SIDE);
	const size_t end = whole.size - MARKER;
	const struct {
		size_t size, noise, noise_size;
		int cut_off, damaged, missing;
	} cases[] = {{whole.size, 0, 0, 0, 0, 0}, {end, 0, 0, 1, 0, 0},    {end / 2, 0, 0, 1, 1, 1},
	             {end, 0, REST, 0, 0, 0},     {end, REST, 8, 0, 0, 0}, {end, REST, REST, 0, 1, 0}};
	for (int i = 0; i < 6; i++) {
		OWN_BYTES jpeg = {0};
		xc_jpeg_info info;
		xc_bytes_add(&jpeg, whole.data, cases[i].size);
		if (cases[i].noise_size) {
			xc_bytes_add(&jpeg, noise + cases[i].noise, cases[i].noise_size);
			xc_bytes_add(&jpeg, whole.data + end, MARKER);
		}
		same(&jpeg, &info, i);
		CHECK(!info.stored && info.cut_off == cases[i].cut_off &&
		          info.damaged == cases[i].damaged && info.blocks == BLOCKS &&
		          (info.missing_blocks != 0) == cases[i].missing && info.missing_blocks < BLOCKS,
		      "%d: cut off %d, damaged %d, %d of %d blocks missing", i, info.cut_off, info.damaged,
		      (int)info.missing_blocks, (int)info.blocks);
	}
}

/* With threads the next piece is read and modelled while one is coded: four pieces give the same bytes. */
static void pieces(void)
{
	enum { THREADS = 3 };
	OWN_BYTES jpeg = {0};
	OWN_CONTEXT one = xc_test_context();
	OWN_CONTEXT more = xc_test_context();
	xc_file_chunk chunks[XC_FILE_CHUNKS_MAX];
	xc_jpeg_info info;
	xc_buffer file, other, back;
	int found = 0;

	make_sparse(&jpeg, 8192, 13 * 128);
	REQUIRE(!xc_context_set_threads(one, 1) && !xc_context_set_threads(more, THREADS), "threads");
	REQUIRE(!xc_jpeg_encode(one, jpeg.data, jpeg.size, NULL, &info, &file), "%s",
	        xc_context_message(one));
	OWN_BUFFER_OF(one, own, file);
	const int n = xc_file_chunks(file.data, file.size, chunks);
	for (int i = 0; i < n; i++)
		found += !memcmp(chunks[i].type, "DATA", 4);
	CHECK(found == 4, "%d pieces, %s", found, info.stored ? info.why : "kept");
	for (int times = 0; times < 3; times++) {
		REQUIRE(!xc_jpeg_encode(more, jpeg.data, jpeg.size, NULL, NULL, &other), "%s",
		        xc_context_message(more));
		CHECK(other.size == file.size && !memcmp(other.data, file.data, file.size), "other bytes");
		xc_buffer_free(more, &other);
	}
	REQUIRE(!xc_jpeg_decode(more, file.data, file.size, &back), "%s", xc_context_message(more));
	CHECK(back.size == jpeg.size && !memcmp(back.data, jpeg.data, back.size), "another JPEG");
	xc_buffer_free(more, &back);
}

/* What is left of a damaged file is a JPEG, or nothing. */
static void rescue(xc_context *c, const uint8_t *file, size_t size)
{
	uint64_t lost = 0;
	xc_buffer left;
	const xc_status s = xc_jpeg_rescue(c, file, size, &left, &lost);

	CHECK(!s == (left.data != NULL), "status %d and %zu bytes", s, left.size);
	CHECK(*xc_context_message(c), "nothing is said of the damage");
	CHECK(s || lost, "no damage is counted");
	xc_buffer_free(c, &left);
}

/* Any byte that changes, and any end, is found. */
static void damaged(void)
{
	for (int i = 0; i < 6; i++) {
		OWN_BYTES jpeg = {0};
		OWN_CONTEXT c = xc_test_context();
		uint64_t seed = (uint64_t)i;
		xc_buffer file, back;
		if (!large(&jpeg, i))
			xc_test_jpeg_make(&jpeg, seed);
		REQUIRE(!xc_jpeg_encode(c, jpeg.data, jpeg.size, NULL, NULL, &file), "%s",
		        xc_context_message(c));
		OWN_BUFFER_OF(c, own, file);
		for (int k = 0; k < 80; k++) {
			const size_t at = k < 60 ? (size_t)k : check_below(&seed, (uint32_t)file.size);
			file.data[at] ^= (uint8_t)(1 << k % 8);
			CHECK(xc_jpeg_decode(c, file.data, file.size, &back) && !back.data, "byte %zu", at);
			CHECK(*xc_context_message(c), "nothing is said of byte %zu", at);
			rescue(c, file.data, file.size);
			file.data[at] ^= (uint8_t)(1 << k % 8);
			OWN_MEMORY uint8_t *const cut = xc_test_copy(file.data, at);
			CHECK(xc_jpeg_decode(c, cut, at, &back) && !back.data, "%zu bytes", at);
			rescue(c, cut, at);
		}
	}
}

/* Pixels are not told of a file that has what this release does not know, nor of one that goes on or ends
 * otherwise, after the last segment that they need. */
static void after_the_picture(void)
{
	enum { DONE_BYTES = 9 };
	OWN_BYTES jpeg = {0}, newer = {0}, longer = {0};
	OWN_CONTEXT c = xc_test_context();
	xc_buffer file;

	if (!large(&jpeg, 0))
		SKIP("no libjpeg");
	REQUIRE(!xc_jpeg_encode(c, jpeg.data, jpeg.size, NULL, NULL, &file), "%s",
	        xc_context_message(c));
	OWN_BUFFER_OF(c, own, file);
	xc_bytes_splice(&newer, file.data, file.size, file.size - DONE_BYTES, file.size - DONE_BYTES,
	                "NEWR", "x", 1, 1);
	xc_bytes_add(&longer, file.data, file.size);
	xc_bytes_add(&longer, "x", 1);
	const struct {
		const void *data;
		size_t size;
		xc_status strict, lenient;
	} cases[] = {{file.data, file.size, XC_OK, XC_OK},
	             {newer.data, newer.size, XC_ERR_UNSUPPORTED, XC_ERR_UNSUPPORTED},
	             {longer.data, longer.size, XC_ERR_CORRUPT, XC_OK},
	             {file.data, file.size - 3, XC_ERR_TRUNCATED, XC_OK}};
	for (size_t i = 0; i < COUNT(cases); i++)
		for (int keep = 0; keep < 2; keep++) {
			xc_decode_options o = {.keep_going = keep};
			xc_picture picture = {.data = NULL};
			const xc_status wanted = keep ? cases[i].lenient : cases[i].strict;
			const xc_status s = xc_decode(c, cases[i].data, cases[i].size, &o, &picture);
			CHECK(s == wanted, "case %zu: %s, not %s (%s)", i, xc_status_string(s),
			      xc_status_string(wanted), xc_context_message(c));
			xc_picture_free(c, &picture);
		}
}

static void stored(void)
{
	static const uint8_t odd[] = {0xff, 0xd8, 0xff, 0xe0, 1, 2, 3};
	const xc_jpeg_options refuse = {.fallback = XC_JPEG_FALLBACK_REFUSE};
	const xc_bytes jpeg = {(uint8_t *)odd, sizeof odd, sizeof odd};
	OWN_CONTEXT c = xc_test_context();
	xc_jpeg_info info;
	xc_buffer file;

	same(&jpeg, &info, 0);
	CHECK(info.stored && info.why, "it is not stored");
	CHECK(xc_jpeg_encode(c, odd, sizeof odd, &refuse, &info, &file) == XC_ERR_UNSUPPORTED &&
	          !file.data,
	      "'%s'", xc_context_message(c));
	CHECK(xc_jpeg_encode(c, odd + 1, 5, NULL, NULL, &file) == XC_ERR_FORMAT, "'%s'",
	      xc_context_message(c));
}

static void limits(void)
{
	OWN_BYTES jpeg = {0}, head = {0}, changed = {0};
	OWN_CONTEXT c = xc_test_context();
	xc_file_chunk chunks[XC_FILE_CHUNKS_MAX];
	xc_buffer file, back;
	xc_jpeg_info info;
	xc_limits l;

	if (!large(&jpeg, 0))
		SKIP("no libjpeg");
	xc_limits_default(&l);
	REQUIRE(!xc_jpeg_encode(c, jpeg.data, jpeg.size, NULL, &info, &file), "no");
	OWN_BUFFER_OF(c, own, file);
	for (int i = 0; i < 2; i++) {
		xc_limits small = l;
		*(i ? &small.max_memory : &small.max_pixels) = i ? 1 << 17 : 300 * 339;
		REQUIRE(!xc_context_set_limits(c, &small), "limits");
		CHECK(xc_jpeg_decode(c, file.data, file.size, &back) == XC_ERR_LIMIT && !back.data, "%d",
		      i);
		CHECK(xc_jpeg_encode(c, jpeg.data, jpeg.size, NULL, NULL, &back) == XC_ERR_LIMIT, "%d", i);
	}
	/* Seen before memory is taken: a JPEG of 2^40 bytes. */
	const int n = xc_file_chunks(file.data, file.size, chunks);
	const xc_file_chunk *const p = xc_file_chunk_find(chunks, n, "JPEG");
	REQUIRE(p, "no JPEG");
	xc_bytes_add_length(&head, UINT64_C(1) << 40);
	xc_bytes_add(&head, info.sha256, sizeof info.sha256);
	xc_bytes_splice(&changed, file.data, file.size, p->offset, p->end, "JPEG", head.data, head.size,
	                1);
	REQUIRE(!xc_context_set_limits(c, &l), "limits");
	CHECK(xc_jpeg_decode(c, changed.data, changed.size, &back) == XC_ERR_LIMIT, "'%s'",
	      xc_context_message(c));
}

/* A piece of 2^32 - 1 bands takes memory for those that there are. */
static void large_piece(void)
{
	OWN_BYTES jpeg = {0}, description = {0}, changed = {0};
	OWN_CONTEXT c = xc_test_context();
	xc_file_chunk chunks[XC_FILE_CHUNKS_MAX];
	xc_buffer file, back;
	uint64_t number = 0;
	xc_limits l;

	if (!large(&jpeg, 0))
		SKIP("no libjpeg");
	REQUIRE(!xc_jpeg_encode(c, jpeg.data, jpeg.size, NULL, NULL, &file), "no");
	OWN_BUFFER_OF(c, own, file);
	const int n = xc_file_chunks(file.data, file.size, chunks);
	const xc_file_chunk *const p = xc_file_chunk_find(chunks, n, "PICT");
	REQUIRE(p, "no PICT");
	const uint8_t *const payload = file.data + p->payload, *const end = payload + p->length;
	const uint8_t *const columns = xc_jpeg_take_number(payload, end, &number);
	const uint8_t *const piece = xc_jpeg_take_number(columns, end, &number);
	const uint8_t *const after = xc_jpeg_take_number(piece, end, &number);
	xc_bytes_add(&description, payload, (size_t)(piece - payload));
	xc_bytes_add_length(&description, UINT32_MAX);
	xc_bytes_add(&description, after, (size_t)(end - after));
	xc_bytes_splice(&changed, file.data, file.size, p->offset, p->end, "PICT", description.data,
	                description.size, 1);

	xc_limits_default(&l);
	l.max_memory = 16 << 20;
	REQUIRE(!xc_context_set_limits(c, &l), "limits");
	REQUIRE(!xc_jpeg_decode(c, changed.data, changed.size, &back), "%s", xc_context_message(c));
	CHECK(back.size == jpeg.size && !memcmp(back.data, jpeg.data, back.size), "another JPEG");
	xc_buffer_free(c, &back);
}

/* An allocator that fails from its n-th call on. */
static void memory(void)
{
	OWN_BYTES jpeg = {0}, file = {0};

	if (!large(&jpeg, 0))
		xc_test_jpeg_make(&jpeg, 1);
	for (uint64_t n = 3, done = 0; done < 2 && n < 400; n++) {
		xc_counting counting;
		xc_buffer out = {0};
		xc_counting_init(&counting, n);
		xc_context *const c = xc_context_new(&counting.allocator);
		const xc_status s = !c     ? XC_ERR_MEMORY
		                    : done ? xc_jpeg_decode(c, file.data, file.size, &out)
		                           : xc_jpeg_encode(c, jpeg.data, jpeg.size, NULL, NULL, &out);
		CHECK(s == XC_OK || (s == XC_ERR_MEMORY && !out.data), "%d: status %d", (int)n, (int)s);
		if (!s && !done)
			xc_bytes_add(&file, out.data, out.size);
		n = s ? n : 3;
		done += !s;
		xc_buffer_free(c, &out);
		xc_context_free(c);
		CHECK(!counting.blocks, "%u blocks left", (unsigned)counting.blocks);
	}
	CHECK(file.size, "it never succeeds");
}

int main(void)
{
	RUN(hashes, made, several, long_runs, flawed, pieces, damaged, after_the_picture, stored,
	    limits, large_piece, memory);
	return check_done();
}
