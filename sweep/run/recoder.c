/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/report.h"

/* For the report, which wants an errno. */
static int fail(xc_sweep_recoder *v)
{
	v->reported = 1;
	errno = EIO;
	return -1;
}

static int give_original(void *user, uint32_t picture, xc_picture *out)
{
	xc_sweep_recoder *v = user;
	const xc_sweep_plan *plan = v->run->plan;
	xc_sweep_original_free(&v->original);
	if (xc_sweep_original_read(&v->original, plan->paths[picture], &plan->limits, &plan->setups,
	                           plan->peak, v->folder, picture))
		return fail(v);
	*out = v->original.picture;
	return 0;
}

static int code(void *user, xc_sweep_point *point, xc_picture *decoded)
{
	xc_sweep_recoder *v = user;
	const xc_sweep_setup *setup = &v->run->plan->setups.setup[point->config];
	xc_picture unused;
	const int failed = decoded
	                       ? xc_sweep_measure_point(&v->worker, setup, &v->original, point, decoded)
	                       : xc_sweep_code(&v->worker, setup, &v->original, point, &unused);
	return failed ? fail(v) : 0;
}

static int make_folder(xc_sweep_recoder *v)
{
	const xc_sweep_keeper *k = &v->run->keeper;
	const size_t room = strlen(k->folder) + 8;
	if (!k->process)
		return 0;
	v->folder = malloc(room);
	if (!v->folder)
		return xc_cli_error(NULL, "out of memory");
	snprintf(v->folder, room, "%s/again", k->folder);
	v->worker.folder = v->folder;
	v->worker.group = k->process;
	return mkdir(v->folder, 0700) ? xc_cli_error(v->folder, "cannot create") : 0;
}

int xc_sweep_recoder_start(xc_sweep_recoder *recoder, const xc_sweep_run *run)
{
	const xc_cli_limits *limits = &run->plan->limits;
	*recoder = (xc_sweep_recoder){.run = run};
	recoder->viewer = (xc_sweep_viewer){.original = give_original, .code = code, .user = recoder};
	recoder->worker.limits = limits;
	recoder->worker.context = xc_cli_context(limits);
	if (!recoder->worker.context || make_folder(recoder))
		return -1;
	xc_cli_progress_start(&recoder->progress, recoder->worker.context, XC_CLI_QUIET, "", "");
	recoder->worker.progress = &recoder->progress;
	return 0;
}

void xc_sweep_recoder_free(xc_sweep_recoder *recoder)
{
	xc_sweep_original_free(&recoder->original);
	if (recoder->worker.context)
		xc_sweep_worker_clear(&recoder->worker);
	xc_context_free(recoder->worker.context);
	free(recoder->folder);
}
