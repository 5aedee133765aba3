/* SPDX-License-Identifier: BSD-2-Clause */
/* Every header of the module's encoder beside every one of its decoder: each name means one
 * thing, and macros of templates do not leak. */
#include "gpu/decode/block.h"
#include "gpu/decode/crc_read.h"
#include "gpu/decode/lane.h"
#include "gpu/decode/lapped.h"
#include "gpu/decode/layout.h"
#include "gpu/decode/pixels.h"
#include "gpu/decode/ranges.h"
#include "gpu/decode/rows.h"
#include "gpu/decode/segment.h"

#include "gpu/encode/code.h"
#include "gpu/encode/crc_write.h"
#include "gpu/encode/forward.h"
#include "gpu/encode/head.h"
#include "gpu/encode/huffman.h"
#include "gpu/encode/lapped_rgb.h"
#include "gpu/encode/place.h"
#include "gpu/encode/layout.h"

#if defined NAME || defined TOKEN || defined COEF || defined SIGNED || defined BITS || \
	defined PASTE || defined DEEP
#error "a template leaves its macros"
#endif

#include "tests/support/check.h"

static void all_headers_together(void)
{
	CHECK((int)XC_GPU_MOST_STAGES > 0, "no stages");
}

int main(void)
{
	RUN(all_headers_together);
	return check_done();
}
