"""The simulator of prompt caches against what providers reported: `python -m benchmarks.simulator`."""
