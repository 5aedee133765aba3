/* SPDX-License-Identifier: BSD-2-Clause */
/* What blobs of metadata have to be, those that callers give and those of files of other formats (formats/), and what
 * metadata says that goes without saying.
 * UTF-8 (RFC 3629): longer forms than needed, surrogates and numbers above 0x10ffff are none. EXIF: it
 * begins as a TIFF file. */
#ifndef XC_SRC_CORE_BLOB_H
#define XC_SRC_CORE_BLOB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <xcodec.h>

/* The bytes of the character at p, of which there are `left`, at least 1; 0: it is none. */
static inline size_t xc_utf8_length(const uint8_t *p, size_t left)
{
	static const uint32_t min[5] = {0, 0, 0x80, 0x800, 0x10000};

	if (p[0] < 0x80)
		return 1;
	const size_t n = p[0] >= 0xf0 && p[0] < 0xf8   ? 4
	                 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
	                 : p[0] >= 0xc0 && p[0] < 0xe0 ? 2
	                                               : 0;
	uint32_t value = n ? p[0] & (0x7fu >> n) : 0;
	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3f);
	}
	return value >= min[n] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff) ? n : 0;
}

/* Zero bytes count as characters. */
static inline int xc_is_utf8(const void *data, size_t size)
{
	const uint8_t *p = data;

	for (size_t i = 0, n; i < size; i += n)
		if ((n = xc_utf8_length(p + i, size - i)) == 0)
			return 0;
	return 1;
}

static inline int xc_is_exif(const void *data, size_t size)
{
	return size >= 4 && (!memcmp(data, "II*\0", 4) || !memcmp(data, "MM\0*", 4));
}

/* Whether gamma and primaries, as far as there are any, are those of sRGB (ITU-R BT.709): samples are taken for that
 * where nothing is said. 0.45, 0.4545 and the like mean the same gamma; 5 % is hardly visible. */
static inline int xc_says_srgb(const xc_metadata *m)
{
	static const int32_t gamma = 45455,
						 primaries[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
	const int64_t off = (int64_t)m->gamma - gamma;
	int differ = m->gamma && 20 * (off < 0 ? -off : off) > gamma;

	for (int i = 0; i < 8 && m->primaries[0]; i++)
		differ |= m->primaries[i] + INT64_C(1000) < primaries[i] ||
		          m->primaries[i] > primaries[i] + INT64_C(1000);
	return !differ;
}

/* Whether fewer bits of a sample than all count. */
static inline int xc_has_fewer_bits(const xc_metadata *m, uint32_t depth)
{
	int fewer = 0;

	for (int i = 0; i < 4; i++)
		fewer |= m->significant_bits[i] && m->significant_bits[i] < depth;
	return fewer;
}

#endif
