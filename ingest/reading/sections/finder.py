"""Finds the sections of a report: headings in the order of the form, each up to the next.

The last item lists statements and exhibits, and may contain the statements. It never contains a
management discussion: if one follows, an annual report has begun before it.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from edgar_search.edgar.items import SUMMARY_TITLE, ReportForm, ReportItem, report_form_of
from ingest.reading.sections.boundaries import (
    PartHeading,
    exhibit_index_places,
    other_item_places,
    part_headings,
    signature_places,
    statement_index_places,
)
from ingest.reading.sections.headings import (
    Heading,
    Named,
    has_title,
    item_headings,
    named_items,
    without_contents,
)
from ingest.reading.sections.page_index import indexed_items
from ingest.reading.sections.report_text import ReportText
from ingest.reading.sections.section import Section
from ingest.reading.sections.unmarked import (
    Gap,
    all_unmarked,
    may_be_unmarked,
    statements_place,
    unmarked_headings,
)

_LONG_ITEM = 20_000  # characters: a shorter item contains no such report
_MOST = 500  # headings that are checked for each word
_TEXT = 2_000  # characters of the text after a heading
_DISCUSSION = re.compile(
    r"management(?:[’']?s)?\s+discussion\s+and\s+analysis\b[^\n\t]{0,90}\n", re.IGNORECASE
)
_FRONT = re.compile(
    r"(?:financial\s+(?:highlights|review|section)"
    r"|selected\s+(?:consolidated\s+)?(?:historical\s+)?financial\s+(?:data|information|highlights))"
    r"\b[^\n\t]{0,40}(?:\n|$)",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"table\s+of\s+contents[\W_]*\n", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,3}")
_PAGE = re.compile(r"(\d{1,3})[\s.]+[^\W\d].*|.*[^\W\d][^\n]*?[\s.](\d{1,3})")
_FEWEST_PAGES, _LISTED_LINES = 4, 12
_PROSE = re.compile(r"[^\n\t]{45,}")
_PROSE_CHARACTERS = 600


def annual_report_place(report: ReportText, start: int, end: int) -> int | None:
    """Return where an annual report begins in the item from `start` to `end`, or None."""
    if end - start < _LONG_ITEM:
        return None
    discussion = _first(report, "management", start, end, _is_discussion)
    if discussion is None:
        return None
    contents = _first(report, "table", start, discussion, _lists_pages)
    if contents is not None:
        return contents
    front = _first(report, "financial|selected", start, discussion, _is_front)
    return discussion if front is None else front


def financial_section_place(report: ReportText, start: int, end: int) -> int | None:
    """Return where the discussion, the statements or the auditors' report begin, or None.

    The item from `start` to `end` lacks all of these.
    """
    places = [
        place
        for word, is_wanted in (
            ("management", _is_discussion),
            ("financial|selected", _is_front),
            ("report|independent", _is_auditors_report),
            ("consolidated|condensed|combined|balance|statement", _is_statement),
        )
        if (place := _first(report, word, start, end, is_wanted)) is not None
    ]
    return min(places, default=None)


_AUDITORS = re.compile(
    r"(?:reports? of )?independent (?:registered )?(?:certified )?(?:public )?"
    r"(?:account|audit)\w+(?: firm)?(?:[’']s?)?(?: report)?[\W_]*\n",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"(?:consolidated |condensed |combined |unaudited )*(?:balance sheets?"
    r"|statements? of (?:\w+ ){0,3}(?:operations|income|earnings|loss|financial position))"
    r"\b[^\n\t]{0,40}\n",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_FEWEST_FIGURES = 6


def _is_auditors_report(text: str) -> bool:
    if not _AUDITORS.match(text) or _ends_in_page(text):
        return False
    return sum(map(len, _PROSE.findall(text))) >= _PROSE_CHARACTERS


def _is_statement(text: str) -> bool:
    """Return True if a statement's heading and figures are here."""
    return (
        _STATEMENT.match(text) is not None
        and not _ends_in_page(text)
        and len(_FIGURES.findall(text)) >= _FEWEST_FIGURES
    )


def _first(
    report: ReportText, word: str, start: int, end: int, is_wanted: Callable[[str], bool]
) -> int | None:
    """Return the position of the first wanted line before `end` that begins with a word."""
    for line in islice(report.lines(word, start, end), _MOST):
        if is_wanted(report.after(line.at, _TEXT, end)):
            return line.start
    return None


def _is_discussion(text: str) -> bool:
    """Return True if a discussion's heading and text are here, not only its name."""
    if not _DISCUSSION.match(text) or _ends_in_page(text):
        return False
    return sum(map(len, _PROSE.findall(text))) >= _PROSE_CHARACTERS


def _is_front(text: str) -> bool:
    return _FRONT.match(text) is not None and not _ends_in_page(text)


def _ends_in_page(text: str) -> bool:
    """Return True if a page number ends the first line, or is the whole next line."""
    line, _, rest = text.partition("\n")
    following = rest.partition("\n")[0].strip()
    return line[-1:].isdecimal() or _NUMBER.fullmatch(following) is not None


def _lists_pages(text: str) -> bool:
    """Return True if the lines of a table of contents are here, not only a link to it."""
    if not _CONTENTS.match(text):
        return False
    listed = _CONTENTS.split(text, maxsplit=2)[1]
    lines = listed.split("\n")[:_LISTED_LINES]
    pages = [int(m[1] or m[2]) for line in lines if (m := _PAGE.fullmatch(line.strip()))]
    return len(pages) >= _FEWEST_PAGES and pages == sorted(pages)


_KNOWN, _UNKNOWN = 10.0, 4.0  # weights of headings with one of the form's titles, and with another
_FEWEST_MARKED = 3  # items that say "Item": if there are fewer, these are not the report's headings
_MAY_BE_SIGNED = 4  # this many of the last items may be followed by the signatures
# Letters and digits up to the next heading that count for a heading: a page has more, an entry of
# contents less.
_LONG_GAP, _MOST_GAP = 500, 2_000


class _Candidate(NamedTuple):
    heading: Heading
    named: Named
    weight: float

    @property
    def place(self) -> int:
        """The position of its (first) item in the form."""
        return self.named.place


class _Chain(NamedTuple):
    weight: float
    candidate: _Candidate
    before: "_Chain | None"


def find_sections(form_type: str, text: str, *, is_plain: bool) -> list[Section]:
    """Find the sections in the text of a report's main document, in order; [] for other forms.

    Never raises. Uncertain sections are left out. Sections do not overlap.
    """
    form = report_form_of(form_type)
    if form is None:
        return []
    report = ReportText(text, is_plain=is_plain)
    lines = item_headings(form, report)
    headings = without_contents(report, lines)
    parts = part_headings(report)
    chosen = _best_chain(_candidates(form, report, headings, parts, [line.at for line in lines]))
    chosen = _with_unmarked(form, report, chosen, parts)
    if not chosen:
        return [] if form.parts_in_ids else indexed_items(form, report)
    others = other_item_places(report) + _foreign_places(form, headings, chosen)
    return _cut_sections(form, report, chosen, parts, others)


def _candidates(
    form: ReportForm,
    report: ReportText,
    headings: list[Heading],
    parts: list[PartHeading],
    places: list[int],
) -> list[_Candidate]:
    """Return the items that the headings name, with weights; `places` lists every possible line."""
    candidates: list[_Candidate] = []
    lines = 1  # of a heading that continues in the next headings
    for heading in headings:
        if lines > 1 and heading.numbers[0] in candidates[-1].named.numbers:
            lines -= 1
            continue
        items = named_items(form, heading, heading.part or _part_at(parts, heading.at))
        lines = items.lines if items else 1
        if items is not None:
            after = bisect_left(places, heading.at) + 1
            following = places[after] if after < len(places) else len(report.text)
            behind = report.text[heading.at : min(following, heading.at + _MOST_GAP)]
            gap = min(sum(map(str.isalnum, behind)), _LONG_GAP) / _LONG_GAP
            weight = (_KNOWN if items.known else _UNKNOWN) + gap
            candidates.append(_Candidate(heading, items, weight - heading.further))
    return candidates


def _with_unmarked(
    form: ReportForm, report: ReportText, chosen: list[_Candidate], parts: list[PartHeading]
) -> list[_Candidate]:
    """Add headings without "Item", for items that are not found otherwise."""
    unmarked = (
        unmarked_headings(form, report, _gaps(form, report, chosen))
        if len(chosen) >= _FEWEST_MARKED
        else all_unmarked(form, report)
    )
    if len(chosen) < _FEWEST_MARKED and unmarked:
        chosen = []
    added = [_Candidate(heading.heading, heading.named, _KNOWN) for heading in unmarked]
    if form.parts_in_ids and (
        statements := _unnamed_statements(form, report, [*chosen, *added], parts)
    ):
        added.append(statements)
    return sorted([*chosen, *added], key=lambda candidate: candidate.heading.start)


def _gaps(form: ReportForm, report: ReportText, chosen: list[_Candidate]) -> Iterator[Gap]:
    """Yield the text between the found items, with the items that may be in it."""
    numbers = {number for candidate in chosen for number in candidate.named.numbers}
    titles = "; ".join(candidate.named.title for candidate in chosen)
    start, first = 0, 0
    for candidate in [*chosen, None]:
        end = candidate.heading.start if candidate else len(report.text)
        stop = candidate.place if candidate else len(form.items)
        places = [
            place
            for place in range(first, stop)
            if form.parts_in_ids
            or (
                form.items[place].number not in numbers
                and form.items[place].titles[0][1] not in titles
            )
        ]
        titled = [at for at in places if may_be_unmarked(form.items[at].number, numbers)]
        if places:
            yield Gap(start, end, places, titled)
        if candidate is not None:
            start, first = candidate.heading.at + 1, candidate.place + 1


def _unnamed_statements(
    form: ReportForm, report: ReportText, chosen: list[_Candidate], parts: list[PartHeading]
) -> _Candidate | None:
    """Return the statements of a quarterly report that begins with them, without a heading."""
    first = min(chosen, key=lambda each: each.place, default=None)
    if first is None or first.place != 1:
        return None
    at = statements_place(report, first.heading.start)
    if at is None:
        return None
    item = form.items[0]
    heading = Heading((item.number,), at, at, 1, "")
    return _Candidate(heading, Named(0, (item.number,), item.titles[0][1], True), _KNOWN)


def _foreign_places(
    form: ReportForm, headings: list[Heading], chosen: list[_Candidate]
) -> list[int]:
    """Return the positions of headings whose letter is not on the form ("3A")."""
    if form.lettered_parts:
        return []
    numbers = {item.number for item in form.items}
    places: list[int] = []
    for heading in headings:
        if heading.attached and heading.numbers[0] not in numbers and has_title(heading):
            after = bisect_left(chosen, heading.at, key=lambda candidate: candidate.heading.at)
            around = [
                _digits(neighbour.heading) for neighbour in chosen[max(after - 1, 0) : after + 1]
            ]
            if after and around[0] <= _digits(heading) <= around[-1]:
                places.append(heading.start)
    return places


def _digits(heading: Heading) -> int:
    return int(heading.numbers[0].rstrip("ABCDEFGHIJK"))


def _part_at(parts: list[PartHeading], at: int) -> int | None:
    place = bisect_left(parts, at, key=lambda part: part.start)
    return parts[place - 1].number if place else None


def _best_chain(candidates: list[_Candidate]) -> list[_Candidate]:
    """Choose the candidates with the most weight whose items are in the form's order."""
    best: dict[int, _Chain] = {}
    for candidate in candidates:
        before = max(
            (chain for place, chain in best.items() if place < candidate.place),
            key=lambda chain: chain.weight,
            default=None,
        )
        weight = candidate.weight + (before.weight if before else 0)
        if candidate.place not in best or weight > best[candidate.place].weight:
            best[candidate.place] = _Chain(weight, candidate, before)
    chain = max(best.values(), key=lambda chain: chain.weight, default=None)
    chosen: list[_Candidate] = []
    while chain is not None:
        chosen.append(chain.candidate)
        chain = chain.before
    return chosen[::-1]


def _cut_sections(
    form: ReportForm,
    report: ReportText,
    chosen: list[_Candidate],
    parts: list[PartHeading],
    others: list[int],
) -> list[Section]:
    ends = others + _last_ends(form, report, chosen)
    sections: list[Section] = []
    for number, candidate in enumerate(chosen):
        start = candidate.heading.start
        end = chosen[number + 1].heading.start if number + 1 < len(chosen) else len(report.text)
        part = form.items[candidate.place].part
        later = [
            p.start
            for p in parts
            if start < p.start < end and (p.number > part or _is_last_line(report, p, end))
        ]
        before_end = [place for place in ends if start < place < end]
        end = min([end, *later, *before_end])
        # Step by step, because a section may be as long as the text, and copies of it cost memory.
        while report.text[end - 1].isspace():
            end -= 1
        sections.append(_section(form, candidate, start, end))
    return sections


def _last_ends(form: ReportForm, report: ReportText, chosen: list[_Candidate]) -> list[int]:
    """Return the possible ends of the last item: signatures, a foreign index, an annual report.

    In some reports the exhibits, the last item, come after the signatures.
    """
    last = chosen[-1]
    start, title = last.heading.start, last.named.title
    ends = signature_places(report, chosen[-_MAY_BE_SIGNED:][0].heading.at)
    if "xhibit" in title and not form.parts_in_ids:
        annual = annual_report_place(report, start, _first_after(start, ends, report))
        return ends if annual is None else [*ends, annual]
    if "xhibit" not in title:
        ends += exhibit_index_places(report, last.heading.at)
    if not _MAY_HAVE_STATEMENTS.search(title):
        ends += statement_index_places(report, last.heading.at)
    end = _first_after(start, ends, report)
    if title == SUMMARY_TITLE and (answered := _answered(report, last.heading.at, end)):
        return [*ends, answered]
    if not _MAY_HAVE_STATEMENTS.search(title):
        foreign = financial_section_place(report, last.heading.at + 1, end)
        ends += [] if foreign is None else [foreign]
    return ends


def _first_after(start: int, places: list[int], report: ReportText) -> int:
    return min((place for place in places if place > start), default=len(report.text))


# Items that may contain the statements, beside the one with exhibits in an annual report.
_MAY_HAVE_STATEMENTS = re.compile(
    r"^(?:Management's Discussion|Financial Statements|Selected|Quantitative|Financial Information)"
)
_FOOT = 1_000  # characters
# The answer of an empty item: "None.", "Not applicable", "We have elected not to".
_NO_ANSWER = re.compile(
    r"[^\n]*\n\s*(?P<answer>[(\[]?(?:none|n/a|not\s|omitted|(?:we|the (?:company|registrant))\b"
    r"[^\n.]{0,60}\b(?:not|omit\w*)\b)[^\n]{0,300})(?=\n|$)",
    re.IGNORECASE,
)


def _answered(report: ReportText, start: int, end: int) -> int | None:
    """Return where an item ends whose first line says that it is empty.

    None if it has no such line, or if little follows it: the foot of the page belongs to it.
    """
    match = _NO_ANSWER.match(report.text, start, end)
    return match.end() if match and end - match.end() > _FOOT else None


def _section(form: ReportForm, candidate: _Candidate, start: int, end: int) -> Section:
    numbers = candidate.named.numbers
    label = f"Item {numbers[0]}"
    if len(numbers) > 1:
        label = f"Items {', '.join(numbers[:-1])} and {numbers[-1]}"
    item = _item_id(form, form.items[candidate.place], numbers)
    return Section(item, label, candidate.named.title, start, end)


def _item_id(form: ReportForm, item: ReportItem, numbers: tuple[str, ...]) -> str:
    part = f"part{item.part}" if form.parts_in_ids else ""
    return f"{part}item{'and'.join(numbers).lower()}"


def _is_last_line(report: ReportText, part: PartHeading, end: int) -> bool:
    """Return True if nothing is between a part's heading and the next section."""
    return "\n" not in report.after(part.start, 200, end)
