/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs descriptions of JPEGs: what they had before, or what most JPEGs have, is copied. */
#include <string.h>

#include "jpeg/jpeg.h"

/* What most JPEGs have, in pieces: up to the steps of luma, to those of chroma, and from there on. */
/* clang-format off */
static const uint8_t before[] =
	"\377\355\000\000Photoshop 3.0\0008BIM\004\004\000\000\000\000\377\341\000\000http://ns.adobe.com"
	"/xap/1.0/\000<\077xpacket begin=\042\357\273\277\042 id=\042W5M0MpCehiHzreSzNTczkc9d\042\077>"
	"\377\342\014XICC_PROFILE\000\001\001\377\341\000\000Exif\000\000MM\000*\000\000\000\010Exif\000"
	"\000II*\000\010\000\000\000\377\356\000\016Adobe\000d\000\000\000\000\001\377\302\000\021\010"
	"\000\000\000\000\003\001\042\000\002\021\001\003\021\001\377\300\000\013\010\000\000\000\000\001"
	"\001\021\000\377\300\000\021\010\000\000\000\000\003\001\021\000\002\021\001\003\021\001\000\377"
	"\330\377\340\000\020JFIF\000\001\001\000\000\001\000\001\000\000\377\333\000C\000";
static const uint8_t between[] = "\377\333\000C\001";
static const uint8_t after[] =
	"\377\300\000\021\010\000\000\000\000\003\001\042\000\002\021\001\003\021\001\377\304\000\037\000"
	"\000\001\005\001\001\001\001\001\001\000\000\000\000\000\000\000\000\001\002\003\004\005\006\007"
	"\010\011\012\013\377\304\000\265\020\000\002\001\003\003\002\004\003\005\005\004\004\000\000\001"
	"}\001\002\003\000\004\021\005\022!1A\006\023Qa\007\042q\0242\201\221\241\010#B\261\301\025R\321"
	"\360$3br\202\011\012\026\027\030\031\032%&'()*456789:CDEFGHIJSTUVWXYZcdefghijstuvwxyz\203\204"
	"\205\206\207\210\211\212\222\223\224\225\226\227\230\231\232\242\243\244\245\246\247\250\251\252"
	"\262\263\264\265\266\267\270\271\272\302\303\304\305\306\307\310\311\312\322\323\324\325\326\327"
	"\330\331\332\341\342\343\344\345\346\347\350\351\352\361\362\363\364\365\366\367\370\371\372\377"
	"\304\000\037\001\000\003\001\001\001\001\001\001\001\001\001\000\000\000\000\000\000\001\002\003"
	"\004\005\006\007\010\011\012\013\377\304\000\265\021\000\002\001\002\004\004\003\004\007\005\004"
	"\004\000\001\002w\000\001\002\003\021\004\005!1\006\022AQ\007aq\023\0422\201\010\024B\221\241"
	"\261\301\011#3R\360\025br\321\012\026$4\341%\361\027\030\031\032&'()*56789:CDEFGHIJSTUVWXYZcdefg"
	"hijstuvwxyz\202\203\204\205\206\207\210\211\212\222\223\224\225\226\227\230\231\232\242\243\244"
	"\245\246\247\250\251\252\262\263\264\265\266\267\270\271\272\302\303\304\305\306\307\310\311\312"
	"\322\323\324\325\326\327\330\331\332\342\343\344\345\346\347\350\351\352\362\363\364\365\366\367"
	"\370\371\372\377\332\000\010\001\001\000\000\077\000\377\332\000\014\003\001\000\002\021\003\021"
	"\000\077\000\377\331";
/* clang-format on */

enum { MIN = 4, HASHES = 1 << XC_JPEG_PACK_BITS };

_Static_assert(sizeof before + sizeof between + sizeof after - 3 + 128 == XC_JPEG_DICTIONARY,
               "bytes of a dictionary");

static uint8_t *put(uint8_t *to, const uint8_t *from, size_t n)
{
	memcpy(to, from, n);
	return to + n;
}

void xc_jpeg_dictionary_make(uint8_t steps[2][64], xc_jpeg_dictionary dictionary)
{
	uint8_t *p = put(dictionary, before, sizeof before - 1);

	p = put(p, steps[0], 64);
	p = put(p, between, sizeof between - 1);
	p = put(p, steps[1], 64);
	put(p, after, sizeof after - 1);
}

/* Byte i of the dictionary and what follows it. */
static uint8_t at(const uint8_t *dictionary, const uint8_t *data, size_t i)
{
	return i < XC_JPEG_DICTIONARY ? dictionary[i] : data[i - XC_JPEG_DICTIONARY];
}

static uint32_t hash_of(const uint8_t *d, const uint8_t *data, size_t i)
{
	const uint32_t v = at(d, data, i) | (uint32_t)at(d, data, i + 1) << 8 |
	                   (uint32_t)at(d, data, i + 2) << 16 | (uint32_t)at(d, data, i + 3) << 24;
	return v * 2654435761U >> (32 - XC_JPEG_PACK_BITS);
}

size_t xc_jpeg_pack_bound(size_t size)
{
	/* A copy of 7 bytes may take 10. */
	return size + size / 2 + 16;
}

size_t xc_jpeg_pack(const xc_jpeg_dictionary d, const uint8_t *data, size_t size, uint32_t *table,
                    uint8_t *out)
{
	const size_t all = XC_JPEG_DICTIONARY + size;
	size_t literal = XC_JPEG_DICTIONARY; /* the first byte that is not put */
	uint8_t *p = out;

	memset(table, 0, HASHES * sizeof *table);
	for (size_t i = 0; i + MIN <= all;) {
		uint32_t *slot = &table[hash_of(d, data, i)];
		const size_t from = *slot;
		size_t n = 0;
		*slot = (uint32_t)i;
		while (i >= XC_JPEG_DICTIONARY && from < i && i + n < all &&
		       at(d, data, from + n) == at(d, data, i + n))
			n++;
		if (n < MIN + 3) {
			i++;
			continue;
		}
		p = xc_jpeg_put_number(p, i - literal);
		memcpy(p, data + literal - XC_JPEG_DICTIONARY, i - literal);
		p = xc_jpeg_put_number(xc_jpeg_put_number(p + (i - literal), n - MIN), i - from - 1);
		for (size_t end = i + n; ++i < end;)
			if (i + MIN <= all)
				table[hash_of(d, data, i)] = (uint32_t)i;
		literal = i;
	}
	p = xc_jpeg_put_number(p, all - literal);
	if (all > literal)
		memcpy(p, data + literal - XC_JPEG_DICTIONARY, all - literal);
	return (size_t)(p - out) + (all - literal);
}

const uint8_t *xc_jpeg_unpack(const xc_jpeg_dictionary d, const uint8_t *data, size_t size,
                              uint8_t *out, size_t room)
{
	const uint8_t *p = data, *const end = data + size;
	uint64_t n, back;
	size_t done = 0;

	for (;;) {
		if (!(p = xc_jpeg_take_number(p, end, &n)) || n > (size_t)(end - p) || n > room - done)
			return NULL;
		memcpy(out + done, p, (size_t)n);
		p += n;
		done += (size_t)n;
		if (done == room)
			return p;
		if (!(p = xc_jpeg_take_number(p, end, &n)) || !(p = xc_jpeg_take_number(p, end, &back)) ||
		    n > room || n + MIN > room - done || back >= done + XC_JPEG_DICTIONARY)
			return NULL;
		for (n += MIN; n; n--, done++)
			out[done] = at(d, out, done + XC_JPEG_DICTIONARY - (size_t)back - 1);
	}
}
