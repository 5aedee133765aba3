/* SPDX-License-Identifier: BSD-2-Clause */
/* PFM, the pictures of floats. */
#include "lab/command/arrays.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char message[XC_FILE_MESSAGE];

static void round_trips(void)
{
	static const float special[] = {0.0f, -0.0f, 1.5f, -1e30f, 1e-40f, INFINITY, NAN, 3.0f};

	for (uint32_t channels = 1; channels <= 3; channels += 2)
		for (uint32_t width = 1; width <= 5; width++) {
			float samples[5 * 3 * 3];
			for (uint32_t i = 0; i < 5 * 3 * 3; i++)
				samples[i] = special[i % 8];
			xc_float_picture picture = {width, 3, channels, samples}, read;
			uint8_t *data;
			size_t size;
			REQUIRE(!xc_pfm_write(&picture, &data, &size, message), "%s", message);
			xc_status status = xc_pfm_read(data, size, &read, message);
			CHECK(!status && read.width == width && read.height == 3 && read.channels == channels,
			      "%d %s", status, message);
			CHECK(read.data && memcmp(read.data, samples, width * 3 * channels * 4) == 0,
			      "width %u", width);
			free(read.data);
			free(data);
		}
}

static void check_refused(const void *file, size_t size, xc_status want)
{
	xc_float_picture read;
	xc_status status = xc_pfm_read(file, size, &read, message);

	CHECK(status == want && message[0] && !read.data && !read.width, "%.30s: %d %s",
	      (const char *)file, status, message);
}

static void files(void)
{
	/* Big-endian; the bottom row comes first. */
	static const char file[] = "Pf\n1 2\n2.5e0\n\x3f\x80\0\0\xc0\0\0\0";
	xc_float_picture read;

	REQUIRE(!xc_pfm_read(CHECK_BYTES(file), &read, message), "%s", message);
	CHECK(read.data[0] == -2.0f && read.data[1] == 1.0f, "%g %g", read.data[0], read.data[1]);
	free(read.data);
	check_refused(CHECK_BYTES("P5 1 1 255\n1234"), XC_ERR_FORMAT);
	check_refused(CHECK_BYTES("Pf 1 2 1\n1234567"), XC_ERR_TRUNCATED);
	check_refused(CHECK_BYTES("PF 1 1 1\n12345678901"), XC_ERR_TRUNCATED);
	check_refused(CHECK_BYTES("Pf 1 1 0.0\n1234"), XC_ERR_CORRUPT);
	check_refused(CHECK_BYTES("Pf 1 1 x\n1234"), XC_ERR_CORRUPT);
	check_refused(CHECK_BYTES("Pf 1 0 1\n1234"), XC_ERR_CORRUPT);
	check_refused(CHECK_BYTES("Pf 1 1 1"), XC_ERR_TRUNCATED);
	check_refused(CHECK_BYTES("Pf 1 1"), XC_ERR_TRUNCATED);
	check_refused(CHECK_BYTES("PF 4294967295 4294967295 -1\n1234"), XC_ERR_TRUNCATED);
}

static void unwritable(void)
{
	float sample = 1;
	uint8_t *data;
	size_t size;
	xc_float_picture two = {1, 1, 2, &sample}, empty = {0, 1, 1, &sample};

	CHECK(xc_pfm_write(&two, &data, &size, message) == XC_ERR_UNSUPPORTED && !data && message[0],
	      "%s", message);
	CHECK(xc_pfm_write(&empty, &data, &size, message) == XC_ERR_ARGUMENT && !data && message[0],
	      "%s", message);
}

int main(void)
{
	RUN(round_trips, files, unwritable);
	return check_done();
}
