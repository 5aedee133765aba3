/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to the readers of PBM, PGM, PPM and PAM, plain and binary (fuzz/reader.h). */
#include "fuzz/reader.h"

XC_READER_TARGET(XC_READER_OF(XC_FILE_PGM) | XC_READER_OF(XC_FILE_PPM) | XC_READER_OF(XC_FILE_PAM))
