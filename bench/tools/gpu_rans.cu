/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast a GPU decodes segments of the rANS mode to coefficients, each of which is compared with
 * the CPU's.
 *
 *	gpu_rans [-n RUNS] [-c COPIES] [-w WARPS] [-1] FILE.xc
 *	gpu_rans -e OUT.xc [-t WIDExHIGH] [-q QUALITY] [-4] PICTURE.ppm
 *
 * -c: pictures decoded together, copies of the file.  -w: warps a block of threads.  -1: one
 * segment a warp, not two.  -e encodes with the TDLT and sloped tables; -t: luma blocks of a tile;
 * -4: 4:4:4.  Exit status: 0, 1 after an error or another coefficient, 77 without a GPU.
 *
 * In the build folder, after make:
 *	nvcc -arch=sm_90 -O3 -fmad=false -I. -I.. -I../include -o gpu_rans ../bench/tools/gpu_rans.cu \
 *		.libs/libxcodec.a -lz -lm -lpthread -Xlinker --wrap=xc_geometry_choose_tiles
 * -DUNROLLED: the symbol kernel has code of its own for each position.
 * Without a GPU, `g++ -std=c++17 -O2 -x c++` with the other options (-Wl,--wrap=...) builds a
 * program that runs the same kernels lane by lane.
 */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

extern "C" {
#include "src/core/context.h"
#include "src/decode/coded.h"
}
#include "bench/tools/gpu_rans_run.h"
#include "entropy/scan.h"

/* ------------------------------------------------------------------------ tables */

static void fill_look(look *l, const xc_rans_tables *t, int class_, int k)
{
	static const uint8_t scan[] = {XC_SCAN_TABLE};
	const xc_rans_look *from = &t->look[k];
	uint32_t w[XC_RANS_AC_WEIGHTS], weight[4] = {0}, n = 0;
	for (int i = 0; i < XC_RANS_AC_WEIGHTS; i++)
		w[i] = t->ac[class_][from->direction][i][0];
	l->at = offsets_of(k);
	l->before = k > 1 ? w[4] : 0;
	for (int i = 0; i < 5; i++) {
		const uint8_t place = i < 4 ? from->own[i] : from->dc;
		const uint32_t of = i < 4 ? w[i] : w[11];
		if (place == XC_RANS_NOWHERE)
			continue;
		if (place == scan[k - 1])
			l->before += of;
		else
			weight[n++] = of;
	}
	l->of_own = weight[0] | weight[1] << 8 | weight[2] << 16 | weight[3] << 24;
	l->of_left = w[5] | w[6] << 8 | w[7] << 16;
	l->of_up = w[8] | w[9] << 8 | w[10] << 16 | (uint32_t)from->constant[class_] << 24;
}

static void fill_model(constants *m, const xc_rans_tables *t)
{
	static const uint8_t scan[] = {XC_SCAN_TABLE};
	memset(m, 0, sizeof *m);
	memcpy(m->scan, scan, 64);
	for (int c = 0; c < 2; c++) {
		for (int k = 1; k < 64; k++)
			fill_look(&m->at[c][k], t, c, k);
		m->at[c][64].at = offsets_of(64);
		for (int i = 0; i < XC_RANS_DC_WEIGHTS; i++)
			m->dc[c][i] = t->dc[c][i][0];
		for (int g = 0; g < XC_RANS_GROUPS; g++)
			for (int i = 0; i < XC_RANS_FLAG_WEIGHTS; i++)
				m->flag[c][g][i] = t->flag[c][g][i][0];
	}
}

static void fill_rows(rows *r, const xc_rans_tables *t)
{
	for (int c = 0; c < 2; c++)
		for (int set = 0; set < XC_RANS_SETS; set++)
			for (int bin = 0; bin < XC_RANS_BINS; bin++) {
				const xc_rans_set *from = &t->set[c][set];
				const uint32_t *range = from->range + from->level[bin] * XC_RANS_SYMBOLS;
				if (set >= XC_RANS_FLAG_SET) {
					r->zeros[c][set - XC_RANS_FLAG_SET][bin] = (uint16_t)(range[1] >> 16);
					continue;
				}
				uint16_t row[XC_RANS_SYMBOLS];
				for (uint32_t s = 0; s < XC_RANS_SYMBOLS; s++) {
					const uint32_t of = s ? s : 1;
					row[s] = (uint16_t)(0u - (16 * (range[of] >> 16) + of));
				}
				memcpy(&r->of[c][set].low[bin], row, 16);
				memcpy(&r->of[c][set].high[bin], row + 8, 16);
			}
}

/* ---------------------------------------------------------------------- pictures */

/* All that a file says, and what the CPU makes of it. */
typedef struct picture {
	xc_coded coded;
	std::vector<segment> segments;
	std::vector<int16_t> coefficients;
	std::vector<uint8_t> file;
	uint32_t blocks;
	uint64_t symbols;
} picture;

static int failed(xc_context *c)
{
	fprintf(stderr, "gpu_rans: %s\n", c ? xc_context_message(c) : "out of memory");
	return 1;
}

static int read_file(const char *path, std::vector<uint8_t> *to)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		return 1;
	}
	uint8_t part[65536];
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		to->insert(to->end(), part, part + n);
	fclose(f);
	return 0;
}

/* The coded symbols of a block. */
static uint32_t symbols_of(const int16_t *c)
{
	static const uint8_t scan[] = {XC_SCAN_TABLE}, first[] = XC_RANS_GROUP_TABLE;
	uint32_t n = 1 + XC_RANS_GROUPS;
	for (int g = 0; g < XC_RANS_GROUPS; g++) {
		bool any = false;
		for (int k = first[g]; k < first[g + 1]; k++)
			any |= c[scan[k]] != 0;
		n += any ? first[g + 1] - first[g] : 0;
	}
	return n;
}

static xc_status take_segment(void *user, const xc_tile *t, void *coefficients)
{
	picture *p = (picture *)user;
	const xc_coded *d = &p->coded;
	const size_t i = p->segments.size();
	const bool colour = d->container.geometry.components > 1;
	const uint32_t rows = std::max(t->blocks_high[0], colour ? 2 * t->blocks_high[1] : 0);
	p->segments.push_back(segment{d->segments[i].start,
	                              d->segments[i].size,
	                              p->blocks,
	                              {t->blocks_wide[0], colour ? t->blocks_wide[1] : 0},
	                              {t->blocks_high[0], colour ? t->blocks_high[1] : 0},
	                              t->blocks,
	                              colour ? t->first_block[1] : t->blocks,
	                              std::min(rows, (uint32_t)LANES)});
	const int16_t *c = (const int16_t *)coefficients;
	p->coefficients.insert(p->coefficients.end(), c, c + (size_t)t->blocks * 64);
	for (uint32_t b = 0; b < t->blocks; b++)
		p->symbols += symbols_of(c + (size_t)b * 64);
	p->blocks += t->blocks;
	return XC_OK;
}

static int read_picture(xc_context *c, const char *path, picture *p)
{
	if (read_file(path, &p->file))
		return 1;
	if (xc_coded_open(c, p->file.data(), p->file.size(), &p->coded))
		return failed(c);
	if (!p->coded.rans || p->coded.deep) {
		fprintf(stderr, "gpu_rans: %s has no rANS segments of 8-bit samples\n", path);
		return 1;
	}
	return xc_coded_visit(c, &p->coded, take_segment, p) ? failed(c) : 0;
}

/* ---------------------------------------------------------------------- measuring */

typedef struct options {
	int runs, copies, warps, a_warp, quality, full_chroma;
	uint32_t wide, high;
	const char *out, *path;
} options;

static options given;

/* In place of the library's: tiles of the size asked for. */
extern "C" void __real_xc_geometry_choose_tiles(xc_geometry *g, uint32_t blocks, uint32_t rows);
extern "C" void __wrap_xc_geometry_choose_tiles(xc_geometry *g, uint32_t blocks, uint32_t rows)
{
	const uint32_t wide = given.wide / (uint32_t)g->h, high = given.high / (uint32_t)g->v;
	if (!given.wide ||
	    !xc_geometry_set_tiles(g, std::min(wide, g->mcus_wide), std::min(high, g->mcus_high)))
		__real_xc_geometry_choose_tiles(g, blocks, rows);
}

static int encode(xc_context *c)
{
	std::vector<uint8_t> file;
	unsigned width, height;
	int at = 0;
	if (read_file(given.path, &file))
		return 1;
	file.push_back(0);
	const size_t bytes = file.size() - 1;
	if (sscanf((const char *)file.data(), "P6 %u %u 255%n", &width, &height, &at) != 2 || !at ||
	    bytes < (size_t)at + 1 + (size_t)width * height * 3) {
		fprintf(stderr, "gpu_rans: %s is no PPM file of 8 bits\n", given.path);
		return 1;
	}
	xc_picture p = {};
	p.width = width;
	p.height = height;
	p.channels = 3;
	p.depth = 8;
	p.stride = (size_t)width * 3;
	p.data = file.data() + at + 1;
	xc_quant_tables tables;
	xc_quant_tables_sloped(&tables);
	xc_encode_options o;
	xc_encode_options_default(&o);
	o.quality = given.quality;
	o.transform = XC_TRANSFORM_TDLT;
	o.entropy = XC_ENTROPY_RANS;
	o.subsampling = given.full_chroma ? XC_SUBSAMPLING_444 : XC_SUBSAMPLING_420;
	o.tables = tables;
	xc_buffer coded = {};
	if (xc_encode(c, &p, NULL, &o, &coded))
		return failed(c);
	FILE *f = fopen(given.out, "wb");
	const bool bad = !f || fwrite(coded.data, 1, coded.size, f) != coded.size;
	if (f && (fclose(f) || bad))
		perror(given.out);
	xc_buffer_free(c, &coded);
	return bad;
}

static int measure(xc_context *c)
{
	picture p = {};
	if (read_picture(c, given.path, &p))
		return 1;
	const xc_container *k = &p.coded.container;
	const segment *s = &p.segments[0];
	batch b = {};
	b.picture_bytes = k->data_there;
	for (int i = 0; i < given.copies; i++) {
		b.data.insert(b.data.end(), k->data, k->data + b.picture_bytes);
		for (segment one : p.segments) {
			one.data += (uint64_t)i * b.picture_bytes;
			one.block += (uint32_t)i * p.blocks;
			b.segments.push_back(one);
		}
	}
	b.data.resize(b.data.size() + 1024);
	b.blocks = (size_t)p.blocks * (size_t)given.copies;
	b.picture = &p.coefficients;
	b.symbols = p.symbols * (uint64_t)given.copies;
	b.pixels = (double)k->geometry.width * k->geometry.height * given.copies;
	memcpy(b.points, p.coded.rans->points, sizeof b.points);
	fill_model(&b.model, p.coded.rans);
	fill_rows(&b.tables, p.coded.rans);
	printf("%s: %ux%u, %zu segments of %ux%u and %ux%u blocks, %.3f bits a pixel, %.3f symbols a "
	       "pixel, %d copies\n",
	       given.path, k->geometry.width, k->geometry.height, p.segments.size(), s->wide[0],
	       s->high[0], s->wide[1], s->high[1],
	       8.0 * (double)p.file.size() * given.copies / b.pixels, (double)b.symbols / b.pixels,
	       given.copies);
	const int status = run_batch(&b, given.runs, given.warps, given.a_warp);
	xc_coded_close(c, &p.coded);
	return status;
}

static int usage(void)
{
	fprintf(stderr, "usage: gpu_rans [-n RUNS] [-c COPIES] [-w WARPS] [-1] FILE.xc\n"
	                "       gpu_rans -e OUT.xc [-t WIDExHIGH] [-q QUALITY] [-4] PICTURE.ppm\n");
	return 2;
}

static int parse(int argc, char **argv)
{
	given = options{};
	given.runs = 21;
	given.copies = 1;
	given.warps = 4;
	given.a_warp = 2;
	given.quality = 75;
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i], *next = i + 1 < argc ? argv[i + 1] : "";
		if (a[0] != '-') {
			given.path = a;
			continue;
		}
		switch (a[1]) {
		case 'n':
			given.runs = atoi(next), i++;
			break;
		case 'c':
			given.copies = atoi(next), i++;
			break;
		case 'w':
			given.warps = atoi(next), i++;
			break;
		case 'q':
			given.quality = atoi(next), i++;
			break;
		case 'e':
			given.out = next, i++;
			break;
		case 't':
			if (sscanf(next, "%ux%u", &given.wide, &given.high) != 2)
				return 0;
			i++;
			break;
		case '1':
			given.a_warp = 1;
			break;
		case '4':
			given.full_chroma = 1;
			break;
		default:
			return 0;
		}
	}
	return given.path && given.runs > 0 && given.copies > 0 && given.warps > 0 && given.warps <= 16;
}

int main(int argc, char **argv)
{
	if (!parse(argc, argv))
		return usage();
	xc_context *c = xc_context_new(NULL);
	if (!c)
		return failed(c);
	const int status = given.out ? encode(c) : measure(c);
	xc_context_free(c);
	return status;
}
