# SPDX-License-Identifier: BSD-2-Clause
#
# The decoder for browsers, an npm package: `make web` leaves it in web/package of the build folder,
# and `make check-web` tests it there.  It is compiled by emscripten from the library's own sources.
#
# A module has one SIMD level, that of every processor ("scalar"): plain C in one module, vectors of
# SIMD128 in the other.  No function is optimized for speed in the former, which only old browsers
# load, because its loops over lanes would be three times as large.

EMCC = emcc
web_package = web/xcodec.js web/xcodec.d.ts web/xcodec-core.js web/xcodec-worker.js web/xcodec-sw.js \
	web/README.md web/demo/index.html web/demo/demo.js
EXTRA_DIST += web/module.c web/package.json $(web_package)

web_shared = $(filter %.c,$(filter-out src/array/% src/batch/% src/cuda/queue.c src/metrics/% src/target/%,\
	$(src_sources)) $(geometry_sources) $(entropy_sources) $(jpeg_sources) $(lossless_sources) \
	$(quant_sources) $(transform_sources)) web/module.c
web_level = $(filter %.c,src/pixels/kernels_level.c $(rans_level_sources) $(lossless_level_sources) \
	$(jpeg_level_sources))
web_objects = $(web_shared:%.c=web/$(1)/%.o) $(web_level:%.c=web/$(1)/%.o) \
	$(entropy_width_sources:%.c=web/$(1)/16/%.o) $(entropy_width_sources:%.c=web/$(1)/32/%.o)

web_flags = -std=gnu11 -ffp-contract=off -fvisibility=hidden -Wall -Wextra -Wno-psabi \
	-DXC_DEVICE= -DXC_GPU_ABI=0u -DPACKAGE_VERSION='"$(PACKAGE_VERSION)"' -DXC_KERNELS=xc_kernels_scalar \
	-DXC_RANS=xc_rans_scalar -DXC_LOSSLESS_SUFFIX=_scalar -I$(top_srcdir)/include -I$(top_srcdir)
web_decoder = -DXC_DECODER_ALONE -Wno-unused-function
web_flags_scalar = $(web_decoder) -Os -DXC_LANES=1
web_flags_simd = $(web_decoder) -O3 -msimd128 -DXC_LANES=4
web_flags_encoder = -O2 -msimd128 -DXC_LANES=4
# Linked for speed the plain module is smaller, too, when it is compressed.
web_link_scalar = -O3
web_link_simd = -O3 -msimd128
web_link_encoder = -O2 -msimd128
# The stack comes first in memory, so that one that is too small traps.
web_link = --no-entry -s STANDALONE_WASM=1 -s ALLOW_MEMORY_GROWTH=1 -s MAXIMUM_MEMORY=4GB \
	-s INITIAL_MEMORY=2MB -s TOTAL_STACK=1MB -s MALLOC=emmalloc -Wl,--stack-first

define web_module
web/$(1)/16/%.o: $$(top_srcdir)/%.c
	$$(AM_V_CC)$$(MKDIR_P) $$(@D) && $$(EMCC) $$(web_flags) $$(web_flags_$(1)) -DXC_BITS=16 -MMD -c -o $$@ $$<
web/$(1)/32/%.o: $$(top_srcdir)/%.c
	$$(AM_V_CC)$$(MKDIR_P) $$(@D) && $$(EMCC) $$(web_flags) $$(web_flags_$(1)) -DXC_BITS=32 -MMD -c -o $$@ $$<
web/$(1)/%.o: $$(top_srcdir)/%.c
	$$(AM_V_CC)$$(MKDIR_P) $$(@D) && $$(EMCC) $$(web_flags) $$(web_flags_$(1)) -MMD -c -o $$@ $$<
web/xcodec-$(1).wasm: $$(call web_objects,$(1))
	$$(AM_V_CCLD)$$(EMCC) $$(web_link_$(1)) $$(web_link) -o $$@ $$^
-include $$(patsubst %.o,%.d,$$(call web_objects,$(1)))
endef
$(foreach name,scalar simd encoder,$(eval $(call web_module,$(name))))

web_modules = web/xcodec-scalar.wasm web/xcodec-simd.wasm web/xcodec-encoder.wasm
web: web/package/package.json
web/package/package.json: $(web_modules) $(web_package) web/package.json include/xcodec.h
	$(AM_V_GEN)rm -rf web/package && $(MKDIR_P) web/package/demo && cp $(web_modules) $(srcdir)/COPYING web/package && \
	for file in $(web_package); do cp "$(srcdir)/$$file" "web/package/$${file#web/}" || exit; done && \
	sed 's/"0.0.0"/"$(PACKAGE_VERSION)"/' $(srcdir)/web/package.json >$@

EXTRA_DIST += tests/web/check.sh tests/web/check.mjs tests/web/page.html
check-web: all web
	BUILDDIR='$(abs_top_builddir)' XCODEC='$(abs_top_builddir)/xcodec$(EXEEXT)' \
		$(top_srcdir)/tests/web/check.sh; status=$$?; test $$status -eq 77 || exit $$status
mostlyclean-local:
	rm -rf web/package $(web_modules) web/scalar web/simd web/encoder
.PHONY: web check-web
