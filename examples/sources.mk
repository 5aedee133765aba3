# SPDX-License-Identifier: BSD-2-Clause
#
# Programs that use the library as others do; tests/command/examples.sh runs them.

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	examples/decode.c \
	examples/encode.c \
	examples/region.c \
	examples/stream.c

tool_programs += examples/decode examples/encode examples/region examples/stream
