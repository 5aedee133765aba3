/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/formats.h"
#include "sweep/report/html_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { CELL = 16, GREEN = 1 };

int xc_sweep_cells_start(xc_sweep_cells *cells, const xc_picture *original)
{
	cells->wide = (original->width + CELL - 1) / CELL;
	cells->high = (original->height + CELL - 1) / CELL;
	cells->mark = calloc((size_t)cells->wide * cells->high, sizeof *cells->mark);
	return cells->mark ? 0 : -1;
}

static double square(int difference)
{
	return (double)difference * difference;
}

/* Green stands for luma. */
static double mark_of(const xc_picture *original, const xc_picture *decoded, uint32_t x0,
                      uint32_t y0)
{
	double error = 0, activity = 0;

	for (uint32_t y = y0; y < y0 + CELL && y < original->height; y++)
		for (uint32_t x = x0; x < x0 + CELL && x < original->width; x++) {
			const int here = xc_sweep_sample(original, x, y, GREEN);

			error += square(here - xc_sweep_sample(decoded, x, y, GREEN));
			if (x > 0)
				activity += square(here - xc_sweep_sample(original, x - 1, y, GREEN));
			if (y > 0)
				activity += square(here - xc_sweep_sample(original, x, y - 1, GREEN));
		}
	/* 8 grey levels a pixel: where a cell is flat its noise must not decide. */
	return error / (activity + square(8) * CELL * CELL);
}

void xc_sweep_cells_add(xc_sweep_cells *cells, const xc_picture *original,
                        const xc_picture *decoded)
{
	for (uint32_t y = 0; y < cells->high; y++)
		for (uint32_t x = 0; x < cells->wide; x++)
			cells->mark[(size_t)y * cells->wide + x] += mark_of(original, decoded, x * CELL,
			                                                    y * CELL);
}

static double sum_of(const xc_sweep_cells *cells, uint32_t x0, uint32_t y0, uint32_t wide,
                     uint32_t high)
{
	double sum = 0;

	for (uint32_t y = y0; y < y0 + high; y++)
		for (uint32_t x = x0; x < x0 + wide; x++)
			sum += cells->mark[(size_t)y * cells->wide + x];
	return sum;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

xc_sweep_crop xc_sweep_cells_best(const xc_sweep_cells *cells, const xc_picture *original,
                                  uint32_t side)
{
	const uint32_t whole_cells = side < CELL ? 1 : side / CELL;
	const uint32_t cells_wide = (uint32_t)min_u64(cells->wide, whole_cells);
	const uint32_t cells_high = (uint32_t)min_u64(cells->high, whole_cells);
	xc_sweep_crop best = {0, 0, 0, 0};
	double max = -1;

	for (uint32_t y = 0; y + cells_high <= cells->high; y++)
		for (uint32_t x = 0; x + cells_wide <= cells->wide; x++) {
			const double sum = sum_of(cells, x, y, cells_wide, cells_high);
			if (sum > max) {
				max = sum;
				best.x = x * CELL;
				best.y = y * CELL;
			}
		}
	best.width = (uint32_t)min_u64(side, original->width);
	best.height = (uint32_t)min_u64(side, original->height);
	best.x = (uint32_t)min_u64(best.x, (original->width - best.width) & ~7u);
	best.y = (uint32_t)min_u64(best.y, (original->height - best.height) & ~7u);
	return best;
}

/* A picture of at most MAX_WHOLE pixels is shown whole; else, and if all of them would come to more
 * than MAX_PIXELS, parts of fewer. */
enum { MAX_SIDE = 512, MAX_WHOLE = 768 * 512, MAX_PIXELS = 24000000, FOCUS = 160 };

typedef struct work {
	FILE *out;
	const xc_sweep_results *results;
	const xc_sweep_viewer *viewer;
} work;

void xc_sweep_image_id(char id[XC_SWEEP_IMAGE_ID], uint32_t picture, const xc_sweep_point *point)
{
	if (point)
		snprintf(id, XC_SWEEP_IMAGE_ID, "decoded-%u-%u-%g", (unsigned)picture,
		         (unsigned)point->config, point->quality);
	else
		snprintf(id, XC_SWEEP_IMAGE_ID, "original-%u", (unsigned)picture);
}

/* Copies the part in 8 bits, grey or RGB. */
static int cut(const xc_picture *picture, const xc_sweep_crop *crop, xc_picture *out)
{
	*out = (xc_picture){crop->width, crop->height, picture->channels < 3 ? 1 : 3, 8, 0, NULL};
	out->stride = (size_t)out->width * out->channels;
	out->data = malloc(out->stride * out->height);
	if (!out->data)
		return -1;
	uint8_t *to = out->data;
	for (uint32_t y = crop->y; y < crop->y + crop->height; y++)
		for (uint32_t x = crop->x; x < crop->x + crop->width; x++)
			for (uint32_t c = 0; c < out->channels; c++)
				*to++ = (uint8_t)xc_sweep_sample(picture, x, y, c);
	return 0;
}

static int put_image(FILE *out, const char *id, const xc_picture *picture,
                     const xc_sweep_crop *crop)
{
	char message[XC_FILE_MESSAGE];
	uint8_t *bytes = NULL;
	size_t size = 0;
	xc_picture image;

	if (cut(picture, crop, &image))
		return -1;
	xc_status status = xc_file_write(XC_FILE_PNG, &image, NULL, -1, NULL, &bytes, &size, message);
	free(image.data);
	if (status != XC_OK) {
		errno = status == XC_ERR_MEMORY ? ENOMEM : EIO;
		return -1;
	}
	fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
	xc_sweep_put_base64(out, bytes, size);
	fputs("</script>\n", out);
	free(bytes);
	return 0;
}

/* Whether pixels that were given have the shape that they should have. */
static int check_shape(const work *w, uint32_t picture, const xc_picture *given)
{
	const xc_sweep_picture *shape = &w->results->pictures[picture];

	if (given->width == shape->width && given->height == shape->height)
		return 0;
	errno = EINVAL;
	return -1;
}

static int decode(const work *w, xc_sweep_point *point, xc_picture *decoded)
{
	return w->viewer->code(w->viewer->user, point, decoded) ||
	               check_shape(w, point->picture, decoded)
	           ? -1
	           : 0;
}

static int is_repeated(const xc_sweep_view *view, size_t index)
{
	const xc_sweep_point *point = &view->point[index];

	for (size_t i = 0; i < index; i++)
		if (view->point[i].config == point->config && view->point[i].quality == point->quality &&
		    view->point[i].bytes)
			return 1;
	return 0;
}

/* Chooses the part by the errors at the smallest size. */
static int choose_crop(const work *w, xc_sweep_view *view, const xc_picture *original,
                       uint32_t side, uint64_t max_whole)
{
	const int whole = (uint64_t)original->width * original->height <= max_whole;
	xc_sweep_cells cells;
	xc_picture decoded;

	if (xc_sweep_cells_start(&cells, original))
		return -1;
	for (size_t i = 0; view->sizes && i < w->results->config_count; i++) {
		if (!view->point[i].bytes)
			continue;
		if (decode(w, &view->point[i], &decoded)) {
			free(cells.mark);
			return -1;
		}
		xc_sweep_cells_add(&cells, original, &decoded);
	}
	view->focus = xc_sweep_cells_best(&cells, original, FOCUS);
	view->crop = whole ? (xc_sweep_crop){0, 0, original->width, original->height}
	                   : xc_sweep_cells_best(&cells, original, side);
	free(cells.mark);
	return 0;
}

static int put_view(const work *w, xc_sweep_view *view, uint32_t side, uint64_t max_whole)
{
	char id[XC_SWEEP_IMAGE_ID];
	xc_picture original, decoded;

	if (w->viewer->original(w->viewer->user, view->picture, &original) ||
	    check_shape(w, view->picture, &original) ||
	    xc_sweep_pairs(w->results, view->picture, w->viewer, view->point, &view->sizes) ||
	    choose_crop(w, view, &original, side, max_whole))
		return -1;
	xc_sweep_image_id(id, view->picture, NULL);
	if (put_image(w->out, id, &original, &view->crop))
		return -1;
	for (size_t i = 0; i < view->sizes * w->results->config_count; i++) {
		xc_sweep_point *point = &view->point[i];

		if (!point->bytes)
			continue;
		/* Twice, if it was repeated: so that its measures are known. */
		xc_sweep_image_id(id, view->picture, point);
		if (decode(w, point, &decoded) ||
		    (!is_repeated(view, i) && put_image(w->out, id, &decoded, &view->crop)))
			return -1;
	}
	return 0;
}

/* The pixels of all images if none has more than `max`. */
static uint64_t total(const xc_sweep_results *results, const xc_sweep_views *views, uint64_t max)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < views->count; i++) {
		const xc_sweep_picture *shape = &results->pictures[i];
		sum += (1 + XC_SWEEP_SIZES * results->config_count) *
		       min_u64((uint64_t)shape->width * shape->height, max);
	}
	return sum;
}

static uint64_t max_pixels(const xc_sweep_results *results, const xc_sweep_viewer *viewer,
                           const xc_sweep_views *views)
{
	static const uint32_t max[] = {MAX_WHOLE, MAX_SIDE * MAX_SIDE, 384 * 384, 256 * 256};
	int i = 0;

	if (viewer->side)
		return (uint64_t)viewer->side * viewer->side;
	while (i < 3 && total(results, views, max[i]) > MAX_PIXELS)
		i++;
	return max[i];
}

static int allocate(const xc_sweep_results *results, xc_sweep_views *views)
{
	views->view = calloc(results->picture_count + 1, sizeof *views->view);
	views->count = views->view ? results->picture_count : 0;
	for (uint32_t i = 0; i < views->count; i++) {
		xc_sweep_view *view = &views->view[i];

		view->picture = i;
		view->point = calloc(XC_SWEEP_SIZES * results->config_count + 1, sizeof *view->point);
		if (!view->point)
			return -1;
	}
	return views->view ? 0 : -1;
}

int xc_sweep_put_views(FILE *out, const xc_sweep_results *results, const xc_sweep_viewer *viewer,
                       xc_sweep_views *views)
{
	const work w = {out, results, viewer};

	*views = (xc_sweep_views){NULL, 0};
	if (allocate(results, views))
		return -1;
	const uint64_t max = max_pixels(results, viewer, views);
	const uint32_t side = (uint32_t)min_u64((uint64_t)sqrt((double)max),
	                                        viewer->side ? viewer->side : MAX_SIDE);
	for (size_t i = 0; i < views->count; i++)
		if (put_view(&w, &views->view[i], side, max))
			return -1;
	return 0;
}

void xc_sweep_views_free(xc_sweep_views *views)
{
	for (size_t i = 0; i < views->count; i++)
		free(views->view[i].point);
	free(views->view);
	*views = (xc_sweep_views){NULL, 0};
}
