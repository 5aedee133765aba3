/* SPDX-License-Identifier: BSD-2-Clause */
/* The test vectors: the library, from memory and as a stream, and the reference decoders make of each
 * what its MANIFEST says. */
#include <string.h>

#include "tests/decoders/refdec_vector.h"
#include "tests/support/check.h"
#include "tests/support/samples.h"

static xc_context *context;
static unsigned seen[XC_VECTOR_CLASSES];

static void expect(const xc_test_vector *v, const char *who, const xc_vector_result *r,
                   const char *why)
{
	CHECK(xc_vector_same(&v->wanted, r), "%s, by %s: %s, %llu damaged segments, %s, %s (%s)",
	      v->name, who, xc_vector_class_name(r->class), (unsigned long long)r->damaged, r->shape,
	      r->hash, why ? why : "");
}

typedef struct stream {
	const xc_test_vector *v;
	size_t at;
} stream;

/* A few bytes at a time. */
static ptrdiff_t read_some(void *user, void *to, size_t size)
{
	stream *s = user;
	const size_t left = s->v->file.size - s->at, most = 1 + s->at % 7;
	const size_t n = size < most ? size : most, some = n < left ? n : left;

	if (some)
		memcpy(to, s->v->file.data + s->at, some);
	s->at += some;
	return (ptrdiff_t)some;
}

static xc_status decode_rows(const xc_test_vector *v, xc_picture *p)
{
	stream from = {v, 0};
	const xc_source source = {.read = read_some, .user = &from};
	xc_info info;
	xc_decoder *decoder;
	xc_status s = xc_read_header(context, v->file.data, v->file.size, &info);

	if (!s)
		s = xc_decoder_new(context, &source, NULL, &decoder);
	if (s)
		return s;
	*p = (xc_picture){info.width, info.height, info.channels, info.depth, 0, NULL};
	p->stride = (size_t)p->width * p->channels * p->depth / 8;
	p->data = xc_test_malloc(p->stride * p->height);
	s = xc_decoder_rows(decoder, p->data, p->stride, p->height);
	if (!s)
		s = xc_decoder_finish(decoder);
	xc_decoder_free(decoder);
	return s;
}

/* Without going on after damage. */
static void check_stream(const xc_test_vector *v)
{
	xc_vector_result r;
	OWN_PICTURE p = {0};
	const xc_status s = decode_rows(v, &p);

	if (s)
		xc_vector_refused(&r, s);
	else
		xc_vector_picture(&r, &p);
	const int damaged = v->wanted.class == XC_VECTOR_DAMAGED && r.class == XC_VECTOR_BAD;
	CHECK(damaged || xc_vector_same(&v->wanted, &r), "%s, as a stream: %s, %s, %s (%s)", v->name,
	      xc_vector_class_name(r.class), r.shape, r.hash, xc_context_message(context));
}

static void check(const xc_test_vector *v)
{
	xc_vector_result r;
	const char *type = v->file.size > 12 ? (const char *)v->file.data + 8 : "";

	const char *why = refdec_vector(v->file.data, v->file.size, &r);
	expect(v, "the reference decoder", &r, why);
	xc_vector_decode(context, v->file.data, v->file.size, &r);
	expect(v, "the library", &r, xc_context_message(context));
	if (strncmp(type, "ARRY", 4) && strncmp(type, "JPEG", 4))
		check_stream(v);
	seen[v->wanted.class]++;
}

static void vectors(void)
{
	const unsigned n = xc_vectors_each(check);

	CHECK(n >= 150, "%u vectors", n);
	for (int c = 0; c < XC_VECTOR_CLASSES; c++)
		CHECK(seen[c], "none is %s", xc_vector_class_name((xc_vector_class)c));
}

int main(void)
{
	context = xc_context_new(NULL);
	if (!context)
		return 1;
	RUN(vectors);
	xc_context_free(context);
	return check_done();
}
