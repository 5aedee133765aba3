/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/picture.h"

#include "formats/array/array.h"

#include "cli/base/io.h"
#include "cli/base/report.h"

#include <xcodec_jpeg.h>

#include "src/core/context.h"
#include "src/core/crc32c.h"

#include <string.h>

/* Bytes of a file that hardly needs more memory than any small one. */
enum { SMALL = 1 << 20 };

int xc_cli_probe_picture(const char *name, const uint8_t *start, size_t size)
{
	if (size == 0)
		return xc_cli_error(name, "the file is empty");
	if (xc_file_format_detect(start, size) != XC_FILE_UNKNOWN)
		return 0;
	char message[XC_FILE_MESSAGE];
	if (xc_file_foreign(start, size, message))
		return xc_cli_error(name, "%s", message);
	return xc_array_file_is(start, size, name)
	           ? xc_cli_error(name, "holds an array, not a picture")
	           : xc_cli_error(name, "not a picture that can be read (%s or XC)",
	                          xc_file_formats(XC_FORMATS_READABLE, ", ", message));
}

void xc_cli_format_choices(xc_cli_choice choices[XC_CLI_FORMAT_CHOICES], int writing)
{
	size_t n = 0;

	for (int i = 1; i < XC_FILE_FORMATS; i++) {
		const xc_format *f = xc_format_of((xc_file_format)i);
		const int known = writing ? f->writer != NULL : f->reader != NULL;

		for (int k = 0; k < XC_FORMAT_NAMES && f->names[k] && (known || i == XC_FILE_XC); k++)
			choices[n++] = (xc_cli_choice){f->names[k], i};
	}
	choices[n] = (xc_cli_choice){NULL, 0};
}

int xc_cli_check_format(const char *name, xc_file_format format, xc_file_format wanted)
{
	if (wanted == XC_FILE_UNKNOWN || format == wanted)
		return 0;
	return xc_cli_error(name, "is a %s file, not %s", xc_file_format_title(format),
	                    xc_file_format_title(wanted));
}

int xc_cli_probe_xc(const char *name, const uint8_t *start, size_t size)
{
	xc_file_format format = xc_file_format_detect(start, size);

	if (size == 0)
		return xc_cli_error(name, "the file is empty");
	if (format == XC_FILE_UNKNOWN)
		return xc_cli_error(name, "not an XC file");
	if (format != XC_FILE_XC)
		return xc_cli_error(name, "not an XC file, but %s", xc_file_format_title(format));
	return 0;
}

int xc_cli_read_xc(const char *path, xc_context *context, uint8_t **data, size_t *size)
{
	return xc_cli_read(path, context, xc_cli_probe_xc, data, size);
}

xc_file_limits xc_cli_file_limits(const xc_cli_limits *limits, xc_context *context)
{
	/* of an entry of a shard the context may have fewer pixels than the option says */
	return (xc_file_limits){.max_pixels = context->limits.max_pixels,
	                        .max_expansion = limits->bounds.max_expansion,
	                        .context = context};
}

const char *xc_cli_jpeg_flaw(const xc_jpeg_info *i)
{
	return i->cut_off ? "it has no end marker" : "bytes are left over after its codes";
}

int xc_cli_warn_of_jpeg(const char *name, const xc_jpeg_info *i)
{
	const char *what = i->cut_off ? "cut off" : "damaged";

	if (i->missing_blocks)
		xc_cli_warning(name, "the JPEG is %s: its scans lack %llu of %llu blocks", what,
		               (unsigned long long)i->missing_blocks, (unsigned long long)i->blocks);
	else if (i->cut_off || i->damaged)
		xc_cli_warning(name, "the JPEG is %s: %s", what, xc_cli_jpeg_flaw(i));
	return i->cut_off || i->damaged;
}

static int decode(const xc_cli_reader *reader, const char *name, xc_cli_picture *out)
{
	size_t size = (size_t)out->file_bytes;
	xc_decode_options options = {.keep_going = reader->keep_going, .scale = 1};
	char message[XC_FILE_MESSAGE] = "";
	xc_jpeg_info jpeg;
	xc_info info;

	if (xc_jpeg_is(out->coded, size) &&
	    !xc_jpeg_read_info(reader->context, out->coded, size, &jpeg))
		out->flawed = xc_cli_warn_of_jpeg(name, &jpeg);
	xc_status status = xc_read_info(reader->context, out->coded, size, &info);
	if (status == XC_OK) {
		/* what a kept JPEG has beside */
		snprintf(message, sizeof message, "%s", xc_context_message(reader->context));
		status = xc_decode(reader->context, out->coded, size, &options, &out->decoded);
	}
	if (xc_cli_check(name, reader->context, status))
		return -1;
	out->damaged = options.damaged_segments != 0;
	if (out->damaged)
		xc_cli_warning(name, "%llu segments damaged and left grey: %s",
		               (unsigned long long)options.damaged_segments,
		               xc_context_message(reader->context));
	out->picture = out->decoded;
	out->metadata = info.metadata;
	xc_file_drop_wrong(&out->metadata, out->picture.depth, message);
	if (*message && !reader->pixels_alone)
		xc_cli_warning(name, "%s", message);
	return 0;
}

/* kept: the file is a JPEG in an XC file, and the user has that alone. */
static int parse(const xc_cli_reader *reader, const char *name, int kept, const uint8_t *data,
                 size_t size, xc_cli_picture *out)
{
	char message[XC_FILE_MESSAGE] = "";
	const xc_file_watcher watcher = {xc_cli_progress_report, reader->progress};
	xc_file_limits limits = xc_cli_file_limits(reader->limits, reader->context);

	limits.keep_going = reader->keep_going;
	limits.pixels_alone = reader->pixels_alone;
	xc_status status = xc_file_read(data, size, &limits, reader->progress ? &watcher : NULL,
	                                &out->file, message);

	const size_t n = strlen(message);
	if (kept && status == XC_ERR_UNSUPPORTED)
		snprintf(message + n, sizeof message - n, ", which 'xcodec decode' to a .jpg gives");
	if (status != XC_OK)
		return xc_cli_status_error(name, status, message);
	if (*message && reader->told)
		*reader->told = 1;
	else if (*message && !(reader->pixels_alone && xc_file_tells_loss(message)))
		xc_cli_warning(name, "%s", message);
	out->damaged = out->file.damaged;
	out->picture = out->file.picture;
	out->metadata = out->file.metadata;
	return 0;
}

static void forget(const xc_cli_reader *reader, xc_cli_picture *out)
{
	xc_cli_forget(reader->context, out->coded, (size_t)out->file_bytes);
	out->coded = NULL;
}

static int parse_picture(const xc_cli_reader *reader, const char *name, xc_cli_picture *out)
{
	const int failed = parse(reader, name, 0, out->coded, (size_t)out->file_bytes, out);

	forget(reader, out);
	return failed;
}

/* The pixels of a JPEG in an XC file that only libjpeg can show. */
static int parse_kept(const xc_cli_reader *reader, const char *name, xc_cli_picture *out)
{
	xc_context *c = reader->context;
	const size_t size = (size_t)out->file_bytes;
	uint64_t damaged = 0;
	xc_buffer jpeg;

	if (xc_cli_check(name, c,
	                 reader->keep_going ? xc_jpeg_rescue(c, out->coded, size, &jpeg, &damaged)
	                                    : xc_jpeg_decode(c, out->coded, size, &jpeg)))
		return -1;
	if (*xc_context_message(c))
		xc_cli_warning(name, "%s", xc_context_message(c));
	forget(reader, out);
	const int failed = parse(reader, name, 1, jpeg.data, jpeg.size, out);
	out->damaged |= damaged != 0;
	xc_buffer_free(c, &jpeg);
	return failed;
}

static void end_stage(const xc_cli_reader *reader, const char *name)
{
	if (reader->stages)
		xc_cli_stages_end(reader->stages, name);
}

static int turn(const xc_cli_reader *reader, const char *name, xc_cli_picture *out)
{
	xc_turned *t = &out->turned;

	if (xc_cli_check(name, reader->context,
	                 xc_turn_begin(t, reader->context, &out->picture, &out->metadata)))
		return -1;
	if (t->picture.data) {
		xc_turn_rows(t, out->picture.data, out->picture.stride, out->picture.height);
		out->picture = t->picture;
		out->metadata = t->metadata;
	}
	return 0;
}

/* The file's bytes are there. */
static int unpack(const xc_cli_reader *reader, const char *name, xc_file_format wanted,
                  xc_cli_picture *out)
{
	xc_info info;
	int failed;

	out->format = xc_file_format_detect(out->coded, (size_t)out->file_bytes);
	out->checksum = xc_crc32c(0, out->coded, (size_t)out->file_bytes);
	end_stage(reader, "read file");
	if (xc_cli_check_format(name, out->format, wanted))
		failed = -1;
	else if (xc_jpeg_is(out->coded, (size_t)out->file_bytes) &&
	         xc_read_info(reader->context, out->coded, (size_t)out->file_bytes, &info) ==
	             XC_ERR_UNSUPPORTED)
		failed = parse_kept(reader, name, out);
	else
		failed = (out->format == XC_FILE_XC ? decode : parse_picture)(reader, name, out);
	if (!failed && reader->orient)
		failed = turn(reader, name, out);
	if (failed)
		xc_cli_picture_free(reader->context, out);
	else
		end_stage(reader, out->format == XC_FILE_XC ? "decode XC" : "unpack picture");
	return failed;
}

int xc_cli_picture_of(const xc_cli_reader *reader, const char *name, uint8_t *data, size_t size,
                      xc_cli_picture *out)
{
	memset(out, 0, sizeof *out);
	out->coded = data;
	out->file_bytes = size;
	return unpack(reader, name, XC_FILE_UNKNOWN, out);
}

int xc_cli_picture_take(const xc_cli_reader *reader, xc_cli_input *input, xc_cli_picture *out)
{
	uint64_t known;
	size_t size;
	const int regular = xc_cli_input_regular(input, &known); /* whose limits were set before */

	memset(out, 0, sizeof *out);
	if (xc_cli_input_read_all(input, reader->context, &out->coded, &size))
		return -1;
	out->file_bytes = size;
	if (!regular)
		xc_cli_limit_memory(reader->context, reader->limits, size, 1);
	return unpack(reader, input->name, XC_FILE_UNKNOWN, out);
}

int xc_cli_picture_read(const xc_cli_reader *reader, const char *path, xc_file_format wanted,
                        xc_cli_picture *out)
{
	const char *name = xc_cli_input_name(path);
	size_t size;

	memset(out, 0, sizeof *out);
	if (xc_cli_read(path, reader->context, xc_cli_probe_picture, &out->coded, &size))
		return -1;
	out->file_bytes = size;
	/* The size of a pipe is known only now. */
	if (size < SMALL && xc_cli_sizes(&path, 1) == UINT64_MAX)
		xc_cli_limit_memory(reader->context, reader->limits, size, 1);
	return unpack(reader, name, wanted, out);
}

void xc_cli_picture_free(xc_context *context, xc_cli_picture *picture)
{
	xc_turn_end(&picture->turned, context);
	xc_file_picture_free(&picture->file);
	xc_picture_free(context, &picture->decoded);
	xc_cli_forget(context, picture->coded, (size_t)picture->file_bytes);
	memset(picture, 0, sizeof *picture);
}

typedef struct shared_work {
	uint32_t next, count;
	void (*work)(void *arg, uint32_t i);
	void *arg;
} shared_work;

static void share(void *user, int worker)
{
	shared_work *w = user;
	uint32_t i;

	(void)worker;
	while ((i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->count)
		w->work(w->arg, i);
}

static void run(void *user, uint32_t count, void (*work)(void *arg, uint32_t i), void *arg)
{
	xc_cli_row_pool *row_pool = user;
	shared_work w = {0, count, work, arg};

	xc_pool_run(&row_pool->pool, (int)row_pool->row_pool.threads, share, &w);
}

const xc_row_pool *xc_cli_row_pool_begin(xc_cli_row_pool *row_pool, int threads)
{
	row_pool->open = threads > 1 && !xc_pool_init(&row_pool->pool);
	if (!row_pool->open)
		return NULL;
	row_pool->row_pool = (xc_row_pool){run, row_pool, (uint32_t)threads};
	return &row_pool->row_pool;
}

void xc_cli_row_pool_end(xc_cli_row_pool *row_pool)
{
	if (row_pool->open)
		xc_pool_free(&row_pool->pool);
	row_pool->open = 0;
}
