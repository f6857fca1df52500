"""What trainers say of configs, and how far moelint agrees: cases, verdicts, coverage, releases (docs/agreement.md)."""
