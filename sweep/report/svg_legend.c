/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/report/svg_legend.h"
#include "sweep/report/markup.h"
#include "sweep/report/style.h"

/* In pixels.  GLYPH: the mean advance of Helvetica at 12 pixels, rounded up. */
enum { LINE = 19, SAMPLE = 34, GLYPH = 7, PADDING = 8, MARGIN = 10, MOST_CHARACTERS = 36 };

/* The upper left corner of the legend in one of the corners of the area.  Curves rise, so the lower right
 * corner is asked first. */
static void corner(const xc_sweep_legend *l, int i, int *x, int *y)
{
	const int at_right = i == 0 || i == 2, at_bottom = i == 0 || i == 3;

	*x = at_right ? l->right - MARGIN - l->width : l->left + MARGIN;
	*y = at_bottom ? l->bottom - MARGIN - l->height : l->top + MARGIN;
}

void xc_sweep_legend_start(xc_sweep_legend *legend, const xc_sweep_results *results, int left,
                           int top, int right, int bottom)
{
	size_t longest = 0;

	for (size_t i = 0; i < results->config_count; i++) {
		const size_t length = xc_sweep_text_length(results->configs[i].name);
		longest = length > longest ? length : longest;
	}
	longest = longest > MOST_CHARACTERS ? MOST_CHARACTERS : longest;
	*legend = (xc_sweep_legend){.left = left, .top = top, .right = right, .bottom = bottom};
	legend->width = 2 * PADDING + SAMPLE + GLYPH * (int)longest;
	legend->height = 2 * PADDING + LINE * (int)results->config_count;
}

void xc_sweep_legend_mark(xc_sweep_legend *legend, double x, double y)
{
	for (int i = 0; i < XC_SWEEP_CORNERS; i++) {
		int left, top;

		corner(legend, i, &left, &top);
		legend->hits[i] += x > left && x < left + legend->width && y > top &&
		                   y < top + legend->height;
	}
}

void xc_sweep_legend_end(xc_sweep_legend *legend, int width)
{
	const int fits = legend->height + 2 * MARGIN < legend->bottom - legend->top &&
	                 legend->width + 2 * MARGIN < legend->right - legend->left;

	legend->total_width = width;
	for (int i = 0; fits && i < XC_SWEEP_CORNERS; i++)
		if (legend->hits[i] == 0) {
			corner(legend, i, &legend->x, &legend->y);
			return;
		}
	legend->x = legend->right + MARGIN;
	legend->y = legend->top - PADDING;
	legend->total_width = legend->x + legend->width + MARGIN;
}

static void put_entry(FILE *out, const xc_sweep_legend *legend, size_t i, const char *name)
{
	const xc_sweep_style style = xc_sweep_style_of(i);
	const int x = legend->x + PADDING, y = legend->y + PADDING + LINE * (int)i + LINE / 2;

	fprintf(out,
	        "<g class=\"xc-curve xc-%d\" stroke=\"%s\" fill=\"none\" stroke-width=\"1.8\">"
	        "<path stroke-dasharray=\"%s\" d=\"M%d %dh26\"/><path class=\"xc-marker\" "
	        "fill=\"#fff\" stroke-width=\"1.5\" d=\"M%d %d%s\"/></g>\n",
	        style.colour, style.light, style.dashes, x, y, x + 13, y, style.marker);
	fprintf(out, "<text x=\"%d\" y=\"%d\">", x + SAMPLE, y + 4);
	xc_sweep_put_short_text(out, name, MOST_CHARACTERS);
	fputs("</text>\n", out);
}

void xc_sweep_put_legend(FILE *out, const xc_sweep_legend *legend, const xc_sweep_results *results)
{
	fprintf(out,
	        "<g class=\"xc-label xc-legend\" fill=\"#1c1c1c\">\n<rect class=\"xc-paper\" x=\"%d\" "
	        "y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
	        legend->x, legend->y, legend->width, legend->height);
	for (size_t i = 0; i < results->config_count; i++)
		put_entry(out, legend, i, results->configs[i].name);
	fputs("</g>\n", out);
}
