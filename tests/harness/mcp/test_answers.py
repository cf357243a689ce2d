from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest

from harness.loop.toolbox import Media
from harness.mcp.answers import output_of


def result(*content: Any, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=list(content), **more)


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def test_texts_stand_below_each_other_and_pictures_beside_them() -> None:
    picture = types.ImageContent(type="image", data="aGk=", mime_type="image/png")
    found = output_of(result(text("a"), picture, text("b")))
    assert found.text == "a\nb"
    assert found.media == (Media(media_type="image/png", data="aGk="),)


def test_an_error_of_the_tool_is_a_failure() -> None:
    assert output_of(result(text("no"), is_error=True)).failed


def test_structured_content_stands_in_where_there_is_no_text() -> None:
    assert output_of(result(structured_content={"ü": 1})).text == '{"ü": 1}'
    assert output_of(result(text("a"), structured_content={"b": 1})).text == "a"


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (
            types.AudioContent(type="audio", data="AAAA", mime_type="audio/wav"),
            "[sound, audio/wav, 3 bytes: not shown]",
        ),
        (
            types.ImageContent(type="image", data="AAAA", mime_type="image/tiff"),
            "[picture, image/tiff, 3 bytes: not shown]",
        ),
        (types.ResourceLink(type="resource_link", name="n", uri="file:///x"), "[n: file:///x]"),
        (
            types.EmbeddedResource(type="resource", resource=types.TextResourceContents(uri="file:///x", text="inner")),
            "inner",
        ),
        (
            types.EmbeddedResource(type="resource", resource=types.BlobResourceContents(uri="file:///x", blob="AAAA")),
            "[file:///x, of no stated type, 3 bytes: not shown]",
        ),
    ],
)
def test_what_a_model_cannot_be_given_is_named(block: Any, shown: str) -> None:
    assert output_of(result(block)).text == shown
