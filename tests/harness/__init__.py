"""Graft with the real harnesses, whose model is scripted. `make harness` fetches them and runs these."""
