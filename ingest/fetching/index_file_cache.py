"""EDGAR's index files, kept in the home and asked for again only if they changed."""

import asyncio
import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from edgar_search.http_client import Reply
from ingest.fetching.client import Edgar


class _CachedFile(Struct, frozen=True):
    sha256: str
    etag: str | None = None
    last_modified: str | None = None


class IndexCache:
    """Reads files below `/Archives/edgar/`; `changed` tells whether one is new since it was set.

    With `once` it asks for each file once only, for a run that reads what is listed twice.
    """

    def __init__(self, edgar: Edgar, home: Path, *, once: bool = False) -> None:
        self._edgar = edgar
        self._folder = home / "edgar" / "index"
        self._once = once
        # Whether EDGAR has the files that were asked for.
        self._known: dict[str, bool] = {}
        self.changed = False

    async def read(self, path: str) -> bytes | None:
        """The file as it is now; None where EDGAR has none. Raises EdgarUnavailable."""
        target = self._folder / path.replace("/", "_")
        kept, data = await asyncio.to_thread(_read, target)
        there = self._known.get(path)
        if self._once and (there is False or (there and data is not None)):
            return data if there else None
        reply = await self._edgar.get(f"/Archives/edgar/{path}", _conditions(kept))
        self._known[path] = reply is not None
        if reply is None:
            return None
        if reply.status == 304 and data is not None:
            return data
        self.changed |= kept is None or kept.sha256 != _sha256(reply.body)
        await asyncio.to_thread(_write, target, reply)
        return reply.body


def _conditions(kept: _CachedFile | None) -> dict[str, str]:
    if kept is None:
        return {}
    conditions = {"If-None-Match": kept.etag, "If-Modified-Since": kept.last_modified}
    return {name: value for name, value in conditions.items() if value is not None}


def _read(target: Path) -> tuple[_CachedFile | None, bytes | None]:
    """A kept file and what is known of it; neither if it is not as it was kept."""
    try:
        kept = msgspec.json.decode(_about(target).read_bytes(), type=_CachedFile)
        data = target.read_bytes()
    except (OSError, msgspec.DecodeError):
        return None, None
    return (kept, data) if _sha256(data) == kept.sha256 else (None, None)


def _write(target: Path, reply: Reply) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    headers = reply.headers
    kept = _CachedFile(_sha256(reply.body), headers.get("ETag"), headers.get("Last-Modified"))
    for path, content in ((target, reply.body), (_about(target), msgspec.json.encode(kept))):
        temporary = path.with_name(f"{path.name}.new")
        temporary.write_bytes(content)
        temporary.rename(path)


def _about(target: Path) -> Path:
    return target.with_name(f"{target.name}.about.json")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
