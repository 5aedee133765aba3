/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec info: what a file says about itself, and where its bits went. */

#include "cli/array.h"
#include "cli/devices.h"
#include "cli/jpeg.h"
#include "cli/base/command.h"
#include "cli/base/io.h"
#include "cli/base/json.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"
#include "cli/base/sandbox.h"
#include "cli/base/settings.h"

#include "cli/stream/items.h"

#include "formats/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcodec.h>

typedef struct info_part {
	const char *name; /* "header" */
	uint64_t bytes;
} info_part;
enum { PARTS = 6 };

typedef struct info_report {
	const char *name; /* of the file */
	xc_info info;
	double bits_per_pixel, ratio; /* ratio: raw size over file size */
	/* The parts that add up to the size of the file, without bytes after its end; of a truncated
	 * file, what it has of them. */
	info_part parts[PARTS];
	/* Bytes of a segment; all zero without segments. */
	uint64_t smallest, largest;
	double mean;
	uint64_t damaged;          /* segments */
	xc_segment_info *segments; /* all of them */
	uint64_t charged;          /* bytes of these */
	int list_segments;         /* as the user asked */
	int wants_usage;           /* as the user asked */
	int has_usage;             /* 0: the entropy layer was not decoded, or cannot be */
	const xc_jpeg_info *jpeg;  /* that is kept; NULL: the file is a picture of ours */
	char usage_message[256];   /* why not */
	xc_bit_usage usage;
} info_report;

/* ---------------------------------------------------------------------- text */

enum { TITLE = 14 }; /* the column after the titles */

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

static const char *profile_name(const xc_info *info)
{
	return info->profile == XC_PROFILE_BASELINE ? "baseline" : "main";
}

/* The end of the line. */
static void print_version(const xc_info *info)
{
	printf(", format version %u, profile %s\n", info->version, profile_name(info));
}

static void print_coding(const xc_info *info)
{
	if (info->lossless) {
		printf("%-*swithout loss", TITLE, "Coding");
		if (info->max_error)
			printf(" but for errors of up to %u", info->max_error);
		if (info->metadata.palette.data)
			printf(", palette of %zu colours (%u bits in the original)",
			       info->metadata.palette.size / 4, info->metadata.palette_bits);
		print_version(info);
		return;
	}
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
	print_version(info);
}

static void print_picture(const info_report *r)
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

static void print_segments_summary(const info_report *r)
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

/* Prints the descriptions of colour, divided by commas.  *divider is "" before the first. */
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
	if (xc_exif_orientation(&m->exif) > 1) {
		printf("%sorientation %d", divider, xc_exif_orientation(&m->exif));
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

static void print_budget(const info_report *r)
{
	const uint64_t whole = r->info.file_bytes;

	printf("\n%-*s       bytes   share\n", TITLE, "Part");
	for (const info_part *p = r->parts; p < r->parts + PARTS; p++)
		if (p->bytes)
			printf("%-*s%12llu %6.2f%%\n", TITLE, p->name, (unsigned long long)p->bytes,
			       percent(p->bytes, whole));
	printf("%-*s%12llu %6.2f%%\n", TITLE, "total", (unsigned long long)whole, 100.0);
}

static void print_usage(const info_report *r)
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

static void print_segment_list(const info_report *r)
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

/* A JPEG that is stored as it is has no segments. */
static void print_jpeg(const info_report *r)
{
	xc_cli_jpeg_print(r->name, r->jpeg);
	if (r->info.segments)
		print_segments_summary(r);
	print_metadata(&r->info.metadata);
	if (r->wants_usage)
		printf("%-*s%s\n", TITLE, "Bits", r->usage_message);
	if (r->list_segments && r->info.segments)
		print_segment_list(r);
	else if (r->list_segments)
		printf("%-*snone that can be listed: %s\n", TITLE, "Segments",
		       r->jpeg->stored ? "the JPEG is stored as it is"
		                       : "its pixels are libjpeg's to decode");
}

static void print_text(const info_report *report)
{
	if (report->jpeg) {
		print_jpeg(report);
		return;
	}
	print_picture(report);
	print_segments_summary(report);
	print_metadata(&report->info.metadata);
	print_budget(report);
	print_usage(report);
	if (!report->info.lossless)
		print_matrices(&report->info);
	if (report->list_segments)
		print_segment_list(report);
}

/* ---------------------------------------------------------------------- JSON */

/* What files of every kind have, arrays too, comes first. */
static void put_file(xc_cli_json *json, const info_report *r)
{
	xc_cli_json_path(json, "file", r->name);
	xc_cli_json_text(json, "kind", r->jpeg ? "jpeg" : "picture");
	xc_cli_json_text(json, "profile", r->jpeg ? "full" : profile_name(&r->info));
	if (!r->jpeg)
		xc_cli_json_integer(json, "bytes", r->info.file_bytes);
	xc_cli_json_integer(json, "damaged_segments",
	                    r->damaged + (r->jpeg ? r->jpeg->later_damaged : 0));
}

static void put_picture(xc_cli_json *json, const info_report *r)
{
	const xc_info *info = &r->info;
	const int lossy = !info->lossless;

	xc_cli_json_integer(json, "version", info->version);
	xc_cli_json_integer(json, "width", info->width);
	xc_cli_json_integer(json, "height", info->height);
	xc_cli_json_integer(json, "channels", info->channels);
	xc_cli_json_integer(json, "depth", info->depth);
	xc_cli_json_boolean(json, "lossless", info->lossless);
	xc_cli_json_integer(json, "max_error", info->max_error);
	xc_cli_json_integer(json, "palette_colours", info->metadata.palette.size / 4);
	xc_cli_json_integer(json, "palette_bits", info->metadata.palette_bits);
	xc_cli_json_text(json, "transform",
	                 lossy ? xc_cli_name(XC_CLI_TRANSFORM, info->transform) : NULL);
	xc_cli_json_number(json, "quality", lossy ? info->quality : NAN);
	xc_cli_json_text(json, "subsampling",
	                 lossy ? xc_cli_name(XC_CLI_SUBSAMPLING, info->subsampling) : NULL);
	xc_cli_json_text(json, "colour",
	                 info->components == 1 ? "grey" : xc_cli_name(XC_CLI_COLOUR, info->colour));
	xc_cli_json_text(json, "entropy", xc_cli_name(XC_CLI_ENTROPY, info->entropy));
	xc_cli_json_text(json, "huffman",
	                 info->entropy == XC_ENTROPY_HUFFMAN
	                     ? xc_cli_name(XC_CLI_HUFFMAN, info->huffman)
	                     : NULL);
	xc_cli_json_integer(json, "huffman_tables", info->huffman_tables);
	xc_cli_json_number(json, "bits_per_pixel", r->bits_per_pixel);
	xc_cli_json_number(json, "ratio", r->ratio);
}

/* They add up to "bytes". */
static void put_parts(xc_cli_json *json, const info_report *r)
{
	xc_cli_json_object(json, "parts");
	for (int i = 0; i < PARTS; i++)
		xc_cli_json_integer(json, r->parts[i].name, r->parts[i].bytes);
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
	xc_cli_json_integer(json, "orientation", (uint64_t)xc_exif_orientation(&m->exif));
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

static void put_segments(xc_cli_json *json, const info_report *r)
{
	xc_cli_json_object(json, "segments");
	xc_cli_json_integer(json, "count", r->info.segments);
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

static void put_components(xc_cli_json *json, const info_report *r)
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
		if (!r->info.lossless)
			put_steps(json, r->info.quant[c]);
		xc_cli_json_end_object(json);
	}
	xc_cli_json_end_array(json);
	if (r->has_usage)
		xc_cli_json_integer(json, "padding_bits", u->padding_bits);
	else if (r->wants_usage)
		xc_cli_json_text(json, "bits_unknown", r->usage_message);
}

static void print_json(const info_report *report)
{
	xc_cli_json json;

	xc_cli_json_start(&json, stdout);
	xc_cli_json_object(&json, NULL);
	put_file(&json, report);
	if (report->jpeg) {
		xc_cli_jpeg_put(&json, report->jpeg);
		put_segments(&json, report);
		put_metadata(&json, &report->info.metadata);
		if (report->wants_usage)
			xc_cli_json_text(&json, "bits_unknown", report->usage_message);
		xc_cli_json_end_object(&json);
		return;
	}
	put_picture(&json, report);
	put_parts(&json, report);
	put_segments(&json, report);
	put_metadata(&json, &report->info.metadata);
	put_components(&json, report);
	xc_cli_json_end_object(&json);
}

typedef struct settings {
	int json, list_segments, devices, bits, no_sandbox;
	int recursive, null;
	const char *list;
	xc_cli_globs excluded;
	int shown; /* files so far */
	xc_cli_limits limits;
} settings;

#define IN(field) offsetof(settings, field)

/* clang-format off */
static const xc_cli_option options[] = {
	XC_CLI_FLAG_OPTION("segments", 0, IN(list_segments), 1,
		"list every segment: its place in the file and in the picture"),
	XC_CLI_FLAG_OPTION("bits", 0, IN(bits), 1, "say what the bits of the segments tell, which decodes them all"),
	XC_CLI_FLAG_OPTION("devices", 0, IN(devices), 1,
		"list the GPUs instead, and why one that is there cannot be used"),
	XC_CLI_FLAG_OPTION("recursive", 'r', IN(recursive), 1, "a folder stands for the files named .xc below it"),
	XC_CLI_TEXT_OPTION("list", 0, IN(list), "FILE",
		"more inputs from FILE, one a line; \"-\" is standard input"),
	XC_CLI_FLAG_OPTION("null", '0', IN(null), 1, "with --list: a zero byte ends a path, as of \"find -print0\""),
	XC_CLI_CUSTOM_OPTION("exclude", 0, IN(excluded), xc_cli_globs_parse, "GLOB",
		"leave out files whose name matches; may be given several times"),
	{ .name = NULL }
};
/* clang-format on */

/* The bytes of all segments, or of what a truncated file has of them. */
static uint64_t segment_bytes(const xc_info *info)
{
	const uint64_t others = info->header_bytes + info->table_bytes + info->index_bytes +
	                        info->alpha_bytes + info->metadata_bytes + info->extra_bytes;
	const uint64_t left = info->file_bytes > others ? info->file_bytes - others : 0;

	return info->segment_bytes < left ? info->segment_bytes : left;
}

static void work_out_sizes(info_report *r)
{
	const xc_info *info = &r->info;
	const double pixels = (double)info->width * info->height;
	const info_part parts[PARTS] = {
		{"header", info->header_bytes}, {"tables", info->table_bytes},
		{"index", info->index_bytes},   {"segments", segment_bytes(info)},
		{"alpha", info->alpha_bytes},   {"metadata", info->metadata_bytes},
	};

	r->bits_per_pixel = 8.0 * (double)info->file_bytes / pixels;
	r->ratio = pixels * info->channels * info->depth / 8 / (double)info->file_bytes;
	memcpy(r->parts, parts, sizeof parts);
}

static int look_at_segments(xc_context *context, const void *file, size_t size, info_report *r)
{
	uint64_t total = 0;

	const uint64_t bytes = r->info.segments * sizeof *r->segments;

	if (xc_cli_check(r->name, context, xc_context_charge(context, bytes)))
		return -1;
	r->charged = bytes;
	if (r->info.segments <= SIZE_MAX / sizeof *r->segments)
		r->segments = malloc((size_t)r->info.segments * sizeof *r->segments);
	if (!r->segments)
		return xc_cli_error(r->name, "out of memory");
	if (xc_cli_check(r->name, context,
	                 xc_read_segments(context, file, size, 0, r->info.segments, r->segments)))
		return -1;
	for (uint64_t i = 0; i < r->info.segments; i++) {
		const xc_segment_info *segment = &r->segments[i];

		if (i == 0 || segment->size < r->smallest)
			r->smallest = segment->size;
		if (segment->size > r->largest)
			r->largest = segment->size;
		r->damaged += !segment->intact + !segment->alpha_intact;
		total += segment->size;
	}
	if (r->info.segments)
		r->mean = (double)total / (double)r->info.segments;
	return 0;
}

/* Damage in the entropy layer does not keep the rest from being reported. Returns
 * -1 after an error. */
static int look_at_bits(xc_context *context, const void *file, size_t size, info_report *r)
{
	xc_status status = xc_read_bit_usage(context, file, size, &r->usage);
	const char *message = xc_context_message(context);

	r->has_usage = status == XC_OK;
	if (r->has_usage)
		return 0;
	snprintf(r->usage_message, sizeof r->usage_message, "%s",
	         *message ? message : xc_status_string(status));
	return xc_cli_error(r->name, "%s", r->usage_message);
}

static int look_at_jpeg(xc_context *context, const void *file, size_t size, info_report *r,
                        xc_jpeg_info *jpeg)
{
	r->jpeg = jpeg;
	snprintf(r->usage_message, sizeof r->usage_message,
	         "are not counted of a JPEG, whose coding is another one");
	if (xc_cli_check(r->name, context, xc_jpeg_read_info(context, file, size, jpeg)))
		return -1;
	if (*xc_context_message(context))
		xc_cli_warning(r->name, "%s", xc_context_message(context));
	const xc_status s = xc_read_info(context, file, size, &r->info);
	if (s && s != XC_ERR_UNSUPPORTED)
		return xc_cli_check(r->name, context, s);
	r->info.extra_bytes = 0; /* as was said */
	if (!r->info.segments)
		return 0;
	if (look_at_segments(context, file, size, r))
		return -1;
	r->info.tile_width = r->segments[0].width;
	r->info.tile_height = r->segments[0].height;
	return 0;
}

static int look_at_picture(xc_context *context, const void *file, size_t size, info_report *r)
{
	if (xc_cli_check(r->name, context, xc_read_info(context, file, size, &r->info)) ||
	    look_at_segments(context, file, size, r))
		return -1;
	work_out_sizes(r);
	return 0;
}

static int work_on_file(settings *s, xc_context *context, xc_cli_input *in)
{
	info_report report = {.name = in->name,
	                      .list_segments = s->list_segments,
	                      .wants_usage = s->bits};
	xc_jpeg_info jpeg;
	uint8_t *file;
	size_t size;

	if (xc_cli_probe_xc(in->name, in->first, in->size) ||
	    xc_cli_input_read_all(in, context, &file, &size))
		return -1;
	int failed = xc_jpeg_is(file, size) ? look_at_jpeg(context, file, size, &report, &jpeg)
	                                    : look_at_picture(context, file, size, &report);
	if (!failed) {
		if (s->bits && !report.jpeg)
			failed = look_at_bits(context, file, size, &report);
		if (report.info.extra_bytes)
			xc_cli_warning(report.name, "%llu byte%s too many after the end",
			               (unsigned long long)report.info.extra_bytes,
			               xc_s(report.info.extra_bytes));
		if (s->shown++)
			fputs(s->json ? ",\n" : "\n", stdout);
		(s->json ? print_json : print_text)(&report);
	}
	xc_context_refund(context, report.charged);
	free(report.segments);
	xc_cli_forget(context, file, size);
	return failed;
}

static int work(settings *s, xc_context *context, const char *path)
{
	xc_cli_input in;
	int failed;

	xc_cli_limit_memory(context, &s->limits, xc_cli_sizes(&path, 1), 1);
	if (xc_cli_input_open(&in, path))
		return -1;
	if (xc_array_is(in.first, in.size)) {
		const xc_cli_array_teller teller = {s->json, s->list_segments, s->bits,
		                                    !s->shown ? ""
		                                    : s->json ? ",\n"
		                                              : "\n"};
		failed = xc_cli_array_info(context, &in, &teller);
		s->shown += !failed || s->bits;
	} else {
		failed = work_on_file(s, context, &in);
	}
	xc_cli_input_close(&in);
	return failed;
}

static int takes(const void *user, const char *name)
{
	(void)user;
	return xc_file_format_by_path(name) == XC_FILE_XC;
}

/* One file after another; JSON is an array of all. A file that fails does
 * not stop the others. */
static int all_files(settings *s, xc_context *context, char **paths, int count)
{
	static const xc_cli_globs none;
	const xc_cli_inputs inputs = {.operands = paths,
	                              .count = count,
	                              .recursive = s->recursive,
	                              .no_pipes = 1,
	                              .list = s->list,
	                              .end = s->null ? '\0' : '\n',
	                              .takes = takes,
	                              .excluded = &s->excluded,
	                              .copied = &none};
	xc_cli_items *items = xc_cli_items_open(&inputs);
	xc_cli_item item;

	if (!items)
		return -1;
	if (s->json)
		fputs("[\n", stdout);
	int failed = 0;
	while (xc_cli_items_next(items, &item) == 1) {
		failed |= work(s, context, item.path);
		xc_cli_item_free(&item);
	}
	if (s->json)
		fputs("]\n", stdout);
	xc_cli_passed_tell(xc_cli_items_passed(items), "info", "passed over by name");
	failed |= xc_cli_items_failed(items) != 0;
	xc_cli_items_close(items);
	return failed;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {0};
	const xc_cli_group groups[] = {{"Options", xc_cli_json_options, &s.json},
	                               {NULL, options, &s},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, xc_cli_sandbox_options, &s.no_sandbox},
	                               {NULL, NULL, NULL}};
	int operands, status;

	xc_cli_limits_default(&s.limits);
	status = xc_cli_parse(self, groups, argc, argv, &operands);
	if (status >= 0)
		return status;
	if (s.null && !s.list)
		return xc_cli_misuse(self, "--null needs --list");
	if (s.devices ? operands || s.list : !operands && !s.list)
		return xc_cli_misuse(self,
		                     s.devices ? "--devices takes no file" : "too few arguments, wants IN");
	const xc_cli_sandbox allowed = {.off = s.no_sandbox || s.devices,
	                                .limits = &s.limits,
	                                .inputs = argv + 1,
	                                .count = operands,
	                                .also_read = s.list,
	                                .reads_all = s.list != NULL};
	if (xc_cli_sandbox_enter(&allowed))
		return XC_CLI_FAILED;
	xc_context *context = xc_cli_context(&s.limits);
	if (context)
		status = s.devices ? xc_cli_list_devices(context, s.json)
		                   : all_files(&s, context, argv + 1, operands);
	xc_context_free(context);
	return status ? XC_CLI_FAILED : XC_CLI_DONE;
}

const xc_cli_command xc_cli_info = {
	.name = "info",
	.operands = "[IN]... | --devices",
	.min_operands = 0,
	.max_operands = -1,
	.summary = "describe an XC file and where its bits went",
	.description =
		"Says everything about each XC file IN: picture or array, coding, quantization steps, "
		"segments, metadata, and what the bytes were spent on. \"-\" is standard "
		"input.",
	.run = run,
};
