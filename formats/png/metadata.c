/* SPDX-License-Identifier: BSD-2-Clause */
/* The chunks iCCP, eXIf, pHYs and iTXt (with the keyword of XMP).  Those of colour and of other text
 * are handed on. */
#include "formats/png/png.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static int is_type(const xc_png_chunks *chunks, const char *type)
{
	return memcmp(chunks->type, type, 4) == 0;
}

/* ------------------------------------------------------------------ keeping */

/* Where the chunk is to be kept, or NULL. */
static xc_png_kept *find_kept(xc_png_metadata *m, const xc_png_chunks *chunks)
{
	const struct {
		const char *type;
		xc_png_kept *kept;
	} known[] = {{"iCCP", &m->icc}, {"eXIf", &m->exif}, {"pHYs", &m->density}, {"iTXt", &m->xmp}};
	const uint8_t *data;
	/* The keyword with its zero byte. */
	if (is_type(chunks, "iTXt") &&
	    (chunks->size < sizeof XC_PNG_XMP_KEYWORD ||
	     xc_row_input_peek(chunks->input, sizeof XC_PNG_XMP_KEYWORD, &data) <
	         sizeof XC_PNG_XMP_KEYWORD ||
	     memcmp(data, XC_PNG_XMP_KEYWORD, sizeof XC_PNG_XMP_KEYWORD) != 0))
		return NULL;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_type(chunks, known[i].type))
			return known[i].kept->offset ? NULL : known[i].kept;
	return NULL;
}

static void drop(xc_png_kept *kept, xc_file_reader *file)
{
	if (kept->data)
		xc_file_unreserve(file, kept->size);
	free(kept->data);
	kept->data = NULL;
}

/* Copies the chunk's data to *kept, unless they are too many, and leaves it.  Afterwards kept->data is
 * NULL if they are, or if the chunk is damaged. */
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

/* A chunk of colour or text counts at once. */
static xc_status hand_on(xc_png_metadata *metadata, xc_png_chunks *chunks)
{
	xc_png_kept kept = {0};
	xc_status status = copy_chunk(&kept, chunks);
	if (!status)
		status = xc_png_take_beside(&metadata->beside, chunks->file, chunks->type, kept.data,
		                            kept.size, kept.offset);
	drop(&kept, chunks->file);
	return status;
}

xc_status xc_png_keep(xc_png_metadata *metadata, xc_png_chunks *chunks)
{
	xc_png_kept *kept = find_kept(metadata, chunks);
	if (kept)
		return copy_chunk(kept, chunks);
	if (xc_png_is_beside(chunks->type))
		return hand_on(metadata, chunks);
	int intact;
	return xc_png_leave(chunks, &intact);
}

void xc_png_metadata_free(xc_png_metadata *m)
{
	xc_png_kept *const all[] = {&m->icc, &m->exif, &m->xmp, &m->density};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]->data);
}

/* ------------------------------------------------------------------ using */

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

/* iCCP: a name, the compression method (0), the compressed profile. */
static int open_icc(block *b)
{
	b->compressed = 1;
	if (!skip_string(b) || b->size == 0 || b->data[0] != 0)
		return 0;
	skip_bytes(b, 1);
	return 1;
}

/* iTXt: keyword, compression flag and method, language, translated keyword, text. */
static int open_xmp(block *b)
{
	if (!skip_string(b) || b->size < 2 || b->data[0] > 1 || (b->data[0] == 1 && b->data[1] != 0))
		return 0;
	b->compressed = b->data[0];
	skip_bytes(b, 2);
	return skip_string(b) && skip_string(b);
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

/* Inflates to the end; *whole is 0 if the data are damaged, too large, or too many for the bytes that
 * they came from. */
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

/* Leaves the blob empty if the block is damaged. */
static xc_status unpack(xc_file_reader *reader, const block *b, int owner, xc_blob *blob)
{
	inflation i = {
		.stream = {.next_in = (z_const Bytef *)(uintptr_t)b->data, .avail_in = (uInt)b->size}};
	if (inflateInit(&i.stream) != Z_OK)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for metadata");
	int whole = 0;
	reader->deflated += b->size;
	xc_status status = inflate_all(reader, &i, &whole);
	inflateEnd(&i.stream);
	if (status || !whole || i.size == 0) {
		free(i.data);
		xc_file_unreserve(reader, i.capacity);
		return status;
	}
	reader->inflated += i.size;
	reader->out->owned[owner] = i.data;
	*blob = (xc_blob){i.data, i.size};
	return XC_OK;
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
		if (b.compressed)
			status = unpack(reader, &b, owner, blob);
		else if (b.size)
			status = xc_file_copy(reader, b.data, b.size, owner, "metadata", blob);
	}
	drop(kept, reader);
	if (!status && !blob->data)
		xc_file_warn(reader->message,
		             "PNG %s is damaged or too large: left out (at byte %" PRIu64 ")", name,
		             kept->offset);
	return status;
}

/* Returns the data of a chunk that must have `size` bytes.  Returns NULL if there is none,
 * or after a warning if it is damaged; what names it there. */
static const uint8_t *intact_data(const xc_file_reader *reader, const xc_png_kept *kept,
                                  uint64_t since, uint32_t size, const char *what)
{
	if (!is_new(kept, since))
		return NULL;
	if (kept->size == size && kept->data)
		return kept->data;
	xc_file_warn(reader->message, "PNG %s damaged: left out (at byte %" PRIu64 ")", what,
	             kept->offset);
	return NULL;
}

static void use_density(const xc_file_reader *reader, const xc_png_kept *kept, uint64_t since,
                        xc_metadata *metadata)
{
	const uint8_t *p = intact_data(reader, kept, since, 9, "pixel density is");
	if (!p)
		return;
	if (p[8] > 1) {
		xc_file_warn(reader->message,
		             "PNG pixel density is damaged: left out (at byte %" PRIu64 ")", kept->offset);
		return;
	}
	metadata->density_x = xc_load_be32(p);
	metadata->density_y = xc_load_be32(p + 4);
	metadata->density_unit = metadata->density_x || metadata->density_y ? p[8] : 0;
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
	xc_png_settle_colour(&m->beside, file);
	return XC_OK;
}
