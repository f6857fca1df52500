"""From verdicts to findings: where they stand, what they hide, what the author asked not to hear."""
