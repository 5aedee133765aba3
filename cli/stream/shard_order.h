/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces that come in any order and are written in theirs. */
#ifndef XC_CLI_STREAM_SHARD_ORDER_H
#define XC_CLI_STREAM_SHARD_ORDER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef struct xc_cli_piece {
	char *name;
	int64_t time;
	uint8_t *data; /* NULL: nothing is to be written */
	size_t size;
	int ready;
} xc_cli_piece;

typedef struct xc_cli_order {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	xc_cli_piece *ring;
	size_t slots, held; /* bytes of pieces that wait */
	uint64_t begun, written;
	int writing; /* a thread is about it */
	/* Takes a piece's bytes.  Called by one thread at a time. */
	void (*write)(void *user, const xc_cli_piece *piece);
	void *user;
} xc_cli_order;

/* At most `slots` pieces are between begin and end of their way.  0, or -1: out of memory. */
int xc_cli_order_init(xc_cli_order *order, size_t slots);
void xc_cli_order_free(xc_cli_order *order);
/* The number of the next piece, once there is room for it. */
uint64_t xc_cli_order_begin(xc_cli_order *order);
/* Takes over a piece with what it owns. */
void xc_cli_order_end(xc_cli_order *order, uint64_t number, const xc_cli_piece *piece);

#endif
