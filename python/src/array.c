/* SPDX-License-Identifier: BSD-2-Clause */
/* encode_array(), decode_array() and array_info(): arrays of numbers, contiguous in host memory.  What
 * part of a file is decoded to which array is decided in Python, by a function that gets the shape. */
#include "python/src/xcpy.h"

#include <stdlib.h>
#include <string.h>

/* A tuple of the sizes. */
static PyObject *shape_of(const xc_array_shape *s)
{
	PyObject *tuple = PyTuple_New(s->dimensions);

	for (int i = 0; tuple && i < s->dimensions; i++)
		if (PyTuple_SetItem(tuple, i, PyLong_FromUnsignedLongLong(s->size[i])))
			Py_CLEAR(tuple);
	return tuple;
}

/* encode_array(worker, buffer, type, dimensions, four sizes, (kind, bound, fill, effort, way), chunk) */
PyObject *xcpy_encode_array(PyObject *module, PyObject *args)
{
	unsigned long long n[4];
	xcpy_worker *w;
	xc_array_shape shape;
	xc_array_options o;
	xc_buffer file = {NULL, 0};
	Py_buffer view;
	int type, kind, way;

	(void)module;
	xc_array_options_default(&o);
	if (!PyArg_ParseTuple(args, "O&y*ii(KKKK)(iddii)(III)", xcpy_worker_read, &w, &view, &type,
	                      &shape.dimensions, &n[0], &n[1], &n[2], &n[3], &kind, &o.bound, &o.fill,
	                      &o.effort, &way, &o.chunk[0], &o.chunk[1], &o.chunk[2]))
		return NULL;
	shape.type = (xc_array_type)type;
	o.kind = (xc_array_bound)kind;
	o.way = (xc_array_way)way;
	o.has_fill = o.fill == o.fill; /* NaN: there is none */
	for (int i = 0; i < 4; i++)
		shape.size[i] = n[i];
	xcpy_release(w);
	const size_t bytes = (size_t)view.len, size = xc_array_type_size(shape.type);
	void *copy = (uintptr_t)view.buf % size ? malloc(bytes) : NULL;
	xc_status status = XC_ERR_MEMORY;
	if (copy)
		memcpy(copy, view.buf, bytes);
	if (copy || (uintptr_t)view.buf % size == 0)
		status = xc_array_encode(w->context, &shape, copy ? copy : view.buf, &o, &file);
	free(copy);
	status = xcpy_resume(w, status);
	PyObject *result = status ? xcpy_raise(status, xc_context_message(w->context), -1)
	                          : PyBytes_FromStringAndSize((char *)file.data, (Py_ssize_t)file.size);
	xc_buffer_free(w->context, &file);
	PyBuffer_Release(&view);
	return result;
}

/* Opens the file without the interpreter's lock. NULL: with an exception. */
static xc_array_reader *open_reader(xcpy_worker *w, const Py_buffer *file, xc_array_info *info)
{
	const xc_source source = {.memory = file->buf, .size = (uint64_t)file->len};
	xc_array_reader *reader = NULL;

	xcpy_release(w);
	xc_status status = xc_array_reader_new(w->context, &source, &reader);
	status = xcpy_resume(w, status);
	if (status)
		xcpy_raise(status, xc_context_message(w->context), -1);
	else
		xc_array_reader_info(reader, info);
	if (status && reader) { /* it was interrupted at its end */
		xc_array_reader_free(reader);
		return NULL;
	}
	return reader;
}

/* What plan() says: the function that makes an array, the box, and the scale. */
static int read_plan(PyObject *plan, PyObject **make, xc_array_box *box, unsigned *scale)
{
	unsigned long long f[4], n[4];

	if (!plan || !PyArg_ParseTuple(plan, "O(KKKK)(KKKK)I", make, &f[0], &f[1], &f[2], &f[3], &n[0],
	                               &n[1], &n[2], &n[3], scale))
		return 0;
	for (int i = 0; i < 4; i++) {
		box->first[i] = f[i];
		box->size[i] = n[i];
	}
	return 1;
}

/* Decodes the box into an array that make() gives; is_new: whose memory counts as the context's. */
static PyObject *read_box(xcpy_worker *w, xc_array_reader *reader, const xc_array_shape *s,
                          const xc_array_box *box, unsigned scale, PyObject *make, int is_new)
{
	const int listed = s->dimensions == 4;
	uint64_t bytes = xc_array_type_size(s->type), none[2];
	xc_status status = XC_OK;
	PyObject *array = NULL;
	Py_buffer view;

	for (int i = 0; i < s->dimensions; i++)
		bytes *= i || !listed ? (box->size[i] + scale - 1) / scale : box->size[i];
	const uint64_t charged = is_new ? bytes : 0;
	/* What the library would refuse must not get an array first. */
	if (bytes / xc_array_type_size(s->type) > w->limits.max_pixels)
		status = xc_array_read(reader, box, scale, none);
	if (!status)
		status = xc_context_charge(w->context, charged);
	if (status)
		return xcpy_raise(status, xc_context_message(w->context), -1);
	if ((array = PyObject_CallFunction(make, NULL)) &&
	    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE))
		Py_CLEAR(array);
	if (array &&
	    ((uint64_t)view.len != bytes || (uintptr_t)view.buf % xc_array_type_size(s->type))) {
		xcpy_raise(XC_ERR_ARGUMENT, "out must have aligned values", -1);
		PyBuffer_Release(&view);
		Py_CLEAR(array);
	}
	if (array) {
		xcpy_release(w);
		status = xc_array_read(reader, box, scale, view.buf);
		status = xcpy_resume(w, status);
		PyBuffer_Release(&view);
	}
	if (status) {
		xcpy_raise(status, xc_context_message(w->context), -1);
		Py_CLEAR(array);
	}
	xc_context_refund(w->context, charged);
	return array;
}

/* decode_array(worker, data, plan, whether the array is new): the array that make() of plan(type, shape)
 * gave */
PyObject *xcpy_decode_array(PyObject *module, PyObject *args)
{
	PyObject *plan, *make, *array = NULL;
	xcpy_worker *w;
	xc_array_info info;
	xc_array_box box;
	Py_buffer file;
	unsigned scale;
	int is_new;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&O&Op", xcpy_worker_read, &w, xcpy_file_read, &file, &plan,
	                      &is_new))
		return NULL;
	xc_array_reader *reader = open_reader(w, &file, &info);
	if (reader) {
		PyObject *planned = PyObject_CallFunction(plan, "iN", (int)info.shape.type,
		                                          shape_of(&info.shape));
		if (read_plan(planned, &make, &box, &scale))
			array = read_box(w, reader, &info.shape, &box, scale, make, is_new);
		Py_XDECREF(planned);
	}
	xc_array_reader_free(reader);
	PyBuffer_Release(&file);
	return array;
}

/* array_info(worker, data): type, shape, kind, bound, error, chunk, chunks, bytes, attached bytes, way,
 * predicted chunks */
PyObject *xcpy_array_info(PyObject *module, PyObject *args)
{
	PyObject *result = NULL;
	xcpy_worker *w;
	xc_array_info i;
	uint64_t predicted = 0;
	Py_buffer file;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&O&", xcpy_worker_read, &w, xcpy_file_read, &file))
		return NULL;
	xc_array_reader *reader = open_reader(w, &file, &i);
	const xc_status status = reader ? xc_array_reader_predicted(reader, &predicted) : XC_OK;
	if (status)
		xcpy_raise(status, xc_context_message(w->context), -1);
	else if (reader)
		result = Py_BuildValue("iNidd(III)KKKiK", (int)i.shape.type, shape_of(&i.shape),
		                       (int)i.kind, i.bound, i.error, i.chunk[0], i.chunk[1], i.chunk[2],
		                       (unsigned long long)i.chunks, (unsigned long long)i.file_size,
		                       (unsigned long long)i.attached, (int)i.way,
		                       (unsigned long long)predicted);
	xc_array_reader_free(reader);
	PyBuffer_Release(&file);
	return result;
}
