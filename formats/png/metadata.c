/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks that are not the picture, for formats/png/read.c: those that are kept are copied as they come, and used when
 * it is clear which of them count; others are named. */
#include "formats/png/png.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static int is_chunk(const char *type, const char *name)
{
	return memcmp(type, name, 4) == 0;
}

/* ------------------------------------------------------------------ keeping */

/* Where the chunk is to be kept, or NULL; *second: the file had one before. */
static xc_png_kept *find_kept(xc_png_metadata *m, const xc_png_chunks *chunks, int *second)
{
	const struct {
		const char *type;
		xc_png_kept *kept;
	} known[] = {{"iCCP", &m->icc}, {"eXIf", &m->exif}, {"pHYs", &m->density}, {"iTXt", &m->xmp}};
	const uint8_t *data;

	*second = 0;
	/* The keyword with its zero byte. */
	if (is_chunk(chunks->type, "iTXt") &&
	    (chunks->size < sizeof XC_PNG_XMP_KEYWORD ||
	     xc_row_input_peek(chunks->input, sizeof XC_PNG_XMP_KEYWORD, &data) <
	         sizeof XC_PNG_XMP_KEYWORD ||
	     memcmp(data, XC_PNG_XMP_KEYWORD, sizeof XC_PNG_XMP_KEYWORD) != 0))
		return NULL;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_chunk(chunks->type, known[i].type)) {
			*second = known[i].kept->offset != 0;
			return *second ? NULL : known[i].kept;
		}
	return NULL;
}

void xc_png_leave_out(const xc_png_chunks *chunks, int second)
{
	char name[16];

	snprintf(name, sizeof name, "%s%s", second ? "a second " : "", chunks->type);
	if (!is_chunk(name, "fcTL") && !is_chunk(name, "fdAT"))
		xc_file_kinds_add(&chunks->file->left_out, name);
}

static void drop(xc_png_kept *kept, xc_file_reader *file)
{
	if (kept->data)
		xc_file_unreserve(file, kept->size);
	free(kept->data);
	kept->data = NULL;
}

/* Copies the chunk's data to *kept, unless they are too many, and leaves it.  Afterwards kept->data
 * is NULL if they are, or if the chunk is damaged. */
static xc_status copy_chunk(xc_png_kept *kept, xc_png_chunks *chunks)
{
	int intact;

	kept->offset = xc_row_input_position(chunks->input);
	kept->size = chunks->size;
	if (kept->size <= XC_FILE_METADATA_MAX) {
		xc_status status = xc_file_reserve(chunks->file, kept->size);
		if (status)
			return status;
		kept->data = malloc(kept->size + (size_t)1); /* 0 bytes are data, too */
		if (!kept->data)
			return xc_file_fail(chunks->file->message, XC_ERR_MEMORY, "out of memory for metadata");
		status = xc_png_copy(chunks, kept->data, kept->size);
		if (status)
			return status;
	}
	const xc_status status = xc_png_leave(chunks, &intact);
	if (!status && !intact)
		drop(kept, chunks->file);
	return status;
}

void xc_png_free_metadata(xc_png_metadata *m)
{
	xc_png_kept *const all[] = {&m->icc, &m->exif, &m->xmp, &m->density};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]->data);
}

/* ------------------------------------------------------------------ blocks */

/* The bytes of a block in the file. */
typedef struct block {
	const uint8_t *data;
	size_t size;
	int compressed;
} block;

/* Skips a text that ends in a zero byte; returns 0 if it does not end. */
static int skip_string(block *b)
{
	const uint8_t *end = memchr(b->data, 0, b->size);

	if (!end)
		return 0;
	b->size -= (size_t)(end + 1 - b->data);
	b->data = end + 1;
	return 1;
}

/* Skips n bytes, which the block has. */
static void skip_bytes(block *b, size_t n)
{
	b->data += n;
	b->size -= n;
}

/* A compression method (0), compressed data. */
static int open_packed(block *b)
{
	b->compressed = 1;
	if (b->size == 0 || b->data[0] != 0)
		return 0;
	skip_bytes(b, 1);
	return 1;
}

/* What iTXt has after its keyword: compression flag and method, language,
 * translated keyword, text.  *translated: the two in the middle are not empty. */
static int open_international(block *b, int *translated)
{
	if (b->size < 2 || b->data[0] > 1 || (b->data[0] == 1 && b->data[1] != 0))
		return 0;
	b->compressed = b->data[0];
	skip_bytes(b, 2);
	const uint8_t *language = b->data;
	const int whole = skip_string(b) && skip_string(b);
	*translated = b->data - language > 2;
	return whole;
}

/* iCCP begins with a name. */
static int open_icc(block *b)
{
	return skip_string(b) && open_packed(b);
}

static int open_xmp(block *b)
{
	int translated;

	return skip_string(b) && open_international(b, &translated);
}

/* Some writers keep the mark of EXIF in JPEG files. */
static int open_exif(block *b)
{
	if (b->size >= 6 && memcmp(b->data, "Exif\0\0", 6) == 0)
		skip_bytes(b, 6);
	return b->size >= 4 && (memcmp(b->data, "II", 2) == 0 || memcmp(b->data, "MM", 2) == 0);
}

/* A run of inflate() into memory that grows. */
typedef struct inflation {
	z_stream stream;
	uint8_t *data;
	size_t size, capacity;
} inflation;

static xc_status grow(xc_file_reader *reader, inflation *i)
{
	size_t capacity = i->capacity ? 2 * i->capacity : 4096;
	xc_status status = xc_file_reserve(reader, capacity - i->capacity);

	if (status)
		return status;
	uint8_t *data = realloc(i->data, capacity);
	if (!data)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for metadata");
	i->data = data;
	i->capacity = capacity;
	return XC_OK;
}

static void discard(xc_file_reader *reader, inflation *i)
{
	free(i->data);
	xc_file_unreserve(reader, i->capacity);
	*i = (inflation){.data = NULL};
}

/* Inflates to the end; *whole is 0 if the data are damaged, too large, or too many for the bytes
 * that they came from. */
static xc_status inflate_all(xc_file_reader *reader, inflation *i, int *whole)
{
	int result = Z_OK;

	while (result == Z_OK && i->size < XC_FILE_METADATA_MAX &&
	       xc_file_may_inflate(reader, i->size)) {
		if (i->size == i->capacity) {
			xc_status status = grow(reader, i);
			if (status)
				return status;
		}
		i->stream.next_out = i->data + i->size;
		i->stream.avail_out = (uInt)(i->capacity - i->size);
		result = inflate(&i->stream, Z_NO_FLUSH);
		i->size = i->capacity - i->stream.avail_out;
	}
	*whole = result == Z_STREAM_END;
	return XC_OK;
}

/* Inflates a block; i->data is NULL if it is damaged or too large. */
static xc_status unpack(xc_file_reader *reader, const block *b, inflation *i)
{
	*i = (inflation){
		.stream = {.next_in = (z_const Bytef *)(uintptr_t)b->data, .avail_in = (uInt)b->size}};
	if (inflateInit(&i->stream) != Z_OK)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for metadata");
	int whole = 0;
	reader->deflated += b->size;
	const xc_status status = inflate_all(reader, i, &whole);
	inflateEnd(&i->stream);
	if (!status && whole)
		reader->inflated += i->size;
	else
		discard(reader, i);
	return status;
}

/* ------------------------------------------------------------------ text */

static int is_text(const char *type)
{
	return is_chunk(type, "tEXt") || is_chunk(type, "zTXt") || is_chunk(type, "iTXt");
}

/* tEXt and zTXt, in Latin-1: keyword, text.  iTXt, in UTF-8, whose language and translated keyword
 * are left out. */
static int open_text(char kind, block *b, block *key, int *translated)
{
	*key = *b;
	*translated = 0;
	if (!skip_string(b) || b->data - key->data == 1)
		return 0;
	key->size = (size_t)(b->data - key->data) - 1;
	return kind == 'z' ? open_packed(b) : kind == 't' || open_international(b, translated);
}

/* Takes a chunk of text, as take_beside(). */
static xc_status take_text(xc_file_reader *file, const char *type, const xc_png_kept *chunk)
{
	block b = {chunk->data, chunk->size, 0}, key;
	inflation i = {.data = NULL};
	xc_status status = XC_OK;
	int translated, good = chunk->data && open_text(type[0], &b, &key, &translated);

	if (good && translated)
		xc_file_kinds_add(&file->left_out, "the language of text");
	if (good && b.compressed) {
		status = unpack(file, &b, &i);
		b = (block){i.data, i.size, 0};
		good = i.data != NULL;
	}
	if (!status && good)
		status = xc_file_add_pair(file, (xc_file_text){key.data, key.size, 1},
		                          (xc_file_text){b.data, b.size, type[0] != 'i'});
	else if (!status)
		xc_file_warn(file->message, "PNG text is damaged: left out (at byte %" PRIu64 ")",
		             chunk->offset);
	discard(file, &i);
	return status;
}

/* ------------------------------------------------------------------ colour */

enum { PRIMARIES = 8, INTENTS = 4 };

/* Its primaries and transfer, RGB, the full range. */
static const uint8_t srgb_cicp[4] = {1, 13, 0, 1};

/* A chunk of colour, the number of bytes that it must have (0: 1 to 4), and its name. */
static const struct {
	char type[5];
	uint8_t size;
	const char *what;
} known[] = {{"cICP", 4, "colour (cICP) is"},
             {"gAMA", 4, "gamma is"},
             {"cHRM", 32, "primaries (cHRM) are"},
             {"sRGB", 1, "rendering intent (sRGB) is"},
             {"sBIT", 0, "significant bits are"}};

static int is_beside(const char *type)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_chunk(type, known[i].type))
			return 1;
	return is_text(type) || is_chunk(type, "acTL");
}

/* The matrix of RGB is 0.  Numbers of zero would mean that there is no description. */
static int take_cicp(xc_metadata *m, const uint8_t *data)
{
	if (!data[0] || data[2] || data[3] > 1)
		return 0;
	memcpy(m->cicp, data, 4);
	return 1;
}

static int take_bits(xc_png_beside *b, const uint8_t *data, size_t size, uint64_t offset)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] < 1 || data[i] > 16)
			return 0;
	b->significant = size;
	b->significant_at = offset;
	memcpy(b->significant_bits, data, size);
	return 1;
}

/* Takes the chunk known[which]; returns 0 if its numbers are none. */
static int take_colour(xc_png_beside *b, xc_metadata *m, int which, const uint8_t *data,
                       size_t size, uint64_t offset)
{
	switch (which) {
	case 0:
		return take_cicp(m, data);
	case 1:
		if (!xc_load_be32(data) || xc_load_be32(data) > INT32_MAX)
			return 0;
		m->gamma = xc_load_be32(data);
		return 1;
	case 2:
		for (int i = 0; i < PRIMARIES; i++)
			if (xc_load_be32(data + 4 * i) > INT32_MAX || !xc_load_be32(data))
				return 0;
		for (int i = 0; i < PRIMARIES; i++)
			m->primaries[i] = xc_load_be32(data + 4 * i);
		return 1;
	case 3:
		b->srgb = data[0] < INTENTS;
		b->intent = b->srgb ? data[0] : 0;
		return b->srgb;
	default:
		return take_bits(b, data, size, offset);
	}
}

/* Takes a chunk of colour or the mark of an animation; data is NULL if it is
 * damaged or too large. */
static void take_beside(xc_png_beside *b, const xc_png_chunks *chunks, const xc_png_kept *chunk)
{
	xc_file_reader *file = chunks->file;
	const char *type = chunks->type;

	b->animated |= is_chunk(type, "acTL");
	for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
		if (!is_chunk(type, known[i].type))
			continue;
		if (b->seen & 1 << i)
			xc_png_leave_out(chunks, 1);
		b->seen |= 1 << i;
		const int fits = known[i].size ? chunk->size == known[i].size
		                               : chunk->size >= 1 && chunk->size <= 4;
		if (!chunk->data || !fits ||
		    !take_colour(b, &file->out->metadata, i, chunk->data, chunk->size, chunk->offset))
			xc_file_warn(file->message, "PNG %s damaged: left out (at byte %" PRIu64 ")",
			             known[i].what, chunk->offset);
	}
}

/* tRNS gives a channel that sBIT does not have. */
static void choose_bits(xc_png_beside *b, xc_file_reader *file)
{
	const xc_picture *p = &file->out->picture;
	uint8_t *bits = file->out->metadata.significant_bits;
	const int has_alpha = p->channels % 2 == 0;
	int more = 0;

	if (b->significant == 0)
		return;
	for (size_t i = 0; i < b->significant; i++)
		more |= b->significant_bits[i] > p->depth;
	if (more || (b->significant != p->channels && b->significant + has_alpha != p->channels))
		xc_file_warn(file->message,
		             "PNG significant bits are damaged: left out (at byte %" PRIu64 ")",
		             b->significant_at);
	else
		memcpy(bits, b->significant_bits, b->significant);
	b->significant = 0;
}

/* Once all chunks before the pixels, colour profile included, have been taken and the picture has
 * its shape. Gamma and primaries stay beside what counts more, so that a PNG has them again. */
static void finish_colour(xc_png_beside *b, xc_file_reader *file)
{
	xc_metadata *m = &file->out->metadata;

	choose_bits(b, file);
	if (b->animated)
		xc_file_warn(file->message, "an animated PNG: only its still picture is read");
	b->animated = 0;
	if (b->intent)
		xc_file_kinds_add(&file->left_out, "the intent of sRGB");
	if (b->srgb && !m->icc.data && !m->cicp[0])
		memcpy(m->cicp, srgb_cicp, sizeof m->cicp);
	else if (b->srgb)
		xc_file_kinds_add(&file->left_out, "sRGB");
	b->srgb = b->intent = 0;
}

/* ------------------------------------------------------------------ taking and using */

xc_status xc_png_keep_chunk(xc_png_metadata *metadata, xc_png_chunks *chunks)
{
	int intact, second;
	xc_png_kept *kept = find_kept(metadata, chunks, &second), beside = {0};

	if (!kept && (second || !is_beside(chunks->type))) {
		xc_png_leave_out(chunks, second);
		return xc_png_leave(chunks, &intact);
	}
	xc_status status = copy_chunk(kept ? kept : &beside, chunks);
	if (kept)
		return status;
	/* A chunk of colour or text counts at once. */
	if (!status && is_text(chunks->type))
		status = take_text(chunks->file, chunks->type, &beside);
	else if (!status)
		take_beside(&metadata->beside, chunks, &beside);
	drop(&beside, chunks->file);
	return status;
}

/* Whether a chunk came that was not used yet. */
static int is_new(const xc_png_kept *kept, uint64_t since)
{
	return kept->offset > since;
}

static xc_status use_block(xc_file_reader *reader, xc_png_kept *kept, uint64_t since,
                           const char *name, int (*open)(block *), int owner, xc_blob *blob)
{
	block b = {kept->data, kept->size, 0};
	xc_status status = XC_OK;

	if (!is_new(kept, since))
		return XC_OK;
	if (kept->data && open(&b)) {
		inflation i = {.data = NULL};
		if (b.compressed)
			status = unpack(reader, &b, &i);
		else if (b.size)
			status = xc_file_copy(reader, b.data, b.size, blob);
		if (i.size)
			*blob = (xc_blob){i.data, i.size};
		else
			discard(reader, &i);
		reader->out->owned[owner] = (void *)(uintptr_t)blob->data;
	}
	drop(kept, reader);
	if (!status && !blob->data)
		xc_file_warn(reader->message,
		             "PNG %s is damaged or too large: left out (at byte %" PRIu64 ")", name,
		             kept->offset);
	return status;
}

static void use_density(xc_file_reader *file, const xc_png_kept *kept, uint64_t since,
                        xc_metadata *metadata)
{
	const uint8_t *p = kept->data;

	if (!is_new(kept, since))
		return;
	if (kept->size != 9 || !p || p[8] > 1 || xc_load_be32(p) > INT32_MAX ||
	    xc_load_be32(p + 4) > INT32_MAX) {
		xc_file_warn(file->message, "PNG pixel density is damaged: left out (at byte %" PRIu64 ")",
		             kept->offset);
		return;
	}
	metadata->density_x = xc_load_be32(p);
	metadata->density_y = xc_load_be32(p + 4);
	metadata->density_unit = metadata->density_x || metadata->density_y ? p[8] : 0;
	if (!metadata->density_x || !metadata->density_y)
		xc_file_kinds_add(&file->left_out, "a density of 0");
}

xc_status xc_png_use_metadata(xc_png_metadata *m, xc_file_reader *file, uint64_t until)
{
	xc_metadata *metadata = &file->out->metadata;
	const uint64_t since = m->used;

	m->used = until;
	xc_status status = use_block(file, &m->icc, since, "colour profile", open_icc, XC_OWNED_ICC,
	                             &metadata->icc);
	if (!status)
		status = use_block(file, &m->exif, since, "EXIF", open_exif, XC_OWNED_EXIF,
		                   &metadata->exif);
	if (!status)
		status = use_block(file, &m->xmp, since, "XMP", open_xmp, XC_OWNED_XMP, &metadata->xmp);
	if (status)
		return status;
	use_density(file, &m->density, since, metadata);
	finish_colour(&m->beside, file);
	return XC_OK;
}
