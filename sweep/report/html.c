/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/json.h"
#include "cli/base/report.h"
#include "sweep/report/html_parts.h"
#include "sweep/results.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>

/* What is shown first: the mean, which a set of one picture does not need. */
static long first_shown(const xc_sweep_report *report)
{
	return report->results->picture_count == 1 ? 0 : XC_SWEEP_MEAN;
}

/* report.css has that many colours for configurations, which come again after the last one. */
enum { COLOURS = 8 };

static void put_name(const xc_sweep_report *report, size_t config)
{
	fprintf(report->out, "<span class=\"name xc-%zu\">", config % COLOURS);
	xc_sweep_put_text(report->out, report->results->configs[config].name);
	fputs("</span>", report->out);
}

/* Each writes one part and returns 0, or -1 with errno. */
static int put_legend_list(xc_sweep_report *report)
{
	for (size_t i = 0; i < report->results->config_count; i++) {
		const xc_sweep_config *config = &report->results->configs[i];

		fprintf(report->out, "<li class=\"xc-%zu\"><span class=\"what\"><b>", i % COLOURS);
		xc_sweep_put_text(report->out, config->name);
		fputs("</b> <span class=\"options\">", report->out);
		xc_sweep_put_text(report->out, config->options);
		if (config->version) {
			fputs("</span> <span class=\"options\">", report->out);
			xc_sweep_put_text(report->out, config->version);
		}
		fputs("</span></span></li>\n", report->out);
	}
	return 0;
}

/* ---------------------------------------------------------------------- points */

static void put_heading(const xc_sweep_report *report, const char *title, const char *unit)
{
	fprintf(report->out, "<th scope=\"col\">%s", title);
	if (*unit)
		fprintf(report->out, " <small>%s</small>", unit);
	fputs("</th>", report->out);
}

static void put_headings(const xc_sweep_report *report)
{
	fputs("<thead><tr>", report->out);
	put_heading(report, "Configuration", "");
	put_heading(report, "Quality", "");
	put_heading(report, "Size", "bytes");
	put_heading(report, "Rate", "bits a pixel");
	for (int i = 0; i < XC_SWEEP_METRICS; i++)
		put_heading(report, xc_sweep_measures[i].title, xc_sweep_measures[i].unit);
	put_heading(report, "Encoding", "Mpixel/s");
	put_heading(report, "Decoding", "Mpixel/s");
	fputs("</tr></thead>\n<tbody>\n", report->out);
}

/* Writes a number with that many digits after the point; infinity as its sign and NAN as a dash. */
static void put_value(FILE *out, double value, int digits)
{
	if (isnan(value))
		fputs("\xe2\x80\x93", out); /* U+2013 */
	else if (isinf(value))
		fputs(value < 0 ? "\xe2\x88\x92\xe2\x88\x9e" : "\xe2\x88\x9e", out); /* U+2212, U+221E */
	else
		fprintf(out, "%.*f", digits, value);
}

static void put_cell(FILE *out, double value, int digits)
{
	fputs("<td>", out);
	put_value(out, value, digits);
	fputs("</td>", out);
}

static void put_table_row(const xc_sweep_report *report, const xc_sweep_row *row)
{
	fputs("<tr><th scope=\"row\">", report->out);
	put_name(report, row->config);
	fprintf(report->out, "</th><td>%g</td>", row->quality);
	put_cell(report->out, round(row->bytes), 0);
	put_cell(report->out, row->bits_per_pixel, 4);
	for (int i = 0; i < XC_SWEEP_METRICS; i++)
		put_cell(report->out, row->metric[i], xc_sweep_measures[i].digits + 1);
	put_cell(report->out, row->encode_speed, 1);
	put_cell(report->out, row->decode_speed, 1);
	fputs("</tr>\n", report->out);
}

static void put_picture_title(const xc_sweep_report *report, long picture)
{
	if (picture == XC_SWEEP_MEAN) {
		fputs("Mean over the set", report->out);
		return;
	}
	const xc_sweep_picture *p = &report->results->pictures[picture];
	xc_sweep_put_text(report->out, p->name);
	fprintf(report->out, ", %u &#215; %u, %u %s of %u bits", (unsigned)p->width,
	        (unsigned)p->height, (unsigned)p->channels, p->channels == 1 ? "channel" : "channels",
	        (unsigned)p->depth);
}

static int put_table(const xc_sweep_report *report, long picture)
{
	size_t count;
	xc_sweep_row *rows = xc_sweep_rows(report->results, picture, &count);

	if (!rows)
		return -1;
	fprintf(report->out, "<details data-picture=\"%ld\"%s>\n<summary>", picture,
	        picture == first_shown(report) ? " open" : "");
	put_picture_title(report, picture);
	fputs("</summary>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"",
	      report->out);
	put_picture_title(report, picture);
	fputs("\">\n<table class=\"points\">\n<caption>", report->out);
	put_picture_title(report, picture);
	fputs("</caption>\n", report->out);
	put_headings(report);
	for (size_t i = 0; i < count; i++)
		put_table_row(report, &rows[i]);
	fputs("</tbody></table></div>\n</details>\n", report->out);
	free(rows);
	return 0;
}

static int put_tables(xc_sweep_report *report)
{
	for (long i = first_shown(report); i < (long)report->results->picture_count; i++)
		if (put_table(report, i))
			return -1;
	return 0;
}

/* ---------------------------------------------------------------------- deltas */

static void put_delta(const xc_sweep_report *report, const xc_sweep_bd *bd, const char *unit)
{
	if (isnan(bd->rate) && isnan(bd->quality)) {
		fputs("<td>no overlap</td>", report->out);
		return;
	}
	fputs("<td>", report->out);
	if (isnan(bd->rate))
		fputs("no overlap", report->out);
	else
		fprintf(report->out, "%+.2f&#160;%%", bd->rate);
	fputs(" <small>", report->out);
	if (!isnan(bd->quality))
		fprintf(report->out, "%+.2f&#160;%s", bd->quality, unit);
	fputs("</small></td>", report->out);
}

static void put_matrix(const xc_sweep_report *report, int measure)
{
	const xc_sweep_metric metric = (xc_sweep_metric)measure;
	const xc_sweep_results *results = report->results;

	fprintf(report->out, "<table class=\"deltas\" data-metric=\"%d\">\n<caption>%s</caption>\n",
	        measure, xc_sweep_measures[metric].title);
	fputs("<thead><tr><th scope=\"col\">Anchor</th>", report->out);
	for (size_t i = 0; i < results->config_count; i++) {
		fputs("<th scope=\"col\">", report->out);
		put_name(report, i);
		fputs("</th>", report->out);
	}
	fputs("</tr></thead>\n<tbody>\n", report->out);
	for (size_t anchor = 0; anchor < results->config_count; anchor++) {
		fputs("<tr><th scope=\"row\">", report->out);
		put_name(report, anchor);
		fputs("</th>", report->out);
		for (size_t i = 0; i < results->config_count; i++)
			if (i == anchor)
				fputs("<td class=\"same\">&#183;</td>", report->out);
			else
				put_delta(report,
				          xc_sweep_bd_at(report->bd, metric, results->picture_count, anchor, i),
				          xc_sweep_measures[metric].scale);
		fputs("</tr>\n", report->out);
	}
	fputs("</tbody></table>\n", report->out);
}

static int put_matrices(xc_sweep_report *report)
{
	for (int i = 0; report->bd && i < XC_SWEEP_METRICS; i++)
		put_matrix(report, i);
	return 0;
}

/* -------------------------------------------------------------------------------------- data */

/* More than six digits after the point tell nothing and take room. */
static void put_number(xc_cli_json *json, double value)
{
	xc_cli_json_number(json, NULL, isfinite(value) ? round(value * 1e6) / 1e6 : value);
}

static void put_measures(xc_cli_json *json)
{
	xc_cli_json_array(json, "measures");
	for (int i = 0; i < XC_SWEEP_METRICS; i++) {
		const xc_sweep_measure *measure = &xc_sweep_measures[i];

		xc_cli_json_inline_object(json, NULL);
		xc_cli_json_text(json, "title", measure->title);
		xc_cli_json_text(json, "unit", measure->unit);
		xc_cli_json_integer(json, "digits", (uint64_t)measure->digits);
		xc_cli_json_text(json, "scale", measure->scale);
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
		put_number(json, row->metric[k]);
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
				const xc_sweep_bd *one = xc_sweep_bd_at(bd, (xc_sweep_metric)m, p, i / configs,
				                                        i % configs);

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

static int put_data(xc_sweep_report *report)
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

static int put_summary(xc_sweep_report *report)
{
	const xc_sweep_results *r = report->results;

	fprintf(report->out, "%zu configuration%s, %zu picture%s, %zu measured point%s",
	        r->config_count, xc_s(r->config_count), r->picture_count, xc_s(r->picture_count),
	        r->point_count, xc_s(r->point_count));
	return 0;
}

static int put_version(xc_sweep_report *report)
{
	fputs(xc_version_string(), report->out);
	return 0;
}

static int put_images(xc_sweep_report *report)
{
#ifndef XC_HAVE_LIBPNG
	report->viewer = NULL;
#endif
	return report->viewer
	           ? xc_sweep_put_views(report->out, report->results, report->viewer, &report->views)
	           : 0;
}

/* What @@NAME@@ in report.html stands for: a part that is written, or a file. */
static const struct {
	const char *name;
	int (*put)(xc_sweep_report *report);
	const xc_sweep_page *page;
} parts[] = {
	{"data", put_data, NULL},
	{"deltas", put_matrices, NULL},
	{"images", put_images, NULL},
	{"legend", put_legend_list, NULL},
	{"script", NULL, &xc_sweep_page_script},
	{"style", NULL, &xc_sweep_page_style},
	{"summary", put_summary, NULL},
	{"tables", put_tables, NULL},
	{"version", put_version, NULL},
};

static int put_part(xc_sweep_report *report, const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (strlen(parts[i].name) != length || memcmp(parts[i].name, name, length) != 0)
			continue;
		if (parts[i].put)
			return parts[i].put(report);
		fwrite(parts[i].page->text, 1, parts[i].page->size, report->out);
		return 0;
	}
	errno = EINVAL;
	return -1;
}

static const char *find_mark(const char *at, const char *end)
{
	while (end - at >= 2 && memcmp(at, "@@", 2) != 0)
		at++;
	return end - at >= 2 ? at : end;
}

/* Writes report.html with its parts. */
static int put_report(xc_sweep_report *report)
{
	const char *at = (const char *)xc_sweep_page_html.text, *end = at + xc_sweep_page_html.size;

	for (int inside = 0; at < end; inside = !inside) {
		const char *mark = find_mark(at, end);
		const size_t length = (size_t)(mark - at);

		if (!inside)
			fwrite(at, 1, length, report->out);
		else if (put_part(report, at, length))
			return -1;
		at = mark < end ? mark + 2 : end;
	}
	if (!ferror(report->out))
		return 0;
	errno = EIO;
	return -1;
}

int xc_sweep_html(FILE *out, const xc_sweep_results *results, const xc_sweep_bd_table *bd,
                  const xc_sweep_viewer *viewer)
{
	xc_sweep_report report = {.out = out, .results = results, .bd = bd, .viewer = viewer};
	const int failed = put_report(&report);
	const int error = errno;

	xc_sweep_views_free(&report.views);
	errno = error;
	return failed;
}

/* ---------------------------------------------------------------------- markup */

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Writes one character of `length` bytes; 0: it is none. */
static void put_character(FILE *out, const unsigned char *text, size_t length)
{
	const char *entity = *text == '&'    ? "&amp;"
	                     : *text == '<'  ? "&lt;"
	                     : *text == '>'  ? "&gt;"
	                     : *text == '"'  ? "&quot;"
	                     : *text == '\'' ? "&#39;"
	                                     : NULL;
	/* U+FFFE and U+FFFF are no characters of XML either. */
	const int none = length == 0 || xc_cli_is_control(text) ||
	                 (*text == 0xef && text[1] == 0xbf && text[2] >= 0xbe);
	if (entity || none)
		fputs(entity ? entity : replacement, out);
	else
		fwrite(text, 1, length, out);
}

void xc_sweep_put_text(FILE *out, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		const size_t length = xc_cli_utf8_length(at);

		put_character(out, at, length);
		at += length ? length : 1;
	}
}

/* Encodes up to three bytes. */
static void encode_group(const uint8_t *at, size_t size, char to[4])
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned group = (unsigned)at[0] << 16 | (size > 1 ? at[1] << 8 : 0) |
	                       (size > 2 ? at[2] : 0);

	to[0] = digit[group >> 18];
	to[1] = digit[group >> 12 & 63];
	to[2] = size > 1 ? digit[group >> 6 & 63] : '=';
	to[3] = size > 2 ? digit[group & 63] : '=';
}

void xc_sweep_put_base64(FILE *out, const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = at + size;

	while (at < end) {
		char text[4096];
		size_t length = 0;

		while (at < end && length < sizeof text) {
			const size_t taken = end - at < 3 ? (size_t)(end - at) : 3;

			encode_group(at, taken, text + length);
			at += taken;
			length += 4;
		}
		fwrite(text, 1, length, out);
	}
}
