"""What stands for a conversation in an address."""

from __future__ import annotations


class Uid:
    """A conversation's own id, from a log: any characters, slashes and line ends included."""

    regex = r"(?s:.+)"

    def to_python(self, value: str) -> str:
        """As it stands."""
        return value

    def to_url(self, value: str) -> str:
        """As it stands; `reverse` quotes it."""
        return value
