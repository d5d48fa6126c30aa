"""EDGAR's index files: both layouts, their broken lines, and every file of the corpus."""

import gzip
from datetime import date
from pathlib import Path

import pytest

from edgar_search.errors import MalformedIndex
from ingest.fetching.index_files import IndexEntry, IndexFile, distinct

ABOUT = b"Description:  Index\nLast Data Received:    Jan  2, 2020\nComments:  none\n \n"
RULE = b"-" * 80 + b"\n"
MASTER = ABOUT + b"CIK|Company Name|Form Type|Date Filed|File Name\n" + RULE
FORM = ABOUT + b"Form Type   Company Name     CIK\n      Date Filed  File Name\n" + RULE
COMPANY = ABOUT + b"Company Name        Form Type   CIK\n      Date Filed  File Name\n" + RULE
PLACE = "edgar/data/9990001/0009990001-20-000001.txt"


def entry(form: str, company: str) -> IndexEntry:
    day = date(2020, 1, 2)
    return IndexEntry("0009990001-20-000001", form, company, "0009990001", day, PLACE)


def only(data: bytes) -> IndexEntry:
    (found,) = IndexFile(data)
    return found


@pytest.mark.parametrize("day", ["20200102", "2020-01-02"])
def test_fields_between_bars(day: str) -> None:
    line = f"9990001|MARBLE & MOSS|SC 13D/A|{day}|{PLACE}\r\n"
    assert only(MASTER + line.encode()) == entry("SC 13D/A", "MARBLE & MOSS")


def test_bar_in_a_name_belongs_to_the_name() -> None:
    line = f"9990001|MARBLE | MOSS|D|20200102|{PLACE}\n"
    assert only(MASTER + line.encode()) == entry("D", "MARBLE | MOSS")


@pytest.mark.parametrize(
    ("form", "width"),
    [("D", 12), ("IRANNOTICE", 12), ("SCHEDULE 13D/A", 17), ("SEC STAFF ACTION", 17)],
)
def test_columns_with_the_form_first(form: str, width: int) -> None:
    line = f"{form:{width}}{'MARBLE  AND MOSS':62}9990001     20200102    {PLACE}      \n"
    assert only(FORM + line.encode()) == entry(form, "MARBLE  AND MOSS")


def test_name_that_overruns_its_column() -> None:
    name = "MARBLE " * 9 + "MOSS"
    line = f"X-17A-5     {name}  9990001      2020-01-02  {PLACE}\n"
    assert only(FORM + line.encode()) == entry("X-17A-5", name)


@pytest.mark.parametrize("form", ["D", "SEC STAFF ACTION"])
def test_columns_with_the_company_first(form: str) -> None:
    line = f"{'MARBLE  AND MOSS':62}{form:17}9990001     20200102    {PLACE}      \n"
    assert only(COMPANY + line.encode()) == entry(form, "MARBLE  AND MOSS")


def test_crawler_index_has_addresses_that_are_cut_off() -> None:
    address = "http://localhost/Archives/edgar/data/9990001/0009990001-20-000001-inde"
    line = f"{'MARBLE':62}{'D':17}9990001     20200102    {address}\n"
    assert only(COMPANY + line.encode()) == entry("D", "MARBLE")


@pytest.mark.parametrize(
    "line",
    [
        f"9990001|MARBLE|D|20200231|{PLACE}",
        f"x|MARBLE|D|20200102|{PLACE}",
        f"9990001|MARBLE||20200102|{PLACE}",
        f"\N{ARABIC-INDIC DIGIT NINE}990001|MARBLE|D|20200102|{PLACE}",
        f"9990001|MARBLE|D|20200102|{PLACE.replace('9', chr(0x669))}",
        f"MARBLE AND MOSS   D   \N{ARABIC-INDIC DIGIT NINE}990001   20200102   {PLACE}",
        "9990001|MARBLE|D|20200102|edgar/data/9990001/none.txt",
        f"MARBLE|D|20200102|{PLACE}",
        "a sentence",
    ],
)
def test_line_that_is_no_entry_is_counted_and_kept(line: str) -> None:
    index = IndexFile(MASTER + line.encode() + b"\n\n")
    assert (list(index), index.unknown, index.unknown_lines) == ([], 1, [line])


def test_compressed_index_is_known_by_its_bytes() -> None:
    line = f"9990001|MARBLE|D|20200102|{PLACE}\n"
    assert only(gzip.compress(MASTER + line.encode())) == entry("D", "MARBLE")


def test_day_of_the_last_data() -> None:
    assert IndexFile(MASTER).received == date(2020, 1, 2)
    long_name = MASTER.replace(b"Jan  2, 2020", b"March 31, 2020")
    assert IndexFile(long_name).received == date(2020, 3, 31)
    assert IndexFile(RULE).received is None


@pytest.mark.parametrize("data", [b"", b"<html><title>Rate</title></html>", b"\x1f\x8bdamaged"])
def test_other_bytes_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(MalformedIndex, match="^master.idx: "):
        IndexFile(data, "master.idx")


def test_submission_of_several_filers_is_one() -> None:
    lines = [entry("D", "MARBLE"), entry("D", "MOSS")]
    assert list(distinct(lines)) == lines[:1]


# Lines and submissions of each file, counted with `grep` and `sort -u` over accession numbers.
@pytest.mark.parametrize(
    ("file", "lines", "submissions"),
    [
        ("quarterly/master.2020Q1.idx.gz", 319828, 213557),
        ("quarterly/xbrl.2015Q1.idx.gz", 8623, 8277),
        ("daily/form.20200318.idx.gz", 4084, 2666),
        ("daily/company.20221003.idx.gz", 4925, 3195),
        ("daily/company.20200102.idx.gz", 4441, 2650),
        ("daily/master.20200103.idx.gz", 7989, 4655),
        ("daily/master.20130104.idx.gz", 5574, 3269),
        ("daily/master.20181231.idx.gz", 2619, 1915),
        ("excerpts/master.1993Q4.idx", 20, 19),
        ("excerpts/master.2020Q1.idx", 5, 5),
        ("excerpts/crawler.20250501.idx", 8, 8),
        ("excerpts/company.20210108.idx", 4, 4),
        ("excerpts/company.20210108.empty.idx", 0, 0),
        ("excerpts/form.2025Q1.empty.idx", 0, 0),
        ("excerpts/form.2021Q1.bad-line.idx", 10, 9),
        ("excerpts/form.20220204.idx", 57, 53),
    ],
)
def test_every_line_of_a_real_index_is_read(
    corpus: Path, file: str, lines: int, submissions: int
) -> None:
    index = IndexFile((corpus / "index" / file).read_bytes(), file)
    entries = list(index)
    assert (len(entries), index.unknown) == (lines, 0)
    assert len(list(distinct(entries))) == submissions


def test_form_types_of_a_real_quarter_are_those_that_edgar_lists(corpus: Path) -> None:
    known = set((corpus / "reference" / "form_types.2020Q1.txt").read_text().splitlines())
    path = corpus / "index" / "quarterly" / "master.2020Q1.idx.gz"
    # The list has types that nobody filed in that quarter.
    assert {found.form_type for found in IndexFile(path.read_bytes())} <= known


def test_form_types_of_real_columns_are_those_that_edgar_lists(corpus: Path) -> None:
    known = set((corpus / "reference" / "form_types.2020Q1.txt").read_text().splitlines())
    for name in ("form.20200318", "company.20200102"):
        path = corpus / "index" / "daily" / f"{name}.idx.gz"
        found = {entry.form_type for entry in IndexFile(path.read_bytes())}
        # EDGAR itself cuts "SEC STAFF ACTION" to fit its column.
        assert found - known <= {"SEC STAFF"}
