from __future__ import annotations

from harness.loop.output import result_of, shortened
from harness.loop.toolbox import Media, ToolOutput


def test_a_short_text_stays() -> None:
    assert shortened("abc", 3) == "abc"


def test_a_long_text_keeps_its_begin_and_its_end_and_says_what_is_left_out() -> None:
    text = shortened("a" * 100_000_000 + "end", 300)
    assert text.startswith("a" * 200 + "\n[… 99,999,703 of 100,000,003 characters left out here …]\n")
    assert text.endswith("aend")


def test_an_empty_answer_says_that_it_is_empty() -> None:
    assert result_of("c", ToolOutput(), 10)["content"] == "(no output)"


def test_a_failure_is_marked() -> None:
    assert result_of("c", ToolOutput(text="no", failed=True), 10)["is_error"] is True


def test_a_picture_stands_behind_the_text() -> None:
    output = ToolOutput(text="see", media=(Media(media_type="image/png", data="aGk="),))
    text, picture = result_of("c", output, 10)["content"]
    assert text["text"] == "see"
    assert picture["source"]["media_type"] == "image/png"
