/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of the command's own, which must be regular: reading a pipe or a device in their place might never end. */
#ifndef XC_CLI_BASE_REGULAR_H
#define XC_CLI_BASE_REGULAR_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* openat(), which waits for nobody.  -1, and xc_cli_open_failure() tells why. */
static inline int xc_cli_open_regular(int folder, const char *name, int flags)
{
	struct stat status;
	const int file = openat(folder, name, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);

	if (file < 0 || (!fstat(file, &status) && S_ISREG(status.st_mode)))
		return file;
	close(file);
	errno = ENXIO; /* as openat() says of a pipe that nobody reads */
	return -1;
}

static inline const char *xc_cli_open_failure(void)
{
	return errno == ENXIO ? "it is no regular file" : strerror(errno);
}

#endif
