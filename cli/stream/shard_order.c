/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/shard_order.h"

#include <stdlib.h>

/* Bytes that may wait for an earlier piece, unless one alone has more. */
static const size_t most_held = (size_t)64 << 20;

int xc_cli_order_init(xc_cli_order *o, size_t slots)
{
	*o = (xc_cli_order){.slots = slots, .ring = calloc(slots, sizeof *o->ring)};
	if (!o->ring)
		return -1;
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->moved, NULL);
	return 0;
}

void xc_cli_order_free(xc_cli_order *o)
{
	pthread_mutex_destroy(&o->lock);
	pthread_cond_destroy(&o->moved);
	free(o->ring);
}

uint64_t xc_cli_order_begin(xc_cli_order *o)
{
	pthread_mutex_lock(&o->lock);
	while (o->begun - o->written >= o->slots || (o->held > most_held && o->begun > o->written))
		pthread_cond_wait(&o->moved, &o->lock);
	const uint64_t number = o->begun++;
	pthread_mutex_unlock(&o->lock);
	return number;
}

/* Writes what is ready and next; the lock is held, but not while a piece is written. */
static void write_ready(xc_cli_order *o)
{
	o->writing = 1;
	for (;;) {
		xc_cli_piece *slot = &o->ring[o->written % o->slots], piece = *slot;

		if (!piece.ready)
			break;
		pthread_mutex_unlock(&o->lock);
		if (piece.data)
			o->write(o->user, &piece);
		free(piece.name);
		free(piece.data);
		pthread_mutex_lock(&o->lock);
		slot->ready = 0;
		o->held -= piece.size;
		o->written++;
		pthread_cond_broadcast(&o->moved);
	}
	o->writing = 0;
}

void xc_cli_order_end(xc_cli_order *o, uint64_t number, const xc_cli_piece *piece)
{
	xc_cli_piece *slot = &o->ring[number % o->slots];

	pthread_mutex_lock(&o->lock);
	*slot = *piece;
	slot->ready = 1;
	o->held += piece->size;
	if (!o->writing)
		write_ready(o);
	pthread_mutex_unlock(&o->lock);
}
