# SPDX-License-Identifier: BSD-2-Clause
"""Types of keywords, for type checkers alone."""
from typing import Any, List, Mapping, Sequence, Tuple, Type, Union

import numpy as np
from typing_extensions import Buffer, Literal, TypedDict

Pixels = np.ndarray[Any, Any]
Bytes = Union[Buffer, bytes, bytearray, memoryview, Pixels]
Region = Union[Tuple[int, int, int, int], Sequence[int], Pixels]
Crops = Union[None, Region, Sequence[Union[Region, None]]]
Layout = Literal["HWC", "CHW"]
Order = Literal["HW", "HWC", "CHW"]
Errors = Literal["raise", "return"]
Type_ = Union[Literal["uint8", "uint16", "float16", "float32"], Type[Any], np.dtype[Any]]

class Limits(TypedDict, total=False):
    max_pixels: Union[int, None]
    max_memory: Union[int, None]
    max_expansion: Union[int, None]
    max_metadata: Union[int, None]

class Coding(Limits, total=False):
    """The options of encode()."""
    target_size: Union[int, float, str, None]
    target_psnr: Union[float, None]
    target_ssim: Union[float, None]
    target_ssimulacra2: Union[float, None]
    preset: Union[Literal["default", "jpeg"], None]
    subsampling: Union[Literal["auto", "444", "422", "420", "4:4:4", "4:2:2", "4:2:0", "grey", "gray"], None]
    tune: Union[Literal["eye", "psnr"], None]
    colour: Union[Literal["ycbcr", "picture"], None]
    tables: Union[Literal["eye", "annex-k", "flat", "sloped"], Sequence[int], Pixels, None]
    range: Union[int, Literal["auto"], None]
    entropy: Union[Literal["huffman", "rans"], None]
    huffman: Union[Literal["optimized", "default"], None]
    transform: Union[Literal["auto", "dct", "lot", "tdlt"], None]
    mode: Union[Literal["auto", "lossy", "lossless"], None]
    effort: Union[int, None]
    segment_blocks: Union[int, None]
    lossless: Union[bool, None]
    max_error: Union[int, None]
    clear_transparent: Union[bool, None]
    metadata: Any
    icc: Union[Bytes, None]
    exif: Union[Bytes, None]
    xmp: Union[Bytes, None]
    iptc: Union[Bytes, None]
    text: Union[Mapping[str, Union[str, List[str]]], None]
    density: Union[Tuple[int, int], Tuple[int, int, int], None]
    cicp: Union[Sequence[int], None]
    gamma: Union[float, None]
    primaries: Union[Sequence[float], None]
    significant_bits: Union[Sequence[int], None]
    maxval: Union[int, None]

class Decoding(Limits, total=False):
    """The options of decode()."""
    region: Union[Region, None]
    scale: int
    channels: Union[int, None]
    out: Any
    layout: Layout
    keep_going: bool
    jpeg_rounding: bool
    threads: int
    device: Any
