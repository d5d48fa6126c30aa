"""Tables of plain text: rows of figures between <TABLE> and </TABLE>, in the tables that are found.

`python -m tests.fidelity.plain_tables [FOLDER]` prints the counts.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from msgspec import Struct

from edgar_search.document.tables import Line, table_places, text_lines
from edgar_search.text.document_text import searchable_text, searched_kind
from edgar_search.text.versions import DocumentKind
from tests.fidelity.words import decoded, searched_documents
from tests.support.engines import CHECKOUT

_EDGE = re.compile(r"<(?P<closes>/?)table>", re.IGNORECASE)
_TAG = re.compile(r"<[A-Z]{1,7}[0-9]?>", re.IGNORECASE)
_YEARS = re.compile(r"(?:19|20)[0-9]{2}(?:\s+(?:19|20)[0-9]{2})*")
_FIGURES = re.compile(r"\S.*?\s{2,}[$\s(]*[0-9][0-9,.]*\s?\)?%?")
_HEAD = re.compile(r"\S+(?: \S+)*\s{2,}\S.*")


class PlainTables(Struct):
    """Counts of tables with two rows of figures; those that have a head are whole in one table.

    A piece without a head is a table after the first one that begins with a row of figures.
    """

    tables: int = 0
    with_head: int = 0
    whole: int = 0
    lost_rows: int = 0
    headless: int = 0
    cut_documents: set[str] = set()


def count(corpus: Path) -> PlainTables:
    """Count the tables of the documents of plain text."""
    counts = PlainTables()
    plain = [
        (name, each)
        for name, each in searched_documents(corpus)
        if searched_kind(each) is DocumentKind.PLAIN and not each.form_type.startswith("13F")
    ]
    for name, document in plain:
        lines = text_lines(searchable_text(document) or "")
        tables = [range(place.start, place.end) for place in table_places(lines)]
        for rows in _found(_filed_tables(decoded(document.body).replace("\r", "")), lines):
            _add(counts, name, rows, tables)
    return counts


def _filed_tables(body: str) -> Iterator[list[str]]:
    """Yield the lines of each table, without tags and blanks; one that is not closed is none."""
    begin: int | None = None
    for edge in _EDGE.finditer(body):
        if edge["closes"] and begin is not None:
            lines = body[begin : edge.start()].split("\n")
            yield [line for each in lines if (line := " ".join(_TAG.sub(" ", each).split()))]
            begin = None
        elif not edge["closes"] and begin is None:
            begin = edge.end()


def _found(tables: Iterator[list[str]], lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines of the text that are those of each table, if all are there in order."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        places[" ".join(line.text.split())].append(number)
    at = 0
    for wanted in tables:
        rows: list[int] = []
        for row in wanted:
            known = places.get(row, [])
            nearest = bisect_left(known, rows[-1] + 1 if rows else at)
            if nearest == len(known):
                break
            rows.append(known[nearest])
        else:
            at = rows[-1] + 1 if rows else at
            yield [lines[row] for row in rows]


def _add(counts: PlainTables, name: str, rows: list[Line], tables: list[range]) -> None:
    kinds = [_is_figures(row.text) for row in rows]
    if sum(kinds) < 2:
        return
    starts = [row.start for row, is_figures in zip(rows, kinds, strict=True) if is_figures]
    parts: list[range] = []
    lost = 0
    for start in starts:
        before = bisect_right(tables, start, key=attrgetter("start"))
        if not before or start not in tables[before - 1]:
            lost += 1
        elif parts[-1:] != [tables[before - 1]]:
            parts.append(tables[before - 1])
    headless = len({part.start for part in parts[1:]} & set(starts))
    has_head = any(_HEAD.fullmatch(row.text.strip()) for row in rows[: kinds.index(True)])
    counts.tables += 1
    counts.with_head += has_head
    counts.whole += has_head and len(parts) == 1 and not lost
    counts.lost_rows += lost
    counts.headless += headless
    if lost or headless:
        counts.cut_documents.add(name)


def _is_figures(line: str) -> bool:
    shown = line.strip()
    figures = _FIGURES.fullmatch(shown)
    return figures is not None and not _YEARS.search(re.split(r"\s{2,}", shown)[-1])


def main() -> None:
    """Print the counts of all documents."""
    corpus = Path(sys.argv[1]) if sys.argv[1:] else CHECKOUT.parent / "shared" / "edgar"
    found = count(corpus)
    print(
        f"{found.tables} tables of plain text, {found.with_head} with a head, {found.whole} of them"
        f" whole; {found.lost_rows} rows lost, {found.headless} pieces without a head,"
        f" in {len(found.cut_documents)} documents"
    )


if __name__ == "__main__":
    main()
