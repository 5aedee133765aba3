/* SPDX-License-Identifier: BSD-2-Clause */
/* One small file of every kind that the readers know, for damaging. */
#include "tests/support/format_samples.h"

#include <stdlib.h>
#include <string.h>

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
#ifdef XC_HAVE_LAB
	{"PFM", "PF\n11 6\n-1.0\n", 792, 0},
#endif
};

#ifdef XC_HAVE_LIBJPEG
static void make_jpeg(xc_bytes *file, int components, int progressive, int restart)
{
	const xc_sample_jpeg jpeg = {.width = WIDTH,
	                             .height = HEIGHT,
	                             .components = components,
	                             .progressive = progressive,
	                             .restart = restart};
	xc_bytes markers = {0};
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
	xc_bytes_free(&markers);
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
		/* Of a last number in text some digits will do, and no space after it. */
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
