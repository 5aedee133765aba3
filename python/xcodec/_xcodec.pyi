# SPDX-License-Identifier: BSD-2-Clause
from typing import Any, Tuple

__version__: str
LIMITS: Tuple[int, int, int, int]

def __getattr__(name: str) -> Any: ...  # the package's own business
