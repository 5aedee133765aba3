/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line of `xcodec transform` says, and its thresholding. */
#ifndef XC_LAB_COMMAND_TRANSFORM_H
#define XC_LAB_COMMAND_TRANSFORM_H

#include "cli/base/clock.h"
#include "cli/base/settings.h"

typedef struct xc_cli_transform {
	int list, verbose, force, json;
	int precision; /* 0: as the file says */
	int slices;
	int depth;                /* of pictures to write, in bits; 0: as that of IN */
	int clip;                 /* samples that these cannot hold */
	const char *algorithm;    /* of the thresholding; NULL: the best there is */
	double epsilon, fraction; /* -1: not given */
	xc_cli_limits limits;
} xc_cli_transform;

/* `xcodec transform threshold`: IN and OUT are in paths[0] and paths[1].  Returns the exit
 * status. */
int xc_cli_threshold(const xc_cli_transform *settings, char **paths);

#endif
