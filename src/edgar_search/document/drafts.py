"""Claims of a draft that can be checked: its quotes, and the filings that it cites; pure.

Quotes are what is in quotation marks of any form, and block quotes of Markdown and HTML. A quote is
of the document that is cited nearest to it, if one is near.
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
# Characters from a quote to the citation after it, or before it, that are near.
_BEHIND, _BEFORE = 400, 200

# A mark of a footnote behind a quote, and the note itself, in Markdown.
_NOTE_MARK = re.compile(r"[\s.,;:!?*_)]{0,4}\[\^(?P<name>[\w-]{1,40})\](?!:)")
_NOTE = re.compile(r"^[ \t]{0,3}\[\^(?P<name>[\w-]{1,40})\]:", re.MULTILINE)
_PARAGRAPH_END = re.compile(r"\n[ \t>]*\n")
_SENTENCE_END = re.compile(r"[.!?][)\]\"'”’»*_]*\s+(?=[*_]*[A-Z“\"'‘«])")


def _but(marks: str) -> str:
    """Build the pattern of words without these marks, within one paragraph."""
    return rf"(?:[^{marks}\n]|\n(?!\s*\n))+"


_QUOTED = re.compile(
    "|".join(
        (
            rf"[“„‟«](?P<double>{_but('“”„‟«»')})[”“»]",
            rf"»(?P<turned>{_but('«»')})«",
            rf"[「『](?P<corner>{_but('「」『』')})[」』]",
            # Emphasis may be around the marks, as in _"words"_.
            rf'(?<![^\W_])(?<!")"(?P<straight>{_but("“”" + chr(34))})"(?![^\W_])',
            # A mark before a letter is an apostrophe, and so is that of a decade; the first other
            # one ends the quote.
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
# Emphasis in Markdown, and a backslash before a mark that is meant as such.
_EMPHASIS = (
    re.compile(r"(?<!\*)(\*{1,3})(?![\s*])([^*\n]{1,4000})(?<!\s)\1(?!\*)"),
    re.compile(r"(?<![\w])(_{1,3})(?![\s_])([^_\n]{1,4000})(?<!\s)\1(?!\w)"),
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS = " \"'“”„‟«»‘’‚‹›「」『』"
_CITED = re.compile(
    # Words of a document here, in an address that a page or `/v1/text` gave.
    rf"(?P<here>(?:https?://[\w.:-]{{1,100}}|(?<!\w))/(?:document/{DOCUMENT_ID}(?:/as-filed)?|v1/text)"
    rf"\?[^\s<>\"“”)\]|]{{1,{MOST_PASTED}}})"
    r"|(?:https?://[\w.:-]{1,100})?(?P<folder>/Archives/edgar/data/\d{1,10}/\d{18})"
    r"(?:/(?P<file>[\w.%-]{1,200}))?"
    r"|(?:https?://[\w.:-]{1,100})?/Archives/edgar/data/\d{1,10}/(?P<whole>\d{10}-\d{2}-\d{6})"
    r"(?:\.txt|-index(?:-headers)?\.html?)"
    r"|(?P<document>\b\d{10}-\d{2}-\d{6}-\d{1,4}\b)"
    r"|(?P<number>\b\d{10}-\d{2}-\d{6}\b)"
    # Without hyphens; all senders' numbers begin so, and few other numbers.
    r"|(?<![\w.,-])(?P<plain>000\d{15})(?![\w-])",
    re.ASCII,
)
# Files of EDGAR that are the whole filing, or list its documents.
_OF_FILING = re.compile(rf"{ACCESSION_NUMBER}(?:\.txt|-index(?:-headers)?\.html?)|index\.json")
# An omission, and an insertion of whoever quotes.
_OMITTED = re.compile(r"\s*(?:\[\s*(?:\.\s?){3,4}\]|\[\s*…\s*\]|(?:\.\s?){3,4}|…)\s*")
_INSERTED = re.compile(r"\[[^\][]{0,60}\]\w*")
_WORD_AT_END = re.compile(r"\w{1,60}\Z")


class Cited(NamedTuple):
    """A filing that a draft cites from `start` to `end`, or one of its documents by id or name.

    The number of one that is cited in words is "" until it is found. `given` are the words of the
    document that an address here cites.
    """

    start: int
    end: int
    accession_number: str
    document_id: str = ""
    file_name: str = ""
    worded: WordedCitation | None = None
    given: GivenCitation | None = None


class DraftClaim(NamedTuple):
    """A quote with its parts and what is cited near it, or a citation alone.

    `parts` are the words between omissions and insertions, in order.
    """

    kind: ClaimKind
    start: int
    end: int
    parts: Sequence[str] = ()
    cited: Cited | None = None


def claims_in(draft: str) -> list[DraftClaim]:
    """Return the claims of a draft in their order; in time that grows with its length."""
    cited = sorted([*citations_in(draft), *_in_words(draft)], key=lambda each: each.start)
    claims = [DraftClaim("citation", each.start, each.end, (), each) for each in cited]
    near = _Cited(draft, cited)
    for start, end, words in _quotes(draft):
        if len(tokens(words)) >= _LEAST_WORDS:
            source = near.nearest(start, end)
            parts = parts_of(without_emphasis(words))
            claims.append(DraftClaim("quote", start, end, parts, source))
    return sorted(claims, key=lambda claim: claim.start)


def citations_in(draft: str) -> Iterator[Cited]:
    """Accession numbers, ids of documents, and addresses at EDGAR."""
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


def _cited_here(start: int, end: int, place: str) -> Iterator[Cited]:
    """Yield the citation in an address of this service, else the document that it names."""
    address = place.rstrip(".,;:!?*_'’")
    end -= len(place) - len(address)
    given = cited_in_address(address.replace("&amp;", "&"))
    named = NAMED_DOCUMENT.search(address)
    document_id = given.document_id if given else named[0] if named else ""
    if is_document_id(document_id):
        yield Cited(start, end, accession_of(document_id), document_id, given=given)


def _in_words(draft: str) -> Iterator[Cited]:
    for citation in worded_citations(draft):
        yield Cited(citation.start, citation.end, "", worded=citation)


def _quotes(draft: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions and the words of quotes; a block is one, whatever marks are in it."""
    blocks = sorted([*_markdown_blocks(draft), *_html_blocks(draft)])
    for start, end, words in blocks:
        yield start, end, words.strip(_MARKS)[:_LONGEST]
    place = 0
    for match in _QUOTED.finditer(draft):
        while place < len(blocks) and blocks[place][1] <= match.start():
            place += 1
        in_block = place < len(blocks) and blocks[place][0] < match.end()
        words = match[match.lastgroup or 0]
        if not in_block and len(words) <= _LONGEST:
            yield match.start(), match.end(), words


def _markdown_blocks(draft: str) -> Iterator[tuple[int, int, str]]:
    for match in _BLOCK.finditer(draft):
        text = match[0].rstrip()
        yield match.start(), match.start() + len(text), _BLOCK_SIGN.sub("", text).strip()


def _html_blocks(draft: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions and the words of HTML block quotes, without tags.

    Of nested ones the outermost.
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
    """All citations of a draft, found by their positions."""

    def __init__(self, draft: str, cited: Sequence[Cited]) -> None:
        self._draft, self._cited = draft, cited
        self._starts = [each.start for each in cited]
        self._ends = [each.end for each in cited]
        self._notes = {note["name"]: note.end() for note in _NOTE.finditer(draft)}

    def nearest(self, start: int, end: int) -> Cited | None:
        """Return the citation of a quote, if one is near: after it, else before it.

        One in its footnote is preferred to one in its sentence, that to one in its paragraph, and
        that to any other.
        """
        mark = _NOTE_MARK.match(self._draft, end)
        if mark and mark["name"] in self._notes:
            note = self._notes[mark["name"]]
            first = bisect_left(self._starts, note)
            if first < len(self._cited) and self._starts[first] - note <= _BEHIND:
                between = self._draft[note : self._starts[first]]
                if "\n[^" not in between and not _PARAGRAPH_END.search(between):
                    return self._cited[first]
        found: list[tuple[int, Cited]] = []
        behind = bisect_left(self._starts, end)
        if behind < len(self._cited) and self._starts[behind] - end <= _BEHIND:
            # The end of the quote may be that of the sentence.
            between = self._draft[max(start, end - 3) : self._starts[behind] + 1]
            found.append((_apart(between), self._cited[behind]))
        before = bisect_right(self._ends, start) - 1
        if before >= 0 and start - self._ends[before] <= _BEFORE:
            between = self._draft[self._ends[before] : start].rstrip(" \t\n>")
            # What ends in a colon introduces what comes after it.
            between += "" if between.endswith(":") else self._draft[start - 2 : start + 1]
            found.append((_apart(between), self._cited[before]))
        return min(found, key=lambda each: each[0])[1] if found else None


def _apart(between: str) -> int:
    """Return 0 for words within one sentence, 1 within one paragraph, 2 for any others."""
    if _PARAGRAPH_END.search(between):
        return 2
    return 1 if _SENTENCE_END.search(between) else 0


def without_emphasis(words: str) -> str:
    """Return words without the marks of Markdown for italics and bold, and without backslashes."""
    for pattern in _EMPHASIS:
        for _ in range(2):  # One may be within another.
            words = pattern.sub(r"\2", words)
    return _ESCAPED.sub(r"\1", words)


def parts_of(words: str) -> list[str]:
    """Return the parts of a quote that claim to be words of its source.

    `...` omits, and brackets insert, also a part of a word as in `[T]he`. A comma or full stop at
    the end may be the draft's own.
    """
    parts: list[str] = []
    for piece in _OMITTED.split(words):
        part, place = "", 0
        for found in _INSERTED.finditer(piece):
            # A word with a bracket in it is the draft's own.
            parts.append(_WORD_AT_END.sub("", part + piece[place : found.start()]))
            part, place = "", found.end()
        parts.append(part + piece[place:])
    return [part.strip().rstrip(",.;") for part in parts if tokens(part)]
