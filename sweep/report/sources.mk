# SPDX-License-Identifier: BSD-2-Clause
#
# The report of a sweep.  Who links it links sweep_sources and cli/base/json.c too.
sweep_report_sources = \
	sweep/report/html.c sweep/report/html_parts.h \
	sweep/report/pairs.c \
	sweep/report/views.c

# What the page is made of.  Files of one kind are joined in this order.
sweep_page = \
	sweep/report/page/report.html \
	sweep/report/page/report.css \
	sweep/report/page/viewer.css \
	sweep/report/page/data.js \
	sweep/report/page/curves.js \
	sweep/report/page/chart.js \
	sweep/report/page/tip.js \
	sweep/report/page/tables.js \
	sweep/report/page/images.js \
	sweep/report/page/stage.js \
	sweep/report/page/viewer.js \
	sweep/report/page/report.js

EXTRA_DIST += sweep/report/embed.sh $(sweep_page)
CLEANFILES += sweep/report/page.c

sweep/report/page.c: $(sweep_page) sweep/report/embed.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(SHELL) $(srcdir)/sweep/report/embed.sh $(addprefix $(srcdir)/,$(sweep_page)) >$@.tmp && \
	mv $@.tmp $@

noinst_LTLIBRARIES += libxc_report.la
libxc_report_la_SOURCES = $(sweep_report_sources)
nodist_libxc_report_la_SOURCES = sweep/report/page.c
libxc_report_la_CFLAGS = $(program_cflags)
libxc_report_la_LIBADD = libxc_formats.la
