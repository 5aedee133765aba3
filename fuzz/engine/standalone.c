/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target without a fuzzer: over files, packs (NAME.pack, fuzz/README.md) and
 * folders of them, or over the target's own seeds and $srcdir/fuzz/seeds/TARGET.pack, and
 * over mutations of them.
 *
 * 	TARGET [-n MUTATIONS] [-s SEED] [FILE...]
 * 	TARGET -w DIRECTORY
 *
 * MUTATIONS (default 50, of slow targets fewer; without sanitizers a third of these, unless XC_FULL is
 * set) are made of each file, always the same ones for a SEED. The input that ended the program is left in ./crash-TARGET. -w writes the seeds, for a
 * fuzzer to start from.
 *
 * Built by AFL++'s compiler, and without arguments, it takes its inputs from AFL++.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/engine/mutate_file.h"
#include "tests/support/check.h"

enum { SEEDS = 48, MORE = 256, SECONDS = 120 };

__attribute__((weak)) unsigned xc_fuzz_mutations = 50;

static struct {
	const char *name;
	const uint8_t *data;
	size_t size;
	char crash[256]; /* the file that keeps them */
} running;

/* Keeps the input, with calls that a handler may make. */
static void keep_input(int sig)
{
	const int f = open(running.crash, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	for (size_t done = 0; f >= 0 && done < running.size;) {
		const ssize_t n = write(f, running.data + done, running.size - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Sanitizers that have a handler of their own keep it. */
static void set_handlers(void)
{
	static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};

	snprintf(running.crash, sizeof running.crash, "crash-%s", running.name);
	for (size_t i = 0; i < COUNT(signals); i++) {
		void (*const old)(int) = signal(signals[i], keep_input);
		if (old != SIG_DFL)
			signal(signals[i], old);
	}
}

static void run(const uint8_t *data, size_t size)
{
	/* Exactly as long as it says, so that a sanitizer sees every access past its end. */
	OWN_MEMORY uint8_t *copy = xc_test_copy(data, size);

	running.data = copy;
	running.size = size;
	alarm(SECONDS); /* a hang */
	LLVMFuzzerTestOneInput(copy, size);
}

static unsigned run_all(const xc_bytes *file, unsigned mutations, uint64_t *seed)
{
	const size_t room = file->size + MORE;
	OWN_MEMORY uint8_t *copy = xc_test_malloc(room);

	run(file->data, file->size);
	for (unsigned i = 0; i < mutations; i++) {
		memcpy(copy, file->data, file->size);
		run(copy, xc_mutate_file(copy, file->size, room, seed, NULL));
	}
	return mutations + 1;
}

static int write_seeds(const char *folder)
{
	OWN_BYTES seed = {0};
	int good = 1;

	for (unsigned i = 0; good && i < SEEDS; i++) {
		char path[4096];
		xc_fuzz_seed(i, &seed);
		snprintf(path, sizeof path, "%s/seed-%02u", folder, i);
		FILE *f = fopen(path, "wb");
		good = f && fwrite(seed.data, 1, seed.size, f) == seed.size;
		if (f)
			good &= !fclose(f);
		if (!good)
			fprintf(stderr, "%s: %s: %s\n", running.name, path, strerror(errno));
	}
	return !good;
}

static int usage(void)
{
	fprintf(stderr, "usage: %s [-n MUTATIONS] [-s SEED] [FILE...] | -w DIRECTORY\n", running.name);
	return 2;
}

/* What the inputs of a run have in common. */
typedef struct plan {
	unsigned mutations, done;
	uint64_t seed;
	int failed;
} plan;

static void run_path(plan *p, const char *path);

/* All files of a folder, in the order of their names.  0: it is none. */
static int run_folder(plan *p, const char *path)
{
	struct dirent **entries;
	const int n = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char name[4096];
		snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			run_path(p, name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n >= 0;
}

/* All files of a pack: before each a line of its size in bytes and its name. Returns 0
 * if it is damaged. */
static int run_pack(plan *p, const xc_bytes *pack)
{
	for (size_t at = 0; at < pack->size;) {
		const char *const line = (const char *)pack->data + at;
		const char *const end = memchr(line, '\n', pack->size - at);
		if (!end || *line < '0' || *line > '9')
			return 0;
		at += (size_t)(end - line) + 1;
		const xc_bytes file = {.data = pack->data + at, .size = strtoul(line, NULL, 10)};
		if (file.size > pack->size - at)
			return 0;
		p->done += run_all(&file, p->mutations, &p->seed);
		at += file.size;
	}
	return 1;
}

static void run_path(plan *p, const char *path)
{
	const char *const ending = strrchr(path, '.');
	OWN_BYTES file = {0};

	if (run_folder(p, path))
		return;
	int good = xc_bytes_load(&file, path);
	if (good && ending && !strcmp(ending, ".pack"))
		good = run_pack(p, &file);
	else if (good)
		p->done += run_all(&file, p->mutations, &p->seed);
	if (!good) {
		fprintf(stderr, "%s: %s: cannot be read\n", running.name, path);
		p->failed = 1;
	}
}

/* The seeds that the target makes, and those that are kept in the tree. */
static void run_seeds(plan *p)
{
	const char *const top = getenv("srcdir");
	xc_bytes file = {0};
	char pack[4096];

	for (unsigned i = 0; i < SEEDS; i++) {
		xc_fuzz_seed(i, &file);
		p->done += run_all(&file, p->mutations, &p->seed);
	}
	xc_bytes_free(&file);
	snprintf(pack, sizeof pack, "%s/fuzz/seeds/%s.pack", top ? top : ".", running.name);
	const unsigned mutations = p->mutations;
	p->mutations = mutations / 5;
	if (top || !access(pack, R_OK))
		run_path(p, pack);
	p->mutations = mutations;
}

#ifdef __AFL_COMPILER
__AFL_FUZZ_INIT();

/* Thousands of inputs in one process. */
static int run_afl(void)
{
	__AFL_INIT();
	const uint8_t *const input = __AFL_FUZZ_TESTCASE_BUF;
	while (__AFL_LOOP(10000))
		run(input, (size_t)__AFL_FUZZ_TESTCASE_LEN);
	return 0;
}
#endif

int main(int argc, char **argv)
{
	const unsigned less = CHECK_SANITIZED || getenv("XC_FULL") ? 1 : 3;
	plan p = {.mutations = xc_fuzz_mutations / less, .seed = 1};
	int option;

	running.name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
#ifdef __AFL_COMPILER
	if (argc == 1)
		return run_afl();
#endif
	while ((option = getopt(argc, argv, "n:s:w:")) != -1) {
		if (option == 'w')
			return write_seeds(optarg);
		if (option == 'n')
			p.mutations = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 's')
			p.seed = strtoull(optarg, NULL, 10);
		else
			return usage();
	}
	set_handlers();
	for (int i = optind; i < argc; i++)
		run_path(&p, argv[i]);
	if (optind == argc)
		run_seeds(&p);
	if (!p.failed)
		printf("ok - fuzz target %s, %u inputs\n", running.name, p.done);
	return p.failed;
}
