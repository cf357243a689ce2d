"""Transcripts replayed through the simulator, request by request: predicted against reported.

A transcript has neither the tools nor the system prompt, so sizes come from the reports: each
request is pinned to its reported prompt. What is predicted is which prefix can be read, by the
blocks, the times, the lifetimes and the settings; its size is then that of the earlier request
that wrote it. The reported read of a request never enters its own prediction.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.simulator.transcripts import Run, Sent, runs_of
from harness.simulator import ANTHROPIC, Block, Outcome, Rules, Simulator, measured, prefix_of

Verdict = Literal["exact", "position", "explained", "unexplained", "start"]
PREFIX_GUESS = 16_000
"""Tokens taken for tools and system prompt until a report shows them."""
FRAME = 30
"""Tokens that may stand around a reply or a result, beside its text."""
HIDDEN = "a request that is not in the log had written the last reply"
ABORTED = "a request that was interrupted had written it; its size is counted"


@dataclass(frozen=True)
class Row:
    """One request: predicted, reported, and what is made of a difference."""

    file: str
    run: str
    line: int
    expected: int | None
    """Read + write of the request before it; None for the first of a run."""
    predicted: int
    reported: int
    written: int
    uncached: int
    verdict: Verdict
    reason: str
    lifetime_right: bool
    estimated_growth: int
    reported_growth: int

    @property
    def exception(self) -> bool:
        """Whether the read is not simply the read and write of the request before."""
        return self.expected is not None and self.reported != self.expected


def rows_of(path: Path, folder: Path, rules: Rules = ANTHROPIC) -> list[Row]:
    """Every request of a file."""
    name = str(path.relative_to(folder))
    return [row for run in runs_of(path) for row in _Replay(name, run, rules).rows()]


def _count(block: Block, model: str) -> int:
    return PREFIX_GUESS if block.tier == "system" else measured(block, model)


class _Replay:
    """One run through the simulator."""

    def __init__(self, file: str, run: Run, rules: Rules) -> None:
        self.file, self.run, self.rules = file, run, rules
        self.simulator = Simulator(rules, count=_count)
        self.before: Sent | None = None
        self.prefix_known = False
        self.aborted = False

    def rows(self) -> list[Row]:
        rows = []
        for sent in self.run.sent:
            if sent.aborted:
                self.simulator.warm(self._body(sent), at=sent.started_at)
                self.aborted = True
                continue
            rows.append(self._row(sent))
            self.before, self.aborted = sent, False
        return rows

    def _body(self, sent: Sent) -> dict[str, Any]:
        """With the client's markers: the system prompt, the end of the last reply, the end of all."""
        ttl = "1h" if (self.before or sent).hour else "5m"
        marker = {"type": "ephemeral", "ttl": ttl}
        text = f"tools and system prompt {sent.surface}"
        messages = [{**message, "content": list(message["content"])} for message in sent.messages if message["content"]]
        replies = [number for number, message in enumerate(messages) if message["role"] == "assistant"]
        for number in {*replies[-1:], len(messages) - 1} if messages else ():
            last = messages[number]["content"][-1]
            if last.get("type") not in ("thinking", "redacted_thinking") and last.get("text") != "":
                messages[number]["content"][-1] = {**last, "cache_control": marker}
        return {
            "model": sent.model,
            "thinking": {"type": "enabled" if sent.thinks else "disabled"},
            "system": [{"type": "text", "text": text, "cache_control": marker}],
            "messages": messages,
        }

    def _row(self, sent: Sent) -> Row:
        body = self._body(sent)
        if self.before is None and sent.read:
            self._learn(body, sent.read)
        outcome = self.simulator.send(
            body, at=sent.started_at, first_event_at=sent.first_event_at, prompt=sent.prompt, tail=sent.uncached
        )
        verdict, reason = self._verdict(sent, outcome)
        if outcome.hit and outcome.hit.block.startswith("system") and sent.read:
            self._learn(body, sent.read)
            self.prefix_known = True
        before = self.before
        return Row(
            file=self.file,
            run=self.run.name,
            line=sent.line,
            expected=before.read + before.written if before else None,
            predicted=outcome.read,
            reported=sent.read,
            written=sent.written,
            uncached=sent.uncached,
            verdict=verdict,
            reason=reason,
            lifetime_right=sent.hour == (sent.written if before and before.hour else 0),
            estimated_growth=self._growth(sent, body),
            reported_growth=sent.prompt - before.prompt if before else 0,
        )

    def _learn(self, body: dict[str, Any], tokens: int) -> None:
        """Take a reported size for the tools and the system prompt from now on."""
        block = prefix_of(body, self.rules).blocks[0]
        self.simulator.pin(body["model"], block.key, tokens)

    def _growth(self, sent: Sent, body: dict[str, Any]) -> int:
        """What was added since the request before, by its text alone."""
        if self.before is None or sent.facts & {"compaction", "clear", "resume", "missing"}:
            return 0
        blocks = prefix_of({**body, "messages": sent.messages[len(self.before.messages) :]}, ANTHROPIC).blocks
        return sum(measured(block, sent.model) for block in blocks if block.tier == "messages")

    def _verdict(self, sent: Sent, outcome: Outcome) -> tuple[Verdict, str]:
        if self.before is None:
            return "start", "cold" if not sent.read else "something before the log had written it"
        why = self._why(sent, outcome)
        if outcome.read == sent.read:
            return "exact", why
        if outcome.hit and outcome.hit.block.startswith("system") and self._may_be_prefix(sent):
            return "position", f"{why}; read up to the system prompt, whose size this report shows first"
        return self._after(sent, outcome)

    def _may_be_prefix(self, sent: Sent) -> bool:
        """Whether the read may be tools and system prompt: unknown so far, and part of every prompt of the run."""
        least = min(each.prompt for each in self.run.sent if not each.aborted)
        return not self.prefix_known and "missing" not in sent.facts and 0 < sent.read < least

    def _why(self, sent: Sent, outcome: Outcome) -> str:
        """Why a prediction is not the read and write of the request before."""
        for fact, reason in (
            ("compaction", "compaction"),
            ("clear", "conversation cleared"),
            ("resume", "resumed: history sent in other bytes"),
        ):
            if fact in sent.facts and outcome.read:
                return reason
        if outcome.missed and outcome.missed[0].why == "expired":
            return f"lifetime: {outcome.missed[0].detail}"
        return self._settings(sent, outcome)

    def _settings(self, sent: Sent, outcome: Outcome) -> str:
        if self.before is None or self.before.thinks == sent.thinks:
            return ""
        lookback = [each.detail for each in outcome.missed if each.why == "lookback"]
        return "; ".join(["thinking switched " + ("on" if sent.thinks else "off"), *lookback])

    def _after(self, sent: Sent, outcome: Outcome) -> tuple[Verdict, str]:
        """A reason for what was not predicted, with its check."""
        more = sent.read - outcome.read
        if "missing" in sent.facts:
            return "explained", "lines are missing from the file"
        if "tools" in sent.facts:
            return "explained", "tools changed (a server was reconnected); another run had written that prefix"
        if self.aborted and self.before is not None:
            added = _blocks(sent.messages[len(self.before.messages) :])
            return _checked("position", more, self._tokens(added, sent), ABORTED)
        switched = self._settings(sent, outcome)
        reason = f"{switched}; and {HIDDEN}" if switched else HIDDEN
        return _checked("explained", more, self._tokens(self._reply_after(outcome), sent), reason)

    def _reply_after(self, outcome: Outcome) -> list[dict[str, Any]]:
        """The reply to the request whose end was read."""
        ends = {each.read + each.written: each for each in self.run.sent if not each.aborted}
        return ends[outcome.read].reply if outcome.read in ends else []

    def _tokens(self, blocks: list[dict[str, Any]], sent: Sent) -> int:
        """Counted from their text, thinking included: the models of these logs keep it."""
        message = {"role": "assistant", "content": blocks}
        body = {"model": sent.model, "thinking": {"type": "enabled"}, "messages": [message]}
        return sum(measured(block, sent.model) for block in prefix_of(body, ANTHROPIC).blocks)


def _checked(verdict: Verdict, more: int, counted: int, reason: str) -> tuple[Verdict, str]:
    """The reason, if the text is as long as it says: within 12 % and what may stand around it."""
    if verdict == "position":
        return (verdict if abs(more) <= FRAME else "unexplained"), f"{reason}; {more:+} against its text"
    if more > 0 and abs(more - counted) <= counted * 12 // 100 + FRAME:
        return verdict, f"{reason}: {more} tokens more; its text is {counted}"
    return "unexplained", f"{more:+} against the prediction; the last reply is {counted}"


def _blocks(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [block for message in messages for block in message["content"]]
