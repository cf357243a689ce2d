"""Parts of the harness that need what is not always installed, and take a while to import."""

from __future__ import annotations

import pkgutil
from typing import Any

from harness.errors import CommandError


def part(target: str, *, extra: str) -> Any:
    """A part by its name, such as "harness.mcp.serving:serve", imported only now.

    Raises CommandError where something from outside of the harness is missing; `extra` installs it.
    """
    try:
        return pkgutil.resolve_name(target)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "harness":
            raise
        raise CommandError(f"{error.name} is not installed: pip install 'ccweb-harness[{extra}]'") from error
