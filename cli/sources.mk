# SPDX-License-Identifier: BSD-2-Clause
cli_sources = \
	cli/cleanup.c \
	cli/cleanup.h \
	cli/command.h \
	cli/compare.c \
	cli/decode.c \
	cli/encode.c \
	cli/help.c \
	cli/info.c \
	cli/info.h \
	cli/info_json.c \
	cli/info_text.c \
	cli/io.c \
	cli/io.h \
	cli/json.c \
	cli/json.h \
	cli/main.c \
	cli/options.c \
	cli/options.h \
	cli/output.c \
	cli/picture.c \
	cli/picture.h \
	cli/progress.c \
	cli/progress.h \
	cli/report.c \
	cli/report.h \
	cli/settings.c \
	cli/settings.h \
	cli/stages.c \
	cli/stages.h \
	cli/sweep.c \
	cli/sweep.h \
	cli/sweep_report.c \
	cli/values.c \
	cli/version.c

dist_check_SCRIPTS += \
	tests/cli.sh \
	tests/cli_errors.sh \
	tests/cli_help.sh
