"""Raised and lowered characters of HTML: footnote marks, powers, fractions, units.

Joined to the word or number before them they would change it: "518" with a raised "2" is not 5182.
Every HTML reader puts marks around them; their final form is decided here, from the marked text
alone. Ordinals (4th) and formulas (CO2) stay words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

# Not white space, and in no text before the marks are added.
RAISED, LOWERED, LEVEL = LEVEL_MARKS = ("\x0e", "\x0f", "\x10")

_PLAIN = "0123456789+-=()"
SUPERSCRIPTS = (
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u207c\u207d\u207e"
)
SUBSCRIPTS = (
    "\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089\u208a\u208b\u208c\u208d\u208e"
)
# Every raised dash is a minus sign.
FILED_DASHES = str.maketrans("\u2212\u2013", "--")
_FORMS = {
    RAISED: str.maketrans(_PLAIN, SUPERSCRIPTS),
    LOWERED: str.maketrans(_PLAIN, SUBSCRIPTS),
}
_TRADE_MARKS = {"TM": "\u2122", "SM": "\u2120", "R": "\u00ae"}
# The filed characters that each character of the text may stand for.
FILED_FORMS = dict(zip(SUPERSCRIPTS + SUBSCRIPTS, 2 * _PLAIN, strict=True)) | {
    sign: letters for letters, sign in _TRADE_MARKS.items()
}
# An "r" without parentheses is a footnote mark.
_TRADE_MARK = re.compile(r"\(?(tm|TM|sm|SM|R)\)?|\((r)\)")

_MARKS = re.compile(f"([{RAISED}{LOWERED}{LEVEL}])")
# Marks of cells and rows, and line ends: nothing raised spans one.
_STRUCTURE = re.compile("[\x1b-\x1f\n]")
# Numbers of stretches, which replace the source's text while it is mapped.
_PLACE = re.compile("(\ue000[0-9]+\ue001)")
_SEEN = 60  # adjacent characters that decide
_FORMED = re.compile(r"(?=[(\s]*+[0-9+\-\u2212\u2013])[0-9+\-\u2212\u2013=(),;\s]*")
_DIGIT, _LONG_NUMBER = re.compile("[0-9]"), re.compile("[0-9]{4}")
_SLASHES = re.compile("[/\u2044\u2215]")
_ANY = r"(?>(?:\ue000[0-9]+\ue001|[^\S\n\x1c-\x1f])*)"
_FRACTION = re.compile(
    f"{RAISED}(?<!{RAISED}{RAISED}){RAISED}*+{_ANY}(?P<over>[0-9]{{1,3}}){_ANY}(?P<slash>{_SLASHES.pattern}?){_ANY}"
    f"{LEVEL}++{_ANY}"
    f"(?P<slash2>{_SLASHES.pattern}?){_ANY}(?:"
    f"{LOWERED}++{_ANY}(?P<slash3>{_SLASHES.pattern}?){_ANY}(?P<lowered>[0-9]{{1,3}}){_ANY}{LEVEL}++"
    r"|(?P<level>[0-9]{1,3})(?![0-9]|[.,][0-9]))"
)
# Letters, and signs that are footnote marks.
_APART = re.compile(r"[*\u2020\u2021\u00a7\u00b6#]|[^\W_]")
_WORD = re.compile(r"(?:[0-9](?i:st|nd|rd|th)|\b[nk]th|\bMa?c|\bN[o\u00ba])\Z")
# An ordinary word, after which a lowered digit is not part of a formula.
_USUAL_WORD = re.compile(r"[A-Za-z][a-z]{3}\)?$")
_OF_FORMULA = re.compile(r"[^\W\d_]\)?$|[^\W\d_][0-9]+\)$")


# The style attribute of an inline element.
_STYLE = re.compile(
    r"(?:^|[\s\"'])style\s*=\s*(?:\"([^\"]*)|'([^']*)|([^\s\"'>]+))",
    re.IGNORECASE,
)
_PROPERTY = re.compile(
    r"(?:^|;)\s*(vertical-align|position|top|bottom|font(?:-size)?)\s*:\s*([^;]*)"
)
_LENGTH = re.compile(r"([+-]?(?:[0-9]{1,6}(?:\.[0-9]{0,20})?|\.[0-9]{1,20}))\s*(pt|px|em|ex|rem|%)")
# The rules of a style sheet, as text without tags, and tags with classes.
_SHEET = re.compile(r"<style\b[^<>]*>\s*(?:<!--)?([^<]*)", re.IGNORECASE)
_CLASS_RULE = re.compile(r"\.([A-Za-z][\w-]{0,60})\s*\{([^{}'\"]{1,500})\}")
_TAG = re.compile(r"<([A-Za-z][\w:]*)\s[^<>]*>")
_CLASSES = re.compile(r"\bclass\s*=\s*[\"']?([^\"'<>]*)")
# A smaller shift is not a footnote mark; it only adjusts how a sign looks.
_LEAST = {"pt": 1.5, "px": 2.0, "em": 0.15, "ex": 0.3, "rem": 0.15, "%": 10.0}
_NAMES = {"sup": RAISED, "sub": LOWERED}
_TAG_NAME = re.compile(rb"(/?)([A-Za-z][^\s/>]*)")
_FARTHEST = 30  # tags inside raised text


def level_of(name: str, attributes: str) -> str:
    """Return the mark of an inline element that raises or lowers its text, or ""."""
    if name in _NAMES:
        return _NAMES[name]
    lower = attributes.lower()
    if "vertical-align" not in lower and "relative" not in lower:
        return ""
    style = _STYLE.search(attributes)
    if style is None:
        return ""
    properties = dict(_PROPERTY.findall("".join(filter(None, style.groups())).lower()))
    align = properties.get("vertical-align", "").strip()
    has_size = "font-size" in properties or "font" in properties or " size=" in lower
    if align in ("super", "sub"):
        return RAISED if align == "super" else LOWERED
    if align in ("top", "text-top", "bottom", "text-bottom") and has_size:
        return RAISED if align.endswith("top") else LOWERED
    up = _moved(align)
    if not up and properties.get("position", "").strip() == "relative":
        up = _moved(properties.get("bottom", "")) - _moved(properties.get("top", ""))
    # Lowered text without a smaller font is moved for layout.
    return RAISED if up > 0 else LOWERED if up < 0 and has_size else ""


def with_class_levels(html: str) -> str:
    """Copy the levels of style sheet classes into the tags of `html` that use the class.

    A tag with its own style stays as it is.
    """
    levels = {
        name: "super" if level == RAISED else "sub"
        for sheet in _SHEET.findall(html)
        for name, style in _CLASS_RULE.findall(sheet)
        if (level := level_of("", f" style='{style}'"))
    }

    def styled(tag: re.Match[str]) -> str:
        classes = _CLASSES.search(tag[0], tag.end(1) - tag.start())
        names = classes[1].split() if classes else ()
        level = next((levels[name] for name in names if name in levels), None)
        if level is None or "style" in tag[0]:
            return tag[0]
        return f"<{tag[1]} style='vertical-align:{level}'{tag[0][len(tag[1]) + 1 :]}"

    return _TAG.sub(styled, html) if levels else html


def _moved(length: str) -> float:
    """Return a length if it is large enough to raise or lower text, otherwise 0."""
    match = _LENGTH.fullmatch(length.strip())
    moved = float(match[1]) if match else 0.0
    return moved if match and abs(moved) >= _LEAST[match[2]] else 0.0


def level_ends(tags: Sequence[bytes], raising: Mapping[bytes, bytes]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of tags that raise or lower, and of the tags that end them.

    `raising` gives the names of elements by the tags that begin them, in lower case.
    """
    for begin, tag in enumerate(tags):
        if (name := raising.get(tag)) is None:
            continue
        depth = 1
        for end in range(begin + 1, min(begin + _FARTHEST, len(tags))):
            other = tags[end]
            match = _TAG_NAME.match(other)
            if match is None or match[2].lower() != name:
                continue
            depth += -1 if match[1] else 1
            if not depth:
                yield begin, end
                break


def write_levels(marked: str) -> str:
    """Replace the marks in a text by the indexed form.

    Raised and lowered digits and signs get their Unicode forms, unless they are part of an ordinal,
    a formula or a fraction; letters and other signs are set apart by a blank.
    """
    if RAISED not in marked and LOWERED not in marked:
        return marked.replace(LEVEL, "")
    parts = _parts(_FRACTION.sub(_fraction, marked))
    pieces: list[str] = []
    before = ""
    for number, (level, text) in enumerate(parts):
        if level:
            behind = parts[number + 1][1][:_SEEN] if number + 1 < len(parts) else ""
            text = _written(level, text, _PLACE.sub("", before), _PLACE.sub("", behind))
        pieces.append(text)
        before = (before + text)[-_SEEN:]
    return "".join(pieces)


def _fraction(match: re.Match[str]) -> str:
    """Write an inline fraction apart from a whole number before it."""
    before = _MARKS.sub("", match.string[max(0, match.start() - 4) : match.start()])[-1:]
    slashes = match["slash"] + match["slash2"] + (match["slash3"] or "")
    under = int(match["lowered"] or match["level"])
    is_pair = len(slashes) == 1 or (not slashes and match["lowered"] and before.isdigit())
    if not is_pair or before.isalpha() or not 0 < int(match["over"]) < under:
        return match[0]
    text = _MARKS.sub("", match[0] if slashes else match[0].replace(LOWERED, "/"))
    is_apart = before.isdigit() or before == "\ue001" or text[0].isspace()
    return (" " if is_apart else "") + "".join(_SLASHES.sub("/", text).split())


def _parts(marked: str) -> list[tuple[str, str]]:
    """Split a text at its marks: the level of each piece, or "", and its text."""
    # Searches for single characters are many times as fast as a pattern.
    for mark in (RAISED, LOWERED):
        marked = marked.replace(mark, LEVEL + mark)
    parts: list[tuple[str, str]] = [("", "")]
    opened: list[str] = []
    for at, piece in enumerate(marked.split(LEVEL)):
        if piece.startswith((RAISED, LOWERED)):
            opened.append(piece[0])
            piece = piece[1:]
        elif at and opened:
            opened.pop()
        if opened and _STRUCTURE.search(piece):
            opened.clear()  # It is not closed.
        level = opened[-1] if opened else ""
        if len(parts) > 1 and parts[-2][0] == level != "" and not _PLACE.sub("", parts[-1][1]):
            piece = parts.pop()[1] + piece
        if parts[-1][0] == level:
            parts[-1] = level, parts[-1][1] + piece
        elif piece:
            parts.append((level, piece))
    return parts


def _written(level: str, text: str, before: str, behind: str) -> str:
    """Write raised or lowered text, given the texts around it."""
    visible = _PLACE.sub("", text).strip()
    last = before[-1:]
    if text[:1].isspace() or last.isspace() or _STRUCTURE.match(last):
        last = ""
    if not visible:
        return text
    if level == RAISED and (sign := _TRADE_MARK.fullmatch(visible)) and before.strip():
        return text.replace(visible, _TRADE_MARKS[(sign[1] or sign[2]).upper()])
    if last and (
        _ends_word(before, visible) if level == RAISED else _is_in_formula(before, visible)
    ):
        return text
    if _FORMED.fullmatch(visible) and visible.count("(") == visible.count(")"):
        if (last or _DIGIT.search(visible)) and not _LONG_NUMBER.search(visible):
            pieces = _PLACE.split(text)
            pieces[::2] = [
                piece.translate(FILED_DASHES).translate(_FORMS[level]) for piece in pieces[::2]
            ]
            return "".join(pieces)
    elif not _APART.search(visible) or (last.isdigit() and visible[0] == "."):
        return text
    is_glued = visible[-1].isalnum() and behind[:1].isalnum()
    return f"{' ' if last else ''}{text}{' ' if is_glued else ''}"


def _ends_word(before: str, shown: str) -> bool:
    return _WORD.search(before[-2:] + shown) is not None


def _is_in_formula(before: str, shown: str) -> bool:
    if "(" in shown or not _OF_FORMULA.search(before):
        return False
    return not (_USUAL_WORD.search(before) and shown.isdigit())
