/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG files in XC files, smaller, and the same JPEG files again: byte for byte, whatever they hold
 * beside their pixels.
 *
 * Conventions are those of xcodec.h. Baseline, extended and progressive Huffman coding of 8 bits with
 * 1 to 4 components is repacked: its quantized coefficients are coded anew. Other pictures that
 * follow the first one are, too; what lies between and after them is kept as it is.
 */
#ifndef XCODEC_JPEG_H
#define XCODEC_JPEG_H

#include <xcodec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of a file that begins as a JPEG and cannot be repacked. */
typedef enum xc_jpeg_fallback {
	XC_JPEG_FALLBACK_STORE = 0, /* it is kept as it is, in at most 100 bytes more */
	XC_JPEG_FALLBACK_REFUSE = 1 /* XC_ERR_UNSUPPORTED */
} xc_jpeg_fallback;

typedef struct xc_jpeg_options {
	xc_jpeg_fallback fallback;
	uint64_t reserved[4]; /* 0 */
} xc_jpeg_options;

/* What an XC file says about its JPEG. Of a stored one all members from `width` on are 0, but after
 * xc_jpeg_encode() those from `cut_off` on may be known. */
typedef struct xc_jpeg_info {
	uint64_t file_size; /* bytes of the XC file, and of the JPEG */
	uint64_t jpeg_size;
	uint8_t sha256[32];      /* of the JPEG */
	int stored;              /* 1: it is kept as it is */
	const char *why;         /* after xc_jpeg_encode(): why it is; a static string, or NULL */
	uint32_t width, height;  /* of its first picture */
	int components;          /* 1 to 4 */
	uint8_t h[4], v[4];      /* sampling factors, 1 to 4 */
	int progressive;         /* 1 or 0 */
	int quality;             /* 1 to 100: the one of the IJG whose luma table is nearest */
	int pictures;            /* that are repacked */
	uint16_t steps[4][64];   /* quantization steps by component, row by row */
	uint64_t segments;       /* of all pictures: what is coded on its own */
	uint64_t described_size; /* bytes of headers and metadata of these pictures */
	/* What is wrong with the first picture, which comes back as it was all the same. Pixels are grey where the blocks
	 * of all scans are missing, and coarse or without colour where those of some are. */
	int cut_off;             /* 1: it ends before its end marker */
	int damaged;             /* 1: blocks are missing, or codes end long before their scan does */
	uint64_t blocks;         /* that its scans are to give, in each of them again */
	uint64_t missing_blocks; /* that they do not */
	/* After xc_jpeg_read_info(): damaged segments of the pictures after the first one, and 1 for a damaged chunk
	 * that ends what can be read; xc_read_segments() has those of the first one. */
	uint64_t later_damaged;
	uint64_t reserved[4]; /* 0 */
} xc_jpeg_info;

/* Encodes a JPEG into a complete XC file in *file. options NULL: 0. info: what was done; NULL: not
 * wanted. XC_ERR_FORMAT: it does not begin as a JPEG. */
XC_API xc_status xc_jpeg_encode(xc_context *context, const void *jpeg, size_t size,
                                const xc_jpeg_options *options, xc_jpeg_info *info,
                                xc_buffer *file);

/* Whether the first bytes of a file, at least 12, are those of an XC file with a JPEG. */
XC_API int xc_jpeg_is(const void *start, size_t size);

/* What the file says of itself; nothing is decoded, but checksums are held against the file. It may be cut off in the segments of its first picture or after
 * them, or be damaged there, and have bytes after its end: then the context's message says so after XC_OK. */
XC_API xc_status xc_jpeg_read_info(xc_context *context, const void *file, size_t size,
                                   xc_jpeg_info *info);

/* The JPEG again, once its hash was checked. XC_ERR_CORRUPT: it is not the one that was encoded.
 * xc_limits.max_expansion limits the bytes of the JPEG for each byte of the file, of which there may
 * be 2^20 more. */
XC_API xc_status xc_jpeg_decode(xc_context *context, const void *file, size_t size,
                                xc_buffer *jpeg);

/* Makes the JPEG as xc_jpeg_decode() does, also if there are bytes after the end of the file; *damaged is then 0.
 * If the file is damaged it makes a JPEG of what is left: the coefficients of those segments of its first picture
 * that are intact, and grey for the others; *damaged counts these and those of later pictures, which are left out. Of a JPEG that is stored as it is, it returns the bytes that
 * there are, and *damaged is 1, as it is where only what follows the segments is damaged. The context's message
 * names the first damage. The status is that of xc_jpeg_decode() if nothing can be saved. */
XC_API xc_status xc_jpeg_rescue(xc_context *context, const void *file, size_t size, xc_buffer *jpeg,
                                uint64_t *damaged);

/* Makes a JPEG of a picture that has the DCT, 8 bits a sample, Y, Cb and Cr or grey, and no alpha,
 * without a second loss: it has the quantized coefficients, optimised Huffman codes, and Exif, XMP, ICC
 * and the like; after XC_OK the context's message says what a JPEG has no place for. progressive: 1 or 0
 * (baseline, or extended where a step is above 255). Any other picture is XC_ERR_UNSUPPORTED, as is a file with a JPEG;
 * the first XC_HEADER_BYTES bytes of a file tell that, too, unless the picture has components of its own. */
XC_API xc_status xc_jpeg_transcode(xc_context *context, const void *file, size_t size,
                                   int progressive, xc_buffer *jpeg);

#ifdef __cplusplus
}
#endif

#endif
