"""A provider that follows a script and reports the usage that its cache's rules give, or the script's own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from harness import errors, tokens, wire
from harness.errors import ProviderError, RefusedRequest
from harness.providers.base import Began, Calling, ProviderEvent, Reply, Said, Thought, arguments_of
from harness.providers.script import Error, Script, Turn
from harness.request import Request
from harness.request.messages import blocks_of
from harness.runlog import CacheDiagnosis, Convention
from harness.simulator import Outcome, Simulator, rules_for

_ERRORS: Final[Mapping[str, type[ProviderError]]] = {
    "refused": errors.Refused,
    "not_admitted": errors.NotAdmitted,
    "overloaded": errors.Overloaded,
    "faulty": errors.Faulty,
    "unreachable": errors.Unreachable,
    "cut": errors.CutStream,
}


class Scripted:
    """Answers by a script. Sub-agents have turns of their own and share its cache.

    `name` chooses the cache's rules and the form of the usage. `clock` tells the time of a request.
    """

    def __init__(
        self,
        script: Script,
        *,
        name: str = "anthropic",
        clock: Callable[[], datetime] | None = None,
        simulator: Simulator | None = None,
        turns: tuple[Turn, ...] | None = None,
        prefix: str = "",
    ) -> None:
        self.name = name
        self.simulators: dict[str, Simulator] = {}
        self._given = simulator
        self._script, self._clock, self._prefix = script, clock or (lambda: datetime.now(UTC)), prefix
        self._turns = script.turns if turns is None else turns
        self._done = 0
        self._children = 0
        self._earlier = 0
        """Turns of this script that a resumed run had before: its calls keep their names."""
        self._left = 0
        """Tokens that this run's last request left in the cache."""

    def child(self, profile: str, task: str) -> Scripted:
        """The script's turns for this sub-agent, on the same cache."""
        self._children += 1
        child = Scripted(
            self._script,
            name=self.name,
            clock=self._clock,
            simulator=self._given,
            turns=self._script.of_agent(profile, task),
            prefix=f"{self._prefix}{self._children}.",
        )
        child.simulators = self.simulators
        return child

    async def close(self) -> None:
        """There is nothing to let go of."""

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """Follow the next turn. Raises the error that it names."""
        turn = self._next()
        if self._done == 1:
            self._earlier = _earlier(request.body, self._prefix)
        if turn.error is not None and turn.error.kind != "cut":
            await asyncio.sleep(turn.first_event_after)
            raise _fault(turn.error, None)
        usage, diagnosis = self._usage(turn, request.body)
        await asyncio.sleep(turn.first_event_after)
        yield Began()
        for event in self._events(turn):
            yield event
        if turn.error is not None:
            raise _fault(turn.error, usage)
        await asyncio.sleep(turn.takes)
        yield msgspec.structs.replace(self._reply(turn, usage, request.body["model"]), diagnosis=diagnosis)

    def _next(self) -> Turn:
        if self._done >= len(self._turns):
            raise errors.Refused(f"the script has {len(self._turns)} turns for this run, and it asks for one more")
        self._done += 1
        return self._turns[self._done - 1]

    def _events(self, turn: Turn) -> Iterator[ProviderEvent]:
        if turn.thinking:
            yield Thought(text=turn.thinking)
        if turn.text:
            yield Said(text=turn.text)
        for number, call in enumerate(turn.calls, 1):
            yield Calling(call=self._call(call.id, number), name=call.tool)

    def _call(self, given: str | None, number: int) -> str:
        return given or f"call_{self._prefix}{self._earlier + self._done}_{number}"

    def _reply(self, turn: Turn, usage: dict[str, Any], model: str) -> Reply:
        content: list[dict[str, Any]] = []
        unreadable: dict[str, str] = {}
        if turn.thinking:
            content.append({"type": "thinking", "thinking": turn.thinking, "signature": "scripted"})
        if turn.text:
            content.append({"type": "text", "text": turn.text})
        for number, call in enumerate(turn.calls, 1):
            name = self._call(call.id, number)
            given = arguments_of(call.arguments) if isinstance(call.arguments, str) else call.arguments
            if given is None:
                unreadable[name] = str(call.arguments)
            content.append({"type": "tool_use", "id": name, "name": call.tool, "input": given or {}})
        return Reply(
            content=content,
            usage=usage,
            convention=self.convention,
            stop_reason=turn.stop_reason or ("tool_use" if turn.calls else "end_turn"),
            model=model,
            unreadable=unreadable,
        )

    @property
    def convention(self) -> Convention:
        """How its usage counts the input."""
        return "exclusive" if self.name == "anthropic" else "inclusive"

    def _usage(self, turn: Turn, body: Mapping[str, Any]) -> tuple[dict[str, Any], CacheDiagnosis | None]:
        """The script's usage, or the simulator's and its reason for what was missed.

        The simulator sees every request, so that its cache is right.
        """
        now = self._clock()
        try:
            outcome = self._simulator(body["model"]).send(
                body, at=now, first_event_at=now + timedelta(seconds=turn.first_event_after)
            )
        except RefusedRequest as error:
            raise errors.Refused(str(error)) from error
        before, self._left = self._left, outcome.read + outcome.written
        if turn.usage is not None:
            return turn.usage, None
        output = turn.output_tokens if turn.output_tokens is not None else _output(turn, body["model"])
        return usage_of(outcome, output, self.convention), self._diagnosis(outcome, before)

    def _diagnosis(self, outcome: Outcome, before: int) -> CacheDiagnosis | None:
        """Why less was read than the request before had left, as Anthropic says it where the request itself is the reason."""
        missed, difference = before - outcome.read, outcome.difference
        if self.convention == "inclusive" or difference is None or missed <= 0:
            return None
        changed = "model" if difference.change == "model" else difference.tier
        return CacheDiagnosis(reason=f"{changed}_changed", missed_tokens=missed)

    def _simulator(self, model: str) -> Simulator:
        if self._given is not None:
            return self._given
        rules = rules_for(self.name, model)
        return self.simulators.setdefault(rules.name, Simulator(rules))


def usage_of(outcome: Outcome, output: int, convention: Convention) -> dict[str, Any]:
    """A simulated outcome as the provider would report it: in Anthropic's form, or that of OpenAI's Responses."""
    if convention == "inclusive":
        return {
            "input_tokens": outcome.prompt,
            "input_tokens_details": {"cached_tokens": outcome.read, "cache_write_tokens": outcome.written},
            "output_tokens": output,
        }
    return {
        "input_tokens": outcome.uncached,
        "cache_read_input_tokens": outcome.read,
        "cache_creation_input_tokens": outcome.written,
        "cache_creation": {
            "ephemeral_5m_input_tokens": outcome.write_5m,
            "ephemeral_1h_input_tokens": outcome.write_1h,
        },
        "output_tokens": output,
    }


def _earlier(body: Mapping[str, Any], prefix: str) -> int:
    """The number of the last turn whose calls a body holds."""
    name = re.compile(rf"call_{re.escape(prefix)}(\d+)_\d+")
    calls = (str(call.get("id")) for message in body["messages"] for call in blocks_of(message, "tool_use"))
    return max((int(found[1]) for found in map(name.fullmatch, calls) if found), default=0)


def _output(turn: Turn, model: str) -> int:
    calls = [
        call.arguments if isinstance(call.arguments, str) else wire.dumps(call.arguments).decode()
        for call in turn.calls
    ]
    texts = [turn.thinking, turn.text, *calls]
    return sum(tokens.measured(tokens.count(text), tokens.factor(model, "text")).tokens for text in texts if text)


def _fault(error: Error, usage: dict[str, Any] | None) -> ProviderError:
    return _ERRORS[error.kind](error.message, wait=error.wait, usage=usage)
