# SPDX-License-Identifier: BSD-2-Clause
dist_man_MANS = \
	man/xc.5 \
	man/xcodec.1 \
	man/xcodec-bench.1 \
	man/xcodec-compare.1 \
	man/xcodec-decode.1 \
	man/xcodec-encode.1 \
	man/xcodec-info.1 \
	man/xcodec-sweep.1
