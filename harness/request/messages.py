"""Messages as they are kept: the caller's, in block form, without markers, and never changed afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness.errors import AssemblyError

Block = dict[str, Any]
Message = dict[str, Any]

ROLES: Final = ("user", "assistant", "system")
THINKING: Final = ("thinking", "redacted_thinking")

SUM_UP: Final = """\
The conversation has become long and will go on from a summary in its place. Write that summary now, call no tool, and leave out \
nothing that the work needs: the task in the user's own words and what was decided since, what was done and what came of it, the \
files and names that matter, what is left to do and the next step."""
"""What asks for a summary."""
SUMMED: Final = "All that was said before is replaced by this summary of it. Go on from where it ends."
"""How a message begins whose text is a summary."""


def kept(message: Mapping[str, Any]) -> Message:
    """A copy of a message in block form, less its markers. Raises AssemblyError where it is no message.

    A text becomes one text block, so that a marker never changes a message's form. Empty texts
    are left out where anything else is there, since providers refuse them. A lone surrogate, which
    is not Unicode, becomes a question mark.
    """
    role, content = message.get("role"), message.get("content")
    if role not in ROLES:
        raise AssemblyError(f"a message has the role {role!r}; known are {', '.join(ROLES)}")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list | tuple) or not content:
        raise AssemblyError(f"a message of the role {role} has no content: neither a text nor a list of blocks")
    blocks = [_block(each) for each in content]
    return {"role": role, "content": [each for each in blocks if not _empty(each)] or blocks[:1]}


def _block(block: Any) -> Block:
    if not isinstance(block, Mapping) or not isinstance(block.get("type"), str):
        raise AssemblyError("a block of a message is no object with a type")
    copy = {key: _plain(value) for key, value in block.items() if key != "cache_control"}
    if isinstance(copy.get("content"), list):
        copy["content"] = [_unmarked(each) for each in copy["content"]]
    return copy


def _unmarked(block: Any) -> Any:
    return {key: value for key, value in block.items() if key != "cache_control"} if isinstance(block, dict) else block


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def clean(text: str) -> str:
    """The text as valid Unicode."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode()


def _empty(block: Block) -> bool:
    return block["type"] == "text" and not block.get("text")


def markable(block: Mapping[str, Any]) -> bool:
    """Whether a marker may stand on it. Providers refuse one on an empty text and on thinking."""
    return block["type"] not in THINKING and not (block["type"] == "text" and not str(block.get("text", "")).strip())


def blocks_of(message: Mapping[str, Any], kind: str) -> Iterator[Block]:
    """Its blocks of one type."""
    content = message.get("content")
    if isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict) and block.get("type") == kind)


def text_of(content: Any) -> str:
    """The text in the content of a message or of a tool result."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(str(each.get("text", "")) for each in content if isinstance(each, dict) and "text" in each)
