/* SPDX-License-Identifier: BSD-2-Clause */
/* decode IN.xc OUT.pam: an XC file to a PAM, which holds any picture that an XC file holds. */
#include <stdio.h>
#include <stdlib.h>
#include <xcodec.h>

/* The caller frees the bytes; NULL after a message. */
static void *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	long end = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
	void *bytes = end > 0 ? malloc((size_t)end) : NULL;

	*size = end > 0 ? (size_t)end : 0;
	if (bytes && (fseek(f, 0, SEEK_SET) || fread(bytes, 1, *size, f) != *size)) {
		free(bytes);
		bytes = NULL;
	}
	if (!bytes)
		fprintf(stderr, "%s: cannot be read\n", path);
	if (f)
		fclose(f);
	return bytes;
}

/* PAM has the upper byte of 16 bits first, whatever the machine has. */
static void write_row(FILE *f, const xc_picture *p, const unsigned char *row)
{
	const size_t samples = (size_t)p->width * p->channels;

	if (p->depth == 8)
		fwrite(row, 1, samples, f);
	for (size_t i = 0; p->depth == 16 && i < samples; i++) {
		putc(((const uint16_t *)(const void *)row)[i] >> 8, f);
		putc(((const uint16_t *)(const void *)row)[i] & 255, f);
	}
}

static int write_pam(const char *path, const xc_picture *p)
{
	static const char *const kinds[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
	FILE *f = fopen(path, "wb");
	int failed = !f;

	if (f) {
		fprintf(f, "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n", p->width,
		        p->height, p->channels, (1u << p->depth) - 1, kinds[p->channels - 1]);
		for (uint32_t y = 0; y < p->height; y++)
			write_row(f, p, (const unsigned char *)p->data + y * p->stride);
		failed = ferror(f);
		failed |= fclose(f);
	}
	if (failed)
		perror(path);
	return failed ? -1 : 0;
}

int main(int argc, char **argv)
{
	xc_context *context = argc == 3 ? xc_context_new(NULL) : NULL;
	xc_picture picture = {0}; /* no data: the library allocates them */
	size_t size;
	int failed = 1;

	if (!context)
		return fprintf(stderr, "Usage: decode IN.xc OUT.pam\n"), 2;
	void *file = read_file(argv[1], &size);
	if (file && xc_decode(context, file, size, NULL, &picture))
		fprintf(stderr, "%s: %s\n", argv[1], xc_context_message(context));
	else if (file)
		failed = write_pam(argv[2], &picture) != 0;
	xc_picture_free(context, &picture);
	xc_context_free(context);
	free(file);
	return failed;
}
