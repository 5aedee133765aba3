/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/io.h"
#include "cli/base/command.h"
#include "cli/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stdio.h>

/* State of the process outside main(), because a signal handler has no other way to learn
 * it.  A PENDING file exists and was made by this process. */
enum { FREE, TAKEN, CREATING, PENDING };
static struct {
	int folder;
	char name[XC_CLI_TEMPORARY_NAME];
	int state;
} files[XC_CLI_WRITERS];
static int ending;
static const char *last_words;

static int state_of(int i)
{
	return __atomic_load_n(&files[i].state, __ATOMIC_SEQ_CST);
}

static void set_state(int i, int state)
{
	__atomic_store_n(&files[i].state, state, __ATOMIC_SEQ_CST);
}

static void remove_pending(void)
{
	/* A thread that sees `ending` begins no more files.  A thread that does not see it is
	 * seen CREATING, and is not the one interrupted here: see xc_cli_temporary_create(). */
	__atomic_store_n(&ending, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < XC_CLI_WRITERS; i++) {
		while (state_of(i) == CREATING)
			poll(NULL, 0, 1);
		if (state_of(i) == PENDING)
			unlinkat(files[i].folder, files[i].name, 0);
	}
}

static void end_by_signal(int number)
{
	sigset_t set;

	remove_pending();
	if (last_words && write(STDERR_FILENO, last_words, strlen(last_words)) < 0)
		errno = 0; /* nobody is left to tell */
	/* The process ends by the signal, as its parent expects.  The first process of a
	 * container does not end by its own signals, so it exits. */
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	_exit(128 + number);
}

void xc_cli_last_words(const char *text)
{
	last_words = text;
}

/* The last ones are crashes, of libarchive for instance where it lacks memory. */
static const int deadly[] = {SIGHUP,  SIGINT,  SIGPIPE, SIGQUIT, SIGTERM,
                             SIGXCPU, SIGABRT, SIGBUS,  SIGSEGV};

static sigset_t deadly_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		sigaddset(&set, deadly[i]);
	return set;
}

/* Called once, by main().  Installs the handlers, and turns SIGXFSZ into the error EFBIG.  A
 * signal that the caller ignores stays ignored. */
static void prepare_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_IGN};

	sigemptyset(&action.sa_mask);
	sigaction(SIGXFSZ, &action, NULL);
	/* libarchive calls exit() where it lacks memory */
	atexit(remove_pending);
	action.sa_handler = end_by_signal;
	action.sa_mask = deadly_set();
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
		struct sigaction old;

		/* what nohup and background jobs ignore stays ignored, and crashes stay a sanitizer's */
		if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
	}
}

static int take(int folder, const char *name)
{
	const size_t size = strlen(name) + 1;

	for (int i = 0; size <= sizeof files->name && i < XC_CLI_WRITERS; i++) {
		int expected = FREE;

		if (!__atomic_compare_exchange_n(&files[i].state, &expected, TAKEN, 0, __ATOMIC_ACQUIRE,
		                                 __ATOMIC_RELAXED))
			continue;
		files[i].folder = folder;
		memcpy(files[i].name, name, size);
		return i;
	}
	errno = ENAMETOOLONG;
	return -1;
}

static int create(int folder, const char *name, mode_t mode)
{
	return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

/* An empty file tells what a new one may be in this folder, by the umask and the folder's access
 * list: 0, or -1 with errno. */
static int find_usual(int folder, const char *name, mode_t *usual)
{
	struct stat status;
	const int first = create(folder, name, 0666);

	if (first < 0)
		return -1;
	*usual = fstat(first, &status) ? 0600 : status.st_mode & 0777;
	close(first);
	return unlinkat(folder, name, 0);
}

/* The file with the bytes is another one than that: whoever opened the first never reads a byte. */
static int create_private(int folder, const char *name, mode_t *usual)
{
	if (*usual == XC_CLI_MODE_UNKNOWN && find_usual(folder, name, usual))
		return -1;
	return create(folder, name, 0600);
}

/* Returns, unless the process is about to end. */
static void go_on(void)
{
	while (__atomic_load_n(&ending, __ATOMIC_SEQ_CST))
		pause();
}

int xc_cli_temporary_create(int folder, const char *name, mode_t *usual, int *number)
{
	const sigset_t set = deadly_set();
	sigset_t before;
	int file = -1, error = 0, i = take(folder, name);

	if (i < 0)
		return -1;
	/* The handler waits for this thread, so it must not interrupt it. */
	pthread_sigmask(SIG_BLOCK, &set, &before);
	set_state(i, CREATING);
	if (!__atomic_load_n(&ending, __ATOMIC_SEQ_CST)) {
		file = create_private(folder, name, usual);
		error = errno;
	}
	set_state(i, file < 0 ? FREE : PENDING);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	go_on();
	*number = i;
	errno = error;
	return file;
}

void xc_cli_temporary_done(int number)
{
	set_state(number, FREE);
	go_on();
}

/* --------------------------------------------------------------------- the begin and the end */

/* If the caller closed standard input, output or error, the next file that is opened would
 * take its place.  This opens one there whose use fails. */
static void hold_standard_files(void)
{
	static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int i = 0; i < 3; i++)
		if (fcntl(i, F_GETFD) < 0)
			open("/dev/null", useless[i]);
}

int xc_cli_find_beside(char path[XC_CLI_PATH_SIZE], const char *name)
{
	const ssize_t n = readlink("/proc/self/exe", path, XC_CLI_PATH_SIZE);
	size_t folder = n > 0 && n < XC_CLI_PATH_SIZE ? (size_t)n : 0;

	while (folder && path[folder - 1] != '/')
		folder--;
	const size_t left = XC_CLI_PATH_SIZE - folder;
	return folder && (size_t)snprintf(path + folder, left, "%s", name) < left &&
	       access(path, R_OK) == 0;
}

/* A command that runs where it was built uses the CUDA modules that were built there. */
static void use_modules_beside(void)
{
	char path[XC_CLI_PATH_SIZE];

	if (xc_cli_find_beside(path, "xcodec-cuda.so"))
		setenv("XC_CUDA_MODULE", path, 0);
}

void xc_cli_start(const char *program)
{
	xc_cli_program = program;
	hold_standard_files();
	use_modules_beside();
	prepare_signals();
}

int xc_cli_end(int status)
{
	return status == XC_CLI_DONE && xc_cli_flush_output() ? XC_CLI_FAILED : status;
}
