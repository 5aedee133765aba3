# SPDX-License-Identifier: BSD-2-Clause
#
# Programs that use the library as others do; tests/command/examples.sh runs those in C,
# python/tests/test_torch.py the one in Python.

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	examples/batch.cu \
	examples/decode.c \
	examples/encode.c \
	examples/region.c \
	examples/stream.c

EXTRA_DIST += examples/python/dataloader.py

tool_programs += examples/decode examples/encode examples/region examples/stream

# By nvcc, with a GPU alone of use.
if XC_CUDA
tool_files += examples/batch
CLEANFILES += examples/batch
examples/batch: examples/batch.cu libxcodec.la
	$(AM_V_GEN)$(MKDIR_P) examples && $(NVCC) $(XC_CUDA_CODE) -I$(top_srcdir)/include -o $@ \
		$(srcdir)/examples/batch.cu .libs/libxcodec.a -lpthread -ldl -lm
endif
