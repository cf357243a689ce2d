"""The tools of many servers behind one: listed whole, searched, and called.

A client refuses a name that is not on its own list, so the list is always complete: all tools of
the catalogue's servers, the harness's own where they are enabled, and `search_tool_bm25`, which
ranks the same tools and only describes them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import mcp_types as types
from mcp.server import Server, ServerRequestContext

from harness.catalogue import Catalogue, shown
from harness.errors import HarnessError
from harness.loop.arguments import fault_in
from harness.loop.running import answer_of
from harness.loop.toolbox import Context, ToolFault, ToolOutput, Toolset
from harness.mcp.servers import Servers
from harness.modes import BUILD
from harness.search import SEARCH_TOOL_BM25, Ranker, search_tool_bm25
from harness.tiers import tier_of
from harness.tools import ToolSpec

LEFT_OUT: Final = frozenset(("ask_user", "finish", "hand_over_plan", "hand_over_review", "spawn_agent"))
"""Own tools that are none without a loop, or that a client has itself."""
INSTRUCTIONS: Final = (
    f"The tools of several servers. {SEARCH_TOOL_BM25.name} finds those that fit a task; it describes them and loads"
    " nothing. Each is called by its own name."
)

Request = ServerRequestContext[dict[str, Any], Any]


class Gateway:
    """Answers a client. `own` are the harness's own tools, where they are enabled, for work in `folder`."""

    def __init__(self, servers: Servers, *, own: Toolset | None = None, folder: Path, seconds: float = 300.0) -> None:
        self._servers = servers
        self._own = own
        self._own_specs = _offered(own.catalogue) if own else Catalogue()
        self._folder = folder
        self._seconds = seconds
        self._known = Catalogue()
        self._ranker = Ranker(())

    def server(self, version: str) -> Server[dict[str, Any]]:
        """The server, to be run over any transport."""
        return Server(
            "ccweb-harness",
            version=version,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def catalogue(self) -> Catalogue:
        """All tools but the search. Waits for servers that are still starting, as long as their time lasts."""
        await self._servers.settled()
        found = self._own_specs | self._servers.catalogue
        if list(found) != list(self._known):
            self._known = found
            self._ranker = Ranker(found.values())
        return self._known

    async def _list(self, request: Request, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        specs = [spec for spec in (await self.catalogue()).values() if spec.name != SEARCH_TOOL_BM25.name]
        return types.ListToolsResult(tools=[_described(spec) for spec in (SEARCH_TOOL_BM25, *specs)])

    async def _call(self, request: Request, params: types.CallToolRequestParams) -> types.CallToolResult:
        catalogue = await self.catalogue()
        arguments = params.arguments or {}
        try:
            if params.name == SEARCH_TOOL_BM25.name:
                return self._search(arguments)
            spec = catalogue.get(params.name)
            if spec is None:
                raise ToolFault(
                    f"There is no tool {shown(params.name)!r}. {SEARCH_TOOL_BM25.name} finds those there are."
                )
            if spec.server:
                return await self._servers.call(spec, arguments, self._seconds)
            return await self._run(spec, arguments, str(request.request_id))
        except HarnessError as fault:
            return _answer(ToolOutput(text=str(fault), failed=True))

    def _search(self, arguments: dict[str, Any]) -> types.CallToolResult:
        if fault := fault_in(SEARCH_TOOL_BM25, arguments):
            raise ToolFault(fault)
        found = search_tool_bm25(
            self._ranker,
            arguments["query"],
            limit=int(arguments.get("limit", 5)),
            pending_servers=self._servers.pending,
            failed_servers=[each.name for each in self._servers.failed],
        )
        return _answer(ToolOutput(text=found.text))

    async def _run(self, spec: ToolSpec, arguments: dict[str, Any], call: str) -> types.CallToolResult:
        """One of the harness's own tools."""
        if self._own is None:
            raise ToolFault(f"{spec.name} is not enabled.")
        if fault := fault_in(spec, arguments):
            raise ToolFault(fault)
        handler = self._own.box[spec.name]
        context = Context(
            conversation="mcp", run="mcp", call=call, folder=self._folder, mode=BUILD, ask=_nobody, say=_say
        )
        seconds = None if handler.own_limit else handler.seconds or self._seconds
        output, failure = await answer_of(handler.run(arguments, context), seconds, spec.name)
        return _answer(output or failure or ToolOutput())


def _offered(own: Catalogue) -> Catalogue:
    return Catalogue([spec for name, spec in own.items() if name not in LEFT_OUT])


def _described(spec: ToolSpec) -> types.Tool:
    """A tool as a list has it. Of its annotations, only those that the protocol knows."""
    hints = {
        key: value
        for key, value in spec.annotations.items()
        if (key == "title" and isinstance(value, str)) or (key.endswith("Hint") and isinstance(value, bool))
    }
    if not spec.server:
        hints.setdefault("readOnlyHint", tier_of(spec) in ("free", "read"))
    return types.Tool(
        name=spec.name,
        description=spec.description,
        input_schema=spec.input_schema,
        annotations=types.ToolAnnotations.model_validate(hints) if hints else None,
    )


def _answer(output: ToolOutput) -> types.CallToolResult:
    pictures = [types.ImageContent(type="image", data=each.data, mime_type=each.media_type) for each in output.media]
    text = types.TextContent(type="text", text=output.text)
    return types.CallToolResult(content=[text, *pictures], is_error=output.failed)


async def _nobody(question: str, options: tuple[str, ...]) -> str:
    raise ToolFault("There is nobody to ask.")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
