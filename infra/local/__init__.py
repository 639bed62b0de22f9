"""Running Graft on one machine."""
