/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that shows pictures, as far as gdk-pixbuf matters:
 *
 *	pixbuf FILE OUT.pam [BYTES [WIDTH HEIGHT]]
 *
 * gives the file to gdk-pixbuf that many bytes at a time, asks for a size, and writes the pixels.
 * Standard output has the size of the file, how many bytes had come with the first row and how many
 * updates there were, and the pixbuf's options. tests/desktop/gdk_pixbuf.sh calls it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gdk-pixbuf/gdk-pixbuf.h>

typedef struct shown {
	int width, height; /* wanted; 0: the file's */
	long read, first;
	int updates, rows;
} shown;

static void size_prepared(GdkPixbufLoader *loader, int width, int height, gpointer user)
{
	shown *s = user;

	printf("size %d %d\n", width, height);
	if (s->width)
		gdk_pixbuf_loader_set_size(loader, s->width, s->height);
}

static void area_updated(GdkPixbufLoader *loader, int x, int y, int width, int height,
                         gpointer user)
{
	shown *s = user;

	(void)loader, (void)x, (void)width;
	if (!s->updates++)
		s->first = s->read;
	if (y == s->rows) /* in order, without a gap */
		s->rows += height;
}

static void print_option(gpointer key, gpointer value, gpointer user)
{
	(void)user;
	printf("%s=%s\n", (char *)key, (char *)value);
}

static int write_pam(const GdkPixbuf *p, const char *name)
{
	const int channels = gdk_pixbuf_get_n_channels(p);
	FILE *out = fopen(name, "wb");

	if (!out)
		return -1;
	fprintf(out, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL 255\nTUPLTYPE %s\nENDHDR\n",
	        gdk_pixbuf_get_width(p), gdk_pixbuf_get_height(p), channels,
	        channels == 4 ? "RGB_ALPHA" : "RGB");
	for (int y = 0; y < gdk_pixbuf_get_height(p); y++)
		fwrite(gdk_pixbuf_read_pixels(p) + (size_t)y * (size_t)gdk_pixbuf_get_rowstride(p), 1,
		       (size_t)(channels * gdk_pixbuf_get_width(p)), out);
	return fclose(out);
}

int main(int argc, char **argv)
{
	shown s = {0};
	GError *error = NULL;
	unsigned char bytes[1 << 16];
	FILE *in = argc > 2 ? fopen(argv[1], "rb") : NULL;
	const size_t step = argc > 3 ? (size_t)atoi(argv[3]) : sizeof bytes;
	size_t n;

	if (!in || !step || step > sizeof bytes)
		return 2;
	if (argc > 5) {
		s.width = atoi(argv[4]);
		s.height = atoi(argv[5]);
	}
	GdkPixbufLoader *loader = gdk_pixbuf_loader_new();
	g_signal_connect(loader, "size-prepared", G_CALLBACK(size_prepared), &s);
	g_signal_connect(loader, "area-updated", G_CALLBACK(area_updated), &s);
	while ((n = fread(bytes, 1, step, in)) > 0) {
		s.read += (long)n;
		if (!gdk_pixbuf_loader_write(loader, bytes, n, &error))
			break;
	}
	fclose(in);
	gdk_pixbuf_loader_close(loader, error ? NULL : &error);
	GdkPixbuf *pixbuf = error ? NULL : gdk_pixbuf_loader_get_pixbuf(loader);
	if (pixbuf) {
		printf("first %ld of %ld, updates %d, rows %d\n", s.first, s.read, s.updates, s.rows);
		GHashTable *options = gdk_pixbuf_get_options(pixbuf);
		g_hash_table_foreach(options, print_option, NULL);
		g_hash_table_unref(options);
	}
	const int failed = !pixbuf || write_pam(pixbuf, argv[2]);
	if (error)
		fprintf(stderr, "%s\n", error->message);
	g_clear_error(&error);
	g_object_unref(loader);
	return failed;
}
