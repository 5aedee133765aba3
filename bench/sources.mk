# SPDX-License-Identifier: BSD-2-Clause

noinst_PROGRAMS += bench/transforms_block
