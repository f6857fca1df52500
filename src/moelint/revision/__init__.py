"""Two revisions of a repository: what changed between them, and what a finding of one is in the other."""
