/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef XC_HAVE_LIBARCHIVE
#include "cli/stream/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are read and inflated at a time. */
enum { BLOCK = 1 << 18 };

/* Unpacked bytes of a shard that may be any number of times the packed ones. */
static const uint64_t any_shard = UINT64_C(1) << 30;

static int fail(xc_cli_unpack *u, xc_cli_kind reason, const char *what, const char *why)
{
	if (!*u->failure) {
		snprintf(u->failure, sizeof u->failure, "%s%s", what, why);
		u->reason = reason;
	}
	return -1;
}

static int fail_memory(xc_cli_unpack *u)
{
	return fail(u, XC_CLI_OVER_LIMIT, "out of memory", "");
}

/* Of a file that was only cut off, what came before is as it was. */
static int fail_packed(xc_cli_unpack *u, const char *why)
{
	const int cut = strstr(why, "runcated") != NULL;

	u->untrue |= !*u->failure && !cut;
	return fail(u, XC_CLI_BROKEN, cut ? "is cut off: " : "is damaged: ", why);
}

/* Reads a block of the file: its bytes, 0 at the end, or -1. */
static ptrdiff_t read_block(xc_cli_unpack *u)
{
	ssize_t got = (ssize_t)u->ready;

	u->ready = 0;
	while (!got) {
		got = read(u->file, u->in, BLOCK);
		if (got == 0)
			return 0;
		if (got < 0 && errno == EINTR)
			got = 0;
		else if (got < 0)
			return fail(u, XC_CLI_UNREADABLE, "cannot be read: ", strerror(errno));
	}
	u->packed += (uint64_t)got;
	return got;
}

/* ------------------------------------------------------------------------- gzip */

/* Makes sure that there is a byte to inflate, after the zeros that tapes leave between members: 1, 0 at the end, or -1. */
static int refill(xc_cli_unpack *u)
{
	z_stream *z = &u->zip;

	for (;;) {
		for (; z->avail_in && !u->in_member && !*z->next_in; z->next_in++)
			z->avail_in--;
		if (z->avail_in)
			return 1;
		const ptrdiff_t got = read_block(u);
		if (got <= 0)
			return got || !u->in_member ? (int)got : fail_packed(u, "truncated gzip input");
		z->next_in = u->in;
		z->avail_in = (uInt)got;
	}
}

static ptrdiff_t inflate_block(xc_cli_unpack *u)
{
	z_stream *z = &u->zip;
	int more;

	z->next_out = u->out;
	z->avail_out = BLOCK;
	while (z->avail_out && (more = refill(u))) {
		if (more < 0)
			return -1;
		u->in_member = 1;
		const int status = inflate(z, Z_NO_FLUSH);
		if (status == Z_STREAM_END) {
			u->in_member = 0;
			inflateReset(z);
		} else if (status == Z_MEM_ERROR) {
			return fail_memory(u);
		} else if (status != Z_OK) {
			return fail_packed(u, z->msg ? z->msg : "no gzip input");
		}
	}
	return BLOCK - (ptrdiff_t)z->avail_out;
}

static int begin_gzip(xc_cli_unpack *u)
{
	u->gzip = 1;
	u->out = malloc(BLOCK);
	/* 15 bits of window, and 16 for gzip alone: zlib checks its headers and sums */
	if (!u->out || inflateInit2(&u->zip, 15 + 16) != Z_OK) {
		u->gzip = 0;
		return fail_memory(u);
	}
	return 0;
}

/* ------------------------------------------------------------ what libarchive unpacks */

static int fail_raw(xc_cli_unpack *u)
{
	const char *why = archive_error_string(u->raw);

	/* most of what it has no words for is a lack of memory */
	return !why || archive_errno(u->raw) == ENOMEM ? fail_memory(u) : fail_packed(u, why);
}

static la_ssize_t give_packed(struct archive *raw, void *user, const void **block)
{
	xc_cli_unpack *u = user;

	(void)raw;
	*block = u->in;
	return read_block(u);
}

static int support(struct archive *raw)
{
	/* Without the library libarchive would run a program. */
	return (archive_bzlib_version() && archive_read_support_filter_bzip2(raw)) ||
	       (archive_liblzma_version() && archive_read_support_filter_xz(raw)) ||
	       (archive_libzstd_version() && archive_read_support_filter_zstd(raw)) ||
	       (archive_liblz4_version() && archive_read_support_filter_lz4(raw)) ||
	       archive_read_support_format_raw(raw);
}

static int begin_raw(xc_cli_unpack *u)
{
	struct archive_entry *entry;

	u->raw = archive_read_new();
	if (!u->raw)
		return fail_memory(u);
	if (support(u->raw) || archive_read_open(u->raw, u, NULL, give_packed, NULL) ||
	    archive_read_next_header(u->raw, &entry))
		return fail_raw(u);
	return 0;
}

static ptrdiff_t unpack_block(xc_cli_unpack *u, const void **block)
{
	size_t size;
	la_int64_t offset;
	const int status = archive_read_data_block(u->raw, block, &size, &offset);

	if (status == ARCHIVE_EOF)
		return 0;
	return status == ARCHIVE_OK ? (ptrdiff_t)size : fail_raw(u);
}

/* -------------------------------------------------------------------------- all */

/* What libarchive unpacks, by its first bytes: bzip2, xz, zstd, LZ4, and frames of these two that are passed over. */
static int is_packed(const uint8_t *p, size_t size)
{
	return size >= 4 && (!memcmp(p, "BZh", 3) ||
	                     !memcmp(p,
	                             "\xfd"
	                             "7zX",
	                             4) ||
	                     !memcmp(p, "\x28\xb5\x2f\xfd", 4) || !memcmp(p, "\x04\x22\x4d\x18", 4) ||
	                     !memcmp(p, "\x02\x21\x4c\x18", 4) ||
	                     (p[0] >> 4 == 5 && !memcmp(p + 1, "\x2a\x4d\x18", 3)));
}

int xc_cli_unpack_open(xc_cli_unpack *u, int file, uint64_t max_expansion)
{
	struct stat status;

	*u = (xc_cli_unpack){.file = file, .max_expansion = max_expansion, .in = malloc(BLOCK)};
	if (!u->in)
		return fail_memory(u);
	if (!fstat(file, &status) && S_ISREG(status.st_mode))
		u->size = (uint64_t)status.st_size;
	const ptrdiff_t got = read_block(u);
	if (got <= 0)
		return got ? -1 : fail(u, XC_CLI_FOREIGN, "the file is empty", "");
	u->ready = (size_t)got;
	u->packed = 0;
	if (got >= 2 && u->in[0] == 0x1f && u->in[1] == 0x8b)
		return begin_gzip(u);
	if (is_packed(u->in, u->ready))
		return begin_raw(u);
	u->plain = u->size && !lseek(file, 0, SEEK_SET);
	u->ready = u->plain ? 0 : u->ready;
	return 0;
}

uint64_t xc_cli_unpack_packed(const xc_cli_unpack *u)
{
	return u->size ? u->size : u->raw || u->gzip ? u->packed : UINT64_MAX;
}

static ptrdiff_t next_block(xc_cli_unpack *u, const void **block)
{
	*block = u->gzip ? u->out : u->in;
	if (*u->failure)
		return -1;
	const ptrdiff_t got = u->gzip  ? inflate_block(u)
	                      : u->raw ? unpack_block(u, block)
	                               : read_block(u);
	u->unpacked += got > 0 ? (uint64_t)got : 0;
	if (got > 0 && u->max_expansion && u->unpacked > any_shard &&
	    u->unpacked / u->max_expansion > xc_cli_unpack_packed(u))
		return fail(u, XC_CLI_OVER_LIMIT, "unpacks to far more than it has (see --max-expansion)",
		            "");
	return got;
}

/* libarchive takes the error from here, but may put other words in its place. */
static la_ssize_t give(struct archive *tar, void *user, const void **block)
{
	const ptrdiff_t got = next_block(user, block);

	if (got < 0)
		archive_set_error(tar, EIO, "%s", ((xc_cli_unpack *)user)->failure);
	return got;
}

/* Bytes that are passed over are not read, unless sums or limits need them. */
static la_int64_t skip(struct archive *tar, void *user, la_int64_t wanted)
{
	xc_cli_unpack *u = user;
	const off_t at = u->plain ? lseek(u->file, 0, SEEK_CUR) : -1;

	(void)tar;
	if (at < 0 || (uint64_t)at >= u->size)
		return 0;
	const uint64_t left = u->size - (uint64_t)at;
	const off_t step = (off_t)((uint64_t)wanted < left ? (uint64_t)wanted : left);
	return lseek(u->file, step, SEEK_CUR) < 0 ? 0 : step;
}

int xc_cli_unpack_feed(xc_cli_unpack *u, struct archive *tar)
{
	return archive_read_support_format_tar(tar) ||
	               archive_read_open2(tar, u, NULL, give, skip, NULL)
	           ? -1
	           : 0;
}

int xc_cli_unpack_end(xc_cli_unpack *u)
{
	const void *block;
	ptrdiff_t got = 1;

	while (got > 0 && !u->plain)
		got = next_block(u, &block);
	return got < 0 ? -1 : 0;
}

void xc_cli_unpack_close(xc_cli_unpack *u)
{
	archive_read_free(u->raw);
	if (u->gzip)
		inflateEnd(&u->zip);
	free(u->in);
	free(u->out);
}

#endif
