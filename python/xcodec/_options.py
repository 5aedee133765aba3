# SPDX-License-Identifier: BSD-2-Clause
"""Checks keywords and turns them into what the extension takes. Each message names the keyword.
None stands for a keyword that was not given."""
import operator
import re
import struct
from typing import Any, Dict, List, Mapping, Optional, Tuple

from . import _arrays
from ._arrays import wrong_type
from ._errors import ArgumentError

_CHOICES = {  # in the order of the extension's read_options()
    "subsampling": {"auto": 4, "444": 2, "422": 1, "420": 0, "4:4:4": 2, "4:2:2": 1, "4:2:0": 0,
                    "grey": 3, "gray": 3},
    "tune": {"eye": 0, "psnr": 2}, "colour": {"ycbcr": 0, "picture": 1},
    "entropy": {"huffman": 0, "rans": 1}, "huffman": {"optimized": 0, "default": 1},
    "transform": {"auto": 4, "dct": 0, "lot": 1, "tdlt": 2},
    "mode": {"auto": 0, "lossy": 1, "lossless": 2}}
_TABLES = {"eye": 0, "annex-k": 1, "flat": 2, "sloped": 3}
_INFINITE = float("inf")
_TARGETS = {"target_size": _INFINITE, "target_psnr": _INFINITE, "target_ssim": 1,
            "target_ssimulacra2": 100}
_BLOBS = ("icc", "exif", "xmp", "iptc")
_METADATA = (*_BLOBS, "text", "density", "cicp", "significant_bits", "gamma", "primaries", "maxval",
             "range")
_KNOWN = {*_CHOICES, *_TARGETS, *_METADATA, "preset", "tables", "effort", "segment_blocks",
          "metadata", "lossless", "max_error", "clear_transparent"}
# What the extension's info() gives before the metadata; enumerations in the order of <xcodec.h>.
_INFO = ("version width height channels depth subsampling transform entropy huffman colour lossless "
         "max_error quality components huffman_tables tile_width tile_height segments file_bytes header_bytes "
         "table_bytes index_bytes segment_bytes alpha_bytes metadata_bytes extra_bytes "
         "quant palette palette_bits").split()
_WORDS = {"subsampling": ("4:2:0", "4:2:2", "4:4:4", "grey"),
          "transform": ("DCT", "LOT", "TDLT", "none"), "entropy": ("Huffman", "rANS", "none", "lossless"),
          "huffman": ("optimized", "default"), "colour": ("YCbCr", "picture")}


def integer(name: str, value: Any, low: int, high: int, otherwise: Optional[int] = None) -> int:
    if value is None and otherwise is not None:
        return otherwise
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong_type(name, "an int", value) from None
    if not low <= number <= high:
        raise ArgumentError(f"{name} must be {low} to {high}, not {number}")
    return number


def real(name: str, value: Any, low: float, high: float, otherwise: float = 0.0) -> float:
    if value is None:
        return otherwise
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise wrong_type(name, "a number", value)
    if not low <= value <= high:
        raise ArgumentError(f"{name} must be {low:g} to {high:g}, not {value:g}")
    return float(value)


def choice(name: str, value: Any, words: Mapping[str, int], otherwise: Optional[int] = None) -> int:
    if value is None and otherwise is not None:
        return otherwise
    if not isinstance(value, str):
        raise wrong_type(name, "a str", value)
    number = words.get(value, words.get(value.lower()))
    if number is None:
        raise ArgumentError(f"{name} must be one of {', '.join(words)}, not {value!r}")
    return number


def flag(name: str, value: Any) -> bool:
    if isinstance(value, (str, bytes)):
        raise wrong_type(name, "True or False", value)
    return bool(value)


def sequence(name: str, value: Any, low: int, high: int) -> list:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        raise wrong_type(name, "a sequence of numbers", value)
    if not low <= len(value) <= high:
        raise ArgumentError(f"{name} must have {high} numbers, not {len(value)}")
    return list(value)


def integers(name: str, value: Any, low: int, high: int, largest: int) -> list:
    """low to high numbers from 0 to largest; zeros follow. No value: all are zeros."""
    numbers = [] if value is None else sequence(name, value, low, high)
    return [integer(name, n, 0, largest) for n in numbers] + [0] * (high - len(numbers))


def region(value: Any) -> tuple:
    numbers = tuple(integers("region", value, 4, 4, 2**32 - 1))
    if value is not None and not (numbers[2] and numbers[3]):
        raise ArgumentError("region must have a width and a height above 0")
    return numbers


def scale(value: Any) -> int:
    if value not in (1, 2, 4, 8):
        raise ArgumentError(f"scale must be 1, 2, 4 or 8, not {value!r}")
    return int(value)


def _is_index(value: Any) -> bool:
    """Rows of numpy have __index__, too, but it fails."""
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def crops(value: Any, count: int) -> tuple:
    """One for all, or one for each of the files; or none."""
    value = () if value is None else tuple(value)
    if len(value) == 4 and all(map(_is_index, value)):
        return (value,)
    if value and len(value) != count:
        raise ArgumentError(f"crops must be one, or one for each of {count} files")
    return value


def per_channel(name: str, value: Any, otherwise: float) -> tuple:
    """Four numbers. A single one is that of all channels."""
    single = value is None or not hasattr(value, "__len__")
    numbers = [real(name, n, -1e30, 1e30, otherwise)
               for n in ([value] * 4 if single else sequence(name, value, 1, 4))]
    if name == "std" and min(numbers) <= 0:
        raise ArgumentError("std must be above 0")
    return (*numbers, *[otherwise] * (4 - len(numbers)))


def stream(value: Any) -> int:
    """A cudaStream_t: a number, or of torch (cuda_stream), CuPy (ptr), others (__cuda_stream__)."""
    for name in ("cuda_stream", "ptr"):
        value = getattr(value, name, value)
    value = value.__cuda_stream__()[1] if hasattr(value, "__cuda_stream__") else value
    return integer("stream", value, 0, 2**64 - 1, 0)


# ------------------------------------------------------------------------------------ encoding

def _target(options: Mapping[str, Any]) -> Tuple[int, float]:
    """The kind, -1 for bits a pixel, and the value, 0 without a target."""
    given = [name for name in _TARGETS if options.get(name) is not None]
    if len(given) > 1:
        raise ArgumentError(f"{' and '.join(given)}: only one target can be reached")
    if not given:
        return 0, 0.0
    name, value, bound = given[0], options[given[0]], _TARGETS[given[0]]
    kind = list(_TARGETS).index(name)
    if isinstance(value, str) and kind == 0:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)(bpp)|(\d+)([KMGT]?)", value, re.IGNORECASE)
        if not found:
            raise ArgumentError(f"target_size must be like 65000, '64K' or '1.2bpp', not {value!r}")
        kind = -1 if found[2] else 0
        value = float(found[1]) if found[2] else (
            int(found[3]) << 10 * " KMGT".index(found[4].upper() or " "))
    if real(name, value, 0, bound) in (0, bound):
        raise ArgumentError(f"{name} must be above 0 and below {bound:g}")
    return kind, float(value)


def _tables(value: Any) -> Tuple[int, Optional[bytes]]:
    if value is None or isinstance(value, str):
        return choice("tables", value, _TABLES, -1), None
    numbers = [integer("tables", n, 1, 65535) for n in sequence("tables", value, 64, 128)]
    if len(numbers) not in (64, 128):
        raise ArgumentError(f"tables must be 64 or 128 numbers, not {len(numbers)}")
    return 0, struct.pack("128H", *(numbers * 2)[:128])


def _range(value: Any, metadata: tuple) -> int:
    """As `xcodec encode --range`: without one that of the metadata counts. -1: automatic."""
    if value == "auto":
        return -1
    largest, maxval = integer("range", value or metadata[-1], 0, 65535), metadata[-2]
    if largest and maxval > 255:  # of 16 bits
        largest = (largest * 65535 + maxval // 2) // maxval if largest < maxval else 65535
    return largest and max(largest, 255)


def _mode(quality: Any, options: Mapping[str, Any], given: Dict[str, int]) -> int:
    """Sets the mode as `xcodec encode` does; returns how far samples may be off."""
    bound = integer("max_error", options.get("max_error"), 0, 4095, -1)
    name = "max_error" if bound >= 0 else "lossless"
    if bound >= 0 or flag(name, options.get("lossless")):
        if given["mode"] in (0, 1):
            raise ArgumentError(f"{name} and mode exclude each other")
        given["mode"] = 2
    lossy = [other for other in (*_TARGETS, *_CHOICES, "tables", "preset", "segment_blocks")
             if options.get(other) is not None and other != "mode"]
    if given["mode"] == 2 and (lossy or quality is not None):
        raise ArgumentError(f"{name} and {[*lossy, 'quality'][0]} exclude each other")
    if any(target in lossy for target in _TARGETS) or (
            given["mode"] < 0 and options.get("preset") == "jpeg"):
        given["mode"] = 1
    return max(bound, 0)


def encoding(quality: Any, options: Mapping[str, Any]) -> Tuple[tuple, tuple]:
    """The options and metadata that the extension's encode() takes."""
    for name in set(options) - _KNOWN:
        raise TypeError(f"there is no keyword {name}")
    target = _target(options)
    if quality is not None and target[1]:
        raise ArgumentError("quality and a target exclude each other")
    preset = choice("preset", options.get("preset"), {"default": 0, "jpeg": 1}, 0)
    given = {name: choice(name, options.get(name), words, -1) for name, words in _CHOICES.items()}
    tables, own = _tables(options.get("tables"))
    if given["tune"] == 2 and not preset:  # as `xcodec encode --tune psnr`
        tables = 2 if tables < 0 else tables
        if given["subsampling"] in (-1, 2):
            given.update(subsampling=2, colour=given["colour"] if given["colour"] >= 0 else 1)
    bound, meta = _mode(quality, options, given), _metadata(options)
    return (preset, int(real("quality", quality, 1, 100, 75) * 256 + 0.5), tables, own,
            *given.values(), integer("effort", options.get("effort"), 0, 3, -1),
            integer("segment_blocks", options.get("segment_blocks"), 32, 1024, -1),
            bound, flag("clear_transparent", options.get("clear_transparent")),
            _range(options.get("range"), meta), *target), meta


def one_by_one(coding: tuple) -> bool:
    """Whether the pictures of a batch are encoded differently: with a target or a range."""
    return coding[-3] != 0 or coding[-1] > 0


def layout(value: Optional[str]) -> int:
    return choice("layout", value, {"HW": 0, "HWC": 1, "CHW": 2}, -1)


def source(order: Optional[str], array: Any) -> Tuple[memoryview, int]:
    """The view of an array to encode, and the number of its layout."""
    view, _ = _arrays.view("array", array, 2)
    shape, usual = view.shape, 0 if view.ndim == 2 else 1 if 1 <= [0, *view.shape][-1] <= 4 else 2
    number = usual if order is None else layout(order)
    if len(shape) != (3 if number else 2) or min(shape) < 1 or (
            number and shape[-1 if number == 1 else 0] > 4):
        raise ArgumentError("array must be (height, width), (height, width, channels) or (channels,"
                            f" height, width) with 1 to 4 channels, not {shape}")
    if max(shape) >= 2**32:
        raise ArgumentError(f"array must have sides of at most 2^32 - 1, not {shape}")
    return view, number


# ------------------------------------------------------------------------------------ metadata

def _text(value: Any) -> Optional[bytes]:
    """Keys and values, each with a zero byte. A list of values has a key for each."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise wrong_type("text", "a dict of str", value)
    words = [word for key, values in value.items()
             for each in (values if isinstance(values, list) else [values]) for word in (key, each)]
    if not all(isinstance(word, str) and "\0" not in word for word in words):
        raise ArgumentError("text must be of str without zero characters")
    return "".join(word + "\0" for word in words).encode()


def _metadata(options: Mapping[str, Any]) -> tuple:
    base = options.get("metadata")
    base = {} if base is None else base.as_dict() if hasattr(base, "as_dict") else base
    if not isinstance(base, Mapping):
        raise wrong_type("metadata", "an Info or a mapping", base)
    m = {name: base.get(name) if options.get(name) is None or name == "range" else options[name]
         for name in _METADATA}
    try:
        blobs = [None if m[name] is None else bytes(memoryview(m[name])) for name in _BLOBS]
    except TypeError:
        raise TypeError(f"{', '.join(_BLOBS)} must be bytes-like") from None
    density = integers("density", m["density"], 2, 3, 2**32 - 1)
    density[2] = 1 if m["density"] is not None and len(m["density"]) == 2 else density[2]
    if density[2] > 1:
        raise ArgumentError("density must be (x, y, unit), unit 1: pixels a metre, 0: aspect ratio")
    primaries = sequence("primaries", m["primaries"] or [0] * 8, 8, 8)
    return (*blobs, _text(m["text"]), tuple(density), tuple(integers("cicp", m["cicp"], 4, 4, 255)),
            tuple(integers("significant_bits", m["significant_bits"], 1, 4, 16)),
            round(real("gamma", m["gamma"], 0, 40000) * 1e5),
            tuple(round(real("primaries", n, 0, 40000) * 1e5) for n in primaries),
            integer("maxval", m["maxval"], 0, 65535, 0), integer("range", m["range"], 0, 65535, 0))


def described(numbers: tuple) -> Dict[str, Any]:
    """The extension's info() in Python's terms; None: absent."""
    d: Dict[str, Any] = dict(zip(_INFO, numbers))
    m: Dict[str, Any] = dict(zip(_METADATA, numbers[-1]))
    d.update((name, words[d[name]]) for name, words in _WORDS.items())
    d.update(lossless=bool(d["lossless"]), palette=d["palette"] or None)
    d["huffman"] = d["huffman"] if d["entropy"] == "Huffman" else None
    d["colour"] = d["colour"] if d["components"] > 1 else "grey"
    d["quant"] = tuple(d["quant"][i:i + 64] for i in range(0, len(d["quant"]), 64))
    text: Dict[str, List[str]] = {}
    words = (m["text"] or b"").decode("utf-8", "replace").split("\0")
    for key, value in zip(words[::2], words[1::2]):
        text.setdefault(key, []).append(value)
    bits, primaries = m["significant_bits"][:d["channels"]], [n / 1e5 for n in m["primaries"]]
    m.update(text={key: v if len(v) > 1 else v[0] for key, v in text.items()} or None,
             density=m["density"] if any(m["density"]) else None, gamma=m["gamma"] / 1e5 or None,
             cicp=m["cicp"] if m["cicp"][0] else None, significant_bits=bits if bits[0] else None,
             primaries=tuple(primaries) if primaries[0] else None,
             maxval=m["maxval"] or None, range=m["range"] or None)
    return {**d, **m}
