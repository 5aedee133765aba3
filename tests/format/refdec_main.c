/* SPDX-License-Identifier: BSD-2-Clause */
/* refdec IN.xc OUT.pam: decodes with the reference decoder. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/format/refdec.h"

static uint8_t *read_file(const char *name, size_t *size)
{
	FILE *f = fopen(name, "rb");
	uint8_t *data = NULL;
	*size = 0;
	for (size_t room = 1 << 16; f && !ferror(f) && !feof(f); room *= 2) {
		uint8_t *more = realloc(data, room);
		if (!more)
			break;
		data = more;
		*size += fread(data + *size, 1, room - *size, f);
	}
	if (!f || !feof(f)) {
		free(data);
		data = NULL;
	}
	if (f)
		fclose(f);
	return data;
}

static int write_pam(const char *name, const refdec_picture *p)
{
	static const char *const types[4] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
	const size_t n = (size_t)p->width * p->height * p->channels;
	FILE *f = fopen(name, "wb");
	if (!f)
		return 0;
	fprintf(f, "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n", p->width,
	        p->height, p->channels, p->depth == 8 ? 255u : 65535u, types[p->channels - 1]);
	for (size_t i = 0; i < n; i++) {
		if (p->depth == 16)
			putc(p->samples[i] >> 8, f);
		putc(p->samples[i] & 255, f);
	}
	const int good = !ferror(f);
	return !fclose(f) && good;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("usage: refdec IN.xc OUT.pam\n", stderr);
		return 2;
	}
	size_t size;
	refdec_picture picture;
	uint8_t *file = read_file(argv[1], &size);
	if (!file) {
		fprintf(stderr, "refdec: %s: cannot be read\n", argv[1]);
		return 1;
	}
	const char *error = refdec_decode(file, size, UINT64_C(1) << 32, &picture);
	free(file);
	if (error) {
		fprintf(stderr, "refdec: %s: %s\n", argv[1], error);
		return 1;
	}
	const int good = write_pam(argv[2], &picture);
	free(picture.samples);
	if (!good)
		fprintf(stderr, "refdec: %s: cannot be written\n", argv[2]);
	return !good;
}
