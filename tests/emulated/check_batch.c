/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches against xc_decode() and xc_encode(), by threads and on the stub of a GPU, or the GPU of the
 * module that XC_CUDA_MODULE names: every type of array, crops, reduced sizes, channels, and what is
 * said about items that fail.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xcodec_batch.h>
#include <xcodec_cuda.h>

#include "src/pixels/kernels.h"
#include "tests/support/codec.h"

static xc_context *context;
static xc_batch *batches[2]; /* of the processor, of the GPU; NULL: there is none */
static xc_cuda *gpu;         /* for arrays that it and the tests reach */
static int stubbed;          /* it is the stub */

enum { FILES = 11 }; /* the last two are without loss, which threads decode */
static xc_buffer files[FILES];

static void make_files(void)
{
	for (uint32_t i = 0; i < FILES; i++) {
		const uint32_t channels = 1 + i % 4, depth = i < 4 || i == 8 ? 8 : 16;
		OWN_PICTURE p = xc_test_picture(33 + 18 * i, 80 + 4 * i, channels, depth, 0, i + 1);
		xc_encode_options o = xc_test_defaults();
		o.entropy = i % 3 ? XC_ENTROPY_RANS : XC_ENTROPY_HUFFMAN;
		o.quality = i == 8 ? 100 : 80;
		o.mode = i > 8 ? XC_MODE_LOSSLESS : XC_MODE_LOSSY;
		REQUIRE_OK(context, xc_encode(context, &p, NULL, &o, &files[i]));
	}
}

static xc_batch_item item_of(uint32_t file)
{
	return (xc_batch_item){.file = files[file].data, .size = files[file].size};
}

/* The bits of the binary16 number nearest to v, by its definition. */
static uint32_t half_of(double v)
{
	const uint32_t sign = signbit(v) ? 0x8000 : 0;
	int exponent;

	if (isnan(v))
		return sign | 0x7e00;
	(void)frexp(fabs(v), &exponent);
	if (v == 0 || exponent < -13)
		exponent = -13;
	const double places = rint(ldexp(fabs(v), 11 - exponent)); /* of the last place of its binade */
	if (isinf(v) || ldexp(places, exponent - 11) >= 65536)
		return sign | 0x7c00;
	/* Carries into the exponent are right as they come. */
	return sign | (uint32_t)((exponent + 13) * 1024 + (int)places);
}

static void halves(void)
{
	static const float special[] = {0,        -0.f,     65504,       65519.996f, 65520,
	                                -65520,   1e9f,     INFINITY,    -INFINITY,  5.9604645e-8f,
	                                2.98e-8f, 2.99e-8f, 6.1035e-5f,  1,          -2.5f,
	                                2049,     2051,     6.097555e-5f};
	float v[4096];
	uint16_t found[COUNT(v)];
	uint64_t seed = 7;

	for (size_t i = 0; i < COUNT(v); i++) {
		const uint32_t bits = (uint32_t)check_random(&seed);
		memcpy(&v[i], &bits, sizeof bits);
		if (i < COUNT(special))
			v[i] = special[i];
		else if (i % 4) /* most floats are out of the range of binary16 */
			v[i] = ldexpf((float)(int32_t)bits, (int)(i % 44) - 60);
	}
	for (xc_cpu cpu = XC_CPU_SCALAR; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable(cpu))
			continue;
		xc_kernels_get(cpu)->halves(v, COUNT(v), found);
		for (size_t i = 0; i < COUNT(v); i++)
			CHECK(found[i] == half_of(v[i]) || (isnan(v[i]) && (found[i] & 0x7fff) > 0x7c00),
			      "%a is %x, not %x", (double)v[i], found[i], half_of(v[i]));
	}
}

/* ------------------------------------------------------------------ arrays */

/* Checks one sample of an array; v: what xc_decode() gives. */
static int same_sample(const xc_batch_options *o, const void *array, size_t at, uint32_t channel,
                       uint32_t v, uint32_t depth)
{
	const float deviation = o->deviation[channel] != 0 ? o->deviation[channel] : 1;
	volatile float f = (float)v / (depth == 8 ? 255.f : 65535.f);

	f = f - o->mean[channel];
	f = f / deviation;
	switch (o->type) {
	case XC_SAMPLE_UINT8:
		return ((const uint8_t *)array)[at] == v;
	case XC_SAMPLE_UINT16:
		return ((const uint16_t *)array)[at] == v;
	case XC_SAMPLE_FLOAT16:
		return ((const uint16_t *)array)[at] == half_of(f);
	default:
		return ((const float *)array)[at] == f;
	}
}

static void check_array(const xc_batch_options *o, const xc_batch_item *i)
{
	xc_decode_options options = {.keep_going = o->keep_going,
	                             .jpeg_rounding = o->jpeg_rounding,
	                             .region = i->region,
	                             .scale = o->scale};
	OWN_DECODED(context, p);

	REQUIRE(!i->status, "%s", i->message);
	p.channels = o->channels;
	REQUIRE_OK(context, xc_decode(context, i->file, i->size, &options, &p));
	REQUIRE(p.width == i->width && p.height == i->height && p.channels == i->channels &&
	            p.depth == i->depth,
	        "the shape is %ux%ux%u", i->width, i->height, i->channels);
	const size_t pixels = (size_t)p.width * p.height;
	for (size_t n = 0; n < pixels * p.channels; n++) {
		const size_t pixel = n / p.channels, c = n % p.channels;
		const char *row = (char *)p.data + pixel / p.width * p.stride;
		const size_t at = pixel % p.width * p.channels + c;
		const uint32_t v = p.depth == 8 ? ((const uint8_t *)row)[at]
		                                : ((const uint16_t *)(const void *)row)[at];
		REQUIRE(same_sample(o, i->data, o->planar ? c * pixels + pixel : n, (uint32_t)c, v,
		                    p.depth),
		        "type %d, planar %d, %ux%ux%u: sample %zu is wrong", (int)o->type, o->planar,
		        p.width, p.height, p.channels, n);
	}
}

static void *array_for(const xc_batch *b, size_t size)
{
	void *memory = NULL;

	if (b == batches[0])
		return xc_test_malloc(size);
	if (xc_cuda_allocate_pinned(gpu, size, &memory))
		abort();
	return memory;
}

static void free_array(const xc_batch *b, void *array)
{
	if (b == batches[0])
		free(array);
	else
		xc_cuda_release(gpu, array);
}

/* Decodes a list with shapes; the caller frees the arrays. */
static void decode_list(xc_batch *b, const xc_batch_options *o, xc_batch_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		items[i].data = items[i].status ? NULL : array_for(b, xc_batch_item_bytes(o, &items[i]));
	CHECK(!xc_batch_decode(b, o, items, count, NULL), "%s", xc_batch_message(b));
}

static void arrays(int device)
{
	xc_batch *b = batches[device];

	if (!b)
		SKIP("there is neither a GPU nor a stub of one");
	for (uint32_t kind = 0; kind < 4 * 2 * 5 * 4; kind++) {
		xc_batch_options o = {.type = (xc_sample_type)(kind % 4),
		                      .planar = kind / 4 % 2,
		                      .channels = kind / 8 % 5,
		                      .scale = 1u << kind / 40,
		                      .mean = {0.485f, 0.456f, 0.406f, 0.5f},
		                      .deviation = {0.229f, 0.224f, 0, 0.25f}};
		xc_batch_item items[FILES];
		for (uint32_t i = 0; i < FILES; i++) {
			items[i] = item_of(i);
			if ((i + kind) % 3 == 0)
				items[i].region = (xc_rectangle){3 + i, 7, 20 + i, 61};
		}
		REQUIRE(!xc_batch_shapes(b, &o, items, FILES), "%s", xc_batch_message(b));
		decode_list(b, &o, items, FILES);
		for (uint32_t i = 0; i < FILES; i++) {
			const int fits = o.type >= XC_SAMPLE_FLOAT16 ||
			                 (i < 4 || i == 8) == (o.type == XC_SAMPLE_UINT8);
			if (fits)
				check_array(&o, &items[i]);
			else
				CHECK(items[i].status == XC_ERR_UNSUPPORTED && items[i].message[0],
				      "integers of another size: %s", items[i].message);
			free_array(b, items[i].data);
		}
	}
}

/* More items than a GPU takes at once. */
static void many(int device)
{
	enum { ITEMS = 1000 };
	static xc_batch_item items[ITEMS];
	const xc_batch_options o = {.type = XC_SAMPLE_UINT8};
	xc_batch *b = batches[device];

	if (!b)
		SKIP("there is neither a GPU nor a stub of one");
	for (uint32_t i = 0; i < ITEMS; i++) {
		items[i] = item_of(i % 4);
		if (i % 2)
			items[i].region = (xc_rectangle){i % 7, i % 11, 16, 16};
		if (i % 100 == 99)
			items[i].size = 20;
	}
	REQUIRE(!xc_batch_shapes(b, &o, items, ITEMS), "%s", xc_batch_message(b));
	decode_list(b, &o, items, ITEMS);
	for (uint32_t i = 0; i < ITEMS; i++) {
		if (i % 100 == 99)
			CHECK(items[i].status == XC_ERR_TRUNCATED, "item %u: %s", i, items[i].message);
		else if (i % 37 == 0)
			check_array(&o, &items[i]);
		else
			CHECK(!items[i].status, "item %u: %s", i, items[i].message);
		free_array(b, items[i].data);
	}
}

/* Regions of pictures of many tiles, of which a GPU decodes those that a region depends on; and their reduced sizes, and
 * the Y of colour. */
static void crops(int device)
{
	enum { REGIONS = 7 };
	xc_batch *b = batches[device];
	uint64_t seed = 5;

	if (!b)
		SKIP("there is neither a GPU nor a stub of one");
	static const xc_transform transforms[] = {XC_TRANSFORM_DCT, XC_TRANSFORM_LOT,
	                                          XC_TRANSFORM_TDLT};
	static const xc_subsampling samplings[] = {XC_SUBSAMPLING_444, XC_SUBSAMPLING_422,
	                                           XC_SUBSAMPLING_420, XC_SUBSAMPLING_GREY};

	for (uint32_t kind = 0; kind < 3 * 4 * 2 * 2; kind++) {
		const uint32_t sampling = kind / 3 % 4;
		xc_encode_options o = xc_test_defaults();
		o.transform = transforms[kind % 3];
		o.subsampling = samplings[sampling];
		o.entropy = kind / 12 % 2 ? XC_ENTROPY_RANS : XC_ENTROPY_HUFFMAN;
		o.segment_blocks = 32 + 50 * (int)(kind % 5);
		const uint32_t depth = kind / 24 ? 16 : 8;
		OWN_PICTURE p = xc_test_picture(250 - kind, 140 + kind, sampling == 3 ? 1 : 3, depth, 0,
		                                kind);
		OWN_BUFFER(context, file);
		REQUIRE_OK(context, xc_encode(context, &p, NULL, &o, &file));
		const xc_batch_options options = {.type = depth == 8 ? XC_SAMPLE_UINT8 : XC_SAMPLE_UINT16,
		                                  .channels = kind % 7 == 5 ? 1 + kind % 2 : p.channels,
		                                  .scale = 1u << kind * 5 % 8 / 2};
		xc_batch_item items[REGIONS];
		for (uint32_t i = 0; i < REGIONS; i++) {
			items[i] = (xc_batch_item){.file = file.data, .size = file.size};
			xc_rectangle *r = &items[i].region;
			r->width = 1 + (uint32_t)check_random(&seed) % (i < 4 ? 60 : p.width);
			r->height = 1 + (uint32_t)check_random(&seed) % (i < 4 ? 60 : p.height);
			r->x = (uint32_t)check_random(&seed) % (p.width - r->width + 1);
			r->y = (uint32_t)check_random(&seed) % (p.height - r->height + 1);
		}
		REQUIRE(!xc_batch_shapes(b, &options, items, REGIONS), "%s", xc_batch_message(b));
		decode_list(b, &options, items, REGIONS);
		for (uint32_t i = 0; i < REGIONS; i++) {
			check_array(&options, &items[i]);
			free_array(b, items[i].data);
		}
		/* Damage is told where it is in the region or beside it, and nowhere else. */
		((uint8_t *)file.data)[file.size / 2] ^= 64;
		decode_list(b, &options, items, REGIONS);
		for (uint32_t i = 0; i < REGIONS; i++) {
			xc_decode_options alone = {.region = items[i].region, .scale = options.scale};
			OWN_DECODED(context, part);
			const xc_status s = xc_decode(context, file.data, file.size, &alone, &part);
			CHECK(items[i].status == s && !strcmp(items[i].message, xc_context_message(context)),
			      "'%s', not '%s'", items[i].message, xc_context_message(context));
			free_array(b, items[i].data);
		}
	}
}

/* ------------------------------------------------------------------ failures */

static void failures(int device)
{
	xc_batch *b = batches[device];
	xc_batch_options o = {.type = XC_SAMPLE_UINT8};

	if (!b)
		SKIP("there is neither a GPU nor a stub of one");
	OWN_MEMORY uint8_t *damaged = xc_test_copy(files[2].data, files[2].size);
	damaged[files[2].size - 12] ^= 16;
	for (o.keep_going = 0; o.keep_going < 2; o.keep_going++) {
		xc_batch_item items[] = {item_of(0),
		                         {.file = "no file at all", .size = 14},
		                         {.file = damaged, .size = files[2].size},
		                         item_of(2),
		                         {.file = files[3].data, .size = files[3].size - 40},
		                         item_of(3),
		                         item_of(1)};
		xc_decode_options options = {.keep_going = o.keep_going};
		items[5].region = (xc_rectangle){100, 0, 100, 1};
		REQUIRE(!xc_batch_shapes(b, &o, items, COUNT(items)), "%s", xc_batch_message(b));
		CHECK(items[1].status == XC_ERR_FORMAT && items[5].status == XC_ERR_ARGUMENT, "%s; %s",
		      items[1].message, items[5].message);
		snprintf(items[0].message, sizeof items[0].message, "of an earlier call");
		decode_list(b, &o, items, COUNT(items));
		for (size_t i = 0; i < COUNT(items); i++) {
			OWN_DECODED(context, p);
			options.region = items[i].region;
			const xc_status s = xc_decode(context, items[i].file, items[i].size, &options, &p);
			CHECK(items[i].status == s, "item %zu has status %d, not %d", i, (int)items[i].status,
			      (int)s);
			CHECK(!strcmp(items[i].message, xc_context_message(context)),
			      "item %zu: '%s', not '%s'", i, items[i].message, xc_context_message(context));
			CHECK(items[i].damaged_segments == options.damaged_segments, "item %zu: %llu damaged",
			      i, (unsigned long long)items[i].damaged_segments);
			if (!s)
				check_array(&o, &items[i]);
			free_array(b, items[i].data);
		}
	}
	o = (xc_batch_options){.type = (xc_sample_type)7};
	CHECK(xc_batch_shapes(b, &o, NULL, 0) == XC_ERR_ARGUMENT, "a type that does not exist");
	o = (xc_batch_options){.deviation = {-1}};
	CHECK(xc_batch_shapes(b, &o, NULL, 0) == XC_ERR_ARGUMENT, "a negative deviation");
	o = (xc_batch_options){.mean = {NAN}};
	CHECK(xc_batch_decode(b, &o, NULL, 0, NULL) == XC_ERR_ARGUMENT, "a mean that is no number");
	xc_batch *none;
	CHECK(xc_batch_new(context, "auto", 0, &none) == XC_ERR_ARGUMENT && !none, "no such device");
	void *memory;
	if (!device)
		CHECK(xc_batch_allocate(b, 1, &memory) == XC_ERR_ARGUMENT, "memory of no GPU");
	for (int i = 0; i < 3 && device; i++) {
		REQUIRE(!xc_batch_allocate(b, 1000, &memory) && memory, "no memory of the GPU");
		xc_batch_release(b, memory);
	}
}

/* What is too much for the GPU's memory fails alone. */
static void too_large(void)
{
	const xc_batch_options o = {.type = XC_SAMPLE_FLOAT32};
	xc_batch_item items[6];
	xc_batch *b;

	if (!stubbed)
		SKIP("this wants the stub of a GPU");
	OWN_PICTURE p = xc_test_picture(900, 700, 3, 8, 0, 1);
	OWN_BUFFER(context, large);
	REQUIRE_OK(context, xc_encode(context, &p, NULL, NULL, &large));
	for (uint32_t i = 0; i < COUNT(items); i++)
		items[i] = item_of(i % 3);
	items[2].file = large.data;
	items[2].size = large.size;
	items[4].size = 25;
	REQUIRE_OK(context, xc_batch_new(context, "cuda", 2, &b));
	REQUIRE(!xc_batch_shapes(b, &o, items, COUNT(items)), "%s", xc_batch_message(b));
	for (uint32_t i = 0; i < COUNT(items); i++)
		items[i].data = items[i].status ? NULL
		                                : array_for(batches[1], xc_batch_item_bytes(&o, &items[i]));
	setenv("XC_STUB_MEMORY", "1000000", 1);
	CHECK(!xc_batch_decode(b, &o, items, COUNT(items), NULL), "%s", xc_batch_message(b));
	unsetenv("XC_STUB_MEMORY");
	for (uint32_t i = 0; i < COUNT(items); i++) {
		if (i == 2)
			CHECK(items[i].status == XC_ERR_MEMORY && *items[i].message, "status %d, '%s'",
			      (int)items[i].status, items[i].message);
		else if (i == 4)
			CHECK(items[i].status == XC_ERR_TRUNCATED, "%s", items[i].message);
		else
			check_array(&o, &items[i]);
		free_array(batches[1], items[i].data);
	}
	xc_batch_free(b);
}

/* ------------------------------------------------------------------ encoding */

static void encoding(int device)
{
	enum { PICTURES = 12 };
	xc_batch *b = batches[device];
	xc_batch_picture list[PICTURES];
	xc_encode_options o = xc_test_defaults();

	if (!b)
		SKIP("there is neither a GPU nor a stub of one");
	for (uint32_t i = 0; i < PICTURES; i++)
		list[i] = (xc_batch_picture){
			.picture = xc_test_picture(20 + 31 * i, 64, 1 + i % 4, i % 5 ? 8 : 16, 0, i)};
	const uint32_t width = list[7].picture.width;
	list[7].picture.width = 0;
	for (int twice = 0; twice < 2; twice++) {
		REQUIRE(!xc_batch_encode(b, &o, list, PICTURES), "%s", xc_batch_message(b));
		for (uint32_t i = 0; i < PICTURES; i++) {
			OWN_BUFFER(context, f);
			const xc_status s = xc_encode(context, &list[i].picture, NULL, &o, &f);
			CHECK(s == list[i].status && !strcmp(list[i].message, xc_context_message(context)),
			      "picture %u: %s", i, list[i].message);
			CHECK(f.size == list[i].size && (!f.size || !memcmp(f.data, list[i].file, f.size)),
			      "picture %u: another file", i);
		}
	}
	list[7].picture.width = width;
	for (uint32_t i = 0; i < PICTURES; i++)
		xc_test_picture_free(&list[i].picture);
}

/* More pictures than a GPU takes at once, coded in ways that it knows and in others. */
static void encoding_many(int device)
{
	enum { PICTURES = 400 };
	static xc_batch_picture list[PICTURES];
	const xc_metadata named = {.text = {(const uint8_t *)"a\0b", 4}};
	xc_batch *b = batches[device];

	if (!b)
		SKIP("there is neither a GPU nor a stub of one");
	for (uint32_t i = 0; i < PICTURES; i++) {
		const uint32_t width = i % 50 == 49 ? 400 : 9 + 5 * i % 61;
		list[i].picture = i % 40 == 39 ? xc_test_noise(width, 40, 8)
		                               : xc_test_picture(width, 1 + 7 * i % 53, 1 + i % 4,
		                                                 i % 9 ? 8 : 16, i % 3, i);
		list[i].metadata = i % 7 ? NULL : &named;
	}
	for (int way = 0; way < 5; way++) {
		xc_encode_options o = xc_test_defaults();
		if (way == 1)
			CHECK(!xc_batch_trim(b), "%s", xc_batch_message(b));
		o.entropy = way == 1 ? XC_ENTROPY_HUFFMAN : XC_ENTROPY_RANS;
		o.effort = way == 1 ? 0 : 2;
		o.mode = way == 2 ? XC_MODE_AUTO : XC_MODE_LOSSY;
		o.quality = way == 3 ? 98 : 70;
		o.subsampling = way == 2 ? XC_SUBSAMPLING_AUTO : o.subsampling;
		if (way == 4)
			o.effort = 3; /* which a GPU refuses */
		const size_t count = way == 4 ? 20 : PICTURES - 60 * (size_t)way;
		REQUIRE(!xc_batch_encode(b, &o, list, count), "%s", xc_batch_message(b));
		for (size_t i = 0; i < count; i++) {
			OWN_BUFFER(context, f);
			if ((way == 4 || way == 3) && device) {
				CHECK(!list[i].status || list[i].status == XC_ERR_UNSUPPORTED,
				      "picture %zu: status %d", i, (int)list[i].status);
				CHECK(!list[i].status == !*list[i].message, "picture %zu: '%s'", i,
				      list[i].message);
			}
			if (list[i].status == XC_ERR_UNSUPPORTED)
				continue;
			REQUIRE_OK(context, xc_encode(context, &list[i].picture, list[i].metadata, &o, &f));
			REQUIRE(f.size == list[i].size && !memcmp(f.data, list[i].file, f.size),
			        "way %d, picture %zu: another file", way, i);
		}
	}
	for (uint32_t i = 0; i < PICTURES; i++)
		xc_test_picture_free(&list[i].picture);
}

/* Pictures that are together too much for the GPU's memory, and one that is so alone. */
static void encoding_too_large(void)
{
	enum { PICTURES = 12 };
	xc_batch_picture list[PICTURES];
	xc_encode_options o = xc_test_defaults();
	xc_batch *b;

	if (!stubbed)
		SKIP("this wants the stub of a GPU");
	REQUIRE_OK(context, xc_batch_new(context, "cuda", 2, &b));
	for (uint32_t i = 0; i < PICTURES; i++)
		list[i] = (xc_batch_picture){
			.picture = xc_test_picture(i == 5 ? 1500 : 150, i == 5 ? 1200 : 100, 3, 8, 0, i)};
	setenv("XC_STUB_MEMORY", "5000000", 1);
	CHECK(!xc_batch_encode(b, &o, list, PICTURES), "%s", xc_batch_message(b));
	unsetenv("XC_STUB_MEMORY");
	for (uint32_t i = 0; i < PICTURES; i++) {
		OWN_BUFFER(context, f);
		REQUIRE_OK(context, xc_encode(context, &list[i].picture, NULL, &o, &f));
		if (i == 5)
			CHECK(list[i].status == XC_ERR_MEMORY && *list[i].message && !list[i].file,
			      "status %d, '%s'", (int)list[i].status, list[i].message);
		else
			CHECK(f.size == list[i].size && !memcmp(f.data, list[i].file, f.size),
			      "picture %u: status %d, %s", i, (int)list[i].status, list[i].message);
		xc_test_picture_free(&list[i].picture);
	}
	xc_batch_free(b);
}

int main(void)
{
	const char *folder = getenv("BUILDDIR");
	char stub[4096];

	snprintf(stub, sizeof stub, "%s/tests/emulated/.libs/stub_plugin.so", folder ? folder : ".");
	context = xc_test_context();
	if (xc_batch_new(context, NULL, 3, &batches[0]))
		abort();
	if (xc_batch_new(context, "cuda", 2, &batches[1])) {
		setenv("XC_CUDA_MODULE", stub, 1);
		if (xc_batch_new(context, "cuda", 2, &batches[1]))
			printf("# no GPU: %s\n", xc_context_message(context));
		stubbed = batches[1] != NULL;
	}
	if (batches[1] && xc_cuda_open(context, 0, &gpu))
		abort();
	make_files();
	RUN(halves);
	for (int device = 0; device < 2; device++)
		RUN_FOR(device ? "GPU" : "processor", device, arrays, many, crops, failures, encoding,
		        encoding_many);
	RUN(too_large, encoding_too_large);
	for (int i = 0; i < FILES; i++)
		xc_buffer_free(context, &files[i]);
	xc_batch_free(batches[0]);
	xc_batch_free(batches[1]);
	xc_cuda_close(gpu);
	xc_context_free(context);
	return check_done();
}
