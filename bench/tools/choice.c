/* SPDX-License-Identifier: BSD-2-Clause */
/* choice PICTURE: prints the shares by which the encoder chooses, for bench/rd/auto. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/tiled.h"
#include "src/encode/plan.h"

int main(int argc, char **argv)
{
	char message[XC_FILE_MESSAGE] = "choice PICTURE";
	uint32_t shares[2];
	xc_picture p;

	if (argc != 2 || xc_bench_tile((const char *const *)argv + 1, 1, 0, 0, &p, message))
		return fprintf(stderr, "%s\n", message), 1;
	const xc_pixels pixels = xc_pixels_of(&p);
	xc_encode_choice_sample(&pixels, 255, shares);
	free(p.data);
	return printf("%u %u\n", shares[0], shares[1]) < 0;
}
