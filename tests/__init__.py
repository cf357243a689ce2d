"""Tests. They mirror the packages; `python -m tests` runs them on both databases."""
