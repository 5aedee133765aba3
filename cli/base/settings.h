/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that several subcommands share, and what they mean to the library. */
#ifndef XC_CLI_BASE_SETTINGS_H
#define XC_CLI_BASE_SETTINGS_H

#include "cli/base/options.h"

#include <xcodec.h>

typedef struct xc_cli_limits {
	int threads;
	xc_limits bounds;
	uint64_t usual_memory; /* max_memory if no option says otherwise */
	const char *device;    /* as xc_context_set_device() wants it */
} xc_cli_limits;

enum { XC_CLI_QUIET = -1, XC_CLI_NORMAL = 0, XC_CLI_VERBOSE = 1 };

typedef struct xc_cli_encoder {
	xc_encode_options options; /* all but the quality: once xc_cli_encoder_prepare() was called */
	const char *tables;        /* as --tables names them; NULL: those of the preset */
	int preset;                /* where what no option says comes from */
	int range;                 /* see XC_CLI_RANGE_NONE; the options do not have it */
	double max_error;          /* as --max-error says; NaN: it does not */
} xc_cli_encoder;

/* Set the defaults, before options are parsed. */
void xc_cli_limits_default(xc_cli_limits *limits);
void xc_cli_encoder_default(xc_cli_encoder *encoder);

extern const xc_cli_option xc_cli_limit_options[];   /* base: xc_cli_limits */
extern const xc_cli_option xc_cli_device_options[];  /* likewise */
extern const xc_cli_option xc_cli_encoder_options[]; /* base: xc_cli_encoder */
extern const xc_cli_option xc_cli_mode_options[];    /* likewise; those of lossless coding */
extern const xc_cli_option xc_cli_quiet_options[];   /* base: int, the verbosity */
extern const xc_cli_option xc_cli_verbose_options[]; /* likewise */
extern const xc_cli_option xc_cli_json_options[];    /* base: int */

extern const xc_cli_choice xc_cli_transforms[]; /* "dct", in the order of xc_transform */

/* A context with these limits and threads, or NULL after reporting why not. */
xc_context *xc_cli_context(const xc_cli_limits *limits);
/* The threads of such a context, or -1 after reporting why there is none. */
int xc_cli_threads(const xc_cli_limits *limits);
/* The limits of one of `parts` contexts that work at a time. */
xc_cli_limits xc_cli_limits_share(const xc_cli_limits *limits, int parts);

/* Unless an option says how much memory, small files get less than the usual. Called for each work,
 * before it, with the bytes of its files. What a pipe will have is not known: 0. contexts: how many
 * share in the work. */
void xc_cli_limit_memory(xc_context *context, const xc_cli_limits *limits, uint64_t bytes,
                         int contexts);
/* The same for an entry of a shard of `packed` bytes, of which not many pixels
 * may be made either. */
void xc_cli_limit_entry(xc_context *context, const xc_cli_limits *limits, uint64_t bytes,
                        uint64_t packed);
/* The bytes of files that do not depend on what a pipe will have; UINT64_MAX: on that. */
uint64_t xc_cli_sizes(const char *const *paths, int count);

/* Whether lossless coding was asked for beside what excludes it: -1 to go on, or the exit status
 * after reporting that. target: the option that says how good or large the file shall be; or NULL. */
int xc_cli_encoder_check(const xc_cli_command *self, xc_cli_encoder *encoder, const char *target);
/* The first option that was given and is about pictures with loss; NULL: there is none. */
const char *xc_cli_encoder_lossy_option(xc_cli_encoder *encoder);
/* Whether --max-error is one of a picture: 0, or -1 after reporting that. */
int xc_cli_encoder_check_bound(const xc_cli_encoder *encoder, const char *name);
/* The options of pictures that are coded without loss whatever the others are. */
void xc_cli_encoder_lossless(const xc_cli_encoder *encoder, xc_encode_options *options);

/* Makes the options complete, with tables that it may read from a file: 0, or -1 after reporting
 * why not. */
int xc_cli_encoder_prepare(xc_cli_encoder *encoder, xc_context *context);

/* Writes all that it makes of a picture depends on, once it is prepared; returns the length. */
size_t xc_cli_encoder_describe(const xc_cli_encoder *encoder, char *text, size_t room);

/* The file that holds the tables; NULL for built-in ones. */
const char *xc_cli_encoder_file(const xc_cli_encoder *encoder);

/* The names that reports give to numbers of a kind, such as "4:2:0", "DCT", "rANS", "RGB"
 * and "Cb"; "unknown" for any other number. */
typedef enum xc_cli_named {
	XC_CLI_SUBSAMPLING, /* xc_subsampling */
	XC_CLI_TRANSFORM,   /* xc_transform */
	XC_CLI_ENTROPY,     /* xc_entropy */
	XC_CLI_HUFFMAN,     /* xc_huffman */
	XC_CLI_COLOUR,      /* xc_colour */
	XC_CLI_CHANNELS,    /* how many there are */
	XC_CLI_COMPONENT    /* which one it is */
} xc_cli_named;
const char *xc_cli_name(xc_cli_named kind, uint32_t number);

/* The range that samples of 16 bits use: --range of what encodes, --peak of what compares. */

/* What an option says: nothing, "auto", or else the largest sample, as the
 * picture's file counts. */
enum { XC_CLI_RANGE_NONE = 0, XC_CLI_RANGE_AUTO = -1 };

/* Parses "auto" or a number into an int, for XC_CLI_CUSTOM. */
const char *xc_cli_range_parse(const char *text, void *to);

/* The largest sample of grey or colour; that in the numbers of the file that it came from, if these
 * have 16 bits; and a picture of 16 bits brought back to these. */
uint32_t xc_cli_largest(const xc_picture *picture);
uint32_t xc_cli_range_in_file(uint32_t sample, const xc_metadata *metadata);
void xc_cli_range_restore(const xc_picture *picture, const xc_metadata *metadata);

/* The peak for xc_compare_all(): what --peak says ("auto": the largest sample), else what an XC
 * file says, else 0. The same for xc_encode_options.range, where "auto" is the largest number of as
 * many bits as that sample has. */
uint32_t xc_cli_peak_of(int given, const xc_picture *picture, const xc_metadata *metadata);
uint32_t xc_cli_range_of(int given, const xc_picture *picture, const xc_metadata *metadata);

/* Says that samples of 16 bits up to `largest` use little of 0 ... peak (0: 65535), if they
 * do, and what helps. */
void xc_cli_range_hint(const char *name, uint32_t peak, uint32_t largest, const char *help);

#endif
