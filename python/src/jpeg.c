/* SPDX-License-Identifier: BSD-2-Clause */
/* encode_jpeg(), decode_jpeg() and jpeg_info(): JPEGs that are kept, bytes to bytes. */
#include "python/src/xcpy.h"

/* The buffer as bytes, which it then no longer has; NULL after a failure. */
static PyObject *bytes_of(xcpy_worker *w, xc_status status, xc_buffer *b)
{
	PyObject *result = status
	                       ? xcpy_raise(status, xc_context_message(w->context), -1)
	                       : PyBytes_FromStringAndSize((const char *)b->data, (Py_ssize_t)b->size);
	xc_buffer_free(w->context, b);
	return result;
}

PyObject *xcpy_encode_jpeg(PyObject *module, PyObject *args)
{
	xcpy_worker *w;
	Py_buffer jpeg;
	xc_buffer out = {NULL, 0};
	int fallback;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&O&i", xcpy_worker_read, &w, xcpy_file_read, &jpeg, &fallback))
		return NULL;
	const xc_jpeg_options options = {.fallback = (xc_jpeg_fallback)fallback};
	char line[XC_BATCH_MESSAGE_BYTES] = "";
	xc_jpeg_info info;
	xcpy_release(w);
	xc_status status = xc_jpeg_encode(w->context, jpeg.buf, (size_t)jpeg.len, &options, &info,
	                                  &out);
	status = xcpy_resume(w, status);
	PyBuffer_Release(&jpeg);
	PyObject *result = bytes_of(w, status, &out);
	if (result)
		xcpy_add_flaw(line, sizeof line, &info);
	if (xcpy_warn(line, -1, 0))
		Py_CLEAR(result);
	return result;
}

PyObject *xcpy_decode_jpeg(PyObject *module, PyObject *args)
{
	xcpy_worker *w;
	Py_buffer file;
	xc_buffer out = {NULL, 0};

	(void)module;
	if (!PyArg_ParseTuple(args, "O&O&", xcpy_worker_read, &w, xcpy_file_read, &file))
		return NULL;
	xcpy_release(w);
	xc_status status = xc_jpeg_decode(w->context, file.buf, (size_t)file.len, &out);
	status = xcpy_resume(w, status);
	PyBuffer_Release(&file);
	return bytes_of(w, status, &out);
}

/* A dict, by the words of the package. */
PyObject *xcpy_jpeg_info(PyObject *module, PyObject *args)
{
	xcpy_worker *w;
	Py_buffer file;
	xc_jpeg_info i;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&O&", xcpy_worker_read, &w, xcpy_file_read, &file))
		return NULL;
	const xc_status status = xc_jpeg_read_info(w->context, file.buf, (size_t)file.len, &i);
	PyBuffer_Release(&file);
	if (status)
		return xcpy_raise(status, xc_context_message(w->context), -1);
	PyObject *sampling = PyTuple_New(i.components);
	for (int c = 0; sampling && c < i.components; c++)
		PyTuple_SetItem(sampling, c, Py_BuildValue("(ii)", i.h[c], i.v[c]));
	return !sampling
	           ? NULL
	           : Py_BuildValue("{s:K,s:K,s:y#,s:N,s:I,s:I,s:i,s:N,s:N,s:i,s:i,s:N,s:N,s:K,s:K}",
	                           "file_bytes", (unsigned long long)i.file_size, "jpeg_bytes",
	                           (unsigned long long)i.jpeg_size, "sha256", i.sha256,
	                           (Py_ssize_t)sizeof i.sha256, "stored", PyBool_FromLong(i.stored),
	                           "width", i.width, "height", i.height, "components", i.components,
	                           "sampling", sampling, "progressive", PyBool_FromLong(i.progressive),
	                           "quality", i.quality, "pictures", i.pictures, "cut_off",
	                           PyBool_FromLong(i.cut_off), "damaged", PyBool_FromLong(i.damaged),
	                           "blocks", (unsigned long long)i.blocks, "missing_blocks",
	                           (unsigned long long)i.missing_blocks);
}
