/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs descriptions of JPEGs: what they had before, or what most JPEGs have, is copied, and Huffman tables of their own
 * are told by the lengths of their codes. doc/format.md, section 12.4, has all of it. */
#include <string.h>

#include "jpeg/jpeg.h"
#include "lossless/bits.h"

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

/* -------------------------------------------------------------------- tables */

enum {
	SYMBOLS_AT = 73, /* in `after`: those of T.81, table K.5 */
	SYMBOLS = 162,
	FIRST_LENGTH = 3, /* the length before the first code */
	ABSENT = 2,       /* in place of a difference of lengths: symbols without a code */
	TABLE_BYTES = 1280
};

/* A Huffman table in a description: 16 counts and symbols. */
typedef struct spot {
	size_t at, size;
	int ac;
} spot;

/* The order of symbols: in turn; those of AC begin with the more frequent ones. */
static void order_symbols(int ac, uint8_t order[256])
{
	uint8_t seen[256] = {0};
	int n = ac ? SYMBOLS : 0;

	memcpy(order, after + SYMBOLS_AT, (size_t)n);
	for (int i = 0; i < n; i++)
		seen[order[i]] = 1;
	for (int s = 0; s < 256; s++)
		if (!seen[s])
			order[n++] = (uint8_t)s;
}

/* Sets the length of each symbol's code. 0: symbols of a length do not ascend, so lengths do not tell the table. */
static int find_lengths(const uint8_t *stored, uint8_t lengths[256])
{
	const uint8_t *symbol = stored + 16;

	memset(lengths, 0, 256);
	for (int l = 1; l <= 16; l++)
		for (int i = 0; i < stored[l - 1]; i++, symbol++) {
			if (lengths[*symbol] || (i && symbol[0] < symbol[-1]))
				return 0;
			lengths[*symbol] = (uint8_t)l;
		}
	return 1;
}

/* Returns how many bytes a table takes in out, which has TABLE_BYTES; 0: as many as it has, or it cannot be told. */
static size_t put_table(const spot *t, const uint8_t *stored, uint8_t *out)
{
	xc_side_writer w = {.next = out};
	uint8_t order[256], lengths[256];
	uint32_t left = (uint32_t)t->size - 16, run = 0;
	int last = FIRST_LENGTH;

	if (!find_lengths(stored, lengths))
		return 0;
	order_symbols(t->ac, order);
	xc_put_bits(&w, 1, (uint32_t)t->ac);
	xc_put_bits(&w, 8, left - 1);
	for (const uint8_t *s = order; left; s++) {
		const int length = lengths[*s], more = length - last;
		/* 0, 1, -1, 2, ... as 0, 1, 3, 4, ... */
		const int n = more > 0 ? 2 * more - 1 : -2 * more;
		run += !length;
		if (!length)
			continue;
		if (run) {
			xc_put_rice(&w, 1, ABSENT);
			xc_put_rice(&w, 3, run - 1);
		}
		xc_put_rice(&w, 1, (uint32_t)(n + (n >= ABSENT)));
		last = length;
		run = 0;
		left--;
	}
	const size_t size = (size_t)(xc_end_bits(&w) - out);
	return size < t->size ? size : 0;
}

/* Sets lengths of symbols. 0: they are damaged. */
static int get_lengths(xc_side_reader *r, uint8_t lengths[256])
{
	uint8_t order[256];
	int last = FIRST_LENGTH;

	memset(lengths, 0, 256);
	order_symbols((int)xc_get_bits(r, 1), order);
	uint32_t left = xc_get_bits(r, 8) + 1;
	for (uint64_t k = 0; left; k++) {
		const uint64_t n = xc_get_rice(r, 1, 64);
		if (r->bad || n > 64 || k > 255)
			return 0;
		if (n == ABSENT) {
			k += xc_get_rice(r, 3, 256);
			continue;
		}
		const int m = (int)n - (n > ABSENT);
		last += m % 2 ? (m + 1) / 2 : -m / 2;
		if (last < 1 || last > 16)
			return 0;
		lengths[order[k]] = (uint8_t)last;
		left--;
	}
	return !r->bad;
}

/* A table of up to `room` bytes; returns how many it has. 0: it is damaged. */
static size_t get_table(const uint8_t **p, const uint8_t *end, uint8_t *out, size_t room)
{
	xc_side_reader r = {.next = *p, .end = end};
	uint8_t lengths[256];
	size_t n = 16;

	if (!get_lengths(&r, lengths) || room < n)
		return 0;
	*p = r.next;
	memset(out, 0, n);
	for (int l = 1; l <= 16; l++)
		for (int s = 0; s < 256; s++) {
			if (lengths[s] != l)
				continue;
			if (n == room || out[l - 1] == 255)
				return 0;
			out[l - 1]++;
			out[n++] = (uint8_t)s;
		}
	return n;
}

/* Finds tables after the marker DHT; returns how many. */
static int find_tables(const uint8_t *data, size_t size, spot spots[XC_JPEG_TABLES])
{
	int count = 0;

	for (size_t i = 0; i + 4 < size; i++) {
		const size_t more = size - i - 2, length = (size_t)data[i + 2] << 8 | data[i + 3];
		if (data[i] != 0xff || data[i + 1] != 0xc4 || length > more)
			continue;
		const size_t end = i + 2 + length;
		for (size_t at = i + 5; at + 16 <= end && count < XC_JPEG_TABLES; at = i + 2) {
			size_t n = 0;
			for (size_t k = at; k < at + 16; k++)
				n += data[k];
			if (!n || n > 256 || at + 16 + n > end)
				break;
			spots[count++] = (spot){at, 16 + n, data[at - 1] >> 4 & 1};
			i = at + n + 15;
		}
	}
	return count;
}

/* ------------------------------------------------------------------- packing */

size_t xc_jpeg_pack_bound(size_t size)
{
	/* A copy of 7 bytes may take 10. */
	return size + size / 2 + 16;
}

static uint8_t *put_literals(uint8_t *p, const uint8_t *from, size_t n)
{
	p = xc_jpeg_put_number(p, n);
	return n ? put(p, from, n) : p;
}

size_t xc_jpeg_pack(const xc_jpeg_dictionary d, const uint8_t *data, size_t size, uint32_t *table,
                    uint8_t *out)
{
	const size_t all = XC_JPEG_DICTIONARY + size;
	uint8_t coded[TABLE_BYTES], *p = out;
	spot spots[XC_JPEG_TABLES + 1], *next = spots;
	size_t literal = 0; /* the first byte that is not put */

	/* None is there after the last one. */
	spots[find_tables(data, size, spots)] = (spot){size, SIZE_MAX, 0};
	memset(table, 0, HASHES * sizeof *table);
	for (size_t i = 0; i + MIN <= all;) {
		const size_t done = i - XC_JPEG_DICTIONARY; /* of data, from its begin on */
		uint32_t *slot = &table[hash_of(d, data, i)];
		const size_t from = *slot;
		size_t n = 0, told = 0;
		*slot = (uint32_t)i;
		while (i >= XC_JPEG_DICTIONARY && from < i && i + n < all &&
		       at(d, data, from + n) == at(d, data, i + n))
			n++;
		while (i >= XC_JPEG_DICTIONARY && next->at < done)
			next++;
		/* A table is copied whole, or told. */
		if (i >= XC_JPEG_DICTIONARY && next->at - done <= n && done + n - next->at < next->size) {
			n = next->at - done;
			told = n ? 0 : put_table(next, data + done, coded);
		}
		if (n < MIN + 3 && !told) {
			i++;
			continue;
		}
		p = put_literals(p, data + literal, done - literal);
		if (told) {
			*p++ = 0;
			p = put(p, coded, told);
			n = next->size;
		} else {
			p = xc_jpeg_put_number(xc_jpeg_put_number(p, n - MIN + 1), i - from - 1);
		}
		literal = done + n;
		for (size_t end = i + n; ++i < end;)
			if (i + MIN <= all)
				table[hash_of(d, data, i)] = (uint32_t)i;
	}
	return (size_t)(put_literals(p, data + literal, size - literal) - out);
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
		if (!(p = xc_jpeg_take_number(p, end, &n)))
			return NULL;
		if (!n) {
			n = get_table(&p, end, out + done, room - done);
			if (!n)
				return NULL;
			done += (size_t)n;
			continue;
		}
		if (!(p = xc_jpeg_take_number(p, end, &back)) || n > room || n + MIN - 1 > room - done ||
		    back >= done + XC_JPEG_DICTIONARY)
			return NULL;
		for (n += MIN - 1; n; n--, done++)
			out[done] = at(d, out, done + XC_JPEG_DICTIONARY - (size_t)back - 1);
	}
}
