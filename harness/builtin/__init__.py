"""The harness's own tools at work: files, shell, tasks, memory and questions, inside a chosen folder.

The tools are described in `harness.catalogue.own`. File tools never leave the folder; commands of
the shell are held back by approval alone, since a program may do what its user may.
"""

from __future__ import annotations

from harness.builtin.box import OF_THE_LOOP, opened
from harness.builtin.memory import usual_file

__all__ = ["OF_THE_LOOP", "opened", "usual_file"]
