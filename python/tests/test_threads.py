# SPDX-License-Identifier: BSD-2-Clause
"""Threads, processes and interpreters."""
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import xcodec
from support import picture, plain_malloc, python

FILES = [xcodec.encode(picture(40 + i, 61, seed=i)) for i in range(8)]
WIDE = np.tile(picture(100, 100), (20, 20, 1))
LARGE = xcodec.encode(WIDE, 95)
VALUES = np.random.default_rng(1).normal(size=(200, 300, 300))
PIXELS = [xcodec.decode(file) for file in FILES]
pytestmark = pytest.mark.filterwarnings("ignore:This process")  # of fork() with threads


def works(i):
    """Whether pictures are decoded and encoded as ever, in all ways."""
    k, batch = i % len(FILES), xcodec.decode_batch(FILES, threads=1 + i % 3)
    return (np.array_equal(xcodec.decode(FILES[k], threads=1 + i % 2), PIXELS[k])
            and all(map(np.array_equal, batch, PIXELS))
            and xcodec.encode(PIXELS[k]) == xcodec.encode_batch(PIXELS[k:k + 1])[0])


def works_in_child(function):
    child = os.fork()
    if not child:
        signal.alarm(60)
        try:
            os._exit(0 if function() else 1)
        finally:
            os._exit(2)
    return os.waitpid(child, 0)[1] == 0


def test_threads():
    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(works, range(160)))


@plain_malloc  # another may hang after a fork()
def test_fork_while_threads_work():
    stop = threading.Event()
    threads = [threading.Thread(target=lambda: [works(5) for _ in iter(stop.is_set, True)])
               for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        assert works(4)  # which leaves workers whose threads a child does not have
        assert all(works_in_child(lambda: works(4)) for _ in range(20))
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("work", [
    lambda: xcodec.encode(WIDE, target_ssimulacra2=60),
    lambda: xcodec.encode_batch([WIDE] * 20, target_psnr=40),
    lambda: xcodec.encode_batch([WIDE] * 60, effort=3),
    lambda: xcodec.decode_batch([LARGE] * 15), lambda: xcodec.decode_batch([LARGE] * 100),
    lambda: xcodec.encode_array(VALUES, effort=3)], ids=range(6))
def test_signals(work):
    """A handler runs during a call, here the third time, and its exception ends the call. If it
    waited, it would run once."""
    calls = []

    def handler(*_):
        calls.append(0)
        if len(calls) == 3:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        with pytest.raises(KeyboardInterrupt):
            try:
                work()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert works(3)


def test_fork_after_cuda(monkeypatch):
    monkeypatch.setattr(xcodec._workers, "_cuda", {"process": os.getpid()})

    def refused():
        with pytest.raises(xcodec.DeviceError, match="spawn"):
            xcodec.decode(FILES[0], device="cuda")
        return np.array_equal(xcodec.decode(FILES[0], device="auto"), PIXELS[0])

    assert works_in_child(refused)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert all(map(np.array_equal, pool.map(xcodec.decode, FILES), PIXELS))


def test_interpreters():
    assert python("""if 1:
        import threading
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        work = '''if 1:
            import sys
            sys.modules["numpy"] = None  # which is for one interpreter alone
            import xcodec
            file = xcodec.encode(memoryview(bytes(range(240))).cast("B", (10, 8, 3)))
            for _ in range(50):
                batch = xcodec.decode_batch([file, file])
                assert xcodec.decode(file).tobytes() * 2 == batch.tobytes()
                try:
                    xcodec.decode(file[:-9])
                except xcodec.TruncatedError:
                    continue
                raise SystemExit(1)'''
        made = [interpreters.create() for _ in range(3)]
        threads = [threading.Thread(target=interpreters.run_string, args=(each, work))
                   for each in made]
        threading.excepthook = lambda args: print("failed", args)
        for thread in threads:
            thread.start()
        exec(work)
        for thread in threads:
            thread.join()
        for each in made:
            interpreters.destroy(each)
        print("well")""") == "well\n"
