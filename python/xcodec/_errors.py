# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions and warnings."""
import re
import warnings
from typing import Dict, Optional, Type


class Error(Exception):
    """What the library refuses, in its words.

    status: the number of its xc_status. offset: the byte of the file that the line names, or None.
    index: the item of a batch, or None."""

    status: int = 0
    offset: Optional[int] = None
    index: Optional[int] = None


class Warning(UserWarning):
    """What the library says although a call succeeded.

    index: the item of a batch, or None. damaged_segments: how many became grey (keep_going)."""

    index: Optional[int] = None
    damaged_segments: int = 0


_kinds: Dict[int, Type[Exception]] = {2: MemoryError}


def _kind(status: int, name: str, text: str, *bases: type) -> Type[Error]:
    fields = {"status": status, "__doc__": text, "__module__": Error.__module__}
    _kinds[status] = kind = type(name, (Error, *bases), fields)
    return kind


Error.__module__ = Warning.__module__ = "xcodec"
ArgumentError = _kind(1, "ArgumentError", "An argument is out of its range.", ValueError)
LimitError = _kind(3, "LimitError", "One of the limits max_... forbids it.")
FormatError = _kind(4, "FormatError", "This is no XC file.")
TruncatedError = _kind(5, "TruncatedError", "The file ends too early.")
CorruptError = _kind(6, "CorruptError", "The file contradicts itself or a checksum.")
UnsupportedError = _kind(7, "UnsupportedError", "It is valid, but this build cannot do it.")
DeviceError = _kind(8, "DeviceError", "A GPU failed, or there is none.")


def error(status: int, message: str, index: int) -> Exception:
    """The exception of a status and a line of the library. index: -1 if there is no item."""
    made = _kinds.get(status, Error)(f"item {index}: {message}" if index >= 0 else message)
    found = re.search(r"at byte (\d+)", message)
    vars(made).update(status=status, offset=int(found[1]) if found else None,
                      index=index if index >= 0 else None)
    return made


def item(made: Exception, index: int) -> None:
    """Makes any exception that of an item of a batch, in its text and its member index."""
    made.args = (f"item {index}: {made}",)
    made.index = index  # type: ignore[attr-defined]


def warn(line: str, index: int, damaged: int) -> None:
    """Called by the extension, so the caller of the package's function is three frames up."""
    place = f"item {index}: " if index >= 0 else ""
    count = f"{damaged} segment{'s' * (damaged > 1)} damaged and left grey: " if damaged else ""
    made = Warning(place + count + line)
    made.index, made.damaged_segments = index if index >= 0 else None, damaged
    warnings.warn(made, stacklevel=3)
