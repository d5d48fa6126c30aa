"""Words of a query that no text contains, and the words probably meant instead."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import decode
from edgar_search.search.counts import count_matches
from edgar_search.search.language import Leaf, Node, Wildcard, Word
from edgar_search.search.query.matching import Clause, document_clause, positive_leaves
from edgar_search.search.warnings.known_values import KnownValues
from edgar_search.search.warnings.nearest import SearchWarning, nearest_word, shorten
from edgar_search.text.words import lower, token_spans

# How many words are looked up, and how many missing ones are reported. Finding a word similar to a
# missing one takes Elasticsearch some milliseconds.
MAX_LOOKED_UP, MAX_NAMED = 16, 3
# A word in nearly all documents does not narrow a search; among few documents it may.
_NEARLY_ALL, _MIN_DOCUMENTS = 0.9, 10
# The edit distance of similar words.
_MAX_EDITS, _SAME_LETTERS, _MIN_LETTERS = 2, 1, 4
_OPTIONS = 10


def similar_words_body(words: Sequence[str]) -> Clause:
    """Build the request for words similar to each of these tokens, which no text contains.

    They are ordered by similarity, then by the number of documents that contain them.
    """
    term = {
        "field": "text",
        # A token stays one.
        "analyzer": "keyword",
        "size": _OPTIONS,
        "max_edits": _MAX_EDITS,
        "prefix_length": _SAME_LETTERS,
        "min_word_length": _MIN_LETTERS,
    }
    suggest = {str(place): {"text": word, "term": term} for place, word in enumerate(words)}
    return {"size": 0, "track_total_hits": False, "suggest": suggest}


class _QueryTerm(NamedTuple):
    """A word as written, its indexed form, its alternatives, and the clause for all of them.

    `alone` is true outside of phrases.
    """

    written: str
    token: str
    alternatives: tuple[str, ...]
    clause: Clause
    alone: bool

    @property
    def sought(self) -> tuple[str, ...]:
        """All tokens by which a document may satisfy it."""
        return (self.token, *self.alternatives)


class _Counted(NamedTuple):
    """A term that was looked up, and the number of documents that contain it."""

    asked: _QueryTerm
    number: int


class MissingWord(NamedTuple):
    """A wanted word that no document contains: as written, its token, and the closest word."""

    written: str
    token: str
    nearest: str | None = None

    @property
    def warning(self) -> SearchWarning:
        """The warning about the word."""
        nearest = f"; the nearest word is `{shorten(self.nearest)}`" if self.nearest else ""
        text = f"no document has `{shorten(self.written)}`{nearest}"
        return SearchWarning("query", text, self.nearest or "")


class _Option(Struct):
    text: str
    freq: int


class _Suggestion(Struct):
    options: list[_Option]


async def find_missing_words(
    engine: Engine, known: KnownValues, node: Node, skipped: Sequence[int]
) -> list[MissingWord]:
    """Find up to three wanted words that no document contains; at most two engine requests.

    Words of leaves at `skipped` positions are left out. Makes no request if all words are known.
    """
    unchecked = [term for term in _first_wanted(node, skipped) if term.sought not in known.words]
    counted, _ = await _count(engine, unchecked)
    known.words.update({term.asked.sought: None for term in counted if term.number})
    return await _missing(engine, counted)


async def find_weak_words(
    engine: Engine, node: Node, skipped: Sequence[int]
) -> list[SearchWarning]:
    """Warn about missing words, and about words that nearly all documents contain."""
    counted, documents = await _count(engine, _first_wanted(node, skipped))
    least = max(_MIN_DOCUMENTS, documents * _NEARLY_ALL)
    common = [count for count in counted if count.asked.alone and count.number >= least]
    return [
        *(count.warning for count in await _missing(engine, counted)),
        *(_common_warning(count, documents) for count in common[:MAX_NAMED]),
    ]


async def find_nearest_words(engine: Engine, node: Node) -> dict[str, str]:
    """Find words similar to the query's words that no document contains; two engine requests."""
    counted, _ = await _count(engine, _first_wanted(node, ()))
    missing = [count.asked for count in counted if not count.number][:MAX_NAMED]
    return await _similar(engine, missing)


def _first_wanted(node: Node, skipped: Sequence[int]) -> list[_QueryTerm]:
    """Return the first wanted words, except those at `skipped` positions."""
    leaves = (leaf for leaf in positive_leaves(node) if leaf.position not in skipped)
    terms = {word.token: word for leaf in leaves for word in _words(leaf)}
    return list(terms.values())[:MAX_LOOKED_UP]


async def _count(engine: Engine, looked_up: Sequence[_QueryTerm]) -> tuple[list[_Counted], int]:
    """Count the documents that contain each word, and all documents."""
    if not looked_up:
        return [], 0
    clauses = [{"match_all": {}}, *(term.clause for term in looked_up)]
    documents, *numbers = await count_matches(engine, "documents", clauses)
    return list(map(_Counted, looked_up, numbers)), documents


async def _missing(engine: Engine, counted: Sequence[_Counted]) -> list[MissingWord]:
    missing = [count.asked for count in counted if not count.number][:MAX_NAMED]
    similar = await _similar(engine, missing)
    return [MissingWord(count.written, count.token, similar.get(count.token)) for count in missing]


async def _similar(engine: Engine, missing: Sequence[_QueryTerm]) -> dict[str, str]:
    """Find the word that was probably meant by each token, if there is one."""
    words = [term.token for term in missing if term.token.isalpha()]
    if not words:
        return {}
    reply = await engine.search("documents", similar_words_body(words), Struct)
    suggestions = decode(bytes(reply.suggest), dict[str, list[_Suggestion]])
    options = {word: suggestions[str(place)][0].options for place, word in enumerate(words)}
    nearest = {
        word: nearest_word(word, {option.text: option.freq for option in likely})
        for word, likely in options.items()
    }
    return {word: similar for word, similar in nearest.items() if similar}


def _words(leaf: Leaf) -> Iterator[_QueryTerm]:
    if isinstance(leaf, Wildcard):
        yield _QueryTerm(leaf.pattern, leaf.pattern, (), document_clause(leaf), alone=True)
        return
    others = leaf.alternatives if isinstance(leaf, Word) else ()
    spans = list(token_spans(leaf.text))
    for start, end in spans:
        written = leaf.text[start:end]
        token = lower(written)
        phrases = any(" " in other for other in others)
        clause = document_clause(leaf) if phrases else {"terms": {"text": [token, *others]}}
        yield _QueryTerm(written, token, others, clause, alone=len(spans) == 1)


def _common_warning(common: _Counted, documents: int) -> SearchWarning:
    written, number = shorten(common.asked.written), f"{common.number:,} of {documents:,}"
    return SearchWarning(
        "query", f"nearly all documents have `{written}` ({number}), so it hardly narrows a search"
    )
