/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEGs to XC files and the same JPEGs again, for `xcodec encode`, `decode` and `info`. */
#include "cli/jpeg.h"

#include "cli/base/json.h"
#include "cli/base/report.h"
#include "cli/base/stages.h"
#include "cli/base/picture.h"
#include "cli/stream/spread.h"

#include "formats/formats.h"

#include <stdio.h>

static const xc_cli_choice fallbacks[] = {{"store", XC_JPEG_FALLBACK_STORE},
                                          {"refuse", XC_JPEG_FALLBACK_REFUSE},
                                          {NULL, 0}};

/* clang-format off */
const xc_cli_option xc_cli_jpeg_options[] = {
	XC_CLI_CHOICE_OPTION("jpeg-fallback", 0, 0, fallbacks,
		"what becomes of a JPEG that cannot be repacked: it is stored as it is (default), or refused"),
	{ .name = NULL }
};
/* clang-format on */

/* "4:2:0", or the factors of all components. */
static void sampling_of(const xc_jpeg_info *i, char text[20])
{
	static const struct {
		uint8_t h, v;
		const char *name;
	} known[] = {{1, 1, "4:4:4"}, {2, 1, "4:2:2"}, {2, 2, "4:2:0"},
	             {1, 2, "4:4:0"}, {4, 1, "4:1:1"}, {4, 2, "4:1:0"}};
	int others = 0;
	size_t n = 0;

	for (int c = 1; c < i->components; c++)
		others |= i->h[c] != 1 || i->v[c] != 1;
	for (size_t k = 0; i->components == 3 && !others && k < sizeof known / sizeof *known; k++)
		if (known[k].h == i->h[0] && known[k].v == i->v[0])
			n = (size_t)snprintf(text, 20, "%s", known[k].name);
	for (int c = 0; !n && c < i->components; c++)
		snprintf(text + 4 * c, 5, "%s%cx%c", c ? "," : "", '0' + i->h[c] % 10, '0' + i->v[c] % 10);
}

static void put_repacked(xc_cli_json *json, const xc_jpeg_info *i)
{
	char text[20];

	sampling_of(i, text);
	xc_cli_json_integer(json, "components", (uint64_t)i->components);
	xc_cli_json_text(json, "sampling", text);
	xc_cli_json_boolean(json, "progressive", i->progressive);
	xc_cli_json_integer(json, "quality", (uint64_t)i->quality);
	xc_cli_json_boolean(json, "cut_off", i->cut_off);
	xc_cli_json_boolean(json, "damaged", i->damaged);
	xc_cli_json_integer(json, "blocks", i->blocks);
	xc_cli_json_integer(json, "missing_blocks", i->missing_blocks);
	xc_cli_json_integer(json, "pictures", (uint64_t)i->pictures);
	xc_cli_json_integer(json, "description_bytes", i->described_size);
}

/* What the JPEG was before it was encoded, flaws included, is in an object of its own. */
void xc_cli_jpeg_put(xc_cli_json *json, const xc_jpeg_info *i)
{
	char text[2 * 32 + 1];

	xc_cli_json_integer(json, "bytes", i->file_size);
	if (!i->stored) {
		xc_cli_json_integer(json, "width", i->width);
		xc_cli_json_integer(json, "height", i->height);
		xc_cli_json_number(json, "bits_per_pixel",
		                   8.0 * (double)i->file_size / ((double)i->width * i->height));
	}
	xc_cli_json_object(json, "jpeg");
	xc_cli_json_text(json, "coding", i->stored ? "stored" : "repacked");
	if (i->why)
		xc_cli_json_text(json, "reason", i->why);
	xc_cli_json_integer(json, "bytes", i->jpeg_size);
	for (int n = 0; n < 32; n++)
		snprintf(text + 2 * n, 3, "%02x", i->sha256[n]);
	xc_cli_json_text(json, "sha256", text);
	if (!i->stored)
		put_repacked(json, i);
	xc_cli_json_end_object(json);
}

/* What is between the input and the output; decoded: the input is an XC file, with damaged segments. */
typedef struct conversion {
	xc_jpeg_info info;
	xc_buffer out;
	int decoded;
	uint64_t damaged;
} conversion;

/* Says what was done, once the library is done: 0, or -1 after reporting why not. */
static int tell(const xc_cli_batch *batch, xc_cli_task *task, xc_cli_stages *stages,
                const conversion *to)
{
	const xc_jpeg_info *const i = &to->info;
	xc_cli_summary summary;

	task->pixels = (uint64_t)i->width * i->height;
	if (!xc_cli_batch_tells(batch))
		return 0;
	xc_cli_stages_end_library(stages, task->context);
	if (task->use)
		xc_cli_time_use_add(task->use, stages);
	if (batch->verbosity == XC_CLI_VERBOSE) {
		char name[XC_CLI_SHOWN];
		xc_cli_escape(name, sizeof name, task->in->name);
		xc_cli_say("%s: a JPEG of %llu bytes, %s in %llu: %.2f %%\n", name,
		           (unsigned long long)i->jpeg_size, i->stored ? "stored" : "repacked",
		           (unsigned long long)i->file_size,
		           100 * (double)i->file_size / (double)i->jpeg_size);
		if (!xc_cli_batch_is_stream(batch))
			xc_cli_stages_print(stages);
	}
	if (!batch->json)
		return 0;
	if (xc_cli_summary_begin(&summary, task->in->name, task->out->path, "jpeg"))
		return -1;
	xc_cli_jpeg_put(&summary.json, i);
	if (to->decoded) {
		xc_cli_json_integer(&summary.json, "output_bytes", task->out->written);
		xc_cli_json_integer(&summary.json, "damaged_segments", to->damaged);
	}
	xc_cli_summary_stages(&summary.json, stages);
	task->told = xc_cli_summary_end(&summary);
	return task->told ? 0 : -1;
}

/* option: --jpeg-fallback or --keep-going. */
typedef xc_status (*converter)(xc_context *context, const uint8_t *data, size_t size, int option,
                               conversion *to);

static xc_status encode(xc_context *c, const uint8_t *data, size_t size, int option, conversion *to)
{
	const xc_jpeg_options options = {.fallback = (xc_jpeg_fallback)option};

	return xc_jpeg_encode(c, data, size, &options, &to->info, &to->out);
}

static xc_status decode(xc_context *c, const uint8_t *data, size_t size, int option, conversion *to)
{
	const xc_status s = xc_jpeg_read_info(c, data, size, &to->info);

	if (option && (!s || s == XC_ERR_CORRUPT || s == XC_ERR_TRUNCATED))
		return xc_jpeg_rescue(c, data, size, &to->out, &to->damaged);
	return s ? s : xc_jpeg_decode(c, data, size, &to->out);
}

static void tell_damage(const char *name, const conversion *to, const char *message)
{
	if (to->damaged && to->info.segments)
		xc_cli_warning(name,
		               "%llu of %llu segment%s damaged and left %s, and the JPEG is made anew: %s",
		               (unsigned long long)to->damaged, (unsigned long long)to->info.segments,
		               xc_s(to->info.segments), to->info.later_damaged ? "grey or out" : "grey",
		               message);
	else if (to->damaged)
		xc_cli_warning(name, "the JPEG is not the one that was encoded: %s", message);
	else if (*message)
		xc_cli_warning(name, "%s", message);
}

/* Nothing is written before all is known to be right. */
static int convert(converter how, int option, const xc_cli_batch *batch, xc_cli_task *task)
{
	xc_context *c = task->context;
	xc_cli_stages stages;
	conversion to = {.decoded = how == decode};
	const xc_jpeg_info *const info = &to.info;
	uint8_t *data;
	size_t size;

	xc_cli_stages_start(&stages, xc_cli_batch_tells(batch));
	if (xc_cli_input_read_all(task->in, c, &data, &size))
		return -1;
	xc_cli_stages_end(&stages, "read file");
	const xc_status s = how(c, data, size, option, &to);
	int failed = xc_cli_check(task->in->name, c, s);
	xc_cli_stages_end_call(&stages);
	if (s == XC_ERR_UNSUPPORTED && how == encode)
		task->became = XC_CLI_REFUSED;
	else if (how == encode)
		task->became = info->stored ? XC_CLI_STORED : XC_CLI_REPACKED;
	if (!failed && info->why && !batch->json)
		xc_cli_warning(task->in->name, "the JPEG is stored as it is: %s", info->why);
	if (!failed && how == encode)
		task->flawed = xc_cli_warn_of_jpeg(task->in->name, info);
	if (!failed && how == decode)
		tell_damage(task->in->name, &to, xc_context_message(c));
	failed = failed ? failed : xc_cli_output_write(task->out, to.out.data, to.out.size) ? -1 : 0;
	if (xc_cli_output_end(task->out, !failed))
		failed = -1;
	xc_cli_stages_end(&stages, "write file");
	if (!failed)
		failed = tell(batch, task, &stages, &to);
	xc_buffer_free(c, &to.out);
	xc_cli_forget(c, data, size);
	return failed ? failed : to.damaged ? XC_CLI_DAMAGED : 0;
}

int xc_cli_jpeg_upright(const xc_cli_limits *l, xc_cli_task *task, int *failed)
{
	xc_file_limits limits = xc_cli_file_limits(l, task->context);
	char message[XC_FILE_MESSAGE];
	xc_row_reader *reader;
	xc_cli_input in;

	*failed = xc_cli_input_load(task->in, task->context);
	if (*failed)
		return 1;
	xc_cli_input_memory(&in, task->in->name, task->context, task->in->memory,
	                    task->in->memory_size);
	const xc_byte_source source = {xc_cli_input_read, &in};
	const int upright = !xc_rows_open(&source, &limits, &reader, message) &&
	                    xc_exif_orientation(&reader->metadata.exif) == 1;
	xc_rows_close(reader);
	return upright;
}

int xc_cli_jpeg_encode(int fallback, const xc_cli_batch *batch, xc_cli_task *task)
{
	return convert(encode, fallback, batch, task);
}

int xc_cli_jpeg_decode(int keep_going, const xc_cli_batch *batch, xc_cli_task *task)
{
	return convert(decode, keep_going, batch, task);
}

void xc_cli_jpeg_print(const char *name, const xc_jpeg_info *i)
{
	char text[XC_CLI_SHOWN];

	xc_cli_escape(text, sizeof text, name);
	printf("File          %s\n", text);
	printf("JPEG          %s: %llu bytes of %llu, %.2f %%\n",
	       i->stored ? "stored as it is" : "repacked", (unsigned long long)i->file_size,
	       (unsigned long long)i->jpeg_size, 100 * (double)i->file_size / (double)i->jpeg_size);
	printf("SHA-256       ");
	for (int n = 0; n < 32; n++)
		printf("%02x", i->sha256[n]);
	puts("\nProfile       full");
	if (i->stored)
		return;
	sampling_of(i, text);
	printf("Picture       %u x %u, %d component%s, %s, %s\n", i->width, i->height, i->components,
	       xc_s((unsigned)i->components), text, i->progressive ? "progressive" : "sequential");
	printf("Quality       about %d\n", i->quality);
	if (i->missing_blocks)
		printf("State         %s: %llu of %llu blocks are missing\n",
		       i->cut_off ? "CUT OFF" : "DAMAGED", (unsigned long long)i->missing_blocks,
		       (unsigned long long)i->blocks);
	else if (i->cut_off || i->damaged)
		printf("State         %s: %s\n", i->cut_off ? "CUT OFF" : "DAMAGED", xc_cli_jpeg_flaw(i));
	printf("Coding        %d picture%s, %llu segment%s, description of %llu bytes", i->pictures,
	       xc_s((unsigned)i->pictures), (unsigned long long)i->segments, xc_s(i->segments),
	       (unsigned long long)i->described_size);
	if (i->later_damaged)
		printf(", %llu segment%s after the first picture DAMAGED",
		       (unsigned long long)i->later_damaged, xc_s(i->later_damaged));
	putchar('\n');
}
