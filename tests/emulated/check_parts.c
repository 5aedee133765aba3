/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of the module that need no picture. This file also includes every header of the encoder
 * beside every one of the decoder: each name means one thing. Copies through pinned pieces. What a
 * GPU keeps from picture to picture.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/decode/pixels/region.h"
#include "gpu/decode/warp_group.h"
#include "gpu/decode/host/layout.h"
#include "gpu/decode/pixels/reduced.h"
#include "gpu/decode/pixels/samples.h"
#include "gpu/decode/ranges.h"
#include "gpu/decode/rans/symbols.h"
#include "gpu/decode/rans/values.h"
#include "gpu/decode/pixels/rows.h"
#include "gpu/decode/huffman/segment.h"
#include "gpu/encode/huffman/code.h"
#include "gpu/encode/huffman/codes.h"
#include "gpu/encode/huffman/tokens.h"
#include "gpu/encode/layout.h"
#include "gpu/runtime/crc.h"
#include "src/core/crc32c.h"
#include "src/cuda/cache.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"
#include "tests/support/gpu.h"
#include "tests/support/samples.h"
#include "tests/support/memory_checks.h"

static void checksums_written(void)
{
	xc_crc_write_constants k;
	uint32_t words[300];
	uint64_t seed = 5;

	xc_crc_write_constants_init(&k);
	for (size_t i = 0; i < 300; i++)
		words[i] = (uint32_t)(check_random(&seed) >> 32);
	for (uint32_t size = 0; size < 1190; size++) {
		uint32_t sum = 0;
		for (uint32_t lane = 0; lane < 32; lane++)
			sum ^= xc_crc_write_lane(&k, k.tables, words, size, lane);
		CHECK(~sum == xc_crc32c(0, words, size), "%u bytes", size);
	}
}

/* Bits that were held are put where a writer would put them, and in no word besides. */
static void held_bits(void)
{
	enum { WORDS = 8 };
	uint64_t seed = 17;

	for (uint32_t start = 0; start < 97; start++)
		for (uint32_t max = 0; max <= 32 * XC_GPU_HELD_WORDS; max++) {
			/* Memory of its own: a sanitizer sees every access in front of it. */
			uint32_t wanted[WORDS] = {0}, *found = calloc(WORDS, sizeof *found);
			xc_gpu_held_bits held = {{0}, 0};
			xc_gpu_bit_writer w = xc_gpu_writer(wanted, start);
			REQUIRE(found, "out of memory");
			while (held.count < max) {
				const uint32_t left = max - held.count, n = 1 + (uint32_t)check_random(&seed) % 23;
				const uint32_t count = n < left ? n : left;
				const uint32_t entry = (uint32_t)check_random(&seed) << (32 - count) | count;
				xc_gpu_put_small(&w, entry);
				xc_gpu_hold_small(&held, entry);
			}
			xc_gpu_put_end(&w);
			xc_gpu_put_held(&held, found, start);
			CHECK(held.count == max && !memcmp(found, wanted, sizeof wanted), "%u bits from %u",
			      max, start);
			free(found);
		}
}

/* States of rANS divide by every frequency as they should: at multiples and beside them, up to the
 * largest state. */
static void quotients(void)
{
	uint64_t seed = 11;

	for (uint32_t f = 1; f < 4096; f++) {
		const xc_gpu_rans_entry e = xc_gpu_rans_entry_of(f, 4095 - f);
		uint32_t wrong = 0;
		for (int i = 0; i < 300; i++) {
			const uint32_t q = i < 2 ? (uint32_t)i : (uint32_t)(check_random(&seed) >> 44);
			const uint32_t at = (i % 3 ? q : (1u << 20) - 1 - q % 5) * f;
			const uint32_t x = at + (i % 2 ? f - 1 : 0);
			wrong += xc_gpu_rans_coded(x, e) != x + x / f * (4096 - f) + (4095 - f);
		}
		wrong += xc_gpu_rans_limit(e) != (f << 20) - 1;
		CHECK(!wrong, "frequency %u: %u of 300", (unsigned)f, (unsigned)wrong);
	}
}

/* Numbers are divided as C divides them: multiples and what is beside them, up to
 * the largest number. */
static void divisions(void)
{
	uint64_t seed = 13;

	for (uint32_t i = 0; i < 6000; i++) {
		const uint32_t d = i < 4000 ? i + 1 : ((uint32_t)check_random(&seed) >> i % 32) | 1;
		const uint32_t inverse = xc_gpu_inverse_of(d), max = UINT32_MAX / d;
		uint32_t wrong = xc_gpu_divide(UINT32_MAX, d, inverse) != max;
		for (uint32_t j = 0; j < 100; j++) {
			const uint32_t q = j < 10 ? j : j < 20 ? max - j : (uint32_t)check_random(&seed);
			const uint32_t at = q % max * d;
			wrong += xc_gpu_divide(at, d, inverse) != at / d;
			wrong += xc_gpu_divide(at - 1, d, inverse) != (at - 1) / d;
		}
		CHECK(!wrong, "by %u: %u of 201", (unsigned)d, (unsigned)wrong);
	}
}

/* Ranges hold every segment once, and no more work than there is beside the largest one. */
static void ranges(void)
{
	enum { PICTURES = 7, MAX = 40 };
	xc_gpu_decode_job jobs[PICTURES] = {0};
	OWN_MEMORY xc_gpu_segment *segments = xc_stub_need(PICTURES * MAX * sizeof *segments);
	uint32_t seed = 3, all_segments = 0;
	uint64_t all = 0, largest = 0;

	for (int k = 0; k < PICTURES; k++) {
		jobs[k].first_segment = all_segments;
		jobs[k].segments = 1 + (uint32_t)k * 37 % MAX;
		for (uint32_t i = 0; i < jobs[k].segments; i++) {
			seed = seed * 1664525 + 1013904223;
			const uint32_t size = seed >> 20;
			segments[all_segments++] = (xc_gpu_segment){.start = jobs[k].bytes, .size = size};
			jobs[k].bytes += size;
			largest = size > largest ? size : largest;
		}
		all += jobs[k].bytes;
	}
	all += (uint64_t)all_segments * XC_GPU_SEGMENT_COST;
	for (uint32_t n = 1; n <= 132; n++) {
		xc_gpu_ranges r;
		uint32_t longest = 0, wrong = 0;
		const uint32_t said = xc_gpu_ranges_make(&r, n, jobs, PICTURES, segments,
		                                         XC_GPU_SEGMENT_COST);
		for (uint32_t i = 0; i < n; i++) {
			uint64_t work = 0;
			const uint32_t first = r.first[i], end = r.first[i + 1];
			wrong += end < first || jobs[r.job[i]].first_segment > first;
			for (uint32_t j = first; j < end; j++)
				work += segments[j].size + XC_GPU_SEGMENT_COST;
			wrong += work > all / n + largest + 2 * XC_GPU_SEGMENT_COST;
			longest = end - first > longest ? end - first : longest;
		}
		CHECK(!wrong && r.first[0] == 0 && r.first[n] == all_segments && said == longest,
		      "%u ranges, %u wrong", (unsigned)n, (unsigned)wrong);
	}
}

/* Every length and alignment, against the CPU's CRC. */
static void checksums_read(void)
{
	OWN_MEMORY xc_crc_read_tables *tables = xc_stub_need(XC_WARP_GROUP_MAX * sizeof *tables);
	OWN_MEMORY uint8_t *memory = xc_stub_need(1200);
	uint32_t seed = 7;

	for (uint32_t i = 0; i < XC_WARP_GROUP_MAX; i++) {
		const xc_crc_read_constants constants = xc_crc_read_constants_make(i + 1);
		xc_crc_read_fill(&tables[i], &constants, 0, 1);
	}
	for (int i = 0; i < 1200; i++) {
		seed = seed * 1664525 + 1013904223;
		memory[i] = (uint8_t)(seed >> 24);
	}
	for (uint32_t size = 1; size < 600; size++) {
		OWN_MEMORY uint8_t *exact = xc_stub_need((size + 15 + 3) / 4 * 4);
		for (uint32_t shift = 0; shift < 16; shift++) {
			memcpy(exact + shift, memory + size, size);
			const xc_gpu_bits b = xc_gpu_bits_of(exact + shift, size);
			const uint32_t right = xc_crc32c(0, exact + shift, size);
			OWN_MEMORY uint32_t *to = xc_stub_need(xc_gpu_copy_words(size) * sizeof *to);
			xc_warp_group wg = {1 + (size + shift) % XC_WARP_GROUP_MAX, 0, NULL, 0};
			const xc_crc_read_tables *t = &tables[wg.warps - 1];
			const xc_gpu_bits copy = xc_gpu_copy_bits(&wg, &b, to, 0);
			CHECK(xc_crc_read(&wg, &b, t, 0) == right && xc_crc_read(&wg, &copy, t, 1) == right,
			      "%u bytes, %u beside a group, %u warps", (unsigned)size, (unsigned)shift,
			      (unsigned)wg.warps);
		}
	}
}

/* Copies through pinned pieces, of several pieces and their ends, with a stub
 * in the GPU's place. */

static xc_cuda *gpu;

static uint8_t *noise(size_t size)
{
	uint8_t *bytes = xc_test_malloc(size);
	uint64_t seed = size;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(check_random(&seed) >> 56);
	return bytes;
}

/* The last row on the host ends with its pixels. */
static void upload(size_t row, size_t host_stride, size_t device_stride, size_t rows)
{
	OWN_MEMORY uint8_t *const host = noise((rows - 1) * host_stride + row);
	OWN_MEMORY uint8_t *const device = xc_stub_need(device_stride * rows);
	const xc_status s = xc_cuda_upload_rows(gpu, device, device_stride, host, host_stride, row,
	                                        rows);
	size_t wrong = 0;

	for (size_t y = 0; y < rows; y++)
		wrong += memcmp(device + y * device_stride, host + y * host_stride, row) != 0;
	CHECK(!s && !wrong, "rows of %zu, %zu and %zu: status %d, %zu of %zu wrong", row, host_stride,
	      device_stride, (int)s, wrong, rows);
	CHECK(gpu->gpu->allocations[XC_GPU_PINNED_MEMORY] <= 1 && gpu->gpu->handles <= 2,
	      "more is left than both pieces");
}

static void uploads(void)
{
	upload(1, 1, 16, 1);
	upload(1000, 1003, 1008, 5);
	upload(1000, 1000, 1008, 2080);       /* just a piece */
	upload(1000, 1000, 1008, 2081);       /* and a row */
	upload(1000, 1001, 1008, 4161);       /* three pieces */
	upload(3001, 4000, 3008, 3500);       /* six */
	upload(2097152, 2097152, 2097152, 3); /* a row is a piece */
	upload(2097153, 2097153, 2097168, 3); /* and more than that */
}

static void downloads(void)
{
	static const size_t sizes[] = {0, 1, 1000, 4194303, 4194304, 4194305, 9000001};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		OWN_MEMORY uint8_t *const from = noise(sizes[i]), *const to = xc_test_malloc(sizes[i]);
		const xc_status s = xc_cuda_download(gpu, to, from, sizes[i]);
		CHECK(!s && !memcmp(from, to, sizes[i]), "%zu bytes", sizes[i]);
	}
}

/* What a GPU keeps from picture to picture, with a stub in its place: files stay the processor's,
 * whatever came before. */

static xc_context *cpu, *device;

static xc_gpu *stub(void)
{
	return ((xc_cuda *)device->device.opened)->gpu;
}

/* Both ways, on the GPU and on the processor, and back. */
static void compare(const xc_picture *p, const xc_metadata *m, const xc_encode_options *o)
{
	OWN_BUFFER(cpu, want);
	OWN_BUFFER(device, whole);
	OWN_SINK rows = {.fail_at = 0};
	OWN_DECODED(device, inside);
	OWN_DECODED(cpu, here);

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
}

static void compare_made(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                         const xc_metadata *m, const xc_encode_options *o)
{
	OWN_PICTURE p = xc_sample_picture(width, height, channels, depth, 0, 1);
	compare(&p, m, o);
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
	xc_encode_options o = xc_test_defaults();

	begin();
	for (int i = 0; i < 3; i++)
		compare_made(70, 50, 3, 8, NULL, &o);
	CHECK(stub()->encoders == 1, "%u encoders", stub()->encoders);
	CHECK(stub()->pins == 1 && stub()->pinned, "%u times pinned", stub()->pins);
	end();
}

/* Where nothing can be pinned, that is tried once. */
static void nothing_pinned(void)
{
	xc_encode_options o = xc_test_defaults();

	begin();
	stub()->pins_none = 1;
	for (int i = 0; i < 3; i++)
		compare_made(70, 50 + 10 * (uint32_t)i, 3, 8, NULL, &o);
	CHECK(stub()->pins == 1 && !stub()->pinned, "%u times pinned", stub()->pins);
	end();
}

/* A GPU that was named refuses files without loss, in both directions. What AUTO codes so goes to the
 * CPU. */
static void without_loss(void)
{
	OWN_PICTURE p = xc_test_picture(70, 50, 3, 8, 0, 1);
	xc_encode_options o = xc_test_defaults();
	xc_picture out = {0};
	xc_buffer none, file, other;

	begin();
	o.mode = XC_MODE_LOSSLESS;
	CHECK(xc_encode(device, &p, NULL, &o, &none) == XC_ERR_UNSUPPORTED, "encoded");
	CHECK(strstr(xc_context_message(device), "done by the CPU"), "%s", xc_context_message(device));
	REQUIRE_OK(cpu, xc_encode(cpu, &p, NULL, &o, &file));
	CHECK(xc_decode(device, file.data, file.size, NULL, &out) == XC_ERR_UNSUPPORTED, "decoded");
	xc_buffer_free(cpu, &file);
	o.mode = XC_MODE_AUTO;
	memset(p.data, 0, p.stride * p.height);
	REQUIRE_OK(cpu, xc_encode(cpu, &p, NULL, &o, &file));
	REQUIRE_OK(device, xc_encode(device, &p, NULL, &o, &other));
	CHECK(file.size == other.size && !memcmp(file.data, other.data, file.size), "other bytes");
	xc_buffer_free(cpu, &file);
	xc_buffer_free(device, &other);
	end();
}

/* Other shapes, metadata and options need no other encoder. */
static void pictures_of_many_kinds(void)
{
	static const uint32_t sizes[][2] = {{70, 50}, {50, 70}, {8, 8}, {33, 9}, {1, 1}, {90, 40}};
	const xc_metadata named = {.text = {(const uint8_t *)"a\0b", 4}};
	xc_encode_options o, other;

	begin();
	o = xc_test_defaults();
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
	o.effort = 0;
	compare_made(90, 40, 3, 8, NULL, &o);
	o.entropy = XC_ENTROPY_HUFFMAN;
	compare_made(90, 40, 3, 8, NULL, &o);
	o.huffman = XC_HUFFMAN_DEFAULT;
	compare_made(90, 40, 3, 8, NULL, &o);
	o.transform = XC_TRANSFORM_DCT;
	compare_made(90, 40, 3, 8, NULL, &o);
	CHECK(stub()->encoders == 1, "%u encoders", stub()->encoders);
	end();
}

/* What is kept is given back, and made again. */
static void trimmed(void)
{
	xc_encode_options o = xc_test_defaults();
	uint64_t on_device = 1, pinned = 1;
	void *memory;

	begin();
	compare_made(90, 40, 3, 8, NULL, &o);
	CHECK(stub()->held[0] && stub()->held[1], "nothing is kept");
	xc_cuda *gpu_used = device->device.opened;
	SUCCEEDS(device, xc_cuda_trim(gpu_used, &on_device, &pinned));
	CHECK(!on_device && !pinned && stub()->trims == 1, "%llu and %llu bytes are kept",
	      (unsigned long long)on_device, (unsigned long long)pinned);
	SUCCEEDS(device, xc_cuda_allocate_device(gpu_used, 1000, &memory));
	SUCCEEDS(device, xc_cuda_trim(gpu_used, &on_device, NULL));
	CHECK(on_device == 1000, "%llu bytes are kept", (unsigned long long)on_device);
	xc_cuda_release(gpu_used, memory);
	SUCCEEDS(device, xc_cuda_trim(gpu_used, NULL, NULL));
	compare_made(90, 40, 3, 8, NULL, &o);
	end();
}

/* The GPU goes while an encoder still has memory that it reached. */
static void device_changes(void)
{
	xc_encode_options o = xc_test_defaults();
	xc_encoder *encoder = NULL;
	xc_test_sink file = {.fail_at = 0};
	xc_picture p = xc_sample_picture(70, 50, 3, 8, 0, 1);

	begin();
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

/* Limits of a batch, which differ from picture to picture, leave what is kept; much
 * smaller ones do not. */
static void limits_change(void)
{
	static const struct {
		uint64_t max;
		int kept;
	} steps[] = {{UINT64_C(600) << 20, 0}, {UINT64_C(700) << 20, 1}, {UINT64_C(450) << 20, 1},
	             {UINT64_C(351) << 20, 1}, {UINT64_C(340) << 20, 0}, {UINT64_C(200) << 20, 1}};
	xc_encode_options o = xc_test_defaults();
	xc_limits limits;

	begin();
	xc_limits_default(&limits);
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
	xc_encode_options o = xc_test_defaults();
	xc_limits limits;

	begin();
	xc_limits_default(&limits);
	limits.max_memory = 2 << 20;
	SUCCEEDS(device, xc_context_set_limits(device, &limits));
	compare_made(70, 50, 3, 8, NULL, &o);
	CHECK(!device->attached[XC_ATTACHED_WINDOW].data, "a window is kept");
	end();
}

int main(void)
{
	if (!xc_stub_fits())
		return CHECK_SKIPPED;
	RUN(checksums_written, checksums_read, held_bits, quotients, divisions, ranges);
	cpu = xc_context_new(NULL);
	gpu = cpu ? xc_stub_open(cpu) : NULL;
	if (!gpu)
		return 99;
	RUN(uploads, downloads);
	xc_cuda_close(gpu);
	xc_context_free(cpu);
	RUN(pictures_alike, nothing_pinned, without_loss, pictures_of_many_kinds, trimmed,
	    device_changes, limits_change, little_memory);
	return check_done();
}
