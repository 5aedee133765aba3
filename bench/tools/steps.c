/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the instructions that a program runs, by function: for machines whose
 * processor's own counters are out of reach.
 *
 *	bench/tools/steps PROGRAM [ARGUMENT]...
 *
 * The program is run one instruction at a time, some hundred thousand a second, so give it
 * little to do, and one thread.  Functions of libraries count as one, "elsewhere".  The
 * names come from nm(1).
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined __linux__ && defined __x86_64__
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

typedef struct function {
	uint64_t start, end, count;
	char name[96];
} function;

typedef struct functions {
	function *list;
	size_t n;
	uint64_t elsewhere;
} functions;

static int by_start(const void *a, const void *b)
{
	const function *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

static int by_count(const void *a, const void *b)
{
	const function *x = a, *y = b;
	return (x->count < y->count) - (x->count > y->count);
}

/* 0: no symbols. */
static int read_names(functions *f, const char *program)
{
	char command[4096], line[1024];
	snprintf(command, sizeof command, "nm -S --defined-only '%s'", program);
	FILE *nm = popen(command, "r");
	if (!nm)
		return 0;
	while (fgets(line, sizeof line, nm)) {
		function one = {0};
		unsigned long long start, size;
		char type;
		if (sscanf(line, "%llx %llx %c %95s", &start, &size, &type, one.name) != 4 ||
		    (type != 't' && type != 'T'))
			continue;
		function *more = realloc(f->list, (f->n + 1) * sizeof *more);
		if (!more)
			break;
		f->list = more;
		one.start = start;
		one.end = start + size;
		f->list[f->n++] = one;
	}
	pclose(nm);
	if (f->n)
		qsort(f->list, f->n, sizeof *f->list, by_start);
	return f->n > 0;
}

/* Where the program's first segment was loaded. */
static uint64_t load_address(pid_t child, const char *program)
{
	char path[64], line[4352], real[4096];
	uint64_t address = 0;
	unsigned long long start;
	snprintf(path, sizeof path, "/proc/%d/maps", (int)child);
	FILE *maps = fopen(path, "r");
	if (!maps || !realpath(program, real))
		*real = '\0';
	while (maps && *real && !address && fgets(line, sizeof line, maps))
		if (strstr(line, real) && sscanf(line, "%llx", &start) == 1)
			address = start;
	if (maps)
		fclose(maps);
	return address;
}

static void count(functions *f, uint64_t at)
{
	size_t low = 0, high = f->n;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (f->list[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < f->n && f->list[low].start <= at)
		f->list[low].count++;
	else
		f->elsewhere++;
}

static int step_through(functions *f, pid_t child, const char *program)
{
	int status;
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return -1;
	const uint64_t base = load_address(child, program);
	while (WIFSTOPPED(status)) {
		struct user_regs_struct registers;
		if (ptrace(PTRACE_GETREGS, child, NULL, &registers))
			return -1;
		/* Programs at fixed addresses have names that need no shift. */
		const int fixed = f->list[0].start >= base;
		count(f, fixed ? registers.rip : registers.rip - base);
		const int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, (void *)(intptr_t)signal) ||
		    waitpid(child, &status, 0) != child)
			return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	functions f = {0};
	if (argc < 2 || !read_names(&f, argv[1])) {
		fprintf(stderr, argc < 2 ? "usage: steps PROGRAM [ARGUMENT]...\n"
		                         : "steps: no such program, or it has no symbols\n");
		return 2;
	}
	const pid_t child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	const int status = child < 0 ? -1 : step_through(&f, child, argv[1]);
	if (status < 0) {
		fprintf(stderr, "steps: cannot step through %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	qsort(f.list, f.n, sizeof *f.list, by_count);
	for (size_t i = 0; i < f.n && f.list[i].count; i++)
		printf("%12llu %s\n", (unsigned long long)f.list[i].count, f.list[i].name);
	printf("%12llu elsewhere\n", (unsigned long long)f.elsewhere);
	free(f.list);
	return status;
}
#else
int main(void)
{
	fputs("steps: only on Linux for x86-64\n", stderr);
	return 1;
}
#endif
