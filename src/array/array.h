/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of src/array/ share: types of values, the header of an array's file, slabs. The
 * coder itself is array/.
 */
#ifndef XC_SRC_ARRAY_ARRAY_H
#define XC_SRC_ARRAY_ARRAY_H

#include <math.h>
#include <xcodec_array.h>

#include "array/slab.h"
#include "src/core/context.h"

enum {
	XC_ARRAY_HEAD_BYTES = 3 + 4 * 8 + 3 * 4 + 3 * 8,
	XC_SPECIALS = 32,         /* values that are kept aside, at most */
	XC_RANKS = 1 << 14,       /* distinct values that are coded by rank, at most */
	XC_SLAB_VALUES = 1 << 22, /* of a slab, about, unless a layer of chunks has more */
	/* What a segment of a chunk has, in its first byte. */
	XC_CHUNK_RESIDUES = 1,
	XC_CHUNK_KINDS = 2,
	XC_CHUNK_EXCEPTIONS = 4,
	XC_CHUNK_RAW = 8,        /* all values as they are, and nothing else */
	XC_CHUNK_LANES = 16,     /* times 0, 1 or 2: see xc_lanes_of() */
	XC_KIND_EXCEPTION = 255, /* of a value that stands in the chunk's list */
};

/* The chunk ARRY of a file. */
typedef struct xc_array_header {
	xc_array_shape shape;
	xc_array_bound kind;
	xc_array_way way;
	double bound, error;
	uint32_t chunk[3];
	/* From these: the array as one of three dimensions. Volumes of a list follow each other along the
	 * first one, which has `depth` values for each of them. */
	uint64_t size[3], depth;
	int along;       /* the dimension along which slabs follow each other */
	uint64_t layers; /* chunks along it that a slab has */
	uint64_t slabs;
} xc_array_header;

/* Sets the members from `size` on; chunk and shape are checked. */
void xc_array_header_derive(xc_array_header *h);
/* Checks the shape, sets chunk where it is 0. */
xc_status xc_array_header_make(xc_context *c, const xc_array_shape *shape,
                               const xc_array_options *options, xc_array_header *h);
/* The same, and the absolute bound; error: the one of PSNR and SNR. */
xc_status xc_array_header_begin(xc_context *c, const xc_array_shape *shape,
                                const xc_array_options *options, double error, xc_array_header *h);
void xc_array_header_write(const xc_array_header *h, uint8_t out[XC_ARRAY_HEAD_BYTES]);
/* XC_ERR_CORRUPT: it is damaged; XC_ERR_UNSUPPORTED: it has values of a later release. */
xc_status xc_array_header_read(xc_array_header *h, const uint8_t in[XC_ARRAY_HEAD_BYTES]);

/* A slab: its place and size in the array of three dimensions. */
typedef struct xc_slab_place {
	uint64_t first[3];
	uint32_t size[3], chunks[3]; /* along each dimension */
} xc_slab_place;
xc_slab_place xc_slab_of(const xc_array_header *h, uint64_t slab);
static inline uint64_t xc_slab_chunks(const xc_slab_place *p)
{
	return (uint64_t)p->chunks[0] * p->chunks[1] * p->chunks[2];
}
static inline uint64_t xc_slab_values(const xc_slab_place *p)
{
	return (uint64_t)p->size[0] * p->size[1] * p->size[2];
}
/* The box of a chunk in its slab, in the array's order. */
void xc_chunk_box(const xc_array_header *h, const xc_slab_place *p, uint64_t chunk,
                  uint32_t first[3], uint32_t size[3]);

/* What a slab needs to be decoded besides the model: stored before it. */
typedef struct xc_slab_model {
	xc_array_model model;
	int exponent; /* values are what is coded times 2 to the power of it */
	int map;      /* of float64 in mode WHOLE: what the integers stand for, or 0 */
	int specials;
	uint64_t special[XC_SPECIALS]; /* their bits: kind i + 1 stands for special i */
	uint32_t ranks;                /* if it is not 0, ranks of these values are coded */
	uint64_t rank[XC_RANKS];       /* their bits, in ascending order */
} xc_slab_model;

/* The model's members that header and type settle. */
void xc_slab_model_begin(const xc_array_header *h, xc_slab_model *m);
enum { XC_SLAB_MODEL_BYTES = XC_MODEL_BYTES + 8 + 8 * XC_SPECIALS + 10 * XC_RANKS };
uint8_t *xc_slab_model_write(const xc_array_header *h, const xc_slab_model *m, uint8_t *out);
/* 0: it is damaged. */
int xc_slab_model_read(const xc_array_header *h, xc_slab_model *m, const uint8_t *data,
                       size_t size);

/* The bytes of n elements: too many to be allocated where no size_t holds them. */
static inline size_t xc_bytes_of_values(uint64_t n, size_t each)
{
	return n > SIZE_MAX / each ? SIZE_MAX : (size_t)n * each;
}

static inline int xc_array_is_float(xc_array_type t)
{
	return t == XC_ARRAY_FLOAT32 || t == XC_ARRAY_FLOAT64;
}

/* 1: values are coded as double. */
static inline int xc_array_is_wide(xc_array_type t)
{
	return t == XC_ARRAY_FLOAT64 || t == XC_ARRAY_INT32 || t == XC_ARRAY_UINT32;
}

/* The smallest and largest of a type of integers. */
void xc_array_type_range(xc_array_type type, double *low, double *high);

/* Whether a number is an integer that mode WHOLE has for floats: up to 2^21, and not -0. */
static inline int xc_array_is_whole(double v)
{
	return v >= -2097152 && v <= 2097152 && v == (double)(int32_t)v && !(v == 0 && signbit(v));
}

/* Value i as a double, and the bits of value i. */
double xc_array_value(xc_array_type type, const void *values, size_t i);
uint64_t xc_array_bits(xc_array_type type, const void *values, size_t i);
void xc_array_set_bits(xc_array_type type, void *values, size_t i, uint64_t bits);

/* What values are like; finite ones alone count for low and high. */
typedef struct xc_array_look {
	double low, high; /* low above high: no value is finite */
	uint64_t unusual; /* values that are not finite */
	int whole;        /* all finite ones are integers of magnitudes up to 2^21 */
} xc_array_look;
void xc_array_look_at(xc_array_type type, const void *values, uint64_t count, xc_array_look *look);
/* The same without values of another kind than 0 (kinds NULL: there are none) and those that are
 * `fill`. */
void xc_array_look_at_some(xc_array_type type, const void *values, const uint8_t *kinds,
                           double fill, uint64_t count, xc_array_look *look);

/* The fill value as values of the type have it; NaN: there is none. */
double xc_array_fill(xc_array_type type, const xc_array_options *options);

/* Whether a value that stands for none is among samples and the values after them: one that an eighth
 * have, most of them beside another. */
enum { XC_ARRAY_SAMPLES = 1024 };
int xc_array_commonest(const uint64_t *sample, const uint64_t *next, uint64_t *bits);

/* Whether some values, by these samples fewer than half, are what keeps a slab of floats from a mode
 * that suits the others: too large for the bound, or no small integers where nothing is lost. They
 * become special values or exceptions. sample NULL: there are none, and what the look says decides. */
int xc_slab_sets_apart(const xc_array_header *h, const xc_array_look *look, const uint64_t *sample);

/* Chooses mode, step, exponent and level of anchors of a slab's model. */
void xc_slab_choose_mode(const xc_array_header *h, const xc_array_look *look, xc_slab_model *m);
/* Finds a map for doubles that nothing may be lost of and that would be coded by their keys: the model
 * then has it, and look is of integers. kinds: see xc_array_look_at_some(). */
void xc_slab_choose_map(const xc_array_header *h, const void *values, const uint8_t *kinds,
                        uint64_t count, xc_array_look *look, xc_slab_model *m);
/* How many numbers the step tells apart; 0: ranks would not help. */
double xc_slab_numbers(const xc_array_look *look, const xc_slab_model *m);
/* Ranks in place of values, if they are clearly fewer than these numbers; m has them. */
int xc_slab_choose_ranks(const xc_array_header *h, double numbers, xc_slab_model *m);

/* The positions of exceptions, counted first. */
uint8_t *xc_positions_write(const uint32_t *list, size_t count, uint8_t *to);

/* Values times 2^-exponent as float or double. */
void xc_array_load(xc_array_type type, int exponent, const void *values, size_t count, void *reals);
/* And back: integers are rounded and cut to their type. */
void xc_array_unload(xc_array_type type, int exponent, const void *reals, size_t count,
                     void *values);

/* Finds the distinct values of kind 0; returns their number, and their bits in ascending order in
 * `rank`; 0: there are many. The table then has their ranks. */
typedef struct xc_rank_table xc_rank_table;
size_t xc_rank_table_bytes(void);
uint32_t xc_ranks_find(xc_array_type type, const void *values, const uint8_t *kinds, uint64_t count,
                       xc_rank_table *table, uint64_t *rank);
/* The largest difference of a value and the next one. */
double xc_ranks_gap(xc_array_type type, const uint64_t *rank, uint32_t ranks);
/* Values to ranks, as float or double, and back. */
void xc_ranks_load(xc_array_type type, const void *values, size_t count, xc_rank_table *table,
                   void *reals);
void xc_ranks_unload(xc_array_type type, const uint64_t *rank, uint32_t ranks, const void *reals,
                     size_t count, void *values);
uint8_t *xc_ranks_write(xc_array_type type, const uint64_t *rank, uint32_t ranks, uint8_t *out);
/* Returns where they end; NULL: they are damaged. */
const uint8_t *xc_ranks_read(xc_array_type type, uint64_t *rank, uint32_t ranks, const uint8_t *p,
                             const uint8_t *end);

/* What integers k stand for, where each value of float64 is one of few bits. Others below 0: k times 2 to the
 * power of it. */
enum {
	XC_MAP_FLOATS = 1,   /* the float32 whose key (array/real.h) is k */
	XC_MAP_DECIMALS = 2, /* k; from the next one on k / 10, k / 100 and so on */
	XC_MAP_LAST = XC_MAP_DECIMALS + 22
};
/* The smallest and largest k. */
void xc_map_range(int map, double *low, double *high);
/* The nearest k, and the value of a number that is an integer, clamped to the range. */
double xc_map_number(int map, double value);
double xc_map_value(int map, double number);

/* Values of a slab to numbers as they are coded, and back. */
void xc_slab_load(xc_array_type type, const xc_slab_model *m, const void *values, size_t count,
                  void *reals);
void xc_slab_unload(xc_array_type type, const xc_slab_model *m, const void *reals, size_t count,
                    void *values);

/* Whether decoded value i keeps the bound. error: the absolute one. */
typedef struct xc_array_check {
	xc_array_type type;
	xc_array_bound kind;
	double bound, error;
} xc_array_check;
/* Lists the values that break the bound, at most `room`; returns how many there are. */
size_t xc_array_breaks(const xc_array_check *check, const void *values, const void *decoded,
                       size_t count, uint32_t *list, size_t room);

/* Sums over two arrays, of values times 2^-exponent. */
typedef struct xc_array_sums {
	double a, b, aa, bb, ab, squares, energy; /* squares: of differences; energy: of a */
	double finite, range;
	int exponent;
	int unmatched; /* 1: a number met none, or a fill value another value */
} xc_array_sums;
/* Sets all members of d but rmse and those that need a logarithm, which is not the same on all machines. The only
 * failure is XC_ERR_CANCELLED. */
xc_status xc_array_sum(xc_context *context, xc_array_type type, const void *a, const void *b,
                       double fill, uint64_t count, xc_array_difference *d, xc_array_sums *sums);

/* Moves a box of size n between an array whose dimensions are `stride` values apart (slowest first)
 * and one without gaps whose dimensions are those `axis` names, slowest first. */
void xc_array_gather(size_t bytes, const uint32_t n[3], const uint8_t axis[3], const void *from,
                     const size_t stride[3], void *to);
void xc_array_scatter(size_t bytes, const uint32_t n[3], const uint8_t axis[3], const void *from,
                      void *to, const size_t stride[3]);

/* Encodes a slab of values without gaps; *predicted grows if it was asked for a transform and has
 * numbers that cannot be transformed. Its segments, the model's first and xc_slab_chunks() more,
 * lie in *memory, an array of arenas for as many workers as the context has, until it is freed. */
struct xc_segment_bits;
struct xc_arena;
xc_status xc_slab_encode(xc_context *c, const xc_array_header *h, const xc_array_options *o,
                         const xc_slab_place *p, const void *values, struct xc_arena *memory,
                         int workers, struct xc_segment_bits *segments, uint64_t *predicted);

/* The lanes that a segment's first byte stands for: 32, 8 or 2; 0: it is damaged. */
static inline unsigned xc_lanes_of(unsigned flags)
{
	const unsigned code = flags / XC_CHUNK_LANES;
	return code > 2 ? 0 : 32U >> 2 * code;
}

/* What a chunk's segment has before its residues. */
typedef struct xc_chunk_head {
	int flags;
	unsigned lanes;
	const uint8_t *kinds; /* NULL: there are none */
	size_t kinds_bytes;
	uint64_t exceptions;
	const uint8_t *positions, *values; /* of exceptions */
	const uint8_t *residues;           /* NULL: all are 0; or raw values */
	size_t bytes;
} xc_chunk_head;
/* Takes the segment of a chunk of n values apart; 0: it is damaged. */
int xc_chunk_head_read(xc_array_type type, size_t n, const uint8_t *data, size_t size,
                       xc_chunk_head *head);
/* Reads exception i, of `bytes` bytes, from *p = positions on; at: that of the one before and 1, or
 * 0. Returns its position. */
uint32_t xc_chunk_exception(const xc_chunk_head *head, const uint8_t **p, uint32_t at, uint64_t i,
                            size_t bytes, uint64_t *bits);

/* Decodes a chunk's segment into values without gaps in the array's order. */
size_t xc_chunk_decode_scratch(const xc_array_header *h, const uint32_t size[3]);
int xc_array_chunk_decode(const xc_context *c, const xc_array_header *h, const xc_slab_model *m,
                          const xc_array_decode_tables *tables, const uint8_t *data, size_t size,
                          const uint32_t chunk[3], void *scratch, void *values);

/* Numbers of seven bits a byte, the lowest first; every byte but the last has 128 added. */
static inline uint8_t *xc_number_put(uint8_t *to, uint64_t v)
{
	for (; v > 127; v >>= 7)
		*to++ = (uint8_t)(128 | (v & 127));
	*to++ = (uint8_t)v;
	return to;
}

/* Reads one whose last byte begins below bit `bits`; returns 0 if there is none before the end. */
static inline int xc_number_get(const uint8_t **p, const uint8_t *end, unsigned bits, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < bits && *p < end; shift += 7) {
		const uint8_t b = *(*p)++;
		*v |= (uint64_t)(b & 127) << shift;
		if (!(b & 128))
			return 1;
	}
	return 0;
}

/* Kinds of a chunk as lossless tiles, and back. */
size_t xc_kinds_bound(const uint32_t size[3]);
size_t xc_kinds_scratch(const uint32_t size[3], int encode);
size_t xc_kinds_encode(xc_cpu cpu, const uint32_t size[3], const uint8_t *kinds, void *scratch,
                       uint8_t *out);
int xc_kinds_decode(xc_cpu cpu, const uint32_t size[3], const uint8_t *data, size_t bytes,
                    void *scratch, uint8_t *kinds);

#endif
