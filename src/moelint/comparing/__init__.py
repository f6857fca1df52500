"""``moelint compare``: whether two configs are a matched A/B, what differs, and the way back."""
