"""Tool servers that speak MCP, through the official SDK: as a client of them, and as a server in front of them."""

from __future__ import annotations

from harness.mcp.config import Config, Http, ServerConfig, Stdio, config_of, read_config
from harness.mcp.connection import CONNECT, Connection
from harness.mcp.servers import Servers, connected, opened

__all__ = [
    "CONNECT",
    "Config",
    "Connection",
    "Http",
    "ServerConfig",
    "Servers",
    "Stdio",
    "config_of",
    "connected",
    "opened",
    "read_config",
]
