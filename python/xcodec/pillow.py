# SPDX-License-Identifier: BSD-2-Clause
"""XC files for Pillow: after `import xcodec.pillow`, Image.open() and Image.save() know them.

Pillow finds no plugins by itself, so a program that wants this one imports it.

Opening reads the file; pixels are decoded when they are first wanted.  The modes are L, LA, RGB,
RGBA and I;16.  Colour and alpha of 16 bits, which Pillow has no mode for, become 8 bits with an
xcodec.Warning.  draft(), and so thumbnail(), decodes a half, a quarter or an eighth.  A damaged or
short file is an OSError, or, where ImageFile.LOAD_TRUNCATED_IMAGES is set, what can be saved of it.
`info` has what the file has of icc_profile, exif, xmp, dpi (or aspect), and its text by key.

save() takes every keyword of xcodec.encode(), and exif (bytes or Image.Exif), icc_profile, xmp and
dpi, which are those of `info` unless they are given; None or b"" leaves one out.
"""
import warnings
from typing import IO, Any, Optional, Tuple

from PIL import Image, ImageFile

import xcodec
from xcodec import _options, _xcodec
from xcodec._workers import Worker as _Worker

_EXIF = b"Exif\0\0"  # what Pillow has before the TIFF header
_INCH = 0.0254       # metres
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


class XcImageFile(ImageFile.ImageFile):
    format = "XC"
    format_description = "xcodec picture"

    def _open(self) -> None:
        self._file = self.fp.read()
        try:
            with _Worker("cpu", 1, {}, False) as worker:  # load() warns, of a cut JPEG for instance
                numbers = _xcodec.info(worker, self._file, False)
            self._about = about = xcodec.Info(**_options.described(numbers))
        except xcodec.Error as error:
            raise OSError(str(error)) from error
        deep_grey = about.depth == 16 and about.channels == 1
        self._become("I;16" if deep_grey else _MODES[about.channels])
        self.info.update(about.text or {})
        for name, value in (("icc_profile", about.icc), ("xmp", about.xmp),
                            ("exif", about.exif and _EXIF + about.exif)):
            if value:
                self.info[name] = value
        if about.density:
            x, y, unit = about.density
            self.info["dpi" if unit else "aspect"] = (x * _INCH, y * _INCH) if unit else (x, y)

    def _become(self, mode: str, scale: int = 1) -> None:
        self._scale = scale
        self._size = (-(-self._about.width // scale), -(-self._about.height // scale))
        # Pillow 10.1 has made `mode` read-only.
        setattr(self, "_mode" if hasattr(self, "_mode") else "mode", mode)

    def draft(self, mode: Optional[str], size: Optional[Tuple[int, int]]) -> Optional[tuple]:
        """Chooses the smallest of 1, 1/2, 1/4 and 1/8 that has `size`, and grey for mode "L"."""
        if self._file is None:
            return None
        width, height, scale = self._about.width, self._about.height, self._scale
        if size:
            most = min(width / max(size[0], 1), height / max(size[1], 1))
            scale = max(scale for scale in (1, 2, 4, 8) if scale <= max(most, 1))
        self._become("L" if mode == "L" and self.mode == "RGB" else self.mode, scale)
        return self.mode, (0, 0, width / scale, height / scale)

    def load(self) -> Any:
        if self._file is not None:
            self._decode()
        return Image.Image.load(self)

    def _decode(self) -> None:
        deep = self.mode == "I;16"
        try:
            pixels = xcodec.decode(self._file, scale=self._scale, channels=len(self.getbands()),
                                   keep_going=ImageFile.LOAD_TRUNCATED_IMAGES)
        except xcodec.Error as error:
            raise OSError(f"image file is truncated or damaged: {error}") from error
        data = memoryview(pixels).tobytes()
        if self._about.depth == 16 and not deep:
            peak = self._about.range or 65535
            table = [min((255 * level + peak // 2) // peak, 255) for level in range(65536)]
            data = bytes(map(table.__getitem__, memoryview(data).cast("H")))
            warnings.warn(f"16 bits of {self.mode} become 8 in Pillow; xcodec.decode() has all",
                          xcodec.Warning, stacklevel=2)
        picture = Image.frombytes(self.mode, self.size, data, "raw", "I;16N" if deep else self.mode)
        self.im, self.pyaccess, self.readonly = picture.im, None, 0
        self._file, self.tile = None, []
        if self._exclusive_fp and self._close_exclusive_fp_after_loading:
            self.fp.close()
        self.fp = None


def _save(im: Image.Image, fp: IO[bytes], filename: str) -> None:
    options = dict(im.encoderinfo)
    icc, exif, xmp, dpi = (options.pop(name, im.info.get(name))
                           for name in ("icc_profile", "exif", "xmp", "dpi"))
    exif = exif.tobytes() if isinstance(exif, Image.Exif) else exif or b""
    exif = exif[len(_EXIF):] if exif.startswith(_EXIF) else exif
    density = (*(round(float(dots) / _INCH) for dots in dpi), 1) if dpi else None
    for name, value in (("icc", icc), ("exif", exif), ("xmp", xmp), ("density", density)):
        if value:
            options.setdefault(name, value)
    if im.mode.startswith("I;16"):
        pixels = memoryview(im.tobytes("raw", "I;16N")).cast("H", (im.height, im.width))
    elif im.mode in _MODES.values():
        pixels = memoryview(im.tobytes()).cast("B", (im.height, im.width, len(im.getbands())))
    else:
        raise OSError(f"cannot write mode {im.mode} as XC; convert() to L, LA, RGB or RGBA")
    fp.write(xcodec.encode(pixels, layout="HW" if pixels.ndim == 2 else "HWC", **options))


Image.register_open(XcImageFile.format, XcImageFile, lambda start: start[:7] == b"\x8fXC\r\n\x1a\n")
Image.register_save(XcImageFile.format, _save)
Image.register_extension(XcImageFile.format, ".xc")
Image.register_mime(XcImageFile.format, "image/x-xcodec")
