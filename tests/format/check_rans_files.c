/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damaged files of rANS.  Files whose segments are not right cannot be made without a coder, so
 * bytes of good files are changed and their check values corrected: the library and the
 * reference decoder (refdec.h) agree on which segments are damaged and on the picture.  And the
 * chunk RANS: truncated, too long, twice, in files that have none.
 */
#include <stdlib.h>
#include <string.h>

#include "src/core/cpu.h"
#include "tests/format/refdec_compare.h"
#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

enum { MAX_PIXELS = 1 << 18, HEAD_ENTROPY = 12 };

static const struct kind {
	const char *name;
	uint32_t width, height, channels, depth;
	xc_subsampling subsampling;
	xc_transform transform;
	int quality, effort, noisy;
} kinds[] = {
	{"grey, 1 block", 8, 8, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 90, 0, 0},
	{"grey, 1 block, sizes of bits", 5, 8, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 100, 0, 1},
	{"grey, 1 block of 16 bits", 8, 7, 1, 16, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 100, 0, 1},
	{"grey", 120, 300, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 70, 2, 0},
	{"4:2:0", 301, 75, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 60, 2, 0},
	{"4:2:2, a row of blocks", 200, 7, 3, 8, XC_SUBSAMPLING_422, XC_TRANSFORM_LOT, 100, 1, 1},
	{"4:4:4, frequencies stored", 230, 190, 3, 8, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, 95, 3, 1},
	{"4:2:0, frequencies stored", 150, 310, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_LOT, 95, 3, 1},
	{"16 bits", 40, 130, 3, 16, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT, 100, 2, 1},
};

static xc_context *context;
static uint64_t accepted, damaged, refused;

static xc_bytes encode(const xc_picture *p, int quality, xc_subsampling subsampling,
                       xc_transform transform, int effort)
{
	xc_encode_options o = xc_test_options(quality, subsampling, transform, XC_HUFFMAN_OPTIMIZED);
	xc_bytes file = {0};
	OWN_BUFFER(context, made);

	o.entropy = XC_ENTROPY_RANS;
	o.effort = effort;
	if (effort == 1)
		xc_quant_tables_sloped(&o.tables);
	if (xc_test_coded(context, p, &o, &made))
		abort();
	xc_bytes_add(&file, made.data, made.size);
	return file;
}

static xc_bytes make_file(const struct kind *k)
{
	OWN_PICTURE p = k->noisy ? xc_extreme_picture(k->width, k->height, k->channels, k->depth, 3)
	                         : xc_sample_picture(k->width, k->height, k->channels, k->depth, 0, 3);
	const xc_bytes file = encode(&p, k->quality, k->subsampling, k->transform, k->effort);

	return file;
}

/* Both decoders on one file, which go on after damage. */
static void compare(const uint8_t *file, size_t size, const char *what, uint32_t number)
{
	xc_decode_options o = {.keep_going = 1};
	OWN_DECODED(context, p);
	uint32_t level = number;

	while (xc_context_set_cpu(context, xc_cpu_name((xc_cpu)(level % XC_CPU_LEVELS))))
		level++;
	const xc_status s = xc_decode(context, file, size, &o, &p);
	const char *objection = refdec_damage_objection(s, &p, o.damaged_segments,
	                                                xc_context_message(context), file, size,
	                                                MAX_PIXELS);
	CHECK(!objection, "%s, %u, %s: %s (%s)", what, number, xc_context_cpu(context), objection,
	      xc_context_message(context));
	accepted += !s && !o.damaged_segments;
	damaged += !s && o.damaged_segments;
	refused += s != XC_OK;
}

static const xc_file_chunk *part(const xc_bytes *file, const char *type)
{
	static xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	return xc_file_chunk_find(parts, xc_file_chunks(file->data, file->size, parts), type);
}

/* A byte of one of these chunks becomes another; most often one of DATA, where flips of one
 * segment in two follow. */
static void change(xc_bytes *file, uint64_t *seed)
{
	static const char *const types[] = {"DATA", "DATA", "DATA", "DATA", "DATA",
	                                    "DATA", "DATA", "RANS", "QNTZ", "HEAD"};
	const xc_file_chunk *p = part(file, types[check_below(seed, COUNT(types))]);

	if (!p)
		return;
	do {
		const uint32_t max = p->length < 65536 ? (uint32_t)p->length : 65536;
		uint8_t *b = file->data + p->payload + check_below(seed, max);
		const uint32_t how = check_below(seed, 3);
		*b = (uint8_t)(how == 0   ? check_below(seed, 256)
		               : how == 1 ? *b ^ 1u << check_below(seed, 8)
		                          : 255 * check_below(seed, 2));
	} while (!strcmp(p->type, "DATA") && check_below(seed, 2));
}

/* Check values and CRCs are corrected in three files of four. */
static void flips(void)
{
	xc_bytes f = {0};

	for (size_t k = 0; k < COUNT(kinds); k++) {
		OWN_BYTES file = make_file(&kinds[k]);
		CHECK(!part(&file, "RANS") == (kinds[k].effort < 3), "%s: RANS", kinds[k].name);
		compare(file.data, file.size, kinds[k].name, 0);
		for (uint32_t i = 0; i < 60; i++) {
			uint64_t seed = 1000 * k + i;
			f.size = 0;
			xc_bytes_add(&f, file.data, file.size);
			change(&f, &seed);
			if (i % 4)
				xc_file_fix(f.data, f.size);
			compare(f.data, f.size, kinds[k].name, i);
		}
	}
	xc_bytes_free(&f);
	CHECK(accepted > 50 && damaged > 100 && refused > 10,
	      "%llu accepted, %llu damaged, %llu refused", (unsigned long long)accepted,
	      (unsigned long long)damaged, (unsigned long long)refused);
}

/* The file with another segment in place of its only one. */
static void with_segment(xc_bytes *f, const xc_bytes *file, const uint8_t *segment, size_t size)
{
	const uint8_t index[5] = {2, (uint8_t)size, (uint8_t)(size >> 8)};

	f->size = 0;
	xc_bytes_add(f, file->data, part(file, "INDX")->offset);
	xc_bytes_add_chunk(f, "INDX", index, sizeof index);
	xc_bytes_add_chunk(f, "DATA", segment, size);
	xc_bytes_add_chunk(f, "DONE", NULL, 0);
	xc_file_fix(f->data, f->size);
}

/* Segments of one block: every value of every byte, every shorter one, and some longer ones. */
static void small_segments(void)
{
	OWN_BYTES f = {0};

	for (size_t k = 0; k < 3; k++) {
		OWN_BYTES file = make_file(&kinds[k]);
		const xc_file_chunk data = *part(&file, "DATA");
		uint8_t segment[1024] = {0};
		if (data.length + 4 > sizeof segment)
			abort();
		memcpy(segment, file.data + data.payload, data.length);
		for (size_t at = 0; at < data.length + 4; at++) {
			const uint8_t good = segment[at];
			const uint32_t step = data.length < 40 || at < 4 || at + 12 > data.length ? 1 : 23;
			for (uint32_t b = 0; b < 256; b += step) {
				segment[at] = (uint8_t)b;
				with_segment(&f, &file, segment, at < data.length ? data.length : at + 1);
				compare(f.data, f.size, kinds[k].name, (uint32_t)(256 * at + b));
			}
			segment[at] = good;
			with_segment(&f, &file, segment, at);
			compare(f.data, f.size, "a short segment", (uint32_t)at);
		}
	}
}

/* A state below 65536, which no writer stores, takes one word a symbol: the DC and three flags
 * of a block of zeros. */
static void small_states(void)
{
	uint8_t segment[12] = {[8] = 1};
	OWN_BYTES f = {0}, file = make_file(&kinds[0]);
	const uint64_t before = accepted;

	with_segment(&f, &file, segment, sizeof segment);
	compare(f.data, f.size, "state 0", 0);
	CHECK(accepted == before + 1, "state 0 is refused");
	for (size_t at = 0; at < sizeof segment; at++) {
		const uint8_t good = segment[at];
		for (uint32_t b = 0; b < 256; b++) {
			segment[at] = (uint8_t)b;
			with_segment(&f, &file, segment, sizeof segment);
			compare(f.data, f.size, "a small state", b);
		}
		segment[at] = good;
	}
}

/* Two blocks, black and white or the other way round: the difference of their DCs has as many
 * bits as the encoder makes.  Changed bytes give it more, up to the limit and beyond, and sums
 * that the modulo reduces. */
static void large_differences(void)
{
	OWN_BYTES f = {0};

	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t depth = i / 2 ? 16 : 8;
		uint8_t samples[8][32] = {{0}}, segment[64] = {0};
		const size_t half = depth;
		for (int y = 0; y < 8; y++)
			memset(samples[y] + (i % 2 ? half : 0), 255, half);
		const xc_picture p = {.width = 16,
		                      .height = 8,
		                      .channels = 1,
		                      .depth = depth,
		                      .stride = sizeof samples[0],
		                      .data = samples};
		OWN_BYTES file = encode(&p, 100, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 0);
		const xc_file_chunk data = *part(&file, "DATA");
		memcpy(segment, file.data + data.payload, data.length);
		const uint64_t before = accepted;
		for (size_t at = 4; at < data.length; at++) {
			const uint8_t good = segment[at];
			for (uint32_t b = 0; b < 512; b++) {
				segment[at] = (uint8_t)b;
				with_segment(&f, &file, segment, data.length + b / 256);
				compare(f.data, f.size, "two blocks", b);
			}
			segment[at] = good;
		}
		CHECK(accepted > before + 100, "%llu accepted", (unsigned long long)(accepted - before));
	}
}

/* ------------------------------------------------------ the chunk RANS */

/* Decodes the file, as both decoders must, with copies of a payload in place of the one of
 * `type`. */
static void expect(const xc_bytes *file, const char *type, const uint8_t *payload, size_t size,
                   int copies, xc_status wanted, const char *what)
{
	const xc_file_chunk p = *part(file, type);
	OWN_BYTES f = {0};
	OWN_DECODED(context, out);

	xc_bytes_splice(&f, file->data, file->size, p.offset, p.end, type, payload, size, copies);
	const xc_status s = xc_decode(context, f.data, f.size, NULL, &out);
	CHECK(s == wanted, "%s: \"%s\" (%s)", what, xc_status_string(s), xc_context_message(context));
	const char *objection = refdec_objection(s, &out, f.data, f.size, MAX_PIXELS);
	CHECK(!objection, "%s: %s", what, objection);
}

static void stored_frequencies(void)
{
	static uint8_t payload[4096];

	for (size_t k = 0; k < COUNT(kinds); k++) {
		if (kinds[k].effort < 3)
			continue;
		OWN_BYTES file = make_file(&kinds[k]);
		const xc_file_chunk p = *part(&file, "RANS");
		memcpy(payload, file.data + p.payload, p.length);
		expect(&file, "RANS", payload, p.length, 1, XC_OK, "the same");
		expect(&file, "RANS", payload, p.length, 0, XC_ERR_CORRUPT, "none");
		expect(&file, "RANS", payload, p.length, 2, XC_ERR_CORRUPT, "twice");
		for (size_t n = 0; n < p.length; n++)
			expect(&file, "RANS", payload, n, 1, XC_ERR_CORRUPT, "too short");
		for (size_t n = 1; n < 10; n++)
			expect(&file, "RANS", payload, p.length + n, 1, XC_ERR_CORRUPT, "too long");
		memset(payload, 0xff, sizeof payload);
		/* 12 masks, and 2 * 3 sets of 16 levels of 8 bytes and of 1 byte. */
		expect(&file, "RANS", payload, 888, 1, XC_ERR_CORRUPT, "other frequencies");
	}
}

/* The file becomes one of another coding. */
static void become(xc_bytes *file, int entropy)
{
	file->data[part(file, "HEAD")->payload + HEAD_ENTROPY] = (uint8_t)entropy;
	xc_file_fix(file->data, file->size);
}

/* The file with this payload in a new chunk after QNTZ is damaged. */
static void expect_added(const xc_bytes *file, const char *type, const uint8_t *payload,
                         size_t size, const char *what)
{
	OWN_BYTES f = {0};
	const xc_file_chunk q = *part(file, "QNTZ");

	xc_bytes_splice(&f, file->data, file->size, q.end, q.end, type, payload, size, 1);
	expect(&f, "QNTZ", file->data + q.payload, q.length, 1, XC_ERR_CORRUPT, what);
}

/* RANS where HEAD does not ask for it, and HUFF with rANS. */
static void other_files(void)
{
	OWN_BYTES stored = make_file(&kinds[6]), plain = make_file(&kinds[4]);
	const xc_file_chunk r = *part(&stored, "RANS"), q = *part(&plain, "QNTZ");
	const uint8_t *frequencies = stored.data + r.payload;

	for (int entropy = 0; entropy < 5; entropy++) {
		become(&plain, entropy);
		if (entropy != 4)
			expect_added(&plain, "RANS", frequencies, r.length, "with RANS");
		if (entropy > 2)
			expect_added(&plain, "HUFF", frequencies, r.length, "with HUFF");
		if (entropy == 4)
			expect(&plain, "QNTZ", plain.data + q.payload, q.length, 1, XC_ERR_CORRUPT,
			       "without RANS");
	}
}

/* Preset 3 of QNTZ with all sorts of scales, and its lengths. */
static void sloped_steps(void)
{
	static const uint32_t scales[] = {0, 1, 2, 255, 256, 257, 5000, 65535};

	for (size_t k = 3; k < COUNT(kinds); k++) {
		OWN_BYTES file = make_file(&kinds[k]);
		const size_t tables = kinds[k].channels == 1 ? 1 : 2;
		for (size_t i = 0; i < COUNT(scales); i++) {
			const uint8_t payload[6] = {3, (uint8_t)scales[i], (uint8_t)(scales[i] >> 8), 0x98,
			                            0x79};
			for (size_t n = 1; n <= sizeof payload; n++)
				expect(&file, "QNTZ", payload, n, 1, n == 3 + tables ? XC_OK : XC_ERR_CORRUPT,
				       "a scale");
		}
	}
}

/* Preset 4: curves at the ends of what their fields hold and of any bytes, and its lengths. */
static void curves(void)
{
	uint64_t seed = 4;

	for (size_t k = 3; k < COUNT(kinds); k++) {
		OWN_BYTES file = make_file(&kinds[k]);
		const size_t tables = kinds[k].channels == 1 ? 1 : 2;
		for (int turn = 0; turn < 16; turn++) {
			uint8_t payload[18] = {4};
			for (size_t i = 1; i <= 7 * tables; i++)
				payload[i] = turn > 2 ? (uint8_t)check_random(&seed)
				                      : (uint8_t)(turn * 0x7f + turn / 2);
			for (size_t i = 0; i < tables; i++)
				payload[1 + 7 * tables + i] = 0x98;
			for (size_t n = turn ? 8 * tables : 1; n <= sizeof payload && n < 8 * tables + 3; n++)
				expect(&file, "QNTZ", payload, n, 1, n == 1 + 8 * tables ? XC_OK : XC_ERR_CORRUPT,
				       "a curve");
		}
	}
}

int main(void)
{
	context = xc_test_context();
	RUN(flips, small_segments, small_states, large_differences, stored_frequencies, other_files,
	    sloped_steps, curves);
	xc_context_free(context);
	return check_done();
}
