/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity() */
#endif

#include "mpi/share.h"

#include "cli/base/json.h"
#include "cli/base/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* More ranks than that fill screens; JSON has them all. */
enum { RANKS_SHOWN = 32 };

/* Seconds until the first line of progress, and between later ones, which become fewer. */
static const double first_report = 10, longest_silence = 60;

static double per(double what, double seconds)
{
	return seconds > 0 ? what / seconds : 0;
}

/* The share of its time that a rank's workers waited for items. */
static double idle(const xc_mpi_account *a)
{
	return per(a->idle, a->seconds * (double)a->workers);
}

static double gigapixels(const xc_mpi_account *a)
{
	return 1e-9 * per((double)a->tally.pixels, a->seconds);
}

static xc_mpi_account sum_of(const xc_mpi_summary *s)
{
	xc_mpi_account sum = {.items = 0};

	for (int i = 0; i < s->ranks; i++)
		xc_mpi_account_add(&sum, &s->accounts[i]);
	return sum;
}

/* In a job the workers of a rank also wait after the rank's end, while others work. */
static double idle_of_all(const xc_mpi_summary *s, const xc_mpi_account *sum)
{
	double seconds = 0;

	for (int i = 0; i < s->ranks; i++)
		seconds += s->accounts[i].idle +
		           (double)s->accounts[i].workers * (sum->seconds - s->accounts[i].seconds);
	return per(seconds, sum->seconds * (double)sum->workers);
}

static void say_failures(const xc_cli_tally *t, uint64_t unlisted)
{
	char kinds[256] = "";
	size_t n = 0;

	for (int i = 0; i < XC_CLI_KINDS; i++)
		if (t->failed[i])
			n += (size_t)snprintf(kinds + n, sizeof kinds - n, ", %" PRIu64 " %s", t->failed[i],
			                      xc_cli_kind_name(i));
	if (unlisted)
		snprintf(kinds + n, sizeof kinds - n, ", %" PRIu64 " not listed", unlisted);
	if (*kinds)
		xc_cli_say("failed: %s\n", kinds + 2);
}

static void say_rank(const xc_mpi_summary *s, int i)
{
	const xc_mpi_account *a = &s->accounts[i];

	xc_cli_say("%6d %-20s %7" PRIu64 " %11" PRIu64 " %9" PRIu64 " %9.1f %9.4f %6.1f\n", i,
	           s->nodes[i].host, a->workers, a->tally.done, xc_cli_tally_failed(&a->tally),
	           a->seconds, gigapixels(a), 100 * idle(a));
}

void xc_mpi_summary_say(const xc_mpi_summary *s)
{
	const xc_mpi_account sum = sum_of(s);
	const xc_cli_tally *t = &sum.tally;

	xc_cli_say("%" PRIu64
	           " picture%s, %.3f GP, %.3f GB in, %.3f GB out in %.1f s: %.1f pictures and "
	           "%.4f GP a second; idle %.1f %%\n",
	           t->done, xc_s(t->done), 1e-9 * (double)t->pixels, 1e-9 * (double)t->bytes_in,
	           1e-9 * (double)t->bytes_out, sum.seconds, per((double)t->done, sum.seconds),
	           gigapixels(&sum), 100 * idle_of_all(s, &sum));
	if (t->copied + t->kept + t->excluded + s->excluded)
		xc_cli_say("%" PRIu64 " kept as the file that was there, %" PRIu64 " copied, %" PRIu64
		           " excluded\n",
		           t->kept, t->copied, t->excluded + s->excluded);
	if (t->deleted + t->stayed)
		xc_cli_say("%" PRIu64 " input%s deleted, %" PRIu64 " kept\n", t->deleted, xc_s(t->deleted),
		           t->stayed + s->unlisted);
	if (t->undeletable)
		xc_cli_say("%" PRIu64 " input%s could not be deleted\n", t->undeletable,
		           xc_s(t->undeletable));
	if (t->untried)
		xc_cli_say("%" PRIu64 " file%s not tried, since the folder takes no more results\n",
		           t->untried, t->untried == 1 ? " was" : "s were");
	if (t->existed)
		xc_cli_say("%" PRIu64 " result%s there already\n", t->existed,
		           t->existed == 1 ? " was" : "s were");
	if (t->lossy_16)
		xc_cli_say("%" PRIu64 " picture%s of 16 bits %s coded with loss\n", t->lossy_16,
		           xc_s(t->lossy_16), t->lossy_16 == 1 ? "was" : "were");
	if (t->flawed)
		xc_cli_say("%" PRIu64 " JPEG%s cut off or damaged before\n", t->flawed,
		           t->flawed == 1 ? " was" : "s were");
	if (t->damaged)
		xc_cli_say("%" PRIu64 " picture%s had lost parts\n", t->damaged, xc_s(t->damaged));
	say_failures(t, s->unlisted);
	if (s->ranks > RANKS_SHOWN)
		return;
	xc_cli_say("%6s %-20s %7s %11s %9s %9s %9s %6s\n", "rank", "machine", "threads", "pictures",
	           "failed", "seconds", "GP/s", "idle %");
	for (int i = 0; i < s->ranks; i++)
		say_rank(s, i);
}

static void print_account(xc_cli_json *json, const xc_mpi_account *a)
{
	const xc_cli_tally *t = &a->tally;

	xc_cli_json_integer(json, "pictures", t->done);
	xc_cli_json_integer(json, "repacked", t->repacked);
	xc_cli_json_integer(json, "stored", t->stored);
	xc_cli_json_integer(json, "recoded", t->recoded);
	xc_cli_json_integer(json, "without_loss", t->exact);
	xc_cli_json_integer(json, "with_loss", t->lossy);
	xc_cli_json_integer(json, "with_loss_16_bits", t->lossy_16);
	xc_cli_json_integer(json, "damaged_before", t->flawed);
	xc_cli_json_integer(json, "damaged", t->damaged);
	xc_cli_json_integer(json, "copied", t->copied);
	xc_cli_json_integer(json, "kept", t->kept);
	xc_cli_json_integer(json, "existed", t->existed);
	xc_cli_json_integer(json, "deleted", t->deleted);
	xc_cli_json_integer(json, "untried", t->untried);
	xc_cli_json_inline_object(json, "failed");
	for (int i = 0; i < XC_CLI_KINDS; i++)
		xc_cli_json_integer(json, xc_cli_kind_name(i), t->failed[i]);
	xc_cli_json_end_object(json);
	xc_cli_json_integer(json, "pixels", t->pixels);
	xc_cli_json_integer(json, "bytes_in", t->bytes_in);
	xc_cli_json_integer(json, "bytes_out", t->bytes_out);
	xc_cli_json_integer(json, "threads", a->workers);
	xc_cli_json_number(json, "seconds", a->seconds);
	xc_cli_json_number(json, "busy_seconds", t->seconds);
	xc_cli_json_number(json, "idle_seconds", a->idle);
	xc_cli_json_number(json, "sharing_seconds", a->sharing);
	xc_cli_json_number(json, "pixels_per_second", per((double)t->pixels, a->seconds));
}

static void print_rank(xc_cli_json *json, const xc_mpi_summary *s, int i)
{
	xc_cli_json_object(json, NULL);
	xc_cli_json_integer(json, "rank", (uint64_t)i);
	xc_cli_json_text(json, "machine", s->nodes[i].host);
	print_account(json, &s->accounts[i]);
	xc_cli_json_number(json, "idle", idle(&s->accounts[i]));
	xc_cli_json_end_object(json);
}

void xc_mpi_summary_print(const xc_mpi_summary *s)
{
	const xc_mpi_account sum = sum_of(s);
	xc_cli_json json;

	xc_cli_json_start(&json, stdout);
	xc_cli_json_object(&json, NULL);
	xc_cli_json_text(&json, "command", s->command);
	xc_cli_json_integer(&json, "exit_status", (uint64_t)s->status);
	print_account(&json, &sum);
	xc_cli_json_number(&json, "idle", idle_of_all(s, &sum));
	xc_cli_json_integer(&json, "not_listed", s->unlisted);
	xc_cli_json_integer(&json, "excluded", sum.tally.excluded + s->excluded);
	xc_cli_json_array(&json, "ranks");
	for (int i = 0; i < s->ranks; i++)
		print_rank(&json, s, i);
	xc_cli_json_end_array(&json);
	xc_cli_json_end_object(&json);
}

void xc_mpi_report_say(xc_mpi_report *r, const xc_mpi_account *sum, double fraction)
{
	const xc_cli_tally *t = &sum->tally;

	if (r->due <= 0)
		r->due = first_report;
	if (sum->seconds < r->due)
		return;
	r->due = sum->seconds + (sum->seconds < longest_silence ? first_report : longest_silence);
	xc_cli_say("%.0f s: %" PRIu64 " picture%s, %" PRIu64
	           " failed, %.1f %% handed out; %.1f pictures "
	           "and %.4f GP a second\n",
	           sum->seconds, t->done, xc_s(t->done), xc_cli_tally_failed(t), 100 * fraction,
	           per((double)t->done, sum->seconds), gigapixels(sum));
}

static int has(const xc_mpi_mask *mask, int processor)
{
	return mask->word[processor / 64] >> processor % 64 & 1;
}

/* Which of the ranks that may run on a processor gets it, if it is the `turn`th that is shared; -1:
 * no rank may run there. */
static int owner(const xc_mpi_mask *masks, int locals, int processor, int *turn)
{
	int sharing = 0, found = -1;

	for (int i = 0; i < locals; i++)
		sharing += has(&masks[i], processor);
	if (!sharing)
		return -1;
	int skip = *turn % sharing;
	for (int i = 0; i < locals && found < 0; i++)
		if (has(&masks[i], processor) && skip-- == 0)
			found = i;
	*turn += sharing > 1;
	return found;
}

int xc_mpi_node_processors(const xc_mpi_mask *masks, int locals, int local)
{
	int own = 0, turn = 0;

	for (int i = 0; i < XC_MPI_MASK_WORDS * 64; i++)
		own += owner(masks, locals, i, &turn) == local;
	return own ? own : 1;
}

/* All zero where that cannot be told. */
static void find_mask(xc_mpi_mask *mask)
{
	memset(mask, 0, sizeof *mask);
#ifdef CPU_SETSIZE
	union {
		xc_mpi_mask mask;
		cpu_set_t set;
	} found = {.mask = {{0}}};

	/* The bits of a cpu_set_t are those of unsigned longs. */
	if (sched_getaffinity(0, sizeof found, &found.set) < 0)
		return;
	for (int i = 0; i < XC_MPI_MASK_WORDS * 64; i++)
		if (CPU_ISSET_S(i, sizeof found, &found.set))
			mask->word[i / 64] |= UINT64_C(1) << i % 64;
#endif
}

static int find_threads(MPI_Comm node, xc_mpi_node *this_node)
{
	xc_mpi_mask own, *masks = malloc((size_t)this_node->locals * sizeof *masks);

	if (!masks)
		return xc_cli_error(NULL, "out of memory");
	find_mask(&own);
	MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, masks, (int)sizeof own, MPI_BYTE, node);
	this_node->threads = xc_mpi_node_processors(masks, this_node->locals, this_node->local);
	free(masks);
	return 0;
}

int xc_mpi_node_find(MPI_Comm comm, xc_mpi_node *this_node)
{
	char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
	MPI_Comm node;
	int rank, length = 0;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &this_node->local);
	MPI_Comm_size(node, &this_node->locals);
	MPI_Get_processor_name(name, &length);
	memset(this_node->host, 0, sizeof this_node->host);
	memcpy(this_node->host, name, strnlen(name, sizeof this_node->host - 1));
	const int failed = find_threads(node, this_node);
	MPI_Comm_free(&node);
	return failed;
}
