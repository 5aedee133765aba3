/* SPDX-License-Identifier: BSD-2-Clause */
/* Outputs that are kept in memory, as entries of a shard are. */
#include "cli/base/io.h"
#include "cli/base/report.h"

#include <stdlib.h>
#include <string.h>

void xc_cli_output_start_memory(xc_cli_output *o, const char *path, xc_context *context)
{
	*o =
		(xc_cli_output){.path = path, .folder = -1, .file = -1, .in_memory = 1, .context = context};
}

static int grow(xc_cli_output *o, size_t size)
{
	const size_t room = size > SIZE_MAX / 4 - o->room ? SIZE_MAX : 2 * o->room + size;

	if (xc_context_charge(o->context, room - o->room)) {
		xc_cli_note_failure(XC_ERR_LIMIT);
		return xc_cli_error(o->path, "%s (see --max-memory)", xc_context_message(o->context));
	}
	uint8_t *memory = realloc(o->memory, room);
	if (!memory) {
		xc_context_refund(o->context, room - o->room);
		xc_cli_note_failure(XC_ERR_MEMORY);
		return xc_cli_error(o->path, "out of memory");
	}
	o->memory = memory;
	o->room = room;
	return 0;
}

int xc_cli_output_keep(xc_cli_output *o, const void *data, size_t size)
{
	const size_t used = (size_t)o->written;

	if (size > o->room - used && grow(o, size))
		return -1;
	memcpy(o->memory + used, data, size);
	return 0;
}

void xc_cli_output_discard(xc_cli_output *o)
{
	xc_context_refund(o->context, o->room);
	free(o->memory);
	o->memory = NULL;
	o->room = 0;
}

void xc_cli_output_take(xc_cli_output *o, uint8_t **data, size_t *size)
{
	*data = o->memory;
	*size = (size_t)o->written;
	o->memory = NULL;
	xc_cli_output_discard(o);
}
