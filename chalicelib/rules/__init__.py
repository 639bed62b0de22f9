"""Decisions: plain values in, plain values out; no clock, no I/O."""
