/* SPDX-License-Identifier: BSD-2-Clause */
/* HEAD, PLTE and NEAR of lossless files: what is read, what the writer makes, what is refused. The
 * segments of these files are never decoded. */
#include <string.h>

#include "src/container/container.h"
#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

static xc_context *context;

static const uint8_t colours[256][4] = {{9, 8, 7, 255}, {1, 2, 3, 255}, {9, 8, 7, 255}};
/* Two tiles, one above the other. */
static const xc_head colour_head = {.width = 1024,
                                    .height = 1040,
                                    .channels = 3,
                                    .depth = 8,
                                    .subsampling = XC_SUBSAMPLING_444,
                                    .transform = XC_TRANSFORM_NONE,
                                    .entropy = XC_ENTROPY_EXACT,
                                    .quality = 100,
                                    .tile_wide = 128,
                                    .tile_high = 128};

/* A chunk more in a file, before or after its segment. */
typedef struct extra {
	const char *type;
	const void *payload;
	size_t size;
	int late;
} extra;

static void make(xc_bytes *f, const xc_head *head, const extra *more, size_t count)
{
	static const uint8_t index[9] = {2, 2, 0, 0, 0, 2}, segment[4] = {1, 2, 3, 4};

	xc_bytes_add_magic(f);
	xc_bytes_add_head(f, head);
	for (int late = 0; late <= 1; late++) {
		for (size_t i = 0; i < count; i++)
			if (more[i].late == late)
				xc_bytes_add_chunk(f, more[i].type, more[i].payload, more[i].size);
		if (late)
			break;
		xc_bytes_add_chunk(f, "INDX", index, sizeof index);
		xc_bytes_add_chunk(f, "DATA", segment, sizeof segment);
	}
	xc_bytes_add_chunk(f, "DONE", NULL, 0);
	xc_file_fix(f->data, f->size);
}

static void expect(const xc_head *head, const extra *more, size_t count, xc_status wanted,
                   const char *what)
{
	OWN_BYTES f = {0};
	xc_info info;

	make(&f, head, more, count);
	const xc_status s = xc_read_info(context, f.data, f.size, &info);
	CHECK(s == wanted, "%s: %s, '%s'", what, xc_status_string(s), xc_context_message(context));
	CHECK(!s || !count || strstr(xc_context_message(context), more->type), "%s: not named", what);
	CHECK(s || (info.lossless && info.entropy == XC_ENTROPY_LOSSLESS), "%s: lossy", what);
}

static void heads(void)
{
	xc_head h = colour_head;

	expect(&h, NULL, 0, XC_OK, "RGB");
	h.transform = XC_TRANSFORM_DCT;
	expect(&h, NULL, 0, XC_ERR_UNSUPPORTED, "with the DCT");
	h = colour_head;
	h.entropy = 7;
	expect(&h, NULL, 0, XC_ERR_UNSUPPORTED, "entropy 7");
	h = colour_head;
	h.subsampling = XC_SUBSAMPLING_420;
	expect(&h, NULL, 0, XC_ERR_CORRUPT, "4:2:0");
	h = colour_head;
	h.tile_high = 129;
	expect(&h, NULL, 0, XC_ERR_CORRUPT, "tiles of 1032 rows");
	h = colour_head;
	h.channels = 4; /* still one segment */
	expect(&h, NULL, 0, XC_OK, "RGBA");
}

static void lengths(void)
{
	static uint8_t payload[1 + 4 * 257] = {4};
	xc_head h = colour_head;

	for (h.channels = 1; h.channels <= 4; h.channels++) {
		const size_t bytes = h.channels % 2 ? 3 : 4;
		h.subsampling = h.channels < 3 ? XC_SUBSAMPLING_GREY : XC_SUBSAMPLING_444;
		for (size_t n = 0; n <= sizeof payload; n++) {
			const extra one = {"PLTE", payload, n, 0};
			const int good = n > 1 && (n - 1) % bytes == 0 && (n - 1) / bytes <= 256;
			expect(&h, &one, 1, good ? XC_OK : XC_ERR_CORRUPT, "a length of PLTE");
		}
	}
	for (unsigned bits = 0; bits < 256; bits++) {
		const extra one = {"PLTE", (uint8_t[]){(uint8_t)bits, 1, 2, 3}, 4, 0};
		const int good = bits == 0 || bits == 1 || bits == 2 || bits == 4 || bits == 8;
		expect(&colour_head, &one, 1, good ? XC_OK : XC_ERR_CORRUPT, "bits of PLTE");
	}
	for (size_t n = 0; n < 4; n++) {
		const extra near = {"NEAR", "\1\0\0\0", n, 0};
		expect(&colour_head, &near, 1, n == 2 ? XC_OK : XC_ERR_CORRUPT, "a length of NEAR");
	}
}

static void refused(void)
{
	static const extra palette = {"PLTE", "\4\1\2\3", 4, 0}, near = {"NEAR", "\xff\x0f", 2, 0};
	static const char *const lossy[] = {"QNTZ", "COLR", "HUFF", "RANS"};
	static const uint8_t nothing[18];
	xc_head h = colour_head;
	extra late[] = {palette, near};

	expect(&h, &near, 1, XC_OK, "4095");
	expect(&h, &(extra){"NEAR", "\0\x10", 2, 0}, 1, XC_ERR_CORRUPT, "4096");
	expect(&h, &(extra){"NEAR", "\0\0", 2, 0}, 1, XC_ERR_CORRUPT, "0");
	expect(&h, (extra[]){palette, near}, 2, XC_ERR_CORRUPT, "both");
	expect(&h, (extra[]){palette, palette}, 2, XC_ERR_CORRUPT, "two palettes");
	expect(&h, (extra[]){near, near}, 2, XC_ERR_CORRUPT, "two errors");
	for (int i = 0; i < 2; i++) {
		late[i].late = 1;
		expect(&h, &late[i], 1, XC_ERR_CORRUPT, "after DATA");
	}
	for (size_t i = 0; i < COUNT(lossy); i++)
		expect(&h, &(extra){lossy[i], nothing, sizeof nothing, 0}, 1, XC_ERR_CORRUPT, lossy[i]);
	h.entropy = XC_ENTROPY_RANS_BUILT_IN;
	h.transform = XC_TRANSFORM_DCT;
	h.tile_high = 1;
	expect(&h, &palette, 1, XC_ERR_CORRUPT, "PLTE in a lossy file");
	expect(&h, &near, 1, XC_ERR_CORRUPT, "NEAR in a lossy file");
	h = colour_head;
	h.depth = 16;
	expect(&h, &palette, 1, XC_ERR_CORRUPT, "PLTE of 16 bits");
	expect(&h, &near, 1, XC_OK, "NEAR of 16 bits");
	h = colour_head;
	h.channels = 1;
	h.subsampling = XC_SUBSAMPLING_GREY;
	expect(&h, &palette, 1, XC_ERR_CORRUPT, "colours in grey");
}

/* A file that is read in order. */
static ptrdiff_t read_bytes(void *user, void *to, size_t size)
{
	xc_bytes *f = user;
	const size_t n = size < f->size ? size : f->size;

	memcpy(to, f->data, n);
	memmove(f->data, f->data + n, f->size -= n);
	return (ptrdiff_t)n;
}

/* The writer's chunk, in a whole file and in one that is read in order. */
static void written(void)
{
	xc_head h = colour_head;

	for (h.channels = 3; h.channels <= 4; h.channels++)
		for (int bits = 0; bits <= 2; bits += 2) {
			uint8_t chunk[100];
			xc_writer w = {chunk};
			OWN_BYTES f = {0};
			xc_info info, again;
			xc_decoder *decoder;
			const xc_source source = {.user = &f, .read = read_bytes};
			xc_write_palette(&w, colours, 3, (int)h.channels, bits);
			const extra one = {"PLTE", chunk + 5, (size_t)(w.next - chunk) - 9, 0};
			make(&f, &h, &one, 1);
			CHECK_OK(context, xc_read_info(context, f.data, f.size, &info));
			CHECK_OK(context, xc_decoder_new(context, &source, NULL, &decoder));
			if (!decoder)
				continue;
			xc_decoder_info(decoder, &again);
			CHECK(info.metadata.palette.size == (bits ? 12 : 0) &&
			          info.metadata.palette_bits == bits,
			      "%zu bytes", info.metadata.palette.size);
			CHECK(!bits || (!memcmp(info.metadata.palette.data, colours, 12) &&
			                again.metadata.palette.size == 12 &&
			                !memcmp(again.metadata.palette.data, colours, 12)),
			      "other colours");
			xc_decoder_free(decoder);
		}
}

int main(void)
{
	context = xc_test_context();
	RUN(heads, lengths, refused, written);
	xc_context_free(context);
	return check_done();
}
