/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec encode: a file of a picture or of an array to an XC file. */
#include "cli/array.h"
#include "cli/jpeg.h"
#include "cli/original.h"
#include "cli/base/command.h"

#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/base/sandbox.h"
#include "cli/base/settings.h"
#include "cli/stream/batch.h"
#include "cli/stream/spread.h"

#include "formats/formats.h"
#include "cli/base/json.h"
#include "cli/base/options.h"

#include <stdio.h>
#include <string.h>
#include <math.h>
#include <stdlib.h>
#include <xcodec_target.h>

/* The options of `xcodec encode` that say how good or how large the file shall be. */

typedef struct quality_target {
	int quality, quality_parts; /* as -q says; 0: it was not given */
	xc_target target;
	int wanted;    /* a target was given */
	int per_pixel; /* it is in bits a pixel */
	int too_many;  /* so was another one */
} quality_target;

/* ------------------------------------------------------------------------- quality or target */

static const char *parse_quality(const char *text, void *to)
{
	quality_target *t = to;
	double number;
	const char *end = xc_cli_read_decimal(text, &number);

	if (!end || *end || number < 1 || number > 100)
		return "a number from 1 to 100, such as 75 or 75.5";
	int fine = (int)lround(number * 256);
	t->quality = fine / 256;
	t->quality_parts = fine % 256;
	return NULL;
}

static void take(quality_target *t, xc_target_kind kind, double value)
{
	t->too_many |= t->wanted && t->target.kind != kind;
	t->wanted = 1;
	t->per_pixel = 0;
	t->target = (xc_target){.kind = kind, .value = value};
}

static const char *parse_size(const char *text, void *to)
{
	quality_target *t = to;
	uint64_t bytes;
	double number;
	const char *end = xc_cli_read_decimal(text, &number);

	if (end && !strcmp(end, "bpp") && number > 0) {
		take(t, XC_TARGET_BYTES, number);
		t->per_pixel = 1;
		return NULL;
	}
	if (xc_cli_parse_size(text, 1, &bytes))
		return "a number of bytes, such as 65000, 64K or 2M, or of bits a pixel, such as 1.2bpp";
	take(t, XC_TARGET_BYTES, (double)bytes);
	return NULL;
}

static const char *parse_psnr(const char *text, void *to)
{
	double number;
	const char *end = xc_cli_read_decimal(text, &number);

	if (!end || *end || number <= 0)
		return "a number of dB above 0, such as 38.5";
	take(to, XC_TARGET_PSNR, number);
	return NULL;
}

static const char *parse_ssim(const char *text, void *to)
{
	double number;
	const char *end = xc_cli_read_decimal(text, &number);

	if (!end || *end || number <= 0 || number >= 1)
		return "a number between 0 and 1, such as 0.95";
	take(to, XC_TARGET_SSIM, number);
	return NULL;
}

static const char *parse_ssimulacra2(const char *text, void *to)
{
	double number;
	const char *end = xc_cli_read_decimal(text, &number);

	if (!end || *end || number <= 0 || number >= 100)
		return "a number between 0 and 100, such as 70";
	take(to, XC_TARGET_SSIMULACRA2, number);
	return NULL;
}

/* clang-format off */
static const xc_cli_option target_options[] = {
	XC_CLI_CUSTOM_OPTION("quality", 'q', 0, parse_quality, "N",
		"1 (smallest) to 100 (best), also between two whole numbers; default 75"),
	XC_CLI_CUSTOM_OPTION("target-size", 0, 0, parse_size, "BYTES",
		"instead of a quality: the best file of at most this many bytes; 64K, 2M; or bits a pixel: 1.2bpp"),
	XC_CLI_CUSTOM_OPTION("target-psnr", 0, 0, parse_psnr, "DB",
		"likewise: a file with this PSNR over RGB, or of an array by its range"),
	XC_CLI_CUSTOM_OPTION("target-ssim", 0, 0, parse_ssim, "S",
		"likewise: a file with this SSIM of luma, between 0 and 1"),
	XC_CLI_CUSTOM_OPTION("target-ssimulacra2", 0, 0, parse_ssimulacra2, "N",
		"likewise: a file with this SSIMULACRA2, between 0 and 100: 90 shows no difference, 70 is high quality"),
	{ .name = NULL }
};
/* clang-format on */

/* The option that was given; NULL: none. */
static const char *name_of(const quality_target *t)
{
	static const char *const names[] = {"target-size", "target-psnr", "target-ssim",
	                                    "target-ssimulacra2"};

	return t->wanted ? names[t->target.kind] : t->quality ? "quality" : NULL;
}

/* -1 if the options go together; else the exit status after reporting why not.  Sets the quality
 * and the mode of the options for the encoder. */
static int check_target(const xc_cli_command *self, const quality_target *t,
                        xc_cli_encoder *encoder)
{
	xc_encode_options *options = &encoder->options;

	if (t->too_many)
		return xc_cli_misuse(self, "only one target can be reached");
	if (t->wanted && t->quality)
		return xc_cli_misuse(self, "--quality and a target exclude each other");
	if (t->quality) {
		options->quality = t->quality;
		options->quality_parts = t->quality_parts;
	}
	const int status = xc_cli_encoder_check(self, encoder, name_of(t));
	if (t->wanted)
		options->mode = XC_MODE_LOSSY;
	return status;
}

/* Encodes to the target: 0, or -1 after reporting why not. Warns if the target was missed. name: of
 * the picture, for messages. */
static int encode_to_target(const quality_target *t, xc_context *context, const char *name,
                            const xc_picture *picture, const xc_metadata *metadata,
                            const xc_encode_options *options, xc_target_result *result,
                            xc_buffer *file)
{
	xc_target target = t->target;

	if (t->per_pixel)
		target.value *= (double)picture->width * picture->height / 8;
	if (xc_cli_check(name, context,
	                 xc_encode_target(context, picture, metadata, options, &target, result, file)))
		return -1;
	/* Errors of colour that is coded smaller do not vanish at any quality. */
	const int coarse = target.kind == XC_TARGET_PSNR && picture->channels > 2 &&
	                   options->subsampling != XC_SUBSAMPLING_444 &&
	                   options->subsampling != XC_SUBSAMPLING_AUTO &&
	                   result->reached < target.value;
	if (!result->met && coarse)
		xc_cli_warning(name, "%s; this is what %s can keep of colour: -s 444 gives more",
		               xc_context_message(context),
		               xc_cli_name(XC_CLI_SUBSAMPLING, (uint32_t)options->subsampling));
	else if (!result->met)
		xc_cli_warning(name, "%s", xc_context_message(context));
	return 0;
}

static double quality_of(const xc_target_result *r)
{
	return r->quality + r->quality_parts / 256.0;
}

/* Say what was reached, on stderr and in JSON. */
static void tell_target(const quality_target *t, const xc_target_result *r)
{
	static const char *const units[] = {"bytes", "dB", "of SSIM", "of SSIMULACRA2"};
	static const int digits[] = {0, 3, 6, 3};
	const xc_target_kind kind = t->target.kind;

	xc_cli_say("  %.*f %s %s by quality %.3f, in %d trial%s\n", digits[kind], r->reached,
	           units[kind], r->met ? "reached" : "instead of the target", quality_of(r), r->trials,
	           xc_s((unsigned)r->trials));
}

static void put_target(const quality_target *t, const xc_target_result *r, xc_cli_json *json)
{
	static const char *const names[] = {"bytes", "psnr_rgb", "ssim_y", "ssimulacra2"};

	xc_cli_json_inline_object(json, "target");
	xc_cli_json_text(json, "kind", t->per_pixel ? "bits_per_pixel" : names[t->target.kind]);
	xc_cli_json_number(json, "wanted", t->target.value);
	xc_cli_json_number(json, names[t->target.kind], r->reached);
	xc_cli_json_boolean(json, "met", r->met);
	xc_cli_json_integer(json, "trials", (uint64_t)r->trials);
	xc_cli_json_end_object(json);
}

typedef struct settings {
	int format, strip, orient, keep_going, arrays;
	quality_target target;
	xc_cli_encoder encoder;
	xc_cli_array_encoder array;
	int jpeg_fallback;
	const char *recodes; /* an option that was given and asks for a JPEG's pixels; NULL */
	int exact_transform; /* a transform was given that a bound of pictures excludes */
	const char *for_pictures,
		*for_arrays; /* an option that was given and is for these alone; NULL */
	xc_cli_limits limits;
	xc_cli_batch batch;
} settings;

#define IN(field) offsetof(settings, field)

static xc_cli_choice formats[XC_CLI_FORMAT_CHOICES];

/* clang-format off */
static const xc_cli_option file_options[] = {
	XC_CLI_CHOICE_OPTION("format", 0, IN(format), formats,
		"insist that IN is such a file, which SEG-Y and SU from a pipe need; xc writes XC whatever OUT is called"),
	XC_CLI_TEXT_OPTION("output-dir", 'o', IN(batch.folder), "DIR",
		"encode every IN, into DIR/NAME.xc; a file takes the place of DIR if there is one IN"),
	XC_CLI_FLAG_OPTION("force", 'f', IN(batch.force), 1, "overwrite OUT if it exists"),
	XC_CLI_FLAG_OPTION("arrays", 0, IN(arrays), 1,
		"in folders and tar files, encode arrays too, as if an option that is for arrays alone were given"),
	XC_CLI_CUSTOM_OPTION("lossless-match", 0, IN(batch.lossless), xc_cli_globs_parse, "GLOB",
		"with --output-dir and tar files: code files whose name matches without loss; may be given several times"),
	XC_CLI_FLAG_OPTION("smaller", 0, IN(batch.smaller), 1,
		"likewise: keep pictures as they are, under their own names, where their result would be larger"),
	XC_CLI_OPTION(FLAG, "delete-after-verify", 0, IN(batch.delete_inputs), .whole = 1, .low = 1, .help =
		"delete an input once its result was read back from the disk and gives the same JPEG, or the same pixels and metadata"),
	XC_CLI_FLAG_OPTION("sync", 0, IN(batch.sync), 1, "end when the disk has OUT and its name"),
	XC_CLI_FLAG_OPTION("strip", 0, IN(strip), 1,
		"leave out everything but the pixels: profile, EXIF, XMP, density and so on; an orientation stays"),
	XC_CLI_FLAG_OPTION("orient", 0, IN(orient), 1, XC_CLI_ORIENT),
	XC_CLI_FLAG_OPTION("keep-going", 'k', IN(keep_going), 1, "fill with grey what a damaged picture lacks"),
	{ .name = NULL }
};
/* clang-format on */

/* "out.png" and "out.npy" are no names for an XC file; most likely the user exchanged IN and OUT. */
static int check_name(const xc_cli_command *self, const settings *s, const char *path)
{
	xc_file_format format = xc_file_format_by_path(path);
	const int array = !xc_file_foreign_name(path) && xc_array_file_is_read(path, 0);
	const int foreign = array || xc_file_foreign_name(path);

	if (s->format == XC_FILE_XC || format == XC_FILE_XC || (format == XC_FILE_UNKNOWN && !foreign))
		return 0;
	return xc_cli_misuse(self,
	                     "'%s' is %s%s%s by its name, but encode writes XC: "
	                     "name it .xc or give --format xc",
	                     path,
	                     array     ? "an array"
	                     : foreign ? "another kind of picture"
	                               : "a ",
	                     foreign ? "" : xc_file_format_title(format), foreign ? "" : " file");
}

static int prepare(void *user, xc_context *context)
{
	settings *s = user;

	return xc_cli_encoder_prepare(&s->encoder, context);
}

/* One file on its way. */
typedef struct job {
	const settings *s;
	xc_cli_task *task;
	xc_context *context;
	xc_cli_input *in;
	xc_cli_output *out;
	xc_cli_stages stages;
	xc_target_result result; /* of a search */
	xc_encode_options options;
	int has_palette;                /* of the picture */
	uint8_t first[XC_HEADER_BYTES]; /* of the file, which tell its mode */
	size_t first_size;
	/* With --strip: all that is kept. */
	xc_metadata kept;
	unsigned char exif[XC_EXIF_MINIMAL];
} job;

/* What helps a picture of 16 bits that uses little of them, if nothing was said of that. */
static void hint(const job *j, const xc_metadata *m, uint32_t largest)
{
	if (!j->options.range && j->options.mode != XC_MODE_LOSSLESS)
		xc_cli_range_hint(j->in->name, m->maxval, xc_cli_range_in_file(largest, m),
		                  "--range auto makes the steps for these");
}

static int check(const job *j, xc_status status)
{
	/* A failure to write was reported before. */
	return j->out->failed ? -1 : xc_cli_check(j->in->name, j->context, status);
}

/* Takes a piece of the file.  user: a job. */
static int write_piece(void *user, const void *data, size_t size)
{
	job *j = user;

	if (!j->out->written) {
		j->first_size = size < sizeof j->first ? size : sizeof j->first;
		memcpy(j->first, data, j->first_size);
	}
	return xc_cli_output_write(j->out, data, size);
}

/* Whether the file is one without loss, or within `max_error` of it. */
static int is_lossless(const job *j)
{
	xc_info info;

	return !xc_read_header(j->context, j->first, j->first_size, &info) && info.lossless;
}

/* Reports what the reader of a picture file says: 0, or -1 for a failure. */
static int check_reader(const job *j, xc_status status, const char *message)
{
	if (status && j->in->error)
		return xc_cli_error(j->in->name, "cannot read: %s", strerror(j->in->error));
	if (status)
		return xc_cli_status_error(j->in->name, status, message);
	if (*message && !(j->s->strip && xc_file_tells_loss(message)))
		xc_cli_warning(j->in->name, "%s", message);
	return 0;
}

/* The metadata to write: the largest sample, the palette and the orientation belong to the pixels. */
static const xc_metadata *keep_metadata(job *j, const xc_metadata *all)
{
	const int orientation = xc_exif_orientation(&all->exif);

	j->has_palette = all->palette.data != NULL;
	if (!j->s->strip)
		return all;
	j->kept = (xc_metadata){.maxval = all->maxval,
	                        .palette = all->palette,
	                        .palette_bits = all->palette_bits};
	if (orientation != 1) {
		xc_exif_make(orientation, j->exif);
		j->kept.exif = (xc_blob){j->exif, sizeof j->exif};
	}
	return &j->kept;
}

/* Reads rows to where the encoder wants them, until it has them all. */
static int encode_rows(job *j, xc_row_reader *reader, xc_encoder *encoder)
{
	char message[XC_FILE_MESSAGE];
	void *rows;
	size_t stride;
	uint32_t count, largest = 0;
	xc_status status;

	while (!(status = xc_encoder_room(encoder, &rows, &stride, &count)) && count) {
		xc_cli_stages_end_call(&j->stages);
		status = xc_rows_read(reader, rows, stride, count, message);
		if (check_reader(j, status, message))
			return -1;
		if (reader->picture.depth == 16) {
			const xc_picture *p = &reader->picture;
			const xc_picture part = {p->width, count, p->channels, p->depth, stride, rows};
			const uint32_t max = xc_cli_largest(&part);
			largest = max > largest ? max : largest;
		}
		xc_cli_stages_end(&j->stages, "read picture");
		status = xc_encoder_rows(encoder, rows, stride, count);
		if (status)
			break;
	}
	if (check(j, status) || check_reader(j, xc_rows_finish(reader, message), message) ||
	    check(j, xc_encoder_metadata(encoder, keep_metadata(j, &reader->metadata))) ||
	    check(j, xc_encoder_end(encoder)))
		return -1;
	hint(j, &reader->metadata, largest);
	return reader->damaged ? XC_CLI_DAMAGED : 0;
}

static int encode_reader(job *j, xc_row_reader *reader)
{
	xc_metadata early = *keep_metadata(j, &reader->metadata);
	xc_encoder *encoder;

	/* More text may follow the pixels. */
	early.text = (xc_blob){NULL, 0};
	j->options.range = xc_cli_range_of(j->s->encoder.range, &reader->picture, &early);
	int failed = check(j, xc_encoder_new(j->context, &reader->picture, &early, &j->options,
	                                     write_piece, j, &encoder));
	failed = failed ? failed : encode_rows(j, reader, encoder);
	xc_encoder_free(encoder);
	return failed;
}

static void print(const job *j, const xc_picture *picture)
{
	xc_cli_print_sizes(xc_cli_output_name(j->out->path), picture, j->out->written, j->context);
	if (j->out->dropped)
		xc_cli_say("  larger than the picture's file, which is kept\n");
	if (is_lossless(j) && j->options.max_error)
		xc_cli_say("  each sample is off by at most %u\n", j->options.max_error);
	else if (is_lossless(j))
		xc_cli_say("  %scoded without loss\n",
		           j->options.mode == XC_MODE_AUTO ? "a drawing: " : "");
	if (j->result.trials)
		tell_target(&j->s->target, &j->result);
	if (j->has_palette && j->options.mode == XC_MODE_LOSSY)
		xc_cli_say("  the palette is not kept: colours are coded with loss\n");
	if (!xc_cli_batch_is_stream(&j->s->batch))
		xc_cli_stages_print(&j->stages);
}

static int print_json(const job *j, const xc_picture *picture)
{
	const xc_encode_options *o = &j->s->encoder.options;
	const xc_target_result *r = &j->result;
	xc_cli_summary summary;
	xc_cli_json *json = &summary.json;

	if (xc_cli_summary_begin(&summary, j->in->name, j->out->path, "picture"))
		return -1;
	xc_cli_summary_sizes(json, picture, j->out->written);
	const int lossless = is_lossless(j);

	if (j->s->batch.smaller)
		xc_cli_json_boolean(json, "kept", j->out->dropped);
	xc_cli_json_boolean(json, "lossless", lossless);
	xc_cli_json_integer(json, "max_error", lossless ? j->options.max_error : 0);
	if (lossless)
		xc_cli_json_null(json, "quality");
	else
		xc_cli_json_number(json, "quality",
		                   r->trials ? quality_of(r) : o->quality + o->quality_parts / 256.0);
	if (r->trials)
		put_target(&j->s->target, r, json);
	xc_cli_json_text(json, "device", xc_context_device(j->context));
	xc_cli_summary_stages(json, &j->stages);
	j->task->told = xc_cli_summary_end(&summary);
	return j->task->told ? 0 : -1;
}

/* Says what was done, once the library is done: 0, or -1 after reporting why not. */
static int tell(job *j, const xc_picture *picture)
{
	j->task->pixels = (uint64_t)picture->width * picture->height;
	j->task->loss = is_lossless(j)         ? j->options.max_error ? XC_CLI_LOSSY : XC_CLI_EXACT
	                : picture->depth == 16 ? XC_CLI_LOSSY_16
	                                       : XC_CLI_LOSSY;
	if (!xc_cli_batch_tells(&j->s->batch))
		return 0;
	xc_cli_stages_end_library(&j->stages, j->context);
	if (j->task->use)
		xc_cli_time_use_add(j->task->use, &j->stages);
	if (j->s->batch.verbosity == XC_CLI_VERBOSE)
		print(j, picture);
	return j->s->batch.json ? print_json(j, picture) : 0;
}

/* After the last library call; returns what came of the work. */
static int end_output(job *j, int failed)
{
	xc_cli_stages_end_call(&j->stages);
	if (xc_cli_output_end(j->out, failed >= 0))
		failed = -1;
	xc_cli_stages_end(&j->stages, "write file");
	return failed;
}

static int encode_rows_of_file(job *j)
{
	xc_file_limits limits = xc_cli_file_limits(&j->s->limits, j->context);
	const xc_byte_source source = {xc_cli_input_read, j->in};
	char message[XC_FILE_MESSAGE];
	xc_row_reader *reader;

	limits.keep_going = j->s->keep_going;
	limits.pixels_alone = j->s->strip;
	xc_cli_input_regular(j->in, &limits.file_bytes);
	if (!xc_cli_batch_is_stream(&j->s->batch))
		xc_cli_limit_memory(j->context, &j->s->limits, limits.file_bytes, 1);
	int failed = check_reader(j, xc_rows_open(&source, &limits, &reader, message), message);
	xc_cli_stages_end(&j->stages, "read picture");
	failed = failed ? failed : encode_reader(j, reader);
	failed = end_output(j, failed);
	if (failed >= 0 && tell(j, &reader->picture))
		failed = -1;
	xc_rows_close(reader);
	return failed;
}

static int encode_picture(job *j, const xc_cli_picture *in, xc_buffer *file)
{
	const settings *s = j->s;
	const xc_metadata *metadata = keep_metadata(j, &in->metadata);

	j->options.range = xc_cli_range_of(s->encoder.range, &in->picture, &in->metadata);
	if (in->picture.depth == 16)
		hint(j, &in->metadata, xc_cli_largest(&in->picture));
	if (s->target.wanted && j->options.mode != XC_MODE_LOSSLESS)
		return encode_to_target(&s->target, j->context, j->in->name, &in->picture, metadata,
		                        &j->options, &j->result, file);
	return check(j, xc_encode(j->context, &in->picture, metadata, &j->options, file));
}

/* What cannot be read in rows, or is encoded more than once. */
static int encode_whole(job *j)
{
	const xc_cli_reader reader = {.context = j->context,
	                              .limits = &j->s->limits,
	                              .stages = &j->stages,
	                              .progress = j->task->progress,
	                              .orient = j->s->orient,
	                              .keep_going = j->s->keep_going,
	                              .pixels_alone = j->s->strip};
	xc_cli_picture in;
	xc_buffer file = {NULL, 0};

	xc_cli_progress_part(j->task->progress, 0, 0.5);
	if (xc_cli_picture_take(&reader, j->in, &in))
		return -1;
	j->task->flawed = in.flawed;
	xc_cli_progress_part(j->task->progress, 0.5, 0.5);
	int failed = encode_picture(j, &in, &file);
	failed = failed ? failed : write_piece(j, file.data, file.size);
	failed = end_output(j, failed ? failed : in.damaged ? XC_CLI_DAMAGED : 0);
	if (failed >= 0 && tell(j, &in.picture))
		failed = -1;
	xc_buffer_free(j->context, &file);
	xc_cli_picture_free(j->context, &in);
	return failed;
}

static int work_on_array(const settings *s, xc_cli_task *task)
{
	const int one = !xc_cli_batch_is_stream(&s->batch);

	if (one && s->for_pictures)
		return xc_cli_error(task->in->name, "--%s is for pictures, and this is an array",
		                    s->for_pictures);
	return xc_cli_array_encode(&s->array, s->strip, &s->batch, task);
}

/* Whether it is a picture that can be read: 0, or -1 after reporting what else it is. */
static int check_known(const xc_cli_input *in)
{
	char text[XC_FILE_MESSAGE];

	if (!in->size || xc_file_format_detect(in->first, in->size) != XC_FILE_UNKNOWN ||
	    xc_file_foreign(in->first, in->size, text))
		return xc_cli_probe_picture(in->name, in->first, in->size);
	return xc_cli_error(
		in->name,
		"not a picture that can be read (%s or XC), nor an array (--raw says what raw "
		"values are)",
		xc_file_formats(XC_FORMATS_READABLE, ", ", text));
}

/* Where several files are encoded, options that are for arrays pass over pictures, and the other way
 * round. */
static int check_picture(const settings *s, const char *name)
{
	const int one = !xc_cli_batch_is_stream(&s->batch);

	if (one && s->for_arrays)
		return xc_cli_error(name, "--%s is for arrays, and this is a picture", s->for_arrays);
	if (s->exact_transform)
		return xc_cli_error(name, "without loss pictures have no --transform");
	return xc_cli_encoder_check_bound(&s->encoder, name);
}

/* In a batch the sum is said at the end. */
static void tell_second_loss(const settings *s, xc_cli_task *task)
{
	task->became = XC_CLI_RECODED;
	if (!xc_cli_batch_is_stream(&s->batch))
		xc_cli_warning(task->in->name, "%s%s codes a JPEG with a second loss on top of its own",
		               s->recodes ? "--" : "encoding its pixels", s->recodes ? s->recodes : "");
}

static int keeps_jpeg(const settings *s, xc_cli_task *task, int *failed)
{
	return !s->recodes || task->lossless ||
	       (!strcmp(s->recodes, "orient") && xc_cli_jpeg_upright(&s->limits, task, failed));
}

static int work(const void *user, xc_cli_task *task)
{
	const settings *s = user;
	const xc_cli_input *in = task->in;
	const int any = s->format == XC_FILE_XC || s->format >= XC_FILE_FORMATS;
	const xc_file_format wanted = any ? XC_FILE_UNKNOWN : (xc_file_format)s->format;
	xc_file_format format = xc_file_format_detect(in->first, in->size);
	int failed = 0;
	job j = {.s = s, .task = task, .context = task->context, .in = task->in, .out = task->out};

	if (s->array.format || xc_array_is(in->first, in->size) ||
	    xc_cli_is_array_file(in, s->array.raw))
		return work_on_array(s, task);
	j.options = s->encoder.options;
	if (task->lossless)
		xc_cli_encoder_lossless(&s->encoder, &j.options);
	xc_cli_stages_start(&j.stages, xc_cli_batch_tells(&s->batch));
	if (check_known(in) || xc_cli_check_format(in->name, format, wanted) ||
	    check_picture(s, in->name))
		return -1;
	if (format == XC_FILE_JPEG && keeps_jpeg(s, task, &failed)) {
		if (failed)
			return -1;
		if (!strncmp(s->limits.device, "cuda", 4))
			xc_cli_warning(in->name, "JPEGs are kept by the processor, not by a GPU");
		return xc_cli_jpeg_encode(s->jpeg_fallback, &s->batch, task);
	}
	if (format == XC_FILE_JPEG || xc_jpeg_is(in->first, in->size))
		tell_second_loss(s, task);
	const int whole = s->target.wanted || s->encoder.range == XC_CLI_RANGE_AUTO || s->orient;
	return format == XC_FILE_XC || whole ? encode_whole(&j) : encode_rows_of_file(&j);
}

/* XC files among the pictures are results, most likely. Arrays may be labels, which tar files keep as
 * they are, unless an option is about them. */
static int takes(const void *user, const char *name)
{
	const settings *s = user;
	const xc_file_format format = xc_file_format_to_read(name);

	if (format == XC_FILE_UNKNOWN || format == XC_FILE_PFM)
		return (s->arrays || s->for_arrays) && xc_array_file_is_read(name, s->array.raw != NULL);
	return format != XC_FILE_XC;
}

static void describe(const void *user, char *text, size_t room)
{
	const settings *s = user;
	const quality_target *t = &s->target;
	size_t size = xc_cli_encoder_describe(&s->encoder, text, room);

	xc_cli_array_encoder_describe(&s->array, s->arrays || s->for_arrays, text + size, room - size);
	size += strlen(text + size);
	snprintf(text + size, room - size,
	         " format %d strip %d orient %d keep-going %d jpeg %d %d target %d %d %.17g", s->format,
	         s->strip, s->orient, s->keep_going, s->jpeg_fallback, s->recodes != NULL,
	         t->wanted ? (int)t->target.kind : -1, t->per_pixel, t->wanted ? t->target.value : 0);
}

static int check_one_file(const xc_cli_command *self, const settings *s)
{
	const char *tables = xc_cli_encoder_file(&s->encoder);
	char **paths = s->batch.inputs;

	if (check_name(self, s, paths[1]))
		return XC_CLI_USAGE;
	if (tables && !strcmp(paths[0], "-") && !strcmp(tables, "-"))
		return xc_cli_misuse(self, "only one of IN and --tables can be standard input");
	return -1;
}

/* The bound of arrays, which may be that of pictures: -1, or the exit status after reporting what is
 * wrong. Finds the options that are for one of both. */
static int check_array(const xc_cli_command *self, settings *s)
{
	xc_cli_array_encoder *a = &s->array;
	const xc_encode_options *o = &s->encoder.options;
	const xc_target *t = s->target.wanted ? &s->target.target : NULL;
	const int exact = !isnan(s->encoder.max_error), psnr = t && t->kind == XC_TARGET_PSNR;
	const char *other = exact                              ? "max-error"
	                    : psnr                             ? "target-psnr"
	                    : (int)o->mode == XC_MODE_LOSSLESS ? "lossless"
	                                                       : a->excluded;

	if (a->bound && other)
		return xc_cli_misuse(self, "--%s and --%s exclude each other", a->bound, other);
	s->for_arrays = a->bound ? a->bound : a->raw ? "raw" : a->other;
	s->for_pictures = psnr ? NULL : name_of(&s->target);
	if (!s->for_pictures)
		s->for_pictures = xc_cli_encoder_lossy_option(&s->encoder);
	if (!s->for_pictures)
		s->for_pictures = (int)o->mode == XC_MODE_LOSSY ? "lossy"
		                  : o->clear_transparent        ? "clear-transparent"
		                  : s->encoder.range            ? "range"
		                  : s->orient                   ? "orient"
		                  : s->keep_going               ? "keep-going"
		                                                : NULL;
	const int given = (int)o->transform >= 0;
	s->recodes = exact                           ? "max-error"
	             : name_of(&s->target)           ? name_of(&s->target)
	             : (int)o->mode == XC_MODE_LOSSY ? "lossy"
	             : given                         ? "transform"
	             : s->strip                      ? "strip"
	                                             : xc_cli_encoder_lossy_option(&s->encoder);
	if (!s->recodes && s->orient)
		s->recodes = "orient";
	if (exact)
		a->options.kind = XC_BOUND_ABSOLUTE;
	else if (psnr)
		a->options.kind = XC_BOUND_PSNR;
	if (exact || psnr)
		a->options.bound = exact ? s->encoder.max_error : t->value;
	s->exact_transform = given && (exact || (int)o->mode == XC_MODE_LOSSLESS);
	a->options.way = given && o->transform <= XC_TRANSFORM_TDLT ? (xc_array_way)(o->transform + 1)
	                                                            : XC_ARRAY_PREDICTION;
	a->options.effort = (int)o->effort < 0 ? a->options.effort : (int)o->effort;
	return -1;
}

/* Coding without loss is the processor's work, which needs no GPU. */
static void leave_gpu(const xc_cli_command *self, settings *s)
{
	if (s->encoder.options.mode != XC_MODE_LOSSLESS)
		return;
	if (!strncmp(s->limits.device, "cuda", 4) && s->batch.verbosity != XC_CLI_QUIET)
		xc_cli_warning(self->name, "coding without loss is done by the processor, not by a GPU");
	s->limits.device = "cpu";
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {.batch = {.suffix = ".xc",
	                        .inputs = argv + 1,
	                        .limits = &s.limits,
	                        .verb = "encoding",
	                        .gpus_join = 1,
	                        .keeps_suffixes = 1,
	                        .same = xc_cli_original_same,
	                        .prepare = prepare,
	                        .work = work,
	                        .takes = takes,
	                        .describe = describe,
	                        .user = &s}};
	const xc_cli_group groups[] = {{"Quality and coding", target_options, &s.target},
	                               {NULL, xc_cli_mode_options, &s.encoder},
	                               {NULL, xc_cli_array_encode_options, &s.array},
	                               {NULL, xc_cli_encoder_options, &s.encoder},
	                               {NULL, xc_cli_jpeg_options, &s.jpeg_fallback},
	                               {"Files", file_options, &s},
	                               {NULL, xc_cli_array_raw_options, &s.array.raw},
	                               {NULL, xc_cli_many_options, &s.batch},
	                               {NULL, xc_cli_quiet_options, &s.batch.verbosity},
	                               {NULL, xc_cli_verbose_options, &s.batch.verbosity},
	                               {NULL, xc_cli_json_options, &s.batch.json},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, xc_cli_device_options, &s.limits},
	                               {NULL, xc_cli_sandbox_options, &s.batch.no_sandbox},
	                               {NULL, NULL, NULL}};

	xc_cli_format_choices(formats, 0);
	xc_cli_array_formats(formats, 0);
	xc_cli_encoder_default(&s.encoder);
	xc_array_options_default(&s.array.options);
	xc_cli_limits_default(&s.limits);
	s.limits.device = "auto";
	int status = xc_cli_parse(self, groups, argc, argv, &s.batch.count);
	s.array.format = xc_cli_array_format(s.format);
	status = status < 0 ? check_array(self, &s) : status;
	status = status < 0 ? check_target(self, &s.target, &s.encoder) : status;
	if (status < 0)
		xc_cli_batch_normalize(&s.batch);
	status = status < 0 ? xc_cli_batch_check(self, &s.batch) : status;
	if (status < 0 && !s.batch.folder)
		status = check_one_file(self, &s);
	if (status >= 0)
		return status;
	leave_gpu(self, &s);
	s.batch.also_read = xc_cli_encoder_file(&s.encoder);
	return xc_cli_batch_run(self, &s.batch);
}

const xc_cli_command xc_cli_encode = {
	.name = "encode",
	.operands = "IN OUT | -o DIR [IN]...",
	.min_operands = 0,
	.max_operands = -1,
	.summary = "make an XC file from a picture or an array",
	.description =
		"Encodes the picture IN (" XC_CLI_READABLE " or XC), or the array of numbers IN (NPY, PFM, "
		"SEG-Y, SU, NIfTI, TIFF of one channel, or raw values), into "
		"the XC file OUT. \"-\" is standard input or output. With -o, encodes any "
		"number of pictures, several at a time, each into DIR under its own name" XC_CLI_IF_TAR(
			"; "
			"of a tar file all pictures in it, into a tar file") ".",
	.run = run,
};
