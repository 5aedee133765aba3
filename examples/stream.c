/* SPDX-License-Identifier: BSD-2-Clause */
/* stream encode <IN.ppm >OUT.xc, stream decode <IN.xc >OUT.ppm: rows of 8-bit colour, little memory. */
#include <stdio.h>
#include <string.h>
#include <xcodec.h>

static int write_bytes(void *user, const void *data, size_t size)
{
	return fwrite(data, 1, size, user) != size;
}

static ptrdiff_t read_bytes(void *user, void *to, size_t size)
{
	size_t got = fread(to, 1, size, user);
	return ferror((FILE *)user) ? -1 : (ptrdiff_t)got;
}

/* Reads rows to where the encoder wants them. */
static xc_status encode(xc_context *context)
{
	unsigned width, height;
	xc_encoder *encoder;
	void *rows;
	size_t stride;
	uint32_t count;

	if (scanf("P6 %u %u 255", &width, &height) != 2 || getchar() == EOF)
		return XC_ERR_IO;
	const xc_picture shape = {.width = width, .height = height, .channels = 3, .depth = 8};
	xc_status s = xc_encoder_new(context, &shape, NULL, NULL, write_bytes, stdout, &encoder);
	while (!s && !(s = xc_encoder_room(encoder, &rows, &stride, &count)) && count) {
		for (uint32_t y = 0; y < count; y++)
			if (fread((char *)rows + y * stride, 3, width, stdin) != width)
				s = XC_ERR_IO;
		if (!s)
			s = xc_encoder_rows(encoder, rows, stride, count);
	}
	s = s ? s : xc_encoder_end(encoder);
	xc_encoder_free(encoder);
	return s;
}

/* Writes the rows from where the decoder has them. */
static xc_status decode(xc_context *context)
{
	const xc_source source = {.read = read_bytes, .user = stdin};
	xc_decoder *decoder;
	xc_picture shape;
	const void *rows;
	size_t stride;
	uint32_t count;
	xc_status s = xc_decoder_new(context, &source, NULL, &decoder);

	xc_decoder_shape(decoder, &shape);
	if (!s && (shape.channels != 3 || shape.depth != 8))
		s = XC_ERR_UNSUPPORTED;
	if (!s)
		printf("P6\n%u %u\n255\n", shape.width, shape.height);
	while (!s && !(s = xc_decoder_next(decoder, &rows, &stride, &count)) && count)
		for (uint32_t y = 0; y < count; y++)
			fwrite((const char *)rows + y * stride, 3, shape.width, stdout);
	s = s ? s : xc_decoder_finish(decoder);
	xc_decoder_free(decoder);
	return s;
}

int main(int argc, char **argv)
{
	xc_context *context = xc_context_new(NULL);
	const int decodes = argc == 2 && !strcmp(argv[1], "decode");
	const xc_status s = decodes ? decode(context) : encode(context);

	if (s)
		fprintf(stderr, "stream: %s: %s\n", xc_status_string(s), xc_context_message(context));
	xc_context_free(context);
	return s || fflush(stdout) || ferror(stdout);
}
