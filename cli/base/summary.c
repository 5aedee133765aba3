/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/summary.h"

#include "cli/base/report.h"
#include "cli/base/settings.h"

#include <stdlib.h>

int xc_cli_summary_begin(xc_cli_summary *s)
{
	FILE *file;

	*s = (xc_cli_summary){.text = NULL};
	file = open_memstream(&s->text, &s->size);
	if (!file)
		return xc_cli_error(NULL, "out of memory");
	xc_cli_json_start(&s->json, file);
	xc_cli_json_object(&s->json, NULL);
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

void xc_cli_summaries_print(char **texts, int count, int array)
{
	const char *before = "";

	if (array)
		puts("[");
	for (int i = 0; i < count; i++) {
		if (!texts[i])
			continue;
		printf("%s%s", before, texts[i]);
		before = ",\n";
		free(texts[i]);
	}
	if (array)
		puts("]");
}
