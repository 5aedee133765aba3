/* SPDX-License-Identifier: BSD-2-Clause */
/* encode() and encode_batch(): arrays of any strides to files.  The library reads rows of pixels without
 * gaps inside a row; what lies otherwise is copied first.  Batches are for xcodec_batch.h; targets, the
 * range of samples, and encode() take one picture after another. */
#include "python/src/xcpy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What all pictures of a call are encoded with. */
typedef struct settings {
	xc_encode_options options;
	int range;     /* -1: up to the largest sample; 0: all */
	int kind;      /* xc_target_kind, or -1: bits a pixel */
	double target; /* 0: none */
	xc_metadata metadata;
} settings;

/* An array of the caller, and the copy that its picture may need. */
typedef struct source {
	Py_buffer view;
	Py_ssize_t row, column, channel; /* strides */
	void *copy;
} source;

/* layout: 0 HW, 1 HWC, 2 CHW, which the package has chosen by the shape. */
static int open_source(PyObject *array, int layout, source *s, xc_picture *p)
{
	static const int axes[3][3] = {{0, 1, 0}, {0, 1, 2}, {1, 2, 0}};
	const int *axis = axes[layout];
	const Py_buffer *v = &s->view;

	if (PyObject_GetBuffer(array, &s->view, PyBUF_STRIDES))
		return -1;
	const Py_ssize_t size = v->itemsize, channels = layout ? v->shape[axis[2]] : 1;
	const Py_ssize_t width = v->shape[axis[1]], height = v->shape[axis[0]],
					 bytes = width * channels * size;
	s->row = v->strides[axis[0]];
	s->column = v->strides[axis[1]];
	s->channel = v->strides[axis[2]];
	*p = (xc_picture){(uint32_t)width,    (uint32_t)height, (uint32_t)channels,
	                  8 * (uint32_t)size, (size_t)bytes,    v->buf};
	if ((channels == 1 || s->channel == size) && (width == 1 || s->column == channels * size) &&
	    (height == 1 || s->row >= bytes) &&
	    ((uintptr_t)v->buf | (size_t)s->row) % (size_t)size == 0) {
		p->stride = (size_t)(height == 1 ? bytes : s->row);
		return 0;
	}
	p->data = s->copy = malloc((size_t)(bytes * height));
	if (!s->copy)
		PyErr_NoMemory();
	return s->copy ? 0 : -1;
}

/* Fills the copy, if there is one. Samples may lie anywhere, at any address. */
static void copy(const source *s, const xc_picture *p)
{
	char *to = s->copy;

	for (uint32_t y = 0; y < p->height && to; y++)
		for (uint32_t x = 0; x < p->width; x++) {
			const char *from = (const char *)s->view.buf + y * s->row + x * s->column;

			for (uint32_t c = 0; c < p->channels; c++, to += p->depth / 8, from += s->channel)
				if (p->depth == 8)
					*to = *from;
				else
					memcpy(to, from, 2);
		}
}

/* The smallest 2^n - 1 from 255 on that no sample but alpha exceeds, as `xcodec encode --range auto`. */
static uint32_t range_of(const xc_picture *p)
{
	const uint32_t colours = p->channels - !(p->channels % 2);
	uint32_t range = 255;

	for (uint32_t y = 0; y < p->height; y++) {
		const uint16_t *row = (const void *)((const char *)p->data + y * p->stride);

		for (size_t i = 0; i < (size_t)p->width * p->channels; i++)
			while (row[i] > range && i % p->channels < colours)
				range = 2 * range + 1;
	}
	return range;
}

/* Values of -1: not given, so the preset's count. */
static int read_options(PyObject *tuple, void *to)
{
	static void (*const tables[])(xc_quant_tables *) = {xc_quant_tables_annex_k,
	                                                    xc_quant_tables_flat,
	                                                    xc_quant_tables_sloped};
	settings *s = to;
	xc_encode_options *o = &s->options;
	int preset, quality, name, max_error, clear, n[9];
	const char *own;
	Py_ssize_t size;
	int *const fields[] = {(int *)&o->subsampling, (int *)&o->tune,    (int *)&o->colour,
	                       (int *)&o->entropy,     (int *)&o->huffman, (int *)&o->transform,
	                       (int *)&o->mode,        &o->effort,         &o->segment_blocks};

	if (!PyArg_ParseTuple(tuple, "iiiz#iiiiiiiiiipiid", &preset, &quality, &name, &own, &size,
	                      &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &max_error,
	                      &clear, &s->range, &s->kind, &s->target))
		return 0;
	(preset ? xc_encode_options_jpeg : xc_encode_options_default)(o);
	if (name >= 0)
		o->tables = (xc_quant_tables){{0}, {0}};
	if (name > 0)
		tables[name - 1](&o->tables);
	if (own && size == sizeof o->tables)
		memcpy(&o->tables, own, sizeof o->tables);
	for (int i = 0; i < 9; i++)
		*fields[i] = n[i] < 0 ? *fields[i] : n[i];
	o->quality = quality / 256;
	o->quality_parts = quality % 256;
	o->max_error = (uint32_t)max_error;
	o->clear_transparent = clear;
	return 1;
}

/* Blobs point into the tuple's bytes. */
static int read_metadata(PyObject *tuple, void *to)
{
	xc_metadata *m = to;
	xc_blob *const b[] = {&m->icc, &m->exif, &m->xmp, &m->iptc, &m->text};
	uint32_t *p = m->primaries;
	uint8_t *c = m->cicp, *s = m->significant_bits;
	Py_ssize_t n[5];
	const int read = PyArg_ParseTuple(tuple, "z#z#z#z#z#(IIb)(bbbb)(bbbb)I(IIIIIIII)HH",
	                                  &b[0]->data, &n[0], &b[1]->data, &n[1], &b[2]->data, &n[2],
	                                  &b[3]->data, &n[3], &b[4]->data, &n[4], &m->density_x,
	                                  &m->density_y, &m->density_unit, &c[0], &c[1], &c[2], &c[3],
	                                  &s[0], &s[1], &s[2], &s[3], &m->gamma, &p[0], &p[1], &p[2],
	                                  &p[3], &p[4], &p[5], &p[6], &p[7], &m->maxval, &m->range);

	for (int i = 0; read && i < 5; i++)
		*b[i] = n[i] ? (xc_blob){b[i]->data, (size_t)n[i]} : (xc_blob){NULL, 0};
	return read;
}

/* Encodes one picture. What has a file but missed its target has a message. */
static void encode(xc_context *context, const settings *s, xc_batch_picture *picture)
{
	const xc_picture *p = &picture->picture;
	const xc_target target = {.kind = s->kind < 0 ? XC_TARGET_BYTES : (xc_target_kind)s->kind,
	                          .value = s->kind < 0 ? s->target * p->width * p->height / 8
	                                               : s->target};
	xc_encode_options options = s->options;
	xc_target_result result = {.met = 1};
	xc_buffer file = {NULL, 0};

	options.range = p->depth == 8 ? 0 : s->range < 0 ? range_of(p) : (uint32_t)s->range;
	if (s->target > 0)
		picture->status = xc_encode_target(context, p, &s->metadata, &options, &target, &result,
		                                   &file);
	else
		picture->status = xc_encode(context, p, &s->metadata, &options, &file);
	picture->file = file.data;
	picture->size = file.size;
	if (picture->status || !result.met)
		snprintf(picture->message, sizeof picture->message, "%s", xc_context_message(context));
}

/* Without the interpreter's lock. */
static xc_status encode_all(xcpy_worker *w, const settings *s, const source *from,
                            xc_batch_picture *pictures, size_t count)
{
	for (size_t i = 0; i < count && !w->interrupted; i++) {
		copy(&from[i], &pictures[i].picture);
		pictures[i].metadata = &s->metadata;
		if (!w->batch)
			encode(w->context, s, &pictures[i]);
	}
	return w->batch ? xc_batch_encode(w->batch, &s->options, pictures, count) : XC_OK;
}

/* The file, or the exception of its failure if it is not to be raised. index: -1 of encode(). */
static PyObject *result(const xc_batch_picture *p, Py_ssize_t index, int return_errors)
{
	if (p->status)
		return (return_errors ? xcpy_error : xcpy_raise)(p->status, p->message, index);
	if (xcpy_warn(p->message, index, 0))
		return NULL;
	return PyBytes_FromStringAndSize(p->file, (Py_ssize_t)p->size);
}

static PyObject *work(xcpy_worker *w, const settings *s, PyObject *arrays, source *from,
                      xc_batch_picture *pictures, int many, int return_errors)
{
	const Py_ssize_t count = PyTuple_Size(arrays);
	PyObject *list = PyList_New(count);

	for (Py_ssize_t i = 0; i < count && list; i++) {
		PyObject *entry = PyTuple_GetItem(arrays, i), *array;
		int layout;

		if (!PyTuple_Check(entry)) {
			Py_INCREF(entry);
			PyList_SetItem(list, i, entry);
		} else if (!PyArg_ParseTuple(entry, "Oi", &array, &layout) ||
		           open_source(array, layout, &from[i], &pictures[i].picture)) {
			PyObject *error = many && return_errors ? xcpy_item_error(i) : NULL;

			pictures[i].picture = (xc_picture){0};
			if (error)
				PyList_SetItem(list, i, error);
			else
				Py_CLEAR(list);
		}
	}
	if (!list)
		return NULL;
	xcpy_release(w);
	xc_status status = encode_all(w, s, from, pictures, (size_t)count);
	status = xcpy_resume(w, status);
	if (status) {
		xcpy_raise(status, w->batch ? xc_batch_message(w->batch) : "", -1);
		Py_CLEAR(list);
	}
	/* An item that has no picture has its exception. */
	for (Py_ssize_t i = 0; list && i < count; i++) {
		PyObject *file = pictures[i].picture.width
		                     ? result(&pictures[i], many ? i : -1, return_errors)
		                     : NULL;

		if (file)
			PyList_SetItem(list, i, file);
		else if (pictures[i].picture.width)
			Py_CLEAR(list);
	}
	return list;
}

/* encode(worker, tuple of (array, layout), or exceptions, options, metadata, whether it is a batch, return errors): a list */
PyObject *xcpy_encode(PyObject *module, PyObject *args)
{
	xcpy_worker *w;
	settings s = {.range = 0};
	PyObject *arrays, *list = NULL;
	int many, return_errors;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&O!O&O&pp", xcpy_worker_read, &w, &PyTuple_Type, &arrays,
	                      read_options, &s, read_metadata, &s.metadata, &many, &return_errors))
		return NULL;
	const size_t count = (size_t)PyTuple_Size(arrays);
	source *from = calloc(count + 1, sizeof *from);
	xc_batch_picture *pictures = calloc(count + 1, sizeof *pictures);
	if (from && pictures)
		list = work(w, &s, arrays, from, pictures, many, return_errors);
	else
		PyErr_NoMemory();
	for (size_t i = 0; from && pictures && i < count; i++) {
		xc_buffer file = {(uint8_t *)(uintptr_t)pictures[i].file, pictures[i].size};

		if (!w->batch)
			xc_buffer_free(w->context, &file);
		PyBuffer_Release(&from[i].view);
		free(from[i].copy);
	}
	free(from);
	free(pictures);
	return list;
}
