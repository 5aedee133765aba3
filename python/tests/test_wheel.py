# SPDX-License-Identifier: BSD-2-Clause
"""The wheel that python/backend.py makes of the build in XCODEC_BUILD, which `make check` names."""
import base64
import hashlib
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from xcodec import _xcodec

SOURCES = Path(__file__).resolve().parents[1]
if "XCODEC_BUILD" not in os.environ or "LD_PRELOAD" in os.environ:
    pytest.skip("there is no build without sanitizers", allow_module_level=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """With the extension in place of the CUDA module, which it is not."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import backend, sys; backend.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, folder], cwd=SOURCES, check=True,
                   env={**os.environ, "XCODEC_CUDA_MODULE": _xcodec.__file__})
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        yield archive


def test_contents(wheel):
    files = {name: wheel.read(name) for name in wheel.namelist()}
    info = next(name for name in files if name.endswith("/RECORD")).rpartition("/")[0]
    tag = files[info + "/WHEEL"].decode().split("Tag: ")[1].strip()
    assert Path(wheel.filename).name == f"{info[:-len('.dist-info')]}-{tag}.whl"
    assert {f"xcodec/{path.name}" for path in (SOURCES / "xcodec").glob("*.py*")} < set(files)
    assert files[info + "/licenses/COPYING"] == (SOURCES.parent / "COPYING").read_bytes()
    for line in files[info + "/RECORD"].decode().splitlines()[:-1]:
        name, digest, size = line.split(",")
        hashed = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode()
        assert (digest, int(size)) == ("sha256=" + hashed.rstrip("="), len(files.pop(name)))
    assert set(files) == {info + "/RECORD"}


def test_in_a_venv(wheel, tmp_path):
    venv.create(tmp_path, with_pip=False)
    site = next(tmp_path.glob("lib/python*/site-packages"))
    wheel.extractall(site)
    program = """import xcodec
file = xcodec.encode(memoryview(bytes(240)).cast("B", (10, 8, 3)))
print(memoryview(xcodec.decode(file)).shape)
try:
    xcodec.decode(file, device="cuda")
except xcodec.DeviceError as error:
    print(error)"""
    found = subprocess.run([tmp_path / "bin" / "python", "-c", program], check=True, text=True,
                           env={}, stdout=subprocess.PIPE).stdout.splitlines()
    assert found[0] == "(10, 8, 3)"
    assert f"{site}/xcodec/xcodec-cuda.so is not of this version" in found[1]
