/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec info of arrays: what cli/info.c calls for files that hold one. All bytes are read, since
 * checksums are to be held against them. */
#include "cli/array.h"

#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the chunks of a file are, together, in bytes. */
typedef struct report {
	const char *file;
	xc_array_info info;
	double ratio;
	uint64_t damaged, predicted; /* chunks */
	uint64_t models, kinds, exceptions, residues;
	xc_array_segment *segments; /* NULL: they are not listed */
	int bits;
	const char *undecodable; /* why bits cannot be told; NULL: they can */
} report;

enum { TITLE = 14 };

static uint64_t rest_of(const report *r)
{
	return r->info.file_size - r->models - r->kinds - r->exceptions - r->residues;
}

static void print_box(const xc_array_segment *s, int dimensions)
{
	for (int k = 0; k < dimensions; k++)
		printf("%s%llu:%llu", k ? "," : "  ", (unsigned long long)s->box.first[k],
		       (unsigned long long)(s->box.first[k] + s->box.size[k]));
}

static void print_chunks(const report *r)
{
	const struct {
		const char *name;
		uint64_t bytes;
	} parts[] = {{"models", r->models},
	             {"kinds", r->kinds},
	             {"exceptions", r->exceptions},
	             {"residues", r->residues},
	             {"the rest", rest_of(r)}};

	if (r->undecodable)
		printf("\n%-*scannot be decoded: %s\n", TITLE, "Bits", r->undecodable);
	else if (r->bits)
		printf("\n%-*s        bits   share\n", TITLE, "Part");
	for (int i = 0; r->bits && !r->undecodable && i < 5; i++)
		printf("%-*s%12llu %6.2f%%\n", TITLE, parts[i].name, 8 * (unsigned long long)parts[i].bytes,
		       100 * (double)parts[i].bytes / (double)r->info.file_size);
	if (r->segments)
		printf("\n%-*s      offset       bytes  values\n", TITLE, "Segment");
	for (uint64_t i = 0; r->segments && i < r->info.chunks; i++) {
		const xc_array_segment *s = &r->segments[i];
		printf("%-*llu%12llu%12llu", TITLE, (unsigned long long)i, (unsigned long long)s->offset,
		       (unsigned long long)s->size);
		print_box(s, r->info.shape.dimensions);
		puts(s->intact ? "" : "  DAMAGED");
	}
}

static void print_text(const report *r)
{
	const xc_array_info *i = &r->info;
	char name[XC_CLI_SHOWN], text[XC_CLI_ARRAY_SHAPE];

	xc_cli_escape(name, sizeof name, r->file);
	printf("%-*s%s\n", TITLE, "File", name);
	xc_cli_array_describe(&i->shape, text);
	printf("%-*s%s\n", TITLE, "Array", text);
	xc_cli_array_bound(i->kind, i->bound, text);
	printf("%-*s%s", TITLE, "Bound", text);
	if (i->kind == XC_BOUND_POINTWISE)
		printf(", no value is off by more than that times itself\n");
	else if (i->kind != XC_BOUND_LOSSLESS)
		printf(", no value is off by more than %.9g\n", i->error);
	else
		putchar('\n');
	if (i->way == XC_ARRAY_PREDICTION)
		printf("%-*sprediction\n", TITLE, "Coding");
	else
		printf("%-*stransform %s, corrections", TITLE, "Coding", xc_cli_array_way_name(i->way));
	if (r->predicted)
		printf("; %llu of %llu chunk%s predicted", (unsigned long long)r->predicted,
		       (unsigned long long)i->chunks, xc_s(i->chunks));
	if (i->way != XC_ARRAY_PREDICTION)
		putchar('\n');
	printf("%-*sfull\n", TITLE, "Profile");
	printf("%-*s%llu bytes, %.3f bits a value, ratio %.2f\n", TITLE, "Size",
	       (unsigned long long)i->file_size,
	       8 * (double)i->file_size / (double)xc_cli_array_count(&i->shape), r->ratio);
	printf("%-*s%llu of %u x %u x %u values", TITLE, "Chunks", (unsigned long long)i->chunks,
	       i->chunk[0], i->chunk[1], i->chunk[2]);
	if (r->damaged)
		printf(", %llu DAMAGED", (unsigned long long)r->damaged);
	printf("\n%-*s%llu bytes\n", TITLE, "Attached", (unsigned long long)i->attached);
	print_chunks(r);
}

static void put_numbers(xc_cli_json *json, const char *key, const uint64_t *v, int count)
{
	xc_cli_json_inline_array(json, key);
	for (int k = 0; k < count; k++)
		xc_cli_json_integer(json, NULL, v[k]);
	xc_cli_json_end_array(json);
}

static void put_chunks(xc_cli_json *json, const report *r)
{
	if (r->undecodable) {
		xc_cli_json_text(json, "bits_unknown", r->undecodable);
	} else if (r->bits) {
		xc_cli_json_object(json, "bits");
		xc_cli_json_integer(json, "models", 8 * r->models);
		xc_cli_json_integer(json, "kinds", 8 * r->kinds);
		xc_cli_json_integer(json, "exceptions", 8 * r->exceptions);
		xc_cli_json_integer(json, "residues", 8 * r->residues);
		xc_cli_json_integer(json, "rest", 8 * rest_of(r));
		xc_cli_json_end_object(json);
	}
	xc_cli_json_object(json, "segments");
	xc_cli_json_integer(json, "count", r->info.chunks);
	xc_cli_json_integer(json, "predicted", r->predicted);
	if (r->segments)
		xc_cli_json_array(json, "list");
	for (uint64_t i = 0; r->segments && i < r->info.chunks; i++) {
		const xc_array_segment *s = &r->segments[i];
		xc_cli_json_inline_object(json, NULL);
		xc_cli_json_integer(json, "offset", s->offset);
		xc_cli_json_integer(json, "bytes", s->size);
		put_numbers(json, "first", s->box.first, r->info.shape.dimensions);
		put_numbers(json, "size", s->box.size, r->info.shape.dimensions);
		xc_cli_json_boolean(json, "intact", s->intact);
		xc_cli_json_end_object(json);
	}
	if (r->segments)
		xc_cli_json_end_array(json);
	xc_cli_json_end_object(json);
}

static void print_json(const report *r)
{
	const xc_array_info *i = &r->info;
	xc_cli_json json;

	xc_cli_json_start(&json, stdout);
	xc_cli_json_object(&json, NULL);
	xc_cli_json_path(&json, "file", r->file);
	xc_cli_json_text(&json, "kind", "array");
	xc_cli_json_text(&json, "profile", "full");
	xc_cli_json_integer(&json, "bytes", i->file_size);
	xc_cli_json_integer(&json, "damaged_segments", r->damaged);
	xc_cli_array_put(&json, &i->shape);
	xc_cli_json_text(&json, "bound_kind", xc_cli_array_bound_name(i->kind));
	xc_cli_json_number(&json, "bound", i->bound);
	if (i->kind == XC_BOUND_POINTWISE)
		xc_cli_json_null(&json, "max_error");
	else
		xc_cli_json_number(&json, "max_error", i->error);
	xc_cli_json_text(&json, "coding", xc_cli_array_way_name(i->way));
	xc_cli_json_inline_array(&json, "chunk");
	for (int k = 0; k < 3; k++)
		xc_cli_json_integer(&json, NULL, i->chunk[k]);
	xc_cli_json_end_array(&json);
	xc_cli_json_integer(&json, "attached_bytes", i->attached);
	xc_cli_json_number(&json, "ratio", r->ratio);
	put_chunks(&json, r);
	xc_cli_json_end_object(&json);
}

/* Reads all chunks: 0, or -1 after reporting why not. */
static int look_at_chunks(xc_context *context, xc_cli_input *in, xc_array_reader *reader, report *r)
{
	xc_array_segment s;

	for (uint64_t i = 0; i < r->info.chunks; i++) {
		if (xc_cli_array_reader_check(in, context, xc_array_next_segment(reader, &s)))
			return -1;
		if (r->segments)
			r->segments[i] = s;
		r->damaged += !s.intact;
		r->models += s.model;
		r->kinds += s.kinds;
		r->exceptions += s.exceptions;
		r->residues += s.residues;
	}
	return 0;
}

int xc_cli_array_info(xc_context *context, xc_cli_input *in, const xc_cli_array_teller *teller)
{
	report r = {.file = in->name, .bits = teller->bits};
	xc_array_reader *reader;
	uint8_t *memory;
	size_t size;
	char why[XC_CLI_SHOWN];
	int failed = xc_cli_array_reader(in, context, NULL, &memory, &size, &reader);

	xc_array_reader_info(reader, &r.info);
	const uint64_t listed = r.info.chunks * sizeof *r.segments;
	if (!failed && teller->segments) {
		r.segments = xc_cli_array_memory(in->name, context, listed);
		failed = r.segments ? 0 : -1;
	}
	if (!failed)
		failed = look_at_chunks(context, in, reader, &r);
	if (!failed)
		failed = xc_cli_array_reader_check(in, context,
		                                   xc_array_reader_predicted(reader, &r.predicted));
	if (!failed) {
		const xc_status s = teller->bits ? xc_cli_array_read_all(context, reader) : XC_OK;
		if (xc_cli_array_reader_check(in, context, s)) {
			const char *message = xc_context_message(context);
			snprintf(why, sizeof why, "%s", *message ? message : xc_status_string(s));
			r.undecodable = why;
			failed = -1;
		}
		r.ratio = (double)xc_cli_array_bytes(&r.info.shape) / (double)r.info.file_size;
		fputs(teller->before, stdout);
		(teller->json ? print_json : print_text)(&r);
	}
	if (r.segments)
		xc_cli_forget(context, (uint8_t *)r.segments, (size_t)listed);
	xc_array_reader_free(reader);
	xc_cli_forget(context, memory, size);
	return failed;
}
