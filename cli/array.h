/* SPDX-License-Identifier: BSD-2-Clause */
/* What the subcommands do with arrays: cli/array_*.c, which cli/encode.c and so on call. */
#ifndef XC_CLI_ARRAY_H
#define XC_CLI_ARRAY_H

#include "cli/base/array.h"
#include "cli/base/options.h"
#include "cli/base/stages.h"
#include "cli/stream/batch.h"

/* The options of `xcodec encode` that arrays alone have. */
typedef struct xc_cli_array_encoder {
	xc_array_options options;
	const char *bound;    /* the name of the option that sets it; NULL: none does */
	const char *excluded; /* one that was given as well */
	const char *other;    /* one that sets something else; NULL */
	const char *raw;      /* what --raw says; NULL */
	const char *format;   /* what --format says, "sgy"; NULL */
} xc_cli_array_encoder;

extern const xc_cli_option xc_cli_array_encode_options[]; /* base: xc_cli_array_encoder */
extern const xc_cli_option xc_cli_array_raw_options[];    /* base: const char *, as --raw says */

/* Any number, NaN too, and one from 0 on, for XC_CLI_CUSTOM, into a double. */
const char *xc_cli_array_parse_number(const char *text, void *to);
const char *xc_cli_array_parse_bound(const char *text, void *to);
/* Encodes the file: 0, or -1 after reporting why not; strip: without what is attached. */
int xc_cli_array_encode(const xc_cli_array_encoder *encoder, int strip, const xc_cli_batch *batch,
                        xc_cli_task *task);
/* Writes all that a result depends on; taken: arrays are. */
void xc_cli_array_encoder_describe(const xc_cli_array_encoder *encoder, int taken, char *text,
                                   size_t room);

/* What `xcodec decode` is told. */
typedef struct xc_cli_array_decoder {
	const char *name;   /* OUT, or a suffix; NULL: it is none of an array */
	int as_it_was;      /* instead, the format of the file that the array comes from, or `name` */
	const char *region; /* "0:10,5,:", or NULL: the whole array */
	int scale, keep_going;
	double instead; /* of damaged values; NaN: that, or 0 of integers */
} xc_cli_array_decoder;

/* Whether a text could be a region of some array. */
int xc_cli_array_is_region(const char *text);
/* The suffix of what a file that begins so was made from, ".sgy" or xc_cli_as_it_was, as far as that can be its
 * result, whole or a part; NULL: the usual one. */
const char *xc_cli_own_suffix(const void *start, size_t size);
const char *xc_cli_own_suffix_of_part(const void *start, size_t size);
int xc_cli_array_decode(const xc_cli_array_decoder *decoder, const xc_cli_batch *batch,
                        xc_cli_task *task);

/* What `xcodec info` is told. */
typedef struct xc_cli_array_teller {
	int json, segments, bits;
	const char *before; /* what is printed first, if the file can be read */
} xc_cli_array_teller;
/* Prints what an XC file says about its array: 0, or -1 after reporting why not, perhaps after it. */
int xc_cli_array_info(xc_context *context, xc_cli_input *in, const xc_cli_array_teller *teller);

typedef struct xc_cli_array_pair {
	xc_array_shape shape; /* of the first */
	xc_array_difference difference;
} xc_cli_array_pair;
/* Compares two files, XC or others: 0, or -1 after reporting why not. fill: NaN: that of A, if it has
 * one. */
int xc_cli_array_compare(xc_context *context, xc_cli_input in[2], const char *raw, double fill,
                         xc_cli_array_pair *pair);
void xc_cli_array_pair_print(const xc_cli_array_pair *pair);
void xc_cli_array_pair_put(xc_cli_json *json, const xc_cli_array_pair *pair);
/* A heading, and a line of a table. */
void xc_cli_array_pair_heading(void);
void xc_cli_array_pair_line(const xc_cli_array_pair *pair, const char *name);

#endif
