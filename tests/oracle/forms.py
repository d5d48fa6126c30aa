"""Forms of words and related words, read from the same lists, by families and by groups."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import edgar_search.search.language
import edgar_search.text.inflections
from edgar_search.text.words import normalise, tokens

LIST = Path(edgar_search.text.inflections.__file__).with_name("inflections.txt")
GROUPS = Path(edgar_search.search.language.__file__).with_name("related.txt")
MOST = 12


def forms(text: str) -> list[str]:
    """Return the other words that satisfy a word as it was written, if forms are requested."""
    words = tokens(normalise(text))
    written = re.search("[A-Za-z]+", text)
    if len(words) > 1 or written is None or written[0].lower() != words[0]:
        return []
    word = words[0]
    if len(word) < 3 or written[0][0].isupper():
        return []
    members = {member for base in _bases()[word] for member in _families()[base]}
    return sorted(members - {word}, key=lambda form: (len(form), form))[:MOST]


def related(text: str) -> list[list[str]]:
    """Return the tokens of each text that satisfies a word as it was written by its meaning."""
    own = {*tokens(normalise(text)), *forms(text)}
    if not forms(text) and not re.fullmatch("[^A-Za-z]*[a-z][A-Za-z]{2,}[^A-Za-z]*", text):
        return []
    return [
        tokens(other)
        for group in _groups()
        if len(tokens(text)) == 1 and tokens(text)[0] in {w for m in group for w in (m, *forms(m))}
        for member in group
        if member not in own
        for other in (member, *forms(member))
    ]


def grouped_words() -> list[str]:
    """Return the single words of the groups."""
    return [member for group in _groups() for member in group if " " not in member]


@cache
def _groups() -> list[list[str]]:
    return [line.split(" / ") for line in GROUPS.read_text().splitlines()]


@cache
def _families() -> Mapping[str, list[str]]:
    """Return all words that each base becomes, the base first."""
    families = {}
    for line in LIST.read_text().splitlines():
        base, *endings = line.split(" ")
        families[base] = [base, *(_member(base, ending) for ending in endings)]
    return families


@cache
def _bases() -> Mapping[str, list[str]]:
    bases: defaultdict[str, list[str]] = defaultdict(list)
    for base, members in _families().items():
        for member in members:
            bases[member].append(base)
    return bases


def _member(base: str, ending: str) -> str:
    match ending[0]:
        case "-":
            return base[:-1] + ending[1:]
        case "=":
            return base + base[-1] + ending[1:]
        case _:
            return base + ending
