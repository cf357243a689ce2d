"""`python -m benchmarks.simulator --samples DIR`: write docs/simulator.md anew, with the tables of what was measured."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from benchmarks.simulator.chains import Row, Verdict, rows_of
from benchmarks.simulator.recordings import Exchange, exchanges
from harness.simulator import ANTHROPIC, Rules

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "simulator.md"
BEGIN, END = "<!-- measured -->", "<!-- end of what was measured -->"


def every_row(samples: Path, rules: Rules = ANTHROPIC) -> list[Row]:
    """Every request of every transcript, file by file."""
    folder = samples / "claude_code"
    return [row for path in sorted(folder.rglob("*.jsonl")) for row in rows_of(path, folder, rules)]


def tables(samples: Path) -> str:
    """What stands between the marks of the page."""
    rows = every_row(samples)
    parts = (
        ("### Recordings", _recordings(exchanges(samples / "http_cassettes"))),
        ("### Transcripts, file by file", _files(rows)),
        ("### Reasons", _reasons(rows)),
        ("### Without a rule", _without(samples)),
        ("### Every exception", _exceptions(rows)),
        ("### Sizes from text", _sizes(rows)),
    )
    return "\n\n".join(f"{title}\n\n{text}" for title, text in parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(each) for each in line) + " |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _recordings(found: list[Exchange]) -> str:
    head = ("Recording", "Request", "Starts", "Read: predicted", "reported", "Written: predicted", "reported")
    return _table(
        head,
        (
            (
                f"`{each.file}`",
                each.number,
                "warm" if each.warm else "",
                each.predicted[0],
                each.reported[0],
                each.predicted[1],
                each.reported[1],
            )
            for each in found
        ),
    )


def _files(rows: list[Row]) -> str:
    head = ("File", "Requests", "First of a run", "Exact", "Place right", "Explained", "Unexplained", "Drops", "Rises")
    names = sorted({row.file for row in rows})
    lines = [_file_line(f"`{name}`", [row for row in rows if row.file == name]) for name in names]
    whole = [row for row in rows if row.verdict != "start"]
    exact = sum(row.verdict == "exact" for row in whole)
    place = sum(row.verdict == "position" for row in whole)
    told = sum(row.verdict == "explained" for row in whole)
    said = (
        f"Of {len(whole)} reads that can be predicted, {exact} are exact ({exact / len(whole):.1%}), {place} more are "
        f"right in their place but not known in their size before, {told} have a reason found afterwards, and "
        f"{len(whole) - exact - place - told} are unexplained. The lifetime of what was written is right in "
        f"{sum(row.lifetime_right for row in whole)} of {len(whole)}. “The read equals the read and write before” "
        f"alone is right in {sum(not row.exception for row in whole)}."
    )
    return _table(head, [*lines, _file_line("all", rows)]) + "\n\n" + said


def _file_line(name: str, rows: list[Row]) -> list[object]:
    verdicts = Counter(row.verdict for row in rows)
    changes = [row.reported - row.expected for row in rows if row.expected is not None]
    return [
        name,
        len(rows),
        *(verdicts[each] for each in ("start", "exact", "position", "explained", "unexplained")),
        sum(change < 0 for change in changes),
        sum(change > 0 for change in changes),
    ]


def _exceptions(rows: list[Row]) -> str:
    head = ("File", "Line", "Read + write before", "Predicted", "Reported", "Verdict", "Reason")
    return _table(
        head,
        (
            (f"`{row.file}`", row.line, row.expected or 0, _predicted(row), row.reported, row.verdict, row.reason)
            for row in rows
            if row.exception
        ),
    )


def _reasons(rows: list[Row]) -> str:
    """How often each, among drops and among rises; what a reason says in detail is left out."""
    drops, rises = Counter[str](), Counter[str]()
    for row in rows:
        if row.exception:
            short = re.split("[:;(]", row.reason)[0].strip()
            (drops if row.reported < (row.expected or 0) else rises)[short] += 1
    return _table(("Reason", "Drops", "Rises"), ((each, drops[each], rises[each]) for each in sorted(drops | rises)))


def _without(samples: Path) -> str:
    """What is left of the predictions when one rule is taken away."""
    apart = {name: tier for name, tier in ANTHROPIC.reach.items() if name != "thinking"}
    others = {
        "all rules": ANTHROPIC,
        "no lifetimes": replace(ANTHROPIC, lifetimes=dict.fromkeys(ANTHROPIC.lifetimes, timedelta(days=9))),
        "an hour is 5 minutes": replace(ANTHROPIC, lifetimes=dict.fromkeys(ANTHROPIC.lifetimes, timedelta(minutes=5))),
        "no end to the lookback": replace(ANTHROPIC, lookback=10_000),
        "a lookback of 5": replace(ANTHROPIC, lookback=5),
        "thinking is no part of the key": replace(ANTHROPIC, reach=apart),
        "thinking of earlier turns is dropped": replace(ANTHROPIC, keeps_thinking=""),
    }
    head = ("Rules", "Exact", "Place right", "Explained", "Unexplained")
    found = {name: Counter(row.verdict for row in every_row(samples, rules)) for name, rules in others.items()}
    kinds: tuple[Verdict, ...] = ("exact", "position", "explained", "unexplained")
    return _table(head, ((name, *(verdicts[kind] for kind in kinds)) for name, verdicts in found.items()))


def _predicted(row: Row) -> object:
    return "the system prompt's end" if "whose size" in row.reason else row.predicted


def _sizes(rows: list[Row]) -> str:
    grown = [row for row in rows if row.verdict == "exact" and not row.exception and row.estimated_growth]
    errors = [abs(row.estimated_growth - row.reported_growth) / row.reported_growth for row in grown]
    whole = sum(row.estimated_growth for row in grown) / sum(row.reported_growth for row in grown)
    return (
        f"How much each request adds, counted from its text alone, over the {len(grown)} requests that only append and "
        f"whose lines are all there: median error {median(errors):.1%}, and {whole:.1%} of all tokens that were added. "
        "Part of the rest is not in the log."
    )


def renewed(page: str, measured: str) -> str:
    """The page with other tables."""
    before, rest = page.split(BEGIN, 1)
    return f"{before}{BEGIN}\n\n{measured}\n\n{END}{rest.split(END, 1)[1]}"


def main(words: Sequence[str] | None = None) -> int:
    """Write the page, or say whether it is up to date."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulator", description=__doc__)
    default = os.environ.get("CCWEB_SAMPLES") or ROOT.parent / "shared" / "samples"
    parser.add_argument("--samples", type=Path, default=Path(default), help="the folder of real logs")
    parser.add_argument("--check", action="store_true", help="compare with the page instead of writing it")
    given = parser.parse_args(words)
    page = PAGE.read_text(encoding="utf-8")
    new = renewed(page, tables(given.samples))
    if given.check:
        return int(new != page)
    PAGE.write_text(new, encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
