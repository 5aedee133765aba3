/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/spread.h"

#include "cli/base/command.h"

const char *xc_cli_kind_name(xc_cli_kind kind)
{
	static const char *const names[] = {[XC_CLI_UNREADABLE] = "unreadable",
	                                    [XC_CLI_FOREIGN] = "foreign",
	                                    [XC_CLI_BROKEN] = "broken",
	                                    [XC_CLI_OVER_LIMIT] = "over_limit",
	                                    [XC_CLI_EXISTING] = "existing",
	                                    [XC_CLI_UNWRITABLE] = "unwritable",
	                                    [XC_CLI_OTHER] = "other"};

	return names[kind];
}

void xc_cli_tally_add(xc_cli_tally *sum, const xc_cli_tally *more)
{
	sum->done += more->done;
	sum->damaged += more->damaged;
	sum->existed += more->existed;
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
	if (xc_cli_tally_failed(tally))
		return XC_CLI_FAILED;
	return tally->damaged ? XC_CLI_DAMAGED : XC_CLI_DONE;
}
