"""Attributes of filed documents that the viewer keeps: layout that stays within the document."""

import re
from functools import lru_cache

_LOOKS = frozenset(
    "align-items background background-color border border-bottom border-bottom-color"
    " border-bottom-style border-bottom-width border-collapse border-color border-left"
    " border-left-color border-left-style border-left-width border-radius border-right"
    " border-right-color border-right-style border-right-width border-spacing border-style"
    " border-top border-top-color border-top-style border-top-width border-width box-sizing"
    " break-after break-before break-inside clear color column-count column-gap direction display"
    " empty-cells flex flex-direction flex-wrap float font font-family font-size font-style"
    " font-variant font-weight gap height justify-content letter-spacing line-height list-style"
    " list-style-type margin margin-bottom margin-left margin-right margin-top max-height max-width"
    " min-height min-width overflow-wrap padding padding-bottom padding-left padding-right"
    " padding-top page-break-after page-break-before page-break-inside table-layout text-align"
    " text-decoration text-decoration-color text-decoration-line text-decoration-style text-indent"
    " text-transform vertical-align visibility white-space width word-break word-spacing"
    " word-wrap".split()
)
_LENGTH = r"[-+]?(?:\d{1,5}(?:\.\d{0,20})?|\.\d{1,20})(?:%|ch|cm|em|ex|in|mm|pc|pt|px|rem)?"
_SIDE = re.compile(rf"(?:auto|{_LENGTH})")
_CLIP = re.compile("hidden|visible")
_TURN = r"rotate\(\s*[-+]?\d{1,3}(?:\.\d{0,20})?(?:deg)?\s*\)"
_MOVE = rf"translate[XYxy]?\(\s*{_LENGTH}(?:\s*,\s*{_LENGTH})?\s*\)"
_STEP = rf"(?:{_TURN}|{_MOVE})"
_EDGE = rf"(?:bottom|center|left|right|top|{_LENGTH})"
# Positions within the document, which the frame keeps below our own elements. Nothing may stay
# fixed while the document is scrolled, grow, or choose its level above others: no filing of the
# corpus needs that.
_PLACES: dict[str, re.Pattern[str]] = {
    "position": re.compile("absolute|relative|static"),
    **dict.fromkeys(("top", "right", "bottom", "left"), _SIDE),
    **dict.fromkeys(("overflow", "overflow-x", "overflow-y"), _CLIP),
    "transform": re.compile(rf"{_STEP}(?:\s+{_STEP}){{0,5}}"),
    "transform-origin": re.compile(rf"{_EDGE}(?:\s+{_EDGE})?"),
}
PROPERTIES = _LOOKS | _PLACES.keys()
_NAME = re.compile(r"\s*([A-Za-z-]{1,40})\s*")
_ADDRESSES = frozenset({"href", "src"})
_NOT_WRITTEN = re.compile(r"[\0- ]")
# Filers repeat a few hundred styles again and again.
_REMEMBERED, _LONGEST = 4_096, 1_000


def keep_attribute(_: str, attribute: str, value: str) -> str | None:
    """Return an attribute's value if it is allowed, or the allowed part of a style; else None.

    An address that begins with a slash belongs to this service or to another site, even with white
    space or control characters, which browsers ignore.
    """
    if attribute in _ADDRESSES:
        return None if _NOT_WRITTEN.sub("", value).startswith(("/", "\\")) else value
    if attribute != "style":
        return value
    return _known_styles(value) if len(value) <= _LONGEST else keep_styles(value)


def keep_styles(style: str) -> str:
    """Keep the allowed declarations of a style, with names in lower case.

    The sanitiser parses the result again, by the CSS grammar and the same names. For it a
    declaration begins after a semicolon or a block, so splitting at semicolons is enough here if
    there is no block, and no name or position is written with escapes or comments.
    """
    return ";".join(filter(None, map(_keep_declaration, style.split(";"))))


_known_styles = lru_cache(_REMEMBERED)(keep_styles)


def _keep_declaration(declaration: str) -> str:
    name, colon, value = declaration.partition(":")
    named = _NAME.fullmatch(name)
    if not colon or named is None or "{" in value or "}" in value:
        return ""
    property_name = named[1].lower()
    if property_name in _LOOKS:
        return f"{property_name}:{value}"
    place = _PLACES.get(property_name)
    stripped = value.lower().replace("!important", "").strip()
    return f"{property_name}:{stripped}" if place and place.fullmatch(stripped) else ""
