# SPDX-License-Identifier: BSD-2-Clause
"""JPEGs are kept: the same bytes come back, and their pixels are Pillow's within rounding."""
import hashlib
import io

import numpy as np
import pytest

import xcodec
from support import decoded, picture

Image = pytest.importorskip("PIL.Image")


def jpeg(pixels, **options):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", **options)
    return file.getvalue()


@pytest.mark.parametrize("options", [{}, {"quality": 95, "subsampling": 0}, {"progressive": True}], ids=str)
def test_kept(options):
    data = jpeg(picture(150, 180), **options)
    kept = xcodec.encode_jpeg(data, threads=2)
    about = xcodec.jpeg_info(kept)
    assert xcodec.decode_jpeg(kept) == data and len(kept) < len(data)
    assert about.sha256 == hashlib.sha256(data).digest() and not about.stored
    assert xcodec.info(kept).quality == about.quality == options.get("quality", 75)
    assert not about.cut_off and not about.damaged and about.missing_blocks == 0
    pixels = xcodec.decode(kept)
    assert np.abs(pixels.astype(int) - np.asarray(Image.open(io.BytesIO(data)))).max() <= 4
    assert np.array_equal(pixels, decoded(kept))
    assert np.array_equal(xcodec.decode(kept, region=(10, 20, 30, 40)), pixels[20:60, 10:40])
    assert np.array_equal(xcodec.decode(kept, scale=2), decoded(kept, "--scale", "1/2"))
    assert np.array_equal(xcodec.decode_batch([kept, kept])[1], pixels)


def test_cut_off():
    """Each call that gives such pixels, or keeps them, warns once."""
    data, whole = jpeg(picture(150, 180)), xcodec.encode(picture(9, 9))
    line = "its scans lack"
    with pytest.warns(xcodec.Warning, match=line):
        kept = xcodec.encode_jpeg(data[:len(data) * 9 // 10])
    about = xcodec.jpeg_info(kept)
    assert about.cut_off and about.damaged and 0 < about.missing_blocks < about.blocks
    for call in (lambda: xcodec.decode(kept), lambda: xcodec.decode(kept, scale=2, keep_going=True),
                 lambda: xcodec.info(kept), lambda: xcodec.decode_batch([whole, kept]),
                 lambda: xcodec.decode_batch([whole] * 20 + [kept])):
        with pytest.warns(xcodec.Warning, match=line) as caught:
            call()
        assert len(caught) == 1 and caught[0].filename == __file__


def test_stored():
    assert xcodec.decode_jpeg(xcodec.encode_jpeg(b"\xff\xd8\xff\xd9")) == b"\xff\xd8\xff\xd9"
    with pytest.raises(xcodec.UnsupportedError):
        xcodec.encode_jpeg(b"\xff\xd8\xff\xd9", fallback="refuse")
    with pytest.raises(xcodec.FormatError):
        xcodec.encode_jpeg(b"no JPEG")
    kept = bytearray(xcodec.encode_jpeg(jpeg(picture(75, 90))))
    kept[len(kept) // 2] ^= 1
    with pytest.raises(xcodec.CorruptError):
        xcodec.decode_jpeg(kept)
