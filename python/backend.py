# SPDX-License-Identifier: BSD-2-Clause
"""Builds the Python package: a PEP 517 backend of the standard library, a C compiler and make.

`pip install ./python` and `python -m build --wheel python` call the hooks at the end; `make python`
runs this file with the folder to build in.  In the environment, or for pip's --config-settings
without XCODEC_ and in small letters:

  XCODEC_BUILD        where `make` has built xcodec; else the library is built in build-python/
  XCODEC_SYSTEM       1: the installed library, by pkg-config, in place of one inside the wheel
  XCODEC_CUDA         1: nvcc compiles the CUDA module, and it goes into the wheel
  XCODEC_CUDA_MODULE  a module of this version that goes into the wheel

CC, CFLAGS and LDFLAGS are for library and extension.  The same tools, sources and SOURCE_DATE_EPOCH
make the same wheel.
"""
import base64
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = [path for path in sorted((ROOT / "python" / "xcodec").iterdir())
           if path.suffix in (".py", ".pyi", ".typed")]
if not (ROOT / "include" / "xcodec.h").exists():
    raise SystemExit("xcodec: python/ needs the whole source tree around it, with include/xcodec.h")
HEADER = (ROOT / "include" / "xcodec.h").read_text()
VERSION = ".".join(re.findall(r"#define XC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", HEADER))
VERSION += ".dev0" * ('SUFFIX "-dev"' in HEADER)  # as PEP 440 has it
INFO = f"xcodec-{VERSION}.dist-info"
# An interpreter without the lock has no limited API.
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
EXTENSION = "_xcodec" + (sysconfig.get_config_var("EXT_SUFFIX") if FREE_THREADED else ".abi3.so")
# PEP 600 expects these of every Linux.
COMMON_LIBRARIES = r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d|ld-linux.*"
METADATA = (f"""Metadata-Version: 2.4
Name: xcodec
Version: {VERSION}
Summary: Fast transform codec for still pictures: arrays and tensors, on CPUs and NVIDIA GPUs
License-Expression: BSD-2-Clause
License-File: COPYING
Requires-Python: >=3.9
Description-Content-Type: text/markdown

""" + (ROOT / "doc" / "python.md").read_text()).encode()
ENTRY_POINTS = b"[numcodecs.codecs]\nxcodec = xcodec.numcodecs:XCodec\n"
setting = os.environ.get


class UnsupportedOperation(Exception):
    """What build_sdist() raises; frontends find the class by this name."""


def run(*command, cwd: Optional[Path] = None, read: bool = False) -> str:
    """Runs a command, whose output is returned (read) or shown.  A failure ends the build."""
    words = [str(word) for word in command]
    print(shlex.join(words), flush=True)
    try:
        return subprocess.run(words, check=True, cwd=cwd, text=True,
                              stdout=subprocess.PIPE if read else None).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"xcodec: {words[0]}: {getattr(error, 'strerror', 'failed')}") from None


def build_folder() -> Path:
    """Where the library is built, which is done here without what the command alone needs."""
    if setting("XCODEC_BUILD"):
        return Path(setting("XCODEC_BUILD")).resolve()
    cuda = setting("XCODEC_CUDA") == "1"
    folder = ROOT / ("build-python" + "-cuda" * cuda)
    if not (ROOT / "configure").exists():
        run("autoreconf", "-fi", cwd=ROOT)
    if not (folder / "config.status").exists():
        folder.mkdir(exist_ok=True)
        run(ROOT / "configure", "--disable-shared", "--disable-lab", "--without-python", "--without-fftw", "--without-libpng", "--without-libjpeg",
            "--without-archive", "--without-mpi", "--enable-cuda" if cuda else "--disable-cuda",
            "ZLIB_CFLAGS= ", "ZLIB_LIBS=-lz", "CFLAGS=" + setting("CFLAGS", "-O3"), cwd=folder)
    run("make", f"-j{os.cpu_count()}", "libxc_core.la", *["xcodec-cuda.so"] * cuda, cwd=folder)
    return folder


def compile_extension(folder: Path) -> Path:
    """Compiles python/src/*.c in the folder, which exists; returns the extension in there."""
    if setting("XCODEC_SYSTEM") == "1":
        flags = run("pkg-config", "--cflags", "--libs", "libxcodec", read=True).split()
    else:
        flags = [f"-I{ROOT / 'include'}", str(build_folder() / ".libs" / "libxc_core.a"),
                 "-lm", "-lpthread", "-ldl"]
    compiler = shlex.split(setting("CC") or sysconfig.get_config_var("CC") or "cc")
    if not setting("CC") and not shutil.which(compiler[0]):
        compiler = ["cc"]  # not the one that made the interpreter
    limited = [] if FREE_THREADED else ["-DPy_LIMITED_API=0x03090000"]
    # The library's names stay inside: another copy of it may be loaded.
    run(*compiler, *shlex.split(setting("CFLAGS", "-O2")), "-std=gnu11", "-fPIC", "-shared",
        "-fvisibility=hidden", "-Wl,--exclude-libs,ALL", f"-I{ROOT}", *limited,
        "-isystem", sysconfig.get_path("include"), *sorted((ROOT / "python" / "src").glob("*.c")),
        *flags, *shlex.split(setting("LDFLAGS", "-Wl,--strip-debug")), "-o", folder / EXTENSION)
    return folder / EXTENSION


def place_package(folder: Path) -> None:
    """Makes FOLDER/xcodec, a package to import; links lead to its sources and the CUDA module."""
    (folder / "xcodec").mkdir(parents=True, exist_ok=True)
    os.replace(compile_extension(folder), folder / "xcodec" / EXTENSION)
    for path in [*PACKAGE, folder.parent / "xcodec-cuda.so"]:
        link = folder / "xcodec" / path.name
        if not link.exists() or not link.samefile(path):
            link.unlink(missing_ok=True)
            link.symlink_to(path)


def wheel_tag(objects: list[Path]) -> str:
    """...-manylinux_2_N_..., if glibc 2.N and PEP 600's libraries are enough; else -linux_..."""
    this = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    plain = (f"{this}-{this}t-" if FREE_THREADED else "cp39-abi3-") + re.sub(
        r"[-.]", "_", sysconfig.get_platform())
    dump = "".join(run("objdump", "-p", path, read=True) for path in objects)
    minors = [int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", dump)]
    needed = re.findall(r"NEEDED +(\S+)", dump)
    if not minors or not all(re.fullmatch(COMMON_LIBRARIES, name) for name in needed):
        return plain
    return plain.replace("-linux", f"-manylinux_2_{max(17, *minors)}")


# ------------------------------------------------------------------------------ hooks

def build_wheel(wheel_directory: str, config_settings: Optional[dict] = None,
                metadata_directory: Optional[str] = None) -> str:
    for name, value in (config_settings or {}).items():
        os.environ["XCODEC_" + name.upper()] = value
    module = setting("XCODEC_CUDA_MODULE")
    if not module and setting("XCODEC_CUDA") == "1":
        module = build_folder() / "xcodec-cuda.so"
    with tempfile.TemporaryDirectory() as scratch:
        objects = [compile_extension(Path(scratch))]
        if module:
            objects.append(shutil.copyfile(module, Path(scratch) / "xcodec-cuda.so"))
        files = {f"xcodec/{path.name}": path.read_bytes() for path in [*PACKAGE, *objects]}
        tag = wheel_tag(objects)
    wheel = f"Wheel-Version: 1.0\nGenerator: xcodec\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files.update({f"{INFO}/METADATA": METADATA, f"{INFO}/WHEEL": wheel.encode(),
                  f"{INFO}/entry_points.txt": ENTRY_POINTS,
                  f"{INFO}/licenses/COPYING": (ROOT / "COPYING").read_bytes()})
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    # ZIP knows no time before 1980.
    moment = time.gmtime(max(315532800, int(setting("SOURCE_DATE_EPOCH", "0"))))
    with zipfile.ZipFile(Path(wheel_directory) / f"xcodec-{VERSION}-{tag}.whl", "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, moment[:6])
            entry.external_attr = (0o100755 if path.endswith(".so") else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return f"xcodec-{VERSION}-{tag}.whl"


def prepare_metadata_for_build_wheel(metadata_directory: str,
                                     config_settings: Optional[dict] = None) -> str:
    (Path(metadata_directory) / INFO).mkdir()
    (Path(metadata_directory) / INFO / "METADATA").write_bytes(METADATA)
    (Path(metadata_directory) / INFO / "entry_points.txt").write_bytes(ENTRY_POINTS)
    return INFO


def build_sdist(sdist_directory: str, config_settings: Optional[dict] = None) -> str:
    raise UnsupportedOperation("the sources are the tarball that `make dist` makes")


if __name__ == "__main__":
    place_package(Path(sys.argv[1]).resolve())
