"""From documents to configs: dialects, canonical keys, directives, inheritance, completeness, and the way back."""
