/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/json.h"
#include "sweep/html.h"
#include "sweep/report/html_parts.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static int put_page(FILE *out, const xc_sweep_page *page)
{
	fwrite(page->text, 1, page->size, out);
	return 0;
}

static int put_style(xc_sweep_report *report)
{
	return put_page(report->out, &xc_sweep_page_style);
}

static int put_script(xc_sweep_report *report)
{
	return put_page(report->out, &xc_sweep_page_script);
}

static void put_count(FILE *out, size_t count, const char *noun)
{
	fprintf(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

static int put_summary(xc_sweep_report *report)
{
	put_count(report->out, report->results->config_count, "configuration");
	fputs(", ", report->out);
	put_count(report->out, report->results->picture_count, "picture");
	fputs(", ", report->out);
	put_count(report->out, report->results->point_count, "measured point");
	return 0;
}

static int put_version(xc_sweep_report *report)
{
	fputs(xc_version_string(), report->out);
	return 0;
}

const xc_sweep_metric xc_sweep_page_metrics[XC_SWEEP_METRICS] =
	{XC_SWEEP_SSIM_Y,     XC_SWEEP_MS_SSIM_Y, XC_SWEEP_PSNR_RGB, XC_SWEEP_PSNR_Y,
     XC_SWEEP_PSNR_YCBCR, XC_SWEEP_PSNR_R,    XC_SWEEP_PSNR_G,   XC_SWEEP_PSNR_B};

static int put_images(xc_sweep_report *report)
{
#ifndef XC_HAVE_LIBPNG
	report->viewer = NULL;
#endif
	return report->viewer
	           ? xc_sweep_put_views(report->out, report->results, report->viewer, &report->views)
	           : 0;
}

/* What @@NAME@@ in report.html stands for. */
static const struct {
	const char *name;
	int (*put)(xc_sweep_report *report);
} parts[] = {
	{"data", xc_sweep_put_data}, {"deltas", xc_sweep_put_deltas},
	{"images", put_images},      {"legend", xc_sweep_put_legend_list},
	{"script", put_script},      {"style", put_style},
	{"summary", put_summary},    {"tables", xc_sweep_put_tables},
	{"version", put_version},
};

static int put_part(xc_sweep_report *report, const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
			return parts[i].put(report);
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
	switch (*text) {
	case '&':
		fputs("&amp;", out);
		return;
	case '<':
		fputs("&lt;", out);
		return;
	case '>':
		fputs("&gt;", out);
		return;
	case '"':
		fputs("&quot;", out);
		return;
	case '\'':
		fputs("&#39;", out);
		return;
	}
	/* U+FFFE and U+FFFF are no characters of XML either. */
	const int none = length == 0 || xc_cli_is_control(text) ||
	                 (*text == 0xef && text[1] == 0xbf && text[2] >= 0xbe);
	if (none)
		fputs(replacement, out);
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

void xc_sweep_put_number(FILE *out, double value, int digits)
{
	if (isnan(value))
		fputs("\xe2\x80\x93", out); /* U+2013 */
	else if (isinf(value))
		fputs(value < 0 ? "\xe2\x88\x92\xe2\x88\x9e" : "\xe2\x88\x9e", out); /* U+2212, U+221E */
	else
		fprintf(out, "%.*f", digits, value);
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
