# SPDX-License-Identifier: BSD-2-Clause
"""Files and arguments that are refused: class, line and place. Memory stays flat."""
import gc
import pickle
import warnings

import numpy as np
import pytest

import xcodec
from support import picture, plain_malloc
from xcodec import decode, decode_batch, encode, encode_batch, info

FILE, TINY = encode(picture(75, 90)), encode(picture(8, 8))
SMALL, GOOD = np.zeros((8, 8, 3), np.uint8), np.zeros((75, 90, 3), np.uint8)
READ_ONLY = np.frombuffer(bytes(GOOD.nbytes), np.uint8).reshape(GOOD.shape)
DAMAGED = FILE[:900] + b"\0\1\2\3" + FILE[904:]
BAD = [(b"", xcodec.FormatError, 4), (b"GIF89a" * 20, xcodec.FormatError, 4),
       (FILE[:60], xcodec.TruncatedError, 5), (FILE[:-30], xcodec.TruncatedError, 5),
       (DAMAGED, xcodec.CorruptError, 6), (FILE + b"1", xcodec.CorruptError, 6),
       (FILE[:20] + b"\xff" + FILE[21:], xcodec.CorruptError, 6)]
ARGUMENT = xcodec.ArgumentError
CALLS = [  # (function, data, keyword, value, exception); its line names the keyword
    *((decode, FILE, name, value, ARGUMENT) for name, value in (
        ("scale", 3), ("region", (0, 0, 91, 5)), ("region", (1, 2, 3)), ("region", (0, 0, 0, 5)),
        ("region", (-1, 0, 5, 5)), ("channels", 5), ("layout", "WHC"), ("threads", -1),
        ("device", "gpu"), ("max_pixels", -1), ("out", GOOD[1:]), ("out", GOOD[0]),
        ("out", GOOD.astype(np.uint16)), ("out", GOOD[::-1]), ("out", GOOD[:, ::-1]),
        ("out", np.asfortranarray(GOOD)))),
    *((decode, FILE, name, value, TypeError) for name, value in (
        ("region", 5), ("channels", "a"), ("keep_going", "no"), ("threads", 1.5), ("layout", 1),
        ("nonsense", 1), ("max_memory", "1G"), ("out", 5))),
    *((decode_batch, [FILE, FILE], name, value, ARGUMENT) for name, value in (
        ("crops", [None]), ("crops", [(0, 0, 0, 1)] * 2), ("crops", (-1, 0, 2, 2)), ("mean", 1),
        ("dtype", "int8"), ("errors", "ignore"), ("stream", 1), ("allocator", len), ("out", GOOD),
        ("out", [GOOD]), ("out", [GOOD, GOOD[1:]]), ("out", [GOOD, GOOD[::-1]]),
        ("out", np.zeros((2, 75, 90, 3), np.uint8)[:, ::-1]))),
    (decode_batch, [FILE, TINY], "out", GOOD, ARGUMENT),
    (decode_batch, [FILE, 5], "", None, TypeError),
    (decode_batch, [FILE] * 2, "crops", [(5,)] * 2, TypeError),
    (decode_batch, [FILE], "dtype", "uint16", xcodec.UnsupportedError),
    (decode, FILE, "device", "cuda:999", xcodec.DeviceError),
    (decode, FILE, "out", READ_ONLY, (BufferError, ValueError)),
    *((call, data, "", None, TypeError) for call in (decode, info) for data in ("a", 5, None, [1])),
    *((decode, data, "layout", "CHW", xcodec.Error) for data, _, _ in BAD),
    *((call, data, name, value, xcodec.LimitError) for name, value in (
        ("max_pixels", 40), ("max_memory", 1000)) for call, data in (
            (decode, FILE), (decode_batch, [FILE]), (encode, GOOD), (encode_batch, [GOOD]))),
    (encode, GOOD.astype(np.float32), "", None, TypeError), (encode, SMALL, "icc", 5, TypeError)]


@pytest.mark.parametrize("data,kind,status", BAD, ids=range(len(BAD)))
def test_bad_files(data, kind, status):
    for call in decode, lambda data: decode_batch([FILE, data]):
        with pytest.raises(xcodec.Error) as caught:
            call(data)
        error = caught.value
        assert call is decode or str(error).startswith("item 1: ")
        assert type(error) is kind and error.status == status and str(error)
        assert kind is not xcodec.TruncatedError or error.offset == len(data)
        assert vars(pickle.loads(pickle.dumps(error))) == vars(error)


@pytest.mark.parametrize("call,data,name,value,kind", CALLS, ids=range(len(CALLS)))
def test_refused(call, data, name, value, kind):
    with pytest.raises(kind, match=name if kind in (ARGUMENT, TypeError) else "") as caught:
        call(data, **({name: value} if name else {}))
    if kind is ARGUMENT:
        assert isinstance(caught.value, ValueError) and caught.value.status == 1


def test_items():
    """What is wrong with one item is an error of that item."""
    crops = [None, (0, 0, 0, 0), (-1, 0, 9, 9), (0, 0, 1.5, 2), (89, 0, 2, 2), None, (1, 1, 4, 4)]
    found = decode_batch([FILE] * 5 + ["a.xc", FILE], crops=crops, errors="return")
    assert found[0].shape == (75, 90, 3) and np.array_equal(found[6], found[0][1:5, 1:5])
    for i, kind in enumerate((ARGUMENT, ARGUMENT, TypeError, ARGUMENT, TypeError), 1):
        assert type(found[i]) is kind and found[i].index == i and f"item {i}: " in str(found[i])
    with pytest.raises(TypeError, match="item 1: ") as caught:
        decode_batch([FILE] * 4, crops=[None, (0, 0, 1.5, 2), None, None])
    assert caught.value.index == 1
    for count in range(1, 7):  # rows of numpy are no numbers, though four of them are as many
        assert len(decode_batch([FILE] * count, crops=np.array([(0, 0, 9, 9)] * count))) == count


def test_limits():
    assert decode(FILE, max_pixels=6750, max_memory=10**8).shape == (75, 90, 3)
    with pytest.raises(xcodec.LimitError):
        info(encode(SMALL, icc=bytes(500)), max_metadata=400)


def test_warnings():
    for call, data, line in (decode, DAMAGED, "damaged"), (decode_batch, [FILE, DAMAGED], "item 1"):
        with pytest.warns(xcodec.Warning, match=line) as caught:
            assert call(data, keep_going=True).shape[-3:] == (75, 90, 3)
        told = caught[0].message
        assert caught[0].filename == __file__ and told.index == (None if call is decode else 1)
        assert told.damaged_segments == 1 and "1 segment damaged" in str(told)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(xcodec.Warning):
                call(data, keep_going=True)


def rounds(count):
    for i in range(count):
        for _ in range(100):
            decode(TINY)
        decode(TINY, layout="CHW")
        for _ in range(10):
            decode_batch([TINY] * 2, crops=(1, 1, 4, 4))
        decode_batch([TINY, FILE], dtype="float32")
        info(encode(SMALL, effort=0, text={"a": "b"}, icc=bytes(99)))
        if i % 10 == 0:
            encode_batch([SMALL, SMALL[::-1]], effort=0)
            decode_batch([TINY, FILE[:-9], 5], errors="return")
            encode_batch([SMALL, SMALL[:4]], errors="return", max_pixels=40)
            for call in CALLS:
                test_refused(*call)


@plain_malloc  # another may keep what is freed
def test_memory_is_flat():
    """10^5 decodes, 10^4 batches, and every failure a hundred times."""
    def use():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]), len(gc.get_objects())

    rounds(100)
    before = use()
    rounds(1000)
    after = use()
    assert after[0] - before[0] < 500 and after[1] - before[1] < 100  # pages, objects
