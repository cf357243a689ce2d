"""`python -m harness mcp`: a tool server in front of others."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.cli.parsers import add_command
from harness.extras import part

if TYPE_CHECKING:
    from harness.cli.parsers import Commands

TEACHES: Final = """\
An MCP server whose tools/list is complete: the tools of all servers that FILE names (.mcp.json, with
stdio and http servers), the harness's own where --builtin is given, and search_tool_bm25, which
finds tools for a task and describes them. Calls go on to the server that the tool is of.

It speaks over standard input and output, or with --http over streamable HTTP on 127.0.0.1, at
/mcp. If the variable CCWEB_MCP_TOKEN is set, a client over HTTP must send it as a bearer token; own
tools over HTTP are served with a token only. There is no approval here: the client asks its user.

  python -m harness mcp --mcp-config .mcp.json
  python -m harness mcp --builtin . --mcp-config .mcp.json --http 8100"""


def add_parser(commands: Commands) -> None:
    """Describe the command."""
    command = add_command(commands, "mcp", run, summary="a tool server in front of others", teaches=TEACHES)
    command.add_argument("--mcp-config", type=Path, metavar="FILE", help="the servers behind it, as in .mcp.json")
    command.add_argument("--builtin", type=Path, metavar="FOLDER", help="serve the harness's own tools, in this folder")
    command.add_argument("--http", type=int, metavar="PORT", help="serve HTTP on this port; 0 for any that is free")
    command.add_argument(
        "--connect-timeout", type=float, default=30.0, metavar="S", help="time of a server to start (%(default)s)"
    )
    command.add_argument("--call-timeout", type=float, default=300.0, metavar="S", help="time of a call (%(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client, or a signal, ends it."""
    serve = part("harness.mcp.serving:serve", extra="mcp")
    options = part("harness.mcp.serving:Options", extra="mcp")
    code: int = serve(
        options(
            config=arguments.mcp_config,
            folder=arguments.builtin,
            port=arguments.http,
            connect_seconds=arguments.connect_timeout,
            call_seconds=arguments.call_timeout,
        )
    )
    return code
