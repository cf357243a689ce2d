"""What each part of a transcript puts into the context, and whose it is."""

from __future__ import annotations

from typing import Any

import pytest

from harness.runlog import RunStarted
from tests.claude_code_lines import Log, claude_md, image, text
from tests.observability.sources.claude_code.reading import items, kinds, one, read


def summary_of(*records: dict[str, Any]) -> list[tuple[str, str | None, str | None]]:
    """(kind, label, owner) of each item."""
    return [(item.kind, item.label, item.owner) for item in items(read(*records))]


def test_a_prompt_is_the_users() -> None:
    (item,) = items(read(Log().user("hello\n")))
    assert (item.kind, item.text, item.chars) == ("user", "hello\n", 6)


def test_each_block_of_a_prompt_is_an_item() -> None:
    assert kinds(read(Log().user([text("a"), text("b")]))) == ["user", "user"]


def test_an_image_is_media_without_text() -> None:
    prompt, picture = items(read(Log().user([text("see"), image("QUJD")])))
    assert (picture.kind, picture.label, picture.media_bytes, picture.text) == ("media", "image/png", 3, None)
    assert prompt.kind == "user"


def test_an_image_given_by_address_has_no_size() -> None:
    block = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    (item,) = items(read(Log().user([block])))
    assert (item.kind, item.media_bytes) == ("media", 0)


def test_a_system_reminder_is_a_reminder() -> None:
    assert kinds(read(Log().meta("<system-reminder>\nThe todo list is empty.\n</system-reminder>"))) == ["reminder"]


def test_other_text_of_the_client_is_a_reminder() -> None:
    assert kinds(read(Log().meta("Continue from where you left off."))) == ["reminder"]


def test_a_hook_in_the_middle_is_a_reminder_and_one_at_the_start_is_startup() -> None:
    log = Log()
    middle = "<system-reminder>\nPostToolUse:Write hook additional context: lint\n</system-reminder>"
    start = "<system-reminder>\nSessionStart:startup hook success: ready\n</system-reminder>"
    assert summary_of(log.meta(middle), log.meta(start)) == [("reminder", "hook", "hook"), ("startup", "hook", "hook")]


def test_commands_and_their_output_are_the_users_but_no_title() -> None:
    found = read(Log().user("<command-name>/mcp</command-name>"))
    assert [item.label for item in items(found)] == ["command"]
    assert one(found, RunStarted).title is None


def test_a_command_in_a_system_line_is_the_users() -> None:
    record = Log().record("system", subtype="local_command", content="<command-name>/mcp</command-name>")
    assert summary_of(record) == [("user", "command", None)]


def test_instruction_files_are_one_item_each_with_their_owner() -> None:
    body = claude_md(
        ("/home/dev/.claude/CLAUDE.md", "user's private global instructions for all projects", "Be kind."),
        ("/home/dev/shop/CLAUDE.md", "project instructions, checked into the codebase", "Use tabs."),
        ("/home/dev/shop/CLAUDE.local.md", "user's private project instructions, not checked in", "Mine."),
    )
    assert summary_of(Log().meta(body)) == [
        ("context_file", "/home/dev/.claude/CLAUDE.md", "user"),
        ("context_file", "/home/dev/shop/CLAUDE.md", "project"),
        ("context_file", "/home/dev/shop/CLAUDE.local.md", "local"),
        ("startup", "context", None),
        ("startup", "context", None),
    ]


def test_no_character_of_instruction_files_is_lost_or_counted_twice() -> None:
    body = claude_md(("/a/CLAUDE.md", "project instructions, checked into the codebase", "Contents of it all:\nx"))
    assert sum(item.chars for item in items(read(Log().meta(body)))) == len(body)


def test_instructions_of_newer_versions_are_read_as_rendered() -> None:
    body = claude_md(("/a/CLAUDE.md", "project instructions, checked into the codebase", "Use tabs."))
    assert summary_of(Log().attachment("instructions", rendered=body))[0] == ("context_file", "/a/CLAUDE.md", "project")


def test_an_instruction_file_of_a_folder_that_was_entered_is_a_context_file() -> None:
    inner = {"path": "/a/b/CLAUDE.md", "type": "Project", "content": "Use spaces."}
    record = Log().attachment("nested_memory", path="/a/b/CLAUDE.md", content=inner)
    assert summary_of(record) == [("context_file", "/a/b/CLAUDE.md", "project")]


@pytest.mark.parametrize(
    ("directory", "owner"),
    [
        ("/home/dev/.claude/skills/review", "user"),
        ("/home/dev/shop/.claude/skills/review", "project"),
        ("/home/dev/.claude/plugins/cache/pack/1.0/skills/review", "plugin"),
    ],
)
def test_a_skills_body_has_its_name_and_owner(directory: str, owner: str) -> None:
    record = Log().meta([text(f"Base directory for this skill: {directory}\n\n# Review")])
    assert summary_of(record) == [("skill", "review", owner)]


@pytest.mark.parametrize(
    ("kind", "keys", "expected"),
    [
        ("skill_listing", {"content": "- review: reviews", "skillCount": 1}, "skill_listing"),
        ("agent_listing_delta", {"addedLines": ["- Explore: looks"], "addedTypes": ["Explore"]}, "startup"),
        ("mcp_instructions_delta", {"addedNames": ["docs"], "addedBlocks": ["## docs"]}, "startup"),
        ("environment", {"snapshot": {"platform": "linux", "isGitRepo": True}}, "startup"),
        ("date", {"date": "2026-11-02"}, "startup"),
        ("session_context", {"context": {"gitStatus": "clean"}}, "startup"),
        ("total_tokens_reminder", {"text": "1000 tokens left"}, "reminder"),
        ("hook_additional_context", {"content": ["lint"], "hookName": "PostToolUse:Write"}, "reminder"),
        ("hook_success", {"content": "ready", "hookName": "SessionStart:startup"}, "startup"),
        ("queued_command", {"prompt": "and then push"}, "user"),
    ],
)
def test_an_attachment_that_reaches_the_model_is_an_item(kind: str, keys: dict[str, Any], expected: str) -> None:
    log = Log()
    found = read(log.attachment(kind, **keys), log.attachment(kind, rendered="as sent", **keys))
    plain, rendered = items(found)
    assert plain.kind == rendered.kind == expected
    assert plain.text
    assert rendered.text == "as sent"
    assert not found.unknown


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("credential_org", {"organizationUuid": "x"}),
        ("remote_session_change", {"url": None, "commit": "abc"}),
        ("hook_success", {"content": "", "stdout": "ok", "hookName": "Stop"}),
        ("hook_system_message", {"content": "shown to people", "hookName": "Stop"}),
        ("task_reminder", {"content": [], "itemCount": 0}),
    ],
)
def test_bookkeeping_is_known_and_is_no_item(kind: str, keys: dict[str, Any]) -> None:
    found = read(Log().attachment(kind, **keys))
    assert not found.events
    assert not found.unknown


def test_the_model_attachment_names_the_model_with_its_context_size() -> None:
    found = read(Log().attachment("model", identity={"modelId": "claude-opus-5-5[1m]"}, text="You are Opus."))
    assert one(found, RunStarted).model == "claude-opus-5-5[1m]"
    assert kinds(found) == ["startup"]


def test_an_unknown_attachment_is_counted_and_its_rendered_text_kept() -> None:
    found = read(Log().attachment("weather", rendered="It rains."))
    assert found.unknown == {("attachment", "weather"): 1}
    assert [(item.kind, item.label, item.text) for item in items(found)] == [("reminder", "weather", "It rains.")]


def test_text_that_only_people_see_is_no_item() -> None:
    assert items(read(Log().user("shown", isVisibleInTranscriptOnly=True))) == []
