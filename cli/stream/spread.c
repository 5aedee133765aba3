/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/spread.h"

#include "cli/base/command.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <string.h>

const char *xc_cli_kind_name(xc_cli_kind kind)
{
	static const char *const names[] =
		{[XC_CLI_UNREADABLE] = "unreadable", [XC_CLI_FOREIGN] = "foreign",
	     [XC_CLI_BROKEN] = "broken",         [XC_CLI_OVER_LIMIT] = "over_limit",
	     [XC_CLI_EXISTING] = "existing",     [XC_CLI_UNWRITABLE] = "unwritable",
	     [XC_CLI_UNPACKABLE] = "refused",    [XC_CLI_OTHER] = "other"};

	return names[kind];
}

void xc_cli_tally_add(xc_cli_tally *sum, const xc_cli_tally *more)
{
	sum->done += more->done;
	sum->damaged += more->damaged;
	sum->copied += more->copied;
	sum->excluded += more->excluded;
	sum->kept += more->kept;
	sum->repacked += more->repacked;
	sum->stored += more->stored;
	sum->recoded += more->recoded;
	sum->exact += more->exact;
	sum->lossy += more->lossy;
	sum->lossy_16 += more->lossy_16;
	sum->flawed += more->flawed;
	sum->existed += more->existed;
	sum->deleted += more->deleted;
	sum->stayed += more->stayed;
	sum->undeletable += more->undeletable;
	sum->untried += more->untried;
	for (int i = 0; i < XC_CLI_KINDS; i++)
		sum->failed[i] += more->failed[i];
	sum->pixels += more->pixels;
	sum->bytes_in += more->bytes_in;
	sum->bytes_out += more->bytes_out;
	sum->seconds += more->seconds;
}

uint64_t xc_cli_tally_failed(const xc_cli_tally *tally)
{
	uint64_t failed = 0;

	for (int i = 0; i < XC_CLI_KINDS; i++)
		failed += tally->failed[i];
	return failed;
}

uint64_t xc_cli_tally_unfinished(const xc_cli_tally *tally)
{
	return tally->failed[XC_CLI_UNREADABLE] + tally->failed[XC_CLI_UNWRITABLE] +
	       tally->failed[XC_CLI_OTHER];
}

int xc_cli_tally_status(const xc_cli_tally *tally)
{
	if (xc_cli_tally_failed(tally) || tally->undeletable)
		return XC_CLI_FAILED;
	return tally->damaged ? XC_CLI_DAMAGED : XC_CLI_DONE;
}

static xc_cli_use use_of(const char *stage)
{
	static const struct {
		const char *stage;
		xc_cli_use use;
	} known[] = {
		{"read picture", XC_CLI_USE_READING},
		{"read file", XC_CLI_USE_READING},
		{"unpack picture", XC_CLI_USE_READING},
		{"decode XC", XC_CLI_USE_READING},
		{"upload", XC_CLI_USE_GPU},
		{"GPU", XC_CLI_USE_GPU},
		{"download", XC_CLI_USE_GPU},
		{"write picture", XC_CLI_USE_WRITING},
		{"write file", XC_CLI_USE_WRITING},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(stage, known[i].stage))
			return known[i].use;
	return XC_CLI_USE_CODING;
}

void xc_cli_time_use_add(xc_cli_time_use *use, const xc_cli_stages *stages)
{
	for (size_t i = 0; i < stages->count; i++)
		use->seconds[use_of(stages->stage[i].stage)] += stages->stage[i].wall;
}

void xc_cli_time_use_sum(xc_cli_time_use *sum, const xc_cli_time_use *more)
{
	for (int i = 0; i < XC_CLI_USES; i++)
		sum->seconds[i] += more->seconds[i];
}

/* The largest use comes first: it bounds the run. */
static void say_uses(const xc_cli_time_use *use, double threads, double seconds)
{
	static const char *const names[XC_CLI_USES] = {"reading", "coding", "the GPU", "writing"};
	xc_cli_time_use left = *use;
	char text[256] = "";
	size_t n = 0;
	double other = 100;

	for (int turn = 0; turn < XC_CLI_USES; turn++) {
		int max = 0;

		for (int i = 1; i < XC_CLI_USES; i++)
			max = left.seconds[i] > left.seconds[max] ? i : max;
		const double percent = 100 * left.seconds[max] / (threads * seconds);

		if (percent >= 0.5 || !turn)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %.0f %%", turn ? ", " : "",
			                      names[max], percent);
		left.seconds[max] = -1;
		other -= percent;
	}
	if (other >= 0.5)
		snprintf(text + n, sizeof text - n, ", other %.0f %%", other);
	xc_cli_say("  time of %.0f thread%s: %s\n", threads, xc_s((unsigned)threads), text);
}

void xc_cli_time_use_say(const xc_cli_time_use *use, const xc_cli_tally *tally, int workers,
                         uint64_t by_gpu, double seconds)
{
	const double pixels = 1e-6 * (double)tally->pixels;

	if (!tally->done || seconds <= 0)
		return;
	xc_cli_say(
		"%llu picture%s, %.1f megapixels in %.2f s: %.1f pictures and %.1f megapixels a second\n",
		(unsigned long long)tally->done, xc_s(tally->done), pixels, seconds,
		(double)tally->done / seconds, pixels / seconds);
	if (by_gpu)
		xc_cli_say("  by the processor %llu, by GPUs %llu\n",
		           (unsigned long long)(tally->done - by_gpu), (unsigned long long)by_gpu);
	say_uses(use, workers, seconds);
}
