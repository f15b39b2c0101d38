# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What was compiled of expressions, kept on disk for the next process."""
from __future__ import annotations

import hashlib
import os
import tempfile
from functools import lru_cache
from pathlib import Path

_DIGEST = 20  # bytes before what a file keeps, by which one is known that is not whole


def folder() -> Path:
    """Where compiled expressions are kept: a folder that nobody else can write to."""
    told = os.environ.get("LIBPENEIRA_CACHE")
    base = Path(told) if told else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "libpeneira"
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = base.stat()
        if state.st_uid == os.getuid() and not state.st_mode & 0o022 and os.access(base, os.W_OK):
            return base
    except (OSError, RuntimeError):
        pass
    return _private_folder()


@lru_cache(maxsize=1)
def _private_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="libpeneira-"))


def name_of(*made_of: str | bytes) -> str:
    """A name for what is made of all these."""
    digest = hashlib.blake2b(digest_size=20)
    for one in made_of:
        text = one.encode() if isinstance(one, str) else one
        digest.update(len(text).to_bytes(8, "little") + text)
    return digest.hexdigest()


def load(name: str) -> bytes | None:
    """What is kept under a name, where it is whole."""
    try:
        kept = (folder() / name).read_bytes()
    except OSError:
        return None
    found = kept[_DIGEST:]
    return found if hashlib.blake2b(found, digest_size=_DIGEST).digest() == kept[:_DIGEST] else None


def store(name: str, made: bytes) -> None:
    """Keeps it. Other processes see all of it or nothing; without room on the disk it is not kept."""
    try:
        number, path = tempfile.mkstemp(prefix=".making-", dir=folder())
    except OSError:
        return
    try:
        with os.fdopen(number, "wb") as file:
            file.write(hashlib.blake2b(made, digest_size=_DIGEST).digest() + made)
        os.replace(path, folder() / name)
    except OSError:
        Path(path).unlink(missing_ok=True)
