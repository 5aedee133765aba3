# SPDX-License-Identifier: BSD-2-Clause
"""encode_array(), decode_array(), array_info(), and the codec for numcodecs."""
import warnings

import numpy as np
import pytest
import xcodec
from support import python

TYPES = ("f4", "f8", "i1", "i2", "i4", "u1", "u2", "u4")


def field(shape, dtype="f4"):
    waves = sum(np.sin(place / (5 + 2 * i)) for i, place in enumerate(np.indices(shape)))
    noise = np.random.default_rng(1).normal(0, 0.01, shape)
    return ((waves + noise) * 20 + 64 * (np.dtype(dtype).kind == "u")).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(50,), (20, 31), (9, 17, 20), (2, 5, 6, 7)])
def test_lossless(dtype, shape):
    values = field(shape, dtype)
    file = xcodec.encode_array(values, threads=2)
    back, about = xcodec.decode_array(file), xcodec.array_info(file)
    assert back.dtype == values.dtype and np.array_equal(back, values)
    assert (about.shape, about.dtype, about.kind) == (shape, values.dtype.name, "lossless")
    assert about.file_bytes == len(file) and about.error == 0 and about.chunks >= 1
    assert file == xcodec.encode_array(values, lossless=True)


def test_bounds():
    values = field((80, 90))
    values[2, 3:50], values[4, 5] = np.nan, -np.inf
    finite = np.isfinite(values)
    wide = values.astype("f8")[finite]
    full = np.ptp(wide)
    for bound, allowed in [({"max_error": 0.1}, 0.1), ({"relative_error": 1e-2}, 1e-2 * full),
                           ({"pointwise_error": 0.03}, 0.03 * np.abs(wide)),
                           ({"max_error": np.float32(0.5), "effort": 0, "chunk": (32, 40)}, 0.5)]:
        file = xcodec.encode_array(values, **bound)
        back = xcodec.decode_array(file)
        error = np.abs(back.astype("f8")[finite] - wide)
        assert 0 < error.max() and (error <= allowed).all() and len(file) < values.nbytes / 2
        assert np.array_equal(back[~finite], values[~finite], equal_nan=True)
        assert list(bound.items())[0][1] == pytest.approx(xcodec.array_info(file).bound)
    assert xcodec.array_info(file).chunk == (32, 40)
    for transform in ("dct", "lot", "tdlt"):
        file = xcodec.encode_array(values, max_error=0.5, transform=transform)
        error = np.abs(xcodec.decode_array(file).astype("f8")[finite] - wide)
        assert xcodec.array_info(file).coding == transform and 0 < error.max() <= 0.5
        assert xcodec.array_info(file).predicted_chunks == 0
        with pytest.warns(UserWarning, match="predicted, not transformed"):
            file = xcodec.encode_array(values, pointwise_error=0.01, transform=transform)
        assert xcodec.array_info(file).predicted_chunks == xcodec.array_info(file).chunks
    rmse = {}
    for name in ("target_psnr", "target_snr"):
        back = xcodec.decode_array(xcodec.encode_array(field((80, 90)), **{name: 50}))
        rmse[name] = np.sqrt(np.mean((back.astype("f8") - field((80, 90))) ** 2))
    whole = field((80, 90)).astype("f8")
    assert 20 * np.log10(np.ptp(whole) / rmse["target_psnr"]) >= 50
    assert 20 * np.log10(np.sqrt(np.mean(whole ** 2)) / rmse["target_snr"]) >= 50


def test_fill():
    values = field((64, 64))
    values[:9] = -999.25
    back = xcodec.decode_array(xcodec.encode_array(values, max_error=1, fill=-999.25))
    assert (back[:9] == -999.25).all()


@pytest.mark.parametrize("region, index", [
    (5, np.s_[5]), (slice(2, 9), np.s_[2:9]), (np.s_[3:, -1], np.s_[3:, -1]), (np.s_[..., 4], np.s_[..., 4]),
    (np.s_[1, ..., 2:3], np.s_[1, ..., 2:3]), (np.s_[2:9, :99, -3:], np.s_[2:9, :99, -3:]),
    ((-3, 4, np.int64(6)), np.s_[-3, 4, 6]), (np.s_[-5:-2], np.s_[-5:-2])])
@pytest.mark.parametrize("scale", [1, 4])
def test_regions(region, index, scale):
    values = field((20, 30, 41))
    file = xcodec.encode_array(values, chunk=(8, 16, 16))
    found = xcodec.decode_array(file, region=region, scale=scale)
    wanted = values[index]
    wanted = wanted[(slice(None, None, scale),) * wanted.ndim]
    assert found.shape == wanted.shape and np.array_equal(found, wanted)


def test_scale_leaves_lists():
    values = field((3, 9, 10, 11))
    file = xcodec.encode_array(values)
    assert np.array_equal(xcodec.decode_array(file, scale=2), values[:, ::2, ::2, ::2])
    assert np.array_equal(xcodec.decode_array(file, region=(1,), scale=8), values[1, ::8, ::8, ::8])


def test_arrays_that_come_and_go():
    values = field((40, 50))
    file = xcodec.encode_array(values)
    odd = np.frombuffer(b"x" + values.tobytes(), "u1")[1:].view("f4").reshape(values.shape)
    assert not odd.flags.aligned and xcodec.encode_array(odd) == file
    assert xcodec.encode_array(np.asfortranarray(values)) == file
    assert xcodec.encode_array(np.repeat(values, 2, 0)[::2]) == file
    assert xcodec.encode_array(memoryview(values)) == file
    out = np.empty((40, 25), "f4")
    assert xcodec.decode_array(file, region=np.s_[:, 25:], out=out) is out
    assert np.array_equal(out, values[:, 25:])
    for bad in (np.empty((40, 26), "f4"), np.empty((40, 25), "i4"), np.empty((40, 50), "f4")[:, ::2]):
        with pytest.raises(xcodec.ArgumentError, match="out must be of shape"):
            xcodec.decode_array(file, region=np.s_[:, 25:], out=bad)
    odd = np.zeros(4 * 40 * 50 + 1, "u1")[1:].view("f4").reshape(40, 50)
    with pytest.raises(xcodec.ArgumentError, match="aligned"):
        xcodec.decode_array(file, out=odd)


@pytest.mark.parametrize("dtype", TYPES)
def test_orders_of_bytes(dtype):
    values = field((20, 30), dtype)
    big = values.astype(">" + dtype)
    file = xcodec.encode_array(big)
    assert file == xcodec.encode_array(values) == xcodec.encode_array(values.astype("<" + dtype))
    out = np.zeros_like(big)
    assert xcodec.decode_array(file, out=out) is out and np.array_equal(out, values)


def test_without_numpy():
    text = """
import sys
sys.modules["numpy"] = None
import xcodec, array
file = xcodec.encode_array(memoryview(array.array("d", range(12))).cast("B").cast("d", (3, 4)))
print(xcodec.decode_array(file).tolist(), xcodec.decode_array(file, region=(1, 2)).tolist())
"""
    assert python(text) == "[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]] 6.0\n"


def test_refusals():
    values = field((8, 9))
    file = xcodec.encode_array(values)
    for keywords in ({"max_error": 1, "lossless": True}, {"max_error": 1, "relative_error": 1},
                     {"max_error": -1}, {"lossless": False}, {"effort": 4}, {"chunk": (1, 2, 3, 4)},
                     {"fill": float("inf")}, {"transform": "prediction"}, {"max_error": float("nan")}):
        with pytest.raises(xcodec.ArgumentError):
            xcodec.encode_array(values, **keywords)
    for array, remedy in ((values.astype("f2"), "float32"), (values.astype("i8"), "int32"), (values > 0, "uint8"),
                          (values.astype("u8"), "uint32"), (values.astype("c8"), "complex64"), ("text", "array"),
                          (np.ma.masked_less(values, values.mean()), "filled")):
        with pytest.raises(TypeError, match=remedy):
            xcodec.encode_array(array)
    assert xcodec.encode_array(np.ma.asarray(values)) == file
    for array in (np.float32(1), np.zeros((0, 3), "f4"), np.zeros((1,) * 5, "f4")):
        with pytest.raises(xcodec.ArgumentError, match="1 to 4 dimensions"):
            xcodec.encode_array(array)
    for region in (np.s_[3:3], np.s_[::2], np.s_[9:]):
        with pytest.raises(xcodec.ArgumentError, match="region"):
            xcodec.decode_array(file, region=region)
    for region in (8, (0, 9), (1, 2, 3), (0, -10)):
        with pytest.raises(IndexError, match="region"):
            xcodec.decode_array(file, region=region)
    for region in ("a", [0, 1], (0, None), True, ((2, 4), 1), 1.0):
        with pytest.raises(TypeError, match="region must be an int"):
            xcodec.decode_array(file, region=region)
    with pytest.raises(xcodec.ArgumentError, match="scale"):
        xcodec.decode_array(file, scale=3)
    with pytest.raises(TypeError, match="no keyword"):
        xcodec.encode_array(values, quality=3)


def test_damage_and_limits():
    values = field((70, 80))
    file = xcodec.encode_array(values)
    with pytest.raises(xcodec.TruncatedError):
        xcodec.decode_array(file[:-30])
    with pytest.raises(xcodec.CorruptError):
        xcodec.decode_array(file[:300] + bytes([file[300] ^ 1]) + file[301:])
    with pytest.raises(xcodec.FormatError):
        xcodec.array_info(xcodec.encode(np.zeros((8, 8), "u1")))
    with pytest.raises(xcodec.LimitError):
        xcodec.decode_array(file, max_pixels=5599)
    with pytest.raises(xcodec.LimitError):
        xcodec.decode_array(file, max_memory=20000)
    assert xcodec.decode_array(file, region=(0,), max_pixels=80).shape == (80,)


def test_numcodecs():
    numcodecs = pytest.importorskip("numcodecs")
    from xcodec.numcodecs import XCodec
    codec = numcodecs.get_codec({"id": "xcodec", "max_error": 0.25, "effort": 1})
    assert codec == XCodec(max_error=0.25, effort=1) and codec != XCodec()
    assert numcodecs.get_codec(codec.get_config()) == codec and "0.25" in repr(codec)
    values = field((6, 20, 30))
    for array in (values, np.asfortranarray(values), values[:, ::2], values.reshape(3, 2, 5, 4, 30),
                  np.float32(3), values.astype(">f4"), np.asfortranarray(values.astype(">f4"))):
        array, back = np.asarray(array), codec.decode(codec.encode(array))
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        assert np.abs(back.reshape(-1).reshape(array.shape, order=order) - array).max() <= 0.25
        out = np.empty(array.shape, array.dtype, order=order)
        assert codec.decode(codec.encode(array), out) is out and np.abs(out - array).max() <= 0.25
    with pytest.raises(ValueError):
        codec.decode(codec.encode(values), np.empty(1, "f4"))
    with pytest.raises(xcodec.ArgumentError):
        XCodec(max_error=1, lossless=True)


def test_zarr():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr = pytest.importorskip("zarr")
    if zarr.__version__[:2] != "2.":
        pytest.skip("codecs of numcodecs are for Zarr 2")
    from xcodec.numcodecs import XCodec
    values = field((20, 33, 40))
    for order in "CF":
        array = zarr.array(values, chunks=(8, 16, 40), compressor=XCodec(max_error=0.1), order=order)
        assert 0 < np.abs(array[:] - values).max() <= 0.1
    array = zarr.array(values.astype(">f4"), chunks=(8, 16, 40), compressor=XCodec(max_error=0.1))
    assert array.dtype == ">f4" and 0 < np.abs(array[:] - values).max() <= 0.1


def test_codec_without_numcodecs():
    text = """
import sys
sys.modules["numcodecs"] = None
from xcodec.numcodecs import XCodec
codec = XCodec.from_config({"id": "xcodec", "lossless": True})
print(codec.decode(codec.encode(memoryview(b"abc"))).tolist(), codec.get_config())
"""
    assert python(text) == "[97, 98, 99] {'id': 'xcodec', 'lossless': True}\n"
