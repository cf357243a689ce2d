"""An agent's loop: requests, tool calls, approval, sub-agents, and the run log as it goes."""

from __future__ import annotations
