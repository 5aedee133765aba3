# SPDX-License-Identifier: BSD-2-Clause
"""Decoding gives the pixels of the command, in every form, in host memory and in a GPU's."""
import ctypes
import sys

import numpy as np
import pytest

import xcodec
from support import STUB, decoded, picture, python

KINDS = [(c, d) for c in (1, 2, 3, 4) for d in (np.uint8, np.uint16)]
FILES = {(c, d): xcodec.encode(picture(75, 90, c, d, c), 80) for c, d in KINDS}
RGB, DEEP = FILES[3, np.uint8], FILES[4, np.uint16]
MIXED = [xcodec.encode(picture(40 + 9 * i, 61, seed=i), 70 + i) for i in range(5)]
PIXELS = [decoded(file) for file in MIXED]


def planes(pixels):
    return np.moveaxis(pixels, -1, -3)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_pixels(kind):
    wanted, file, dtype = decoded(FILES[kind]), FILES[kind], kind[1]
    found = xcodec.decode(file)
    assert isinstance(found, np.ndarray) and found.dtype == dtype and found.flags.writeable
    assert found.shape == ((75, 90) if kind[0] == 1 else (75, 90, kind[0]))
    assert np.array_equal(found.reshape(wanted.shape), wanted)
    chw = xcodec.decode(bytearray(file), layout="CHW", threads=2)
    assert np.array_equal(chw.reshape(kind[0], 75, 90), planes(wanted))
    for layout, form in ("HWC", wanted), ("CHW", planes(wanted)):
        batch = xcodec.decode_batch([file, memoryview(file)], layout=layout, dtype=dtype.__name__)
        assert batch.dtype == dtype and np.array_equal(batch, [form, form])
    room = np.zeros((3, 80, 100, kind[0]), dtype)  # rows with gaps
    out = room[1, 2:77, :90, 0] if kind[0] == 1 else room[1, 2:77, :90]
    assert xcodec.decode(file, out=out) is out
    assert np.array_equal(out.reshape(wanted.shape), wanted)
    assert room.sum(dtype=int) == wanted.sum(dtype=int)


@pytest.mark.parametrize("words,options", [
    (["--region", "30x20+7+11"], {"region": (7, 11, 30, 20)}),
    (["--scale", "1/4"], {"scale": 4}),
    (["--scale", "1/2", "--region", "31x21+7+11"], {"scale": 2, "region": (7, 11, 31, 21)}),
    (["--jpeg-rounding"], {"jpeg_rounding": True})], ids=str)
def test_parts(words, options):
    many = {"crops" if name == "region" else name: value for name, value in options.items()}
    for file in RGB, DEEP:
        wanted = decoded(file, *words)
        assert np.array_equal(xcodec.decode(file, **options), wanted)
        batch = xcodec.decode_batch([file] * 3, dtype=wanted.dtype.name, **many)
        assert np.array_equal(batch[2], wanted)


def test_channels():
    grey, colour = FILES[1, np.uint8], FILES[4, np.uint8]
    assert np.array_equal(xcodec.decode(grey, channels=3), np.repeat(decoded(grey), 3, 2))
    assert np.array_equal(xcodec.decode(colour, channels=3), decoded(colour)[..., :3])
    assert (xcodec.decode(RGB, channels=4)[..., 3] == 255).all()
    luma = decoded(RGB) @ [0.299, 0.587, 0.114]
    assert np.abs(xcodec.decode(RGB, channels=1) - luma).mean() < 2
    assert xcodec.decode_batch([RGB], channels=1, layout="CHW").shape == (1, 1, 75, 90)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_floats(dtype):
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    for file, largest in (RGB, 255), (FILES[3, np.uint16], 65535):
        samples = decoded(file).astype(np.float32) / np.float32(largest)
        wanted = planes((samples - np.float32(mean)) / np.float32(std)).astype(dtype)
        found = xcodec.decode_batch([file], dtype=dtype, mean=mean, std=std, layout="CHW")
        assert found.dtype == dtype and np.array_equal(found[0], wanted)
        out = np.zeros((2, *wanted.shape), dtype)
        xcodec.decode_batch([file] * 2, dtype=dtype, mean=mean, std=std, layout="CHW", out=out)
        assert np.array_equal(out[1], wanted)
    halves = xcodec.decode_batch([RGB], dtype="float32", std=0.5)[0]
    assert np.array_equal(halves, decoded(RGB).astype(np.float32) / np.float32(255) * 2)


def test_mixed_batches():
    crops = [(i, 2 * i, 30, 20) for i in range(5)]
    one = xcodec.decode_batch(MIXED, crops=crops)
    assert np.array_equal(one, [p[y:y + h, x:x + w] for p, (x, y, w, h) in zip(PIXELS, crops)])
    whole = xcodec.decode_batch(tuple(MIXED), crops=[None] * 5, threads=3)
    assert isinstance(whole, list) and all(map(np.array_equal, whole, PIXELS))
    out = [np.zeros_like(array) for array in whole]
    assert xcodec.decode_batch(MIXED, out=out) is out and all(map(np.array_equal, out, whole))
    out = np.zeros((5, 20, 30, 3), np.uint8)
    assert xcodec.decode_batch(MIXED, out=out, crops=crops) is out and np.array_equal(out, one)
    assert xcodec.decode_batch([]) == [] and xcodec.decode_batch(MIXED[:1]).shape[0] == 1


def test_one_exception_in_its_place():
    files = [MIXED[0], b"no", MIXED[1][:200], MIXED[2], 5]
    kinds = [np.ndarray, xcodec.FormatError, xcodec.TruncatedError, np.ndarray, TypeError]
    found = xcodec.decode_batch(files, errors="return")
    assert [type(each) for each in found] == kinds and np.array_equal(found[3], PIXELS[2])
    assert found[1].index == 1 and found[2].index == 2 and found[2].offset == 200
    with pytest.raises(xcodec.FormatError) as caught:
        xcodec.decode_batch(files[:-1])
    assert caught.value.index == 1
    out = np.zeros((5, 20, 20, 3), np.uint8)
    back = xcodec.decode_batch(files, errors="return", out=out, crops=(0, 0, 20, 20))
    assert [type(each) for each in back] == kinds and np.shares_memory(back[3], out)
    assert np.array_equal(out[3], PIXELS[2][:20, :20])


class Memory:
    """What allocators and programs have in a GPU's memory, which is the stub's, so the host's."""
    living = 0

    def __init__(self, size):
        self.array = np.zeros(size, np.uint8)
        self.__cuda_array_interface__ = {**self.array.__array_interface__, "strides": None}
        Memory.living += 1

    def __del__(self):
        Memory.living -= 1


def host(array):
    """A copy of the stub's memory."""
    about = array.__cuda_array_interface__
    raw = ctypes.string_at(about["data"][0], array.nbytes)
    return np.frombuffer(raw, about["typestr"]).reshape(about["shape"])


@pytest.mark.skipif(not STUB.exists(), reason="the stub of a GPU is not built")
def test_cuda(monkeypatch):
    monkeypatch.setenv("XC_CUDA_MODULE", str(STUB))
    array = xcodec.decode_batch(MIXED, device="cuda", crops=(3, 4, 20, 10), dtype="float16")
    assert isinstance(array, xcodec.Array) and array.device == "cuda:0" and len(array) == 5
    assert array.shape == (5, 10, 20, 3) and array.strides == (1200, 120, 6, 2)
    assert array.dtype == "float16" and array.nbytes == 6000 and array.__dlpack_device__() == (2, 0)
    wanted = xcodec.decode_batch(MIXED, crops=(3, 4, 20, 10), dtype="float16")
    assert np.array_equal(host(array), wanted) and np.array_equal(host(array[-1][2]), wanted[-1][2])
    for wrong in {"copy": True}, {"dl_device": (1, 0)}:
        with pytest.raises(BufferError):
            array.__dlpack__(**wrong)
    for layout, form in ("HWC", np.asarray), ("CHW", planes):
        mixed = xcodec.decode_batch([*MIXED, b"no"], device="cuda", layout=layout, errors="return")
        assert isinstance(mixed.pop(), xcodec.FormatError)
        assert all(np.array_equal(host(a), form(b)) for a, b in zip(mixed, PIXELS))
    out = Memory((5, 10, 20, 3))
    assert xcodec.decode_batch(MIXED, device="cuda", crops=(3, 4, 20, 10), out=out) is out
    assert np.array_equal(out.array, [pixels[4:14, 3:23] for pixels in PIXELS])
    for wrong in out, [out] * 5, np.zeros(5), [Memory(1)]:
        with pytest.raises((xcodec.ArgumentError, TypeError), match="out"):
            xcodec.decode_batch(MIXED, device="cuda", out=wrong)
    del wrong, out
    asked = []
    mixed = xcodec.decode_batch(MIXED, device="cuda:0", stream=0, allocator=lambda *asked_for: (
        asked.append(asked_for), Memory(asked_for[0]))[1])
    assert asked[0][1:] == (0, 0) and asked[0][0] >= sum(pixels.size for pixels in PIXELS)
    tensor = mixed[3].__dlpack__(max_version=(1, 0)), mixed[2].__dlpack__(stream=1)
    assert '"dltensor_versioned"' in repr(tensor[0]) and '"dltensor"' in repr(tensor[1])
    del mixed  # the tensors hold the memory
    assert Memory.living == 1
    del tensor
    assert Memory.living == 0


def test_without_numpy():
    assert python("""if 1:
        import sys
        sys.modules["numpy"] = None
        import xcodec
        pixels = memoryview(bytes(range(240)))
        file = xcodec.encode(pixels.cast("B", (10, 8, 3)))
        array, batch = xcodec.decode(file), xcodec.decode_batch([file, file])
        assert array.shape == (10, 8, 3) and batch.shape == (2, 10, 8, 3) and not array.readonly
        floats = xcodec.decode_batch([file], dtype="float32")
        assert abs(floats[0, 9, 7, 2] - array[9, 7, 2] / 255) < 1e-6
        out = bytearray(480)
        xcodec.decode_batch([file, file], out=memoryview(out).cast("B", (2, 10, 8, 3)))
        print(out == batch.tobytes() == array.tobytes() * 2)""") == "True\n"


def test_reference_counts():
    data, out = bytes(RGB), np.zeros((75, 90, 3), np.uint8)
    before = sys.getrefcount(data), sys.getrefcount(out)
    for _ in range(20):
        xcodec.decode(data, out=out)
        xcodec.decode_batch([data, data])
        for call, wrong in (xcodec.decode, out[1:]), (xcodec.decode_batch, [out, out[1:]]):
            with pytest.raises(xcodec.Error):
                call(data if call is xcodec.decode else [data, data], out=wrong)
    del wrong
    assert (sys.getrefcount(data), sys.getrefcount(out)) == before
