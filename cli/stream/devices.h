/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GPUs that join a batch whose device is "auto".
 *
 * The work begins on the processor.  Where much is left after a while, a thread of its own starts CUDA, which takes a
 * quarter of a second and more, and from then on workers code their pictures on the GPUs, in turn.  Where they turn out
 * slower that way, they go back.  Bytes do not depend on any of that.
 */
#ifndef XC_CLI_STREAM_DEVICES_H
#define XC_CLI_STREAM_DEVICES_H

#include "cli/base/cleanup.h"

#include <pthread.h>
#include <stdint.h>
#include <xcodec.h>

/* What workers did, of both kinds. */
typedef struct xc_cli_pace {
	uint64_t pictures, pixels; /* that count */
	double seconds;            /* of a worker: reading, coding and writing */
} xc_cli_pace;

typedef struct xc_cli_devices {
	/* Set by the caller. */
	int wanted; /* the device is "auto" */
	/* Worker i has list[(first + i * step) % count]. */
	int first, step;
	int workers;
	/* What part of all items was handed out, 0 to 1; NULL: that is not known. */
	double (*share)(const void *user);
	const void *user;

	double begun;
	int state; /* see devices.c; changed atomically */
	int started;
	pthread_t thread;
	int *list, count; /* the GPUs that can be used */
	pthread_mutex_t counting;
	xc_cli_pace pace[2];  /* on the processor, on a GPU; guarded */
	uint64_t pictures[2]; /* all of them, guarded */
	struct {
		int on;            /* its context has a GPU */
		unsigned pictures; /* since then */
	} worker[XC_CLI_WRITERS];
} xc_cli_devices;

/* Starts CUDA.  *list becomes the numbers of the GPUs that can be used, which free() frees, or NULL; returns how many
 * they are. */
int xc_cli_usable_gpus(xc_context *context, int **list);

/* *devices must not move afterwards. */
void xc_cli_devices_begin(xc_cli_devices *devices);
/* Before a picture: gives the worker's context the device that it is to have. */
void xc_cli_devices_turn(xc_cli_devices *devices, int worker, xc_context *context);
/* After one that was coded, which took that long. */
void xc_cli_devices_note(xc_cli_devices *devices, int worker, const xc_context *context,
                         uint64_t pixels, double seconds);
/* Waits until a start of CUDA that is under way has ended. */
void xc_cli_devices_end(xc_cli_devices *devices);

#endif
