/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_vectors FOLDER: writes the test vectors and their MANIFEST. It is run by hand where vectors are
 * added, since the files are part of the tree and stay what they are: an encoder may come to write
 * others. Each file is decoded by the reference decoders, which give shape and hash, and by the
 * library; where these differ, or another class comes out than the name says, the program fails.
 */
#include "tests/decoders/make.h"

int main(int argc, char **argv)
{
	char path[1024];

	if (argc != 2) {
		fputs("usage: make_vectors FOLDER\n", stderr);
		return 2;
	}
	folder = argv[1];
	snprintf(path, sizeof path, "%s/MANIFEST", folder);
	manifest = fopen(path, "w");
	context = xc_test_context();
	if (!manifest)
		return 1;
	fputs("# FILE CLASS[:DAMAGED SEGMENTS] SHAPE SHA-256 WHAT; see README.md\n", manifest);
	make_lossy();
	make_sizes();
	make_tiles();
	make_steps();
	make_colours();
	make_codes();
	make_samples();
	make_alpha();
	make_lossless();
	make_ancillary();
	make_refused();
	make_damaged();
	make_arrays();
	make_jpegs();
	xc_context_free(context);
	if (fclose(manifest))
		return 1;
	return wrong != 0;
}
