/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xcodec bench gpu` prints. */
#include "bench/gpu/gpu.h"

#include "cli/base/report.h"

#include <stdio.h>

void xc_bench_gpu_print_start(xc_bench_gpu *b, const char *pictures)
{
	if (!b->as_json) {
		char shown[XC_CLI_SHOWN];

		xc_cli_escape(shown, sizeof shown, pictures);
		printf("%s, %d multiprocessors; frames of %ux%u, mosaics of %s; medians of %d\n",
		       b->device.name, b->device.multiprocessors, b->width, b->height, shown, b->runs);
		printf("copies: %.0f GB/s on the device (read and written), %.1f GB/s to it, "
		       "%.1f GB/s from it, %.1f GB/s both at once\n\n",
		       b->copy_rate * 1e-9, b->up_rate * 1e-9, b->down_rate * 1e-9, b->both_rate * 1e-9);
		return;
	}
	xc_cli_json_start(&b->json, stdout);
	xc_cli_json_object(&b->json, NULL);
	xc_cli_json_text(&b->json, "device", b->device.name);
	xc_cli_json_integer(&b->json, "multiprocessors", (uint64_t)b->device.multiprocessors);
	xc_cli_json_text(&b->json, "pictures", pictures);
	xc_cli_json_integer(&b->json, "width", b->width);
	xc_cli_json_integer(&b->json, "height", b->height);
	xc_cli_json_integer(&b->json, "runs", (uint64_t)b->runs);
	xc_cli_json_number(&b->json, "copy_bytes_per_second", b->copy_rate);
	xc_cli_json_number(&b->json, "upload_bytes_per_second", b->up_rate);
	xc_cli_json_number(&b->json, "download_bytes_per_second", b->down_rate);
	xc_cli_json_number(&b->json, "both_ways_bytes_per_second", b->both_rate);
	xc_cli_json_array(&b->json, "results");
}

void xc_bench_gpu_print_end(xc_bench_gpu *b)
{
	if (!b->as_json)
		return;
	xc_cli_json_end_array(&b->json);
	xc_cli_json_end_object(&b->json);
}

static void start_line(xc_bench_gpu *b, const char *what)
{
	xc_cli_json_inline_object(&b->json, NULL);
	xc_cli_json_text(&b->json, "what", what);
	xc_cli_json_text(&b->json, "coding", b->coding);
}

static void print_json(xc_bench_gpu *b, const xc_bench_gpu_result *r, double rate, double share)
{
	xc_cli_json *j = &b->json;

	start_line(b, r->what);
	xc_cli_json_integer(j, "pictures", r->pictures);
	xc_cli_json_boolean(j, "in_a_row", r->in_a_row);
	xc_cli_json_number(j, "seconds", r->seconds);
	xc_cli_json_number(j, "pixels_per_second", rate);
	xc_cli_json_number(j, "share_of_copy", share);
	if (r->in_a_row)
		xc_cli_json_number(j, "host_seconds", r->host_seconds);
	if (r->workers)
		xc_cli_json_integer(j, r->workers_name, r->workers);
	if (*r->what != 'n' && b->quality[b->number].bits > 0) {
		xc_cli_json_number(j, "bits_per_pixel", b->quality[b->number].bits);
		xc_cli_json_number(j, "psnr_rgb", b->quality[b->number].psnr);
	}
	xc_cli_json_object(j, "kernels");
	for (int i = 0; i < r->stages && !r->in_a_row; i++)
		xc_cli_json_number(j, r->stage_names[i], r->stage_seconds[i]);
	xc_cli_json_end_object(j);
	xc_cli_json_end_object(j);
}

void xc_bench_gpu_print(xc_bench_gpu *b, const xc_bench_gpu_result *r)
{
	const double rate = (double)b->width * b->height * r->pictures / r->seconds;
	const double share = r->bytes / r->seconds / b->copy_rate;
	const xc_bench_gpu_quality *q = &b->quality[b->number];

	if (b->as_json) {
		print_json(b, r, rate, share);
		return;
	}
	printf("%-13s %-27s %2u frame%s %-8s %9.1f us %7.1f GP/s %5.1f %% of copying ", r->what,
	       b->coding, r->pictures, r->pictures == 1 ? " " : "s", r->in_a_row ? "in a row" : "",
	       r->seconds * 1e6, rate * 1e-9, share * 100);
	for (int i = 0; i < r->stages && !r->in_a_row; i++)
		printf(" %s %.1f", r->stage_names[i], r->stage_seconds[i] * 1e6);
	if (r->in_a_row)
		printf(" host %.1f", r->host_seconds * 1e6);
	if (r->workers)
		printf(" %u %s", r->workers, r->workers_name);
	if (*r->what != 'n' && q->bits > 0)
		printf("  %.3f bits a pixel, %.2f dB", q->bits, q->psnr);
	printf("\n");
	fflush(stdout);
}

static double rate_of(const xc_bench_gpu *b, const xc_bench_gpu_flow *f)
{
	return (double)b->width * b->height * f->pictures / f->seconds;
}

void xc_bench_gpu_print_flow(xc_bench_gpu *b, const char *what, const xc_bench_gpu_flow *f)
{
	const double up = f->up / f->seconds / b->up_rate;
	const double down = f->down / f->seconds / b->down_rate;
	const double share = up > down ? up : down;

	if (!b->as_json) {
		printf("%-13s %-27s host to host       %9.1f us %7.1f GP/s %5.1f %% of the bus\n", what,
		       b->coding, f->seconds / f->pictures * 1e6, rate_of(b, f) * 1e-9, share * 100);
		fflush(stdout);
		return;
	}
	start_line(b, what);
	xc_cli_json_boolean(&b->json, "host_to_host", 1);
	xc_cli_json_number(&b->json, "seconds", f->seconds / f->pictures);
	xc_cli_json_number(&b->json, "pixels_per_second", rate_of(b, f));
	xc_cli_json_number(&b->json, "share_of_bus", share);
	xc_cli_json_end_object(&b->json);
}

void xc_bench_gpu_print_both(xc_bench_gpu *b, const xc_bench_gpu_flow *e,
                             const xc_bench_gpu_flow *d)
{
	const double up = e->up / e->seconds + d->up / d->seconds;
	const double down = e->down / e->seconds + d->down / d->seconds;
	const double share = (up + down) / b->both_rate;

	if (!b->as_json) {
		printf("%-13s %-27s host to host  %7.1f + %.1f GP/s, %.1f GB/s up, %.1f GB/s down, "
		       "%.1f %% of the bus both ways\n",
		       "both at once", b->coding, rate_of(b, e) * 1e-9, rate_of(b, d) * 1e-9, up * 1e-9,
		       down * 1e-9, share * 100);
		fflush(stdout);
		return;
	}
	start_line(b, "encode and decode");
	xc_cli_json_boolean(&b->json, "host_to_host", 1);
	xc_cli_json_number(&b->json, "encode_pixels_per_second", rate_of(b, e));
	xc_cli_json_number(&b->json, "decode_pixels_per_second", rate_of(b, d));
	xc_cli_json_number(&b->json, "upload_bytes_per_second", up);
	xc_cli_json_number(&b->json, "download_bytes_per_second", down);
	xc_cli_json_number(&b->json, "share_of_bus_both_ways", share);
	xc_cli_json_end_object(&b->json);
}
