/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NIfTI-1 and NIfTI-2 in one file (nifti.nimh.nih.gov): .nii, and .nii.gz through gzip. The header
 * with its extensions is attached; scl_slope and scl_inter stay in it, and values are as stored.
 * NIfTI names the fastest dimension first, so an array is t x z x y x x. Of a part that header is
 * written with its sizes, spacing and offsets: an index of one dimension stays a dimension of size 1.
 */
#include "formats/array/kind.h"

#include <math.h>
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
	for (int little = 0; little < 2 && size >= NIFTI1; little++) {
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

/* Where the numbers of a header are; real ones have 4 bytes in version 1 and 8 in version 2. */
typedef struct places {
	int dim, pixdim, slope, toffset, slice_code, slice_code_bytes, slice_start, slice_end, forms,
		quatern, qoffset, srow;
} places;
static const places all_places[2] = {{40, 76, 112, 136, 122, 1, 74, 120, 252, 256, 268, 280},
                                     {16, 104, 176, 216, 496, 4, 224, 232, 344, 352, 376, 400}};

static double real(const uint8_t *p, const nifti *n)
{
	const uint64_t bits = xc_array_number(p, n->version == 2 ? 8 : 4, n->little);
	const uint32_t half = (uint32_t)bits;
	double value;
	float narrow;

	memcpy(&value, &bits, sizeof value);
	memcpy(&narrow, &half, sizeof narrow);
	return n->version == 2 ? value : (double)narrow;
}

/* vox_offset of NIfTI-1 is a float32 that is a whole number; 0: it is none. */
static uint64_t offset_of(const uint8_t *p, const nifti *n)
{
	if (n->version == 2)
		return xc_array_number(p + 168, 8, n->little);
	const double value = real(p + 108, n);
	return value >= 0 && value < 1e9 ? (uint64_t)value : UINT64_MAX;
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
		return "is one of a pair (.hdr and .img) or an Analyze file: convert it to one .nii, or give the "
			   ".img and what it holds as --raw";
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

/* A slope of 0, or one that is no number, says that there is none. */
static void nifti_about(const uint8_t *p, size_t size, xc_array_input *input)
{
	nifti n;

	if (parse(p, size, &n))
		return;
	const int at = all_places[n.version - 1].slope;
	const double slope = real(p + at, &n), intercept = real(p + at + (n.version == 2 ? 8 : 4), &n);
	if (isfinite(slope) && isfinite(intercept) && slope != 0) {
		input->slope = slope;
		input->intercept = intercept;
	}
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
	const int used = snprintf(r->input.detail, sizeof r->input.detail, "NIfTI-%d%s", n.version,
	                          n.little ? "" : ", big-endian");
	nifti_about(r->first, r->first_size, &r->input);
	if (r->input.slope != 1 || r->input.intercept != 0)
		snprintf(r->input.detail + used, sizeof r->input.detail - (size_t)used,
		         ", slope %.6g, intercept %.6g", r->input.slope, r->input.intercept);
	r->swap = n.little == xc_array_big_endian();
	return xc_array_keep_header(r);
}

/* ------------------------------------------------------------------- writing */

static int is_of_shape(const xc_array_output *o, const xc_array_shape *wanted, nifti *n)
{
	xc_array_shape shape = {.type = XC_ARRAY_FLOAT32};
	uint64_t values;

	if (!o->header || parse(o->header, o->header_size, n) || n->start != o->header_size)
		return 0;
	trim(n);
	shape.type = n->type;
	return xc_array_shape_set(n->dimensions, n->sizes, &shape, &values) &&
	       xc_array_same_shape(&shape, wanted);
}

static void store(uint8_t *p, uint64_t value, int bytes, int little)
{
	for (int i = 0; i < bytes; i++)
		p[little ? i : bytes - 1 - i] = (uint8_t)(value >> 8 * i);
}

static void store_real(uint8_t *p, double value, const nifti *n)
{
	const float narrow = (float)value;
	uint64_t bits;
	uint32_t half;

	memcpy(&bits, &value, sizeof bits);
	memcpy(&half, &narrow, sizeof half);
	store(p, n->version == 2 ? bits : half, n->version == 2 ? 8 : 4, n->little);
}

/* The rotation of qform, of which the last column has the sign of pixdim[0]. */
static void rotation_of(const uint8_t *p, const nifti *n, double r[3][3])
{
	const places *at = &all_places[n->version - 1];
	const int size = n->version == 2 ? 8 : 4;
	const double b = real(p + at->quatern, n), c = real(p + at->quatern + size, n),
				 d = real(p + at->quatern + 2 * size, n), sum = b * b + c * c + d * d;
	const double a = sum < 1 ? sqrt(1 - sum) : 0, sign = real(p + at->pixdim, n) < 0 ? -1 : 1;
	const double all[3][3] =
		{{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c) * sign},
	     {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b) * sign},
	     {2 * (b * d - a * c), 2 * (c * d + a * b), (a * a + d * d - b * b - c * c) * sign}};

	memcpy(r, all, sizeof all);
}

/* Moves the origin by `first` voxels along an axis, and makes these `step` times as large. */
static void move_axis(uint8_t *p, const nifti *n, int axis, double first, double step)
{
	const places *at = &all_places[n->version - 1];
	const int size = n->version == 2 ? 8 : 4;
	uint8_t *pixdim = p + at->pixdim + (axis + 1) * size;
	const double spacing = real(pixdim, n);
	double r[3][3];

	rotation_of(p, n, r);
	for (int i = 0; i < 3 && axis < 3; i++) {
		uint8_t *offset = p + at->qoffset + i * size, *row = p + at->srow + 4 * i * size;
		const double slope = real(row + axis * size, n);
		store_real(offset, real(offset, n) + r[i][axis] * spacing * first, n);
		store_real(row + 3 * size, real(row + 3 * size, n) + slope * first, n);
		store_real(row + axis * size, slope * step, n);
	}
	if (axis == 3)
		store_real(p + at->toffset, real(p + at->toffset, n) + spacing * first, n);
	store_real(pixdim, spacing * step, n);
}

/* Writes the header that was attached as that of a part. The order in which slices were taken is
 * lost. */
static xc_status put_part(xc_array_output *o, const nifti *n)
{
	const places *at = &all_places[n->version - 1];
	const xc_array_part *part = o->part;
	const int bytes = n->version == 2 ? 8 : 2;
	uint8_t *p = o->header;
	const int dimensions = (int)xc_array_number(p + at->dim, bytes, n->little);
	int k = part->whole.dimensions - 1;

	for (int axis = 0; axis < dimensions && k >= 0; axis++) {
		uint8_t *dim = p + at->dim + (axis + 1) * bytes;
		if (xc_array_number(dim, bytes, n->little) == 1)
			continue;
		store(dim, (part->size[k] - 1) / part->step[k] + 1, bytes, n->little);
		move_axis(p, n, axis, (double)part->first[k], (double)part->step[k]);
		k--;
	}
	if (xc_array_number(p + at->slice_code, at->slice_code_bytes, n->little))
		snprintf(o->message, XC_FILE_MESSAGE,
		         "the part has no order of slices, which the whole NIfTI file has");
	store(p + at->slice_code, 0, at->slice_code_bytes, n->little);
	store(p + at->slice_start, 0, bytes, n->little);
	store(p + at->slice_end, 0, bytes, n->little);
	o->swap = n->little == xc_array_big_endian();
	return xc_array_put(o, p, o->header_size);
}

static xc_status put_new(xc_array_output *o)
{
	const xc_array_shape *s = &o->shape;
	uint8_t p[NIFTI1 + NIFTI_EXTENDER] = {0};

	for (int i = 0; i < s->dimensions; i++)
		if (s->size[i] > INT16_MAX)
			return xc_file_fail(o->message, XC_ERR_UNSUPPORTED,
			                    "NIfTI-1 has dimensions up to 32767: NPY holds this array");
	const nifti n = {.version = 1, .little = 1};
	xc_store_le(p, NIFTI1, 4);
	xc_store_le(p + 40, (uint64_t)s->dimensions, 2);
	for (int i = 0; i < NIFTI_DIMENSIONS; i++)
		xc_store_le(p + 42 + 2 * i, i < s->dimensions ? s->size[s->dimensions - 1 - i] : 1, 2);
	for (int i = 0; i < XC_ARRAY_TYPES; i++)
		if (types[i].type == s->type)
			xc_store_le(p + 70, (uint64_t)types[i].code, 2);
	xc_store_le(p + 72, 8 * xc_array_value_size(s->type), 2);
	for (int i = 0; i <= NIFTI_DIMENSIONS; i++)
		store_real(p + 76 + 4 * i, 1, &n);
	store_real(p + 108, NIFTI1 + NIFTI_EXTENDER, &n);
	store_real(p + 112, 1, &n);
	memcpy(p + 344, "n+1", 4);
	return xc_array_put(o, p, sizeof p);
}

static xc_status nifti_create(xc_array_output *o)
{
	nifti n;

	if (!is_of_shape(o, &o->shape, &n))
		return o->part && is_of_shape(o, &o->part->whole, &n) ? put_part(o, &n) : put_new(o);
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
	.about = nifti_about,
	.create = nifti_create,
};
