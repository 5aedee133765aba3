/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the extension xcodec._xcodec share.  The package's Python checks keywords, turns
 * words into numbers, makes arrays and keeps workers; locks and calls of the library are here.  It is
 * built for the limited API of CPython 3.9, one binary for 3.9 and later; free-threaded interpreters,
 * which have no limited API, compile it as it is.  Nothing here changes but what a worker holds. */
#ifndef XCPY_H
#define XCPY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <xcodec.h>
#include <xcodec_array.h>
#include <xcodec_batch.h>
#include <xcodec_jpeg.h>
#include <xcodec_target.h>

/* The limited API has buffers since 3.11, but interpreters from 3.9 on export them in this form. */
#if defined Py_LIMITED_API && Py_LIMITED_API + 0 < 0x030b0000
typedef struct {
	void *buf;
	PyObject *obj;
	Py_ssize_t len, itemsize;
	int readonly, ndim;
	char *format;
	Py_ssize_t *shape, *strides, *suboffsets;
	void *internal;
} Py_buffer;
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer *view);
enum { PyBUF_SIMPLE, PyBUF_WRITABLE, PyBUF_STRIDES = 24 };
#endif

/* A new xcodec.Error; index: of a batch's item, or -1. NULL with another exception set. */
PyObject *xcpy_error(xc_status status, const char *message, Py_ssize_t index);
/* Raises it, unless an exception is set already; returns NULL. */
PyObject *xcpy_raise(xc_status status, const char *message, Py_ssize_t index);
/* Takes the exception that is set, as that of a batch's item: its text and its member `index` say which.
 * NULL: another one is set, or this one is no Exception but an interrupt, and still set. */
PyObject *xcpy_item_error(Py_ssize_t index);
/* Warns of what the library says after a success, if anything: 0, or -1 if that is an exception.
 * damaged: segments that became grey. */
int xcpy_warn(const char *message, Py_ssize_t index, uint64_t damaged);
/* Appends to the line (size bytes) what is wrong with a JPEG that was kept, if anything. */
void xcpy_add_flaw(char *line, size_t size, const xc_jpeg_info *info);
/* The same for a file, of any kind, that could be decoded. The context's message is another then. */
void xcpy_add_file_flaw(char *line, size_t size, xc_context *context, const void *file,
                        size_t file_size);
/* The buffer of a whole file; for "O&". */
int xcpy_file_read(PyObject *object, void *view);

/* A context, and for batches a batch, for one call at a time. Python has it in a capsule. */
typedef struct xcpy_worker {
	int references; /* changed atomically: of the capsule, and of memory of its GPU */
	int process;    /* what made it: after a fork() its threads and its GPU are another process's */
	xc_context *context;
	xc_batch *batch;
	xc_limits limits;
	/* These describe the call that works without the interpreter's lock. */
	PyThreadState *saved;
	int watches;     /* it is the main thread's, which gets signals */
	int apart;       /* the library is called by another thread than the interpreter's */
	int interrupted; /* atomic: the call is to end, and an exception is set */
	double checked;  /* seconds: when signals were looked for */
} xcpy_worker;
int xcpy_worker_read(PyObject *capsule, void *worker); /* for "O&" */

/* Release the interpreter's lock for a call of the library, and take it again. In between the main thread
 * takes it for a moment every XCPY_SIGNAL_MS, to run handlers of signals; an exception of theirs, such as
 * KeyboardInterrupt, ends the call. xcpy_resume() returns the status, or XC_ERR_CANCELLED where an exception
 * is set. */
enum { XCPY_SIGNAL_MS = 50 };
void xcpy_release(xcpy_worker *w);
xc_status xcpy_resume(xcpy_worker *w, xc_status status);
void xcpy_check_signals(xcpy_worker *w); /* by the thread that called xcpy_release() */

/* Functions of the module, in the files of their names. */
PyObject *xcpy_decode(PyObject *module, PyObject *args);
PyObject *xcpy_encode(PyObject *module, PyObject *args);
PyObject *xcpy_info(PyObject *module, PyObject *args);
PyObject *xcpy_decode_batch(PyObject *module, PyObject *args);
PyObject *xcpy_encode_array(PyObject *module, PyObject *args);
PyObject *xcpy_decode_array(PyObject *module, PyObject *args);
PyObject *xcpy_array_info(PyObject *module, PyObject *args);
PyObject *xcpy_encode_jpeg(PyObject *module, PyObject *args);
PyObject *xcpy_decode_jpeg(PyObject *module, PyObject *args);
PyObject *xcpy_jpeg_info(PyObject *module, PyObject *args);
PyObject *xcpy_dlpack(PyObject *module, PyObject *args);

#endif
