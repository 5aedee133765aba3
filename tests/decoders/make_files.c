/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a vector; makes files, and others by small changes of them. */
#include "tests/decoders/make.h"

#include <stdlib.h>
#include <string.h>

xc_context *context;
const char *folder;
FILE *manifest;
unsigned wrong;

/* ------------------------------------------------------------------- output */

void add(const char *name, const xc_bytes *file, const char *text)
{
	xc_vector_result r, library;
	char path[1024], damaged[24] = "";

	const char *why = refdec_vector(file->data, file->size, &r);
	xc_vector_decode(context, file->data, file->size, &library);
	const char *class = xc_vector_class_name(r.class);
	if (!xc_vector_same(&r, &library) || strncmp(name, class, strlen(class)) != 0) {
		fprintf(stderr, "%s: refdec %s %llu %s (%s), library %s %llu %s (%s)%s\n", name, class,
		        (unsigned long long)r.damaged, r.shape, why ? why : "",
		        xc_vector_class_name(library.class), (unsigned long long)library.damaged,
		        library.shape, xc_context_message(context),
		        strcmp(r.hash, library.hash) ? ", other samples" : "");
		wrong++;
	}
	snprintf(path, sizeof path, "%s/%s.xc", folder, name);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(file->data, 1, file->size, f) != file->size || fclose(f))
		abort();
	if (r.class == XC_VECTOR_DAMAGED)
		snprintf(damaged, sizeof damaged, ":%llu", (unsigned long long)r.damaged);
	fprintf(manifest, "%s.xc %s%s %s %s %s\n", name, class, damaged, r.shape, r.hash, text);
}

/* ------------------------------------------------------------ files changed */

xc_bytes copy(const xc_bytes *from)
{
	xc_bytes f = {0};

	xc_bytes_add(&f, from->data, from->size);
	return f;
}

static xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
const xc_file_chunk *part(const xc_bytes *f, const char *type)
{
	const int n = xc_file_chunks(f->data, f->size, parts);
	return type ? xc_file_chunk_find(parts, n, type) : &parts[n - 1];
}

xc_bytes with(const xc_bytes *from, const char *type, const void *payload, size_t size)
{
	const xc_file_chunk *p = part(from, type);
	xc_bytes f = {0};

	xc_bytes_splice(&f, from->data, from->size, p->offset, p->end, type, payload, size, 1);
	return f;
}

xc_bytes with_new(const xc_bytes *from, const char *before, const char *type, const void *payload,
                  size_t size)
{
	const xc_file_chunk *p = part(from, before);
	xc_bytes f = {0};

	xc_bytes_splice(&f, from->data, from->size, p->offset, p->offset, type, payload, size, 1);
	return f;
}

xc_bytes without(const xc_bytes *from, const char *type)
{
	const xc_file_chunk *p = part(from, type);
	xc_bytes f = {0};

	xc_bytes_splice(&f, from->data, from->size, p->offset, p->end, type, NULL, 0, 0);
	return f;
}

xc_bytes with_byte(const xc_bytes *from, const char *type, int at, uint32_t value)
{
	const xc_file_chunk *p = part(from, type);
	xc_bytes f = copy(from);

	f.data[p->payload + (at < 0 ? p->length : 0) + (size_t)at] = (uint8_t)value;
	xc_file_fix(f.data, f.size);
	return f;
}

xc_bytes with_length(const xc_bytes *from, const char *type, int more)
{
	const xc_file_chunk *p = part(from, type);
	uint8_t payload[4096];

	memset(payload, 0xa5, sizeof payload);
	memcpy(payload, from->data + p->payload, p->length);
	return with(from, type, payload, p->length + (size_t)more);
}

void put(const char *name, xc_bytes f, const char *text)
{
	add(name, &f, text);
	xc_bytes_free(&f);
}

xc_bytes in_pieces(const xc_bytes *from, uint32_t width, size_t rows, size_t tiles_wide)
{
	const xc_file_chunk index = *part(from, "INDX"), data = *part(from, "DATA");
	const uint8_t *e = from->data + index.payload, *at = from->data + data.payload;
	const size_t old = *e++, count = (index.length - 1) / (old + 2);
	xc_bytes f = {0};

	xc_bytes_add(&f, from->data, index.offset);
	for (size_t i = 0; i < count;) {
		OWN_BYTES list = {0};
		OWN_BYTES bytes = {0};
		xc_bytes_add_u8(&list, width);
		for (size_t k = 0; k < rows * tiles_wide && i < count; k++, i++) {
			const size_t size = e[0] | e[1] << 8 | (old > 2 ? (size_t)e[2] << 16 : 0);
			for (uint32_t b = 0; b < width; b++)
				xc_bytes_add_u8(&list, b < 3 ? (uint32_t)(size >> 8 * b) : 0);
			xc_bytes_add(&list, e + old, 2);
			xc_bytes_add(&bytes, at, size);
			at += size;
			e += old + 2;
		}
		xc_bytes_add_chunk(&f, "INDX", list.data, list.size);
		xc_bytes_add_chunk(&f, "DATA", bytes.data, bytes.size);
	}
	xc_bytes_add_chunk(&f, "DONE", NULL, 0);
	xc_file_fix(f.data, f.size);
	return f;
}

xc_bytes with_segment(const xc_bytes *from, const void *bytes, size_t size)
{
	const uint8_t index[5] = {2, (uint8_t)size, (uint8_t)(size >> 8)};
	OWN_BYTES f = with(from, "INDX", index, sizeof index);
	xc_bytes g = with(&f, "DATA", bytes, size);

	xc_file_fix(g.data, g.size);
	return g;
}

xc_bytes with_damage(const xc_bytes *from, size_t i)
{
	const xc_file_chunk index = *part(from, "INDX"), data = *part(from, "DATA");
	const uint8_t *e = from->data + index.payload;
	const size_t width = *e++;
	size_t at = data.payload;
	xc_bytes f = copy(from);

	for (;; e += width + 2, i--) {
		const size_t size = e[0] | (size_t)e[1] << 8;
		if (!i) {
			f.data[at + size / 2] ^= 0x55;
			return f;
		}
		at += size;
	}
}

/* -------------------------------------------------------------------- encode */

xc_bytes taken(xc_status s, xc_buffer *made)
{
	xc_bytes f = {0};

	if (s) {
		fprintf(stderr, "%s\n", xc_context_message(context));
		abort();
	}
	xc_bytes_add(&f, made->data, made->size);
	xc_buffer_free(context, made);
	return f;
}

xc_bytes encoded(const xc_picture *p, const xc_metadata *m, const xc_encode_options *o)
{
	xc_buffer made;
	return m || o->mode == XC_MODE_LOSSLESS ? taken(xc_encode(context, p, m, o, &made), &made)
	                                        : taken(xc_test_coded(context, p, o, &made), &made);
}

xc_encode_options coding(int entropy, int quality, xc_subsampling s, xc_transform t)
{
	xc_encode_options o = xc_test_options(quality, s, t,
	                                      entropy ? XC_HUFFMAN_OPTIMIZED : XC_HUFFMAN_DEFAULT);

	o.entropy = entropy < 3 ? XC_ENTROPY_HUFFMAN : XC_ENTROPY_RANS;
	o.effort = entropy == 2 ? 2 : entropy == 4 ? 3 : 0;
	return o;
}

const char *const transforms[] = {"dct", "lot", "tdlt"};
const char *const entropies[] = {"built-in", "stored", "contexts", "rans", "rans-stored"};
const char *const entropy_texts[] = {"built-in Huffman codes", "stored Huffman codes",
                                     "Huffman codes by context", "rANS, built-in frequencies",
                                     "rANS, stored frequencies"};
const char *const subsamplings[] = {"420", "422", "444", "grey"};
const char *const channel_names[] = {"", "grey", "grey-alpha", "rgb", "rgba"};

uint32_t entropy_of(const xc_bytes *f)
{
	return f->data[part(f, "HEAD")->payload + ENTROPY];
}

xc_bytes with_frequencies(const xc_bytes *from, int classes)
{
	static const uint8_t none[24];
	OWN_BYTES f = with_byte(from, "HEAD", ENTROPY, 4);
	return with_new(&f, "INDX", "RANS", none, 12 * (size_t)classes);
}

xc_bytes tiled(xc_subsampling s, xc_transform t, int entropy, uint32_t channels)
{
	xc_encode_options o = coding(entropy, 30, s, t);
	OWN_PICTURE p = xc_smooth_picture(150, 90, channels, 8, 7);

	o.segment_blocks = 32;
	return encoded(&p, NULL, &o);
}

size_t tiles_wide(const xc_bytes *f)
{
	const uint8_t *b = f->data + part(f, "HEAD")->payload;
	const uint32_t mcu = b[10] < 2 ? 16 : 8, wide = (150 + mcu - 1) / mcu,
				   tile = b[14] | b[15] << 8u;
	return (wide + tile - 1) / tile * (b[8] % 2 || b[12] == 6 ? 1 : 2);
}

xc_bytes small_file(uint32_t channels, uint32_t depth, int entropy)
{
	const xc_encode_options o = coding(entropy, 75,
	                                   channels < 3 ? XC_SUBSAMPLING_GREY : XC_SUBSAMPLING_444,
	                                   XC_TRANSFORM_DCT);
	OWN_PICTURE p = xc_smooth_picture(19, 14, channels, depth, 3);
	return encoded(&p, NULL, &o);
}

xc_picture drawing(uint32_t width, uint32_t height, uint32_t channels, uint32_t colours,
                   uint32_t noise)
{
	xc_picture p = xc_smooth_picture(width, height, channels, 8, 1);
	uint64_t seed = colours;

	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++) {
			const uint32_t letter = (x % 6 * 7 + y % 8 * 5 + x / 6 * 3 % 4) % 9 < 3 && y % 24 < 8;
			const uint32_t c = check_below(&seed, 256) < noise ? check_below(&seed, colours)
			                   : letter                        ? 1
			                                                   : (x / 40 + y / 30) % colours;
			uint8_t *s = (uint8_t *)p.data + y * p.stride + (size_t)x * channels;
			for (uint32_t k = 0; k < channels; k++)
				s[k] = (uint8_t)(255 - c * (37 + 20 * k));
		}
	return p;
}

xc_encode_options exactly(int effort, uint32_t max_error)
{
	xc_encode_options o;

	xc_encode_options_default(&o);
	o.mode = XC_MODE_LOSSLESS;
	o.effort = effort;
	o.max_error = max_error;
	return o;
}

xc_bytes appendix_a(void)
{
	static const uint8_t head[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 8, 3, 0, 1, 75, 1, 0, 1, 0},
						 steps[] = {1, 0x88}, index[] = {2, 2, 0, 0, 0}, data[] = {0xc8, 0};
	uint8_t huff[21] = {0x10, 0x51, 0x0f, 0x07, 0x11};
	xc_bytes f = {0};

	memset(huff + 5, 0x0f, 15);
	huff[20] = 0x0d;
	xc_bytes_add_magic(&f);
	xc_bytes_add_chunk(&f, "HEAD", head, sizeof head);
	xc_bytes_add_chunk(&f, "QNTZ", steps, sizeof steps);
	xc_bytes_add_chunk(&f, "HUFF", huff, sizeof huff);
	xc_bytes_add_chunk(&f, "INDX", index, sizeof index);
	xc_bytes_add_chunk(&f, "DATA", data, sizeof data);
	xc_bytes_add_chunk(&f, "DONE", NULL, 0);
	xc_file_fix(f.data, f.size);
	return f;
}
