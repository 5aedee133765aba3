/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NPY, the format of numpy.save(): versions 1 to 3, either byte order, C and Fortran order
 * (numpy.lib.format says what they are). Values are given and taken in C order, as numpy indexes
 * them, so an array in Fortran order is turned in memory. The header is attached unless it is the one
 * that is written here anyway.
 */
#include "formats/array/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NPY_MAGIC = 6, NPY_TEXT = 1 << 16, NPY_MADE = 512 };

typedef struct npy {
	const char *text; /* what is left of the header's dictionary */
	char order;       /* < > or | */
	int kind;         /* f, i or u, and its bytes */
	int bytes;
	int fortran;
	int dimensions; /* -1: not yet known */
	uint64_t sizes[XC_ARRAY_SIZES];
	char descr[24];
} npy;

/* ------------------------------------------------------------------- parsing */

static int take(npy *n, const char *word)
{
	while (*n->text == ' ' || *n->text == '\n' || *n->text == '\t')
		n->text++;
	const size_t length = strlen(word);
	if (strncmp(n->text, word, length))
		return 0;
	n->text += length;
	return 1;
}

static int take_text(npy *n, char *to, size_t room)
{
	const char quote = take(n, "'") ? '\'' : take(n, "\"") ? '"' : '\0';
	size_t length = 0;

	if (!quote)
		return 0;
	while (*n->text >= ' ' && *n->text <= '~' && *n->text != quote && length + 1 < room)
		to[length++] = *n->text++;
	to[length] = '\0';
	return *n->text++ == quote;
}

static int take_number(npy *n, uint64_t *value)
{
	take(n, "");
	const char *end = xc_array_digits(n->text, value);
	n->text = end ? end : n->text;
	take(n, "L"); /* Python 2 */
	return end != NULL;
}

static int take_shape(npy *n)
{
	if (!take(n, "("))
		return 0;
	for (n->dimensions = 0; !take(n, ")"); take(n, ","))
		if (n->dimensions == XC_ARRAY_SIZES || !take_number(n, &n->sizes[n->dimensions++]))
			return 0;
	return 1;
}

static int take_item(npy *n)
{
	char key[16];

	if (!take_text(n, key, sizeof key) || !take(n, ":"))
		return 0;
	if (!strcmp(key, "descr") && take(n, "[")) {
		snprintf(n->descr, sizeof n->descr, "records");
		return 0;
	}
	if (!strcmp(key, "descr"))
		return take_text(n, n->descr, sizeof n->descr);
	if (!strcmp(key, "shape"))
		return take_shape(n);
	if (strcmp(key, "fortran_order"))
		return 0;
	n->fortran = take(n, "True");
	return n->fortran || take(n, "False");
}

/* text: ends with a zero */
static int parse(const char *text, npy *n)
{
	*n = (npy){.text = text, .dimensions = -1, .fortran = -1};
	if (!take(n, "{"))
		return 0;
	while (!take(n, "}")) {
		if (!take_item(n))
			return 0;
		take(n, ",");
	}
	n->order = n->descr[0];
	n->kind = n->descr[0] ? n->descr[1] : 0;
	n->bytes = n->kind && n->descr[2] && !n->descr[3] ? n->descr[2] - '0' : 0;
	return n->dimensions >= 0 && n->fortran >= 0 && n->kind;
}

static int type_of(const npy *n)
{
	static const char kinds[XC_ARRAY_TYPES] = "ffiiiuuu";

	for (int i = 0; i < XC_ARRAY_TYPES; i++)
		if (n->kind == kinds[i] && n->bytes == (int)xc_array_value_size((xc_array_type)i) &&
		    (n->order == '<' || n->order == '>' || (n->order == '|' && n->bytes == 1)))
			return i;
	return -1;
}

/* -------------------------------------------------------------- Fortran order */

/* Copies values of one size; steps are in bytes. */
static inline void copy(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step,
                        uint64_t count, size_t size)
{
	for (; count; count--, to += to_step, from += from_step)
		memcpy(to, from, size);
}

static void copy_any(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step,
                     uint64_t count, size_t size)
{
	if (size == 1)
		copy(to, to_step, from, from_step, count, 1);
	else if (size == 2)
		copy(to, to_step, from, from_step, count, 2);
	else if (size == 4)
		copy(to, to_step, from, from_step, count, 4);
	else
		copy(to, to_step, from, from_step, count, 8);
}

/* Copies `count` values that follow each other in C order, from the value `at` on, to their places in
 * `file`, where they are in Fortran order, or from there. */
static void turn(const xc_array_shape *s, uint64_t at, uint64_t count, uint8_t *values,
                 uint8_t *file, int from_file)
{
	const size_t size = xc_array_value_size(s->type);
	const int last = s->dimensions - 1;
	uint64_t n;

	for (; count; count -= n, at += n, values += n * size) {
		const uint64_t x = at % s->size[last];
		uint64_t place = x, row = at / s->size[last], step = 1;
		for (int k = 0; k < last; k++)
			step *= s->size[k];
		n = s->size[last] - x < count ? s->size[last] - x : count;
		for (int k = last - 1; k >= 0; row /= s->size[k--])
			place = place * s->size[k] + row % s->size[k];
		if (from_file)
			copy_any(values, size, file + place * size, step * size, n, size);
		else
			copy_any(file + place * size, step * size, values, size, n, size);
	}
}

/* Whether values are elsewhere in Fortran order than in C order. */
static int is_turned(const npy *n)
{
	int longer = 0;

	for (int i = 0; i < n->dimensions; i++)
		longer += n->sizes[i] != 1;
	return n->fortran && longer > 1;
}

/* ------------------------------------------------------------------- reading */

/* Bytes before the values, and those before the dictionary; 0: no version that is known. */
static uint64_t header_size(const uint8_t *first, size_t size, unsigned *before)
{
	if (size < NPY_MAGIC + 6 || first[6] < 1 || first[6] > 3)
		return 0;
	*before = first[6] == 1 ? NPY_MAGIC + 4 : NPY_MAGIC + 6;
	return *before + (uint64_t)(first[6] == 1 ? xc_load_le16(first + 8) : xc_load_le32(first + 8));
}

static size_t make(char header[NPY_MADE], const xc_array_shape *shape)
{
	static const char letters[XC_ARRAY_TYPES] = "ffiiiuuu";
	const size_t bytes = xc_array_value_size(shape->type);
	char *text = header + NPY_MAGIC + 4;
	int used = snprintf(text, NPY_MADE - 16,
	                    "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (",
	                    bytes == 1 ? '|' : '<', letters[shape->type], bytes);

	for (int i = 0; i < shape->dimensions; i++)
		used += snprintf(text + used, 32, "%s%" PRIu64 "%s", i ? ", " : "", shape->size[i],
		                 shape->dimensions == 1 ? "," : "");
	used += snprintf(text + used, 8, "), }");
	/* As numpy since 1.23, which leaves room to make the array longer in place. */
	char first[24];
	used += 21 - snprintf(first, sizeof first, "%" PRIu64, shape->size[0]);
	const int length = (NPY_MAGIC + 4 + used + 1 + 63) / 64 * 64 - NPY_MAGIC - 4;
	const size_t end = strlen(text);
	memset(text + end, ' ', (size_t)length - end);
	text[length - 1] = '\n';
	memcpy(header, "\x93NUMPY\1\0", 8);
	xc_store_le((uint8_t *)header + 8, (uint64_t)length, 2);
	return NPY_MAGIC + 4 + (size_t)length;
}

static xc_status refuse(xc_array_reading *r, const npy *n)
{
	if (n->dimensions == 0 && type_of(n) >= 0)
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED, "the NPY file has no dimensions");
	/* What numpy's letters for kind and size are best made to. */
	static const char remedies[][2][32] = {{"f2", "a.astype('f4') of numpy"},
	                                       {"b1", "a.view('u1') of numpy"},
	                                       {"i8", "a.astype('i4') or 'f8' of numpy"},
	                                       {"u8", "a.astype('u4') or 'f8' of numpy"}};
	const char *remedy = "";
	for (size_t i = 0; i < sizeof remedies / sizeof *remedies && *n->descr; i++)
		if (!strcmp(n->descr + 1, remedies[i][0]))
			remedy = remedies[i][1];
	return xc_file_fail(
		r->message, XC_ERR_UNSUPPORTED,
		"values of the NPY file are '%s', not float32, float64, or integers of 8 to "
		"32 bits%s%s%s",
		n->descr, *remedy ? ": " : "", remedy, *remedy ? " makes them so" : "");
}

static xc_status read_header(xc_array_reading *r, unsigned *before)
{
	r->start = header_size(r->first, r->first_size, before);
	if (!r->start)
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED, "NPY of a version above 3");
	if (r->start > r->bytes.limit)
		return xc_array_short(r);
	if (r->start > NPY_TEXT)
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED, "the NPY header is above 64 KiB");
	return xc_array_keep_header(r);
}

static xc_status npy_open(xc_array_reading *r)
{
	unsigned before = 0;
	npy n;
	char made[NPY_MADE];
	xc_status status = read_header(r, &before);

	if (status)
		return status;
	if (!parse((const char *)r->header + before, &n) && strcmp(n.descr, "records"))
		return xc_file_fail(r->message, XC_ERR_CORRUPT, "the NPY header cannot be understood");
	const int type = type_of(&n);
	if (type < 0 || n.dimensions == 0)
		return refuse(r, &n);
	status = xc_array_shape_file(r, (xc_array_type)type, n.dimensions, n.sizes, r->start);
	if (status)
		return status;
	r->swap = n.bytes > 1 && (n.order == '>') != xc_array_big_endian();
	r->input.memory = is_turned(&n) ? r->end - r->start : 0;
	snprintf(r->input.detail, sizeof r->input.detail, "%s%s", n.descr,
	         n.fortran ? ", Fortran order" : "");
	/* What follows the values is only put back after a header that was attached. */
	r->header_late = make(made, &r->input.shape) == r->header_size &&
	                 !memcmp(made, r->header, r->header_size);
	return XC_OK;
}

static xc_status npy_read(xc_array_reading *r, void *values, uint64_t count)
{
	const uint64_t all = r->input.memory;

	if (!all)
		return xc_array_read_flat(r, values, count);
	if (!r->own) {
		r->own = all > SIZE_MAX / 2 ? NULL : malloc((size_t)all);
		if (!r->own)
			return xc_file_fail(r->message, XC_ERR_MEMORY,
			                    "out of memory for an NPY file in Fortran order");
		const xc_status status = xc_array_read_flat(r, r->own, r->input.values);
		if (status)
			return status;
	}
	turn(&r->input.shape, r->at, count, values, r->own, 1);
	return XC_OK;
}

static int npy_is(const uint8_t *first, size_t size, int suffix)
{
	(void)suffix;
	return size >= NPY_MAGIC + 6 && !memcmp(first, "\x93NUMPY", NPY_MAGIC);
}

/* ------------------------------------------------------------------- writing */

static int is_of_shape(xc_array_output *o, npy *n)
{
	unsigned before = 0;
	uint64_t values;
	xc_array_shape shape = {.type = XC_ARRAY_FLOAT32};

	if (header_size(o->header, o->header_size, &before) != o->header_size)
		return 0;
	const int type = parse((const char *)o->header + before, n) ? type_of(n) : -1;
	if (type < 0)
		return 0;
	shape.type = (xc_array_type)type;
	return xc_array_shape_set(n->dimensions, n->sizes, &shape, &values) &&
	       xc_array_same_shape(&shape, &o->shape);
}

static xc_status npy_create(xc_array_output *o)
{
	npy n = {0};
	char header[NPY_MADE];

	if (o->header && o->header_size > NPY_MAGIC + 6 && is_of_shape(o, &n)) {
		o->same = 1;
		o->swap = n.bytes > 1 && (n.order == '>') != xc_array_big_endian();
		o->memory = is_turned(&n) ? o->values * xc_array_value_size(o->shape.type) : 0;
		return xc_array_put(o, o->header, o->header_size);
	}
	return xc_array_put(o, header, make(header, &o->shape));
}

static xc_status npy_write(xc_array_output *o, const void *values, uint64_t count)
{
	if (!o->memory)
		return xc_array_put_values(o, values, count);
	turn(&o->shape, o->at, count, (uint8_t *)(uintptr_t)values, o->own, 0);
	return XC_OK;
}

static xc_status npy_end(xc_array_output *o)
{
	return o->memory ? xc_array_put_values(o, o->own, o->values) : XC_OK;
}

const xc_array_kind xc_array_npy = {
	.format = "NPY",
	.letters = "npy",
	.suffixes = {"npy"},
	.is = npy_is,
	.open = npy_open,
	.read = npy_read,
	.create = npy_create,
	.write = npy_write,
	.end = npy_end,
};
