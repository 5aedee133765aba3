/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xcodec info` found out about a file, and its two ways of saying it. */
#ifndef XC_CLI_INFO_H
#define XC_CLI_INFO_H

#include <xcodec.h>

typedef struct xc_cli_info_report {
	const char *name; /* of the file */
	xc_info info;
	/* Of the segments' byte counts; all zero without segments. */
	uint64_t smallest, largest, damaged;
	double mean;
	xc_segment_info *segments; /* all of them */
	int list_segments;         /* as the user asked */
	int has_usage;             /* 0: the entropy layer cannot be decoded */
	char usage_message[256];   /* why not */
	xc_bit_usage usage;
} xc_cli_info_report;

void xc_cli_info_print_text(const xc_cli_info_report *report);
void xc_cli_info_print_json(const xc_cli_info_report *report);

/* `xcodec info --devices`: 0, or -1 after reporting why not. */
int xc_cli_info_devices(xc_context *context, int json);

/* "Y", "Cb" or "Cr". */
const char *xc_cli_component_name(uint32_t component);
/* Bits per pixel of `bytes`, and raw size over file size. */
double xc_cli_info_bpp(const xc_info *info, uint64_t bytes);
double xc_cli_info_ratio(const xc_info *info);

/* The parts of a file that add up to its size. */
typedef struct xc_cli_info_part {
	const char *name; /* "header" */
	uint64_t bytes;
} xc_cli_info_part;
enum { XC_CLI_INFO_PARTS = 6 };
void xc_cli_info_parts(const xc_info *info, xc_cli_info_part parts[XC_CLI_INFO_PARTS]);

#endif
