# SPDX-License-Identifier: BSD-2-Clause
"""Arrays: those of callers, new ones in host memory, and Array, which is in the memory of a GPU."""
import functools
import sys
from math import prod
from typing import Any, Callable, List, Optional, Sequence, Tuple

from . import _xcodec
from ._errors import ArgumentError

TYPES = {"uint8": 0, "uint16": 1, "float16": 2, "float32": 3}
_NAMES, _CODES, _BYTES = tuple(TYPES), "BHef", (1, 2, 2, 4)
_INTERFACE = ("|u1", "<u2", "<f2", "<f4")
ORDERS = ("", "@", "=", "<" if sys.byteorder == "little" else ">")
_CUDA = 2         # of DLPack
_ALIGNMENT = 256  # of arrays in a GPU's memory
_BLOCK = 1 << 25  # bytes of host memory that small arrays share


@functools.lru_cache(maxsize=None)
def numpy() -> Any:
    """The module, from its first use on, or None."""
    try:
        import numpy as module
    except ImportError:
        return None
    return module


class Array:
    """Decoded samples in the memory of a GPU, without gaps: shape, dtype (a word), strides and
    nbytes in bytes, device. DLPack and __cuda_array_interface__ give them to others without a copy,
    complete for every stream. a[i] is a part of the same memory, which the last of all frees."""

    __slots__ = ("_owner", "_address", "_gpu", "_kind", "shape")

    def __init__(self, owner: Any, address: int, gpu: int, kind: int,
                 shape: Tuple[int, ...]) -> None:
        self._owner, self._address, self._gpu, self._kind = owner, address, gpu, kind
        self.shape = shape

    dtype = property(lambda self: _NAMES[self._kind])
    device = property(lambda self: f"cuda:{self._gpu}")
    nbytes = property(lambda self: prod(self.shape) * _BYTES[self._kind])
    strides = property(lambda self: tuple(prod(self.shape[i + 1:]) * _BYTES[self._kind]
                                          for i in range(len(self.shape))))

    @property
    def __cuda_array_interface__(self) -> dict:
        return {"shape": self.shape, "typestr": _INTERFACE[self._kind], "strides": None,
                "data": (self._address, False), "stream": None, "version": 3}

    def __dlpack_device__(self) -> Tuple[int, int]:
        return _CUDA, self._gpu

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[int, int]] = None, copy: Optional[bool] = None) -> Any:
        if copy or (dl_device and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("the array stays in its memory")
        return _xcodec.dlpack(self._owner, self._address, self._gpu, self._kind, len(self.shape),
                              (*self.shape, 0, 0, 0, 0)[:4], bool(max_version and max_version[0]))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, i: int) -> "Array":
        if not -len(self) <= i < len(self):
            raise IndexError("index out of range")
        address = self._address + i % len(self) * self.strides[0]
        return Array(self._owner, address, self._gpu, self._kind, self.shape[1:])

    def __repr__(self) -> str:
        return f"<xcodec.Array {self.shape} of {self.dtype} on {self.device}>"


def wrong_type(name: str, wanted: str, value: Any) -> TypeError:
    return TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def buffer(name: str, array: Any) -> memoryview:
    """The buffer of an array. What has none, such as a tensor of torch in host memory, may have
    numpy's array of that memory."""
    if numpy() and isinstance(array, numpy().ma.MaskedArray) and numpy().ma.is_masked(array):
        raise TypeError(f"{name} must not be masked: give array.filled(value)")
    try:
        return memoryview(array)
    except TypeError:
        foreign = hasattr(array, "__array__") or hasattr(array, "__array_interface__")
        if not foreign or not numpy():
            raise wrong_type(name, "an array (a buffer)", array) from None
        return memoryview(numpy().asarray(array))


def view(name: str, array: Any, types: int = len(TYPES)) -> Tuple[memoryview, int]:
    """The buffer of an array, and the number of its type, which is below `types`."""
    found = buffer(name, array)
    order, code = found.format[:-1], found.format[-1:]
    if order in ("<", ">", "!") and code == "H" and types == 2 and name == "array" and numpy():
        found, order = memoryview(numpy().asarray(array, _NAMES[1])), ""
    if order not in ORDERS or code not in _CODES[:types] or not code:
        which = getattr(array, "dtype", f"format {found.format!r}")
        raise TypeError(f"{name} must be of {', '.join(_NAMES[:types])}, not of {which}; "
                        "array.astype() gives other types, values are not scaled")
    return found, _CODES.index(code)


def empty(shape: Tuple[int, ...], kind: int) -> Any:
    """Host memory: numpy's array, or a memoryview where there is no numpy."""
    if numpy():
        return numpy().empty(shape, _NAMES[kind])
    if kind == TYPES["float16"]:
        raise ArgumentError("dtype float16 needs numpy, or a GPU")
    return memoryview(bytearray(prod(shape) * _BYTES[kind])).cast(_CODES[kind], shape)


def empty_all(shapes: Sequence[Optional[tuple]], kind: int) -> List[Any]:
    """empty() of each shape. Small arrays share blocks of memory: the system takes as long to give
    fresh memory page by page as 16 threads take to decode into it."""
    sizes = [-(-prod(shape) * _BYTES[kind] // 64) * 64 if shape else 0 for shape in shapes]
    shared = [size if size <= _BLOCK // 4 and numpy() else 0 for size in sizes]
    places: List[Any] = []
    left, block, at = sum(shared), b"", 0
    for shape, size in zip(shapes, shared):
        if not size:
            try:
                places.append(shape and empty(shape, kind))
            except MemoryError as error:  # of this item alone
                places.append(error)
            continue
        if at + size > len(block):
            block, at = numpy().empty(min(left, _BLOCK), "uint8"), 0
        places.append(numpy().ndarray(shape, _NAMES[kind], block, at))
        at, left = at + size, left - size
    return places


def check(shape: tuple, kind: int, wanted: tuple, wanted_kind: int, contiguous: Any = True) -> None:
    if tuple(shape) != wanted or kind != wanted_kind or not contiguous:
        raise ArgumentError(f"out must be of shape {wanted} and {_NAMES[wanted_kind]}, without "
                            f"gaps, not {tuple(shape)} and {_NAMES[kind]}")


def ordered(height: int, width: int, channels: int, planar: int) -> Tuple[int, int, int]:
    return (channels, height, width) if planar else (height, width, channels)


def address_of(name: str, memory: Any) -> int:
    if hasattr(memory, "data_ptr"):
        return memory.data_ptr()
    if not hasattr(memory, "__cuda_array_interface__"):
        raise wrong_type(name, "in a GPU's memory (__cuda_array_interface__ or data_ptr())", memory)
    return memory.__cuda_array_interface__["data"][0]


class Batch:
    """The arrays of one call of decode_batch(). Shapes have three dimensions."""

    def __init__(self, kind: int, gpu: int, out: Any, allocate: Callable[[int], Tuple[Any, int]],
                 convert: Optional[Callable[[Any], Any]]) -> None:
        self._kind, self._gpu, self._allocate, self._convert = kind, gpu, allocate, convert
        self._out, self._array, self._owner = out, None, None

    def places(self, found: List[Any]) -> Sequence[Any]:
        """Where the extension shall write what has these shapes: buffers, or addresses."""
        shapes = [each if isinstance(each, tuple) else None for each in found]
        given = [shape for shape in shapes if shape]
        same = bool(given) and given.count(given[0]) == len(given)
        if self._out is not None:
            return self._of_out(shapes, given[0] if given else (), same)
        whole = same and len(given) == len(shapes)
        size = _BYTES[self._kind]
        if self._gpu < 0 and whole:
            self._array = empty((len(shapes), *given[0]), self._kind)
            return self._parts(self._array, len(shapes))
        if self._gpu < 0:
            return empty_all(shapes, self._kind)
        unit = size if whole else _ALIGNMENT
        at, offsets = 0, []
        for shape in shapes:
            offsets.append(at)
            at += -(-prod(shape) * size // unit) * unit if shape else 0
        if not at:
            return offsets
        self._owner, start = self._allocate(at)
        if whole:
            self._array = Array(self._owner, start, self._gpu, self._kind, (len(shapes), *given[0]))
        return [start + offset for offset in offsets]

    @staticmethod
    def _parts(array: Any, count: int) -> Sequence[Any]:
        if numpy():
            return list(numpy().asarray(array))
        flat = array.cast("B")
        size = len(flat) // count
        return [flat[i * size:(i + 1) * size] for i in range(count)]

    def _of_out(self, shapes: List[Any], shape: tuple, same: bool) -> Sequence[Any]:
        """Checks the caller's arrays: one for all files of one shape, or a list."""
        if isinstance(self._out, (list, tuple)):
            if len(self._out) != len(shapes):
                raise ArgumentError(f"out must be a list of {len(shapes)} arrays")
            return [each and self._place(array, each) for array, each in zip(self._out, shapes)]
        if not any(shapes):
            return shapes
        if not same:
            raise ArgumentError("out must be a list: the arrays have different shapes")
        whole = self._place(self._out, (len(shapes), *shape))
        if self._gpu < 0:
            return self._parts(whole, len(shapes))
        return [whole + i * prod(shape) * _BYTES[self._kind] for i in range(len(shapes))]

    def _place(self, array: Any, shape: tuple) -> Any:
        if self._gpu < 0:
            buffer, kind = view("out", array)
            check(buffer.shape, kind, shape, self._kind, buffer.c_contiguous)
            return buffer
        about = getattr(array, "__cuda_array_interface__", None)
        if not about:
            raise wrong_type("out", "an array in a GPU's memory", array)
        kind = _INTERFACE.index(about["typestr"]) if about["typestr"] in _INTERFACE else -1
        plain = tuple(prod(shape[i + 1:]) * _BYTES[self._kind] for i in range(len(shape)))
        check(about["shape"], kind, shape, self._kind, (about.get("strides") or plain) == plain)
        if about["data"][1]:
            raise BufferError("out is read-only")
        return about["data"][0]

    def results(self, found: List[Any], places: Sequence[Any]) -> Any:
        """One array, or a list with exceptions in their places."""
        failed = [isinstance(each, BaseException) for each in found]
        if self._out is not None:
            return self._out if not any(failed) else [
                each if bad else self._out[i] for i, (each, bad) in enumerate(zip(found, failed))]
        convert = self._convert or (lambda array: array)
        if self._array is not None and not any(failed):
            return convert(self._array)
        owner, gpu, kind = self._owner, self._gpu, self._kind
        return [each if bad else convert(place if gpu < 0 else Array(owner, place, gpu, kind, each))
                for each, bad, place in zip(found, failed, places)]
