"""The expression language: parse, check, compile to plain tuples, closures over Kleene logic, messages, versions."""
