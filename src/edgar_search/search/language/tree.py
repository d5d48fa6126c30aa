"""A query as a tree: its meaning, its cost, its text.

NOT exists only as `And.negative`. An AND never contains an AND as an operand, nor an OR an OR, and
both have at least two operands. Texts are normalised (`text.normalise`) and yield at least one
token. Positions count the user's own characters, from 1.

Words, wildcards and their AND and OR cost little, however many fit into a query. A word has up to
twelve forms; with these, a whole query of words is as expensive as phrases are. A phrase is
checked, position by position, in every document that contains all its words. If it may be loose
(`~n`), that takes about three times as long for each word, whatever `n` is; and if a word is
repeated, all positions of its words are compared with each other. `bench/dearest.py` searches for
the most expensive query that is allowed.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from edgar_search.errors import BadRequest
from edgar_search.text.words import tokens


class QueryError(BadRequest):
    """The query cannot be parsed, or costs more than the service allows.

    `message` is also `str(error)`. `position` counts the user's own characters from 1; it is 0 if
    no single character is to blame.
    """

    def __init__(self, wrong: str, right: str, position: int = 0) -> None:
        place = f" at character {position}" if position else ""
        self.message = f"query: {wrong}{place}; {right}"
        self.position = position
        super().__init__(self.message)


class Word(Struct, frozen=True):
    """A word, or a phrase of its parts if the tokenizer splits it.

    Each of `forms` is a token that satisfies the word too, in lower case and different from it. So
    does each of `related`: consecutive tokens, with blanks between. `weights` are the scores of all
    these, relative to 1 for the word; by default each counts half.
    """

    text: str
    position: int
    forms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    related: tuple[str, ...] = ()

    @property
    def alternatives(self) -> tuple[str, ...]:
        """All other ways to satisfy the word."""
        return self.forms + self.related


class Phrase(Struct, frozen=True):
    """Words in order, up to `slop` moves apart."""

    text: str
    slop: int
    position: int


class Wildcard(Struct, frozen=True):
    """A lower-case token in which `*` matches any run of characters and `?` any single one."""

    pattern: str
    position: int


class And(Struct, frozen=True):
    """All of `positive`, at least one, and none of `negative`."""

    positive: "tuple[Node, ...]"
    negative: "tuple[Node, ...]" = ()


class Or(Struct, frozen=True):
    """At least one of `operands`."""

    operands: "tuple[Node, ...]"


Leaf: TypeAlias = Word | Phrase | Wildcard
Node: TypeAlias = Leaf | And | Or


def leaves(node: Node) -> Iterator[Leaf]:
    """Yield all leaves in order, including excluded ones."""
    if isinstance(node, And):
        for operand in (*node.positive, *node.negative):
            yield from leaves(operand)
    elif isinstance(node, Or):
        for operand in node.operands:
            yield from leaves(operand)
    else:
        yield node


# In tenths of a word of a loose phrase. Over 378 million characters of filings, 300 took
# Elasticsearch 0.9 to 2.1 seconds of CPU time, with phrases of the most common words.
MAX_COST = 300
_EXACT_WORD, _LOOSE_WORD, _REPEATING_WORD = 3, 10, 50
# This many forms cost a tenth of a word. 1,136 forms, of all words that fit into a query, took as
# long as the most expensive phrases; a query of everyday words is never refused.
_FORMS_OF_A_TENTH = 4
# A single exact phrase is always allowed: the longest took 0.4 seconds.
_MOST_EXACT = 99 * _EXACT_WORD

# A query of this cost takes at least as long as an otherwise cheap page of results.
_OF_A_SLOT = 50

_WRONG = f"phrases of more than {MAX_COST // _LOOSE_WORD} words in all"
_RIGHT = (
    "use fewer or shorter ones; a word of a phrase with `~` counts 1,"
    f" or {_REPEATING_WORD // _LOOSE_WORD} if that phrase has a word twice,"
    f" and one of an exact phrase {_EXACT_WORD / _LOOSE_WORD}"
)
_WRONG_FORMS = "words with too many forms in all"
_RIGHT_FORMS = "use fewer, put some of them in quotes, or use `word_forms=exact`"


def check_cost(node: Node) -> None:
    """Raise QueryError at the phrase or word that makes the query too expensive."""
    cost = of_forms = 0
    for leaf in leaves(node):
        formed = isinstance(leaf, Word) and bool(leaf.alternatives)
        cost += leaf_cost(leaf)
        of_forms += leaf_cost(leaf) if formed else 0
        if cost > MAX_COST:
            wrong, right = (_WRONG_FORMS, _RIGHT_FORMS) if formed else (_WRONG, _RIGHT)
            # Phrases that are allowed if no word has forms.
            exact = "; or `word_forms=exact`" if cost - of_forms <= MAX_COST and not formed else ""
            raise QueryError(wrong, right + exact, leaf.position)


def is_cheap(node: Node) -> bool:
    """Return True if the phrases of a query are cheap enough to be searched three times."""
    return 3 * cost_of(node) <= MAX_COST


def query_slots(node: Node | None) -> int:
    """Return how many search slots a query takes: one, or more if it is expensive.

    See `access/shares.py`.
    """
    if node is None:
        return 1
    return 1 + (cost_of(node) + sum(map(_cost_of_phrases, leaves(node)))) // _OF_A_SLOT


def _cost_of_phrases(leaf: Leaf) -> int:
    """Return the extra cost of phrases among a word's alternatives, as exact phrases.

    It never causes a refusal, because the author of the query did not write related words.
    """
    if not isinstance(leaf, Word):
        return 0
    sizes = [len(tokens(alternative)) for alternative in leaf.alternatives]
    return (_EXACT_WORD - 1) * sum(size for size in sizes if size > 1)


def cost_of(node: Node) -> int:
    """Add up the cost of all leaves of a query."""
    return sum(map(leaf_cost, leaves(node)))


def leaf_cost(leaf: Leaf) -> int:
    """Return the cost of a leaf, in tenths of a word of a loose phrase.

    A single word costs nothing, except for its forms.
    """
    if isinstance(leaf, Wildcard):
        return 0
    if isinstance(leaf, Word) and leaf.alternatives:
        sizes = [len(tokens(alternative)) for alternative in leaf.alternatives]
        return -(-sizes.count(1) // _FORMS_OF_A_TENTH) + sum(size for size in sizes if size > 1)
    words = tokens(leaf.text)
    if len(words) == 1:
        return 0
    if not (isinstance(leaf, Phrase) and leaf.slop):
        return min(len(words) * _EXACT_WORD, _MOST_EXACT)
    repeating = len(set(words)) < len(words)
    return len(words) * (_REPEATING_WORD if repeating else _LOOSE_WORD)


def query_text(node: Node) -> str:
    """Write a tree as a query, with only the operators and parentheses that are needed.

    It parses to the same tree, except for positions and word forms. It may be longer than a query
    is allowed to be.
    """
    return _join(node, query_text, _leaf_text, " AND ", " NOT ")


def describe(node: Node) -> str:
    """Describe the documents that the tree matches, as part of a sentence."""
    return _join(node, describe, _leaf_meaning, " and ", ", without ")


def _join(
    node: Node, inner: Callable[[Node], str], leaf: Callable[[Leaf], str], both: str, without: str
) -> str:
    def operand(excluded: Node) -> str:
        return f"({inner(excluded)})" if isinstance(excluded, And | Or) else leaf(excluded)

    if isinstance(node, Or):
        return both.replace("and", "or").replace("AND", "OR").join(map(operand, node.operands))
    if isinstance(node, And):
        unwanted = (without + operand(excluded) for excluded in node.negative)
        return both.join(map(operand, node.positive)) + "".join(unwanted)
    return leaf(node)


def _leaf_text(leaf: Leaf) -> str:
    if isinstance(leaf, Wildcard):
        return leaf.pattern
    if isinstance(leaf, Word):
        return leaf.text
    return f'"{leaf.text}"~{leaf.slop}' if leaf.slop else f'"{leaf.text}"'


def _leaf_meaning(leaf: Leaf) -> str:
    if isinstance(leaf, Wildcard):
        return f"a word like `{leaf.pattern}`"
    words = tokens(leaf.text)
    if isinstance(leaf, Phrase) and leaf.slop and len(words) > 1:
        moves = "1 move" if leaf.slop == 1 else f"{leaf.slop} moves"
        return f"the words {_name_words(words)} at most {moves} apart"
    if len(words) > 1:
        return f"the phrase `{' '.join(words)}`"
    meaning = f"the word `{words[0]}`"
    if isinstance(leaf, Word) and leaf.forms:
        meaning += f" or a form of it ({_name_words(leaf.forms)})"
    if isinstance(leaf, Word) and leaf.related:
        meaning += f" or related words ({_name_words(leaf.related)})"
    return meaning


def _name_words(words: Iterable[str]) -> str:
    return " ".join(f"`{word}`" for word in words)
