/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xc_encode_target(): what it says that it reached is what xc_encode() and xc_compare() give; the
 * targets that can be met are; the file does not depend on threads; limits, failures and arguments.
 */
#include <math.h>
#include <stdlib.h>

#include <xcodec_target.h>

#include "tests/support/memory_checks.h"

static xc_context *c;

/* Measures a file itself. */
static double measured(const xc_picture *p, const xc_buffer *file, xc_target_kind kind)
{
	OWN_DECODED(c, back);
	xc_comparison k = {0};

	CHECK_OK(c, xc_decode(c, file->data, file->size, NULL, &back));
	CHECK_OK(c, xc_compare(c, p, &back, &k));
	if (kind == XC_TARGET_SSIMULACRA2)
		CHECK_OK(c, xc_ssimulacra2(c, p, &back, 0, &k.ssim_y));
	return kind == XC_TARGET_BYTES  ? (double)file->size
	       : kind == XC_TARGET_PSNR ? k.psnr_rgb
	                                : k.ssim_y;
}

/* What the header promises of `reached`. */
static int is_met(const xc_target *t, double reached)
{
	const double off = reached - t->value;

	return t->kind == XC_TARGET_BYTES         ? off <= 0 && off >= -0.01 * t->value
	       : t->kind == XC_TARGET_PSNR        ? fabs(off) <= 0.05
	       : t->kind == XC_TARGET_SSIMULACRA2 ? fabs(off) <= 0.2
	                                          : fabs(off) <= 0.0101 * (1 - t->value);
}

static int same(const xc_buffer *a, const xc_buffer *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

/* The file is that of the quality that is told, for other threads too, and what is told is true. */
static xc_target_result reach(const xc_picture *p, const xc_encode_options *o, xc_target t)
{
	xc_encode_options plain = *o;
	xc_target_result r, again;
	xc_buffer file, other;
	xc_info info;

	CHECK_OK(c, xc_context_set_threads(c, 1));
	CHECK_OK(c, xc_encode_target(c, p, NULL, o, &t, &r, &file));
	CHECK((*xc_context_message(c) == '\0') == r.met, "met %d, '%s'", r.met, xc_context_message(c));
	CHECK(is_met(&t, r.reached) == r.met, "%g of %g, met %d", r.reached, t.value, r.met);
	plain.quality = r.quality;
	plain.quality_parts = r.quality_parts;
	CHECK_OK(c, xc_read_info(c, file.data, file.size, &info));
	plain.subsampling = info.subsampling;
	CHECK_OK(c, xc_encode(c, p, NULL, &plain, &other));
	CHECK(same(&file, &other), "another file than that of quality %d and %d parts", r.quality,
	      r.quality_parts);
	xc_buffer_free(c, &other);
	const double found = measured(p, &file, t.kind);
	CHECK(fabs(found - r.reached) < 1e-9 * found, "%.12g reached, %.12g found", r.reached, found);
	CHECK_OK(c, xc_context_set_threads(c, 3));
	CHECK_OK(c, xc_encode_target(c, p, NULL, o, &t, &again, &other));
	CHECK(same(&file, &other) && again.trials == r.trials, "threads make a difference");
	xc_buffer_free(c, &other);
	xc_buffer_free(c, &file);
	return r;
}

/* Codings of all kinds: the default, that of JPEG, 4:4:4 with flat tables and own components. */
static xc_encode_options coding(int kind)
{
	xc_encode_options o = xc_test_defaults();

	if (kind == 1)
		xc_encode_options_jpeg(&o);
	if (kind == 2) {
		o.subsampling = XC_SUBSAMPLING_444;
		o.colour = XC_COLOUR_PICTURE;
		o.tune = XC_TUNE_PSNR;
		o.transform = XC_TRANSFORM_LOT;
		xc_quant_tables_flat(&o.tables);
	}
	return o;
}

static double size_at(const xc_picture *p, const xc_encode_options *options, int quality)
{
	xc_encode_options o = *options;
	OWN_BUFFER(c, file);

	o.quality = quality;
	CHECK_OK(c, xc_encode(c, p, NULL, &o, &file));
	const double size = (double)file.size;
	return size;
}

static void targets(uint32_t channels, uint32_t depth, int kind)
{
	static const double psnrs[] = {30, 36}, ssims[] = {0.9, 0.97}, scores[] = {60, 85};
	OWN_PICTURE p = xc_test_picture(345, 150, channels, depth, 0, 1);
	const xc_encode_options o = coding(kind);

	for (int i = 0; i < 3; i++) {
		const double size = (size_at(&p, &o, 30 + 20 * i) + size_at(&p, &o, 50 + 20 * i)) / 2;
		const xc_target t = {.kind = XC_TARGET_BYTES, .value = size};
		const xc_target_result r = reach(&p, &o, t);
		CHECK(r.met && r.trials <= 12, "%g bytes of %g in %d trials", r.reached, t.value, r.trials);
	}
	for (int i = 0; i < 2; i++) {
		reach(&p, &o, (xc_target){.kind = XC_TARGET_PSNR, .value = psnrs[i]});
		reach(&p, &o, (xc_target){.kind = XC_TARGET_SSIM, .value = ssims[i]});
		if (i && (channels != 3 || depth != 8)) /* without SIMD each takes seconds */
			continue;
		const xc_target_result r = reach(&p, &o,
		                                 (xc_target){.kind = XC_TARGET_SSIMULACRA2,
		                                             .value = scores[i]});
		CHECK(r.trials <= 12, "SSIMULACRA2 %g of %g in %d trials", r.reached, scores[i], r.trials);
	}
}

static void all_targets(int kind)
{
	targets(3, 8, kind);
	if (kind < 2)
		targets(4, 8, kind);
	targets(1, 8, kind);
	targets(3, 16, kind);
}

/* Below the smallest file, and above what there is. */
static void out_of_reach(void)
{
	xc_picture p = xc_test_picture(200, 150, 3, 8, 0, 1);
	const xc_encode_options o = coding(0);
	xc_target_result r = reach(&p, &o, (xc_target){.kind = XC_TARGET_BYTES, .value = 10});

	CHECK(!r.met && r.quality == 1 && !r.quality_parts && r.reached > 10, "%g", r.reached);
	r = reach(&p, &o, (xc_target){.kind = XC_TARGET_BYTES, .value = 1e9});
	CHECK(!r.met && r.quality > 98 && r.reached < 1e9, "%g", r.reached);
	reach(&p, &o, (xc_target){.kind = XC_TARGET_BYTES, .value = 1e300});
	CHECK(strlen(xc_context_message(c)) < 100, "'%s'", xc_context_message(c));
	r = reach(&p, &o, (xc_target){.kind = XC_TARGET_PSNR, .value = 90});
	CHECK(!r.met && r.quality > 98, "quality %d", r.quality);
	r = reach(&p, &o, (xc_target){.kind = XC_TARGET_SSIM, .value = 0.01});
	CHECK(!r.met && r.quality == 1, "quality %d", r.quality);
	free(p.data);
	p = xc_test_picture(1, 1, 3, 8, 0, 1);
	reach(&p, &o, (xc_target){.kind = XC_TARGET_BYTES, .value = 5000});
	reach(&p, &o, (xc_target){.kind = XC_TARGET_PSNR, .value = 30});
	free(p.data);
}

static int progress(void *user, double fraction)
{
	double *max = user;

	CHECK(fraction >= *max - 1e-12 && fraction <= 1, "%g after %g", fraction, *max);
	*max = fraction;
	return fraction > 0.5;
}

/* However little of the work the calling thread does itself. */
static void progress_and_end(int threads)
{
	OWN_PICTURE p = xc_test_picture(500, 400, 3, 8, 0, 1);
	const xc_target t = {.kind = XC_TARGET_PSNR, .value = 33.3};
	double max = 0;
	xc_target_result r;
	xc_buffer file;

	CHECK_OK(c, xc_context_set_threads(c, threads));
	xc_context_set_progress(c, progress, &max);
	CHECK(xc_encode_target(c, &p, NULL, NULL, &t, &r, &file) == XC_ERR_CANCELLED, "%s",
	      xc_context_message(c));
	CHECK(max > 0.5 && !file.data && !r.trials, "%g", max);
	xc_context_set_progress(c, NULL, NULL);
}

/* With too little memory for what is kept the file is the same. */
static void little_memory(void)
{
	OWN_PICTURE p = xc_test_picture(600, 500, 3, 8, 0, 1);
	const xc_target t = {.kind = XC_TARGET_PSNR, .value = 30};
	xc_context *limited = xc_test_context(), *private = c;
	xc_target_result r;
	xc_buffer file, other;
	int refused = 0, done = 0;

	REQUIRE_OK(c, xc_encode_target(c, &p, NULL, NULL, &t, &r, &file));
	c = limited;
	for (uint64_t limit = 1 << 20; limit < 8 << 20; limit += 1 << 18) {
		xc_test_limits(c, UINT64_MAX, limit, 0);
		const xc_status s = xc_encode_target(c, &p, NULL, NULL, &t, &r, &other);
		refused += s == XC_ERR_LIMIT;
		done += !s;
		CHECK(s == XC_ERR_LIMIT ? !other.data : !s && same(&file, &other), "limit %llu: %s",
		      (unsigned long long)limit, xc_context_message(c));
		CHECK(s || !*xc_context_message(c), "'%s'", xc_context_message(c));
		xc_buffer_free(c, &other);
	}
	CHECK(refused && done > 8, "%d refused, %d done", refused, done);
	c = private;
	xc_context_free(limited);
	xc_buffer_free(c, &file);
}

static void failing_allocator(void)
{
	OWN_PICTURE p = xc_test_picture(90, 70, 3, 8, 0, 1);
	const xc_target t = {.kind = XC_TARGET_SSIM, .value = 0.9};
	xc_status s = XC_ERR_MEMORY;

	for (uint64_t n = 4; s && n < 2000; n++) {
		xc_counting counting;
		xc_target_result r;
		xc_buffer file;
		xc_counting_init(&counting, 0);
		xc_context *failing = xc_counting_context(&counting, 1);
		counting.fail_at = counting.calls + n;
		s = xc_encode_target(failing, &p, NULL, NULL, &t, &r, &file);
		CHECK(!s || (s == XC_ERR_MEMORY && !file.data), "call %u: %s", (unsigned)n,
		      xc_context_message(failing));
		xc_buffer_free(failing, &file);
		xc_context_free(failing);
		CHECK(!counting.blocks, "%u blocks left", (unsigned)counting.blocks);
	}
	CHECK(!s, "never enough");
}

#define FAILS(call) CHECK((call) == XC_ERR_ARGUMENT, "'%s'", xc_context_message(c))

static void arguments(void)
{
	static const xc_target wrong[] = {{.kind = XC_TARGET_BYTES, .value = 0},
	                                  {.kind = XC_TARGET_PSNR, .value = -1},
	                                  {.kind = XC_TARGET_SSIM, .value = 1},
	                                  {.kind = XC_TARGET_PSNR, .value = HUGE_VAL},
	                                  {.kind = XC_TARGET_SSIM, .value = NAN},
	                                  {.kind = XC_TARGET_SSIMULACRA2, .value = 100},
	                                  {.kind = XC_TARGET_SSIMULACRA2, .value = -1},
	                                  {.kind = (xc_target_kind)4, .value = 1}};
	OWN_PICTURE p = xc_test_picture(20, 10, 1, 8, 0, 1);
	const xc_target t = {.kind = XC_TARGET_PSNR, .value = 30};
	xc_encode_options o = coding(0);
	xc_target_result r;
	xc_buffer file;

	FAILS(xc_encode_target(NULL, &p, NULL, &o, &t, &r, &file));
	FAILS(xc_encode_target(c, NULL, NULL, &o, &t, &r, &file));
	FAILS(xc_encode_target(c, &p, NULL, &o, NULL, &r, &file));
	FAILS(xc_encode_target(c, &p, NULL, &o, &t, NULL, &file));
	FAILS(xc_encode_target(c, &p, NULL, &o, &t, &r, NULL));
	for (size_t i = 0; i < COUNT(wrong); i++)
		FAILS(xc_encode_target(c, &p, NULL, &o, &wrong[i], &r, &file));
	p.height = 7;
	FAILS(xc_encode_target(c, &p, NULL, &o,
	                       &(xc_target){.kind = XC_TARGET_SSIMULACRA2, .value = 50}, &r, &file));
	o.quality_parts = 256;
	FAILS(xc_encode(c, &p, NULL, &o, &file));
	o.quality_parts = -1;
	FAILS(xc_encode(c, &p, NULL, &o, &file));
	o.quality = 100;
	o.quality_parts = 1;
	FAILS(xc_encode(c, &p, NULL, &o, &file));
}

/* Sizes between those of whole qualities, which never fall by more than noise. */
static void parts_of_a_quality(int kind)
{
	OWN_PICTURE p = xc_test_picture(300, 200, 3, 8, 0, 1);
	xc_encode_options o = coding(kind);

	for (int quality = 20; quality < 100; quality += 26) {
		size_t last = 0;
		for (int part = 0; part <= 256; part += 32) {
			OWN_BUFFER(c, file);
			o.quality = quality + part / 256;
			o.quality_parts = part % 256;
			REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &file));
			/* What storing the steps takes comes and goes. */
			CHECK(file.size + 140 + last / 100 > last, "quality %d, part %d: %zu after %zu",
			      quality, part, file.size, last);
			last = file.size;
		}
	}
}

int main(void)
{
	c = xc_test_context();
	RUN_FOR("the default", 0, all_targets, parts_of_a_quality);
	RUN_FOR("as JPEG", 1, all_targets, parts_of_a_quality);
	RUN_FOR("for PSNR", 2, all_targets, parts_of_a_quality);
	RUN_FOR("one thread", 1, progress_and_end);
	RUN_FOR("eight threads", 8, progress_and_end);
	RUN(out_of_reach, little_memory, failing_allocator, arguments);
	xc_context_free(c);
	return check_done();
}
