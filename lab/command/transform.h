/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xcodec transform` and its thresholding share. */
#ifndef XC_LAB_COMMAND_TRANSFORM_H
#define XC_LAB_COMMAND_TRANSFORM_H

#include "cli/base/clock.h"
#include "cli/base/settings.h"

#include "lab/registry.h"

typedef struct xc_cli_transform {
	int list, verbose, force, json;
	int precision; /* 0: as the file says */
	int slices;
	const char *algorithm;    /* of the thresholding; NULL: the best there is */
	double epsilon, fraction; /* -1: not given */
	xc_cli_limits limits;
} xc_cli_transform;

/* --precision's values. */
extern const xc_cli_choice xc_cli_precisions[];

/* How many threads --threads means; -1 after reporting that XC_CPU names no level that
 * there is. */
int xc_cli_transform_threads(const xc_cli_limits *limits);

/* An algorithm by name, or NULL after reporting that there is none. */
const xc_algorithm *xc_cli_algorithm(const char *subject, const char *name);

/* `xcodec transform threshold`: IN and OUT are in paths[0] and paths[1]. */
int xc_cli_threshold(const xc_cli_transform *settings, char **paths);

#endif
