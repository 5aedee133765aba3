/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libvips reads XC files: xcodecload, xcodecload_buffer and xcodecload_source, which are found by
 * the first bytes of a file. libvips opens the module when it starts.
 *
 * A source that can be mapped is decoded where it lies; a pipe is read in order. Rows are decoded as
 * they are wanted, from the upper one on, whatever access the program asks for: libvips keeps them
 * where it needs more. shrink selects a reduced size (doc/reduced.md).
 */
#include "desktop/vips.h"

#include <string.h>

#include <gmodule.h>

#include "formats/formats.h"
#include <xcodec.h>

const char *xc_vips_suffixes[] = {".xc", NULL};

static const char magic[] = "\217XC\r\n\032\n"; /* doc/format.md, 2.1 */
enum { MAGIC = sizeof magic - 1 };

void xc_vips_describe(void *class, const char *nickname, const char *description,
                      int (*build)(VipsObject *object))
{
	GObjectClass *object = class;
	VipsObjectClass *vips = class;

	object->set_property = vips_object_set_property;
	object->get_property = vips_object_get_property;
	vips->nickname = nickname;
	vips->description = description;
	if (build)
		vips->build = build;
}

/* ------------------------------------------------------------ all loaders */

typedef struct XcodecLoad {
	VipsForeignLoad parent;
	VipsSource *source; /* set by the loader of each kind */
	int shrink;
	xc_context *context;
	xc_decoder *decoder;
	int row; /* the next one */
} XcodecLoad;

typedef VipsForeignLoadClass XcodecLoadClass;

G_DEFINE_ABSTRACT_TYPE(XcodecLoad, xcodec_load, VIPS_TYPE_FOREIGN_LOAD)

static void xcodec_load_dispose(GObject *object)
{
	XcodecLoad *l = (XcodecLoad *)object;

	xc_decoder_free(l->decoder);
	xc_context_free(l->context);
	l->decoder = NULL;
	l->context = NULL;
	VIPS_UNREF(l->source);
	G_OBJECT_CLASS(xcodec_load_parent_class)->dispose(object);
}

/* -1, after the reason went to libvips's log of errors. */
static int fail(XcodecLoad *l)
{
	vips_error(VIPS_OBJECT_GET_CLASS(l)->nickname, "%s",
	           l->context ? xc_context_message(l->context) : "out of memory");
	return -1;
}

static ptrdiff_t read_source(void *user, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const gint64 n = vips_source_read(user, (char *)to + done, size - done);
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ptrdiff_t)done;
}

static int open_decoder(XcodecLoad *l)
{
	xc_source source = {.read = read_source, .user = l->source};
	const xc_decode_options options = {
		.scale = (uint32_t)l->shrink,
		.keep_going = l->parent.fail_on < VIPS_FAIL_ON_TRUNCATED,
	};

	if (vips_source_is_mappable(l->source)) {
		size_t size;
		source.memory = vips_source_map(l->source, &size);
		source.size = size;
		if (!source.memory)
			return -1;
	} else if (vips_source_rewind(l->source)) {
		return -1;
	}
	l->context = xc_context_new(NULL);
	if (xc_context_set_threads(l->context, vips_concurrency_get()) ||
	    xc_decoder_new(l->context, &source, &options, &l->decoder))
		return fail(l);
	/* A file that is mapped need not stay open. */
	if (source.memory)
		vips_source_minimise(l->source);
	return 0;
}

static void set_blob(VipsImage *out, const char *name, const xc_blob *blob)
{
	if (blob->size)
		vips_image_set_blob_copy(out, name, blob->data, blob->size);
}

static void set_metadata(VipsImage *out, const xc_metadata *m)
{
	set_blob(out, VIPS_META_ICC_NAME, &m->icc);
	set_blob(out, VIPS_META_XMP_NAME, &m->xmp);
	set_blob(out, VIPS_META_IPTC_NAME, &m->iptc);
	if (m->exif.size) {
		const size_t size = XC_VIPS_EXIF_BYTES + m->exif.size;
		char *exif = g_malloc(size);
		memcpy(exif, XC_VIPS_EXIF, XC_VIPS_EXIF_BYTES);
		memcpy(exif + XC_VIPS_EXIF_BYTES, m->exif.data, m->exif.size);
		vips_image_set_blob_copy(out, VIPS_META_EXIF_NAME, exif, size);
		g_free(exif);
		vips_image_set_int(out, VIPS_META_ORIENTATION, xc_exif_orientation(&m->exif));
	}
}

static int xcodec_load_header(VipsForeignLoad *load)
{
	XcodecLoad *l = (XcodecLoad *)load;
	xc_picture shape;
	xc_info info;

	if (open_decoder(l))
		return -1;
	xc_decoder_shape(l->decoder, &shape);
	xc_decoder_info(l->decoder, &info);
	if (shape.width > VIPS_MAX_COORD || shape.height > VIPS_MAX_COORD) {
		vips_error(VIPS_OBJECT_GET_CLASS(l)->nickname, "%ux%u pixels: more than libvips takes",
		           shape.width, shape.height);
		return -1;
	}
	const int grey = shape.channels < 3, depth16 = shape.depth == 16;
	const xc_metadata *m = &info.metadata;
	/* libvips counts pixels by the millimetre. */
	const int density = m->density_unit == 1;
	vips_image_init_fields(load->out, (int)shape.width, (int)shape.height, (int)shape.channels,
	                       depth16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
	                       grey ? depth16 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W
	                       : depth16 ? VIPS_INTERPRETATION_RGB16
	                                 : VIPS_INTERPRETATION_sRGB,
	                       density ? m->density_x / 1000.0 : 1,
	                       density ? m->density_y / 1000.0 : 1);
	set_metadata(load->out, m);
	if (vips_image_pipelinev(load->out, VIPS_DEMAND_STYLE_THINSTRIP, NULL))
		return -1;
	const char *filename = vips_connection_filename(VIPS_CONNECTION(l->source));
	if (filename)
		VIPS_SETSTR(load->out->filename, filename);
	return 0;
}

/* vips_sequential() asks for rows in their order, one thread at a time. */
static int generate(VipsRegion *out, void *sequence, void *a, void *b, gboolean *stop)
{
	XcodecLoad *l = a;
	const VipsRect *r = &out->valid;

	(void)sequence, (void)b, (void)stop;
	if (r->top != l->row || r->left != 0) {
		vips_error(VIPS_OBJECT_GET_CLASS(l)->nickname, "row %d is wanted after row %d", r->top,
		           l->row - 1);
		return -1;
	}
	if (xc_decoder_rows(l->decoder, VIPS_REGION_ADDR(out, 0, r->top),
	                    (size_t)VIPS_REGION_LSKIP(out), (uint32_t)r->height))
		return fail(l);
	l->row += r->height;
	if (l->row < l->parent.real->Ysize)
		return 0;
	if (xc_decoder_finish(l->decoder))
		return fail(l);
	if (xc_decoder_damaged(l->decoder))
		g_warning("xcodec: %s", xc_context_message(l->context));
	return 0;
}

static int xcodec_load_load(VipsForeignLoad *load)
{
	enum { STRIP = 64 }; /* rows that are decoded at once */
	XcodecLoad *l = (XcodecLoad *)load;
	VipsImage **t = (VipsImage **)vips_object_local_array(VIPS_OBJECT(load), 2);

	t[0] = vips_image_new();
	if (vips_image_pipelinev(t[0], VIPS_DEMAND_STYLE_THINSTRIP, load->out, NULL))
		return -1;
	return vips_image_generate(t[0], NULL, generate, NULL, l, NULL) ||
	               vips_sequential(t[0], &t[1], "tile_height", STRIP, NULL) ||
	               vips_image_write(t[1], load->real)
	           ? -1
	           : 0;
}

static VipsForeignFlags xcodec_load_flags(VipsForeignLoad *load)
{
	(void)load;
	return VIPS_FOREIGN_SEQUENTIAL;
}

static VipsForeignFlags flags_of_file(const char *filename)
{
	(void)filename;
	return VIPS_FOREIGN_SEQUENTIAL;
}

static void xcodec_load_class_init(XcodecLoadClass *class)
{
	G_OBJECT_CLASS(class)->dispose = xcodec_load_dispose;
	xc_vips_describe(class, "xcodecload_base", "load an xcodec picture", NULL);
	class->get_flags = xcodec_load_flags;
	class->get_flags_filename = flags_of_file;
	class->header = xcodec_load_header;
	class->load = xcodec_load_load;
	VIPS_ARG_INT(class, "shrink", 20, "Shrink", "Divides width and height: 1, 2, 4 or 8",
	             VIPS_ARGUMENT_OPTIONAL_INPUT, G_STRUCT_OFFSET(XcodecLoad, shrink), 1, 8, 1);
}

static void xcodec_load_init(XcodecLoad *l)
{
	l->shrink = 1;
}

/* ------------------------------------------------------------- from a file */

typedef struct XcodecLoadFile {
	XcodecLoad parent;
	char *filename;
} XcodecLoadFile;

typedef XcodecLoadClass XcodecLoadFileClass;

XC_VIPS_KIND(XcodecLoadFile, xcodec_load_file, xcodec_load_get_type())

static int xcodec_load_file_build(VipsObject *object)
{
	XcodecLoadFile *l = (XcodecLoadFile *)object;

	if (l->filename && !(l->parent.source = vips_source_new_from_file(l->filename)))
		return -1;
	return VIPS_OBJECT_CLASS(xcodec_load_file_parent_class)->build(object);
}

static gboolean is_a_source(VipsSource *source)
{
	const unsigned char *start = vips_source_sniff(source, MAGIC);
	return start && !memcmp(start, magic, MAGIC);
}

static gboolean is_a_file(const char *filename)
{
	VipsSource *source = vips_source_new_from_file(filename);
	const gboolean is = source && is_a_source(source);

	VIPS_UNREF(source);
	return is;
}

static void xcodec_load_file_class_init(XcodecLoadFileClass *class)
{
	xc_vips_describe(class, "xcodecload", "load an xcodec picture from a file",
	                 xcodec_load_file_build);
	class->parent_class.suffs = xc_vips_suffixes;
	class->is_a = is_a_file;
	VIPS_ARG_STRING(class, "filename", 1, "Filename", "Filename to load from",
	                VIPS_ARGUMENT_REQUIRED_INPUT, G_STRUCT_OFFSET(XcodecLoadFile, filename), NULL);
}

/* ------------------------------------------------------------ from a source */

typedef XcodecLoad XcodecLoadSource;
typedef XcodecLoadClass XcodecLoadSourceClass;

XC_VIPS_KIND(XcodecLoadSource, xcodec_load_source, xcodec_load_get_type())

static void xcodec_load_source_class_init(XcodecLoadSourceClass *class)
{
	xc_vips_describe(class, "xcodecload_source", "load an xcodec picture from a source", NULL);
	((VipsOperationClass *)class)->flags |= VIPS_OPERATION_NOCACHE;
	class->is_a_source = is_a_source;
	VIPS_ARG_OBJECT(class, "source", 1, "Source", "Source to load from",
	                VIPS_ARGUMENT_REQUIRED_INPUT, G_STRUCT_OFFSET(XcodecLoad, source),
	                VIPS_TYPE_SOURCE);
}

/* ------------------------------------------------------------ from a buffer */

typedef struct XcodecLoadBuffer {
	XcodecLoad parent;
	VipsArea *buffer;
} XcodecLoadBuffer;

typedef XcodecLoadClass XcodecLoadBufferClass;

XC_VIPS_KIND(XcodecLoadBuffer, xcodec_load_buffer, xcodec_load_get_type())

static int xcodec_load_buffer_build(VipsObject *object)
{
	XcodecLoadBuffer *l = (XcodecLoadBuffer *)object;

	if (l->buffer &&
	    !(l->parent.source = vips_source_new_from_memory(l->buffer->data, l->buffer->length)))
		return -1;
	return VIPS_OBJECT_CLASS(xcodec_load_buffer_parent_class)->build(object);
}

static gboolean is_a_buffer(const void *data, size_t size)
{
	return size >= MAGIC && !memcmp(data, magic, MAGIC);
}

static void xcodec_load_buffer_class_init(XcodecLoadBufferClass *class)
{
	xc_vips_describe(class, "xcodecload_buffer", "load an xcodec picture from a buffer",
	                 xcodec_load_buffer_build);
	class->is_a_buffer = is_a_buffer;
	VIPS_ARG_BOXED(class, "buffer", 1, "Buffer", "Buffer to load from",
	               VIPS_ARGUMENT_REQUIRED_INPUT, G_STRUCT_OFFSET(XcodecLoadBuffer, buffer),
	               VIPS_TYPE_BLOB);
}

/* --------------------------------------------------------------- the module */

/* libvips opens the module to have its types, which stay. */
G_MODULE_EXPORT const gchar *g_module_check_init(GModule *module);

const gchar *g_module_check_init(GModule *module)
{
	g_module_make_resident(module);
	xcodec_load_file_get_type();
	xcodec_load_source_get_type();
	xcodec_load_buffer_get_type();
	xcodec_save_file_get_type();
	xcodec_save_target_get_type();
	return NULL;
}
