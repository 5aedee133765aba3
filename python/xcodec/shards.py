# SPDX-License-Identifier: BSD-2-Clause
"""Samples from tar files as WebDataset lays them out, by the standard library alone.

Neighbouring files whose names are equal up to the first dot of the last part are one sample:
a/0001.xc and a/0001.cls are {"__key__": "a/0001", "__url__": "train-0.tar", "xc": ..., "cls": ...}.
"""
import contextlib
import itertools
import os
import sys
import tarfile
import warnings
from typing import IO, TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import xcodec
from xcodec._options import choice, integers

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Decoding

_OWN = ("__key__", "__url__")
Shard = Union[str, "os.PathLike[str]", IO[bytes]]


def samples(shards: Union[Shard, Iterable[Shard]], *, decode: bool = False,
            worker: Optional[Tuple[int, int]] = None, max_entry: int = 1 << 28,
            errors: str = "raise", **options: "Unpack[Decoding]") -> Iterator[Dict[str, Any]]:
    """Gives the samples of tar files in order; each is a dictionary as above.

    shards: paths or binary files, one or many; compressed by gzip, bzip2 or xz too.  They are read
    from start to end, so pipes will do.
    decode: entries that end in .xc become arrays by xcodec.decode() with `options`, such as
    scale=2; without it, and all others, they are bytes.  A hard link, which `xcodec encode` writes
    where pictures were links, is the bytes of the entry that it leads to.
    worker: (index, count), index 0 to count - 1: of so many workers this one has shard index, index + count, ...; where
    there are fewer shards than workers every count-th sample of all.  None: what
    torch.utils.data.get_worker_info() says inside a DataLoader's worker, else everything.
    max_entry: most bytes of an entry; more is xcodec.LimitError.  A symbolic link, a hard link in a
    shard that is no path, and an entry named k.__key__ or k.__url__ are xcodec.UnsupportedError.
    errors: "raise"; "return": the exception in place of the entry; "skip": an xcodec.Warning, and
    the sample is left out.  A tar file that is broken ends with tarfile.TarError or OSError under
    "raise", else with a warning, and the next one begins.
    """
    choice("errors", errors, {"raise": 0, "return": 1, "skip": 2})
    if options and not decode:
        raise TypeError(f"{', '.join(options)}: these need decode=True")
    if worker is not None:
        index, count = integers("worker", worker, 2, 2, 2**31)
        if index >= count:
            raise xcodec.ArgumentError(f"worker must be (0 to count - 1, count), not {worker}")
    one = isinstance(shards, (str, os.PathLike)) or hasattr(shards, "read")
    names: List[Any] = [shards] if one else list(shards)
    data = sys.modules.get("torch.utils.data")
    info = data.get_worker_info() if data and not worker else None
    index, count = (info.id, info.num_workers) if info else worker or (0, 1)
    return _samples(names, index, count, decode, max_entry, errors, options)


def _samples(names: List[Shard], index: int, count: int, decode: bool, max_entry: int, errors: str,
             options: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    by_sample = len(names) < count
    numbers = itertools.count()
    for shard in names if by_sample else names[index::count]:
        path = isinstance(shard, (str, os.PathLike))
        url = os.fspath(shard) if path else str(getattr(shard, "name", ""))
        try:
            for key, entries in _groups(shard, max_entry):
                if by_sample and next(numbers) % count != index:
                    continue
                sample = _sample(entries, decode, errors, options, f"{url}: {key}")
                if sample is not None:
                    yield {**sample, "__key__": key, "__url__": url}
        except (tarfile.TarError, OSError, EOFError) as error:
            if errors == "raise":
                raise
            warnings.warn(f"{url}: {error}", xcodec.Warning, stacklevel=2)


class _Entry(tarfile.TarInfo):
    """Fails where tarfile ends in silence, at a broken header and without the mark of the end, and
    where it would read headers of any size."""

    @classmethod
    def frombuf(cls, *args: Any) -> "_Entry":
        entry = super().frombuf(*args)
        if entry.size > 1 << 20 and not entry.isreg():
            raise tarfile.InvalidHeaderError(f"a header of {entry.size} bytes")
        return entry

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> "_Entry":
        try:
            return super().fromtarfile(tar)
        except tarfile.HeaderError as error:
            if isinstance(error, tarfile.EOFHeaderError):
                raise
            raise tarfile.ReadError(f"broken after {tar.offset} bytes: {error}") from error


def _groups(shard: Shard, max_entry: int) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Gives keys, and bytes or an exception by suffix; a name that comes again begins a sample."""
    key, entries = "", {}
    places: Dict[str, Tuple[int, int]] = {}  # of what hard links may lead to
    path = isinstance(shard, (str, os.PathLike))
    with open(shard, "rb") if path else contextlib.nullcontext(shard) as file, \
            tarfile.open(fileobj=file, mode="r|*", tarinfo=_Entry) as tar:
        for member in iter(tar.next, None):
            tar.members.clear()  # it would keep all of them
            folder, slash, name = member.name.rpartition("/")
            stem, _, suffix = name.partition(".")
            if not (member.isfile() or member.islnk() or member.issym()) or not stem or not suffix:
                continue
            if folder + slash + stem != key or suffix.lower() in entries:
                if entries:
                    yield key, entries
                key, entries = folder + slash + stem, {}
            content: Any = None
            at, size = places.get(member.linkname, (-1, 0)) if member.islnk() else (
                member.offset_data, member.size)
            if not member.issparse():
                places[member.name] = at, size
            if suffix in _OWN:
                content = xcodec.UnsupportedError("a sample has another member of that name")
            elif size > max_entry:
                content = xcodec.LimitError(f"{size} bytes, max_entry is {max_entry}")
            elif member.isfile():
                content = tar.extractfile(member).read()
            elif member.issym() or at < 0 or not path:
                content = xcodec.UnsupportedError(f"a link to {member.linkname}, which is not read")
            else:
                with tarfile.open(shard, "r:*") as again:
                    again.fileobj.seek(at)
                    content = again.fileobj.read(size)
            entries[suffix.lower()] = content
    if entries:
        yield key, entries


def _sample(entries: Dict[str, Any], decode: bool, errors: str, options: Dict[str, Any],
            name: str) -> Optional[Dict[str, Any]]:
    for suffix, value in entries.items():
        try:
            if isinstance(value, Exception):
                raise value
            if decode and suffix.rpartition(".")[2] == "xc":
                entries[suffix] = xcodec.decode(value, **options)
        except (xcodec.Error, MemoryError) as error:
            error.args = (f"{name}.{suffix}: {error}",)
            if errors == "raise":
                raise
            if errors == "skip":
                warnings.warn(str(error), xcodec.Warning, stacklevel=3)
                return None
            entries[suffix] = error
    return entries
