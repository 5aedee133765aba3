/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are refused, and damaged ones. */
#include "tests/decoders/make.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- refused */

static void unsupported(void)
{
	OWN_BYTES base = appendix_a();
	OWN_BYTES rgb = small_file(3, 8, 0);

	for (unsigned v = 0; v < 3; v++) {
		static const uint8_t versions[] = {2, 4, 255};
		char name[96], text[96];
		xc_bytes f = copy(&base);
		f.data[7] = versions[v];
		snprintf(name, sizeof name, "unsupported-version-%u", versions[v]);
		snprintf(text, sizeof text, "version %u", versions[v]);
		put(name, f, text);
	}
	static const struct {
		const char *name;
		int at;
		uint32_t value;
		const char *text;
	} fields[] = {
		{"channels-0", 8, 0, "no channels"},
		{"channels-5", 8, 5, "five channels"},
		{"depth-10", 9, 10, "10 bits"},
		{"depth-32", 9, 32, "32 bits"},
		{"subsampling", 10, 4, "subsampling 4"},
		{"transform", 11, 4, "transform 4"},
		{"transform-3", 11, 3, "transform 3 with Huffman codes"},
		{"entropy", 12, 7, "entropy 7"},
		{"entropy-5", 12, 5, "entropy 5 with the DCT"},
		{"entropy-6", 12, 6, "entropy 6 with the DCT"},
	};
	for (size_t i = 0; i < COUNT(fields); i++) {
		char name[96];
		snprintf(name, sizeof name, "unsupported-%s", fields[i].name);
		put(name, with_byte(&rgb, "HEAD", fields[i].at, fields[i].value), fields[i].text);
	}
	OWN_BYTES five = with_byte(&rgb, "HEAD", 8, 5);
	put("unsupported-channels-size", with_byte(&five, "HEAD", 3, 255),
	    "five channels, and a width that may mean something else then");
	put("unsupported-preset", with_byte(&base, "QNTZ", 0, 5), "preset 5");
	put("unsupported-chunk", with_new(&base, "QNTZ", "WHAT", "x", 1), "an unknown critical chunk");
	put("unsupported-chunk-late", with_new(&base, "DONE", "Late", NULL, 0),
	    "an unknown critical chunk after DATA");
	put("unsupported-chunk-pict", with_new(&base, "QNTZ", "PICT", "x", 1),
	    "a critical chunk of another kind of file");
	put("unsupported-second-kind", with_new(&base, "QNTZ", "ARRY", "x", 1), "ARRY after HEAD");
	xc_bytes kind = {0};
	xc_bytes_add_magic(&kind);
	xc_bytes_add_chunk(&kind, "ANIM", "a kind of file of a later release", 33);
	xc_bytes_add_chunk(&kind, "DONE", NULL, 0);
	put("unsupported-kind", kind, "a first chunk of a later release");
}

static void bad_structure(void)
{
	OWN_BYTES base = appendix_a();
	OWN_BYTES rgb = small_file(3, 8, 0);
	OWN_BYTES rans = small_file(1, 8, 3);
	static const char types[][5] = {"HEAD", "QNTZ", "HUFF", "INDX", "DATA"};
	char name[96], text[96];

	for (unsigned i = 0; i < 8; i += 3) {
		xc_bytes f = copy(&base);
		f.data[i] ^= 0x80;
		snprintf(name, sizeof name, "bad-magic-%u", i);
		put(name, f, "another magic number");
	}
	put("bad-empty", (xc_bytes){0}, "no byte");
	xc_bytes start = {0};
	xc_bytes_add_magic(&start);
	put("bad-magic-alone", start, "the magic number alone");
	for (size_t i = 0; i < COUNT(types); i++) {
		const xc_file_chunk p = *part(&base, types[i]);
		snprintf(name, sizeof name, "bad-without-%s", types[i]);
		snprintf(text, sizeof text, "no %s", types[i]);
		put(name, without(&base, types[i]), text);
		snprintf(name, sizeof name, "bad-second-%s", types[i]);
		snprintf(text, sizeof text, "two %s", types[i]);
		put(name,
		    with_new(&base, i < 4 ? "INDX" : "DONE", types[i], base.data + p.payload, p.length),
		    text);
		if (i < 4) {
			xc_bytes f = copy(&base);
			f.data[p.end - 1] ^= 1;
			snprintf(name, sizeof name, "bad-crc-%s", types[i]);
			snprintf(text, sizeof text, "another CRC of %s", types[i]);
			put(name, f, text);
		}
	}
	OWN_BYTES what = with_new(&base, "QNTZ", "what", "x", 1);
	what.data[part(&what, "what")->payload] = 'y';
	put("bad-crc-ancillary", copy(&what), "another CRC of an unknown ancillary chunk");
	const xc_file_chunk q = *part(&base, "QNTZ"), h = *part(&base, "HUFF");
	OWN_BYTES no_steps = without(&base, "QNTZ");
	put("bad-late-QNTZ", with_new(&no_steps, "DONE", "QNTZ", base.data + q.payload, q.length),
	    "QNTZ after DATA");
	OWN_BYTES no_codes = without(&base, "HUFF");
	put("bad-late-HUFF", with_new(&no_codes, "DONE", "HUFF", base.data + h.payload, h.length),
	    "HUFF after DATA");
	static const uint8_t matrix[18];
	put("bad-late-COLR", with_new(&rgb, "DONE", "COLR", matrix, 18), "COLR after DATA");
	put("bad-COLR-17", with_new(&rgb, "QNTZ", "COLR", matrix, 17), "COLR of 17 bytes");
	put("bad-COLR-grey", with_new(&base, "QNTZ", "COLR", matrix, 18), "COLR in grey");
	put("bad-HUFF-needless", with_new(&rgb, "INDX", "HUFF", base.data + h.payload, h.length),
	    "HUFF with built-in codes");
	put("bad-RANS-needless", with_new(&rans, "INDX", "RANS", matrix, 12),
	    "RANS with built-in frequencies");
	put("bad-PLTE-lossy", with_new(&rgb, "QNTZ", "PLTE", "\0abc", 4), "PLTE in a lossy file");
	put("bad-NEAR-lossy", with_new(&rgb, "QNTZ", "NEAR", "\1\0", 2), "NEAR in a lossy file");
	put("bad-first-QNTZ", without(&base, "HEAD"), "QNTZ is the first chunk");
	put("bad-type", with_new(&base, "QNTZ", "wh t", "x", 1), "a type that is no letters");
	put("bad-type-digit", with_new(&base, "QNTZ", "W1AT", "x", 1), "a type with a digit");
	put("bad-DONE-payload", with(&base, "DONE", "x", 1), "DONE with a byte");
	xc_bytes tenth = {0};
	xc_bytes_add(&tenth, base.data, base.size - 9);
	xc_bytes_add(&tenth, "DONE\x80\x80\x80\x80\x80\x80\x80\x80\x80\0\0\0\0", 18);
	put("bad-length-10", tenth, "a length of ten bytes");
}

/* Values and lengths of chunks. */
static void bad_chunks(void)
{
	OWN_BYTES base = appendix_a();
	OWN_BYTES rgb = small_file(3, 8, 0);
	OWN_BYTES rans = small_file(1, 8, 3);
	OWN_BYTES stored = with_frequencies(&rans, 1);
	const struct {
		const char *name;
		const xc_bytes *from;
		const char *type;
		int at;
		uint32_t value;
		const char *text;
	} bytes[] = {
		{"width-0", &base, "HEAD", 0, 0, "no pixel in a row"},
		{"width-high", &base, "HEAD", 3, 0x80, "2^31 and more pixels in a row"},
		{"height-0", &base, "HEAD", 4, 0, "no row"},
		{"grey-444", &base, "HEAD", 10, 2, "grey with 4:4:4"},
		{"rgb-grey", &rgb, "HEAD", 10, 3, "RGB with the subsampling of grey"},
		{"quality-0", &base, "HEAD", 13, 0, "quality 0"},
		{"quality-101", &base, "HEAD", 13, 101, "quality 101"},
		{"tile-0", &base, "HEAD", 14, 0, "tiles without a column"},
		{"tile-wide", &base, "HEAD", 14, 2, "tiles wider than the picture"},
		{"tile-high", &base, "HEAD", 17, 1, "tiles higher than the picture"},
		{"points-0", &base, "QNTZ", 1, 0x08, "a nibble of 0 in points"},
		{"points-0-low", &base, "QNTZ", 1, 0x80, "the other nibble of 0 in points"},
		{"preset-0", &base, "QNTZ", 0, 0, "preset 0 without steps"},
		{"preset-3", &base, "QNTZ", 0, 3, "preset 3 without a scale"},
		{"preset-4", &base, "QNTZ", 0, 4, "preset 4 without a curve"},
		{"huff-incomplete", &base, "HUFF", 0, 0x20, "a code that is not complete"},
		{"huff-too-many", &base, "HUFF", 1, 0x11, "a code of too many symbols"},
		{"huff-far", &base, "HUFF", -1, 0x0f, "symbols beyond the alphabet"},
		{"index-width-1", &base, "INDX", 0, 1, "sizes of one byte"},
		{"index-width-5", &base, "INDX", 0, 5, "sizes of five bytes"},
		{"index-size", &base, "INDX", 1, 3, "a size that DATA does not have"},
		{"rans-mask", &stored, "RANS", 0, 1, "a mask whose level is missing"},
	};
	const struct {
		const char *name;
		const xc_bytes *from;
		const char *type;
		int more;
	} lengths[] = {
		{"head-17", &base, "HEAD", -1},   {"head-0", &base, "HEAD", -18},
		{"head-256", &base, "HEAD", 238}, {"qntz-1", &base, "QNTZ", -1},
		{"qntz-3", &base, "QNTZ", 1},     {"qntz-0", &base, "QNTZ", -2},
		{"huff-20", &base, "HUFF", -1},   {"huff-22", &base, "HUFF", 1},
		{"index-4", &base, "INDX", -1},   {"index-6", &base, "INDX", 1},
		{"index-0", &base, "INDX", -5},   {"rans-13", &stored, "RANS", 1},
		{"rans-11", &stored, "RANS", -1},
	};
	char name[96], text[96];

	for (size_t i = 0; i < COUNT(bytes); i++) {
		snprintf(name, sizeof name, "bad-%s", bytes[i].name);
		put(name, with_byte(bytes[i].from, bytes[i].type, bytes[i].at, bytes[i].value),
		    bytes[i].text);
	}
	for (size_t i = 0; i < COUNT(lengths); i++) {
		snprintf(name, sizeof name, "bad-length-%s", lengths[i].name);
		snprintf(text, sizeof text, "%s with %d bytes too %s", lengths[i].type,
		         abs(lengths[i].more), lengths[i].more < 0 ? "few" : "many");
		put(name, with_length(lengths[i].from, lengths[i].type, lengths[i].more), text);
	}
	uint8_t steps[67] = {0, 1};
	memset(steps + 2, 9, 64);
	steps[66] = 0x88;
	steps[50] = 0;
	put("bad-step-0", with(&base, "QNTZ", steps, 67), "a step of 0");
	steps[50] = 9;
	steps[1] = 3;
	put("bad-step-size", with(&base, "QNTZ", steps, 67), "steps of three bytes");
	OWN_BYTES twice = with_new(&base, "DATA", "INDX", "\2\2\0\0\0", 5);
	put("bad-index-twice", copy(&twice), "INDX after INDX");
	put("bad-segment-empty", with_segment(&base, "", 0), "a segment of a block without a byte");
	put("bad-data-less", with(&base, "DATA", "\xc8", 1), "DATA with less than the index says");
	put("bad-data-more", with(&base, "DATA", "\xc8\0\0", 3), "DATA with more than the index says");
	OWN_BYTES tiles = tiled(XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 1, 3);
	const size_t wide = tiles_wide(&tiles);
	put("bad-piece-row", in_pieces(&tiles, 2, 1, wide - 1),
	    "pieces that end within a row of tiles");
	OWN_BYTES pieces = in_pieces(&tiles, 2, 1, wide);
	OWN_BYTES no_index = without(&pieces, "INDX");
	put("bad-piece-missing", without(&no_index, "DATA"), "a piece is missing");
	/* 8193 blocks are too many, and 16 MB of pixels for a few bytes. */
	xc_bytes large = {0};
	xc_bytes_add_magic(&large);
	xc_bytes_add_head(&large, &(xc_head){4096, 4096, 1, 8, 3, 0, 0, 75, 64, 65});
	xc_bytes_add(&large, base.data + part(&base, "QNTZ")->offset, 11);
	xc_bytes_add_chunk(&large, "DONE", NULL, 0);
	put("bad-tile-blocks", large, "tiles of more than 4096 blocks");
	large = (xc_bytes){0};
	OWN_BYTES index = {0};
	xc_bytes_add_u8(&index, 2);
	for (int i = 0; i < 64; i++)
		xc_bytes_add_le32(&index, 2);
	xc_bytes_add_magic(&large);
	xc_bytes_add_head(&large, &(xc_head){4096, 4096, 1, 8, 3, 0, 0, 75, 64, 64});
	xc_bytes_add(&large, base.data + part(&base, "QNTZ")->offset, 11);
	xc_bytes_add_chunk(&large, "INDX", index.data, index.size);
	memset(index.data, 0, 128);
	xc_bytes_add_chunk(&large, "DATA", index.data, 128);
	xc_bytes_add_chunk(&large, "DONE", NULL, 0);
	xc_file_fix(large.data, large.size);
	put("bad-too-little", large, "16 million pixels in 128 bytes of DATA");
	large = copy(&base);
	large.data[part(&base, "HEAD")->payload + 3] = large.data[part(&base, "HEAD")->payload + 7] =
		0x7f;
	xc_file_fix(large.data, large.size);
	put("limit-pixels", large, "2^62 pixels");
}

/* Lossless files with chunks that they may not have. */
static void bad_lossless(void)
{
	const xc_encode_options o = exactly(1, 0);
	OWN_PICTURE p = xc_smooth_picture(20, 15, 3, 8, 2);
	OWN_PICTURE g = xc_smooth_picture(20, 15, 1, 8, 2);
	OWN_PICTURE p16 = xc_smooth_picture(20, 15, 3, 16, 2);
	OWN_BYTES rgb = encoded(&p, NULL, &o);
	OWN_BYTES grey = encoded(&g, NULL, &o);
	OWN_BYTES deep = encoded(&p16, NULL, &o);
	static const uint8_t steps[] = {1, 0x88, 0x88};
	OWN_BYTES near = with_new(&rgb, "INDX", "NEAR", "\1\0", 2);

	put("bad-exact-QNTZ", with_new(&rgb, "INDX", "QNTZ", steps, 3), "QNTZ in a lossless file");
	put("bad-exact-420", with_byte(&rgb, "HEAD", 10, 0), "lossless with 4:2:0");
	put("bad-exact-tile", with_byte(&rgb, "HEAD", 14, 129),
	    "lossless tiles wider than the picture");
	put("bad-near-0", with_new(&rgb, "INDX", "NEAR", "\0\0", 2), "NEAR of 0");
	put("bad-near-4096", with_new(&rgb, "INDX", "NEAR", "\0\x10", 2), "NEAR of 4096");
	put("bad-near-3", with_new(&rgb, "INDX", "NEAR", "\1\0\0", 3), "NEAR of 3 bytes");
	put("bad-near-twice", with_new(&near, "INDX", "NEAR", "\1\0", 2), "two NEAR");
	put("bad-near-palette", with_new(&near, "INDX", "PLTE", "\0abc", 4), "NEAR and PLTE");
	put("bad-near-late", with_new(&rgb, "DONE", "NEAR", "\1\0", 2), "NEAR after DATA");
	put("bad-palette-late", with_new(&rgb, "DONE", "PLTE", "\0abc", 4), "PLTE after DATA");
	put("bad-palette-16", with_new(&deep, "INDX", "PLTE", "\0abc", 4), "PLTE with 16 bits");
	put("bad-palette-bits", with_new(&rgb, "INDX", "PLTE", "\3abc", 4), "PLTE of 3 bits");
	put("bad-palette-grey", with_new(&grey, "INDX", "PLTE", "\0abc", 4),
	    "PLTE of grey with colours");
	put("bad-palette-length", with_new(&rgb, "INDX", "PLTE", "\0abcd", 5),
	    "PLTE of a colour and a third");
	put("bad-palette-empty", with_new(&rgb, "INDX", "PLTE", "\0", 1), "PLTE without a colour");
	put("damaged-palette-index", with_new(&grey, "INDX", "PLTE", "\0\1\1\1", 4),
	    "a colour that PLTE does not have");
	/* The one pixel of appendix A, in all forms of a lossless segment. */
	xc_bytes one = {0};
	xc_bytes_add_magic(&one);
	xc_bytes_add_head(&one, &(xc_head){1, 1, 1, 8, 3, 3, 6, 75, 1, 1});
	xc_bytes_add_chunk(&one, "INDX", "\2\2\0\0\0", 5);
	xc_bytes_add_chunk(&one, "DATA", "\0\xc8", 2);
	xc_bytes_add_chunk(&one, "DONE", NULL, 0);
	xc_file_fix(one.data, one.size);
	put("good-exact-stored", copy(&one), "a lossless segment of samples as they are");
	put("damaged-exact-form", with_segment(&one, "\2\xc8", 2),
	    "a lossless segment with another first byte");
	put("damaged-exact-rct", with_segment(&one, "\3\xc8", 2), "the reversible transform in grey");
	put("damaged-exact-long", with_segment(&one, "\1\xc8\0", 3),
	    "a lossless segment longer than its samples");
	put("damaged-exact-short", with_segment(&one, "\0", 1), "a sample is missing");
	xc_bytes_free(&one);
}

void make_damaged(void)
{
	static const struct {
		const char *name;
		xc_subsampling s;
		xc_transform t;
		int entropy;
		uint32_t channels;
		size_t segment;
	} kinds[] = {
		{"dct", XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, 1, 3, 1},
		{"dct-420", XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 0, 3, 2},
		{"tdlt-422", XC_SUBSAMPLING_422, XC_TRANSFORM_TDLT, 2, 3, 3},
		{"lot-grey", XC_SUBSAMPLING_GREY, XC_TRANSFORM_LOT, 3, 1, 2},
		{"tdlt-rans-420", XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 3, 3, 1},
		{"alpha", XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 1, 4, 5},
		{"colour-of-alpha", XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 1, 4, 4},
	};
	OWN_BYTES base = appendix_a();
	OWN_BYTES tiles = tiled(XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 1, 3);
	OWN_BYTES pieces = in_pieces(&tiles, 2, 1, tiles_wide(&tiles));
	char name[96], text[96];

	for (size_t i = 0; i < COUNT(kinds); i++) {
		OWN_BYTES f = tiled(kinds[i].s, kinds[i].t, kinds[i].entropy, kinds[i].channels);
		snprintf(name, sizeof name, "damaged-%s", kinds[i].name);
		snprintf(text, sizeof text, "segment %zu is damaged: %s, %s", kinds[i].segment,
		         transforms[kinds[i].t], entropy_texts[kinds[i].entropy]);
		put(name, with_damage(&f, kinds[i].segment), text);
	}
	OWN_PICTURE d = drawing(150, 90, 4, 5, 3);
	const xc_encode_options o = exactly(1, 0);
	OWN_BYTES exact = encoded(&d, NULL, &o);
	put("damaged-lossless", with_damage(&exact, 0), "lossless: the segment is damaged");
	OWN_BYTES two = with_damage(&tiles, 0);
	put("damaged-two", with_damage(&two, 3), "two segments are damaged");
	xc_bytes sum = copy(&tiles);
	sum.data[part(&tiles, "DATA")->end - 1] ^= 1;
	put("damaged-crc-data", sum, "the CRC of DATA does not hold, all check values do");
	/* Segments whose check values are right. */
	static const struct {
		const char *name, *bytes;
		size_t size;
		const char *text;
	} segments[] = {
		{"short", "\xc8", 1, "bits are missing"},
		{"long", "\xc8\0\0", 3, "a byte is left"},
		{"padding", "\xc8\1", 2, "a bit of padding is not 0"},
	};
	for (size_t i = 0; i < COUNT(segments); i++) {
		snprintf(name, sizeof name, "damaged-segment-%s", segments[i].name);
		put(name, with_segment(&base, segments[i].bytes, segments[i].size), segments[i].text);
	}
	OWN_BYTES rans = small_file(1, 8, 3);
	const xc_file_chunk data = *part(&rans, "DATA");
	uint8_t bytes[4096];
	memcpy(bytes, rans.data + data.payload, data.length);
	bytes[0] ^= 1;
	put("damaged-rans-state", with_segment(&rans, bytes, data.length),
	    "rANS: another stored state");
	bytes[0] ^= 1;
	bytes[data.length] = 0;
	put("damaged-rans-long", with_segment(&rans, bytes, data.length + 1), "rANS: a byte is left");
	put("damaged-rans-short", with_segment(&rans, bytes, data.length - 1),
	    "rANS: a byte is missing");
	put("damaged-rans-none", with_segment(&rans, bytes, 4), "rANS: one state and nothing else");
	/* A size of 12 with 8 bits: built-in codes have the symbol. */
	OWN_BYTES grey = small_file(1, 8, 0);
	memset(bytes, 0xff, 64);
	put("damaged-size", with_segment(&grey, bytes, 64), "a size beyond the limit of 8 bits");
	/* The file ends early. */
	const xc_file_chunk first = *part(&pieces, "DATA"), last = *part(&pieces, NULL);
	static const char *const where[] = {"first", "middle", "piece", "crc", "done", "head"};
	const size_t ends[] = {first.payload + first.length / 2,
	                       (first.end + last.offset) / 2,
	                       first.end,
	                       last.offset - 2,
	                       last.offset,
	                       last.offset + 4};
	for (size_t i = 0; i < COUNT(ends); i++) {
		OWN_BYTES f = {0};
		xc_bytes_add(&f, pieces.data, ends[i]);
		snprintf(name, sizeof name, "damaged-cut-%s", where[i]);
		snprintf(text, sizeof text, "the file ends after %zu of %zu bytes", ends[i], pieces.size);
		add(name, &f, text);
	}
	OWN_BYTES early = {0};
	xc_bytes_add(&early, pieces.data, first.payload - 1);
	put("bad-cut-data", copy(&early), "the file ends before the first segment");
	early.size = part(&pieces, "QNTZ")->end;
	put("bad-cut-index", copy(&early), "the file ends before INDX");
	early.size = MAGIC + 20;
	put("bad-cut-head", copy(&early), "the file ends within HEAD");
	xc_bytes more = copy(&base);
	xc_bytes_add_u8(&more, 0);
	put("damaged-more", more, "a byte follows DONE");
	xc_bytes twice = copy(&base);
	xc_bytes_add(&twice, base.data, base.size);
	put("damaged-two-files", twice, "two files in one");
}

void make_refused(void)
{
	unsupported();
	bad_structure();
	bad_chunks();
	bad_lossless();
}
