/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/encode/window.h"

/* In front of the rows. */
typedef struct head {
	size_t size; /* of the rows */
	int kept;    /* from call to call */
	char pad[64 - sizeof(size_t) - sizeof(int)];
} head;

/* Larger ones cost less to make than to hold. */
static const size_t most_kept = (size_t)64 << 20;

/* The device is told of these at once, since copies from memory that it does not reach cost as much for the first picture. Of larger
 * ones it is told when a second picture comes. */
static const size_t small = (size_t)4 << 20;

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
static head *take_kept(xc_context *c, size_t size)
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

/* Pictures of any sizes soon find one that is large enough: it grows by half at least. */
static head *take_whole(xc_context *c, size_t size)
{
	head *h = take_kept(c, size);
	if (h)
		return h;
	const head *before = c->attached[XC_ATTACHED_WINDOW].data;
	const size_t grown = before ? before->size + before->size / 2 : 0;
	const size_t wanted = grown > size && grown <= most_kept ? grown : size;
	const int kept = wanted <= most_kept && xc_context_may_keep(c, wanted);
	xc_detach(c, XC_ATTACHED_WINDOW);
	h = make(c, kept ? wanted : size, kept);
	if (h && kept && wanted <= small)
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
