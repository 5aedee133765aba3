/* SPDX-License-Identifier: BSD-2-Clause */
/* Ancillary chunks, longer headers, arrays and JPEGs. */
#include "tests/decoders/make.h"

#include <stdlib.h>
#include <string.h>
#include <xcodec_jpeg.h>

#include "tests/support/arrays.h"
#include "tests/support/format_samples.h"
#include "tests/support/jpeg_files.h"

/* ------------------------------------------------------------------ chunks */

void make_ancillary(void)
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
		{"rang-8", "rang", "\1\0\0\0", 4, "the range of a picture of 8 bits means nothing"},
		{"rang-maxval", "rang", "\0\0\144\0", 4, "rang: samples of 8 bits that went up to 100"},
		{"cicp-matrix", "cicp", "\x9\x10\x9\1", 4, "cicp of matrix 9: not there"},
		{"gama-large", "gama",
	     "\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 36,
	     "gama above 2^31-1: not there"},
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
	OWN_BYTES held = with_new(&deep, "QNTZ", "rang", "\xff\x3f\0\0", 4);
	put("good-rang", copy(&held), "rang: samples are held to 16383");
	put("good-rang-last", with_new(&held, "QNTZ", "rang", "\xff\x1f\0\0more", 8),
	    "two rang: the last one counts, here 8191");
	put("good-rang-short", with_new(&held, "INDX", "rang", "\1\0", 2),
	    "rang of 2 bytes is not there: the one before counts");
	put("good-rang-late", with_new(&deep, "DONE", "rang", "\xff\x1f\0\0", 4),
	    "rang after DATA counts for no sample");
	put("good-rang-late-too", with_new(&held, "DONE", "rang", "\xff\x1f\0\0", 4),
	    "rang before and after DATA: the one before counts");
	put("good-rang-maxval", with_new(&deep, "DONE", "rang", "\0\0\xff\x0f", 4),
	    "rang: samples of 16 bits that went up to 4095");
	put("good-rang-maxval-255", with_new(&deep, "QNTZ", "rang", "\0\0\xff\0", 4),
	    "rang: a maxval of 255 with 16 bits means nothing");
	OWN_PICTURE p = xc_smooth_picture(19, 14, 1, 16, 3);
	const xc_encode_options o = exactly(1, 0);
	OWN_BYTES exact = encoded(&p, NULL, &o);
	put("good-rang-lossless", with_new(&exact, "INDX", "rang", "\xff\x0f\0\0", 4),
	    "rang of a lossless file counts for no sample");
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

/* Doubles of few bits [11.8] and of many, with levels above 63, and smooth ones [11.7]. */
static void make_doubles(void)
{
	static const char *const made[][2] = {{"good-array-map-float32", "a map to float32"},
	                                      {"good-array-map-decimals", "a map to decimals"},
	                                      {"good-array-map-powers", "a map to powers"},
	                                      {"good-array-map-integers", "a map to integers"},
	                                      {"good-array-doubles", "keys, levels above 63"},
	                                      {"good-array-smooth", "smooth levels"}};
	const xc_array_shape shape = {.type = XC_ARRAY_FLOAT64, .dimensions = 2, .size = {9, 20}};

	for (int form = 0; form < 6; form++) {
		const xc_array_options o = {.effort = form == 5 ? 3 : 1};
		double v[180];
		xc_buffer file;
		for (int i = 0; i < 180; i++) {
			const int k = i * i * 37 % 4001 + 1000 * i - 90000;
			v[i] = form == 0   ? (double)((float)k * 0.001F)
			       : form == 1 ? k / 1000.0
			       : form == 2 ? k * 0x1p-60
			       : form == 3 ? k * 1000.0 + 1e12
			       : form == 4 ? 1000 / (i + 300.5) + k / 3e6
			                   : 1e6 * i * i * i;
		}
		if (form < 5) {
			v[5] = -0.0;
			v[6] = v[0] / 3;
		}
		const xc_status s = xc_array_encode(context, &shape, v, &o, &file);
		OWN_BYTES f = taken(s, &file);
		put(made[form][0], copy(&f), made[form][1]);
		if (form == 1)
			put("bad-array-map-25", with_byte(&f, "DATA", 0, 25), "map 25");
	}
}

void make_arrays(void)
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
	OWN_BYTES what = with_new(&f, "DONE", "what", "x", 1);
	what.data[part(&what, "what")->payload] = 'y';
	put("bad-array-crc-ancillary", copy(&what),
	    "another CRC of an ancillary chunk that arrays do not have");
	xc_bytes type = copy(&f);
	memcpy(type.data + part(&f, "INDX")->offset, "INDY", 4);
	put("bad-array-crc-type", type, "the type of INDX is damaged, not a chunk of a later release");
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
	make_doubles();
	put("bad-array-map-uint16", with_byte(&f, "DATA", 0, 2), "a map of integers");
}

static xc_bytes kept(const xc_bytes *jpeg, xc_jpeg_info *info)
{
	xc_buffer made;
	const xc_status s = xc_jpeg_encode(context, jpeg->data, jpeg->size, NULL, info, &made);
	return taken(s, &made);
}

void make_jpegs(void)
{
	unsigned repacked = 0, stored = 0, lone = 0;
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
			/* The first one of lone runs is of a later day than its neighbours. */
			if (info.progressive && seed % 3 == 1 && !lone++)
				snprintf(name, sizeof name, "good-jpeg-lone");
			else
				snprintf(name, sizeof name, "good-jpeg-%02u", repacked++);
			snprintf(text, sizeof text,
			         "%s JPEG, %d component%s, %u x %u, any sampling, scans, restarts%s",
			         info.progressive ? "progressive" : "sequential", info.components,
			         xc_s((unsigned)info.components), info.width, info.height,
			         strstr(name, "lone") ? ", lone runs" : "");
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
	put("bad-jpeg-head-short", with_length(&last, "JPEG", -1),
	    "JPEG with a byte of the hash missing");
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
	xc_bytes g = copy(&last);
	g.data[part(&last, "PICT")->end - 12] ^= 1;
	xc_file_fix(g.data, g.size);
	put("bad-jpeg-inside", g, "the segment that PICT has is another one");
	put("bad-jpeg-pict-less", with_length(&last, "PICT", -1), "PICT with a byte missing");
	put("bad-jpeg-pict-more", with_length(&last, "PICT", 1), "PICT with a byte more");
	put("bad-jpeg-without-pict", without(&last, "PICT"), "a JPEG of which nothing is there");
	g = copy(&last);
	xc_bytes_add_u8(&g, 0);
	put("bad-jpeg-more", g, "a byte follows DONE");
	g = copy(&last);
	g.size = part(&last, NULL)->offset;
	put("bad-jpeg-cut", g, "the file ends before DONE");
	/* A picture of several tiles has pieces. */
	for (uint32_t height = 64; height < 900; height += 32) {
		const xc_sample_jpeg kind = {24, height, 1, 0, 0, 0, 1, 1};
		OWN_BYTES jpeg = {0};
		xc_sample_jpeg_make(&jpeg, &kind, NULL);
		OWN_BYTES f = kept(&jpeg, &info);
		if (!part(&f, "INDX"))
			continue;
		put("good-jpeg-pieces", copy(&f), "a JPEG in pieces");
		put("bad-jpeg-pieces-pict", without(&f, "PICT"), "segments without PICT");
		put("bad-jpeg-pieces-index", without(&f, "INDX"), "PICT without INDX");
		put("bad-jpeg-between", with_new(&f, "DATA", "what", "x", 1),
		    "an ancillary chunk within a picture");
		g = copy(&f);
		g.data[part(&f, "DATA")->payload + 40] ^= 1;
		put("bad-jpeg-segment", g, "a damaged segment");
		break;
	}
}
