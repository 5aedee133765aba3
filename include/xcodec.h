/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libxcodec: a transform codec for still pictures.
 *
 * Conventions that hold for the whole header
 *   - Widths and heights are in pixels, strides and sizes in bytes, unless a comment says otherwise.
 *   - A function that can fail returns an xc_status.  After a failure the objects given for output are
 *     left empty (zero), nothing needs freeing, and xc_context_message() says in one line what went
 *     wrong and where.
 *   - A context, encoder or decoder that is NULL, and a NULL in place of an argument that is not
 *     said to be optional, is XC_ERR_ARGUMENT; a function without a status then does nothing and
 *     returns 0, "" or NULL.
 *   - The library never prints, never exits and keeps no state outside a context.  One context serves
 *     one call at a time; different contexts may be used by different threads at once.
 *   - The bytes of a file and the pixels decoded from it depend on the picture and the encode options
 *     alone: not on the number of threads, the SIMD level, the device or the caller's floating-point
 *     environment, which is as it was after each call. Functions of the caller are called in the
 *     default one.
 *
 * Promises for all releases 1.x, of this header and of the other xcodec*.h
 *   - A file that one of them writes decodes to the same samples with all later ones. What an encoder
 *     writes for the same options may change from release to release.
 *   - A program that was compiled or linked with one of them works with all later ones. Functions,
 *     values of enumerations and members of structs are added, never removed or moved. What is new in
 *     a struct takes the place of `reserved`, whose numbers the caller sets to 0, as `= {0}` and the
 *     functions named _default do; a struct for input in which they are not is XC_ERR_ARGUMENT, as it
 *     would be if it came from a program that wants what this release does not know. So is a flag that
 *     is neither 0 nor 1. Structs without `reserved`, such as xc_picture, are complete and stay as they
 *     are.
 *   - What is not in these headers is not promised: names that no header has, texts of messages.
 */
#ifndef XCODEC_H
#define XCODEC_H

#include <stddef.h>
#include <stdint.h>

#if defined XC_BUILD_SHARED && defined __GNUC__
#define XC_API __attribute__((visibility("default")))
#else
#define XC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------- status */

/* Numbers never change meaning; new ones are added at the end. */
typedef enum xc_status {
	XC_OK = 0,
	XC_ERR_ARGUMENT = 1,    /* an argument is out of its documented range */
	XC_ERR_MEMORY = 2,      /* the allocator returned NULL */
	XC_ERR_LIMIT = 3,       /* a limit of the context forbids it */
	XC_ERR_FORMAT = 4,      /* not an XC file */
	XC_ERR_TRUNCATED = 5,   /* the file ends too early */
	XC_ERR_CORRUPT = 6,     /* the file contradicts itself or a checksum */
	XC_ERR_UNSUPPORTED = 7, /* valid, but this build cannot do it */
	XC_ERR_DEVICE = 8,      /* a GPU failed, or there is none */
	XC_ERR_IO = 9,          /* a function of the caller that reads or writes failed */
	XC_ERR_CANCELLED = 10   /* the progress function ended the call */
} xc_status;

/* A static string in lower case, such as "out of memory".  Never NULL. */
XC_API const char *xc_status_string(xc_status status);

/* The version of this header; #if can compare XC_VERSION. The suffix is "-dev" until it is
 * released, then "". */
#define XC_VERSION_MAJOR 1
#define XC_VERSION_MINOR 0
#define XC_VERSION_PATCH 0
#define XC_VERSION_SUFFIX ""
#define XC_VERSION (XC_VERSION_MAJOR * 1000000 + XC_VERSION_MINOR * 1000 + XC_VERSION_PATCH)

/* The library's version, "MAJOR.MINOR.PATCH" and the suffix. */
XC_API const char *xc_version_string(void);

/* ------------------------------------------------------------ context */

typedef struct xc_context xc_context;

/* The library's memory comes from these two; both get `user`. It must be aligned as malloc() aligns
 * it, for max_align_t. The thread that calls the library and the context's own threads call both,
 * several at a time, and may release what another thread allocated. The two must not call functions
 * on the context. */
typedef struct xc_allocator {
	void *(*allocate)(void *user, size_t size); /* NULL: out of memory */
	void (*release)(void *user, void *memory);  /* memory may be NULL */
	void *user;
	uint64_t reserved[4]; /* 0 */
} xc_allocator;

typedef struct xc_limits {
	uint64_t max_pixels;   /* width * height; default 2^34 */
	uint64_t max_memory;   /* bytes that the context may hold at a time, including results that
	                        * are not freed yet and what was charged; default: no limit */
	uint64_t max_metadata; /* bytes of one blob of metadata, read or written; default 64 MiB */
	/* Pixels for each byte of a file that is decoded; default 1024, 0: no limit. A file of any size
	 * may have XC_ANY_FILE_PIXELS, and one without loss XC_LOSSLESS_EXPANSION times as many as
	 * others: a tile of one colour takes a few bytes. */
	uint64_t max_expansion;
	uint64_t reserved[4]; /* 0 */
} xc_limits;
enum { XC_ANY_FILE_PIXELS = 1 << 26, XC_LOSSLESS_EXPANSION = 128 };

/* Called from time to time, by the thread that called the library, with the fraction of the call
 * that is done, or of the file where that goes through several calls: 0 to 1, never less than
 * before in one call. Every function on this context that may take long calls it: those that
 * encode, decode, transcode, describe or compare more than a header. Returns 0 to go on. After
 * another number the call ends soon with XC_ERR_CANCELLED, unless its work is done by then. It
 * must not call functions on its context. */
typedef int (*xc_progress)(void *user, double fraction);

/* NULL: out of memory, or a function of the allocator is NULL, or `reserved` is not 0. allocator
 * NULL: malloc and free. The caller frees the context with xc_context_free(), which accepts NULL. */
XC_API xc_context *xc_context_new(const xc_allocator *allocator);
XC_API void xc_context_free(xc_context *context);

/* threads: 1 to 1024, or 0 (the default) for as many as pay: one for each processor that the
 * process may use, fewer for small pictures. */
XC_API xc_status xc_context_set_threads(xc_context *context, int threads);
XC_API int xc_context_threads(const xc_context *context);

/* The SIMD level: "scalar", "sse2", "avx2", "avx512", "neon", or "auto" (the default, and NULL: the
 * best this processor has, or the level that the environment variable XC_CPU names, if it can be
 * used). XC_ERR_UNSUPPORTED when this processor or build lacks it. */
XC_API xc_status xc_context_set_cpu(xc_context *context, const char *level);
XC_API const char *xc_context_cpu(const xc_context *context);

/* Sets where xc_encode() and xc_decode() do their work:
 *   "cpu"      the default, and NULL
 *   "cuda"     the first NVIDIA GPU
 *   "cuda:N"   GPU number N, counted from 0
 *   "auto"     a GPU where one picture pays for starting CUDA; "auto:N": GPU N, started now, where it pays
 * XC_ERR_DEVICE: the GPU cannot be used, and the choice is as before. xc_context_device() returns
 * where the last call was done: "cpu" or "cuda:N". */
XC_API xc_status xc_context_set_device(xc_context *context, const char *device);
XC_API const char *xc_context_device(const xc_context *context);

/* Limits hold for the calls that follow. */
XC_API void xc_limits_default(xc_limits *limits);
XC_API xc_status xc_context_set_limits(xc_context *context, const xc_limits *limits);
/* Counts memory that the caller holds, such as the file, together with the context's own, so that
 * one limit holds for both, or is XC_ERR_LIMIT and counts nothing; refund takes as much off
 * again. */
XC_API xc_status xc_context_charge(xc_context *context, uint64_t bytes);
XC_API void xc_context_refund(xc_context *context, uint64_t bytes);
XC_API void xc_context_set_progress(xc_context *context, xc_progress progress, void *user);

/* One line about the failure of the last call, without a newline; "" after success; until the next
 * call. */
XC_API const char *xc_context_message(const xc_context *context);

/* One stage of the last xc_encode() or xc_decode(), and the wall and processor seconds it took. */
typedef struct xc_timing {
	const char *stage;
	double wall, cpu;
} xc_timing;
/* Returns the number of stages; *timings is valid until the next call on the context. */
XC_API size_t xc_context_timings(const xc_context *context, const xc_timing **timings);

/* ----------------------------------------------------------- pictures */

/* Interleaved samples. channels: 1 grey, 2 grey+alpha, 3 RGB, 4 RGBA. depth: 8 (uint8_t) or 16
 * (uint16_t in native byte order). stride: bytes from one row to the next, at least
 * width*channels*depth/8; for depth 16 a multiple of 2, as is the address. */
typedef struct xc_picture {
	uint32_t width, height;
	uint32_t channels;
	uint32_t depth;
	size_t stride;
	void *data;
} xc_picture;

/* Allocates data, with a stride without padding, for the width, height, channels and depth that are
 * already set; the contents are undefined. A failure leaves an empty picture. The caller frees it
 * with xc_picture_free(), which accepts NULL and an empty picture and leaves an empty one. */
XC_API xc_status xc_picture_allocate(xc_context *context, xc_picture *picture);
XC_API void xc_picture_free(xc_context *context, xc_picture *picture);

typedef struct xc_blob {
	const void *data; /* NULL: absent */
	size_t size;
} xc_blob;

/* What travels beside the pixels, byte for byte. What is zero is absent. An encoder refuses with
 * XC_ERR_ARGUMENT what is not as follows; a decoder gives what the file has, so look at it before use.
 *   icc, xmp, iptc    an ICC profile, an XMP packet of UTF-8 text, IPTC-IIM records
 *   exif              from the TIFF header ("II*\0" or "MM\0*") on, without the 6 bytes that come
 *                     before it in APP1 of a JPEG
 *   density           pixels per metre (unit 1) or an aspect ratio (unit 0), both above 0
 *   text              pairs of a key, which is not empty, and a value, each UTF-8 text that ends in
 *                     a zero byte
 *   cicp              colour primaries, transfer function, matrix (0, which is RGB) and full-range
 *                     flag (0 or 1) of the samples, in the numbers of ITU-T H.273
 *   gamma, primaries  as in PNG: 1/100000; x and y of white, red, green and blue
 *   significant_bits  how many bits of each channel the original had, at most the depth
 *   maxval            M: the samples of the original were 0 to M, and v became
 *                     (v * P + M / 2) / M of integers, where P is 255 or 65535; (s * M + P / 2) / P
 *                     turns that round. 1 to 254 with 8 bits, 256 to 65534 with 16; others: M is P
 *   range             of a file of 16 bits: up to where its samples go, as xc_encode_options has it,
 *                     or 0
 * Density, gamma and primaries are at most 2^31 - 1.
 *   palette           4 bytes, R, G, B and alpha, for each of up to 256 colours in their order: those
 *                     of an indexed original, of which every pixel has one (8 bits a sample)
 *   palette_bits      of an index of the original: 1, 2, 4 or 8
 * Where the colour is described more than once, cicp counts first, then icc, then gamma and
 * primaries. */
typedef struct xc_metadata {
	xc_blob icc, exif, xmp;
	uint32_t density_x, density_y;
	uint8_t density_unit;
	uint8_t cicp[4];
	uint8_t significant_bits[4];
	uint32_t gamma, primaries[8];
	xc_blob text, iptc;
	uint16_t maxval, range;
	xc_blob palette;
	uint8_t palette_bits;
	uint64_t reserved[8]; /* 0 */
} xc_metadata;

/* ----------------------------------------------------------- encoding */

typedef enum xc_subsampling {
	XC_SUBSAMPLING_420 = 0, /* chroma halved both ways */
	XC_SUBSAMPLING_422 = 1, /* chroma halved horizontally */
	XC_SUBSAMPLING_444 = 2,
	XC_SUBSAMPLING_GREY = 3, /* luma alone; RGB input loses its colour for good */
	XC_SUBSAMPLING_AUTO = 4  /* in options alone: 4:4:4 or 4:2:0; see xc_encode_options */
} xc_subsampling;

/* The lapped transforms avoid visible block edges, and take fewer bits but more time. */
typedef enum xc_transform {
	XC_TRANSFORM_DCT = 0,  /* of separate 8x8 blocks */
	XC_TRANSFORM_LOT = 1,  /* Malvar's lapped orthogonal transform */
	XC_TRANSFORM_TDLT = 2, /* a filter across block edges, then the DCT */
	XC_TRANSFORM_NONE = 3, /* of files alone: see XC_ENTROPY_NONE */
	XC_TRANSFORM_AUTO = 4  /* in options alone: the DCT for screens and drawings, else the TDLT */
} xc_transform;

typedef enum xc_huffman {
	XC_HUFFMAN_OPTIMIZED = 0, /* tables made for this picture */
	XC_HUFFMAN_DEFAULT = 1    /* built-in tables, one pass over the picture */
} xc_huffman;

/* Quantization steps at quality 50, row by row (vertical frequency is the row), each 1 to 65535, in
 * 255ths of the largest sample (257 levels of 16 bits) of the orthonormal 8x8 transform. */
typedef struct xc_quant_tables {
	uint16_t luma[64], chroma[64];
} xc_quant_tables;

/* Annex K of ITU-T T.81, tables K.1 and K.2. */
XC_API void xc_quant_tables_annex_k(xc_quant_tables *tables);
/* Every step 16: the best for PSNR. */
XC_API void xc_quant_tables_flat(xc_quant_tables *tables);
/* Steps that grow with frequency by a tenth of the first, 16 and 20. */
XC_API void xc_quant_tables_sloped(xc_quant_tables *tables);
/* Reads tables from text, without a zero byte: 64 or 128 decimal numbers divided by white space or
 * commas; '#' starts a comment. 64 serve luma and chroma. XC_ERR_CORRUPT: something else, whose
 * line is named. */
XC_API xc_status xc_quant_tables_parse(xc_context *context, const char *text, size_t size,
                                       xc_quant_tables *tables);

/* How coefficients become bits: by Huffman codes, or by rANS with contexts for smaller files. With
 * the finest steps, from quality 97 on, XC_ENTROPY_RANS takes Huffman codes made for the picture
 * where these are smaller. Where samples take less than what is coded, with noise and steps of at
 * most 4 levels of 8 bits, a file has XC_ENTROPY_NONE. Both are found out from the first piece, so
 * its pixels are kept until then. */
typedef enum xc_entropy {
	XC_ENTROPY_HUFFMAN = 0,
	XC_ENTROPY_RANS = 1,
	XC_ENTROPY_NONE =
		2, /* of files alone: samples of Y, Cb and Cr are stored, with XC_TRANSFORM_NONE */
	XC_ENTROPY_LOSSLESS = 3 /* of files alone: XC_MODE_LOSSLESS, with XC_TRANSFORM_NONE */
} xc_entropy;

/* What decisions of effort 2 and more are best for: the eye, as SSIMULACRA2 and
 * Butteraugli see it, or PSNR. The command's --tune chooses tables and colours with it. */
typedef enum xc_tune { XC_TUNE_EYE = 0, XC_TUNE_PSNR = 2 } xc_tune;

/* What the components of a colour picture are: YCbCr, or those that a matrix made for the picture
 * gives, whose errors add up least in RGB. The matrix needs 4:4:4. */
typedef enum xc_colour { XC_COLOUR_YCBCR = 0, XC_COLOUR_PICTURE = 1 } xc_colour;

/* With loss or without. AUTO: without for pictures with a palette, for labels (few values in large
 * areas), and for drawings (of the first 2^22 pixels more than 0.6 equal a neighbour) unless
 * strips of them are smaller by a quarter with loss; with loss for the rest. GPUs code with loss
 * alone: where one was named LOSSLESS is XC_ERR_UNSUPPORTED, and the CPU does what AUTO codes so. */
typedef enum xc_mode { XC_MODE_AUTO = 0, XC_MODE_LOSSY = 1, XC_MODE_LOSSLESS = 2 } xc_mode;

/* Effort 0 rounds coefficients to the nearest value. 1 rounds with a dead zone; 2 and 3 weigh the
 * error of each coefficient against its bits, 3 with every choice and several times over. */
enum { XC_MOST_EFFORT = 3 };

/* The quality and a sample of the first 2^22 pixels decide what AUTO becomes, the same on every
 * machine. From quality 88 on colour is 4:4:4. Planes of xcodec_pixels.h keep their own subsampling,
 * and XC_COLOUR_PICTURE takes 4:4:4. */
typedef struct xc_encode_options {
	int quality;                /* 1 to 100; default 75 */
	xc_subsampling subsampling; /* default AUTO; grey pictures become GREY */
	xc_transform transform;     /* default AUTO */
	xc_entropy entropy;         /* default rANS */
	xc_huffman huffman;         /* default optimized; of Huffman codes alone */
	xc_tune tune;               /* default the eye */
	xc_colour colour;           /* default YCbCr; of no effect on grey pictures */
	int effort;                 /* 0 to XC_MOST_EFFORT; default 2 */
	xc_quant_tables tables;     /* all 0 (default): those for the eye, by quality and subsampling */
	int quality_parts;          /* 0 (default) to 255: 256ths of the way to the next quality */
	int segment_blocks;         /* of luma, about: 32 to 1024; 0 (default): as suits the rest */
	/* The largest sample of a picture of 16 bits that uses less of them, such as 4095: 255 to
	 * 65535, or 0 (default) for 65535. The steps are fractions of it, and decoded samples are held
	 * to it, by the CPU. */
	uint32_t range;
	xc_mode mode; /* default AUTO */
	/* The most by which a decoded sample of LOSSLESS may be off, 0 (default): not at all, to 4095. Alpha
	 * is always exact. */
	uint32_t max_error;
	int clear_transparent; /* 1: without loss, colours become 0 where alpha is 0; default 0 */
	uint64_t reserved[8];  /* 0 */
} xc_encode_options;
XC_API void xc_encode_options_default(xc_encode_options *options);
/* As JPEG: DCT, Annex K, 4:2:0, a Huffman code of AC made for the picture, effort 0. Quality 75. */
XC_API void xc_encode_options_jpeg(xc_encode_options *options);

/* Memory of the library, which xc_buffer_free() frees with the context that made it. */
typedef struct xc_buffer {
	uint8_t *data;
	size_t size;
} xc_buffer;
XC_API void xc_buffer_free(xc_context *context, xc_buffer *buffer);

/* Encodes a picture of any size from 1x1 into a complete XC file in *out. metadata NULL: none.
 * options NULL: the defaults. Alpha is kept losslessly. */
XC_API xc_status xc_encode(xc_context *context, const xc_picture *picture,
                           const xc_metadata *metadata, const xc_encode_options *options,
                           xc_buffer *out);

/* Takes the next bytes of a file.  Returns 0, or another number when writing failed. */
typedef int (*xc_write)(void *user, const void *data, size_t size);

/*
 * Encodes a picture whose rows come one after another, from the upper one on, and writes the file
 * as it becomes complete. However the rows come, the file is that of xc_encode().
 *
 * Memory follows from the width, not from the height: it holds rows of tiles in flight (1.2 MB for
 * each thread, and at least one row of tiles, 32 rows of pixels with Huffman codes, 128 with rANS, up to 1024
 * without loss)
 * and the segments of one piece of the file, of at least 2^23 pixels. More than that takes
 *   - effort 3, effort 2 with Huffman codes made for the picture, XC_COLOUR_PICTURE, and fine steps (see xc_entropy):
 *     the pixels of one piece, which are learnt from;
 *   - the values AUTO, which are the defaults, and XC_MODE_LOSSLESS: the first 2^22 pixels;
 *   - Huffman codes made for the picture: the tokens of the whole picture, which are written at the
 *     end; 2 bytes for each coefficient that is not zero and for each block, 0.5 to 0.7 bytes a pixel
 *     at quality 75, and the coded alpha;
 *   - a device that wants the picture: all of its pixels, which the context keeps if they are 64 MiB or less.
 *
 * A call that fails with XC_ERR_ARGUMENT changes nothing and may be repeated with right arguments;
 * after any other failure every call but xc_encoder_free() gives that failure again. The context
 * must outlive the encoder. Meanwhile it may serve other calls, but its settings must stay.
 */
typedef struct xc_encoder xc_encoder;

/* shape: data and stride are not used. metadata and options as in xc_encode(); what metadata points
 * to must stay as long as the encoder. write is called by the thread that calls the encoder, at
 * xc_encoder_rows() and xc_encoder_end(). A failure of it becomes XC_ERR_IO. The caller frees
 * *encoder, which is NULL after a failure. */
XC_API xc_status xc_encoder_new(xc_context *context, const xc_picture *shape,
                                const xc_metadata *metadata, const xc_encode_options *options,
                                xc_write write, void *user, xc_encoder **encoder);
/* Replaces the metadata (NULL: none), at any time before xc_encoder_end() has succeeded. What is
 * known when the first bytes are written comes before the pixels. What is new after that comes
 * after them, and what the file has already stays. A picture of one piece is written by
 * xc_encoder_end() alone. */
XC_API xc_status xc_encoder_metadata(xc_encoder *encoder, const xc_metadata *metadata);
/* Takes the next `count` rows, `stride` bytes apart; as in xc_picture they are aligned and at least
 * as long as the picture is wide. They need not stay. */
XC_API xc_status xc_encoder_rows(xc_encoder *encoder, const void *rows, size_t stride,
                                 uint32_t count);
/* Gives the place of the next rows in the encoder's own memory: *count, which is an output alone,
 * becomes how many there is room for, 0 after the last row. Fewer may be given. Rows that the caller
 * puts there and then gives to xc_encoder_rows() are not copied. */
XC_API xc_status xc_encoder_room(xc_encoder *encoder, void **rows, size_t *stride, uint32_t *count);
/* Writes the rest of the file after the last row.  XC_ERR_ARGUMENT: rows are missing. */
XC_API xc_status xc_encoder_end(xc_encoder *encoder);
/* At any time, NULL too.  Before the end the file stays incomplete. */
XC_API void xc_encoder_free(xc_encoder *encoder);

/* ----------------------------------------------------------- decoding */

/* What a reader must know to decode a file (doc/format.md, section 9.2). Each includes those before. */
typedef enum xc_profile {
	XC_PROFILE_UNKNOWN = 0,  /* xc_read_header() cannot tell */
	XC_PROFILE_BASELINE = 1, /* 8 bits, grey or YCbCr, the DCT, Huffman codes without contexts */
	XC_PROFILE_MAIN = 2,     /* all pictures */
	XC_PROFILE_FULL = 3      /* arrays and kept JPEGs, too */
} xc_profile;

/* What a file says about itself, from its header chunks; nothing is decoded. */
typedef struct xc_info {
	uint32_t version; /* of the format */
	xc_profile profile;
	uint32_t width, height, channels, depth;
	xc_subsampling subsampling;
	xc_transform transform;
	xc_entropy entropy;
	xc_huffman huffman; /* of Huffman codes alone */
	xc_colour colour;   /* YCbCr for grey */
	int lossless;       /* 1: every sample is within max_error of the original, alpha exact */
	uint32_t max_error;
	int quality;                      /* as given to the encoder; information only */
	uint32_t components;              /* coded planes without alpha: 1 or 3 */
	uint32_t quant[3][64];            /* steps used, row by row, in sample units of `depth` */
	uint32_t huffman_tables;          /* tables in the file; 0 with the built-in ones and rANS */
	uint32_t tile_width, tile_height; /* pixels a segment covers; edge ones fewer */
	uint64_t segments;                /* tiles; each has a segment, with alpha two */
	uint64_t file_bytes;              /* of a whole file the sum of the next six */
	uint64_t header_bytes, table_bytes, index_bytes, segment_bytes, alpha_bytes, metadata_bytes;
	/* Points into the file's bytes; palette, and all of a JPEG, into the context, until its next
	 * call of that kind or of xc_context_set_limits(). */
	xc_metadata metadata;
	uint64_t extra_bytes; /* after the end of the file, which also count in file_bytes */
	uint64_t reserved[8]; /* 0 */
} xc_info;
/* Reads all but the picture's data, which may be damaged or cut off; segment_bytes is then what the
 * file should have. Bytes after the end are counted. A JPEG that is kept (xcodec_jpeg.h) is described
 * as the picture that xc_decode() makes of it: 8 bits, grey or 4:2:0, 4:2:2 or 4:4:4 with one table for
 * chroma. Any other one is XC_ERR_UNSUPPORTED, but segments and metadata are set. After XC_OK the
 * context's message names what such a JPEG holds and neither picture nor metadata do ("left out of
 * what the JPEG holds: APP11 (JUMBF)"), or is empty. */
XC_API xc_status xc_read_info(xc_context *context, const void *file, size_t size, xc_info *info);

/* Reads the first XC_HEADER_BYTES bytes of a file, fewer if it has no more (of one with a JPEG all): what does not
 * follow from them is zero, as are quant, colour, metadata and all bytes. */
enum { XC_HEADER_BYTES = 280 };
XC_API xc_status xc_read_header(xc_context *context, const void *start, size_t size, xc_info *info);

/* Where the bits of the segments went; decodes the entropy layer. DC, AC and padding add up to the
 * segments. The four classes are the bits of DC and AC again, by what they tell. Bits of rANS are
 * what symbols of their frequency take, rounded; padding then includes what lanes begin and end
 * with. */
typedef struct xc_bit_usage {
	uint64_t dc_bits[3], ac_bits[3], padding_bits;
	uint64_t zero_bits[3];      /* symbols of zeros: ends of blocks, runs of 16, flags of groups */
	uint64_t magnitude_bits[3]; /* the other symbols; a Huffman code also tells zeros before it */
	uint64_t sign_bits[3];      /* one for each value that is not zero */
	uint64_t raw_bits[3];       /* the bits of large values that have no code */
	uint64_t blocks[3], nonzero[3]; /* 8x8 blocks; nonzero AC coefficients */
	uint64_t reserved[8];           /* 0 */
} xc_bit_usage;
XC_API xc_status xc_read_bit_usage(xc_context *context, const void *file, size_t size,
                                   xc_bit_usage *usage);

/* The segment of a tile: bytes in the file, rectangle of pixels, and whether its checksum holds (1
 * or 0). Where all do but that of a DATA chunk, none is intact. */
typedef struct xc_segment_info {
	uint64_t offset, size;
	uint32_t x, y, width, height;
	int intact;
	/* The tile's segment of alpha follows at once.  Without one: 0 and 1. */
	uint64_t alpha_size;
	int alpha_intact;
	uint64_t reserved[2]; /* 0 */
} xc_segment_info;
/* Fills segments[0 ... count - 1] for segments first ... first + count - 1 of the info.segments
 * that the file has. After a failure their contents are undefined. */
XC_API xc_status xc_read_segments(xc_context *context, const void *file, size_t size,
                                  uint64_t first, uint64_t count, xc_segment_info *segments);

/* Pixels of the whole picture, in full size.  width 0: all. */
typedef struct xc_rectangle {
	uint32_t x, y, width, height;
} xc_rectangle;

typedef struct xc_decode_options {
	/* 0 (default): a damaged segment fails the call with XC_ERR_CORRUPT. 1: it is decoded as
	 * mid-grey, counted in damaged_segments, and the call succeeds; xc_context_message() then names
	 * the first one. The file may also be cut off: segments that it does not have as a whole count
	 * as damaged. Bytes after its end are ignored, and the message tells their number. What comes
	 * before the segments must be right. */
	int keep_going;
	/* 1: component samples are rounded to integers, half up, and held to the range of the depth
	 * before chroma is brought to full size and turned into RGB, as JPEG decoders do. 0 (default):
	 * they stay exact, which is closer to the original, as in reduced sizes always. */
	int jpeg_rounding;
	uint64_t damaged_segments; /* output of a call that succeeds */
	/* The pixels to decode; only the segments that they depend on are read. */
	xc_rectangle region;
	/* 1 (0 means the same), 2, 4 or 8: each pixel is the mean of that many across and down
	 * (doc/reduced.md). A width W becomes ceil(W / scale). A region becomes the reduced pixels that
	 * have a part in it: columns floor(x / scale) to ceil((x + width) / scale) - 1. */
	uint32_t scale;
	uint64_t reserved[4]; /* 0 */
} xc_decode_options;

/* Decodes a file. If picture->data is NULL the picture is allocated (freed by xc_picture_free());
 * otherwise its width, height and depth must be those of xc_read_info(), or of the region and
 * scale, and a failure leaves its pixels undefined. picture->channels need not be the file's (0,
 * without data: they are): grey becomes R, G and B, colour its Y; alpha is dropped or opaque.
 * options NULL: the defaults. The CPU alone makes other channels: XC_ERR_UNSUPPORTED if a GPU was
 * chosen by name. */
XC_API xc_status xc_decode(xc_context *context, const void *file, size_t size,
                           xc_decode_options *options, xc_picture *picture);

/* Where a decoder's bytes come from. A function returns how many bytes it put at `to`, fewer than
 * `size` only at the end of the file, or -1 when reading fails, which becomes XC_ERR_IO. */
typedef struct xc_source {
	const void *memory; /* the whole file, which must stay; NULL: the functions are called */
	uint64_t size;      /* of the file, for memory and read_at */
	ptrdiff_t (*read)(void *user, void *to, size_t size); /* in order */
	/* From anywhere, so that only segments that are needed are read.  NULL: read is called. */
	ptrdiff_t (*read_at)(void *user, uint64_t offset, void *to, size_t size);
	void *user;
	uint64_t reserved[4]; /* 0 */
} xc_source;

/* A decoder gives the rows of a picture from the upper one on. It holds a part that depends on the
 * width alone: some rows of tiles for each thread with their segments, the index of a piece of the
 * file (in memory: of all of it), and metadata. It belongs to its context, which must outlive it
 * and may serve other calls in between. After a failure it can only be freed. A GPU that was chosen by
 * name is XC_ERR_UNSUPPORTED. XC_ERR_TRUNCATED: the file ends; XC_ERR_IO: reading fails. */
typedef struct xc_decoder xc_decoder;

/* Reads a file up to the first segment.  options may be NULL; *decoder is NULL after a failure. */
XC_API xc_status xc_decoder_new(xc_context *context, const xc_source *source,
                                const xc_decode_options *options, xc_decoder **decoder);
XC_API void xc_decoder_free(xc_decoder *decoder); /* NULL is allowed */

/* As xc_read_info(), but metadata points into the decoder, and is not complete before
 * xc_decoder_finish() in a file that is read in order. */
XC_API void xc_decoder_info(const xc_decoder *decoder, xc_info *info);
/* The picture that the rows make up, without data and padding; segments that were damaged so
 * far. */
XC_API void xc_decoder_shape(const xc_decoder *decoder, xc_picture *shape);
XC_API uint64_t xc_decoder_damaged(const xc_decoder *decoder);

/* Writes the next `count` rows, at most as many as are left. */
XC_API xc_status xc_decoder_rows(xc_decoder *decoder, void *rows, size_t stride, uint32_t count);
/* Gives the next rows where they lie: *count, 0 after the last one; valid until the next call. */
XC_API xc_status xc_decoder_next(xc_decoder *decoder, const void **rows, size_t *stride,
                                 uint32_t *count);
/* Reads and checks what follows the segments. Rows that were not taken cannot be taken any more. */
XC_API xc_status xc_decoder_finish(xc_decoder *decoder);

/* Quantized coefficients of the file's transform, as a transcoder to JPEG wants those of the DCT.
 * With rANS or codes by context the two lowest AC lie between steps (doc/format.md, 6.2.5) and are
 * rounded. */
typedef struct xc_plane_coefficients {
	uint32_t blocks_wide, blocks_high; /* whole MCUs, so edge padding included */
	int32_t
		*data; /* [blocks_high][blocks_wide][64], each by rows, [0] the DC of samples less 128 */
} xc_plane_coefficients;
typedef struct xc_coefficients {
	uint32_t components;
	xc_plane_coefficients plane[3];
} xc_coefficients;
XC_API xc_status xc_decode_coefficients(xc_context *context, const void *file, size_t size,
                                        xc_coefficients *coefficients);
XC_API void xc_coefficients_free(xc_context *context, xc_coefficients *coefficients);

/* ------------------------------------------------------------ metrics */

/* Compares two pictures of the same size. Grey counts as equal R, G and B, a missing alpha as
 * opaque, and the shallower depth is scaled up to the deeper (by 257), whose peak is used. psnr:
 * dB, HUGE_VAL if equal. */
typedef struct xc_comparison {
	uint32_t width, height, depth;
	int has_alpha;          /* either picture has one */
	int identical;          /* every sample equal, alpha included */
	double mse;             /* over all R, G and B samples */
	double psnr_rgb;        /* from mse */
	double psnr_y;          /* of BT.601 luma, (313524 R + 615514 G + 119537 B + 2^19) >> 20 */
	double psnr_channel[4]; /* R, G, B, A */
	uint32_t max_abs_diff;  /* over R, G, B and A */
	double ssim_y;          /* mean SSIM of luma, Gaussian window 11, sigma 1.5 */
	double psnr_chroma[2];  /* of Cb and Cr that go with that luma, rounded likewise */
	uint32_t peak;          /* of PSNR and SSIM */
	uint64_t reserved[8];   /* 0 */
} xc_comparison;
XC_API xc_status xc_compare(xc_context *context, const xc_picture *a, const xc_picture *b,
                            xc_comparison *result);

/* The multi-scale SSIM of the luma of two pictures of the same size (Wang, Simoncelli and Bovik,
 * 2003), 1 for equal pictures, as xcodec_metrics(3) has it. Takes about 3 bytes of memory a
 * pixel, 5 if a side is 1. */
XC_API xc_status xc_ms_ssim(xc_context *context, const xc_picture *a, const xc_picture *b,
                            double *ms_ssim);

/* SSIMULACRA2 of picture b against the original a, both of sRGB samples: 100 for equal pictures, 90
 * where no difference is seen, 70 high, 50 medium, 30 low quality, without a lower end; NAN for
 * pictures of fewer than 8 pixels a side. Transparent pixels are shown on a dark and a bright grey,
 * and the lower score counts. Samples of `peak`, 1 to 65535, and above are white; 0: 255 or 65535.
 * The same on every machine. Takes up to 8 bytes of memory a pixel, and 200 KB for each 128 columns or
 * each 64 rows, whichever are fewer. */
XC_API xc_status xc_ssimulacra2(xc_context *context, const xc_picture *a, const xc_picture *b,
                                uint32_t peak, double *score);

/* Butteraugli of picture b against the original a, likewise and for the same `peak`: *norm3, the
 * mean of the 3-, 6- and 12-norms of the distances of all pixels, and *max, the largest. 0 for equal
 * pictures; 1: a difference that is just seen. Takes 4 bytes of memory a pixel, with alpha 8, and up
 * to 4 MB; uses one thread. Pictures narrower than 8 pixels are copied for this and for the SSIM. */
XC_API xc_status xc_butteraugli(xc_context *context, const xc_picture *a, const xc_picture *b,
                                uint32_t peak, double *norm3, double *max);

/* xc_compare() and xc_ms_ssim() at once, in little more than half of their time, because SSIM is a
 * part of MS-SSIM, for samples that go up to `peak`, 1 to 65535; 0: to 255 or 65535. */
XC_API xc_status xc_compare_all(xc_context *context, const xc_picture *a, const xc_picture *b,
                                uint32_t peak, xc_comparison *result, double *ms_ssim);

#ifdef __cplusplus
}
#endif
#endif
