"""Times as a person reads them: how long ago, until when, and exactly. Everything is UTC and says so."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

_DAY: Final = timedelta(days=1)


def ago(then: datetime, now: datetime) -> str:
    """`just now`, `12 min ago`, `3 h ago`, `yesterday`, `4 d ago`, and beyond a month the date."""
    passed = now - then
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(hours=1):
        return f"{passed // timedelta(minutes=1)} min ago"
    if then.date() == now.date() or passed < timedelta(hours=6):
        return f"{passed // timedelta(hours=1)} h ago"
    days = (now.date() - then.date()).days
    if days == 1:
        return "yesterday"
    return f"{days} d ago" if days <= 31 else day(then, now)


def until(then: datetime, now: datetime) -> str:
    """`today, 17:19 UTC`, `tomorrow, 14:06 UTC`, or the date and the time."""
    days = (then.date() - now.date()).days
    names = {0: "today", 1: "tomorrow"}
    return f"{names.get(days) or day(then, now)}, {then:%H:%M} UTC"


def exact(then: datetime) -> str:
    return f"{then.day} {then:%b %Y, %H:%M} UTC"


def day(then: datetime, now: datetime) -> str:
    """The date, with its year when it is another one."""
    return f"{then.day} {then:%B}" if then.year == now.year else f"{then.day} {then:%B %Y}"


def iso(then: datetime) -> str:
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds(length: timedelta) -> str:
    """`0.9 s`, `24 s`."""
    whole = length.total_seconds()
    return f"{whole:.1f} s" if whole < 10 else f"{whole:.0f} s"
