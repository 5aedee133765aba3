/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_encode_target(): encodes at one quality after another and keeps the best file. */
#include <xcodec_target.h>

#include <math.h>
#include <stdio.h>

#include "src/core/floats.h"
#include "src/core/picture.h"
#include "src/decode/decoder.h"
#include "src/encode/encoder.h"
#include "src/metrics/metrics.h"

/* ---------------------------------------------------------------- the search */

/*
 * The search for the quality whose outcome is nearest to a wanted one.
 *
 * A point is a quality in 256ths. The mean logarithm of its steps is a scale on which the outcomes
 * (logarithm of bytes, dB, logarithm of the distance from the best value) lie nearly on a line. The
 * search follows the line through the two nearest points, and stays between the last point that was
 * too low and the last one that was too high. It knows nothing of pictures.
 */

enum { FIRST_QUALITY = 256, LAST_QUALITY = 100 * 256 };

typedef struct search_point {
	int quality; /* 0: none */
	double scale;
	double outcome; /* which grows with the scale, but for noise */
} search_point;

typedef struct search_state {
	double (*scale)(void *user, int quality); /* never falls; equal scales mean equal outcomes */
	void *user;
	double aim, low, high;     /* the wanted outcome, and between which ones it is good enough */
	double slope;              /* of the line while there is only one point */
	search_point below, above; /* the nearest points on either side of the aim */
	search_point last;
	int same_side; /* points on the same side as the one before, in a row */
	double width;  /* of the scale between them when it was last halved */
	int slow;      /* points since then */
	int points;
} search_state;

/* The first quality from `min` to `max` that lies no lower on the scale; `max` if there is none. */
static int quality_of(const search_state *s, double scale, int min, int max)
{
	while (min < max) {
		const int middle = (min + max) / 2;
		if (s->scale(s->user, middle) < scale)
			min = middle + 1;
		else
			max = middle;
	}
	return min;
}

static int between(const search_state *s)
{
	const search_point *b = &s->below, *a = &s->above;
	/* If two points did not halve the interval, the line is a bad guide. */
	const double part = s->slow > 1 ? 0.5 : (s->aim - b->outcome) / (a->outcome - b->outcome);
	const double scale = b->scale + part * (a->scale - b->scale);
	int quality = quality_of(s, scale, b->quality + 1, a->quality);

	/* The next lower quality, if this one equals the upper end. */
	if (s->scale(s->user, quality) >= a->scale)
		quality--;
	return quality > b->quality && s->scale(s->user, quality) > b->scale ? quality : 0;
}

/* All points so far are on one side of the aim; `p` is the nearest. */
static int beyond(const search_state *s, const search_point *p)
{
	const double step = (s->aim - p->outcome) / s->slope;
	const double scale = p->scale + step * (s->same_side > 1 ? 2 : 1);

	if (p->outcome < s->aim)
		return p->quality == LAST_QUALITY ? 0 : quality_of(s, scale, p->quality + 1, LAST_QUALITY);
	return p->quality == FIRST_QUALITY ? 0 : quality_of(s, scale, FIRST_QUALITY, p->quality - 1);
}

/* The next quality to try, after at least one search_add(); 0: none. */
static int search_next(const search_state *s)
{
	if (s->last.outcome >= s->low && s->last.outcome <= s->high)
		return 0;
	if (s->below.quality && s->above.quality)
		return between(s);
	return beyond(s, s->below.quality ? &s->below : &s->above);
}

/* Counts the points since the interval was last halved. */
static void note_width(search_state *s)
{
	const double width = s->above.scale - s->below.scale;

	s->slow++;
	if (s->below.quality && s->above.quality && (!(s->width > 0) || 2 * width <= s->width)) {
		s->width = width;
		s->slow = 0;
	}
}

static void search_add(search_state *s, int quality, double outcome)
{
	const search_point p = {quality, s->scale(s->user, quality), outcome};
	const int low = outcome < s->aim;

	if (s->points && p.scale != s->last.scale) {
		const double slope = (outcome - s->last.outcome) / (p.scale - s->last.scale);
		/* Saturated ends and noise say nothing about the middle. */
		if (slope > s->slope / 8 && slope < s->slope * 8)
			s->slope = slope;
		s->same_side = (s->last.outcome < s->aim) == low ? s->same_side + 1 : 0;
	}
	*(low ? &s->below : &s->above) = p;
	s->last = p;
	s->points++;
	note_width(s);
}

/* ------------------------------------------------------------------ the hunt */

/* More than halving takes if only every other trial halves the interval. */
enum { MAX_TRIALS = 24 };

typedef struct hunt {
	xc_context *context;
	const xc_picture *picture;
	const xc_metadata *metadata;
	xc_encode_options given, options; /* the latter without AUTO */
	xc_target target;
	search_state search;
	xc_coefficient_cache cache;
	xc_picture decoded;
	xc_buffer file, best; /* of this trial, and of the best one so far */
	double best_outcome;
	xc_target_result result; /* of the best trial; number of all trials */
	xc_progress_range all;   /* of the progress */
} hunt;

/* The parameters of each kind. */
static const struct kind {
	double best;      /* which a target must be below */
	double usual;     /* at quality 75, of a typical photograph; bytes: a pixel */
	double slope;     /* typical slope of the outcome over the scale */
	double margin;    /* around the wanted value */
	double aim;       /* from the wanted outcome */
	double low, high; /* likewise, from those of the margin's ends */
	int digits;       /* of a value that is shown, with this unit: */
	const char *unit;
} kinds[] = {
	[XC_TARGET_BYTES] = {HUGE_VAL, 1.32 / 8, 0.85, 0, -0.004, -0.01, 0, 0, " bytes"},
	[XC_TARGET_PSNR] = {HUGE_VAL, 33.5, 4, 0.05, 0, 0, 0, 3, " dB"},
	[XC_TARGET_SSIM] = {1, 0.94, 0.9, 0, 0, -0.01, 0.01, 6, ""},
	[XC_TARGET_SSIMULACRA2] = {100, 75, 0.58, 0.2, 0, 0, 0, 3, " of SSIMULACRA2"},
};

/* The outcome of a result, on the scale of the search. */
static double outcome_of(xc_target_kind kind, double reached)
{
	/* Smaller than the distance from 1 of any value below 1 in double precision. */
	const double min = 1e-16;

	return kind == XC_TARGET_BYTES  ? log(reached)
	       : kind == XC_TARGET_PSNR ? fmin(reached, 1000)
	                                : -log(fmax(kinds[kind].best - reached, min));
}

/* ------------------------------------------------------------ a trial */

/* Nobody knows how many trials there will be: each stage of one takes a quarter of the remaining
 * progress. */
static void begin_stage(const hunt *h)
{
	xc_progress_stage(h->context, xc_progress_rest(h->context, h->all), 0, 0.25);
}

/* Measures the file of the trial. */
static xc_status measure(hunt *h, double *reached)
{
	xc_context *c = h->context;

	*reached = (double)h->file.size;
	if (h->target.kind == XC_TARGET_BYTES)
		return XC_OK;
	const uint32_t depth = h->picture->depth, peak = xc_encode_peak(&h->options, depth);
	begin_stage(h);
	xc_status s = xc_decode_file(c, h->file.data, h->file.size, NULL, &h->decoded, NULL);
	begin_stage(h);
	if (!s && h->target.kind == XC_TARGET_SSIMULACRA2) {
		s = xc_ssimulacra2_of(c, h->picture, &h->decoded, peak, reached);
	} else if (!s && h->target.kind == XC_TARGET_PSNR) {
		*reached = xc_psnr_rgb(h->picture, &h->decoded, peak);
	} else if (!s) {
		const xc_luma_plane lumas[2] = {xc_luma_of(h->picture, depth, peak),
		                                xc_luma_of(&h->decoded, depth, peak)};
		xc_ssim_means means;
		s = xc_ssim(c, &lumas[0], &lumas[1], &means);
		*reached = s ? 0 : means.index;
	}
	xc_stage(c, "measuring");
	return s;
}

static xc_status encode_and_measure(hunt *h, double *reached)
{
	begin_stage(h);
	const xc_status s = xc_encode_picture(h->context, h->picture, h->metadata, &h->options,
	                                      &h->cache, &h->file);
	return s ? s : measure(h, reached);
}

static xc_status try(hunt *h, int quality, double *reached)
{
	h->options.quality = quality / 256;
	h->options.quality_parts = quality % 256;
	h->result.trials++;
	xc_status s = encode_and_measure(h, reached);
	if ((s == XC_ERR_LIMIT || s == XC_ERR_MEMORY) && h->cache.coefficients) {
		/* The cache may hold the memory that is missing. */
		xc_coefficient_cache_free(h->context, &h->cache);
		xc_buffer_free(h->context, &h->file);
		h->context->message[0] = '\0';
		h->context->limit_met = 0;
		s = encode_and_measure(h, reached);
	}
	return s;
}

/* A size must not be exceeded; otherwise the nearer outcome is better. */
static int is_better(const hunt *h, double outcome)
{
	const double aim = h->search.aim, before = h->best_outcome;

	if (!h->best.data)
		return 1;
	if (h->target.kind != XC_TARGET_BYTES)
		return fabs(outcome - aim) < fabs(before - aim);
	return before > h->search.high ? outcome < before
	                               : outcome <= h->search.high && outcome > before;
}

static void take(hunt *h, double reached, double outcome)
{
	if (is_better(h, outcome)) {
		const xc_buffer file = h->file;
		h->file = h->best;
		h->best = file;
		h->best_outcome = outcome;
		h->result.reached = reached;
		h->result.quality = h->options.quality;
		h->result.quality_parts = h->options.quality_parts;
	}
	xc_buffer_free(h->context, &h->file);
}

/* ------------------------------------------------------------ the search */

/* The scale of a quality: the mean logarithm of the steps of luma, negated. */
static double scale(void *user, int quality)
{
	const hunt *h = user;
	xc_encode_options o = h->options;
	xc_encode_plan plan;
	double sum = 0;

	o.quality = quality / 256;
	o.quality_parts = quality % 256;
	xc_encode_plan_steps(&plan, &o, h->picture->depth);
	for (int i = 0; i < 64; i += 8) {
		double product = 1;
		for (int k = 0; k < 8; k++)
			product *= plan.steps[0][i + k];
		sum += log(product);
	}
	return -sum / 64;
}

/* The first quality, from what quality 75 gives for a typical photograph. */
static int first_quality(const hunt *h)
{
	const double pixels = (double)h->picture->width * h->picture->height;
	const double usual = kinds[h->target.kind].usual *
	                     (h->target.kind == XC_TARGET_BYTES ? pixels : 1);
	search_state guess = h->search;

	search_add(&guess, 75 * 256, outcome_of(h->target.kind, usual));
	const int quality = search_next(&guess);
	return quality ? quality : 75 * 256;
}

/* The call succeeds all the same. */
static void say_miss(const hunt *h)
{
	const char *how = h->search.above.quality == FIRST_QUALITY  ? "the least that there is gives"
	                  : h->search.below.quality == LAST_QUALITY ? "the most that there is gives"
	                                                            : "the nearest that there is gives";
	const struct kind *k = &kinds[h->target.kind];
	const double wanted = h->target.value;
	char number[64];

	/* A target may have any number of digits. */
	snprintf(number, sizeof number, wanted < 1e15 ? "%.*f" : "%.*g", k->digits, wanted);
	xc_fail(h->context, XC_OK, "%s %.*f%s, where %s%s were wanted", how, k->digits,
	        h->result.reached, k->unit, number, k->unit);
}

static xc_status search(hunt *h)
{
	const int last = h->result.trials + MAX_TRIALS;
	xc_status s = XC_OK;

	for (int quality = first_quality(h); quality && h->result.trials < last;
	     quality = search_next(&h->search)) {
		double reached;
		s = try(h, quality, &reached);
		if (s)
			return s;
		const double outcome = outcome_of(h->target.kind, reached);
		search_add(&h->search, quality, outcome);
		take(h, reached, outcome);
	}
	h->result.met = h->best_outcome >= h->search.low && h->best_outcome <= h->search.high;
	return XC_OK;
}

/* Replaces AUTO as suits a quality, for all trials: else their outcomes would not lie on a line.
 * Returns 1 if that is another subsampling than before. */
static int choose(hunt *h, int quality)
{
	const xc_pixels pixels = xc_pixels_of(h->picture);
	const xc_subsampling before = h->options.subsampling;

	h->options = h->given;
	h->options.quality = quality / 256;
	h->options.quality_parts = quality % 256;
	xc_encode_choose(&pixels, &h->options);
	return h->options.subsampling != before;
}

static void begin_search(hunt *h)
{
	const struct kind *k = &kinds[h->target.kind];
	const xc_target t = h->target;

	h->search = (search_state){.scale = scale,
	                           .user = h,
	                           .aim = outcome_of(t.kind, t.value) + k->aim,
	                           .low = outcome_of(t.kind, t.value - k->margin) + k->low,
	                           .high = outcome_of(t.kind, t.value + k->margin) + k->high,
	                           .slope = k->slope};
}

static void set_up(hunt *h)
{
	xc_context *c = h->context;

	begin_search(h);
	h->given = h->options;
	choose(h, first_quality(h));
	h->cache.wanted = 1;
	h->all = c->range;
}

static xc_status run(hunt *h)
{
	xc_context *c = h->context;

	set_up(h);
	xc_status s = search(h);
	if (!s && choose(h, h->result.quality * 256 + h->result.quality_parts)) {
		xc_buffer_free(c, &h->best);
		begin_search(h);
		s = search(h);
	}
	c->range = h->all;
	if (!s) /* the work is done, so nothing is cancelled */
		(void)xc_report_progress(c, 1);
	c->message[0] = s ? c->message[0] : '\0';
	if (!s && !h->result.met)
		say_miss(h);
	xc_coefficient_cache_free(c, &h->cache);
	xc_picture_free(c, &h->decoded);
	xc_buffer_free(c, &h->file);
	if (s)
		xc_buffer_free(c, &h->best);
	return s;
}

static xc_status check_target(xc_context *c, const xc_picture *p, const xc_target *t)
{
	if (!t)
		return xc_fail(c, XC_ERR_ARGUMENT, "no target given");
	const xc_status s = XC_CHECK_RESERVED(c, t, "target");
	if (s)
		return s;
	if ((unsigned)t->kind > XC_TARGET_SSIMULACRA2)
		return xc_fail(c, XC_ERR_ARGUMENT, "unknown kind of target");
	/* Written so that a NaN is refused as well. */
	if (!(t->value > 0 && t->value < kinds[t->kind].best))
		return xc_fail(c, XC_ERR_ARGUMENT, "a target of %g", t->value);
	if (t->kind == XC_TARGET_SSIMULACRA2 &&
	    (p->width < XC_SSIMULACRA2_MIN || p->height < XC_SSIMULACRA2_MIN))
		return xc_fail(c, XC_ERR_ARGUMENT, "SSIMULACRA2 needs 8 x 8 pixels; this has %u x %u",
		               p->width, p->height);
	return XC_OK;
}

xc_status xc_encode_target(xc_context *c, const xc_picture *picture, const xc_metadata *metadata,
                           const xc_encode_options *options, const xc_target *target,
                           xc_target_result *result, xc_buffer *out)
{
	XC_DEFAULT_FLOATS;
	hunt h = {.context = c, .picture = picture, .metadata = metadata};

	if (out)
		*out = (xc_buffer){0};
	if (result)
		*result = (xc_target_result){0};
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!out || !result)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	if (options && options->mode == XC_MODE_LOSSLESS)
		return xc_fail(c, XC_ERR_ARGUMENT, "a file without loss has one size and one quality");
	xc_status s = xc_encode_take_options(c, options, metadata, &h.options);
	h.options.mode = XC_MODE_LOSSY;
	if (!s)
		s = xc_picture_check_data(c, picture);
	if (!s)
		s = check_target(c, picture, target);
	if (s)
		return s;
	h.target = *target;
	s = run(&h);
	if (s)
		return s;
	*result = h.result;
	*out = h.best;
	return XC_OK;
}
