/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/clock.h"
#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"
#include "cli/base/settings.h"

/* A decoded picture replaces the last one in its memory if both have one shape, so that no
 * new memory is timed. */
static void keep_if_alike(xc_sweep_worker *w, const xc_picture *original, int grey)
{
	const uint32_t channels = grey && original->channels > 2 ? original->channels - 2
	                                                         : original->channels;
	const xc_picture *d = &w->decoded;

	if (d->width != original->width || d->height != original->height ||
	    d->depth != original->depth || d->channels != channels)
		xc_picture_free(w->context, &w->decoded);
}

static int code_own(xc_sweep_worker *w, const xc_sweep_setup *setup, const xc_sweep_original *o,
                    xc_sweep_point *point)
{
	xc_encode_options options = setup->encoder.options;
	xc_buffer file = {NULL, 0};

	options.quality = (int)point->quality;
	options.range = xc_cli_range_of(setup->encoder.range, &o->picture, &o->read.metadata);
	keep_if_alike(w, &o->picture, options.subsampling == XC_SUBSAMPLING_GREY);
	const double start = xc_cli_seconds();
	xc_status status = xc_encode(w->context, &o->picture, NULL, &options, &file);
	const double between = xc_cli_seconds();
	if (!status) {
		xc_cli_progress_part(w->progress, 1.0 / 3, 1.0 / 3);
		status = xc_decode(w->context, file.data, file.size, NULL, &w->decoded);
	}
	point->decode_seconds = xc_cli_seconds() - between;
	point->encode_seconds = between - start;
	point->bytes = file.size;
	char name[XC_CLI_SHOWN];
	snprintf(name, sizeof name, "%s: %s", o->name, setup->name);
	const int failed = xc_cli_check(name, w->context, status);
	xc_buffer_free(w->context, &file);
	return failed;
}

static int code_foreign(xc_sweep_worker *w, const xc_sweep_setup *setup, const xc_sweep_original *o,
                        xc_sweep_point *point)
{
	const int png = xc_sweep_foreign_input(&setup->foreign, &o->picture) == XC_FILE_PNG;
	const xc_file_limits limits = xc_cli_file_limits(w->limits, w->context);
	const xc_sweep_foreign_job job = {&setup->foreign, setup->name,           o->name,
	                                  &o->picture,     png ? o->png : o->pnm, w->folder,
	                                  w->group,        point->quality,        &limits};
	double seconds[2];

	xc_file_picture_free(&w->file);
	const int failed = xc_sweep_foreign_run(&job, &point->bytes, seconds, &w->file);
	point->encode_seconds = seconds[0];
	point->decode_seconds = seconds[1];
	return failed;
}

/* Encodes and decodes: sets the point's bytes and seconds, and *decoded, which is valid until the
 * next call. Returns 0, or -1 after reporting why not. */
static int code_once(xc_sweep_worker *worker, const xc_sweep_setup *setup,
                     const xc_sweep_original *original, xc_sweep_point *point, xc_picture *decoded)
{
	xc_cli_progress_part(worker->progress, 0, 1.0 / 3);
	xc_cli_limit_memory(worker->context, worker->limits, original->bytes, 2);
	const int failed = (setup->is_foreign ? code_foreign : code_own)(worker, setup, original,
	                                                                 point);
	*decoded = setup->is_foreign ? worker->file.picture : worker->decoded;
	return failed;
}

/* A grey picture has no measures of colour. */
static void store(double m[XC_SWEEP_METRICS], const xc_comparison *c, int grey)
{
	m[XC_SWEEP_PSNR_RGB] = c->psnr_rgb;
	m[XC_SWEEP_PSNR_Y] = c->psnr_y;
	m[XC_SWEEP_PSNR_YCBCR] = grey ? NAN
	                              : (6 * c->psnr_y + c->psnr_chroma[0] + c->psnr_chroma[1]) / 8;
	for (int i = 0; i < 3; i++)
		m[XC_SWEEP_PSNR_R + i] = grey ? NAN : c->psnr_channel[i];
	m[XC_SWEEP_SSIM_Y] = c->ssim_y;
}

int xc_sweep_measure_point(xc_sweep_worker *worker, const xc_sweep_setup *setup,
                           const xc_sweep_original *original, xc_sweep_point *point,
                           xc_picture *decoded)
{
	const xc_picture *picture = &original->picture;
	double *m = point->metric;
	xc_comparison comparison;
	double largest; /* distance, which is not kept */

	if (code_once(worker, setup, original, point, decoded))
		return -1;
	xc_cli_progress_part(worker->progress, 2.0 / 3, 1.0 / 3);
	xc_status status = xc_compare_all(worker->context, picture, decoded, original->peak,
	                                  &comparison, &m[XC_SWEEP_MS_SSIM_Y]);
	if (!status)
		status = xc_ssimulacra2(worker->context, picture, decoded, original->peak,
		                        &m[XC_SWEEP_SSIMULACRA2]);
	if (!status)
		status = xc_butteraugli(worker->context, picture, decoded, original->peak,
		                        &m[XC_SWEEP_BUTTERAUGLI], &largest);
	if (xc_cli_check(original->name, worker->context, status))
		return -1;
	point->max_abs_diff = xc_cli_range_in_file(comparison.max_abs_diff, &original->read.metadata);
	store(m, &comparison, picture->channels < 3);
	return 0;
}

void xc_sweep_worker_clear(xc_sweep_worker *worker)
{
	xc_picture_free(worker->context, &worker->decoded);
	xc_file_picture_free(&worker->file);
}

/* Copies the picture without its alpha, into memory that the caller frees with the context. */
static xc_status copy_opaque(xc_context *context, const xc_picture *from, xc_picture *to)
{
	*to = (xc_picture){from->width, from->height, from->channels - 1, from->depth, 0, NULL};
	const xc_status status = xc_picture_allocate(context, to);
	const size_t pixel = from->channels * (size_t)from->depth / 8;
	const size_t kept = (from->channels - 1) * (size_t)from->depth / 8;
	for (uint32_t y = 0; !status && y < from->height; y++) {
		const uint8_t *row = (const uint8_t *)from->data + y * from->stride;
		uint8_t *opaque = (uint8_t *)to->data + y * to->stride;
		for (uint32_t x = 0; x < from->width; x++)
			memcpy(opaque + x * kept, row + x * pixel, kept);
	}
	return status;
}

static int write_opaque(const xc_sweep_original *o, const xc_picture *p, xc_file_format format,
                        const char *path)
{
	char message[XC_FILE_MESSAGE] = "";
	uint8_t *data;
	size_t size;
	const xc_status status = xc_file_write(format, p, NULL, -1, NULL, &data, &size, message);

	if (status)
		return xc_cli_status_error(o->name, status, message);
	const int failed = xc_cli_write(path, 0, data, size);
	free(data);
	return failed;
}

/* Writes the file unless it is there; *path becomes its name. */
static int provide(xc_sweep_original *o, xc_file_format format, const char *folder, size_t number)
{
	char **path = format == XC_FILE_PNG ? &o->png : &o->pnm;
	const int has_alpha = o->picture.channels % 2 == 0;
	xc_picture opaque = {.data = NULL};

	if (*path)
		return 0;
	*path = xc_cli_text(o->name, "%s/%zu.%s", folder, number, xc_file_format_name(format));
	if (!*path)
		return -1;
	if (has_alpha &&
	    xc_cli_check(o->name, o->context, copy_opaque(o->context, &o->picture, &opaque)))
		return -1;
	const int failed = write_opaque(o, has_alpha ? &opaque : &o->picture, format, *path);
	xc_picture_free(o->context, &opaque);
	return failed;
}

int xc_sweep_original_read(xc_sweep_original *original, const char *path,
                           const xc_cli_limits *limits, const xc_sweep_setups *setups, int peak,
                           const char *folder, size_t number)
{
	*original = (xc_sweep_original){.name = xc_cli_input_name(path)};
	original->context = xc_cli_context(limits);
	const xc_cli_reader reader = {.context = original->context,
	                              .limits = limits,
	                              .pixels_alone = 1};
	if (original->context)
		xc_cli_limit_memory(original->context, limits, xc_cli_sizes(&path, 1), 2);
	if (!original->context || xc_cli_picture_read(&reader, path, XC_FILE_UNKNOWN, &original->read))
		return -1;
	original->picture = original->read.picture;
	original->peak = xc_cli_peak_of(peak, &original->picture, &original->read.metadata);
	original->bytes = original->read.file_bytes;
	original->checksum = original->read.checksum;
	int failed = 0;
	for (size_t i = 0; i < setups->count && !failed; i++) {
		const xc_sweep_setup *s = &setups->setup[i];
		if (s->is_foreign)
			failed = provide(original, xc_sweep_foreign_input(&s->foreign, &original->picture),
			                 folder, number);
	}
	return failed;
}

static void forget(char **path)
{
	if (*path)
		remove(*path);
	free(*path);
	*path = NULL;
}

void xc_sweep_original_free(xc_sweep_original *original)
{
	forget(&original->pnm);
	forget(&original->png);
	if (original->context)
		xc_cli_picture_free(original->context, &original->read);
	xc_context_free(original->context);
	original->context = NULL;
	original->picture.data = NULL;
}

/* For the report, which wants an errno. */
static int fail(xc_sweep_page_pictures *v)
{
	v->reported = 1;
	errno = EIO;
	return -1;
}

static int give_original(void *user, uint32_t picture, xc_picture *out)
{
	xc_sweep_page_pictures *v = user;
	const xc_sweep_plan *plan = v->run->plan;

	xc_sweep_original_free(&v->original);
	if (xc_sweep_original_read(&v->original, plan->paths[picture], &plan->limits, &plan->setups,
	                           plan->peak, v->folder, picture))
		return fail(v);
	*out = v->original.picture;
	return 0;
}

static int code(void *user, xc_sweep_point *point, xc_picture *decoded)
{
	xc_sweep_page_pictures *v = user;
	const xc_sweep_setup *setup = &v->run->plan->setups.setup[point->config];
	xc_picture unused;
	const int failed = decoded
	                       ? xc_sweep_measure_point(&v->worker, setup, &v->original, point, decoded)
	                       : code_once(&v->worker, setup, &v->original, point, &unused);

	return failed ? fail(v) : 0;
}

static int make_folder(xc_sweep_page_pictures *v)
{
	const xc_sweep_private_folder *k = &v->run->private;

	if (!k->process)
		return 0;
	v->folder = xc_cli_text(NULL, "%s/again", k->folder);
	if (!v->folder)
		return -1;
	v->worker.folder = v->folder;
	v->worker.group = k->process;
	return mkdir(v->folder, 0700) ? xc_cli_error(v->folder, "cannot create") : 0;
}

int xc_sweep_page_pictures_start(xc_sweep_page_pictures *page_pictures, const xc_sweep_run *run)
{
	const xc_cli_limits *limits = &run->plan->limits;

	*page_pictures = (xc_sweep_page_pictures){.run = run};
	page_pictures->viewer = (xc_sweep_viewer){.original = give_original,
	                                          .code = code,
	                                          .user = page_pictures};
	page_pictures->worker.limits = limits;
	page_pictures->worker.context = xc_cli_context(limits);
	if (!page_pictures->worker.context || make_folder(page_pictures))
		return -1;
	xc_cli_progress_start(&page_pictures->progress, page_pictures->worker.context, XC_CLI_QUIET, "",
	                      "");
	page_pictures->worker.progress = &page_pictures->progress;
	return 0;
}

void xc_sweep_page_pictures_free(xc_sweep_page_pictures *page_pictures)
{
	xc_sweep_original_free(&page_pictures->original);
	if (page_pictures->worker.context)
		xc_sweep_worker_clear(&page_pictures->worker);
	xc_context_free(page_pictures->worker.context);
	free(page_pictures->folder);
}
