"""Tables of plain text: rows of figures between <TABLE> and </TABLE>, in the tables that are found.

`python -m tests.fidelity.plain_tables [FOLDER]` prints the counts.
"""

import re
import sys
from pathlib import Path

from msgspec import Struct

from edgar_search.document.tables import table_places, text_lines
from edgar_search.text.document_text import searchable_text, searched_kind
from edgar_search.text.versions import DocumentKind
from tests.fidelity.words import decoded, searched_documents
from tests.support.engines import CHECKOUT

_TABLE = re.compile(r"<table>(.*?)</table>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[A-Z]{1,7}[0-9]?>", re.IGNORECASE)
_YEARS = re.compile(r"(?:19|20)[0-9]{2}(?:\s+(?:19|20)[0-9]{2})*")
_FIGURES = re.compile(r"\S.*?\s{2,}[$\s(]*[0-9][0-9,.]*\s?\)?%?")
_HEAD = re.compile(r"\S+(?: \S+)*\s{2,}\S.*")


class PlainTables(Struct):
    """Counts of tables with two rows of figures; those that have a head are whole in one table.

    A piece without a head is a table behind the first one that begins with a row of figures.
    """

    tables: int = 0
    with_head: int = 0
    whole: int = 0
    lost_rows: int = 0
    headless: int = 0
    cut_documents: set[str] = set()


def count(corpus: Path, every: int = 1) -> PlainTables:
    """Count the tables of the documents of plain text, or of each n-th of them."""
    counts = PlainTables()
    plain = [
        (name, each)
        for name, each in searched_documents(corpus)
        if searched_kind(each) is DocumentKind.PLAIN and not each.form_type.startswith("13F")
    ]
    for name, document in plain[::every]:
        text = searchable_text(document) or ""
        lines = text_lines(text)
        tables = [range(each.start, each.end) for each in table_places(lines)]
        at = 0
        for filed in _TABLE.findall(decoded(document.body).replace("\r", "")):
            filed_lines = [" ".join(_TAG.sub(" ", line).split()) for line in filed.split("\n")]
            wanted = [line for line in filed_lines if line]
            rows: list[tuple[int, str]] = []
            place = at
            for line in wanted:
                while place < len(lines) and " ".join(lines[place].text.split()) != line:
                    place += 1
                if place == len(lines):
                    break
                rows.append((lines[place].start, lines[place].text))
                place += 1
            if len(rows) == len(wanted):
                at = place
                _add(counts, name, rows, tables)
    return counts


def _add(counts: PlainTables, name: str, rows: list[tuple[int, str]], tables: list[range]) -> None:
    kinds = [_is_figures(line) for _, line in rows]
    if sum(kinds) < 2:
        return
    starts = [start for (start, _), is_figures in zip(rows, kinds, strict=True) if is_figures]
    parts = [each for each in tables if any(start in each for start in starts)]
    lost = sum(not any(start in each for each in parts) for start in starts)
    headless = sum(each.start in starts for each in parts[1:])
    has_head = any(_HEAD.fullmatch(line.strip()) for _, line in rows[: kinds.index(True)])
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
