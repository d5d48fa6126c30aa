"""Companies that somebody who is typing a name may mean."""

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.suggestions import suggestions_body
from edgar_search.search.hits import EntityHit
from edgar_search.search.tickers import TickerTable
from edgar_search.text.rules import lower, normalise, tokens

MOST = 8
# More words than a name has, and a longer one, are none.
_MAX_WORDS, _MAX_CHARS = 8, 100


class SuggestedCompany(Struct):
    """A company with the tickers that it has now; `former` is the name that was meant, if that."""

    cik: str
    name: str
    tickers: list[str]
    former: str | None


async def suggested_companies(
    engine: Engine, table: TickerTable, text: str
) -> list[SuggestedCompany]:
    """At most `MOST` companies; one engine request. None for what has no word, or too many."""
    words = [lower(token) for token in tokens(normalise(text))]
    if not words or len(words) > _MAX_WORDS or len(text) > _MAX_CHARS:
        return []
    body = suggestions_body(words, table.ciks(text.strip()), MOST)
    hits = (await engine.search("entities", body, EntityHit)).hits.hits
    found = [hit.source for hit in hits]
    return [
        SuggestedCompany(
            each.cik,
            each.name or "",
            table.tickers(each.cik),
            _former([former.name for former in each.former_names or []], each.name or "", words),
        )
        for each in found
    ]


def _former(former: list[str], name: str, words: list[str]) -> str | None:
    """The former name that has the words, where the name of now has not."""
    if _has(name, words):
        return None
    return next((each for each in former if _has(each, words)), None)


def _has(name: str, words: list[str]) -> bool:
    own = [lower(token) for token in tokens(normalise(name))]
    return all(word in own for word in words[:-1]) and any(w.startswith(words[-1]) for w in own)
