/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels as programs have them: B before R, a byte of padding instead of alpha, upside down, planes
 * of Y, Cb and Cr as cameras and videos have them. They are encoded and decoded without a copy. The
 * conventions of xcodec.h hold here as well. Metrics take the pictures of xcodec.h alone. */
#ifndef XCODEC_PIXELS_H
#define XCODEC_PIXELS_H

#include <xcodec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How samples lie in memory. The packed layouts have all samples of a pixel side by side. Those
 * with planes have Y, Cb and Cr of BT.601 in full range (as JFIF; 128 is no colour), which are the
 * codec's own components, so nothing is converted. Their chroma planes are (width + 1) / 2 samples
 * wide where chroma is halved horizontally, and (height + 1) / 2 high where it is halved
 * vertically. */
typedef enum xc_layout {
	XC_LAYOUT_GREY = 0,
	XC_LAYOUT_GREY_ALPHA = 1,
	XC_LAYOUT_RGB = 2,
	XC_LAYOUT_RGBA = 3,
	XC_LAYOUT_BGR = 4,
	XC_LAYOUT_BGRA = 5,
	XC_LAYOUT_RGBX = 6, /* X: a sample that is not read, and that is written as all ones */
	XC_LAYOUT_BGRX = 7,
	XC_LAYOUT_YCBCR_420 =
		8, /* plane[0] Y, plane[1] Cb, plane[2] Cr; this one is also called I420 */
	XC_LAYOUT_YCBCR_422 = 9,
	XC_LAYOUT_YCBCR_444 = 10,
	XC_LAYOUT_NV12 = 11 /* 4:2:0 with plane[0] Y, plane[1] Cb and Cr in turn */
} xc_layout;

/* Pixels of any layout, in the caller's memory; the library neither allocates nor frees it. plane:
 * the upper left sample of each plane; a packed layout has plane[0] alone. stride: bytes from a row
 * of a plane to the next lower one, at least as many as the row has. It is negative in a bottom-up
 * picture, whose upper row is the last one in memory. depth: 8 or 16, as in xc_picture; layouts
 * with planes have 8. What is only read is not written to. */
typedef struct xc_pixels {
	xc_layout layout;
	uint32_t width, height;
	uint32_t depth;
	void *plane[3];
	ptrdiff_t stride[3];
	uint64_t reserved[4]; /* 0 */
} xc_pixels;

/* xc_encode() of any layout; the same pixels give the same file. RGBX and BGRX have no alpha.
 *
 *     xc_pixels frame = {.layout = XC_LAYOUT_NV12, .width = width, .height = height, .depth = 8,
 *                        .plane = {luma, chroma}, .stride = {pitch, pitch}};
 *     status = xc_encode_pixels(context, &frame, NULL, NULL, &file);
 *
 * Planes are coded with their own subsampling, so options must have XC_SUBSAMPLING_AUTO (the default), name
 * it, or have XC_SUBSAMPLING_GREY, which takes Y alone, and XC_COLOUR_YCBCR; else XC_ERR_ARGUMENT;
 * XC_MODE_LOSSLESS is XC_ERR_UNSUPPORTED, and AUTO is with loss. A GPU takes
 * what an xc_picture can hold; what else there is goes to the CPU, XC_ERR_UNSUPPORTED if a GPU was
 * chosen by name. */
XC_API xc_status xc_encode_pixels(xc_context *context, const xc_pixels *pixels,
                                  const xc_metadata *metadata, const xc_encode_options *options,
                                  xc_buffer *out);

/* Takes the next rows->height rows of any layout with the shape's channels and depth (planes and X:
 * of 3 channels). The layout of the first rows is that of all; after another one than xc_picture's,
 * xc_encoder_rows() and xc_encoder_room() give XC_ERR_ARGUMENT. Of 4:2:0 and NV12 the number of
 * rows must be even, except at the end. What xc_encode_pixels() says about options and GPUs holds
 * here too. */
XC_API xc_status xc_encoder_pixels(xc_encoder *encoder, const xc_pixels *rows);

/* xc_decode() into any layout, in memory of the caller; width, height and depth must be those of
 * the file, or of the region and scale. The samples are those of xc_decode() in another order.
 *
 *     xc_pixels window = {.layout = XC_LAYOUT_BGRX, .width = width, .height = height, .depth = 8,
 *                         .plane = {last_row}, .stride = {-pitch}};
 *     status = xc_decode_pixels(context, file, size, NULL, &window);
 *
 * Planes get the file's own Y, Cb and Cr, rounded to the nearest and held to 0 to 255, before
 * chroma is brought to full size. XC_ERR_UNSUPPORTED: the file has another subsampling or depth, is
 * grey, is without loss, or has components made for the picture; or a reduced size is wanted. A region for them
 * begins at even x where chroma is halved horizontally, and at even y where it is halved
 * vertically. GPUs: as xc_encode_pixels(). */
XC_API xc_status xc_decode_pixels(xc_context *context, const void *file, size_t size,
                                  xc_decode_options *options, const xc_pixels *pixels);

/* Writes the next rows->height rows in any layout, as xc_decode_pixels() does. The layout of the
 * first rows is that of all; those of xc_decoder_rows() and xc_decoder_next() are of the file's
 * channels. Of 4:2:0 and NV12 the number of rows must be even, except at the end. */
XC_API xc_status xc_decoder_pixels(xc_decoder *decoder, const xc_pixels *rows);

#ifdef __cplusplus
}
#endif
#endif
