"""What ``moelint explain`` says, as lines of text: of a rule, of a key, of a line in a file."""
