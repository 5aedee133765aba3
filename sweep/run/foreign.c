/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"

/* One thread each, so that they compare; no words on success.  cjxl is told a distance, opj_compress
 * (of raw codestreams) bits a pixel, avifenc a quantizer. */
const xc_sweep_known xc_sweep_codecs[] = {
	{"xcodec", NULL, NULL},
	{"jpeg",
     "cjpeg {options} -quality {q} -outfile {out.jpg} {in.ppm} ; "
     "djpeg -pnm -outfile {out.pnm} {in}",
     NULL},
	{"webp",
     "cwebp -quiet {options} -q {q} {in.ppm} -o {out.webp} ; dwebp -quiet {in} -ppm -o {out.ppm}",
     NULL},
	{"jxl",
     "cjxl --quiet --num_threads=0 {options} -d {q} {in.ppm} {out.jxl} ; "
     "djxl --quiet --num_threads=0 {in} {out.ppm}",
     "0.3,0.5,0.9,1.5,2.4,3.8,6,9.5,15,25"},
	{"jp2",
     "opj_compress -i {in.ppm} -o {out.j2k} {options} -r {ratio} ; "
     "opj_decompress -i {in} -o {out.ppm}",
     "0.05,0.1,0.19,0.33,0.57,1,1.7,2.9"},
	{"avif",
     "avifenc -j 1 {options} --min {q} --max {q} {in.png} {out.avif} ; avifdec -j 1 {in} {out.png}",
     "4,8,16,24,32,40,48,55,60,62,63"},
	{"cmd", "{options}", NULL},
	{NULL, NULL, NULL}};

/* Whether some word holds such a placeholder: "{in" is in "{in}" and "{in.png}". */
static int mentions(char *const *words, const char *placeholder)
{
	while (*words && !strstr(*words, placeholder))
		words++;
	return *words != NULL;
}

/* Divides the words of both commands. */
static const char *cut(xc_sweep_foreign *f, size_t count)
{
	size_t i = 0;
	while (i < count && strcmp(f->all[i], ";"))
		i++;
	if (i == 0 || i + 1 >= count)
		return "no two commands divided by a word ';'";
	f->all[i] = NULL;
	f->encode = f->all;
	f->decode = f->all + i + 1;
	if (!mentions(f->encode, "{in") || !mentions(f->encode, "{out") ||
	    !mentions(f->decode, "{in") || !mentions(f->decode, "{out"))
		return "both commands need {in} and {out}";
	return NULL;
}

const char *xc_sweep_foreign_make(const xc_sweep_known *known, const xc_sweep_words *options,
                                  xc_sweep_foreign *foreign)
{
	size_t count = 0;
	*foreign = (xc_sweep_foreign){.encode = NULL};
	if (xc_sweep_split(known->commands, &foreign->words))
		return "out of memory";
	foreign->all = calloc(foreign->words.count + options->count + 1, sizeof(char *));
	if (!foreign->all)
		return "out of memory";
	for (size_t i = 0; i < foreign->words.count; i++) {
		char *word = foreign->words.word[i];
		if (strcmp(word, "{options}"))
			foreign->all[count++] = word;
		else
			for (size_t k = 0; k < options->count; k++)
				foreign->all[count++] = options->word[k];
	}
	return cut(foreign, count);
}

void xc_sweep_foreign_free(xc_sweep_foreign *foreign)
{
	free(foreign->all);
	xc_sweep_words_free(&foreign->words);
}

/* ------------------------------------------------------------------ installed? */

int xc_sweep_foreign_check(const xc_sweep_foreign *foreign, const char *config)
{
	const char *const programs[] = {foreign->encode[0], foreign->decode[0]};
	char path[4096];
	for (int i = 0; i < 2; i++)
		if (!xc_file_program(programs[i], path, sizeof path))
			return xc_cli_error(config, "'%s' is not installed", programs[i]);
	return 0;
}

xc_file_format xc_sweep_foreign_input(const xc_sweep_foreign *foreign, const xc_picture *picture)
{
	if (mentions(foreign->encode, "{in.png}"))
		return XC_FILE_PNG;
	return picture->channels < 3 ? XC_FILE_PGM : XC_FILE_PPM;
}
