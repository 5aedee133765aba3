/* SPDX-License-Identifier: BSD-2-Clause */
/* libxct's context, and what a descriptor means. */
#ifndef XC_XCT_CONTEXT_H
#define XC_XCT_CONTEXT_H

#include "lab/registry.h"
#include "src/core/pool.h"

struct xct_context {
	xc_pool pool;
	char message[XC_DEVICE_MESSAGE];
	char device_name[XC_DEVICE_MESSAGE];
};

/* Leaves the message, and returns the status. */
xct_status xct_fail(xct_context *context, xct_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A descriptor that was checked, with its defaults filled in. */
typedef struct xc_request {
	xct_descriptor d;
	const xc_algorithm *algorithm;
	size_t in_size[XCT_MAX_DIMENSIONS], out_size[XCT_MAX_DIMENSIONS];
	int in_dense, out_dense;
} xc_request;

xct_status xc_request_check(xct_context *context, const xct_descriptor *descriptor,
                            xc_request *request);

#endif
