/* SPDX-License-Identifier: BSD-2-Clause */
/* What a GPU keeps from picture to picture, with a stub in its place: files stay the processor's, whatever came before. */
#include <stdlib.h>
#include <string.h>

#include "src/cuda/cache.h"
#include "tests/support/gpu.h"
#include "tests/support/samples.h"
#include "tests/support/stream.h"

static xc_context *cpu, *device;

static xc_gpu *stub(void)
{
	return ((xc_cuda *)device->device.opened)->gpu;
}

/* Both ways, on the GPU and on the processor, and back. */
static void compare(const xc_picture *p, const xc_metadata *m, const xc_encode_options *o)
{
	xc_buffer want = {0}, whole = {0};
	xc_test_sink rows = {.fail_at = 0};
	xc_picture inside = {0}, here = {0};
	SUCCEEDS(cpu, xc_encode(cpu, p, m, o, &want));
	SUCCEEDS(device, xc_encode(device, p, m, o, &whole));
	SUCCEEDS(device, xc_test_stream(device, p, m, o, 1, &rows));
	CHECK(!strncmp(xc_context_device(device), "cuda:", 5), "done by %s", xc_context_device(device));
	CHECK(whole.size == want.size && !memcmp(whole.data, want.data, want.size), "%ux%u: whole",
	      p->width, p->height);
	CHECK(rows.bytes.size == want.size && !memcmp(rows.bytes.data, want.data, want.size),
	      "%ux%u: rows", p->width, p->height);
	SUCCEEDS(cpu, xc_decode(cpu, want.data, want.size, NULL, &here));
	SUCCEEDS(device, xc_decode(device, want.data, want.size, NULL, &inside));
	CHECK(here.data && inside.data && xc_sample_equal(&here, &inside), "%ux%u: pixels", p->width,
	      p->height);
	xc_picture_free(cpu, &here);
	xc_picture_free(device, &inside);
	xc_buffer_free(cpu, &want);
	xc_buffer_free(device, &whole);
	xc_bytes_free(&rows.bytes);
}

static void compare_made(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                         const xc_metadata *m, const xc_encode_options *o)
{
	xc_picture p = xc_sample_picture(width, height, channels, depth, 0, 1);
	compare(&p, m, o);
	free(p.data);
}

static void begin(void)
{
	cpu = xc_context_new(NULL);
	device = xc_context_new(NULL);
	if (!cpu || !device || !test_gpu_use(device))
		abort();
}

static void end(void)
{
	xc_context_free(device);
	xc_context_free(cpu);
}

/* One encoder, and one piece of host memory that is pinned once. */
static void pictures_alike(void)
{
	xc_encode_options o;
	begin();
	xc_encode_options_default(&o);
	for (int i = 0; i < 3; i++)
		compare_made(70, 50, 3, 8, NULL, &o);
	CHECK(stub()->encoders == 1, "%u encoders", stub()->encoders);
	CHECK(stub()->pins == 1 && stub()->pinned, "%u times pinned", stub()->pins);
	end();
}

/* Where nothing can be pinned, that is tried once. */
static void nothing_pinned(void)
{
	xc_encode_options o;
	begin();
	xc_encode_options_default(&o);
	stub()->pins_none = 1;
	for (int i = 0; i < 3; i++)
		compare_made(70, 50 + 10 * (uint32_t)i, 3, 8, NULL, &o);
	CHECK(stub()->pins == 1 && !stub()->pinned, "%u times pinned", stub()->pins);
	end();
}

/* Other shapes and metadata need no other encoder, other ways to code do. */
static void pictures_of_many_kinds(void)
{
	static const uint32_t sizes[][2] = {{70, 50}, {50, 70}, {8, 8}, {33, 9}, {1, 1}, {90, 40}};
	const xc_metadata named = {.text = {(const uint8_t *)"a\0b", 4}};
	xc_encode_options o, other;
	begin();
	xc_encode_options_default(&o);
	for (size_t i = 0; i < 2 * COUNT(sizes); i++)
		compare_made(sizes[i % COUNT(sizes)][0], sizes[i % COUNT(sizes)][1], 3, 8, NULL, &o);
	other = o;
	other.quality = 90;
	compare_made(90, 40, 3, 8, NULL, &other);
	compare_made(90, 40, 4, 8, NULL, &o);
	compare_made(90, 40, 3, 16, NULL, &o);
	compare_made(90, 40, 3, 8, &named, &o);
	compare_made(90, 40, 3, 8, NULL, &o);
	other.colour = XC_COLOUR_PICTURE;
	other.subsampling = XC_SUBSAMPLING_444;
	other.quality = o.quality;
	compare_made(90, 40, 3, 8, NULL, &other);
	compare_made(90, 40, 3, 8, NULL, &o);
	CHECK(stub()->encoders == 1, "%u encoders", stub()->encoders);
	o.effort = 0;
	compare_made(90, 40, 3, 8, NULL, &o);
	o.entropy = XC_ENTROPY_HUFFMAN;
	compare_made(90, 40, 3, 8, NULL, &o);
	o.huffman = XC_HUFFMAN_DEFAULT;
	compare_made(90, 40, 3, 8, NULL, &o);
	o.transform = XC_TRANSFORM_DCT;
	compare_made(90, 40, 3, 8, NULL, &o);
	CHECK(stub()->encoders == 4, "%u encoders", stub()->encoders);
	end();
}

/* The GPU goes while an encoder still has memory that it reached. */
static void device_changes(void)
{
	xc_encode_options o;
	xc_encoder *encoder = NULL;
	xc_test_sink file = {.fail_at = 0};
	xc_picture p = xc_sample_picture(70, 50, 3, 8, 0, 1);
	begin();
	xc_encode_options_default(&o);
	compare(&p, NULL, &o);
	compare(&p, NULL, &o);
	SUCCEEDS(device, xc_encoder_new(device, &p, NULL, &o, xc_test_write, &file, &encoder));
	SUCCEEDS(device, xc_context_set_device(device, "cpu"));
	xc_encoder_free(encoder);
	SUCCEEDS(device, xc_test_stream(device, &p, NULL, &o, 1, &file));
	test_gpu_use(device);
	compare(&p, NULL, &o);
	xc_bytes_free(&file.bytes);
	free(p.data);
	end();
}

/* Limits of a batch, which differ from picture to picture, leave what is kept; much smaller ones do not. */
static void limits_change(void)
{
	static const struct {
		uint64_t max;
		int kept;
	} steps[] = {{UINT64_C(600) << 20, 0}, {UINT64_C(700) << 20, 1}, {UINT64_C(450) << 20, 1},
	             {UINT64_C(351) << 20, 1}, {UINT64_C(340) << 20, 0}, {UINT64_C(200) << 20, 1}};
	xc_encode_options o;
	xc_limits limits;
	begin();
	xc_limits_default(&limits);
	xc_encode_options_default(&o);
	for (size_t i = 0; i < COUNT(steps); i++) {
		compare_made(70, 50, 3, 8, NULL, &o);
		limits.max_memory = steps[i].max;
		SUCCEEDS(cpu, xc_context_set_limits(cpu, &limits));
		CHECK((cpu->attached[XC_ATTACHED_ENCODER].data != NULL) == steps[i].kept,
		      "step %zu: tables are %skept", i, steps[i].kept ? "not " : "");
	}
	end();
}

/* A context of little memory keeps none between calls. */
static void little_memory(void)
{
	xc_encode_options o;
	xc_limits limits;
	begin();
	xc_limits_default(&limits);
	limits.max_memory = 2 << 20;
	xc_encode_options_default(&o);
	SUCCEEDS(device, xc_context_set_limits(device, &limits));
	compare_made(70, 50, 3, 8, NULL, &o);
	CHECK(!device->attached[XC_ATTACHED_WINDOW].data, "a window is kept");
	end();
}

int main(void)
{
	if (!xc_stub_fits())
		return 77;
	RUN(pictures_alike);
	RUN(nothing_pinned);
	RUN(pictures_of_many_kinds);
	RUN(device_changes);
	RUN(limits_change);
	RUN(little_memory);
	return check_done();
}
