# SPDX-License-Identifier: BSD-2-Clause
#
# `xcodec sweep`: rate and distortion.
sweep_bd = sweep/bd.c sweep/bd.h
sweep_sources = \
	$(sweep_bd) \
	sweep/bd_table.c sweep/bd_table.h \
	sweep/measures.c sweep/measures.h \
	sweep/results.h \
	sweep/rows.c sweep/rows.h

# Pictures, configurations, programs; what is measured.
sweep_command_sources = \
	sweep/run/config.c sweep/run/config.h \
	sweep/run/errand.c \
	sweep/run/foreign.c sweep/run/foreign.h \
	sweep/run/identity.c \
	sweep/run/journal.c sweep/run/journal.h \
	sweep/run/keeper.c sweep/run/keeper.h \
	sweep/run/measure.c sweep/run/measure.h \
	sweep/run/original.c sweep/run/original.h \
	sweep/run/qualities.c sweep/run/qualities.h \
	sweep/run/run.c sweep/run/run.h \
	sweep/run/spawn.c sweep/run/spawn.h \
	sweep/run/version.c \
	sweep/run/recoder.c sweep/run/recoder.h \
	sweep/run/words.c sweep/run/words.h

# What is told of it, as text.
sweep_command_sources += \
	sweep/text/csv.c \
	sweep/text/json.c \
	sweep/text/plot.c \
	sweep/text/report.h \
	sweep/text/table.c
