# SPDX-License-Identifier: BSD-2-Clause
dist_doc_DATA += \
	doc/architecture.md \
	doc/building.md \
	doc/compression.md \
	doc/format.md \
	doc/gpu.md \
	doc/hdf5.md \
	doc/performance.md \
	doc/python.md \
	doc/reduced.md \
	doc/scale.md \
	samples/xcodec.sbatch

EXTRA_DIST += doc/report.webp
