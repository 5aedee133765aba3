/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slabs of arrays: chunks that share a plan, a step and frequencies. src/array/ calls it; it knows
 * nothing of files, types and bounds: values come as numbers of xc_real or integers in them, and
 * leave so.
 */
#ifndef XC_ARRAY_SLAB_H
#define XC_ARRAY_SLAB_H

#include "array/code.h"
#include "array/plan.h"

/* How residues make values. */
typedef enum xc_array_mode {
	XC_MODE_REAL = 0,  /* prediction + residue * step */
	XC_MODE_WHOLE = 1, /* integers: prediction, rounded, + residue * step */
	XC_MODE_KEYS = 2 /* the number's key (array/real.h): that of the prediction + residue * step */
} xc_array_mode;

/* Values are predicted, or transformed in blocks of 8 and corrected. */
typedef enum xc_way { XC_WAY_PREDICTION, XC_WAY_DCT, XC_WAY_LOT, XC_WAY_TDLT } xc_way;

typedef struct xc_array_model {
	int wide;   /* 1: values are double */
	xc_way way; /* XC_WAY_PREDICTION with KEYS */
	xc_array_mode mode;
	double step;             /* REAL: the step, a number of the type; else an odd integer */
	int smooth;              /* 1: levels without slope and bend; not with KEYS or a transform */
	double coefficient_step; /* with a transform: a number of the type */
	int flat;                /* 1: their DC is predicted to be 0 */
	double low, high;        /* WHOLE: predictions are clamped to these */
	unsigned anchor_level;
	uint8_t axis[3]; /* which dimension of the array a, b and c are, from 0 for the slowest */
	xc_array_plan plan;
	uint8_t own[XC_ARRAY_SHAPES]; /* 1: a shape of its own, 0: the built-in one of the level */
	xc_shape_index shapes[XC_ARRAY_SHAPES];
} xc_array_model;

/* The step of a pass: integers and keys have odd ones. */
double xc_pass_step(const xc_array_model *m, unsigned fine);

/* A chunk: its dimensions as in the plan, and values without gaps in that order. */
typedef struct xc_chunk_values {
	uint32_t size[3];
	void *values;        /* float or double */
	const uint8_t *kind; /* 0: a value; others are not coded; NULL: all are values */
} xc_chunk_values;

static inline size_t xc_chunk_count(const uint32_t size[3])
{
	return (size_t)size[0] * size[1] * size[2];
}

/* Sizes of memory are multiples of 64, so that what follows is aligned. */
static inline size_t xc_aligned64(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

/* Memory that coding a chunk takes besides, whatever the order of its dimensions, and memory of its
 * residues; both aligned to 64. */
size_t xc_chunk_scratch(int wide, const uint32_t size[3]);
size_t xc_residues_room(int wide, const uint32_t size[3]);
/* Sets the members of r into that memory. */
void xc_residues_place(xc_residues *r, int wide, const uint32_t size[3], void *memory);
/* Residues of a chunk are as many as those of values of the size `as`. */
void xc_residues_size(const xc_array_model *model, const uint32_t size[3], uint32_t as[3]);

/* Finds the residues of a chunk, and replaces its values by what the decoder will find. A value that
 * is no finite number must have another kind than 0. */
void xc_chunk_residues(const xc_array_model *model, const xc_chunk_values *chunk, xc_residues *r,
                       void *scratch);
/* Decodes `size` bytes, coded in 1 to XC_ARRAY_LANES lanes, into chunk->values. data NULL: all
 * residues are 0. Returns 0 if the bytes are damaged. */
int xc_chunk_decode(const xc_array_model *model, const xc_array_decode_tables *tables,
                    const uint8_t *data, size_t size, unsigned lanes, const xc_chunk_values *chunk,
                    void *scratch);

/* A slab as the fit sees it, in the array's order of dimensions. */
typedef struct xc_fit_source {
	int wide;
	uint32_t size[3], chunk[3]; /* of the slab; of a whole chunk in it */
	const void *values;         /* without gaps, float or double */
	const uint8_t *kind;        /* as in xc_chunk_values */
} xc_fit_source;

/* Chooses axes and plan of the model, whose mode and step are set. effort: 0 cubic predictions in
 * the order of dimensions; 1 fitted ones; 2 fitted ones in the best of several orders, 3 with more
 * taps. scratch: xc_fit_scratch() bytes, aligned to 64. */
size_t xc_fit_scratch(int wide);
/* Returns about how many bits a box in the middle takes, with efforts 2 and 3; else 0. */
uint64_t xc_model_fit(xc_array_model *model, const xc_fit_source *source, int effort,
                      void *scratch);

/* About how many bits symbols take that were counted, raw bits among them. share: the part of the slab
 * that they are of, which bears as much of the frequencies' cost. */
uint64_t xc_counts_bits(int wide, uint32_t (*counts)[XC_SYMBOLS], double share);
/* Chooses shapes by counts of symbols. */
void xc_model_shapes(xc_array_model *model, uint32_t (*counts)[XC_SYMBOLS]);
/* The level of anchors whose residues have this mean magnitude. */
unsigned xc_anchor_level(double mean);

/* The model as bits, and back. Returns the end; NULL: it is damaged. */
enum { XC_MODEL_BYTES = 32768 };
uint8_t *xc_model_write(const xc_array_model *model, uint8_t *out);
const uint8_t *xc_model_read(xc_array_model *model, const uint8_t *data, const uint8_t *end);

/* Tables of coding: memory for slots comes from the caller, XC_ARRAY_SLOTS_BYTES of it. */
enum { XC_ARRAY_SLOTS_BYTES = XC_ARRAY_SHAPES * XC_FREQUENCY_ONE * 2 };
void xc_encode_tables_make(const xc_array_model *model, xc_array_encode_tables *tables,
                           uint16_t *slots, uint32_t (*counts)[XC_SYMBOLS]);
void xc_decode_tables_make(const xc_array_model *model, xc_array_decode_tables *tables);

extern const xc_shape_index xc_array_shapes[XC_LEVELS];

/* Those of chunks by the type of values: array/chunk.h. */
size_t xc_chunk_scratch_float(const uint32_t size[3]);
size_t xc_chunk_scratch_double(const uint32_t size[3]);
void xc_chunk_residues_float(const xc_array_model *model, const xc_chunk_values *chunk,
                             xc_residues *r, void *scratch);
void xc_chunk_residues_double(const xc_array_model *model, const xc_chunk_values *chunk,
                              xc_residues *r, void *scratch);
int xc_chunk_decode_float(const xc_array_model *model, const xc_array_decode_tables *tables,
                          const uint8_t *data, size_t size, unsigned lanes,
                          const xc_chunk_values *chunk, void *scratch);
int xc_chunk_decode_double(const xc_array_model *model, const xc_array_decode_tables *tables,
                           const uint8_t *data, size_t size, unsigned lanes,
                           const xc_chunk_values *chunk, void *scratch);

#endif
