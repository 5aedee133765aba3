# SPDX-License-Identifier: BSD-2-Clause
#
# `xcodec sweep`: rate and distortion.
sweep_bd = sweep/bd.c sweep/bd.h
sweep_sources = \
	$(sweep_bd) \
	sweep/bd_table.c sweep/bd_table.h \
	sweep/results.h

# The report and its curves.
sweep_report_sources = \
	sweep/axis.c sweep/axis.h \
	sweep/crop.c sweep/crop.h \
	sweep/html.c sweep/html.h sweep/html_parts.h \
	sweep/html_data.c \
	sweep/html_tables.c \
	sweep/markup.c sweep/markup.h \
	sweep/measures.c sweep/measures.h \
	sweep/page.h \
	sweep/pairs.c sweep/pairs.h \
	sweep/rows.c sweep/rows.h \
	sweep/style.c sweep/style.h \
	sweep/svg.c sweep/svg.h \
	sweep/svg_legend.c sweep/svg_legend.h \
	sweep/views.c sweep/views.h

# What the page of the report is made of.  Files of one kind are joined in this order.
sweep_page = \
	sweep/page/report.html \
	sweep/page/report.css \
	sweep/page/viewer.css \
	sweep/page/data.js \
	sweep/page/curves.js \
	sweep/page/chart.js \
	sweep/page/tables.js \
	sweep/page/images.js \
	sweep/page/stage.js \
	sweep/page/viewer.js \
	sweep/page/report.js

EXTRA_DIST += sweep/embed.sh $(sweep_page)
CLEANFILES += sweep/page.c

sweep/page.c: $(sweep_page) sweep/embed.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(SHELL) $(srcdir)/sweep/embed.sh $(addprefix $(srcdir)/,$(sweep_page)) >$@.tmp && mv $@.tmp $@

noinst_LTLIBRARIES += libxc_report.la
libxc_report_la_SOURCES = $(sweep_report_sources)
nodist_libxc_report_la_SOURCES = sweep/page.c
libxc_report_la_CFLAGS = $(program_cflags)
libxc_report_la_LIBADD = libxc_formats.la
