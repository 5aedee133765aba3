# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of the codec xcodec as arrays.

decode() and encode() are for one picture, decode_batch() and encode_batch() for many at a time,
info() for what a file says about itself. encode_array(), decode_array() and array_info() are for
sections, volumes and other arrays of numbers, with a bound on the error of each value. encode_jpeg(), decode_jpeg()
and jpeg_info() keep JPEGs as they are, smaller; decode() and info() take them like pictures. Arrays in host memory are numpy's, or memoryviews where
numpy is not installed; those in a GPU's memory are Array. The interpreter's lock is released during
the work; any number of threads may call at a time."""
from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _arrays, _errors, _numbers, _options, _xcodec
from ._arrays import Array
from ._errors import (ArgumentError, CorruptError, DeviceError, Error, FormatError, LimitError,
                      TruncatedError, UnsupportedError, Warning)
from ._numbers import decode_array, encode_array
from ._workers import Worker as _Worker
from ._xcodec import __version__

if TYPE_CHECKING:
    from typing_extensions import Literal, Unpack

    from ._types import (Bytes, Coding, Crops, Errors, Layout, Limits, Order, Pixels, Region, Type_)

__all__ = ["Array", "ArgumentError", "CorruptError", "DeviceError", "Error", "FormatError", "Info",
           "LimitError", "TruncatedError", "UnsupportedError", "Warning", "array_info",
           "decode", "decode_array", "decode_batch", "decode_jpeg", "encode", "encode_array", "encode_batch",
           "encode_jpeg", "info", "jpeg_info",
           "__version__"]
_LAYOUTS = {"HWC": 0, "CHW": 1}
_ERRORS = {"raise": 0, "return": 1}
_error, _item, _warn = _errors.error, _errors.item, _errors.warn  # the extension looks them up here


def decode(data: Bytes, *, region: Optional[Region] = None, scale: int = 1,
           channels: Optional[int] = None, out: Any = None, layout: Layout = "HWC",
           keep_going: bool = False, jpeg_rounding: bool = False, threads: int = 1,
           device: Any = "cpu", **limits: Unpack[Limits]) -> Pixels:
    """Decodes a file to an array (height, width, channels), or (height, width) of one channel.

    region: (x, y, width, height) in pixels of the full size. scale: 1, 2, 4 or 8, by which width
    and height are divided, rounded up; of a region, from floor(x / scale) to ceil((x + width) /
    scale), so equal regions give equal shapes if x and y are multiples of scale. channels: 1 to 4 (grey, grey+alpha, RGB, RGBA) instead of
    the file's. layout: "CHW" for planes. out: a writable buffer of just that shape and type, which
    is returned; there may be gaps between its rows. keep_going: damaged parts become grey, with a
    Warning. jpeg_rounding: samples are rounded as JPEG decoders do. threads: 0 for as many as pay.
    device: "cpu", "cuda", "cuda:N" or "auto"; the array is in host memory in any case. limits:
    max_pixels, max_memory, max_expansion, max_metadata, beyond which it is a LimitError.

    Returns samples of uint8 or uint16, as the file has; the caller owns them. Raises Error."""
    planar = _options.choice("layout", layout, _LAYOUTS)

    def make(height: int, width: int, count: int, depth: int) -> Any:
        shape = (height, width) if count == 1 else _arrays.ordered(height, width, count, planar)
        if out is None:
            return _arrays.empty(shape, depth // 8 - 1)
        view, kind = _arrays.view("out", out, 2)
        _arrays.check(view.shape, kind, shape, depth // 8 - 1)
        return view

    with _Worker(device, threads, limits, False) as worker:
        array = _xcodec.decode(
            worker, data, make, out is None, _options.region(region), _options.scale(scale),
            _options.integer("channels", channels, 1, 4, 0), planar,
            _options.flag("keep_going", keep_going), _options.flag("jpeg_rounding", jpeg_rounding))
    return array if out is None else out


def _limits(options: Any) -> Dict[str, Any]:
    return {name: options.pop(name) for name in list(options) if name.startswith("max_") and name != "max_error"}


def encode(array: Any, quality: Optional[float] = None, *, layout: Optional[Order] = None,
           threads: int = 1, device: Any = "cpu", **options: Unpack[Coding]) -> bytes:
    """Encodes an array of uint8 or uint16 to an XC file.

    array: (height, width), (height, width, channels) or (channels, height, width), with any
    strides; layout "HW", "HWC" or "CHW" where that is in doubt: channels come last if the last
    dimension is 1 to 4. quality: 1 to 100, also between whole numbers; default 75. options: those
    of `xcodec encode`: target_size (bytes, "64K", "1.2bpp"), target_psnr, target_ssim,
    target_ssimulacra2, preset, subsampling, tune, colour, tables (a name, or 64 or 128 numbers),
    range (or "auto"), entropy, huffman, transform, effort, segment_blocks; mode ("auto", "lossy",
    "lossless"), lossless=True, max_error, clear_transparent; metadata: icc, exif, xmp, iptc (bytes), text (a dict), density (x, y, unit), cicp, gamma, primaries,
    significant_bits, maxval; `metadata`, an Info or a mapping with all these, which they override;
    and the limits of decode().

    Returns the bytes of the file. A target that is missed is a Warning. Raises Error."""
    sources = (_options.source(layout, array),)
    with _Worker(device, threads, _limits(options), False) as worker:
        coding, metadata = _options.encoding(quality, options)
        return _xcodec.encode(worker, sources, coding, metadata, False, False)[0]


def encode_batch(arrays: Sequence[Any], quality: Optional[float] = None, *,
                 layout: Optional[Order] = None, threads: int = 0, device: Any = "cpu",
                 errors: Errors = "raise", **options: Unpack[Coding]) -> List[Any]:
    """Encodes arrays of any shapes, each to the bytes that encode() gives; the options are for all.

    errors: as in decode_batch(), for arrays that cannot be pictures, too. With a target or range="auto" one array comes after another."""
    limits, (coding, metadata) = _limits(options), _options.encoding(quality, options)
    back = _options.choice("errors", errors, _ERRORS)
    _options.layout(layout)
    sources: List[Any] = []
    for index, array in enumerate(arrays):
        try:
            sources.append(_options.source(layout, array))
        except Exception as error:
            _item(error, index)
            if not back:
                raise
            sources.append(error)
    with _Worker(device, threads, limits, not _options.one_by_one(coding)) as worker:
        return _xcodec.encode(worker, tuple(sources), coding, metadata, True, back)


class Info(SimpleNamespace):
    """What a file says about itself: attributes in the words of `xcodec info --json` (width,
    height, channels, depth, quality, ...), palette (4 bytes a colour) and metadata by encode()'s keywords; None: absent."""

    def as_dict(self) -> Dict[str, Any]:
        return dict(vars(self))


def info(data: Bytes, **limits: Unpack[Limits]) -> Info:
    """Reads all of a file but the pixels. limits: as in decode(). Raises Error, and warns of a JPEG
    that is cut off or damaged."""
    with _Worker("cpu", 1, limits, False) as worker:
        return Info(**_options.described(_xcodec.info(worker, data, True)))


def array_info(data: Bytes, **limits: Unpack[Limits]) -> Info:
    """What a file says about its array: shape, dtype, kind ("lossless", "absolute", "relative",
    "pointwise", "psnr", "snr") and bound as they were asked for, error (the largest, but for
    pointwise), coding as it was asked for ("prediction", "dct", "lot", "tdlt"), predicted_chunks,
    which are predicted all the same, chunk, chunks, file_bytes, attached_bytes. Raises Error."""
    with _Worker("cpu", 1, limits, False) as worker:
        return Info(**_numbers.about(_xcodec.array_info(worker, data)))


def encode_jpeg(jpeg: Bytes, *, fallback: Literal["store", "refuse"] = "store", threads: int = 1, **limits: Unpack[Limits]) -> bytes:
    """Keeps a JPEG in an XC file, smaller: decode_jpeg() gives the same bytes, decode() the pixels.

    fallback: what becomes of one that cannot be repacked: "store" it as it is, or "refuse" it, an
    UnsupportedError. threads, limits: as in decode(). Raises Error, and warns of
    one that is cut off or damaged."""
    kind = _options.choice("fallback", fallback, {"store": 0, "refuse": 1})
    with _Worker("cpu", threads, limits, False) as worker:
        return _xcodec.encode_jpeg(worker, jpeg, kind)


def decode_jpeg(data: Bytes, *, threads: int = 1, **limits: Unpack[Limits]) -> bytes:
    """The JPEG that encode_jpeg() was given, once its SHA-256 was checked. Raises Error."""
    with _Worker("cpu", threads, limits, False) as worker:
        return _xcodec.decode_jpeg(worker, data)


def jpeg_info(data: Bytes, **limits: Unpack[Limits]) -> Info:
    """What a file says about its JPEG: file_bytes, jpeg_bytes, sha256 (bytes), stored (as it is), and
    of one that is not stored width, height, components, sampling (a pair of factors a component),
    progressive, quality (of the IJG's nearest table), pictures; of the first picture cut_off, damaged, blocks and missing_blocks
    (of its scans). Raises Error."""
    with _Worker("cpu", 1, limits, False) as worker:
        return Info(**_xcodec.jpeg_info(worker, data))


def decode_batch(files: Sequence[Bytes], *,
                 crops: Crops = None, scale: int = 1,
                 device: Any = "cpu", layout: Layout = "HWC", dtype: Type_ = "uint8", mean: Any = None,
                 std: Any = None, channels: Optional[int] = None, out: Any = None,
                 stream: Any = None, allocator: Optional[Callable[[int, int, int], Any]] = None,
                 convert: Optional[Callable[[Any], Any]] = None, errors: Errors = "raise",
                 keep_going: bool = False, jpeg_rounding: bool = False, threads: int = 0,
                 **limits: Unpack[Limits]) -> Any:
    """Decodes files of any sizes, by threads or by a GPU (device "cuda" or "cuda:N").

    crops: one region for all files, or a list with one or None for each. dtype: "uint8" or
    "uint16", as the files have, or "float16" or "float32": (sample / largest - mean) / std, with
    one number for all channels or one for each; largest is 255 or 65535, by the samples' type. out: an array (number of files, ...), or a list of
    arrays, without gaps, in memory of the device. On a GPU the arrays are written after the work
    that stream (a number, or an object of torch or CuPy) has, and are complete on return, for
    every stream; allocator(bytes, device, stream) gives their memory, all of a call in one piece,
    as an object with data_ptr() or __cuda_array_interface__, which is kept as long as they.
    convert(array) gives what stands for each array in the result; it is called during the work,
    when the samples are not there yet. The rest is as in decode().

    Returns one array (number of files, height, width, channels), with "CHW" (number of files,
    channels, height, width), if all have the same shape, else a list of arrays, of which small
    ones share blocks of memory of 32 MiB, which the last of a block frees. errors: "raise"
    the first failure, which has its index; "return" a list with exceptions in the files' places,
    those of wrong crops and of what is no buffer, too.
    max_memory is that of each thread, without the arrays."""
    using = _Worker(device, threads, limits, True)
    dtype = getattr(dtype, "__name__", getattr(dtype, "name", dtype))  # of numpy
    gpu, kind = using.device, _options.choice("dtype", dtype, _arrays.TYPES)
    files, queue = tuple(files), _options.stream(stream)
    planar = _options.choice("layout", layout, _LAYOUTS)
    if kind < 2 and (mean is not None or std is not None):
        raise ArgumentError("mean and std need a dtype of float16 or float32")
    if gpu < 0 and (stream is not None or allocator is not None):
        raise ArgumentError("stream and allocator need a device of CUDA")
    with using as worker:

        def allocate(size: int) -> Tuple[Any, int]:
            if allocator is None:
                return _xcodec.allocate(worker, size)
            memory = allocator(size, gpu, queue)
            return memory, _arrays.address_of("what allocator gives", memory)

        batch = _arrays.Batch(kind, gpu, out, allocate, convert)
        return _xcodec.decode_batch(
            worker, files, _options.crops(crops, len(files)), batch.places, batch.results,
            (kind, planar, _options.integer("channels", channels, 1, 4, 0), _options.scale(scale),
             _options.flag("keep_going", keep_going),
             _options.flag("jpeg_rounding", jpeg_rounding)),
            _options.per_channel("mean", mean, 0.0), _options.per_channel("std", std, 1.0), queue,
            _options.choice("errors", errors, _ERRORS))
