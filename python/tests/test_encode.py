# SPDX-License-Identifier: BSD-2-Clause
"""Encoding gives the bytes of the command for every option, of arrays with any strides."""
import json
import re
from pathlib import Path

import numpy as np
import pytest

import xcodec
from support import BUILD, STUB, encoded, picture, program

RGB = picture(70, 90)
STEPS = [16 + i for i in range(64)]
OPTIONS = [
    ({}, []), ({"quality": 30}, ["-q30"]), ({"quality": 75.5}, ["-q75.5"]),
    ({"effort": 3}, ["-e3"]), ({"target_psnr": 35}, ["--target-psnr=35"]),
    ({"preset": "jpeg"}, ["--preset=jpeg"]), ({"tune": "psnr"}, ["--tune=psnr"]),
    ({"tune": "psnr", "subsampling": "420"}, ["--tune=psnr", "-s420"]),
    ({"preset": "jpeg", "tables": "eye", "effort": 1}, ["--preset=jpeg", "--tables=eye", "-e1"]),
    ({"subsampling": "4:2:2"}, ["-s422"]), ({"subsampling": "grey"}, ["-sgrey"]),
    ({"colour": "picture", "subsampling": "444"}, ["--colour=picture", "-s444"]),
    ({"tables": "annex-k"}, ["--tables=annex-k"]), ({"tables": "sloped"}, ["--tables=sloped"]),
    ({"tables": "flat"}, ["--tables=flat"]), ({"tables": STEPS}, ["--tables=FILE"]),
    ({"tables": STEPS + [20] * 64}, ["--tables=FILE"]), ({"transform": "lot"}, ["--transform=lot"]),
    ({"entropy": "huffman", "huffman": "default"}, ["--entropy=huffman", "--huffman=default"]),
    ({"transform": "DCT"}, ["--transform=dct"]), ({"segment_blocks": 64}, ["--segment-blocks=64"]),
    ({"target_size": 3000}, ["--target-size=3000"]), ({"target_size": "3K"}, ["--target-size=3K"]),
    ({"target_size": "1.5bpp"}, ["--target-size=1.5bpp"]),
    ({"lossless": True}, ["--lossless"]), ({"mode": "lossy"}, ["--lossy"]),
    ({"max_error": 2, "clear_transparent": True}, ["--max-error=2", "--clear-transparent"]),
    ({"target_ssim": 0.9}, ["--target-ssim=0.9"]),
    ({"target_ssimulacra2": 60}, ["--target-ssimulacra2=60"])]


@pytest.mark.parametrize("options,words", OPTIONS, ids=str)
def test_options(options, words, tmp_path):
    (tmp_path / "steps").write_text(" ".join(map(str, options.get("tables", ""))))
    wanted = encoded(RGB, *(word.replace("FILE", str(tmp_path / "steps")) for word in words))
    assert xcodec.encode(RGB, **options) == wanted
    assert xcodec.encode_batch([RGB, RGB], **options) == [wanted] * 2


@pytest.mark.parametrize("options,words", [({}, []), ({"range": 4095}, ["--range=4095"]),
                                           ({"range": "auto"}, ["--range=auto"])], ids=str)
def test_range(options, words):
    deep = picture(40, 50, 4, np.uint16) >> 4
    wanted = encoded(deep, *words)
    assert xcodec.encode(deep, **options) == wanted
    assert xcodec.encode_batch([deep, RGB], **options) == [wanted, xcodec.encode(RGB)]
    again = xcodec.encode(xcodec.decode(wanted), metadata=xcodec.info(wanted))
    assert xcodec.info(again).range == xcodec.info(wanted).range


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_strides(channels, dtype):
    whole = picture(50, 60, channels, dtype)
    odd = np.zeros(whole.nbytes + 1, np.uint8)[1:].view(dtype).reshape(whole.shape)
    odd[...] = whole  # at an odd address
    for view in (whole, whole[::-1], whole[:, ::-1], whole[::2, ::3], whole[5:20, 7:40], odd,
                 whole[..., ::-1], np.asfortranarray(whole), whole.swapaxes(0, 1), whole[:1]):
        wanted = xcodec.encode(np.ascontiguousarray(view), layout="HWC")
        assert xcodec.encode(view) == wanted == xcodec.encode_batch([whole, view])[1]
    planes = np.ascontiguousarray(np.moveaxis(whole, 2, 0))
    assert xcodec.encode(planes, layout="CHW") == xcodec.encode(planes) == xcodec.encode(whole)
    assert xcodec.encode(whole[..., 0]) == xcodec.encode(memoryview(whole[..., :1]))


@pytest.mark.skipif(not STUB.exists(), reason="the stub of a GPU is not built")
def test_cuda(monkeypatch):
    monkeypatch.setenv("XC_CUDA_MODULE", str(STUB))
    assert xcodec.encode_batch([RGB, RGB[:9]], device="cuda") == xcodec.encode_batch([RGB, RGB[:9]])


@pytest.mark.parametrize("kind,names", [
    (xcodec.ArgumentError, {
        "quality": [0, 101], "effort": [4], "mode": ["exact"], "max_error": [-1, 4096], "segment_blocks": [31], "maxval": [-1],
        "subsampling": ["411"], "tables": [[1] * 63, [0] * 64, "small"], "target_ssim": [1],
        "target_size": ["many", 0], "range": [70000], "cicp": [[1, 2]], "density": [(1, 2, 3)],
        "text": [{"a": "b\0"}], "primaries": [[1]], "threads": [2000], "layout": ["WH"],
        "device": ["tpu"]}),
    (TypeError, {
        "quality": ["good"], "effort": [1.5], "tables": [5], "icc": [5], "text": [1],
        "metadata": [5], "preset": [1], "max_pixels": ["1"], "nonsense": [1]})])
def test_wrong_options(kind, names):
    for name, values in names.items():
        for value in values:
            with pytest.raises(kind, match=name):
                xcodec.encode(RGB, **{name: value})


def test_types():
    """Type checkers know the same keywords."""
    text = (Path(xcodec.__file__).parent / "_types.pyi").read_text()
    coding = text.split("class Coding")[1].split("\nclass")[0]
    assert set(re.findall(r"^    (\w+): ", coding, re.MULTILINE)) == xcodec._options._KNOWN


def test_other_order_of_bytes():
    deep = picture(20, 30, dtype=np.uint16)
    assert xcodec.encode(deep.astype(">u2")) == xcodec.encode(deep)


def test_refused():
    for wrong in (RGB.astype(np.float32), RGB.astype(bool), RGB.view(np.int8), "text", 5, None,
                  np.ma.masked_less(RGB, 99)):
        with pytest.raises(TypeError, match="array"):
            xcodec.encode(wrong)
    for shape in (90, 70), (5, 90, 2), (1, 2, 3, 4), (0, 5, 3), (70 * 90 * 3,):
        with pytest.raises(xcodec.ArgumentError, match="height"):
            xcodec.encode(np.zeros(shape, np.uint8), layout="CHW" if len(shape) == 3 else "HWC")
    with pytest.raises(xcodec.ArgumentError, match="exclude"):
        xcodec.encode(RGB, 75, target_size=1000)
    for options in ({"lossless": True, "quality": 75}, {"max_error": 1, "mode": "auto"},
                    {"mode": "lossless", "target_size": 1000}, {"lossless": True, "tune": "eye"}):
        with pytest.raises(xcodec.ArgumentError, match="exclude"):
            xcodec.encode(RGB, **options)
    with pytest.raises(xcodec.ArgumentError, match="only one"):
        xcodec.encode(RGB, target_psnr=30, target_size=1000)
    for shape in (2**32 + 5, 1), (3, 2**32 + 7):
        with pytest.raises(xcodec.ArgumentError, match="sides"):
            xcodec.encode(np.broadcast_to(np.uint8(7), shape))
    for options in {}, {"target_psnr": 30}:
        found = xcodec.encode_batch([RGB, RGB[:0], None, RGB], errors="return", **options)
        assert [type(each) for each in found] == [bytes, xcodec.ArgumentError, TypeError, bytes]
        assert [each.index for each in found[1:3]] == [1, 2] and "item 2: " in str(found[2])
        with pytest.raises(TypeError, match="item 1: ") as caught:
            xcodec.encode_batch([RGB, None], **options)
        assert caught.value.index == 1
    found = xcodec.encode_batch([RGB, RGB[:2]], max_pixels=200, errors="return")
    assert type(found[0]) is xcodec.LimitError and found[0].index == 0 and type(found[1]) is bytes
    with pytest.warns(xcodec.Warning, match="least"):
        xcodec.encode(RGB, target_size=10)


def test_metadata():
    meta = {"icc": b"profile", "exif": b"II*\0", "xmp": b"<x/>", "iptc": b"\x1c\x02", "maxval": 200,
            "text": {"Title": "Wiese", "Author": ["A", "B"]}, "density": (2835, 2834, 1),
            "cicp": (1, 13, 0, 1), "gamma": 0.45455, "significant_bits": (5, 6, 5),
            "primaries": (0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06)}
    file = xcodec.encode(RGB, **meta)
    about = xcodec.info(file)
    assert {name: getattr(about, name) for name in meta} == meta
    assert xcodec.encode(RGB, metadata=about) == file == xcodec.encode(RGB, metadata=meta)
    other = xcodec.info(xcodec.encode(RGB, metadata=about, icc=b"new"))
    assert other.icc == b"new" and other.exif == about.exif
    plain = xcodec.info(xcodec.encode(RGB))
    assert all(getattr(plain, name) is None for name in (*meta, "range"))


@pytest.mark.parametrize("options", [{}, {"preset": "jpeg"}, {"tune": "psnr"}], ids=str)
def test_info(options, tmp_path):
    (tmp_path / "a.xc").write_bytes(file := xcodec.encode(RGB, **options))
    [told] = json.loads(program(BUILD / "xcodec", "info", "--json", tmp_path / "a.xc"))
    about = xcodec.info(file).as_dict()
    for name in ("version", "width", "height", "channels", "depth", "transform", "quality",
                 "lossless", "max_error", "entropy", "subsampling", "colour", "huffman", "huffman_tables"):
        assert about[name] == told[name], name
    assert about["file_bytes"] == told["bytes"] == len(file)
    assert about["segments"] == told["segments"]["count"]
    steps = [sum(component["quantization"], []) for component in told["components"]]
    assert [list(table) for table in about["quant"]] == steps
