"""Forms of words: the inflections that satisfy a word of a query too, and related words.

`inflections.txt` has a line for each base word that has any: the word, and the endings with which
a list of English words has it too. `python -m tests.support.inflections` makes it.

An ending is behind its base (`s`), with `-` in the place of the base's last letter (`-ed` of
`lease`, `-ies` of `company`), with `=` behind that letter once more (`=ed` of `swap`).

`related.txt` has a line for each group of words of the trade that mean one thing in filings, with
` / ` between them. Some are phrases, without punctuation. A word of a query has the others of its
group as related words, single ones in all their forms.

Phrases, wildcards, words that begin with a capital, and compounds stay exact: whatever is not one
word of small English letters.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from msgspec import structs

from edgar_search.search.language.tree import And, Node, Or, Word, check_cost
from edgar_search.text.words import token_spans

# No word of the list has as many; each is one more word to look up.
MAX_FORMS = 12
# A shorter word is a form of too much else: `it` of `its`, `on` of `one`.
MIN_LETTERS = 3
REPLACING, DOUBLING = "-="
_NOUNS = ("ation", "ations", "ion", "ions", "al", "als")
_VERBS = ("ed", "ing", "ings")
ENDINGS = (
    *("s", "'s", "es", *_VERBS, "ment", "ments", *_NOUNS, "ly", "ally"),
    *(REPLACING + tail for tail in (*_VERBS, *_NOUNS, "y", "ies", "ied", "ily")),
    *(DOUBLING + tail for tail in _VERBS),
)


class Inflections:
    """The lines of the list, in order."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines

    def forms(self, word: str) -> tuple[str, ...]:
        """Other words formed from a base from which `word` is, the shortest first."""
        found: set[str] = set()
        for base, ending in bases(word):
            endings = self._endings(base)
            if not ending or ending in endings:
                found.update([base, *(form_word(base, each) for each in endings)])
        # A word that is formed with none of the listed endings is its own base.
        return tuple(sorted(found - {word}, key=lambda form: (len(form), form))[:MAX_FORMS])

    def _endings(self, base: str) -> list[str]:
        wanted = f"{base} ".encode()
        place = bisect_left(self._lines, wanted)
        line = self._lines[place] if place < len(self._lines) else b""
        return line[len(wanted) :].decode().split(" ") if line.startswith(wanted) else []


def form_word(base: str, ending: str) -> str:
    """The word that a base becomes with an ending."""
    if ending.startswith(REPLACING):
        return base[:-1] + ending[1:]
    if ending.startswith(DOUBLING):
        return base + base[-1] + ending[1:]
    return base + ending


def bases(word: str) -> Iterator[tuple[str, str]]:
    """The word itself, with no ending, and the possible bases of the word, with their endings."""
    yield word, ""
    for ending in ENDINGS:
        tail = ending.lstrip(REPLACING + DOUBLING)
        rest = word.removesuffix(tail)
        if rest == word or not rest:
            continue
        if ending.startswith(REPLACING):
            yield f"{rest}e", ending
            yield f"{rest}y", ending
        elif not ending.startswith(DOUBLING):
            yield rest, ending
        elif rest[-2:-1] == rest[-1]:
            yield rest[:-1], ending


_OF_NOUNS = ("s", "es", f"{REPLACING}ies")


def number_forms(word: str) -> tuple[str, ...]:
    """Return the plural of a word in lower case, or its singular; none if it is not known."""
    forms = inflections().forms(word) if _INFLECTED.fullmatch(word) else ()
    singular = [base for base, ending in bases(word) if ending in _OF_NOUNS and base in forms]
    plural = [form_word(word, ending) for ending in _OF_NOUNS]
    return tuple(singular) or tuple(form for form in forms if form in plural)


@cache
def inflections() -> Inflections:
    """The list that comes with the program, read when it is first asked for."""
    text = files("edgar_search.search.language").joinpath("inflections.txt").read_bytes()
    return Inflections(text.splitlines())


_BETWEEN_MEMBERS = " / "


def related_groups() -> list[list[str]]:
    """The groups of related words that come with the program, as they are listed."""
    text = files("edgar_search.search.language").joinpath("related.txt").read_text()
    return [line.split(_BETWEEN_MEMBERS) for line in text.splitlines()]


@cache
def _related() -> Mapping[str, tuple[str, ...]]:
    """The related words of each word of the groups, in whatever form."""
    found: dict[str, tuple[str, ...]] = {}
    for group in related_groups():
        members = {each: (each, *inflections().forms(each)) for each in group}
        for member in group:
            others = (text for each in group if each != member for text in members[each])
            found |= dict.fromkeys(members[member], tuple(dict.fromkeys(others)))
    return found


def has_related(text: str) -> bool:
    """Say whether a word as it is written has related words."""
    return _inflected_word(text) in _related()


WordForms: TypeAlias = Literal["exact", "all", "related"]
EXACT: WordForms = "exact"
ALL: WordForms = "all"
RELATED: WordForms = "related"
WORD_FORMS = (EXACT, ALL, RELATED)

_INFLECTED = re.compile(f"[a-z][A-Za-z]{{{MIN_LETTERS - 1},}}")


def with_forms(node: Node, word_forms: str) -> Node:
    """Return the tree; with the forms of its words, excluded ones too, if all are asked for.

    And with their related words, if these are asked for. Raises QueryError if that costs too much.
    """
    if word_forms == EXACT:
        return node
    tree = _with_forms(node, word_forms == RELATED)
    check_cost(tree)
    return tree


def _with_forms(node: Node, related: bool) -> Node:
    if isinstance(node, And):
        positive = tuple(_with_forms(each, related) for each in node.positive)
        return And(positive, tuple(_with_forms(each, related) for each in node.negative))
    if isinstance(node, Or):
        return Or(tuple(_with_forms(each, related) for each in node.operands))
    if not isinstance(node, Word) or (word := _inflected_word(node.text)) is None:
        return node
    forms = tuple(dict.fromkeys((*node.forms, *inflections().forms(word))))
    return structs.replace(node, forms=forms, related=_related().get(word, ()) if related else ())


def _inflected_word(text: str) -> str | None:
    """The word in lower case; None for one that has no forms."""
    words = [text[start:end] for start, end in token_spans(text)]
    return words[0].lower() if len(words) == 1 and _INFLECTED.fullmatch(words[0]) else None
