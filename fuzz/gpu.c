/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of damaged files to the decoder on a GPU, which must agree with the CPU's: the same
 * status, the same number of damaged segments, the same pixels, and nothing written beside them.
 *
 * 	fuzz/gpu [-s SEED] [-b FIRST] [-n BATCHES] [SECONDS]
 *
 * It makes batches FIRST (0), FIRST + 1 and so on until BATCHES are done (1000, with the emulated
 * GPU 200, or any number if there are SECONDS) or SECONDS have gone. A batch depends on SEED and
 * its number alone; that is what a failure prints. Exit status: 77 without a GPU. Where
 * XC_TEST_STUB is defined the GPU is the one of tests/emulated.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/engine/mutate_file.h"
#include "fuzz/fuzz.h"
#include "tests/support/gpu.h"

enum {
	BASES = 192,     /* files without damage */
	MAX_FILES = 32,  /* of a batch */
	MAX_WIDTH = 200, /* of pictures encoded for it */
	MORE = 256,      /* bytes that damage may add */
	GUARD = 64,      /* bytes around a picture */
	FILL = 0xa5,
	SECONDS_OF_A_HANG = 120
};

typedef struct one {
	uint8_t *data; /* of the file; in device memory as well if `near` */
	size_t size;
	int near;
	xc_status status; /* the CPU's */
	uint64_t damaged;
	xc_picture picture; /* the CPU's */
	xc_picture mine;    /* the GPU's, in memory that both reach, between guards */
} one;

static xc_context *cpu, *other;
static xc_cuda *gpu;
static xc_bytes base[BASES];
static struct {
	uint8_t *data;
	size_t size, used;
} arena;                                         /* pinned */
static unsigned long long run_seed = 1, running; /* the batch */
static unsigned long files, decoded, refused, concealed;

static uint32_t below(uint64_t *seed, uint32_t n)
{
	return (uint32_t)((check_random(seed) >> 32) * n >> 32);
}

/* A file of any of the ways to code, of several segments now and then. */
static void make_recipe(unsigned i, xc_bytes *out)
{
	xc_recipe r;
	OWN_BUFFER(cpu, file);
	OWN_BYTES bytes = {0};
	uint64_t seed = i + 1;

	xc_recipe_seed(i, &bytes);
	for (int k = 0; k < XC_RECIPE_BYTES; k++)
		bytes.data[k] = (uint8_t)check_random(&seed);
	xc_recipe_make(bytes.data, bytes.size, MAX_WIDTH, &r);
	FUZZ_CHECK(!xc_encode(cpu, &r.picture, &r.metadata, &r.options, &file), "%s",
	           xc_context_message(cpu));
	out->size = 0;
	xc_bytes_add(out, file.data, file.size);
	free(r.picture.data);
}

static void make_bases(void)
{
	for (unsigned i = 0; i < BASES; i++) {
		if (i % 2)
			xc_fuzz_file(i / 2, &base[i]);
		else
			make_recipe(i / 2, &base[i]);
	}
}

/* One of the bases, damaged up to three times, or as it is. */
static void damage(one *f, uint64_t *seed)
{
	const xc_bytes *from = &base[below(seed, BASES)];
	uint32_t times = below(seed, 4);
	const size_t room = from->size + MORE;

	f->data = xc_test_malloc(room);
	memcpy(f->data, from->data, from->size);
	f->size = from->size;
	while (times--)
		f->size = xc_mutate_file(f->data, f->size, room, seed, NULL);
	f->near = below(seed, 2) == 0;
}

/* size bytes of the arena, or room for them when it has been made larger. */
static uint8_t *take(size_t size)
{
	const size_t at = arena.used;
	arena.used += (size + 255) / 256 * 256;
	return arena.data && arena.used <= arena.size ? arena.data + at : NULL;
}

/* What the CPU says, and where the GPU is to put its picture: rows at any distance. */
static void expect(one *f, const xc_decode_options *options, uint64_t *seed)
{
	xc_decode_options o = *options;
	xc_info info;

	f->picture = (xc_picture){0};
	f->status = xc_decode(cpu, f->data, f->size, &o, &f->picture);
	f->damaged = o.damaged_segments;
	if (xc_read_info(cpu, f->data, f->size, &info))
		info = (xc_info){.width = 8, .height = 8, .channels = 3, .depth = 8};
	const size_t sample = info.depth / 8;
	f->mine = (xc_picture){(info.width + o.scale - 1) / o.scale,
	                       (info.height + o.scale - 1) / o.scale,
	                       info.channels,
	                       info.depth,
	                       0,
	                       NULL};
	f->mine.stride = ((size_t)f->mine.width * info.channels + below(seed, 5)) * sample;
}

static size_t bytes_of(const xc_picture *p)
{
	return p->stride * p->height;
}

/* Memory that a kernel can write, for all pictures and for files that are near. */
static void lay_out(one *list, uint32_t n, xc_cuda_file *work)
{
	for (int again = 0;; again++) {
		int fits = 1;
		arena.used = 0;
		for (uint32_t i = 0; i < n; i++) {
			uint8_t *const picture = take(bytes_of(&list[i].mine) + 2 * GUARD);
			uint8_t *const file = list[i].near ? take(list[i].size) : NULL;
			fits &= picture && (file || !list[i].near);
			list[i].mine.data = picture ? picture + GUARD : NULL;
			work[i] = (xc_cuda_file){.file = list[i].data,
			                         .size = list[i].size,
			                         .device_file = file,
			                         .picture = list[i].mine};
		}
		if (fits)
			break;
		FUZZ_CHECK(!again, "an arena that stays too small");
		xc_cuda_release(gpu, arena.data);
		arena.size = 2 * arena.used;
		arena.data = test_gpu_pinned(gpu, arena.size);
	}
	memset(arena.data, FILL, arena.used);
	for (uint32_t i = 0; i < n; i++)
		if (list[i].near)
			memcpy((uint8_t *)(uintptr_t)work[i].device_file, list[i].data, list[i].size);
}

static int untouched(const xc_picture *p)
{
	const uint8_t *const data = p->data, *const before = data - GUARD;
	const size_t row = (size_t)p->width * p->channels * (p->depth / 8);

	for (size_t i = 0; i < GUARD; i++)
		if (before[i] != FILL || data[bytes_of(p) + i] != FILL)
			return 0;
	for (uint32_t y = 0; y < p->height; y++)
		for (size_t x = row; x < p->stride; x++)
			if (data[y * p->stride + x] != FILL)
				return 0;
	return 1;
}

#define AGREES(condition, ...) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "batch %llu of seed %llu, file %u: ", running, run_seed, i); \
			fprintf(stderr, __VA_ARGS__); \
			putc('\n', stderr); \
			exit(1); \
		} \
	} while (0)

static void judge(const one *f, const xc_cuda_file *w, uint32_t i)
{
	/* Ranges and stored samples are the processor's alone. */
	if (w->status == XC_ERR_UNSUPPORTED)
		return;
	AGREES(w->status == f->status, "%s, but the CPU: %s", xc_status_string(w->status),
	       xc_status_string(f->status));
	AGREES(f->status || w->damaged_segments == f->damaged, "%u damaged segments, but the CPU: %u",
	       (unsigned)w->damaged_segments, (unsigned)f->damaged);
	AGREES(f->status || xc_sample_equal(&f->picture, &f->mine), "other pixels");
	AGREES(untouched(&f->mine), "bytes beside the pixels");
	files++;
	decoded += !f->status;
	refused += f->status != XC_OK;
	concealed += f->damaged != 0;
}

static void run_batch(void)
{
	one list[MAX_FILES];
	xc_cuda_file work[MAX_FILES];
	xc_cuda_decoder *decoder = NULL;
	uint64_t seed = run_seed << 40 ^ running;
	const uint32_t n = 1 + below(&seed, MAX_FILES);
	const xc_decode_options o = {.keep_going = (int)below(&seed, 2),
	                             .jpeg_rounding = below(&seed, 4) == 0,
	                             .scale = below(&seed, 2) ? 1 : 1u << below(&seed, 4)};

	for (uint32_t i = 0; i < n; i++) {
		damage(&list[i], &seed);
		expect(&list[i], &o, &seed);
	}
	lay_out(list, n, work);
	alarm(SECONDS_OF_A_HANG);
	xc_status s = xc_cuda_decoder_new(gpu, &o, n, &decoder);
	const xc_status begun = s ? s : xc_cuda_decode(decoder, work, n, NULL, NULL);
	s = begun ? begun : xc_cuda_decoder_wait(decoder);
	int wanted = 0; /* a failure, of whichever file */
	for (uint32_t k = 0; k < n; k++)
		wanted |= list[k].status != XC_OK || work[k].status == XC_ERR_UNSUPPORTED;
	const uint32_t i = 0;
	AGREES(!begun, "nothing was put on the stream: %s", xc_context_message(other));
	AGREES(!s == !wanted, "the batch: %s (%s)", xc_status_string(s), xc_context_message(other));
	for (uint32_t k = 0; k < n; k++) {
		judge(&list[k], &work[k], k);
		xc_picture_free(cpu, &list[k].picture);
		free(list[k].data);
	}
	xc_cuda_decoder_free(decoder);
}

static xc_context *new_context(void)
{
	const xc_limits limits = {.max_pixels = XC_FUZZ_PIXELS,
	                          .max_memory = (size_t)1 << 30,
	                          .max_metadata = 1 << 20};
	xc_context *c = xc_context_new(NULL);

	FUZZ_CHECK(c, "out of memory");
	xc_context_set_limits(c, &limits);
	xc_context_set_threads(c, 1);
	return c;
}

int main(int argc, char **argv)
{
	unsigned long long batches = 0, first = 0;
	int option;

	while ((option = getopt(argc, argv, "s:b:n:")) != -1) {
		if (option != 's' && option != 'b' && option != 'n') {
			fprintf(stderr, "usage: gpu [-s SEED] [-b FIRST] [-n BATCHES] [SECONDS]\n");
			return 2;
		}
		*(option == 's'   ? &run_seed
		  : option == 'b' ? &first
		                  : &batches) = strtoull(optarg, NULL, 10);
	}
	const double seconds = optind < argc ? strtod(argv[optind], NULL) : 0;
	if (!batches)
		batches = seconds > 0 ? ~0ull : TEST_STUB ? 200 : 1000;
	cpu = new_context();
	other = new_context();
	if (!test_gpu_open(other, &gpu))
		return CHECK_SKIPPED;
	make_bases();
	const time_t start = time(NULL);
	for (running = first; running - first < batches; running++) {
		run_batch();
		if (seconds > 0 && difftime(time(NULL), start) >= seconds) {
			running++;
			break;
		}
	}
	printf(
		"ok - damaged files on a GPU: %llu batches, %lu files: %lu decoded, %lu of them with damaged "
		"segments, %lu refused\n",
		running - first, files, decoded, concealed, refused);
	xc_cuda_release(gpu, arena.data);
	xc_cuda_close(gpu);
	for (unsigned i = 0; i < BASES; i++)
		xc_bytes_free(&base[i]);
	xc_context_free(other);
	xc_context_free(cpu);
	return 0;
}
