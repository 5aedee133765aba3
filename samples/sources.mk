# SPDX-License-Identifier: BSD-2-Clause
#
# The pictures, and the program that made them (samples/README tells how).

EXTRA_DIST += \
	samples/README \
	samples/grey.png \
	samples/grey16.png \
	samples/report.sh \
	samples/rgb16.png \
	samples/rgba.png \
	samples/transforms.sh \
	samples/whitepaper.sh \
	samples/works.awk \
	samples/works.sh \
	samples/works.txt

# What `xcodec bench codec` measures with.
dist_pkgdata_DATA = samples/meadow.png

tool_programs += samples/make_scene
samples_make_scene_SOURCES = samples/make_scene.c $(scene)
