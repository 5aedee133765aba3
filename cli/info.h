/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xcodec info` found out about a file, and the two ways to print it. */
#ifndef XC_CLI_INFO_H
#define XC_CLI_INFO_H

#include <xcodec.h>

/* A part of a file. */
typedef struct xc_cli_info_part {
	const char *name; /* "header" */
	uint64_t bytes;
} xc_cli_info_part;
enum { XC_CLI_INFO_PARTS = 6 };

typedef struct xc_cli_info_report {
	const char *name; /* of the file */
	xc_info info;
	double bits_per_pixel, ratio; /* ratio: raw size over file size */
	/* The parts that add up to the size of the file, without bytes after its end; of a truncated
	 * file, what it has of them. */
	xc_cli_info_part parts[XC_CLI_INFO_PARTS];
	/* Bytes of a segment; all zero without segments. */
	uint64_t smallest, largest;
	double mean;
	uint64_t damaged;          /* segments */
	xc_segment_info *segments; /* all of them */
	uint64_t charged;          /* bytes of these */
	int list_segments;         /* as the user asked */
	int wants_usage;           /* as the user asked */
	int has_usage;             /* 0: the entropy layer was not decoded, or cannot be */
	char usage_message[256];   /* why not */
	xc_bit_usage usage;
} xc_cli_info_report;

void xc_cli_info_print_text(const xc_cli_info_report *report);
void xc_cli_info_print_json(const xc_cli_info_report *report);

#endif
