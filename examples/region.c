/* SPDX-License-Identifier: BSD-2-Clause */
/* region IN.xc X Y WIDTH HEIGHT SCALE >OUT.pgm or OUT.ppm: a part of a picture of 8 bits, made
 * smaller by SCALE (1, 2, 4 or 8). Of the file only what that part needs is read. */
#include <stdio.h>
#include <stdlib.h>
#include <xcodec.h>

static ptrdiff_t read_at(void *user, uint64_t offset, void *to, size_t size)
{
	FILE *f = user;

	if (fseek(f, (long)offset, SEEK_SET))
		return -1;
	size_t got = fread(to, 1, size, f);
	return ferror(f) ? -1 : (ptrdiff_t)got;
}

static xc_status write_rows(xc_decoder *decoder)
{
	xc_picture shape;
	const void *rows;
	size_t stride;
	uint32_t count;
	xc_status s;

	xc_decoder_shape(decoder, &shape);
	if (shape.depth != 8 || shape.channels % 2 == 0)
		return XC_ERR_UNSUPPORTED;
	printf("P%c\n%u %u\n255\n", shape.channels == 3 ? '6' : '5', shape.width, shape.height);
	while (!(s = xc_decoder_next(decoder, &rows, &stride, &count)) && count)
		for (uint32_t y = 0; y < count; y++)
			fwrite((const char *)rows + y * stride, shape.channels, shape.width, stdout);
	return s;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 7 ? fopen(argv[1], "rb") : NULL;
	unsigned number[5];
	long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;

	if (size < 0) {
		fprintf(stderr, "Usage: region IN.xc X Y WIDTH HEIGHT SCALE >OUT.ppm\n");
		return 2;
	}
	for (int i = 0; i < 5; i++)
		number[i] = (unsigned)strtoul(argv[2 + i], NULL, 10);
	const xc_source source = {.size = (uint64_t)size, .read_at = read_at, .user = f};
	const xc_decode_options options = {.region = {number[0], number[1], number[2], number[3]},
	                                   .scale = number[4]};
	xc_context *context = xc_context_new(NULL);
	xc_decoder *decoder;
	xc_status s = xc_decoder_new(context, &source, &options, &decoder);
	if (!s)
		s = write_rows(decoder);
	xc_decoder_free(decoder);
	if (s)
		fprintf(stderr, "%s: %s: %s\n", argv[1], xc_status_string(s), xc_context_message(context));
	xc_context_free(context);
	fclose(f);
	return s || fflush(stdout) || ferror(stdout);
}
