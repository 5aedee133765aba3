/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/decoders/refdec_vector.h"

#include <string.h>

#include "src/core/sha256.h"
#include "tests/format/refdec_array.h"
#include "tests/formats/refdec_jpeg.h"

enum { MAX_SAMPLES = 1 << 24, MAX_SEGMENTS = 4096 };

static const char *refused(const char *error, xc_vector_result *r)
{
	const size_t unsupported = sizeof REFDEC_UNSUPPORTED - 1, limit = sizeof REFDEC_LIMIT - 1;

	xc_vector_refused(r, !strncmp(error, REFDEC_UNSUPPORTED, unsupported) ? XC_ERR_UNSUPPORTED
	                     : !strncmp(error, REFDEC_LIMIT, limit)           ? XC_ERR_LIMIT
	                                                                      : XC_ERR_CORRUPT);
	return error;
}

static void put_picture(xc_vector_result *r, const refdec_picture *p)
{
	const size_t count = (size_t)p->width * p->height * p->channels, each = p->depth / 8;
	OWN_MEMORY uint8_t *narrow = xc_test_malloc(count);

	for (size_t i = 0; i < count; i++)
		narrow[i] = (uint8_t)p->samples[i];
	const xc_picture picture = {p->width,
	                            p->height,
	                            p->channels,
	                            p->depth,
	                            (size_t)p->width * p->channels * each,
	                            each == 1 ? (void *)narrow : p->samples};
	xc_vector_picture(r, &picture);
}

static const char *decode_picture(const uint8_t *file, size_t size, xc_vector_result *r)
{
	uint8_t damaged[MAX_SEGMENTS] = {0};
	refdec_picture p;
	const char *error = refdec_decode(file, size, MAX_SAMPLES, &p);

	if (error) {
		refused(error, r);
		if (r->class != XC_VECTOR_BAD ||
		    refdec_decode_damaged(file, size, MAX_SAMPLES, damaged, MAX_SEGMENTS, &p))
			return error;
	}
	put_picture(r, &p);
	free(p.samples);
	r->class = error ? XC_VECTOR_DAMAGED : XC_VECTOR_GOOD;
	for (int i = 0; i < MAX_SEGMENTS; i++)
		r->damaged += damaged[i];
	if (error && !r->damaged && strstr(error, "CRC of DATA")) /* one of them, at least */
		r->damaged = 1;
	return error;
}

static const char *decode_array(const uint8_t *file, size_t size, xc_vector_result *r)
{
	refdec_array a;
	const char *error = refdec_decode_array(file, size, MAX_SAMPLES, &a);

	if (error)
		return refused(error, r);
	xc_vector_array(r, a.type, a.dimensions, a.size, a.values);
	free(a.values);
	return NULL;
}

static const char *decode_jpeg(const uint8_t *file, size_t size, xc_vector_result *r)
{
	uint8_t *jpeg, hash[XC_SHA256_BYTES];
	uint64_t n;
	const char *error = refdec_decode_jpeg(file, size, MAX_SAMPLES, MAX_SAMPLES, &jpeg, &n);

	if (error)
		return refused(error, r);
	/* [12.4] It follows the length of JPEG, of a byte or two, and a number. */
	const uint8_t *at = file + 12;
	for (int numbers = 0; numbers < 2; at++)
		numbers += *at < 128;
	xc_sha256(jpeg, (size_t)n, hash);
	if (memcmp(hash, at, sizeof hash) != 0)
		error = refused("another SHA-256", r);
	else
		xc_vector_jpeg(r, jpeg, n);
	free(jpeg);
	return error;
}

const char *refdec_vector(const uint8_t *file, size_t size, xc_vector_result *r)
{
	const char *type = size > 12 ? (const char *)file + 8 : "";

	return !strncmp(type, "ARRY", 4)   ? decode_array(file, size, r)
	       : !strncmp(type, "JPEG", 4) ? decode_jpeg(file, size, r)
	                                   : decode_picture(file, size, r);
}
