# SPDX-License-Identifier: BSD-2-Clause
dist_bashcompletion_DATA = completion/xcodec
