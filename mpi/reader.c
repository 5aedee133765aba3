/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/reader.h"

#include "cli/base/report.h"

/* Adds the item, or notes that there is none. */
static int keep(xc_mpi_reader *r, const xc_cli_item *item)
{
	pthread_mutex_lock(&r->lock);
	while (item && xc_mpi_records_size(&r->records) >= r->room)
		pthread_cond_wait(&r->taken, &r->lock);
	if (item && xc_mpi_records_add(&r->records, item))
		r->lacking = 1;
	r->given += item != NULL;
	r->over = !item || r->lacking;
	const int over = r->over;
	pthread_mutex_unlock(&r->lock);
	return !over;
}

static void wait_for_all(xc_mpi_reader *r)
{
	pthread_mutex_lock(&r->lock);
	r->waits = 1;
	while (r->waits)
		pthread_cond_wait(&r->taken, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

static void *read_names(void *user)
{
	xc_mpi_reader *r = user;
	int more = 1;

	while (more) {
		xc_cli_item item;
		const int got = xc_cli_items_next(r->items, &item);

		if (got == XC_CLI_WAIT) {
			wait_for_all(r);
			continue;
		}
		more = keep(r, got ? &item : NULL);
		if (got)
			xc_cli_item_free(&item);
	}
	return NULL;
}

int xc_mpi_reader_begin(xc_mpi_reader *r, xc_cli_items *items, size_t room)
{
	*r = (xc_mpi_reader){.items = items, .room = room};
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->taken, NULL);
	return pthread_create(&r->thread, NULL, read_names, r)
	           ? xc_cli_error(NULL, "no thread can be begun")
	           : 0;
}

void xc_mpi_reader_end(xc_mpi_reader *r)
{
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->taken);
	pthread_mutex_destroy(&r->lock);
	xc_mpi_records_free(&r->records);
}
