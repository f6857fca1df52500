"""Reads Python configuration functions without running them: a bounded evaluator over the syntax tree."""
