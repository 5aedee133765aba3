/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/target.h"

#include "cli/base/report.h"
#include "cli/base/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads a decimal number such as "12" or "0.5", without sign, blanks or exponent: what follows it,
 * or NULL. */
static const char *read_decimal(const char *text, double *number)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(text, digits);
	size_t part = text[whole] == '.' ? strspn(text + whole + 1, digits) : 0;

	if (!whole || (text[whole] == '.' && !part) || whole + part > 15)
		return NULL;
	*number = strtod(text, NULL);
	return text + whole + (part ? part + 1 : 0);
}

static const char *parse_quality(const char *text, void *to)
{
	xc_cli_target *t = to;
	double number;
	const char *end = read_decimal(text, &number);

	if (!end || *end || number < 1 || number > 100)
		return "a number from 1 to 100, such as 75 or 75.5";
	int fine = (int)lround(number * 256);
	t->quality = fine / 256;
	t->quality_parts = fine % 256;
	return NULL;
}

static void take(xc_cli_target *t, xc_target_kind kind, double value)
{
	t->too_many |= t->wanted && t->target.kind != kind;
	t->wanted = 1;
	t->per_pixel = 0;
	t->target = (xc_target){kind, value};
}

static const char *parse_size(const char *text, void *to)
{
	xc_cli_target *t = to;
	uint64_t bytes;
	double number;
	const char *end = read_decimal(text, &number);

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
	const char *end = read_decimal(text, &number);

	if (!end || *end || number <= 0)
		return "a number of dB above 0, such as 38.5";
	take(to, XC_TARGET_PSNR, number);
	return NULL;
}

static const char *parse_ssim(const char *text, void *to)
{
	double number;
	const char *end = read_decimal(text, &number);

	if (!end || *end || number <= 0 || number >= 1)
		return "a number between 0 and 1, such as 0.95";
	take(to, XC_TARGET_SSIM, number);
	return NULL;
}

/* clang-format off */
const xc_cli_option xc_cli_target_options[] = {
	{ .name = "quality", .letter = 'q', .type = XC_CLI_CUSTOM, .parse = parse_quality, .value = "N",
	  .help = "1 (smallest) to 100 (best), also between two whole numbers; default 75" },
	{ .name = "target-size", .type = XC_CLI_CUSTOM, .parse = parse_size, .value = "BYTES",
	  .help = "instead of a quality: the best file of at most so many bytes; 64K, 2M; or bits a "
	          "pixel: 1.2bpp" },
	{ .name = "target-psnr", .type = XC_CLI_CUSTOM, .parse = parse_psnr, .value = "DB",
	  .help = "likewise: a file with this PSNR over RGB" },
	{ .name = "target-ssim", .type = XC_CLI_CUSTOM, .parse = parse_ssim, .value = "S",
	  .help = "likewise: a file with this SSIM of luma, between 0 and 1" },
	{ .name = NULL }
};
/* clang-format on */

int xc_cli_target_check(const xc_cli_command *self, const xc_cli_target *t,
                        xc_encode_options *options)
{
	if (t->too_many)
		return xc_cli_misuse(self, "only one target can be reached");
	if (t->wanted && t->quality)
		return xc_cli_misuse(self, "--quality and a target exclude each other");
	if (t->quality) {
		options->quality = t->quality;
		options->quality_parts = t->quality_parts;
	}
	return -1;
}

int xc_cli_target_encode(const xc_cli_target *t, xc_context *context, const char *name,
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
	                   options->subsampling != XC_SUBSAMPLING_444 && result->reached < target.value;
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

void xc_cli_target_tell(const xc_cli_target *t, const xc_target_result *r)
{
	static const char *const units[] = {"bytes", "dB", "of SSIM"};
	static const int digits[] = {0, 3, 6};
	const xc_target_kind kind = t->target.kind;

	xc_cli_say("  %.*f %s %s by quality %.3f, in %d trial%s\n", digits[kind], r->reached,
	           units[kind], r->met ? "reached" : "instead of the target", quality_of(r), r->trials,
	           xc_s((unsigned)r->trials));
}

void xc_cli_target_json(const xc_cli_target *t, const xc_target_result *r, xc_cli_json *json)
{
	static const char *const names[] = {"bytes", "psnr_rgb", "ssim_y"};

	xc_cli_json_inline_object(json, "target");
	xc_cli_json_text(json, "kind", t->per_pixel ? "bits_per_pixel" : names[t->target.kind]);
	xc_cli_json_number(json, "wanted", t->target.value);
	xc_cli_json_number(json, names[t->target.kind], r->reached);
	xc_cli_json_boolean(json, "met", r->met);
	xc_cli_json_integer(json, "trials", (uint64_t)r->trials);
	xc_cli_json_end_object(json);
}
