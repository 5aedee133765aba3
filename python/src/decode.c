/* SPDX-License-Identifier: BSD-2-Clause */
/* decode(): one file to one array in host memory, and info().  The header gives the array's shape, so
 * the library decodes straight into its memory; planes (CHW) are taken out of interleaved pixels. */
#include "python/src/xcpy.h"

#include <stdio.h>

typedef struct decoding {
	xcpy_worker *worker;
	Py_buffer file, out;
	xc_decode_options options;
	int planar, new; /* new: the array is not the caller's */
	xc_picture picture;
	Py_ssize_t row, channel; /* bytes in the array */
	char message[2 * XC_BATCH_MESSAGE_BYTES];
} decoding;

/* Gives the picture its width, height, channels and depth, or the library's reason why not. */
static xc_status read_shape(decoding *d)
{
	const size_t size = (size_t)d->file.len;
	const uint64_t scale = d->options.scale, max = d->worker->limits.max_expansion;
	xc_context *context = d->worker->context;
	xc_info info;
	const xc_status status = xc_read_header(context, d->file.buf, size, &info);

	if (status)
		return status;
	const xc_rectangle all = {0, 0, info.width, info.height};
	const xc_rectangle r = d->options.region.width ? d->options.region : all;
	const uint64_t right = (uint64_t)r.x + r.width, bottom = (uint64_t)r.y + r.height;
	const uint64_t pixels = (uint64_t)info.width * info.height;
	d->picture.width = (uint32_t)((right + scale - 1) / scale - r.x / scale);
	d->picture.height = (uint32_t)((bottom + scale - 1) / scale - r.y / scale);
	d->picture.channels = d->picture.channels ? d->picture.channels : info.channels;
	d->picture.depth = info.depth;
	/* What the library would refuse must not get an array first. */
	if (right > info.width || bottom > info.height ||
	    (max && pixels > XC_ANY_FILE_PIXELS && (pixels - 1) / max >= size))
		return xc_decode(context, d->file.buf, size, &d->options, &(xc_picture){0});
	return XC_OK;
}

/* Asks for an array, and checks what the library is to write to.  make: a function of the height,
 * width, channels and depth; a single channel has no dimension, planes come before rows. */
static PyObject *make_array(decoding *d, PyObject *make)
{
	const xc_picture *p = &d->picture;
	const Py_ssize_t size = p->depth / 8, sides[3] = {p->height, p->width, p->channels};
	const int dimensions = p->channels == 1 ? 2 : 3;
	PyObject *array = PyObject_CallFunction(make, "nnni", sides[0], sides[1], sides[2],
	                                        (int)p->depth);
	Py_buffer *v = &d->out;

	d->planar = d->planar && p->channels > 1;
	if (!array || PyObject_GetBuffer(array, v, PyBUF_STRIDES | PyBUF_WRITABLE)) {
		Py_XDECREF(array);
		return NULL;
	}
	int wrong = v->ndim != dimensions || v->itemsize != size || (uintptr_t)v->buf % (size_t)size;
	for (int i = 0; i < dimensions && !wrong; i++)
		wrong = v->shape[i] != sides[d->planar ? (i + 2) % 3 : i];
	if (!wrong) {
		const int rows = d->planar; /* the dimension */
		const Py_ssize_t row = sides[1] * size * (d->planar ? 1 : sides[2]);

		d->row = sides[0] > 1 ? v->strides[rows] : row;
		d->channel = v->strides[0];
		wrong = d->row < row || d->row % size || d->channel % size ||
		        (sides[1] > 1 && v->strides[rows + 1] * sides[1] != row) ||
		        (rows + 2 < dimensions && v->strides[rows + 2] != size);
	}
	if (!wrong)
		return array;
	Py_DECREF(array);
	return xcpy_raise(XC_ERR_ARGUMENT,
	                  "out must have rows without gaps, in order, and aligned samples", -1);
}

static void to_planes(const decoding *d, const xc_picture *p)
{
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t c = 0; c < p->channels; c++) {
			const uint8_t *from = (const uint8_t *)p->data + y * p->stride;
			void *to = (char *)d->out.buf + y * d->row + c * d->channel;

			for (uint32_t x = 0; x < p->width && p->depth == 8; x++)
				((uint8_t *)to)[x] = from[x * p->channels + c];
			for (uint32_t x = 0; x < p->width && p->depth == 16; x++)
				((uint16_t *)to)[x] = ((const uint16_t *)(const void *)from)[x * p->channels + c];
		}
}

/* Without the interpreter's lock. A new array counts as the context's memory while it is filled. */
static xc_status decode(decoding *d)
{
	const uint64_t bytes = d->new ? (uint64_t)d->out.len : 0;
	xc_context *context = d->worker->context;
	xc_picture p = d->picture;
	xc_status status = xc_context_charge(context, bytes);

	if (status)
		return status;
	p.data = d->planar ? NULL : d->out.buf;
	p.stride = d->planar ? 0 : (size_t)d->row;
	status = xc_decode(context, d->file.buf, (size_t)d->file.len, &d->options, &p);
	if (d->planar && !status)
		to_planes(d, &p);
	if (d->planar)
		xc_picture_free(context, &p);
	snprintf(d->message, sizeof d->message, "%s", xc_context_message(context));
	if (!status)
		xcpy_add_file_flaw(d->message, sizeof d->message, context, d->file.buf,
		                   (size_t)d->file.len);
	xc_context_refund(context, bytes);
	return status;
}

/* decode(worker, data, make, whether new, (x, y, width, height), scale, channels, planar, keep going,
 * JPEG's rounding): the array that make() gave */
PyObject *xcpy_decode(PyObject *module, PyObject *args)
{
	decoding d = {.planar = 0};
	xc_decode_options *o = &d.options;
	xc_rectangle *r = &o->region;
	PyObject *make, *array = NULL;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&O&Op(IIII)IIppp", xcpy_worker_read, &d.worker, xcpy_file_read,
	                      &d.file, &make, &d.new, &r->x, &r->y, &r->width, &r->height, &o->scale,
	                      &d.picture.channels, &d.planar, &o->keep_going, &o->jpeg_rounding))
		return NULL;
	xc_status status = read_shape(&d);
	if (!status && (array = make_array(&d, make))) {
		xcpy_release(d.worker);
		status = decode(&d);
		status = xcpy_resume(d.worker, status);
	} else if (status) {
		snprintf(d.message, sizeof d.message, "%s", xc_context_message(d.worker->context));
	}
	if (status)
		xcpy_raise(status, d.message, -1);
	if (status || (array && xcpy_warn(d.message, -1, o->damaged_segments)))
		Py_CLEAR(array);
	PyBuffer_Release(&d.out);
	PyBuffer_Release(&d.file);
	return array;
}

/* ------------------------------------------------------------------------- info() */

static PyObject *numbers(const uint32_t *n, Py_ssize_t count)
{
	PyObject *tuple = PyTuple_New(count);

	for (Py_ssize_t i = 0; tuple && i < count; i++)
		if (PyTuple_SetItem(tuple, i, PyLong_FromUnsignedLong(n[i])))
			Py_CLEAR(tuple);
	return tuple;
}

/* As encode() takes it. */
static PyObject *metadata_of(const xc_metadata *m)
{
	const xc_blob *const b[] = {&m->icc, &m->exif, &m->xmp, &m->iptc, &m->text};
	const uint8_t *c = m->cicp, *s = m->significant_bits;

	return Py_BuildValue("(y#y#y#y#y#(IIi)(iiii)(iiii)INii)", b[0]->data, (Py_ssize_t)b[0]->size,
	                     b[1]->data, (Py_ssize_t)b[1]->size, b[2]->data, (Py_ssize_t)b[2]->size,
	                     b[3]->data, (Py_ssize_t)b[3]->size, b[4]->data, (Py_ssize_t)b[4]->size,
	                     m->density_x, m->density_y, m->density_unit, c[0], c[1], c[2], c[3], s[0],
	                     s[1], s[2], s[3], m->gamma, numbers(m->primaries, 8), m->maxval, m->range);
}

/* info(worker, data, whether to warn of a flawed JPEG): numbers in the order of xc_info, then the steps and metadata. */
PyObject *xcpy_info(PyObject *module, PyObject *args)
{
	xcpy_worker *w;
	Py_buffer file;
	xc_info i;
	char line[XC_BATCH_MESSAGE_BYTES] = "";
	int warns;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&O&p", xcpy_worker_read, &w, xcpy_file_read, &file, &warns))
		return NULL;
	xcpy_release(w);
	xc_status status = xc_read_info(w->context, file.buf, (size_t)file.len, &i);
	status = xcpy_resume(w, status);
	const unsigned long long n[] = {i.segments,    i.file_bytes,     i.header_bytes,
	                                i.table_bytes, i.index_bytes,    i.segment_bytes,
	                                i.alpha_bytes, i.metadata_bytes, i.extra_bytes};
	PyObject *result = status ? xcpy_raise(status, xc_context_message(w->context), -1)
	                          : Py_BuildValue("(IIIIIiiiiiiIiIIIIKKKKKKKKKNy#iN)", i.version,
	                                          i.width, i.height, i.channels, i.depth,
	                                          (int)i.subsampling, (int)i.transform, (int)i.entropy,
	                                          (int)i.huffman, (int)i.colour, i.lossless,
	                                          i.max_error, i.quality, i.components,
	                                          i.huffman_tables, i.tile_width, i.tile_height, n[0],
	                                          n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8],
	                                          numbers(i.quant[0], 64 * (Py_ssize_t)i.components),
	                                          i.metadata.palette.data,
	                                          (Py_ssize_t)i.metadata.palette.size,
	                                          i.metadata.palette_bits, metadata_of(&i.metadata));
	/* The blobs are read by now: they may lie in the context's memory until its next call. */
	if (result && warns)
		xcpy_add_file_flaw(line, sizeof line, w->context, file.buf, (size_t)file.len);
	PyBuffer_Release(&file);
	if (xcpy_warn(line, -1, 0))
		Py_CLEAR(result);
	return result;
}
