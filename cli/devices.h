/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices that there are, for `xcodec info --devices`. */
#ifndef XC_CLI_DEVICES_H
#define XC_CLI_DEVICES_H

#include <xcodec.h>

/* Prints them on standard output: 0, also without a GPU, or -1 after reporting that there is no memory. */
int xc_cli_list_devices(xc_context *context, int json);

#endif
