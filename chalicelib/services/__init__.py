"""Use cases: gather facts, ask a rule for the verdict, apply the effect."""
