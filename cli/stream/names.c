/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/names.h"

#include <stdlib.h>

/* FNV-1a, whose low bits choose the slot after all bits were mixed into them. */
uint64_t xc_cli_names_hash(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 29;
	return h ? h : 1;
}

/* The slot that has the hash, or a free one; at most 3 of 4 slots are used. */
static struct xc_cli_name *find(const xc_cli_names *n, uint64_t hash)
{
	size_t i = (size_t)hash & (n->slots - 1);

	while (n->slot[i].hash && n->slot[i].hash != hash)
		i = (i + 1) & (n->slots - 1);
	return &n->slot[i];
}

static int grow(xc_cli_names *n)
{
	xc_cli_names larger = {NULL, n->slots ? 2 * n->slots : 1024, n->used};

	larger.slot = calloc(larger.slots, sizeof *larger.slot);
	if (!larger.slot)
		return -1;
	for (size_t i = 0; i < n->slots; i++)
		if (n->slot[i].hash)
			*find(&larger, n->slot[i].hash) = n->slot[i];
	free(n->slot);
	*n = larger;
	return 0;
}

uint64_t *xc_cli_names_value(xc_cli_names *n, const char *name)
{
	if (4 * (n->used + 1) > 3 * n->slots && grow(n))
		return NULL;
	const uint64_t hash = xc_cli_names_hash(name);
	struct xc_cli_name *slot = find(n, hash);

	n->used += !slot->hash;
	slot->hash = hash;
	return &slot->value;
}

int xc_cli_names_add(xc_cli_names *n, const char *name)
{
	uint64_t *value = xc_cli_names_value(n, name);
	const int is_new = value && !*value;

	if (value)
		*value = 1;
	return value ? is_new : -1;
}

void xc_cli_names_free(xc_cli_names *n)
{
	free(n->slot);
	*n = (xc_cli_names){.slot = NULL};
}
