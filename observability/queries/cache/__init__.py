"""The cache page: rates by what people compare, breaks by reason, and what the cache saved."""
