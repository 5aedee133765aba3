/* SPDX-License-Identifier: BSD-2-Clause */
/* refdec IN.xc OUT.pam: decodes with the reference decoder. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/format/refdec.h"
#include "tests/support/bytes.h"

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
	xc_bytes file = {0};
	refdec_picture picture;
	const char *error = xc_bytes_load(&file, argv[1])
	                        ? refdec_decode(file.data, file.size, UINT64_C(1) << 32, &picture)
	                        : "cannot be read";
	xc_bytes_free(&file);
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
