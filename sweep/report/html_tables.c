/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of the report, which show without a script too. */
#include "sweep/report/html_parts.h"
#include "sweep/results.h"

#include <math.h>
#include <stdlib.h>

/* report.css has that many colours for configurations, which come again after the last one. */
enum { COLOURS = 8 };

static void put_name(const xc_sweep_report *report, size_t config)
{
	fprintf(report->out, "<span class=\"name xc-%zu\">", config % COLOURS);
	xc_sweep_put_text(report->out, report->results->configs[config].name);
	fputs("</span>", report->out);
}

int xc_sweep_put_legend_list(xc_sweep_report *report)
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
		put_heading(report, xc_sweep_measures[xc_sweep_page_metrics[i]].title,
		            xc_sweep_measures[xc_sweep_page_metrics[i]].unit);
	put_heading(report, "Encoding", "Mpixel/s");
	put_heading(report, "Decoding", "Mpixel/s");
	fputs("</tr></thead>\n<tbody>\n", report->out);
}

static void put_cell(FILE *out, double value, int digits)
{
	fputs("<td>", out);
	xc_sweep_put_number(out, value, digits);
	fputs("</td>", out);
}

static void put_row(const xc_sweep_report *report, const xc_sweep_row *row)
{
	fputs("<tr><th scope=\"row\">", report->out);
	put_name(report, row->config);
	fprintf(report->out, "</th><td>%g</td>", row->quality);
	put_cell(report->out, round(row->bytes), 0);
	put_cell(report->out, row->bits_per_pixel, 4);
	for (int i = 0; i < XC_SWEEP_METRICS; i++)
		put_cell(report->out, row->metric[xc_sweep_page_metrics[i]],
		         xc_sweep_measures[xc_sweep_page_metrics[i]].digits + 1);
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
	        picture == xc_sweep_first(report) ? " open" : "");
	put_picture_title(report, picture);
	fputs("</summary>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"",
	      report->out);
	put_picture_title(report, picture);
	fputs("\">\n<table class=\"points\">\n<caption>", report->out);
	put_picture_title(report, picture);
	fputs("</caption>\n", report->out);
	put_headings(report);
	for (size_t i = 0; i < count; i++)
		put_row(report, &rows[i]);
	fputs("</tbody></table></div>\n</details>\n", report->out);
	free(rows);
	return 0;
}

int xc_sweep_put_tables(xc_sweep_report *report)
{
	for (long i = xc_sweep_first(report); i < (long)report->results->picture_count; i++)
		if (put_table(report, i))
			return -1;
	return 0;
}

/* ---------------------------------------------------------------------- deltas */

static void put_delta(const xc_sweep_report *report, const xc_sweep_bd *bd)
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
		fprintf(report->out, "%+.2f&#160;dB", bd->quality);
	fputs("</small></td>", report->out);
}

static void put_matrix(const xc_sweep_report *report, int measure)
{
	const xc_sweep_metric metric = xc_sweep_page_metrics[measure];
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
				          xc_sweep_bd_at(report->bd, metric, results->picture_count, anchor, i));
		fputs("</tr>\n", report->out);
	}
	fputs("</tbody></table>\n", report->out);
}

int xc_sweep_put_deltas(xc_sweep_report *report)
{
	for (int i = 0; report->bd && i < XC_SWEEP_METRICS; i++)
		put_matrix(report, i);
	return 0;
}
