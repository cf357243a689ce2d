"""The request path of an agent: tools, search, request assembly, cache markers, accounting.

Pure Python. It imports no web framework and can be used on its own.
"""

from __future__ import annotations

__version__ = "0.1.0"
