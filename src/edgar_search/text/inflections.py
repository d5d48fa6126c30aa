"""English words and their inflections.

Each line of `inflections.txt` holds an inflected base word and the endings with which it occurs in
a list of English words. `python -m tests.support.inflections` generates it.

An ending is appended to its base (`s`); `-` replaces the base's last letter (`-ed` of `lease`,
`-ies` of `company`), and `=` doubles it (`=ed` of `swap`).
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

# More than any word in the list has; each costs another lookup.
MAX_FORMS = 12
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
        """Return the other forms of the bases of `word`, the shortest first."""
        words: set[str] = set()
        for base, ending in bases(word):
            endings = self._endings(base)
            if not ending or ending in endings:
                words.update([base, *(form_word(base, one_ending) for one_ending in endings)])
        # A word without a listed ending is its own base.
        return tuple(sorted(words - {word}, key=lambda form: (len(form), form))[:MAX_FORMS])

    def _endings(self, base: str) -> list[str]:
        wanted = f"{base} ".encode()
        place = bisect_left(self._lines, wanted)
        line = self._lines[place] if place < len(self._lines) else b""
        return line[len(wanted) :].decode().split(" ") if line.startswith(wanted) else []


def form_word(base: str, ending: str) -> str:
    """Return the word formed by a base and an ending."""
    if ending.startswith(REPLACING):
        return base[:-1] + ending[1:]
    if ending.startswith(DOUBLING):
        return base + base[-1] + ending[1:]
    return base + ending


def bases(word: str) -> Iterator[tuple[str, str]]:
    """Yield the word itself, with no ending, and its possible bases with their endings."""
    yield word, ""
    for ending in ENDINGS:
        tail = ending.lstrip(REPLACING + DOUBLING)
        stem = word.removesuffix(tail)
        if stem == word or not stem:
            continue
        if ending.startswith(REPLACING):
            yield f"{stem}e", ending
            yield f"{stem}y", ending
        elif not ending.startswith(DOUBLING):
            yield stem, ending
        elif stem[-2:-1] == stem[-1]:
            yield stem[:-1], ending


@cache
def inflections() -> Inflections:
    """Return the built-in list, which is read on first use."""
    text = files("edgar_search.text").joinpath("inflections.txt").read_bytes()
    return Inflections(text.splitlines())
