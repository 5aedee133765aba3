/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libvips writes XC files: xcodecsave and xcodecsave_target, which are found by the suffix and serve
 * buffers, too. Rows are encoded as they are computed, so memory follows from the width. Profiles,
 * EXIF, XMP, IPTC and the density are kept unless strip is set.
 */
#include "desktop/vips.h"

#include <string.h>

#include "formats/formats.h"
#include <xcodec.h>

/* -------------------------------------------------------------- all savers */

typedef struct XcodecSave {
	VipsForeignSave parent;
	VipsTarget *target; /* set by the saver of each kind */
	int quality, effort;
	gboolean lossless;
	xc_context *context;
	xc_encoder *encoder;
	void *exif; /* a copy that tells the picture's orientation */
} XcodecSave;

typedef VipsForeignSaveClass XcodecSaveClass;

G_DEFINE_ABSTRACT_TYPE(XcodecSave, xcodec_save, VIPS_TYPE_FOREIGN_SAVE)

static void xcodec_save_dispose(GObject *object)
{
	XcodecSave *s = (XcodecSave *)object;

	xc_encoder_free(s->encoder);
	xc_context_free(s->context);
	s->encoder = NULL;
	s->context = NULL;
	g_clear_pointer(&s->exif, g_free);
	VIPS_UNREF(s->target);
	G_OBJECT_CLASS(xcodec_save_parent_class)->dispose(object);
}

static int fail(XcodecSave *s)
{
	vips_error(VIPS_OBJECT_GET_CLASS(s)->nickname, "%s",
	           s->context ? xc_context_message(s->context) : "out of memory");
	return -1;
}

static xc_blob get_blob(VipsImage *image, const char *name)
{
	const void *data;
	size_t size;

	if (!vips_image_get_typeof(image, name) || vips_image_get_blob(image, name, &data, &size))
		return (xc_blob){NULL, 0};
	return (xc_blob){data, size};
}

/* What EXIF says about the orientation has to be what libvips knows, which may have turned the
 * pixels since. */
static xc_blob get_exif(XcodecSave *s, VipsImage *image)
{
	xc_blob exif = get_blob(image, VIPS_META_EXIF_NAME);
	const int orientation = vips_image_get_orientation(image);

	if (exif.size >= XC_VIPS_EXIF_BYTES && !memcmp(exif.data, XC_VIPS_EXIF, XC_VIPS_EXIF_BYTES)) {
		exif.data = (const char *)exif.data + XC_VIPS_EXIF_BYTES;
		exif.size -= XC_VIPS_EXIF_BYTES;
	}
	if (xc_exif_orientation(&exif) == orientation)
		return exif;
	s->exif = g_malloc(MAX(exif.size, XC_EXIF_MINIMAL));
	if (exif.size)
		memcpy(s->exif, exif.data, exif.size);
	if (xc_exif_set_orientation(s->exif, exif.size, orientation))
		return (xc_blob){s->exif, exif.size};
	if (exif.size)
		g_warning("xcodec: EXIF has no place for the orientation: the rest of it is left out");
	xc_exif_make(orientation, s->exif);
	return (xc_blob){s->exif, XC_EXIF_MINIMAL};
}

static xc_metadata get_metadata(XcodecSave *s, VipsImage *image)
{
	xc_metadata m = {
		.icc = get_blob(image, VIPS_META_ICC_NAME),
		.exif = get_exif(s, image),
		.xmp = get_blob(image, VIPS_META_XMP_NAME),
		.iptc = get_blob(image, VIPS_META_IPTC_NAME),
	};

	/* Pixels by the millimetre; 1 is what libvips says when nothing is known. */
	if (image->Xres > 0 && image->Yres > 0 && (image->Xres != 1 || image->Yres != 1) &&
	    image->Xres < 1e6 && image->Yres < 1e6) {
		m.density_x = (uint32_t)VIPS_RINT(image->Xres * 1000);
		m.density_y = (uint32_t)VIPS_RINT(image->Yres * 1000);
		m.density_unit = 1;
	}
	return m;
}

static int write_target(void *user, const void *data, size_t size)
{
	return vips_target_write(user, data, size);
}

/* vips_sink_disc() gives the rows in their order. */
static int write_rows(VipsRegion *region, VipsRect *area, void *user)
{
	XcodecSave *s = user;

	if (xc_encoder_rows(s->encoder, VIPS_REGION_ADDR(region, 0, area->top),
	                    (size_t)VIPS_REGION_LSKIP(region), (uint32_t)area->height))
		return fail(s);
	return 0;
}

/* Samples that the format has no place for have been made ones that it has. */
static int check_format(XcodecSave *s)
{
	const VipsBandFormat from = s->parent.in->BandFmt, to = s->parent.ready->BandFmt;
	const char *before = vips_enum_nick(VIPS_TYPE_BAND_FORMAT, from);
	const char *after = vips_enum_nick(VIPS_TYPE_BAND_FORMAT, to);

	if (from == to)
		return 0;
	if (!s->lossless) {
		g_warning("xcodec: samples of format %s are rounded and clipped to %s", before, after);
		return 0;
	}
	vips_error(VIPS_OBJECT_GET_CLASS(s)->nickname,
	           "lossless: samples of format %s would be rounded and clipped to %s", before, after);
	return -1;
}

static int xcodec_save_build(VipsObject *object)
{
	XcodecSave *s = (XcodecSave *)object;
	xc_encode_options options;

	if (VIPS_OBJECT_CLASS(xcodec_save_parent_class)->build(object) || check_format(s))
		return -1;
	VipsImage *image = s->parent.ready;
	const xc_picture shape = {
		.width = (uint32_t)image->Xsize,
		.height = (uint32_t)image->Ysize,
		.channels = (uint32_t)image->Bands,
		.depth = image->BandFmt == VIPS_FORMAT_USHORT ? 16 : 8,
	};
	const xc_metadata metadata = s->parent.strip ? (xc_metadata){0} : get_metadata(s, image);
	xc_encode_options_default(&options);
	options.quality = s->quality;
	options.effort = s->effort;
	options.mode = s->lossless ? XC_MODE_LOSSLESS : XC_MODE_AUTO;
	s->context = xc_context_new(NULL);
	if (xc_context_set_threads(s->context, vips_concurrency_get()) ||
	    xc_encoder_new(s->context, &shape, &metadata, &options, write_target, s->target,
	                   &s->encoder))
		return fail(s);
	if (vips_sink_disc(image, write_rows, s))
		return -1;
	return xc_encoder_end(s->encoder) ? fail(s) : vips_target_end(s->target);
}

static void xcodec_save_class_init(XcodecSaveClass *class)
{
	/* Formats from UCHAR to DPCOMPLEX: all but those of 16 bits become 8. */
	enum { UC = VIPS_FORMAT_UCHAR, US = VIPS_FORMAT_USHORT };
	static VipsBandFormat formats[] = {UC, UC, US, US, UC, UC, UC, UC, UC, UC};

	G_OBJECT_CLASS(class)->dispose = xcodec_save_dispose;
	xc_vips_describe(class, "xcodecsave_base", "save an xcodec picture", xcodec_save_build);
	class->parent_class.suffs = xc_vips_suffixes;
	class->saveable = VIPS_SAVEABLE_RGBA;
	class->format_table = formats;
	VIPS_ARG_INT(class, "Q", 10, "Q", "Quality; without effect on what is lossless",
	             VIPS_ARGUMENT_OPTIONAL_INPUT, G_STRUCT_OFFSET(XcodecSave, quality), 1, 100, 75);
	VIPS_ARG_BOOL(class, "lossless", 11, "Lossless", "Keep every sample",
	              VIPS_ARGUMENT_OPTIONAL_INPUT, G_STRUCT_OFFSET(XcodecSave, lossless), FALSE);
	VIPS_ARG_INT(class, "effort", 12, "Effort", "Time to spend on a smaller file",
	             VIPS_ARGUMENT_OPTIONAL_INPUT, G_STRUCT_OFFSET(XcodecSave, effort), 0,
	             XC_MOST_EFFORT, 2);
}

static void xcodec_save_init(XcodecSave *s)
{
	s->quality = 75;
	s->effort = 2;
}

/* ---------------------------------------------------------------- to a file */

typedef struct XcodecSaveFile {
	XcodecSave parent;
	char *filename;
} XcodecSaveFile;

typedef XcodecSaveClass XcodecSaveFileClass;

XC_VIPS_KIND(XcodecSaveFile, xcodec_save_file, xcodec_save_get_type())

static int xcodec_save_file_build(VipsObject *object)
{
	XcodecSaveFile *s = (XcodecSaveFile *)object;

	if (s->filename && !(s->parent.target = vips_target_new_to_file(s->filename)))
		return -1;
	return VIPS_OBJECT_CLASS(xcodec_save_file_parent_class)->build(object);
}

static void xcodec_save_file_class_init(XcodecSaveFileClass *class)
{
	xc_vips_describe(class, "xcodecsave", "save an xcodec picture to a file",
	                 xcodec_save_file_build);
	VIPS_ARG_STRING(class, "filename", 1, "Filename", "Filename to save to",
	                VIPS_ARGUMENT_REQUIRED_INPUT, G_STRUCT_OFFSET(XcodecSaveFile, filename), NULL);
}

/* -------------------------------------------------------------- to a target */

typedef XcodecSave XcodecSaveTarget;
typedef XcodecSaveClass XcodecSaveTargetClass;

XC_VIPS_KIND(XcodecSaveTarget, xcodec_save_target, xcodec_save_get_type())

static void xcodec_save_target_class_init(XcodecSaveTargetClass *class)
{
	xc_vips_describe(class, "xcodecsave_target", "save an xcodec picture to a target", NULL);
	VIPS_ARG_OBJECT(class, "target", 1, "Target", "Target to save to", VIPS_ARGUMENT_REQUIRED_INPUT,
	                G_STRUCT_OFFSET(XcodecSave, target), VIPS_TYPE_TARGET);
}
