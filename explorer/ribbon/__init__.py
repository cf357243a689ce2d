"""The picture of a request: what was sent, to scale and in order, and what the cache did with it."""

from __future__ import annotations

from explorer.ribbon.plan import Band, Held, Plan, plan
from explorer.ribbon.tall import Tall, tall
from explorer.ribbon.wide import Wide, wide

__all__ = ["Band", "Held", "Plan", "Tall", "Wide", "plan", "tall", "wide"]
