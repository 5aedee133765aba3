# SPDX-License-Identifier: BSD-2-Clause
"""The filter for HDF5 through h5py, which opens the plugin in HDF5_PLUGIN_PATH, and through h5dump."""
import os
import re
import shutil
import struct
import subprocess

import h5py
import numpy as np
import pytest

FILTER = 344
# Programs of HDF5 hang at their end, in freelocale() of libp11-kit.
no_sanitizers = pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer")
LOSSLESS, ABSOLUTE, RELATIVE, POINTWISE, PSNR = range(5)
TYPES = ("f4", "f8", "i1", "i2", "i4", "u1", "u2", "u4")


def words(kind, bound=0.0, effort=2, limits=()):
    return (kind, *struct.unpack("<2I", struct.pack("<d", bound)), effort,
            *(struct.unpack("<4I", struct.pack("<2d", *limits)) if limits else ()))


def field(shape, dtype):
    places = np.indices(shape)
    waves = sum(np.sin(place / (5 + 2 * i)) for i, place in enumerate(places))
    noise = np.random.default_rng(1).normal(0, 0.01, shape)
    return ((waves + noise) * 30 + 40 * (np.dtype(dtype).kind == "u")).astype(dtype)


def kept(path, values, options, chunks=None, **more):
    """The dataset that comes back, and the bytes that the file has for it."""
    with h5py.File(path, "w") as file:
        data = file.create_dataset("a", data=values, chunks=chunks or values.shape,
                                   compression=FILTER, compression_opts=options, **more)
        size = data.id.get_storage_size()
    with h5py.File(path, "r") as file:
        return file["a"][...], size


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", "<>")
def test_lossless(tmp_path, dtype, order):
    values = field((40, 33, 21), order + dtype)
    back, size = kept(tmp_path / "a.h5", values, (), chunks=(16, 16, 21))
    assert back.dtype == values.dtype and np.array_equal(back, values)
    assert size < values.nbytes or dtype == "f8"  # which has noise in its last bits


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind, bound, effort, limits", [
    (ABSOLUTE, 0.5, 2, ()), (RELATIVE, 0.01, 2, (-50, 50)), (POINTWISE, 0.02, 2, ()),
    (ABSOLUTE, 0.5, 2 + 12, ())])  # by the TDLT
def test_bounds(tmp_path, order, kind, bound, effort, limits):
    values = field((70, 90), order + "f4")
    values[3, 4:60], values[5, 6] = np.nan, np.inf
    back, size = kept(tmp_path / "a.h5", values, words(kind, bound, effort, limits), chunks=(35, 90))
    finite = np.isfinite(values)
    wide, other = values.astype("f8")[finite], back.astype("f8")[finite]
    allowed = bound * (np.abs(wide) if kind == POINTWISE else 100 if limits else 1)
    assert np.array_equal(back[~finite], values[~finite], equal_nan=True)
    assert 0 < np.abs(other - wide).max() and (np.abs(other - wide) <= allowed).all()
    assert size < values.nbytes / 2


def test_fill_value_is_kept(tmp_path):
    values = field((64, 64), "f4")
    values[:30, :30] = -9999.25
    back, _ = kept(tmp_path / "a.h5", values, words(ABSOLUTE, 5.0)[:3], fillvalue=-9999.25)
    assert (back[:30, :30] == -9999.25).all() and np.abs(back - values).max() <= 5


@pytest.mark.parametrize("shape", [(7,), (1, 1, 1), (3, 1, 20, 30), (2, 3, 4, 5, 6), (2, 1, 2, 3, 4, 5, 2)])
def test_any_number_of_dimensions(tmp_path, shape):
    values = field(shape, "f4")
    assert np.array_equal(kept(tmp_path / "a.h5", values, (), shuffle=False)[0], values)


def test_other_filters_follow(tmp_path):
    values = field((50, 60), "f4")
    back, _ = kept(tmp_path / "a.h5", values, (), fletcher32=True)
    assert np.array_equal(back, values)


def test_properties_of_a_file_make_another(tmp_path):
    values = field((50, 60), "f4")
    kept(tmp_path / "a.h5", values, words(ABSOLUTE, 0.25))
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        properties = file["a"].id.get_create_plist()
        properties.set_chunk((30, 20, 4))
        h5py.h5d.create(file.id, b"b", h5py.h5t.IEEE_F64BE, h5py.h5s.create_simple((30, 20, 4)),
                        properties)
        file["b"][...] = field((30, 20, 4), "f8")
        error = np.abs(file["b"][...] - field((30, 20, 4), "f8")).max()
    assert 0 < error <= 0.25


@pytest.mark.parametrize("dtype", ["f2", "i8", "u8", "?", "S4", "c8", [("a", "f4")]])
def test_other_types_are_refused(tmp_path, dtype):
    with pytest.raises(ValueError, match="values must be floats of 32 or 64 bits"):
        kept(tmp_path / "a.h5", np.zeros((8, 8), dtype), ())


@pytest.mark.parametrize("options", [
    words(9), words(ABSOLUTE, -1.0), words(ABSOLUTE, float("nan")), words(0, 0, 16), words(RELATIVE, 0.1),
    words(PSNR, 50.0), (1, 2)])
def test_wrong_numbers_are_refused(tmp_path, options):
    with pytest.raises(ValueError, match="xcodec: .* numbers"):
        kept(tmp_path / "a.h5", field((8, 8), "f4"), options)


def test_bytes_of_other_filters_are_refused(tmp_path):
    with pytest.raises(ValueError, match="must be the first filter"):
        kept(tmp_path / "a.h5", field((8, 8), "f4"), (), shuffle=True)


@pytest.fixture(name="two")
def two_chunks(tmp_path):
    """A file, and where its second chunk is."""
    kept(tmp_path / "a.h5", field((64, 64), "<f4"), words(ABSOLUTE, 0.01), chunks=(32, 64))
    with h5py.File(tmp_path / "a.h5", "r") as file:
        place = file["a"].id.get_chunk_info(1)
        assert file["a"].id.read_direct_chunk(place.chunk_offset)[1][:12] == b"\x8fXC\r\n\x1a\n\x03ARRY"
    return tmp_path / "a.h5", place


def test_damage_is_an_error(two):
    """Or it is in one of the two checksums that say nothing new about values."""
    path, place = two
    whole, wanted, harmless = path.read_bytes(), None, 0
    for at in (None, *range(0, place.size, 5)):
        data = bytearray(whole)
        if at is not None:
            data[place.byte_offset + at] ^= 0x10
        path.write_bytes(data)
        with h5py.File(path, "r") as file:
            try:
                values = file["a"][...]
                wanted = values if wanted is None else wanted
                harmless += 1
                assert np.array_equal(values, wanted)
            except OSError as error:
                assert "xcodec: " in str(error)
    assert harmless <= 1 + 8


@pytest.mark.parametrize("shape, dtype", [((64, 64), "f4"), ((32, 64), "f8"), ((32, 32), "f4")])
def test_chunks_of_other_arrays_are_errors(tmp_path, two, shape, dtype):
    kept(tmp_path / "b.h5", field(shape, dtype), ())
    with h5py.File(tmp_path / "b.h5", "r") as file:
        chunk = file["a"].id.read_direct_chunk((0, 0))[1]
    with h5py.File(two[0], "r+") as file:
        file["a"].id.write_direct_chunk((32, 0), chunk)
        with pytest.raises(OSError, match="another array"):
            file["a"][...]


@no_sanitizers
def test_h5dump_and_h5repack(tmp_path):
    if not shutil.which("h5dump") or not shutil.which("h5repack"):
        pytest.skip("no h5dump")
    values = field((9, 11), "f8")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("a", data=values, chunks=(4, 11))
    # the bound's low word is 0, its high word that of 0.5
    subprocess.run(["h5repack", "-f", f"UD={FILTER},0,3,1,0,{0x3fe00000}", tmp_path / "a.h5",
                    tmp_path / "b.h5"], check=True)
    text = subprocess.run(["h5dump", "-p", "-m", "%.17g", tmp_path / "b.h5"], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    assert f"FILTER_ID {FILTER}" in text and "COMMENT xcodec" in text
    shown = [float(n) for line in re.findall(r"^ *\(\d+,\d+\): (.*?),?$", text, re.M)
             for n in line.split(", ")]
    error = np.abs(np.reshape(shown, values.shape) - values).max()
    assert 0 < error <= 0.5


PROGRAM = """
#include <hdf5.h>
int main(void)
{
	static float values[64][64] = {{1, 2}};
	hsize_t size[2] = {64, 64};
	hid_t p = H5Pcreate(H5P_DATASET_CREATE), s = H5Screate_simple(2, size, NULL), d;
	hid_t f = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	H5Pset_chunk(p, 2, size);
	H5Pset_filter(p, 344, 0, 0, NULL);
	d = H5Dcreate2(f, "a", H5T_IEEE_F32LE, s, H5P_DEFAULT, p, H5P_DEFAULT);
	return H5Dwrite(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0 || H5Fclose(f) < 0;
}
"""


@no_sanitizers
def test_program_that_names_types(tmp_path):
    """It has its own copies of HDF5's variables."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "hdf5"], stdout=subprocess.PIPE,
                           check=False).stdout.decode().split()
    compiled = flags and subprocess.run(["cc", "-xc", "-", "-o", tmp_path / "make", *flags],
                                        input=PROGRAM.encode(), check=False).returncode == 0
    if not compiled:
        pytest.skip("no compiler, or it does not find HDF5")
    subprocess.run([tmp_path / "make"], cwd=tmp_path, check=True)
    with h5py.File(tmp_path / "a.h5", "r") as file:
        assert file["a"].shape == (64, 64) and list(file["a"][0, :3]) == [1, 2, 0]
