"""Events become rows, and rows get their derived figures.

`batch` gathers events, `writing` stores a batch in the caller's transaction. Everything here
is a merge that does not depend on order: names are hashes, times are minima, counts are
maxima, and what depends on neighbours (ordinals, breaks, activations) is derived anew from
the stored facts.
"""
