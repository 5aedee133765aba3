/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/base/report.h"
#include "cli/stream/manifest.h"
#include "cli/stream/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The value of a result is the hash of its input, with a state in the lowest bits. */
enum { TAKEN = 1, BEGUN, DONE, BAD, AGAIN, STATE = 7 };

/* An array with room for one more than n items, whose room is a power of two;
 * NULL: out of memory. */
#define GROWN(array, n) \
	((n) & ((n)-1) ? (array) : realloc(array, 2 * ((n) + !(n)) * sizeof *(array)))

static uint64_t hash_of(const char *input)
{
	return xc_cli_names_hash(input) & ~(uint64_t)STATE;
}

/* ---------------------------------------------------------------- earlier runs */

static int add_bad(xc_cli_claims *c, uint64_t input, const char *note)
{
	struct xc_cli_bad *more = GROWN(c->bad, c->bad_count);
	char *copy = more ? strdup(note) : NULL;

	if (more)
		c->bad = more;
	if (!copy)
		return -1;
	c->bad[c->bad_count++] = (struct xc_cli_bad){input, copy};
	return 0;
}

static uint64_t state_of(char mark, const char *note)
{
	if (mark == XC_CLI_LINE_BEGUN)
		return BEGUN;
	return mark == XC_CLI_LINE_DONE ? DONE : *note ? BAD : AGAIN;
}

int xc_cli_claims_note(xc_cli_claims *c, char mark, char *const text[3])
{
	const uint64_t input = hash_of(text[1]), state = state_of(mark, text[2]);
	uint64_t *value = xc_cli_names_value(&c->results, text[0]);

	if (!value || (state == BAD && add_bad(c, input, text[2])))
		return -1;
	/* What was finished once stays so: the new result takes its place when it is complete. */
	if (state != BEGUN || (*value & ~(uint64_t)STATE) != input)
		*value = input | state;
	return 0;
}

/* ------------------------------------------------------------------------ inputs */

/* The name by which manifests know an input, to be freed.  NULL: out of memory. */
static char *name_input(xc_cli_claims *c, const xc_cli_item *item)
{
	const size_t length = item->name, rest = strlen(item->path + length);

	if (!c->root || strncmp(c->root, item->path, length) || c->root[length]) {
		free(c->root);
		free(c->real);
		c->root = strndup(item->path, length);
		c->real = c->root ? realpath(length ? c->root : ".", NULL) : NULL;
		if (c->root && !c->real)
			c->real = strdup(c->root);
	}
	char *name = c->real ? malloc(strlen(c->real) + rest + 2) : NULL;
	if (name)
		sprintf(name, "%s/%s", strcmp(c->real, "/") ? c->real : "", item->path + length);
	return name;
}

void xc_cli_claims_stamp(char stamp[XC_CLI_STAMP], const struct stat *status)
{
	snprintf(stamp, XC_CLI_STAMP, "%lld %lld.%09ld ", (long long)status->st_size,
	         (long long)status->st_mtim.tv_sec, (long)status->st_mtim.tv_nsec);
}

/* Tells again what failed in a shard that has not changed: 1, or 0 if it is to be tried again. */
static int tell_bad(const xc_cli_claims *c, const xc_cli_item *item, uint64_t input)
{
	char stamp[XC_CLI_STAMP];
	struct stat status;
	size_t i = c->bad_count;

	while (i && c->bad[i - 1].input != input)
		i--;
	if (!i || c->force || stat(item->path, &status))
		return 0;
	xc_cli_claims_stamp(stamp, &status);
	if (strncmp(c->bad[i - 1].note, stamp, strlen(stamp)))
		return 0;
	xc_cli_error(item->path, "%s (an earlier run; --force tries again, and so does a change)",
	             c->bad[i - 1].note + strlen(stamp));
	return 1;
}

/* What to do with an input, and whose its result is. */
static xc_cli_claim decide(const xc_cli_claims *c, xc_cli_item *item, uint64_t *value,
                           const char *result)
{
	const uint64_t input = hash_of(item->input), state = *value & STATE;
	const int same = (*value & ~(uint64_t)STATE) == input;

	if (state == TAKEN && !same && !c->force) {
		xc_cli_error(item->path, "another input has the same result, %s " XC_CLI_TWO_RESULTS,
		             result);
		return XC_CLI_REFUSE;
	}
	if (state == TAKEN && !same)
		xc_cli_warning(item->path, "replaces the result of another input, %s " XC_CLI_TWO_RESULTS,
		               result);
	else
		item->whose = !state                                           ? XC_CLI_NOBODYS
		              : !same                                          ? XC_CLI_OTHERS
		              : state == BEGUN && !xc_cli_is_shard(item->path) ? XC_CLI_OWN
		                                                               : XC_CLI_OWN_AGAIN;
	if (!state || same || c->force)
		*value = input | TAKEN;
	if (same && state == BAD && tell_bad(c, item, input))
		return XC_CLI_REFUSE;
	if (same && (state == TAKEN || state == DONE))
		return XC_CLI_SKIP;
	return state == TAKEN ? XC_CLI_HOLD : XC_CLI_GIVE;
}

static char *name_result(const xc_cli_claims *c, const xc_cli_item *item)
{
	return xc_cli_result_path(NULL, item->path + item->name, c->suffix, c->keep_suffix);
}

xc_cli_claim xc_cli_claims_take(void *claims, xc_cli_item *item)
{
	xc_cli_claims *c = claims;
	char *result = name_result(c, item);
	uint64_t *value = result ? xc_cli_names_value(&c->results, result) : NULL;

	item->input = value ? name_input(c, item) : NULL;
	xc_cli_claim claim = item->input ? decide(c, item, value, result) : XC_CLI_REFUSE;
	xc_cli_item *held = claim == XC_CLI_HOLD ? GROWN(c->held, c->held_count) : c->held;
	if (!item->input || (claim == XC_CLI_HOLD && !held)) {
		xc_cli_error(item->path, "out of memory");
		claim = XC_CLI_REFUSE;
	} else if (claim == XC_CLI_HOLD) {
		c->held = held;
		c->held[c->held_count++] = *item;
	}
	free(result);
	return claim;
}

/* Whether the item is the last one with its result. */
static int is_last(xc_cli_claims *c, const xc_cli_item *item)
{
	char *result = name_result(c, item);
	const uint64_t *value = result ? xc_cli_names_value(&c->results, result) : NULL;
	const int last = !value || *value == (hash_of(item->input) | TAKEN);

	free(result);
	return last;
}

int xc_cli_claims_held(void *claims, xc_cli_item *item)
{
	xc_cli_claims *c = claims;

	while (c->waited && c->held_next < c->held_count) {
		*item = c->held[c->held_next++];
		if (is_last(c, item))
			return 1;
		xc_cli_item_free(item);
	}
	c->waited = 1;
	return c->held_next < c->held_count ? XC_CLI_WAIT : 0;
}

void xc_cli_claims_free(xc_cli_claims *c)
{
	xc_cli_names_free(&c->results);
	for (size_t i = 0; i < c->bad_count; i++)
		free(c->bad[i].note);
	while (c->held_next < c->held_count)
		xc_cli_item_free(&c->held[c->held_next++]);
	free(c->held);
	free(c->bad);
	free(c->root);
	free(c->real);
	*c = (xc_cli_claims){.suffix = c->suffix, .keep_suffix = c->keep_suffix, .force = c->force};
}
