/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec decode: an XC file to a file of a picture or an array. */
#include "cli/array.h"
#include "cli/jpeg.h"
#include "cli/base/command.h"

#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"
#include "cli/base/sandbox.h"
#include "cli/stream/batch.h"
#include "cli/stream/spread.h"

#include "formats/formats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
	int format, keep_going, orient, jpeg_rounding, jpeg_progressive, scale;
	int level[XC_FILE_FORMATS]; /* -1: not given */
	const char *region_text;    /* of the region, as --region has it; NULL: the whole picture */
	xc_rectangle region;
	xc_file_format target; /* what to write */
	xc_cli_array_decoder array;
	int arrays_alone; /* the result is to be one */
	xc_cli_limits limits;
	xc_cli_batch batch;
} settings;

typedef struct job {
	const settings *settings;
	xc_cli_task *task;
	uint64_t damaged; /* segments */
	xc_context *context;
	xc_cli_input *in;
	xc_cli_output *out;
	xc_cli_stages stages;
	int narrow;     /* samples of 16 bits are written as 8 */
	int transcoded; /* to a JPEG with the same coefficients */
	uint8_t *file;  /* the XC file's bytes, if it is read as a whole */
	size_t size;
	xc_info info;
	xc_metadata metadata; /* what is written of it */
	xc_picture picture;   /* as a whole, or its shape */
	xc_turned turned;
	xc_row_writer *writer;
	xc_cli_row_pool pool;
} job;

#define IN(field) offsetof(settings, field)

static xc_cli_choice formats[XC_CLI_FORMAT_CHOICES];

/* Those that set the levels of formats. */
static xc_cli_option level_options[XC_FILE_FORMATS];

static const xc_cli_choice scales[] = {{"1/1", 1},   {"1/2", 2},   {"1/4", 4},   {"1/8", 8},
                                       {"1/16", 16}, {"1/32", 32}, {"1/64", 64}, {NULL, 0}};

/* clang-format off */
static const xc_cli_option format_option[] = {
	XC_CLI_CHOICE_OPTION("format", 0, IN(format), formats,
		"the format of OUT, whatever its name; xc says what IN is, which is always so"),
	{ .name = NULL }
};

static const xc_cli_option decode_option_table[] = {
	XC_CLI_FLAG_OPTION("keep-going", 'k', IN(keep_going), 1,
		"fill damaged parts with grey, of arrays with NaN or 0, and say how many there are"),
	XC_CLI_CUSTOM_OPTION("fill", 0, IN(array.instead), xc_cli_array_parse_number, "V",
		"what damaged values of an array become with --keep-going"),
	XC_CLI_FLAG_OPTION("orient", 0, IN(orient), 1, XC_CLI_ORIENT),
	XC_CLI_FLAG_OPTION("jpeg-rounding", 0, IN(jpeg_rounding), 1,
		"round samples before the colour conversion, as JPEG decoders do"),
#ifdef XC_HAVE_LIBJPEG
	XC_CLI_FLAG_OPTION("jpeg-progressive", 0, IN(jpeg_progressive), 1, "JPEG files are progressive"),
#endif
	XC_CLI_TEXT_OPTION("region", 0, IN(region_text), "WxH+X+Y",
		"W by H pixels from column X and row Y on, in full size; of an array start:stop, an index or : for each "
		"dimension, as in numpy: 10:20,:,5 or ...,-1; only they are read"),
	{ .name = "scale", .type = XC_CLI_CHOICE, .offset = IN(scale), .choices = scales,
	  .help = "a half, quarter or eighth of the width and height: 1/2, 1/4, 1/8; of an array every N-th "
	          "value, to 1/64" },
	XC_CLI_TEXT_OPTION("output-dir", 'o', IN(batch.folder), "DIR",
		"decode every IN, into DIR/NAME" XC_CLI_USUAL_SUFFIX ", or whatever --format says"),
	XC_CLI_FLAG_OPTION("force", 'f', IN(batch.force), 1, "overwrite OUT if it exists"),
	XC_CLI_FLAG_OPTION("sync", 0, IN(batch.sync), 1, "end when the disk has OUT and its name"),
	{ .name = NULL }
};
/* clang-format on */

/* The result is to be an array: -1, or the exit status after reporting an option that it has not. */
static int check_array_target(const xc_cli_command *self, const settings *s, const char *path)
{
	const char *option = s->orient             ? "orient"
	                     : s->jpeg_rounding    ? "jpeg-rounding"
	                     : s->jpeg_progressive ? "jpeg-progressive"
	                                           : NULL;

	for (int i = 0; i < XC_FILE_FORMATS; i++)
		if (s->level[i] >= 0)
			option = xc_format_of((xc_file_format)i)->level.name;
	return option ? xc_cli_misuse(self, "--%s is for pictures, and '%s' will be an array", option,
	                              path)
	              : -1;
}

/* Sets the format to write: what --format says, else what `path` says, the name of OUT or
 * of the folder.  Returns -1 to go on, else the exit status after reporting what is
 * missing. */
static int choose_target(const xc_cli_command *self, settings *s, const char *path)
{
	xc_file_format format = xc_cli_batch_is_stream(&s->batch) ? XC_CLI_USUAL
	                                                          : xc_file_format_by_path(path);
	char list[XC_FILE_MESSAGE];

	if (s->format == XC_FILE_UNKNOWN && xc_cli_batch_is_stream(&s->batch)) {
		s->array.name = "npy";
		s->array.as_it_was = 1;
		s->batch.copied.wraps = s->region_text || s->scale > 1 ? 0 : -1;
		s->batch.suffix_of = s->batch.copied.wraps ? xc_cli_own_suffix : xc_cli_own_suffix_of_part;
	}
	if (s->format >= XC_FILE_FORMATS)
		s->array.name = xc_cli_array_format(s->format);
	else if (s->format != XC_FILE_UNKNOWN && s->format != XC_FILE_XC)
		format = (xc_file_format)s->format;
	else if (!xc_cli_batch_is_stream(&s->batch) && xc_array_file_is_written(path))
		s->array.name = path;
	s->target = format;
	s->arrays_alone = s->array.name && !s->batch.suffix_of;
	if (s->arrays_alone)
		return check_array_target(self, s, path);
	if (format == XC_FILE_UNKNOWN)
		return xc_cli_misuse(
			self,
			"what format shall '%s' have? Give --format %s, or of an array npy, pfm, "
			"nii, tif, sgy, su or raw",
			path, xc_file_formats(XC_FORMATS_NAMES, " or ", list));
	if (!xc_format_of(format)->writer && !xc_format_of(format)->unwritten)
		return xc_cli_misuse(self, "'%s': cannot write %s, only %s", path,
		                     xc_file_format_title(format),
		                     xc_file_formats(XC_FORMATS_WRITABLE, " and ", list));
	if (s->jpeg_progressive && format != XC_FILE_JPEG)
		return xc_cli_misuse(self, "--jpeg-progressive is for JPEG, and '%s' will be %s", path,
		                     xc_file_format_title(format));
	for (int i = 0; i < XC_FILE_FORMATS; i++) {
		const xc_format *f = xc_format_of((xc_file_format)i);

		if (s->level[i] >= 0 && i != (int)format)
			return xc_cli_misuse(self, "--%s is for %s, and '%s' will be %s", f->level.name,
			                     f->title, path, xc_file_format_title(format));
	}
	return -1;
}

/* Reads a number without a sign: what follows it, or NULL. */
static const char *read_number(const char *text, uint32_t *number)
{
	uint64_t n = 0;
	const char *p = text;

	for (; p && *p >= '0' && *p <= '9' && n <= UINT32_MAX; p++)
		n = 10 * n + (uint64_t)(*p - '0');
	*number = (uint32_t)n;
	return p && p > text && n <= UINT32_MAX ? p : NULL;
}

/* Likewise, after a sign. */
static const char *read_after(const char *text, char sign, uint32_t *number)
{
	return text && *text == sign ? read_number(text + 1, number) : NULL;
}

static int choose_region(const xc_cli_command *self, settings *s)
{
	xc_rectangle *r = &s->region;

	if (!s->region_text)
		return -1;
	const char *p = read_after(read_number(s->region_text, &r->width), 'x', &r->height);
	p = read_after(read_after(p, '+', &r->x), '+', &r->y);
	s->array.region = s->region_text;
	if (p && !*p && r->width && r->height && !s->arrays_alone)
		return -1;
	r->width = 0;
	if (s->array.name && xc_cli_array_is_region(s->region_text))
		return -1;
	return xc_cli_misuse(self, "'%s' is no region of %s: give it as %s", s->region_text,
	                     s->array.name ? "an array" : "a picture",
	                     s->array.name ? "start:stop, an index or : for each dimension"
	                                   : "WxH+X+Y");
}

/* -------------------------------------------------------------------- writing */

/* What the writer says: 0, or -1 for a failure, which may have been reported. */
static int check_output(const job *j, xc_status status, const char *message)
{
	if (status)
		return j->out->failed
		           ? -1
		           : xc_cli_status_error(xc_cli_output_name(j->out->path), status, message);
	if (*message)
		xc_cli_warning(xc_cli_output_name(j->out->path), "%s", message);
	return 0;
}

/* Begins the output; nothing is created before its first bytes.  Reports what the format cannot
 * hold. */
static int create_output(job *j, const xc_picture *shape, const xc_metadata *metadata)
{
	const settings *s = j->settings;
	const xc_byte_sink sink = {xc_cli_output_write, j->out};
	const int threads = xc_format_of(s->target)->threads ? xc_context_threads(j->context) : 1;
	char message[XC_FILE_MESSAGE];
	xc_picture own = *shape;
	int level = s->level[s->target];

	if (s->jpeg_progressive)
		level = XC_JPEG_PROGRESSIVE + (level < 0 ? 0 : level);
	j->narrow = s->target == XC_FILE_JPEG && shape->depth == 16 && shape->channels % 2;
	if (j->narrow) {
		own.depth = 8;
		xc_cli_warning(j->in->name, "a JPEG holds 8 bits a sample: those of 16 are rounded");
	}
	xc_status status = xc_rows_create(s->target, &sink, &own, metadata, level,
	                                  xc_cli_row_pool_begin(&j->pool, threads), j->context,
	                                  &j->writer, message);

	return check_output(j, status, message);
}

/* The metadata to write. Averages and what stands for damaged pixels are no colours of a palette,
 * and the header is written before it is known whether there are any. Averages of 8 bits need all of
 * these, above all those of black and white. */
static const xc_metadata *choose_metadata(job *j)
{
	char message[XC_FILE_MESSAGE] = "";

	j->metadata = j->info.metadata;
	xc_file_drop_wrong(&j->metadata, j->picture.depth, message);
	if (*message)
		xc_cli_warning(j->in->name, "%s", message);
	if (j->settings->keep_going || j->settings->scale > 1)
		j->metadata.palette = (xc_blob){NULL, 0};
	if (j->settings->scale > 1 && j->picture.depth == 8)
		j->metadata.maxval = 0;
	return &j->metadata;
}

static int begin_output(job *j)
{
	const xc_metadata *m = choose_metadata(j);

	if (j->settings->orient && xc_cli_check(j->in->name, j->context,
	                                        xc_turn_begin(&j->turned, j->context, &j->picture, m)))
		return -1;
	return j->turned.picture.data ? 0 : create_output(j, &j->picture, m);
}

/* Writes rows of 16 bits as 8, in place: nobody else needs them. */
static xc_status write_narrow(job *j, const void *rows, size_t stride, uint32_t count,
                              char *message)
{
	const uint32_t max = j->metadata.range ? j->metadata.range : UINT16_MAX;
	xc_status status = XC_OK;

	for (uint32_t y = 0; y < count && !status; y++) {
		const uint16_t *from = (const void *)((const char *)rows + y * stride);
		uint8_t *to = (void *)(uintptr_t)from;
		for (size_t i = 0; i < stride / 2; i++) {
			const uint32_t v = (from[i] * 255U + max / 2) / max;
			to[i] = (uint8_t)(v > 255 ? 255 : v);
		}
		status = xc_rows_write(j->writer, to, stride, 1, message);
	}
	return status;
}

/* A picture that is turned is written when all its rows have come. */
static int write_rows(job *j, const void *rows, size_t stride, uint32_t count)
{
	char message[XC_FILE_MESSAGE];

	if (!j->writer) {
		xc_turn_rows(&j->turned, rows, stride, count);
		return 0;
	}
	xc_status status = j->narrow ? write_narrow(j, rows, stride, count, message)
	                             : xc_rows_write(j->writer, rows, stride, count, message);

	xc_cli_stages_end(&j->stages, "write picture");
	return check_output(j, status, message);
}

static int end_output(job *j)
{
	char message[XC_FILE_MESSAGE];
	const xc_picture *turned = &j->turned.picture;

	if (turned->data && (create_output(j, turned, &j->turned.metadata) ||
	                     write_rows(j, turned->data, turned->stride, turned->height)))
		return -1;
	xc_status status = xc_rows_end(j->writer, message);
	int failed = check_output(j, status, message);

	if (turned->data) {
		j->picture.width = turned->width;
		j->picture.height = turned->height;
	}
	xc_cli_stages_end(&j->stages, "write picture");
	return failed;
}

/* ------------------------------------------------------------------- decoding */

static int check(const job *j, xc_status status)
{
	if (status && j->in->error)
		return xc_cli_error(j->in->name, "cannot read: %s", strerror(j->in->error));
	return xc_cli_check(j->in->name, j->context, status);
}

/* Says what was wrong with the file: 0 or XC_CLI_DAMAGED. */
static int tell_damage(job *j, uint64_t damaged)
{
	const char *message = xc_context_message(j->context);

	const int layers = j->info.channels % 2 || j->info.lossless ? 1 : 2;

	j->damaged = damaged;
	const unsigned long long all = j->info.segments * (unsigned)layers;

	if (damaged)
		xc_cli_warning(j->in->name, "%llu of %llu segment%s damaged and left %s: %s",
		               (unsigned long long)damaged, all, xc_s(all),
		               layers > 1 ? "grey or opaque" : "grey", message);
	else if (*message)
		xc_cli_warning(j->in->name, "%s", message);
	return damaged ? XC_CLI_DAMAGED : 0;
}

static xc_decode_options decode_options(const settings *s)
{
	return (xc_decode_options){.keep_going = s->keep_going,
	                           .jpeg_rounding = s->jpeg_rounding,
	                           .region = s->region,
	                           .scale = (uint32_t)s->scale};
}

static int decode_rows(job *j, xc_decoder *decoder)
{
	const void *rows;
	size_t stride;
	uint32_t count;

	xc_decoder_info(decoder, &j->info);
	xc_decoder_shape(decoder, &j->picture);
	xc_cli_stages_end_call(&j->stages);
	if (begin_output(j))
		return -1;
	xc_cli_stages_end(&j->stages, "write picture");
	for (;;) {
		if (check(j, xc_decoder_next(decoder, &rows, &stride, &count)))
			return -1;
		xc_cli_stages_end_call(&j->stages);
		if (!count)
			break;
		if (write_rows(j, rows, stride, count))
			return -1;
	}
	if (check(j, xc_decoder_finish(decoder)))
		return -1;
	xc_decoder_info(decoder, &j->info);
	const int damaged = tell_damage(j, xc_decoder_damaged(decoder));
	xc_cli_stages_end_call(&j->stages);
	return end_output(j) ? -1 : damaged;
}

/* In rows, from a file or a pipe. */
static int decode_stream(job *j, const xc_source *source)
{
	const xc_decode_options options = decode_options(j->settings);
	xc_decoder *decoder;
	int failed = check(j, xc_decoder_new(j->context, source, &options, &decoder));

	failed = failed ? failed : decode_rows(j, decoder);
	xc_decoder_free(decoder);
	return failed;
}

/* As a whole, which a GPU wants. */
static int decode_whole(job *j)
{
	xc_decode_options options = decode_options(j->settings);

	if (check(j, xc_read_info(j->context, j->file, j->size, &j->info)) ||
	    check(j, xc_decode(j->context, j->file, j->size, &options, &j->picture)))
		return -1;
	const int damaged = tell_damage(j, options.damaged_segments);
	xc_cli_stages_end_call(&j->stages);
	if (begin_output(j) || write_rows(j, j->picture.data, j->picture.stride, j->picture.height) ||
	    end_output(j))
		return -1;
	return damaged;
}

/* A GPU wants the whole file; alpha and other things that come late in a pipe want it in memory. */
static int decode(job *j)
{
	const int gpu = !strncmp(j->settings->limits.device, "cuda", 4);
	xc_source source = {.user = j->in};
	xc_info header;

	if (!gpu && xc_cli_input_regular(j->in, &source.size)) {
		source.read_at = xc_cli_input_read_at;
		return decode_stream(j, &source);
	}
	if (!gpu && !xc_read_header(j->context, j->in->first, j->in->size, &header) &&
	    header.channels % 2) {
		source.read = xc_cli_input_read;
		return decode_stream(j, &source);
	}
	if (xc_cli_input_read_all(j->in, j->context, &j->file, &j->size))
		return -1;
	xc_cli_stages_end(&j->stages, "read file");
	source.memory = j->file;
	source.size = j->size;
	return gpu ? decode_whole(j) : decode_stream(j, &source);
}

/* Replaces 8-bit pixels by the means of squares of them. */
static void reduce(xc_picture *p, uint32_t scale)
{
	const uint32_t width = (p->width - 1) / scale + 1, height = (p->height - 1) / scale + 1;
	const uint32_t channels = p->channels;

	for (uint32_t y = 0; y < height; y++)
		for (uint32_t i = 0; i < width * channels; i++) {
			const uint32_t x = i / channels * scale, high = p->height - y * scale;
			uint32_t sum = 0, n = 0;
			for (uint32_t b = 0; b < scale && b < high; b++)
				for (uint32_t a = 0; a < scale && a < p->width - x; a++, n++)
					sum += ((uint8_t *)p->data +
					        (y * scale + b) * p->stride)[(x + a) * channels + i % channels];
			((uint8_t *)p->data + y * p->stride)[i] = (uint8_t)((sum + n / 2) / n);
		}
	p->width = width;
	p->height = height;
}

/* By way of the JPEG that the file holds, as a whole, where only libjpeg knows its pixels. */
static int decode_by_libjpeg(job *j)
{
	const settings *s = j->settings;
	const xc_cli_reader reader = {.context = j->context,
	                              .limits = &s->limits,
	                              .stages = &j->stages,
	                              .keep_going = s->keep_going};
	const xc_rectangle r = s->region;
	const uint32_t scale = (uint32_t)s->scale;
	xc_cli_picture in;

	if (xc_cli_picture_of(&reader, j->in->name, j->file, j->size, &in)) {
		j->file = NULL;
		return -1;
	}
	j->file = NULL;
	xc_picture p = in.picture;
	int failed = 0;
	if (r.width &&
	    (r.x >= p.width || r.width > p.width - r.x || r.y >= p.height || r.height > p.height - r.y))
		failed = xc_cli_error(j->in->name, "the region goes beyond the picture of %u x %u pixels",
		                      p.width, p.height);
	if (!failed && scale > 1)
		reduce(&p, scale);
	if (!failed && r.width) {
		const uint32_t x = r.x / scale, y = r.y / scale;
		p.data = (uint8_t *)p.data + y * p.stride + (size_t)x * p.channels * p.depth / 8;
		p.width = (r.x + r.width - 1) / scale + 1 - x;
		p.height = (r.y + r.height - 1) / scale + 1 - y;
	}
	j->info.metadata = in.metadata;
	j->info.file_bytes = in.file_bytes;
	j->picture = p;
	j->picture.data = NULL;
	failed = failed || begin_output(j) || write_rows(j, p.data, p.stride, p.height) ||
	         end_output(j);
	j->info.metadata = (xc_metadata){.maxval = 0};
	const int damaged = in.damaged;
	xc_cli_picture_free(j->context, &in);
	return failed ? -1 : damaged ? XC_CLI_DAMAGED : 0;
}

/* The pixels of a JPEG. */
static int decode_kept(job *j)
{
	const int gpu = !strncmp(j->settings->limits.device, "cuda", 4);

	if (xc_cli_input_read_all(j->in, j->context, &j->file, &j->size))
		return -1;
	xc_cli_stages_end(&j->stages, "read file");
	const xc_source source = {.memory = j->file, .size = j->size};
	xc_jpeg_info jpeg;
	if (!xc_jpeg_read_info(j->context, j->file, j->size, &jpeg))
		j->task->flawed = xc_cli_warn_of_jpeg(j->in->name, &jpeg);
	const xc_status status = xc_read_info(j->context, j->file, j->size, &j->info);
	const int foreign = status == XC_ERR_UNSUPPORTED;
	if (!status && *xc_context_message(j->context))
		xc_cli_warning(j->in->name, "%s", xc_context_message(j->context));
	if (gpu && foreign)
		return xc_cli_error(j->in->name,
		                    "holds a JPEG that libjpeg decodes, not a GPU: leave --device out");
	return foreign ? decode_by_libjpeg(j) : gpu ? decode_whole(j) : decode_stream(j, &source);
}

/* A picture of ours to a JPEG, with the coefficients that it has, or else by its pixels. */
static int decode_to_jpeg(job *j)
{
	xc_buffer jpeg;

	if (xc_cli_input_read_all(j->in, j->context, &j->file, &j->size))
		return -1;
	xc_cli_stages_end(&j->stages, "read file");
	const xc_source source = {.memory = j->file, .size = j->size};
	if (j->settings->orient && !xc_read_info(j->context, j->file, j->size, &j->info) &&
	    xc_exif_orientation(&j->info.metadata.exif) != 1)
		return decode_stream(j, &source);
	const xc_status status = xc_jpeg_transcode(j->context, j->file, j->size,
	                                           j->settings->jpeg_progressive, &jpeg);
	if (status == XC_ERR_UNSUPPORTED)
		return decode_stream(j, &source);
	if (check(j, status))
		return -1;
	j->transcoded = 1;
	if (*xc_context_message(j->context))
		xc_cli_warning(j->in->name, "%s", xc_context_message(j->context));
	xc_cli_stages_end_call(&j->stages);
	const int failed = xc_cli_output_write(j->out, jpeg.data, jpeg.size) ||
	                   check(j, xc_read_info(j->context, j->file, j->size, &j->info));
	j->picture = (xc_picture){.width = j->info.width,
	                          .height = j->info.height,
	                          .channels = j->info.channels,
	                          .depth = 8};
	xc_buffer_free(j->context, &jpeg);
	return failed ? -1 : 0;
}

/* 0: the first bytes tell that no JPEG has such coefficients, so that the file need not be in memory. Of a tiny
 * file they are all, and it becomes a JPEG. */
static int may_transcode(const job *j)
{
	const size_t size = j->in->size < XC_HEADER_BYTES ? j->in->size : XC_HEADER_BYTES;
	xc_buffer jpeg = {NULL, 0};
	const xc_status s = xc_jpeg_transcode(j->context, j->in->first, size, 0, &jpeg);

	xc_buffer_free(j->context, &jpeg);
	return s != XC_ERR_UNSUPPORTED;
}

/* Whether a JPEG is wanted of all that the file has, as it is, once --orient finds it upright. */
static int wants_jpeg(const settings *s)
{
	const int same = s->scale == 1 && !s->region_text && s->level[XC_FILE_JPEG] < 0;

	return same && (s->batch.suffix_of || (!s->arrays_alone && s->target == XC_FILE_JPEG));
}

/* Whether --orient leaves a kept JPEG as it is. 1 also if it cannot be read, which is reported, as *failed then tells. */
static int is_upright(const job *j, int *failed)
{
	xc_info info;

	if (!j->settings->orient)
		return 1;
	*failed = xc_cli_input_load(j->in, j->context);
	if (*failed)
		return 1;
	/* What only libjpeg shows has metadata, too. */
	(void)xc_read_info(j->context, j->in->memory, j->in->memory_size, &info);
	return xc_exif_orientation(&info.metadata.exif) == 1;
}

static int print_json(const job *j)
{
	xc_cli_summary summary;
	xc_cli_json *json = &summary.json;

	if (xc_cli_summary_begin(&summary, j->in->name, j->out->path, "picture"))
		return -1;
	xc_cli_summary_sizes(json, &j->picture, j->info.file_bytes);
	xc_cli_json_integer(json, "output_bytes", j->out->written);
	xc_cli_json_integer(json, "damaged_segments", j->damaged);
	xc_cli_json_text(json, "device", xc_context_device(j->context));
	xc_cli_summary_stages(json, &j->stages);
	j->task->told = xc_cli_summary_end(&summary);
	return j->task->told ? 0 : -1;
}

/* What becomes of a palette. */
static void tell_palette(const job *j)
{
	const uint32_t equal = xc_file_equal_colours(&j->metadata);

	if (!j->info.metadata.palette.data || j->settings->target != XC_FILE_PNG)
		return;
	if (!j->metadata.palette.data)
		xc_cli_say("  the palette is not kept: %s\n", j->settings->keep_going
		                                                  ? "--keep-going may give other colours"
		                                                  : "--scale gives other colours");
	else if (equal)
		xc_cli_say("  indices of %u equal colour%s may differ\n", equal, xc_s(equal));
}

/* Says what was done, once the library is done: 0, or -1 after reporting why not. */
static int tell(job *j)
{
	const xc_cli_batch *batch = &j->settings->batch;

	j->task->pixels = (uint64_t)j->picture.width * j->picture.height;
	if (!xc_cli_batch_tells(batch))
		return 0;
	xc_cli_stages_end_library(&j->stages, j->context);
	if (j->task->use)
		xc_cli_time_use_add(j->task->use, &j->stages);
	if (batch->verbosity == XC_CLI_VERBOSE) {
		xc_cli_print_sizes(j->in->name, &j->picture, j->info.file_bytes, j->context);
		tell_palette(j);
		if (!xc_cli_batch_is_stream(batch))
			xc_cli_stages_print(&j->stages);
	}
	return batch->json ? print_json(j) : 0;
}

/* Whether the result can hold what the file does: 0, or -1 after reporting why not. */
static int check_kind(const settings *s, const xc_cli_input *in, int array)
{
	if (array && !s->array.name)
		return xc_cli_error(in->name, "holds an array: name OUT " XC_CLI_ARRAY_SUFFIXES
		                              ", or give its --format");
	if (!array && s->region_text && !s->region.width)
		return xc_cli_error(in->name, "'%s' is no region of a picture", s->region_text);
	if (!array && s->arrays_alone)
		return xc_cli_error(in->name, "holds a picture, and '%s' is an array", s->array.name);
	return 0;
}

static int work(const void *user, xc_cli_task *task)
{
	settings own = *(const settings *)user;
	const settings *s = &own;
	const int array = xc_array_is(task->in->first, task->in->size);
	job j = {.settings = s,
	         .task = task,
	         .context = task->context,
	         .in = task->in,
	         .out = task->out};

	if (xc_cli_probe_xc(j.in->name, j.in->first, j.in->size) || check_kind(s, j.in, array))
		return -1;
	if (array)
		return xc_cli_array_decode(&s->array, &s->batch, task);
	const int kept = xc_jpeg_is(j.in->first, j.in->size);
	int failed = 0;
	if (kept && wants_jpeg(s) && !s->jpeg_progressive && is_upright(&j, &failed))
		return failed ? -1 : xc_cli_jpeg_decode(s->keep_going, &s->batch, task);
	own.target = kept && wants_jpeg(s) ? XC_FILE_JPEG : s->target; /* it is turned */
	xc_cli_stages_start(&j.stages, xc_cli_batch_tells(&j.settings->batch));
	const int jpeg = s->target == XC_FILE_JPEG && !s->arrays_alone;
	const int transcodes = jpeg && wants_jpeg(s) && !s->keep_going && !kept && may_transcode(&j);
	failed = kept ? decode_kept(&j) : transcodes ? decode_to_jpeg(&j) : decode(&j);
	if (failed >= 0 && jpeg && s->scale == 1 && !j.transcoded && !j.info.lossless) {
		task->became = XC_CLI_RECODED;
		if (!xc_cli_batch_is_stream(&s->batch))
			xc_cli_warning(j.in->name, "the JPEG has a second loss on top of that of the %s",
			               kept ? "JPEG that is kept" : "XC file");
	}
	xc_cli_stages_end_call(&j.stages);
	failed = xc_cli_output_end(j.out, failed >= 0) ? -1 : failed;
	xc_cli_stages_end(&j.stages, "write picture");
	failed = failed >= 0 && tell(&j) ? -1 : failed;
	xc_rows_discard(j.writer);
	xc_cli_row_pool_end(&j.pool);
	xc_turn_end(&j.turned, j.context);
	xc_picture_free(j.context, &j.picture);
	xc_cli_forget(j.context, j.file, j.size);
	return failed;
}

static int takes(const void *user, const char *name)
{
	(void)user;
	return xc_file_format_by_path(name) == XC_FILE_XC;
}

static void describe(const void *user, char *text, size_t room)
{
	const settings *s = user;

	size_t n = (size_t)snprintf(text, room, "format %s keep-going %d orient %d jpeg-rounding %d",
	                            s->arrays_alone ? s->array.name : xc_file_format_name(s->target),
	                            s->keep_going, s->orient, s->jpeg_rounding);

	for (int i = 0; i < XC_FILE_FORMATS && n < room; i++) {
		const xc_format *f = xc_format_of((xc_file_format)i);

		if (f->level.name)
			n += (size_t)snprintf(text + n, room - n, " %s %d", f->level.name, s->level[i]);
	}
	if (n < room)
		n += (size_t)snprintf(text + n, room - n, " scale %d region %s", s->scale,
		                      s->region_text ? s->region_text : "all");
	if (n < room && !isnan(s->array.instead))
		snprintf(text + n, room - n, " fill %.17g", s->array.instead);
}

static void prepare_options(settings *s)
{
	size_t n = 0;

	xc_cli_format_choices(formats, 1);
	xc_cli_array_formats(formats, 1);
	for (int i = 0; i < XC_FILE_FORMATS; i++) {
		const xc_format *f = xc_format_of((xc_file_format)i);

		s->level[i] = -1;
		if (f->writer && f->level.name)
			level_options[n++] = (xc_cli_option){.name = f->level.name,
			                                     .type = XC_CLI_INT,
			                                     .offset = IN(level[i]),
			                                     .low = f->level.low,
			                                     .high = f->level.high,
			                                     .value = "N",
			                                     .help = f->level.help};
	}
	level_options[n].name = NULL;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {.scale = 1,
	              .array = {.instead = NAN},
	              .batch = {.inputs = argv + 1,
	                        .limits = &s.limits,
	                        .verb = "decoding",
	                        .work = work,
	                        .takes = takes,
	                        .describe = describe,
	                        .user = &s}};
	const xc_cli_group groups[] = {{"Options", format_option, &s},
	                               {NULL, level_options, &s},
	                               {NULL, decode_option_table, &s},
	                               {NULL, xc_cli_many_options, &s.batch},
	                               {NULL, xc_cli_quiet_options, &s.batch.verbosity},
	                               {NULL, xc_cli_verbose_options, &s.batch.verbosity},
	                               {NULL, xc_cli_json_options, &s.batch.json},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, xc_cli_device_options, &s.limits},
	                               {NULL, xc_cli_sandbox_options, &s.batch.no_sandbox},
	                               {NULL, NULL, NULL}};
	char suffix[8];

	prepare_options(&s);
	xc_cli_limits_default(&s.limits);
	s.limits.device = "auto";
	int status = xc_cli_parse(self, groups, argc, argv, &s.batch.count);
	if (status < 0)
		xc_cli_batch_normalize(&s.batch);
	status = status < 0 ? xc_cli_batch_check(self, &s.batch) : status;
	if (status < 0)
		status = choose_target(self, &s, s.batch.folder ? s.batch.folder : argv[2]);
	status = status < 0 ? choose_region(self, &s) : status;
	s.array.scale = s.scale;
	s.array.keep_going = s.keep_going;
	if (status < 0 && !isnan(s.array.instead) && !s.keep_going)
		status = xc_cli_misuse(self, "--fill goes with --keep-going");
	if (status >= 0)
		return status;
	snprintf(suffix, sizeof suffix, ".%.6s",
	         s.format >= XC_FILE_FORMATS ? s.array.name : xc_file_format_name(s.target));
	s.batch.suffix = suffix;
	return xc_cli_batch_run(self, &s.batch);
}

const xc_cli_command xc_cli_decode = {
	.name = "decode",
	.operands = "IN OUT | -o DIR [IN]...",
	.min_operands = 0,
	.max_operands = -1,
	.summary = "make a picture or an array from an XC file",
	.description =
		"Decodes the XC file IN into the picture OUT, whose name ends in " XC_CLI_SUFFIXES
		". Arrays go to " XC_CLI_ARRAY_SUFFIXES
		". \"-\" is standard input or output. With -o, decodes any number of files, several at a time, each "
		"into DIR under its own name" XC_CLI_IF_TAR(
			"; of a tar file all XC files in it, into a tar file") ".",
	.run = run,
};
