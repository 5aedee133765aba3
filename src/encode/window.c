/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/encode/window.h"

/* In front of the rows. */
typedef struct head {
	size_t size; /* of the rows */
	int kept;    /* from call to call */
	char pad[64 - sizeof(size_t) - sizeof(int)];
} head;

/* Larger windows are not kept, so that contexts hold little between calls. */
static const size_t max_cached = (size_t)64 << 20;

/* Up to this size a window is pinned at once: a copy from other memory would cost as much. Larger
 * ones are pinned when a second picture uses them. */
static const size_t max_pinned_at_once = (size_t)4 << 20;

static void close_window(xc_context *c, void *window)
{
	if (c->device.backend)
		c->device.backend->unpin(c, window);
	xc_release(c, window);
}

static void pin(xc_context *c, head *h)
{
	c->device.backend->pin(c, h, sizeof *h + h->size);
}

/* The window that is kept, if it is large enough. */
static head *take_cached(xc_context *c, size_t size)
{
	xc_attachment *kept = &c->attached[XC_ATTACHED_WINDOW];
	head *h = kept->data;

	if (!h || h->size < size)
		return NULL;
	kept->data = NULL;
	pin(c, h);
	return h;
}

static head *make(xc_context *c, size_t size, int kept)
{
	head *h = size <= SIZE_MAX - sizeof *h ? xc_allocate(c, sizeof *h + size) : NULL;

	if (h)
		*h = (head){.size = size, .kept = kept};
	return h;
}

static int may_cache(const xc_context *c, size_t size)
{
	return size <= max_cached && xc_context_may_cache(c, size);
}

/* A new window has half as much room again as the one before, so that pictures of any sizes soon
 * find enough. */
static head *take_whole(xc_context *c, size_t size)
{
	head *h = take_cached(c, size);

	if (h)
		return h;
	const head *before = c->attached[XC_ATTACHED_WINDOW].data;
	const size_t grown = before ? before->size + before->size / 2 : 0;
	const size_t wanted = grown > size && may_cache(c, grown) ? grown : size;
	xc_detach(c, XC_ATTACHED_WINDOW);
	h = make(c, wanted, may_cache(c, wanted));
	if (h && h->kept && wanted <= max_pinned_at_once)
		pin(c, h);
	return h;
}

uint8_t *xc_encode_window_take(xc_context *c, size_t size, int whole)
{
	head *h = whole ? take_whole(c, size) : make(c, size, 0);
	return h ? (uint8_t *)(h + 1) : NULL;
}

void xc_encode_window_give(xc_context *c, uint8_t *window)
{
	head *h = window ? (head *)(void *)window - 1 : NULL;

	if (!h)
		return;
	if (h->kept) {
		xc_detach(c, XC_ATTACHED_WINDOW);
		c->attached[XC_ATTACHED_WINDOW] = (xc_attachment){h, close_window};
	} else {
		xc_release(c, h);
	}
}
