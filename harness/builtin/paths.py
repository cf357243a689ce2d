"""Paths that a model names: what is meant, and that it lies in the working folder.

Every path is resolved with its links before anything is done with it. One that is not within the
folder then is refused, and so is every `..`, whether or not it would lead back in: what a path
means must not depend on what stands on the way.
"""

from __future__ import annotations

import difflib
import os
import stat
from pathlib import Path

from harness.catalogue import shown
from harness.loop.toolbox import ToolFault


def inside(folder: Path, given: str, field: str = "path") -> Path:
    """The file or folder that is meant, with all links followed. It need not exist.

    Raises ToolFault that names the field and the reason, where the path is none or leads out.
    """
    meant = Path(os.path.realpath(_joined(folder, given, field)))
    if not meant.is_relative_to(folder):
        raise ToolFault(f"{field}: {_outside(folder, given)}")
    return meant


def entry(folder: Path, given: str, field: str = "path") -> Path:
    """The entry itself that is meant: a link at its end is not followed. The working folder is no entry.

    Raises ToolFault as `inside` does.
    """
    joined = _joined(folder, given, field)
    meant = Path(os.path.realpath(joined.parent)) / joined.name
    if joined == folder or meant == folder:
        raise ToolFault(f"{field}: {shown(given)!r} is the working folder itself")
    if not meant.parent.is_relative_to(folder):
        raise ToolFault(f"{field}: {_outside(folder, given)}")
    return meant


def in_words(folder: Path, path: Path) -> str:
    """A path as a model names it: relative to the working folder, with forward slashes."""
    return path.relative_to(folder).as_posix()


def regular(folder: Path, path: Path, field: str = "path") -> os.stat_result:
    """The state of a file. Raises ToolFault where there is none, or it is something else than a file."""
    name = shown(in_words(folder, path), 200)
    try:
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ToolFault(f"{field}: there is no file {name}{_alike(folder, path)}") from error
    except OSError as error:
        raise ToolFault(f"{field}: {name}: {error.strerror}") from error
    if stat.S_ISDIR(state.st_mode):
        raise ToolFault(f"{field}: {name} is a folder; list_folder shows what is in it")
    if not stat.S_ISREG(state.st_mode):
        raise ToolFault(f"{field}: {name} is no file but a device, pipe or socket")
    return state


def directory(folder: Path, path: Path, field: str = "path") -> None:
    """Raises ToolFault where a path is no folder."""
    name = shown(in_words(folder, path), 200)
    if not path.exists():
        raise ToolFault(f"{field}: there is no folder {name}{_alike(folder, path)}")
    if not path.is_dir():
        raise ToolFault(f"{field}: {name} is a file, not a folder")


def _joined(folder: Path, given: str, field: str) -> Path:
    if not given or "\0" in given:
        raise ToolFault(f"{field}: {'a NUL character is in it' if given else 'it is empty'}; give a path")
    try:
        os.fsencode(given)
    except UnicodeEncodeError as error:
        raise ToolFault(f"{field}: it has a character that no file name can have") from error
    if ".." in Path(given).parts:
        raise ToolFault(f"{field}: {shown(given)!r} has '..' in it; give the path from the working folder")
    return folder / given


def _outside(folder: Path, given: str) -> str:
    """Why a path is not taken: it begins outside, or a link on the way leads out."""
    way = folder
    for part in Path(given).parts if not Path(given).is_absolute() else ():
        way = way / part
        if way.is_symlink():
            return f"{shown(given)!r} leads out of the working folder through the link {in_words(folder, way)!r}"
    return f"{shown(given)!r} is outside the working folder; only what is in it can be reached"


def _alike(folder: Path, path: Path) -> str:
    """Names beside it that are nearly the same, as the rest of a sentence."""
    try:
        with os.scandir(path.parent) as entries:
            names = [each.name for each, _ in zip(entries, range(1000), strict=False)]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, n=3)
    there = [in_words(folder, path.parent / name) for name in near]
    return f"; there is {' and '.join(there)}" if there else ""
