/* SPDX-License-Identifier: BSD-2-Clause */
/* With ISA-L for reading and for the fast level, and zlib for all else. */
#include "formats/png/png.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#ifdef XC_HAVE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#endif

enum { FAST = -1 };

/* How much a library takes at once: its sizes have 32 bits. */
static uint32_t portion(size_t size)
{
	return size < INT_MAX ? (uint32_t)size : INT_MAX;
}

uint32_t xc_png_crc(uint32_t crc, const void *data, size_t size)
{
#ifdef XC_HAVE_ISAL
	return crc32_gzip_refl(crc, data, size);
#else
	return (uint32_t)crc32_z(crc, data, size);
#endif
}

uint32_t xc_png_adler(const void *data, size_t size)
{
#ifdef XC_HAVE_ISAL
	return isal_adler32(1, data, size);
#else
	return (uint32_t)adler32_z(1, data, size);
#endif
}

uint32_t xc_png_adler_join(uint32_t first, uint32_t second, size_t second_size)
{
	return (uint32_t)adler32_combine(first, second, (z_off_t)second_size);
}

/* Both libraries give the members of their streams the same names. */
struct xc_inflater {
#ifdef XC_HAVE_ISAL
	struct inflate_state stream;
#else
	z_stream stream;
#endif
};

xc_inflater *xc_inflater_new(void)
{
	xc_inflater *i = calloc(1, sizeof *i);

	if (!i)
		return NULL;
#ifdef XC_HAVE_ISAL
	isal_inflate_init(&i->stream);
	i->stream.crc_flag = ISAL_ZLIB;
#else
	if (inflateInit(&i->stream) != Z_OK) {
		free(i);
		return NULL;
	}
#endif
	return i;
}

xc_inflate_result xc_inflater_run(xc_inflater *inflater, const uint8_t **from, size_t *from_size,
                                  uint8_t **to, size_t *to_size)
{
	inflater->stream.next_in = (uint8_t *)(uintptr_t)*from;
	inflater->stream.avail_in = portion(*from_size);
	inflater->stream.next_out = *to;
	inflater->stream.avail_out = portion(*to_size);
#ifdef XC_HAVE_ISAL
	const int result = isal_inflate(&inflater->stream);
	const int good = result == ISAL_DECOMP_OK || result == ISAL_END_INPUT;
	const int ended = inflater->stream.block_state == ISAL_BLOCK_FINISH;
#else
	const int result = inflate(&inflater->stream, Z_NO_FLUSH);
	const int ended = result == Z_STREAM_END;
	const int good = ended || result == Z_OK || result == Z_BUF_ERROR;
#endif
	*from_size -= (size_t)(inflater->stream.next_in - *from);
	*from = inflater->stream.next_in;
	*to_size -= (size_t)(inflater->stream.next_out - *to);
	*to = inflater->stream.next_out;
	return !good ? XC_INFLATE_DAMAGED : ended ? XC_INFLATE_END : XC_INFLATE_MORE;
}

void xc_inflater_free(xc_inflater *inflater)
{
#ifndef XC_HAVE_ISAL
	if (inflater)
		inflateEnd(&inflater->stream);
#endif
	free(inflater);
}

struct xc_deflater {
	int level, zlib; /* whether `stream` is in use */
	z_stream stream;
#ifdef XC_HAVE_ISAL
	struct isal_zstream fast;
	uint8_t *fast_buffer;
#endif
};

/* zlib's level where ISA-L, which makes files of about the same size, is not in use. */
enum { FAST_OF_ZLIB = 1 };

/* Bytes from which on ISA-L is used.  In ISA-L 2.30 an entry of the hash table depends on the addresses
 * of the buffers.  The tables of smaller inputs have so few entries that one run in some hundreds gave
 * other bytes than the rest. */
enum { SMALL = 16384 };

static int init_zlib(xc_deflater *d)
{
	const int level = d->level == FAST ? FAST_OF_ZLIB : d->level;

	d->zlib = deflateInit2(&d->stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) ==
	          Z_OK;
	return d->zlib;
}

xc_deflater *xc_deflater_new(int level)
{
	xc_deflater *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	d->level = level;
#ifdef XC_HAVE_ISAL
	if (level == FAST) {
		d->fast_buffer = malloc(ISAL_DEF_LVL2_DEFAULT);
		if (!d->fast_buffer) {
			free(d);
			return NULL;
		}
		isal_deflate_init(&d->fast);
		d->fast.level = 2;
		d->fast.level_buf = d->fast_buffer;
		d->fast.level_buf_size = ISAL_DEF_LVL2_DEFAULT;
		return d;
	}
#endif
	if (!init_zlib(d)) {
		free(d);
		return NULL;
	}
	return d;
}

void xc_deflate_head(int level, uint8_t head[XC_DEFLATE_HEAD])
{
	/* Deflate with a window of 32 KiB; how hard it tried, and what makes it a multiple of 31. */
	static const uint8_t effort[4] = {0x01, 0x5e, 0x9c, 0xda};

	head[0] = 0x78;
	head[1] = effort[level < 2 ? 0 : level < 6 ? 1 : level == 6 ? 2 : 3];
}

size_t xc_deflate_bound(size_t size)
{
	return size + size / 8 + 1024; /* more than any stored blocks and a flush */
}

#ifdef XC_HAVE_ISAL
static size_t run_fast(xc_deflater *d, const uint8_t *from, size_t size, size_t window, int last,
                       uint8_t *to)
{
	struct isal_zstream *s = &d->fast;

	isal_deflate_reset(s);
	s->gzip_flag = IGZIP_DEFLATE;
	s->flush = last ? NO_FLUSH : SYNC_FLUSH;
	s->end_of_stream = (uint16_t)last;
	if (window)
		isal_deflate_set_dict(s, (uint8_t *)(uintptr_t)from - window, (uint32_t)window);
	s->next_in = (uint8_t *)(uintptr_t)from;
	s->avail_in = (uint32_t)size;
	s->next_out = to;
	s->avail_out = (uint32_t)xc_deflate_bound(size);
	if (isal_deflate(s) != COMP_OK || s->avail_in || !s->avail_out)
		return 0;
	return (size_t)(s->next_out - to);
}
#endif

size_t xc_deflater_run(xc_deflater *d, const uint8_t *from, size_t size, size_t window, int last,
                       uint8_t *to)
{
#ifdef XC_HAVE_ISAL
	if (d->level == FAST && size >= SMALL)
		return run_fast(d, from, size, window, last, to);
	if (!d->zlib && !init_zlib(d))
		return 0;
#endif
	z_stream *s = &d->stream;
	deflateReset(s);
	if (window && deflateSetDictionary(s, from - window, (uInt)window) != Z_OK)
		return 0;
	s->next_in = (z_const Bytef *)(uintptr_t)from;
	s->avail_in = (uInt)size;
	s->next_out = to;
	s->avail_out = (uInt)xc_deflate_bound(size);
	const int result = deflate(s, last ? Z_FINISH : Z_SYNC_FLUSH);
	if (result != (last ? Z_STREAM_END : Z_OK) || s->avail_in || !s->avail_out)
		return 0;
	return (size_t)(s->next_out - to);
}

void xc_deflater_free(xc_deflater *d)
{
	if (!d)
		return;
#ifdef XC_HAVE_ISAL
	free(d->fast_buffer);
#endif
	if (d->zlib)
		deflateEnd(&d->stream);
	free(d);
}
