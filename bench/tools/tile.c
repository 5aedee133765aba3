/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	tile [-s WIDTHxHEIGHT] OUT.ppm PICTURE...
 *
 * Writes a PPM file of that size, filled with the pictures in turn.  Without a size it
 * writes the first picture as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tiled.h"

static int usage(void)
{
	fprintf(stderr, "usage: tile [-s WIDTHxHEIGHT] OUT.ppm PICTURE...\n");
	return 2;
}

static int write_ppm(const char *path, const xc_picture *p)
{
	FILE *f = fopen(path, "wb");

	if (!f)
		return -1;
	const int header = fprintf(f, "P6\n%u %u\n255\n", (unsigned)p->width, (unsigned)p->height);
	const size_t bytes = p->stride * p->height;
	const int bad = header < 0 || fwrite(p->data, 1, bytes, f) != bytes;
	return fclose(f) || bad ? -1 : 0;
}

int main(int argc, char **argv)
{
	uint32_t width = 0, height = 0;
	int at = 1;
	char message[XC_FILE_MESSAGE];
	xc_picture p;

	if (argc > 2 && !strcmp(argv[1], "-s")) {
		if (!xc_bench_parse_size(argv[2], &width, &height))
			return usage();
		at = 3;
	}
	if (argc - at < 2)
		return usage();
	if (xc_bench_tile((const char *const *)argv + at + 1, argc - at - 1, width, height, &p,
	                  message)) {
		fprintf(stderr, "tile: %s\n", message);
		return 1;
	}
	const int bad = write_ppm(argv[at], &p);
	if (bad)
		perror(argv[at]);
	free(p.data);
	return bad ? 1 : 0;
}
