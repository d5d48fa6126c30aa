"""`edgar-search check-draft FILE`: checks the quotes, citations and numbers of a text."""

import argparse
import sys
from collections import Counter
from pathlib import Path

import msgspec

from edgar_search.api.context import Context
from edgar_search.api.draft import MAX_DRAFT, DraftParams, check_draft, claims_of
from edgar_search.api.draft_claims import CheckedClaim
from edgar_search.commands.engine import with_engine
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.settings import Settings
from edgar_search.text.word_documents import NotWord, file_text

# The exit status if a claim differs from what was filed.
_NOT_AS_FILED = 3
_GOOD = ("exact", "normalised", "same", "moved", "supported", "unchecked")
_SHOWN = 100


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print the claims of a draft with their verdicts; raises EdgarSearchError."""
    text = read_text(options.file, MAX_DRAFT)
    counts: Counter[str] = Counter()

    async def show(engine: Engine) -> None:
        context = Context.of_command(engine, settings)
        claims, begin = claims_of(text), 0
        while begin < len(claims):
            answer = await check_draft(context, DraftParams(text, claims, begin))
            begin += len(answer.claims)
            counts.update(answer.counts)
            for claim in answer.claims:
                print(_line(text, claim) if options.format == "text" else _json(claim))

    with_engine(settings, show)
    summary = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    print(summary or "no quotes, no citations and no numbers", file=sys.stderr)
    return 0 if all(verdict in _GOOD for verdict in counts) else _NOT_AS_FILED


def read_text(file: Path, most: int) -> str:
    """Read a file, or standard input for `-`, of at most `most` characters.

    Raises EdgarSearchError.
    """
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        text = file_text(data, most)
    except NotWord as error:
        raise EdgarSearchError(f"{file}: {error}") from None
    except OSError as error:
        raise EdgarSearchError(f"{file}: {error.strerror}") from None
    if len(text) > most:
        raise EdgarSearchError(
            f"{file} has {len(text):,} characters, of at most {most:,}; give it in parts"
        )
    return text


def _json(claim: CheckedClaim) -> str:
    return msgspec.json.encode(claim).decode()


def _line(text: str, claim: CheckedClaim) -> str:
    """Format a claim: its line in the draft, the verdict, the words, and what differs."""
    number = text.count("\n", 0, claim.start) + 1
    words = " ".join(claim.text.split())
    words = words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"
    where = claim.document_id or claim.cited or ""
    parts = [f"line {number}: {claim.verdict}: {words}", where, claim.reason]
    parts += [f"filed: {claim.found}"] if claim.number and claim.found else []
    parts += [f"`{difference.draft}` is `{difference.filed}`" for difference in claim.differences]
    return "; ".join(part for part in parts if part)
