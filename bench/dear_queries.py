"""Queries made to be dear: at random, and by small changes to one that is dear already."""

from random import Random
from typing import NamedTuple

from edgar_search.search.language import QueryError, parse
from edgar_search.search.language.lexer import MAX_SLOP

# The most common words of filings, about in their order.
COMMON = tuple(
    "the of and to in a or for by as on is that with be any 1 2 at from this such not 10 are 3 an"
    " 2024 company which under 5 shall all other 4 our securities have 31 december date financial"
    " stock we may has will no its 000 income was total share net its business".split()
)
WILD = ("con*", "pro*", "int*", "com*", "inv*", "the*", "sec*", "dis*", "per*", "for*", "c?n*")
WILD_INSIDE = ("con*s", "pro*n", "int*t", "com*y", "rec*d")
SLOPS = (0, 1, 2, 5, 10, MAX_SLOP)
MOST_LEAVES, MOST_WORDS = 60, 40
_TRIES = 200


class Leaf(NamedTuple):
    """A word, a wildcard or, of several words, a phrase."""

    words: tuple[str, ...]
    slop: int = 0

    def written(self) -> str:
        """Return the text of the leaf in a query."""
        if len(self.words) == 1:
            return self.words[0]
        return f'"{" ".join(self.words)}"' + (f"~{self.slop}" if self.slop else "")


class DearQuery(NamedTuple):
    """Leaves in groups: an OR of ANDs, or an AND of ORs; the last group may be excluded."""

    groups: tuple[tuple[Leaf, ...], ...]
    outer: str = "OR"
    excluding: bool = False

    def written(self) -> str:
        """Return the query as a client sends it."""
        inner = " AND " if self.outer == "OR" else " OR "
        groups = [f"({inner.join(leaf.written() for leaf in group)})" for group in self.groups]
        if self.excluding and len(groups) > 1:
            return f"({f' {self.outer} '.join(groups[:-1])}) NOT {groups[-1]}"
        return f" {self.outer} ".join(groups)

    def allowed(self) -> bool:
        """Return True if the language accepts it."""
        try:
            parse(self.written())
        except QueryError:
            return False
        return True


def make_query(random: Random) -> DearQuery:
    """Return a query at random that is allowed."""
    while True:
        leaves = [_leaf(random) for _ in range(random.choice([1, 1, 2, 3, 5, 10, 25, MOST_LEAVES]))]
        size = random.choice([1, 2, 3, len(leaves)])
        groups = tuple(tuple(leaves[at : at + size]) for at in range(0, len(leaves), size))
        query = DearQuery(groups, random.choice(["OR", "AND"]), random.random() < 0.1)
        if query.allowed():
            return query


def change(query: DearQuery, random: Random) -> DearQuery:
    """Return the same with one to three small changes, allowed like it."""
    for _ in range(_TRIES):
        other = query
        for _ in range(random.choice([1, 1, 2, 3])):
            other = _change_once(other, random)
        if other != query and other.allowed():
            return other
    return make_query(random)


def _change_once(query: DearQuery, random: Random) -> DearQuery:
    groups = [list(group) for group in query.groups]
    group = random.choice(groups)
    at = random.randrange(len(group))
    match random.choice(["words", "words", "slop", "add", "add", "drop", "group", "outer"]):
        case "words":
            group[at] = _other_words(group[at], random)
        case "slop":
            group[at] = group[at]._replace(slop=random.choice(SLOPS))
        case "add":
            group.insert(at, random.choice([_leaf(random), _other_words(group[at], random)]))
        case "drop" if len(group) > 1:
            del group[at]
        case "group":
            groups.append([_other_words(leaf, random) for leaf in group])
        case "outer":
            return query._replace(outer="AND" if query.outer == "OR" else "OR")
    return query._replace(groups=tuple(map(tuple, groups)))


def _other_words(leaf: Leaf, random: Random) -> Leaf:
    words = list(leaf.words)
    at = random.randrange(len(words))
    match random.choice(["other", "more", "fewer", "again", "order"]):
        case "other":
            words[at] = _word(random)
        case "more" if len(words) < MOST_WORDS:
            words.insert(at, _word(random))
        case "fewer" if len(words) > 1:
            del words[at]
        case "again" if len(words) < MOST_WORDS:
            words.insert(at, random.choice(words))
        case "order":
            random.shuffle(words)
    return leaf._replace(words=tuple(words))


def _leaf(random: Random) -> Leaf:
    chosen = random.random()
    if chosen < 0.1:
        return Leaf((random.choice(WILD + WILD_INSIDE),))
    if chosen < 0.2:
        return Leaf((_word(random),))
    count = random.choice([2, 2, 3, 4, 6, 10, 30])
    # Of all different words, or of a few again and again.
    most = random.choice([2, 5, len(COMMON)])
    pool = random.sample(COMMON[: max(most, 8)], min(most, max(most, 8)))
    words = [random.choice(pool) for _ in range(count)]
    if most > count and random.random() < 0.8:
        words = random.sample(pool, count)
    return Leaf(tuple(words), random.choice(SLOPS))


def _word(random: Random) -> str:
    """Return a common word, the most common most often."""
    return COMMON[int(len(COMMON) * random.random() ** 2)]
