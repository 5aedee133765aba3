# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of numbers with a bound on the error of each value: encode_array() and its fellows."""
from __future__ import annotations

import operator
import warnings
from math import prod
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _arrays, _options, _xcodec
from ._arrays import numpy, wrong_type
from ._errors import ArgumentError
from ._workers import Worker

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Bytes, Limits, Pixels

# In the order of xc_array_type, and by kind and size: the names, and struct's letters.
NAMES = ("float32", "float64", "int8", "int16", "int32", "uint8", "uint16", "uint32")
_KINDS = ("f4", "f8", "i1", "i2", "i4", "u1", "u2", "u4")
CODES = "fdbhiBHI"
_LETTERS = {letter: kind for kind, letters in (("f", "fd"), ("i", "bhilqn"), ("u", "BHILQN"))
            for letter in letters}
_WAYS = ("prediction", "dct", "lot", "tdlt")
_TRANSFORMS = {"dct": 1, "lot": 2, "tdlt": 3}
_BOUNDS = {"max_error": 1, "relative_error": 2, "pointwise_error": 3, "target_psnr": 4, "target_snr": 5}
_WORDS = ("lossless", "absolute", "relative", "pointwise", "psnr", "snr")
_LARGEST = 1.7976931348623157e308


# What helps where a type is none of these, by kind and size, or by struct's letter.
_REMEDIES = {"?": "array.view('uint8') holds it", "e": "array.astype('float32') holds it",
             "i8": "array.astype('int32') holds numbers of 32 bits, 'float64' of 53",
             "u8": "array.astype('uint32') holds numbers of 32 bits, 'float64' of 53"}


def view(name: str, array: Any) -> Tuple[memoryview, int, bool]:
    """The buffer of an array, its xc_array_type, and whether it has the other order of bytes."""
    buffer = _arrays.buffer(name, array)
    order, letter = buffer.format[:-1], buffer.format[-1:]
    kind = _LETTERS.get(letter, "") + str(buffer.itemsize)
    if kind not in _KINDS or order not in (*_arrays.ORDERS, "<", ">", "!"):
        remedy = _REMEDIES.get(kind, _REMEDIES.get(letter))
        raise TypeError(f"{name} must be of {', '.join(NAMES)}, not of "
                        f"{getattr(array, 'dtype', buffer.format)!s}{remedy and f': {remedy}' or ''}")
    return buffer, _KINDS.index(kind), order not in _arrays.ORDERS and buffer.itemsize > 1


def native(name: str, array: Any) -> Tuple[memoryview, int, bool]:
    """The same, with values in the machine's order of bytes, in a copy if need be."""
    buffer, which, swapped = view(name, array)
    if swapped and not numpy():
        raise TypeError(f"{name} must be in the machine's order of bytes where there is no numpy")
    return memoryview(numpy().asarray(array, NAMES[which])) if swapped else buffer, which, swapped


def _bound(given: Dict[str, Any], lossless: Any) -> Tuple[int, float]:
    """The kind and number of the bound."""
    names = [name for name, value in given.items() if value is not None]
    exact = not names if lossless is None else _options.flag("lossless", lossless)
    if len(names) + exact != 1:
        raise ArgumentError(f"there must be one bound: lossless or one of {', '.join(given)}")
    if exact:
        return 0, 0.0
    return _BOUNDS[names[0]], _options.real(names[0], given[names[0]], 0, _LARGEST)


def encode_array(array: Any, *, max_error: Optional[float] = None,
                 relative_error: Optional[float] = None, pointwise_error: Optional[float] = None,
                 target_psnr: Optional[float] = None, target_snr: Optional[float] = None,
                 lossless: Optional[bool] = None, fill: Optional[float] = None, effort: int = 2,
                 transform: Optional[str] = None, chunk: Optional[Sequence[int]] = None,
                 threads: int = 1, **limits: Unpack[Limits]) -> bytes:
    """Encodes an array of float32, float64, int8 to int32 or uint8 to uint32 of 1 to 4 dimensions;
    of four, the first is a list of volumes. Strides and the order of bytes may be any.

    One bound: max_error, the largest error of any value; relative_error, the same as a part of the
    array's range; pointwise_error, as a part of each value; target_psnr (by the range) or
    target_snr, in dB, which are reached; lossless, the default. NaN, infinities and the value fill
    are kept exactly. effort: 0 to 3. transform: "dct", "lot" or "tdlt" in place of predictions, where
    values can be transformed. chunk: of the last dimensions, up to three, what is coded on its own;
    0: chosen. threads: 0 for as many as pay. limits: as in decode().

    Returns the bytes of the file, the same for any number of threads. Raises Error, and warns where
    a transform was asked for and values are predicted: their bound is one by the value or too small."""
    kind, number = _bound(dict(zip(_BOUNDS, (max_error, relative_error, pointwise_error, target_psnr,
                                           target_snr))), lossless)
    buffer, which, _ = native("array", array)
    if not 1 <= buffer.ndim <= 4 or not prod(buffer.shape):
        raise ArgumentError(f"array must have 1 to 4 dimensions and a value, not {buffer.shape}")
    sizes = _options.integers("chunk", chunk, 0, 3, 1 << 16)
    given = 0 if chunk is None else len(chunk)
    filled = float("nan") if fill is None else _options.real("fill", fill, -_LARGEST, _LARGEST)
    with Worker("cpu", threads, limits, False) as worker:
        way = _options.choice("transform", transform, _TRANSFORMS, 0)
        file: bytes = _xcodec.encode_array(
            worker, buffer if buffer.c_contiguous else buffer.tobytes(), which, buffer.ndim,
            (*buffer.shape, 1, 1, 1)[:4],
            (kind, number, filled, _options.integer("effort", effort, 0, 3), way),
            (0, 0, 0)[given:] + tuple(sizes[:given]))
        if way and about(_xcodec.array_info(worker, file))["predicted_chunks"]:
            warnings.warn("predicted, not transformed: the bound is one by the value or too small",
                          stacklevel=2)
        return file


def _box(region: Any, shape: Tuple[int, ...]) -> Tuple[List[int], List[int], List[int]]:
    """Where the region begins, its sizes, and the dimensions that stay; as numpy's indices."""
    parts = list(region) if isinstance(region, tuple) else [Ellipsis if region is None else region]
    if any(part is Ellipsis for part in parts):
        at = next(i for i, part in enumerate(parts) if part is Ellipsis)
        parts[at:at + 1] = [slice(None)] * (len(shape) - len(parts) + 1)
    if len(parts) > len(shape):
        raise IndexError(f"region has more parts than the array's {len(shape)} dimensions")
    parts += [slice(None)] * (len(shape) - len(parts))
    first, size, stay = [], [], []
    for axis, (part, n) in enumerate(zip(parts, shape)):
        if isinstance(part, slice):
            start, stop, step = part.indices(n)
            if step != 1:
                raise ArgumentError("region must have steps of 1; scale takes every second value, ...")
            if start >= stop:
                raise ArgumentError(f"region holds no value of dimension {axis}, which has {n}")
            stay.append(axis)
        else:
            if isinstance(part, bool) or not hasattr(part, "__index__"):
                raise wrong_type("region", "an int, a slice, ..., or a tuple of these", part)
            start = operator.index(part)
            if not -n <= start < n:
                raise IndexError(f"region has index {start} of dimension {axis}, which has {n}")
            start %= n
            stop = start + 1
        first.append(start)
        size.append(stop - start)
    return first, size, stay


def _empty(shape: Tuple[int, ...], which: int) -> Any:
    if numpy():
        return numpy().empty(shape, NAMES[which])
    return memoryview(bytearray(prod(shape) * int(_KINDS[which][1]))).cast(CODES[which], shape)


def decode_array(data: Bytes, *, region: Any = None, scale: int = 1,
                 out: Any = None, threads: int = 1, **limits: Unpack[Limits]) -> Pixels:
    """Decodes a file of encode_array() or of the command to an array.

    region: what is decoded, as numpy's index: an int, which takes a dimension away, a slice, ..., or
    a tuple of these, from the first dimension on. An int out of range is an IndexError. scale: 1, 2, 4 to 64: every
    scale-th value of the last three dimensions, from the region's first one on. out: a writable
    array without gaps of just that shape and type, in any order of bytes, which is returned. threads: 0 for as many as
    pay. limits: max_pixels, of values, and max_memory, beyond which it is a LimitError.

    Only the chunks that are needed are decoded. Raises Error."""
    if scale not in (1, 2, 4, 8, 16, 32, 64):
        raise ArgumentError(f"scale must be 1, 2, 4, 8, 16, 32 or 64, not {scale!r}")

    other = []

    def plan(which: int, shape: Tuple[int, ...]) -> Tuple[Callable[[], Any], tuple, tuple, int]:
        first, size, stay = _box(region, shape)
        wanted = tuple(size[axis] if axis < len(shape) - 3 else -(-size[axis] // scale)
                       for axis in stay)

        def make() -> Any:
            if out is None:
                return _empty(wanted, which)
            buffer, kind, swapped = view("out", out)
            if buffer.shape != wanted or kind != which or not buffer.c_contiguous:
                raise ArgumentError(f"out must be of shape {wanted} and {NAMES[which]}, without "
                                    f"gaps, not {buffer.shape} and {NAMES[kind]}")
            if swapped:
                other.append(_empty(wanted, which))
            return other[0] if swapped else buffer

        return make, (*first, 0, 0, 0)[:4], (*size, 1, 1, 1)[:4], int(scale)

    with Worker("cpu", threads, limits, False) as worker:
        array = _xcodec.decode_array(worker, data, plan, out is None)
    if other:
        numpy().asarray(out)[...] = other[0]
    return array if out is None else out


def about(numbers: tuple) -> Dict[str, Any]:
    which, shape, kind, number, error, chunk, chunks, size, attached, way, predicted = numbers
    return {"shape": shape, "dtype": NAMES[which], "kind": _WORDS[kind], "bound": number,
            "error": error, "coding": _WAYS[way], "predicted_chunks": predicted,
            "chunk": chunk[-min(len(shape), 3):], "chunks": chunks, "file_bytes": size, "attached_bytes": attached}
