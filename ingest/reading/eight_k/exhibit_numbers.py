"""Numbers of exhibits as current reports write them: alone, several at once, and in ranges."""

import re
from collections.abc import Iterator

# The numbers of Item 601 of Regulation S-K that a current report may have.
_NUMBERS = frozenset(
    map(str, (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25))
) | frozenset(map(str, (26, 27, 28, 33, 34, 35, 36, 95, 96, 97, 99, 100, 101, 102, 103, 104, 106)))
_LETTER = r"\([a-z0-9]{1,3}\)"
_ONE = rf"[0-9]{{1,3}}(?:\.[0-9]{{1,3}}(?:[a-z]\b)?)?(?:\s?{_LETTER})?"
# After the first only what cannot be another thing's number: with a point, or a letter alone.
_NEXT = rf"(?:[0-9]{{1,3}}\.[0-9]{{1,3}}(?:[a-z]\b)?(?:\s?{_LETTER})?|{_LETTER})"
_JOIN = r"\s*(?:,\s*and\b|,|&|-|–|—|\band\b|\bto\b|\bthrough\b)\s*(?:exhibits?\s+)?"
# One number or several: "99.1", "99.1 and 99.2", "99.4(a)-(c)", "10.1 through 10.4".
WRITTEN = rf"{_ONE}(?:{_JOIN}{_NEXT})*(?![0-9])"
_PIECES = re.compile(
    rf"(?P<range>-|–|—|\bto\b|\bthrough\b)|(?P<one>{_ONE})|(?P<letter>{_LETTER})", re.I
)
# A set of letters at the beginning is what the engine can look for fast.
_MENTION = re.compile(
    rf"[Ee](?<!\w[Ee])(?i:xhibits?\s+(?:nos?\.?\s+|numbers?\s+)?(?P<written>{WRITTEN}))"
)
_DECIMAL = re.compile(r"([0-9]{1,3}\.)([0-9]{1,3})")
_LETTERED = re.compile(r"(.*\()([a-z])\)")
_MOST = 40  # numbers of a range


def exhibit_number(written: str) -> str | None:
    """An exhibit's number without blanks, None for what is none."""
    number = re.sub(r"\s|\.(?=\()", "", written).lower()
    return number if major(number) in _NUMBERS else None


def major(number: str) -> str:
    """What stands before the point or the letter: "99" of "99.1" and of "99(a)"."""
    return re.split(r"[.(-]", number)[0]


def exhibit_numbers(written: str) -> list[str]:
    """The numbers that "99.1 and 99.2" or "99.4(a)-(c)" stands for, in order."""
    numbers: list[str] = []
    ranges = False
    for piece in _PIECES.finditer(written):
        if piece["range"]:
            ranges = True
            continue
        number = exhibit_number(_whole(piece, numbers))
        if number is not None:
            numbers += _between(numbers[-1], number) if ranges and numbers else []
            numbers.append(number)
        ranges = False
    return numbers


def mentioned_exhibits(text: str) -> list[str]:
    """The numbers of the exhibits that a text mentions, in order, each once."""
    found = (each for m in _MENTION.finditer(text) for each in exhibit_numbers(m["written"]))
    return list(dict.fromkeys(found))


def _whole(piece: re.Match[str], before: list[str]) -> str:
    """A number as it stands, or of a letter alone with the number before it."""
    if piece["one"]:
        return piece["one"]
    return f"{before[-1].partition('(')[0]}{piece['letter']}" if before else ""


def _between(first: str, last: str) -> Iterator[str]:
    """What lies between the ends of a range."""
    for pattern, value, back in ((_DECIMAL, int, str), (_LETTERED, ord, chr)):
        one, other = pattern.fullmatch(first), pattern.fullmatch(last)
        if one and other and one[1] == other[1]:
            end = ")" if pattern is _LETTERED else ""
            for each in list(range(value(one[2]) + 1, value(other[2])))[:_MOST]:
                yield f"{one[1]}{back(each)}{end}"
