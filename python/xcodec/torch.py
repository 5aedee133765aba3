# SPDX-License-Identifier: BSD-2-Clause
"""Batches of files as tensors of PyTorch 1.13 and later, on the processor or on a GPU."""
from typing import Any, List, Sequence, Union

import torch
from torch.utils.dlpack import from_dlpack

import xcodec


def decode_batch(files: Sequence[Any], *, device: Any = "cpu", out: Any = None,
                 **options: Any) -> Union[torch.Tensor, List[Any]]:
    """As xcodec.decode_batch(), with tensors in place of arrays.

    device: of torch, as a word or torch.device; "cuda" is the current one.  A GPU's tensors are in
    memory of torch's allocator, and complete on torch's current stream, unless `allocator` and
    `stream` say otherwise.
    out: a tensor (N, ...), or a list of tensors, contiguous, on that device; it is returned.
    Integers of 16 bits need a torch that has them (2.3).
    """
    device = torch.device(device)
    if device.type == "cuda":
        index = torch.cuda.current_device() if device.index is None else device.index
        options.setdefault("allocator", _allocate)
        options.setdefault("stream", torch.cuda.current_stream(index))
        options["device"] = f"cuda:{index}"
    if out is not None and device.type == "cpu":
        options["out"] = out.numpy() if isinstance(out, torch.Tensor) else [t.numpy() for t in out]
    elif out is not None:
        options["out"] = out
    else:
        options["convert"] = torch.as_tensor if device.type == "cpu" else _tensor
    result = xcodec.decode_batch(files, **options)
    if out is None or not isinstance(result, list):
        return result if out is None else out
    return [each if isinstance(each, Exception) else out[i] for i, each in enumerate(result)]


def _allocate(size: int, index: int, stream: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device=f"cuda:{index}")


def _tensor(array: xcodec.Array) -> torch.Tensor:
    """Shares the array's memory. A capsule is taken several times as fast as an object."""
    return from_dlpack(array.__dlpack__())
