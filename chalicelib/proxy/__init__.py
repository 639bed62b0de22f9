"""The one way to a vendor: schemes, host rules, transport, and the vault that opens credentials."""
