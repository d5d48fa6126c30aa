"""Follows items of an annual report that only refer elsewhere to their targets.

An item refers to an exhibit or to pages of the report itself. Its target is found by the numbers of
filed pages, by captions, or because an exhibit contains nothing else. A target must read like the
item's subject, otherwise it is not followed.
"""

import re
from collections import deque
from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import msgspec

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import Document
from edgar_search.stored.filings import (
    FollowedSection,
    SectionPlace,
    StoredSection,
    section_id,
)
from edgar_search.text.document_text import searched_kind
from edgar_search.text.marked_spans import text_spans
from edgar_search.text.place_map import (
    MOST_MAPPED_BYTES,
    ByteOffsets,
    PlaceMap,
    Span,
    map_places,
    stretches,
)
from edgar_search.text.versions import DocumentKind
from ingest.reading.sections.filed_pages import FiledPages, filed_pages
from ingest.reading.sections.statement_headings import (
    AUDITORS,
    BALANCE,
    DISCUSSION,
    MANAGEMENT,
    NOTES,
    OTHER,
    QUARTERLY,
    SCHEDULES_AND_EXHIBITS,
    STATEMENTS,
    STATEMENTS_TITLE,
    HeadingLine,
    has_statements,
    heading_places,
    headings_in,
    plain,
    with_lines_above,
)

_LONGEST = 1_800  # characters of an item that only refers elsewhere
_LONGEST_INDEX = 4_000  # characters of an item that lists statements with their pages
_FIRST = 12  # lines within which an exhibit on nothing else has the heading
_REFERS = re.compile(
    r"incorporated|by reference|set forth|included|contained|appear|reported on|presented|refer"
    r"|\bsee\b|found (?:on|in)|(?:is|are) (?:on|in|at)\b|begin|commenc|\bfiled\b|submitted|located",
    re.IGNORECASE,
)
# Pages that only illustrate: "(and graphs on pages 44 and 45)".
_ASIDE = re.compile(r"\([^()]{0,40}\bpages?\b[^()]*\)")
_NUMBER = r"(?:[A-Z]{1,3}-)?[0-9]{1,3}"
_TO = r"\s*(?:-|–|—|\bto\b|\bthrough\b|\bthru\b)\s*"
_PAGES = re.compile(
    rf"\bpages?\s+(?P<ranges>{_NUMBER}(?:(?:{_TO}|\s*,\s*(?:and\s+)?|\s*;\s*|\s+and\s+|\s*&\s*)"
    rf"(?:on\s+)?(?:pages?\s+)?{_NUMBER}\b)*)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?P<prefix>[A-Z]{{1,3}}-)?(?P<first>[0-9]{{1,3}})"
    rf"(?:{_TO}(?:pages?\s+)?(?:[A-Z]{{1,3}}-)?(?P<last>[0-9]{{1,3}}))?",
    re.IGNORECASE,
)
_FROM_ON = re.compile(r"(?:begin|commenc|start)\w*\s+(?:on|at|with)\s+page", re.IGNORECASE)
_EXHIBIT = re.compile(
    r"\bexhibits?\s+(?:no\.?\s*|number\s*)?\(?(?P<number>[0-9]{1,2}(?:\.[0-9]{1,2}|\s?\([a-z0-9]\))?)",
    re.IGNORECASE,
)
# Further reading beside the target, which is not a target itself.
_BESIDE = re.compile(r"\bread(?:ing)?\s+(?:together|along|in\s+conjunction)\s+with\b[^.;]*", re.I)
_ANNUAL = re.compile(
    r"(?<!\bthis )annual\s+report(?!\s+(?:on\s+)?form|\s+on\s+10-k)"
    r"|\bfinancial\s+(?:section|report)\b(?!\s+(?:of|in|to)\s+this)",
    re.IGNORECASE,
)
# The item's content is elsewhere in the report itself.
_HERE = re.compile(
    r"\b(?:this|the)\s+(?:annual\s+)?report\b(?!\s+of)|\bform\s+10-?k\b|\bherein\b(?!\s+by)"
    r"|\bindex\s+to\s+(?:the\s+)?(?:consolidated\s+)?financial\s+statements|\bfinancial\s+section\b"
    r"|\bsignature|\bitem\s+1[45]\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\bitem\s+(?P<number>1[45])\b", re.IGNORECASE)
_OF_STATEMENTS = frozenset({"F-", "FS-"})  # letters of pages in the report itself
_QUOTED = re.compile(r"[“\"](?P<caption>[^“”\"]{5,120}?)[.,]?[”\"]")


class Subject(Enum):
    """The subjects of items that often point elsewhere."""

    DISCUSSION = "discussion"
    MARKET_RISK = "market risk"
    STATEMENTS = "statements"


# The subjects of items by the beginning of the form's name; other forms number them differently.
_SUBJECTS = (
    (re.compile("10-?KT?SB"), {"item6": Subject.DISCUSSION, "item7": Subject.STATEMENTS}),
    (
        re.compile("10-?K"),
        {"item7": Subject.DISCUSSION, "item7a": Subject.MARKET_RISK, "item8": Subject.STATEMENTS},
    ),
    (re.compile("20-?F"), {"item17": Subject.STATEMENTS, "item18": Subject.STATEMENTS}),
)
# Words of which each subject's target contains some.
_SAYS = {
    Subject.DISCUSSION: ("sales|earnings|income|revenue", "compared|increase|decrease"),
    Subject.MARKET_RISK: ("risk", "interest rate|exchange|commodit|equity price"),
    Subject.STATEMENTS: ("cash flow",),
}
_BEGINNING = 4_000  # characters in which a discussion has its heading


class Pages(NamedTuple):
    """Pages from `first` to `last`; None means the last with this prefix."""

    prefix: str
    first: int
    last: int | None


class Pointer(NamedTuple):
    """An item that refers elsewhere: to exhibits by number, to the annual report, or to pages.

    `within` is the item of the same report that it refers to, `captions` are the headings it
    quotes. `here` is true if it refers to another part of the report itself.
    """

    item: str
    subject: Subject
    exhibits: tuple[str, ...]
    annual: bool
    pages: tuple[Pages, ...]
    captions: tuple[str, ...]
    within: str | None
    here: bool = False


class Following:
    """The items of a filing's report that refer elsewhere, and their targets.

    The report is read before the documents that it refers to.
    """

    def __init__(self) -> None:
        self._pointers: list[tuple[StoredSection, Pointer]] = []
        self._sections: list[StoredSection] = []
        self._targets: dict[str, list[FollowedSection]] = {}

    def look_in(
        self, document: Document, text: str, sections: Sequence[StoredSection]
    ) -> list[StoredSection]:
        """Look for targets in a document, which has these sections if it is a report.

        Returns the sections of the report whose target may be in it.
        """
        self._sections += sections
        pointers = (
            (report_section, pointer_of(report_section, text)) for report_section in sections
        )
        self._pointers += [
            (report_section, pointer) for report_section, pointer in pointers if pointer is not None
        ]
        followed: list[StoredSection] = []
        targeted = [
            (section, pointer, is_report)
            for section, pointer in self._pointers
            if may_have_target(
                pointer,
                document.form_type,
                is_report=(is_report := section.document_id == document.document_id),
            )
        ]
        pages = _PagesOfText(document, text, [pointer.pages for _, pointer, _ in targeted])
        for section, pointer, is_report in targeted:
            spans = find_target(pointer, pages, text, sections if is_report else ())
            if spans:
                places = [SectionPlace(*span) for span in spans]
                target = FollowedSection(document.document_id, places)
                self._targets.setdefault(section_id(section.document_id, section.item), []).append(
                    target
                )
                followed.append(section)
        return followed

    def sections(self) -> list[StoredSection]:
        """Return the sections of the filing, followed if their target is unique."""
        return [self._followed(section) for section in self._sections]

    def _followed(self, section: StoredSection) -> StoredSection:
        targets = self._targets.get(section_id(section.document_id, section.item), [])
        if len(targets) != 1:
            return section
        return msgspec.structs.replace(section, followed=targets[0])


def pointer_of(section: StoredSection, report: str) -> Pointer | None:
    """Read an item of an annual report that refers elsewhere; None if it does not."""
    text = report[section.text_start : section.text_end]
    form = section.form_type
    subjects = next((by_number for pattern, by_number in _SUBJECTS if pattern.match(form)), {})
    subject = subjects.get(section.item)
    longest = _LONGEST_INDEX if subject is Subject.STATEMENTS else _LONGEST
    if subject is None or len(text) > longest or has_statements(headings_in(text)):
        return None
    words = " ".join(_without_heading(text).split())
    words = _BESIDE.sub("", _ASIDE.sub("", words))
    if not _REFERS.search(words):
        return None
    exhibits = dict.fromkeys(_number(by_number["number"]) for by_number in _EXHIBIT.finditer(words))
    within = _ITEM.search(words)
    annual = _ANNUAL.search(words) is not None
    here = subject is not Subject.MARKET_RISK and not exhibits and not annual
    pointer = Pointer(
        section.item,
        subject,
        tuple(exhibits),
        annual,
        tuple(_pages(words)),
        tuple(by_number["caption"] for by_number in _QUOTED.finditer(words)),
        f"item{within['number']}" if within else None,
        here and _HERE.search(words) is not None,
    )
    points = pointer.exhibits or annual or pointer.pages or pointer.within or pointer.here
    return pointer if points else None


def _without_heading(text: str) -> str:
    head, _, body = text.partition("\n\n")
    return body if body and len(head) <= 200 else text.partition("\n")[2]


def _number(written: str) -> str:
    return re.sub(r"[\s()]", "", written).lower()


def _pages(said: str) -> list[Pages]:
    from_on = _FROM_ON.search(said)
    pages_named: list[Pages] = []
    for pages in _PAGES.finditer(said):
        for match in _RANGE.finditer(pages["ranges"]):
            first, last = int(match["first"]), int(match["last"] or match["first"])
            to_the_end = from_on is not None and not match["last"]
            prefix = (match["prefix"] or "").upper()
            pages_named.append(Pages(prefix, first, None if to_the_end else last))
    return pages_named


def may_have_target(pointer: Pointer, form_type: str, *, is_report: bool) -> bool:
    """Return True if a document of this type may be the pointer's target."""
    if is_report:
        lettered = any(page.prefix in _OF_STATEMENTS for page in pointer.pages)
        return not pointer.exhibits and (lettered or not pointer.annual)
    if not form_type.upper().startswith("EX-"):
        return False
    number = _number(form_type.upper().removeprefix("EX-"))
    if pointer.exhibits:
        return any(
            number == exhibit or number.startswith(f"{exhibit}.") for exhibit in pointer.exhibits
        )
    return pointer.annual and number.partition(".")[0] == "13"


def find_target(
    pointer: Pointer, pages: "_PagesOfText", text: str, sections: Sequence[StoredSection]
) -> list[Span]:
    """Return the parts of a document's text that a pointer refers to, or [] if uncertain.

    `sections` belong to the report, if the document is the report itself.
    """
    spans = pages.spans(pointer.pages)
    if not spans and sections:
        spans = _by_item(pointer, pages, text, sections)
        if not spans and pointer.here and not pointer.pages:
            return _elsewhere_here(pointer, text, sections)
    elif not spans:
        spans = _as_a_whole(pointer, text) or _by_headings(pointer, text)
    return spans if spans and _is_about(pointer, text, spans) else []


def _is_about(pointer: Pointer, text: str, spans: Sequence[Span]) -> bool:
    """Return True if the text is on the item's subject: other page numbers would lead elsewhere."""
    target = "\n".join(text[start:end] for start, end in spans)
    if not all(re.search(pattern, target, re.IGNORECASE) for pattern in _SAYS[pointer.subject]):
        return False
    if pointer.subject is Subject.DISCUSSION:
        return bool(_own_places(pointer, headings_in(target[:_BEGINNING])))
    return pointer.subject is Subject.MARKET_RISK or _begins_with_statements(target)


def _begins_with_statements(text: str) -> bool:
    """Return True if there are statements, not only notes that include other companies' ones."""
    lines = headings_in(text)
    notes = min(heading_places(lines, NOTES), default=len(text))
    balance = min(heading_places(lines, BALANCE), default=len(text))
    return has_statements(lines) and balance < max(notes, _BEFORE_NOTES * len(text))


class _PagesOfText:
    """The pages of a filed document, located in its text on demand.

    All `wanted` ones are located together, because that may read the whole document again.
    """

    def __init__(
        self, document: Document, text: str, wanted: Sequence[Sequence[Pages]] = ()
    ) -> None:
        self._document, self._text, self._wanted = document, text, wanted
        self._found: dict[Span, Span | None] = {}

    def spans(self, pages: Sequence[Pages]) -> list[Span]:
        """Return the text of pages; [] if one of them is not found."""
        filed = self._spans_filed(pages)
        return self._in_text(filed) if filed else []

    def _spans_filed(self, pages: Sequence[Pages]) -> list[Span]:
        """Return the bytes of pages; [] if one of them is not found."""
        filed: list[Span] = []
        for prefix, first, last in pages:
            span = self._filed.span(
                prefix, first, self._filed.last(prefix) if last is None else last
            )
            if span is None:
                return []
            filed.append(span)
        return _joined(filed)

    def _in_text(self, filed: Sequence[Span]) -> list[Span]:
        """Return the text of parts of the body; [] if one of them has none."""
        body, kind = self._document.body, searched_kind(self._document)
        if kind is None or len(body) > MOST_MAPPED_BYTES:
            return []
        if not self._found.keys() >= set(filed):
            wanted = {span for pages in self._wanted for span in self._spans_filed(pages)}
            self._find(kind, body, sorted(wanted.union(filed) - self._found.keys()))
        located = [self._found[span] for span in filed]
        if not all(located):
            # An edge of one is hidden, or a mark at it would disturb the reader.
            located = [self._places.text_span(*span) for span in filed]
        return [span for span in located if span is not None] if all(located) else []

    def _find(self, kind: DocumentKind, body: bytes, spans: Sequence[Span]) -> None:
        """Locate parts of the body in the text; None where it is not certain."""
        source = decode_bytes(body)
        offsets = ByteOffsets(body, source)
        inner = {span: _shown(kind, source, *map(offsets.character, span)) for span in spans}
        located = iter(
            text_spans(
                kind,
                source,
                self._text,
                [span_shown for span_shown in inner.values() if span_shown],
            )
        )
        self._found |= {span: next(located) if part else None for span, part in inner.items()}

    @cached_property
    def _places(self) -> PlaceMap:
        """The map of the whole text."""
        kind = searched_kind(self._document)
        assert kind is not None
        return map_places(kind, self._document.body, self._text)

    @cached_property
    def _filed(self) -> FiledPages:
        return filed_pages(self._document.body)


def _shown(kind: DocumentKind, source: str, start: int, end: int) -> Span | None:
    """Return the span from the first to the last tag or blank of a part; None if it is empty."""
    within = stretches(kind, source, start, end)
    first = next(within, None)
    if first is None:
        return None
    last = deque(within, maxlen=1)
    return first[0], last[0][1] if last else first[1]


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return the spans in order, merging ones that touch."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1] + 200:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def _by_item(
    pointer: Pointer, pages: "_PagesOfText", text: str, sections: Sequence[StoredSection]
) -> list[Span]:
    """Return the statements listed by the item to which the pointer leads.

    They are in that item, or on the lettered pages that it names.
    """
    for section in sections:
        if section.item != pointer.within or pointer.subject is not Subject.STATEMENTS:
            continue
        start, end = section.text_start or 0, section.text_end or 0
        listed = text[start:end]
        lettered = {match["prefix"] for match in _LETTERED.finditer(listed)}
        if len(lettered) == 1:
            return pages.spans([Pages(lettered.pop().upper(), 1, None)])
        if has_statements(headings_in(listed)):
            return [(start, end)]
    return []


_LEAST_REGION = 5_000  # characters of a part of a report that may contain its statements
_LEAST_STATEMENT = 400  # characters after the heading of a statement; a list has fewer
_BEFORE_NOTES = 0.25  # fraction of the statements that contains the balance sheet


def _elsewhere_here(pointer: Pointer, text: str, sections: Sequence[StoredSection]) -> list[Span]:
    """Return the part of the report outside of all items, or statements after their list.

    There must not be a second one.
    """
    regions = [
        (section.text_start or 0, section.text_end or 0)
        for section in sections
        if "xhibit" in section.description and pointer.subject is Subject.STATEMENTS
    ]
    last = 0
    for start, end in [
        *((section.text_start or 0, section.text_end or 0) for section in sections),
        (len(text), len(text)),
    ]:
        regions.append((last, start))
        last = max(last, end)
    candidates: list[Span] = []
    for start, end in regions:
        if end - start >= _LEAST_REGION:
            spans = _by_headings(pointer, text[start:end], with_list=True)
            spans = [(start + begin, start + stop) for begin, stop in spans]
            candidates += spans if spans and _is_about(pointer, text, spans) else []
    return candidates if len(candidates) == 1 else []


_CONTINUED = re.compile(r"[^\n]*\bcontinued\b", re.IGNORECASE)
_LONGEST_HEADING = 120
_LETTERED = re.compile(r"\b(?P<prefix>F-|FS-)(?=[0-9]{1,3}\b)")


def _own_places(pointer: Pointer, lines: Sequence[HeadingLine]) -> list[int]:
    """Return the positions of headings of the subject, or of the pointer's quoted captions."""
    captions = {plain(caption) for caption in pointer.captions} - {"annual report"}
    quoted = [line.start for line in lines if line.words in captions]
    return sorted({*heading_places(lines, DISCUSSION), *quoted})


def _by_headings(pointer: Pointer, text: str, *, with_list: bool = False) -> list[Span]:
    """Return the part of an annual report from the heading of the subject to the next heading.

    With `with_list` the text may begin with a list of the statements.
    """
    lines = headings_in(text)
    match pointer.subject:
        case Subject.STATEMENTS:
            own = heading_places(lines, *STATEMENTS, STATEMENTS_TITLE, AUDITORS, NOTES)
            amid = heading_places(lines, DISCUSSION, OTHER)
            others = heading_places(lines, DISCUSSION, OTHER, QUARTERLY)
            if with_list:
                own = heading_places(lines, *STATEMENTS, AUDITORS, NOTES)
                own = [
                    place
                    for place, after in pairwise([*own, len(text)])
                    if after - place >= _LEAST_STATEMENT
                ]
                others += heading_places(lines, SCHEDULES_AND_EXHIBITS)
        case Subject.DISCUSSION if len(pointer.pages) < 2:
            own = _own_places(pointer, lines)
            others = heading_places(
                lines, *STATEMENTS, AUDITORS, NOTES, MANAGEMENT, OTHER, QUARTERLY
            )
            if with_list:
                others += heading_places(lines, STATEMENTS_TITLE)
            amid = others = [other for other in others if other not in own]
        case _:
            return []
    # If another part is inside it, one of the headings does not belong to the part.
    if not own or any(own[0] < other_place < own[-1] for other_place in amid):
        return []
    if _CONTINUED.match(text, own[0], own[0] + _LONGEST_HEADING):
        return []
    start = with_lines_above(lines, text, own[0])
    following = min((other for other in others if other > own[-1]), default=None)
    end = len(text) if following is None else with_lines_above(lines, text, following)
    return [(start, start + len(text[start:end].rstrip()))]


def _as_a_whole(pointer: Pointer, text: str) -> list[Span]:
    """Return the whole text of an exhibit that contains only the subject."""
    lines = headings_in(text)
    match pointer.subject:
        case Subject.DISCUSSION:
            alone = _own_places(pointer, lines[:_FIRST]) and not has_statements(lines)
        case Subject.STATEMENTS:
            titles = heading_places(lines[:_FIRST], *STATEMENTS, AUDITORS, STATEMENTS_TITLE)
            alone = titles and not heading_places(lines, DISCUSSION, OTHER)
        case _:
            return []
    return [(0, len(text))] if alone else []
