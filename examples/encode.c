/* SPDX-License-Identifier: BSD-2-Clause */
/* encode IN.ppm OUT.xc [QUALITY]: a binary PPM of 8 bits a sample to an XC file. */
#include <stdio.h>
#include <stdlib.h>
#include <xcodec.h>

/* Reads a PPM; the caller frees the pixels.  0, or -1. */
static int read_ppm(const char *path, xc_picture *p)
{
	FILE *f = fopen(path, "rb");
	unsigned width, height;
	int failed = 1;

	if (f && fscanf(f, "P6 %u %u 255", &width, &height) == 2 && getc(f) != EOF && width && height &&
	    width < 1u << 20 && height < 1u << 20) {
		*p = (xc_picture){width, height, 3, 8, (size_t)width * 3, NULL};
		p->data = malloc(p->stride * height);
		failed = !p->data || fread(p->data, p->stride, height, f) != height;
	}
	if (f)
		fclose(f);
	if (failed)
		fprintf(stderr, "%s: cannot be read, or no PPM of 8 bits\n", path);
	return failed ? -1 : 0;
}

static int write_file(const char *path, const xc_buffer *file)
{
	FILE *f = fopen(path, "wb");
	int failed = !f || fwrite(file->data, 1, file->size, f) != file->size;

	if (f && fclose(f))
		failed = 1;
	if (failed)
		perror(path);
	return failed ? -1 : 0;
}

int main(int argc, char **argv)
{
	xc_encode_options options;
	xc_picture picture = {0};
	xc_buffer file = {0};
	int failed = 1;

	if (argc < 3) {
		fprintf(stderr, "Usage: encode IN.ppm OUT.xc [QUALITY]\n");
		return 2;
	}
	xc_encode_options_default(&options);
	if (argc > 3)
		options.quality = atoi(argv[3]);
	xc_context *context = xc_context_new(NULL);
	if (context && !read_ppm(argv[1], &picture)) {
		if (xc_encode(context, &picture, NULL, &options, &file))
			fprintf(stderr, "%s: %s\n", argv[1], xc_context_message(context));
		else
			failed = write_file(argv[2], &file) != 0;
	}
	xc_buffer_free(context, &file);
	xc_context_free(context);
	free(picture.data);
	return failed;
}
