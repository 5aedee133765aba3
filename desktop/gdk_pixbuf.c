/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loader of gdk-pixbuf: programs of GNOME, GTK and many others show XC files, and file managers
 * make thumbnails of them.
 *
 * gdk-pixbuf gives the bytes of a file piece by piece, and a decoder asks for them. So each load has
 * a thread that runs the decoder. Exactly one of that thread and its caller runs at a time: the
 * caller goes on when all its bytes are used up, and calls gdk-pixbuf back in between, because
 * programs expect that in their own thread. Rows appear as soon as the bytes that they need have
 * come, and the file is never held as a whole, unless it keeps a JPEG, whose header alone does not
 * tell its size.
 */
#include <string.h>

#define GDK_PIXBUF_ENABLE_BACKEND
#include <gdk-pixbuf/gdk-pixbuf.h>

#include "formats/formats.h"
#include <xcodec_jpeg.h>
#include <xcodec_pixels.h>

enum { ROWS = 64 }; /* that are shown at once */

/* What the thread wants of its caller. */
typedef enum wish { WISH_BYTES, WISH_SIZE, WISH_PREPARED, WISH_UPDATED, WISH_END } wish;

typedef struct load {
	GdkPixbufModuleSizeFunc size;
	GdkPixbufModulePreparedFunc prepared;
	GdkPixbufModuleUpdatedFunc updated;
	gpointer user;

	GThread *thread;
	GMutex lock;
	GCond turned;
	int decoding; /* whose turn it is: 1 the thread's, 0 the caller's */
	wish wish;

	/* The caller's bytes that are not used yet. */
	const guchar *bytes;
	size_t left;
	int ended; /* no more will come */

	/* What was read to learn the size, and is read again. */
	GByteArray *start;
	size_t start_used;

	int width, height; /* of the file, then as the program wants them */
	GdkPixbuf *pixbuf;
	int y, rows; /* updated */
	GError *error;
} load;

/* ------------------------------------------------------------------- turns */

/* The thread's half: returns when the caller has done it. */
static void ask(load *l, wish what)
{
	g_mutex_lock(&l->lock);
	l->wish = what;
	l->decoding = 0;
	g_cond_signal(&l->turned);
	while (!l->decoding && what != WISH_END)
		g_cond_wait(&l->turned, &l->lock);
	g_mutex_unlock(&l->lock);
}

/* The caller's half: returns the next wish. */
static wish proceed(load *l)
{
	g_mutex_lock(&l->lock);
	l->decoding = 1;
	g_cond_signal(&l->turned);
	while (l->decoding)
		g_cond_wait(&l->turned, &l->lock);
	g_mutex_unlock(&l->lock);
	return l->wish;
}

/* ------------------------------------------------------------- in the thread */

static ptrdiff_t read_bytes(void *user, void *to, size_t size)
{
	load *l = user;
	size_t done = 0;

	while (done < size) {
		const size_t again = l->start->len - l->start_used;
		size_t n = MIN(size - done, again ? again : l->left);
		if (again) {
			memcpy((char *)to + done, l->start->data + l->start_used, n);
			l->start_used += n;
		} else if (n) {
			memcpy((char *)to + done, l->bytes, n);
			l->bytes += n;
			l->left -= n;
		} else if (l->ended) {
			break;
		} else {
			ask(l, WISH_BYTES);
		}
		done += n;
	}
	return (ptrdiff_t)done;
}

static void fail(load *l, xc_context *context, xc_status status)
{
	const int memory = status == XC_ERR_MEMORY || status == XC_ERR_LIMIT;
	const int known = status != XC_ERR_UNSUPPORTED && status != XC_ERR_FORMAT;

	g_set_error(&l->error, GDK_PIXBUF_ERROR,
	            memory  ? GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY
	            : known ? GDK_PIXBUF_ERROR_CORRUPT_IMAGE
	                    : GDK_PIXBUF_ERROR_UNKNOWN_TYPE,
	            "xcodec: %s", context ? xc_context_message(context) : xc_status_string(status));
}

/* Reads up to `size` bytes more into l->start. */
static void read_start(load *l, size_t size)
{
	const guint had = l->start->len;

	g_byte_array_set_size(l->start, had + (guint)size);
	l->start_used = l->start->len;
	const ptrdiff_t got = read_bytes(l, l->start->data + had, size);
	g_byte_array_set_size(l->start, had + (guint)MAX(got, 0));
}

/* Reads as much of the file as tells its size. A file that keeps a JPEG is read to its end. */
static xc_status read_header(load *l, xc_context *context, xc_info *info)
{
	enum { PIECE = 1 << 16 };
	guint had = 0;

	read_start(l, XC_HEADER_BYTES);
	if (xc_jpeg_is(l->start->data, l->start->len))
		while (l->start->len > had && l->start->len < G_MAXINT) {
			had = l->start->len;
			read_start(l, PIECE);
		}
	l->start_used = 0;
	return xc_read_header(context, l->start->data, l->start->len, info);
}

/* The largest reduction after which the picture still has the size that is wanted: gdk-pixbuf does
 * the rest. */
static uint32_t choose_scale(const xc_info *info, int width, int height)
{
	uint32_t scale = 8;

	while (scale > 1 && (info->width / scale < (uint32_t)MAX(width, 1) ||
	                     info->height / scale < (uint32_t)MAX(height, 1)))
		scale /= 2;
	return scale;
}

static void set_density(GdkPixbuf *pixbuf, const char *option, uint32_t per_metre)
{
	char text[16];

	g_snprintf(text, sizeof text, "%.0f", per_metre * 0.0254);
	gdk_pixbuf_set_option(pixbuf, option, text);
}

/* Metadata by the names that gdk-pixbuf's own loaders use. An option that is set stays. */
static void set_options(GdkPixbuf *pixbuf, const xc_metadata *m)
{
	const char *key = m->text.data, *end = key + m->text.size;
	const int orientation = xc_exif_orientation(&m->exif);

	if (orientation > 1)
		gdk_pixbuf_set_option(pixbuf, "orientation", (char[]){(char)('0' + orientation), 0});
	if (m->icc.size) {
		gchar *text = g_base64_encode(m->icc.data, m->icc.size);
		gdk_pixbuf_set_option(pixbuf, "icc-profile", text);
		g_free(text);
	}
	if (m->density_unit == 1) {
		set_density(pixbuf, "x-dpi", m->density_x);
		set_density(pixbuf, "y-dpi", m->density_y);
	}
	while (key && key < end) {
		const char *value = key + strlen(key) + 1;
		gchar *option = g_strconcat("tEXt::", key, NULL);
		gdk_pixbuf_set_option(pixbuf, option, value);
		g_free(option);
		key = value + strlen(value) + 1;
	}
}

/* Samples of 16 bits, up to the peak, as 8, rounded. */
static void narrow(guchar *to, const uint16_t *from, size_t samples, uint32_t peak)
{
	for (size_t i = 0; i < samples; i++)
		to[i] = (guchar)MIN((from[i] * 255U + peak / 2) / peak, 255);
}

/* Decodes the next rows into the pixbuf, by way of `wide` if they have 16 bits. */
static xc_status decode_rows(load *l, xc_decoder *decoder, const xc_info *info, uint16_t *wide)
{
	const size_t stride = (size_t)gdk_pixbuf_get_rowstride(l->pixbuf);
	const size_t samples = (size_t)gdk_pixbuf_get_width(l->pixbuf) *
	                       (size_t)gdk_pixbuf_get_n_channels(l->pixbuf);
	guchar *first = gdk_pixbuf_get_pixels(l->pixbuf) + (size_t)l->y * stride;
	const xc_pixels pixels = {
		.layout = gdk_pixbuf_get_has_alpha(l->pixbuf) ? XC_LAYOUT_RGBA : XC_LAYOUT_RGB,
		.width = (uint32_t)gdk_pixbuf_get_width(l->pixbuf),
		.height = (uint32_t)l->rows,
		.depth = info->depth,
		.plane[0] = wide ? (void *)wide : first,
		.stride[0] = (ptrdiff_t)(wide ? 2 * samples : stride),
	};
	const xc_status status = xc_decoder_pixels(decoder, &pixels);

	for (int y = 0; wide && !status && y < l->rows; y++)
		narrow(first + (size_t)y * stride, wide + (size_t)y * samples, samples,
		       info->metadata.range ? info->metadata.range : UINT16_MAX);
	return status;
}

/* Decodes all rows, each of which is shown once it is there. */
static xc_status decode(load *l, xc_context *context, xc_decoder *decoder)
{
	xc_picture shape;
	xc_info info;
	uint16_t *wide = NULL;
	xc_status status = XC_OK;

	xc_decoder_shape(decoder, &shape);
	xc_decoder_info(decoder, &info);
	if (shape.width <= G_MAXINT && shape.height <= G_MAXINT)
		l->pixbuf = gdk_pixbuf_new(GDK_COLORSPACE_RGB, shape.channels % 2 == 0, 8, (int)shape.width,
		                           (int)shape.height);
	if (l->pixbuf && shape.depth == 16)
		wide = g_try_malloc_n((size_t)ROWS * shape.width, 4 * sizeof *wide);
	if (!l->pixbuf || (shape.depth == 16 && !wide)) {
		g_set_error(&l->error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY,
		            "xcodec: not enough memory for %ux%u pixels", shape.width, shape.height);
		return XC_ERR_MEMORY;
	}
	set_options(l->pixbuf, &info.metadata);
	ask(l, WISH_PREPARED);
	for (l->y = 0; !status && l->y < (int)shape.height; l->y += l->rows) {
		l->rows = MIN(ROWS, (int)shape.height - l->y);
		status = decode_rows(l, decoder, &info, wide);
		if (!status)
			ask(l, WISH_UPDATED);
	}
	g_free(wide);
	status = status ? status : xc_decoder_finish(decoder);
	if (status) {
		fail(l, context, status);
		return status;
	}
	/* Metadata may also follow the pixels. */
	xc_decoder_info(decoder, &info);
	set_options(l->pixbuf, &info.metadata);
	return XC_OK;
}

static gpointer run(gpointer user)
{
	load *l = user;
	xc_context *context = xc_context_new(NULL);
	xc_decoder *decoder = NULL;
	xc_decode_options options = {0};
	xc_source source = {.read = read_bytes, .user = l};
	xc_info info;
	xc_status status = context ? read_header(l, context, &info) : XC_ERR_MEMORY;

	if (!status) {
		l->width = (int)MIN(info.width, G_MAXINT);
		l->height = (int)MIN(info.height, G_MAXINT);
		ask(l, WISH_SIZE);
		if (l->width < 1 || l->height < 1)
			goto out; /* gdk-pixbuf's way to say that the size was all that was wanted */
		options.scale = choose_scale(&info, l->width, l->height);
		if (xc_jpeg_is(l->start->data, l->start->len))
			source = (xc_source){.memory = l->start->data, .size = l->start->len};
		status = xc_decoder_new(context, &source, &options, &decoder);
	}
	if (status)
		fail(l, context, status);
	else
		decode(l, context, decoder);
	xc_decoder_free(decoder);
out:
	xc_context_free(context);
	ask(l, WISH_END);
	return NULL;
}

/* ------------------------------------------------------------- the caller */

/* Lets the thread run, and does what it wants, until it needs bytes or is at its end. Returns FALSE
 * after a failure, which goes to *error. */
static gboolean attend(load *l, GError **error)
{
	while (l->wish != WISH_END) {
		switch (proceed(l)) {
		case WISH_BYTES:
			return TRUE;
		case WISH_SIZE:
			if (l->size)
				l->size(&l->width, &l->height, l->user);
			break;
		case WISH_PREPARED:
			if (l->prepared)
				l->prepared(l->pixbuf, NULL, l->user);
			break;
		case WISH_UPDATED:
			if (l->updated)
				l->updated(l->pixbuf, 0, l->y, gdk_pixbuf_get_width(l->pixbuf), l->rows, l->user);
			break;
		case WISH_END:
			break;
		}
	}
	if (l->error)
		g_propagate_error(error, g_error_copy(l->error));
	return !l->error;
}

static gpointer begin_load(GdkPixbufModuleSizeFunc size, GdkPixbufModulePreparedFunc prepared,
                           GdkPixbufModuleUpdatedFunc updated, gpointer user, GError **error)
{
	load *l = g_new0(load, 1);

	*l = (load){.size = size, .prepared = prepared, .updated = updated, .user = user};
	l->start = g_byte_array_new();
	g_mutex_init(&l->lock);
	g_cond_init(&l->turned);
	l->decoding = 1;
	l->thread = g_thread_try_new("xcodec", run, l, error);
	if (!l->thread) {
		g_byte_array_unref(l->start);
		g_free(l);
		return NULL;
	}
	/* The first wish is one for bytes. */
	g_mutex_lock(&l->lock);
	while (l->decoding)
		g_cond_wait(&l->turned, &l->lock);
	g_mutex_unlock(&l->lock);
	return l;
}

static gboolean load_increment(gpointer user, const guchar *bytes, guint size, GError **error)
{
	load *l = user;

	l->bytes = bytes;
	l->left = size;
	return attend(l, error);
}

static gboolean stop_load(gpointer user, GError **error)
{
	load *l = user;

	/* After the size was all that was wanted, or a failure was reported, there is nothing to add. */
	const int done = l->wish == WISH_END && l->error;
	l->ended = 1;
	const gboolean good = attend(l, done ? NULL : error);
	g_thread_join(l->thread);
	if (l->pixbuf)
		g_object_unref(l->pixbuf);
	g_clear_error(&l->error);
	g_byte_array_unref(l->start);
	g_mutex_clear(&l->lock);
	g_cond_clear(&l->turned);
	g_free(l);
	return good;
}

/* ------------------------------------------------------------- the module */

G_MODULE_EXPORT void fill_vtable(GdkPixbufModule *module);
G_MODULE_EXPORT void fill_info(GdkPixbufFormat *info);

void fill_vtable(GdkPixbufModule *module)
{
	module->begin_load = begin_load;
	module->load_increment = load_increment;
	module->stop_load = stop_load;
}

void fill_info(GdkPixbufFormat *info)
{
	static gchar name[] = "xcodec", description[] = "xcodec picture", license[] = "BSD-2-Clause";
	static gchar magic[] = "\217XC\r\n\032\n"; /* doc/format.md, 2.1 */
	static gchar type[] = "image/x-xcodec", extension[] = "xc";
	static GdkPixbufModulePattern signature[] = {{magic, NULL, 100}, {NULL, NULL, 0}};
	static gchar *mime_types[] = {type, NULL}, *extensions[] = {extension, NULL};

	info->name = name;
	info->signature = signature;
	info->description = description;
	info->mime_types = mime_types;
	info->extensions = extensions;
	info->flags = GDK_PIXBUF_FORMAT_THREADSAFE;
	info->license = license;
}
