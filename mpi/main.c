/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec-mpi: `xcodec encode` and `xcodec decode` with many processes, on as many machines. */
#include "cli/base/command.h"
#include "cli/base/io.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/base/settings.h"
#include "cli/stream/batch.h"
#include "cli/stream/manifest.h"
#include "mpi/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The process of a job. */
typedef struct job {
	xc_mpi_share share;
	xc_mpi_node *nodes; /* of all ranks, in rank 0; its own in the others */
	xc_mpi_report report;
	int announced;     /* the other ranks have heard from rank 0 */
	int begun;         /* this rank has said whether it can begin */
	int worked;        /* and all could */
	uint64_t unlisted; /* see xc_mpi_summary */
	uint64_t excluded; /* likewise */
	int verbosity, json;
} job;

static void announce(job *j, int word)
{
	if (!j->share.rank && !j->announced)
		xc_mpi_share_announce(&j->share, word);
	j->announced = 1;
}

static int begin(void *user, const xc_cli_batch *batch, xc_cli_items *items, int failed)
{
	job *j = user;

	j->verbosity = batch->verbosity;
	j->json = batch->json;

	/* Without rank 0 there is nothing to do, and what is wrong with it was reported once. */
	announce(j, !failed);
	if (!j->share.rank && failed)
		return -1;
	j->begun = 1;
	j->share.items = items;
	j->worked = !xc_mpi_share_begin(&j->share, failed);
	if (j->worked && !j->share.rank)
		xc_cli_last_words("xcodec-mpi: ended before all was done; what is finished stays, and "
		                  "--resume goes on with the rest\n");
	return j->worked ? 0 : -1;
}

static int next(void *user, int worker, xc_cli_item *item)
{
	job *j = user;

	return xc_mpi_queue_take(&j->share.queue, worker, item);
}

static void waited(void *user, int worker, double seconds)
{
	job *j = user;

	(void)worker;
	xc_mpi_queue_waited(&j->share.queue, seconds);
}

static void done(void *user, int worker, const xc_cli_item *item, const xc_cli_tally *tally)
{
	job *j = user;

	(void)worker, (void)item;
	xc_mpi_queue_done(&j->share.queue, tally);
}

static void attend(void *user)
{
	job *j = user;

	xc_mpi_share_attend(&j->share);
	xc_cli_last_words(NULL);
	if (j->share.items) {
		j->unlisted = xc_cli_items_failed(j->share.items);
		j->excluded = xc_cli_items_excluded(j->share.items);
	}
}

static void dismiss(void *user)
{
	job *j = user;

	xc_mpi_queue_dismiss(&j->share.queue);
}

static void report(void *user, const xc_mpi_account *sum)
{
	job *j = user;

	if (j->verbosity != XC_CLI_QUIET)
		xc_mpi_report_say(&j->report, sum, xc_cli_items_fraction(j->share.items));
}

/* Exit statuses are joined as bits. */
enum { BIT_FAILED = 1, BIT_DAMAGED = 2 };

static int bits_of(int status)
{
	if (status == XC_CLI_DAMAGED)
		return BIT_DAMAGED;
	return status == XC_CLI_DONE ? 0 : BIT_FAILED;
}

static int status_of(int bits)
{
	if (bits & BIT_FAILED)
		return XC_CLI_FAILED;
	return bits ? XC_CLI_DAMAGED : XC_CLI_DONE;
}

static void summarize(const job *j, const char *command, int status)
{
	const xc_mpi_summary summary = {command,  j->share.ranks, j->share.accounts,
	                                j->nodes, j->unlisted,    j->excluded,
	                                status};

	if (j->json)
		xc_mpi_summary_print(&summary);
	else if (j->verbosity != XC_CLI_QUIET)
		xc_mpi_summary_say(&summary);
}

/* All ranks have the same arguments; rank 0 looks at them first, so that one error is one line. */
static int run_rank(job *j, const xc_cli_command *command, int argc, char **argv)
{
	if (j->share.rank && !xc_mpi_share_await(&j->share))
		return XC_CLI_DONE;
	int status = command->run(command, argc, argv);
	announce(j, 0);
	if (!j->share.rank && !j->begun)
		return status;
	if (!j->begun)
		xc_mpi_share_begin(&j->share, 1);
	const int bits = xc_mpi_share_end(&j->share, bits_of(status));
	if (j->share.rank)
		return XC_CLI_DONE; /* mpirun ends the job at the first rank that fails */
	if (status != XC_CLI_USAGE)
		status = status_of(bits | (j->unlisted ? BIT_FAILED : 0));
	if (j->worked)
		summarize(j, command->name, status);
	return status;
}

static int find_nodes(job *j)
{
	j->nodes = calloc((size_t)j->share.ranks, sizeof *j->nodes);
	if (!j->nodes)
		return xc_cli_error(NULL, "out of memory");
	xc_mpi_node own;
	if (xc_mpi_node_find(j->share.comm, &own))
		return -1;
	j->nodes[0] = own;
	MPI_Gather(&own, (int)sizeof own, MPI_BYTE, j->nodes, (int)sizeof own, MPI_BYTE, 0,
	           j->share.comm);
	return 0;
}

static int run_job(const xc_cli_command *command, int argc, char **argv)
{
	job j = {.verbosity = XC_CLI_NORMAL};
	xc_cli_command shared = *command;

	if (xc_mpi_share_init(&j.share, MPI_COMM_WORLD) || find_nodes(&j)) {
		MPI_Abort(MPI_COMM_WORLD, XC_CLI_FAILED);
		return XC_CLI_FAILED;
	}
	const xc_cli_spread spread = {.user = &j,
	                              .rank = j.share.rank,
	                              .ranks = j.share.ranks,
	                              .local = j.nodes->local,
	                              .locals = j.nodes->locals,
	                              .threads = j.nodes->threads,
	                              .begin = begin,
	                              .next = next,
	                              .waited = waited,
	                              .done = done,
	                              .attend = attend,
	                              .dismiss = dismiss};
	j.share.progress = report;
	j.share.user = &j;
	shared.spread = &spread;
	int status = run_rank(&j, &shared, argc, argv);
	if (!j.share.rank && xc_cli_flush_output() && status == XC_CLI_DONE)
		status = XC_CLI_FAILED;
	free(j.nodes);
	xc_mpi_share_free(&j.share);
	return status;
}

static int start_job(const xc_cli_command *command, int argc, char **argv)
{
	int level;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
	if (level < MPI_THREAD_FUNNELED) {
		xc_cli_error(NULL, "this MPI cannot be used by a program with threads");
		MPI_Abort(MPI_COMM_WORLD, XC_CLI_FAILED);
	}
	const int status = run_job(command, argc, argv);
	MPI_Finalize();
	return status;
}

static int print_usage(FILE *file)
{
	fputs("Usage: mpirun -n N xcodec-mpi encode|decode [OPTION]... -o DIR FILE|DIRECTORY...\n"
	      "       xcodec-mpi merge DIR\n\n"
	      "Encodes and decodes many pictures with many processes, on as many machines.\n\n"
	      "Commands:\n"
	      "  encode         make XC files from pictures\n"
	      "  decode         make pictures from XC files\n"
	      "  merge          make one manifest of those of all ranks\n\n"
	      "Options:\n"
	      "  -h, --help     show this text; after a command: that command's options\n"
	      "  -V, --version  show the version\n",
	      file);
	return XC_CLI_DONE;
}

static int print_version(void)
{
	char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;

	MPI_Get_library_version(mpi, &length);
	printf("xcodec-mpi %s\nMPI           %.*s\n", xc_version_string(), (int)strcspn(mpi, ",\n"),
	       mpi);
	return XC_CLI_DONE;
}

static int merge(int argc, char **argv)
{
	if (argc == 2)
		return xc_cli_manifest_merge(argv[1]) ? XC_CLI_FAILED : XC_CLI_DONE;
	xc_cli_error("merge", "wants one folder (see 'xcodec-mpi --help')");
	return XC_CLI_USAGE;
}

static int dispatch(int argc, char **argv)
{
	const char *name = argv[0];

	if (xc_cli_asks_for_help(name) || !strcmp(name, "help"))
		return print_usage(stdout);
	if (!strcmp(name, "-V") || !strcmp(name, "--version"))
		return print_version();
	if (!strcmp(name, "encode"))
		return start_job(&xc_cli_encode, argc, argv);
	if (!strcmp(name, "decode"))
		return start_job(&xc_cli_decode, argc, argv);
	if (!strcmp(name, "merge"))
		return merge(argc, argv);
	xc_cli_error(NULL, "unknown %s '%s' (see 'xcodec-mpi --help')",
	             *name == '-' ? "option" : "command", name);
	return XC_CLI_USAGE;
}

int main(int argc, char **argv)
{
	xc_cli_start("xcodec-mpi");
	if (argc < 2) {
		print_usage(stderr);
		return XC_CLI_USAGE;
	}
	return xc_cli_end(dispatch(argc - 1, argv + 1));
}
