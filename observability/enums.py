"""Closed sets of the store. Those of the run log itself are in `harness.runlog`."""

from __future__ import annotations

from django.db.models import TextChoices

from harness import usage


class SearchOutcome(TextChoices):
    """How a tool search ended."""

    HIT = "hit", "Hit"
    PARTIAL = "partial", "Partial"
    MISS = "miss", "Miss"
    RESIDENT = "resident", "Was resident"
    ERROR = "error", "Error"
    OPEN = "open", "No result"


class BreakReason(TextChoices):
    """Why a request read less from the cache than it could have."""

    TOOLS_CHANGED = "tools_changed", "Tools changed"
    SYSTEM_CHANGED = "system_changed", "System prompt changed"
    PREFIX_CHANGED = "prefix_changed", "Tools or system prompt changed"
    MESSAGES_CHANGED = "messages_changed", "Messages changed"
    MODEL_CHANGED = "model_changed", "Model changed"
    PREVIOUS_NOT_FOUND = "previous_message_not_found", "Previous message not found"
    UNAVAILABLE = "unavailable", "Provider could not say"
    LIFETIME = "lifetime", "Lifetime passed"
    CLIENT_UPDATED = "client_updated", "Client updated"
    LOOKBACK = "lookback", "Too many blocks between markers"
    MINIMUM = "minimum", "Under the minimum size"
    UNEXPLAINED = "unexplained", "Unexplained"


class Evidence(TextChoices):
    """What a reason rests on."""

    PROVIDER = "provider", "said by the provider"
    PROVEN = "proven", "proven by a difference"
    RULE = "rule", "a rule was broken"
    SURVIVED = "survived", "what was still read"
    NONE = "none", "no evidence in the log"


class Confidence(TextChoices):
    """How sure a reason is."""

    CERTAIN = "certain", "certain"
    LIKELY = "likely", "likely"
    POSSIBLE = "possible", "possible"
    NONE = "none", "unknown"


class Survived(TextChoices):
    """The part of the prompt that a break left readable."""

    NOTHING = "nothing", "nothing"
    SYSTEM = "system", "tools and system prompt"
    TAIL = "tail", "up to an earlier request's end"
    PART = "part", "a part"


class Flag(TextChoices):
    """What a reader must know of a request's counts, in a word or two; `sentence` says it in full."""

    CLAMPED = usage.CLAMPED, "Clamped"
    ASSUMED_5M = usage.ASSUMED_5M, "5 min assumed"
    UNSPLIT = usage.UNSPLIT, "Lifetimes incomplete"
    DIFFERING = usage.DIFFERING, "Records differ"

    @classmethod
    def among(cls, flags: str) -> list[Flag]:
        """Those in a request's space-separated flags."""
        words = flags.split()
        return [flag for flag in cls if flag.value in words]

    @property
    def sentence(self) -> str:
        """What it says about the counts."""
        return FLAG_SENTENCES[self]


FLAG_SENTENCES = {
    Flag.CLAMPED: "The input count was smaller than the cached tokens that it should hold; uncached is taken as 0.",
    Flag.ASSUMED_5M: "The log does not say how long what was written lives; it is taken, and priced, as 5 minutes.",
    Flag.UNSPLIT: "The lifetimes add up to less than all that was written; the rest is of an unknown lifetime.",
    Flag.DIFFERING: "Records of this request told of different prompts; of each count the largest stands.",
}


class FileState(TextChoices):
    """Where an imported file stands."""

    READING = "reading", "Reading"
    READ = "read", "Read"
    UNREADABLE = "unreadable", "Cannot be read"
    GONE = "gone", "No longer there"


class JobState(TextChoices):
    """Where an import that was begun from the web stands."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class ServerState(TextChoices):
    """Why a tool server had no tools."""

    PENDING = "pending", "Still connecting"
    FAILED = "failed", "Failed"
    NEEDS_AUTH = "needs_auth", "Needs sign-in"


class Codec(TextChoices):
    """How the data of a text block is kept."""

    PLAIN = "plain", "as it is"
    ZSTD = "zstd", "compressed"
    PREVIEW = "preview", "its first characters only"
    NONE = "none", "not kept"
