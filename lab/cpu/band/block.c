/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cpu/band/block.h"

#include "lab/cpu/band/plan.h"

#define REALS (XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80)

#define BLOCK_DCT(symbol, text, what, who, is_threaded, ...) \
	const xc_algorithm xc_algorithm_##symbol = { \
		.name = text, \
		.summary = what, \
		.source = who, \
		.scaling = "orthonormal", \
		.kind = XC_KIND_BLOCK_DCT, \
		.precisions = REALS, \
		.threaded = is_threaded, \
		.output_size = xc_band_size_same, \
		.prepare = xc_band_prepare, \
		.execute = xc_band_execute, \
		.finish = xc_band_finish, \
		.details = &(const xc_band_details){__VA_ARGS__}, \
	}

BLOCK_DCT(cpu_naive, "cpu-naive", "8x8 DCT, rows and columns straight from the definition",
          "L. C. Larsen, Utilizing GPUs on Cluster Computers, NTNU 2006", 0,
          .transform = XC_BAND_NAIVE, .plain = 1);

BLOCK_DCT(cpu_definition, "cpu-definition", "8x8 DCT as two matrix products",
          "A. Obukhov, A. Kharlamov, Discrete Cosine Transform for 8x8 Blocks with CUDA, "
          "NVIDIA 2008, kernel 1",
          0, .transform = XC_BAND_DEFINITION);

BLOCK_DCT(cpu_separable, "cpu-separable", "8x8 DCT by even/odd decomposition",
          "A. Obukhov, A. Kharlamov, Discrete Cosine Transform for 8x8 Blocks with CUDA, "
          "NVIDIA 2008, kernel 2",
          0, .transform = XC_BAND_SEPARABLE);

#define AAN "8x8 DCT with 5 multiplications for 8 points, and a scaling"
#define AAN_SOURCE \
	"Y. Arai, T. Agui, M. Nakajima, A fast DCT-SQ scheme for images, Trans. IEICE E71 (1988)"
BLOCK_DCT(cpu_aan, "cpu-aan", AAN, AAN_SOURCE, 0, .transform = XC_BAND_AAN);

#define FLMAD "8x8 DCT of 416 additions and multiply-adds, and a scaling"
#define FLMAD_SOURCE \
	"E. Feig, E. Linzer, Discrete cosine transform algorithms for image data compression, " \
	"Electronic Imaging East 1990"
BLOCK_DCT(cpu_flmad, "cpu-flmad", FLMAD, FLMAD_SOURCE, 0, .transform = XC_BAND_FLMAD);

BLOCK_DCT(cpu_feig2d, "cpu-feig2d", "8x8 DCT in two dimensions at once, fewest operations",
          "E. Feig, S. Winograd, Fast algorithms for the discrete cosine transform, IEEE Trans. "
          "Signal Processing 40 (1992)",
          0, .transform = XC_BAND_FEIG2D);

#ifdef _OPENMP
BLOCK_DCT(cpu_aan_openmp, "cpu-aan-openmp", AAN ", with threads", AAN_SOURCE, 1,
          .transform = XC_BAND_AAN);
BLOCK_DCT(cpu_flmad_openmp, "cpu-flmad-openmp", FLMAD ", with threads", FLMAD_SOURCE, 1,
          .transform = XC_BAND_FLMAD);
#endif
