/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for libjxl's butteraugli_main, which Debian's libjxl-tools 0.7 does not have. */
#include <stdio.h>
#include <stdlib.h>

#include <jxl/butteraugli.h>

#include "bench/tiled.h"

_Noreturn static void die(const char *what, const char *why)
{
	fprintf(stderr, "butteraugli: %s: %s\n", what, why);
	exit(1);
}

static xc_file_picture read_picture(const char *path)
{
	char message[XC_FILE_MESSAGE];
	xc_file_picture p;

	if (xc_bench_read_picture(path, &p, message))
		die(path, message);
	if (p.picture.depth != 8 || p.picture.channels % 2 == 0 ||
	    p.picture.stride != (size_t)p.picture.width * p.picture.channels)
		die(path, "not of 8 bits without alpha");
	return p;
}

static JxlPixelFormat format_of(const xc_picture *p)
{
	return (JxlPixelFormat){p->channels, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
}

static void compare(const xc_picture *a, const xc_picture *b)
{
	const JxlPixelFormat formats[2] = {format_of(a), format_of(b)};
	JxlButteraugliApi *api = JxlButteraugliApiCreate(NULL);

	/* What butteraugli_main uses. */
	JxlButteraugliApiSetHFAsymmetry(api, 0.8f);
	JxlButteraugliApiSetIntensityTarget(api, 80);
	JxlButteraugliResult *result = JxlButteraugliCompute(api, a->width, a->height, &formats[0],
	                                                     a->data, a->stride * a->height,
	                                                     &formats[1], b->data,
	                                                     b->stride * b->height);
	if (!result)
		die("libjxl", "no result");
	printf("%.10f\n3-norm: %f\n", (double)JxlButteraugliResultGetMaxDistance(result),
	       (double)JxlButteraugliResultGetDistance(result, 3));
	JxlButteraugliResultDestroy(result);
	JxlButteraugliApiDestroy(api);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		die("usage", "butteraugli ORIGINAL DISTORTED");
	xc_file_picture a = read_picture(argv[1]), b = read_picture(argv[2]);
	if (a.picture.width != b.picture.width || a.picture.height != b.picture.height)
		die(argv[2], "of another size");
	compare(&a.picture, &b.picture);
	xc_file_picture_free(&a);
	xc_file_picture_free(&b);
	return 0;
}
