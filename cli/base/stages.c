/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/stages.h"

#include "cli/base/report.h"
#include "cli/base/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(xc_cli_stages *stages, const char *name, double wall, double cpu)
{
	size_t i = 0;

	while (i < stages->count && strcmp(stages->stage[i].stage, name) != 0)
		i++;
	if (i < stages->count) {
		stages->stage[i].wall += wall;
		stages->stage[i].cpu += cpu;
	} else if (stages->count < sizeof stages->stage / sizeof *stages->stage)
		stages->stage[stages->count++] = (xc_timing){name, wall, cpu};
}

/* The clock of the process is a system call. */
void xc_cli_stages_start(xc_cli_stages *stages, int wanted)
{
	stages->wanted = wanted;
	stages->count = 0;
	if (!wanted)
		return;
	stages->calls = (xc_cli_clock){0, 0, 0, 0};
	stages->begun = xc_cli_clock_now();
}

void xc_cli_stages_end(xc_cli_stages *stages, const char *name)
{
	if (!stages->wanted)
		return;
	const xc_cli_clock taken = xc_cli_clock_since(stages->begun);

	add(stages, name, taken.wall, taken.cpu);
	stages->begun = xc_cli_clock_now();
}

void xc_cli_stages_end_call(xc_cli_stages *stages)
{
	if (!stages->wanted)
		return;
	const xc_cli_clock taken = xc_cli_clock_since(stages->begun);

	stages->calls.wall += taken.wall;
	stages->calls.cpu += taken.cpu;
	stages->begun = xc_cli_clock_now();
}

void xc_cli_stages_end_library(xc_cli_stages *stages, const xc_context *context)
{
	xc_cli_clock rest = xc_cli_clock_since(stages->begun);
	const xc_timing *timing;
	size_t count = xc_context_timings(context, &timing);

	for (size_t i = 0; i < count; i++) {
		add(stages, timing[i].stage, timing[i].wall, timing[i].cpu);
		rest.wall -= timing[i].wall;
		rest.cpu -= timing[i].cpu;
	}
	rest.wall += stages->calls.wall;
	rest.cpu += stages->calls.cpu;
	add(stages, "other", rest.wall > 0 ? rest.wall : 0, rest.cpu > 0 ? rest.cpu : 0);
	stages->begun = xc_cli_clock_now();
}

void xc_cli_stages_print(const xc_cli_stages *stages)
{
	int width = (int)strlen("stage");
	double wall = 0, cpu = 0;

	for (size_t i = 0; i < stages->count; i++) {
		int length = (int)strlen(stages->stage[i].stage);

		width = length > width ? length : width;
		wall += stages->stage[i].wall;
		cpu += stages->stage[i].cpu;
	}
	fprintf(stderr, "  %-*s   wall ms    cpu ms\n", width, "stage");
	for (size_t i = 0; i < stages->count; i++)
		fprintf(stderr, "  %-*s %9.2f %9.2f\n", width, stages->stage[i].stage,
		        1e3 * stages->stage[i].wall, 1e3 * stages->stage[i].cpu);
	fprintf(stderr, "  %-*s %9.2f %9.2f\n", width, "total", 1e3 * wall, 1e3 * cpu);
}

void xc_cli_print_sizes(const char *path, const xc_picture *picture, uint64_t file_bytes,
                        const xc_context *context)
{
	double pixels = (double)picture->width * picture->height;
	double raw = pixels * picture->channels * picture->depth / 8;
	double bytes = (double)file_bytes;
	char name[XC_CLI_SHOWN];

	xc_cli_escape(name, sizeof name, path);
	/* One call, so that the lines of files side by side do not mix. */
	xc_cli_say("%s: %u x %u %s, %u bits a sample\n"
	           "  %.0f bytes raw, %.0f bytes coded, ratio %.2f, %.3f bits per pixel\n"
	           "  by %s\n",
	           name, picture->width, picture->height,
	           xc_cli_name(XC_CLI_CHANNELS, picture->channels), picture->depth, raw, bytes,
	           raw / bytes, 8 * bytes / pixels, xc_context_device(context));
}

int xc_cli_summary_begin(xc_cli_summary *s, const char *input, const char *output, const char *kind)
{
	FILE *file;

	*s = (xc_cli_summary){.text = NULL};
	file = open_memstream(&s->text, &s->size);
	if (!file)
		return xc_cli_error(NULL, "out of memory");
	xc_cli_json_start(&s->json, file);
	xc_cli_json_object(&s->json, NULL);
	xc_cli_json_path(&s->json, "input", input);
	xc_cli_json_path(&s->json, "output", output);
	if (kind)
		xc_cli_json_text(&s->json, "kind", kind);
	return 0;
}

char *xc_cli_summary_end(xc_cli_summary *s)
{
	xc_cli_json_end_object(&s->json);
	if (!fclose(s->json.file))
		return s->text;
	free(s->text);
	xc_cli_error(NULL, "out of memory");
	return NULL;
}

char *xc_cli_summary_deleted(char *text, const char *kept)
{
	size_t size = (size_t)(strrchr(text, '}') - text);

	while (size && (text[size - 1] == '\n' || text[size - 1] == ' '))
		size--;
	char *longer = xc_cli_text(NULL, "%.*s,\n  \"deleted\": %s%s%s%s\n}\n", (int)size, text,
	                           kept ? "false" : "true", kept ? ",\n  \"kept_because\": \"" : "",
	                           kept ? kept : "", kept ? "\"" : "");
	free(text);
	return longer;
}

void xc_cli_summary_sizes(xc_cli_json *json, const xc_picture *p, uint64_t file_bytes)
{
	const double pixels = (double)p->width * p->height;

	xc_cli_json_integer(json, "width", p->width);
	xc_cli_json_integer(json, "height", p->height);
	xc_cli_json_integer(json, "channels", p->channels);
	xc_cli_json_integer(json, "depth", p->depth);
	xc_cli_json_integer(json, "bytes", file_bytes);
	xc_cli_json_number(json, "bits_per_pixel", 8 * (double)file_bytes / pixels);
}

void xc_cli_summary_stages(xc_cli_json *json, const xc_cli_stages *stages)
{
	xc_cli_json_array(json, "stages");
	for (size_t i = 0; i < stages->count; i++) {
		xc_cli_json_inline_object(json, NULL);
		xc_cli_json_text(json, "stage", stages->stage[i].stage);
		xc_cli_json_number(json, "wall_ms", 1e3 * stages->stage[i].wall);
		xc_cli_json_number(json, "cpu_ms", 1e3 * stages->stage[i].cpu);
		xc_cli_json_end_object(json);
	}
	xc_cli_json_end_array(json);
}

void xc_cli_summaries_print(char **texts, int count)
{
	int printed = 0;

	for (int i = 0; i < count; i++) {
		if (texts[i])
			xc_cli_summary_print(texts[i], printed++);
		free(texts[i]);
	}
	xc_cli_summaries_end(printed);
}

void xc_cli_summary_print(const char *text, int before)
{
	printf("%s%s", before ? ",\n" : "[\n", text);
}

void xc_cli_summaries_end(int count)
{
	puts(count ? "]" : "[\n]");
}
