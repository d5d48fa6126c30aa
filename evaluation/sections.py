"""The share of report sections with the right start and end, on judged real reports.

    python -m evaluation.sections [--corpus FOLDER]

`evaluation/judged_sections.json` names, for reports drawn by a printed seed, where each item
begins: the first words of its heading, and which occurrence of them in the report it is. A
boundary without an item is what ends the section before it. The reports that are held out were
judged before the finder was run on them.
"""

import argparse
import gzip
import re
import time
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import msgspec
from msgspec import Struct

from edgar_search.edgar.document import read_documents
from edgar_search.edgar.items import PROXY_FORMS
from edgar_search.edgar.submission import Document, parse_submission
from ingest.reading.sections import Section
from ingest.reading.sections.report_text import ReportText, report_text
from ingest.reading.transform import sections_of_form

CHECKOUT = Path(__file__).parent.parent
JUDGED = CHECKOUT / "evaluation" / "judged_sections.json"
CORPUS = CHECKOUT.parent / "shared" / "edgar"
ANY_DAY = date(2020, 1, 1)  # of filing: it decides only which items a Form 8-K has
_WRAPPER = re.compile(rb"\s*<DOCUMENT>")
_LETTERS = re.compile(r"[a-z0-9]", re.IGNORECASE)


class Judged(Struct, frozen=True):
    """A report: its boundaries are (item or "", first words, number of the occurrence)."""

    file: str
    form: str
    format: str
    held_out: bool
    boundaries: list[tuple[str, str, int]]


class Figures(Struct):
    """Counts of sections, and seconds and bytes of finding them."""

    judged: int = 0
    found: int = 0
    starts: int = 0
    whole: int = 0
    seconds: float = 0.0
    size: int = 0

    def add(self, other: "Figures") -> None:
        """Add another's counts."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __str__(self) -> str:
        shares = (
            _share(self.starts, self.found),
            _share(self.starts, self.judged),
            _share(self.whole, self.found),
            _share(self.whole, self.judged),
        )
        return f"{self.judged:6}{self.found:7}" + "".join(f"{share:>9}" for share in shares)


def read_judged() -> list[Judged]:
    """Return the judged reports."""
    return msgspec.json.decode(JUDGED.read_bytes(), type=list[Judged])


def document(corpus: Path, file: str) -> Document:
    """Return the main document of a file of the corpus, a submission or a document alone."""
    data = gzip.decompress((corpus / file).read_bytes())
    if file.startswith("filings/"):
        return parse_submission(data).documents[0]
    wrapper = _WRAPPER.match(data)
    if wrapper is None:
        data = b"<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n" + data + b"\n</TEXT>\n</DOCUMENT>"
    span = (wrapper.end() - len(b"<DOCUMENT>") if wrapper else 0, len(data))
    return read_documents(data, [span], "0000000000-00-000000")[0]


def letters(text: str) -> str:
    """The letters and digits of a text, without case: neither white space nor marks matter."""
    return "".join(_LETTERS.findall(text)).lower()


def occurrence(bare: str, words: str, number: int) -> int:
    """Return the place of the number-th occurrence of these words, from 1; raises ValueError."""
    at = -1
    for _ in range(number):
        at = bare.index(letters(words), at + 1)
    return at


def spans_judged(report: Judged, bare: str) -> dict[str, tuple[int, int]]:
    """Return each item's (start, end) in the letters and digits of the text."""
    places = [occurrence(bare, words, number) for _, words, number in report.boundaries]
    ends = [*places[1:], len(bare)]
    items = [item for item, _, _ in report.boundaries]
    return {i: (p, e) for i, p, e in zip(items, places, ends, strict=True) if i}


def spans_found(text: ReportText, found: Iterable[Section]) -> dict[str, tuple[int, int]]:
    """Return the same as the finder has them."""
    return {s.item: (_place(text, s.start), _place(text, s.end)) for s in found}


def _place(text: ReportText, at: int) -> int:
    return len(letters(text.text[:at]))


def compare(corpus: Path, report: Judged) -> dict[str, Figures]:
    """Return the figures of each item of a report."""
    filed = document(corpus, report.file)
    text = report_text(filed)
    right = spans_judged(report, letters(text.text))
    began = time.process_time()
    sections = sections_of_form(report.form, ANY_DAY, text)
    seconds = time.process_time() - began
    found = spans_found(text, sections)
    figures = {
        item: Figures(
            judged=item in right,
            found=item in found,
            starts=item in right and item in found and right[item][0] == found[item][0],
            whole=item in right and right[item] == found.get(item),
        )
        for item in {**right, **found}
    }
    figures[""] = Figures(seconds=seconds, size=filed.size)
    return figures


def measure(corpus: Path, reports: list[Judged]) -> dict[str, dict[str, Figures]]:
    """Figures by kind of group, then group: all items, by half, by format and by item or part."""
    groups: dict[str, dict[str, Figures]] = {"all": {}, "half": {}, "format": {}, "item": {}}
    for report in reports:
        for item, figures in compare(corpus, report).items():
            for kind, group in _groups(report, item):
                groups[kind].setdefault(group, Figures()).add(figures)
    return groups


def _groups(report: Judged, item: str) -> Iterator[tuple[str, str]]:
    is_proxy = report.form in PROXY_FORMS
    if not is_proxy:
        yield "all", "all"
        yield "half", "held out" if report.held_out else "the rest"
    form = "proxy" if is_proxy else report.form[:4]
    yield "format", f"{form} {report.format}"
    if item:
        yield "item", f"{form} {item}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def chosen_corpus(description: str | None) -> Path:
    """Return the folder that a command is given.

    It ends, saying so, where that holds no filings.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--corpus", type=Path, default=CORPUS, help="the folder of real EDGAR files"
    )
    corpus: Path = parser.parse_args().corpus
    if not (corpus / "filings").is_dir():
        parser.error(f"--corpus: {corpus} has no folder `filings` with submissions")
    return corpus


def main() -> None:
    """Print the figures."""
    corpus = chosen_corpus(__doc__)
    reports = read_judged()
    groups = measure(corpus, reports)
    print(f"{len(reports)} reports, {sum(r.held_out for r in reports)} of them held out")
    print(f"{'':40}{'judged':>6}{'found':>7}   start P  start R  whole P  whole R")
    for group in groups.values():
        for name, figures in sorted(group.items()):
            print(f"{name:40}{figures}")
    every = groups["all"]["all"]
    print(f"{every.size / 1e6 / every.seconds:.0f} MB/s, one core")


if __name__ == "__main__":
    main()
