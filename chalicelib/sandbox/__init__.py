"""Runs a tool's module in Monty, and checks it before it is published."""
