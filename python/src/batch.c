/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_batch(): files of any sizes to arrays, in one call of xcodec_batch.h.  Of many files that call
 * has a thread of its own, so that the interpreter makes the objects of all arrays meanwhile. */
#include "python/src/xcpy.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef struct batch {
	Py_ssize_t count;
	xc_batch_options options;
	xcpy_worker *worker;
	xc_batch_item *items;
	Py_buffer *files, *outs;
	PyObject *results; /* a list: exceptions and, for items that have an array, its shape */
	PyObject *build;
	void *stream;
	xc_status status; /* of the last call of the library */
	int return_errors;
} batch;

/* Puts an exception in the place of item i: the one that is set, or one of its status. Without
 * errors="return" it is raised. */
static int item_failed(batch *b, Py_ssize_t i)
{
	PyObject *error = NULL;

	if (PyErr_Occurred())
		error = xcpy_item_error(i);
	else
		error = xcpy_error(b->items[i].status, b->items[i].message, i);
	if (error && b->return_errors)
		return PyList_SetItem(b->results, i, error);
	if (error)
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_XDECREF(error);
	return -1;
}

/* A rectangle, or None for all. */
static int read_crop(PyObject *crop, xc_rectangle *r)
{
	PyObject *tuple = crop == Py_None ? NULL : PySequence_Tuple(crop);
	Py_ssize_t n[4];
	const int read = tuple && PyArg_ParseTuple(tuple, "nnnn;crops are (x, y, width, height)", &n[0],
	                                           &n[1], &n[2], &n[3]);

	Py_XDECREF(tuple);
	if (!read)
		return crop == Py_None ? 0 : -1;
	if ((n[0] | n[1] | n[2] | n[3]) & ~(Py_ssize_t)UINT32_MAX || !n[2] || !n[3]) {
		xcpy_raise(XC_ERR_ARGUMENT, "crops must be within the picture, and not empty", -1);
		return -1;
	}
	*r = (xc_rectangle){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], (uint32_t)n[3]};
	return 0;
}

/* crops: one for each item, one for all, or none. */
static int open_items(batch *b, PyObject *files, PyObject *crops)
{
	const Py_ssize_t given = PyTuple_Size(crops);

	for (Py_ssize_t i = 0; i < b->count; i++) {
		xc_batch_item *item = &b->items[i];

		PyList_SetItem(b->results, i, Py_BuildValue(""));
		item->file = ""; /* what is no buffer is no file */
		if (given && read_crop(PyTuple_GetItem(crops, given > 1 ? i : 0), &item->region)) {
			if ((given == 1 && b->count > 1) || item_failed(b, i)) /* that of all is the call's */
				return -1;
		} else if (xcpy_file_read(PyTuple_GetItem(files, i), &b->files[i])) {
			item->file = b->files[i].buf;
			item->size = (size_t)b->files[i].len;
		} else if (item_failed(b, i)) {
			return -1;
		}
	}
	return 0;
}

/* After a call of the library: returns how many items failed in it, or -1 with an exception. */
static int check_items(batch *b, int shapes)
{
	int failed = 0;

	if (b->status)
		xcpy_raise(b->status, xc_batch_message(b->worker->batch), -1);
	for (Py_ssize_t i = 0; i < b->count && !PyErr_Occurred(); i++) {
		const xc_batch_item *item = &b->items[i];
		const unsigned h = item->height, w = item->width, c = item->channels;

		if (item->status && !PyObject_IsInstance(PyList_GetItem(b->results, i), PyExc_Exception))
			failed += !item_failed(b, i);
		else if (!item->status && shapes)
			PyList_SetItem(b->results, i,
			               b->options.planar ? Py_BuildValue("(III)", c, h, w)
			                                 : Py_BuildValue("(III)", h, w, c));
		else if (!item->status)
			xcpy_warn(item->message, i, item->damaged_segments);
	}
	return PyErr_Occurred() ? -1 : failed;
}

/* Takes the places of the arrays: buffers, or addresses in the GPU's memory. */
static int take_places(batch *b, PyObject *places)
{
	for (Py_ssize_t i = 0; i < b->count && !PyErr_Occurred(); i++) {
		xc_batch_item *item = &b->items[i];
		PyObject *place = item->status ? NULL : PySequence_GetItem(places, i);

		if (place && PyObject_IsInstance(place, PyExc_Exception)) {
			item->status = XC_ERR_MEMORY;
			PyErr_SetObject((PyObject *)Py_TYPE(place), place);
			item_failed(b, i);
		} else if (place && PyLong_Check(place)) {
			item->data = PyLong_AsVoidPtr(place);
		} else if (place && !PyObject_GetBuffer(place, &b->outs[i], PyBUF_WRITABLE)) {
			item->data = b->outs[i].buf;
			if ((size_t)b->outs[i].len != xc_batch_item_bytes(&b->options, item) ||
			    (uintptr_t)item->data % (size_t)b->outs[i].itemsize)
				xcpy_raise(XC_ERR_ARGUMENT, "out has another size, or samples that are not aligned",
				           -1);
		}
		Py_XDECREF(place);
	}
	return PyErr_Occurred() ? -1 : 0;
}

static void *run(void *user)
{
	batch *b = user;

	b->status = xc_batch_decode(b->worker->batch, &b->options, b->items, (size_t)b->count,
	                            b->stream);
	for (Py_ssize_t i = 0; i < b->count && !b->status; i++)
		if (!b->items[i].status)
			xcpy_add_file_flaw(b->items[i].message, sizeof b->items[i].message, b->worker->context,
			                   b->items[i].file, b->items[i].size);
	return NULL;
}

/* Waits for the thread, and looks for signals meanwhile. */
static void join(xcpy_worker *w, pthread_t thread)
{
	int waits = w->watches;

	while (waits) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += XCPY_SIGNAL_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_timedjoin_np(thread, NULL, &until) != ETIMEDOUT)
			return;
		xcpy_check_signals(w);
		waits = !w->interrupted;
	}
	pthread_join(thread, NULL);
}

/* Files from which on a thread of their own pays. */
enum { MANY = 16 };

/* Decodes, and makes the result of shapes, exceptions and places. */
static PyObject *decode(batch *b, PyObject *places)
{
	pthread_t thread;
	xcpy_worker *w = b->worker;

	w->apart = b->count >= MANY;
	if (w->apart && pthread_create(&thread, NULL, run, b))
		w->apart = 0;
	const int apart = w->apart;
	PyObject *result = NULL;

	if (apart)
		result = PyObject_CallFunctionObjArgs(b->build, b->results, places, NULL);
	xcpy_release(w);
	if (apart && !result)
		__atomic_store_n(&w->interrupted, 1, __ATOMIC_RELAXED);
	if (apart)
		join(w, thread);
	else
		run(b);
	b->status = xcpy_resume(w, b->status);
	w->apart = 0;
	const int failed = check_items(b, 0);
	if (failed)
		Py_CLEAR(result);
	return result || failed < 0 ? result
	                            : PyObject_CallFunctionObjArgs(b->build, b->results, places, NULL);
}

static PyObject *work(batch *b, PyObject *files, PyObject *crops, PyObject *place)
{
	if (open_items(b, files, crops))
		return NULL;
	PyThreadState *saved = PyEval_SaveThread();
	b->status = xc_batch_shapes(b->worker->batch, &b->options, b->items, (size_t)b->count);
	PyEval_RestoreThread(saved);
	PyObject *places = check_items(b, 1) < 0
	                       ? NULL
	                       : PyObject_CallFunctionObjArgs(place, b->results, NULL);
	PyObject *result = places && !take_places(b, places) ? decode(b, places) : NULL;
	Py_XDECREF(places);
	return result;
}

/* decode_batch(worker, files, crops, place, build, (type, planar, channels, scale, keep going, JPEG's
 * rounding), means, deviations, stream, return errors).  place: a function of a list of shapes and
 * exceptions that gives a sequence of places.  build: a function of both that gives the result; it may be
 * called before samples are there, and again if a file fails. */
PyObject *xcpy_decode_batch(PyObject *module, PyObject *args)
{
	batch b = {.count = 0};
	xc_batch_options *o = &b.options;
	float *m = o->mean, *d = o->deviation;
	PyObject *files, *crops, *place, *result = NULL;
	unsigned long long stream;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&O!O!OO(iiIIpp)(ffff)(ffff)Kp", xcpy_worker_read, &b.worker,
	                      &PyTuple_Type, &files, &PyTuple_Type, &crops, &place, &b.build,
	                      (int *)&o->type, &o->planar, &o->channels, &o->scale, &o->keep_going,
	                      &o->jpeg_rounding, &m[0], &m[1], &m[2], &m[3], &d[0], &d[1], &d[2], &d[3],
	                      &stream, &b.return_errors))
		return NULL;
	b.stream = (void *)(uintptr_t)stream;
	b.count = PyTuple_Size(files);
	b.items = calloc((size_t)b.count + 1, sizeof *b.items);
	b.files = calloc(2 * (size_t)b.count + 1, sizeof *b.files);
	b.outs = b.files + b.count;
	b.results = b.items && b.files ? PyList_New(b.count) : PyErr_NoMemory();
	if (b.results)
		result = work(&b, files, crops, place);
	for (Py_ssize_t i = 0; i < 2 * b.count && b.files; i++)
		PyBuffer_Release(&b.files[i]);
	free(b.items);
	free(b.files);
	Py_XDECREF(b.results);
	return result;
}
