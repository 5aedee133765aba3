/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target without a fuzzer: over files, or over the target's own seeds, and
 * over mutations of them.
 *
 *	TARGET [-n MUTATIONS] [-s SEED] [FILE...]
 *	TARGET -w DIRECTORY
 *
 * MUTATIONS (default 50) are made of each file, always the same ones for a SEED.  The
 * input that ended the program is left in ./crash-TARGET.  -w writes the seeds, for a
 * fuzzer to start from.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"
#include "tests/support/check.h"

enum { SEEDS = 48, MORE = 256, SECONDS = 120 };

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
	uint8_t *copy = xc_test_copy(data, size);
	running.data = copy;
	running.size = size;
	alarm(SECONDS); /* a hang */
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static unsigned run_all(const xc_bytes *file, unsigned mutations, uint64_t *seed)
{
	const size_t room = file->size + MORE;
	uint8_t *copy = xc_test_malloc(room);
	run(file->data, file->size);
	for (unsigned i = 0; i < mutations; i++) {
		memcpy(copy, file->data, file->size);
		run(copy, xc_mutate(copy, file->size, room, seed));
	}
	free(copy);
	return mutations + 1;
}

static int write_seeds(const char *folder)
{
	xc_bytes seed = {0};
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
	xc_bytes_free(&seed);
	return !good;
}

static int usage(void)
{
	fprintf(stderr, "usage: %s [-n MUTATIONS] [-s SEED] [FILE...] | -w DIRECTORY\n", running.name);
	return 2;
}

int main(int argc, char **argv)
{
	unsigned mutations = 50, done = 0;
	uint64_t seed = 1;
	xc_bytes file = {0};
	int option;
	running.name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	while ((option = getopt(argc, argv, "n:s:w:")) != -1) {
		if (option == 'w')
			return write_seeds(optarg);
		if (option == 'n')
			mutations = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else
			return usage();
	}
	set_handlers();
	for (int i = optind; i < argc; i++) {
		if (!xc_bytes_load(&file, argv[i])) {
			fprintf(stderr, "%s: %s: cannot be read\n", running.name, argv[i]);
			return 1;
		}
		done += run_all(&file, mutations, &seed);
	}
	for (unsigned i = 0; optind == argc && i < SEEDS; i++) {
		xc_fuzz_seed(i, &file);
		done += run_all(&file, mutations, &seed);
	}
	xc_bytes_free(&file);
	printf("ok - fuzz target %s, %u inputs\n", running.name, done);
	return 0;
}
