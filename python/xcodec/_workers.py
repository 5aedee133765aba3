# SPDX-License-Identifier: BSD-2-Clause
"""Keeps contexts and batches from call to call: starting threads or CUDA takes longer than many a
picture. A call takes one out and puts it back, so any number of threads work at the same time, and
nobody waits for a lock. After a fork() the child makes its own, and leaves alone those it got."""
import os
import re
from typing import Any, Dict, List, Optional

from . import _xcodec
from ._errors import ArgumentError, DeviceError
from ._options import integer

_pool: Dict[tuple, List[Any]] = {}
_cuda: Dict[str, int] = {}  # "process": the first that used it
_MANY = 64
_LIMITS = ("max_pixels", "max_memory", "max_expansion", "max_metadata")


def number(device: Any, batch: bool) -> int:
    """-1: the processor; -2: "auto"; else the number of a GPU. str() of a torch.device will do."""
    found = re.fullmatch(r"(cpu)|(auto)|cuda(?::(\d{1,4}))?", str(device))
    if not found or (found[2] and batch):
        raise ArgumentError(f"device must be cpu, {'' if batch else 'auto, '}cuda or cuda:N, not "
                            f"{device!r}")
    return -1 if found[1] else -2 if found[2] else int(found[3] or 0)


class Worker:
    """A context, or a batch, with these settings; to be used by `with`."""

    def __init__(self, device: Any, threads: int, limits: Any,
                 batch: bool) -> None:
        self.device = -1 if device == "cpu" else number(device, batch)
        bounds = _xcodec.LIMITS
        if limits:
            for name in set(limits) - set(_LIMITS):
                raise TypeError(f"there is no keyword {name}")
            bounds = tuple(usual if limits.get(name) is None
                           else integer(name, limits[name], 0, 2**64 - 1)
                           for name, usual in zip(_LIMITS, bounds))
        process = os.getpid()
        if self.device != -1 and _cuda.setdefault("process", process) != process:
            if self.device >= 0:
                raise DeviceError("CUDA was used before fork() and does not work after it: start "
                                  'processes by multiprocessing.get_context("spawn")')
            self.device = -1
        self._key = (process, self.device, integer("threads", threads, 0, 1024), batch, *bounds)

    def __enter__(self) -> Any:
        try:
            self._worker = _pool[self._key].pop()
        except (KeyError, IndexError):
            self._worker = None
        if self._worker is None:
            _, device, threads, batch, *bounds = self._key
            name = "cpu" if device == -1 else "auto" if device < 0 else f"cuda:{device}"
            self._worker = _xcodec.worker(name, threads, batch, *bounds)
        return self._worker

    def __exit__(self, *_: Any) -> None:
        if len(_pool) > _MANY:  # of so many settings few will come again
            _pool.clear()
        _pool.setdefault(self._key, []).append(self._worker)
