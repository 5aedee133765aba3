/* SPDX-License-Identifier: BSD-2-Clause */
/* The module xcodec._xcodec: exceptions, workers, and what an interpreter wants of a module. */
#include "python/src/xcpy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The interpreter's own xcodec.NAME, or NULL with an exception set. */
static PyObject *of_package(const char *name)
{
	PyObject *package = PyImport_ImportModule("xcodec");
	PyObject *value = package ? PyObject_GetAttrString(package, name) : NULL;

	Py_XDECREF(package);
	return value;
}

PyObject *xcpy_error(xc_status status, const char *message, Py_ssize_t index)
{
	const char *line = message && *message ? message : xc_status_string(status);
	PyObject *make = of_package("_error");
	PyObject *error = make ? PyObject_CallFunction(make, "isn", (int)status, line, index) : NULL;

	Py_XDECREF(make);
	return error;
}

PyObject *xcpy_raise(xc_status status, const char *message, Py_ssize_t index)
{
	PyObject *error = PyErr_Occurred() ? NULL : xcpy_error(status, message, index);

	if (error)
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_XDECREF(error);
	return NULL;
}

PyObject *xcpy_item_error(Py_ssize_t index)
{
	PyObject *type, *error, *trace, *set, *done = NULL;

	if (!PyErr_ExceptionMatches(PyExc_Exception))
		return NULL;
	PyErr_Fetch(&type, &error, &trace);
	PyErr_NormalizeException(&type, &error, &trace);
	Py_XDECREF(type);
	Py_XDECREF(trace);
	if ((set = of_package("_item")))
		done = PyObject_CallFunction(set, "On", error, index);
	Py_XDECREF(set);
	if (!done)
		Py_CLEAR(error);
	Py_XDECREF(done);
	return error;
}

int xcpy_warn(const char *message, Py_ssize_t index, uint64_t damaged)
{
	PyObject *warn = *message ? of_package("_warn") : NULL, *done = NULL;

	if (warn)
		done = PyObject_CallFunction(warn, "snK", message, index, (unsigned long long)damaged);
	Py_XDECREF(warn);
	Py_XDECREF(done);
	return *message && !done ? -1 : 0;
}

/* In the words of the command. */
void xcpy_add_flaw(char *line, size_t size, const xc_jpeg_info *i)
{
	const size_t n = strlen(line);
	const char *and = n ? "; " : "", *what = i->cut_off ? "cut off" : "damaged";

	if (i->missing_blocks)
		snprintf(line + n, size - n, "%sthe JPEG is %s: its scans lack %llu of %llu blocks", and,
		         what, (unsigned long long)i->missing_blocks, (unsigned long long)i->blocks);
	else if (i->cut_off || i->damaged)
		snprintf(line + n, size - n, "%sthe JPEG is %s: %s", and, what,
		         i->cut_off ? "it has no end marker" : "bytes are left over after its codes");
}

void xcpy_add_file_flaw(char *line, size_t size, xc_context *context, const void *file,
                        size_t file_size)
{
	xc_jpeg_info info;

	if (xc_jpeg_is(file, file_size) && !xc_jpeg_read_info(context, file, file_size, &info))
		xcpy_add_flaw(line, size, &info);
}

int xcpy_file_read(PyObject *object, void *view)
{
	if (!object) { /* another argument was wrong */
		PyBuffer_Release(view);
		return 0;
	}
	if (!PyObject_GetBuffer(object, view, PyBUF_SIMPLE))
		return Py_CLEANUP_SUPPORTED;
	if (PyErr_ExceptionMatches(PyExc_TypeError))
		PyErr_Format(PyExc_TypeError,
		             "data must be the bytes of a file, as open(path, 'rb').read() gives, not %R",
		             Py_TYPE(object));
	return 0;
}

/* ----------------------------------------------------------------------- signals */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void xcpy_release(xcpy_worker *w)
{
	w->watches = syscall(SYS_gettid) == getpid();
	w->checked = seconds();
	w->saved = PyEval_SaveThread();
}

xc_status xcpy_resume(xcpy_worker *w, xc_status status)
{
	PyEval_RestoreThread(w->saved);
	w->watches = 0; /* the library is called with the lock held, too */
	return __atomic_exchange_n(&w->interrupted, 0, __ATOMIC_RELAXED) ? XC_ERR_CANCELLED : status;
}

void xcpy_check_signals(xcpy_worker *w)
{
	PyEval_RestoreThread(w->saved);
	if (PyErr_CheckSignals())
		__atomic_store_n(&w->interrupted, 1, __ATOMIC_RELAXED);
	w->saved = PyEval_SaveThread();
}

/* The library's progress function. */
static int watch(void *user, double fraction)
{
	xcpy_worker *w = user;

	(void)fraction;
	if (!w->apart && w->watches && !w->interrupted) {
		const double now = seconds();

		if (now - w->checked > 1e-3 * XCPY_SIGNAL_MS) {
			w->checked = now;
			xcpy_check_signals(w);
		}
	}
	return __atomic_load_n(&w->interrupted, __ATOMIC_RELAXED);
}

/* ----------------------------------------------------------------------- workers */

static const char worker_name[] = "xcodec worker";

static void drop_worker(xcpy_worker *w)
{
	if (__atomic_sub_fetch(&w->references, 1, __ATOMIC_ACQ_REL))
		return;
	if (w->process == (int)getpid()) {
		xc_batch_free(w->batch);
		xc_context_free(w->context);
	}
	free(w);
}

static void end_capsule(PyObject *capsule)
{
	drop_worker(PyCapsule_GetPointer(capsule, worker_name));
}

int xcpy_worker_read(PyObject *capsule, void *worker)
{
	*(xcpy_worker **)worker = PyCapsule_GetPointer(capsule, worker_name);
	return *(xcpy_worker **)worker != NULL;
}

/* Without the interpreter's lock, because starting CUDA takes long. */
static xc_status start(xcpy_worker *w, const char *device, int threads, int batch)
{
	w->context = xc_context_new(NULL);
	xc_status status = w->context ? xc_context_set_limits(w->context, &w->limits) : XC_ERR_MEMORY;
	if (!status && batch)
		return xc_batch_new(w->context, device, threads, &w->batch);
	if (!status)
		status = xc_context_set_threads(w->context, threads);
	return status ? status : xc_context_set_device(w->context, device);
}

/* worker(device, threads, has a batch, max_pixels, max_memory, max_expansion, max_metadata) */
static PyObject *make_worker(PyObject *module, PyObject *args)
{
	unsigned long long limits[4];
	const char *device;
	int threads, batch;

	(void)module;
	if (!PyArg_ParseTuple(args, "sipKKKK", &device, &threads, &batch, &limits[0], &limits[1],
	                      &limits[2], &limits[3]))
		return NULL;
	xcpy_worker *w = calloc(1, sizeof *w);
	if (!w)
		return PyErr_NoMemory();
	*w = (xcpy_worker){.references = 1,
	                   .process = (int)getpid(),
	                   .limits = {.max_pixels = limits[0],
	                              .max_memory = limits[1],
	                              .max_metadata = limits[3],
	                              .max_expansion = limits[2]}};
	PyThreadState *saved = PyEval_SaveThread();
	const xc_status status = start(w, device, threads, batch);
	PyEval_RestoreThread(saved);
	if (!status)
		xc_context_set_progress(w->context, watch, w);
	if (!status && batch)
		xc_batch_set_progress(w->batch, watch, w);
	PyObject *capsule = status ? xcpy_raise(status, xc_context_message(w->context), -1)
	                           : PyCapsule_New(w, worker_name, end_capsule);
	if (!capsule)
		drop_worker(w);
	return capsule;
}

/* ---------------------------------------------------------------- memory of a GPU */

static const char memory_name[] = "xcodec memory";

static void end_memory(PyObject *capsule)
{
	xcpy_worker *w = PyCapsule_GetContext(capsule);

	if (w->process == (int)getpid())
		xc_batch_release(w->batch, PyCapsule_GetPointer(capsule, memory_name));
	drop_worker(w);
}

/* allocate(worker, bytes): a capsule that holds the memory, and its address */
static PyObject *allocate(PyObject *module, PyObject *args)
{
	xcpy_worker *w;
	Py_ssize_t size;
	void *memory;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&n", xcpy_worker_read, &w, &size))
		return NULL;
	const xc_status status = xc_batch_allocate(w->batch, (size_t)size, &memory);
	if (status)
		return xcpy_raise(status, "the GPU is out of memory", -1);
	PyObject *capsule = PyCapsule_New(memory, memory_name, NULL);
	if (!capsule || PyCapsule_SetContext(capsule, w) ||
	    PyCapsule_SetDestructor(capsule, end_memory)) {
		xc_batch_release(w->batch, memory);
		Py_XDECREF(capsule);
		return NULL;
	}
	__atomic_add_fetch(&w->references, 1, __ATOMIC_RELAXED);
	return Py_BuildValue("NN", capsule, PyLong_FromVoidPtr(memory));
}

/* ------------------------------------------------------------------------ module */

static int fill(PyObject *module)
{
	xc_limits l;

	xc_limits_default(&l);
	PyObject *limits = Py_BuildValue("(KKKK)", (unsigned long long)l.max_pixels,
	                                 (unsigned long long)l.max_memory,
	                                 (unsigned long long)l.max_expansion,
	                                 (unsigned long long)l.max_metadata);
	if (!limits || PyModule_AddObject(module, "LIMITS", limits))
		return -1;
	return PyModule_AddStringConstant(module, "__version__", xc_version_string());
}

static PyMethodDef functions[] = {{"worker", make_worker, METH_VARARGS, NULL},
                                  {"allocate", allocate, METH_VARARGS, NULL},
                                  {"dlpack", xcpy_dlpack, METH_VARARGS, NULL},
                                  {"decode", xcpy_decode, METH_VARARGS, NULL},
                                  {"encode", xcpy_encode, METH_VARARGS, NULL},
                                  {"info", xcpy_info, METH_VARARGS, NULL},
                                  {"decode_batch", xcpy_decode_batch, METH_VARARGS, NULL},
                                  {"encode_array", xcpy_encode_array, METH_VARARGS, NULL},
                                  {"decode_array", xcpy_decode_array, METH_VARARGS, NULL},
                                  {"array_info", xcpy_array_info, METH_VARARGS, NULL},
                                  {"encode_jpeg", xcpy_encode_jpeg, METH_VARARGS, NULL},
                                  {"decode_jpeg", xcpy_decode_jpeg, METH_VARARGS, NULL},
                                  {"jpeg_info", xcpy_jpeg_info, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

/* A slot that an interpreter does not know is an error there, so each gets those of its version: since
 * 3.12 number 3 welcomes interpreters with locks of their own, since 3.13 number 4 those without. */
/* clang-format off */
#define DEFINE(name, ...) \
	static PyModuleDef_Slot name##_slots[] = {{Py_mod_exec, (void *)fill}, __VA_ARGS__}; \
	static PyModuleDef name = {PyModuleDef_HEAD_INIT, "xcodec._xcodec", NULL, 0, functions, \
	                           name##_slots, NULL, NULL, NULL}
/* clang-format on */
DEFINE(since_9, {0, NULL});
DEFINE(since_12, {3, (void *)2}, {0, NULL});
DEFINE(since_13, {3, (void *)2}, {4, (void *)1}, {0, NULL});

PyMODINIT_FUNC PyInit__xcodec(void);
PyMODINIT_FUNC PyInit__xcodec(void)
{
	const long minor = strtol(Py_GetVersion() + 2, NULL, 10); /* of "3.12.1 (main, ..." */

	return PyModuleDef_Init(minor >= 13 ? &since_13 : minor >= 12 ? &since_12 : &since_9);
}
