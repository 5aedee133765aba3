/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NIfTI-1 and NIfTI-2 in one file (nifti.nimh.nih.gov): .nii, and .nii.gz through gzip. The header
 * with its extensions is attached; scl_slope and scl_inter stay in it, and values are as stored.
 * NIfTI names the fastest dimension first, so an array is t x z x y x x.
 */
#include "formats/array/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NIFTI1 = 348, NIFTI2 = 540, NIFTI_EXTENDER = 4, NIFTI_DIMENSIONS = 7 };

typedef struct nifti {
	int version, little, dimensions, datatype;
	xc_array_type type;
	uint64_t sizes[NIFTI_DIMENSIONS], start; /* the slowest first */
} nifti;

static const struct {
	int code;
	xc_array_type type;
} types[XC_ARRAY_TYPES] = {
	{16, XC_ARRAY_FLOAT32}, {64, XC_ARRAY_FLOAT64}, {256, XC_ARRAY_INT8},   {4, XC_ARRAY_INT16},
	{8, XC_ARRAY_INT32},    {2, XC_ARRAY_UINT8},    {512, XC_ARRAY_UINT16}, {768, XC_ARRAY_UINT32},
};

static int is_header(const uint8_t *p, size_t size, nifti *n)
{
	for (int little = 0; little < 2 && size >= NIFTI1 + NIFTI_EXTENDER; little++) {
		const uint64_t head = xc_array_number(p, 4, little);
		n->little = little;
		n->version = head == NIFTI1 ? 1 : head == NIFTI2 && size >= NIFTI2 ? 2 : 0;
		if (n->version)
			return 1;
	}
	return 0;
}

static int nifti_is(const uint8_t *first, size_t size, int suffix)
{
	nifti n;

	if (!is_header(first, size, &n))
		return 0;
	const uint8_t *magic = first + (n.version == 1 ? 344 : 4);
	return suffix || (magic[0] == 'n' && (magic[1] == '+' || magic[1] == 'i') && !magic[3]);
}

/* vox_offset of NIfTI-1 is a float32 that is a whole number; 0: it is none. */
static uint64_t offset_of(const uint8_t *p, const nifti *n)
{
	if (n->version == 2)
		return xc_array_number(p + 168, 8, n->little);
	const uint32_t bits = (uint32_t)xc_array_number(p + 108, 4, n->little);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value >= 0 && value < 1e9f ? (uint64_t)value : value == 0 ? 0 : UINT64_MAX;
}

/* Returns why there is no array, or NULL. */
static const char *parse(const uint8_t *p, size_t size, nifti *n)
{
	if (!is_header(p, size, n))
		return "has no header";
	const int wide = n->version == 2, bytes = wide ? 8 : 2;
	const uint8_t *magic = p + (wide ? 4 : 344), *dim = p + (wide ? 16 : 40);
	const uint64_t min = (wide ? NIFTI2 : NIFTI1) + NIFTI_EXTENDER;
	if (magic[0] != 'n' || magic[1] != '+')
		return "is one of a pair (.hdr and .img) or an Analyze file: convert it to one .nii";
	n->dimensions = (int)xc_array_number(dim, bytes, n->little);
	if (n->dimensions < 1 || n->dimensions > NIFTI_DIMENSIONS)
		return "has no 1 to 7 dimensions";
	for (int i = 0; i < n->dimensions; i++) {
		const uint64_t s = xc_array_number(dim + bytes * (n->dimensions - i), bytes, n->little);
		n->sizes[i] = s < UINT64_C(1) << (8 * bytes - 1) ? s : 0;
	}
	n->datatype = (int)xc_array_number(p + (wide ? 12 : 70), 2, n->little);
	n->start = offset_of(p, n);
	n->start = n->start ? n->start : min;
	if (n->start < min)
		return "has its values inside of its header";
	for (int i = 0; i < XC_ARRAY_TYPES; i++)
		if (types[i].code == n->datatype) {
			n->type = types[i].type;
			return NULL;
		}
	return "has values of another type than float32, float64, or integers of 8 to 32 bits";
}

/* Dimensions of one value are left away; of one value alone, one stays. */
static void trim(nifti *n)
{
	int left = 0;

	for (int i = 0; i < n->dimensions; i++)
		if (n->sizes[i] != 1 || (i == n->dimensions - 1 && !left))
			n->sizes[left++] = n->sizes[i];
	n->dimensions = left;
}

static xc_status nifti_open(xc_array_reading *r)
{
	nifti n;
	const char *why = parse(r->first, r->first_size, &n);

	if (why)
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED, "the NIfTI file %s", why);
	trim(&n);
	const xc_status status = xc_array_shape_file(r, n.type, n.dimensions, n.sizes, n.start);
	if (status)
		return status;
	snprintf(r->input.detail, sizeof r->input.detail, "NIfTI-%d%s", n.version,
	         n.little ? "" : ", big-endian");
	r->swap = n.little == xc_array_big_endian();
	return xc_array_keep_header(r);
}

/* ------------------------------------------------------------------- writing */

static int is_of_shape(const xc_array_output *o, nifti *n)
{
	xc_array_shape shape = {.type = XC_ARRAY_FLOAT32};
	uint64_t values;

	if (parse(o->header, o->header_size, n) || n->start != o->header_size)
		return 0;
	trim(n);
	shape.type = n->type;
	return xc_array_shape_set(n->dimensions, n->sizes, &shape, &values) &&
	       xc_array_same_shape(&shape, &o->shape);
}

static void store_float(uint8_t *p, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	xc_store_le(p, bits, 4);
}

static xc_status put_new(xc_array_output *o)
{
	const xc_array_shape *s = &o->shape;
	uint8_t p[NIFTI1 + NIFTI_EXTENDER] = {0};

	for (int i = 0; i < s->dimensions; i++)
		if (s->size[i] > INT16_MAX)
			return xc_file_fail(o->message, XC_ERR_UNSUPPORTED,
			                    "NIfTI-1 has dimensions up to 32767: NPY holds this array");
	xc_store_le(p, NIFTI1, 4);
	xc_store_le(p + 40, (uint64_t)s->dimensions, 2);
	for (int i = 0; i < NIFTI_DIMENSIONS; i++)
		xc_store_le(p + 42 + 2 * i, i < s->dimensions ? s->size[s->dimensions - 1 - i] : 1, 2);
	for (int i = 0; i < XC_ARRAY_TYPES; i++)
		if (types[i].type == s->type)
			xc_store_le(p + 70, (uint64_t)types[i].code, 2);
	xc_store_le(p + 72, 8 * xc_array_value_size(s->type), 2);
	for (int i = 0; i <= NIFTI_DIMENSIONS; i++)
		store_float(p + 76 + 4 * i, 1);
	store_float(p + 108, NIFTI1 + NIFTI_EXTENDER);
	store_float(p + 112, 1);
	memcpy(p + 344, "n+1", 4);
	return xc_array_put(o, p, sizeof p);
}

static xc_status nifti_create(xc_array_output *o)
{
	nifti n;

	if (!o->header || !is_of_shape(o, &n))
		return put_new(o);
	o->same = 1;
	o->swap = n.little == xc_array_big_endian();
	return xc_array_put(o, o->header, o->header_size);
}

const xc_array_kind xc_array_nifti = {
	.format = "NIfTI",
	.letters = "nii",
	.suffixes = {"nii"},
	.is = nifti_is,
	.open = nifti_open,
	.create = nifti_create,
};
