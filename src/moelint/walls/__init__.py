"""The Three Walls as pure formulas: memory, communication, compute with its host half. Imports nothing else of ours."""
