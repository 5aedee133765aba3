# SPDX-License-Identifier: BSD-2-Clause
"""The Pillow plugin: the pixels of xcodec.decode(), Pillow's ways with modes, drafts, metadata."""
import io

import numpy as np
import pytest

import xcodec

Image = pytest.importorskip("PIL.Image")
import PIL.ImageFile  # noqa: E402
import xcodec.pillow  # noqa: E402,F401


def picture(*shape, peak=255):
    rows, columns, channels = np.indices((*shape, 1)[:3])
    values = (rows * 3 + columns * 2 + channels * 20) % 256 * peak // 255
    return values.reshape(shape).astype(np.uint8 if peak == 255 else np.uint16)


def opened(file):
    return Image.open(io.BytesIO(file))


def saved(image, **options):
    image.save(file := io.BytesIO(), "XC", **options)
    return file.getvalue()


@pytest.mark.parametrize("channels,mode", [((), "L"), ((2,), "LA"), ((3,), "RGB"), ((4,), "RGBA"),
                                           ((), "I;16")])
def test_modes(channels, mode, tmp_path):
    pixels = picture(20, 31, *channels, peak=65535 if mode == "I;16" else 255)
    Image.fromarray(pixels).save(tmp_path / "a.xc", quality=90, effort=1)
    file = (tmp_path / "a.xc").read_bytes()
    assert file == xcodec.encode(pixels, 90, effort=1)
    with Image.open(tmp_path / "a.xc") as image:
        assert (image.format, image.mode, image.size) == ("XC", mode, (31, 20))
        assert np.array_equal(np.asarray(image), xcodec.decode(file))


@pytest.mark.parametrize("peak", [65535, 4095])
def test_deep_colour(peak):
    file = xcodec.encode(picture(20, 31, 3, peak=peak), 95, range=None if peak == 65535 else peak)
    with pytest.warns(xcodec.Warning, match="16 bits"):
        shown = np.asarray(opened(file)).astype(int)
    assert np.abs(shown - xcodec.decode(file) * (255 / peak)).max() <= 1


def test_draft_and_thumbnail():
    file = xcodec.encode(picture(300, 401, 3))
    image = opened(file)
    assert image.draft("L", (100, 60)) == ("L", (0, 0, 401 / 4, 300 / 4))
    assert image.size == (101, 75)
    assert np.array_equal(np.asarray(image), xcodec.decode(file, scale=4, channels=1))
    (image := opened(file)).thumbnail((80, 80))
    assert image.mode == "RGB" and max(image.size) == 80


def test_metadata():
    (exif := Image.Exif())[0x0112] = 6
    file = saved(Image.new("L", (9, 8)), exif=exif, icc_profile=b"icc", xmp=b"<x/>", dpi=(300, 150))
    about = xcodec.info(file)
    assert (about.icc, about.xmp, about.density) == (b"icc", b"<x/>", (11811, 5906, 1))
    image = opened(file)
    assert image.getexif()[0x0112] == 6
    assert image.info["icc_profile"] == b"icc" and round(image.info["dpi"][0]) == 300
    assert xcodec.info(saved(image)).as_dict() == about.as_dict()
    assert xcodec.info(saved(image, icc_profile=None)).icc is None


def test_short_file(monkeypatch):
    file = xcodec.encode(picture(300, 400, 3))
    for size in (-50, 30):
        with pytest.raises(OSError, match="truncated|too early"):
            opened(file[:size]).load()
    monkeypatch.setattr(PIL.ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.warns(xcodec.Warning):
        assert opened(file[:-50]).convert("L").size == (400, 300)


def test_refused():
    with pytest.raises(OSError, match="cannot write mode CMYK"):
        saved(Image.new("CMYK", (8, 8)))
    with pytest.raises(xcodec.ArgumentError):
        saved(Image.new("L", (8, 8)), quality=101)
