/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xcodec bench transforms: the tables of the works the transforms come from, anew. Every algorithm
 * over sizes (Larsen 2006, tables 5.1 to 5.6); the four ways from a line to a real FFT, and
 * row-column against multi-dimensional (Jiang, Gu, Pan, tables IV and V).
 */
#include "lab/command/bench.h"
#include "cli/base/report.h"
#include "lab/command/common.h"

#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 32, NAMES_MAX = 96, SIDE_MAX = 1 << 22, THREADS_MAX = 16 };
static const double samples_max = 0x1p44;
enum { ARRAYS = 1, LINES = 2, FUSION = 4, GPU = 8, STAGES = 16, FLOPS = 32, POISSON = 64 };
enum { OF_GPU = GPU | STAGES | FLOPS };

typedef struct sizes {
	size_t count;
	xc_cli_size size[SIZES_MAX];
} sizes;

/* Numbers of threads, the first of which is compared with. */
typedef struct thread_list {
	size_t count;
	int threads[THREADS_MAX];
} thread_list;

typedef struct settings {
	int json, runs, precision, tables, kind;
	thread_list threads;
	double seconds;
	sizes sizes;
	const char *algorithms;
} settings;

#define IN(field) offsetof(settings, field)

/* "64,10000x100": a list. */
static const char *parse_sizes(const char *text, void *target)
{
	static const char wanted[] = "a list of sizes, such as 64,512, 10000x100 or 64x64x64";
	sizes *s = target;

	for (s->count = 0; s->count < SIZES_MAX; text++) {
		xc_cli_size *size = &s->size[s->count++];

		text = xc_cli_parse_array_size(text, 3, SIDE_MAX, size);
		if (!text || (double)size->slices * (double)size->rows * (double)size->cols > samples_max)
			break;
		if (!*text)
			return NULL;
		if (*text != ',')
			break;
	}
	return wanted;
}

/* "4" or "1,2,4"; 0 is one a processor. */
static const char *parse_threads(const char *text, void *target)
{
	thread_list *t = target;
	char *end;

	for (t->count = 0; t->count < THREADS_MAX; text = end + 1) {
		const long n = strtol(text, &end, 10);
		if (end == text || *text < '0' || *text > '9' || n > 1024)
			break;
		t->threads[t->count++] = (int)n;
		if (!*end)
			return NULL;
		if (*end != ',')
			break;
	}
	return "a list of numbers of threads, 0 to 1024, such as 1,2,4";
}

static const char *parse_seconds(const char *text, void *target)
{
	return xc_cli_parse_number(text, 0, 1e6, "a number of seconds", target);
}

static const xc_cli_choice tables[] = {{"all", ARRAYS | LINES | FUSION},
                                       {"arrays", ARRAYS},
                                       {"lines", LINES},
                                       {"fusion", FUSION},
                                       {"gpu", GPU},
                                       {"stages", STAGES},
                                       {"flops", FLOPS},
                                       {"poisson", POISSON},
                                       {NULL, 0}};

/* clang-format off */
static const xc_cli_option options[] = {
	{ .name = "table", .type = XC_CLI_CHOICE, .offset = IN(tables), .choices = tables,
	  .help = "every algorithm on arrays, the four ways of one line through an FFT, "
	          "row-column against multi-dimensional, those for a GPU, their stages before, in and "
	          "after an FFT, their operations a second, or the potential and forces of a density; "
	          "default the first three, or arrays or gpu where --sizes or --algorithms are given" },
	{ .name = "sizes", .type = XC_CLI_CUSTOM, .offset = IN(sizes),
	  .parse = parse_sizes, .value = "LIST",
	  .help = "sizes of the arrays, as in 64,512 or 10000x100 (width x height) or 64x64x64, a "
	          "volume; default powers of two, from 64 to 4096 for arrays" },
	{ .name = "algorithms", .letter = 'a', .type = XC_CLI_TEXT, .offset = IN(algorithms),
	  .value = "LIST", .help = "names, divided by commas, of 'xcodec transform --list'; "
	                           "default all; FFTW's are added, to compare with" },
	{ .name = "precision", .letter = 'p', .type = XC_CLI_CHOICE, .offset = IN(precision),
	  .choices = xc_cli_precisions,
	  .help = "bits, 128 being long double, half a GPU's 16; default 32; what only does 16 is done in 16" },
	{ .name = "runs", .letter = 'n', .type = XC_CLI_INT, .offset = IN(runs), .low = 1,
	  .high = 100000, .value = "N", .help = "runs to average over; default 10" },
	{ .name = "seconds", .type = XC_CLI_CUSTOM, .offset = IN(seconds), .parse = parse_seconds,
	  .value = "S", .help = "fewer runs if they would take longer than that; default 2" },
	{ .name = "kind", .type = XC_CLI_CHOICE, .offset = IN(kind), .choices = xc_cli_kinds,
	  .help = "what algorithms of several kinds do; default dct2" },
	{ .name = "threads", .letter = 't', .type = XC_CLI_CUSTOM, .offset = IN(threads),
	  .parse = parse_threads, .value = "LIST",
	  .help = "threads to use; 0 is one a processor; default 1; several, as in 1,2,4, are compared" },
	{ .name = "json", .letter = 'j', .type = XC_CLI_FLAG, .offset = IN(json), .low = 1,
	  .help = "print JSON" },
	{ .name = NULL }
};
/* clang-format on */

typedef struct selection {
	const xct_algorithm *algorithm[NAMES_MAX + 1]; /* and NULL */
	size_t count;
} selection;

static void take(selection *chosen, const xct_algorithm *algorithm)
{
	if (!algorithm || chosen->count == NAMES_MAX)
		return;
	for (size_t i = 0; i < chosen->count; i++)
		if (chosen->algorithm[i] == algorithm)
			return;
	chosen->algorithm[chosen->count++] = algorithm;
}

/* Takes the names of a list, or all those of this processor or of a device.  Returns 0, or -1
 * after reporting a name that is none. */
static int name_all(const char *list, int device, selection *chosen)
{
	const xct_algorithm *a;

	*chosen = (selection){.count = 0};
	for (size_t i = 0; !list && (a = xct_algorithm_at(i)) != NULL; i++)
		if (a->gpu == device && !xc_cli_is_yardstick(a) && strcmp(a->name, "cpu-dmm-plain") != 0)
			take(chosen, a);
	while (list && *list) {
		size_t length = strcspn(list, ",");
		char name[64] = "";

		memcpy(name, list, length < sizeof name ? length : sizeof name - 1);
		const xct_algorithm *algorithm = xc_cli_algorithm("--algorithms", name);
		if (!algorithm)
			return -1;
		take(chosen, algorithm);
		list += length + (list[length] == ',');
	}
	return 0;
}

/* The same for the processor, and FFTW's to compare them with. */
static int choose(const char *list, selection *chosen)
{
	int blocks = 0, frames = 0;

	if (name_all(list, 0, chosen))
		return -1;
	for (size_t i = 0; i < chosen->count; i++) {
		if (chosen->algorithm[i]->gpu)
			continue;
		frames |= !xc_cli_is_banded(chosen->algorithm[i]);
		blocks |= xc_cli_is_banded(chosen->algorithm[i]);
	}
	if (frames)
		take(chosen, xct_algorithm_find("cpu-fftw-frame"));
	if (blocks)
		take(chosen, xct_algorithm_find("cpu-fftw-advanced"));
	return 0;
}

static int out_of_memory(const xc_cli_size *size)
{
	char name[XC_BENCH_SIZE_NAME];

	return xc_cli_error("bench", "out of memory at %s", xc_bench_size_name(size, name));
}

/* The precision that an algorithm is timed in: what was asked for, or 16 bits if it knows no
 * other; 0 when it is not timed. */
static int precision_for(const xct_algorithm *algorithm, int wish)
{
	return algorithm->precisions & (unsigned)wish         ? wish
	       : algorithm->precisions == (unsigned)XCT_INT16 ? XCT_INT16
	                                                      : 0;
}

static int measure(const settings *s, const selection *chosen, const xc_cli_size *size, int threads,
                   int poisson, xc_bench_group *group)
{
	if (xc_bench_start(group, size, threads, s->kind) ||
	    xc_bench_add(group, NULL, (xct_precision)s->precision) < 0)
		return out_of_memory(size);
	for (size_t i = 0; i < chosen->count; i++) {
		int precision = precision_for(chosen->algorithm[i], s->precision);

		if (precision && !chosen->algorithm[i]->gpu &&
		    xc_bench_add(group, chosen->algorithm[i], (xct_precision)precision) < 0)
			return out_of_memory(size);
	}
	const xct_algorithm *const gpu = xct_algorithm_find("gpu-fft2d");
	const int devices = gpu && xct_algorithm_usable(group->context, gpu, 0, NULL) == XCT_OK ? 0
	                                                                                        : -1;
	for (int device = XCT_CPU; device <= devices && poisson; device++)
		if (xc_bench_add_poisson(group, (xct_precision)s->precision, device) < 0)
			return xc_cli_error("bench", "%s", xct_context_message(group->context));
	return xc_bench_measure(group, s->runs, s->seconds) ? out_of_memory(size) : 0;
}

/* A group of algorithms is measured and reported for each size. */
typedef struct series {
	int table;         /* its bit in --table */
	const char *sizes; /* unless others were asked for */
	const char *names; /* of its algorithms; NULL: those asked for */
	void (*print)(xc_bench_report *report, const xc_bench_group *group, int first);
	int lines;  /* of each size only a row is transformed */
	int errors; /* measured for text as well as for JSON */
} series;

static const series all_series[] = {
	{.table = ARRAYS,
     .sizes = "64,128,256,512,1024,2048,4096",
     .print = xc_bench_report_arrays,
     .errors = 1},
#ifdef XC_HAVE_FFTW
	{.table = LINES,
     .sizes = "16384,32768,65536,131072,262144",
     .names = "cpu-fft-4n,cpu-fft-2n-mirrored,cpu-fft-2n-padded,cpu-fft-n",
     .print = xc_bench_report_lines,
     .lines = 1},
	{.table = FUSION,
     .sizes = "512,1024,2048,4096,100x10000,10000x100",
     .names = "cpu-fft-n,cpu-fft2d",
     .print = xc_bench_report_fusion},
#endif
	{.table = POISSON,
     .sizes = "512,1024,2048,4096",
#ifdef XC_HAVE_FFTW
     .names = "cpu-fft2d,cpu-idct-idxst,cpu-idxst-idct",
#else
     .names = "cpu-dmm",
#endif
     .print = xc_bench_report_poisson},
};

static int bench_series(const settings *s, const series *way, const sizes *all,
                        xc_bench_report *report)
{
	selection chosen;
	int failed = choose(way->names ? way->names : s->algorithms, &chosen);

	if (way->names) /* side by side with FFTW's DCT, and its FFT alone */
		take(&chosen, xct_algorithm_find("fftw-real-fft"));
	for (size_t i = 0; i < all->count && !failed; i++) {
		const int first = i == 0;
		xc_cli_size size = all->size[i];
		xc_bench_group groups[THREADS_MAX];
		size_t measured = 0;

		if (way->lines)
			size.slices = size.rows = 1;
		for (; measured < s->threads.count && !failed; measured++) {
			xc_bench_group *const group = &groups[measured];
			failed = measure(s, &chosen, &size, s->threads.threads[measured], way->table == POISSON,
			                 group);
			if (!failed && (way->errors || report->as_json))
				xc_bench_check(group);
			if (!failed)
				way->print(report, group, first && !measured);
			if (!failed && s->kind <= XCT_DCT2)
				xc_bench_keep(report, group);
		}
		if (!failed && measured > 1)
			xc_bench_report_threads(report, groups, measured);
		while (measured)
			xc_bench_free(&groups[--measured]);
	}
	return failed;
}

/* The sizes that were asked for, or else `defaults`. */
static const sizes *sizes_for(const settings *s, const char *defaults, sizes *own)
{
	if (!s->sizes.count)
		parse_sizes(defaults, own);
	return s->sizes.count ? &s->sizes : own;
}

static int bench_gpu(const settings *s, xc_bench_columns columns, const char *names,
                     xc_bench_report *report)
{
	selection chosen;
	sizes own;
	const sizes *const all = sizes_for(s, "512,1024,2048,4096,8192", &own);
	int failed = name_all(s->algorithms ? s->algorithms : names, 1, &chosen);
	char why[256];

	if (!failed && !xc_bench_device_usable(chosen.algorithm, why))
		failed = xc_cli_error("bench", "%s", why);
	for (size_t i = 0; i < all->count && !failed; i++)
		failed = xc_bench_device(report, columns, chosen.algorithm, &all->size[i],
		                         (xct_precision)s->precision, s->runs);
	return failed;
}

static int run_tables(const settings *s)
{
	/* In the order of xc_bench_columns. */
	static const series on_gpu[] = {
		{.table = GPU},
		{.table = STAGES,
	     .names = "gpu-fft2d-stages,gpu-fft2d-gather,gpu-fft2d-scatter,gpu-fft2d-naive,gpu-fft-n,"
	              "gpu-fft-lines"},
		{.table = FLOPS,
	     .names = "gpu-fft-complex,gpu-product,gpu-product-plain,gpu-dmm,gpu-dmm-plain,"
	              "gpu-dmm-cublas"},
	};
	xc_bench_report report;
	sizes own;
	int failed = 0;

	xc_bench_report_start(&report, s->json, s->threads.threads[0]);
	for (size_t i = 0; i < sizeof all_series / sizeof *all_series && !failed; i++)
		if (s->tables & all_series[i].table)
			failed = bench_series(s, &all_series[i], sizes_for(s, all_series[i].sizes, &own),
			                      &report);
	for (int i = 0; i < 3 && !failed; i++)
		if (s->tables & on_gpu[i].table)
			failed = bench_gpu(s, (xc_bench_columns)i, on_gpu[i].names, &report);
	xc_bench_report_end(&report);
	return failed;
}

/* The tables that the algorithms belong to. */
static int tables_of(const selection *names)
{
	int wanted = 0;

	for (size_t i = 0; i < names->count; i++)
		wanted |= names->algorithm[i]->gpu ? GPU : ARRAYS;
	return wanted;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	const xc_cli_command command = {.name = "bench transforms",
	                                .operands = "",
	                                .description = self->description};
	settings s = {.runs = 10,
	              .precision = XCT_FLOAT32,
	              .kind = -1,
	              .seconds = 2,
	              .threads = {1, {1}}};
	const xc_cli_group groups[] = {{"Options of transforms", options, &s}, {NULL, NULL, NULL}};
	xc_cli_limits limits;
	selection names;
	int operands;

	if (argc < 2 || strcmp(argv[1], "transforms") != 0)
		return xc_cli_misuse(self, "has 'transforms' alone here");
	int status = xc_cli_parse(&command, groups, argc - 1, argv + 1, &operands);
	if (status >= 0)
		return status;
	xc_cli_limits_default(&limits);
	for (size_t i = 0; i < s.threads.count; i++) {
		limits.threads = s.threads.threads[i];
		s.threads.threads[i] = xc_cli_transform_threads(&limits);
		if (s.threads.threads[i] < 0 || xc_cli_transform_threads_start(s.threads.threads[i]))
			return XC_CLI_FAILED;
	}
	if (s.precision == XCT_INT16 && !s.algorithms && !(s.tables & OF_GPU))
		s.algorithms = "cpu-short";
	if (choose(s.algorithms, &names))
		return XC_CLI_USAGE;
	if (!s.tables)
		s.tables = s.algorithms                 ? tables_of(&names)
		           : s.precision == XCT_FLOAT16 ? GPU
		           : s.sizes.count              ? ARRAYS
		                                        : ARRAYS | LINES | FUSION;
	if (s.precision == XCT_FLOAT16 && !(s.tables & OF_GPU))
		return xc_cli_misuse(&command, "--precision: half is for GPUs");
	if ((s.tables & OF_GPU) && s.precision == XCT_LONG_DOUBLE)
		return xc_cli_misuse(&command, "--precision: a GPU has no long double");
#ifndef XC_HAVE_FFTW
	if (!(s.tables & (ARRAYS | OF_GPU | POISSON)))
		return xc_cli_misuse(&command, "--table: this needs FFTW, which was not built in");
#endif
	return run_tables(&s) ? XC_CLI_FAILED : XC_CLI_DONE;
}

/* The laboratory's part of `xcodec bench`: argv[1] is "transforms". */
const xc_cli_command xc_lab_bench = {
	.name = "bench",
	.operands = "transforms",
	.description =
		"Measures the algorithms of 'xcodec transform' on this machine and prints tables. What is "
		"compared runs in turn, round by round, so that whatever else the machine does hits all "
		"alike; the first round does not count.",
	.run = run,
};
