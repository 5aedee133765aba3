/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to the reader of JPEG (fuzz/reader.h). */
#include "fuzz/reader.h"

XC_READER_TARGET(XC_READER_OF(XC_FILE_JPEG))
