"""The main job with clients that PyPI's requirements-dev.txt does not bring: `make test-clients`."""
