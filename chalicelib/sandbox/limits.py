"""What one run may use. Sizes are in bytes, times in seconds."""

from __future__ import annotations

from typing import Final

MEMORY_BYTES: Final = 64 * 1024 * 1024
CPU_SECONDS: Final = 10.0
CPU_GRACE_SECONDS: Final = 0.5
"""How long a worker that does not stop by itself lives past its CPU limit."""
SUSPENSIONS: Final = 1000
"""Steps out to the host: vendor calls, sleeps, unknown names."""
STEP_SECONDS: Final = 12.0
"""The longest step of any session, for whatever the limits inside the worker miss. Longer than CPU and its grace."""
TYPE_CHECK_SECONDS: Final = 1.5
TOP_LEVEL_SECONDS: Final = 0.5
"""With a grace each, the two parts of a check take at most 3 s."""
CHECK_WAIT_SECONDS: Final = 5.0
"""How long a check waits for a free worker."""
RUNS_PER_WORKER: Final = 1000
"""A worker is replaced after this many sessions, so that its memory cannot creep."""

RESULT_BYTES: Final = 256 * 1024
RESULT_DEPTH: Final = 100
RESULT_INTEGERS: Final = range(-(2**63), 2**64)
"""What a signed or an unsigned 64-bit reader of JSON can hold; real ids reach beyond the 53 bits of a double."""
MESSAGE_CHARACTERS: Final = 2000
