"""Stylesheets and drawings: text files only, under names that are listed here.

A page links to a name that holds a digest of the content, which a browser may keep for ever: other content has
another name.
"""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

FOLDER: Final = "console_static"
TYPES: Final = {".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".js": "text/javascript; charset=utf-8"}
DIGEST_CHARACTERS: Final = 12
KEPT_MAX: Final = 64
"""Names that are remembered, wrong ones included: anybody may ask for any."""
_WITH_DIGEST: Final = re.compile(r"(?P<stem>.+)\.(?P<digest>[0-9a-f]{12})(?P<suffix>\.[a-z]+)")


@dataclass(frozen=True, slots=True)
class Asset:
    content_type: str
    text: str
    digest: str
    is_for_ever: bool = False
    """Whether it was asked for by the digest that it has."""

    @property
    def cache_control(self) -> str:
        return "public, max-age=31536000, immutable" if self.is_for_ever else "public, max-age=300"


def asset_path(root: str, name: str) -> str:
    """The path under which a file of console_static/ is linked; `root` stands before every path of ours.

    Raises KeyError when there is no such file: a template names what is there.
    """
    asset = _read(name)
    if asset is None:
        raise KeyError(name)
    stem, _, suffix = name.rpartition(".")
    return f"{root}/static/{stem}.{asset.digest}.{suffix}"


def find_asset(name: str) -> Asset | None:
    """A file by its name, with a digest or without; None: there is no such file.

    A page of before a deploy asks by the digest of its day. It gets what there is now, for a short while.
    """
    asked = _WITH_DIGEST.fullmatch(name)
    if asked is None:
        return _read(name)
    asset = _read(asked["stem"] + asked["suffix"])
    if asset is None or asset.digest != asked["digest"]:
        return asset
    return Asset(asset.content_type, asset.text, asset.digest, is_for_ever=True)


@lru_cache(maxsize=KEPT_MAX)
def _read(name: str) -> Asset | None:
    folder = _folder()
    path = folder / name
    content_type = TYPES.get(path.suffix)
    if content_type is None or path.parent != folder or not path.is_file():
        return None
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:DIGEST_CHARACTERS]
    return Asset(content_type, content.decode(), digest)


@cache
def _folder() -> Path:
    """Beside chalicelib in the sources; in a package, where its libraries are."""
    house = Path(__file__).resolve().parents[2]
    return next(folder for place in (house, *map(Path, sys.path)) if (folder := place / FOLDER).is_dir())
