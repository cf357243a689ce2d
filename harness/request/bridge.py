"""Calls through the envelope of the bridge: the real tool is known before anything is approved or run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.catalogue.own import CALL_TOOL
from harness.errors import AssemblyError


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What a model called. `bridged`: through the envelope."""

    name: str
    arguments: dict[str, Any]
    bridged: bool = False


def unwrap(name: str, given: Mapping[str, Any]) -> Call:
    """The tool that is meant, and its arguments. Raises AssemblyError, whose message is for the model, where it cannot be told.

    Some models write the arguments as a text of JSON; that is taken.
    """
    if name != CALL_TOOL.name:
        return Call(name=name, arguments=dict(given))
    target = given.get("name")
    if not isinstance(target, str) or not target:
        raise AssemblyError("call_tool needs `name`, the name of the tool to call, and `arguments`, an object")
    if target == CALL_TOOL.name:
        raise AssemblyError("call_tool cannot call itself; give the name of the tool that is meant")
    return Call(name=target, arguments=_arguments(given.get("arguments", {}), target), bridged=True)


def _arguments(given: Any, target: str) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = msgspec.json.decode(given or "{}")
        except msgspec.DecodeError as error:
            raise AssemblyError(f"`arguments` for {target} is a text that is no JSON: {error}") from error
    if not isinstance(given, dict):
        raise AssemblyError(f"`arguments` for {target} is no object")
    return given
