/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/sweep.h"

#include "cli/base/options.h"

#include <math.h>
#include <string.h>

void xc_cli_sweep_add(xc_cli_sweep_row *sum, const xc_cli_sweep_row *row)
{
	sum->quality = row->quality;
	sum->bytes += row->bytes;
	sum->bpp += row->bpp;
	sum->psnr_rgb += row->psnr_rgb;
	sum->psnr_y += row->psnr_y;
	sum->ssim_y += row->ssim_y;
}

xc_cli_sweep_row xc_cli_sweep_mean(const xc_cli_sweep_row *sum, int pictures)
{
	xc_cli_sweep_row mean = *sum;

	mean.bytes /= pictures;
	mean.bpp /= pictures;
	mean.psnr_rgb /= pictures;
	mean.psnr_y /= pictures;
	mean.ssim_y /= pictures;
	return mean;
}

void xc_cli_sweep_print_header(const char *title)
{
	printf("%s\n"
	       "quality       bytes  bits/pixel  PSNR RGB  PSNR luma  SSIM luma\n",
	       title);
}

/* An infinite PSNR is shown as printf's own "inf". */
void xc_cli_sweep_print_row(const xc_cli_sweep_row *row)
{
	printf("%7d %11.0f %11.4f %9.3f %10.3f %10.5f\n", row->quality, row->bytes, row->bpp,
	       row->psnr_rgb, row->psnr_y, row->ssim_y);
}

static void put_field(FILE *csv, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, csv);
		return;
	}
	putc('"', csv);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', csv);
		putc(*text, csv);
	}
	putc('"', csv);
}

void xc_cli_sweep_csv_header(FILE *csv)
{
	fputs("picture,width,height,quality,bytes,bpp,psnr_rgb,psnr_y,ssim_y\n", csv);
}

void xc_cli_sweep_csv_row(FILE *csv, const char *picture, uint32_t width, uint32_t height,
                          const xc_cli_sweep_row *row)
{
	put_field(csv, picture);
	fprintf(csv, ",%u,%u,%d,%.0f,%.6f,%.6f,%.6f,%.8f\n", width, height, row->quality, row->bytes,
	        row->bpp, row->psnr_rgb, row->psnr_y, row->ssim_y);
}

/* Ends text at its first colon; returns what follows that, or NULL. */
static char *split(char *text)
{
	char *colon = strchr(text, ':');

	if (colon)
		*colon++ = '\0';
	return colon;
}

/* Parses the first `length` bytes of text: "A", "A:B" or "A:B:STEP".  0, or -1. */
static int parse_range(const char *text, size_t length, xc_cli_qualities *qualities)
{
	char copy[16], *second, *third;
	int from, to, step = 1;

	if (length >= sizeof copy)
		return -1;
	memcpy(copy, text, length);
	copy[length] = '\0';
	second = split(copy);
	third = second ? split(second) : NULL;
	if (xc_cli_parse_int(copy, 1, 100, &from))
		return -1;
	to = from;
	if (second && xc_cli_parse_int(second, from, 100, &to))
		return -1;
	if (third && xc_cli_parse_int(third, 1, 99, &step))
		return -1;
	for (int quality = from; quality <= to; quality += step)
		qualities->wanted[quality] = 1;
	return 0;
}

const char *xc_cli_qualities_parse(const char *text, void *target)
{
	static const char wanted[] = "FROM:TO:STEP or a list such as 30,50,75, all within 1 to 100";
	xc_cli_qualities qualities = {{0}};

	for (;;) {
		size_t length = strcspn(text, ",");

		if (parse_range(text, length, &qualities))
			return wanted;
		if (text[length] == '\0')
			break;
		text += length + 1;
	}
	*(xc_cli_qualities *)target = qualities;
	return NULL;
}
