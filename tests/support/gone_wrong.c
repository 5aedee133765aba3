/* SPDX-License-Identifier: BSD-2-Clause */
/* A decoder gone wrong, for tests/command/sandbox.sh: LD_PRELOAD puts this read() before that of the C
 * library.  Whoever reads bytes that begin like an XC file then does what XC_GONE_WRONG says, as code in
 * such a file might: the process ends with status 86 if it could, else with 87.  The command knows
 * nothing of this. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* it declares the functions that are made here */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

enum { COULD = 86, COULD_NOT = 87 };

/* The words of XC_GONE_WRONG: "read FILE", "write FILE", "remove FILE", "mode FILE", or one without a file. */
static int done(const char *what, const char *file)
{
	char type[] = "x";

	if (!strcmp(what, "read"))
		return open(file, O_RDONLY) >= 0;
	if (!strcmp(what, "write"))
		return open(file, O_WRONLY | O_CREAT, 0600) >= 0;
	if (!strcmp(what, "remove"))
		return !unlink(file);
	if (!strcmp(what, "mode"))
		return !chmod(file, 0600);
	if (!strcmp(what, "socket"))
		return socket(AF_INET, SOCK_STREAM, 0) >= 0;
	if (!strcmp(what, "exec"))
		return execl("/bin/sh", "sh", "-c", "exit 86", (char *)NULL) == 0;
	if (!strcmp(what, "fork"))
		return fork() >= 0;
	if (!strcmp(what, "trace"))
		return ptrace(PTRACE_TRACEME, 0, NULL, NULL) >= 0;
	if (!strcmp(what, "signal"))
		return !syscall(SYS_tgkill, getppid(), getppid(), 0);
	if (!strcmp(what, "type"))
		return !ioctl(STDIN_FILENO, TIOCSTI, type) || errno != EPERM;
	if (!strcmp(what, "limit"))
		return !syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, NULL, NULL);
	if (!strcmp(what, "clone3"))
		return syscall(SYS_clone3, NULL, 0) >= 0 || errno != ENOSYS;
	fprintf(stderr, "gone_wrong: '%s' is unknown\n", what);
	abort();
}

static void go_wrong(const unsigned char *bytes, ssize_t size)
{
	static const unsigned char begin[] = {0x8F, 'X', 'C', '\r', '\n'};
	const char *wanted = getenv("XC_GONE_WRONG");
	char what[16];

	if (!wanted || size < (ssize_t)sizeof begin || memcmp(bytes, begin, sizeof begin) != 0)
		return;
	const char *blank = strchrnul(wanted, ' ');
	snprintf(what, sizeof what, "%.*s", (int)(blank - wanted), wanted);
	const int could = done(what, *blank ? blank + 1 : "");
	_exit(could ? COULD : COULD_NOT);
}

#pragma GCC visibility push(default)

ssize_t read(int file, void *to, size_t size)
{
	static ssize_t (*own)(int, void *, size_t);

	if (!own)
		*(void **)(void *)&own = dlsym(RTLD_NEXT, "read");
	const ssize_t got = own(file, to, size);
	go_wrong(to, got);
	return got;
}

/* What read() becomes where the compiler knows the size of the room. */
ssize_t __read_chk(int file, void *to, size_t size, size_t room);
ssize_t __read_chk(int file, void *to, size_t size, size_t room)
{
	return read(file, to, size < room ? size : room);
}
