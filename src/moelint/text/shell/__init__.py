"""Shell scripts read without running them: what each command would be given, and where every word of it stands."""
