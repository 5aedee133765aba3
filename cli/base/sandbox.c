/* SPDX-License-Identifier: BSD-2-Clause */
/* See sandbox.h.  The numbers of the kernel's interface are here because the headers of the kernel may
 * be older than the one that runs, or absent, as beside musl: landlock(7), seccomp(2). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH, syscall() */
#endif

#include "cli/base/sandbox.h"

#include "cli/base/io.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>

const xc_cli_option xc_cli_sandbox_options[] =
	{XC_CLI_FLAG_OPTION("no-sandbox", 0, 0, 1,
                        "work without the sandbox, in which only the named files can be read, the "
                        "results' folder be written, and no program be started"),
     {.name = NULL}};

#ifdef __linux__

#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define XC_SANITIZED
#endif

/* ------------------------------------------------------------------------------------ Landlock */

/* The calls' numbers: where the headers are too old to have them, those of all machines but two; -1 is none. */
#ifdef SYS_landlock_create_ruleset
enum {
	CREATE_RULESET = SYS_landlock_create_ruleset,
	ADD_RULE = SYS_landlock_add_rule,
	RESTRICT_SELF = SYS_landlock_restrict_self
};
#elif defined __alpha__ || defined __mips__
enum { CREATE_RULESET = -1, ADD_RULE = -1, RESTRICT_SELF = -1 };
#else
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
#endif

enum { VERSION_WANTED = 1 << 0, PATH_BENEATH = 1 };

/* Rights to files, in the order of the kernel's bits. */
enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	REMOVE_FILE = 1 << 5,
	MAKE_DIR = 1 << 7,
	MAKE_REG = 1 << 8,
	REFER = 1 << 13,
	TRUNCATE = 1 << 14
};
/* Rights that are handled, which the kernel of that version knows: all of them up to REFER, without
 * which no file goes from one folder to another; TRUNCATE; ioctl() on devices. */
enum { ABI_REFER = 2, ABI_TRUNCATE = 3, ABI_NETWORK = 4, ABI_IOCTL = 5, ABI_SCOPE = 6 };

typedef struct ruleset {
	uint64_t files;   /* since version 1 */
	uint64_t network; /* 4: bind() and connect() of TCP */
	uint64_t scope;   /* 6: abstract sockets, signals, to processes outside */
} ruleset;

struct __attribute__((packed)) beneath {
	uint64_t rights;
	int32_t file;
};

typedef struct landlock {
	int rules; /* a file descriptor */
	uint64_t handled;
} landlock;

/* Whether a call fails because the kernel has not got it, or another sandbox keeps it from the
 * process. */
static int is_absent(int error)
{
	return error == ENOSYS || error == EOPNOTSUPP || error == EINVAL || error == EPERM;
}

/* The version that the kernel has; 0 if it has none, or one without REFER, in which no result could get its name. */
static int landlock_version(void)
{
	const long n = syscall(CREATE_RULESET, NULL, (size_t)0, VERSION_WANTED);

	return n < ABI_REFER ? 0 : (int)n;
}

static int fail(const char *what)
{
	return xc_cli_error(NULL,
	                    "the sandbox cannot be entered: %s: %s (--no-sandbox works without it)",
	                    what, strerror(errno));
}

/* A path that cannot be opened is left out: its use fails with a message of its own.  So is what is in
 * no file system, such as a pipe, to which no rule applies. */
static int allow(const landlock *l, const char *path, uint64_t rights)
{
	const int file = open(path, O_PATH | O_CLOEXEC);
	struct stat status;

	if (file < 0)
		return 0;
	if (!fstat(file, &status) && !S_ISDIR(status.st_mode))
		rights &= READ_FILE | WRITE_FILE | TRUNCATE;
	const struct beneath rule = {rights & l->handled, file};
	const int failed = syscall(ADD_RULE, l->rules, PATH_BENEATH, &rule, 0) && errno != EBADFD;
	const int error = errno;
	close(file);
	errno = error;
	return failed ? fail("Landlock") : 0;
}

static int allow_list(const landlock *l, const char *paths, uint64_t rights)
{
	char *list = strdup(paths ? paths : ""), *rest = list, *path;
	int failed = list ? 0 : fail("Landlock");

	while (!failed && (path = strsep(&rest, ":")))
		failed = *path && allow(l, path, rights);
	free(list);
	return failed;
}

/* Libraries that are opened late (libtiff, tables of iconv, messages), and what the C library and
 * sanitizers look up. */
static int allow_system(const landlock *l)
{
	static const char paths[] =
		"/usr:/lib:/lib64:/etc/ld.so.cache:/nix/store:/gnu/store:/proc/self:"
		"/sys/devices/system/cpu:" XC_PKGLIBDIR;
	const uint64_t rights = READ_FILE | READ_DIR;

	return allow_list(l, paths, rights) || allow_list(l, getenv("LD_LIBRARY_PATH"), rights) ||
	       allow_list(l, getenv("XC_CUDA_MODULE"), rights);
}

static int is_path(const char *path)
{
	return path && strcmp(path, "-") != 0;
}

static int allow_result(const landlock *l, const char *path, uint64_t rights);

/* Rights to delete are those of the folder that a file is in. */
static int allow_deleting(const landlock *l, const xc_cli_sandbox *a)
{
	int failed = a->reads_all && allow(l, "/", REMOVE_FILE);

	for (int i = 0; i < a->count && !failed; i++)
		failed = xc_cli_is_folder(a->inputs[i])
		             ? allow(l, a->inputs[i], REMOVE_FILE)
		             : is_path(a->inputs[i]) && allow_result(l, a->inputs[i], REMOVE_FILE);
	return failed;
}

static int allow_inputs(const landlock *l, const xc_cli_sandbox *a)
{
	int all = a->reads_all, failed = 0;

	if (a->deletes && allow_deleting(l, a))
		return -1;
	for (int i = 0; i < a->count && !all; i++)
		all = xc_cli_is_folder(a->inputs[i]);
	if (all)
		return allow(l, "/", READ_FILE | READ_DIR);
	for (int i = 0; i < a->count && !failed; i++)
		failed = is_path(a->inputs[i]) && allow(l, a->inputs[i], READ_FILE);
	return failed || (is_path(a->also_read) && allow(l, a->also_read, READ_FILE));
}

/* The folder of a result, which replaces the file that a link leads to; or the device or pipe. */
static int allow_result(const landlock *l, const char *path, uint64_t rights)
{
	struct stat status;
	char *own = realpath(path, NULL);

	if (!stat(path, &status) && !S_ISREG(status.st_mode)) {
		free(own);
		return allow(l, path, WRITE_FILE);
	}
	own = own ? own : strdup(path);
	if (!own)
		return fail("Landlock");
	char *slash = strrchr(own, '/');
	if (slash)
		slash[slash == own] = '\0';
	const int failed = allow(l, slash ? own : ".", rights);
	free(own);
	return failed;
}

static int allow_results(const landlock *l, const xc_cli_sandbox *a)
{
	const uint64_t file = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | MAKE_REG | REMOVE_FILE;

	if (a->folder && allow(l, a->folder, file | MAKE_DIR | REFER))
		return -1;
	return is_path(a->result) ? allow_result(l, a->result, file) : 0;
}

/* The next step needs this one; it holds for programs that are started as well. */
static int keep_privileges(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? fail("no_new_privs") : 0;
}

static int enter_landlock(const xc_cli_sandbox *allowed)
{
	const int version = landlock_version();
	ruleset all = {.files = (REFER << 1) - 1};

	if (!version)
		return 0;
	all.files |= version >= ABI_TRUNCATE ? TRUNCATE : 0;
	all.files |= version >= ABI_IOCTL ? TRUNCATE << 1 : 0;
	all.network = version >= ABI_NETWORK ? 3 : 0;
	all.scope = version >= ABI_SCOPE ? 3 : 0;
#ifdef XC_SANITIZED
	all.files &= ~(uint64_t)EXECUTE; /* a report asks a program for names */
#endif
	const landlock l = {.rules = (int)syscall(CREATE_RULESET, &all,
	                                          version >= ABI_SCOPE     ? sizeof all
	                                          : version >= ABI_NETWORK ? offsetof(ruleset, scope)
	                                                                   : sizeof all.files,
	                                          0),
	                    .handled = all.files};
	if (l.rules < 0)
		return is_absent(errno) ? 0 : fail("Landlock");
	int failed = allow_system(&l) || allow_inputs(&l, allowed) || allow_results(&l, allowed);
	if (!failed && syscall(RESTRICT_SELF, l.rules, 0))
		failed = fail("Landlock");
	close(l.rules);
	return failed;
}

/* ------------------------------------------------------------------------------------- seccomp */

#ifdef __x86_64__
#define AUDIT_MACHINE 0xC000003Eu
#elif defined __aarch64__
#define AUDIT_MACHINE 0xC00000B7u
#endif

/* A sanitizer makes other calls: it stops its process to look for leaks, and starts programs. */
#if defined AUDIT_MACHINE && defined __LP64__ && !defined XC_SANITIZED

/* The calls of a codec with files and threads, and of glibc, musl and the libraries of formats, beside those of
 * write_filter().  Other calls, those of future kernels too, fail with ENOSYS, which C libraries take for an old kernel
 * and go another way: so clone3(), whose flags a filter cannot see, becomes clone().  What Landlock does not guard is
 * not among them with a path: modes, owners, attributes, times. */
/* clang-format off */
static const short calls[] = {
	/* files that are open */
	SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_lseek, SYS_close, SYS_fstat, SYS_fcntl,
	SYS_flock, SYS_fsync, SYS_fdatasync, SYS_sync, SYS_syncfs, SYS_ftruncate, SYS_fallocate, SYS_fadvise64, SYS_dup, SYS_dup3,
	SYS_copy_file_range, SYS_sendfile, SYS_fstatfs, SYS_ppoll, SYS_pselect6,
	/* paths, which Landlock guards */
	SYS_openat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_getcwd,
	SYS_mkdirat, SYS_renameat, SYS_renameat2, SYS_linkat, SYS_unlinkat, SYS_fchmod, SYS_fchown, SYS_umask,
	/* memory */
	SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk, SYS_msync, SYS_mincore, SYS_membarrier,
	/* threads */
	SYS_exit, SYS_exit_group, SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address,
	SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_getcpu,
	/* signals */
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_rt_sigpending,
	SYS_rt_sigsuspend, SYS_sigaltstack, SYS_restart_syscall,
	/* times, and what the process is */
	SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_times,
	SYS_getrusage, SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname,
	SYS_sysinfo, SYS_getrandom,
#ifdef SYS_rseq
	SYS_rseq,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
#ifdef SYS_futex_waitv
	SYS_futex_waitv,
#endif
#ifdef __x86_64__ /* calls that later machines have not got any more */
	SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rename, SYS_link, SYS_unlink, SYS_dup2, SYS_poll, SYS_select, SYS_pause, SYS_time, SYS_getrlimit, SYS_arch_prctl,
#endif
};
/* clang-format on */

/* struct sock_filter and sock_fprog; struct seccomp_data has the call's number, the machine, an address, and
 * arguments of 64 bits from byte 16 on, whose lower half comes first on both machines. */
typedef struct instruction {
	uint16_t code;
	uint8_t if_true, if_false; /* instructions to leave out */
	uint32_t value;
} instruction;

typedef struct program {
	unsigned short count;
	instruction *code;
} program;

enum { LOAD = 0x20, IF_EQUAL = 0x15, IF_AT_LEAST = 0x35, IF_ANY_BIT = 0x45, RETURN = 0x06 };
enum { NUMBER = 0, MACHINE = 4, ARGUMENT = 16 };
#define LET_PASS 0x7FFF0000u
#define FAIL_WITH 0x00050000u
#define KILL 0x80000000u
enum { MAX_CODE = 1024, MAX_CALLS = 512 };

static int add(program *p, int code, uint32_t value, int if_true, int if_false)
{
	p->code[p->count] = (instruction){(uint16_t)code, (uint8_t)if_true, (uint8_t)if_false, value};
	return p->count++;
}

/* What becomes of a call.  The last ones depend on an argument. */
typedef enum verdict {
	REFUSED,
	PASSES,
	TERMINAL,
	OWN_LIMITS,
	OWN_THREADS,
	NEW_THREADS,
	NO_PATH
} verdict;

/* A call passes if the lower half of its argument is one of these. */
static void only(program *p, int argument, const uint32_t *values, int count)
{
	add(p, LOAD, ARGUMENT + 8 * (uint32_t)argument, 0, 0);
	for (int i = 0; i < count; i++)
		add(p, IF_EQUAL, values[i], count - i, 0);
	add(p, RETURN, FAIL_WITH | EPERM, 0, 0);
	add(p, RETURN, LET_PASS, 0, 0);
}

/* Threads alone, without name spaces of their own. */
static void only_threads(program *p)
{
	const uint32_t thread = 0x00010000, spaces = 0x7E020080;

	add(p, LOAD, ARGUMENT, 0, 0);
	add(p, IF_ANY_BIT, spaces, 1, 0);
	add(p, IF_ANY_BIT, thread, 1, 0);
	add(p, RETURN, FAIL_WITH | EPERM, 0, 0);
	add(p, RETURN, LET_PASS, 0, 0);
}

/* Files that are open alone: the second argument, a path, is NULL. */
static void only_open_files(program *p)
{
	const uint32_t path = ARGUMENT + 8;

	add(p, LOAD, path, 0, 0);
	add(p, IF_EQUAL, 0, 0, 2);
	add(p, LOAD, path + 4, 0, 0);
	add(p, IF_EQUAL, 0, 1, 0);
	add(p, RETURN, FAIL_WITH | EPERM, 0, 0);
	add(p, RETURN, LET_PASS, 0, 0);
}

static void conclude(program *p, verdict v)
{
	/* TCGETS, TCGETS2, TIOCGWINSZ: not TIOCSTI, which types at the terminal */
	static const uint32_t terminal[] = {0x5401, 0x802C542A, 0x5413}, oneself = 0;
	const uint32_t own = (uint32_t)getpid();

	if (v == TERMINAL)
		only(p, 1, terminal, 3);
	else if (v == OWN_LIMITS)
		only(p, 0, &oneself, 1);
	else if (v == OWN_THREADS)
		only(p, 0, &own, 1);
	else if (v == NEW_THREADS)
		only_threads(p);
	else if (v == NO_PATH)
		only_open_files(p);
	else
		add(p, RETURN, v == PASSES ? LET_PASS : FAIL_WITH | ENOSYS, 0, 0);
}

/* Calls from that number on, up to the next one. */
typedef struct range {
	uint32_t from;
	verdict verdict;
} range;

/* Finds the range of a call, which is one of `first` to `last`, by halves: the kernel tries the program for each
 * number when it is installed, so its way for one must be short. */
static void search(program *p, const range *ranges, int first, int last)
{
	const int middle = (first + last + 1) / 2;

	if (first == last) {
		conclude(p, ranges[first].verdict);
		return;
	}
	const int jump = add(p, IF_AT_LEAST, ranges[middle].from, 0, 0);
	search(p, ranges, first, middle - 1);
	p->code[jump].if_true = (uint8_t)(p->count - jump - 1);
	search(p, ranges, middle, last);
}

static void write_filter(program *p)
{
	verdict verdicts[MAX_CALLS + 1] = {REFUSED};
	range ranges[MAX_CALLS + 1];
	int count = 0;

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		verdicts[calls[i]] = PASSES;
	verdicts[SYS_ioctl] = TERMINAL;
	verdicts[SYS_prlimit64] = OWN_LIMITS;
	verdicts[SYS_tgkill] = OWN_THREADS;
	verdicts[SYS_clone] = NEW_THREADS;
	verdicts[SYS_utimensat] = NO_PATH;
	for (uint32_t n = 0; n <= MAX_CALLS; n++)
		if (!n || verdicts[n] != verdicts[n - 1])
			ranges[count++] = (range){n, verdicts[n]};
	add(p, LOAD, MACHINE, 0, 0);
	add(p, IF_EQUAL, AUDIT_MACHINE, 1, 0);
	add(p, RETURN, KILL, 0, 0);
	add(p, LOAD, NUMBER, 0, 0);
	search(p, ranges, 0, count - 1);
}

enum { SET_MODE_FILTER = 1, ACTION_AVAILABLE = 2, ALL_THREADS = 1 };

static int enter_seccomp(void)
{
	instruction code[MAX_CODE];
	program p = {0, code};

	write_filter(&p);
	if (syscall(SYS_seccomp, SET_MODE_FILTER, ALL_THREADS, &p) && !is_absent(errno))
		return fail("seccomp");
	return 0;
}

static int has_seccomp(void)
{
	const uint32_t action = FAIL_WITH;

	return !syscall(SYS_seccomp, ACTION_AVAILABLE, 0, &action);
}

#else

static int enter_seccomp(void)
{
	return 0;
}

static int has_seccomp(void)
{
	return 0;
}

#endif

/* ---------------------------------------------------------------------------------------- both */

/* With that many threads a processor is as fast as "auto" takes a GPU to be for one picture, and it takes none
 * (src/cuda/module.c).  Where the number is wrong, the GPU cannot be opened, which costs time. */
enum { AS_FAST = 6 };

/* CUDA's driver opens devices and libraries anywhere, starts programs and talks to others. */
static int may_use_gpu(const xc_cli_sandbox *a)
{
	static const char *const driver[] = {"/dev/nvidiactl", "/proc/driver/nvidia", "/dev/dxg",
	                                     "/dev/nvmap"};
	const char *device = a->limits->device;
	int there = 0;

	if (!device || !strcmp(device, "cpu"))
		return 0;
	for (size_t i = 0; i < sizeof driver / sizeof *driver; i++)
		there |= !access(driver[i], F_OK);
	return strcmp(device, "auto") || (there && (a->many || xc_cli_threads(a->limits) < AS_FAST));
}

int xc_cli_sandbox_enter(const xc_cli_sandbox *allowed)
{
	if (allowed->off || may_use_gpu(allowed))
		return 0;
	return keep_privileges() || enter_landlock(allowed) || enter_seccomp() ? -1 : 0;
}

void xc_cli_sandbox_describe(char *text, size_t size)
{
	const int version = landlock_version(), seccomp = has_seccomp();

	if (version)
		snprintf(text, size, "Landlock %d%s", version, seccomp ? ", seccomp" : "");
	else
		snprintf(text, size, "%s", seccomp ? "seccomp" : "none");
}

#else

int xc_cli_sandbox_enter(const xc_cli_sandbox *allowed)
{
	(void)allowed;
	return 0;
}

void xc_cli_sandbox_describe(char *text, size_t size)
{
	snprintf(text, size, "none");
}

#endif
