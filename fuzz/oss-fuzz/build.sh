#!/bin/bash -eu
# SPDX-License-Identifier: BSD-2-Clause
#
# Builds the fuzz targets as OSS-Fuzz wants them, in $OUT, with their seeds.  The base image sets all variables;
# .ci/portable runs this with those of libFuzzer.  The machine that fuzzes has no libraries, so that those of the
# picture formats are linked statically.  MemorySanitizer takes what a library writes that was not built with it for
# never set, so it has no such formats.

cd "$SRC/xcodec"
[ -x configure ] || autoreconf -fi
mkdir -p "$WORK/xcodec" "$OUT"
options=(--disable-shared --disable-cuda --disable-openmp --disable-hardening --without-fftw --without-hdf5 --without-isal
	--without-archive --without-libtiff --without-mpi --without-python)
left_out=()
if [ "$SANITIZER" = memory ]; then
	options+=(--without-libpng --without-libjpeg)
	left_out=(array_file) # formats that are compressed
else
	export PNG_LIBS="-l:libpng16.a -l:libz.a -lm" JPEG_LIBS=-l:libjpeg.a
fi
export ZLIB_LIBS=-l:libz.a
# The engines other than libFuzzer's own flag are C++.
case $LIB_FUZZING_ENGINE in
-fsanitize=fuzzer) link=$CC ;;
*) link="$CXX ${CXXFLAGS-}" ;;
esac

cd "$WORK/xcodec"
"$SRC/xcodec/configure" "${options[@]}"
make -j "$(nproc)" CCLD="$link" fuzz-targets
for target in fuzz/*; do
	name=${target##*/}
	[ -f "$target" ] && [ -x "$target" ] || continue
	case " ${left_out[*]-} " in *" $name "*) continue ;; esac
	cp "$target" "$OUT/$name"
	printf '[libfuzzer]\nmax_len = 8192\n' >"$OUT/$name.options"
	if [ -f "$SRC/xcodec/fuzz/seeds/$name.pack" ]; then
		rm -rf seeds
		"$SRC/xcodec/fuzz/run" -u "$name" seeds
		rm -f "$OUT/${name}_seed_corpus.zip"
		zip -q -j -r "$OUT/${name}_seed_corpus.zip" seeds
	fi
done
