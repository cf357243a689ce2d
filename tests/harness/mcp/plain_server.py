"""A tool server of bare JSON-RPC on standard streams, which misbehaves as it is told: `plain_server.py BEHAVIOUR`.

It is written without the SDK, because the SDK would not let it send what it must send here.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

OBJECT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
GOOD = {"name": "echo", "description": "Say a text again.", "inputSchema": OBJECT}

TOOLS: dict[str, list[Any]] = {
    "no_schema": [GOOD, {"name": "bare"}, {"name": "words", "inputSchema": "text"}, "nothing at all"]
    + [{"name": "odd_type", "inputSchema": {"type": "object", "properties": {"a": {"type": "wrong"}}}}],
    "slower": [{**GOOD, "name": "shout", "description": "Say a text louder."}],
    "same_names": [GOOD, {**GOOD, "description": "Another."}],
    "odd_names": [
        {**GOOD, "name": name, "description": "News of the world."} for name in ("wörld news/get all", "a" * 100, "→")
    ],
    "giant": [{**GOOD, "description": "word " * 200_000}],
}


def main(behaviour: str) -> None:
    """Answer line by line."""
    if behaviour == "dies_at_once":
        sys.stderr.write("no licence found\n")
        raise SystemExit(3)
    if behaviour == "noise":
        sys.stdout.write("Welcome to my server!\n")
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            answer(behaviour, message)


def answer(behaviour: str, message: dict[str, Any]) -> None:
    """Answer one request, as the behaviour wants it."""
    method = message["method"]
    if behaviour == "slower" and method == "initialize":
        time.sleep(2)
    if behaviour == "hangs" or (behaviour == "hangs_at_list" and method == "tools/list"):
        time.sleep(3600)
    if method == "initialize":
        found: Any = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": behaviour, "version": "1"},
        }
    elif method == "tools/list":
        found = listed(behaviour, message)
    elif method == "tools/call":
        found = called(behaviour, message["params"])
    else:
        return send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})
    send({"id": message["id"], "result": found})


def listed(behaviour: str, message: dict[str, Any]) -> dict[str, Any]:
    """The answer to tools/list."""
    if behaviour == "dies_at_list":
        sys.stderr.write("out of luck\n")
        sys.stderr.flush()
        os._exit(4)
    if behaviour == "no_list":
        return {"tools": "none"}
    if behaviour == "circle":
        return {"tools": [GOOD], "nextCursor": "again"}
    if behaviour == "pages":
        cursor = int((message.get("params") or {}).get("cursor", "0"))
        page = {"tools": [{**GOOD, "name": f"echo_{cursor}"}]}
        return page if cursor == 2 else {**page, "nextCursor": str(cursor + 1)}
    if behaviour == "slow":
        time.sleep(0.5)
    return {"tools": TOOLS.get(behaviour, [GOOD])}


def called(behaviour: str, params: dict[str, Any]) -> dict[str, Any]:
    """The answer to tools/call."""
    if behaviour == "dies_at_call":
        os._exit(5)
    if behaviour == "call_hangs":
        time.sleep(3600)
    if behaviour == "long_answer":
        return {"content": [{"type": "text", "text": "x" * int(params["arguments"]["text"])}]}
    if behaviour == "odd_answer":
        return {"content": "just a text"}
    return {"content": [{"type": "text", "text": f"{params['name']}: {params['arguments'].get('text')}"}]}


def send(message: dict[str, Any]) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
