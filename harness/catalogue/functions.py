"""A tool from a Python function: its name, its docstring, and a schema from its signature.

    def lookup(word: Annotated[str, "What to look up"], limit: int = 5) -> str:
        \"\"\"Look a word up in the glossary.\"\"\"

    tool = from_function(lookup)

Types are those that msgspec knows: builtins, Literal, unions, lists, dicts, enums, dataclasses,
Structs and so on. `Annotated` with a text describes a parameter; with a `msgspec.Meta` it may also
bound it. A parameter that may be None and is None when left out is simply optional.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from harness.catalogue.catalogue import admitted
from harness.errors import CatalogueError
from harness.tools import ToolSpec

_UNIONS = (Union, types.UnionType)
_PLAIN = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def from_function(
    function: Callable[..., Any], *, name: str = "", group: str = "", without: Collection[str] = ()
) -> ToolSpec:
    """The tool that a function is. `without`: parameters that the caller fills in, not the model.

    Raises CatalogueError that names the parameter at fault, or says what else is wrong.
    """
    called = name or getattr(function, "__name__", "")
    try:
        hints = get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters.values()
    except (NameError, TypeError, ValueError) as error:
        raise CatalogueError(f"function {called}: {error}") from error
    fields = [_field(called, each, hints) for each in parameters if each.name not in without]
    tool = ToolSpec(
        name=called, description=inspect.getdoc(function) or "", input_schema=_schema(called, fields), group=group
    )
    spec, notes = admitted(tool)
    if notes:
        raise CatalogueError(f"function {called}: {notes[0]}")
    return spec


def _field(called: str, parameter: inspect.Parameter, hints: dict[str, Any]) -> tuple[str, Any, Any]:
    """Name, type and default, as msgspec takes them."""
    if parameter.kind not in _PLAIN:
        raise CatalogueError(f"function {called}: a model cannot fill in the parameter {parameter}")
    kind = _described(hints.get(parameter.name, Any))
    if parameter.default is inspect.Parameter.empty:
        return parameter.name, kind, msgspec.NODEFAULT
    if parameter.default is None:
        return parameter.name, _without_none(kind), msgspec.field(default=msgspec.UNSET)
    if isinstance(parameter.default, list | dict | set):
        value = parameter.default
        return parameter.name, kind, msgspec.field(default_factory=lambda: value)
    return parameter.name, kind, msgspec.field(default=parameter.default)


def _described(kind: Any) -> Any:
    """The type with texts in Annotated as descriptions."""
    if get_origin(kind) is not Annotated:
        return kind
    inner, *notes = get_args(kind)
    metas = [msgspec.Meta(description=note) if isinstance(note, str) else note for note in notes]
    return Annotated[(inner, *metas)]


def _without_none(kind: Any) -> Any:
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        return Annotated[(_without_none(inner), *notes)]
    if get_origin(kind) in _UNIONS:
        return Union[tuple(each for each in get_args(kind) if each is not type(None))]  # noqa: UP007
    return kind


def _schema(called: str, fields: list[tuple[str, Any, Any]]) -> dict[str, Any]:
    """The schema of the arguments. Types that it refers to stand under $defs."""
    try:
        struct = msgspec.defstruct("Arguments", fields, kw_only=True, forbid_unknown_fields=True)
        (reference,), components = msgspec.json.schema_components([struct], ref_template="#/$defs/{name}")
    except (TypeError, ValueError) as error:
        raise CatalogueError(f"function {called}: {error}") from error
    own = components.pop(reference["$ref"].rpartition("/")[2])
    schema = {key: value for key, value in own.items() if key != "title"}
    return {**schema, "$defs": components} if components else schema
