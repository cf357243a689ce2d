"""Records the tools of all servers of a configuration, with sizes and with what was wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path

from harness.catalogue import Catalogue, Problem, shown
from harness.mcp.config import Config, read_config
from harness.mcp.connection import CONNECT
from harness.mcp.servers import connected


def record(config: Path, *, seconds: float = CONNECT) -> tuple[Catalogue, bool]:
    """The tools of all servers, and whether all servers were there. A failed one is among the problems.

    Raises CommandError where the configuration cannot be read.
    """
    return asyncio.run(_recorded(read_config(config), seconds))


async def _recorded(config: Config, seconds: float) -> tuple[Catalogue, bool]:
    async with connected(config, seconds=seconds) as servers:
        await servers.settled()
        found, failed = servers.catalogue, servers.failed
    missing = [Problem(place=f"server {shown(each.name)}", reason=each.error) for each in failed]
    return Catalogue(found.values(), problems=[*found.problems, *missing]), not failed
