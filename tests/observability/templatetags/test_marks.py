from __future__ import annotations

import pytest
from django.template import Context, Template

from observability.templatetags.marks import GLYPHS, SOURCES, badge, bar, glyph, key, outcome, prov


@pytest.mark.parametrize("source", SOURCES)
def test_a_mark_names_its_provenance_in_words_too(source: str) -> None:
    assert f'<span class="sr">{source}</span>' in prov(source)


def test_an_unknown_provenance_is_an_error_of_ours() -> None:
    with pytest.raises(KeyError):
        prov("guessed")


def test_the_key_of_a_patterned_role_has_its_pattern() -> None:
    assert "url(#p-write)" in key("write")
    assert "url(#" not in key("read")


def test_a_bar_is_named_by_its_shares() -> None:
    assert 'aria-label="90.0\u00a0% read, 9.0\u00a0% written, 1.0\u00a0% uncached"' in bar(90, 9, 1)


def test_a_bar_of_nothing_says_so() -> None:
    assert 'aria-label="no prompt tokens"' in bar(0, 0, 0)


def test_a_part_of_a_bar_tells_its_tokens() -> None:
    assert "<title>read, 1,234 tokens</title>" in bar(1_234, 0, 0)


def test_the_text_of_a_badge_is_escaped() -> None:
    assert badge("cross", "<b>\x00") == badge("cross", "<b>␀")
    assert "&lt;b&gt;" in badge("cross", "<b>")


def test_a_glyph_may_be_bad() -> None:
    assert 'class="g bad"' in glyph("cross", bad=True)


def test_an_outcome_that_is_not_known_is_shown_as_it_stands() -> None:
    assert "Miss" in outcome("miss")
    assert "&lt;odd&gt;" in outcome("<odd>")


@pytest.mark.parametrize("name", GLYPHS)
def test_no_glyph_needs_a_style(name: str) -> None:
    assert "style=" not in glyph(name)


def test_tags_are_to_be_had_in_templates() -> None:
    shown = Template("{% load marks numbers %}{% prov 'reported' %}{{ 5|tokens }} {{ none|rate }}").render(
        Context({"none": None})
    )
    assert shown.endswith("5 –")
