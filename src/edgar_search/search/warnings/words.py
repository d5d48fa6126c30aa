"""Words of a query that no text has, and those that they were probably meant to be."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import decode
from edgar_search.search.bodies.known_values import similar_words_body
from edgar_search.search.clauses import Clause, document_clause, wanted_leaves
from edgar_search.search.language import Leaf, Node, Wildcard, Word
from edgar_search.search.warnings.known_values import match_counts
from edgar_search.search.warnings.nearest import nearest_word
from edgar_search.search.warnings.wording import shown
from edgar_search.text.rules import lower, token_spans

# Words that are looked up, and missing ones that are named. A word that is like a missing one takes
# Elasticsearch some milliseconds to find.
MAX_LOOKED_UP, MAX_NAMED = 16, 3


class _Asked(NamedTuple):
    """A word as written, what it is searched as, and its clause, which has its forms too."""

    written: str
    token: str
    clause: Clause


class _Option(Struct):
    text: str
    freq: int


class _Suggestion(Struct):
    options: list[_Option]


async def missing_words(
    engine: Engine, node: Node, doubted: Sequence[int], account: str
) -> list[str]:
    """A sentence for each wanted word that no document has; two engine requests at most.

    Words of leaves at `doubted` positions are left out.
    """
    leaves = (leaf for leaf in wanted_leaves(node) if leaf.position not in doubted)
    asked = {each.token: each for leaf in leaves for each in _words(leaf)}
    looked_up = list(asked.values())[:MAX_LOOKED_UP]
    if not looked_up:
        return []
    counts = await match_counts(engine, "documents", [each.clause for each in looked_up])
    missing = [each for each, count in zip(looked_up, counts, strict=True) if not count]
    missing = missing[:MAX_NAMED]
    similar = await _similar(engine, missing, account)
    return [_sentence(each, similar.get(each.token)) for each in missing]


async def _similar(engine: Engine, missing: Sequence[_Asked], account: str) -> dict[str, str]:
    """For each token the word that it was probably meant to be, where there is one."""
    words = [each.token for each in missing if each.token.isalpha()]
    if not words:
        return {}
    reply = await engine.search("documents", similar_words_body(words), Struct, account=account)
    found = decode(bytes(reply.suggest), dict[str, list[_Suggestion]])
    options = {word: found[str(place)][0].options for place, word in enumerate(words)}
    nearest = {
        word: nearest_word(word, {option.text: option.freq for option in likely})
        for word, likely in options.items()
    }
    return {word: similar for word, similar in nearest.items() if similar}


def _words(leaf: Leaf) -> Iterator[_Asked]:
    if isinstance(leaf, Wildcard):
        yield _Asked(leaf.pattern, leaf.pattern, document_clause(leaf))
        return
    forms = leaf.forms if isinstance(leaf, Word) else ()
    for start, end in token_spans(leaf.text):
        written = leaf.text[start:end]
        token = lower(written)
        yield _Asked(written, token, {"terms": {"text": [token, *forms]}})


def _sentence(asked: _Asked, similar: str | None) -> str:
    nearest = f"; the nearest word is `{shown(similar)}`" if similar else ""
    return f"query: no document has `{shown(asked.written)}`{nearest}"
