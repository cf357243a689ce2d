"""`python -m benchmarks.growth FOLDER`: how well growth between requests is predicted on real logs.

Imports the logs of a folder into a database of its own, fits the factors, and prints the error of
fits that saw nothing of the run they are tried on, the error of the factors in use, and the
residual of each run's first request.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command


def measure(folder: Path) -> dict[str, Any]:
    """All figures."""
    from explorer.queries.composition import compose  # noqa: PLC0415 - models need the settings of main()
    from explorer.queries.observations import observations  # noqa: PLC0415
    from harness import tokens  # noqa: PLC0415
    from harness.accounting.fit import Fitted, fit, held_out  # noqa: PLC0415
    from observability.models import Request, Run  # noqa: PLC0415

    call_command("import_logs", str(folder), verbosity=0)
    every, firsts = [], []
    drifts: list[float] = []
    for run in Run.objects.order_by("id"):
        first = Request.objects.filter(conversation_id=run.conversation_id, run=run).order_by("seq").first()
        if first is None:
            continue
        account = compose(run, first).account
        firsts.append({"kind": run.kind, "model": first.model, "total": account.total, "residual": account.residual})
        if tokens.family(first.model) == "claude-3":
            every += observations(run)
            drifts += drift(run)
    used = Fitted(
        text=tokens.factor("claude-opus-4-5", "text").percent / 100,
        call=tokens.factor("claude-opus-4-5", "call").percent / 100,
        frame=sum(frame.tokens for frame in tokens.FRAMES.values()),
    )
    found = fit(every)
    return {
        "growths": len(every),
        "runs": len({each.group for each in every}),
        "fitted": {"text": round(found.text, 3), "call": round(found.call, 3), "frame": round(found.frame, 1)},
        "held_out": _errors(held_out(every)),
        "in_use": _errors([used.error(each) for each in every]),
        "in_use_from_500_tokens": _errors([used.error(each) for each in every if each.reported >= 500]),
        "by_run": [
            _errors([used.error(each) for each in every if each.group == group])
            for group in sorted({each.group for each in every})
        ],
        "drift": _errors(drifts),
        "first_requests": firsts,
    }


def drift(run: Any) -> list[float]:
    """How far residuals move from that of the run's first request, as a part of the total.

    The first residual stands for what no log of these versions holds: the system prompt and the tools. It should
    not change until the context is rewritten or shrinks.
    """
    from explorer.queries.composition import compose  # noqa: PLC0415
    from observability.models import Request  # noqa: PLC0415

    found: list[float] = []
    first, total = None, 0
    for request in Request.objects.filter(conversation_id=run.conversation_id, run=run, chain=0).order_by("seq"):
        if request.context_tokens < total:
            break
        total = request.context_tokens
        residual = compose(run, request).account.residual
        if first is None:
            first = residual
        elif residual is not None:
            found.append(abs(residual - first) / total)
    return found


def _errors(errors: Sequence[float]) -> dict[str, Any]:
    ordered = sorted(errors)
    if not ordered:
        return {"n": 0}
    return {
        "n": len(ordered),
        "median": round(statistics.median(ordered), 3),
        "p90": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))], 3),
    }


def main(words: Sequence[str]) -> None:
    """Measure in a temporary folder and print."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CCWEB_DATA_DIR"] = folder
        os.environ.pop("DATABASE_URL", None)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ccweb.settings")
        django.setup()
        call_command("migrate", verbosity=0)
        print(json.dumps(measure(Path(words[0])), indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
