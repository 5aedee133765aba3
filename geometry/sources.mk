# SPDX-License-Identifier: BSD-2-Clause
geometry_sources = geometry/geometry.c geometry/geometry.h geometry/index.h
