"""Graft on AWS: the stack, the package, and Chalice, which makes the functions and the API."""
