/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cpu/band/lapped.h"

#include "lab/cpu/band/plan.h"

#define REALS (XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80)

#define LAPPED(symbol, text, what, who, is_threaded, sizes, ...) \
	const xc_algorithm xc_algorithm_##symbol = { \
		.name = text, \
		.summary = what, \
		.source = who, \
		.scaling = "orthonormal", \
		.kind = XC_KIND_LAPPED, \
		.precisions = REALS, \
		.threaded = is_threaded, \
		.output_size = sizes, \
		.prepare = xc_band_prepare, \
		.execute = xc_band_execute, \
		.finish = xc_band_finish, \
		.details = &(const xc_band_details){__VA_ARGS__}, \
	}

#define LOT_SOURCE \
	"H. S. Malvar, D. H. Staelin, The LOT: transform coding without blocking effects, IEEE " \
	"Trans. ASSP 37 (1989)"
#define STORED "fast LOT, type I, edges stored in 8 more rows and columns"
#define SYMMETRIC "fast LOT, type I, symmetric edges, output as large as the input"

LAPPED(cpu_flot, "cpu-flot", STORED, LOT_SOURCE, 0, xc_band_size_stored, .transform = XC_BAND_LOT,
       .stored_edges = 1);
LAPPED(cpu_flot_symmetric, "cpu-flot-symmetric", SYMMETRIC, LOT_SOURCE, 0, xc_band_size_same,
       .transform = XC_BAND_LOT);

LAPPED(cpu_tdlt, "cpu-tdlt", "orthogonal pre-filter across block edges, then the 8x8 DCT",
       "T. D. Tran, J. Liang, C. Tu, Lapped transform via time-domain pre- and post-filtering, "
       "IEEE Trans. Signal Processing 51 (2003)",
       0, xc_band_size_same, .transform = XC_BAND_TDLT);

LAPPED(cpu_genlot, "cpu-genlot", "GenLOT of order 3: basis functions of 24 samples",
       "R. L. de Queiroz, T. Q. Nguyen, K. R. Rao, The GenLOT: generalized linear-phase lapped "
       "orthogonal transform, IEEE Trans. Signal Processing 44 (1996)",
       0, xc_band_size_same, .transform = XC_BAND_GENLOT);

#ifdef _OPENMP
LAPPED(cpu_flot_openmp, "cpu-flot-openmp", STORED ", with threads", LOT_SOURCE, 1,
       xc_band_size_stored, .transform = XC_BAND_LOT, .stored_edges = 1);
LAPPED(cpu_flot_symmetric_openmp, "cpu-flot-symmetric-openmp", SYMMETRIC ", with threads",
       LOT_SOURCE, 1, xc_band_size_same, .transform = XC_BAND_LOT);
#endif
