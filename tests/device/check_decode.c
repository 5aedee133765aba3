/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder on a GPU against the one on the CPU, bit for bit: pictures alone and all in one
 * batch, right and damaged ones. The same cases, and a few more, run with the stub of
 * tests/emulated. One program decodes files as the options of JPEG make them, another one, built
 * with XC_TEST_MODES, those of all other ways to code.
 */
#include <stdlib.h>
#include <string.h>

#include "src/core/crc32c.h"
#include <xcodec_jpeg.h>

#include "src/cuda/decoder.h"
#include "src/decode/coded.h"
#include "src/jpeg/kept.h"
#include "tests/support/gpu.h"
#include "tests/support/test_pictures.h"
#include "tests/decoders/vectors.h"

static xc_context *context;
static xc_cuda *gpu;

/* A file, what the CPU makes of it, and where the GPU puts its picture: memory that
 * both can write. */
typedef struct sample {
	char name[96];
	xc_buffer file;
	xc_picture right, mine;
	uint8_t *memory; /* that `mine` lies in */
	xc_status status;
	uint64_t damaged;
	char message[256];
} sample;

enum { MAX_SAMPLES = 600 }; /* at a time */
static sample samples[MAX_SAMPLES];
static size_t count;

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

static size_t turn; /* of all samples, which then lie differently */

/* Options for a picture. With a region this is some part of it, which `turn` moves. */
static xc_decode_options options_for(const xc_decode_options *options, const xc_info *info)
{
	xc_decode_options o = *options;
	xc_rectangle *r = &o.region;

	if (r->width) {
		r->x = (uint32_t)(info->width * (turn + 1) / 6);
		r->y = (uint32_t)(info->height * turn / 5);
		r->width = (info->width - r->x + 1) / 2;
		r->height = (info->height - r->y + 1) / 2;
	}
	return o;
}

static void expect(sample *s, const xc_decode_options *options)
{
	xc_info info;

	if (xc_read_info(context, s->file.data, s->file.size, &info))
		info = (xc_info){.width = 8, .height = 8, .channels = 3, .depth = 8};
	xc_decode_options o = options_for(options, &info);
	const xc_rectangle r = o.region.width ? o.region
	                                      : (xc_rectangle){0, 0, info.width, info.height};
	const uint32_t scale = o.scale ? o.scale : 1;
	s->right = (xc_picture){0};
	s->status = xc_decode(context, s->file.data, s->file.size, &o, &s->right);
	snprintf(s->message, sizeof s->message, "%s", xc_context_message(context));
	s->damaged = o.damaged_segments;
	info.width = (r.x + r.width - 1) / scale + 1 - r.x / scale;
	info.height = (r.y + r.height - 1) / scale + 1 - r.y / scale;
	/* Rows that lie differently towards multiples of 16. */
	static const struct {
		uint32_t first, padding;
	} ways[] = {{0, 0}, {4, 4}, {8, 8}, {12, 12}, {2, 6}, {0, 3}, {4, 1}};
	const size_t way = ((size_t)(s - samples) + turn) % (COUNT(ways));
	s->mine = (xc_picture){info.width, info.height, info.channels, info.depth, 0, NULL};
	s->mine.stride = (size_t)info.width * info.channels * (info.depth / 8) + ways[way].padding;
	if (info.depth == 16)
		s->mine.stride = (s->mine.stride + 1) / 2 * 2;
	s->memory = test_gpu_pinned(gpu, s->mine.stride * info.height + 12);
	memset(s->memory, 0xa5, s->mine.stride * info.height + 12);
	s->mine.data = s->memory + ways[way].first;
}

static void discard(sample *s)
{
	xc_cuda_release(gpu, s->memory);
	s->mine.data = s->memory = NULL;
	xc_picture_free(context, &s->right);
}

static int untouched(const uint8_t *from, const uint8_t *to)
{
	while (from < to && *from == 0xa5)
		from++;
	return from >= to;
}

/* Whether the bytes before, between and after rows are as they were. */
static int only_pixels(const xc_picture *p, const uint8_t *memory)
{
	const size_t row = (size_t)p->width * p->channels * (p->depth / 8);
	const uint8_t *data = p->data, *end = data + p->stride * p->height;
	const uint8_t *last = memory + p->stride * p->height + 12;

	/* The library may have given rows of its own instead. */
	if (data < memory || end > last)
		return untouched(memory, last);
	int good = untouched(memory, data) && untouched(end, last);
	for (; good && data < end; data += p->stride)
		good = untouched(data + row, data + p->stride);
	return good;
}

static void judge(const sample *s, const xc_cuda_file *w)
{
	CHECK(w->status == s->status, "%s: %s, not %s (%s)", s->name, xc_status_string(w->status),
	      xc_status_string(s->status), s->message);
	CHECK(w->damaged_segments == s->damaged, "%s: %u damaged segments, not %u", s->name,
	      (unsigned)w->damaged_segments, (unsigned)s->damaged);
	if (!s->status && !w->status)
		CHECK(xc_sample_equal(&s->right, &s->mine), "%s: other pixels, turn %zu", s->name, turn);
	if (s->memory && s->mine.data)
		CHECK(only_pixels(&s->mine, s->memory), "%s: more than pixels, turn %zu", s->name, turn);
}

/* The stub is a GPU with much shared memory or little, where some segments and tiles have room. */
static void vary_gpu(void)
{
#ifdef XC_TEST_STUB
	gpu->gpu->copy_words = turn % 2 * 100;
	gpu->gpu->cached_blocks = turn % 4 / 2 * 64;
	gpu->gpu->shared_bytes = turn < 3 ? SIZE_MAX : 65536;
#endif
}

/* Samples first ... first + n - 1 in one batch. */
static void decode(size_t first, size_t n, const xc_decode_options *o, int own_copy)
{
	OWN_MEMORY xc_cuda_file *list = need(calloc(n, sizeof *list));
	xc_cuda_decoder *decoder = NULL;
	void **copies = need(calloc(n, sizeof *copies));

	for (size_t i = 0; i < n; i++) {
		sample *s = &samples[first + i];
		list[i] = (xc_cuda_file){.file = s->file.data, .size = s->file.size, .picture = s->mine};
		if (own_copy) {
			copies[i] = test_gpu_pinned(gpu, s->file.size + 3);
			memcpy((char *)copies[i] + i % 4, s->file.data, s->file.size);
			list[i].device_file = (char *)copies[i] + i % 4;
		}
	}
	/* Every other call has scratch of its own, of just the size that is needed. */
	xc_cuda_scratch scratch = {NULL, 0};
	SUCCEEDS(context, xc_cuda_decoder_new(gpu, o, (uint32_t)n, &decoder) ||
	                      xc_cuda_decoder_scratch(decoder, list, n, &scratch.size));
	if ((first + n) % 2 && scratch.size &&
	    xc_cuda_allocate_device(gpu, scratch.size, &scratch.data))
		abort();
	xc_status status = xc_cuda_decode(decoder, list, n, scratch.data ? &scratch : NULL, NULL);
	SUCCEEDS(context, status);
	if (!status) {
		status = xc_cuda_decoder_wait(decoder);
		xc_status wanted = XC_OK;
		const char *message = "";
		for (size_t i = 0; i < n && !wanted; i++) {
			wanted = samples[first + i].status;
			message = samples[first + i].message;
		}
		if (n == 1) {
			CHECK(status == wanted, "status %d, not %d", (int)status, (int)wanted);
			if (status)
				CHECK(!strcmp(xc_context_message(context), message), "'%s', not '%s'",
				      xc_context_message(context), message);
		}
		CHECK(!status == !wanted, "status %d, not %d", (int)status, (int)wanted);
		for (size_t i = 0; i < n; i++)
			judge(&samples[first + i], &list[i]);
	}
	xc_cuda_decoder_free(decoder);
	xc_cuda_release(gpu, scratch.data);
	for (size_t i = 0; i < n; i++)
		xc_cuda_release(gpu, copies[i]);
	free(copies);
}

/* ------------------------------------------------------------------ samples */

/* Ways to code. */
static const struct {
	const char *name;
	xc_entropy entropy;
	int effort;
	int built_in; /* 1: the codes; 0: as a case wants them */
	int kept;     /* 1: JPEGs that are kept, of pictures that these can have */
} modes[] = {
#ifdef XC_TEST_MODES
	{"rANS", XC_ENTROPY_RANS, 1, 0, 0},
	{"kept JPEGs", XC_ENTROPY_HUFFMAN, 0, 0, 1},
	{"rANS, frequencies of their own", XC_ENTROPY_RANS, 3, 0, 0},
#else
	{"as JPEG", XC_ENTROPY_HUFFMAN, 0, 0, 0},
#endif
};

/* Turns of the stub: of many modes the first and the one that differs most from it, half of the pictures each; and these have no
 * codes to choose. */
enum {
	MODES = COUNT(modes),
	SHARED_TURNS = TEST_STUB && MODES > 1,
	TURN_STEP = SHARED_TURNS ? 3 : 1
};

static size_t mode;        /* of what is added, */
static int transform;      /* and its transform */
static int segment_blocks; /* 0: as the mode has it */

static void choose_mode(xc_encode_options *o)
{
	if (!modes[mode].effort)
		return;
	o->entropy = modes[mode].entropy;
	o->effort = modes[mode].effort;
	o->huffman = modes[mode].built_in ? XC_HUFFMAN_DEFAULT : XC_HUFFMAN_OPTIMIZED;
	if (o->subsampling == XC_SUBSAMPLING_444 && count % 2)
		o->colour = XC_COLOUR_PICTURE;
	o->segment_blocks = count % 4 == 3 ? 32 + (int)count % 200 : TEST_STUB && count % 2 ? 340 : 0;
	if (count % 3)
		xc_quant_tables_sloped(&o->tables);
}

/* A long comment, after SOI, so that small JPEGs are repacked, too. */
static void keep_jpeg(xc_buffer *file)
{
	enum { COMMENT = 2100 };
	OWN_BUFFER(context, jpeg);

	if (xc_jpeg_transcode(context, file->data, file->size, count % 2, &jpeg))
		abort();
	OWN_MEMORY uint8_t *longer = need(calloc(jpeg.size + COMMENT, 1));
	memcpy(longer, jpeg.data, 2);
	memcpy(longer + 2, (const uint8_t[]){0xff, 0xfe, (COMMENT - 2) >> 8, (COMMENT - 2) & 255}, 4);
	memcpy(longer + 2 + COMMENT, jpeg.data + 2, jpeg.size - 2);
	xc_buffer_free(context, file);
	if (xc_jpeg_encode(context, longer, jpeg.size + COMMENT, NULL, NULL, file))
		abort();
}

static sample *add(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth, int quality,
                   int subsampling, int codes)
{
	sample *s = &samples[count++];
	xc_encode_options o = xc_test_jpeg();

	if (modes[mode].kept) {
		depth = 8;
		channels = channels < 3 ? 1 : 3;
	}
	o.quality = quality;
	o.subsampling = (xc_subsampling)subsampling;
	o.huffman = (xc_huffman)codes;
	o.transform = modes[mode].kept ? XC_TRANSFORM_DCT : (xc_transform)transform;
	choose_mode(&o);
	if (segment_blocks)
		o.segment_blocks = segment_blocks;
	snprintf(s->name, sizeof s->name,
	         "%ux%u, %u channels of %u bits, q %d, chroma %d, codes %d, transform %d",
	         (unsigned)width, (unsigned)height, (unsigned)channels, (unsigned)depth, quality,
	         subsampling, codes, transform);
	OWN_PICTURE p = xc_test_picture(width, height, channels, depth, 0, 1);
	xc_info info = {0};
	do {
		xc_buffer_free(context, &s->file);
		if (xc_encode(context, &p, NULL, &o, &s->file) ||
		    xc_read_info(context, s->file.data, s->file.size, &info))
			abort();
		o.quality -= 8; /* until samples are coded, not stored, and so as is wanted */
	} while (info.entropy == XC_ENTROPY_NONE ||
	         (modes[mode].effort && info.entropy != modes[mode].entropy));
	if (modes[mode].kept)
		keep_jpeg(&s->file);
	return s;
}

/* Kept JPEGs have one depth, transform and kind of codes, so that some of them are the same file. */
static void drop_repeated(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;
		while (k < kept &&
		       (samples[k].file.size != samples[i].file.size ||
		        memcmp(samples[k].file.data, samples[i].file.data, samples[i].file.size)))
			k++;
		if (k < kept)
			xc_buffer_free(context, &samples[i].file);
		else
			samples[kept++] = samples[i];
	}
	memset(samples + kept, 0, (count - kept) * sizeof *samples);
	count = kept;
}

/* A few are smaller: of two tiles in a row at most, and rows aligned as those
 * of the larger ones. */
static void add_all(int few)
{
	enum { ROWS = TEST_STUB ? 69 : 133 };
	static const uint32_t all[][2] = {{1, 1},   {3, 5},   {16, 16},    {129, 65},
	                                  {700, 3}, {3, 700}, {1000, 333}, {257, 1030}};
	static const uint32_t some[][2] = {{1, 1},   {3, 5},   {16, 16},    {129, 65},
	                                   {700, 3}, {3, 700}, {680, ROWS}, {257, 2 * ROWS - 5}};
	static const int qualities[] = {1, 10, 34, 50, 75, 92, 100};
	const uint32_t(*sizes)[2] = few ? some : all;

	for (size_t i = 0; i < COUNT(all); i++)
		for (int s = 0; s < 4; s++)
			for (uint32_t depth = 8; depth <= 16; depth += 8)
				if (!few || (i * 8 + (size_t)s * 2 + depth / 16) % 5 == 0)
					add(sizes[i][0], sizes[i][1], s == XC_SUBSAMPLING_GREY ? 1 : 3, depth, 75, s,
					    (int)(i % 2));
	for (size_t i = 0; i < COUNT(qualities); i += few ? 3 : 1)
		for (int codes = SHARED_TURNS && i % 2 == 0; codes < 2; codes++)
			for (int s = 0; s < 3; s++)
				add(few ? 345 : 515, few ? ROWS : 389, 3, codes && i % 2 ? 16 : 8, qualities[i], s,
				    codes);
	for (transform = XC_TRANSFORM_LOT; transform <= XC_TRANSFORM_TDLT; transform++)
		for (size_t i = 0; i < COUNT(all); i += few ? 3 : 1)
			for (int s = 0; s < 4; s++)
				add(sizes[i][0], sizes[i][1], s == XC_SUBSAMPLING_GREY ? 1 : 3,
				    (i + (size_t)s) % 2 ? 16 : 8, 80, s, 0);
	transform = XC_TRANSFORM_DCT;
	for (uint32_t depth = 8; depth <= 16; depth += 8)
		for (uint32_t channels = 2; channels <= 4; channels += 2)
			add(210, 95, channels, depth, 80, channels == 2 ? 3 : (int)(depth / 8) - 1, 0);
	drop_repeated();
}

/* Every shape of picture, small: where blocks, regions and tiles begin and end. */
static void add_small(void)
{
	static const uint32_t sizes[][2] = {{1, 1},    {2, 1},    {1, 2},    {3, 5},    {8, 8},
	                                    {16, 16},  {17, 33},  {127, 31}, {128, 32}, {129, 65},
	                                    {256, 64}, {257, 66}, {3, 700},  {700, 3},  {385, 65}};
	static const int qualities[] = {1, 10, 34, 50, 92, 100};

	for (size_t i = 0; i < COUNT(sizes); i++)
		for (int s = 0; s < 4; s++)
			add(sizes[i][0], sizes[i][1], s == XC_SUBSAMPLING_GREY ? 1 : 3, 8, 75, s, 0);
	for (uint32_t depth = 8; depth <= 16; depth += 8)
		for (uint32_t channels = 1; channels <= 4; channels++)
			for (int s = 0; s < (SHARED_TURNS && channels < 3 ? 1 : 3); s++)
				add(104, 45, channels, depth, 90, channels < 3 ? (int)XC_SUBSAMPLING_GREY : s, 0);
	for (size_t i = 0; i < COUNT(qualities); i++)
		for (int codes = SHARED_TURNS; codes < 2; codes++)
			for (uint32_t depth = 8; depth <= 16; depth += 8)
				add(137, 69, 3, depth, qualities[i], (int)(i % 3), codes);
	for (transform = XC_TRANSFORM_LOT; transform <= XC_TRANSFORM_TDLT; transform++)
		for (size_t i = 1; i < COUNT(sizes); i += 2)
			for (int s = 0; s < 4; s++)
				add(sizes[i][0], sizes[i][1], s == XC_SUBSAMPLING_GREY ? 1 : 3, i % 4 < 2 ? 8 : 16,
				    90, s, 0);
	transform = XC_TRANSFORM_DCT;
	drop_repeated();
}

static void begin_case(const xc_decode_options *o)
{
	vary_gpu();
	for (size_t i = 0; i < count; i++)
		expect(&samples[i], o);
}

static void end_case(int files)
{
	for (size_t i = 0; i < count; i++) {
		discard(&samples[i]);
		if (files)
			xc_buffer_free(context, &samples[i].file);
	}
	if (files)
		count = 0;
}

static int few;

static void small(void)
{
	const xc_decode_options o = {0}, rounded = {.jpeg_rounding = 1};

	add_small();
	for (turn = 0; turn < (TEST_STUB ? 5 : 2); turn += TURN_STEP) {
		begin_case(turn == 4 ? &rounded : &o);
		for (size_t i = 0; i < count; i++)
			if (!SHARED_TURNS || (i + i / 4 + turn) % 2)
				decode(i, 1, turn == 4 ? &rounded : &o, 0);
		end_case(0);
	}
	turn = 0;
	for (uint32_t scale = 2; scale <= 8; scale *= TEST_STUB ? 4 : 2) {
		const xc_decode_options less = {.scale = scale};
		begin_case(&less);
		for (size_t i = 0; i < count && !TEST_STUB; i++)
			decode(i, 1, &less, 0);
		decode(0, count, &less, 1);
		end_case(scale == 8);
	}
}

static void single(void)
{
	const xc_decode_options o = {0};

	add_all(few);
	begin_case(&o);
	for (size_t i = 0; i < count; i++)
		decode(i, 1, &o, 0);
	end_case(0);
}

/* The stub is slow, and what carries files to and fro is the same for all modes but kept JPEGs: the
 * last one is enough beside these. */
static int is_enough(void)
{
	return TEST_STUB && mode + 1 < MODES && !modes[mode].kept;
}

/* More pixels than one piece of a file has; the last of them, so that no other case meets it. */
static void pieces(void)
{
	const xc_decode_options o = {0};

	if (is_enough())
		return;
	/* The stub's has more segments than a batch of warp groups; the other one has large tiles. */
	segment_blocks = TEST_STUB && MODES == 1 ? 32 : 0;
	if (TEST_STUB && modes[mode].kept)
		add(4200, 300, 3, 8, 75, XC_SUBSAMPLING_420, 0); /* tiles side by side */
	else
		add(TEST_STUB ? 340 : 2800, TEST_STUB ? 24800 : 9100, TEST_STUB ? 1 : 3, 8, 75,
		    TEST_STUB ? XC_SUBSAMPLING_GREY : XC_SUBSAMPLING_420, XC_HUFFMAN_OPTIMIZED);
	segment_blocks = 0;
	add(515, 389, 3, 8, 75, XC_SUBSAMPLING_444, XC_HUFFMAN_OPTIMIZED);
	begin_case(&o);
	decode(0, count, &o, 0);
	end_case(0);
}

static void together(void)
{
	const xc_decode_options o = {0};

	begin_case(&o);
	decode(0, count, &o, 1);
	end_case(0);
}

static void reduced(void)
{
	for (uint32_t scale = TEST_STUB ? 4 : 2; scale <= (TEST_STUB ? 4 : 8); scale *= 2) {
		const xc_decode_options o = {.scale = scale, .jpeg_rounding = scale == 4};
		begin_case(&o);
		decode(0, count, &o, 0);
		end_case(0);
	}
}

static void rounded(void)
{
	const xc_decode_options o = {.jpeg_rounding = 1};

	begin_case(&o);
	decode(0, count, &o, 0);
	end_case(1);
}

static void damaged(void)
{
	uint32_t seed = 3;

	for (int i = 0; i < (few ? 12 : 120); i++) {
		sample *s = add(300, 200, i % 4 ? 3 : 4, i % 3 ? 8 : 16, 70, i % 3, i % 2);
		for (int n = 0; n <= i % 5; n++) {
			seed = seed * 1664525 + 1013904223;
			s->file.data[(seed >> 8) % s->file.size] ^= (uint8_t)(1 << (seed >> 5) % 8);
		}
		if (i % 6 == 5)
			s->file.size -= (seed >> 9) % s->file.size;
	}
	for (int keep = 0; keep < 3; keep++) {
		const xc_decode_options o = {.keep_going = keep > 0, .scale = keep < 2 ? 1 : 2};
		begin_case(&o);
		decode(0, count, &o, 0);
		for (size_t i = 0; i < count; i += 3)
			decode(i, 1, &o, 1);
		end_case(keep == 2);
	}
}

static void put_crc(uint8_t *to, uint32_t crc, int bytes)
{
	for (int i = 0; i < bytes; i++)
		to[i] = (uint8_t)(crc >> 8 * i);
}

/* The check values of all segments, which follow each other from data[0] on, in an index. INDX has a checksum of
 * its own, after its last entry. */
static void mend_index(uint8_t *index, uint64_t entries, const uint8_t *data)
{
	const uint32_t bytes = index[-1];
	uint8_t *const end = index + entries * (bytes + 2);
	const uint8_t *start = index - 1;

	for (uint8_t *at = index; at < end; at += bytes + 2) {
		uint32_t size = 0;
		for (uint32_t i = 0; i < bytes; i++)
			size |= (uint32_t)at[i] << 8 * i;
		put_crc(at + bytes, xc_crc32c(0, data, size), 2);
		data += size;
	}
	while (memcmp(start, "INDX", 4))
		start--;
	put_crc(end, xc_crc32c(0, start, (size_t)(end - start)), 4);
}

/* The checksum of PICT, which ends before `end` and has the segment of a kept JPEG of one tile. */
static void mend_picture(uint8_t *end, const uint8_t *start)
{
	while (memcmp(start, "PICT", 4))
		start--;
	put_crc(end, xc_crc32c(0, start, (size_t)(end - start)), 4);
}

/* Damages some bits of a file's segments, and makes their check values right if `right`: what
 * comes after those has to hold, too. */
static void damage(xc_buffer *file, int bits, int right, uint32_t *seed)
{
	xc_container k;

	if (xc_cuda_read_file(context, file->data, file->size, 0, &k))
		abort();
	/* A kept JPEG's first segment has frequencies; damaged ones are no JPEG any more. */
	const uint64_t segments = k.listed ? 1 + (uint64_t)k.listed->plan.bands * k.listed->plan.tiles
	                                   : k.segments;
	const uint64_t from = k.listed ? k.listed->segments[0].start : 0;
	uint8_t *data = file->data + (k.data - file->data), *index = data;
	while (index > file->data && memcmp(index, "INDX", 4))
		index--;
	for (int n = 0; n < bits; n++) {
		*seed = *seed * 1664525 + 1013904223;
		data[from + (*seed >> 8) % (k.data_available - from)] ^= (uint8_t)(1 << (*seed >> 5) % 8);
	}
	if (right && index == file->data) {
		mend_picture(data + k.data_available, data);
	} else if (right) {
		for (index += 4; *index > 127; index++)
			;
		mend_index(index + 2, segments, data);
	}
	xc_container_close(context, &k);
}

static void right_checksums(void)
{
	const xc_decode_options o = {.keep_going = 1};
	uint32_t seed = 1;

	for (int i = 0; i < 150; i++) {
		/* A kept JPEG of few bytes has no index. */
		const int large = modes[mode].kept && i % 16 < 2;
		sample *s = add(large ? 400 : 100, large ? 200 : 60, 3, i % 3 ? 8 : 16, large ? 95 : 60,
		                XC_SUBSAMPLING_420, XC_HUFFMAN_OPTIMIZED);
		damage(&s->file, 1 + i % 7, i % 2, &seed);
	}
	const size_t turns = TEST_STUB && !SHARED_TURNS ? 5 : 1;
	for (turn = 0; turn < turns; turn++) {
		begin_case(&o);
		for (size_t i = 0; i < count; i++)
			decode(i, 1, &o, 0);
		end_case(turn + 1 == turns);
	}
	turn = 0;
}

/* In host memory, several in flight. */
static void through_queue(const xc_decode_options *options, int last)
{
	enum { SLOTS = 5 };
	const xc_decode_options o = *options;
	xc_cuda_decode_queue *queue = NULL;

	begin_case(&o);
	SUCCEEDS(context, xc_cuda_decode_queue_new(gpu, &o, SLOTS, &queue));
	for (size_t i = 0, done = 0; queue && done < count; done++) {
		for (; i < count && i < done + SLOTS; i++) {
			const xc_buffer *file = &samples[i].file;
			void *memory;
			if (xc_cuda_decode_queue_next(queue, file->size, &memory))
				abort();
			memcpy(memory, file->data, file->size);
			SUCCEEDS(context, xc_cuda_decode_queue_submit(queue));
		}
		sample s = samples[done];
		xc_cuda_file w = {0};
		w.status = xc_cuda_decode_queue_collect(queue, &s.mine, &w.damaged_segments);
		judge(&s, &w);
	}
	xc_cuda_decode_queue_free(queue);
	end_case(last);
}

static void from_host_to_host(void)
{
	const xc_decode_options whole = {0}, half = {.scale = 2};

	if (is_enough())
		return;
	add_all(1);
	through_queue(&whole, 0);
	through_queue(&half, 1);
}

/* xc_decode() on the GPU: into memory of the library's, the caller's, and pinned memory. */
static void with_options(const xc_decode_options *o, int last)
{
	begin_case(o);
	CHECK(test_gpu_use(context), "%s", xc_context_message(context));
	for (size_t i = 0; i < count; i++) {
		const xc_buffer *file = &samples[i].file;
		sample s = samples[i];
		xc_cuda_file w = {0};
		if (i % 3 == 0)
			s.mine = (xc_picture){0};
		if (i % 3 == 1)
			s.mine.data = need(calloc(s.mine.height, s.mine.stride));
		xc_info info;
		SUCCEEDS(context, xc_read_info(context, file->data, file->size, &info));
		xc_decode_options mine = options_for(o, &info);
		w.status = xc_decode(context, file->data, file->size, &mine, &s.mine);
		CHECK(!strncmp(xc_context_device(context), "cuda:", 5), "by %s",
		      xc_context_device(context));
		judge(&s, &w);
		if (i % 3 == 0)
			xc_picture_free(context, &s.mine);
		if (i % 3 == 1)
			free(s.mine.data);
	}
	SUCCEEDS(context, xc_context_set_device(context, "cpu"));
	end_case(last);
}

static void by_context(void)
{
	const xc_decode_options whole = {0}, quarter = {.scale = 4}, part = {.region = {.width = 1}};
	const xc_decode_options part_of_half = {.scale = 2, .region = {.width = 1}};

	if (is_enough())
		return;
	add_all(1);
	with_options(&whole, 0);
	with_options(&quarter, 0);
	for (turn = 0; turn < 5; turn += SHARED_TURNS ? 4 : 2)
		with_options(&part, 0);
	turn = 3;
	with_options(&part_of_half, 1);
	turn = 0;
}

/* ------------------------------------------------------------------ vectors */

#ifndef XC_TEST_MODES
static unsigned agreed, left; /* left: those that the processor alone decodes */

static xc_status decode_vector(const xc_test_vector *v, int keep_going, xc_vector_result *r)
{
	const xc_decode_options o = {.keep_going = keep_going};
	xc_cuda_file list = {.file = v->file.data, .size = v->file.size};
	xc_cuda_decoder *decoder = NULL;
	xc_info info = {.width = 8, .height = 8, .channels = 1, .depth = 8};

	if (v->wanted.class <= XC_VECTOR_DAMAGED)
		REQUIRE_STATUS(xc_read_info(context, v->file.data, v->file.size, &info));
	const size_t row = (size_t)info.width * info.channels * info.depth / 8;
	void *memory = test_gpu_pinned(gpu, row * info.height);
	list.picture = (xc_picture){info.width, info.height, info.channels, info.depth, row, memory};
	xc_status s = xc_cuda_decoder_new(gpu, &o, 1, &decoder);
	if (!s)
		s = xc_cuda_decode(decoder, &list, 1, NULL, NULL);
	if (!s)
		s = xc_cuda_decoder_wait(decoder);
	if (s)
		xc_vector_refused(r, s);
	else
		xc_vector_picture(r, &list.picture);
	r->damaged = list.damaged_segments;
	xc_cuda_decoder_free(decoder);
	xc_cuda_release(gpu, memory);
	return s;
}

static void check_vector(const xc_test_vector *v)
{
	const char *type = v->file.size > 12 ? (const char *)v->file.data + 8 : "";
	xc_vector_result r;

	if (!strncmp(type, "ARRY", 4) || !strncmp(type, "JPEG", 4))
		return;
	xc_status s = decode_vector(v, 0, &r);
	if (s == XC_ERR_UNSUPPORTED && strstr(xc_context_message(context), "--device cpu")) {
		CHECK(v->wanted.class <= XC_VECTOR_DAMAGED, "%s is left to the processor", v->name);
		left++;
		return;
	}
	if (s && r.class == XC_VECTOR_BAD) {
		s = decode_vector(v, 1, &r);
		r.class = s ? r.class : XC_VECTOR_DAMAGED;
	}
	CHECK(xc_vector_same(&v->wanted, &r), "%s: %s, %llu damaged segments, %s, %s (%s)", v->name,
	      xc_vector_class_name(r.class), (unsigned long long)r.damaged, r.shape, r.hash,
	      xc_context_message(context));
	agreed++;
}

/* What the MANIFEST of tests/vectors says of pictures. */
static void vectors(void)
{
	CHECK(xc_vectors_each(check_vector) >= 150, "vectors are missing");
	printf("# %u vectors, and %u are left to the processor\n", agreed, left);
	CHECK(agreed >= 200, "%u vectors", agreed);
}
#endif

int main(int argc, char **argv)
{
	few = TEST_STUB || (argc > 1 && !strcmp(argv[1], "--few"));
	context = xc_context_new(NULL);
	if (!context)
		return 1;
	if (!test_gpu_open(context, &gpu)) {
		xc_context_free(context);
		return CHECK_SKIPPED;
	}
	for (mode = 0; mode < MODES; mode++)
		RUN_AS(modes[mode].name, small, single, together, reduced, rounded, damaged,
		       right_checksums, from_host_to_host, by_context, pieces);
#ifndef XC_TEST_MODES
	RUN(vectors);
#endif
	xc_cuda_close(gpu);
	xc_context_free(context);
	return check_done();
}
