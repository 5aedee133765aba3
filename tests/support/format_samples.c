/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG files from the definition (ISO/IEC 15948), with zlib and without libpng; BMP files; JPEG
 * files by libjpeg; and one small file of every kind that the readers know, for damaging. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/support/format_samples.h"

enum { PALETTE = 3 };

uint32_t xc_sample_png_channels(const xc_sample_png *png)
{
	static const uint32_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
	return channels[png->type];
}

void xc_sample_png_fill(xc_sample_png *png, uint64_t seed)
{
	size_t n = (size_t)png->width * png->height * xc_sample_png_channels(png);

	png->samples = xc_test_malloc(n * sizeof *png->samples);
	uint32_t values = png->type == PALETTE ? (uint32_t)png->colours : 1u << png->bits;
	for (size_t i = 0; i < n; i++)
		png->samples[i] = (uint16_t)(check_random(&seed) % values);
	for (int i = 0; i < png->colours; i++) {
		for (int c = 0; c < 3; c++)
			png->palette[i][c] = (uint8_t)check_random(&seed);
		png->alpha[i] = (uint8_t)check_random(&seed);
	}
	/* The key is a colour that the picture has, so that a pixel meets it. */
	for (uint32_t c = 0; c < 3; c++)
		png->key[c] = png->samples[c % xc_sample_png_channels(png)];
}

void xc_sample_png_chunk(xc_bytes *bytes, const char *type, const void *data, size_t size)
{
	xc_bytes_add_be32(bytes, (uint32_t)size);
	size_t start = bytes->size;
	xc_bytes_add(bytes, type, 4);
	xc_bytes_add(bytes, data, size);
	xc_bytes_add_be32(bytes, (uint32_t)crc32(0, bytes->data + start, (uInt)(4 + size)));
}

void xc_sample_png_header(xc_bytes *bytes, const xc_sample_png *png)
{
	OWN_BYTES header = {0};

	xc_bytes_add_be32(&header, png->width);
	xc_bytes_add_be32(&header, png->height);
	xc_bytes_add_u8(&header, (uint32_t)png->bits);
	xc_bytes_add_u8(&header, (uint32_t)png->type);
	xc_bytes_add(&header, "\0\0", 2);
	xc_bytes_add_u8(&header, (uint32_t)png->interlaced);
	xc_bytes_add(bytes, "\x89PNG\r\n\x1a\n", 8);
	xc_sample_png_chunk(bytes, "IHDR", header.data, header.size);
}

/* Packs every dx-th pixel of a row from x0 on, after a filter type of 0. */
static void add_row(xc_bytes *raw, const xc_sample_png *png, uint32_t y, uint32_t x0, uint32_t dx)
{
	uint32_t channels = xc_sample_png_channels(png), bits = 0, held = 0;

	xc_bytes_add_u8(raw, 0);
	for (uint32_t x = x0; x < png->width; x += dx)
		for (uint32_t c = 0; c < channels; c++) {
			uint32_t value = png->samples[((size_t)y * png->width + x) * channels + c];
			held = held << png->bits | value;
			for (bits += (uint32_t)png->bits; bits >= 8; bits -= 8)
				xc_bytes_add_u8(raw, held >> (bits - 8));
		}
	if (bits)
		xc_bytes_add_u8(raw, held << (8 - bits));
}

static void add_pass(xc_bytes *raw, const xc_sample_png *png, const uint8_t pass[4])
{
	if (pass[0] >= png->width)
		return;
	for (uint32_t y = pass[1]; y < png->height; y += pass[3])
		add_row(raw, png, y, pass[0], pass[2]);
}

static void add_pixels(xc_bytes *bytes, const xc_sample_png *png)
{
	/* First column and row, steps in x and y, of the passes of Adam7. */
	static const uint8_t adam7[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
	                                    {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
	static const uint8_t plain[4] = {0, 0, 1, 1};
	OWN_BYTES raw = {0};

	if (png->interlaced)
		for (int pass = 0; pass < 7; pass++)
			add_pass(&raw, png, adam7[pass]);
	else
		add_pass(&raw, png, plain);
	uLongf size = compressBound((uLong)raw.size);
	OWN_MEMORY uint8_t *packed = xc_test_malloc(size);
	if (compress(packed, &size, raw.data, (uLong)raw.size) != Z_OK)
		abort();
	/* Two chunks, to see that they are joined. */
	xc_sample_png_chunk(bytes, "IDAT", packed, size / 2);
	xc_sample_png_chunk(bytes, "IDAT", packed + size / 2, size - size / 2);
}

static void add_transparency(xc_bytes *bytes, const xc_sample_png *png)
{
	OWN_BYTES key = {0};

	if (!png->transparent)
		return;
	if (png->type == PALETTE) {
		xc_sample_png_chunk(bytes, "tRNS", png->alpha, (size_t)png->transparent);
		return;
	}
	for (uint32_t c = 0; c < xc_sample_png_channels(png); c++) {
		xc_bytes_add_u8(&key, png->key[c] >> 8);
		xc_bytes_add_u8(&key, png->key[c]);
	}
	xc_sample_png_chunk(bytes, "tRNS", key.data, key.size);
}

void xc_sample_png_body(xc_bytes *bytes, const xc_sample_png *png)
{
	if (png->colours)
		xc_sample_png_chunk(bytes, "PLTE", png->palette, (size_t)png->colours * 3);
	add_transparency(bytes, png);
	add_pixels(bytes, png);
	xc_sample_png_chunk(bytes, "IEND", NULL, 0);
}

void xc_sample_png_make(xc_bytes *bytes, const xc_sample_png *png)
{
	xc_sample_png_header(bytes, png);
	xc_sample_png_body(bytes, png);
}

static uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

void xc_sample_png_fix(uint8_t *data, size_t size)
{
	for (size_t at = 8; size - at >= 12;) {
		uint32_t length = load_be32(data + at);
		if (length > size - at - 12)
			return;
		uint32_t crc = (uint32_t)crc32(0, data + at + 4, length + 4);
		for (int i = 0; i < 4; i++)
			data[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
		at += 12 + (size_t)length;
	}
}

enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40, BITFIELDS = 3, ALPHABITFIELDS = 6 };

static void add_header(xc_bytes *bytes, const xc_sample_bmp *bmp)
{
	size_t end = bytes->size + bmp->header;
	void (*const add_size)(xc_bytes *, uint32_t) = bmp->header == CORE_HEADER ? xc_bytes_add_le16
	                                                                          : xc_bytes_add_le32;

	xc_bytes_add_le32(bytes, bmp->header);
	add_size(bytes, (uint32_t)bmp->width);
	add_size(bytes, (uint32_t)bmp->height);
	xc_bytes_add_le16(bytes, 1);
	xc_bytes_add_le16(bytes, bmp->bits);
	if (bmp->header >= INFO_HEADER) {
		xc_bytes_add_le32(bytes, bmp->compression);
		xc_bytes_add_le32(bytes, 0); /* bytes of pixels: may be left open */
		xc_bytes_add_le32(bytes, bmp->density);
		xc_bytes_add_le32(bytes, bmp->density);
		xc_bytes_add_le32(bytes, bmp->colours);
		xc_bytes_add_le32(bytes, 0);
	}
	if (bmp->compression == BITFIELDS || bmp->compression == ALPHABITFIELDS)
		for (int i = 0; i < (bmp->compression == ALPHABITFIELDS || bmp->mask[3] ? 4 : 3); i++)
			xc_bytes_add_le32(bytes, bmp->mask[i]);
	while (bytes->size < end)
		xc_bytes_add_u8(bytes, 0);
}

static void add_palette(xc_bytes *bytes, const xc_sample_bmp *bmp)
{
	uint32_t colours = bmp->colours ? bmp->colours : 1u << bmp->bits;

	for (uint32_t i = 0; i < colours; i++) {
		xc_bytes_add_u8(bytes, bmp->grey ? 7 * i : 7 * i + 3);
		xc_bytes_add_u8(bytes, bmp->grey ? 7 * i : 5 * i + 2);
		xc_bytes_add_u8(bytes, bmp->grey ? 7 * i : 3 * i + 1);
		if (bmp->header != CORE_HEADER)
			xc_bytes_add_u8(bytes, 0);
	}
}

void xc_sample_bmp_start(xc_bytes *bytes, const xc_sample_bmp *bmp)
{
	xc_bytes_add_text(bytes, "BM");
	xc_bytes_add_le32(bytes, 0); /* bytes of the file: nobody relies on them */
	xc_bytes_add_le32(bytes, 0);
	xc_bytes_add_le32(bytes, 0); /* where the pixels start, below */
	add_header(bytes, bmp);
	if (bmp->bits <= 8)
		add_palette(bytes, bmp);
	uint32_t start = (uint32_t)bytes->size;
	for (int i = 0; i < 4; i++)
		bytes->data[10 + i] = (uint8_t)(start >> 8 * i);
}

void xc_sample_jpeg_marker(xc_bytes *bytes, uint32_t code, const void *data, size_t size)
{
	const uint32_t length = (uint32_t)size + 2;

	xc_bytes_add_u8(bytes, 0xff);
	xc_bytes_add_u8(bytes, code);
	xc_bytes_add_u8(bytes, length >> 8);
	xc_bytes_add_u8(bytes, length & 255);
	xc_bytes_add(bytes, data, size);
}

#ifdef XC_HAVE_LIBJPEG
#include <stdio.h>

#include <jpeglib.h>

static void set_up(struct jpeg_compress_struct *j, const xc_sample_jpeg *jpeg)
{
	j->image_width = jpeg->width;
	j->image_height = jpeg->height;
	j->input_components = jpeg->components;
	j->in_color_space = jpeg->components == 1   ? JCS_GRAYSCALE
	                    : jpeg->components == 3 ? JCS_RGB
	                                            : JCS_CMYK;
	jpeg_set_defaults(j);
	if (jpeg->colour)
		jpeg_set_colorspace(j, (J_COLOR_SPACE)jpeg->colour);
	if (jpeg->h) {
		j->comp_info[0].h_samp_factor = jpeg->h;
		j->comp_info[0].v_samp_factor = jpeg->v;
	}
	if (jpeg->progressive)
		jpeg_simple_progression(j);
	j->restart_in_rows = jpeg->restart;
}

static void write_rows(struct jpeg_compress_struct *j, const xc_sample_jpeg *jpeg)
{
	const size_t stride = (size_t)jpeg->width * (size_t)jpeg->components;
	OWN_MEMORY uint8_t *row = xc_test_malloc(stride);
	uint64_t seed = jpeg->width;

	for (uint32_t y = 0; y < jpeg->height; y++) {
		JSAMPROW rows[1] = {row};
		for (size_t i = 0; i < stride; i++)
			row[i] = (uint8_t)(i * 3 + y * 5 + check_random(&seed) % 40);
		jpeg_write_scanlines(j, rows, 1);
	}
}

void xc_sample_jpeg_make(xc_bytes *bytes, const xc_sample_jpeg *jpeg, const xc_bytes *markers)
{
	struct jpeg_compress_struct j;
	struct jpeg_error_mgr errors;
	OWN_MEMORY unsigned char *file = NULL;
	unsigned long size = 0;

	j.err = jpeg_std_error(&errors);
	jpeg_create_compress(&j);
	jpeg_mem_dest(&j, &file, &size);
	set_up(&j, jpeg);
	jpeg_start_compress(&j, TRUE);
	write_rows(&j, jpeg);
	jpeg_finish_compress(&j);
	jpeg_destroy_compress(&j);
	/* After the mark of the start and the JFIF header, if there is one. */
	const size_t start = file[3] == 0xe0 ? 20 : 2;
	xc_bytes_add(bytes, file, start);
	if (markers)
		xc_bytes_add(bytes, markers->data, markers->size);
	xc_bytes_add(bytes, file + start, size - start);
}
#endif

/* One small file of every kind that the readers know, for damaging. */

enum { WIDTH = 11, HEIGHT = 6 };

static void make_png(xc_bytes *file, int type, int bits, int interlaced)
{
	xc_sample_png png = {.width = WIDTH,
	                     .height = HEIGHT,
	                     .type = type,
	                     .bits = bits,
	                     .interlaced = interlaced,
	                     .transparent = type < 4};

	if (type == 3)
		png.colours = (1 << bits) - 1;
	xc_sample_png_fill(&png, (uint64_t)(type + bits));
	xc_sample_png_header(file, &png);
	static const char xmp[] = "XML:com.adobe.xmp\0\0\0en\0\0<x:xmpmeta/>";
	/* zlib's form of "profile". */
	static const char icc[] = "icc\0\0\x78\x9c\x2b\x28\xca\x4f\xcb\xcc\x49\x05\0\x0b\xc3\x02\xf1";
	xc_sample_png_chunk(file, "iCCP", icc, sizeof icc - 1);
	xc_sample_png_chunk(file, "pHYs", "\0\0\0\2\0\0\0\1\1", 9);
	xc_sample_png_chunk(file, "eXIf", "MM\0*\0\0\0\10", 8);
	xc_sample_png_chunk(file, "iTXt", xmp, sizeof xmp - 1);
	xc_sample_png_chunk(file, "cICP", "\11\20\0\1", 4);
	xc_sample_png_chunk(file, "sBIT", "\1\1\1\1",
	                    type == 0   ? 1
	                    : type == 4 ? 2
	                    : type == 6 ? 4
	                                : 3);
	xc_sample_png_chunk(file, "gAMA", "\0\1\206\240", 4);
	xc_sample_png_chunk(file, "tEXt", "Title\0text", 10);
	xc_sample_png_chunk(file, "zTXt",
	                    "icc\0\0\x78\x9c\x2b\x28\xca\x4f\xcb\xcc\x49\x05\0\x0b\xc3\x02\xf1", 20);
	xc_sample_png_body(file, &png);
	free(png.samples);
}

static void make_bmp(xc_bytes *file, int header, int bits_of, int compression)
{
	const uint32_t bits = (uint32_t)bits_of;
	xc_sample_bmp bmp = {.header = (uint32_t)header,
	                     .width = WIDTH,
	                     .height = HEIGHT,
	                     .bits = bits,
	                     .compression = (uint32_t)compression,
	                     .mask = {0xf00, 0xf0, 0xf, 0xf000}};
	uint64_t seed = bits;

	xc_sample_bmp_start(file, &bmp);
	size_t row = (WIDTH * bits + 31) / 32 * 4;
	for (size_t i = 0; i < row * HEIGHT; i++)
		xc_bytes_add_u8(file, (uint32_t)check_random(&seed));
}

static void make_rle(xc_bytes *file, int header, int bits, int compression)
{
	static const uint8_t row[] = {3, 1, 0, 3, 1, 2, 3, 0, 5, 2, 0, 0};
	static const uint8_t row4[] = {3, 1, 0, 5, 0x12, 0x34, 0x50, 0, 3, 2, 0, 0};
	xc_sample_bmp bmp = {.header = (uint32_t)header,
	                     .width = WIDTH,
	                     .height = HEIGHT,
	                     .bits = (uint32_t)bits,
	                     .compression = (uint32_t)compression};

	xc_sample_bmp_start(file, &bmp);
	for (int y = 0; y < HEIGHT - 1; y++)
		xc_bytes_add(file, bits == 8 ? row : row4, bits == 8 ? sizeof row : sizeof row4);
	xc_bytes_add(file, "\0\2\1\0\1\1\0\1", 8);
}

static void make_netpbm(xc_bytes *file, const char *header, size_t size, int plain)
{
	uint64_t seed = size;

	xc_bytes_add_text(file, header);
	for (size_t i = 0; i < size; i++) {
		char text[8];
		uint32_t value = (uint32_t)(check_random(&seed) % 200);
		if (!plain)
			xc_bytes_add_u8(file, value);
		else if (plain == 1)
			xc_bytes_add_text(file, value % 2 ? "0 " : "1");
		else if (snprintf(text, sizeof text, "%u%c", value, i % 9 ? ' ' : '\n') > 0)
			xc_bytes_add_text(file, text);
	}
}

static const struct {
	const char *name, *header;
	size_t size;
	int plain;
} netpbm[] = {
	{"P1", "P1\n# comment\n11 6\n", 66, 1},
	{"P2", "P2\n11 6\n#\n200\n", 66, 2},
	{"P3", "P3\n11 6\n1000 ", 198, 2},
	{"P4", "P4\n11 6\n", 12, 0},
	{"P5", "P5\n11 6\n255\n", 66, 0},
	{"P5, 16 bits", "P5 11 6 65000\n", 132, 0},
	{"P6", "P6 # x\n11 6 201\n", 198, 0},
	{"P7", "P7\nWIDTH 11\nHEIGHT 6\nDEPTH 4\n#\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", 264, 0},
};

#ifdef XC_HAVE_LIBJPEG
static void make_jpeg(xc_bytes *file, int components, int progressive, int restart)
{
	const xc_sample_jpeg jpeg = {.width = WIDTH,
	                             .height = HEIGHT,
	                             .components = components,
	                             .progressive = progressive,
	                             .restart = restart};
	OWN_BYTES markers = {0};

	xc_sample_jpeg_marker(&markers, 0xe1, "Exif\0\0MM\0*\0\0\0\10", 14);
	xc_sample_jpeg_marker(&markers, 0xe1, "http://ns.adobe.com/xap/1.0/\0<x/>", 33);
	xc_sample_jpeg_marker(&markers, 0xe2, "ICC_PROFILE\0\1\2one", 17);
	xc_sample_jpeg_marker(&markers, 0xe2, "ICC_PROFILE\0\2\2two", 17);
	xc_sample_jpeg_marker(&markers, 0xed,
	                      "Photoshop 3.0\0"
	                      "8BIM\4\4\0\0\0\0\0\3abc",
	                      29);
	xc_sample_jpeg_marker(&markers, 0xfe, "a comment", 9);
	xc_sample_jpeg_make(file, &jpeg, &markers);
}
#endif

static const struct {
	const char *name;
	void (*make)(xc_bytes *file, int a, int b, int c);
	int a, b, c;
	size_t needless; /* bytes at the end: the padding of a last row, the end mark */
} coded[] = {
	{"png grey 1", make_png, 0, 1, 0, 0},
	{"png grey 16 interlaced", make_png, 0, 16, 1, 0},
	{"png rgb 8", make_png, 2, 8, 0, 0},
	{"png palette 2 interlaced", make_png, 3, 2, 1, 0},
	{"png palette 8", make_png, 3, 8, 0, 0},
	{"png rgba 16", make_png, 6, 16, 0, 0},
	{"png grey alpha 8 interlaced", make_png, 4, 8, 1, 0},
	{"bmp 1 bit, old header", make_bmp, 12, 1, 0, 3},
	{"bmp 4 bits", make_bmp, 40, 4, 0, 3},
	{"bmp 8 bits", make_bmp, 108, 8, 0, 3},
	{"bmp 16 bits, masks", make_bmp, 56, 16, 3, 3},
	{"bmp 16 bits, masks after it", make_bmp, 40, 16, 3, 3},
	{"bmp 24 bits", make_bmp, 40, 24, 0, 3},
	{"bmp 32 bits, masks", make_bmp, 124, 32, 3, 3},
	{"bmp run lengths, 4 bits", make_rle, 40, 4, 2, 0},
	{"bmp run lengths, 8 bits", make_rle, 40, 8, 1, 0},
#ifdef XC_HAVE_LIBJPEG
	{"jpeg grey, restarts", make_jpeg, 1, 0, 1, 2},
	{"jpeg", make_jpeg, 3, 0, 0, 2},
	{"jpeg progressive", make_jpeg, 3, 1, 0, 2},
#endif
};

int xc_sample_file(unsigned n, const char **name, xc_bytes *bytes, size_t *min)
{
	bytes->size = 0;
	if (n < COUNT(netpbm)) {
		make_netpbm(bytes, netpbm[n].header, netpbm[n].size, netpbm[n].plain);
		*name = netpbm[n].name;
		/* The last number of a text may end early, and needs no space after it. */
		*min = bytes->size - (netpbm[n].plain ? 3 : 0);
		return 1;
	}
	n -= COUNT(netpbm);
	if (n >= COUNT(coded))
		return 0;
	coded[n].make(bytes, coded[n].a, coded[n].b, coded[n].c);
	*name = coded[n].name;
	*min = bytes->size - coded[n].needless;
	return 1;
}
