/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file of an array, whose name or description the first byte chooses. What is read
 * can be written with what was attached, and is the same file again. Or, above 127, any bytes as what
 * was attached to an array of a few values.
 */
#include <string.h>

#include "formats/array/kind.h"
#include "fuzz/fuzz.h"
#include "tests/support/array_files.h"

static const struct {
	const char *name, *raw;
} names[] = {{"npy", NULL}, {"pfm", NULL},          {"nii", NULL},   {"sgy", NULL},
             {"su", NULL},  {"raw", "i16,5,big+3"}, {"x.tif", NULL}, {"a.nii.gz", NULL}};
enum { NAMES = sizeof names / sizeof *names };

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	static const int formats[][2] = {{1, 4}, {3, 2}, {5, 4}, {6, 8}, {8, 1}};
	char message[XC_FILE_MESSAGE];
	OWN_ARRAY a = {.size = 0};
	OWN_BYTES file = {0};
	const unsigned kind = i % NAMES, j = i / NAMES;

	out->size = 0;
	xc_bytes_add_u8(out, j % 3 == 2 ? 128 + i : kind);
	if (kind == 3 || kind == 4)
		xc_array_make_segy(&file, formats[j % 5][0], kind == 4 ? 4 : formats[j % 5][1], j & 1,
		                   (int)(j % 3), j % 3 == 2);
	else if (kind == 5)
		xc_bytes_add_text(&file, "abc0123456789");
	else {
		xc_array_make(&a, kind == 1 ? XC_ARRAY_FLOAT32 : (xc_array_type)(j % 8),
		              kind == 1 ? 2 : 1 + (int)(j % 4));
		FUZZ_CHECK(!xc_array_save(kind == 7 ? "nii" : names[kind].name, &a, &file, message), "%s",
		           message);
		if (kind == 7)
			xc_array_gzip(&file);
	}
	const size_t start = kind == 4 && file.size > 3600 ? 3600 : 0;
	xc_bytes_add(out, file.data + start, file.size - start);
}

/* Whether the same bytes must be written: TIFF and gzip have many forms of one array. */
static int is_kept(const xc_test_array *a, const uint8_t *data)
{
	return strcmp(a->format, "TIFF") && data[0] != 0x1f && !*a->warning;
}

static const char *name_of(const xc_test_array *a)
{
	static const char *const formats[][2] = {{"NPY", "npy"},    {"PFM", "pfm"}, {"raw", "raw"},
	                                         {"SEG-Y", "sgy"},  {"SU", "su"},   {"NIfTI", "nii"},
	                                         {"TIFF", "x.tiff"}};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (!strcmp(a->format, formats[i][0]))
			return formats[i][1];
	return "";
}

/* A header, then the same bytes as trace headers and as what follows. */
static xc_status give(void *user, char name[5], const void **bytes, size_t *size)
{
	xc_array_reading *r = user;
	const char letters[] = "htz";

	*size = 0;
	if (r->at == 3)
		return XC_OK;
	snprintf(name, 5, "%s%c", r->kind->letters, letters[r->at++]);
	const xc_status status = xc_array_pack(r, r->first, r->first_size, size);
	*bytes = r->packed;
	return status;
}

static void write_attached(unsigned kind, const uint8_t *data, size_t size)
{
	char message[XC_FILE_MESSAGE];
	OWN_ARRAY a = {.size = 0};
	OWN_BYTES out = {0};
	xc_array_reading r = {.first = data, .first_size = size, .message = message};
	const xc_array_attachments attachments = {give, &r};
	const xc_byte_sink sink = {xc_memory_write, &out};
	xc_array_output *o;

	r.kind = xc_array_kind_by_name(names[kind % NAMES].name);
	if (!r.kind)
		return;
	xc_array_make(&a, (xc_array_type)(kind / NAMES % 8), 1 + (int)(size % 4));
	xc_status status = xc_array_output_new(names[kind % NAMES].name, &sink, &a.shape, NULL,
	                                       &attachments, &o, message);
	if (!status)
		status = xc_array_output_write(o, a.values, a.size / xc_array_value_size(a.shape.type),
		                               message);
	if (!status)
		status = xc_array_output_end(o, message);
	FUZZ_CHECK(!strchr(message, '\n') && (!status || *message), "%d %s", status, message);
	xc_array_output_free(o);
	free(r.packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[XC_FILE_MESSAGE];
	OWN_ARRAY a = {.size = 0};
	OWN_BYTES again = {0};

	if (!size)
		return 0;
	const unsigned choice = *data++, kind = choice % NAMES;
	OWN_MEMORY uint8_t *const copy = xc_test_copy(data, --size);
	if (choice > 127) {
		write_attached(choice, copy, size);
		return 0;
	}
	xc_memory m = {copy, size, 0};
	/* A pipe of another size for each input. */
	const xc_array_source source = size % 3 ? xc_memory_source(&m) : xc_memory_pipe(&m);
	xc_array_file_is(copy, size, names[kind].name);
	xc_status status = xc_array_load(&source, names[kind].name, names[kind].raw, &a, message);
	FUZZ_CHECK(!strchr(message, '\n') && !status == !*message, "%d %s", status, message);
	if (status)
		return 0;
	status = xc_array_save(name_of(&a), &a, &again, message);
	FUZZ_CHECK(!status, "%s: %s", a.format, message);
	FUZZ_CHECK(!is_kept(&a, copy) || (again.size == size && !memcmp(again.data, copy, size)),
	           "%s: %zu bytes become %zu", a.format, size, again.size);
	return 0;
}
