"""Strict readers of environment variables: a value that cannot be read stops the start."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE = ("1", "true", "yes", "on")
FALSE = ("0", "false", "no", "off")


class Env:
    """The environment, read strictly. An empty value counts as not set."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.values = os.environ if values is None else values

    def text(self, name: str, default: str) -> str:
        """A string."""
        return self.values.get(name, "") or default

    def secret(self, name: str) -> str:
        """A string that may also stand in a file, which `<name>_FILE` names; empty where neither is set."""
        value, file = self.text(name, ""), self.text(f"{name}_FILE", "")
        if value or not file:
            return value
        try:
            return Path(file).read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(f"{name}_FILE is {file}, which cannot be read: {error}.") from error

    def flag(self, name: str, default: bool) -> bool:  # noqa: FBT001 - a default is the value itself
        """A yes or no."""
        value = self.text(name, "").lower()
        if not value:
            return default
        if value not in TRUE + FALSE:
            raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(TRUE + FALSE)}.")
        return value in TRUE

    def choice(self, name: str, allowed: Sequence[str], default: str) -> str:
        """One of a few words."""
        value = self.text(name, default)
        if value not in allowed:
            raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(allowed)}.")
        return value

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """A whole number within bounds."""
        value = self.text(name, str(default))
        try:
            number = int(value)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name} is {value!r}; it must be a whole number.") from error
        if not least <= number <= most:
            raise ImproperlyConfigured(f"{name} is {number}; it must be between {least} and {most}.")
        return number

    def folder(self, name: str, default: Path) -> Path:
        """An absolute folder; `~` stands for the home folder."""
        path = _absolute(name, self.text(name, str(default)))
        if path.exists() and not path.is_dir():
            raise ImproperlyConfigured(f"{name} is {path}, which is a file; it must be a folder.")
        return path

    def file(self, name: str, default: Path) -> Path:
        """A file that must be there where it is named; the default need not be."""
        value = self.text(name, "")
        path = _absolute(name, value) if value else default
        if value and not path.is_file():
            raise ImproperlyConfigured(f"{name} is {path}; there is no such file.")
        return path

    def place(self, name: str, default: Path) -> Path:
        """A file that need not be there yet, in a folder that is."""
        value = self.text(name, "")
        path = _absolute(name, value) if value else default
        if path.is_dir() or (value and not path.parent.is_dir()):
            raise ImproperlyConfigured(f"{name} is {path}; it must be a file in a folder that exists.")
        return path

    def words(self, name: str, default: Sequence[str]) -> list[str]:
        """A list of words, separated by commas."""
        value = self.text(name, "")
        return [word.strip() for word in value.split(",") if word.strip()] if value else list(default)


def _absolute(name: str, value: str) -> Path:
    try:
        return Path(value).expanduser().absolute()
    except RuntimeError as error:
        raise ImproperlyConfigured(f"{name} starts with ~, and there is no such home folder.") from error
