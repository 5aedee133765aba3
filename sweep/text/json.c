/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "cli/base/json.h"
#include "cli/base/report.h"
#include "sweep/results.h"
#include "sweep/text/report.h"

static void put_pictures(xc_cli_json *json, const xc_sweep_run *run)
{
	xc_cli_json_array(json, "pictures");
	for (size_t i = 0; i < run->results.picture_count; i++) {
		const xc_sweep_picture *p = &run->pictures[i];
		xc_cli_json_inline_object(json, NULL);
		xc_cli_json_text(json, "name", p->name);
		xc_cli_json_text(json, "path", xc_cli_input_name(run->plan->paths[i]));
		xc_cli_json_integer(json, "width", p->width);
		xc_cli_json_integer(json, "height", p->height);
		xc_cli_json_integer(json, "channels", p->channels);
		xc_cli_json_integer(json, "depth", p->depth);
		xc_cli_json_integer(json, "peak", p->peak);
		xc_cli_json_integer(json, "bytes", run->sources[i].bytes);
		xc_cli_json_end_object(json);
	}
	xc_cli_json_end_array(json);
}

static void put_configs(xc_cli_json *json, const xc_sweep_run *run)
{
	xc_cli_json_array(json, "configs");
	for (size_t i = 0; i < run->results.config_count; i++) {
		xc_cli_json_inline_object(json, NULL);
		xc_cli_json_text(json, "name", run->configs[i].name);
		xc_cli_json_text(json, "options", run->configs[i].options);
		xc_cli_json_text(json, "version", run->configs[i].version);
		xc_cli_json_boolean(json, "foreign", run->plan->setups.setup[i].is_foreign);
		xc_cli_json_end_object(json);
	}
	xc_cli_json_end_array(json);
}

static void put_row(xc_cli_json *json, const xc_sweep_row *row)
{
	xc_cli_json_integer(json, "config", row->config);
	xc_cli_json_number(json, "quality", row->quality);
	xc_cli_json_number(json, "bytes", row->bytes);
	xc_cli_json_number(json, "bpp", row->bits_per_pixel);
	for (int m = 0; m < XC_SWEEP_METRICS; m++)
		xc_cli_json_number(json, xc_sweep_measures[m].key, row->metric[m]);
	xc_cli_json_number(json, "max_abs_diff", row->max_abs_diff);
	xc_cli_json_number(json, "encode_mpixels", row->encode_speed);
	xc_cli_json_number(json, "decode_mpixels", row->decode_speed);
}

/* The points of a picture, or the means; 0, or -1: out of memory. */
static int put_rows(xc_cli_json *json, const xc_sweep_results *results, long picture)
{
	size_t count;
	xc_sweep_row *rows = xc_sweep_rows(results, picture, &count);

	for (size_t i = 0; rows && i < count; i++) {
		xc_cli_json_inline_object(json, NULL);
		if (picture != XC_SWEEP_MEAN)
			xc_cli_json_integer(json, "picture", (uint64_t)picture);
		put_row(json, &rows[i]);
		xc_cli_json_end_object(json);
	}
	free(rows);
	return rows ? 0 : -1;
}

/* picture: picture_count for the mean. */
static void put_delta(xc_cli_json *json, const xc_sweep_bd_table *bd, size_t picture, int metric,
                      size_t anchor, size_t config)
{
	const xc_sweep_bd *d = xc_sweep_bd_at(bd, (xc_sweep_metric)metric, picture, anchor, config);

	xc_cli_json_inline_object(json, NULL);
	if (picture < bd->picture_count)
		xc_cli_json_integer(json, "picture", picture);
	else
		xc_cli_json_null(json, "picture");
	xc_cli_json_text(json, "metric", xc_sweep_measures[metric].key);
	xc_cli_json_integer(json, "anchor", anchor);
	xc_cli_json_integer(json, "config", config);
	xc_cli_json_number(json, "rate", d->rate);
	xc_cli_json_number(json, "decibels", d->quality);
	xc_cli_json_integer(json, "pictures", d->pictures);
	xc_cli_json_end_object(json);
}

static void put_deltas(xc_cli_json *json, const xc_sweep_bd_table *bd)
{
	const size_t pairs = bd->config_count * bd->config_count;

	xc_cli_json_array(json, "bd");
	for (size_t picture = 0; picture <= bd->picture_count; picture++)
		for (int m = 0; m < XC_SWEEP_METRICS; m++)
			for (size_t i = 0; i < pairs; i++)
				if (i / bd->config_count != i % bd->config_count)
					put_delta(json, bd, picture, m, i / bd->config_count, i % bd->config_count);
	xc_cli_json_end_array(json);
}

int xc_sweep_json(FILE *to, const xc_sweep_run *run, const xc_sweep_bd_table *bd)
{
	const xc_sweep_results *results = &run->results;
	xc_cli_json json;
	int failed = 0;

	xc_cli_json_start(&json, to);
	xc_cli_json_object(&json, NULL);
	xc_cli_json_text(&json, "version", xc_version_string());
	xc_cli_json_integer(&json, "jobs", (uint64_t)run->jobs);
	put_pictures(&json, run);
	put_configs(&json, run);
	xc_cli_json_array(&json, "points");
	for (size_t i = 0; i < results->picture_count; i++)
		failed |= put_rows(&json, results, (long)i);
	xc_cli_json_end_array(&json);
	xc_cli_json_array(&json, "means");
	failed |= put_rows(&json, results, XC_SWEEP_MEAN);
	xc_cli_json_end_array(&json);
	put_deltas(&json, bd);
	xc_cli_json_end_object(&json);
	return failed;
}
