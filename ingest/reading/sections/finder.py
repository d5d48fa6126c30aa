"""The sections of a report: headings in the order of the form, each up to the next."""

import re
from bisect import bisect_left
from typing import NamedTuple

from ingest.reading.sections.boundaries import (
    PartHeading,
    exhibit_index_places,
    part_headings,
    signature_places,
)
from ingest.reading.sections.contents import without_contents
from ingest.reading.sections.forms import Form, Item, form_of
from ingest.reading.sections.headings import Heading, item_headings
from ingest.reading.sections.markup import Markup

_KNOWN, _UNKNOWN = 10.0, 4.0  # weights of headings with a title of the form, and with another
_MAY_BE_SIGNED = 4  # of the last items, each may be followed by the signatures
_LONG = 2_000  # bytes up to the next heading that count for a heading
# What goes on in small letters after a title is a sentence that refers to the item.
_SENTENCE = re.compile(
    r" ?(?:of (?:our|this|the company|its|the registrant s)|in (?:our|this|the|part|item)|section|"
    r"above|below|included|contained|set forth|as |under |for (?:a|further|more|information)\b|"
    r"which|that|are|is|was|were|we|to|and (?:in )?(?:part|item|elsewhere)|herein|hereof|"
    r"appearing)\b"
)
_TITLE_ENDS, _DASHES = ".:;–—", re.compile(r"--|\s-\s")
_WORD = re.compile(r"[a-z0-9.]+")


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
    place: int  # of its (first) item in the form
    title: str
    weight: float


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
    candidates = _candidates(form, headings, parts, len(raw))
    return _bounded(form, markup, _best_chain(candidates), parts)


def _candidates(
    form: Form, headings: list[Heading], parts: list[PartHeading], size: int
) -> list[_Candidate]:
    found: list[_Candidate] = []
    for number, heading in enumerate(headings):
        following = headings[number + 1].start if number + 1 < len(headings) else size
        part = heading.part or _part_at(parts, heading.at)
        named = _named(form, heading, part)
        if named is None:
            continue
        place, title, known = named
        gap = min(following - heading.at, _LONG) / _LONG
        weight = (_KNOWN if known else _UNKNOWN) + gap
        found.append(_Candidate(heading, place, title, weight))
    return found


def _named(form: Form, heading: Heading, part: int | None) -> tuple[int, str, bool] | None:
    """The item's place in the form, its title, and whether that is what the heading says."""
    words = _words(heading.rest)
    first = None
    for place, item in enumerate(form.items):
        if item.number != heading.numbers[0]:
            continue
        for pattern, title in item.titles:
            if match := pattern.match(words):
                line = _words(heading.rest.split("\n")[0])
                refers = match.end() <= len(line) and _SENTENCE.match(line, match.end())
                return None if refers else (place, title, True)
        if first is None or (form.parts_in_ids and item.part == part):
            first = place
    if first is None or not _titled(heading) or (form.parts_in_ids and part is None):
        return None
    if form.parts_in_ids and form.items[first].part != part:
        return None
    return first, form.items[first].titles[0][1], False


def _words(text: str) -> str:
    """In lower case, one space between; of all marks only what ends a title is left, as "."."""
    text = text[:200].lower()
    if "-" in text:
        text = _DASHES.sub(" . ", text)
    for mark in _TITLE_ENDS:
        text = text.replace(mark, " . ")
    return " ".join(_WORD.findall(text))


def _titled(heading: Heading) -> bool:
    line = heading.rest.lstrip().split("\n")[0]
    return 3 <= len(line) <= 120 and line[:1].isupper() and not line.rstrip().endswith((",", ";"))


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
    form: Form, markup: Markup, chosen: list[_Candidate], parts: list[PartHeading]
) -> list[Section]:
    ends = _ends(markup, chosen)
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
    """What comes after the last item: signatures, or an index of exhibits that is not its own.

    Some reports have their exhibits, the last item, after the signatures.
    """
    if not chosen:
        return []
    last = chosen[-1]
    signatures = signature_places(markup, chosen[-_MAY_BE_SIGNED:][0].heading.at)
    if "xhibit" in last.title:
        return signatures
    return signatures + exhibit_index_places(markup, last.heading.at)


def _section(form: Form, candidate: _Candidate, start: int, end: int) -> Section:
    items = [form.items[candidate.place]]
    numbers = candidate.heading.numbers
    label = f"Item {numbers[0]}"
    if len(numbers) > 1:
        label = f"Items {', '.join(numbers[:-1])} and {numbers[-1]}"
    return Section(_item_id(form, items[0], numbers), label, candidate.title, start, end)


def _item_id(form: Form, item: Item, numbers: tuple[str, ...]) -> str:
    part = f"part{item.part}" if form.parts_in_ids else ""
    return f"{part}item{'and'.join(numbers).lower()}"


def _leads(markup: Markup, part: PartHeading, end: int) -> bool:
    """Whether nothing stands between a part's heading and the next section."""
    return "\n" not in markup.after(part.at, 200, end).strip()
