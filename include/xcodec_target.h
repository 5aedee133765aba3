/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding to a size or to a picture quality that was asked for: a search over the quality of
 * xcodec.h, whose conventions hold here as well. */
#ifndef XCODEC_TARGET_H
#define XCODEC_TARGET_H

#include <xcodec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a file shall reach:
 *   XC_TARGET_BYTES  a size of the whole file, at most `value` and at least 99 % of it
 *   XC_TARGET_PSNR   psnr_rgb of xc_compare(), `value` dB, give or take 0.05 dB
 *   XC_TARGET_SSIM   ssim_y of xc_compare(), `value` below 1; its distance from 1 give or take 1 %
 *   XC_TARGET_SSIMULACRA2  `value` below 100, give or take 0.2, of pictures of 8 x 8 pixels and more */
typedef enum xc_target_kind {
	XC_TARGET_BYTES = 0,
	XC_TARGET_PSNR = 1,
	XC_TARGET_SSIM = 2,
	XC_TARGET_SSIMULACRA2 = 3
} xc_target_kind;

typedef struct xc_target {
	xc_target_kind kind;
	double value;         /* above 0 */
	uint64_t reserved[4]; /* 0 */
} xc_target;

typedef struct xc_target_result {
	/* With this quality xc_encode() makes the same file. With values AUTO it may make another
	 * choice, and so another file, near a quality where the choice changes. */
	int quality, quality_parts;
	double reached;       /* of the kind that was asked for */
	int met;              /* 1: `reached` is as near as above */
	int trials;           /* times that the picture was encoded */
	uint64_t reserved[4]; /* 0 */
} xc_target_result;

/*
 * Encodes a picture into a complete XC file in *out, as xc_encode() does with the quality that
 * comes nearest to the target; that of the options is 1 to 100 and does not count. XC_MODE_AUTO
 * is with loss, and XC_MODE_LOSSLESS is XC_ERR_ARGUMENT. A file that misses the target is
 * a success: result->met is then 0, and xc_context_message() says why. No file is larger than a
 * size that was asked for unless the smallest one is.
 *
 * The transform of a picture of up to 2^24 bytes of coefficients is done once, and they are kept
 * between trials: 4 bytes for each sample of each component, so pictures of 2.8 million pixels with
 * 4:2:0. Those of larger pictures are made again in less time than memory takes to give them back.
 * On a GPU, and where the limits of the context forbid it, each trial begins with the pixels as
 * well.
 */
XC_API xc_status xc_encode_target(xc_context *context, const xc_picture *picture,
                                  const xc_metadata *metadata, const xc_encode_options *options,
                                  const xc_target *target, xc_target_result *result,
                                  xc_buffer *out);

#ifdef __cplusplus
}
#endif
#endif
