# SPDX-License-Identifier: BSD-2-Clause
#
# The Python package.  python/backend.py compiles it, for pip and for `make python`, which leaves a
# package to import in python/xcodec/ of the build folder.  Python's declarations want char * of
# constants: no -Wwrite-strings.

python_sources = \
	python/src/array.c python/src/batch.c python/src/decode.c python/src/dlpack.c python/src/encode.c \
	python/src/jpeg.c python/src/module.c python/src/xcpy.h
python_package = \
	python/xcodec/__init__.py python/xcodec/_arrays.py python/xcodec/_errors.py python/xcodec/_numbers.py \
	python/xcodec/_options.py python/xcodec/_types.pyi python/xcodec/_workers.py python/xcodec/_xcodec.pyi \
	python/xcodec/numcodecs.py python/xcodec/pillow.py \
	python/xcodec/py.typed python/xcodec/shards.py python/xcodec/torch.py
EXTRA_DIST += \
	python/backend.py python/pyproject.toml $(python_sources) $(python_package) \
	python/tests/support.py python/tests/test_arrays.py python/tests/test_decode.py python/tests/test_encode.py \
	python/tests/test_errors.py python/tests/test_jpeg.py python/tests/test_pillow.py python/tests/test_shards.py \
	python/tests/test_threads.py python/tests/test_torch.py python/tests/test_wheel.py

python: python/built
python/built: $(python_sources) $(python_package) python/backend.py $(include_HEADERS) libxc_core.la
	$(AM_V_GEN)$(MKDIR_P) python && XCODEC_BUILD='$(abs_top_builddir)' LDFLAGS='$(LDFLAGS)' CC='$(CC)' \
	CFLAGS='$(XC_CFLAGS) $(XC_WARNINGS) -Wno-write-strings $(XC_SANITIZERS) $(CFLAGS)' \
	$(PYTHON) $(top_srcdir)/python/backend.py python >python/log 2>&1 || { cat python/log; exit 1; }
	@grep warning: python/log >&2 || :
	@touch $@

# A tree that is built in itself has its sources there.
clean-local:
	rm -rf python/built python/log python/*.so python/xcodec/*.so
	test -f python/backend.py || rm -rf python
.PHONY: python

if XC_PYTHON
check_DATA += python/built
endif
