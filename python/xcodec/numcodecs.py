# SPDX-License-Identifier: BSD-2-Clause
"""A codec for numcodecs, and so for Zarr (format 2), where chunks of float32, float64 and integers up
to 32 bits become files with a bound on the error of each value. numcodecs finds it by the entry point
of an installed package; import this module where there is none. It works without numcodecs, too.

A chunk is an XC file, after a byte b">" if the values of the array have the other order of bytes than the
machine: Zarr takes what comes back as bytes of its type."""
from math import prod
from typing import Any, Dict

from . import _arrays, _numbers, decode_array, encode_array

try:
    from numcodecs.abc import Codec
    from numcodecs.registry import register_codec
except ImportError:
    Codec, register_codec = object, None


class XCodec(Codec):
    """keywords: a bound of xcodec.encode_array(), and effort, transform, fill, chunk, threads."""

    codec_id = "xcodec"

    def __init__(self, **keywords: Any) -> None:
        self._keywords = {name: value for name, value in keywords.items() if value is not None}
        encode_array(memoryview(bytes(1)), **self._keywords)  # wrong ones are refused now

    def encode(self, buf: Any) -> bytes:
        view, which, swapped = _numbers.native("buf", buf)
        # What comes back has its bytes in this order: an array of Fortran is turned.
        turned = view.f_contiguous and not view.c_contiguous
        shape = view.shape[::-1] if turned else view.shape
        shape = (prod(shape[:-3]), *shape[-3:]) if len(shape) > 4 else shape or (1,)
        values = memoryview(view.tobytes(order="A")).cast(_numbers.CODES[which], shape)
        return b">" * swapped + encode_array(values, **self._keywords)

    def decode(self, buf: Any, out: Any = None) -> Any:
        data = memoryview(buf).cast("B")
        swapped = data[:1] == b">"
        values = decode_array(data[swapped:], threads=self._keywords.get("threads", 1))
        if swapped:
            values = values.astype(values.dtype.newbyteorder())
        if out is None:
            return values
        view = memoryview(out)
        if view.f_contiguous and not view.c_contiguous:
            view = memoryview(_arrays.numpy().asarray(out).T)
        view.cast("B")[:] = memoryview(values.view("u1") if swapped else values).cast("B")
        return out

    def get_config(self) -> Dict[str, Any]:
        return {"id": self.codec_id, **self._keywords}

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> "XCodec":
        return cls(**{name: value for name, value in config.items() if name != "id"})

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, XCodec) and self.get_config() == other.get_config()

    def __repr__(self) -> str:
        return f"XCodec({', '.join(f'{name}={value!r}' for name, value in self._keywords.items())})"


if register_codec:
    register_codec(XCodec)
