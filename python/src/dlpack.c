/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory as a tensor of DLPack (dmlc/dlpack, dlpack.h), whose structures are here. */
#include "python/src/xcpy.h"

#include <stdlib.h>

enum { DL_UINT = 1, DL_FLOAT = 2, DL_CUDA = 2, DL_MAJOR = 1, MAX_DIMENSIONS = 4 };

typedef struct dl_tensor {
	void *data;
	int32_t device, device_id, dimensions;
	uint8_t code, bits;
	uint16_t lanes;
	int64_t *shape, *strides; /* strides in samples */
	uint64_t byte_offset;
} dl_tensor;

/* The two forms of a managed tensor. */
typedef struct dl_managed {
	dl_tensor tensor;
	void *context;
	void (*deleter)(void *self);
} dl_managed;
typedef struct dl_versioned {
	uint32_t major, minor;
	void *context;
	void (*deleter)(void *self);
	uint64_t flags;
	dl_tensor tensor;
} dl_versioned;

typedef struct export
{
	union {
		dl_managed plain;
		dl_versioned versioned;
	} as; /* the first member: it has the address of the whole */
	PyObject *owner;
	int64_t shape[MAX_DIMENSIONS], strides[MAX_DIMENSIONS];
}
export;

/* A consumer may drop its tensor without the interpreter's lock. */
static void end(void *managed)
{
	if (!Py_IsInitialized())
		return;
	const PyGILState_STATE lock = PyGILState_Ensure();
	Py_DECREF(((export *)managed)->owner);
	PyGILState_Release(lock);
	free(managed);
}

/* A consumer renames the capsule; what nobody took ends with it. */
static void end_capsule(PyObject *capsule)
{
	const char *name = PyCapsule_GetName(capsule);

	if (PyCapsule_IsValid(capsule, "dltensor") || PyCapsule_IsValid(capsule, "dltensor_versioned"))
		end(PyCapsule_GetPointer(capsule, name));
}

/* dlpack(owner, address, GPU, xc_sample_type, dimensions, (a, b, c, d), whether versioned) */
PyObject *xcpy_dlpack(PyObject *module, PyObject *args)
{
	static const uint8_t bits[4] = {8, 16, 16, 32};
	export *e = calloc(1, sizeof *e);
	unsigned long long address;
	long long *n = (long long[MAX_DIMENSIONS]){0};
	int device, type, dimensions, versioned;
	PyObject *capsule = NULL;

	(void)module;
	if (!e)
		return PyErr_NoMemory();
	if (PyArg_ParseTuple(args, "OKiii(LLLL)p", &e->owner, &address, &device, &type, &dimensions,
	                     &n[0], &n[1], &n[2], &n[3], &versioned)) {
		for (int i = dimensions - 1; i >= 0; i--) {
			e->shape[i] = n[i];
			e->strides[i] = i == dimensions - 1 ? 1 : e->strides[i + 1] * n[i + 1];
		}
		const dl_tensor t = {(void *)(uintptr_t)address,
		                     DL_CUDA,
		                     device,
		                     dimensions,
		                     type < XC_SAMPLE_FLOAT16 ? DL_UINT : DL_FLOAT,
		                     bits[type],
		                     1,
		                     e->shape,
		                     e->strides,
		                     0};
		if (versioned)
			e->as.versioned = (dl_versioned){DL_MAJOR, 0, e, end, 0, t};
		else
			e->as.plain = (dl_managed){t, e, end};
		capsule = PyCapsule_New(e, versioned ? "dltensor_versioned" : "dltensor", end_capsule);
	}
	if (capsule)
		Py_INCREF(e->owner);
	else
		free(e);
	return capsule;
}
