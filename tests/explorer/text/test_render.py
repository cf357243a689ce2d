from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.page import ContextPage, context_page
from explorer.queries.naming import named
from explorer.text import Paper, render
from explorer.text.paper import width_of
from harness.runlog import ItemKind
from observability.models import Request, Run
from observability.services.imports import import_paths
from tests.explorer.scene import Scene, whole
from tests.golden import hold

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).parent / "golden"
HOSTILE = "\x1b]0;owned\x07\x1b[2J\r\n\u202e<b>文\x9b"


def parts(text: str) -> dict[str, int]:
    """The rows of the table of parts by name; rows of items left out."""
    table = text.split("Part, in the order sent")[1].split("\n\n")[0]
    rows = re.findall(r"^( {0,2})(\S.*?)  +([+−–\d,]+)(?: [●◐○]| {2}).*$", table, re.M)
    return {
        name.split("  ")[0]: int(size.replace(",", "").replace("−", "-").replace("–", "0")) for _, name, size in rows
    }


def check_sums(page: ContextPage) -> None:
    rows = parts(render(page, Paper()))
    total, summed, residual = (rows.pop(name) for name in ("Prompt tokens", "Sum of parts", "Residual"))
    groups = [rows.pop(name, 0) for name in ("Prefix", "Conversation")]
    assert sum(rows.values()) == sum(groups) == summed
    assert summed + residual == total


def test_a_request_reads_as_it_should() -> None:
    hold(GOLDEN / "overview.txt", render(whole().store().page(), Paper(width=90)) + "\n")


def test_its_items_read_as_they_should() -> None:
    hold(GOLDEN / "detail.txt", render(whole().store().page(), Paper(width=90), whole=True) + "\n")


def test_the_lines_sum_to_the_total() -> None:
    check_sums(whole().store().page())


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=st.lists(st.integers(0, 4_000), min_size=1, max_size=6), total=st.integers(1, 50_000))
def test_the_lines_sum_to_the_total_of_any_request(db: None, sizes: list[int], total: int) -> None:
    scene = Scene(f"talk {sizes} {total}")
    kinds: list[ItemKind] = ["user", "assistant", "tool_result", "system", "reminder", "skill"]
    for size, kind in zip(sizes, kinds, strict=False):
        scene.append(kind, "word " * (size // 5), label=f"item {size}")
    check_sums(scene.ask(total).store().page())


def test_the_lines_sum_to_the_total_of_real_requests(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    asked = [run for run in Run.objects.select_related("conversation") if Request.objects.filter(run=run).exists()]
    assert len(asked) > 10
    for run in asked:
        check_sums(context_page(named(run.conversation.uid, run=run.uid)))


def test_a_request_without_a_total_has_no_residual() -> None:
    rows = parts(render(Scene().append("user", "Hello").ask(0).store().page(), Paper()))
    assert (rows["Prompt tokens"], rows["Residual"]) == (0, 0)
    assert rows["Sum of parts"] > 0


def test_a_request_of_which_nothing_is_known_is_told_of() -> None:
    text = render(Scene().ask(900).store().page(), Paper(), whole=True)
    assert "No part of this request is in the log" in text
    assert "this log names no tool" in text


def hostile() -> Scene:
    scene = Scene("talk" + HOSTILE, project=HOSTILE)
    scene.resident("read" + HOSTILE, server=HOSTILE).deferred("mcp__s__find" + HOSTILE)
    scene.append("context_file", "text", label=HOSTILE * 20, owner=HOSTILE).append("skill", "text", label=HOSTILE)
    scene.append("user", HOSTILE).ask(2_000).search(HOSTILE * 9, "mcp__s__find" + HOSTILE)
    return scene.ask(2_100, read=2_000, markers=scene.markers(HOSTILE))


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii"])
def test_text_of_a_log_never_reaches_the_terminal_as_it_is(encoding: str) -> None:
    text = render(hostile().store().page(), Paper(encoding=encoding), whole=True)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert text.encode(encoding)


@pytest.mark.parametrize("width", [20, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal_or_eighty(width: int) -> None:
    text = render(hostile().store().page(), Paper(width=width), whole=True)
    assert max(width_of(line) for line in text.splitlines()) <= max(width, 80)


def test_an_unknown_price_is_unpriced() -> None:
    page = Scene(model="someone-s-model").append("user", "Hello").ask(900).store().page()
    assert "Cost: unpriced, no price for this model" in render(page, Paper())


def test_colour_changes_no_letter() -> None:
    page = whole().store().page()
    coloured = render(page, Paper(colour=True), whole=True)
    assert "\x1b[1m" in coloured
    assert re.sub(r"\x1b\[\dm", "", coloured) == render(page, Paper(), whole=True)
