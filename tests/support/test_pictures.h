/* SPDX-License-Identifier: BSD-2-Clause */
/* Picture files of the tree or of the shared folder to test with, and made ones. */
#ifndef XC_TESTS_SUPPORT_TEST_PICTURES_H
#define XC_TESTS_SUPPORT_TEST_PICTURES_H

#include "formats/formats.h"
#include "tests/support/samples.h"

#define OWN_FILE_PICTURE __attribute__((cleanup(xc_file_picture_free))) xc_file_picture

/* 0: the file cannot be read, and the message (XC_FILE_MESSAGE bytes) says why. */
int xc_test_read(const char *path, xc_file_picture *out, char *message);

/* Reads samples/NAME of the source tree; 0: it does not exist or is damaged. */
int xc_test_sample(const char *name, xc_file_picture *out);

/* Reads NAME of the folder with large pictures (XC_SHARED, by default ../shared beside
 * the source tree); 0: it does not exist. */
int xc_test_shared(const char *name, xc_file_picture *out);

#endif
