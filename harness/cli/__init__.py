"""The commands of `python -m harness`, one module each.

A command's module has `add_parser(commands)`, which describes the command and names the function
that runs it. `harness.__main__` lists the modules; nothing else knows them all.
"""

from __future__ import annotations
