"""GET /document/DOCUMENT_ID: the text, with the matches of a query marked and numbered."""

import asyncio
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.finding import names_of, read_query
from edgar_search.api.parameters.citation import CITATION_PARAMETERS, CITED_TEXT, citation_of
from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.citations import Citation, CitedPlace, find_cited
from edgar_search.document.matches import Match, matches_of, shown_matches
from edgar_search.document.original import require_document
from edgar_search.document.pasted_citations import EXAMPLE
from edgar_search.document.pdf import missing_parts
from edgar_search.document.sections import Sections, places_in, section_name, text_sections
from edgar_search.document.tables import table_places, text_lines
from edgar_search.document.text import DocumentText, Passages, document_text, retry_if_reloaded
from edgar_search.edgar.identifiers import accession_of, is_document_id
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.criteria import OPERANDS, Operands
from edgar_search.search.filings import address_at_edgar, filing_of
from edgar_search.search.language import WORD_FORMS, Node, query_slots
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.search.reading.names import Names
from edgar_search.search.reading.question import READINGS
from edgar_search.stored.filings import FilingDocument, StoredFiling, StoredSection
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.citation_texts import CitedText, Copies, copies_of
from edgar_search.web.pages.filing import is_for_programs
from edgar_search.web.pages.links import DEFAULTS, Lists, address, as_asked, curl
from edgar_search.web.pages.search import head
from edgar_search.web.pages.search_results import FORMER, search_over_all
from edgar_search.web.pages.templates import describe_document, render
from edgar_search.web.pages.text_html import AT, Anchor, Mark, TableFiles, as_html
from edgar_search.web.service import service

# About 16 MB; one text and query may take at most half of it.
_MOST_REMEMBERED, _MOST_OF_ONE_QUERY = 500_000, 250_000
# The most texts in the cache, if they have few matches or none.
_MOST_TEXTS = 1_000


class Places:
    """Matches in the order of their starts, numbered from 1."""

    def __init__(self) -> None:
        self._fields = tuple(array("q") for _ in Match._fields)
        self._longest = 0
        # The numbers of matches that are followed by a definition.
        self.defined: list[int] = []

    def __len__(self) -> int:
        return len(self._fields[0])

    def add(self, matches: Iterable[Match]) -> None:
        """Append the next matches."""
        for match in matches:
            for kept, value in zip(self._fields, match, strict=True):
                kept.append(value)
            self._longest = max(self._longest, match.end - match.start)

    def match(self, number: int) -> Match:
        """Return the match with this number."""
        return Match(*(kept[number - 1] for kept in self._fields))

    def current(self, place: int | None) -> int:
        """Return the number of the match to show first; 0 if there is none.

        A defined match is preferred: one in the snippet that begins at the position, else the first
        of all. Without a definition it is the first match at or after the position.
        """
        if place is None:
            return self.defined[0] if self.defined else min(1, len(self))
        snippet = self.beginning_in(place, place + _OF_SNIPPET)
        return next((number for number in self.defined if number in snippet), self.near(place))

    def near(self, place: int) -> int:
        """Return the number of the first match at or after a position, else of the last match."""
        return min(bisect_left(self._fields[0], place) + 1, len(self))

    def beginning_in(self, start: int, end: int) -> range:
        """Return the numbers of the matches that begin between two positions."""
        starts = self._fields[0]
        return range(bisect_left(starts, start) + 1, bisect_left(starts, end) + 1)

    def touching(self, start: int, end: int) -> Iterator[tuple[int, Match]]:
        """Yield the matches that overlap a range of the text, with their numbers."""
        starts = self._fields[0]
        for place in range(bisect_left(starts, start - self._longest), bisect_left(starts, end)):
            match = self.match(place + 1)
            if match.end > start:
                yield place + 1, match


class Question(NamedTuple):
    """A query and a text, which together determine the positions of matches."""

    document_id: str
    sha256: str
    version: int
    query: Node


def _cache_size(places: Places) -> int:
    """Return an entry's size in the cache; a text without matches has a size too."""
    return max(len(places), _MOST_REMEMBERED // _MOST_TEXTS)


# A reader who continues in a text need not wait for its matches again.
_REMEMBERED: LRUCache[Question, Places] = LRUCache(_MOST_REMEMBERED, _cache_size)
PATH = "/document/{document_id}"
# Characters of text on one page: more would make browsers slow.
PART = 60_000
# The words after a term that define it: "Cause" means; "Effect," as used here, means.
_DEFINES = re.compile(
    r"""(?:,?["”’']{1,2}\)?(?:[\s,]{1,4}[^.;"“”]{1,60}?)?|\)?)\s{1,4}"""
    r"(?:(?:shall |will )?mean|means|ha(?:s|ve) the meaning)\b",
)
# "By all means" and "by no means" define nothing.
_OF_MANNER = re.compile(r"\b(?:by|any|all|no)\s+(?:\w+\s+)?means$")
# Characters after a match, and matches with such words, to check for a definition.
_LONGEST, _MOST_LIKELY = 90, 1_000
# Characters of a text to search for definitions, and of a snippet that links here.
_MOST_READ, _OF_SNIPPET = 300_000, 400
# How many sections with matches, and other documents of the filing, the margin lists.
_FEW, _FEW_DOCUMENTS = 5, 12
# Parameters that name the position to show, on any page of a document.
PLACES = ("match", "at", "start", "part", "section", "anchor")
PARAMETERS = (
    Parameter("query", "text", "the query whose matches are marked", longest=MAX_QUERY_CHARS),
    Parameter(
        "word_forms",
        "choice",
        "as in a search",
        default=DEFAULTS["word_forms"],
        choices=WORD_FORMS,
    ),
    Parameter(
        "operands",
        "choice",
        "as in a search",
        default=DEFAULTS["operands"],
        choices=OPERANDS,
    ),
    Parameter(
        "reading",
        "choice",
        "as in a search",
        default=DEFAULTS["reading"],
        choices=READINGS,
    ),
    Parameter(FORMER, "text", "the filters of the search that led here", longest=4_000),
    Parameter("match", "integer", "the number of the current match", least=1, default=1),
    Parameter("at", "integer", "a place in the text, to show its match", least=0, default=0),
    Parameter("start", "integer", "a place in the text, to show its part", least=0, default=0),
    Parameter("section", "text", "an item of the report, to show its part", longest=60),
    Parameter("cited", "integer", "a place in the text that was cited", least=0, default=0),
    *CITED_TEXT,
    *CITATION_PARAMETERS,
)


class TextRequest(NamedTuple):
    """A request for a part of a text; without `start`, the part with the match.

    `match` is 0 if no number is requested.
    """

    query: Node | None
    match: int
    start: int | None
    at: int | None = None
    operands: Operands = "all"
    cited: Citation | None = None
    sha256: str = ""
    section: str = ""


class Reading(NamedTuple):
    """A text with the requested positions; `matches` are in the whole text.

    `quoted` is the current match. `cited` is where a citation's words are now, if one was
    requested.
    """

    passages: Passages
    sections: Sections
    matches: Places
    quoted: "Quoted | None"
    cited: CitedPlace | None

    @property
    def text(self) -> DocumentText:
        """The document's text."""
        return self.passages.text

    def place(self, asked: TextRequest) -> int:
        """Return the position to show: the match's, the requested one, or the citation's."""
        cited = self.cited.start if self.cited else None
        wanted = self.quoted.cited.start if self.quoted else asked.at or cited or 0
        if asked.start is not None:
            wanted = asked.start
        elif asked.section:
            spans = places_in(self.sections.named(asked.section), self.text.document_id)
            wanted = spans[0][0] if spans else 0
        return min(wanted, max(0, self.text.length - 1))

    def section_now(self, asked: TextRequest) -> StoredSection | None:
        """Return the requested section, or the section at the position to show."""
        if asked.section:
            return self.sections.named(asked.section)
        return self.sections.at(self.place(asked))

    def list_section(self, section: StoredSection, place: str | None, now: bool) -> "Listed":
        """Return a section for the margin, with this address."""
        spans = places_in(section, self.text.document_id)
        return Listed(
            section.item,
            section.label,
            section.description,
            [numbers for span in spans if (numbers := self.matches.beginning_in(*span))],
            place,
            now,
        )

    def marks_between(self, start: int, end: int) -> list[Mark]:
        """Return the marks of the matches, and of the citation, that overlap this text."""
        now = self.quoted.number if self.quoted else 0
        marks = [
            Mark(number, match.start, match.end, number == now)
            for number, match in self.matches.touching(start, end)
        ]
        if self.cited and self.cited.start is not None and self.cited.end is not None:
            marks.append(Mark(0, self.cited.start, self.cited.end, now=True))
        return marks


class TextPart(NamedTuple):
    """A part of a text, which begins at `start`."""

    reading: Reading
    start: int
    content: str

    @property
    def end(self) -> int:
        """The position after its last character."""
        return self.start + len(self.content)


class Quoted(NamedTuple):
    """A numbered match with the surrounding text, for a citation."""

    number: int
    cited: CitedText

    @property
    def sentence(self) -> tuple[int, int]:
        """The start and the length of the match's sentence, or of all the surrounding text."""
        before, after = self.cited.before, self.cited.after
        left = len(before) - max(before.rfind(". ") + 2, before.rfind("\n") + 1, 0)
        ends = [place for place in (after.find(". ") + 1, after.find("\n")) if place > 0]
        right = min([*ends, len(after)])
        if left + right < _SHORT_SENTENCE:
            left, right = len(before), len(after)
        return self.cited.start - left, left + len(self.cited.text) + right


# Characters around a match whose sentence is only a heading.
_SHORT_SENTENCE = 60


class Listed(NamedTuple):
    """A section in the margin; `address` is None if its position is uncertain.

    `numbers` count its matches. `now` is true if it is shown. `followed` is the address of its
    target, `in_document` the number of the target's document.
    """

    item: str
    label: str
    description: str
    numbers: list[range]
    address: str | None
    now: bool = False
    followed: str | None = None
    in_document: str = ""

    @property
    def matches(self) -> int:
        """The number of its matches."""
        return sum(map(len, self.numbers))


async def document(request: Request, call: PageCall) -> Response:
    """Show a document's text, or one part of a long text."""
    document_id = document_id_of(request)
    lists = page_parameters(request)
    names = await names_of(service(request).context, as_asked(lists))
    text_asked, wrong = text_request(Parameters(lists, by_spelling(PARAMETERS)), names)
    await call.share.weigh(query_slots(text_asked.query))
    engine = service(request).engine

    async def read_part() -> TextPart:
        reading = await read_text(request, document_id, text_asked)
        start, length = reading.place(text_asked) // PART * PART, reading.text.length
        content = await reading.passages.piece(start, min(start + PART, length)) if length else ""
        return TextPart(reading, start, content)

    async def work() -> tuple[StoredFiling, TextPart]:
        filing = await filing_of(engine, accession_of(document_id))
        return filing, await retry_if_reloaded(engine, read_part)

    filing, part = await work()
    read = part.reading
    now = read.section_now(text_asked)
    call.result_count = len(read.matches)
    here = f"/document/{document_id}"
    return render(
        "document.html",
        400 if wrong else 200,
        wrong=wrong,
        # A part may contain thousands of marks and cells.
        html=await asyncio.to_thread(_html, part),
        listed=[
            _list_section(section, read, lists, section is now) for section in read.sections.all
        ],
        steps=steps(here, read, lists),
        parts_of=_parts(part, lists),
        api=curl(call_of(document_id, lists), str(request.base_url)[:-1]),
        milliseconds=call.milliseconds,
        **shown_document(request, filing, document_id, read, lists, now),
        **head(call, lists),
    )


def document_id_of(request: Request) -> str:
    """Return the document id in the path; raises NotFound if it is not one."""
    document_id: str = request.path_params["document_id"]
    if not is_document_id(document_id):
        raise NotFound(f"{document_id[:40]} is not a document id; an example is {EXAMPLE}")
    return document_id


def shown_document(
    request: Request,
    filing: StoredFiling,
    document_id: str,
    read: Reading | None,
    lists: Lists,
    now: StoredSection | None,
) -> dict[str, Any]:
    """Return the head and the margin of every page of a document.

    The other view opens at the requested match or position, else at the section `now`.
    """
    listed = filing.documents[require_document(filing, document_id)]
    if now is not None and not (read and (read.quoted or read.cited)):
        lists = {name: values for name, values in lists.items() if name not in ("start", "at")}
        lists["section"] = [now.item]
    section = "".join(lists.get("section", ())).strip()
    at = f"#{section or AT}" if section or (read and (read.quoted or read.cited)) else ""
    return {
        "filing": filing,
        "document": listed,
        "company": filing.entity_name or filing.accession_number,
        "edgar_url": address_at_edgar(filing, listed.file_name),
        "read": read,
        "quoted": read.quoted if read else None,
        "matches": len(read.matches) if read else 0,
        "cited": read.cited if read else None,
        "path": request.url.path,
        "wider": search_over_all(lists),
        "text_address": address(f"/document/{document_id}", lists, part=None, anchor=None) + at,
        "prints": filing.archive is not None and not missing_parts(),
        "section": now.item if now else None,
        "layout_address": address(f"/document/{document_id}/as-filed", lists),
        "copies": _copies(read, filing, listed, str(request.base_url)[:-1]),
        "found_in": _found_in(read, document_id, lists) if read else [],
        "others": _others(filing, document_id),
    }


def _found_in(read: Reading, document_id: str, lists: Lists) -> list[tuple[str, int, str]]:
    """Return the sections with the most matches: name, number, and the first match's address."""
    sections_found = []
    for section in read.sections.all:
        spans = places_in(section, document_id)
        numbers = [
            numbers_in_span
            for span in spans
            if (numbers_in_span := read.matches.beginning_in(*span))
        ]
        if numbers:
            change = {**dict.fromkeys(PLACES), "match": numbers[0][0]}
            place = f"{address(f'/document/{document_id}', lists, **change)}#m{numbers[0][0]}"
            sections_found.append((section_name(section), sum(map(len, numbers)), place))
    return sorted(sections_found, key=lambda numbers_in_span: -numbers_in_span[1])[:_FEW]


def _others(filing: StoredFiling, document_id: str) -> list[tuple[FilingDocument, str]]:
    """Return a filing's other documents that people read, with their descriptions."""
    return [
        (document, describe_document(document.description, document.form_type))
        for document in filing.documents
        if document.document_id != document_id and not is_for_programs(document)
    ][:_FEW_DOCUMENTS]


def text_request(parameters: Parameters, names: Names) -> tuple[TextRequest, str | None]:
    """Return the request, and the error of a query that cannot be parsed, which marks nothing."""
    match = parameters.integer("match") if parameters.text("match") else 0
    start = parameters.integer("start") if parameters.text("start") else None
    at = parameters.integer("at") if parameters.text("at") else None
    query, section = parameters.text("query"), (parameters.text("section") or "").strip()
    if query is None:
        cited = citation_of(parameters, start="cited")
        sha256 = parameters.value("text_sha256") or ""
        if cited is None and sha256 and parameters.text("cited") is not None:
            # A position without words refers to that text only.
            start_of, length = parameters.integer("cited"), parameters.integer("length")
            cited = Citation(start_of, length, "", "", "")
        return TextRequest(None, match, start, at, "all", cited, sha256, section), None
    try:
        node, _, _ = read_query(parameters, names)
    except BadRequest as error:
        return TextRequest(None, match, start, at, section=section), str(error)
    operands = parameters.choice_of("operands", OPERANDS)
    return TextRequest(node, match, start, at, operands, section=section), None


async def read_text(request: Request, document_id: str, asked: TextRequest) -> Reading:
    """Read the requested positions of a text."""
    engine = service(request).engine
    text = await document_text(engine, document_id, asked.query, asked.operands)
    passages = Passages(engine, text)
    sections, matches = await asyncio.gather(
        text_sections(passages), _matches(passages, asked.query if text.matches else None)
    )
    number = _number(asked, matches)
    wanted = matches.match(number) if number else None
    cited = await find_cited(passages, asked.cited, asked.sha256) if asked.cited else None
    quoted = None
    if wanted is not None:
        (current_match,) = await shown_matches(passages, [wanted], sections)
        name_of_section = section_name(current_match.section) if current_match.section else ""
        of_match = CitedText(
            text.document_id,
            text.sha256,
            current_match.start,
            current_match.end,
            current_match.before,
            current_match.text,
            current_match.after,
            name_of_section,
            current_match.prefix,
            current_match.suffix,
        )
        quoted = Quoted(number, of_match)
    return Reading(passages, sections, matches, quoted, cited)


def _number(asked: TextRequest, matches: Places) -> int:
    """Return the number of the current match; 0 if there is none."""
    if asked.match:
        return min(asked.match, len(matches))
    if asked.start is not None or asked.section:
        return min(1, len(matches))
    return matches.current(asked.at)


async def _defined(passages: Passages, matches: Places) -> list[int]:
    """Return the numbers of the matches near the first one that are followed by a definition."""
    if len(matches) < 2:
        return []
    first = matches.match(1).start
    end = min(passages.text.length, first + _MOST_READ)
    text = await passages.whole(first, end)
    ends = (
        (number, matches.match(number).end - first) for number in matches.beginning_in(first, end)
    )
    likely = (edges for edges in ends if text.find("mean", edges[1], edges[1] + _LONGEST) >= 0)
    return [number for number, place in islice(likely, _MOST_LIKELY) if _is_defined(text, place)]


def _is_defined(text: str, place: int) -> bool:
    """Return True if the words that end at this position are defined right after it."""
    match = _DEFINES.match(text, place, place + _LONGEST)
    return match is not None and not _OF_MANNER.search(text, place, match.end())


async def _matches(passages: Passages, query: Node | None) -> Places:
    if query is None:
        return Places()
    text = passages.text
    question = Question(text.document_id, text.sha256, text.version, query)
    remembered = _REMEMBERED.get(question)
    if remembered is not None:
        return remembered
    places = Places()
    async for some in matches_of(passages, query):
        places.add(some)
    places.defined = await _defined(passages, places)
    if len(places) <= _MOST_OF_ONE_QUERY:
        _REMEMBERED[question] = places
    return places


def _html(part: TextPart) -> str:
    read = part.reading
    anchors = [
        Anchor(name, place)
        for section in read.sections.all
        for name, place in _anchors(section, read.text.document_id)
        if part.start <= place < part.end
    ]
    anchors.sort(key=lambda section: section.place)
    places = table_places(text_lines(part.content, part.start))
    files = address(f"/document/{read.text.document_id}/table")
    tables = TableFiles([section.start for section in places], files)
    marks = read.marks_between(part.start, part.end)
    return as_html(part.content, part.start, marks, anchors, tables)


def _anchors(section: StoredSection, document_id: str) -> list[tuple[str, int]]:
    """Return the names of a section's position and of its targets' positions, in this text."""
    first = 0 if section.document_id == document_id and section.text_start is not None else 1
    starts = (start for start, _ in places_in(section, document_id))
    return [
        (f"{section.item}-{number}" if number else section.item, start)
        for number, start in enumerate(starts, first)
    ]


def _list_section(section: StoredSection, read: Reading, lists: Lists, now: bool) -> Listed:
    document_id, target, item = read.text.document_id, section.followed, section.item
    anchors = _anchors(section, document_id)
    place = None
    if anchors:
        (name, start), *_ = anchors
        place = f"{_address_of_place(document_id, lists, start, item)}#{name}"
    listed = read.list_section(section, place, now)
    if target is None or section.document_id != document_id:
        return listed
    followed = _address_of_place(target.document_id, lists, target.places[0].start, item)
    number = target.document_id.rpartition("-")[2] if target.document_id != document_id else ""
    return listed._replace(followed=f"{followed}#{item}-1", in_document=number)


def _address_of_place(document_id: str, lists: Lists, place: int, item: str) -> str:
    """Return the address of the part of a document's text that contains an item's position."""
    here = f"/document/{document_id}"
    return address(here, lists, at=None, start=place // PART * PART or None, section=item)


def steps(here: str, read: Reading | None, lists: Lists) -> dict[str, str | None]:
    """Return the addresses of the current match and its neighbours on a page."""
    if read is None or read.quoted is None:
        return {"previous": None, "now": None, "following": None}

    def step(number: int) -> str | None:
        if not 1 <= number <= len(read.matches):
            return None
        return address(here, lists, **{**dict.fromkeys(PLACES), "match": number}) + f"#m{number}"

    return {
        "previous": step(read.quoted.number - 1),
        "now": step(read.quoted.number),
        "following": step(read.quoted.number + 1),
    }


def _copies(
    read: Reading | None, filing: StoredFiling, document: FilingDocument, base: str
) -> Copies | None:
    """Return the citation of the current match in all its forms."""
    if read is None or read.quoted is None:
        return None
    return copies_of(read.quoted.cited, filing, document, base)


def _parts(part: TextPart, lists: Lists) -> list[tuple[int, str | None]]:
    """Return the parts of the text with their addresses, None for this one.

    [] if there is only one.
    """
    text = part.reading.text
    starts = range(0, text.length, PART)
    here = f"/document/{text.document_id}"
    return [
        (
            number,
            None
            if start == part.start
            else address(here, lists, **{**dict.fromkeys(PLACES), "start": start}),
        )
        for number, start in enumerate(starts, 1)
        if len(starts) > 1
    ]


def call_of(document_id: str, lists: Lists) -> str:
    """Return the API call for the matches on a page, or for its text."""
    if not any(value.strip() for value in lists.get("query", ())):
        return address("/v1/text", document_id=document_id)
    gone = dict.fromkeys((*PLACES, FORMER))
    return address("/v1/matches", as_asked(lists), document_id=document_id, **gone)
