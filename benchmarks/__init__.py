"""Measurements, not tests: `make bench`, or `python -m benchmarks --help`.

See docs/benchmarks.md for how each figure is measured, and docs/adr/0006-benchmarks.md for why this folder is here.
"""
