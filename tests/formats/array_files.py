# SPDX-License-Identifier: BSD-2-Clause
"""Files of arrays that others wrote, and ours read by others; for array_files.sh.

array_files.py CONVERT FOLDER WITH [FILE...]: WITH is the module to compare with. CONVERT reads a file
and writes another one (check_array_files --convert).
"""
import subprocess
import sys
import warnings

import numpy as np

convert, folder, other = sys.argv[1:4]
warnings.simplefilter("ignore")
types = "f4 f8 i1 i2 i4 u1 u2 u4".split()
random = np.random.default_rng(1)


def converted(source, target, raw=None):
    """What the program says, or None where it refuses the file."""
    arguments = convert.split() + ["--convert", source, target] + ([raw] if raw else [])
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.returncode in (0, 1) and done.stdout.count("\n") == 1, (source, done)
    return done.stdout if done.returncode == 0 else None


def read(source, raw=None):
    assert converted(source, folder + "/read.npy", raw), source
    return np.load(folder + "/read.npy")


def equal(a, b, what):
    assert a.shape == b.shape and a.dtype.newbyteorder("=") == b.dtype.newbyteorder("="), (what, a.dtype, a.shape, b.shape)
    assert a.tobytes() == b.astype(a.dtype).tobytes(), what


def same_bytes(source, target):
    assert converted(source, target), source
    assert open(source, "rb").read() == open(target, "rb").read(), source


def array(kind, *shape):
    bytes_ = random.integers(0, 256, np.prod(shape) * np.dtype(kind).itemsize, dtype="u1")
    return bytes_.view(kind).reshape(shape)


def test_numpy():
    path, again = folder + "/a.npy", folder + "/again.npy"
    for kind in types:
        for order in "<>":
            a = array(order + kind, 4, 5, 6)
            for b in (a, a[0], a[0, 0], np.asfortranarray(a)):
                np.save(path, b)
                equal(read(path), b, kind)
                same_bytes(path, again)
            assert "NPY 4x5x6;" in converted(path, folder + "/f.raw")
            assert open(folder + "/f.raw", "rb").read() == a.astype(kind).tobytes("C")
            a.tofile(folder + "/a.raw")
            equal(read(folder + "/a.raw", "%s%d,4x5x6,%s" % (
                kind[0], 8 * int(kind[1]), "little" if order == "<" else "big")), a, kind)
    with open(path, "wb") as f:
        np.lib.format.write_array(f, a, version=(3, 0))
    equal(read(path), a, "version 3")


def test_nibabel():
    import nibabel
    for kind in types:
        for order in "<>":
            a = array(order + kind, 6, 5, 4, 3)
            if kind[0] == "f":
                a = np.nan_to_num(a)
            header = nibabel.Nifti1Header(endianness=order)
            header.set_data_dtype(a.dtype)
            image = nibabel.Nifti1Image(a, np.eye(4), header)
            image.header.extensions.append(nibabel.nifti1.Nifti1Extension(6, b"a comment"))
            for path in (folder + "/a.nii", folder + "/a.nii.gz"):
                nibabel.save(image, path)
                equal(read(path), a.T, kind)
            same_bytes(folder + "/a.nii", folder + "/again.nii")
            # a header that is new
            np.save(folder + "/b.npy", a.T.copy())
            assert converted(folder + "/b.npy", folder + "/b.nii")
            equal(np.asanyarray(nibabel.load(folder + "/b.nii").dataobj), a, kind)


def test_tifffile():
    import tifffile
    path = folder + "/a.tif"
    for kind in types:
        for order in "<>":
            for options in ({}, {"tile": (16, 32)}, {"rowsperstrip": 3}, {"compression": "zlib"},
                            {"bigtiff": True}):
                a = array(order + kind, 3, 37, 41)
                tifffile.imwrite(path, a, byteorder=order, photometric="minisblack", **options)
                equal(read(path), a, (kind, options))
        tifffile.imwrite(path, a, photometric="minisblack", extratags=[(42113, "s", 0, "-9999", False)])
        assert "; fill -9999;" in converted(path, folder + "/b.npy")
        assert converted(folder + "/b.npy", folder + "/b.tif")
        equal(tifffile.imread(folder + "/b.tif"), a.astype(kind), kind)


    # what is not about how values are stored comes back
    stored = {254, 256, 257, 258, 259, 273, 277, 278, 279, 284, 317, 322, 323, 324, 325, 338, 339}
    def tags(path):
        with tifffile.TiffFile(path) as f:
            return [{t.code: (t.dtype, t.count, str(t.value)) for t in page.tags if t.code not in stored}
                    for page in f.pages]
    for order in "<>":
        for big in (False, True):
            a = array("u1", 3, 37, 41)
            for options in ({"photometric": "miniswhite"}, {"photometric": "palette", "colormap": array("u2", 3, 256)},
                            {"photometric": "minisblack", "resolution": (3, 4.5), "description": "hello", "extratags": [
                                (42113, "s", 0, "-9999", False), (33550, "d", 3, (1., 2., 0.), True),
                                (65000, "f", 1, 2.5, False), (65001, "i", 1, -5, False)]}):
                tifffile.imwrite(path, a, byteorder=order, bigtiff=big, metadata=None, compression="zlib", **options)
                assert converted(path, folder + "/b.tif").count(";") == (2 if "extratags" in options else 1)
                equal(tifffile.imread(folder + "/b.tif"), a, options)
                assert tags(path) == tags(folder + "/b.tif"), (order, big, options)
                same_bytes(folder + "/b.tif", folder + "/c.tif")


def test_segyio():
    import segyio
    path = folder + "/a.sgy"
    for code, kind in ((1, "f4"), (2, "i4"), (3, "i2"), (5, "f4")):
        for endian in ("big", "little"):
            spec = segyio.spec()
            spec.sorting, spec.format, spec.endian = 2, code, endian
            spec.ilines, spec.xlines, spec.samples = range(10, 14), range(20, 26, 2), range(50)
            a = random.normal(0, 100, (12, 50)).astype(kind)
            with segyio.create(path, spec) as f:
                for i in range(12):
                    f.header[i] = {segyio.su.iline: 10 + i // 3, segyio.su.xline: 20 + i % 3 * 2,
                                   segyio.su.ns: 50, segyio.su.tracl: i}
                    f.trace[i] = a[i]
            with segyio.open(path, endian=endian) as f:
                equal(read(path), segyio.tools.cube(f).astype(kind), (code, endian))
            same_bytes(path, folder + "/again.sgy")


def test_files():
    """Files of others: refused in one line, or the same bytes again; TIFF has many forms."""
    counts = {}
    for path in sys.argv[4:]:
        suffix = path.rsplit(".", 1)[1].lower()
        said = converted(path, folder + "/again." + suffix.replace("gz", "nii"))
        key = suffix + (" refused" if said is None else "")
        counts[key] = counts.get(key, 0) + 1
        if said and "bytes will not be" not in said and suffix in ("npy", "pfm", "nii", "sgy", "segy", "su"):
            same_bytes(path, folder + "/again." + suffix)
    print(counts)


globals()["test_" + other]()
