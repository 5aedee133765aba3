/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/svg.h"
#include "sweep/report/axis.h"
#include "sweep/report/markup.h"
#include "sweep/measures.h"
#include "sweep/rows.h"
#include "sweep/report/style.h"
#include "sweep/report/svg_legend.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* In pixels of 1/96 inch. */
enum { WIDTH = 720, HEIGHT = 460, LEFT = 66, RIGHT = 700, TOP = 46, BOTTOM = 404 };

typedef struct drawing {
	FILE *out;
	const xc_sweep_results *results;
	const xc_sweep_measure *measure;
	xc_sweep_metric metric;
	long picture;
	xc_sweep_row *rows;
	size_t row_count;
	xc_sweep_axis x, y;
	xc_sweep_legend legend;
} drawing;

static int is_drawn(const drawing *d, const xc_sweep_row *row)
{
	return isfinite(row->metric[d->metric]) && row->bits_per_pixel > 0;
}

static double place_x(const drawing *d, double bits)
{
	return LEFT + (RIGHT - LEFT) * xc_sweep_axis_place(&d->x, bits);
}

static double place_y(const drawing *d, double value)
{
	return BOTTOM - (BOTTOM - TOP) * xc_sweep_axis_place(&d->y, value);
}

/* Finds the axes.  Without points they are any. */
static void scale(drawing *d)
{
	double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};

	for (size_t i = 0; i < d->row_count; i++) {
		const xc_sweep_row *row = &d->rows[i];
		const double value[2] = {row->bits_per_pixel, row->metric[d->metric]};

		for (int k = 0; k < 2 && is_drawn(d, row); k++) {
			low[k] = fmin(low[k], value[k]);
			high[k] = fmax(high[k], value[k]);
		}
	}
	if (low[0] > high[0])
		low[0] = 0.1, high[0] = 10, low[1] = 0, high[1] = 1;
	xc_sweep_axis_log(&d->x, low[0], high[0]);
	xc_sweep_axis_linear(&d->y, low[1], high[1], 7);
}

/* ---------------------------------------------------------------------- parts */

static void put_title(const drawing *d)
{
	const xc_sweep_measure *m = d->measure;

	fprintf(d->out, "%s%s%s%s over bits a pixel: ", m->title, *m->unit ? " (" : "", m->unit,
	        *m->unit ? ")" : "");
	if (d->picture == XC_SWEEP_MEAN)
		fprintf(d->out, "mean of %zu picture%s", d->results->picture_count,
		        d->results->picture_count == 1 ? "" : "s");
	else
		xc_sweep_put_short_text(d->out, d->results->pictures[d->picture].name, 60);
}

static void put_head(const drawing *d)
{
	fprintf(d->out,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"xc-curves\" role=\"img\" "
	        "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
	        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<title>",
	        d->legend.total_width, HEIGHT, d->legend.total_width, HEIGHT);
	put_title(d);
	fprintf(d->out,
	        "</title>\n<rect class=\"xc-paper\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
	        "<text class=\"xc-ink\" x=\"%d\" y=\"26\" font-size=\"14\" font-weight=\"bold\" "
	        "fill=\"#1c1c1c\">",
	        d->legend.total_width, HEIGHT, LEFT);
	put_title(d);
	fputs("</text>\n", d->out);
}

static void put_grid(const drawing *d)
{
	fputs("<path class=\"xc-grid\" stroke=\"#dcdcdc\" fill=\"none\" d=\"", d->out);
	for (int i = 0; i < d->x.ticks; i++)
		fprintf(d->out, "M%.1f %dV%d", place_x(d, d->x.tick[i]), TOP, BOTTOM);
	for (int i = 0; i < d->y.ticks; i++)
		fprintf(d->out, "M%d %.1fH%d", LEFT, place_y(d, d->y.tick[i]), RIGHT);
	fprintf(d->out,
	        "\"/>\n<path class=\"xc-axis\" stroke=\"#6b6b6b\" fill=\"none\" d=\"M%d %dV%dH%d\"/>\n",
	        LEFT, TOP, BOTTOM, RIGHT);
}

static void put_labels(const drawing *d)
{
	fputs("<g class=\"xc-label\" fill=\"#444\">\n<g text-anchor=\"middle\">\n", d->out);
	for (int i = 0; i < d->x.ticks; i++)
		fprintf(d->out, "<text x=\"%.1f\" y=\"%d\">%g</text>\n", place_x(d, d->x.tick[i]),
		        BOTTOM + 18, d->x.tick[i]);
	fprintf(d->out, "<text x=\"%d\" y=\"%d\">bits a pixel, logarithmic</text>\n",
	        (LEFT + RIGHT) / 2, BOTTOM + 42);
	fprintf(d->out, "<text transform=\"translate(18 %d) rotate(-90)\">%s%s%s</text>\n</g>\n",
	        (TOP + BOTTOM) / 2, d->measure->title, *d->measure->unit ? ", " : "", d->measure->unit);
	fputs("<g text-anchor=\"end\">\n", d->out);
	for (int i = 0; i < d->y.ticks; i++)
		fprintf(d->out, "<text x=\"%d\" y=\"%.1f\">%.*f</text>\n", LEFT - 8,
		        place_y(d, d->y.tick[i]) + 4, d->y.digits, d->y.tick[i]);
	fputs("</g>\n</g>\n", d->out);
}

/* Writes the points of a configuration, each with what precedes and what follows it in the path. */
static void put_points(const drawing *d, uint32_t config, const char *first, const char *next,
                       const char *after)
{
	const char *before = first;

	for (size_t i = 0; i < d->row_count; i++) {
		const xc_sweep_row *row = &d->rows[i];

		if (row->config != config || !is_drawn(d, row))
			continue;
		fprintf(d->out, "%s%.1f %.1f%s", before, place_x(d, row->bits_per_pixel),
		        place_y(d, row->metric[d->metric]), after);
		before = next;
	}
}

static void put_curve(const drawing *d, uint32_t config)
{
	const xc_sweep_style style = xc_sweep_style_of(config);

	fprintf(d->out,
	        "<g class=\"xc-curve xc-%d\" stroke=\"%s\" fill=\"none\" stroke-width=\"1.8\" "
	        "stroke-linejoin=\"round\">\n<title>",
	        style.colour, style.light);
	xc_sweep_put_text(d->out, d->results->configs[config].name);
	fprintf(d->out, "</title>\n<path stroke-dasharray=\"%s\" d=\"", style.dashes);
	put_points(d, config, "M", "L", "");
	fputs("\"/>\n<path class=\"xc-marker\" fill=\"#fff\" stroke-width=\"1.5\" d=\"", d->out);
	put_points(d, config, "M", "M", style.marker);
	fputs("\"/>\n</g>\n", d->out);
}

/* --------------------------------------------------------------------- legend */

/* Tells the legend where the curves go, a sample every few pixels. */
static void mark_curves(drawing *d)
{
	enum { SAMPLES = 24 };

	for (size_t i = 0; i < d->row_count; i++) {
		const xc_sweep_row *row = &d->rows[i], *next = i + 1 < d->row_count ? row + 1 : row;

		if (!is_drawn(d, row))
			continue;
		if (next->config != row->config || !is_drawn(d, next))
			next = row;
		const double x0 = place_x(d, row->bits_per_pixel), y0 = place_y(d, row->metric[d->metric]);
		const double x1 = place_x(d, next->bits_per_pixel),
					 y1 = place_y(d, next->metric[d->metric]);
		for (int k = 0; k < SAMPLES; k++)
			xc_sweep_legend_mark(&d->legend, x0 + (x1 - x0) * k / SAMPLES,
			                     y0 + (y1 - y0) * k / SAMPLES);
	}
}

static void put_everything(drawing *d)
{
	scale(d);
	xc_sweep_legend_start(&d->legend, d->results, LEFT, TOP, RIGHT, BOTTOM);
	mark_curves(d);
	xc_sweep_legend_end(&d->legend, WIDTH);
	put_head(d);
	put_grid(d);
	put_labels(d);
	for (size_t i = d->results->config_count; i-- > 0;)
		put_curve(d, (uint32_t)i);
	xc_sweep_put_legend(d->out, &d->legend, d->results);
	fputs("</svg>\n", d->out);
}

int xc_sweep_svg(FILE *out, const xc_sweep_results *results, xc_sweep_metric metric, long picture)
{
	drawing d = {.out = out,
	             .results = results,
	             .measure = &xc_sweep_measures[metric],
	             .metric = metric,
	             .picture = picture};

	d.rows = xc_sweep_rows(results, picture, &d.row_count);
	if (!d.rows)
		return -1;
	put_everything(&d);
	free(d.rows);
	if (ferror(out)) {
		errno = EIO;
		return -1;
	}
	return 0;
}
