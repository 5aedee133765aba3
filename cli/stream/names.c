/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/names.h"

#include "cli/base/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------- SipHash-1-3 of a string */

typedef struct sip {
	uint64_t a, b, c, d;
} sip;

static uint64_t rotate(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static void sip_round(sip *v)
{
	v->a += v->b;
	v->c += v->d;
	v->b = rotate(v->b, 13) ^ v->a;
	v->d = rotate(v->d, 16) ^ v->c;
	v->a = rotate(v->a, 32) + v->d;
	v->c += v->b;
	v->d = rotate(v->d, 21) ^ v->a;
	v->b = rotate(v->b, 17) ^ v->c;
	v->c = rotate(v->c, 32);
}

static void sip_word(sip *v, uint64_t word)
{
	v->d ^= word;
	sip_round(v);
	v->a ^= word;
}

/* Never 0, which marks a free slot. */
static uint64_t hash(const uint64_t key[2], const char *name)
{
	sip v = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
	         key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
	const size_t length = strlen(name), whole = length / 8;
	uint64_t word;

	for (size_t i = 0; i < whole; i++) {
		memcpy(&word, name + 8 * i, 8);
		sip_word(&v, word);
	}
	word = (uint64_t)length << 56;
	for (size_t i = 8 * whole; i < length; i++)
		word |= (uint64_t)(unsigned char)name[i] << 8 * (i % 8);
	sip_word(&v, word);
	v.c ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(&v);
	word = v.a ^ v.b ^ v.c ^ v.d;
	return word ? word : 1;
}

/* -------------------------------------------------------------------------- set */

/* The slot that has the hash, or a free one; at most 3 of 4 slots are used. */
static uint64_t *find(const xc_cli_names *n, uint64_t value)
{
	size_t i = (size_t)value & (n->slots - 1);

	while (n->slot[i] && n->slot[i] != value)
		i = (i + 1) & (n->slots - 1);
	return &n->slot[i];
}

static void choose_key(xc_cli_names *n)
{
	const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

	n->key[0] = (uint64_t)(xc_cli_seconds() * 1e9);
	n->key[1] = (uint64_t)getpid();
	if (file < 0)
		return;
	if (read(file, n->key, sizeof n->key) < 0)
		n->key[1]++; /* the clock must do */
	close(file);
}

static int grow(xc_cli_names *n)
{
	xc_cli_names larger = {{n->key[0], n->key[1]}, NULL, n->slots ? 2 * n->slots : 1024, n->used};

	if (!n->slots)
		choose_key(&larger);
	larger.slot = calloc(larger.slots, sizeof *larger.slot);
	if (!larger.slot)
		return -1;
	for (size_t i = 0; i < n->slots; i++)
		if (n->slot[i])
			*find(&larger, n->slot[i]) = n->slot[i];
	free(n->slot);
	*n = larger;
	return 0;
}

int xc_cli_names_add(xc_cli_names *n, const char *name)
{
	if (4 * (n->used + 1) > 3 * n->slots && grow(n))
		return -1;
	const uint64_t value = hash(n->key, name);
	uint64_t *slot = find(n, value);
	const int is_new = !*slot;

	*slot = value;
	n->used += (size_t)is_new;
	return is_new;
}

int xc_cli_names_have(const xc_cli_names *n, const char *name)
{
	return n->used && *find(n, hash(n->key, name)) != 0;
}

void xc_cli_names_free(xc_cli_names *n)
{
	free(n->slot);
	*n = (xc_cli_names){.slot = NULL};
}
