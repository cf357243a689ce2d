"""The durable import on SQLite: its speed, a refresh, and its memory."""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import resource
import statistics
import time
from pathlib import Path
from typing import Any

from observability.services.imports import import_paths


def speed(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """MB per CPU-second of an import into an empty database, beside bare json.loads over the same lines."""
    size, bare = _bare(folder)
    cpu, wall = time.process_time(), time.perf_counter()
    counts = import_paths([folder])
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {
        "lines": counts["lines"],
        "requests": counts["requests"],
        "quarantined": counts["quarantined"],
        "mb_per_cpu_second": size / cpu,
        "mb_per_second": size / wall,
        "json_loads_mb_per_cpu_second": size / bare,
        "peak_mb": _peak(),
    }


def _bare(folder: Path) -> tuple[float, float]:
    """Megabytes, and CPU-seconds of json.loads over every line."""
    size, cpu = 0, 0.0
    for path in sorted(folder.rglob("*.jsonl")):
        found = path.read_bytes().splitlines()
        size += path.stat().st_size
        began = time.process_time()
        for line in found:
            json.loads(line)
        cpu += time.process_time() - began
    return size / 10**6, cpu


def refresh(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Seconds for another import of files that did not change, in the same process."""
    import_paths([folder])
    seconds = []
    for _ in range(9):
        began = time.perf_counter()
        counts = import_paths([folder])
        seconds.append(time.perf_counter() - began)
        assert counts["lines"] == 0
    return {"median_seconds": statistics.median(seconds), "worst_seconds": max(seconds)}


def memory(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Peak memory of an import of one big file."""
    before, began = _peak(), time.process_time()
    import_paths([folder])
    size = sum(path.stat().st_size for path in folder.rglob("*.jsonl")) / 10**6
    return {"peak_before_mb": before, "peak_mb": _peak(), "mb_per_cpu_second": size / (time.process_time() - began)}


def profile(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Where the time of an import goes: the most expensive functions, by their own time and by all below them."""
    profiler = cProfile.Profile()
    profiler.runcall(import_paths, [folder])
    stats = pstats.Stats(profiler)
    for order in ("tottime", "cumulative"):
        stats.sort_stats(order).print_stats(45)
    return {}


def _peak() -> float:
    """The most memory this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 10**6
