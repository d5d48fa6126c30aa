"""Claims of a draft that can be checked: its quotes, and the filings that it cites; pure.

A quote is a text in quotation marks of any form, or a block quote of Markdown or HTML. It is
attributed to the document that is cited nearest to it, if one is near.
"""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from edgar_search.document.checked_citations import GivenCitation
from edgar_search.document.pasted_citations import MOST_PASTED, NAMED_DOCUMENT, cited_in_address
from edgar_search.document.worded_citations import WordedCitation, worded_citations
from edgar_search.edgar.identifiers import (
    ACCESSION_NUMBER,
    DOCUMENT_ID,
    accession_of,
    is_document_id,
    parse_accession_number,
)
from edgar_search.text.words import tokens

ClaimKind: TypeAlias = Literal["quote", "citation"]
# A shorter text in quotation marks is a term or a title.
_LEAST_WORDS, _LONGEST = 4, 4_000
# How many characters after or before a quote a citation may be to count as near.
_BEHIND, _BEFORE = 400, 200

# In Markdown, a footnote's mark behind a quote, and the footnote itself.
_NOTE_MARK = re.compile(r"[\s.,;:!?*_)]{0,4}\[\^(?P<name>[\w-]{1,40})\](?!:)")
_NOTE = re.compile(r"^[ \t]{0,3}\[\^(?P<name>[\w-]{1,40})\]:", re.MULTILINE)
_PARAGRAPH_END = re.compile(r"\n[ \t>]*\n")
_SENTENCE_END = re.compile(r"[.!?][)\]\"'”’»*_]*\s+(?=[*_]*[A-Z“\"'‘«])")


def _but(marks: str) -> str:
    """Build a pattern for words without these marks, within one paragraph."""
    return rf"(?:[^{marks}\n]|\n(?!\s*\n))+"


_QUOTED = re.compile(
    "|".join(
        (
            rf"[“„‟«](?P<double>{_but('“”„‟«»')})[”“»]",
            rf"»(?P<turned>{_but('«»')})«",
            rf"[「『](?P<corner>{_but('「」『』')})[」』]",
            # Emphasis may surround the marks, as in _"words"_.
            rf'(?<![^\W_])(?<!")"(?P<straight>{_but("“”" + chr(34))})"(?![^\W_])',
            # A mark before a letter, or before a decade, is an apostrophe; the first other one ends
            # the quote.
            rf"(?<!\w)[‘‚‹](?!\d0s)(?P<single>{_but('‘‚‹›')}?)[’›](?!\w)",
            r"(?<![^\s(\[*_—–-])'(?!\d0s|[\s'])(?P<plain>(?:[^'\"“”\n]|\n(?!\s*\n)|\b'\b)+)(?<!\s)'"
            r"(?![^\W_])",
        )
    )
)
_BLOCK = re.compile(r"^(?:[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_BLOCK_SIGN = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_BLOCK_TAG = re.compile(r"<(?P<end>/)?blockquote\b[^<>]{0,300}>", re.IGNORECASE)
_INLINE_TAG = re.compile(
    r"</?(?:a|abbr|b|cite|em|i|mark|q|s|small|span|strong|sub|sup|u)\b[^<>]{0,300}>", re.IGNORECASE
)
_TAG = re.compile(r"</?[a-z][^<>]{0,300}>", re.IGNORECASE)
# Emphasis in Markdown, and a backslash that escapes a mark.
_EMPHASIS = (
    re.compile(r"(?<!\*)(\*{1,3})(?![\s*])([^*\n]{1,4000})(?<!\s)\1(?!\*)"),
    re.compile(r"(?<![\w])(_{1,3})(?![\s_])([^_\n]{1,4000})(?<!\s)\1(?!\w)"),
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS = " \"'“”„‟«»‘’‚‹›「」『』"
_CITED = re.compile(
    # Words of a document here, by an address from a page or from `/v1/text`.
    rf"(?P<here>(?:https?://[\w.:-]{{1,100}}|(?<!\w))/(?:document/{DOCUMENT_ID}(?:/as-filed)?|v1/text)"
    rf"\?[^\s<>\"“”)\]|]{{1,{MOST_PASTED}}})"
    r"|(?:https?://[\w.:-]{1,100})?(?P<folder>/Archives/edgar/data/\d{1,10}/\d{18})"
    r"(?:/(?P<file>[\w.%-]{1,200}))?"
    r"|(?:https?://[\w.:-]{1,100})?/Archives/edgar/data/\d{1,10}/(?P<whole>\d{10}-\d{2}-\d{6})"
    r"(?:\.txt|-index(?:-headers)?\.html?)"
    r"|(?P<document>\b\d{10}-\d{2}-\d{6}-\d{1,4}\b)"
    r"|(?P<number>\b\d{10}-\d{2}-\d{6}\b)"
    # Without hyphens: accession numbers begin like this, and few other numbers do.
    r"|(?<![\w.,-])(?P<plain>000\d{15})(?![\w-])",
    re.ASCII,
)
# Files at EDGAR that hold the whole filing, or list its documents.
_OF_FILING = re.compile(rf"{ACCESSION_NUMBER}(?:\.txt|-index(?:-headers)?\.html?)|index\.json")
# An omission, or an insertion by whoever quotes.
_OMITTED = re.compile(r"\s*(?:\[\s*(?:\.\s?){3,4}\]|\[\s*…\s*\]|(?:\.\s?){3,4}|…)\s*")
_INSERTED = re.compile(r"\[[^\][]{0,60}\]\w*")
_WORD_AT_END = re.compile(r"\w{1,60}\Z")


class Cited(NamedTuple):
    """A filing that a draft cites from `start` to `end`, or one of its documents by id or name.

    If the filing is cited in words, its number is "" until it is found. `given` are the words of
    the document that an address of this service cites.
    """

    start: int
    end: int
    accession_number: str
    document_id: str = ""
    file_name: str = ""
    worded: WordedCitation | None = None
    given: GivenCitation | None = None


class DraftClaim(NamedTuple):
    """A quote with its parts and the citation near it, or a citation alone.

    `parts` are the words between omissions and insertions, in order.
    """

    kind: ClaimKind
    start: int
    end: int
    parts: Sequence[str] = ()
    cited: Cited | None = None


def claims_in(draft: str) -> list[DraftClaim]:
    """Find the claims of a draft, in order, in time that grows with its length."""
    cited = sorted(
        [*citations_in(draft), *_worded_citations_in(draft)], key=lambda citation: citation.start
    )
    claims = [
        DraftClaim("citation", citation.start, citation.end, (), citation) for citation in cited
    ]
    near = _Cited(draft, cited)
    for start, end, words in _quotes(draft):
        if len(tokens(words)) >= _LEAST_WORDS:
            source = near.nearest(start, end)
            parts = parts_of(without_emphasis(words))
            claims.append(DraftClaim("quote", start, end, parts, source))
    return sorted(claims, key=lambda claim: claim.start)


def citations_in(draft: str) -> Iterator[Cited]:
    """Yield accession numbers, ids of documents, and addresses at EDGAR."""
    for match in _CITED.finditer(draft):
        if match["here"]:
            yield from _cited_here(*match.span(), match["here"])
        elif match["folder"]:
            number = parse_accession_number(match["folder"][-18:])
            if number:
                name = match["file"] or ""
                name = "" if _OF_FILING.fullmatch(name) else name
                yield Cited(*match.span(), number, file_name=name)
        elif match["document"]:
            if is_document_id(match["document"]):
                number = match["document"].rpartition("-")[0]
                yield Cited(*match.span(), number, document_id=match["document"])
        else:
            number = parse_accession_number(match["number"] or match["whole"] or match["plain"])
            if number:
                yield Cited(*match.span(), number)


def _cited_here(start: int, end: int, path: str) -> Iterator[Cited]:
    """Yield the citation in an address of this service, or else the document that it names."""
    address = path.rstrip(".,;:!?*_'’")
    end -= len(path) - len(address)
    citation = cited_in_address(address.replace("&amp;", "&"))
    named = NAMED_DOCUMENT.search(address)
    document_id = citation.document_id if citation else named[0] if named else ""
    if is_document_id(document_id):
        yield Cited(start, end, accession_of(document_id), document_id, given=citation)


def _worded_citations_in(draft: str) -> Iterator[Cited]:
    for citation in worded_citations(draft):
        yield Cited(citation.start, citation.end, "", worded=citation)


def _quotes(draft: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions and words of quotes; a block quote is one, whatever marks it contains."""
    blocks = sorted([*_markdown_blocks(draft), *_html_blocks(draft)])
    for start, end, words in blocks:
        yield start, end, words.strip(_MARKS)[:_LONGEST]
    position = 0
    for match in _QUOTED.finditer(draft):
        while position < len(blocks) and blocks[position][1] <= match.start():
            position += 1
        in_block = position < len(blocks) and blocks[position][0] < match.end()
        words = match[match.lastgroup or 0]
        if not in_block and len(words) <= _LONGEST:
            yield match.start(), match.end(), words


def _markdown_blocks(draft: str) -> Iterator[tuple[int, int, str]]:
    for match in _BLOCK.finditer(draft):
        text = match[0].rstrip()
        yield match.start(), match.start() + len(text), _BLOCK_SIGN.sub("", text).strip()


def _html_blocks(draft: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions and words of HTML block quotes, without tags.

    If they are nested, only the outermost.
    """
    depth = start = inner = 0
    for tag in _BLOCK_TAG.finditer(draft):
        if tag["end"] and depth == 1:
            words = _TAG.sub(" ", _INLINE_TAG.sub("", draft[inner : tag.start()]))
            yield start, tag.end(), html.unescape(words).strip()
        if not tag["end"] and not depth:
            start, inner = tag.span()
        depth = max(0, depth - 1) if tag["end"] else depth + 1


class _Cited:
    """All citations of a draft, searchable by position."""

    def __init__(self, draft: str, cited: Sequence[Cited]) -> None:
        self._draft, self._cited = draft, cited
        self._starts = [citation.start for citation in cited]
        self._ends = [citation.end for citation in cited]
        self._notes = {note["name"]: note.end() for note in _NOTE.finditer(draft)}

    def nearest(self, start: int, end: int) -> Cited | None:
        """Return the citation near a quote, if any: preferably after it, else before it.

        A citation in its footnote is preferred to one in its sentence, then in its paragraph, then
        elsewhere.
        """
        mark = _NOTE_MARK.match(self._draft, end)
        if mark and mark["name"] in self._notes:
            note = self._notes[mark["name"]]
            first = bisect_left(self._starts, note)
            if first < len(self._cited) and self._starts[first] - note <= _BEHIND:
                between = self._draft[note : self._starts[first]]
                if "\n[^" not in between and not _PARAGRAPH_END.search(between):
                    return self._cited[first]
        candidates: list[tuple[int, Cited]] = []
        behind = bisect_left(self._starts, end)
        if behind < len(self._cited) and self._starts[behind] - end <= _BEHIND:
            # The end of the quote may also end its sentence.
            between = self._draft[max(start, end - 3) : self._starts[behind] + 1]
            candidates.append((_apart(between), self._cited[behind]))
        before = bisect_right(self._ends, start) - 1
        if before >= 0 and start - self._ends[before] <= _BEFORE:
            between = self._draft[self._ends[before] : start].rstrip(" \t\n>")
            # Words that end in a colon introduce the quote.
            between += "" if between.endswith(":") else self._draft[start - 2 : start + 1]
            candidates.append((_apart(between), self._cited[before]))
        return min(candidates, key=lambda candidate: candidate[0])[1] if candidates else None


def _apart(between: str) -> int:
    """Return 0 for words within one sentence, 1 within one paragraph, 2 otherwise."""
    if _PARAGRAPH_END.search(between):
        return 2
    return 1 if _SENTENCE_END.search(between) else 0


def without_emphasis(words: str) -> str:
    """Remove Markdown's marks of italics and bold, and backslashes, from words."""
    for pattern in _EMPHASIS:
        for _ in range(2):  # Marks may be nested once.
            words = pattern.sub(r"\2", words)
    return _ESCAPED.sub(r"\1", words)


def parts_of(words: str) -> list[str]:
    """Return the parts of a quote that claim to be words of its source.

    `...` marks an omission, and brackets an insertion, also within a word as in `[T]he`. A comma or
    full stop at the end may be the draft's own.
    """
    parts: list[str] = []
    for piece in _OMITTED.split(words):
        part, position = "", 0
        for insertion in _INSERTED.finditer(piece):
            # A word with a bracket inside is the draft's own.
            parts.append(_WORD_AT_END.sub("", part + piece[position : insertion.start()]))
            part, position = "", insertion.end()
        parts.append(part + piece[position:])
    return [part.strip().rstrip(",.;") for part in parts if tokens(part)]
