# SPDX-License-Identifier: BSD-2-Clause
"""Pictures, and what the command makes of them."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BUILD = Path(os.environ.get("XCODEC_BUILD") or Path(__file__).parents[2] / "build")
STUB = BUILD / "tests/emulated/.libs/stub_plugin.so"  # a GPU whose memory is the host's
plain_malloc = pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""),
                                  reason="AddressSanitizer has its own malloc()")


def picture(height, width, channels=3, dtype=np.uint8, seed=1):
    """Waves with noise: samples to be told from their neighbours in any direction."""
    y, x, c = np.indices((height, width, channels))
    waves = 0.4 + 0.2 * np.sin((x + 3 * c) / 5) + 0.2 * np.cos((y + x * c) / 7)
    noise = np.random.default_rng(seed).normal(0, 0.01, waves.shape)
    return ((waves + noise) * np.iinfo(dtype).max).astype(dtype)


def program(*words, data=None, **environment):
    """What a program prints."""
    run = subprocess.run(words, input=data, capture_output=True, check=False,
                         env={**os.environ, **environment})
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout


def python(text, **environment):
    return program(sys.executable, "-c", text, **environment).decode()


def encoded(pixels, *words):
    """The file of the command."""
    head = "P7\nWIDTH {1}\nHEIGHT {0}\nDEPTH {2}\nMAXVAL {3}\nTUPLTYPE {4}\nENDHDR\n".format(
        *pixels.shape, np.iinfo(pixels.dtype).max,
        ("GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA")[pixels.shape[2] - 1])
    body = pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()
    return program(BUILD / "xcodec", "encode", *words, "-", "-", data=head.encode() + body)


def decoded(file, *words):
    """The pixels of the command, always with a dimension for channels."""
    pam = program(BUILD / "xcodec", "decode", "--format", "pam", *words, "-", "-", data=file)
    head, _, body = pam.partition(b"ENDHDR\n")
    about = dict(line.split() for line in head.decode().splitlines()[1:])
    pixels = np.frombuffer(body, ">u2" if about["MAXVAL"] == "65535" else np.uint8)
    shape = [int(about[name]) for name in ("HEIGHT", "WIDTH", "DEPTH")]
    return pixels.reshape(shape).astype(pixels.dtype.newbyteorder("="))
