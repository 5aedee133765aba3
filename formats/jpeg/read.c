/* SPDX-License-Identifier: BSD-2-Clause */
/* The pixels of a JPEG file: grey or RGB of 8 bits, as libjpeg's defaults make them.  Rows pass
 * through, unless the components or the coefficients come one after another (progressive files):
 * libjpeg then holds the coefficients of the whole picture. */
#include "formats/jpeg/jpeg.h"

#include <inttypes.h>
#include <jerror.h>
#include <setjmp.h>
#include <string.h>

/* Nothing needs more than 64 * 3 + 1 scans.  A short file of very many would take hours. */
enum { MAX_SCANS = 500, ROWS = 16 };

/* The marker of a frame of JPEG-LS (ITU-T T.87). */
enum { JPEG_LS = 0xf7 };

/* libjpeg leaves by longjmp() after an error. The reader holds everything that
 * must outlive that. */
typedef struct reader {
	xc_row_base base;
	struct jpeg_decompress_struct jpeg;
	struct jpeg_error_mgr errors;
	struct jpeg_source_mgr source;
	struct jpeg_progress_mgr progress;
	size_t given; /* bytes of the input that libjpeg has been given */
	int in_rows;  /* the header has been read */
	int cut;      /* the input has ended; libjpeg was given an EOI */
	size_t equal; /* bytes at the end of what libjpeg had before the last ones */
	int complete; /* all rows have been read */
	int told;     /* that the file is odd */
	xc_jpeg_markers markers;
	uint8_t payload[XC_JPEG_PAYLOAD];
	jmp_buf leave;
	xc_status status; /* before leaving */
} reader;

static reader *reader_of(j_common_ptr jpeg)
{
	return jpeg->client_data;
}

static void leave(reader *r, xc_status status)
{
	r->status = status;
	longjmp(r->leave, 1);
}

static uint64_t position(const reader *r)
{
	if (r->cut)
		return xc_row_input_position(&r->base.input);
	return xc_row_input_position(&r->base.input) + r->given - r->source.bytes_in_buffer;
}

/* ----------------------------------------------------------------- errors */

static xc_status fail_frame(reader *r)
{
	const int marker = r->errors.msg_parm.i[0];
	const char *kind = marker == 0xc3 || marker == 0xcb || marker == JPEG_LS ? "lossless"
	                   : marker == 0xc9 || marker == 0xca                    ? "arithmetic-coded"
	                                                                         : "hierarchical";

	return xc_file_fail(r->base.file.message, XC_ERR_UNSUPPORTED,
	                    "a%s %s JPEG, which is not supported", kind[0] == 'a' ? "n" : "", kind);
}

static xc_status fail_bits(const reader *r, int bits)
{
	return xc_file_fail(r->base.file.message, XC_ERR_UNSUPPORTED,
	                    "a JPEG of %d bits a sample, where 8 are supported", bits);
}

static xc_status fail_cut(reader *r)
{
	return xc_file_fail(r->base.file.message, XC_ERR_TRUNCATED,
	                    "JPEG ends too early (at byte %" PRIu64 ")", position(r));
}

static xc_status fail_damaged(reader *r)
{
	char text[JMSG_LENGTH_MAX];

	if (r->cut)
		return fail_cut(r);
	r->errors.format_message((j_common_ptr)&r->jpeg, text);
	return xc_file_fail(r->base.file.message, XC_ERR_CORRUPT,
	                    "JPEG is damaged: %s (before byte %" PRIu64 ")", text, position(r));
}

/* A file is called odd once: a restart marker may have its padding each time. */
static void tell_odd(reader *r, const char *what)
{
	if (!r->told)
		xc_file_warn(r->base.file.message, "JPEG is odd: %s (before byte %" PRIu64 ")", what,
		             position(r));
	r->told = 1;
}

static void on_error(j_common_ptr jpeg)
{
	reader *r = reader_of(jpeg);
	char *message = r->base.file.message, text[JMSG_LENGTH_MAX];

	r->errors.format_message(jpeg, text);
	switch (r->errors.msg_code) {
	case JERR_OUT_OF_MEMORY:
		leave(r, xc_file_fail(message, XC_ERR_MEMORY, "out of memory in libjpeg"));
		break;
	case JERR_SOF_UNSUPPORTED:
		leave(r, fail_frame(r));
		break;
	case JERR_BAD_PRECISION:
		leave(r, fail_bits(r, r->errors.msg_parm.i[0]));
		break;
#if JPEG_LIB_VERSION < 70 /* later ones, which Ubuntu's libjpeg-turbo follows, lack the message */
	case JERR_ARITH_NOTIMPL:
#endif
	case JERR_FRACT_SAMPLE_NOTIMPL:
	case JERR_COMPONENT_COUNT:
	case JERR_IMAGE_TOO_BIG:
	case JERR_WIDTH_OVERFLOW:
	case JERR_CCIR601_NOTIMPL:
	case JERR_EMPTY_IMAGE: /* or one whose height follows in a DNL marker */
		leave(r, xc_file_fail(message, XC_ERR_UNSUPPORTED, "JPEG is not supported: %s", text));
		break;
	case JERR_UNKNOWN_MARKER:
		if (r->errors.msg_parm.i[0] == JPEG_LS)
			leave(r, fail_frame(r));
		__attribute__((fallthrough));
	default:
		if (!r->complete)
			leave(r, fail_damaged(r));
		/* Nothing of the picture is missing. */
		tell_odd(r, text);
		leave(r, XC_OK);
	}
}

/* Whether the last `count` bytes before a marker are padding, as far as they are still there:
 * short, or of equal bytes. What damaged data leave over looks like noise. Of 800 files with a
 * flipped bit 158 left bytes over, 3 of them up to 8. libjpeg does not count bytes of 0xff. */
static int is_padding(const reader *r, size_t count)
{
	const uint8_t *p = r->source.next_input_byte;

	if (r->cut)
		return count <= 8 || count <= r->equal;
	size_t available = r->given - r->source.bytes_in_buffer;
	for (; available && p[-1] == 0xff; available--)
		p--;
	for (size_t i = 2; i <= count && i <= available; i++)
		if (*(p - i) != p[-1])
			return count <= 8;
	return 1;
}

/* Whether a warning of libjpeg's leaves all pixels as the file has them. */
static int is_harmless(const reader *r)
{
	switch (r->errors.msg_code) {
	case JWRN_ADOBE_XFORM:
	case JWRN_JFIF_MAJOR:
	case JWRN_NOT_SEQUENTIAL:
	case JWRN_BOGUS_PROGRESSION:
		return 1;
	case JWRN_EXTRANEOUS_DATA:
		return !r->in_rows || is_padding(r, (size_t)r->errors.msg_parm.i[0]);
	default:
		return 0;
	}
}

/* A negative level is a warning.  Most of them mean that pixels are wrong. */
static void on_message(j_common_ptr jpeg, int level)
{
	reader *r = reader_of(jpeg);

	if (level >= 0)
		return;
	if (is_harmless(r)) {
		char text[JMSG_LENGTH_MAX];
		r->errors.format_message(jpeg, text);
		tell_odd(r, text);
	} else if (r->base.file.limits.keep_going) {
		if (!r->base.out.damaged)
			fail_damaged(r);
		r->base.out.damaged = 1;
	} else {
		leave(r, fail_damaged(r));
	}
}

static void check_scans(j_common_ptr jpeg)
{
	reader *r = reader_of(jpeg);

	if (r->jpeg.input_scan_number > MAX_SCANS)
		leave(r, xc_file_fail(r->base.file.message, XC_ERR_CORRUPT, "JPEG has more than %d scans",
		                      MAX_SCANS));
}

/* ------------------------------------------------------------------ input */

static void start_input(j_decompress_ptr jpeg)
{
	(void)jpeg;
}

static boolean fill_input(j_decompress_ptr jpeg)
{
	static const uint8_t end[2] = {0xff, JPEG_EOI};
	reader *r = jpeg->client_data;
	const uint8_t *bytes;
	const uint8_t *block = r->base.input.bytes + r->base.input.at;
	const size_t n = r->given;

	r->equal = n ? 1 : r->equal;
	while (r->equal < n && block[n - 1 - r->equal] == block[n - 1])
		r->equal++;
	xc_row_input_take(&r->base.input, r->given);
	r->given = xc_row_input_peek(&r->base.input, 1, &bytes);
	r->source.next_input_byte = bytes;
	r->source.bytes_in_buffer = r->given;
	if (r->given)
		return TRUE;
	/* libjpeg reads ahead, and says itself when it lacks bits. */
	r->cut = 1;
	if (!r->in_rows || r->base.input.failed)
		leave(r, fail_cut(r));
	r->source.next_input_byte = end;
	r->source.bytes_in_buffer = sizeof end;
	return TRUE;
}

static void skip_input(j_decompress_ptr jpeg, long count)
{
	struct jpeg_source_mgr *source = jpeg->src;
	size_t left = count > 0 ? (size_t)count : 0;

	while (left > source->bytes_in_buffer) {
		left -= source->bytes_in_buffer;
		fill_input(jpeg);
	}
	source->next_input_byte += left;
	source->bytes_in_buffer -= left;
}

static uint8_t next_byte(j_decompress_ptr jpeg)
{
	if (jpeg->src->bytes_in_buffer == 0)
		fill_input(jpeg);
	jpeg->src->bytes_in_buffer--;
	return *jpeg->src->next_input_byte++;
}

/* Takes a marker, whose length comes first and counts its own two bytes. */
static boolean read_marker(j_decompress_ptr jpeg)
{
	reader *r = jpeg->client_data;
	const int code = jpeg->unread_marker;
	size_t size = (size_t)next_byte(jpeg) << 8;

	size |= next_byte(jpeg);
	/* The length counts itself.  libjpeg takes less for nothing as well. */
	if (size < 2)
		tell_odd(r, "a marker without its length");
	size = size < 2 ? 0 : size - 2;
	for (size_t i = 0; i < size; i++)
		r->payload[i] = next_byte(jpeg);
	if (r->cut)
		return TRUE;
	const xc_status status = xc_jpeg_take_marker(&r->markers, code, r->payload, size);
	if (status)
		leave(r, status);
	return TRUE;
}

/* ----------------------------------------------------------------- header */

static void start(reader *r)
{
	r->jpeg.err = jpeg_std_error(&r->errors);
	r->errors.error_exit = on_error;
	r->errors.emit_message = on_message;
	r->jpeg.client_data = r;
	jpeg_create_decompress(&r->jpeg);
	r->jpeg.src = &r->source;
	r->source = (struct jpeg_source_mgr){
		.init_source = start_input,
		.fill_input_buffer = fill_input,
		.skip_input_data = skip_input,
		.resync_to_restart = jpeg_resync_to_restart,
		.term_source = start_input,
	};
	r->progress.progress_monitor = check_scans;
	r->jpeg.progress = &r->progress;
	/* libjpeg itself wants JFIF, APP0, and Adobe's APP14. */
	for (int i = 1; i <= 15; i++)
		if (i != 14)
			jpeg_set_marker_processor(&r->jpeg, JPEG_APP0 + i, read_marker);
	jpeg_set_marker_processor(&r->jpeg, JPEG_COM, read_marker);
}

static xc_status choose_colour(reader *r)
{
	char *message = r->base.file.message;

	if (r->jpeg.arith_code)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "an arithmetic-coded JPEG, which is not supported");
	/* A library that knows more depths says so only now. */
	if (r->jpeg.data_precision != 8)
		return fail_bits(r, r->jpeg.data_precision);
	switch (r->jpeg.jpeg_color_space) {
	case JCS_GRAYSCALE:
		r->jpeg.out_color_space = JCS_GRAYSCALE;
		return XC_OK;
	case JCS_RGB:
	case JCS_YCbCr:
		r->jpeg.out_color_space = JCS_RGB;
		return XC_OK;
	case JCS_CMYK:
	case JCS_YCCK:
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "a JPEG of printing colours (CMYK), whose pixels are not supported: "
		                    "'%s x.jpg -colorspace sRGB y.jpg' converts a JPEG file",
		                    xc_file_magick());
	default:
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "a JPEG of %d components, which is not supported",
		                    r->jpeg.num_components);
	}
}

static uint64_t units(uint64_t size, int samples)
{
	return (size + (uint64_t)samples * 8 - 1) / ((uint64_t)samples * 8);
}

/* Refuses what cannot succeed before libjpeg allocates memory for it. */
static xc_status check_size(reader *r)
{
	const struct jpeg_decompress_struct *j = &r->jpeg;
	const xc_row_input *in = &r->base.input;
	const uint64_t mcus = units(j->image_width, j->max_h_samp_factor) *
	                      units(j->image_height, j->max_v_samp_factor);
	uint64_t blocks = 0;

	for (int i = 0; i < j->num_components; i++)
		blocks += (uint64_t)(j->comp_info[i].h_samp_factor * j->comp_info[i].v_samp_factor);
	/* An MCU takes at least a bit. */
	if (in->ended && !r->base.file.limits.keep_going && mcus / 8 > in->end - in->at)
		return xc_file_fail(r->base.file.message, XC_ERR_TRUNCATED,
		                    "JPEG is too short for %u x %u pixels (at byte %" PRIu64 ")",
		                    j->image_width, j->image_height, in->before + in->end);
	/* Rows of samples before and after chroma is brought to full size. */
	xc_status status = xc_file_reserve(&r->base.file, 64 * (uint64_t)j->image_width);
	if (!status && jpeg_has_multiple_scans(&r->jpeg)) {
		status = xc_file_check_whole(&r->base.file);
		if (!status)
			status = xc_file_reserve(&r->base.file, mcus * blocks * 64 * sizeof(JCOEF));
	}
	return status;
}

/* JFIF's units are 0, an aspect ratio, 1, dots an inch, and 2, dots a centimetre.  Most files say
 * 1 : 1 because they must say something. */
static void read_density(const reader *r, xc_metadata *metadata)
{
	const uint32_t x = r->jpeg.X_density, y = r->jpeg.Y_density, unit = r->jpeg.density_unit;

	if (!r->jpeg.saw_JFIF_marker || !x || !y || unit > 2 || (unit == 0 && x == y))
		return;
	metadata->density_unit = unit != 0;
	metadata->density_x = unit == 1 ? (x * 10000 + 127) / 254 : unit == 2 ? 100 * x : x;
	metadata->density_y = unit == 1 ? (y * 10000 + 127) / 254 : unit == 2 ? 100 * y : y;
}

static void read_header(reader *r)
{
	xc_file_reader *file = &r->base.file;

	start(r);
	jpeg_read_header(&r->jpeg, TRUE);
	xc_status status = choose_colour(r);
	if (!status)
		status = xc_file_shape_rows(file, r->jpeg.image_width, r->jpeg.image_height,
		                            r->jpeg.out_color_space == JCS_RGB ? 3 : 1, 8);
	status = status ? status : check_size(r);
	status = status ? status : xc_jpeg_join_markers(&r->markers, 0);
	if (status)
		leave(r, status);
	read_density(r, &file->out->metadata);
	r->in_rows = 1;
}

/* Whether scans of a component, or of some bits, never came. */
static int lacks_scans(const struct jpeg_decompress_struct *j)
{
	for (int c = 0; c < j->num_components; c++) {
		if (!j->comp_info[c].quant_table)
			return 1;
		for (int k = 0; k < DCTSIZE2 && j->coef_bits; k++)
			if (j->coef_bits[c][k] != 0)
				return 1;
	}
	return 0;
}

static void begin_rows(reader *r)
{
	jpeg_start_decompress(&r->jpeg);
	if (!jpeg_has_multiple_scans(&r->jpeg) || r->base.out.damaged || !lacks_scans(&r->jpeg))
		return;
	if (r->cut && !r->base.file.limits.keep_going)
		leave(r, fail_cut(r));
	r->base.out.damaged = r->cut;
	xc_file_fail(r->base.file.message, XC_OK,
	             "JPEG lacks scans: what they would add is not in the picture");
}

/* ------------------------------------------------------------------- rows */

static void read_some(reader *r, uint8_t *rows, size_t stride, uint32_t count)
{
	JSAMPROW row[ROWS];

	while (count) {
		const uint32_t n = count < ROWS ? count : ROWS;
		for (uint32_t i = 0; i < n; i++)
			row[i] = rows + i * stride;
		const uint32_t done = jpeg_read_scanlines(&r->jpeg, row, n);
		rows += done * stride;
		count -= done;
	}
}

/* libjpeg's calls are made below these functions, which keep nothing across them. */
static xc_status read_rows(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	reader *r = (reader *)base;

	if (setjmp(r->leave) == 0)
		read_some(r, rows, stride, count);
	return r->status;
}

/* What follows the end of the picture: a second one, as of MPF and Ultra HDR, or a video. */
static void look_behind(reader *r)
{
	const uint8_t *p;
	const size_t n = xc_row_input_peek(&r->base.input, XC_ROW_INPUT_SIZE, &p);

	for (size_t i = 0; i + 4 <= n && i < XC_ROW_INPUT_SIZE; i++) {
		const int video = memcmp(p + i, "ftyp", 4) == 0;
		if (video || memcmp(p + i, "\xff\xd8\xff", 3) == 0) {
			xc_file_warn(r->base.file.message,
			             "a JPEG with a %s behind it: only the first picture is read",
			             video ? "video" : "second picture");
			return;
		}
	}
}

static void end_rows(reader *r)
{
	r->complete = 1;
	jpeg_finish_decompress(&r->jpeg);
	if (r->cut && !r->base.out.damaged)
		tell_odd(r, "it has no end mark");
	xc_row_input_take(&r->base.input, r->cut ? 0 : r->given - r->source.bytes_in_buffer);
	look_behind(r);
}

/* The markers after the pixels, up to the last one. */
static xc_status finish(xc_row_base *base)
{
	reader *r = (reader *)base;

	if (setjmp(r->leave) == 0)
		end_rows(r);
	return r->status ? r->status : xc_jpeg_join_markers(&r->markers, 1);
}

static void close_reader(xc_row_base *base)
{
	reader *r = (reader *)base;
	jpeg_destroy_decompress(&r->jpeg);
	xc_jpeg_free_markers(&r->markers);
}

static xc_status open_jpeg(xc_row_base *base)
{
	static const xc_row_reader_kind kind = {read_rows, finish, close_reader};
	reader *r = (reader *)base;

	base->kind = &kind;
	r->markers.file = &base->file;
	if (setjmp(r->leave) == 0) {
		read_header(r);
		begin_rows(r);
	}
	return r->status;
}

const xc_row_format xc_jpeg_rows = {sizeof(reader), open_jpeg};
