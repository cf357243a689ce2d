"""What a server lists as its tools, taken as it came: one bad tool must not cost the others.

The SDK checks an answer to tools/list as a whole and refuses it as a whole. Here the tools are put
aside on their way to that check, and the SDK gets the least that it needs to call them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mcp.client import ClientSession
from mcp.shared.dispatcher import CallOptions
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import PaginatedRequestParams, RequestId

MOST_TOOLS: Final = 10_000
"""Tools of one server. What it lists beyond is left out."""
MOST_PAGES: Final = 200


class Dispatcher(JSONRPCDispatcher):
    """The SDK's dispatcher, which puts the tools of each list aside as `listed`."""

    listed: list[object]

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
        *,
        _related_request_id: RequestId | None = None,
    ) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        raw = await super().send_raw_request(method, params, opts, _related_request_id=_related_request_id)
        if method != "tools/list":
            return raw
        found = raw.get("tools")
        self.listed = found if isinstance(found, list) else [found]
        return {**raw, "tools": [_least(each) for each in self.listed if _callable(each)]}


async def tools_of(session: ClientSession, dispatcher: Dispatcher) -> tuple[list[object], str]:
    """All tools that a server lists, page by page, and what was wrong with the list; empty where nothing was."""
    found: list[object] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        params = PaginatedRequestParams(cursor=cursor) if cursor is not None else None
        page = await session.list_tools(params=params)
        found += dispatcher.listed
        cursor = page.next_cursor
        if cursor is None:
            return found, ""
        if cursor in seen:
            return found, "its list of tools goes in a circle"
        if len(found) > MOST_TOOLS:
            break
        seen.add(cursor)
    return found[:MOST_TOOLS], f"its list of tools is endless, or too long; {len(found[:MOST_TOOLS]):,} were taken"


def _callable(tool: object) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)


def _least(tool: Any) -> dict[str, Any]:
    return {"name": tool["name"], "inputSchema": {"type": "object"}}
