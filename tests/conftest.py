"""What every test shares: properties are judged by what they find, never by how long a loaded machine takes."""

from __future__ import annotations

import functools

import botocore.session
from hypothesis import HealthCheck, settings

settings.register_profile("graft", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("graft")

# Each session reads DynamoDB's model from disk anew, a fifth of a second: what was read once serves every test.
vars(botocore.session)["create_loader"] = functools.cache(botocore.session.create_loader)
