from __future__ import annotations

from explorer.page.strip import draw
from explorer.page.through_time import ticks
from explorer.queries.epochs import Epoch
from explorer.queries.moment import Column


def an_epoch(number: int, first: int, last: int) -> Epoch:
    return Epoch(number=number, first=first, last=last, tokens=0, ended=None)


def columns(size: int, count: int) -> list[Column]:
    starts = range(1, size * count + 1, size)
    return [Column(first=at, last=at + size - 1, read=9, written=1, uncached=0, breaks=0) for at in starts]


def test_a_tick_stands_where_an_epoch_begins() -> None:
    found = ticks([an_epoch(1, 1, 2), an_epoch(2, 3, 4)], draw(columns(1, 4), 1, 4))
    assert [(tick.x, tick.title) for tick in found] == [("50.000%", "Epoch 2 begins at request 3")]


def test_epochs_that_begin_in_one_column_share_a_tick() -> None:
    found = ticks([an_epoch(1, 1, 5), an_epoch(2, 6, 7), an_epoch(3, 8, 20)], draw(columns(5, 4), 1, 20))
    assert [(tick.x, tick.title) for tick in found] == [("25.000%", "Epochs 2 to 3 begin here")]
