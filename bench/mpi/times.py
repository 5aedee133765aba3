#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes what bench/tools/scale reads of what `xcodec encode -t 1 --json -r -o DIR FOLDER` prints.

A line for each picture: seconds of one core, bytes in, bytes out."""
import json
import os
import sys

for picture in json.load(sys.stdin):
    seconds = sum(stage["cpu_ms"] for stage in picture["stages"]) / 1000
    print("%.6f %d %d" % (seconds, os.path.getsize(picture["input"]), picture["bytes"]))
