"""What happened: sources, ingest, the store and what is read from it."""
