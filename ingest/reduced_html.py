"""The text of ordinary HTML, fast: less markup for the parser, and no walk over its tree.

Four fifths of EDGAR's HTML is markup. A report has some ten thousand tags, but only some hundred
different ones, so each different tag is looked at once: attributes are dropped, tags that only
format are dropped whole, and a line break or a blank is put where the text has one. The parser
then builds the same tree without attributes and formatting, and the text in it is all there is.
"""

import re
from collections.abc import Iterator

from resiliparse.parse.html import HTMLTree

# What a browser does not show is no text: the title, also where a document in the document has it,
# and what inline XBRL reports hide from the reader.
HIDDEN = (
    "title",
    "ix\\:header",
    "[hidden]",
    "[style*='display:none' i]",
    "[style*='display: none' i]",
    "[style*='display :none' i]",
    "[style*='display : none' i]",
)

# Formatting alone: what stands on both sides of these tags belongs together.
_INLINE = frozenset(
    b"a abbr acronym b big cite code del em font i img ins ix:continuation ix:footnote"
    b" ix:nonfraction ix:nonnumeric kbd nobr s samp small span strike strong sub sup tt u"
    b" var".split()
)
_PARAGRAPHS = frozenset(b"h1 h2 h3 h4 h5 h6 p".split())
_LINES = frozenset(
    b"address article aside blockquote caption center dd details div dl dt fieldset footer form"
    b" header hgroup hr li main nav ol section table tbody tfoot thead tr ul".split()
)
_CELLS = frozenset(b"td th".split())
_OTHERS = frozenset(b"body br col colgroup head html link meta page title".split())
# What the parser needs no attributes of.
_BARE = _PARAGRAPHS | _LINES | _CELLS | _OTHERS
# Elements whose content is no text of the page.
_NO_TEXT = frozenset(
    b"audio figcaption figure iframe ix:header noscript object script style template title"
    b" video".split()
)
# Form fields, line breaks that count, and what has rules of its own for all inside of it.
_NOT_ORDINARY = frozenset(
    b"button datalist dir frameset input label legend listing math menu meter noembed noframes"
    b" optgroup option output plaintext pre progress select svg textarea xmp".split()
)
# White space for `normalise`, but a line that holds it is no line of blanks.
_MARK = b"\v"
_EMPTY_LINE = b"\n" + _MARK + b"\n"

_NAME = re.compile(rb"/?([A-Za-z][^\s/]*)")
# A tag whose quotes are in pairs, so that no bracket in an attribute was taken for its end.
_TAG = re.compile(
    rb"(/?)([A-Za-z][^\s/\"']*+)"
    rb"(?:[\s/]*+[^\s\"'=/]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"']++))?+)*+[\s/]*+"
)
# In a tag: that it hides its element, though perhaps only in an attribute's value.
_HIDES = re.compile(rb"display ?: ?none|\bhidden\b", re.IGNORECASE)
_NO_BRACKETS = bytes(set(range(256)) - set(b"<>"))
# Both brackets become one, so that one split finds them; line breaks of the source are blanks.
_SPLITTABLE = bytes.maketrans(b">\r\n", b"<  ")
_CHUNK_BYTES = 100_000  # what the processor has at hand; larger ones took a sixth longer


class _NotOrdinaryError(Exception):
    """The markup has something that is not safe to reduce."""


def reduced_html_text(html: str) -> str | None:
    """Return the text of `html`, None where it is not ordinary enough to be sure of it.

    Words, their order and their lines are those of `extract_plain_text`, but for breaks at the ends
    of blocks and table cells, which that puts only before some elements. Lines may hold any white
    space; those of nothing but blanks are left out.
    """
    data = html.encode("utf-8", errors="replace")
    tags = _ReducedTags(frozenset())
    try:
        reduced = _reduced(data, tags)
        if tags.hides:
            # Formatting that hides: of such elements every tag must stay.
            tags = _ReducedTags(frozenset(tags.hides))
            reduced = _reduced(data, tags)
    except _NotOrdinaryError:
        return None
    body = HTMLTree.parse_from_bytes(reduced, "utf-8").body
    if body is None:
        return None
    if tags.unwanted:
        # Indexing or iterating would run the query again for each element.
        for element in body.query_selector_all(tags.unwanted).values():
            element.remove()
    return "\n".join([line for line in (body.text or "").split("\n") if line.strip(" ")])


def _reduced(data: bytes, tags: "_ReducedTags") -> bytes:
    return b"".join([_reduced_chunk(chunk, tags) for chunk in _chunks(data)])


def _chunks(data: bytes) -> Iterator[bytes]:
    """Yield `data` in pieces of which all but the first begin at a "<"."""
    start = 0
    while start < len(data):
        end = data.find(b"<", start + _CHUNK_BYTES)
        end = len(data) if end < 0 else end
        yield data[start:end]
        start = end


def _reduced_chunk(chunk: bytes, tags: "_ReducedTags") -> bytes:
    brackets = chunk.translate(None, _NO_BRACKETS)
    if brackets != b"<>" * (len(brackets) // 2):
        # One stands in an attribute, in the text, in a comment or in a script.
        raise _NotOrdinaryError
    pieces = chunk.translate(_SPLITTABLE).split(b"<")
    pieces[1::2] = map(tags.__getitem__, pieces[1::2])
    return b"".join(pieces)


class _ReducedTags(dict[bytes, bytes]):
    """What becomes of each tag, by what stands between its brackets."""

    def __init__(self, kept: frozenset[bytes]) -> None:
        # Names of formatting elements that are kept, and of those that would have to be.
        self._kept = kept
        self.hides: set[bytes] = set()
        self._unwanted: set[str] = set()

    @property
    def unwanted(self) -> str:
        """What selects the elements whose text is not wanted, "" where there are none."""
        return ",".join(sorted(self._unwanted))

    def __missing__(self, tag: bytes) -> bytes:
        self[tag] = reduced = self._reduced(tag)
        return reduced

    def _reduced(self, tag: bytes) -> bytes:
        if not _NAME.match(tag) or b"--" in tag:
            return b"<%b>" % tag  # A declaration or comment, or what may end one.
        match = _TAG.fullmatch(tag)
        if match is None:
            raise _NotOrdinaryError
        closing, name = match[1], match[2].lower()
        if name in _NOT_ORDINARY:
            raise _NotOrdinaryError
        if name in _NO_TEXT:
            self._unwanted.add(name.decode().replace(":", "\\:"))
        if _HIDES.search(tag):
            self._unwanted.update(HIDDEN)
            self.hides |= {name} & (_INLINE - self._kept)
            return _break(closing, name) + b"<%b>" % tag
        if name in _INLINE and name not in self._kept:
            return b""
        kept = b"<%b%b>" % (closing, name) if name in _BARE else b"<%b>" % tag
        return _break(closing, name) + kept


def _break(closing: bytes, name: bytes) -> bytes:
    """Return the white space before a tag."""
    if name in _PARAGRAPHS:
        return _EMPTY_LINE
    if name in _LINES:
        return b"\n"
    if name == b"br":
        return b"\n" + _MARK
    return b" " if name in _CELLS and not closing else b""
