"""Finds parts of a query's text that were probably meant otherwise; pure."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from edgar_search.search.language import Leaf, Node, Phrase, Wildcard, Word, leaves
from edgar_search.search.language.lexer import MAX_SLOP
from edgar_search.search.warnings.nearest import SearchWarning, shorten

OPERATORS = ("and", "or", "not")
# Beside one of these, a lower-case operator is part of a sentence: `and the`, `but not`.
_PROSE = frozenset(
    "a about after all an and any are as at be been before both but by did do does either for from"
    " had has have how if in into is it its may more neither no nor not of on one or other our out"
    " shall should so such than that the their them there these they this those to under was we"
    " were what when where whether which who will with without would you your".split()
)


class Written(NamedTuple):
    """The leaves of a query in order, and whether it is in capitals or reads like a sentence."""

    leaves: Sequence[Leaf]
    capitals: bool
    prose: bool

    @classmethod
    def of(cls, node: Node) -> "Written":
        written = sorted(leaves(node), key=lambda leaf: leaf.position)
        return cls(
            written,
            capitals=not any(char.islower() for leaf in written for char in text_of(leaf)),
            prose=any(is_prose(leaf) and text_of(leaf) not in OPERATORS for leaf in written),
        )


class QueryWord(NamedTuple):
    """A word of a query as written, with its neighbouring leaves."""

    query: Written
    at: int

    @property
    def word(self) -> Word:
        leaf = self.query.leaves[self.at]
        assert isinstance(leaf, Word)
        return leaf

    @property
    def before(self) -> Leaf | None:
        return self.query.leaves[self.at - 1] if self.at else None

    @property
    def after(self) -> Leaf | None:
        following = self.query.leaves[self.at + 1 : self.at + 2]
        return following[0] if following else None


def is_prose(leaf: Leaf) -> bool:
    """Return True if a leaf is a lower-case word that sentences are made of."""
    return isinstance(leaf, Word) and leaf.text in _PROSE


def text_of(leaf: Leaf) -> str:
    """Return the text of a leaf, without quotes and slop."""
    return leaf.pattern if isinstance(leaf, Wildcard) else leaf.text


_MEANT = {
    "and": "write AND, or nothing, if both sides are wanted",
    "or": "write OR if one side is enough",
    "not": "write NOT to exclude the word after it",
}
# Other search engines' proximity operators: NEAR, NEAR/5, W/5, /5, within/10.
_NEAR = re.compile(r"NEAR|(?:near|o?w|within|pre|adj|n)?/(\d{1,3})", re.IGNORECASE | re.ASCII)
_LONE_DISTANCE = re.compile(r"~(\d+)", re.ASCII)
_FUZZY = re.compile(r"[^\W\d_]{2,}(~\d*|\^\d+)")
_FIELD = re.compile(r"([A-Za-z][A-Za-z_-]*):(?!//).*")
_FIELD_NAMES = frozenset(
    "accession author body cik company companyname company_name content date description document"
    " entity entityname filed filedate filename filer filing_date filingdate form form_type"
    " formtype issuer item name sic state symbol text ticker title type year".split()
)
_EXAMPLE = "goodwill impairment"
# Within how many words a single quote that opens a word must be closed at the end of one.
_QUOTED_WORDS = 8
# How many queries have their warnings cached.
_QUERIES = 200


class QueryWarning(NamedTuple):
    """A warning about the text at a position; `sure` if hits cannot refute it."""

    position: int
    text: str
    sure: bool = True

    @property
    def warning(self) -> SearchWarning:
        """The warning about the query."""
        return SearchWarning("query", self.text)


_Look: TypeAlias = Callable[[QueryWord], QueryWarning | None]


@lru_cache(_QUERIES)
def find_query_warnings(node: Node) -> Sequence[QueryWarning]:
    """Find the warnings about a query: the first of each kind, in order."""
    query = Written.of(node)
    places = [
        QueryWord(query, at) for at, leaf in enumerate(query.leaves) if isinstance(leaf, Word)
    ]
    warnings = [next(filter(None, map(look, places)), None) for look in _LOOKS]
    return tuple(sorted(warning for warning in warnings if warning is not None))


def _small(operator: str) -> _Look:
    def look(place: QueryWord) -> QueryWarning | None:
        before, after = place.before, place.after
        if place.word.text != operator or before is None or after is None:
            return None
        if is_prose(before) or is_prose(after):
            return None
        if operator == "and" and _is_harmless(place, before, after):
            return None
        return _read_as_text(place, _MEANT[operator])

    return look


def _near(place: QueryWord) -> QueryWarning | None:
    match = _NEAR.fullmatch(place.word.text)
    if match is None or place.after is None:
        return None
    if match[1] is None:
        if place.word.text != "NEAR" or place.query.capitals:
            return None
    elif place.before is None:
        return None
    distance = min(int(match[1]), MAX_SLOP) if match[1] else 10
    right = f"a distance comes after a phrase, as in {_phrase(place, distance)}"
    return _read_as_text(place, right)


def _lone_distance(place: QueryWord) -> QueryWarning | None:
    match = _LONE_DISTANCE.fullmatch(place.word.text)
    if match is None or place.before is None:
        return None
    phrase = place.before.text if isinstance(place.before, Phrase) else _EXAMPLE
    example = (
        f'"{phrase if shorten(phrase) == phrase else _EXAMPLE}"~{min(int(match[1]), MAX_SLOP)}'
    )
    right = f"a distance comes directly after the closing quote, as in {example}"
    return _read_as_text(place, right)


def _fuzzy(place: QueryWord) -> QueryWarning | None:
    if not _FUZZY.fullmatch(place.word.text):
        return None
    right = "fuzzy words and boosts are not possible; `*` matches the end of a word"
    return _read_as_text(place, right)


def _field(place: QueryWord) -> QueryWarning | None:
    match = _FIELD.fullmatch(place.word.text)
    if match is None:
        return None
    right = "a query cannot name fields; filters such as ticker and form_type are parameters"
    warning = _read_as_text(place, right)
    # `dei:EntityRegistrantName` does occur in filings.
    return warning._replace(sure=match[1].lower() in _FIELD_NAMES)


def _single_quotes(place: QueryWord) -> QueryWarning | None:
    if not re.match(r"'[^\W\d_]", place.word.text):
        return None
    words = []
    for leaf in place.query.leaves[place.at : place.at + _QUOTED_WORDS]:
        if not isinstance(leaf, Word):
            return None
        words.append(leaf.text)
        if leaf.text.rstrip(".,;:").endswith("'"):
            break
    else:
        return None
    if len(words) == 1:
        return None  # The same as without the quotes.
    phrase = " ".join(words).strip("'")
    wrong = f"the single quotes at character {place.word.position} are read as apostrophes"
    return QueryWarning(
        place.word.position, f'{wrong}; write a phrase in double quotes: "{shorten(phrase)}"'
    )


_LOOKS: Sequence[_Look] = (
    *map(_small, OPERATORS),
    _near,
    _lone_distance,
    _fuzzy,
    _field,
    _single_quotes,
)


def _read_as_text(place: QueryWord, right: str) -> QueryWarning:
    word = place.word
    where = f"`{shorten(word.text)}` at character {word.position}"
    return QueryWarning(word.position, f"{where} is read as text to find; {right}")


def _is_harmless(place: QueryWord, before: Leaf, after: Leaf) -> bool:
    """Return True if an `and` belongs to a name or a sentence.

    Nearly all documents contain the word.
    """
    return place.query.prose or (_is_named(before) and _is_named(after))


def _is_named(leaf: Leaf) -> bool:
    """Return True if a leaf is a capitalized word in otherwise lower case."""
    return isinstance(leaf, Word) and leaf.text[:1].isupper() and not leaf.text.isupper()


def _phrase(place: QueryWord, distance: int) -> str:
    """Join the leaves on both sides into a phrase, if it is short and has no wildcard."""
    sides = [leaf for leaf in (place.before, place.after) if leaf is not None]
    text = " ".join(map(text_of, sides))
    is_phrase = len(sides) == 2 and not any(isinstance(leaf, Wildcard) for leaf in sides)
    if not is_phrase or shorten(text) != text:
        text = _EXAMPLE
    return f'"{text}"~{distance}'
