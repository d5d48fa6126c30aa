"""The sections of a report: headings in the order of the form, each up to the next."""

from bisect import bisect_left
from typing import NamedTuple

from ingest.reading.sections.annual_report import annual_report_place
from ingest.reading.sections.boundaries import (
    PartHeading,
    exhibit_index_places,
    part_headings,
    signature_places,
    statement_index_places,
)
from ingest.reading.sections.contents import without_contents
from ingest.reading.sections.forms import SUMMARY_TITLE, Form, Item, form_of
from ingest.reading.sections.headings import Heading, item_headings
from ingest.reading.sections.markup import Markup
from ingest.reading.sections.naming import Named, named, titled
from ingest.reading.sections.other_items import other_item_places

_KNOWN, _UNKNOWN = 10.0, 4.0  # weights of headings with a title of the form, and with another
_MAY_BE_SIGNED = 4  # of the last items, each may be followed by the signatures
_LONG = 2_000  # bytes up to the next heading that count for a heading


class Section(NamedTuple):
    """An item of a report in bytes `start` to `end` of the document as filed.

    `item` is "item1a", in a quarterly report "part2item1a", of a combined one "item1and2"; `label`
    is "Item 1A", `description` the form's title of it.
    """

    item: str
    label: str
    description: str
    start: int
    end: int


class _Candidate(NamedTuple):
    heading: Heading
    named: Named
    weight: float

    @property
    def place(self) -> int:
        """Of its (first) item in the form."""
        return self.named.place


class _Chain(NamedTuple):
    weight: float
    candidate: _Candidate
    before: "_Chain | None"


def find_sections(form_type: str, raw: bytes) -> list[Section]:
    """The sections of a report's main document, in order; [] for other forms. Never raises.

    A section that is not certain is left out. Sections do not overlap.
    """
    form = form_of(form_type)
    if form is None:
        return []
    markup = Markup(raw)
    headings = without_contents(markup, item_headings(markup))
    parts = part_headings(markup)
    chosen = _best_chain(_candidates(form, headings, parts, len(raw)))
    if not chosen:
        return []
    others = other_item_places(markup) + _not_of_form(form, headings, chosen)
    return _bounded(form, markup, chosen, parts, others)


def _candidates(
    form: Form, headings: list[Heading], parts: list[PartHeading], size: int
) -> list[_Candidate]:
    found: list[_Candidate] = []
    lines = 1  # of a heading that the next headings are lines of
    for number, heading in enumerate(headings):
        following = headings[number + 1].start if number + 1 < len(headings) else size
        if lines > 1 and heading.numbers[0] in found[-1].named.numbers:
            lines -= 1
            continue
        items = named(form, heading, heading.part or _part_at(parts, heading.at))
        lines = items.lines if items else 1
        if items is not None:
            gap = min(following - heading.at, _LONG) / _LONG
            weight = (_KNOWN if items.known else _UNKNOWN) + gap
            found.append(_Candidate(heading, items, weight - heading.further))
    return found


def _not_of_form(form: Form, headings: list[Heading], chosen: list[_Candidate]) -> list[int]:
    """Where headings begin whose letter the form does not have ("3A"), among items next to it."""
    numbers = {item.number for item in form.items}
    places: list[int] = []
    for heading in headings:
        if heading.attached and heading.numbers[0] not in numbers and titled(heading):
            after = bisect_left(chosen, heading.at, key=lambda candidate: candidate.heading.at)
            around = [_digits(each.heading) for each in chosen[max(after - 1, 0) : after + 1]]
            if after and around[0] <= _digits(heading) <= around[-1]:
                places.append(heading.start)
    return places


def _digits(heading: Heading) -> int:
    return int(heading.numbers[0].rstrip("ABCD"))


def _part_at(parts: list[PartHeading], at: int) -> int | None:
    place = bisect_left(parts, at, key=lambda part: part.at)
    return parts[place - 1].number if place else None


def _best_chain(candidates: list[_Candidate]) -> list[_Candidate]:
    """The heaviest choice of candidates whose items are in the form's order, early ones first."""
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


def _bounded(
    form: Form,
    markup: Markup,
    chosen: list[_Candidate],
    parts: list[PartHeading],
    others: list[int],
) -> list[Section]:
    ends = others + _ends(markup, chosen)
    sections: list[Section] = []
    for number, candidate in enumerate(chosen):
        start = candidate.heading.start
        end = chosen[number + 1].heading.start if number + 1 < len(chosen) else len(markup.raw)
        part = form.items[candidate.place].part
        later = [
            p.start
            for p in parts
            if start < p.start < end and (p.number > part or _leads(markup, p, end))
        ]
        before_end = [place for place in ends if start < place < end]
        sections.append(_section(form, candidate, start, min([end, *later, *before_end])))
    return sections


def _ends(markup: Markup, chosen: list[_Candidate]) -> list[int]:
    """What comes after the last item: signatures, an index that is not its own, an annual report.

    Some reports have their exhibits, the last item, after the signatures.
    """
    last = chosen[-1]
    signatures = signature_places(markup, chosen[-_MAY_BE_SIGNED:][0].heading.at)
    if "xhibit" not in last.named.title:
        indexes = exhibit_index_places(markup, last.heading.at)
        if last.named.title == SUMMARY_TITLE:
            indexes += statement_index_places(markup, last.heading.at)
        return signatures + indexes
    start = last.heading.start
    end = min((place for place in signatures if place > start), default=len(markup.raw))
    report = annual_report_place(markup, start, end)
    return signatures if report is None else [*signatures, report]


def _section(form: Form, candidate: _Candidate, start: int, end: int) -> Section:
    numbers = candidate.named.numbers
    label = f"Item {numbers[0]}"
    if len(numbers) > 1:
        label = f"Items {', '.join(numbers[:-1])} and {numbers[-1]}"
    item = _item_id(form, form.items[candidate.place], numbers)
    return Section(item, label, candidate.named.title, start, end)


def _item_id(form: Form, item: Item, numbers: tuple[str, ...]) -> str:
    part = f"part{item.part}" if form.parts_in_ids else ""
    return f"{part}item{'and'.join(numbers).lower()}"


def _leads(markup: Markup, part: PartHeading, end: int) -> bool:
    """Whether nothing stands between a part's heading and the next section."""
    return "\n" not in markup.after(part.at, 200, end).strip()
