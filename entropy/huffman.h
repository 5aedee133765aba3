/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonical Huffman codes: lengths from counts, codes from lengths, and the form in which lengths
 * are stored.
 *
 * Symbols. DC: the size of the difference, the number of bits of its magnitude. AC: run * 16 +
 * size, as in ITU-T T.81: run zeros, then a coefficient of that size; 0x00 ends the block and 0xF0
 * stands for 16 zeros. Size 15 means "15 plus the next four bits" so that 16-bit pictures need no
 * other alphabet.
 */
#ifndef XC_ENTROPY_HUFFMAN_H
#define XC_ENTROPY_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>

enum {
	XC_DC_SYMBOLS = 32,
	XC_AC_SYMBOLS = 256,
	XC_MAX_SYMBOLS = 256,
	XC_MAX_CODE_LENGTH = 16,  /* of any code a decoder meets */
	XC_MAX_STORED_LENGTH = 15 /* of codes stored in a file: four bits each */
};

/* A code: length[s] bits, 0 for a symbol that does not occur. Always complete (Kraft sum exactly
 * one) and of at least two symbols. */
typedef struct xc_huffman_code {
	uint32_t symbols; /* XC_DC_SYMBOLS or XC_AC_SYMBOLS */
	uint8_t length[XC_MAX_SYMBOLS];
	uint16_t code[XC_MAX_SYMBOLS]; /* the first bit is the highest of `length` bits */
} xc_huffman_code;

/* The best code of at most max_length bits for these counts (package-merge, Larmore and Hirschberg
 * 1990). Symbols with count 0 get no code unless fewer than two others occur. */
void xc_huffman_build(xc_huffman_code *code, const uint64_t *counts, uint32_t symbols,
                      int max_length);

/* Fills code[]: shorter codes first, then by symbol. 0: the lengths are no complete code. */
int xc_huffman_assign(xc_huffman_code *code);

/* Stored form: a nibble a symbol; 0 is followed by the number of further symbols, up to 15, that
 * have no code either. write returns the number of bytes, at most XC_STORED_CODE_BYTES; read
 * returns the bytes taken, 0 if they are not a code. */
enum { XC_STORED_CODE_BYTES = XC_MAX_SYMBOLS };
size_t xc_huffman_write(const xc_huffman_code *code, uint8_t *out);
size_t xc_huffman_read(xc_huffman_code *code, uint32_t symbols, const uint8_t *in, size_t size);

/* The built-in codes of each class: DC (0) or AC (1), luma (0) or chroma (1). */
void xc_huffman_default(xc_huffman_code *code, int ac, int chroma);

#endif
