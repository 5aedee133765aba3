/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of libarchive that are used, archive_NAME() as libarchive.NAME().  The library is loaded
 * when the first tar file is opened, since it and what it needs take longer to load than a small picture
 * takes to encode.
 */
#ifndef XC_CLI_STREAM_LIBARCHIVE_H
#define XC_CLI_STREAM_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#define XC_CLI_LIBARCHIVE(F) \
	F(clear_error) \
	F(entry_copy_pathname) \
	F(entry_filetype) \
	F(entry_free) \
	F(entry_hardlink) \
	F(entry_mtime) \
	F(entry_mtime_is_set) \
	F(entry_new2) \
	F(entry_pathname) \
	F(entry_set_filetype) \
	F(entry_set_mtime) \
	F(entry_set_perm) \
	F(entry_set_size) \
	F(entry_size) \
	F(entry_sparse_count) \
	F(error_string) \
	F(file_count) \
	F(filter_bytes) \
	F(filter_count) \
	F(read_data) \
	F(read_data_block) \
	F(read_free) \
	F(read_header_position) \
	F(read_new) \
	F(read_next_header) \
	F(read_open_fd) \
	F(read_support_filter_bzip2) \
	F(read_support_filter_gzip) \
	F(read_support_filter_lz4) \
	F(read_support_filter_xz) \
	F(read_support_filter_zstd) \
	F(read_support_format_tar) \
	F(set_error) \
	F(write_close) \
	F(write_data) \
	F(write_fail) \
	F(write_free) \
	F(write_header) \
	F(write_new) \
	F(write_open) \
	F(write_set_bytes_in_last_block) \
	F(write_set_bytes_per_block) \
	F(write_set_format_pax_restricted)

typedef struct xc_cli_libarchive {
#define XC_CLI_LIBARCHIVE_MEMBER(name) __typeof__(archive_##name) *name;
	XC_CLI_LIBARCHIVE(XC_CLI_LIBARCHIVE_MEMBER)
#undef XC_CLI_LIBARCHIVE_MEMBER
} xc_cli_libarchive;

extern xc_cli_libarchive libarchive;

/* Before any of them is called; any number of times, by any thread: NULL, or why not. */
const char *xc_cli_libarchive_load(void);

#endif
