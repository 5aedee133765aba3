/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of make_vectors, which writes the test vectors: files, changes of files, and the vectors by kind. */
#ifndef XC_TESTS_DECODERS_MAKE_H
#define XC_TESTS_DECODERS_MAKE_H

#include <stdio.h>

#include "tests/decoders/refdec_vector.h"
#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

enum { MAGIC = 8, ENTROPY = 12 };

extern xc_context *context;
extern const char *folder;
extern FILE *manifest;
extern unsigned wrong; /* vectors that are not what their names say */

/* The class is the first word of the name. */
void add(const char *name, const xc_bytes *file, const char *text);
xc_bytes copy(const xc_bytes *from);
const xc_file_chunk *part(const xc_bytes *f, const char *type);
/* With this payload in a chunk that the file has. */
xc_bytes with(const xc_bytes *from, const char *type, const void *payload, size_t size);
/* With another chunk before the first one of type `before`. */
xc_bytes with_new(const xc_bytes *from, const char *before, const char *type, const void *payload,
                  size_t size);
xc_bytes without(const xc_bytes *from, const char *type);
/* With another byte in a payload; negative places count from its end. */
xc_bytes with_byte(const xc_bytes *from, const char *type, int at, uint32_t value);
/* The payload has `more` bytes (0xa5) more, or fewer. */
xc_bytes with_length(const xc_bytes *from, const char *type, int more);
/* Adds it and frees it. */
void put(const char *name, xc_bytes f, const char *text);
/* The same segments with sizes of `width` bytes, `rows` rows of tiles a piece. */
xc_bytes in_pieces(const xc_bytes *from, uint32_t width, size_t rows, size_t tiles_wide);
/* The file with one segment of these bytes. */
xc_bytes with_segment(const xc_bytes *from, const void *bytes, size_t size);
/* Changes the byte in the middle of segment i and leaves its check value as it is. */
xc_bytes with_damage(const xc_bytes *from, size_t i);
xc_bytes taken(xc_status s, xc_buffer *made);
xc_bytes encoded(const xc_picture *p, const xc_metadata *m, const xc_encode_options *o);
/* Options by which files have this number for `entropy`, 0 to 4. */
xc_encode_options coding(int entropy, int quality, xc_subsampling s, xc_transform t);
uint32_t entropy_of(const xc_bytes *f);
/* The file with `entropy` 4 and a RANS that stores no level, if it has built-in frequencies. */
xc_bytes with_frequencies(const xc_bytes *from, int classes);
xc_bytes tiled(xc_subsampling s, xc_transform t, int entropy, uint32_t channels);
size_t tiles_wide(const xc_bytes *f);
xc_bytes small_file(uint32_t channels, uint32_t depth, int entropy);
/* Text, lines and areas of a few colours, `noise` in 256 of its pixels another one. */
xc_picture drawing(uint32_t width, uint32_t height, uint32_t channels, uint32_t colours,
                   uint32_t noise);
xc_encode_options exactly(int effort, uint32_t max_error);
/* The file of appendix A. */
xc_bytes appendix_a(void);
extern const char *const transforms[];
extern const char *const entropies[];
extern const char *const entropy_texts[];
extern const char *const subsamplings[];
extern const char *const channel_names[];

/* The vectors of a kind. */
void make_lossy(void);
void make_sizes(void);
void make_tiles(void);
void make_steps(void);
void make_colours(void);
void make_codes(void);
void make_samples(void);
void make_alpha(void);
void make_lossless(void);
void make_ancillary(void);
void make_damaged(void);
void make_refused(void);
void make_arrays(void);
void make_jpegs(void);

#endif
