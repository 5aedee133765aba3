# SPDX-License-Identifier: BSD-2-Clause
"""Samples from tar files."""
import io
import tarfile

import numpy as np
import pytest

import xcodec
from xcodec.shards import samples

FILE = xcodec.encode(np.zeros((16, 24, 3), np.uint8))


def shard(path, entries, mode="w"):
    with tarfile.open(path, mode) as tar:
        for name, data in entries:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


@pytest.fixture
def shards(tmp_path):
    return [shard(tmp_path / f"{n}.tar", [(f"a/{n}{i}.{suffix}", data) for i in range(3)
                                          for suffix, data in (("xc", FILE), ("CLS", b"7"))])
            for n in range(3)]


def keys(*args, **options):
    return [sample["__key__"] for sample in samples(*args, **options)]


def test_samples(shards):
    assert keys(shards) == [f"a/{n}{i}" for n in range(3) for i in range(3)]
    assert next(samples(shards[0])) == {
        "__key__": "a/00", "__url__": str(shards[0]), "xc": FILE, "cls": b"7"}
    sample = next(samples(shards[0], decode=True, scale=2, channels=1))
    assert np.asarray(sample["xc"]).shape == (8, 12) and sample["cls"] == b"7"


def test_file_objects_and_compression(tmp_path):
    path = shard(tmp_path / "a.tar.gz", [("x.y.xc", FILE), ("z", b""), (".hidden", b"")], "w:gz")
    with open(path, "rb") as file:
        assert list(samples(file)) == [{"__key__": "x", "__url__": str(path), "y.xc": FILE}]


def test_workers(shards):
    assert keys(shards, worker=(1, 2)) == ["a/10", "a/11", "a/12"]
    parts = [keys(shards, worker=(index, 4)) for index in range(4)]
    assert parts[1] == ["a/01", "a/12"] and sorted(sum(parts, [])) == keys(shards)


def test_errors(tmp_path):
    entries = [("a.xc", FILE[:-9]), ("b.xc", FILE), ("c.xc", FILE + b"99")]
    path = shard(tmp_path / "bad.tar", entries)
    with pytest.raises(xcodec.Error, match=r"bad\.tar: a\.xc: "):
        list(samples(path, decode=True))
    found = list(samples(path, decode=True, errors="return", max_entry=len(FILE)))
    assert [type(sample["xc"]) for sample in found][1:] == [np.ndarray, xcodec.LimitError]
    assert isinstance(found[0]["xc"], xcodec.Error)
    with pytest.warns(xcodec.Warning, match="max_entry"):
        assert keys(path, decode=True, errors="skip", max_entry=len(FILE)) == ["b"]


def test_links(tmp_path):
    """`xcodec encode` of a tar file with links writes links."""
    for mode in "w", "w:gz":
        with tarfile.open(tmp_path / "l.tar", mode) as tar:
            for name, target in ("a.xc", ""), ("b.xc", "a.xc"), ("c.xc", "b.xc"), ("d.xc", "e.xc"):
                member = tarfile.TarInfo(name)
                member.type, member.linkname = tarfile.LNKTYPE if target else tarfile.REGTYPE, target
                member.size = 0 if target else len(FILE)
                tar.addfile(member, io.BytesIO(FILE))
            member = tarfile.TarInfo("f.xc")
            member.type, member.linkname = tarfile.SYMTYPE, "a.xc"
            tar.addfile(member)
        found = [sample["xc"] for sample in samples(tmp_path / "l.tar", errors="return")]
        assert found[:3] == [FILE] * 3
        assert [type(each) for each in found[3:]] == [xcodec.UnsupportedError] * 2
    with pytest.raises(xcodec.UnsupportedError, match="d.xc: a link to e.xc"):
        keys(tmp_path / "l.tar")


def test_arguments(shards, tmp_path):
    for worker in (2, 2), (5, 2), (0, 0), (-1, 2), (1, 2, 3):
        with pytest.raises(xcodec.ArgumentError, match="worker"):
            samples(shards, worker=worker)
    with pytest.raises(xcodec.ArgumentError, match="errors"):
        samples(shards, errors="ignore")
    with pytest.raises(TypeError, match="scal.*decode"):
        samples(shards, scal=2)
    with pytest.raises(TypeError, match="scal"):
        keys(shards, decode=True, scal=2)
    path = shard(tmp_path / "k.tar", [("k.__key__", b"other"), ("k.xc", FILE)])
    with pytest.raises(xcodec.UnsupportedError, match="__key__"):
        keys(path)
    with pytest.warns(xcodec.Warning, match="__key__"):
        assert not keys(path, errors="skip")
    assert keys(path, errors="return") == ["k"]


def test_large_header(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w", pax_headers={"comment": "x" * (1 << 20)}):
        pass
    with pytest.raises(tarfile.TarError, match="a header of"):
        keys(tmp_path / "a.tar")


@pytest.mark.parametrize("size", [1000, 1024, 1200])
def test_broken_tar(shards, size):
    shards[0].write_bytes(shards[0].read_bytes()[:size])
    with pytest.raises(tarfile.TarError):
        keys(shards)
    with pytest.warns(xcodec.Warning, match=r"0\.tar"):
        assert keys(shards[:2], errors="skip") == ["a/10", "a/11", "a/12"]
