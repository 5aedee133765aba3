/* SPDX-License-Identifier: BSD-2-Clause */
/* The two ways to print what `xcodec info` found out: text and JSON. */
#include "cli/info.h"

#include "cli/base/json.h"
#include "cli/base/report.h"
#include "cli/base/settings.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------- text */

/* The column after the titles. */
enum { TITLE = 14 };

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Components made for the picture have no names. */
static const char *component_name(const xc_info *info, uint32_t c)
{
	static const char *const numbers[3] = {"first", "second", "third"};

	if (info->colour == XC_COLOUR_PICTURE && c < 3)
		return numbers[c];
	return xc_cli_name(XC_CLI_COMPONENT, c);
}

static void print_coding(const xc_info *info)
{
	printf("%-*s%s, quality %d, %s, ", TITLE, "Coding",
	       xc_cli_name(XC_CLI_TRANSFORM, info->transform), info->quality,
	       xc_cli_name(XC_CLI_SUBSAMPLING, info->subsampling));
	if (info->colour == XC_COLOUR_PICTURE)
		printf("components made for the picture, ");
	printf("%s", xc_cli_name(XC_CLI_ENTROPY, info->entropy));
	if (info->entropy == XC_ENTROPY_HUFFMAN)
		printf(" %s", xc_cli_name(XC_CLI_HUFFMAN, info->huffman));
	if (info->huffman_tables)
		printf(" (%u table%s)", info->huffman_tables, xc_s(info->huffman_tables));
	printf(", format version %u\n", info->version);
}

static void print_picture(const xc_cli_info_report *r)
{
	const xc_info *info = &r->info;
	char name[XC_CLI_SHOWN];

	xc_cli_escape(name, sizeof name, r->name);
	printf("%-*s%s\n", TITLE, "File", name);
	printf("%-*s%u x %u, %s, %u bits a sample\n", TITLE, "Picture", info->width, info->height,
	       xc_cli_name(XC_CLI_CHANNELS, info->channels), info->depth);
	print_coding(info);
	printf("%-*s%llu bytes, %.3f bits per pixel, ratio %.2f\n", TITLE, "Size",
	       (unsigned long long)info->file_bytes, r->bits_per_pixel, r->ratio);
}

static void print_segments_summary(const xc_cli_info_report *r)
{
	const xc_info *info = &r->info;

	printf("%-*s%llu of %u x %u pixels, %llu", TITLE, "Segments",
	       (unsigned long long)info->segments, info->tile_width, info->tile_height,
	       (unsigned long long)r->smallest);
	if (r->smallest != r->largest)
		printf(" to %llu bytes, mean %.1f", (unsigned long long)r->largest, r->mean);
	else
		printf(" bytes");
	if (r->damaged)
		printf(", %llu DAMAGED", (unsigned long long)r->damaged);
	putchar('\n');
}

/* What there is of metadata, divided by commas.  *divider is "" before the first. */
static void print_colour(const xc_metadata *m, const char **divider)
{
	if (m->cicp[0]) {
		printf("%sCICP %u/%u/%u/%u", *divider, m->cicp[0], m->cicp[1], m->cicp[2], m->cicp[3]);
		*divider = ", ";
	}
	if (m->gamma) {
		printf("%sgamma %.5f", *divider, m->gamma * 1e-5);
		*divider = ", ";
	}
	if (m->primaries[0]) {
		printf("%sprimaries", *divider);
		*divider = ", ";
	}
	if (m->significant_bits[0]) {
		printf("%s%u significant bit%s", *divider, m->significant_bits[0],
		       xc_s(m->significant_bits[0]));
		*divider = ", ";
	}
	if (m->maxval) {
		printf("%smaxval %u", *divider, m->maxval);
		*divider = ", ";
	}
	if (m->range) {
		printf("%ssteps for samples up to %u", *divider, m->range);
		*divider = ", ";
	}
}

static void print_metadata(const xc_metadata *m)
{
	const xc_blob *blobs[] = {&m->icc, &m->exif, &m->xmp, &m->iptc, &m->text};
	static const char *const names[] = {"ICC", "EXIF", "XMP", "IPTC", "text"};
	const char *divider = "";

	printf("%-*s", TITLE, "Metadata");
	for (int i = 0; i < 5; i++)
		if (blobs[i]->data) {
			printf("%s%s %zu byte%s", divider, names[i], blobs[i]->size, xc_s(blobs[i]->size));
			divider = ", ";
		}
	if (m->density_x || m->density_y) {
		printf("%s%s %u x %u%s", divider, m->density_unit == 1 ? "density" : "pixel aspect",
		       m->density_x, m->density_y, m->density_unit == 1 ? " pixels per metre" : "");
		divider = ", ";
	}
	print_colour(m, &divider);
	puts(*divider ? "" : "none");
}

static void print_budget(const xc_cli_info_report *r)
{
	const uint64_t whole = r->info.file_bytes;

	printf("\n%-*s       bytes   share\n", TITLE, "Part");
	for (const xc_cli_info_part *p = r->parts; p < r->parts + XC_CLI_INFO_PARTS; p++)
		if (p->bytes)
			printf("%-*s%12llu %6.2f%%\n", TITLE, p->name, (unsigned long long)p->bytes,
			       percent(p->bytes, whole));
	printf("%-*s%12llu %6.2f%%\n", TITLE, "total", (unsigned long long)whole, 100.0);
}

static void print_usage(const xc_cli_info_report *r)
{
	const xc_bit_usage *u = &r->usage;
	uint64_t total = u->padding_bits;

	if (!r->wants_usage)
		return;
	if (!r->has_usage) {
		printf("\n%-*scannot be decoded: %s\n", TITLE, "Bits", r->usage_message);
		return;
	}
	for (uint32_t c = 0; c < r->info.components; c++)
		total += u->dc_bits[c] + u->ac_bits[c];
	printf("\n%-*s     DC bits     AC bits   share      blocks  bits/block  nonzero/block\n", TITLE,
	       "Component");
	for (uint32_t c = 0; c < r->info.components; c++) {
		uint64_t bits = u->dc_bits[c] + u->ac_bits[c];
		double blocks = u->blocks[c] ? (double)u->blocks[c] : 1;

		printf("%-*s%12llu%12llu %6.2f%% %11llu %11.2f %14.2f\n", TITLE,
		       component_name(&r->info, c), (unsigned long long)u->dc_bits[c],
		       (unsigned long long)u->ac_bits[c], percent(bits, total),
		       (unsigned long long)u->blocks[c], (double)bits / blocks,
		       (double)u->nonzero[c] / blocks);
	}
	printf("%-*s%24llu %6.2f%%\n", TITLE, "padding", (unsigned long long)u->padding_bits,
	       percent(u->padding_bits, total));
	printf("\n%-*s   zero bits  magnitudes       signs    raw bits\n", TITLE, "Component");
	for (uint32_t c = 0; c < r->info.components; c++)
		printf("%-*s%12llu%12llu%12llu%12llu\n", TITLE, component_name(&r->info, c),
		       (unsigned long long)u->zero_bits[c], (unsigned long long)u->magnitude_bits[c],
		       (unsigned long long)u->sign_bits[c], (unsigned long long)u->raw_bits[c]);
}

static void print_matrix(const char *name, const uint32_t steps[64])
{
	int width = 4;

	for (int i = 0; i < 64; i++) {
		int digits = snprintf(NULL, 0, "%u", steps[i]);

		width = digits + 1 > width ? digits + 1 : width;
	}
	printf("\nQuantization steps of %s\n", name);
	for (int i = 0; i < 64; i++)
		printf("%*u%s", width + (i % 8 ? 0 : 1), steps[i], i % 8 == 7 ? "\n" : "");
}

/* Equal tables are shown once. */
static void print_matrices(const xc_info *info)
{
	int shown[3] = {0};

	for (uint32_t c = 0; c < info->components && c < 3; c++) {
		char names[32];

		if (shown[c])
			continue;
		snprintf(names, sizeof names, "%s", component_name(info, c));
		for (uint32_t d = c + 1; d < info->components && d < 3; d++)
			if (!memcmp(info->quant[c], info->quant[d], sizeof info->quant[c])) {
				size_t used = strlen(names);

				snprintf(names + used, sizeof names - used, ", %s", component_name(info, d));
				shown[d] = 1;
			}
		print_matrix(names, info->quant[c]);
	}
}

static void print_segment_list(const xc_cli_info_report *r)
{
	printf("\n%-*s      offset       bytes         x         y     width    height\n", TITLE,
	       "Segment");
	for (uint64_t i = 0; i < r->info.segments; i++) {
		const xc_segment_info *s = &r->segments[i];

		printf("%-*llu%12llu%12llu%10u%10u%10u%10u%s\n", TITLE, (unsigned long long)i,
		       (unsigned long long)s->offset, (unsigned long long)s->size, s->x, s->y, s->width,
		       s->height, s->intact ? s->alpha_intact ? "" : "  ALPHA DAMAGED" : "  DAMAGED");
	}
}

void xc_cli_info_print_text(const xc_cli_info_report *report)
{
	print_picture(report);
	print_segments_summary(report);
	print_metadata(&report->info.metadata);
	print_budget(report);
	print_usage(report);
	print_matrices(&report->info);
	if (report->list_segments)
		print_segment_list(report);
}

/* ---------------------------------------------------------------------- JSON */

static void put_picture(xc_cli_json *json, const xc_cli_info_report *r)
{
	const xc_info *info = &r->info;

	xc_cli_json_text(json, "file", r->name);
	xc_cli_json_integer(json, "version", info->version);
	xc_cli_json_integer(json, "width", info->width);
	xc_cli_json_integer(json, "height", info->height);
	xc_cli_json_integer(json, "channels", info->channels);
	xc_cli_json_integer(json, "depth", info->depth);
	xc_cli_json_text(json, "transform", xc_cli_name(XC_CLI_TRANSFORM, info->transform));
	xc_cli_json_integer(json, "quality", (uint64_t)info->quality);
	xc_cli_json_text(json, "subsampling", xc_cli_name(XC_CLI_SUBSAMPLING, info->subsampling));
	xc_cli_json_text(json, "colour",
	                 info->components == 1 ? "grey" : xc_cli_name(XC_CLI_COLOUR, info->colour));
	xc_cli_json_text(json, "entropy", xc_cli_name(XC_CLI_ENTROPY, info->entropy));
	if (info->entropy == XC_ENTROPY_HUFFMAN)
		xc_cli_json_text(json, "huffman", xc_cli_name(XC_CLI_HUFFMAN, info->huffman));
	else
		xc_cli_json_null(json, "huffman");
	xc_cli_json_integer(json, "huffman_tables", info->huffman_tables);
	xc_cli_json_number(json, "bits_per_pixel", r->bits_per_pixel);
	xc_cli_json_number(json, "ratio", r->ratio);
}

static void put_bytes(xc_cli_json *json, const xc_cli_info_report *r)
{
	xc_cli_json_object(json, "bytes");
	for (int i = 0; i < XC_CLI_INFO_PARTS; i++)
		xc_cli_json_integer(json, r->parts[i].name, r->parts[i].bytes);
	xc_cli_json_integer(json, "total", r->info.file_bytes);
	xc_cli_json_end_object(json);
}

/* Four numbers, or null if the first is zero. */
static void put_four(xc_cli_json *json, const char *key, const uint8_t numbers[4])
{
	if (!numbers[0]) {
		xc_cli_json_null(json, key);
		return;
	}
	xc_cli_json_inline_array(json, key);
	for (int i = 0; i < 4; i++)
		xc_cli_json_integer(json, NULL, numbers[i]);
	xc_cli_json_end_array(json);
}

static void put_colour(xc_cli_json *json, const xc_metadata *m)
{
	put_four(json, "cicp", m->cicp);
	put_four(json, "significant_bits", m->significant_bits);
	xc_cli_json_integer(json, "maxval", m->maxval);
	xc_cli_json_integer(json, "range", m->range);
	if (m->gamma)
		xc_cli_json_number(json, "gamma", m->gamma * 1e-5);
	else
		xc_cli_json_null(json, "gamma");
	if (!m->primaries[0]) {
		xc_cli_json_null(json, "primaries");
		return;
	}
	xc_cli_json_inline_array(json, "primaries");
	for (int i = 0; i < 8; i++)
		xc_cli_json_number(json, NULL, m->primaries[i] * 1e-5);
	xc_cli_json_end_array(json);
}

static void put_metadata(xc_cli_json *json, const xc_metadata *m)
{
	xc_cli_json_object(json, "metadata");
	xc_cli_json_integer(json, "icc_bytes", m->icc.data ? m->icc.size : 0);
	xc_cli_json_integer(json, "exif_bytes", m->exif.data ? m->exif.size : 0);
	xc_cli_json_integer(json, "xmp_bytes", m->xmp.data ? m->xmp.size : 0);
	xc_cli_json_integer(json, "iptc_bytes", m->iptc.data ? m->iptc.size : 0);
	xc_cli_json_integer(json, "text_bytes", m->text.data ? m->text.size : 0);
	put_colour(json, m);
	if (m->density_x || m->density_y) {
		xc_cli_json_inline_object(json, "density");
		xc_cli_json_integer(json, "x", m->density_x);
		xc_cli_json_integer(json, "y", m->density_y);
		xc_cli_json_text(json, "unit", m->density_unit == 1 ? "pixels per metre" : "aspect ratio");
		xc_cli_json_end_object(json);
	} else {
		xc_cli_json_null(json, "density");
	}
	xc_cli_json_end_object(json);
}

static void put_segment(xc_cli_json *json, const xc_segment_info *s)
{
	xc_cli_json_inline_object(json, NULL);
	xc_cli_json_integer(json, "offset", s->offset);
	xc_cli_json_integer(json, "bytes", s->size);
	xc_cli_json_integer(json, "x", s->x);
	xc_cli_json_integer(json, "y", s->y);
	xc_cli_json_integer(json, "width", s->width);
	xc_cli_json_integer(json, "height", s->height);
	xc_cli_json_boolean(json, "intact", s->intact);
	if (s->alpha_size || !s->alpha_intact) {
		xc_cli_json_integer(json, "alpha_bytes", s->alpha_size);
		xc_cli_json_boolean(json, "alpha_intact", s->alpha_intact);
	}
	xc_cli_json_end_object(json);
}

static void put_segments(xc_cli_json *json, const xc_cli_info_report *r)
{
	xc_cli_json_object(json, "segments");
	xc_cli_json_integer(json, "count", r->info.segments);
	xc_cli_json_integer(json, "damaged", r->damaged);
	xc_cli_json_integer(json, "tile_width", r->info.tile_width);
	xc_cli_json_integer(json, "tile_height", r->info.tile_height);
	xc_cli_json_integer(json, "smallest_bytes", r->smallest);
	xc_cli_json_number(json, "mean_bytes", r->mean);
	xc_cli_json_integer(json, "largest_bytes", r->largest);
	if (r->list_segments) {
		xc_cli_json_array(json, "list");
		for (uint64_t i = 0; i < r->info.segments; i++)
			put_segment(json, &r->segments[i]);
		xc_cli_json_end_array(json);
	}
	xc_cli_json_end_object(json);
}

static void put_steps(xc_cli_json *json, const uint32_t steps[64])
{
	xc_cli_json_array(json, "quantization");
	for (int row = 0; row < 8; row++) {
		xc_cli_json_inline_array(json, NULL);
		for (int column = 0; column < 8; column++)
			xc_cli_json_integer(json, NULL, steps[8 * row + column]);
		xc_cli_json_end_array(json);
	}
	xc_cli_json_end_array(json);
}

static void put_components(xc_cli_json *json, const xc_cli_info_report *r)
{
	const xc_bit_usage *u = &r->usage;

	xc_cli_json_array(json, "components");
	for (uint32_t c = 0; c < r->info.components && c < 3; c++) {
		xc_cli_json_object(json, NULL);
		xc_cli_json_text(json, "name", component_name(&r->info, c));
		if (r->has_usage) {
			xc_cli_json_integer(json, "dc_bits", u->dc_bits[c]);
			xc_cli_json_integer(json, "ac_bits", u->ac_bits[c]);
			xc_cli_json_integer(json, "zero_bits", u->zero_bits[c]);
			xc_cli_json_integer(json, "magnitude_bits", u->magnitude_bits[c]);
			xc_cli_json_integer(json, "sign_bits", u->sign_bits[c]);
			xc_cli_json_integer(json, "raw_bits", u->raw_bits[c]);
			xc_cli_json_integer(json, "blocks", u->blocks[c]);
			xc_cli_json_integer(json, "nonzero", u->nonzero[c]);
		}
		put_steps(json, r->info.quant[c]);
		xc_cli_json_end_object(json);
	}
	xc_cli_json_end_array(json);
	if (r->has_usage)
		xc_cli_json_integer(json, "padding_bits", u->padding_bits);
	else if (r->wants_usage)
		xc_cli_json_text(json, "bits_unknown", r->usage_message);
}

void xc_cli_info_print_json(const xc_cli_info_report *report)
{
	xc_cli_json json;

	xc_cli_json_start(&json, stdout);
	xc_cli_json_object(&json, NULL);
	put_picture(&json, report);
	put_bytes(&json, report);
	put_segments(&json, report);
	put_metadata(&json, &report->info.metadata);
	put_components(&json, report);
	xc_cli_json_end_object(&json);
}
