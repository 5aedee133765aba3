/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/info.h"

#include "cli/base/json.h"
#include "cli/base/settings.h"

#include <stdio.h>

static void put_picture(xc_cli_json *json, const xc_cli_info_report *r)
{
	const xc_info *info = &r->info;

	xc_cli_json_text(json, "file", r->name);
	xc_cli_json_integer(json, "version", info->version);
	xc_cli_json_integer(json, "width", info->width);
	xc_cli_json_integer(json, "height", info->height);
	xc_cli_json_integer(json, "channels", info->channels);
	xc_cli_json_integer(json, "depth", info->depth);
	xc_cli_json_text(json, "transform", xc_cli_transform_name(info->transform));
	xc_cli_json_integer(json, "quality", (uint64_t)info->quality);
	xc_cli_json_text(json, "subsampling", xc_cli_subsampling_name(info->subsampling));
	xc_cli_json_text(json, "huffman", xc_cli_huffman_name(info->huffman));
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

static void put_metadata(xc_cli_json *json, const xc_metadata *m)
{
	xc_cli_json_object(json, "metadata");
	xc_cli_json_integer(json, "icc_bytes", m->icc.data ? m->icc.size : 0);
	xc_cli_json_integer(json, "exif_bytes", m->exif.data ? m->exif.size : 0);
	xc_cli_json_integer(json, "xmp_bytes", m->xmp.data ? m->xmp.size : 0);
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
		xc_cli_json_text(json, "name", xc_cli_component_name(c));
		if (r->has_usage) {
			xc_cli_json_integer(json, "dc_bits", u->dc_bits[c]);
			xc_cli_json_integer(json, "ac_bits", u->ac_bits[c]);
			xc_cli_json_integer(json, "blocks", u->blocks[c]);
			xc_cli_json_integer(json, "nonzero", u->nonzero[c]);
		}
		put_steps(json, r->info.quant[c]);
		xc_cli_json_end_object(json);
	}
	xc_cli_json_end_array(json);
	if (r->has_usage)
		xc_cli_json_integer(json, "padding_bits", u->padding_bits);
	else
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
