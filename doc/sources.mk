# SPDX-License-Identifier: BSD-2-Clause
dist_doc_DATA += \
	doc/architecture.md \
	doc/format.md \
	doc/gpu.md \
	doc/performance.md
