# SPDX-License-Identifier: BSD-2-Clause
"""Tensors of PyTorch, and examples/python, on the processor."""
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import xcodec
from test_shards import shard

torch = pytest.importorskip("torch")
import xcodec.torch  # noqa: E402

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "python" / "dataloader.py"
FILES = [xcodec.encode(np.random.default_rng(seed).integers(0, 255, (40, 30, 3), np.uint8))
         for seed in range(3)]


def test_batch():
    batch = xcodec.torch.decode_batch(FILES, layout="CHW", dtype="float32", mean=[0.5] * 3)
    wanted = np.moveaxis(xcodec.decode(FILES[1]), 2, 0) / np.float32(255) - np.float32(0.5)
    assert batch.shape == (3, 3, 40, 30) and np.array_equal(batch[1].numpy(), wanted)


def test_mixed_and_failed():
    found = xcodec.torch.decode_batch([FILES[0], b"no", FILES[1]], crops=[None, None, (0, 0, 8, 4)],
                                      errors="return", device=torch.device("cpu"))
    assert isinstance(found[1], xcodec.FormatError) and found[2].shape == (4, 8, 3)
    assert np.array_equal(found[0].numpy(), xcodec.decode(FILES[0]))


def test_out():
    out = torch.zeros((3, 40, 30, 3), dtype=torch.uint8)
    assert xcodec.torch.decode_batch(FILES, out=out) is out
    assert np.array_equal(out[2].numpy(), xcodec.decode(FILES[2]))


def test_example(tmp_path):
    path = shard(tmp_path / "a.tar", [(f"{number}.xc", file) for number, file in enumerate(FILES)])
    found = subprocess.run([sys.executable, EXAMPLE, "--crop=24", "--batch=2", path],
                           stdout=subprocess.PIPE, text=True, check=True)
    assert found.stdout.startswith("3 pictures")
