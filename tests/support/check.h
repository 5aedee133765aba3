/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a C test needs.  A test program is a set of cases; each case prints one
 * line that tests/support/run counts: "ok - name", "not ok - name" or
 * "ok - name # SKIP why".  Details come before it, after a '#'.
 *
 *	static void sizes(void)
 *	{
 *		CHECK(padded(9) == 16, "padded(9) is %d", padded(9));
 *	}
 *
 *	int main(void)
 *	{
 *		RUN(sizes);
 *		return check_done();
 *	}
 *
 * Only the thread that runs main() may call these.
 */
#ifndef XC_TESTS_SUPPORT_CHECK_H
#define XC_TESTS_SUPPORT_CHECK_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exit status of a program that could test nothing at all. */
enum { CHECK_SKIPPED = 77 };

/* A loop over a picture that goes wrong everywhere should not fill the disk. */
enum { CHECK_DETAILS_MAX = 20 };

/* Weak, so that the files of one program share it. */
__attribute__((weak)) struct {
	char name[128];
	char skip[128];
	unsigned open, wrong, skipping; /* of the case being run */
	unsigned passed, failed, skipped;
} check_state;

/* Fails the case unless condition holds; the message (a format and its
 * arguments) should give the values that decide. */
#define CHECK(condition, ...) \
	((condition) ? (void)0 : check_wrong(__FILE__, __LINE__, #condition, __VA_ARGS__))

/* As CHECK, and leaves the function that holds it (which returns nothing). */
#define REQUIRE(condition, ...) \
	do { \
		if (!(condition)) { \
			check_wrong(__FILE__, __LINE__, #condition, __VA_ARGS__); \
			return; \
		} \
	} while (0)

/* Counts the case as skipped, with the reason, and leaves the function. */
#define SKIP(...) \
	do { \
		check_skip(__VA_ARGS__); \
		return; \
	} while (0)

/* Runs each of these void functions without arguments as the case of its name. */
#define RUN(...) RUN_AS("", __VA_ARGS__)

/* Likewise, as the case "label: name". */
#define RUN_AS(label, ...) \
	check_run(label, #__VA_ARGS__, (void (*const[])(void)){__VA_ARGS__, NULL})

/* Likewise, with functions of one int. */
#define RUN_FOR(label, number, ...) \
	check_run_for(label, number, #__VA_ARGS__, (void (*const[])(int)){__VA_ARGS__, NULL})

/* The number of elements of an array. */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A text that may hold zeros, and its size. */
#define CHECK_BYTES(text) (text), sizeof(text) - 1

#define CHECK_FORMAT(text, first) __attribute__((unused, format(printf, text, first)))

/* For cases that differ in a parameter: check_begin("dct %zux%zu", rows, cols),
 * then the checks, then check_end(). */
CHECK_FORMAT(1, 2) static void check_begin(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(check_state.name, sizeof check_state.name, format, list);
	va_end(list);
	check_state.open = 1;
	check_state.wrong = 0;
	check_state.skipping = 0;
}

__attribute__((unused)) static void check_end(void)
{
	if (check_state.wrong) {
		if (check_state.wrong > CHECK_DETAILS_MAX)
			printf("# ... %u checks failed in all\n", check_state.wrong);
		printf("not ok - %s\n", check_state.name);
		check_state.failed++;
	} else if (check_state.skipping) {
		printf("ok - %s # SKIP %s\n", check_state.name, check_state.skip);
		check_state.skipped++;
	} else {
		printf("ok - %s\n", check_state.name);
		check_state.passed++;
	}
	check_state.open = 0;
	/* What was done so far must be in the log when a later case crashes. */
	fflush(stdout);
}

CHECK_FORMAT(4, 5)
static void check_wrong(const char *file, int line, const char *condition, const char *format, ...)
{
	if (++check_state.wrong > CHECK_DETAILS_MAX)
		return;
	va_list list;
	va_start(list, format);
	printf("# %s:%d: not true: %s: ", file, line, condition);
	vprintf(format, list);
	putchar('\n');
	va_end(list);
}

CHECK_FORMAT(1, 2) static void check_skip(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(check_state.skip, sizeof check_state.skip, format, list);
	va_end(list);
	check_state.skipping = 1;
}

/* Begins the case of the first of the names "one, two"; returns the others. */
__attribute__((unused)) static const char *check_begin_name(const char *label, const char *names)
{
	const size_t n = strcspn(names, ",");
	check_begin("%s%s%.*s", label, *label ? ": " : "", (int)n, names);
	return names + n + strspn(names + n, ", ");
}

__attribute__((unused)) static void check_run(const char *label, const char *names,
                                              void (*const *cases)(void))
{
	for (; *cases; cases++) {
		names = check_begin_name(label, names);
		(*cases)();
		check_end();
	}
}

__attribute__((unused)) static void check_run_for(const char *label, int number, const char *names,
                                                  void (*const *cases)(int))
{
	for (; *cases; cases++) {
		names = check_begin_name(label, names);
		(*cases)(number);
		check_end();
	}
}

/* What main() returns: 0 when every case passed or was skipped (77 when all
 * were), 1 when one failed, was left open, or when there was none. */
__attribute__((unused)) static int check_done(void)
{
	if (check_state.open)
		check_end();
	if (check_state.failed)
		return 1;
	if (check_state.passed)
		return 0;
	return check_state.skipped ? CHECK_SKIPPED : 1;
}

/* 1: sanitizers check this, which takes several times as long. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define CHECK_SANITIZED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ && !defined CHECK_SANITIZED
#define CHECK_SANITIZED 1
#endif
#ifndef CHECK_SANITIZED
#define CHECK_SANITIZED 0
#endif
/* How many of n random cases, where each is as good as another: XC_FULL has all, and sanitizers a quarter; the
 * fuzzers have more. */
__attribute__((unused)) static unsigned check_repeats(unsigned n)
{
	return CHECK_SANITIZED ? n / 4 : getenv("XC_FULL") ? n : n / 3;
}

/* SplitMix64 (Steele, Lea, Flood, 2014): the same numbers on every machine. */
__attribute__((unused)) static uint64_t check_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* The next number from 0 to n - 1. */
__attribute__((unused)) static uint32_t check_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((check_random(state) >> 32) * n >> 32);
}

#endif
