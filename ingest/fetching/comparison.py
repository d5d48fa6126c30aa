"""One loaded submission against EDGAR's file, by a conditional request."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Literal, NamedTuple

from edgar_search.stored.ledger import EdgarFile
from ingest.fetching.answers import HEAD_BYTES
from ingest.fetching.client import Edgar

# Removed for good; other answers that mean "not there" may be faults.
_GONE = (404, 410)


class Compared(NamedTuple):
    """A submission as EDGAR has it at an address.

    `same` as what is loaded, `unsure` where the bytes have to be fetched to tell, `gone` where it
    answers that there is no such file, and `refused` where it only does not give it. `file` is what
    it says of a file that is the same.
    """

    kind: Literal["same", "unsure", "gone", "refused"]
    file: EdgarFile | None = None


async def compare(
    edgar: Edgar, path: str, sha256: str, known: EdgarFile | None, fetched_at: datetime | None
) -> Compared:
    """Compare what EDGAR has with the version that has the hash `sha256`, without its bytes.

    `known` is what EDGAR said of that version; where it said nothing, the file is the same if it
    was not modified since that was fetched. Raises EdgarUnavailable.
    """
    if known is not None and known.sha256 != sha256:
        known = None
    headers = _conditions(known, fetched_at)

    async def attempt() -> Compared:
        async with edgar.http.stream(edgar.url + path, headers) as answer:
            if answer.status in _GONE:
                return Compared("gone")
            head = b""
            if answer.status != 304:
                async for piece in answer.pieces:
                    head += piece
                    if len(head) >= HEAD_BYTES:
                        break
            if not edgar.judged(answer.status, answer.headers, head[:HEAD_BYTES]):
                return Compared("refused")
            if answer.status == 304 or _is_same(answer.headers, known, fetched_at):
                etag, modified = answer.headers.get("ETag"), answer.headers.get("Last-Modified")
                if known is not None:
                    etag, modified = etag or known.etag, modified or known.last_modified
                return Compared("same", EdgarFile(sha256, etag, modified))
            return Compared("unsure")

    # Without a validator or a time nothing but the bytes can tell.
    return await edgar.tried(path, attempt) if headers else Compared("unsure")


def _conditions(known: EdgarFile | None, fetched_at: datetime | None) -> dict[str, str]:
    """The headers that ask for the file only if it is another."""
    if known is not None and (known.etag or known.last_modified):
        conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
        return {name: value for name, value in conditions.items() if value is not None}
    if known is None and fetched_at is not None:
        return {"If-Modified-Since": format_datetime(fetched_at.astimezone(UTC), usegmt=True)}
    return {}


def _is_same(
    headers: Mapping[str, str], known: EdgarFile | None, fetched_at: datetime | None
) -> bool:
    """Tell if a file that came in spite of the conditions is the known one, by its headers."""
    etag, modified = headers.get("ETag"), headers.get("Last-Modified")
    if known is not None and known.etag and etag:
        return known.etag.removeprefix("W/") == etag.removeprefix("W/")
    if known is not None:
        return known.last_modified is not None and known.last_modified == modified
    if fetched_at is None or modified is None:
        return False
    try:
        return parsedate_to_datetime(modified) <= fetched_at
    except (ValueError, TypeError):
        return False
