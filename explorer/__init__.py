"""What a request is made of: context and tools. Reads only."""
