/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_vectors FOLDER: writes the test vectors and their MANIFEST. It is run by hand where vectors are
 * added, since the files are part of the tree and stay what they are: an encoder may come to write
 * others. Each file is decoded by the reference decoders, which give shape and hash, and by the
 * library; where these differ, or another class comes out than the name says, the program fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcodec_jpeg.h>

#include "entropy/huffman.h"
#include "geometry/geometry.h"
#include "tests/format/refdec_vector.h"
#include "tests/support/arrays.h"
#include "tests/support/codec.h"
#include "tests/support/format_samples.h"
#include "tests/support/jpeg_files.h"
#include "tests/support/xc_files.h"

enum { MAGIC = 8, ENTROPY = 12 };

static xc_context *context;
static const char *folder;
static FILE *manifest;
static unsigned wrong;

/* ------------------------------------------------------------------- output */

/* The class is the first word of the name. */
static void add(const char *name, const xc_bytes *file, const char *text)
{
	xc_vector_result r, library;
	char path[1024], damaged[24] = "";

	const char *why = refdec_vector(file->data, file->size, &r);
	xc_vector_decode(context, file->data, file->size, &library);
	const char *class = xc_vector_class_name(r.class);
	if (!xc_vector_same(&r, &library) || strncmp(name, class, strlen(class)) != 0) {
		fprintf(stderr, "%s: refdec %s %llu %s (%s), library %s %llu %s (%s)%s\n", name, class,
		        (unsigned long long)r.damaged, r.shape, why ? why : "",
		        xc_vector_class_name(library.class), (unsigned long long)library.damaged,
		        library.shape, xc_context_message(context),
		        strcmp(r.hash, library.hash) ? ", other samples" : "");
		wrong++;
	}
	snprintf(path, sizeof path, "%s/%s.xc", folder, name);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(file->data, 1, file->size, f) != file->size || fclose(f))
		abort();
	if (r.class == XC_VECTOR_DAMAGED)
		snprintf(damaged, sizeof damaged, ":%llu", (unsigned long long)r.damaged);
	fprintf(manifest, "%s.xc %s%s %s %s %s\n", name, class, damaged, r.shape, r.hash, text);
}

/* ------------------------------------------------------------ files changed */

static xc_bytes copy(const xc_bytes *from)
{
	xc_bytes f = {0};

	xc_bytes_add(&f, from->data, from->size);
	return f;
}

static xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
static const xc_file_chunk *part(const xc_bytes *f, const char *type)
{
	const int n = xc_file_chunks(f->data, f->size, parts);
	return type ? xc_file_chunk_find(parts, n, type) : &parts[n - 1];
}

/* With this payload in a chunk that the file has. */
static xc_bytes with(const xc_bytes *from, const char *type, const void *payload, size_t size)
{
	const xc_file_chunk *p = part(from, type);
	xc_bytes f = {0};

	xc_bytes_splice(&f, from->data, from->size, p->offset, p->end, type, payload, size, 1);
	return f;
}

/* With another chunk before the first one of type `before`. */
static xc_bytes with_new(const xc_bytes *from, const char *before, const char *type,
                         const void *payload, size_t size)
{
	const xc_file_chunk *p = part(from, before);
	xc_bytes f = {0};

	xc_bytes_splice(&f, from->data, from->size, p->offset, p->offset, type, payload, size, 1);
	return f;
}

static xc_bytes without(const xc_bytes *from, const char *type)
{
	const xc_file_chunk *p = part(from, type);
	xc_bytes f = {0};

	xc_bytes_splice(&f, from->data, from->size, p->offset, p->end, type, NULL, 0, 0);
	return f;
}

/* With another byte in a payload; negative places count from its end. */
static xc_bytes with_byte(const xc_bytes *from, const char *type, int at, uint32_t value)
{
	const xc_file_chunk *p = part(from, type);
	xc_bytes f = copy(from);

	f.data[p->payload + (at < 0 ? p->length : 0) + (size_t)at] = (uint8_t)value;
	xc_file_fix(f.data, f.size);
	return f;
}

/* With so many bytes more (0xa5) or fewer in a payload. */
static xc_bytes with_length(const xc_bytes *from, const char *type, int more)
{
	const xc_file_chunk *p = part(from, type);
	uint8_t payload[4096];

	memset(payload, 0xa5, sizeof payload);
	memcpy(payload, from->data + p->payload, p->length);
	return with(from, type, payload, p->length + (size_t)more);
}

/* Adds it and frees it. */
static void put(const char *name, xc_bytes f, const char *text)
{
	add(name, &f, text);
	xc_bytes_free(&f);
}

/* The same segments with sizes of `width` bytes, `rows` rows of tiles a piece. */
static xc_bytes in_pieces(const xc_bytes *from, uint32_t width, size_t rows, size_t tiles_wide)
{
	const xc_file_chunk index = *part(from, "INDX"), data = *part(from, "DATA");
	const uint8_t *e = from->data + index.payload, *at = from->data + data.payload;
	const size_t old = *e++, count = (index.length - 1) / (old + 2);
	xc_bytes f = {0};

	xc_bytes_add(&f, from->data, index.offset);
	for (size_t i = 0; i < count;) {
		OWN_BYTES list = {0};
		OWN_BYTES bytes = {0};
		xc_bytes_add_u8(&list, width);
		for (size_t k = 0; k < rows * tiles_wide && i < count; k++, i++) {
			const size_t size = e[0] | e[1] << 8 | (old > 2 ? (size_t)e[2] << 16 : 0);
			for (uint32_t b = 0; b < width; b++)
				xc_bytes_add_u8(&list, b < 3 ? (uint32_t)(size >> 8 * b) : 0);
			xc_bytes_add(&list, e + old, 2);
			xc_bytes_add(&bytes, at, size);
			at += size;
			e += old + 2;
		}
		xc_bytes_add_chunk(&f, "INDX", list.data, list.size);
		xc_bytes_add_chunk(&f, "DATA", bytes.data, bytes.size);
	}
	xc_bytes_add_chunk(&f, "DONE", NULL, 0);
	xc_file_fix(f.data, f.size);
	return f;
}

/* The file with one segment of these bytes. */
static xc_bytes with_segment(const xc_bytes *from, const void *bytes, size_t size)
{
	const uint8_t index[5] = {2, (uint8_t)size, (uint8_t)(size >> 8)};
	OWN_BYTES f = with(from, "INDX", index, sizeof index);
	xc_bytes g = with(&f, "DATA", bytes, size);

	xc_file_fix(g.data, g.size);
	return g;
}

/* Changes the byte in the middle of segment i and leaves its check value as it is. */
static xc_bytes with_damage(const xc_bytes *from, size_t i)
{
	const xc_file_chunk index = *part(from, "INDX"), data = *part(from, "DATA");
	const uint8_t *e = from->data + index.payload;
	const size_t width = *e++;
	size_t at = data.payload;
	xc_bytes f = copy(from);

	for (;; e += width + 2, i--) {
		const size_t size = e[0] | (size_t)e[1] << 8;
		if (!i) {
			f.data[at + size / 2] ^= 0x55;
			return f;
		}
		at += size;
	}
}

/* -------------------------------------------------------------------- encode */

static xc_bytes taken(xc_status s, xc_buffer *made)
{
	xc_bytes f = {0};

	if (s) {
		fprintf(stderr, "%s\n", xc_context_message(context));
		abort();
	}
	xc_bytes_add(&f, made->data, made->size);
	xc_buffer_free(context, made);
	return f;
}

static xc_bytes encoded(const xc_picture *p, const xc_metadata *m, const xc_encode_options *o)
{
	xc_buffer made;
	return m || o->mode == XC_MODE_LOSSLESS ? taken(xc_encode(context, p, m, o, &made), &made)
	                                        : taken(xc_test_coded(context, p, o, &made), &made);
}

/* Options by which files have this number for `entropy`, 0 to 4. */
static xc_encode_options coding(int entropy, int quality, xc_subsampling s, xc_transform t)
{
	xc_encode_options o = xc_test_options(quality, s, t,
	                                      entropy ? XC_HUFFMAN_OPTIMIZED : XC_HUFFMAN_DEFAULT);

	o.entropy = entropy < 3 ? XC_ENTROPY_HUFFMAN : XC_ENTROPY_RANS;
	o.effort = entropy == 2 ? 2 : entropy == 4 ? 3 : 0;
	return o;
}

static const char *const transforms[] = {"dct", "lot", "tdlt"};
static const char *const entropies[] = {"built-in", "stored", "contexts", "rans", "rans-stored"};
static const char *const entropy_texts[] = {"built-in Huffman codes", "stored Huffman codes",
                                            "Huffman codes by context",
                                            "rANS, built-in frequencies",
                                            "rANS, stored frequencies"};
static const char *const subsamplings[] = {"420", "422", "444", "grey"};
static const char *const channel_names[] = {"", "grey", "grey-alpha", "rgb", "rgba"};

static uint32_t entropy_of(const xc_bytes *f)
{
	return f->data[part(f, "HEAD")->payload + ENTROPY];
}

/* The file with `entropy` 4 and a RANS that stores no level, if it has built-in frequencies. */
static xc_bytes with_frequencies(const xc_bytes *from, int classes)
{
	static const uint8_t none[24];
	OWN_BYTES f = with_byte(from, "HEAD", ENTROPY, 4);
	return with_new(&f, "INDX", "RANS", none, 12 * (size_t)classes);
}

static void lossy(void)
{
	static const uint32_t sizes[][2] = {{17, 13}, {9, 33},  {40, 21}, {24, 24},
	                                    {31, 8},  {12, 47}, {50, 7}};
	unsigned n = 0;

	for (unsigned t = 0; t < 3; t++)
		for (unsigned shape = 0; shape < 16; shape++, n++) {
			const uint32_t kind = shape % 8, depth = shape < 8 ? 8 : 16;
			const uint32_t channels = kind < 2 ? 1 + kind : 3 + kind % 2;
			const unsigned s = channels < 3 ? 3 : (kind - 2) / 2;
			const int e = (int)(shape + 2 * t + shape / 5) % 5;
			const uint32_t *size = sizes[n % COUNT(sizes)];
			const xc_encode_options o = coding(e, 60 + (int)n % 35, (xc_subsampling)s,
			                                   (xc_transform)t);
			OWN_PICTURE p = xc_smooth_picture(size[0], size[1], channels, depth, n);
			char name[96], text[160];
			xc_bytes f = encoded(&p, NULL, &o);
			if (e == 4 && entropy_of(&f) == 3) {
				const xc_bytes g = with_frequencies(&f, channels < 3 ? 1 : 2);
				xc_bytes_free(&f);
				f = g;
			}
			if (entropy_of(&f) != (uint32_t)e) {
				fprintf(stderr, "entropy %u, not %d\n", entropy_of(&f), e);
				wrong++;
			}
			snprintf(name, sizeof name, "good-lossy-%s%u-%s-%s-%s", channel_names[channels], depth,
			         subsamplings[s], transforms[t], entropies[e]);
			snprintf(text, sizeof text, "%u channels, %u bits, %s, %s, %s", channels, depth,
			         subsamplings[s], transforms[t], entropy_texts[e]);
			put(name, f, text);
		}
}

static void sizes(void)
{
	static const struct {
		uint32_t width, height, channels, depth;
		xc_subsampling s;
		xc_transform t;
		int entropy;
	} kinds[] = {
		{1, 1, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 3},
		{1, 1, 4, 16, XC_SUBSAMPLING_422, XC_TRANSFORM_LOT, 2},
		{1, 100, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_LOT, 1},
		{300, 1, 3, 8, XC_SUBSAMPLING_422, XC_TRANSFORM_TDLT, 3},
		{257, 2, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 0},
		{8, 8, 3, 8, XC_SUBSAMPLING_444, XC_TRANSFORM_LOT, 3},
		{16, 16, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 0},
		{15, 17, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 1},
		{2, 3, 3, 16, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 2},
	};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		const xc_encode_options o = coding(kinds[i].entropy, 80, kinds[i].s, kinds[i].t);
		OWN_PICTURE p = xc_smooth_picture(kinds[i].width, kinds[i].height, kinds[i].channels,
		                                  kinds[i].depth, i);
		char name[96], text[160];
		snprintf(name, sizeof name, "good-size-%ux%u-%s", p.width, p.height,
		         subsamplings[kinds[i].s]);
		snprintf(text, sizeof text, "%u x %u pixels, %s, %s, %s", p.width, p.height,
		         subsamplings[kinds[i].s], transforms[kinds[i].t], entropy_texts[kinds[i].entropy]);
		put(name, encoded(&p, NULL, &o), text);
	}
}

static xc_bytes tiled(xc_subsampling s, xc_transform t, int entropy, uint32_t channels)
{
	xc_encode_options o = coding(entropy, 30, s, t);
	OWN_PICTURE p = xc_smooth_picture(150, 90, channels, 8, 7);

	o.segment_blocks = 32;
	return encoded(&p, NULL, &o);
}

static size_t tiles_wide(const xc_bytes *f)
{
	const uint8_t *b = f->data + part(f, "HEAD")->payload;
	const uint32_t mcu = b[10] < 2 ? 16 : 8, wide = (150 + mcu - 1) / mcu,
				   tile = b[14] | b[15] << 8u;
	return (wide + tile - 1) / tile * (b[8] % 2 || b[12] == 6 ? 1 : 2);
}

static void tiles(void)
{
	static const struct {
		xc_subsampling s;
		xc_transform t;
		int entropy;
		uint32_t channels, width, rows;
	} kinds[] = {
		{XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 0, 3, 2, 99},
		{XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 3, 3, 3, 1},
		{XC_SUBSAMPLING_422, XC_TRANSFORM_LOT, 1, 3, 4, 2},
		{XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT, 2, 4, 2, 1},
		{XC_SUBSAMPLING_444, XC_TRANSFORM_LOT, 3, 3, 2, 99},
		{XC_SUBSAMPLING_GREY, XC_TRANSFORM_TDLT, 3, 2, 4, 99},
	};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		OWN_BYTES f = tiled(kinds[i].s, kinds[i].t, kinds[i].entropy, kinds[i].channels);
		char name[96], text[160];
		snprintf(name, sizeof name, "good-tiles-%s-%s-%s", subsamplings[kinds[i].s],
		         transforms[kinds[i].t], entropies[kinds[i].entropy]);
		snprintf(text, sizeof text, "many tiles, sizes of %u bytes in the index, %s, %s, %s",
		         kinds[i].width,
		         kinds[i].rows > 9   ? "one piece"
		         : kinds[i].rows > 1 ? "pieces of two rows"
		                             : "pieces of one row",
		         transforms[kinds[i].t], entropy_texts[kinds[i].entropy]);
		put(name, in_pieces(&f, kinds[i].width, kinds[i].rows, tiles_wide(&f)), text);
	}
}

static xc_bytes small_file(uint32_t channels, uint32_t depth, int entropy)
{
	const xc_encode_options o = coding(entropy, 75,
	                                   channels < 3 ? XC_SUBSAMPLING_GREY : XC_SUBSAMPLING_444,
	                                   XC_TRANSFORM_DCT);
	OWN_PICTURE p = xc_smooth_picture(19, 14, channels, depth, 3);
	return encoded(&p, NULL, &o);
}

static void steps(void)
{
	OWN_BYTES rgb = small_file(3, 8, 1);
	OWN_BYTES rgb16 = small_file(3, 16, 3);
	OWN_BYTES grey = small_file(1, 8, 3);
	const struct {
		const char *name;
		const xc_bytes *from;
		uint32_t quality;
		size_t size;
		uint8_t payload[20];
		const char *text;
	} kinds[] = {
		{"k-1", &rgb, 1, 3, {1, 0x88, 0x88}, "preset 1, quality 1"},
		{"k-49", &rgb, 49, 3, {1, 0x88, 0x88}, "preset 1, quality 49"},
		{"k-50-16", &rgb16, 50, 3, {1, 0x88, 0x88}, "preset 1, quality 50, 16 bits"},
		{"k-100", &rgb, 100, 3, {1, 0x88, 0x88}, "preset 1, quality 100"},
		{"k-100-16", &rgb16, 100, 3, {1, 0x88, 0x88}, "preset 1, quality 100, 16 bits"},
		{"flat-1-16", &rgb16, 1, 3, {2, 0x88, 0x88}, "preset 2, quality 1, 16 bits"},
		{"flat-90", &rgb, 90, 3, {2, 0x88, 0x88}, "preset 2, quality 90"},
		{"sloped-0", &rgb, 5, 5, {3, 0, 0, 0x88, 0x88}, "preset 3, scale 0: steps of 1"},
		{"sloped-300", &grey, 5, 4, {3, 44, 1, 0x88}, "preset 3, scale 300, grey"},
		{"sloped-max", &rgb16, 5, 5, {3, 255, 255, 0x88, 0x88}, "preset 3, scale 65535, 16 bits"},
		{"curve",
	     &rgb,
	     5,
	     17,
	     {4, 0, 1, 64, 70, 80, 30, 3, 80, 1, 60, 66, 90, 20, 253, 0x88, 0x88},
	     "preset 4, two curves"},
		{"curve-0",
	     &rgb,
	     5,
	     17,
	     {4, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 128, 0x88, 0x88},
	     "preset 4, the least numbers"},
		{"curve-max",
	     &rgb16,
	     5,
	     17,
	     {4, 255, 255, 255, 255, 255, 255, 127, 255, 255, 255, 255, 255, 255, 127, 0x88, 0x88},
	     "preset 4, the largest numbers, 16 bits"},
		{"curve-down",
	     &grey,
	     5,
	     9,
	     {4, 0, 2, 64, 64, 64, 0, 128, 0x88},
	     "preset 4, grey, bend -128"},
		{"points-least", &rgb, 30, 3, {1, 0x11, 0x11}, "points of reconstruction -7"},
		{"points-most", &rgb, 30, 3, {1, 0xff, 0xff}, "points of reconstruction 7"},
		{"points-mixed",
	     &rgb16,
	     30,
	     3,
	     {2, 0x1f, 0xa6},
	     "different points of reconstruction, rANS"},
	};
	uint8_t stored[260];

	for (size_t i = 0; i < COUNT(kinds); i++) {
		OWN_BYTES f = with(kinds[i].from, "QNTZ", kinds[i].payload, kinds[i].size);
		char name[96];
		snprintf(name, sizeof name, "good-steps-%s", kinds[i].name);
		put(name, with_byte(&f, "HEAD", 13, kinds[i].quality), kinds[i].text);
	}
	stored[0] = 0;
	stored[1] = 1;
	stored[66] = 2;
	for (unsigned k = 0; k < 64; k++) {
		stored[2 + k] = (uint8_t)(1 + 4 * k);
		stored[67 + 2 * k] = (uint8_t)(k * k);
		stored[68 + 2 * k] = (uint8_t)(k ? k * 4 : 1);
	}
	stored[195] = 0x78;
	stored[196] = 0x97;
	put("good-steps-stored", with(&rgb, "QNTZ", stored, 197),
	    "preset 0, one byte a step for luma and two for chroma");
	put("good-steps-stored-16", with(&rgb16, "QNTZ", stored, 197), "preset 0, 16 bits");
}

static void colours(void)
{
	static const int16_t none[9] = {8192, 0, 0, 0, 8192, 0, 0, 0, 8192};
	static const int16_t wild[9] = {32767, -32768, 1, -1, 0, 32767, -32768, -32768, 9};
	OWN_PICTURE p = xc_smooth_picture(21, 18, 3, 8, 5);
	OWN_PICTURE p16 = xc_smooth_picture(21, 18, 4, 16, 5);
	OWN_BYTES rgb = small_file(3, 8, 0);
	uint8_t payload[18];

	for (int w = 0; w < 2; w++) {
		for (int i = 0; i < 9; i++) {
			const uint16_t m = (uint16_t)(w ? wild : none)[i];
			payload[2 * i] = (uint8_t)m;
			payload[2 * i + 1] = (uint8_t)(m >> 8);
		}
		put(w ? "good-colours-extreme" : "good-colours-none",
		    with_new(&rgb, "QNTZ", "COLR", payload, 18),
		    w ? "COLR with the least and the largest elements" : "COLR that changes nothing");
	}
	for (int i = 0; i < 3; i++) {
		xc_encode_options o = coding(2 + i, 85, XC_SUBSAMPLING_444, (xc_transform)i);
		char name[96];
		o.colour = XC_COLOUR_PICTURE;
		snprintf(name, sizeof name, "good-colours-picture-%s", transforms[i]);
		put(name, encoded(i == 1 ? &p16 : &p, NULL, &o),
		    i == 1 ? "COLR made for the picture, alpha, 16 bits" : "COLR made for the picture");
	}
}

/* ---------------------------------------------------------------- entropy coding */

typedef struct bit_writer {
	xc_bytes *out;
	uint32_t bits, count;
} bit_writer;

static void put_bits(bit_writer *w, uint32_t value, uint32_t n)
{
	while (n--) {
		w->bits = w->bits << 1 | (value >> n & 1);
		if (++w->count == 8) {
			xc_bytes_add_u8(w->out, w->bits);
			w->bits = w->count = 0;
		}
	}
}

static uint32_t rank(uint32_t symbol)
{
	const uint32_t run = symbol >> 4, size = symbol & 15;
	return size ? (run + 4) * size : symbol == 0 ? 0 : symbol == 0xf0 ? 18 : 1000;
}

/* A set of six codes of AC that are all the built-in one, whose longest have 16 bits: each length is
 * that of the code before. */
static void add_built_in_set(xc_bytes *out, int chroma)
{
	bit_writer w = {.out = out};
	xc_huffman_code dc, ac;

	xc_huffman_default(&dc, 0, chroma);
	xc_huffman_default(&ac, 1, chroma);
	put_bits(&w, 5, 3);
	for (uint32_t i = 0; i < 6; i++)
		put_bits(&w, 5 - i, 3);
	put_bits(&w, 31, 8);
	for (int i = 0; i < 32; i++)
		put_bits(&w, 0, 2);
	for (int code = 0; code < 6; code++) {
		put_bits(&w, 255, 8);
		for (uint32_t r = 0; r <= 1000; r++)
			for (uint32_t s = 0; s < 256; s++)
				if (rank(s) == r)
					put_bits(&w, !ac.length[s], ac.length[s] ? 2 : 1);
	}
	put_bits(&w, 0, (8 - w.count) % 8);
}

static void codes(void)
{
	OWN_BYTES built_in = small_file(3, 8, 0);
	OWN_BYTES grey = small_file(1, 16, 3);
	OWN_BYTES rgb = small_file(3, 8, 3);
	OWN_BYTES sets = {0};

	add_built_in_set(&sets, 0);
	add_built_in_set(&sets, 1);
	OWN_BYTES f = with_byte(&built_in, "HEAD", ENTROPY, 2);
	put("good-huff-16-bits", with_new(&f, "INDX", "HUFF", sets.data, sets.size),
	    "HUFF by context: six codes of AC, lengths of 16, words of the same length");
	put("good-rans-none-stored", with_frequencies(&rgb, 2), "RANS that stores no level");
	put("good-rans-none-stored-grey-16", with_frequencies(&grey, 1),
	    "RANS that stores no level, grey, 16 bits");
	for (unsigned seed = 0; seed < 24; seed++) {
		const int wild = seed % 2;
		OWN_BYTES random = {0};
		char name[96], text[160];
		xc_random_file(&random, 1000 + seed, wild);
		if (random.size > 6000)
			continue;
		snprintf(name, sizeof name, "good-%s-%u", wild ? "wild" : "random", seed);
		snprintf(text, sizeof text,
		         "random tiles, codes, points and ancillary chunks, Huffman coding %u%s",
		         entropy_of(&random),
		         wild ? ", values and steps up to the largest, runs out of the block" : "");
		add(name, &random, text);
	}
}

static void samples(void)
{
	static const struct {
		uint32_t channels, depth;
		xc_subsampling s;
	} kinds[] = {{3, 8, XC_SUBSAMPLING_444},   {3, 8, XC_SUBSAMPLING_420},
	             {3, 16, XC_SUBSAMPLING_422},  {1, 8, XC_SUBSAMPLING_GREY},
	             {2, 16, XC_SUBSAMPLING_GREY}, {4, 8, XC_SUBSAMPLING_444}};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		xc_encode_options o = coding(1, 100, kinds[i].s, XC_TRANSFORM_DCT);
		OWN_PICTURE p = xc_extreme_picture(18, 11, kinds[i].channels, kinds[i].depth, i);
		xc_buffer made;
		char name[96];
		o.entropy = XC_ENTROPY_RANS;
		o.subsampling = kinds[i].s;
		const xc_status s = xc_encode(context, &p, NULL, &o, &made);
		xc_bytes f = taken(s, &made);
		if (entropy_of(&f) != 5) {
			fprintf(stderr, "samples %zu: entropy %u\n", i, entropy_of(&f));
			xc_bytes_free(&f);
			continue;
		}
		snprintf(name, sizeof name, "good-samples-%s%u-%s", channel_names[p.channels], p.depth,
		         subsamplings[kinds[i].s]);
		put(name, f, "stored samples");
	}
}

/* ----------------------------------------------------------------- lossless */

/* Alpha of a kind; the colour is smooth. */
static void set_alpha(xc_picture *p, int kind)
{
	uint64_t seed = 5;

	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++) {
			const uint32_t v = kind == 0             ? 255
			                   : kind == 1           ? 77
			                   : kind == 2           ? check_below(&seed, 256)
			                   : kind == 3           ? (x + y) * 2 % 256
			                   : (x / 7 + y / 5) % 3 ? 255
			                                         : 0;
			uint8_t *s = (uint8_t *)p->data + y * p->stride +
			             (size_t)x * p->channels * (p->depth / 8) +
			             (size_t)(p->channels - 1) * (p->depth / 8);
			s[0] = (uint8_t)v;
			if (p->depth == 16)
				s[1] = (uint8_t)v;
		}
}

static void alpha(void)
{
	static const char *const kinds[] = {"opaque", "one-value", "noise", "slope", "mask"};

	for (uint32_t i = 0; i < 10; i++) {
		const xc_encode_options o = coding(i % 2 ? 3 : 1, 40,
		                                   i < 5 ? XC_SUBSAMPLING_420 : XC_SUBSAMPLING_GREY,
		                                   XC_TRANSFORM_DCT);
		OWN_PICTURE p = xc_smooth_picture(41, 37, i < 5 ? 4 : 2, i % 5 && i > 4 ? 16 : 8, 2);
		char name[96], text[96];
		set_alpha(&p, (int)i % 5);
		snprintf(name, sizeof name, "good-alpha-%s-%u", kinds[i % 5], p.depth + p.channels);
		snprintf(text, sizeof text, "lossy, %u bits, alpha: %s", p.depth, kinds[i % 5]);
		put(name, encoded(&p, NULL, &o), text);
	}
}

/* Text, lines and areas of a few colours, `noise` in 256 of its pixels another one. */
static xc_picture drawing(uint32_t width, uint32_t height, uint32_t channels, uint32_t colours,
                          uint32_t noise)
{
	xc_picture p = xc_smooth_picture(width, height, channels, 8, 1);
	uint64_t seed = colours;

	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++) {
			const uint32_t letter = (x % 6 * 7 + y % 8 * 5 + x / 6 * 3 % 4) % 9 < 3 && y % 24 < 8;
			const uint32_t c = check_below(&seed, 256) < noise ? check_below(&seed, colours)
			                   : letter                        ? 1
			                                                   : (x / 40 + y / 30) % colours;
			uint8_t *s = (uint8_t *)p.data + y * p.stride + (size_t)x * channels;
			for (uint32_t k = 0; k < channels; k++)
				s[k] = (uint8_t)(255 - c * (37 + 20 * k));
		}
	return p;
}

static xc_encode_options exactly(int effort, uint32_t max_error)
{
	xc_encode_options o;

	xc_encode_options_default(&o);
	o.mode = XC_MODE_LOSSLESS;
	o.effort = effort;
	o.max_error = max_error;
	return o;
}

/* The picture in tiles of 16 x 16 pixels, each coded as a picture of its own. */
static xc_bytes lossless_tiles(const xc_picture *p)
{
	const xc_encode_options o = exactly(2, 0);
	OWN_BYTES index = {0};
	OWN_BYTES data = {0};
	xc_bytes f = {0};

	xc_bytes_add_u8(&index, 2);
	for (uint32_t y = 0; y < p->height; y += 16)
		for (uint32_t x = 0; x < p->width; x += 16) {
			const size_t pixel = (size_t)p->channels * (p->depth / 8);
			const xc_picture tile = {xc_min_u32(16, p->width - x),
			                         xc_min_u32(16, p->height - y),
			                         p->channels,
			                         p->depth,
			                         p->stride,
			                         (uint8_t *)p->data + y * p->stride + x * pixel};
			OWN_BYTES one = encoded(&tile, NULL, &o);
			const xc_file_chunk d = *part(&one, "DATA");
			if (part(&one, "PLTE"))
				abort();
			xc_bytes_add(&data, one.data + d.payload, d.length);
			xc_bytes_add_le16(&index, (uint32_t)d.length);
			xc_bytes_add_le16(&index, 0);
		}
	xc_bytes_add_magic(&f);
	xc_bytes_add_head(&f, &(xc_head){p->width, p->height, p->channels, p->depth,
	                                 p->channels < 3 ? 3 : 2, 3, 6, 75, 2, 2});
	xc_bytes_add_chunk(&f, "INDX", index.data, index.size);
	xc_bytes_add_chunk(&f, "DATA", data.data, data.size);
	xc_bytes_add_chunk(&f, "DONE", NULL, 0);
	xc_file_fix(f.data, f.size);
	return f;
}

static void lossless(void)
{
	unsigned n = 0;

	for (uint32_t channels = 1; channels <= 4; channels++)
		for (uint32_t depth = 8; depth <= 16; depth += 8)
			for (int effort = 0; effort < 4; effort += 3, n++) {
				const xc_encode_options o = exactly(effort, 0);
				OWN_PICTURE p = xc_smooth_picture(23 + n, 35 - n, channels, depth, n);
				char name[96], text[96];
				snprintf(name, sizeof name, "good-lossless-%s%u-%d", channel_names[channels], depth,
				         effort);
				snprintf(text, sizeof text, "lossless, %u channels, %u bits, effort %d", channels,
				         depth, effort);
				put(name, encoded(&p, NULL, &o), text);
			}
	for (uint32_t i = 0; i < 4; i++) {
		static const uint32_t errors[] = {1, 5, 300, 4095};
		const xc_encode_options o = exactly(2, errors[i]);
		OWN_PICTURE p = xc_sample_picture(30, 20, 1 + i % 2 * 2, i < 2 ? 8 : 16, 0, i);
		char name[96], text[96];
		snprintf(name, sizeof name, "good-near-%u", errors[i]);
		snprintf(text, sizeof text, "NEAR, errors of up to %u, %u bits", errors[i], p.depth);
		put(name, encoded(&p, NULL, &o), text);
	}
	for (uint32_t i = 0; i < 6; i++) {
		const xc_encode_options o = exactly((int)i % 4, 0);
		OWN_PICTURE p = drawing(i == 5 ? 200 : 90, i == 5 ? 140 : 61, 1 + i % 4, i < 3 ? 3 : 40,
		                        i < 4 ? 0 : 8);
		char name[96], text[96];
		snprintf(name, sizeof name, "good-drawing-%s-%u", channel_names[p.channels], i);
		snprintf(text, sizeof text, "lossless drawing, %u channels%s", p.channels,
		         i == 5 ? ", several tiles" : "");
		put(name, encoded(&p, NULL, &o), text);
	}
	for (uint32_t i = 0; i < 3; i++) {
		OWN_PICTURE p = xc_smooth_picture(41, 27, 2 + i % 2, i < 2 ? 8 : 16, 4);
		OWN_PICTURE d = drawing(41, 27, 3, 5, 4);
		char name[96];
		snprintf(name, sizeof name, "good-lossless-tiles-%u", i);
		put(name, lossless_tiles(i == 1 ? &d : &p), "lossless, tiles of 16 x 16 pixels");
	}
	OWN_PICTURE both = drawing(128, 64, 3, 4, 0);
	OWN_PICTURE photo = xc_sample_picture(128, 64, 3, 8, 0, 3);
	for (uint32_t y = 0; y < 32; y++)
		memcpy((uint8_t *)both.data + y * both.stride + 96,
		       (uint8_t *)photo.data + y * photo.stride, 96);
	const xc_encode_options most = exactly(3, 0);
	put("good-drawing-squares", encoded(&both, NULL, &most), "a drawing with a photograph in it");
	for (uint32_t i = 0; i < 4; i++) { /* constant, two rows, 12 bits of 16, noise */
		static const char *const names[] = {"constant", "low", "12-of-16", "noise"};
		const xc_encode_options o = exactly(2, 0);
		OWN_PICTURE p = xc_sample_picture(i == 1 ? 60 : 20, i == 1 ? 2 : 20, i == 2 ? 1 : 3,
		                                  i == 2 ? 16 : 8, 0, i);
		uint64_t seed = 3;
		for (uint32_t y = 0; y < p.height; y++)
			for (size_t x = 0; x < (size_t)p.width * p.channels; x++) {
				uint8_t *row = (uint8_t *)p.data + y * p.stride;
				if (i == 0)
					row[x] = (uint8_t)(40 * (x % 3));
				if (i == 3)
					row[x] = (uint8_t)check_below(&seed, 256);
				if (i == 2)
					((uint16_t *)(void *)row)[x] = (uint16_t)(((x * 40 + y * 9) % 4096) * 65535 /
					                                          4095);
			}
		char name[96], text[96];
		snprintf(name, sizeof name, "good-lossless-%s", names[i]);
		snprintf(text, sizeof text, "lossless: %s", names[i]);
		put(name, encoded(&p, NULL, &o), text);
	}
	for (uint32_t i = 0; i < 5; i++) {
		static const uint32_t counts[] = {2, 4, 16, 100, 5};
		static const uint8_t bits[] = {1, 2, 4, 8, 0};
		uint8_t palette[256][4];
		const xc_encode_options o = exactly(2, 0);
		OWN_PICTURE p = xc_smooth_picture(33, 29, i < 4 ? 3 : 2, 8, 1);
		uint64_t seed = i;
		for (unsigned k = 0; k < counts[i]; k++)
			for (unsigned c = 0; c < 4; c++)
				palette[k][c] = (uint8_t)(k * (29 + 30 * (p.channels < 3 ? 0 : c)) + 17);
		for (uint32_t y = 0; y < p.height; y++)
			for (uint32_t x = 0; x < p.width; x++) {
				const uint32_t k = check_below(&seed, 8) ? (x / 4 + y / 5) % counts[i]
				                                         : check_below(&seed, counts[i]);
				memcpy((uint8_t *)p.data + y * p.stride + (size_t)x * p.channels, palette[k],
				       p.channels);
			}
		for (unsigned k = 0; k < counts[i]; k++)
			palette[k][3] = 255;
		const xc_metadata m = {.palette = {palette, 4 * (size_t)counts[i]},
		                       .palette_bits = bits[i]};
		char name[96], text[96];
		snprintf(name, sizeof name, "good-palette-%u", counts[i]);
		snprintf(text, sizeof text, "%u colours%s", counts[i],
		         i < 4 ? ", PLTE of the original" : ", grey and alpha");
		put(name, encoded(&p, i < 4 ? &m : NULL, &o), text);
	}
}

/* ------------------------------------------------------------------ chunks */

/* The file of appendix A. */
static xc_bytes appendix_a(void)
{
	static const uint8_t head[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 8, 3, 0, 1, 75, 1, 0, 1, 0},
						 steps[] = {1, 0x88}, index[] = {2, 2, 0, 0, 0}, data[] = {0xc8, 0};
	uint8_t huff[21] = {0x10, 0x51, 0x0f, 0x07, 0x11};
	xc_bytes f = {0};

	memset(huff + 5, 0x0f, 15);
	huff[20] = 0x0d;
	xc_bytes_add_magic(&f);
	xc_bytes_add_chunk(&f, "HEAD", head, sizeof head);
	xc_bytes_add_chunk(&f, "QNTZ", steps, sizeof steps);
	xc_bytes_add_chunk(&f, "HUFF", huff, sizeof huff);
	xc_bytes_add_chunk(&f, "INDX", index, sizeof index);
	xc_bytes_add_chunk(&f, "DATA", data, sizeof data);
	xc_bytes_add_chunk(&f, "DONE", NULL, 0);
	xc_file_fix(f.data, f.size);
	return f;
}

static void ancillary(void)
{
	static const struct {
		const char *name, *type, *payload;
		size_t size;
		const char *text;
	} kinds[] = {
		{"dens", "dens", "\x13\x0b\0\0\x12\x0b\0\0\1", 9, "dens"},
		{"dens-unit-7", "dens", "\x13\x0b\0\0\x12\x0b\0\0\7", 9,
	     "dens of a unit that is not assigned: not there"},
		{"dens-short", "dens", "\x13\x0b\0\0", 4, "dens of 4 bytes: not there"},
		{"dens-long", "dens", "\x13\x0b\0\0\x12\x0b\0\0\1later", 14,
	     "dens with fields of a later release"},
		{"cicp", "cicp", "\x9\x10\0\1", 4, "cicp"},
		{"cicp-long", "cicp", "\x9\x10\0\1\1\2\3", 7, "cicp with fields of a later release"},
		{"gama-short", "gama", "\x8f\xb1\0\0", 4, "gama of 4 bytes: not there"},
		{"sbit-empty", "sbit", "", 0, "sbit without a byte: not there"},
		{"sbit-long", "sbit", "\5\6\5\1\7\7", 6, "sbit with fields of a later release"},
		{"text", "text", "Title\0a", 8, "text"},
		{"text-odd", "text", "no pair", 7, "text without a zero byte"},
		{"exif", "exif", "MM\0*\0\0\0\x08\0\0", 10, "exif"},
		{"iccp-empty", "iccp", "", 0, "iccp without a byte"},
		{"unknown", "what", "anything", 8, "an unknown ancillary chunk"},
		{"private", "qABC", "anything", 8, "a private chunk"},
		{"atta", "atta", "x", 1, "a chunk of arrays"},
		{"rang-8", "rang", "\1\0\0\0", 4, "rang of a picture of 8 bits means nothing"},
	};
	OWN_BYTES base = appendix_a();
	OWN_BYTES rgb = small_file(3, 8, 1);
	OWN_BYTES deep = small_file(3, 16, 3);

	put("good-appendix-a", copy(&base), "the file of appendix A");
	for (size_t i = 0; i < COUNT(kinds); i++) {
		char name[96];
		snprintf(name, sizeof name, "good-ancillary-%s", kinds[i].name);
		put(name,
		    with_new(&base, i % 3 ? "QNTZ" : "DONE", kinds[i].type, kinds[i].payload,
		             kinds[i].size),
		    kinds[i].text);
	}
	OWN_BYTES between = with_new(&rgb, "DATA", "what", "x", 1);
	put("good-ancillary-between", with_new(&between, "DATA", "text", "a\0b", 4),
	    "ancillary chunks between INDX and DATA");
	OWN_BYTES twice = with_new(&deep, "QNTZ", "rang", "\xff\x7f\0\0", 4);
	put("good-rang", copy(&twice), "rang: samples are held to 32767");
	put("good-rang-last", with_new(&twice, "QNTZ", "rang", "\xff\x3f\0\0more", 8),
	    "two rang: the last one counts, here 32767");
	put("good-rang-short", with_new(&twice, "INDX", "rang", "\1\0", 2),
	    "rang of 2 bytes is not there: the one before counts");
	put("good-rang-late", with_new(&deep, "DONE", "rang", "\xff\x3f\0\0", 4),
	    "rang after DATA counts for no sample");
	put("good-head-19", with_length(&rgb, "HEAD", 1), "HEAD of 19 bytes");
	put("good-head-128", with_length(&rgb, "HEAD", 110),
	    "HEAD of 128 bytes, whose length takes two");
	put("good-head-255", with_length(&deep, "HEAD", 237), "HEAD of 255 bytes");
	const xc_file_chunk h = *part(&rgb, "HUFF"), q = *part(&rgb, "QNTZ");
	xc_bytes order = {0};
	xc_bytes_add(&order, rgb.data, q.offset);
	xc_bytes_add(&order, rgb.data + h.offset, h.end - h.offset);
	xc_bytes_add(&order, rgb.data + q.offset, q.end - q.offset);
	xc_bytes_add(&order, rgb.data + h.end, rgb.size - h.end);
	put("good-order", order, "HUFF before QNTZ");
	OWN_BYTES no_huff = without(&rgb, "HUFF");
	put("good-order-index", with_new(&no_huff, "DATA", "HUFF", rgb.data + h.payload, h.length),
	    "HUFF between INDX and DATA");
	xc_bytes longer = {0};
	xc_bytes_add(&longer, base.data, base.size - 9);
	xc_bytes_add(&longer, "DONE\x80\x80\x80\x80\x80\x80\x80\x80\0\0\0\0", 17);
	xc_file_fix(longer.data, longer.size);
	put("good-length-9", longer, "a length of nine bytes");
	put("good-index-width-4", in_pieces(&base, 4, 1, 1),
	    "sizes of four bytes where two are enough");
}

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

static void damaged(void)
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

/* ----------------------------------------------------------- arrays and JPEGs */

static xc_bytes small_array(unsigned seed, xc_array_shape *shape)
{
	xc_made_array a;
	xc_buffer made;

	xc_made_array_make(seed, 1500, &a);
	const xc_status s = xc_array_encode(context, &a.shape, a.values, &a.options, &made);
	*shape = a.shape;
	xc_made_array_free(&a);
	return taken(s, &made);
}

static void arrays(void)
{
	static const char *const kinds[] =
		{"lossless", "absolute bound", "bound of the range", "bound of each value", "PSNR", "SNR"};
	static const char *const ways[] = {"prediction", "DCT", "LOT", "TDLT"};
	unsigned seen_type[XC_ARRAY_TYPES][6] = {{0}}, seen_way[XC_ARRAY_TYPES][4] = {{0}},
			 seen_size[5] = {0}, seen_flags[256] = {0}, count = 0;
	char name[96], text[160];
	xc_array_shape shape;

	for (unsigned seed = 0; seed < 3000 && count < 60; seed++) {
		OWN_BYTES f = small_array(seed, &shape);
		const uint8_t *b = f.data + part(&f, "ARRY")->payload;
		const uint8_t *entry = f.data + part(&f, "INDX")->payload;
		const size_t model = entry[1] | entry[2] << 8;
		const uint8_t flags = f.data[part(&f, "DATA")->payload + (entry[0] == 2 ? model : 0)];
		unsigned *const seen[] = {&seen_type[b[0]][b[2]], &seen_way[b[0]][b[63]], &seen_size[b[1]],
		                          &seen_flags[flags]};
		if (f.size > 2500 || (seen[0][0] && seen[1][0] && seen[2][0] > 5 && seen[3][0] > 1))
			continue;
		for (size_t i = 0; i < COUNT(seen); i++)
			++*seen[i];
		snprintf(name, sizeof name, "good-array-%02u", count++);
		snprintf(text, sizeof text, "%u dimension%s, %s, %s", b[1], xc_s(b[1]), kinds[b[2]],
		         ways[b[63]]);
		add(name, &f, text);
	}
	OWN_BYTES f = small_array(1, &shape);
	put("good-array-head-72", with_length(&f, "ARRY", 1), "ARRY of 72 bytes");
	put("good-array-head-255", with_length(&f, "ARRY", 184), "ARRY of 255 bytes");
	put("bad-array-head-70", with_length(&f, "ARRY", -1), "ARRY of 70 bytes");
	put("bad-array-head-256", with_length(&f, "ARRY", 185), "ARRY of 256 bytes");
	put("good-array-atta", with_new(&f, "INDX", "atta", "npyyheader", 10), "attached bytes");
	put("good-array-atta-short", with_new(&f, "INDX", "atta", "np", 2),
	    "atta of two bytes: not there");
	put("good-array-unknown", with_new(&f, "DONE", "dens", "any", 3),
	    "an ancillary chunk that arrays do not have");
	put("unsupported-array-chunk", with_new(&f, "INDX", "WHAT", "x", 1),
	    "an array with an unknown critical chunk");
	put("unsupported-array-QNTZ", with_new(&f, "INDX", "QNTZ", "x", 1),
	    "an array with a critical chunk of pictures");
	put("unsupported-array-type", with_byte(&f, "ARRY", 0, 8), "another type");
	put("unsupported-array-dimensions", with_byte(&f, "ARRY", 1, 5), "five dimensions");
	put("unsupported-array-kind", with_byte(&f, "ARRY", 2, 6), "another kind of bound");
	put("unsupported-array-way", with_byte(&f, "ARRY", 63, 4), "another way");
	put("unsupported-array-reserved", with_byte(&f, "ARRY", 70, 1), "a reserved byte is not 0");
	put("bad-array-size", with_byte(&f, "ARRY", 3 + 7, 1), "a size above 2^32");
	put("bad-array-chunk", with_byte(&f, "ARRY", 35, 0), "a chunk without a value");
	put("bad-array-bound", with_byte(&f, "ARRY", 54, 0xff), "a bound that is no number");
	put("bad-array-without-index", without(&f, "INDX"), "an array without INDX");
	put("bad-array-without-data", without(&f, "DATA"), "an array without DATA");
	const xc_file_chunk data = *part(&f, "DATA"), end = *part(&f, NULL);
	xc_bytes g = copy(&f);
	g.data[data.payload + data.length / 2] ^= 1;
	put("bad-array-segment", g, "an array with a damaged segment");
	g = copy(&f);
	g.size = end.offset;
	put("bad-array-cut", g, "an array without DONE");
	g = copy(&f);
	xc_bytes_add_u8(&g, 0);
	put("bad-array-more", g, "a byte follows DONE");
}

static xc_bytes kept(const xc_bytes *jpeg, xc_jpeg_info *info)
{
	xc_buffer made;
	const xc_status s = xc_jpeg_encode(context, jpeg->data, jpeg->size, NULL, info, &made);
	return taken(s, &made);
}

static void jpegs(void)
{
	unsigned repacked = 0, stored = 0;
	char name[96], text[160];
	xc_jpeg_info info;
	OWN_BYTES last = {0};

	for (unsigned seed = 0; seed < 600 && repacked < 14; seed++) {
		OWN_BYTES jpeg = {0};
		xc_test_jpeg_make(&jpeg, seed);
		OWN_BYTES f = kept(&jpeg, &info);
		if (f.size > 2500 || (info.stored && (f.size > 600 || stored == 2)))
			continue;
		if (info.stored) {
			snprintf(name, sizeof name, "good-jpeg-stored-%u", stored++);
			snprintf(text, sizeof text, "a JPEG that is stored as it is");
		} else {
			snprintf(name, sizeof name, "good-jpeg-%02u", repacked++);
			snprintf(text, sizeof text,
			         "%s JPEG, %d component%s, %u x %u, any sampling, scans, restarts",
			         info.progressive ? "progressive" : "sequential", info.components,
			         xc_s((unsigned)info.components), info.width, info.height);
		}
		add(name, &f, text);
	}
	for (int i = 0; i < 8; i++) {
		static const xc_sample_jpeg kinds[] =
			{{40, 30, 3, 0, 0, 0, 2, 2}, {40, 30, 3, 0, 0, 0, 1, 1}, {41, 23, 3, 0, 2, 0, 2, 1},
		     {33, 50, 1, 0, 0, 0, 1, 1}, {40, 30, 3, 1, 0, 0, 2, 2}, {17, 17, 4, 0, 0, 0, 1, 1},
		     {64, 9, 1, 1, 3, 0, 1, 1},  {1, 1, 3, 0, 0, 0, 2, 2}};
		static const char *const names[] = {"420",         "444",  "422-restart",      "grey",
		                                    "progressive", "cmyk", "grey-progressive", "one-pixel"};
		OWN_BYTES jpeg = {0};
		xc_sample_jpeg_make(&jpeg, &kinds[i], NULL);
		xc_bytes f = kept(&jpeg, &info);
		snprintf(name, sizeof name, "good-jpeg-%s", names[i]);
		snprintf(text, sizeof text, "a JPEG of libjpeg: %s%s", names[i],
		         info.stored ? ", stored as it is" : "");
		add(name, &f, text);
		if (!i)
			xc_bytes_add(&last, f.data, f.size);
		xc_bytes_free(&f);
	}
	const int head = (int)part(&last, "JPEG")->length, size = head - 32;
	put("good-jpeg-head-1", with_length(&last, "JPEG", 1), "JPEG with a byte more");
	put("good-jpeg-head-255", with_length(&last, "JPEG", 255 - head), "JPEG of 255 bytes");
	put("bad-jpeg-head-short", with_length(&last, "JPEG", -1), "JPEG with a byte of the hash missing");
	put("bad-jpeg-head-256", with_length(&last, "JPEG", 256 - head), "JPEG of 256 bytes");
	put("good-jpeg-unknown", with_new(&last, "PICT", "what", "x", 1),
	    "an unknown ancillary chunk before PICT");
	put("unsupported-jpeg-chunk", with_new(&last, "PICT", "WHAT", "x", 1),
	    "an unknown critical chunk before PICT");
	put("unsupported-jpeg-chunk-end", with_new(&last, "DONE", "WHAT", "x", 1),
	    "an unknown critical chunk before DONE");
	put("bad-jpeg-hash", with_byte(&last, "JPEG", size + 5, 0), "another SHA-256");
	put("bad-jpeg-size", with_byte(&last, "JPEG", size - 1, 2), "another size");
	uint8_t huge[39] = {128, 128, 128, 128, 128, 128, 1};
	put("limit-jpeg", with(&last, "JPEG", huge, sizeof huge), "a JPEG of 2^42 bytes");
	memset(huge, 0, 33);
	put("bad-jpeg-empty", with(&last, "JPEG", huge, 33), "a JPEG of no byte");
	put("bad-jpeg-without-pict", without(&last, "PICT"), "segments without PICT");
	put("bad-jpeg-without-index", without(&last, "INDX"), "PICT without INDX");
	xc_bytes g = copy(&last);
	g.data[part(&last, "DATA")->payload + 40] ^= 1;
	put("bad-jpeg-segment", g, "a damaged segment");
	g = copy(&last);
	xc_bytes_add_u8(&g, 0);
	put("bad-jpeg-more", g, "a byte follows DONE");
	g = copy(&last);
	g.size = part(&last, NULL)->offset;
	put("bad-jpeg-cut", g, "the file ends before DONE");
}

static void refused(void)
{
	unsupported();
	bad_structure();
	bad_chunks();
	bad_lossless();
}

int main(int argc, char **argv)
{
	char path[1024];

	if (argc != 2) {
		fputs("usage: make_vectors FOLDER\n", stderr);
		return 2;
	}
	folder = argv[1];
	snprintf(path, sizeof path, "%s/MANIFEST", folder);
	manifest = fopen(path, "w");
	context = xc_test_context();
	if (!manifest)
		return 1;
	fputs("# FILE CLASS[:DAMAGED SEGMENTS] SHAPE SHA-256 WHAT; see README.md\n", manifest);
	lossy();
	sizes();
	tiles();
	steps();
	colours();
	codes();
	samples();
	alpha();
	lossless();
	ancillary();
	refused();
	damaged();
	arrays();
	jpegs();
	xc_context_free(context);
	if (fclose(manifest))
		return 1;
	return wrong != 0;
}
