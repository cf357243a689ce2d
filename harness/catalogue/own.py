"""The harness's own tools, as data: names, descriptions, schemas and how far each reaches.

Descriptions are sent with every request, so each says what a model must know and no more. What
a tool does is in `harness.builtin`; a test holds the two together.
"""

from __future__ import annotations

from typing import Any, Final

from harness.catalogue.catalogue import Catalogue
from harness.tiers import ANNOTATION, Tier
from harness.tools import ToolSpec

Schema = dict[str, Any]


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _whole(description: str, **more: Any) -> Schema:
    return {"type": "integer", "description": description, **more}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _list(description: str, items: Schema) -> Schema:
    return {"type": "array", "description": description, "items": items}


def _object(required: str, /, **properties: Schema) -> Schema:
    """A schema whose required fields are those named, apart by spaces. Nothing else is taken."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required.split()} if required else schema


def _tool(name: str, tier: Tier, group: str, description: str, required: str = "", /, **properties: Schema) -> ToolSpec:
    return ToolSpec(
        name=name,
        description=description,
        input_schema=_object(required, **properties),
        group=group,
        annotations={ANNOTATION: tier},
    )


_PATH: Final = "Path, relative to the working folder"
_STATUS: Final = _text("State of the task", enum=["pending", "in_progress", "done", "dropped"])
_EDIT: Final = {
    "old": _text("Text to replace, exactly as in the file"),
    "new": _text("Text to put in its place"),
    "all": _flag("Replace every occurrence; without it, old must occur once"),
}

SEARCH_TOOLS: Final = _tool(
    "search_tools",
    "free",
    "Tools",
    "Find tools for a task and load them. Describe the task in plain words, such as 'assign a ticket to someone'."
    " The matches are loaded with their schemas and can be called in the next turn. If nothing fits, use other words"
    " or a higher limit before you conclude that there is no such tool.",
    "query",
    query=_text("What you want to do"),
    limit=_whole("Most tools to load, 5 if left out", minimum=1, maximum=25),
)
CALL_TOOL: Final = _tool(
    "call_tool",
    "free",
    "Tools",
    "Call a tool that search_tools found or the index names. The arguments must fit the schema that search_tools"
    " showed. A tool that you have the schema of among your tools is called directly instead.",
    "name arguments",
    name=_text("Name of the tool"),
    arguments={"type": "object", "description": "Its arguments, by name"},
)
DISCOVERY: Final = (SEARCH_TOOLS,)
"""What reaches deferred tools where a loaded schema can be sent. `resolve` adds them where something is deferred."""
BRIDGE: Final = (SEARCH_TOOLS, CALL_TOOL)
"""The same for the load strategy `bridge`, which sends no schema later and calls through `call_tool`."""

_FILES: Final = (
    _tool(
        "read",
        "read",
        "Files",
        "Read a text file. Lines come with their numbers. A long file comes in parts: ask for the next with offset.",
        "path",
        path=_text(_PATH),
        offset=_whole("First line to read, from 1", minimum=1),
        limit=_whole("Most lines to read, 2000 if left out", minimum=1),
    ),
    _tool(
        "write",
        "write",
        "Files",
        "Write a whole file, with the folders above it. It replaces what is there: to change a part, use edit.",
        "path content",
        path=_text(_PATH),
        content=_text("The whole new content"),
    ),
    _tool(
        "edit",
        "write",
        "Files",
        "Replace a text in a file. Read the file first. Give enough of the text around it that old occurs once.",
        "path old new",
        path=_text(_PATH),
        **_EDIT,
    ),
    _tool(
        "edit_many",
        "write",
        "Files",
        "Make several replacements in one file, in order: all of them, or none if one does not fit.",
        "path edits",
        path=_text(_PATH),
        edits=_list("The replacements", _object("old new", **_EDIT)),
    ),
    _tool(
        "list_folder",
        "read",
        "Files",
        "List a folder: names, sizes in bytes, and which are folders.",
        path=_text(f"{_PATH}; that folder itself if left out"),
        depth=_whole("Levels of folders to go down, 1 if left out", minimum=1, maximum=5),
    ),
    _tool(
        "glob",
        "read",
        "Files",
        "Find files by a pattern of their path, such as src/**/*.py. The newest come first.",
        "pattern",
        pattern=_text("The pattern; ** stands for any folders"),
        path=_text("Folder to look in"),
    ),
    _tool(
        "search",
        "read",
        "Files",
        "Search the content of files by a regular expression. Use it rather than grep in bash.",
        "pattern",
        pattern=_text("Regular expression (Python)"),
        path=_text("File or folder to look in"),
        glob=_text("Only files that fit this pattern, such as *.py"),
        ignore_case=_flag("Take upper and lower case as the same"),
        context=_whole("Lines to show around each match", minimum=0, maximum=20),
        limit=_whole("Most matches to show, 100 if left out", minimum=1),
    ),
    _tool(
        "move",
        "write",
        "Files",
        "Move or rename a file or folder. It never replaces one that is there.",
        "source target",
        source=_text(_PATH),
        target=_text("Its new path"),
    ),
    _tool(
        "delete",
        "write",
        "Files",
        "Delete a file, or a folder with all that is in it.",
        "path",
        path=_text(_PATH),
        recursive=_flag("Delete a folder that is not empty"),
    ),
    _tool(
        "changes",
        "read",
        "Files",
        "Show what this run has changed in files so far, as a unified diff.",
        path=_text("Only this file or folder"),
    ),
)
_SHELL: Final = (
    _tool(
        "bash",
        "act",
        "Shell",
        "Run a command in bash, in the working folder, and wait for its end. Each command starts afresh: no variable"
        " or folder carries over. A server or another long command goes to the background.",
        "command",
        command=_text("The command"),
        timeout=_whole("Seconds after which it is stopped, 120 if left out", minimum=1, maximum=600),
        background=_flag("Do not wait; the answer is a job for bash_output and bash_stop"),
    ),
    _tool(
        "bash_output",
        "act",
        "Shell",
        "What a background job has printed since it was last asked for, and whether it has ended.",
        "job",
        job=_text("The job"),
        wait=_whole("Seconds to wait for its end or for new output", minimum=0, maximum=60),
    ),
    _tool("bash_stop", "act", "Shell", "Stop a background job and all that it started.", "job", job=_text("The job")),
)
_TASKS: Final = (
    _tool(
        "task_list",
        "free",
        "Tasks",
        "Write down the steps of a task that needs three or more, before you begin, or show them where tasks is left"
        " out. It replaces the whole list.",
        tasks=_list("The steps, in order", _object("title", title=_text("What is to be done"), status=_STATUS)),
    ),
    _tool(
        "task_update",
        "free",
        "Tasks",
        "Say that a step was begun, done or dropped, as soon as it is so. One step is in progress at a time.",
        "number status",
        number=_whole("Number of the step, from 1", minimum=1),
        status=_STATUS,
        note=_text("What came out of it, where that matters later"),
    ),
)
_MEMORY: Final = (
    _tool(
        "memory_search",
        "read",
        "Memory and knowledge",
        "Search what earlier runs saved: decisions, conventions, facts about this project and its people.",
        "query",
        query=_text("Words to look for"),
        limit=_whole("Most entries to show, 5 if left out", minimum=1, maximum=50),
    ),
    _tool(
        "memory_save",
        "write",
        "Memory and knowledge",
        "Save something that later runs should know and could not find out easily. No secrets.",
        "text",
        text=_text("What to remember, understandable on its own"),
        tags=_list("Words to find it by", {"type": "string"}),
    ),
    _tool(
        "memory_forget",
        "write",
        "Memory and knowledge",
        "Remove an entry that is no longer true.",
        "id",
        id=_whole("Number of the entry, as memory_search shows it", minimum=1),
    ),
)
_OTHERS: Final = (
    _tool(
        "ask_user",
        "free",
        "People and agents",
        "Ask the user one question and wait for the answer, where you cannot go on well without it: a choice that is"
        " theirs, or a fact that only they know. Do not ask what you can find out.",
        "question",
        question=_text("The question"),
        options=_list("Answers to choose from, the one you advise first", {"type": "string"}),
    ),
    _tool(
        "spawn_agent",
        "free",
        "People and agents",
        "Give a task to a sub-agent, which has these tools and a context of its own, and get its result. Several in"
        " one turn work at the same time. It knows nothing of this conversation: the task must say all.",
        "task",
        task=_text("What it shall do, and what it shall report"),
        profile=_text("Kind of sub-agent, general if left out; explore changes nothing", enum=["general", "explore"]),
        title=_text("The task in three to five words"),
    ),
)
_EXITS: Final = (
    _tool(
        "finish",
        "free",
        "Result",
        "Hand over the result and end the run. Call it once all is done and checked, or cannot be done.",
        "summary",
        summary=_text("What was done and how it was checked, for the user"),
        outcome=_text("How it ended, 'done' if left out", enum=["done", "partly_done", "not_possible"]),
        open=_list("What is left to do", {"type": "string"}),
    ),
    _tool(
        "hand_over_plan",
        "free",
        "Result",
        "Hand over the plan and end the run. Call it once the plan could be carried out by someone who has only it.",
        "summary steps",
        summary=_text("What shall be reached, and how, in a few sentences"),
        steps=_list(
            "The steps, in order",
            _object(
                "title detail",
                title=_text("The step in a few words"),
                detail=_text("What to do, and how to check it"),
                files=_list("Paths it touches", {"type": "string"}),
            ),
        ),
        questions=_list("What the user has to decide first", {"type": "string"}),
    ),
    _tool(
        "hand_over_review",
        "free",
        "Result",
        "Hand over the review and end the run. Report only what you have verified in the code.",
        "verdict summary findings",
        verdict=_text("The verdict", enum=["approve", "comment", "request_changes"]),
        summary=_text("The review in a few sentences"),
        findings=_list(
            "What was found, the gravest first; may be empty",
            _object(
                "severity path problem",
                severity=_text("How grave it is", enum=["critical", "major", "minor"]),
                path=_text("File"),
                line=_whole("Line, from 1", minimum=1),
                problem=_text("What is wrong, and when it shows"),
                suggestion=_text("How to mend it"),
            ),
        ),
    ),
)

OWN: Final = Catalogue((*_FILES, *_SHELL, *_TASKS, *_MEMORY, *_OTHERS, *_EXITS))
"""All of the harness's own tools but those of discovery, which belong to deferral."""
