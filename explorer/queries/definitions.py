"""Where the definition of a tool comes from: this log, another one of the project, any other, a catalogue; or nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from observability.identity import CATALOGUES
from observability.models import Conversation, Run, SurfaceEntry, ToolDefinition

Where = Literal["run", "conversation", "project", "elsewhere", "catalogue"]
NEAR: Final = 50
"""How many of the project's latest conversations are looked through for the one that a definition comes from."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """A definition by its hash, and where it was found. `conversation` is known where it is one of the latest."""

    hash: bytes
    where: Where
    conversation: Conversation | None = None


def definitions(run: Run, known: Mapping[str, bytes | None]) -> dict[str, Definition]:
    """The definitions of tools by name. `known` has the names, and the hashes that this run's log has.

    A tool that neither a log nor a recorded catalogue defines is left out.
    """
    found = {name: Definition(hash=hash_, where="run") for name, hash_ in known.items() if hash_}
    missing = [name for name in known if name not in found]
    if missing:
        found |= _in_conversation(run, missing)
    missing = [name for name in known if name not in found]
    return found | _in_other_logs(run, missing) if missing else found


def _in_conversation(run: Run, names: list[str]) -> dict[str, Definition]:
    siblings = Run.objects.filter(conversation_id=run.conversation_id).exclude(pk=run.pk).values_list("id", flat=True)
    rows = SurfaceEntry.objects.filter(run_id__in=list(siblings), tool__in=names, definition__isnull=False)
    return {
        name: Definition(hash=bytes(hash_), where="conversation")
        for name, hash_ in rows.order_by("seq").values_list("tool", "definition")
        if hash_
    }


def _in_other_logs(run: Run, names: list[str]) -> dict[str, Definition]:
    """The latest definition of each name: one of the same project before any other log's, a catalogue's last."""
    rows = ToolDefinition.objects.filter(name__in=names).order_by("first_at", "id")
    found: dict[str, Definition] = {}
    for name, hash_, project in rows.values_list("name", "hash", "project_id"):
        where = _where(run, project)
        if name not in found or _FARNESS[where] <= _FARNESS[found[name].where]:
            found[name] = Definition(hash=bytes(hash_), where=where)
    origins = _origins(run, {each.hash for each in found.values() if each.where == "project"})
    return {
        name: Definition(hash=each.hash, where=each.where, conversation=origins.get(each.hash))
        for name, each in found.items()
    }


_FARNESS: Final[dict[Where, int]] = {"project": 0, "elsewhere": 1, "catalogue": 2}


def _where(run: Run, project: int) -> Where:
    if project == run.project_id:
        return "project"
    return "catalogue" if project == CATALOGUES else "elsewhere"


def _origins(run: Run, hashes: Iterable[bytes]) -> dict[bytes, Conversation]:
    near = Conversation.objects.filter(project_id=run.project_id).order_by("-last_at")[:NEAR]
    by_id = {each.id: each for each in near}
    runs = Run.objects.filter(conversation_id__in=list(by_id)).values_list("id", flat=True)
    rows = SurfaceEntry.objects.filter(run_id__in=list(runs), definition__in=list(hashes))
    return {
        bytes(hash_): by_id[conversation]
        for hash_, conversation in rows.values_list("definition", "conversation_id").distinct()
        if hash_ and conversation in by_id
    }
