# SPDX-License-Identifier: BSD-2-Clause

# How items are shared out, for the command and for what measures it.
mpi_share = \
	mpi/queue.c \
	mpi/share.c mpi/share.h
# What it needs of the command.
mpi_share_cli = \
	cli/base/json.c cli/base/report.c \
	cli/stream/items.c cli/stream/results.c cli/stream/spread.c

mpi_sources = \
	mpi/main.c \
	mpi/summary.c
