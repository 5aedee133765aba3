#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random crops of XC files as batches for training, by PyTorch's DataLoader.

    dataloader.py [--device cuda] [--workers N] [--batch N] [--crop N] SHARD.tar...

On the processor the workers decode, of each picture just what the crop needs.  For a GPU they read
files and choose crops; the main process decodes a batch at a time on the GPU.  Workers are made by
fork(), so they must not use the GPU themselves.  A sample without a picture, or with one that is
damaged, is left out with a warning.
"""
import argparse
import random
import time
import warnings

import xcodec.shards
import xcodec.torch
from torch.utils.data import DataLoader, IterableDataset


class Crops(IterableDataset):
    """Gives pairs of a file and a rectangle of size x size."""

    def __init__(self, shards, size):
        self.shards, self.size = shards, size

    def __iter__(self):
        for sample in xcodec.shards.samples(self.shards, errors="skip"):
            try:
                about = xcodec.info(sample["xc"])
            except (KeyError, xcodec.Error) as error:
                warnings.warn(f"{sample['__url__']}: {sample['__key__']}: left out: {error!r}")
                continue
            x, y = about.width - self.size, about.height - self.size
            if min(x, y) >= 0:
                corner = random.randint(0, x), random.randint(0, y)
                yield sample["xc"], (*corner, self.size, self.size)


def decoded(pairs, device="cpu", threads=1):
    """A tensor (N, 3, size, size) for networks that have learnt from ImageNet; N is smaller
    where pictures are damaged."""
    files, crops = map(list, zip(*pairs))
    while True:
        try:
            return xcodec.torch.decode_batch(
                files, crops=crops, device=device, threads=threads, channels=3, layout="CHW",
                dtype="float32", mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))
        except xcodec.Error as error:
            if error.index is None or len(files) == 1:
                raise
            warnings.warn(f"left out: {error}")
            del files[error.index], crops[error.index]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("shards", nargs="+")
    for name, default in (("device", "cpu"), ("workers", 2), ("batch", 64), ("crop", 224)):
        parser.add_argument("--" + name, type=type(default), default=default)
    args = parser.parse_args()
    loader = DataLoader(Crops(args.shards, args.crop), args.batch, num_workers=args.workers,
                        collate_fn=decoded if args.device == "cpu" else list)
    count, began = 0, time.monotonic()
    for batch in loader:
        if args.device != "cpu":
            batch = decoded(batch, args.device, threads=0)
        count += len(batch)  # here the model would have it
    print(f"{count} pictures, {count / (time.monotonic() - began):.0f} a second")


if __name__ == "__main__":
    main()
