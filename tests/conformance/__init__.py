"""The official conformance suite against the door."""
