# SPDX-License-Identifier: BSD-2-Clause
simd_sources = simd/cpu.c simd/cpu.h
