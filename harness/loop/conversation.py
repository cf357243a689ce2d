"""A whole conversation: a main run with its sub-agents, from settings, tools and a provider."""

from __future__ import annotations

import uuid
from collections.abc import Collection

import msgspec

from harness.catalogue.own import BRIDGE, DISCOVERY
from harness.loop.agent import Agent, Result, Shared
from harness.loop.approval import Approval, Nobody, Person, Rule
from harness.loop.clock import Clock, real
from harness.loop.history import History
from harness.loop.late import Late, failures_of
from harness.loop.recording import Recorder
from harness.loop.settings import Settings
from harness.loop.sinks import Sink
from harness.loop.tally import Tally
from harness.loop.toolbox import Toolset
from harness.loop.watching import Watcher
from harness.providers.base import Provider
from harness.request import default_strategy
from harness.surface import Surface, resolve


class Permissions(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has and may do: tools that it has not at all, rules that need no asking, or everything."""

    denied: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    everything: bool = False


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """How a conversation went."""

    result: Result
    tally: Tally


def surface_of(
    settings: Settings, toolset: Toolset, provider: str, *, deferral: bool = True, denied: Collection[str] = ()
) -> Surface:
    """The surface of a run. What calls a deferred tool depends on how its schema is sent."""
    strategy = settings.strategy or default_strategy(provider, settings.model)
    return resolve(
        toolset.catalogue,
        mode=settings.mode,
        deferral=deferral,
        denied=denied,
        discovery=BRIDGE if strategy == "bridge" else DISCOVERY,
    )


async def converse(
    task: str,
    *,
    settings: Settings,
    surface: Surface,
    toolset: Toolset,
    provider: Provider,
    sink: Sink,
    person: Person | None = None,
    permissions: Permissions | None = None,
    clock: Clock = real,
    watcher: Watcher | None = None,
    history: History | None = None,
    name: str | None = None,
) -> Held:
    """Do a task, and write the run log as it goes. `name` is that of the conversation and of its main run.

    Tools that come while it runs join it where the mode and `permissions` let them.
    """
    allowed = permissions or Permissions()
    shared = Shared(
        settings=settings,
        surface=surface,
        tools=toolset.box,
        approval=Approval(person or Nobody(), rules=allowed.rules, everything=allowed.everything),
        sink=sink,
        clock=clock,
        watcher=watcher,
        failed_servers=failures_of(toolset),
        pending_servers=toolset.pending,
        problems=tuple(map(str, toolset.catalogue.problems)),
        late=Late(toolset.more, denied=allowed.denied),
    )
    agent = Agent(shared, provider, _recorder(shared, history, name), history=history)
    return Held(result=await agent.run(task), tally=shared.tally)


def joined(first: Toolset, second: Toolset) -> Toolset:
    """Both as one. Of two tools of one name the first stays. What comes late is the second's, or else the first's."""
    return Toolset(
        catalogue=first.catalogue | second.catalogue,
        box=first.box | second.box,
        failed=(*first.failed, *second.failed),
        pending=(*first.pending, *second.pending),
        more=second.more or first.more,
    )


def _recorder(shared: Shared, history: History | None, name: str | None) -> Recorder:
    """The log of the main run. A resumed one goes on where its log ends."""
    new = name or uuid.uuid4().hex
    return Recorder(
        shared.sink,
        conversation=history.conversation if history else new,
        run=history.run if history else new,
        clock=shared.clock,
        project=shared.settings.project,
        part=history.part if history else 1,
        seq=history.seq if history else 0,
    )
