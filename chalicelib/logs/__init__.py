"""How the log is written: one line an entry, JSON on AWS and plain text elsewhere, and no secret in either."""
