"""`python -m benchmarks.growth FOLDER`: how well growth between requests is predicted on real logs.

Imports the logs of a folder into a database of its own, fits the factors, and prints the error of
fits that saw nothing of the run they are tried on, the error of the factors in use, and the
residual of each run's first request. `benchmarks/predicting.py` has the measuring.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import django
from django.core.management import call_command


def main(words: Sequence[str]) -> None:
    """Measure in a temporary folder and print. What measures is imported once Django is set up."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CCWEB_DATA_DIR"] = folder
        for name in ("DATABASE_URL", "CCWEB_FACTORS"):
            os.environ.pop(name, None)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ccweb.settings")
        django.setup()
        call_command("migrate", verbosity=0)
        call_command("import_logs", str(Path(words[0])), verbosity=0)
        print(json.dumps(importlib.import_module("benchmarks.predicting").measure(), indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
