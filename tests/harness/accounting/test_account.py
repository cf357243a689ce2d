from __future__ import annotations

from decimal import Decimal
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from harness import tokens
from harness.accounting import Kind, Piece, account_of
from harness.accounting.categories import CATEGORIES

NEW = "claude-opus-5"
size = st.integers(0, 10**7)
pieces = st.lists(
    st.builds(
        Piece,
        kind=st.sampled_from(get_args(Kind)),
        label=st.text(max_size=3),
        owner=st.text(max_size=3),
        server=st.text(max_size=3),
        number=st.integers(1, 50),
        reported=st.none() | size,
        o200k=st.none() | size,
        chars=size,
        media_bytes=st.none() | size,
    ),
    max_size=30,
)
totals = st.integers(0, 10**8)
models = st.sampled_from([NEW, "claude-sonnet-4-5", "gpt-5.6", "unheard-of"])


@given(pieces, totals, models)
def test_parts_and_residual_are_the_total(given_pieces: list[Piece], total: int, model: str) -> None:
    account = account_of(given_pieces, total=total, model=model)
    assert account.residual is not None
    assert sum(each.count.tokens for each in account.categories) + account.residual == total


@given(pieces, models)
def test_rows_add_up_to_their_category_and_categories_to_the_parts(given_pieces: list[Piece], model: str) -> None:
    account = account_of(given_pieces, total=None, model=model)
    for category in account.categories:
        assert sum(row.count.tokens for row in category.rows) == category.count.tokens
    assert account.prefix + account.conversation == account.parts.tokens


@given(pieces, totals)
def test_the_likeliest_part_is_named_whenever_parts_exceed_the_total(given_pieces: list[Piece], total: int) -> None:
    account = account_of(given_pieces, total=total, model=NEW)
    assert (account.excess is not None) == (account.parts.tokens > total)


def test_without_a_total_there_is_no_residual() -> None:
    account = account_of([Piece(kind="user", o200k=100)], total=None, model=NEW)
    assert (account.residual, account.within_band, account.excess) == (None, None, None)


def test_the_residual_keeps_its_sign() -> None:
    assert account_of([Piece(kind="user", o200k=100)], total=100, model=NEW).residual == -57


def test_an_estimate_is_named_before_a_reported_part() -> None:
    said = Piece(kind="tool_result", label="Bash", reported=5_000)
    guessed = Piece(kind="context_file", label="NOTES.md", owner="project", chars=8_000)
    excess = account_of([said, guessed], total=6_000, model=NEW).excess
    assert excess is not None
    assert (excess.title, excess.label) == ("Context files", "NOTES.md")


def test_categories_stand_in_the_order_sent() -> None:
    account = account_of([Piece(kind=shape.kind, chars=10) for shape in reversed(CATEGORIES)], total=None, model=NEW)
    assert [each.shape for each in account.categories] == list(CATEGORIES)
    assert [each.shape.kind for each in account.categories][:4] == ["builtin_tool", "mcp_tool", "system", "index"]


def test_mcp_tools_are_rows_by_server() -> None:
    tools = [Piece(kind="mcp_tool", label=name, server=name[0], o200k=100) for name in ("a.x", "b.x", "a.y")]
    category = account_of(tools, total=None, model="gpt-5.6").category("mcp_tool")
    assert category is not None
    assert [(row.label, row.number, row.count.tokens) for row in category.rows] == [("a", 2, 200), ("b", 1, 100)]


def test_context_files_are_rows_by_file_and_owner() -> None:
    files = [Piece(kind="context_file", label="NOTES.md", owner=owner, o200k=10) for owner in ("project", "user")]
    category = account_of(files, total=None, model=NEW).category("context_file")
    assert category is not None
    assert [row.owner for row in category.rows] == ["project", "user"]


def test_a_record_of_the_log_counts_nothing() -> None:
    account = account_of([Piece(kind="record", o200k=9_000)], total=100, model=NEW)
    assert account.parts.tokens == 0
    assert account.categories == ()


def test_the_data_of_an_image_is_never_counted_as_text() -> None:
    account = account_of([Piece(kind="media", media_bytes=900_000, chars=1_200_000)], total=None, model=NEW)
    assert account.parts.tokens == 1_600


def test_hidden_text_is_said_and_not_counted() -> None:
    category = account_of([Piece(kind="thinking", hidden_chars=4_000)], total=None, model=NEW).category("thinking")
    assert category is not None
    assert (category.count.tokens, category.unknown, category.rows[0].hidden_chars) == (0, 1, 4_000)


def test_a_share_is_of_the_total_and_of_the_parts_where_there_is_none() -> None:
    user = [Piece(kind="user", reported=50)]
    assert account_of(user, total=200, model=NEW).share(50) == Decimal("0.25")
    assert account_of(user, total=None, model=NEW).share(50) == 1
    assert account_of([], total=0, model=NEW).share(0) is None


def test_a_record_of_thirty_deferred_schemas_is_not_part_of_a_request_of_eleven_thousand_tokens() -> None:
    resident = [Piece(kind="builtin_tool", label=f"Tool{number}", o200k=380) for number in range(15)]
    index = Piece(kind="index", number=30, o200k=240)
    record = [Piece(kind="record", label=f"mcp__tickets__{number}", o200k=700) for number in range(30)]
    account = account_of([*resident, index, *record], total=11_003, model=NEW)
    assert account.parts.tokens == 15 * tokens.measured(380, tokens.factor(NEW, "schema")).tokens + 377
    assert account.excess is None
    assert account.parts.tokens + (account.residual or 0) == 11_003


def test_each_of_several_calls_carries_its_frame() -> None:
    calls = Piece(kind="tool_call", number=3, o200k=100)
    assert account_of([calls], total=None, model="claude-opus-4-6").parts.tokens == 123 + 3 * 66
