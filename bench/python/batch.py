# SPDX-License-Identifier: BSD-2-Clause
"""Pictures into Python, xcodec beside Pillow and torchvision: batch.py [-b BATCHES] XC-FOLDER JPEG-FOLDER

The folders have the same pictures. Prints the time of one decode, what threads add, how many pictures a second a
batch has on the processor and on the GPU, and whether memory stays as it is. Parts whose packages or GPU are not
there are left out. Figures are medians; the least is beside them."""
import argparse
import io
import os
import resource
import statistics
import threading
import time
from pathlib import Path

import xcodec

CROP = (20, 20, 224, 224)
FLOATS = {"dtype": "float32", "layout": "CHW", "mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}


def read(folder, suffix):
    return [path.read_bytes() for path in sorted(Path(folder).glob("*" + suffix))]


def timed(work, rounds):
    times = []
    for i in range(rounds + 2):
        start = time.perf_counter()
        work()
        if i > 1:
            times.append(time.perf_counter() - start)
    return statistics.median(times), min(times)


def show(name, count, work, rounds=15):
    median, least = timed(work, rounds)
    print(f"{name:52} {median * 1e3:9.3f} ms {least * 1e3:9.3f} {count / median:9.0f} pictures/s", flush=True)
    return median


def decode_all(files):
    for file in files:
        xcodec.decode(file)


def one_by_one(files, jpegs):
    own = show("xcodec.decode, one after another", len(files), lambda: decode_all(files), 5)
    try:
        from PIL import Image
    except ImportError:
        return

    def peer():
        for file in jpegs:
            Image.open(io.BytesIO(file)).load()
    other = show("Pillow, JPEG", len(jpegs), peer, 5)
    print(f"  {other / own * len(files) / len(jpegs):.2f} times as fast")


def threads(files):
    def rate(count):
        workers = [threading.Thread(target=decode_all, args=(files,)) for _ in range(count)]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return count * len(files) / (time.perf_counter() - start)
    count = len(os.sched_getaffinity(0))
    alone = max(rate(1) for _ in range(3))
    print(f"{count} threads of Python: {max(rate(count) for _ in range(3)) / alone:.2f} times one")


def same(torch, files, decode):
    for options in ({}, {"crops": CROP, **FLOATS}, {"scale": 2}, {"layout": "CHW", "dtype": "float16"}):
        right, found = xcodec.decode_batch(files, **options), decode(files, device="cuda", **options)
        if not all(torch.equal(torch.as_tensor(a), b.cpu()) for a, b in zip(right, found)):
            raise SystemExit(f"the GPU's arrays are not the processor's: {options}")
    print("the GPU's arrays are the processor's")


def gpu(files, jpegs, processor):
    try:
        import torch
        from xcodec.torch import decode_batch
        if not torch.cuda.is_available():
            return
    except ImportError:
        return
    print(torch.cuda.get_device_name())
    count = len(files)
    show("decode_batch, arrays on the GPU", count, lambda: xcodec.decode_batch(files, device="cuda"))
    own = show("xcodec.torch.decode_batch", count, lambda: decode_batch(files, device="cuda"))
    show("  crops of 224x224", count, lambda: decode_batch(files, device="cuda", crops=CROP))
    show("  and floats, CHW", count, lambda: decode_batch(files, device="cuda", crops=CROP, **FLOATS))
    print(f"  {processor / own:.2f} times the processor")
    try:
        from torchvision.io import decode_jpeg
        tensors = [torch.frombuffer(bytearray(f), dtype=torch.uint8) for f in jpegs]

        def peer():
            decode_jpeg(tensors, device="cuda")
            torch.cuda.synchronize()
        other = show("torchvision.io.decode_jpeg", len(jpegs), peer)
        print(f"  {other / own * count / len(jpegs):.2f} times as fast")
    except ImportError:
        pass
    same(torch, files, decode_batch)


def memory(files, batches, device):
    def held():
        host = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        if device == "cpu":
            return host, 0
        import torch
        free, total = torch.cuda.mem_get_info()
        return host, (total - free) >> 20
    for i in range(batches):
        xcodec.decode_batch(files[i % 7:][:1 + i % 64], device=device, crops=None if i % 2 else CROP)
        if i == batches // 10:
            before = held()
    print(f"{batches} batches, {device}: MiB of host and device {before} after a tenth, {held()} at the end")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-b", "--batches", type=int, default=0)
    parser.add_argument("folders", nargs=2)
    options = parser.parse_args()
    files, jpegs = read(options.folders[0], ".xc"), read(options.folders[1], ".jpg")
    one_by_one(files[:128], jpegs[:128])
    threads(files[:128])
    alone = show("decode_batch, one thread", len(files), lambda: xcodec.decode_batch(files, threads=1), 3)
    processor = show("decode_batch, all threads", len(files), lambda: xcodec.decode_batch(files), 7)
    print(f"  {alone / processor:.2f} times one thread")
    gpu(files, jpegs, processor)
    for device in ("cpu", "cuda") if options.batches else ():
        try:
            memory(files, options.batches, device)
        except xcodec.DeviceError as error:
            print(error)


if __name__ == "__main__":
    main()
