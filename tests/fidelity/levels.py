"""Raised and lowered characters as a reader takes them: the words of a line with such parts."""

import re

from lxml import etree

UP, DOWN, END = "\ue010", "\ue011", "\ue012"
_SMALL_SHIFT = 1.5
_RUN = re.compile(f"([{UP}{DOWN}])([^{UP}{DOWN}{END}]*){END}")
_LENGTH = re.compile(r"(-?[0-9]*\.?[0-9]+)(pt|px|em|ex|%)")


def level(element: etree._Element) -> str:
    """Return the sign of an element that raises or lowers its text, "" for others."""
    if element.tag in ("sup", "sub"):
        return UP if element.tag == "sup" else DOWN
    if element.tag not in ("a", "b", "font", "i", "span", "u", "small", "em", "strong"):
        return ""
    style = dict(
        [part.strip().lower() for part in each.split(":", 1)]
        for each in element.get("style", "").split(";")
        if ":" in each
    )
    align = style.get("vertical-align", "")
    small = "font-size" in style or "font" in style
    if align == "super" or (align in ("top", "text-top") and small):
        return UP
    if align == "sub" or (align in ("bottom", "text-bottom") and small):
        return DOWN
    shift = _shift(align)
    if not shift and style.get("position") == "relative":
        shift = _shift(style.get("bottom", "")) - _shift(style.get("top", ""))
    return UP if shift > 0 else DOWN if shift < 0 and small else ""


def _shift(length: str) -> float:
    match = _LENGTH.fullmatch(length)
    if match is None:
        return 0
    shift = float(match[1])
    least = {"pt": 1.5, "px": 2, "em": 0.15, "ex": 0.3, "%": 10}[match[2]]
    return shift if abs(shift) >= least else 0


def read_levels(text: str) -> str:
    """Return the words of a text with signs: marks of footnotes are none, letters are apart."""
    text = re.sub(f"{END}+{UP}+", "", re.sub(f"{UP}+", UP, re.sub(f"{END}+", END, text)))
    text = re.sub(
        f"{UP}(\\s*[0-9]{{1,3}}\\s*){END}?([/\u2044\u2215]){DOWN}?([0-9]{{1,3}}){END}?(?![0-9])",
        r" \1/\3",
        text,
    )
    pieces: list[str] = []
    at = 0
    for run in _RUN.finditer(text):
        pieces += (
            text[at : run.start()],
            _words(run[1], run[2], "".join(pieces[-2:]) + text[at : run.start()]),
        )
        at = run.end()
    return re.sub(f"[{UP}{DOWN}{END}]", "", "".join([*pieces, text[at:]]))


def _words(sign: str, shown: str, before: str) -> str:
    bare = shown.strip()
    marks = {"tm": "\u2122", "sm": "\u2120", "r": "\u00ae"}
    letters = bare.strip("()")
    if sign == UP and letters.lower() in marks and bare != "r":
        return marks[letters.lower()]
    if sign == DOWN and before[-1:].isalpha() and not re.search("[A-Za-z][a-z]{3}$", before):
        return shown
    if sign == UP and before[-1:].isdigit() and bare.lower() in ("st", "nd", "rd", "th"):
        return shown
    if re.fullmatch(r"[-+()0-9,;\s]+", bare) and bare.count("(") == bare.count(")"):
        return shown if re.search("[0-9]{4}", bare) else " "
    return f" {shown} " if re.search(r"\w", bare) else shown
