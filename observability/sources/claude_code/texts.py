"""What a text in a user message is: the user's own words, or something that the client put there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from harness.runlog import Item, ItemKind
from observability.sources.claude_code import fields

REMINDER: Final = "<system-reminder>"
ANNOUNCEMENT: Final = "<available-deferred-tools>"
_ANNOUNCEMENT_END: Final = "</available-deferred-tools>"
_SKILL_DIRECTORY: Final = "Base directory for this skill: "
_COMMANDS: Final = ("<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-stderr>")
_CAVEATS: Final = ("<local-command-caveat>", "Caveat: The messages below")
_NOT_A_TITLE: Final = (
    *_COMMANDS,
    *_CAVEATS,
    "<bash-",
    "<task-notification>",
    "<teammate-message",
    "[Request interrupted",
    "[Image",
)
_CONTENTS: Final = "Contents of "
_AFTER_FILES: Final = ("\n# currentDate", "\n# gitStatus", "\n# userEmail", "\n      IMPORTANT: this context")
_OWNERS: Final = (
    ("not checked in", "local"),
    ("private project", "local"),
    ("checked into", "project"),
    ("global instructions", "user"),
    ("memory", "memory"),
    ("manag", "managed"),
    ("polic", "managed"),
)
_file_heading = re.compile(r"^Contents of ([^\n]{1,1000}?)(?: \(([^\n]{0,300})\))?:\n", re.MULTILINE)
MOST_TITLE: Final = 120


def item(kind: ItemKind, text: str, label: str | None = None, owner: str | None = None) -> Item:
    """An item whose text is known."""
    return Item(kind=kind, text=text, chars=len(text), label=label, owner=owner)


def classify(text: str, meta: bool, cwd: str) -> list[Item]:  # noqa: FBT001 - the line's own mark
    """The items of one text of a user message. `meta`: the line says that the client wrote it."""
    start = text[:64].lstrip()
    if start.startswith(ANNOUNCEMENT):
        return [item("index", text)]
    if start.startswith(REMINDER):
        return reminder(text)
    if start.startswith(_CAVEATS):
        return [item("reminder", text, "caveat")]
    if start.startswith(_SKILL_DIRECTORY) and meta:
        return [skill(text, cwd)]
    if meta:
        return [item("reminder", text, "added by the client")]
    if start.startswith(_COMMANDS):
        return [item("user", text, "command")]
    return [item("user", text)]


def reminder(text: str) -> list[Item]:
    """The items of a system reminder."""
    if ANNOUNCEMENT in text:
        return [item("index", text)]
    if _CONTENTS in text and ("# claudeMd" in text or "instructions" in text):
        return context_files(text)
    head = text[:400]
    if "skills are available" in head:
        return [item("skill_listing", text)]
    if "hook" in head and ("additional context" in head or "hook success" in head):
        return [hook(text, head)]
    return [item("reminder", text)]


def hook(text: str, name: str) -> Item:
    """What a hook added: part of the start where the hook runs at the start, else a reminder."""
    at_start = "SessionStart" in name
    return item("startup" if at_start else "reminder", text, "hook", "hook")


def skill(text: str, cwd: str) -> Item:
    """The body of a skill, named by its folder."""
    directory = text[:2000].lstrip().removeprefix(_SKILL_DIRECTORY).split("\n", 1)[0].strip()
    name = directory.rstrip("/").rsplit("/", 1)[-1]
    return item("skill", text, name or None, skill_owner(directory, cwd))


def skill_owner(directory: str, cwd: str) -> str:
    """Whose skill it is, by where it lies."""
    if "/plugins/" in directory:
        return "plugin"
    if cwd and directory.startswith(cwd.rstrip("/") + "/"):
        return "project"
    return "user"


def context_files(text: str) -> list[Item]:
    """One item for each instruction file in a text; what stands around them is start-up context."""
    headings = list(_file_heading.finditer(text))
    if not headings:
        return [item("startup", text, "context")]
    ends = [heading.start() for heading in headings[1:]] + [_end_of_files(text, headings[-1].end())]
    items = [
        item("context_file", text[h.start() : end], h[1], _owner(h[2] or ""))
        for h, end in zip(headings, ends, strict=True)
    ]
    for around in (text[: headings[0].start()], text[ends[-1] :]):
        if around.strip():
            items.append(item("startup", around, "context"))
    return items


def _end_of_files(text: str, start: int) -> int:
    found = [place for mark in _AFTER_FILES if (place := text.find(mark, start)) >= 0]
    return min(found, default=len(text))


def _owner(described: str) -> str | None:
    return next((owner for mark, owner in _OWNERS if mark in described), None)


def announced(text: str) -> Iterator[tuple[str, str]]:
    """(name, line) of each tool that an older announcement lists."""
    body = text.partition(ANNOUNCEMENT)[2].partition(_ANNOUNCEMENT_END)[0]
    for line in body.splitlines():
        name = listed_name(line)
        if 0 < len(name) <= fields.MOST_NAME:
            yield name, line.strip()


def listed_name(line: str) -> str:
    """The tool that a line of the index stands for: its first word, without a bullet or colon."""
    words = line.strip().removeprefix("- ").split(None, 1)
    return words[0].rstrip(":") if words else ""


def title(text: str) -> str:
    """A prompt cut to one short line; empty where it is not the user's own words."""
    start = text[:600].lstrip()
    if start.startswith(_NOT_A_TITLE):
        return ""
    return " ".join(start.split())[:MOST_TITLE]
