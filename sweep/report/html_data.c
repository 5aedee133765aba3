/* SPDX-License-Identifier: BSD-2-Clause */
/* The results as JSON, for the report's script. */
#include "sweep/report/html_parts.h"
#include "sweep/results.h"
#include "cli/base/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than six digits after the point tell nothing and take room. */
static void put_number(xc_cli_json *json, double value)
{
	xc_cli_json_number(json, NULL, isfinite(value) ? round(value * 1e6) / 1e6 : value);
}

static void put_measures(xc_cli_json *json)
{
	xc_cli_json_array(json, "measures");
	for (int i = 0; i < XC_SWEEP_METRICS; i++) {
		const xc_sweep_measure *measure = &xc_sweep_measures[xc_sweep_page_metrics[i]];

		xc_cli_json_inline_object(json, NULL);
		xc_cli_json_text(json, "title", measure->title);
		xc_cli_json_text(json, "unit", measure->unit);
		xc_cli_json_integer(json, "digits", (uint64_t)measure->digits);
		xc_cli_json_end_object(json);
	}
	xc_cli_json_end_array(json);
}

static void put_names(xc_cli_json *json, const xc_sweep_results *results)
{
	xc_cli_json_array(json, "configs");
	for (size_t i = 0; i < results->config_count; i++)
		xc_cli_json_text(json, NULL, results->configs[i].name);
	xc_cli_json_end_array(json);
	xc_cli_json_array(json, "pictures");
	for (size_t i = 0; i < results->picture_count; i++)
		xc_cli_json_text(json, NULL, results->pictures[i].name);
	xc_cli_json_end_array(json);
}

/* Configuration, quality, bytes, bits a pixel, measures, speeds. */
static void put_row(xc_cli_json *json, const char *key, const xc_sweep_row *row)
{
	xc_cli_json_inline_array(json, key);
	xc_cli_json_integer(json, NULL, row->config);
	put_number(json, row->quality);
	put_number(json, row->bytes);
	put_number(json, row->bits_per_pixel);
	for (int k = 0; k < XC_SWEEP_METRICS; k++)
		put_number(json, row->metric[xc_sweep_page_metrics[k]]);
	put_number(json, row->encode_speed);
	put_number(json, row->decode_speed);
	xc_cli_json_end_array(json);
}

static int put_rows(xc_cli_json *json, const xc_sweep_results *results, long picture)
{
	size_t count;
	xc_sweep_row *rows = xc_sweep_rows(results, picture, &count);

	if (!rows)
		return -1;
	xc_cli_json_array(json, NULL);
	for (size_t i = 0; i < count; i++)
		put_row(json, NULL, &rows[i]);
	xc_cli_json_end_array(json);
	free(rows);
	return 0;
}

/* deltas[picture][measure][anchor * configurations + configuration]: rate, gain, number of
 * pictures; the last picture is the mean. */
static void put_deltas(xc_cli_json *json, const xc_sweep_results *results,
                       const xc_sweep_bd_table *bd)
{
	const size_t configs = results->config_count;

	xc_cli_json_array(json, "deltas");
	for (size_t p = 0; bd && p <= results->picture_count; p++) {
		xc_cli_json_array(json, NULL);
		for (int m = 0; m < XC_SWEEP_METRICS; m++) {
			xc_cli_json_inline_array(json, NULL);
			for (size_t i = 0; i < configs * configs; i++) {
				const xc_sweep_bd *one = xc_sweep_bd_at(bd, xc_sweep_page_metrics[m], p,
				                                        i / configs, i % configs);

				xc_cli_json_array(json, NULL);
				put_number(json, one->rate);
				put_number(json, one->quality);
				xc_cli_json_integer(json, NULL, one->pictures);
				xc_cli_json_end_array(json);
			}
			xc_cli_json_end_array(json);
		}
		xc_cli_json_end_array(json);
	}
	xc_cli_json_end_array(json);
}

static void put_crop(xc_cli_json *json, const char *key, const xc_sweep_crop *crop)
{
	const uint32_t value[] = {crop->x, crop->y, crop->width, crop->height};

	xc_cli_json_inline_array(json, key);
	for (int i = 0; i < 4; i++)
		xc_cli_json_integer(json, NULL, value[i]);
	xc_cli_json_end_array(json);
}

/* One image: its row, whose speeds are not known, and its element. */
static void put_image(xc_cli_json *json, const xc_sweep_results *results,
                      const xc_sweep_point *point)
{
	const xc_sweep_picture *shape = &results->pictures[point->picture];
	const double bytes = (double)point->bytes, pixels = (double)shape->width * shape->height;
	xc_sweep_row row = {point->config, point->quality, bytes, 8 * bytes / pixels, {0}, NAN, NAN, 0};
	char id[XC_SWEEP_IMAGE_ID];

	memcpy(row.metric, point->metric, sizeof row.metric);
	xc_sweep_image_id(id, point->picture, point);
	xc_cli_json_object(json, NULL);
	put_row(json, "row", &row);
	xc_cli_json_text(json, "image", id);
	xc_cli_json_end_object(json);
}

static void put_view(xc_cli_json *json, const xc_sweep_results *results, const xc_sweep_view *view)
{
	const size_t configs = results->config_count;
	char id[XC_SWEEP_IMAGE_ID];

	xc_sweep_image_id(id, view->picture, NULL);
	xc_cli_json_object(json, NULL);
	xc_cli_json_integer(json, "picture", view->picture);
	xc_cli_json_text(json, "original", id);
	put_crop(json, "crop", &view->crop);
	put_crop(json, "focus", &view->focus);
	put_crop(json, "whole",
	         &(xc_sweep_crop){0, 0, results->pictures[view->picture].width,
	                          results->pictures[view->picture].height});
	xc_cli_json_array(json, "sizes");
	for (size_t i = 0; i < view->sizes; i++) {
		xc_cli_json_inline_array(json, NULL);
		for (uint32_t c = 0; c < configs; c++)
			if (view->point[i * configs + c].bytes)
				put_image(json, results, &view->point[i * configs + c]);
		xc_cli_json_end_array(json);
	}
	xc_cli_json_end_array(json);
	xc_cli_json_end_object(json);
}

static int put_everything(const xc_sweep_report *report, FILE *out)
{
	const xc_sweep_results *results = report->results;
	xc_cli_json json;
	int failed = 0;

	xc_cli_json_start(&json, out);
	json.shown = 1;
	xc_cli_json_object(&json, NULL);
	put_measures(&json);
	put_names(&json, results);
	xc_cli_json_array(&json, "rows"); /* the last ones are the means */
	for (size_t i = 0; i < results->picture_count && !failed; i++)
		failed = put_rows(&json, results, (long)i);
	failed = failed ? failed : put_rows(&json, results, XC_SWEEP_MEAN);
	xc_cli_json_end_array(&json);
	put_deltas(&json, results, report->bd);
	xc_cli_json_array(&json, "views");
	for (size_t i = 0; i < report->views.count; i++)
		put_view(&json, results, &report->views.view[i]);
	xc_cli_json_end_array(&json);
	xc_cli_json_end_object(&json);
	return failed;
}

int xc_sweep_put_data(xc_sweep_report *report)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return -1;
	int failed = put_everything(report, memory);
	if (fclose(memory))
		failed = -1;
	/* In JSON '<' stands in strings alone; "</script>" and "<!--" would end or
	 * change the element. */
	for (size_t i = 0; i < size && !failed; i++)
		if (text[i] == '<')
			fputs("\\u003c", report->out);
		else
			putc(text[i], report->out);
	free(text);
	return failed;
}
