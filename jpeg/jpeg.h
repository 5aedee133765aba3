/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG files to quantized coefficients and back to the same bytes. It knows nothing of XC files:
 * callers own all memory.
 *
 * A JPEG is its skeleton (all bytes but those of coded coefficients), its coefficients, and notes:
 * what its encoder chose otherwise than ours does. Scans are read and written side by side, a band
 * of MCU rows of all of them at a time, so that even a progressive picture is never in memory whole.
 *
 * Baseline, extended and progressive Huffman coding of 8 bits are kept, with 1 to 4 components.
 */
#ifndef XC_JPEG_JPEG_H
#define XC_JPEG_JPEG_H

#include <stddef.h>
#include <stdint.h>

enum {
	XC_JPEG_COMPONENTS = 4,
	XC_JPEG_SCANS = 256,  /* at most */
	XC_JPEG_TABLES = 250, /* Huffman tables that are defined, at most */
	XC_JPEG_NO_TABLE = 255,
	XC_JPEG_MCU_BLOCKS = 10,            /* of an interleaved scan */
	XC_JPEG_COEFFICIENT = (1 << 14) - 1 /* magnitude; 8 bits need an eighth of it */
};

typedef enum xc_jpeg_verdict {
	XC_JPEG_GOOD,
	XC_JPEG_FOREIGN,    /* no JPEG, or none with a scan */
	XC_JPEG_ARITHMETIC, /* arithmetic coding */
	XC_JPEG_DEPTH,      /* 12 bits */
	XC_JPEG_PROCESS,    /* lossless or hierarchical */
	XC_JPEG_ODD,        /* scans or codes that could not be written again */
	XC_JPEG_LONG_RUN, /* a run of ended blocks with more bits that correct than XC_JPEG_CORRECTIONS - 64 */
	XC_JPEG_BUDGET /* more scans, tables, blocks or notes than a file of its size may have */
} xc_jpeg_verdict;

typedef struct xc_jpeg_component {
	uint8_t id, h, v, quant; /* quant: which table */
	uint32_t wide, high;     /* in blocks, in a scan of its own */
	uint32_t columns, rows;  /* in blocks, of whole MCUs */
} xc_jpeg_component;

/* What the reader finds in a scan, and the writer needs. */
typedef struct xc_jpeg_found {
	uint8_t pad;    /* 1: ones fill the last byte; 0: zeros */
	uint8_t lone;   /* 1: the run that a block of its own codes ends by has no other block */
	uint32_t units; /* that can be read; all, or the rest is in the tail */
	size_t coded;   /* bytes that units take */
	size_t tail;    /* bytes after them */
} xc_jpeg_found;

typedef struct xc_jpeg_scan {
	uint8_t components, component[XC_JPEG_COMPONENTS];
	uint8_t dc[XC_JPEG_COMPONENTS], ac[XC_JPEG_COMPONENTS]; /* tables, or XC_JPEG_NO_TABLE */
	uint8_t from, to, high, low;                            /* Ss, Se, Ah, Al */
	uint32_t restart;                                       /* interval in units, 0: none */
	uint32_t total; /* units: MCUs, or blocks of the component */
	size_t begin;   /* after its header */
	size_t size;    /* of its data, up to the next marker */
	xc_jpeg_found found;
} xc_jpeg_scan;

typedef struct xc_jpeg {
	const uint8_t *data; /* the file, or its skeleton */
	size_t size;         /* of this picture: up to and with EOI, or to the end of what there is */
	int ended;           /* by EOI */
	uint32_t width, height;
	int progressive;
	int components;
	uint8_t most_h, most_v;
	uint32_t mcu_columns, mcu_rows;
	xc_jpeg_component component[XC_JPEG_COMPONENTS];
	uint16_t steps[XC_JPEG_COMPONENTS][64]; /* in zigzag order; 1 where there is no table */
	int scans, tables;
	xc_jpeg_scan scan[XC_JPEG_SCANS];
	const uint8_t *table[XC_JPEG_TABLES]; /* 16 counts, then symbols */
} xc_jpeg;

/* Finds the parts of a picture that begins at `data` with SOI. */
xc_jpeg_verdict xc_jpeg_open(xc_jpeg *jpeg, const uint8_t *data, size_t size);

/* What an encoder did otherwise than ours does; in the order of the scan. */
typedef struct xc_jpeg_note {
	uint16_t scan;
	uint8_t kind; /* xc_jpeg_note_kind */
	uint8_t value;
	uint32_t index; /* of a block of the scan, or of the unit after the padding */
} xc_jpeg_note;

typedef enum xc_jpeg_note_kind {
	XC_JPEG_ZEROS, /* `value` codes of 16 zeros before the end of the block */
	XC_JPEG_SPLIT, /* a run of ended blocks stops before this one */
	XC_JPEG_JOIN, /* such a run goes on after this block, although by its bits or as `lone` it would end */
	XC_JPEG_PAD /* the last byte of an interval has these bits at its end */
} xc_jpeg_note_kind;

typedef struct xc_jpeg_notes {
	xc_jpeg_note *note; /* of the caller */
	size_t count, room;
} xc_jpeg_notes;

/* Blocks of a band of MCU rows: 64 coefficients each in zigzag order, component by component, whole
 * MCUs, row by row. */
typedef struct xc_jpeg_band {
	uint32_t first, rows; /* MCU rows */
	int16_t *blocks[XC_JPEG_COMPONENTS];
	/* For the coder alone (jpeg/code.h): MCU columns of the band that it takes; columns 0: all. */
	uint32_t column, columns;
} xc_jpeg_band;

static inline size_t xc_jpeg_band_blocks(const xc_jpeg *j, int component, uint32_t mcu_rows)
{
	const xc_jpeg_component *c = &j->component[component];
	return (size_t)c->columns * c->v * mcu_rows;
}

/* Reads scans of a file: memory of xc_jpeg_reader_size() bytes, aligned to 64, and room for notes
 * come from the caller. Bands are to be read from the first to the last one; the reader sets all
 * their coefficients. Anything but XC_JPEG_GOOD is the end. */
typedef struct xc_jpeg_reader xc_jpeg_reader;
size_t xc_jpeg_reader_size(const xc_jpeg *jpeg);
xc_jpeg_verdict xc_jpeg_reader_begin(xc_jpeg_reader *reader, xc_jpeg *jpeg, xc_jpeg_notes *notes);
xc_jpeg_verdict xc_jpeg_read(xc_jpeg_reader *reader, const xc_jpeg_band *band);
/* After the last band: sets `found` in the scans of jpeg. */
xc_jpeg_verdict xc_jpeg_reader_end(xc_jpeg_reader *reader);

/* The blocks that the scans of a picture, whose `found` is set, are to give, and in *missing those that they do not,
 * because the data end or make no sense before, or because a component has no scan. A progressive picture has a block
 * in several scans. */
uint64_t xc_jpeg_scan_blocks(const xc_jpeg *jpeg, uint64_t *missing);
/* Likewise: 1 if more follows the last code of a complete scan than padding, as where codes are damaged. */
int xc_jpeg_has_rest(const xc_jpeg *jpeg);

/* The description of an opened and read file for xc_jpeg_described(): scans, notes, skeleton. Returns its
 * size; out NULL: no more than that. */
size_t xc_jpeg_describe(const xc_jpeg *jpeg, const xc_jpeg_notes *notes, uint8_t *out);
/* Sets *jpeg, which refers to `data` from then on. notes: their room is to be at least
 * xc_jpeg_described_notes(). XC_JPEG_ODD: it is damaged. */
size_t xc_jpeg_described_notes(const uint8_t *data, size_t size);
xc_jpeg_verdict xc_jpeg_described(xc_jpeg *jpeg, const uint8_t *data, size_t size,
                                  xc_jpeg_notes *notes);
/* Numbers with 7 bits a byte, as descriptions have them: both return what follows; NULL: there is none of up to
 * 49 bits. */
static inline uint8_t *xc_jpeg_put_number(uint8_t *p, uint64_t v)
{
	for (; v > 127; v >>= 7)
		*p++ = (uint8_t)(128 | (v & 127));
	*p++ = (uint8_t)v;
	return p;
}

static inline const uint8_t *xc_jpeg_take_number(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	*v = 0;
	for (uint32_t shift = 0; p < end && shift < 49; shift += 7) {
		*v |= (uint64_t)(*p & 127) << shift;
		if (*p++ < 128)
			return p;
	}
	return NULL;
}

/* Descriptions are packed by a dictionary of what most JPEGs have, with these quantization steps of luma and chroma in
 * zigzag order: the bytes that take at most xc_jpeg_pack_bound(), by means of a table of 2^XC_JPEG_PACK_BITS. Unpacking
 * gives `room` bytes, and returns what follows those that it took; NULL: they are damaged. */
enum { XC_JPEG_DICTIONARY = 867, XC_JPEG_PACK_BITS = 12 };
typedef uint8_t xc_jpeg_dictionary[XC_JPEG_DICTIONARY];
void xc_jpeg_dictionary_make(uint8_t steps[2][64], xc_jpeg_dictionary dictionary);
size_t xc_jpeg_pack_bound(size_t size);
size_t xc_jpeg_pack(const xc_jpeg_dictionary dictionary, const uint8_t *data, size_t size,
                    uint32_t *table, uint8_t *out);
const uint8_t *xc_jpeg_unpack(const xc_jpeg_dictionary dictionary, const uint8_t *data, size_t size,
                              uint8_t *out, size_t room);
/* Bytes of the picture that is described. */
size_t xc_jpeg_file_size(const xc_jpeg *jpeg);

/* Writes a described file to `out`, which has room for xc_jpeg_file_size(), band by band. Each scan
 * has its place there from the beginning. Returns 0 if coefficients do not fit the description. */
typedef struct xc_jpeg_writer xc_jpeg_writer;
size_t xc_jpeg_writer_size(const xc_jpeg *jpeg);
int xc_jpeg_writer_begin(xc_jpeg_writer *writer, const xc_jpeg *jpeg, const xc_jpeg_notes *notes,
                         uint8_t *out);
int xc_jpeg_write(xc_jpeg_writer *writer, const xc_jpeg_band *band);
int xc_jpeg_writer_end(xc_jpeg_writer *writer);
/* The end of one whose `coded` are only bounds: sets the bytes of each scan. 0: as above. */
int xc_jpeg_writer_sizes(xc_jpeg_writer *writer, size_t *sizes);

/* The same without notes and output, for codes that are made for a picture: counts the symbols of each
 * table, 256, and the other bits of each scan. */
size_t xc_jpeg_counter_size(const xc_jpeg *jpeg);
int xc_jpeg_counter_begin(xc_jpeg_writer *counter, const xc_jpeg *jpeg, const xc_jpeg_notes *notes,
                          uint8_t *out);
int xc_jpeg_count_symbols(xc_jpeg_writer *counter, const xc_jpeg_band *band);
int xc_jpeg_counter_bits(xc_jpeg_writer *counter, size_t *bits);
const uint32_t *xc_jpeg_counted(const xc_jpeg_writer *counter, int table);

/* For the parts of this folder: finds the markers of a file, or, with what was found in its scans, of a
 * skeleton. */
xc_jpeg_verdict xc_jpeg_walk(xc_jpeg *jpeg, const uint8_t *data, size_t size,
                             const xc_jpeg_found *found, int scans);

#endif
