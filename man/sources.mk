# SPDX-License-Identifier: BSD-2-Clause
dist_man_MANS = \
	man/xc.5 \
	man/xcodec.3 \
	man/xcodec_array.3 \
	man/xcodec_jpeg.3 \
	man/xcodec_batch.3 \
	man/xcodec_context.3 \
	man/xcodec_cuda.3 \
	man/xcodec_decode.3 \
	man/xcodec_decoder.3 \
	man/xcodec_encode.3 \
	man/xcodec_encoder.3 \
	man/xcodec_info.3 \
	man/xcodec_metrics.3 \
	man/xcodec_picture.3 \
	man/xcodec_pixels.3 \
	man/xcodec_target.3 \
	man/xcodec.1 \
	man/xcodec-bench.1 \
	man/xcodec-compare.1 \
	man/xcodec-decode.1 \
	man/xcodec-encode.1 \
	man/xcodec-info.1 \
	man/xcodec-sweep.1 \
	man/xcodec-verify.1

if XC_MPI
dist_man_MANS += man/xcodec-mpi.1
else
EXTRA_DIST += man/xcodec-mpi.1
endif
