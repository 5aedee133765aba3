/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays in memory, from and to files of formats/array/, and small files to begin with. */
#ifndef XC_TESTS_SUPPORT_ARRAY_FILES_H
#define XC_TESTS_SUPPORT_ARRAY_FILES_H

#include "formats/array/array.h"
#include "tests/support/bytes.h"

enum { XC_TEST_PAGES = 3, XC_TEST_ROWS = 5, XC_TEST_COLUMNS = 7, XC_TEST_ARRAY_MAX = 1 << 28 };

/* Bytes as a file that can be sought in, and as a pipe; xc_memory_write() is a sink's, into xc_bytes. */
typedef struct xc_memory {
	const uint8_t *data;
	size_t size, at;
} xc_memory;
xc_array_source xc_memory_source(xc_memory *m);
xc_array_source xc_memory_pipe(xc_memory *m);
int xc_memory_write(void *user, const void *bytes, size_t size);

typedef struct xc_test_array {
	xc_array_shape shape;
	const xc_array_part *part; /* of the file that was read; NULL: all of it */
	uint8_t *values;           /* malloc'ed */
	size_t size;               /* bytes */
	double fill, rounding;     /* fill: 0: none */
	char format[16], warning[XC_FILE_MESSAGE];
	xc_bytes attached; /* name, size and bytes of each */
	size_t attached_at;
} xc_test_array;
void xc_test_array_free(xc_test_array *a);
#define OWN_ARRAY __attribute__((cleanup(xc_test_array_free))) xc_test_array

/* Reads a file, in portions of a size that no row has. */
xc_status xc_array_load(const xc_array_source *source, const char *name, const char *raw,
                        xc_test_array *a, char message[XC_FILE_MESSAGE]);
/* Replaces the bytes by a file of the array, with what was attached. */
xc_status xc_array_save(const char *name, xc_test_array *a, xc_bytes *out,
                        char message[XC_FILE_MESSAGE]);

/* Compresses the bytes. */
void xc_array_gzip(xc_bytes *b);

/* Random bytes as 1 to 4 dimensions: 2, and those of the enum. */
void xc_array_make(xc_test_array *a, xc_array_type type, int dimensions);
/* Sets a number of some bytes. */
void xc_array_set(xc_bytes *b, size_t at, uint64_t value, int bytes, int little);
/* A SEG-Y of 6 traces of 4 samples, 3 x 2 of inlines and crosslines; IBM numbers are normalized. size: of
 * a sample; stanzas: of 3200 bytes at the end. */
void xc_array_make_segy(xc_bytes *b, int format, int size, int little, int rev, int stanzas);

#endif
