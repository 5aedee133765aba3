/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All that passes between the library and the CUDA module, xcodec-cuda.so: a table of functions and
 * their arguments, in plain C without CUDA's own types (a stream is a void *).
 *
 * The library decides what is to be done: it hands over pictures with plans to encode by, or pictures
 * whose files it has taken apart.  The module decides how: it lays out scratch, which the library only
 * allocates, and launches kernels.
 *
 * Library and module always come from one build: the makefile makes XC_GPU_ABI, a checksum of this
 * header and of those that it includes.
 */
#ifndef XC_GPU_MODULE_H
#define XC_GPU_MODULE_H

#include <xcodec_batch.h>
#include <xcodec_cuda.h>

#include "entropy/ac_prediction.h"
#include "entropy/decode_table.h"
#include "entropy/rans/tables.h"
#include "entropy/tokens.h"
#include "geometry/geometry.h"
#include "geometry/index.h"
#include "gpu/array/array.h"
#include "jpeg/model.h"
#include "quant/activity.h"

/* What went wrong: one line without a newline.  Every function that can fail returns a
 * status, and fills this in if that is not XC_OK. */
typedef struct xc_gpu_error {
	xc_status status;
	char text[240];
} xc_gpu_error;

/* One GPU: its stream and its pools of memory.  It serves one call at a time. */
typedef struct xc_gpu xc_gpu;

typedef enum xc_gpu_memory { XC_GPU_DEVICE_MEMORY = 0, XC_GPU_PINNED_MEMORY = 1 } xc_gpu_memory;

/*
 * Encoder and decoder have the same five functions, and the encoder one more:
 *
 *	open      makes one; what it is given is copied
 *	close     accepts NULL; all its work must be done
 *	scratch   says how many bytes of device memory run() needs; SIZE_MAX: too many
 *	run       enqueues the work and waits for nothing.  scratch is aligned to 256 bytes.  marks
 *	          is NULL, or one event more than there are stages: they are recorded before
 *	          the first stage and after each.
 *	stages    fills in the names of the stages in the order they run; returns how many
 */
enum { XC_GPU_MAX_STAGES = 12 };

/* ------------------------------------------------------------ encoding */

/* What codes pictures of every kind. */
typedef struct xc_gpu_encode_tables {
	const xc_coder_tables *coder; /* built-in Huffman codes, [luma, chroma] */
	const xc_rans_tables *rans;
	const xc_rans_decision *decision; /* costs of values */
} xc_gpu_encode_tables;

/* rANS: how values are chosen from coefficients in sixteenths of a step. */
typedef struct xc_gpu_rdo_plan {
	int dead_zone;        /* zero gets a wider interval when values are rounded */
	int decides;          /* by rate and distortion; 0: rounding */
	xc_activity activity; /* weights the bits of each block, if it decides */
	int predicts_ac;      /* AC prediction is subtracted */
	xc_ac_prediction ac_prediction[2];
} xc_gpu_rdo_plan;

/* What pictures of one kind share: one set of launches encodes them, whatever their sizes. */
typedef struct xc_gpu_encode_kind {
	uint32_t channels, depth;
	xc_transform transform;
	uint32_t components, h, v; /* luma blocks across and down an MCU */
	float tables[2][64];       /* quantization of luma and chroma; see quant/tables.h */
	int rans;                  /* 0: Huffman codes, */
	int optimized;             /* which are made for each picture */
	xc_gpu_rdo_plan rdo;
	int mixes; /* 1: the components are not Y, Cb and Cr: */
	float colours[9];
} xc_gpu_encode_kind;

/* What pictures of one size and with the same metadata share beside their kind. */
typedef struct xc_gpu_encode_shape {
	xc_geometry geometry;
	size_t prefix_at, prefix_size; /* the file before HUFF or INDX, among all prefixes */
	size_t quant_at, quant_end;    /* chunk QNTZ in the prefix; the kernels set its points */
} xc_gpu_encode_shape;

typedef struct xc_gpu_encode_picture_plan {
	uint32_t kind, shape; /* indices in the batch */
	const void *pixels;   /* in device memory, of `stride` bytes a row */
	size_t stride;
	void *file; /* in device memory; not written if it needs more than `room` bytes */
	size_t room;
	uint64_t *size; /* of the file, in device or pinned memory */
} xc_gpu_encode_picture_plan;

enum { XC_GPU_MAX_PICTURES = 65535 }; /* to encode in a batch: the height of a grid */

/* Pictures of any sizes and kinds. */
typedef struct xc_gpu_encode_batch {
	const xc_gpu_encode_kind *kinds;
	const xc_gpu_encode_shape *shapes;
	const xc_gpu_encode_picture_plan *pictures; /* 1 to XC_GPU_MAX_PICTURES */
	uint32_t kind_count, count;
	const uint8_t *prefixes; /* of all shapes */
	size_t prefix_bytes;
	const void *kept; /* the same in device memory, by keep(); NULL: run() copies them */
} xc_gpu_encode_batch;

typedef struct xc_gpu_encoder xc_gpu_encoder;

typedef struct xc_gpu_encode_ops {
	xc_status (*open)(xc_gpu *gpu, const xc_gpu_encode_tables *tables, xc_gpu_encoder **encoder,
	                  xc_gpu_error *e);
	void (*close)(xc_gpu_encoder *encoder);
	/* Copies prefixes to device memory, which is to be released, and waits for that. */
	xc_status (*keep)(xc_gpu_encoder *encoder, const uint8_t *prefixes, size_t size, void **kept,
	                  xc_gpu_error *e);
	/* Ignores addresses and strides. */
	size_t (*scratch)(xc_gpu_encoder *encoder, const xc_gpu_encode_batch *batch);
	/* The batch is copied. */
	xc_status (*run)(xc_gpu_encoder *encoder, const xc_gpu_encode_batch *batch, void *scratch,
	                 void *stream, void **marks, xc_gpu_error *e);
	int (*stages)(const xc_gpu_encoder *encoder, const xc_gpu_encode_kind *kind,
	              const char *names[XC_GPU_MAX_STAGES]);
} xc_gpu_encode_ops;

/* ------------------------------------------------------------ decoding */

/* The outcome of decoding a segment. */
typedef struct xc_gpu_segment_result {
	uint32_t crc;
	uint32_t intact;
} xc_gpu_segment_result;

/* How segments are coded: with Huffman codes, of which a class has one for AC, and points of reconstruction at whole
 * steps; with rANS; or as those of a kept JPEG. */
typedef enum xc_gpu_coding {
	XC_GPU_HUFFMAN,
	XC_GPU_RANS,
	XC_GPU_JPEG,
	XC_GPU_CODINGS
} xc_gpu_coding;

/* The Huffman codes of a class of components, DC and AC. */
typedef struct xc_gpu_class_codes {
	xc_canonical_code code[2];
	uint32_t depth16; /* 1: 16 bits a sample, which allow larger values */
} xc_gpu_class_codes;

/* A kept JPEG (doc/format.md, section 12): how its coefficients are cut into segments, band by band. */
typedef struct xc_gpu_jpeg {
	xc_jpeg_across across[3];
	uint32_t components;
	uint32_t h[3], v[3];              /* blocks of an MCU */
	uint32_t columns[3], rows[3];     /* blocks of the picture, of whole MCUs */
	uint32_t mcu_columns, mcu_rows;   /* of the picture */
	uint32_t tile_columns, band_rows; /* MCUs of a segment; the last ones may have fewer */
	uint32_t tiles, bands;            /* segments across and down */
	uint32_t piece, pieces;           /* segments with the same frequencies; sets of these */
	const xc_shape_index *shapes;     /* [XC_JPEG_SHAPES] of the first piece; of the next one: */
	size_t piece_bytes;               /* after it */
} xc_gpu_jpeg;

/* What kept JPEGs are decoded by, in zigzag order: the nine weights of a coefficient's expectation, of luma and of
 * chroma; where its neighbours are, two in the other blocks and six in its own; and the inner coefficients
 * (jpeg/model.h). */
typedef struct xc_gpu_jpeg_model {
	uint8_t weight[2][64][16], near_[64][8];
	uint8_t inner[64];
} __attribute__((aligned(16))) xc_gpu_jpeg_model;

/* A picture whose file has been taken apart. */
typedef struct xc_gpu_coded_picture {
	uint32_t channels,
		depth; /* of the pixels; 1 or 2 channels also of colour that is not mixed, whose Y they are */
	uint32_t scale; /* 1, 2, 4 or 8: the pixels are those of a reduced size (doc/reduced.md) */
	xc_transform transform;
	int jpeg_rounding; /* see xc_decode_options */
	xc_geometry geometry;
	/* [luma, chroma] */
	float tables[2][64]; /* dequantization of sixteenths of a step; see quant/tables.h */
	xc_value_points points[2];
	xc_ac_prediction ac_prediction[2]; /* 0: the file has none */
	int mixed;                         /* 1: the components are not Y, Cb and Cr; */
	float colours[9];                  /* from the components to Y, Cb and Cr */
	xc_gpu_coding coding;
	uint32_t codes;                /* index of its set of codes or frequencies in the batch */
	const xc_gpu_jpeg *jpeg;       /* XC_GPU_JPEG, which has a list */
	const xc_piece *pieces;        /* of the file, with the index; or: */
	const xc_listed_segment *list; /* the segments themselves, of some tiles of a file; NULL: all */
	uint32_t segments, layers; /* colour segments; segments of a tile in the index, colour first */
	uint64_t data_bytes;       /* bytes present, from the first segment to the end of the last */
	const uint8_t *data;       /* the first segment, in host memory; the module copies it */
	int resident;              /* 1: data is in device memory, with 4 readable bytes after it */
	const uint8_t
		*alpha; /* samples row by row in pinned memory, of the size of the pixels; NULL: none */
	uint8_t *pixels; /* in device memory, of `stride` bytes a row */
	size_t stride;
	const xc_gpu_segment_result *results; /* set by run(), valid until its next call */
} xc_gpu_coded_picture;

/* Pictures of any sizes and kinds, decoded by one set of launches. */
typedef struct xc_gpu_decode_batch {
	xc_gpu_coded_picture *pictures;
	uint32_t count;
	const xc_gpu_class_codes (*codes)[2]; /* [set][luma, chroma] */
	uint32_t code_sets;
	const xc_rans_frequencies *frequencies; /* sets of them */
	uint32_t frequency_sets;
	const xc_rans_weights *weights; /* rANS: [luma, chroma] */
	const xc_gpu_jpeg_model *model; /* of kept JPEGs */
} xc_gpu_decode_batch;

typedef struct xc_gpu_decoder xc_gpu_decoder;

/* Pixels that become an array of xcodec_batch.h. */
typedef struct xc_gpu_array {
	const uint8_t *pixels; /* the first one, in device memory */
	size_t stride;
	void *array;              /* in device memory */
	uint32_t width, height;   /* of the array */
	uint32_t depth, channels; /* of the pixels */
	uint32_t array_channels;  /* 1 or 2 only of grey pixels */
} xc_gpu_array;

/* What the arrays of a call share; see xc_batch_options. */
typedef struct xc_gpu_array_plan {
	uint32_t type, planar;
	float mean[4], deviation[4]; /* no deviation is 0 */
} xc_gpu_array_plan;

typedef struct xc_gpu_decode_ops {
	xc_status (*open)(xc_gpu *gpu, xc_gpu_decoder **decoder, xc_gpu_error *e);
	void (*close)(xc_gpu_decoder *decoder);
	/* Ignores alpha, pixels and data. SIZE_MAX: the batch is too large. */
	size_t (*scratch)(xc_gpu_decoder *decoder, const xc_gpu_decode_batch *batch);
	/* The decoder's last run must have completed. The batch is copied, data and alpha are not. */
	xc_status (*run)(xc_gpu_decoder *decoder, const xc_gpu_decode_batch *batch, void *scratch,
	                 void *stream, void **marks, xc_gpu_error *e);
	int (*stages)(const xc_gpu_decoder *decoder, const char *names[XC_GPU_MAX_STAGES]);
	/* Enqueues the making of 1 to 65535 arrays, which are listed in device memory; max_pixels: of
	 * the largest. */
	xc_status (*arrange)(xc_gpu *gpu, const xc_gpu_array_plan *plan, const xc_gpu_array *arrays,
	                     uint32_t count, uint64_t max_pixels, void *stream, xc_gpu_error *e);
} xc_gpu_decode_ops;

/* ------------------------------------------------------------ arrays of numbers */

/* All enqueue their work and wait for nothing; what they are given is in device memory, up to 65535
 * slabs or chunks a call. */
typedef struct xc_gpu_array_ops {
	/* Looks at slabs of an array. looks: low is UINT32_MAX, the rest 0. */
	xc_status (*look)(xc_gpu *gpu, xc_gpu_array_type type, const void *values,
	                  const xc_gpu_array_part *parts, uint32_t count, xc_gpu_array_look *looks,
	                  void *stream, xc_gpu_error *e);
	/* Which values slabs have. seen: 65536 numbers a slab; of values of 8 or 16 bits they say where
	 * each first occurs, UINT32_MAX: nowhere. many: 1 where floats are too many for ranks. */
	xc_status (*see)(xc_gpu *gpu, xc_gpu_array_type type, const void *values,
	                 const xc_gpu_array_part *parts, uint32_t count, uint32_t *seen, uint32_t *many,
	                 void *stream, xc_gpu_error *e);
	/* Finds residues, counts and outcomes without bytes. */
	xc_status (*predict)(xc_gpu *gpu, const xc_gpu_array_work *work, void *stream, xc_gpu_error *e);
	/* Lists values that break the bound, in order; chunks say where, and how many there are. */
	xc_status (*list)(xc_gpu *gpu, const xc_gpu_array_work *work, uint32_t *places, uint32_t *bits,
	                  void *stream, xc_gpu_error *e);
	/* Codes residues by the tables. */
	xc_status (*code)(xc_gpu *gpu, const xc_gpu_array_work *work, void *stream, xc_gpu_error *e);
	/* Makes raw bytes where chunks say so (raw: some do), and moves bytes of all chunks into a file. */
	xc_status (*pack)(xc_gpu *gpu, const xc_gpu_array_work *work, int raw,
	                  const xc_gpu_array_move *moves, uint32_t max_bytes, void *file, void *stream,
	                  xc_gpu_error *e);
	/* Decodes chunks into the array; outcomes say which were damaged. */
	xc_status (*decode)(xc_gpu *gpu, const xc_gpu_array_work *work, uint32_t max_exceptions,
	                    void *stream, xc_gpu_error *e);
} xc_gpu_array_ops;

/* ------------------------------------------------------------ the table */

typedef struct xc_gpu_module {
	uint32_t abi;

	/* Fills list[0 ... room - 1]; *count: the number of GPUs. */
	xc_status (*devices)(xc_cuda_device *list, int room, int *count, xc_gpu_error *e);
	xc_status (*open)(int device, xc_gpu **gpu, xc_gpu_error *e);
	void (*close)(xc_gpu *gpu); /* accepts NULL; everything made with it must be gone */

	/* Memory from the GPU's pools, aligned to 256 bytes; kernels can write pinned memory too.
	 * release() accepts NULL and gives back to the pool; all work that uses the memory must
	 * be done. */
	xc_status (*allocate)(xc_gpu *gpu, xc_gpu_memory kind, size_t size, void **memory,
	                      xc_gpu_error *e);
	void (*release)(xc_gpu *gpu, void *memory);
	/* Bytes that the pools of both kinds hold, in use or not. */
	void (*held)(const xc_gpu *gpu, uint64_t *device, uint64_t *pinned);
	/* Waits for all work on the GPU and gives back what the pools hold and nobody uses. */
	xc_status (*trim)(xc_gpu *gpu, xc_gpu_error *e);
	/* 1: pinned, so that the GPU can copy from and to it by itself. */
	int (*pinned)(xc_gpu *gpu, const void *memory);
	/* Pins other host memory until unpin(). */
	xc_status (*pin)(xc_gpu *gpu, void *memory, size_t size, xc_gpu_error *e);
	void (*unpin)(xc_gpu *gpu, void *memory);

	/* NULL as a stream is the GPU's own.  copy() is asynchronous where both ends are
	 * device or pinned memory. */
	xc_status (*stream_new)(xc_gpu *gpu, void **stream, xc_gpu_error *e);
	void (*stream_free)(xc_gpu *gpu, void *stream);
	xc_status (*copy)(xc_gpu *gpu, void *to, const void *from, size_t size, void *stream,
	                  xc_gpu_error *e);
	xc_status (*copy_rows)(xc_gpu *gpu, void *to, size_t to_stride, const void *from,
	                       size_t from_stride, size_t width, size_t rows, void *stream,
	                       xc_gpu_error *e);
	xc_status (*synchronize)(xc_gpu *gpu, void *stream, xc_gpu_error *e);
	/* What comes next on `stream` waits for what a caller's stream has been given so far; NULL as
	 * that one is CUDA's default stream. */
	xc_status (*follow)(xc_gpu *gpu, void *stream, void *callers, xc_gpu_error *e);
	/* Waits for all work on the GPU, of any stream. */
	xc_status (*synchronize_all)(xc_gpu *gpu, xc_gpu_error *e);

	/* Events, for timing and for waiting. */
	xc_status (*event_new)(xc_gpu *gpu, void **event, xc_gpu_error *e);
	void (*event_free)(xc_gpu *gpu, void *event);
	xc_status (*event_record)(xc_gpu *gpu, void *event, void *stream, xc_gpu_error *e);
	xc_status (*event_wait)(xc_gpu *gpu, void *event, xc_gpu_error *e); /* the host waits */
	xc_status (*event_elapsed)(xc_gpu *gpu, void *from, void *to, float *milliseconds,
	                           xc_gpu_error *e);

	const xc_gpu_encode_ops *encode;
	const xc_gpu_decode_ops *decode;
	const xc_gpu_array_ops *arrays;
} xc_gpu_module;

#endif
