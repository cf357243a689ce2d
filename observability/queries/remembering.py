"""What was read from the store, remembered until something is written to it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from observability.models import StoreState

Answer = TypeVar("Answer")


class Remembered(Generic[Answer]):
    """Answers by what was asked, the `most` that were read last. They are given out again: nothing may change them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[tuple[Hashable, ...], Answer] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, asked: Hashable, read: Callable[[], Answer]) -> Answer:
        """The answer, read anew after each writing. A store that nothing was written to has nothing worth remembering."""
        written = StoreState.objects.values_list("written", flat=True).first()
        if written is None:
            return read()
        key = (written, asked)
        with self._lock:
            found = self._answers.get(key)
        if found is None:
            found = read()
            with self._lock:
                self._answers[key] = found
                while len(self._answers) > self._most:
                    self._answers.popitem(last=False)
        return found
