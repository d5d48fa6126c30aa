"""Questions to every peer: the ten queries, generated ones, with filters, with forms of words."""

import re
from collections.abc import Callable, Sequence
from random import Random

from msgspec import Struct, structs

from bench.corpus import Extracted
from edgar_search.search.language import (
    ALL,
    EXACT,
    And,
    Leaf,
    Node,
    Or,
    Phrase,
    Wildcard,
    parse,
    with_forms,
)
from edgar_search.text.words import tokens

TEN = (
    "company",
    "impairment",
    "goodwill AND impairment AND charge",
    "goodwill OR impairment OR charge",
    '"material weakness"',
    '"fair value"',
    '"of the company"',
    "impair*",
    "revenue recognition",
    '"interest rate" AND swap',
)
GENERATED, SEED = 200, 19
FORM_TYPES = ("10-K", "10-Q", "8-K")
FROM, TO = "2000-01-01", "2020-12-31"
_WORD = re.compile("[a-z]{4,}")
_PREFIX = 4
_TRIES = 100


class Question(Struct, frozen=True):
    """A query with its filters, empty if it has none; dates are ISO days, both included."""

    query: str
    form_type: str = ""
    from_date: str = ""
    to_date: str = ""
    word_forms: str = EXACT

    @property
    def tree(self) -> Node:
        """The meaning of the query, with the forms of its words."""
        return with_forms(parse(self.query), self.word_forms)

    def filters(self) -> dict[str, str]:
        """Return parameters of the filters that are set."""
        named = {n: getattr(self, n) for n in ("form_type", "from_date", "to_date")}
        return {name: value for name, value in named.items() if value}


def groups(texts: Sequence[Extracted], count: int = GENERATED) -> dict[str, list[Question]]:
    """Return the groups of questions by name, this many of them generated.

    The same for the same texts.
    """
    ten = [Question(query) for query in TEN]
    filtered = [
        structs.replace(
            each, form_type=FORM_TYPES[number % len(FORM_TYPES)], from_date=FROM, to_date=TO
        )
        for number, each in enumerate(ten)
    ]
    return {
        "ten": ten,
        "filters": filtered,
        "forms": [structs.replace(each, word_forms=ALL) for each in ten],
        "generated": [Question(query) for query in generate(texts, Random(SEED), count)],
    }


def generate(texts: Sequence[Extracted], random: Random, count: int) -> list[str]:
    """Return this many different queries of words of the texts, of each kind about as many."""
    kinds: list[Callable[[list[str], Random], str | None]] = [_word, _all, _any, _phrase, _prefix]
    queries: dict[str, None] = {}
    for number in range(count * _TRIES):
        if len(queries) == count:
            return list(queries)
        # A piece of a text, so that words and phrases are as frequent as they are there.
        text = random.choice(texts).text
        begin = random.randrange(max(1, len(text) - 2_000))
        query = kinds[number % len(kinds)](tokens(text[begin : begin + 2_000])[1:-1], random)
        if query:
            queries[query] = None
    raise ValueError(f"the texts have not enough words for {count} queries")


def _words(piece: Sequence[str]) -> list[str]:
    return sorted({word for word in piece if _WORD.fullmatch(word)})


def _some(piece: list[str], random: Random, count: int) -> list[str]:
    words = _words(piece)
    return random.sample(words, count) if len(words) >= count else []


def _word(piece: list[str], random: Random) -> str | None:
    return "".join(_some(piece, random, 1)) or None


def _all(piece: list[str], random: Random) -> str | None:
    return " AND ".join(_some(piece, random, random.choice([2, 3]))) or None


def _any(piece: list[str], random: Random) -> str | None:
    return " OR ".join(_some(piece, random, random.choice([2, 3]))) or None


def _phrase(piece: list[str], random: Random) -> str | None:
    length = random.choice([2, 3])
    at = random.randrange(max(1, len(piece) - length))
    words = piece[at : at + length]
    whole = len(words) == length and all(map(_WORD.fullmatch, words))
    return f'"{" ".join(words)}"' if whole else None


def _prefix(piece: list[str], random: Random) -> str | None:
    words = [word for word in _some(piece, random, 1) if len(word) > _PREFIX]
    return f"{words[0][:_PREFIX]}*" if words else None


class Unable(Exception):
    """A peer has no way to ask this."""


def terms(leaf: Leaf) -> list[str]:
    """Return the words of a leaf that has no wildcard, in order.

    Raises Unable for words that may move.
    """
    if isinstance(leaf, Wildcard) or (isinstance(leaf, Phrase) and leaf.slop):
        raise Unable
    return tokens(leaf.text)


def prefix(leaf: Wildcard) -> str:
    """Return the beginning of the words that a pattern means.

    Raises Unable unless it is a prefix.
    """
    if not re.fullmatch(r"[^*?]+\*", leaf.pattern):
        raise Unable
    return leaf.pattern[:-1]


def wanted_leaves(node: Node) -> list[Leaf]:
    """Return the leaves that a snippet may show."""
    if isinstance(node, And):
        return [leaf for operand in node.positive for leaf in wanted_leaves(operand)]
    if isinstance(node, Or):
        return [leaf for operand in node.operands for leaf in wanted_leaves(operand)]
    return [node]
