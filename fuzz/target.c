/* SPDX-License-Identifier: BSD-2-Clause */
/* Any small picture (xc_recipe_make()) encoded to a size or quality that its last two bytes ask for:
 * what is found must be what it says, and the same at another SIMD level with more threads. */
#include <string.h>
#include <xcodec_target.h>

#include "fuzz/fuzz.h"

unsigned xc_fuzz_mutations = 20;

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	xc_recipe_seed(i, out);
	out->data[4] = (uint8_t)(i % 72); /* efforts 0 to 2 */
	xc_bytes_add_u8(out, i);
	xc_bytes_add_u8(out, i * 11);
}

static xc_target wanted(const xc_picture *p, const uint8_t bytes[2])
{
	const double n = bytes[1];
	const int seen = p->width >= 8 && p->height >= 8;

	switch (bytes[0] % (seen ? 4 : 3)) {
	case 0:
		return (xc_target){.kind = XC_TARGET_BYTES, .value = 1 + n * (1 + bytes[0])};
	case 1:
		return (xc_target){.kind = XC_TARGET_PSNR, .value = 1 + n / 3};
	case 2:
		return (xc_target){.kind = XC_TARGET_SSIM, .value = (n + 0.5) / 256};
	default:
		return (xc_target){.kind = XC_TARGET_SSIMULACRA2, .value = (n + 0.5) / 2.56};
	}
}

static void check_result(xc_context *c, const xc_recipe *r, const xc_target *t,
                         const xc_target_result *result, const xc_buffer *file)
{
	xc_encode_options o = r->options;
	OWN_BUFFER(c, again);

	o.mode = XC_MODE_LOSSY;
	o.quality = result->quality;
	o.quality_parts = result->quality_parts;
	if (o.subsampling == XC_SUBSAMPLING_AUTO)
		return; /* perhaps chosen for another quality */
	FUZZ_OK(c, xc_encode(c, &r->picture, &r->metadata, &o, &again));
	FUZZ_CHECK(file->size == again.size && !memcmp(file->data, again.data, file->size),
	           "its quality gives another file");
	if (t->kind == XC_TARGET_BYTES && result->met)
		FUZZ_CHECK((double)file->size <= t->value, "%zu bytes", file->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_context *c[XC_CPU_LEVELS];
	xc_target_result one, other;
	xc_buffer file, again;
	xc_recipe r;

	if (size < XC_RECIPE_BYTES + 2)
		return 0;
	const int n = xc_fuzz_contexts(c);
	xc_recipe_make(data, size - 2, 40, &r);
	const xc_target t = wanted(&r.picture, data + size - 2);
	FUZZ_CHECK(xc_encode_target(c[0], &r.picture, &r.metadata, &r.options, &t, &one, &file) ==
	               XC_OK,
	           "%s", xc_context_message(c[0]));
	FUZZ_OK(c[n - 1],
	        xc_encode_target(c[n - 1], &r.picture, &r.metadata, &r.options, &t, &other, &again));
	FUZZ_CHECK(file.size && file.size == again.size && !memcmp(file.data, again.data, file.size) &&
	               one.quality == other.quality && one.reached == other.reached,
	           "%s finds another file", xc_context_cpu(c[n - 1]));
	check_result(c[n - 1], &r, &t, &one, &file);
	xc_buffer_free(c[0], &file);
	xc_buffer_free(c[n - 1], &again);
	free(r.picture.data);
	return 0;
}
