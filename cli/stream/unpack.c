/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/report.h"

#ifdef XC_HAVE_LIBARCHIVE

#include "cli/stream/unpack.h"

#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Unpacked bytes of a shard that may be any number of times the packed ones. */
static const uint64_t any_shard = UINT64_C(1) << 30;

static int fail(xc_cli_unpacker *u, xc_cli_kind reason, const char *why)
{
	const char *what = reason == XC_CLI_BROKEN       ? "is damaged: "
	                   : reason == XC_CLI_UNREADABLE ? "cannot be read: "
	                                                 : "";

	if (!*u->failure) {
		snprintf(u->failure, sizeof u->failure, "%s%s", what, why);
		u->reason = reason;
	}
	return -1;
}

/* Reads a block of the file: its bytes, 0 at the end, or -1. */
static ptrdiff_t read_block(xc_cli_unpacker *u)
{
	const int got = u->ready ? u->ready : gzread(u->file, u->block, XC_CLI_UNPACK_BLOCK);
	int status = Z_OK;

	u->ready = 0;
	if (got > 0)
		return got;
	const char *text = gzerror(u->file, &status), *why = strstr(text, ">: ");
	why = why ? why + 3 : text; /* after "<fd:3>: " */
	if (!got && status == Z_OK)
		return 0;
	return fail(u,
	            status == Z_BUF_ERROR || status == Z_DATA_ERROR ? XC_CLI_BROKEN
	            : status == Z_ERRNO                             ? XC_CLI_UNREADABLE
	                                                            : XC_CLI_OVER_LIMIT,
	            why);
}

static la_ssize_t give_packed(struct archive *raw, void *user, const void **block)
{
	xc_cli_unpacker *u = user;

	(void)raw;
	*block = u->block;
	return read_block(u);
}

static int fail_raw(xc_cli_unpacker *u)
{
	const char *why = archive_error_string(u->raw);

	/* most of what it has no words for is a lack of memory */
	return !why || archive_errno(u->raw) == ENOMEM ? fail(u, XC_CLI_OVER_LIMIT, "out of memory")
	                                               : fail(u, XC_CLI_BROKEN, why);
}

/* Where libarchive was built without a library, it would run a program. */
static int begin_raw(xc_cli_unpacker *u)
{
	struct archive *raw = u->raw = archive_read_new();
	struct archive_entry *entry;

	if (!raw)
		return fail(u, XC_CLI_OVER_LIMIT, "out of memory");
	return (archive_bzlib_version() && archive_read_support_filter_bzip2(raw)) ||
	               (archive_liblzma_version() && (archive_read_support_filter_xz(raw) ||
	                                              archive_read_support_filter_lzma(raw))) ||
	               (archive_libzstd_version() && archive_read_support_filter_zstd(raw)) ||
	               (archive_liblz4_version() && archive_read_support_filter_lz4(raw)) ||
	               archive_read_support_format_raw(raw) ||
	               archive_read_open(raw, u, NULL, give_packed, NULL) ||
	               archive_read_next_header(raw, &entry)
	           ? fail_raw(u)
	           : 0;
}

uint64_t xc_cli_unpack_packed(const xc_cli_unpacker *u)
{
	if (u->size || (!u->raw && gzdirect(u->file)))
		return u->size ? u->size : UINT64_MAX;
	return (uint64_t)gzoffset(u->file);
}

/* Unpacks a block: its bytes, 0 at the end, or -1. */
static ptrdiff_t next_block(xc_cli_unpacker *u, const void **block)
{
	la_int64_t offset;
	size_t size = 0;
	ptrdiff_t got;

	*block = u->block;
	if (*u->failure)
		return -1;
	if (u->raw) {
		const int status = archive_read_data_block(u->raw, block, &size, &offset);
		got = status == ARCHIVE_OK || status == ARCHIVE_EOF ? (ptrdiff_t)size : fail_raw(u);
	} else {
		got = read_block(u);
	}
	u->unpacked += got > 0 ? (uint64_t)got : 0;
	if (got > 0 && u->unpacked > any_shard &&
	    u->unpacked / u->max_expansion > xc_cli_unpack_packed(u))
		return fail(u, XC_CLI_OVER_LIMIT, "unpacks to far more than it has (see --max-expansion)");
	return got;
}

/* libarchive takes the error from here, but may put other words in its place. */
static la_ssize_t give(struct archive *tar, void *user, const void **block)
{
	const ptrdiff_t got = next_block(user, block);

	if (got < 0)
		archive_set_error(tar, EIO, "%s", ((xc_cli_unpacker *)user)->failure);
	return got;
}

/* Bytes that are passed over are not read, unless sums or limits need them. */
static la_int64_t skip(struct archive *tar, void *user, la_int64_t wanted)
{
	xc_cli_unpacker *u = user;
	const int64_t left = u->plain ? (int64_t)u->size - gztell(u->file) : 0;
	const la_int64_t step = wanted < left ? wanted : left;

	(void)tar;
	return step > 0 && gzseek(u->file, (z_off_t)step, SEEK_CUR) >= 0 ? step : 0;
}

/* What libarchive unpacks, by its first bytes: bzip2, xz, zstd, LZ4, frames of these two that are
 * passed over, LZMA. */
static int is_packed(const uint8_t *p, ptrdiff_t size)
{
	static const char magic[][5] = {"BZh", "\3757zX", "(\265/\375", "]\0", "\4\"M\30", "\2!L\30"};

	for (size_t i = 0; size >= 4 && i < sizeof magic / sizeof *magic; i++)
		if (!memcmp(p, magic[i], magic[i][0] == ']' ? 3 : strlen(magic[i])))
			return 1;
	return size >= 4 && p[0] >> 4 == 5 && !memcmp(p + 1, "\x2a\x4d\x18", 3);
}

int xc_cli_unpack_open(xc_cli_unpacker *u, const char *path, uint64_t max_expansion,
                       struct archive *tar)
{
	struct stat status;

	u->max_expansion = max_expansion;
	u->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (u->fd < 0)
		return fail(u, XC_CLI_UNREADABLE, strerror(errno));
	u->block = malloc(XC_CLI_UNPACK_BLOCK);
	u->file = gzdopen(u->fd, "rb");
	if (!u->file)
		close(u->fd);
	if (!u->block || !u->file || gzbuffer(u->file, XC_CLI_UNPACK_BLOCK / 2))
		return fail(u, XC_CLI_OVER_LIMIT, "out of memory");
	if (!fstat(u->fd, &status) && S_ISREG(status.st_mode))
		u->size = (uint64_t)status.st_size;
	const ptrdiff_t got = read_block(u);
	if (got <= 0)
		return got ? -1 : fail(u, XC_CLI_FOREIGN, "the file is empty");
	u->ready = (int)got;
	if (is_packed(u->block, got) && begin_raw(u))
		return -1;
	u->plain = u->size && !u->raw && gzdirect(u->file);
	return archive_read_support_format_tar(tar) ||
	       archive_read_open2(tar, u, NULL, give, skip, NULL);
}

int xc_cli_unpack_end(xc_cli_unpacker *u)
{
	const void *block;
	ptrdiff_t got = 1;

	while (got > 0 && !u->plain)
		got = next_block(u, &block);
	return got < 0 ? -1 : 0;
}

void xc_cli_unpack_close(xc_cli_unpacker *u)
{
	archive_read_free(u->raw);
	if (u->file)
		gzclose_r(u->file);
	free(u->block);
}

#endif
