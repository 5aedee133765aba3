/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/share.h"

#include "cli/base/report.h"

#include <stdlib.h>
#include <string.h>

/* Before the path and the input's name, which have their final zeros. */
typedef struct head {
	uint64_t number;
	uint32_t path, input; /* their bytes; input 0: it has none */
	uint32_t name, whose; /* see xc_cli_item */
} head;

static head head_at(const uint8_t *bytes)
{
	head h;

	memcpy(&h, bytes, sizeof h);
	return h;
}

static size_t size_at(const uint8_t *bytes)
{
	const head h = head_at(bytes);

	return sizeof h + h.path + h.input;
}

/* Returns where `size` more bytes go; NULL: out of memory. */
static uint8_t *reserve(xc_mpi_records *r, size_t size)
{
	const size_t used = xc_mpi_records_size(r);

	/* What was taken is overwritten once it is half of the room, so each byte moves once. */
	if (r->room - r->end < size && used + size <= r->room / 2) {
		memmove(r->bytes, r->bytes + r->begin, used);
		r->begin = 0;
		r->end = used;
	}
	if (r->room - r->end < size) {
		const size_t room = 2 * (r->end + size);
		uint8_t *bytes = realloc(r->bytes, room);

		if (!bytes)
			return NULL;
		r->bytes = bytes;
		r->room = room;
	}
	return r->bytes + r->end;
}

int xc_mpi_records_add(xc_mpi_records *r, const xc_cli_item *item)
{
	const head h = {item->number, (uint32_t)strlen(item->path) + 1,
	                item->input ? (uint32_t)strlen(item->input) + 1 : 0, (uint32_t)item->name,
	                item->whose};
	const size_t size = sizeof h + h.path + h.input;
	uint8_t *to = reserve(r, size);

	if (!to)
		return -1;
	memcpy(to, &h, sizeof h);
	memcpy(to + sizeof h, item->path, h.path);
	if (h.input)
		memcpy(to + sizeof h + h.path, item->input, h.input);
	r->end += size;
	r->count++;
	return 0;
}

int xc_mpi_records_append(xc_mpi_records *r, const uint8_t *bytes, size_t size, uint64_t count)
{
	uint8_t *to = size ? reserve(r, size) : NULL;

	if (!size)
		return 0;
	if (!to)
		return -1;
	memcpy(to, bytes, size);
	r->end += size;
	r->count += count;
	return 0;
}

const uint8_t *xc_mpi_records_take(xc_mpi_records *r, uint64_t count, size_t *size)
{
	const size_t begin = r->begin;

	for (uint64_t i = 0; i < count; i++)
		r->begin += size_at(r->bytes + r->begin);
	r->count -= count;
	*size = r->begin - begin;
	return r->bytes ? r->bytes + begin : NULL;
}

int xc_mpi_record_read(const uint8_t *bytes, xc_cli_item *item)
{
	const head h = head_at(bytes);

	const char *path = (const char *)bytes + sizeof h;

	if (xc_cli_item_set(item, h.number, path, h.name))
		return -1;
	item->whose = (enum xc_cli_whose)h.whose;
	item->input = h.input ? strdup(path + h.path) : NULL;
	if (!h.input || item->input)
		return 0;
	xc_cli_item_free(item);
	return xc_cli_error(NULL, "out of memory");
}

void xc_mpi_records_free(xc_mpi_records *r)
{
	free(r->bytes);
	*r = (xc_mpi_records){NULL, 0, 0, 0, 0};
}
