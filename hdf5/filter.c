/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A filter of HDF5 as a plugin, which libhdf5 opens when a dataset names filter 344: each chunk of the
 * dataset becomes a complete XC file with an array. doc/hdf5.md is the page for users.
 *
 * The plugin is not linked with libhdf5: a process may have several, such as that inside a wheel of
 * h5py, and identifiers are those of the one that calls. Each callback finds it by the address that
 * it returns to. There is no state.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr() */
#endif
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <H5PLextern.h>
#include <xcodec_array.h>

/* 256 and the letter X: HDF5 leaves 256 to 511 to filters that are not registered. */
enum {
	FILTER = 344,
	MOST_DIMENSIONS = 32,  /* of HDF5 */
	CHUNK_SIDE = 1 << 16,  /* the most along a dimension that the library codes at once */
	CHUNK_VALUES = 1 << 21 /* and in all */
};

/* The words of a dataset. The user gives the first 0, 3, 4 or 8; numbers of 64 bits have their low word
 * first. set_local() writes all of them, so those of a file are always complete. */
enum {
	KIND,       /* xc_array_bound */
	BOUND,      /* a double */
	EFFORT = 3, /* 0 to 3, and 4 times an xc_array_way */
	LOW,        /* the range, two doubles: for XC_BOUND_RELATIVE alone */
	HIGH = 6,
	USER = 8,
	FILL = USER, /* a double */
	TYPE = 10,   /* xc_array_type, with BIG_ENDIAN_VALUES */
	SIZES,       /* of a chunk, as in xc_array_shape; 0 after the last */
	WORDS = SIZES + XC_ARRAY_DIMENSIONS,
	BIG_ENDIAN_VALUES = 256
};

/* What is used of the libhdf5 that calls: functions, and identifiers, which are variables there. */
/* clang-format off */
#define OF_HDF5(X) \
	X(H5Pget_filter2) X(H5Pget_filter_by_id2) X(H5Pmodify_filter) X(H5Pget_chunk) \
	X(H5Pfill_value_defined) X(H5Pget_fill_value) X(H5Tequal) X(H5allocate_memory) \
	X(H5free_memory) X(H5Epush2)
#define MEMBER(name) __typeof__(name) *name;
/* Types as in xc_array_type, in either order of bytes. */
static const char *const identifiers[] = {
	"H5T_IEEE_F32LE_g", "H5T_IEEE_F64LE_g", "H5T_STD_I8LE_g", "H5T_STD_I16LE_g", "H5T_STD_I32LE_g",
	"H5T_STD_U8LE_g", "H5T_STD_U16LE_g", "H5T_STD_U32LE_g",
	"H5T_IEEE_F32BE_g", "H5T_IEEE_F64BE_g", "H5T_STD_I8BE_g", "H5T_STD_I16BE_g", "H5T_STD_I32BE_g",
	"H5T_STD_U8BE_g", "H5T_STD_U16BE_g", "H5T_STD_U32BE_g",
	"H5T_NATIVE_DOUBLE_g", "H5E_ERR_CLS_g", "H5E_PLINE_g", "H5E_CANTFILTER_g"};
enum { ID_DOUBLE = 2 * XC_ARRAY_TYPES, ID_ERRORS, ID_FILTERS, ID_FAILED, IDENTIFIERS };
/* clang-format on */

typedef struct hdf5 {
	OF_HDF5(MEMBER)
	hid_t id[IDENTIFIERS];
} hdf5;

static void *allocate(size_t size, hbool_t clear)
{
	return clear ? calloc(1, size) : malloc(size);
}

static herr_t release(void *memory)
{
	free(memory);
	return 0;
}

/* caller: an address in it. 0: it cannot be found, as where a program has HDF5 inside and exports
 * nothing of it. Then there is memory, as HDF5 takes it by default, which is enough for chunks. */
static int find_hdf5(void *caller, hdf5 *h)
{
	Dl_info about;
	void *library = NULL;
	int found;

	if (dladdr(__builtin_extract_return_addr(caller), &about))
		library = dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!library) /* the program itself */
		library = dlopen(NULL, RTLD_LAZY);
	found = library != NULL;
#define FIND(name) found = found && (h->name = (__typeof__(name) *)dlsym(library, #name)) != NULL;
	OF_HDF5(FIND)
	for (int i = 0; i < IDENTIFIERS && found; i++) {
		const hid_t *id = dlsym(library, identifiers[i]);
		/* A program that names the variable has it, and the library's own is never set. */
		if (!id || *id <= 0)
			id = dlsym(RTLD_DEFAULT, identifiers[i]);
		h->id[i] = id ? *id : H5I_INVALID_HID;
	}
	if (!found)
		*h = (hdf5){.H5allocate_memory = allocate, .H5free_memory = release};
	if (library)
		dlclose(library); /* it stays: it is running */
	return found;
}

/* Puts a line on the stack of errors that HDF5 shows; returns 0. */
static int fail(const hdf5 *h, const char *line)
{
	if (h->H5Epush2)
		h->H5Epush2(H5E_DEFAULT, __FILE__, "xcodec", __LINE__, h->id[ID_ERRORS], h->id[ID_FILTERS],
		            h->id[ID_FAILED], "xcodec: %s", line);
	return 0;
}

static void put_double(unsigned *words, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	words[0] = (unsigned)bits;
	words[1] = (unsigned)(bits >> 32);
}

static double get_double(const unsigned *words)
{
	const uint64_t bits = words[0] | (uint64_t)words[1] << 32;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* --------------------------------------------------------------- new datasets */

/* An xc_array_type, with BIG_ENDIAN_VALUES if so, or -1. */
static int type_of(const hdf5 *h, hid_t type)
{
	for (int i = 0; i < 2 * XC_ARRAY_TYPES; i++)
		if (h->H5Tequal(type, h->id[i]) > 0)
			return i % XC_ARRAY_TYPES + i / XC_ARRAY_TYPES * BIG_ENDIAN_VALUES;
	return -1;
}

/* Dimensions of 1 say nothing; of more than four, the slowest ones are one list. */
static void put_sizes(unsigned *words, const hsize_t *size, int dimensions)
{
	uint64_t kept[MOST_DIMENSIONS + 1] = {1};
	int n = 0;

	for (int i = 0; i < dimensions; i++)
		if (size[i] > 1)
			kept[n++] = size[i];
	n += !n;
	const int listed = n > XC_ARRAY_DIMENSIONS ? n - XC_ARRAY_DIMENSIONS : 0;
	for (int i = 0; i < listed; i++) /* a chunk has less than 4 GiB */
		kept[listed] *= kept[i];
	for (int i = 0; i < XC_ARRAY_DIMENSIONS; i++)
		words[SIZES + i] = listed + i < n ? (unsigned)kept[listed + i] : 0;
}

/* HDF5 always wants a chunk as a whole, so it is cut no further than the library must: each cut takes
 * bytes. */
static void choose_chunk(const xc_array_shape *shape, uint32_t chunk[3])
{
	for (int k = 0; k < 3; k++) {
		const int from = shape->dimensions - 3 + k;
		chunk[k] = from < 0 ? 1 : (uint32_t)shape->size[from];
	}
	for (;;) {
		uint32_t *most = chunk[0] > chunk[1] ? chunk : chunk + 1;
		most = *most > chunk[2] ? most : chunk + 2;
		if (*most <= CHUNK_SIDE && (uint64_t)chunk[0] * chunk[1] <= CHUNK_VALUES / chunk[2])
			return;
		*most -= *most / 2;
	}
}

/* What a chunk is encoded with. */
static void read_words(const unsigned *words, xc_array_shape *shape, xc_array_options *o)
{
	*shape = (xc_array_shape){.type = (xc_array_type)(words[TYPE] % BIG_ENDIAN_VALUES)};
	for (int i = 0; i < XC_ARRAY_DIMENSIONS && words[SIZES + i]; i++)
		shape->size[shape->dimensions++] = words[SIZES + i];
	xc_array_options_default(o);
	o->kind = (xc_array_bound)words[KIND];
	o->bound = get_double(words + BOUND);
	o->effort = (int)(words[EFFORT] % 4);
	o->way = (xc_array_way)(words[EFFORT] / 4);
	o->low = get_double(words + LOW);
	o->high = get_double(words + HIGH);
	o->has_range = o->low <= o->high;
	o->fill = get_double(words + FILL);
	o->has_fill = !isnan(o->fill);
	choose_chunk(shape, o->chunk);
}

/* PSNR, SNR and the range itself need the whole dataset, of which a filter sees a chunk. */
static int accepted(const unsigned *words)
{
	const double bound = get_double(words + BOUND);

	return words[KIND] <= XC_BOUND_POINTWISE && bound >= 0 && bound <= DBL_MAX &&
	       words[EFFORT] / 4 <= XC_ARRAY_TDLT &&
	       (words[KIND] != XC_BOUND_RELATIVE ||
	        get_double(words + LOW) <= get_double(words + HIGH));
}

/* Sets all words of a dataset from its properties and type; 0: after a line that says why not. */
static int make_words(const hdf5 *h, hid_t properties, hid_t type, unsigned *words, unsigned *flags)
{
	size_t n = WORDS, none = 0;
	hsize_t size[MOST_DIMENSIONS];
	double fill = NAN;
	H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;

	/* What another filter has made of the values has no type. */
	if (h->H5Pget_filter2(properties, 0, flags, &none, NULL, 0, NULL, NULL) != FILTER)
		return fail(h, "it must be the first filter");
	memset(words, 0, WORDS * sizeof *words);
	if (h->H5Pget_filter_by_id2(properties, FILTER, flags, &n, words, 0, NULL, NULL) < 0)
		return 0;
	if (n != 0 && n != 3 && n != 4 && n < USER)
		return fail(h, "it takes 0, 3, 4 or 8 numbers");
	words[EFFORT] = n < 4 ? 2 : words[EFFORT];
	if (n < USER)
		put_double(words + LOW, 1); /* above HIGH: there is no range */
	if (!accepted(words))
		return fail(
			h, "wrong numbers: kind 0 to 3, bound from 0 on, effort and transform 0 to 15, range "
			   "of kind 2");
	const int number = type_of(h, type);
	if (number < 0)
		return fail(h, "values must be floats of 32 or 64 bits, or integers of 8, 16 or 32");
	const int dimensions = h->H5Pget_chunk(properties, MOST_DIMENSIONS, size);
	if (dimensions < 1)
		return fail(h, "the dataset has no chunks");
	if (h->H5Pfill_value_defined(properties, &defined) >= 0 &&
	    defined == H5D_FILL_VALUE_USER_DEFINED &&
	    h->H5Pget_fill_value(properties, h->id[ID_DOUBLE], &fill) < 0)
		return 0;
	put_double(words + FILL, fill);
	words[TYPE] = (unsigned)number;
	put_sizes(words, size, dimensions);
	return 1;
}

static htri_t can_apply(hid_t properties, hid_t type, hid_t space)
{
	unsigned words[WORDS], flags;
	hdf5 h;

	(void)space;
	if (!find_hdf5(__builtin_return_address(0), &h))
		return -1;
	return make_words(&h, properties, type, words, &flags);
}

static herr_t set_local(hid_t properties, hid_t type, hid_t space)
{
	unsigned words[WORDS], flags;
	hdf5 h;

	(void)space;
	if (!find_hdf5(__builtin_return_address(0), &h) ||
	    !make_words(&h, properties, type, words, &flags))
		return -1;
	return h.H5Pmodify_filter(properties, FILTER, flags, WORDS, words);
}

/* -------------------------------------------------------------------- chunks */

/* Turns the order of the bytes of each value. */
static void swap_values(uint8_t *v, size_t bytes, size_t each)
{
	for (const uint8_t *end = v + bytes; v < end; v += each)
		for (size_t b = 0; b < each / 2; b++) {
			const uint8_t t = v[b];
			v[b] = v[each - 1 - b];
			v[each - 1 - b] = t;
		}
}

/* A chunk of a dataset. */
typedef struct chunk {
	const hdf5 *hdf5;
	xc_context *context;
	xc_array_shape shape;
	xc_array_options options;
	size_t bytes, each; /* of all values, of one */
	int swap;
} chunk;

/* Puts `size` bytes in place of the buffer, in new memory if they do not fit; 0: there is none. */
static size_t give(const chunk *k, const void *data, size_t size, size_t *room, void **buffer)
{
	if (size > *room) {
		void *memory = k->hdf5->H5allocate_memory(size, 0);
		if (!memory)
			return fail(k->hdf5, "out of memory");
		k->hdf5->H5free_memory(*buffer);
		*buffer = memory;
		*room = size;
	}
	memcpy(*buffer, data, size);
	return size;
}

static size_t encode(const chunk *k, size_t size, size_t *room, void **buffer)
{
	xc_buffer file = {NULL, 0};
	size_t given = 0;

	if (size != k->bytes)
		return fail(k->hdf5, "the chunk has another size than the dataset's");
	if (k->swap)
		swap_values(*buffer, size, k->each);
	const xc_status status = xc_array_encode(k->context, &k->shape, *buffer, &k->options, &file);
	if (k->swap) /* HDF5 goes on with the values if the filter is optional and fails */
		swap_values(*buffer, size, k->each);
	if (status)
		fail(k->hdf5, xc_context_message(k->context));
	else
		given = give(k, file.data, file.size, room, buffer);
	xc_buffer_free(k->context, &file);
	return given;
}

/* Reads into new memory. The file's array must be just what the dataset says. */
static xc_status read_values(const chunk *k, const xc_source *file, void **values)
{
	xc_array_reader *reader;
	xc_array_info info;
	xc_status status = xc_array_reader_new(k->context, file, &reader);

	if (status)
		return status;
	xc_array_reader_info(reader, &info);
	const xc_array_shape *a = &info.shape, *b = &k->shape;
	if (a->type != b->type || a->dimensions != b->dimensions ||
	    memcmp(a->size, b->size, sizeof a->size))
		status = XC_ERR_FORMAT;
	else if (!(*values = k->hdf5->H5allocate_memory(k->bytes, 0)))
		status = XC_ERR_MEMORY;
	else
		status = xc_array_read(reader, NULL, 1, *values);
	xc_array_reader_free(reader);
	return status;
}

static size_t decode(const chunk *k, size_t size, size_t *room, void **buffer)
{
	const xc_source file = {.memory = *buffer, .size = size};
	void *values = NULL;
	const xc_status status = read_values(k, &file, &values);
	const char *line = xc_context_message(k->context);

	if (status) {
		if (!*line)
			line = status == XC_ERR_MEMORY ? "out of memory"
			                               : "the chunk holds another array than the dataset's";
		fail(k->hdf5, line);
		k->hdf5->H5free_memory(values);
		return 0;
	}
	if (k->swap)
		swap_values(values, k->bytes, k->each);
	k->hdf5->H5free_memory(*buffer);
	*buffer = values;
	*room = k->bytes;
	return k->bytes;
}

static size_t filter(unsigned flags, size_t count, const unsigned *words, size_t size, size_t *room,
                     void **buffer)
{
	uint64_t bytes;
	hdf5 h;
	chunk k = {.hdf5 = &h};
	size_t given = 0;

	find_hdf5(__builtin_return_address(0), &h);
	if (count < WORDS)
		return fail(&h, "the dataset does not describe its chunks");
	read_words(words, &k.shape, &k.options);
	bytes = k.each = xc_array_type_size(k.shape.type);
	for (int i = 0; i < k.shape.dimensions && bytes <= UINT32_MAX; i++)
		bytes *= k.shape.size[i];
	if (!bytes || bytes > UINT32_MAX || !k.shape.dimensions)
		return fail(&h, "the dataset does not describe its chunks");
	k.bytes = (size_t)bytes;
	k.swap = (words[TYPE] >= BIG_ENDIAN_VALUES) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	k.context = xc_context_new(NULL);
	if (!k.context || xc_context_set_threads(k.context, 1))
		fail(&h, "out of memory");
	else if (flags & H5Z_FLAG_REVERSE)
		given = decode(&k, size, room, buffer);
	else
		given = encode(&k, size, room, buffer);
	xc_context_free(k.context);
	return given;
}

/* -------------------------------------------------------------------- plugin */

H5PL_type_t H5PLget_plugin_type(void)
{
	return H5PL_TYPE_FILTER;
}

const void *H5PLget_plugin_info(void)
{
	static const H5Z_class2_t xcodec = {H5Z_CLASS_T_VERS, FILTER,    1,         1,
	                                    "xcodec",         can_apply, set_local, filter};

	return &xcodec;
}
