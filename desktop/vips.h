/* SPDX-License-Identifier: BSD-2-Clause */
/* The module of libvips: its loader (vips_load.c) and its saver (vips_save.c), which begin here. */
#ifndef XC_DESKTOP_VIPS_H
#define XC_DESKTOP_VIPS_H

#include <vips/vips.h>

/* The suffixes of both. */
extern const char *xc_vips_suffixes[];

/* What libvips has before the TIFF header of EXIF, and XC files have not. */
#define XC_VIPS_EXIF "Exif\0\0"
enum { XC_VIPS_EXIF_BYTES = 6 };

/* What each class needs: GObject lets none inherit how properties are set. */
void xc_vips_describe(void *class, const char *nickname, const char *description,
                      int (*build)(VipsObject *object));

/* A type whose objects begin as those of its parent. */
#define XC_VIPS_KIND(TYPE, name, parent) \
	G_DEFINE_TYPE(TYPE, name, parent) \
	static void name##_init(TYPE *object) \
	{ \
		(void)object; \
	}

/* GObject's types, which register themselves. */
GType xcodec_load_get_type(void);
GType xcodec_load_file_get_type(void);
GType xcodec_load_source_get_type(void);
GType xcodec_load_buffer_get_type(void);
GType xcodec_save_get_type(void);
GType xcodec_save_file_get_type(void);
GType xcodec_save_target_get_type(void);

#endif
