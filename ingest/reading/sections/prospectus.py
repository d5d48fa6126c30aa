"""Finds the parts of a prospectus by its table of contents.

A prospectus has no numbered items; its table of contents names every part, on one level. A part is
certain if its title occurs once alone on a line after the contents, in the order of the contents,
and so does the title of the next part, where it ends.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from edgar_search.edgar.items import plain_words
from ingest.reading.sections.contents import certain_places, lines_and_pairs
from ingest.reading.sections.report_text import ReportText
from ingest.reading.sections.section import Section

# The names of parts that most prospectuses have, by the beginning of their title.
_PARTS = (
    (r"(?:prospectus )?summary$", "Prospectus summary"),
    (r"(?:the )?offering$", "The offering"),
    (r"risk factors$", "Risk factors"),
    (r"use of proceeds$", "Use of proceeds"),
    (r"(?:our )?dividend policy$", "Dividend policy"),
    (r"(?:our )?capitalization$", "Capitalization"),
    (r"dilution$", "Dilution"),
    (r"selected (?:\w+ ){0,4}(?:data|information)$", "Selected financial data"),
    (
        r"management ?s discussion and analysis of financial condition and results of operations$",
        "Management's discussion and analysis",
    ),
    (r"(?:our |proposed )?business$", "Business"),
    (r"(?:our )?management$", "Management"),
    (r"executive (?:and director )?compensation$", "Executive compensation"),
    (r"certain relationships and related (?:party |person )?transactions$", "Related transactions"),
    (r"principal (?:and selling )?(?:share|stock)holders$", "Principal stockholders"),
    (r"description of (?:capital stock|securities|share capital)$", "Description of securities"),
    (r"shares eligible for future sale$", "Shares eligible for future sale"),
    (r"underwriting(?: conflicts? of interest)?$|plan of distribution$", "Underwriting"),
    (r"legal matters$", "Legal matters"),
    (r"experts$", "Experts"),
    (r"where you can find (?:more|additional) information$", "Where to find more information"),
)
_NAMES = tuple((re.compile(pattern), name) for pattern, name in _PARTS)
_ENTRY = re.compile(
    r"^[ \xa0]*(?P<title>[A-Z“\"][^\n\t]{3,150}?)(?:[ \xa0]*\t|[ .…]{3})[\t .…]*"
    r"(?P<page>[A-Z]{0,2}-?[0-9]{1,3})[ \xa0]*$",
    re.MULTILINE,
)
_LINE = re.compile(r"^(?P<title>[^\n\t]{4,160})$", re.MULTILINE)
_FEWEST, _MOST = 8, 200  # the fewest and most entries in the contents of a prospectus
_BETWEEN = 400  # characters between two entries


class _Entry(NamedTuple):
    words: str
    end: int


def prospectus_parts(report: ReportText) -> list[Section]:
    """Return the parts of a prospectus, in order; [] without contents that give pages."""
    entries = _contents(report.text)
    if not entries:
        return []
    places = _places(report.text, entries)
    sections: dict[str, Section] = {}
    for number, entry in enumerate(entries[:-1]):
        start, end = places[number], places[number + 1]
        name = next((name for pattern, name in _NAMES if pattern.match(entry.words)), None)
        if name is not None and start is not None and end is not None:
            end = start + len(report.text[start:end].rstrip())
            item = re.sub(r"\W", "", name).lower()
            sections.setdefault(item, Section(item, name, name, start, end))
    return list(sections.values())


def _contents(text: str) -> list[_Entry]:
    """Return the entries of the first table of contents with enough of them."""
    run: list[_Entry] = []
    for match in _ENTRY.finditer(text):
        if run and match.start() > run[-1].end + _BETWEEN:
            if len(run) >= _FEWEST:
                break
            run = []
        run.append(_Entry(plain_words(match["title"]), match.end()))
        if len(run) > _MOST:
            return []
    words = {entry.words for entry in run}
    return run if len(run) >= _FEWEST and len(words) == len(run) else []


def _places(text: str, entries: Sequence[_Entry]) -> list[int | None]:
    """Return where each entry has its heading; None if that is not certain."""
    wanted = {entry.words: number for number, entry in enumerate(entries)}
    candidates: list[list[int]] = [[] for _ in entries]
    for place, filed in lines_and_pairs(text, _LINE, entries[-1].end):
        number = wanted.get(plain_words(filed))
        if number is not None:
            candidates[number].append(place)
    return certain_places(candidates, len(text))
