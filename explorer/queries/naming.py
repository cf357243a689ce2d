"""Which request a person means: a conversation by its uid or the beginning of one, a run, a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from django.db.models import F

from explorer.queries.moment import Moment, conversation_of, moment
from observability.errors import ObservabilityError
from observability.models import Conversation, Request, Run

LAST: Final = "last"
CANDIDATES: Final = 5
"""How many of the names that would do are told of."""


class NoSuchRequest(ObservabilityError):
    """A name that leads to no request, or to several. The message is a sentence that says what there is."""


def named(conversation: str, *, run: str = "", ordinal: int | None = None) -> Moment:
    """The request that is meant; without a number the last one. Raises NoSuchRequest.

    `conversation` is a uid, a beginning that only one has, or "last" for the most recent with a request.
    `run` is a uid in it or a beginning of one; without it the main run.
    """
    uid = _conversation(conversation)
    run_uid = _run(uid, run) if run else ""
    try:
        found = moment(uid, run_uid=run_uid, ordinal=ordinal)
    except Run.DoesNotExist as error:
        raise NoSuchRequest(f"{uid} has no run.") from error
    except (Request.DoesNotExist, OverflowError) as error:
        raise NoSuchRequest(_requests(uid, run_uid, ordinal)) from error
    if found is None:
        raise NoSuchRequest(_no_request(uid, run_uid))
    return found


def _conversation(name: str) -> str:
    rows = Conversation.objects.order_by(F("last_at").desc(nulls_last=True), "id")
    if name == LAST:
        latest = rows.filter(requests__gt=0).values_list("uid", flat=True).first()
        if latest is None:
            raise NoSuchRequest("There is no conversation with a request. Import some: manage.py import_logs")
        return latest
    if not name or "\0" in name:
        raise NoSuchRequest("A conversation is named by its uid, by the beginning of one, or as “last”.")
    if rows.filter(uid=name).exists():
        return name
    uids = list(dict.fromkeys(rows.filter(uid__istartswith=name).values_list("uid", flat=True)))
    if not uids:
        recent = list(rows.values_list("uid", flat=True)[:CANDIDATES])
        raise NoSuchRequest(
            f"No conversation is named {name}. {_listed('The latest:', recent, 'There is none at all.')}"
        )
    return _only(uids, f"{name} begins the names of {len(uids)} conversations:")


def _run(uid: str, name: str) -> str:
    uids = [run.uid for run in _runs(uid)]
    if name in uids:
        return name
    beginning = [each for each in uids if each.startswith(name)]
    if not beginning:
        raise NoSuchRequest(f"{uid} has no run {name}. {_listed('Its runs:', uids, 'It has none.')}")
    return _only(beginning, f"{name} begins the names of {len(beginning)} runs:")


def _only(names: Sequence[str], words: str) -> str:
    if len(names) > 1:
        raise NoSuchRequest(_listed(words, names))
    return names[0]


def _listed(words: str, names: Sequence[str], none: str = "") -> str:
    if not names:
        return none
    rest = len(names) - CANDIDATES
    more = f" and {rest} more" if rest > 0 else ""
    return f"{words} {', '.join(names[:CANDIDATES])}{more}."


def _runs(uid: str) -> Iterable[Run]:
    return Run.objects.filter(conversation=conversation_of(uid)).order_by("started_at", "uid")


def _requests(uid: str, run_uid: str, ordinal: int | None) -> str:
    last = moment(uid, run_uid=run_uid)
    if last is None:
        return _no_request(uid, run_uid)
    return f"There is no request {ordinal} in run {last.run.uid} of {uid}: it has 1 to {last.requests}."


def _no_request(uid: str, run_uid: str) -> str:
    asked = Request.objects.filter(conversation=conversation_of(uid)).values_list("run__uid", flat=True).distinct()
    others = sorted(set(asked) - {run_uid})
    which = f"Run {run_uid}" if run_uid else "The main run"
    return (
        f"{which} of {uid} has no request of its own. {_listed('Runs with requests:', others, 'No other run has one.')}"
    )
