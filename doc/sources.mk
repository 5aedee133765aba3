# SPDX-License-Identifier: BSD-2-Clause
dist_doc_DATA += \
	doc/architecture.md \
	doc/arrays.md \
	doc/building.md \
	doc/compression.md \
	doc/desktop.md \
	doc/registration.md \
	doc/format.md \
	doc/format-tables.txt \
	doc/gpu.md \
	doc/hdf5.md \
	doc/performance.md \
	doc/python.md \
	doc/reduced.md \
	doc/scale.md \
	samples/xcodec.sbatch

EXTRA_DIST += doc/report.webp \
	doc/transforms/corner.webp \
	doc/transforms/dct.webp \
	doc/transforms/edges-dct.webp \
	doc/transforms/edges-lot.webp \
	doc/transforms/edges-tdlt.webp \
	doc/transforms/genlot.webp \
	doc/transforms/keep.webp \
	doc/transforms/lines.webp \
	doc/transforms/lot.webp \
	doc/transforms/original.webp
