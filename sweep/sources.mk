# SPDX-License-Identifier: BSD-2-Clause
#
# `xcodec sweep`: rate and distortion.
sweep_bd = sweep/bd.c sweep/bd.h
sweep_sources = \
	$(sweep_bd) \
	sweep/results.h \
	sweep/results.c

# Pictures, configurations, programs; what is measured.
sweep_command_sources = \
	sweep/run/config.c sweep/run/config.h \
	sweep/run/foreign.c \
	sweep/run/measure.c \
	sweep/run/run.c sweep/run/run.h \
	sweep/run/words.c

# What is told of it, as text.
sweep_command_sources += \
	sweep/text/report.h \
	sweep/text/table.c
