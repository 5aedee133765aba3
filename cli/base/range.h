/* SPDX-License-Identifier: BSD-2-Clause */
/* The range that samples of 16 bits use: --range of what encodes, --peak of what compares. */
#ifndef XC_CLI_BASE_RANGE_H
#define XC_CLI_BASE_RANGE_H

#include <xcodec.h>

/* What an option says: nothing, "auto", or else the largest sample, as the picture's file counts. */
enum { XC_CLI_RANGE_NONE = 0, XC_CLI_RANGE_AUTO = -1 };

/* Parses "auto" or a number into an int, for XC_CLI_CUSTOM. */
const char *xc_cli_range_parse(const char *text, void *to);

/* The largest sample of grey or colour; that in the numbers of the file that it came from; and a picture of 16
 * bits brought back to these. */
uint32_t xc_cli_largest(const xc_picture *picture);
uint32_t xc_cli_range_in_file(uint32_t sample, const xc_metadata *metadata);
void xc_cli_range_restore(const xc_picture *picture, const xc_metadata *metadata);

/* The peak for xc_compare_all(): what --peak says ("auto": the largest sample), else what an XC file says, else 0.
 * The same for xc_encode_options.range, where "auto" is the largest number of as many bits as that sample has. */
uint32_t xc_cli_peak_of(int given, const xc_picture *picture, const xc_metadata *metadata);
uint32_t xc_cli_range_of(int given, const xc_picture *picture, const xc_metadata *metadata);

/* Says that samples of 16 bits up to `largest` use little of 0 ... peak (0: 65535), if they do, and what helps. */
void xc_cli_range_hint(const char *name, uint32_t peak, uint32_t largest, const char *help);

#endif
